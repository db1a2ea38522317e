"""Known exceptions that handlers raise again: one `raise` is left of them.

    try: v = float("q")
    except ValueError: raise          ->    raise ValueError("could not convert string to float: 'q'")

Invariant: what leaves a residual has the class, arguments, cause and context of what leaves the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .specializing import source_of, specialize


class Own(Exception):
    pass


class Manager:
    """Notes what it sees, and lets it pass or not."""

    def __init__(self, swallows: bool = False) -> None:
        self.swallows = swallows
        self.seen: list[object] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Manager) and self.seen == other.seen

    __hash__ = None  # type: ignore[assignment]

    def __enter__(self) -> Manager:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        self.seen.append((kind, str(error)))
        return self.swallows


def again(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError:
        raise
    return v, x


def not_caught(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except KeyError:
        return x
    return v


def decided(tok: str, x: Any) -> Any:
    try:
        if x == 3:
            raise ValueError(tok)
        return x
    except KeyError:
        return tok
    except ValueError:
        raise


def outer(tok: str, x: Any) -> Any:
    try:
        try:
            v = float(tok)
        except ValueError:
            raise
    except ValueError as error:
        return error.args, x
    return v


def outer_with_effect(tok: str, x: Any) -> Any:
    try:
        try:
            v = float(tok)
        except ValueError:
            raise
    except ValueError:
        x.append(3)
        raise
    return v


def callee(tok: str) -> float:
    try:
        return float(tok)
    except ValueError:
        raise


def called(tok: str, x: Any) -> Any:
    try:
        return callee(tok)
    except ValueError:
        return x["q"]


def named(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError as error:
        error.args = (tok,)
        raise
    return v, x


def inner_try(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError as first:
        try:
            raise
        except ValueError as second:
            return first is second, x
    return v


def helper(x: Any) -> Any:
    raise


def by_helper(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError:
        helper(x)
    return v


def in_handler(tok: str, x: Any) -> Any:
    try:
        x[0]
    except TypeError:
        try:
            return float(tok)
        except ValueError:
            raise
    return x


def with_effect(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError:
        x.append(1)
        raise
    return v


def under_condition(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError:
        if x:
            raise
        return x
    return v


def another(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError:
        raise KeyError(tok) from None
    return v, x


def looked_up(tok: str, x: Any) -> Any:
    try:
        v = float(tok)
    except ValueError:
        v = x[tok]
    return v


def finally_done(tok: str, x: Any) -> Any:
    try:
        try:
            v = float(tok)
        except ValueError:
            raise
    finally:
        x.append(2)
    return v


def managed(tok: str, x: Any) -> Any:
    with x:
        try:
            v = float(tok)
        except ValueError:
            raise
        return v
    return "swallowed"


def in_loop(tok: str, x: Any) -> Any:
    found = []
    for item in x:
        try:
            if item == 3:
                raise Own(tok)
            found.append(item)
        except Own:
            if len(found) > 1:
                raise
        except KeyError:
            pass
    return found


def generated(tok: str, x: Any) -> Iterator[Any]:
    yield x
    try:
        yield float(tok)
    except ValueError:
        raise


def stopping(tok: str, x: Any) -> Iterator[Any]:
    yield x
    try:
        raise StopIteration(tok)
    except StopIteration:
        raise


def consumed(tok: str, x: Any) -> Any:
    return list(generated(tok, x)), x


def consumed_stop(tok: str, x: Any) -> Any:
    return list(stopping(tok, x)), x


FUNCTIONS = [
    *(
        again,
        not_caught,
        decided,
        outer,
        named,
        inner_try,
        by_helper,
        in_handler,
        with_effect,
        under_condition,
        another,
    ),
    *(looked_up, finally_done, managed, in_loop, consumed, consumed_stop),
]
MAKERS: list[Callable[[], Any]] = [
    *(lambda: 3, list, lambda: [1], lambda: {"q": 4}, dict, lambda: None, lambda: [1, 3, 2, 3], lambda: [3, 3]),
    *(Manager, lambda: Manager(True)),
]


def shape(error: BaseException | None) -> object:
    if error is None:
        return None
    chain = shape(error.__cause__), shape(error.__context__), error.__suppress_context__
    return type(error), str(error), error.args, *chain


def outcome(function: Callable[..., Any], *args: Any) -> object:
    try:
        found = function(*args)
    except Exception as error:
        found = shape(error)
    x = args[-1]
    return found if found is not x else "the input", x.seen if isinstance(x, Manager) else x


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("tok", ["q", "1.5"])
def test_agrees(function: Callable[..., Any], tok: str) -> None:
    made = specialize(function, tok=tok)
    for maker in MAKERS:
        assert outcome(made, maker()) == outcome(function, tok, maker()), source_of(made)
        try:  # while another exception is handled, which is the context of all that is raised
            raise Own("around")
        except Own:
            assert outcome(made, maker()) == outcome(function, tok, maker()), source_of(made)


@pytest.mark.parametrize("function", [again])
def test_one_statement_is_left(function: Callable[..., Any]) -> None:
    lines = source_of(specialize(function, tok="q")).splitlines()
    assert len(lines) == 2 and lines[1].strip().startswith("raise ") and "could not convert" in lines[1]


def test_nothing_is_raised() -> None:
    for function in (outer, inner_try):
        text = source_of(specialize(function, tok="q"))
        assert "raise " not in text and "try:" not in text


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("function", [with_effect, under_condition, another, looked_up])
def test_raised_in_place(function: Callable[..., Any]) -> None:
    text = source_of(specialize(function, tok="q"))
    assert text.splitlines()[1:3][0] == "    try:" and "ValueError(" in text.splitlines()[2]
