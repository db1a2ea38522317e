"""What a caller can observe of a call, as plain data; and a comparison of two callables on the same inputs.

    outcome(lambda: f(values), (values,))    ->    (how it ended, arguments afterwards, other state, printed text)

Two outcomes are equal if results have the same exact types and values, share the same objects with each other and
with the arguments, the arguments were mutated alike, the same exception came with the same text and context, and the
same text was printed in the same order.

Invariant: nothing here knows the specializer; mutable objects are numbered in the order in which they are met,
so that observed data never depends on addresses or hash seeds.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import types
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

DRAIN_LIMIT = 50
"""Items taken from an iterator that a call returned."""

ATOMS = (int, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), complex, range)
NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType)


def observe(value: Any, seen: dict[int, int] | None = None, keep: list[Any] | None = None) -> Any:
    """`value` as nested tuples: exact types, order, shared objects by number."""
    seen = {} if seen is None else seen
    keep = [] if keep is None else keep
    kind = type(value)
    if kind in ATOMS:
        return kind.__name__, repr(value)
    if kind is float:
        return "float", value.hex()
    if isinstance(value, NAMED):
        return kind.__name__, getattr(value, "__qualname__", getattr(value, "__name__", "?"))
    if kind is tuple:
        return "tuple", tuple(observe(item, seen, keep) for item in value)
    if id(value) in seen:
        return "same", seen[id(value)]
    seen[id(value)] = len(seen)
    keep.append(value)  # an object that died could lend its address to another one
    return kind.__name__, len(seen) - 1, contents(value, seen, keep)


def contents(value: Any, seen: dict[int, int], keep: list[Any]) -> Any:
    def inner(items: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(observe(item, seen, keep) for item in items)

    if isinstance(value, BaseException):
        return observe_exception(value, seen, keep)
    if isinstance(value, types.GeneratorType) or type(value).__name__.endswith("iterator"):
        return drain(value, seen, keep)
    kind = type(value)  # an object may claim by `__class__` to be of another one
    parts: list[Any] = []
    if issubclass(kind, list):
        parts.append(inner(list.__iter__(value)))
    if issubclass(kind, dict):
        parts.append(tuple((observe(k, seen, keep), observe(v, seen, keep)) for k, v in dict.items(value)))
    if issubclass(kind, (set, frozenset)):
        parts.append(tuple(sorted(repr(observe(item)) for item in value)))
    if issubclass(kind, (bytearray, memoryview)):
        parts.append(bytes(value).hex())
    if issubclass(kind, (int, float, str, tuple)):  # a subclass: the exact ones are above
        base = next(base for base in (int, float, str, tuple) if issubclass(kind, base))
        parts.append(inner(tuple.__iter__(value)) if base is tuple else base.__repr__(value))
    if hasattr(value, "__dict__"):
        parts.append(
            tuple((name, observe(inner_value, seen, keep)) for name, inner_value in sorted(vars(value).items()))
        )
    for name in sorted(slots_of(type(value))):
        if hasattr(value, name):
            parts.append((name, observe(getattr(value, name), seen, keep)))
    return tuple(parts)


def slots_of(kind: type) -> set[str]:
    names: set[str] = set()
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        names.update([slots] if isinstance(slots, str) else slots)
    return names - {"__dict__", "__weakref__"}


def drain(iterator: Any, seen: dict[int, int], keep: list[Any]) -> tuple[Any, ...]:
    items = []
    try:
        for _ in range(DRAIN_LIMIT):
            items.append(observe(next(iterator), seen, keep))
    except StopIteration as stop:
        items.append(("stop", observe(stop.value, seen, keep)))
    except Exception as error:
        items.append(("raised", observe(error, seen, keep)))
    return tuple(items)


def observe_exception(error: BaseException, seen: dict[int, int], keep: list[Any]) -> tuple[Any, ...]:
    linked = [observe(link, seen, keep) if link is not None else None for link in (error.__cause__, error.__context__)]
    state = tuple((name, observe(value, seen, keep)) for name, value in sorted(vars(error).items()))
    return str(error), observe(error.args, seen, keep), state, tuple(linked), error.__suppress_context__


def outcome(call: Callable[[], Any], arguments: tuple[Any, ...], also: Any = None) -> tuple[Any, ...]:
    """One call: how it ended, the state of its arguments (and of `also`) afterwards, what it printed."""
    seen: dict[int, int] = {}
    keep: list[Any] = []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            ended = ("returned", observe(call(), seen, keep))
        except RecursionError:
            ended = ("raised", "RecursionError")
        except Exception as error:
            ended = ("raised", observe(error, seen, keep))
    return ended, observe(arguments, seen, keep), observe(also, seen, keep), printed.getvalue()


def place_arguments(
    function: Callable[..., Any], static: dict[str, Any], values: tuple[Any, ...]
) -> tuple[list[Any], dict[str, Any]]:
    """Positional and keyword arguments of the original function: `values` fill its open parameters in order."""
    left = list(values)
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(left)
            left = []
        elif parameter.kind is parameter.VAR_KEYWORD:
            continue
        elif name in static or left:
            value = static[name] if name in static else left.pop(0)
            if parameter.kind is parameter.KEYWORD_ONLY:
                keywords[name] = value
            else:
                positional.append(value)
    assert not left, f"too many dynamic values for {function}"
    return positional, keywords


def open_parameters(function: Callable[..., Any], static: dict[str, Any]) -> list[str] | None:
    """Names of the open parameters, or None where they cannot all be given by name."""
    parameters = inspect.signature(function).parameters
    if any(p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY) for p in parameters.values()):
        return None
    return [name for name in parameters if name not in static]


def compare(
    make: Callable[[], tuple[Callable[..., Any], dict[str, Any]]],
    inputs: Callable[[Random], tuple[Any, ...]],
    specialize: Callable[..., Callable[..., Any]],
    rounds: int = 12,
) -> Callable[..., Any]:
    """Specialize once and call `rounds` times beside the original; every other call passes its arguments by name.

    Both sides work on objects of their own, made by the same factory, and keep them over all calls.
    """
    function, static = make()
    function_again, static_again = make()
    residual = specialize(function_again, **static_again)
    names = open_parameters(function, static)
    for number in range(rounds):
        values = inputs(Random(number))
        positional, keywords = place_arguments(function, static, values)
        also = (list(static.values()), getattr(function, "__self__", None))
        expected = outcome(functools.partial(function, *positional, **keywords), values, also)
        values = inputs(Random(number))
        also = (list(static_again.values()), getattr(function_again, "__self__", None))
        by_name = dict(zip(names, values)) if names is not None and number % 2 else None
        call = functools.partial(residual, **by_name) if by_name else functools.partial(residual, *values)
        found = outcome(call, values, also)
        assert found == expected, f"inputs {inputs(Random(number))!r}:\nexpected {expected!r}\nfound    {found!r}"
    return residual
