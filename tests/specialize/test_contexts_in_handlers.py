"""Handlers that only let an exception go on, where the code behind them reads what their edges brought.

    with Noting("a") as name:                     the handler of `finally` hands `name` to the clean-up of the first
        try: ...                                  `with`, whose way on returns it
        except LookupError:
            with Noting("b") as name: ...
        finally: pass
    return name

Invariant: the residual gives, raises and notes what the function does, in the same order.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura

NOTED: list[Any] = []


class Noting:
    def __init__(self, label: str, kept: type[BaseException] | tuple[()] = ()) -> None:
        self.label = label
        self.kept = kept

    def __enter__(self) -> str:
        NOTED.append(("in", self.label))
        return self.label

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        NOTED.append(("out", self.label, kind))
        return kind is not None and issubclass(kind, self.kept)


def bound_again(act: Any, first: Any, second: Any) -> Any:
    with first as name:
        try:
            act()
        except LookupError:
            with second as name, Noting("c"):
                act()
        finally:
            pass
    return name


def counted(act: Any, first: Any, second: Any) -> Any:
    done = 0
    with first:
        try:
            act()
            done = 1
        except LookupError:
            done = 2
            with second:
                act()
            done = 3
        finally:
            NOTED.append(done)
    return done


def failing(kind: type[BaseException] | None) -> Any:
    def act() -> None:
        NOTED.append("act")
        if kind is not None:
            raise kind("no")

    return act


CONTEXTS = [Noting("a"), Noting("a", ValueError), Noting("a", LookupError), Noting("a", Exception)]


@pytest.mark.parametrize("function", [bound_again, counted])
@pytest.mark.parametrize("static", ["none", "first", "both"])
@pytest.mark.parametrize("second", CONTEXTS[:3])
@pytest.mark.parametrize("first", CONTEXTS)
def test_what_is_bound_in_a_handler_is_there_behind_it(function: Any, static: str, first: Any, second: Any) -> None:
    known = {"none": {}, "first": {"first": first}, "both": {"first": first, "second": second}}[static]
    residual = futamura.specialize(function, **known)
    assert not residual.stats["fallbacks"], residual.stats["fallbacks"]
    for kind in (None, KeyError, IndexError, ValueError, KeyboardInterrupt):
        act = failing(kind)
        rest = {name: value for name, value in (("first", first), ("second", second)) if name not in known}
        assert run(residual, act, rest) == run(function, act, {**known, **rest})


def run(function: Any, act: Any, rest: dict[str, Any]) -> Any:
    NOTED.clear()
    try:
        return function(act, **rest), list(NOTED)
    except BaseException as error:
        return type(error), str(error), list(NOTED)
