"""The entry of a residual: what is promised of its inputs, as tests, and a function for tests that cannot stand inside.

    Dyn(list[float], length=3)      type(x) is list and len(x) == 3 and type(x[0]) is float and ...
    a generator                     def walk(tree):
                                        return _residual(tree)        the tests come before this line (`guarding`)

A test is text with the true parameters, because a loop over promises behind `*args` costs more than many residuals do.

Invariant: the tests run no code of the program.
"""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args, get_origin

from futamura.backend.python.emitted import Emitted
from futamura.backend.python.guarding import Constants, Items
from futamura.ir.graph import Signature
from futamura.optimize.contents import Contents
from futamura.showing import shown
from futamura.specializer.aliasing import FEW_STRANGERS, Apart, KeptBy
from futamura.specializer.kept import CachedCall, CachedItem

__all__ = ["Promise", "broken", "calling", "condition", "contents", "differences", "few_items", "shallow", "told_apart"]

_VARARGS: Final = 0x04
_VARKEYWORDS: Final = 0x08


@dataclass(frozen=True, slots=True)
class Promise:
    """What is declared of an open input, as far as it is used: a class, `list[float]` or `tuple[float, ...]`, or the
    classes of a tuple's items; and a length."""

    name: str
    type: Any
    length: int | None = None

    def __str__(self) -> str:
        length = "" if self.length is None else f" of length {self.length}"
        kind = self.type.__name__ if isinstance(self.type, type) and get_origin(self.type) is None else self.type
        return f"{self.name} is exactly {kind}{length}"


def contents(promise: Promise) -> Contents:
    """The promise as passes over the residual program take it."""
    kind, arguments = get_origin(promise.type) or promise.type, get_args(promise.type)
    item = arguments[0] if len(arguments) == 1 and kind is list and get_origin(arguments[0]) is None else object
    return Contents(_class_name(kind), _class_name(item), promise.length if kind is list else None)


def _class_name(kind: object) -> str:
    """The name of an exact builtin class, "object" for everything else."""
    name = kind.__name__ if isinstance(kind, type) else "object"
    return name if getattr(builtins, name, None) is kind else "object"


def calling(made: types.FunctionType) -> Emitted:
    """The text of a function that calls `made`, for tests that cannot stand inside of it: a generator runs later, and a
    recursive function would be tested again."""
    parameters, arguments = _shape(made)
    inner = "_residual"
    while inner in parameters_of(made):
        inner = f"_{inner}"
    text = f"def entry({parameters}):\n    return {inner}({arguments})\n"
    return Emitted("entry", text, ((inner, made),), (), (None, None))


def parameters_of(function: types.FunctionType) -> tuple[str, ...]:
    """The names of all parameters, in the order of the code's variables."""
    code = function.__code__
    extra = bool(code.co_flags & _VARARGS) + bool(code.co_flags & _VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + extra]


def _shape(function: types.FunctionType) -> tuple[str, str]:
    """The text of the parameters (defaults are attributes of the function), and of a call that passes them on."""
    code = function.__code__
    names = list(parameters_of(function))
    plain, keywords = names[: code.co_argcount], names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    rest = names[code.co_argcount + code.co_kwonlyargcount :]
    parameters, arguments = list(plain), list(plain)
    if code.co_posonlyargcount:
        parameters.insert(code.co_posonlyargcount, "/")
    if code.co_flags & _VARARGS:
        star = rest.pop(0)
        parameters.append(f"*{star}")
        arguments.append(f"*{star}")
    elif keywords:
        parameters.append("*")
    parameters.extend(keywords)
    arguments.extend(f"{word}={word}" for word in keywords)
    parameters.extend(f"**{word}" for word in rest)
    arguments.extend(f"**{word}" for word in rest)
    return ", ".join(parameters), ", ".join(arguments)


