"""`with contextlib.suppress(KeyError):` is an `except KeyError:` clause; from Python 3.12 on groups are split, too.

    with suppress(KeyError): v = d["a"]      ->      try: v = d["a"]
                                                     except KeyError: pass

Invariant: classes that have a say in what is a subclass of them are asked as `suppress` asks them.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

import pytest

from .specializing import fallbacks, source_of, specialize


class Own(Exception):
    pass


class Below(Own, KeyError):
    pass


class Asks(type):
    def __subclasscheck__(cls, other: type) -> bool:
        return other is ZeroDivisionError


class Asked(Exception, metaclass=Asks):
    pass


class Claims(Exception):
    """Says that it is a KeyError."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return KeyError


def one(x: Callable[[], Any]) -> Any:
    v = None
    with contextlib.suppress(KeyError):
        v = x()
    return v


def several(x: Callable[[], Any]) -> Any:
    with contextlib.suppress(Own, ValueError, StopIteration):
        return x()
    return "suppressed"


def nothing(x: Callable[[], Any]) -> Any:
    with contextlib.suppress():  # noqa: B022  # it is there
        return x()


def everything(x: Callable[[], Any]) -> Any:
    with contextlib.suppress(BaseException):
        return x()
    return "suppressed"


def nested(x: Callable[[], Any]) -> Any:
    log = []
    with contextlib.suppress(LookupError):
        with contextlib.suppress(Own):
            log.append(x())
        log.append("between")
        log.append(x())
    return log


def asked(x: Callable[[], Any]) -> Any:
    with contextlib.suppress(Asked):
        return x()
    return "suppressed"


def no_class(x: Callable[[], Any]) -> Any:
    with contextlib.suppress(3):  # type: ignore[arg-type]
        return x()


def with_none(x: Callable[[], Any]) -> Any:
    with contextlib.suppress(KeyError, None):  # type: ignore[arg-type]
        return x()
    return "suppressed"


def in_handler(x: Callable[[], Any]) -> Any:
    try:
        raise Own("first")
    except Own:
        with contextlib.suppress(KeyError):
            return x()
        raise


def in_loop(x: Callable[[], Any]) -> Any:
    found = []
    for number in range(4):
        with contextlib.suppress(KeyError, ZeroDivisionError):
            if number == 3:
                break
            found.append(x())
            found.append(6 // number)
    return found


def shape(error: BaseException | None) -> object:
    if error is None:
        return None
    inner = tuple(map(shape, getattr(error, "exceptions", ())))
    return type(error), str(error), inner, shape(error.__cause__), shape(error.__context__), error.__suppress_context__


def outcome(function: Callable[..., Any], x: Callable[[], Any]) -> object:
    try:
        return function(x)
    except BaseException as error:
        return shape(error)


def raising(error: Any) -> Callable[[], Any]:
    def x() -> Any:
        raise error() if isinstance(error, type) else error

    return x


ERRORS: list[Any] = [
    *(KeyError, ValueError, Own, Below, Claims, StopIteration, ZeroDivisionError, Asked, KeyboardInterrupt),
]
GROUPS: list[Callable[[], BaseException]] = [
    lambda: BaseExceptionGroup("all", [KeyError("k"), Own("o")]),
    lambda: ExceptionGroup("some", [KeyError("k"), ExceptionGroup("in", [Below("b"), ValueError("v")])]),
    lambda: BaseExceptionGroup("none", [KeyboardInterrupt()]),
]
FUNCTIONS = [one, several, nothing, everything, nested, asked, no_class, with_none, in_handler, in_loop]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_agrees(function: Callable[..., Any]) -> None:
    made = specialize(function)
    assert not fallbacks(made)
    for error in ERRORS:
        assert outcome(made, raising(error)) == outcome(function, raising(error)), source_of(made)
    for make in GROUPS:
        assert outcome(made, raising(make())) == outcome(function, raising(make())), source_of(made)
    for x in (lambda: 3, lambda: {}["a"], lambda: 1 // 0):
        assert outcome(made, x) == outcome(function, x), source_of(made)


@pytest.mark.parametrize("function", [one, several, nested, in_loop], ids=lambda function: function.__name__)
def test_clauses_are_left(function: Callable[..., Any]) -> None:
    text = source_of(specialize(function))
    assert "issubclass" not in text and "type(" not in text, text
    if sys.version_info < (3, 12):
        assert "matches" not in text and "BaseException" not in text, text


def test_one_clause() -> None:
    lines = [line.strip() for line in source_of(specialize(one)).splitlines()]
    if sys.version_info < (3, 12):
        assert "except KeyError:" in lines and len(lines) == 5
    assert "except (Own, ValueError, StopIteration):" in source_of(specialize(several)) or sys.version_info >= (3, 12)


def test_a_class_with_a_say_is_asked() -> None:
    assert "issubclass" in source_of(specialize(asked))
