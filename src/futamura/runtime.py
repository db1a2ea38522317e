"""What residual code calls where Python has no expression for what must happen.

    inside a generator that was inlined:    call_in_generator(f, x)      f(x); StopIteration becomes RuntimeError
                                            raise_in_generator(error)    raise error, likewise
    a global of another module:             read_global(module, "name")
                                            raise end_of_generator(value)
    an iterator that exists already:        for x in iterating(iterator)
    one that several loops go on with:      steps = iterated(iterable)
    a context manager of unknown class:     leave, value = enter_context(manager)
    an attribute that is filled once:       keep(owner, "name", value)
    one that may not exist:                 found = getattr(owner, name, nothing)
    f(**given) of a function in line:       own = options(given, names, module, qualname)

Invariant: nothing here keeps anything between two calls, and nothing here looks at the frames of its callers.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Generator
from types import FunctionType, MethodDescriptorType, ModuleType, WrapperDescriptorType
from typing import Any, Final

from futamura.ir.evaluate import async_item, async_iterator, enter_async_context, with_enter

__all__ = [
    "STOPPED",
    "advanced",
    "answered",
    "async_item",
    "async_iterator",
    "call_in_generator",
    "delete_global",
    "end_of_generator",
    "enter_async_context",
    "enter_context",
    "iterated",
    "iterating",
    "keep",
    "lasting",
    "nothing",
    "options",
    "raise_in_generator",
    "raise_thrown",
    "read_global",
    "write_global",
]

STOPPED: Final = "generator raised StopIteration"
"""What the error says that Python makes of a StopIteration that leaves a generator."""


def call_in_generator(function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    """Call what a generator's body calls: a StopIteration that would leave the generator must not end its consumer."""
    try:
        return function(*args, **keywords)
    except StopIteration as stop:
        raise RuntimeError(STOPPED) from stop


def raise_in_generator(*operands: Any) -> Any:
    """Raise what a generator's body raises: nothing (the active exception), an exception, or one and its cause."""
    try:
        if not operands:
            raise
        if len(operands) == 1:
            raise operands[0]
        raise operands[0] from operands[1]
    except StopIteration as stop:
        raise RuntimeError(STOPPED) from stop


def raise_thrown(error: BaseException) -> None:
    """Raise what is thrown into a generator: the exception that its consumer handles does not become its context."""
    _suspended().throw(error)


def _suspended() -> Generator[None, None, None]:
    yield


def end_of_generator(value: Any) -> StopIteration:
    """What a generator raises that returns `value`."""
    return StopIteration() if value is None else StopIteration(value)


class iterating:  # it is called like a function
    """What `iter` makes the given iterator of, without asking it again."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Any) -> None:
        self._iterator: Final = iterator

    def __iter__(self) -> Any:
        return self._iterator


_OF_THE_HEAP: Final = 1 << 9
"""The flag of classes that are made while a program runs."""


def iterated(iterable: Any) -> Any:
    """Something to loop over several times, each loop going on where the one before stopped: the iterator, if its class
    is one of those that are built in, which give themselves as their iterators."""
    iterator = iter(iterable)
    return iterating(iterator) if type(iterator).__flags__ & _OF_THE_HEAP else iterator


def lasting(iterator: Any) -> Any:
    """The same for an iterator that exists already, which is not asked again."""
    return iterating(iterator) if type(iterator).__flags__ & _OF_THE_HEAP else iterator


def advanced(iterator: Any, count: int, /) -> Any:
    """The iterator, when it has given so many items."""
    for _ in range(count):
        next(iterator)
    return iterator


def enter_context(manager: Any) -> tuple[Callable[..., Any], Any]:
    """Enter a context manager: its exit, looked up before as the statement does, and what `__enter__` returned."""
    found = with_enter((manager,), None)
    assert isinstance(found, tuple)
    return found


def answered(left: Any, right: Any, name: str, symbol: str, /) -> Any:
    """What Python makes of an operation when the method of the left operand's class, which is written in Python, has
    given NotImplemented: it asks the method `name` of the right one's class.

    Errors: TypeError, as Python says it, if there is no answer.
    """
    cls = type(right)
    if cls is not type(left) or symbol in _COMPARING:
        if symbol in ("*", "*=") and _only_repeats(cls):
            if symbol == "*":
                raise TypeError(f"can't multiply sequence by non-int of type {type(left).__name__!r}")
        else:
            answer = _asked(left, right, name, symbol)
            if answer is not NotImplemented:
                return answer
    if symbol in ("==", "!="):
        return (left is right) is (symbol == "==")
    names = f"{type(left).__name__!r} and '{_name_of(right)}'"
    if symbol in _COMPARING:
        raise TypeError(f"{symbol!r} not supported between instances of {names}")
    raise TypeError(f"unsupported operand type(s) for {symbol}: {names}")


_MISSING: Final[Any] = object()
_COMPARING: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


def _asked(left: Any, right: Any, name: str, symbol: str) -> Any:
    """What the method of the right operand's class answers, if there is one."""
    found = _looked_up(type(right), name)
    if found is _MISSING:
        return NotImplemented
    if type(found) in (FunctionType, WrapperDescriptorType, MethodDescriptorType):
        return found(right, left)
    bind = getattr(type(found), "__get__", None)
    try:
        method = found if bind is None else bind(found, right, type(right))
    except BaseException:
        if symbol in _COMPARING:
            return NotImplemented
        raise
    return method(left)


