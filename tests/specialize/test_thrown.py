"""The context of an exception that is thrown into a generator: what the generator handles, not what its consumer does.

    except TypeError: g.throw(ValueError)    ->    ValueError with the context None

Invariant: contexts are compared down the whole chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import futamura


def plain() -> Iterator[int]:
    yield 1
    yield 2


def handling() -> Iterator[int]:
    try:
        raise KeyError("inside")
    except KeyError:
        yield 1


def catching() -> Iterator[int]:
    try:
        yield 1
    except ValueError as error:
        raise LookupError(str(error.__context__)) from None


def run(make: Callable[[], Iterator[int]], started: int, x: object) -> object:
    items = make()
    for _ in range(started):
        next(items, None)
    try:
        raise TypeError(x)
    except TypeError:
        items.throw(ValueError("thrown"))  # type: ignore[attr-defined]
    return None


def chain(function: Callable[..., object], *args: object) -> list[tuple[type, str]]:
    try:
        function(*args)
    except Exception as error:
        found: BaseException | None = error
    texts = []
    while found is not None:
        texts.append((type(found), str(found)))
        found = found.__context__
    return texts


@pytest.mark.parametrize("started", [0, 1, 5])
@pytest.mark.parametrize("make", [plain, handling, catching])
def test_context(make: Callable[[], Iterator[int]], started: int) -> None:
    residual = futamura.specialize(run, make, started)
    assert chain(residual, "outer") == chain(run, make, started, "outer")
    try:
        raise OSError("around")
    except OSError:
        assert chain(residual, "outer") == chain(run, make, started, "outer")