def shallow(promise: Promise) -> Promise:
    """The part of a promise that is tested at once: the class and the length, not the items."""
    origin = get_origin(promise.type)
    fixed = origin is tuple and get_args(promise.type)[1:] != (...,)
    return promise if fixed or origin is None else Promise(promise.name, origin, promise.length)


FEW_ITEMS: Final = 24
"""So many items are tested one by one; for more of them a loop in C costs less text, and not much more time."""


def few_items(promise: Promise) -> Items | None:
    """The items of an input whose classes are tested one by one; `shallow` is the rest of such a promise."""
    origin, arguments = get_origin(promise.type), get_args(promise.type)
    plain = origin is list or (origin is tuple and arguments[1:] == (...,))
    if not plain or promise.length is None or not 0 < promise.length <= FEW_ITEMS:
        return None
    return Items(promise.name, promise.length, arguments[0]) if type(arguments[0]) is type else None


def condition(promise: Promise, constant: Callable[[object, str], str]) -> str:
    """The test of a promise as an expression over the parameter; it raises nothing and runs no code of the program."""
    kind, value = promise.type, promise.name
    origin = get_origin(kind)
    length = "" if promise.length is None else f" and {constant(len, 'len')}({value}) == {promise.length}"
    if origin is None and isinstance(kind, type):
        return f"{constant(type, 'type')}({value}) is {constant(kind, kind.__name__)}{length}"
    arguments = get_args(kind)
    if origin is tuple and arguments[1:] != (...,) and all(type(item) is type for item in arguments):
        class_of = constant(type, "type")
        items = "".join(
            f" and {class_of}({value}[{at}]) is {constant(item, item.__name__)}" for at, item in enumerate(arguments)
        )
        return (
            f"{class_of}({value}) is {constant(tuple, 'tuple')} and {constant(len, 'len')}({value}) == {len(arguments)}"
            f"{items}{length}"
        )
    class_of, count = constant(type, "type"), constant(operator.countOf, "count")
    return (
        f"{class_of}({value}) is {constant(origin, origin.__name__)}{length} and {count}("
        f"{constant(map, 'map')}({class_of}, {value}), {constant(arguments[0], arguments[0].__name__)}) == "
        f"{promise.length if length else constant(len, 'len') + f'({value})'}"
    )


def broken(promise: Promise) -> str:
    """What is said where a promise does not hold."""
    return f"this residual was made for calls where {promise}"


