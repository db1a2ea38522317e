"""Residuals where library authors put them: in class bodies, under the name of what was specialized, in partials.

    class Shape:
        fast_area = specialize(area, k=3)      Shape().fast_area(5) is area(shape, 3, 5)

Invariant: a residual is found, bound, pickled and asked about as the function that it was made of.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura


def specialized(**static: Any) -> Callable[[Any], Any]:
    return lambda function: futamura.specialize(function, **static)


@specialized(n=3)
def cube(x: int, n: int) -> int:
    result = 1
    for _ in range(n):
        result *= x
    return result


class Shape:
    sides = 4

    def area(self, k: int, x: int) -> int:
        return self.sides * k + x

    fast = futamura.specialize(area, k=3)

    @specialized(k=5)
    def scaled(self, x: int, k: int) -> int:
        return self.sides * k * x

    @staticmethod
    def added(x: int, k: int) -> int:
        return x + k

    fast_added = staticmethod(futamura.specialize(added, k=2))


def test_a_residual_in_a_class_is_a_method() -> None:
    shape = Shape()
    assert shape.fast(5) == 17 and shape.scaled(2) == 40 and Shape.fast(shape, 5) == 17
    assert shape.fast_added(5) == Shape.fast_added(5) == 7
    assert "self.sides * 3 + x" in Shape.fast.source
    shape.sides = 1
    assert shape.fast(5) == 8


def test_a_residual_of_a_bound_method_is_bound_to_its_own_object() -> None:
    class Holder:
        made = futamura.specialize(Shape().area, k=3)

    assert Holder().made(5) == Holder.made(5) == 17


def test_a_decorated_function_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(cube)) is cube
    assert pickle.loads(pickle.dumps(Shape.scaled)) is Shape.scaled
    other = pickle.loads(pickle.dumps(Shape.fast))
    assert other is not Shape.fast and other(Shape(), 5) == 17


def generated(k: int, x: int) -> Iterator[int]:
    for at in range(k):
        yield x * at


async def awaited(k: int, x: int) -> int:
    await asyncio.sleep(0)
    return x * k


def test_it_says_what_kind_of_function_it_is() -> None:
    assert inspect.isgeneratorfunction(futamura.specialize(generated, k=3))
    assert inspect.iscoroutinefunction(futamura.specialize(awaited, k=3))
    assert not inspect.isgeneratorfunction(cube) and not inspect.iscoroutinefunction(cube)


def arranged(a: int, b: int, c: int) -> tuple[int, int, int]:
    return a, b, c


@pytest.mark.parametrize(
    "target, static, given",
    [
        (functools.partial(arranged, 1), {"c": 3}, (2,)),
        (functools.partial(functools.partial(arranged, 1), c=3), {}, (2,)),
        (futamura.specialize(arranged, c=3), {"a": 1}, (2,)),
        (staticmethod(arranged), {"a": 1, "c": 3}, (2,)),
    ],
)
def test_what_is_bound_already_is_static(target: Any, static: Any, given: Any) -> None:
    made = futamura.specialize(target, **static)
    assert made(*given) == (1, 2, 3)
    assert "return 1, b, 3" in made.source


def test_what_is_bound_twice() -> None:
    with pytest.raises(TypeError, match="'c'"):
        futamura.specialize(functools.partial(arranged, c=3), c=4)


def collecting(a: int, *rest: int, **names: int) -> Any:
    names["n"] = names.get("n", 0) + 1
    return a, rest, names


def test_collected_keywords_are_a_new_dict_in_each_call() -> None:
    given = {"n": 4}
    made = futamura.specialize(collecting, rest=[2, 3], names=given)
    first, second = made(1), made(1)
    assert first == second == (1, (2, 3), {"n": 5})
    assert first[2] is not second[2] and given == {"n": 4}


@pytest.mark.parametrize("static", [{"rest": 3}, {"rest": "ab"}, {"names": 3}, {"names": {1: 2}}, {"names": {"a": 2}}])
def test_what_no_call_could_collect(static: Any) -> None:
    with pytest.raises(TypeError, match="collecting"):
        futamura.specialize(collecting, **static)


def early(x: int) -> Any:
    return later(x)  # type: ignore[name-defined]  # noqa: F821


def test_a_global_that_does_not_exist_yet_is_told() -> None:
    made = futamura.specialize(early)
    assert [item.code for item in made.diagnostics] == ["FT207"]
    assert "does not exist yet" in made.explain()
    with pytest.raises(NameError, match="later"):
        made(1)
