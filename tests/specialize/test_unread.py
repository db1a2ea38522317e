"""Variables that handlers read are cells: what such a cell holds tells no states apart once nobody reads it again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


def forgotten(kinds: Any, rows: Any) -> Any:
    out = {"level": 3, "names": []}
    for name, text in rows:
        try:
            value = kinds[name](text)
        except KeyError:
            raise ValueError(f"no {name}: {text!r}") from None
        except ValueError:
            continue
        if name == "name":
            out["names"].append(value)
        else:
            out[name] = value
    return out


def read_later(kinds: Any, rows: Any) -> Any:
    """The handler reads what an earlier trip left, or nothing."""
    out = []
    for name, text in rows:
        try:
            value = kinds[name](text)
        except ValueError:
            out.append(value)
        except KeyError as error:
            value = error.args
    return out, value


def read_behind(kinds: Any, rows: Any) -> Any:
    value = None
    for name, text in rows:
        try:
            value = kinds[name](text)
        finally:
            kinds = {**kinds, "last": type(value)}
    return value, kinds["last"]


def captured(kinds: Any, rows: Any) -> Any:
    readers: list[Callable[[], Any]] = []
    for name, text in rows:
        try:
            value = kinds[name](text)
            readers.append(lambda: value)  # noqa: B023  # it is shared by all
        except ValueError:
            readers.append(lambda: (value, 1))  # noqa: B023
    return [outcome(reader) for reader in readers]


def read_by_a_closure(kinds: Any, rows: Any) -> Any:
    value: Any = None

    def read() -> Any:
        return value

    out = []
    for name, text in rows:
        try:
            out.append(read())
            value = kinds[name](text)
        except ValueError:
            value = text
    return out, read()


def captured_by_an_expression(kinds: Any, rows: Any) -> Any:
    out = []
    for row in rows:
        total = sum(1 for name in kinds if name in row)
        out.append((total, [name for name in kinds if row[0] == name]))
    return out


def read_by_an_older_closure(kinds: Any, rows: Any) -> Any:
    """A closure of an earlier trip reads what a later one has stored."""
    out: list[Any] = []
    older: Any = None
    for name, text in rows:
        value = text if name in kinds else name

        def newer(other: Any) -> Any:
            return value, other  # noqa: B023

        if older is not None:
            out.append(older(name))
        if text == "0":
            older = newer
        value = text, 1
        out.append(newer(2))
    return out


def made_by_another(kinds: Any, rows: Any) -> Any:
    """Only the closure still has the variable of the function that made it."""

    def user(name: Any) -> Callable[[Any], Any]:
        kind = kinds.get(name, repr)

        def use(text: Any) -> Any:
            try:
                return kind(text)
            except ValueError:
                return kind

        return use

    out: list[Any] = []
    for name, text in rows:
        use = user(name)
        for part in (text, "7", text):
            out.append(use(part))
    return out


def read_by_a_suspended_generator(kinds: Any, rows: Any) -> Any:
    def readings() -> Iterator[Any]:
        while True:
            yield value

    value: Any = "none"
    reading = readings()
    out = []
    for name, text in rows:
        out.append(next(reading))
        value = kinds.get(name, str)(text) if text.isdigit() else text
    return out


def deleted(kinds: Any, rows: Any) -> Any:
    out = []
    for name, text in rows:
        try:
            value = kinds[name](text)
            if value == 0:
                del value
            out.append(value)
        except (ValueError, KeyError):
            out.append(text)
        except UnboundLocalError as error:
            out.append(str(error))
    del value
    return out


def yielded(kinds: Any, rows: Any) -> Iterator[Any]:
    for name, text in rows:
        try:
            value = kinds[name](text)
            yield value
            value = text
        except ValueError:
            yield value
        yield "next"


def of_a_generator(kinds: Any, rows: Any) -> Any:
    out = []
    try:
        out.extend(yielded(kinds, rows))
    except UnboundLocalError as error:
        out.append(str(error))
    return out


FUNCTIONS = [forgotten, read_later, read_behind, captured, read_by_a_closure, deleted, captured_by_an_expression]
FUNCTIONS += [of_a_generator, made_by_another, read_by_an_older_closure, read_by_a_suspended_generator]
KINDS: dict[str, Any] = {"level": int, "name": str, "price": float}
CELLS = [("level", "1"), ("level", "x"), ("level", "0"), ("name", "a"), ("price", "2.5"), ("other", "z")]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_like_the_original(function: Callable[..., Any]) -> None:
    residual = specialize(function, KINDS)
    assert set(residual.stats["fallbacks"]) <= {"FT302"}, "a generator with a try statement may stay one"
    for length in range(4):
        for rows in itertools.product(CELLS, repeat=length):
            assert outcome(residual, rows) == outcome(function, KINDS, rows), rows
    assert outcome(residual, [(1,)]) == outcome(function, KINDS, [(1,)])


@pytest.mark.parametrize("function", [forgotten, captured_by_an_expression])
def test_one_loop_is_left(function: Callable[..., Any]) -> None:
    source = specialize(function, KINDS).source
    assert source.count("for ") == 1, "the first trip is as the others"
