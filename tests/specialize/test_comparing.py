"""The oracle of the subjects, tested: a faithful stand-in passes, and each planted difference is found.

    compare(make, inputs, identity)              passes
    compare(make, inputs, one that mutates)      fails

The stand-in binds the static arguments and specializes nothing; the planted bugs are wrappers around it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from .comparing import compare, observe
from .rules import exceptions, folding, state
from .specializing import constant_tests, words
from .test_subjects import SUBJECTS


class Bound:
    """What a specializer gives back, without any specialization: the function with its static arguments filled in."""

    def __init__(self, function: Callable[..., Any], static: dict[str, Any], source: str) -> None:
        self.function = function
        self.static = static
        self.source = source

    def __call__(self, *values: Any, **keywords: Any) -> Any:
        if keywords:
            return self.function(**self.static, **keywords)
        left = list(values)
        positional: list[Any] = []
        for name, parameter in inspect.signature(self.function).parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(left)
                left = []
            elif name in self.static:
                positional.append(self.static[name])
            elif left:
                positional.append(left.pop(0))
        return self.function(*positional)


def identity(function: Callable[..., Any], /, **static: Any) -> Bound:
    return Bound(function, static, "")


RULES = [*folding.SUBJECTS, *state.SUBJECTS, *exceptions.SUBJECTS]


@pytest.mark.parametrize("subject", [pytest.param(subject, id=subject.name) for subject in [*SUBJECTS, *RULES]])
def test_every_subject_equals_itself(subject: Any) -> None:
    for case in subject.cases:
        compare(case.make, case.inputs or subject.inputs, identity)


@pytest.mark.parametrize("subject", [pytest.param(subject, id=subject.name) for subject in SUBJECTS])
def test_every_subject_names_what_it_must_lose(subject: Any) -> None:
    """A forbidden word that the program never says would forbid nothing."""
    said: set[str] = set()
    for case in subject.cases:
        function, static = case.make()
        module = inspect.getmodule(inspect.unwrap(function))
        assert module is not None
        said |= words(identity_with_source(inspect.getsource(module))) | set(static)
    assert set(subject.gone) - said == set()


def identity_with_source(source: str) -> Bound:
    return Bound(lambda: None, {}, source)


def target(scale: int, values: list[Any], extra: object) -> Any:
    print("begin", len(values))
    values.append(scale)
    print("end", values[0])
    if extra == 1:
        raise ValueError("one") from KeyError("cause")
    return [values, values[0] * scale, -0.0, True]


def make() -> tuple[Callable[..., Any], dict[str, Any]]:
    return target, {"scale": 3}


def inputs(random: Random) -> tuple[Any, ...]:
    return [random.randint(0, 9)], random.randint(0, 1)


def planted(change: Callable[..., Any]) -> Callable[..., Callable[..., Any]]:
    def specialize(function: Callable[..., Any], /, **static: Any) -> Callable[..., Any]:
        @functools.wraps(function)
        def residual(values: list[Any], extra: object) -> Any:
            return change(functools.partial(function, **static), values, extra)

        return residual

    return specialize


def another_type(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    result = call(values=values, extra=extra)
    return [*result[:3], 1]


def another_zero(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    result = call(values=values, extra=extra)
    return [*result[:2], 0.0, True]


def a_copy(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    result = call(values=values, extra=extra)
    return [list(result[0]), *result[1:]]


def no_mutation(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    result = call(values=list(values), extra=extra)
    return [values, *result[1:]]


def more_mutation(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    try:
        return call(values=values, extra=extra)
    finally:
        values.append(None)


def another_exception(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    try:
        return call(values=values, extra=extra)
    except ValueError:
        raise TypeError("one") from KeyError("cause")


def another_text(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    try:
        return call(values=values, extra=extra)
    except ValueError as error:
        error.args = ("two",)
        raise


def another_cause(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    try:
        return call(values=values, extra=extra)
    except ValueError as error:
        error.__cause__ = None
        raise


def another_order(call: Callable[..., Any], values: list[Any], extra: object) -> Any:
    print("end", values[0])
    return call(values=values, extra=extra)


def no_names(call: Callable[..., Any], first: list[Any], second: object) -> Any:
    return call(values=first, extra=second)


BUGS = [
    another_type,
    another_zero,
    a_copy,
    no_mutation,
    more_mutation,
    another_exception,
    another_text,
    another_cause,
    another_order,
]


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.__name__)
def test_every_planted_difference_is_found(bug: Callable[..., Any]) -> None:
    compare(make, inputs, identity)
    with pytest.raises(AssertionError):
        compare(make, inputs, planted(bug))


def test_parameters_are_also_given_by_name() -> None:
    def renamed(function: Callable[..., Any], /, **static: Any) -> Callable[..., Any]:
        return lambda first, second: no_names(functools.partial(function, **static), first, second)

    with pytest.raises(AssertionError):
        compare(make, inputs, renamed)


def test_state_of_the_static_object_is_compared() -> None:
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def step(self, by: int) -> int:
            self.count += by
            return by

    def forgetful(function: Callable[..., Any], /, **static: Any) -> Callable[..., Any]:
        return lambda by: by

    compare(lambda: (Counter().step, {}), lambda r: (r.randint(1, 5),), identity)
    with pytest.raises(AssertionError):
        compare(lambda: (Counter().step, {}), lambda r: (r.randint(1, 5),), forgetful)


def test_observing_keeps_apart_what_compares_equal() -> None:
    values = [1, True, 1.0, 0.0, -0.0, "1", b"1", (1,), [1], {1: 2}, {2: 1}, {1}, None, float("nan"), [[], []], 1j]
    assert len({repr(observe(value)) for value in values}) == len(values)
    shared: list[Any] = []
    assert observe([shared, shared]) != observe([[], []])
    loop: list[Any] = []
    loop.append(loop)
    assert observe(loop) == ("list", 0, ((("same", 0),),))


def test_words_and_constant_tests_of_a_residual() -> None:
    text = "def f(x, y=1):\n    if 'add' == 'sub':\n        return x.code['k']\n"
    text += "    return f'{x}!' + {'a': 1}['a'](pc=_k)\n"
    assert words(identity_with_source(text)) == {"x", "y", "add", "sub", "code", "k", "_k", "!", "a", "pc"}
    assert constant_tests(identity_with_source(text)) == ["'add' == 'sub'", "{'a': 1}['a']"]