def differences(
    apart: Apart, signature: Signature, promises: Sequence[Promise] = ()
) -> list[Callable[[Constants], str]]:
    """Writers of the tests that no open input is one of the objects, or a method of one; those are kept alive, so that
    no other gets their id.  An input of a promised class, which is tested before, can only be one of that class."""
    classes = {one.name: get_origin(one.type) or one.type for one in promises}

    def write(param: str, strangers: tuple[object, ...], constant: Constants, *, promised: bool = False) -> str:
        identity = constant(id, "id")
        held = constant({id(value): value for value in strangers}, "objects")
        if param in (signature.varargs, signature.varkw):
            values = param if param == signature.varargs else f"{param}.values()"
            test = f"{held}.keys().isdisjoint({constant(map, 'map')}({identity}, {values}))"
            return test if param == signature.varargs else f"(not {param} or {test})"
        if promised or param not in apart.methods:
            return f"{identity}({param}) not in {held}"
        method = constant(types.MethodType, "method")
        bound = f"{constant(type, 'type')}({param}) is {method} and {identity}({param}.__self__) in {held}"
        return f"{identity}({param}) not in {held} and not ({bound})"

    def write_few(param: str, strangers: tuple[object, ...], constant: Constants, *, promised: bool = False) -> str:
        names = [constant(value, "object") for value in strangers]
        if promised or param not in apart.methods:
            return " and ".join(f"{param} is not {name}" for name in names)
        bound = " or ".join(f"{param}.__self__ is {name}" for name in names)
        method = f"{constant(type, 'type')}({param}) is {constant(types.MethodType, 'method')}"
        return " and ".join((*(f"{param} is not {name}" for name in names), f"not ({method} and ({bound}))"))

    def write_place(kept: KeptBy, constant: Constants) -> str:
        owner, name = constant(kept.owner, "owner"), kept.name
        if isinstance(name, str):
            return f"{owner}.__dict__.get({name!r}, {owner})"
        if isinstance(name, CachedItem):
            return f"{owner}.get({constant(name.value, 'object')}, {owner})"
        marks = [*[""] * (len(name.args) - len(name.names)), *[f"{one}=" for one in name.names]]
        args = [mark + constant(value, "object") for mark, value in zip(marks, name.args, strict=True)]
        return f"{owner}({', '.join(args)})"

    def write_kept(param: str, kept: KeptBy, constant: Constants) -> str:
        there = write_place(kept, constant)
        if param in (signature.varargs, signature.varkw):
            values = param if param == signature.varargs else f"{param}.values()"
            return f"not any({there} is _value for _value in {values})"
        bound = param in apart.methods
        method = f"{constant(type, 'type')}({param}) is {constant(types.MethodType, 'method')}" if bound else ""
        if isinstance(kept.name, CachedCall):
            asked = f"{constant(type, 'type')}({{0}}) is {constant(kept.cls, 'class')} and {{0}} is {there}"
            own = param + ".__self__"
            alone = f"not ({asked.format(param)})"
            return f"{alone} and not ({method} and {asked.format(own)})" if bound else alone
        alone = f"{param} is not {there}"
        return f"{alone} and not ({method} and {param}.__self__ is {there})" if bound else alone

    writers: list[Callable[[Constants], str]] = []
    for param, strangers, kinds in _strangers(apart, signature, promises):
        if strangers:
            few = param not in (signature.varargs, signature.varkw) and len(strangers) <= FEW_STRANGERS
            promised = param in classes
            writers.append(functools.partial(write_few if few else write, param, strangers, promised=promised))
        writers += [functools.partial(write_kept, param, kept) for kept in kinds]
    return writers


def _strangers(
    apart: Apart, signature: Signature, promises: Sequence[Promise]
) -> Iterator[tuple[str, tuple[object, ...], list[KeptBy]]]:
    """The open inputs that have to be told apart, each with what it may not be."""
    classes = {one.name: get_origin(one.type) or one.type for one in promises}
    for param in signature.names:
        if param not in apart.names:
            continue
        kind = classes.get(param)
        if param in (signature.varargs, signature.varkw) or not isinstance(kind, type):
            yield param, apart.objects, [*apart.kept]
        else:
            same = tuple(value for value in apart.objects if type(value) is kind)
            yield param, same, [kept for kept in apart.kept if kept.cls is kind]


def told_apart(
    apart: Apart, signature: Signature, promises: Sequence[Promise], static: Mapping[str, object]
) -> list[str]:
    """What `differences` tests, as it is told to people."""
    names = {id(value): f"`{name}`" for name, value in static.items()}
    promised = {one.name for one in promises}
    lines = []
    for param, strangers, kept in _strangers(apart, signature, promises):
        what = [names.get(id(value), shown(value)) for value in strangers]
        what += [f"what {names.get(id(one.owner), shown(one.owner))} keeps" for one in kept]
        if not what:
            continue
        some = what[0] if len(what) == 1 else f"none of {len(what)} static objects: {', '.join(what)}"
        if len(what) > FEW_STRANGERS:
            some = f"none of {len(what)} static objects"
        method = ", and no method of " + ("it" if len(what) == 1 else "them")
        whole = "nothing in " if param in (signature.varargs, signature.varkw) else ""
        tail = method if param in apart.methods and param not in promised and not whole else ""
        lines.append(f"{whole}`{param}` is {'not ' if len(what) == 1 and not whole else ''}{some}{tail}")
    return lines
