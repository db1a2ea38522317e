"""The soundness rules, each by the program that breaks a specializer without it.

    `5 in [E()]` with a static list    ->    `E.__eq__` runs at each call and never while specializing

Invariant: specializing prints nothing and leaves every static object as it was; what happens, happens in the call.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
import subprocess
import sys
import weakref
from pathlib import Path
from random import Random
from typing import Any

import pytest

import futamura

from ..bounds import bounded
from ..comparing import compare, observe, outcome
from ..specializing import Residual, fallbacks, folded, source_of, specialize, words
from ..table import Subject
from . import (
    answering,
    choosing,
    class_attributes,
    classes,
    closures,
    consuming,
    containers,
    definitions,
    dict_classes,
    dicts,
    ending,
    exceptions,
    failing_calls,
    folding,
    found,
    holding,
    leaving,
    lending,
    meeting,
    registry,
    saying,
    state,
    supers,
    suspension,
    telling,
)

ROUNDS = 30
"""So many that each odd value of a row is met, since rounds are seeds."""

ROWS = [
    pytest.param(subject, id=f"{module.__name__.rpartition('.')[2]}: {subject.name}")
    for module in (
        folding,
        state,
        exceptions,
        failing_calls,
        found,
        suspension,
        definitions,
        ending,
        closures,
        consuming,
        dict_classes,
        dicts,
        answering,
        choosing,
        class_attributes,
        classes,
        leaving,
        lending,
        holding,
        meeting,
        containers,
        telling,
        saying,
        supers,
    )
    for subject in module.SUBJECTS
]


def silently(function: Any, /, **static: Any) -> Residual:
    """`specialize`, which must neither print nor change anything that is static."""
    before = observe([list(static.values()), getattr(function, "__self__", None)])
    with bounded():
        residual = specialize(function, **static)
    assert observe([list(static.values()), getattr(function, "__self__", None)]) == before
    return residual


@pytest.mark.parametrize("subject", ROWS)
def test_rule(subject: Subject) -> None:
    for case in subject.cases:
        compare(case.make, case.inputs or subject.inputs, silently, ROUNDS)


# --- rule 4: aliases of static and dynamic arguments ---


def aliased(a, b, x):
    first = a[0]
    b[0] = x
    b.append(x)
    return first, a[0], len(a), a is b


def aliased_inside(box, values, x):
    before = len(box.values)
    values.append(x)
    return before, len(box.values), sum(box.values), box.values is values


@pytest.mark.parametrize("same", [True, False])
def test_an_alias_between_a_static_and_a_dynamic_argument(same: bool) -> None:
    results = []
    for make in (lambda a: silently(aliased, a=a), lambda a: functools.partial(aliased, a)):
        a = [1, 2]
        call = make(a)
        b = a if same else [1, 2]
        results.append(observe([call(b, 9), a, call(b, 5), a]))
    assert results[0] == results[1]


@pytest.mark.parametrize("same", [True, False])
def test_an_alias_of_what_is_inside_a_static_object(same: bool) -> None:
    results = []
    for make in (lambda box: silently(aliased_inside, box=box), lambda box: functools.partial(aliased_inside, box)):
        box = state.Box(1, 2)
        call = make(box)
        values = box.values if same else [1, 2]
        results.append(observe([call(values, 9), box, call(values, 5), box]))
    assert results[0] == results[1]


def test_an_argument_that_is_a_module_list(monkeypatch: pytest.MonkeyPatch) -> None:
    table = [3]
    monkeypatch.setattr(found, "TABLE", table)
    residual = silently(found.cleared_global)
    assert residual([9]) == 1 and residual(table) == 0 and table == []


def test_an_argument_that_is_a_class() -> None:
    results = []
    passed = class_attributes.passed
    for make in (lambda a: silently(passed, Gauge=a, n=7), lambda a: functools.partial(passed, a, 7)):
        gauge, fine = class_attributes.fresh()
        call = make(gauge)
        results.append(observe([call(fine), call(gauge), call(gauge)]))
    assert results[0] == results[1]


def read_only(a, b, x):
    return a[0] + b[x] * 2 if x in b else len(b)


def test_an_alias_is_tested_only_where_something_is_written() -> None:
    a = {0: 1, 1: 5}
    untested = futamura.Specializer(assume="trust")(read_only, a=a)
    assert "read_only" in untested.function.__code__.co_qualname and untested(a, 1) == 11


def test_results_of_two_calls_share_nothing() -> None:
    residual = silently(folding.fresh_results, text="b a")
    first, second = residual(1), residual(1)
    assert first == second
    assert all(a is not b for a, b in zip(first, second) if isinstance(a, (list, dict)))
    first[0].append("x")
    assert residual(1) == second


def test_exceptions_of_two_calls_are_two() -> None:
    residual = silently(exceptions.returned_exception, table={})
    first, second = residual("k"), residual("k")
    assert first is not second and first.args == second.args == ("k",)
    residual = silently(exceptions.failing_fold, k=0)
    caught = []
    for _ in range(2):
        with pytest.raises(ZeroDivisionError) as info:
            residual(1)
        caught.append(info.value)
    assert caught[0] is not caught[1]
    assert str(caught[0]) == "integer division or modulo by zero"


# --- rule 5: assumptions ---


@pytest.fixture(autouse=True)
def _clean_registry() -> Any:
    registry.forget()
    yield
    registry.forget()


def double(x):
    return x * 2


def test_a_module_list_appended_elsewhere() -> None:
    registry.register(double)
    residual = silently(registry.run_hooks, scale=3)
    assert residual(1) == registry.run_hooks(3, 1) == (6, 1)
    registry.register(lambda x: x + 1)
    assert residual(1) == registry.run_hooks(3, 1) == (21, 2)
    registry.forget()
    assert residual(1) == registry.run_hooks(3, 1) == (1, 0)


def test_a_module_table_written_through_another_name() -> None:
    residual = silently(registry.from_table, name="a")
    assert residual(1) == (2, 2)
    registry.extend("a", 50)
    registry.extend("c", 0)
    assert residual(1) == registry.from_table("a", 1) == (51, 3)


def test_an_item_of_a_module_table_is_changed() -> None:
    residual = silently(registry.from_nested, name="a")
    rows = silently(registry.from_rows, k=0)
    groups = silently(registry.from_groups, name="x")
    around = silently(registry.around_a_call, name="a")
    assert residual(1) == registry.from_nested("a", 1) and rows(1) == 2 and groups(1) == 2
    registry.grow(5)
    registry.lengthen_rows(7)
    registry.regroup(9)
    assert residual(1) == registry.from_nested("a", 1) == (2, 3)
    assert rows(1) == registry.from_rows(0, 1) == 3
    assert groups(1) == registry.from_groups("x", 1) == 10
    assert around(registry.grow) == (3, 4) and around(print) == (4, 4)


def test_a_module_table_written_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = silently(registry.from_constants, name="pi")
    assert residual(2) == 6
    monkeypatch.setattr(registry, "CONSTANTS", {"pi": 4})
    assert residual(2) == 8


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize(
    ("make", "change"),
    [
        (lambda: silently(registry.under_limit, k=5), lambda m: m.setattr(registry, "LIMIT", 3)),
        (lambda: silently(registry.under_limit, k=5), lambda m: m.setattr(registry, "min", max, raising=False)),
        (lambda: silently(registry.describe, shape=registry.Shape()), lambda m: m.setattr(registry.Shape, "sides", 3)),
        (
            lambda: silently(registry.describe, shape=registry.Shape()),
            lambda m: m.setattr(registry.Shape, "area", lambda self, x: -x),
        ),
        (
            lambda: silently(registry.uses_default, k=5),
            lambda m: m.setattr(registry.with_default, "__defaults__", (7,)),
        ),
        (
            lambda: silently(registry.uses_default, k=5),
            lambda m: m.setattr(registry.with_default, "__code__", (lambda k, x, extra: (k, x, extra)).__code__),
        ),
        (
            lambda: silently(registry.uses_default, k=5),
            lambda m: m.setattr(registry, "with_default", lambda k, x: k - x),
        ),
    ],
    ids=["global", "builtin", "class attribute", "method", "default", "code", "function"],
)
def test_what_is_assumed_is_checked(make: Any, change: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    residual = make()
    before = residual(4)
    assert residual.holds()
    change(monkeypatch)
    assert not residual.holds()
    after = residual(4)
    assert observe(before) != observe(after)
    monkeypatch.undo()
    assert residual.holds() and observe(residual(4)) == observe(before)


@pytest.mark.parametrize("static", [True, False])
def test_a_descriptor_that_a_class_gets_later(static: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the attribute away from the instances, which had it for themselves, or fails to."""
    results = []
    for make in (silently, functools.partial):
        gauge = registry.Gauge(3)
        call = make(registry.read_gauge, gauge=gauge, k=1) if static else make(registry.make_gauge, k=1)
        told = [observe(call(x=2))]
        for name in ("level", "low"):
            with monkeypatch.context() as patch:
                patch.setattr(registry.Gauge, name, property(lambda self: 70), raising=False)
                told.append(observe(outcome(functools.partial(call, x=2), (gauge,))))
        results.append(told)
    assert results[0] == results[1]


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("name", ["__bool__", "__len__"])
def test_a_class_whose_instances_may_be_false_later(static: bool, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for make in (silently, functools.partial):
        gauge = registry.Gauge(3)
        call = make(registry.is_there, gauge=gauge, k=1) if static else make(registry.is_one_there, k=1)
        told = [observe(call(x=2))]
        monkeypatch.setattr(registry.Gauge, name, lambda self: print("asked") or 0, raising=False)
        told.append(observe(outcome(functools.partial(call, x=2), ())))
        monkeypatch.undo()
        results.append(told)
    assert results[0] == results[1] and results[0][0] != results[0][1]


def test_a_match_statement_whose_cases_do_nothing_is_printed() -> None:
    assert not fallbacks(silently(found.cases_that_do_nothing, k=2))


DROPPED = "what is done when a sum fails"
"""Before 3.12 that generator is inlined, and dropped inside of its try statement."""


@pytest.mark.parametrize(
    "subject", [one for one in consuming.SUBJECTS if one.name != DROPPED], ids=lambda one: one.name
)
def test_generators_that_are_used_up_are_no_reason_to_fall_back(subject: Subject) -> None:
    for case in subject.cases:
        function, static = case.make()
        assert not fallbacks(silently(function, **static))


def test_what_super_gives_of_other_classes_than_those_in_python_is_no_reason_to_fall_back() -> None:
    residual = silently(supers.moved, held=supers.Stream(b"abcdef"))
    assert not fallbacks(residual) and ".seek(2)" not in source_of(residual) and "super(" in source_of(residual)
    assert not fallbacks(silently(supers.count, held=supers.Offset()))


def test_managers_made_of_generators_are_specialized() -> None:
    residual = silently(suspension.looked_up, k=3)
    assert not fallbacks(residual)
    assert "with" not in source_of(residual) and "_GeneratorContextManager(" not in source_of(residual)


def test_more_blocks_than_python_allows_are_a_fallback_with_a_reason() -> None:
    assert fallbacks(silently(found.scopes_in_scopes, k=3)) == {"FT405": 1}


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_assumptions_have_names_and_trust_does_not_check(monkeypatch: pytest.MonkeyPatch) -> None:
    trusting = futamura.Specializer(assume="trust")(registry.under_limit, k=5)
    checking = specialize(registry.under_limit, k=5)
    assert any("LIMIT" in str(assumption) for assumption in checking.assumptions)  # type: ignore[attr-defined]
    monkeypatch.setattr(registry, "LIMIT", 3)
    assert trusting(4) == 10 and checking(4) == 3


def test_a_closure_cell_that_is_rebound() -> None:
    step, reset = registry.counter(3)
    residual = silently(step, by=2)
    assert residual(1) == 7
    reset(10)
    assert residual(1) == 21


def test_an_instance_attribute_that_hides_a_method() -> None:
    shape = registry.Shape()
    residual = silently(registry.describe, shape=shape)
    assert residual(2) == (8, "square", 4)
    shape.area = lambda x: "hidden"
    shape.sides = 5
    assert observe(residual(2)) in (observe((10, "square", "hidden")), observe((8, "square", 4)))
    """A location of a static input that the code only reads is static: both are right, a mixture is not."""


# --- rule 9: real objects stay real ---


class Watched:
    pass


def watch(k, x):
    thing = Watched()
    thing.value = k
    reference = weakref.ref(thing)
    alive = reference() is thing
    thing = x
    return alive, reference() is None


def test_weak_references() -> None:
    compare(lambda: (watch, {"k": 1}), lambda r: (r.randint(0, 3),), silently)


# --- rule 10: hash seeds ---

PROGRAM = """
import sys
sys.path[:0] = {path!r}
import futamura
from tests.specialize.rules.folding import WORDS, set_of_texts, table_lookup, SMALL
from tests.specialize.subjects.matchers import closure_match, C_STAR
words = set(WORDS)
for function, static in (
    (set_of_texts, dict(words=frozenset(words))),
    (set_of_texts, dict(words=words)),
    (table_lookup, dict(table=SMALL)),
    (closure_match, dict(pattern=C_STAR)),
):
    residual = futamura.specialize(function, **static)
    print(residual.source)
    print(residual("ape" if function is not table_lookup else "k"))
"""


def run_with_seed(seed: str) -> str:
    root = Path(__file__).resolve().parents[3]
    program = PROGRAM.format(path=[str(root), str(root / "src")])
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_static_sets_of_strings_under_two_hash_seeds() -> None:
    first, second, third = run_with_seed("1"), run_with_seed("2"), run_with_seed("77")
    assert first == second == third
    assert first.strip()


# --- rule 12 and 13: what is refused, and what is called specialized ---


def specialized_part(n, x):
    total = 0
    for i in range(n):
        total += i * x
    return total


def refused_part(n, x):
    return specialized_part(n, x) + len(locals())


def test_a_fallback_is_an_event_with_a_code_and_never_counted_as_work() -> None:
    residual = specialize(refused_part, n=3)
    assert residual(2) == refused_part(3, 2)
    assert fallbacks(residual) == {"FT103": 1}
    assert folded(residual) == 0
    whole = specialize(specialized_part, n=3)
    assert fallbacks(whole) == {} and folded(whole) > 0


# --- facts about open inputs ---


def scaled(k, x):
    return k * x, x + 0


@pytest.mark.parametrize("x", [3, 2.5, True, "ab", None, -0.0, [1], math.nan])
def test_a_stated_type_is_tested_at_entry(x: Any) -> None:
    for kind in (int, float, str):
        residual = futamura.Specializer()(scaled, k=1, x=futamura.Dyn(kind))
        expected = outcome(lambda: scaled(1, x), (x,))
        assert outcome(lambda residual=residual: residual(x), (x,)) == expected


def test_a_position_left_open() -> None:
    residual = futamura.specialize(scaled, 3, futamura.DYN)
    assert residual(4) == (12, 4) and residual(x=4) == (12, 4)
    residual = futamura.specialize(scaled, futamura.DYN, 4)
    assert residual(3) == (12, 4) and residual(k=3) == (12, 4)
    assert "x" not in words(residual), source_of(residual)


def test_a_call_that_does_not_fit_the_open_parameters() -> None:
    residual = specialize(scaled, k=3)
    for values, keywords in (((), {}), ((1, 2), {}), ((1,), {"x": 2}), ((), {"k": 1}), ((), {"y": 1})):
        with pytest.raises(TypeError):
            residual(*values, **keywords)


# --- rule 9: a generator function is specialized to a generator function ---


@pytest.mark.parametrize("function", [suspension.counting, suspension.delegating])
@pytest.mark.parametrize("n", [0, 2, 3])
def test_generator_functions(function: Any, n: int) -> None:
    residual = silently(function, n=n)
    assert inspect.isgenerator(residual(print))
    assert not fallbacks(residual)
    for seed in range(ROUNDS):
        (f,) = suspension.acting(Random(seed))
        wanted = outcome(functools.partial(suspension.driven, n, function, f), ())
        assert outcome(functools.partial(suspension.driven, n, lambda n, f: residual(f), f), ()) == wanted