def _looked_up(cls: type, name: str) -> Any:
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), _MISSING)


def _name_of(value: Any) -> str:
    """The name of a value's class as errors of operators say it: that of a class of C has its module in front."""
    if issubclass(type(value), type):  # `isinstance` would ask the value for its class
        return type(value).__name__
    try:
        object.__new__(value)
    except TypeError as error:
        return str(error).partition("is not a type object (")[2].removesuffix(")")
    return type(value).__name__


def _only_repeats(cls: type) -> bool:
    """Does a class of C say how these multiply, which repeats their items, and multiplies no numbers?"""
    found = [_looked_up(cls, name) for name in ("__mul__", "__rmul__")]
    if not all(type(one) is WrapperDescriptorType for one in found):
        return False
    return hasattr(found[0].__objclass__, "__getitem__") and not hasattr(found[0].__objclass__, "__rsub__")


class nothing:  # used like a constant
    """Stands for an attribute that does not exist."""

    __slots__ = ()


def keep(owner: Any, name: str, value: Any, /) -> None:
    """Fill an attribute that is None until it is first needed."""
    if getattr(owner, name) is None:
        setattr(owner, name, value)


Globals = ModuleType | dict[str, Any]
"""A module, or the namespace of code that has none."""


def read_global(place: Globals, name: str, /) -> Any:
    """The global `name` as code of that module finds it: the module's own, else the builtin."""
    namespace = place if isinstance(place, dict) else place.__dict__
    try:
        return namespace[name]
    except KeyError:
        pass
    found = namespace.get("__builtins__", builtins)
    scope = found if isinstance(found, dict) else found.__dict__
    try:
        return scope[name]
    except KeyError:
        pass
    raise NameError(f"name {name!r} is not defined", name=name)  # which has no context of its own


def write_global(place: Globals, name: str, value: Any, /) -> None:
    """Bind the global `name` of that module."""
    (place if isinstance(place, dict) else place.__dict__)[name] = value


def delete_global(place: Globals, name: str, /) -> None:
    """Unbind the global `name` of that module."""
    namespace = place if isinstance(place, dict) else place.__dict__
    try:
        del namespace[name]
    except KeyError:
        pass
    else:
        return
    raise NameError(f"name {name!r} is not defined", name=name)


def options(given: Any, names: frozenset[str], module: str, qualname: str, /) -> dict[str, Any]:
    """A dict of its own of what `f(**given)` passes to the function of this name, which collects all but `names`, or
    its error."""
    if type(given) is dict:
        own = _collected(**given)
    else:
        kind: Any = type(_collected)
        named = kind(_collected.__code__, {})
        named.__module__, named.__qualname__ = module, qualname
        own = named(**given)
    if not names.isdisjoint(own):
        twice = next(name for name in own if name in names)
        raise TypeError(f"{qualname}() got multiple values for argument '{twice}'")
    return own


def _collected(**given: Any) -> dict[str, Any]:
    return given
