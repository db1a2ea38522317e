"""Matching a call's arguments with a function's parameters.

    def f(a, b=2, *rest): ...        f(1, b=3)    ->    a = 1, b = 3, rest = ()

Invariant: None for every call that would raise TypeError.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from futamura.ir.graph import Function, Signature
from futamura.specializer.machine import Machine
from futamura.specializer.rules import site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape, VObject

__all__ = ["OWN", "Keywords", "bind", "collect_at_entry", "collecting", "open_signature"]

Keywords: TypeAlias = list[tuple[str, AbstractValue]]
OWN: Final = Shape(length=-3)
"""Of options that are a dict of their own, none of which is called like a parameter: what the function gets."""


def bind(
    m: Machine,
    frame: Frame,
    signature: Signature,
    args: list[AbstractValue],
    keywords: Keywords,
    defaults: dict[str, AbstractValue],
) -> list[AbstractValue] | None:
    """The entry's values in the order of `signature.names`, or None if the call would raise TypeError."""
    names = (*signature.posonly, *signature.regular)
    if len(args) > len(names) and signature.varargs is None:
        return None
    found: dict[str, AbstractValue] = dict(zip(names, args))
    extra: Keywords = []
    options: AbstractValue | None = None
    starred: AbstractValue | None = None
    for name, value in keywords:
        if name == "*":  # all other parameters that it could fill are given
            starred = value
            continue
        if name == "**":  # none of these is called like a parameter
            options = value
            continue
        if name in found and name not in signature.posonly:
            return None
        if name in signature.regular or name in signature.kwonly:
            found[name] = value
        elif signature.varkw is not None and all(name != other for other, _ in extra):
            extra.append((name, value))
        else:
            return None
    for name in (*names, *signature.kwonly):
        if name not in found:
            if name not in defaults:
                return None
            found[name] = defaults[name]
    if signature.varargs is not None:
        rest = tuple(args[len(names) :])
        if starred is None:
            found[signature.varargs] = m.virtual(VObject("tuple", tuple, rest, site=site(frame)))
        elif not rest and type(starred) is Dynamic and starred.type is tuple:
            found[signature.varargs] = starred
        else:
            marks = (*(False for _ in rest), True)
            found[signature.varargs] = m.emit("tuple", (*rest, starred), marks, type=tuple, raises=False)
    if options is not None:
        if signature.varkw is None or extra:
            return None
        if type(options) is Dynamic and options.shape is OWN:
            found[signature.varkw] = Dynamic(options.rv, dict)
        else:
            made = m.emit("dict", (options,), (True,), type=dict, hint=signature.varkw, raises=False)
            found[signature.varkw] = made
    elif signature.varkw is not None:
        entry = VObject("dict", dict, tuple(v for _, v in extra), tuple(k for k, _ in extra), site(frame))
        found[signature.varkw] = m.virtual(entry)
    return [found[name] for name in signature.names]


def collect_at_entry(
    m: Machine, function: Function, env: dict[int, AbstractValue], promised: Mapping[int, list[Dynamic]]
) -> None:
    """What `*args` and `**names` of the entry hold: the tuple of promised items, and for static keywords a dict that is
    new in each call, as Python makes it."""
    for name, param in zip(function.signature.names, function.entry.params):
        value = env[param]
        if type(value) is Dynamic and value.rv in promised:
            entry = VObject("tuple", tuple, tuple(promised[value.rv]), site=("open", value.rv))
            env[param] = m.virtual(entry)
        elif type(value) is Known and name == function.signature.varkw:
            assert type(value.value) is dict
            held = tuple(map(Known, value.value.values()))
            env[param] = m.virtual(VObject("dict", dict, held, tuple(value.value), site=("given", name)))


def collecting(signature: Signature, name: str) -> type | None:
    """What Python makes for a parameter that collects arguments."""
    return tuple if name == signature.varargs else dict if name == signature.varkw else None


def open_signature(signature: Signature, open_names: tuple[str, ...]) -> Signature:
    """The parameters that stay open, of the same kinds and in the same order."""
    names = set(open_names)
    return Signature(
        tuple(name for name in signature.posonly if name in names),
        tuple(name for name in signature.regular if name in names),
        signature.varargs if signature.varargs in names else None,
        tuple(name for name in signature.kwonly if name in names),
        signature.varkw if signature.varkw in names else None,
    )
