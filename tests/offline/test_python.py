"""Python functions through the offline specializer: what residuals look like, and that they do the same."""

from __future__ import annotations

import inspect
import random
import types
import warnings
from collections.abc import Callable

import pytest

from futamura import Specializer
from futamura.analysis.division import KINDS, POINTS
from futamura.driver import lower_for_specializer
from futamura.specializer.offline.linking import specialize_function_offline
from futamura.specializer.offline.offline import OfflineOptions
from futamura.specializer.online import Open
from tests.offline import subjects
from tests.specialize.oracle import BAD, check
from tests.specialize.programs import generate


def offline(division: str = "safe", points: str = "pointwise") -> Specializer:
    return Specializer(mode="offline", division=division, points=points)


def functions(residual: Callable[..., object], **static: object) -> list[str]:
    """The residual functions before the optimizer unfolds small ones."""
    function: types.FunctionType = residual.py_func  # type: ignore[attr-defined]
    names = inspect.signature(function).parameters
    inputs = {name: static.get(name, Open()) for name in names}
    outcome = specialize_function_offline(function, inputs, lower_for_specializer, OfflineOptions("safe", "pointwise"))
    assert outcome.program is not None
    return [one.name for one in outcome.program.functions]


def test_a_static_loop_is_unrolled() -> None:
    residual = offline()(subjects.power, n=13)
    assert "while" not in residual.source
    assert "%" not in residual.source
    assert [residual(x) for x in (0, 1, 3)] == [subjects.power(x, 13) for x in (0, 1, 3)]


def test_the_functional_search_has_a_new_function_for_each_list() -> None:
    static = {"key": "ann", "keys": ("susan", "john", "ann")}
    residual = offline()(subjects.search, **static)
    assert sum(name.startswith("find_") for name in functions(residual, **static)) == 3
    assert "==" not in residual.source
    assert residual((1, 2, 3)) == 3
    with pytest.raises(IndexError):
        residual(())


def test_a_function_with_static_arguments_only_is_run_in_place() -> None:
    assert offline()(subjects.factorial, n=5, k=3).source.split() == ["def", "factorial():", "return", "360"]
    assert offline()(subjects.factorial, n=5)(3) == 360


def test_exercise_5_even_and_odd_as_a_function() -> None:
    """The list is dynamic but its length is known: one function for each index."""
    residual = offline()(subjects.even_odd, length=3)
    assert sum(name.startswith("alternate_") for name in functions(residual, length=3)) == 4
    assert [residual(items) for items in ((1, 2, 4), (1, 3, 5))] == [5, -9]


def test_exercise_6_a_growing_argument_under_a_dynamic_condition() -> None:
    """Without the rule for control each call would have an argument of its own, for ever."""
    for division in ("safe", "bounded"):
        residual = offline(division)(subjects.counting)
        assert residual.stats["versions"] < 8
        assert residual(4) == 4
    simple = offline("simple")(subjects.counting)
    assert any("`n`" in event.reason for event in simple.events)
    assert simple(4) == 4


def test_bounded_keeps_the_program_counter_of_a_machine() -> None:
    residual = offline("bounded")(subjects.machine, code=subjects.FACTORIAL)
    assert "code" not in residual.source
    assert "pc" not in residual.source
    assert residual(5) == subjects.machine(subjects.FACTORIAL, 5)
    assert residual.stats["versions"] < 10
    general = offline("safe")(subjects.machine, code=subjects.FACTORIAL)
    assert general(5) == residual(5)


def test_an_iterator_is_a_position() -> None:
    residual = offline()(subjects.dot, xs=[1, 2, 3])
    assert "for" not in residual.source
    assert residual((4, 5, 6)) == 32


def test_a_handler_is_copied_with_its_statement() -> None:
    residual = offline()(subjects.guarded, names=("a", "b"))
    assert residual({"a": 1}) == [1, None]
    assert residual({"a": 1, "b": 2}) == [1, 2]


def test_a_static_list_that_the_code_changes_is_dynamic() -> None:
    items = [1, 2]
    residual = offline()(subjects.appending, items=items)
    assert residual(7) == [1, 2, 7]
    assert residual(8) == [1, 2, 7, 8]


def test_user_classes_are_not_run_early() -> None:
    residual = offline()(subjects.compared, value=subjects.Loud())
    assert subjects.HEARD == []
    assert residual(1) is True
    assert subjects.HEARD == [1]


def test_functions_that_share_a_variable_of_a_comprehension_in_a_loop() -> None:
    residual = offline()(subjects.sharing, n=3)
    assert [event.code for event in residual.events] == ["FT301"]
    assert residual("ab") == subjects.sharing("ab", 3) == [[2, 2, 2], [2, 2, 2]]
    once = offline()(subjects.sharing, n=3, rounds=("a",))
    assert not once.events and once() == [[2, 2, 2]]


def test_a_function_with_nested_handlers_is_called_in_a_protected_block() -> None:
    residual = offline()(subjects.protected_call)
    assert residual.stats["specialized"], residual.events
    assert residual.source.count("def ") == 1, residual.source
    for items, n in (((1, 2), 0), ((1, 2), 5), ((1, 2), "a"), ({}, 1), ({2: 3}, 1)):
        assert residual(items, n) == subjects.protected_call(items, n)


def test_static_keywords_are_a_new_dict_in_each_call() -> None:
    given = {"q": 1}
    residual = offline()(subjects.keywords_of_its_own, names=given)
    assert residual(1) == residual(1) == {"q": 1, "n": 1} and residual(1) is not residual(1) and given == {"q": 1}


@pytest.mark.parametrize("mode", [{"mode": "late"}, {"mode": "offline", "division": "x"}, {"points": "y"}])
def test_wrong_options_are_refused(mode: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="is"):
        Specializer(**mode)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    choose = random.Random(seed)
    specializer = offline(choose.choice(KINDS), choose.choice(POINTS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        report = check(generate(5000 + seed), specializer)
    assert report.kind not in BAD, report
