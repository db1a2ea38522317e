"""The examples of the lecture notes on flow-graph programs, each with its answer.

Where the notes show a picture that is lost, the program is reconstructed from what the text says about it, and what is
asserted are the properties that the text states.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from futamura.analysis.dependence import Dependence
from futamura.analysis.division import KINDS, POINTS, Kind, Points
from futamura.frontend.flow.lowering import lower_flow
from futamura.specializer.offline.trace import shown, trace_table
from tests.offline.flowing import offline, output

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "flow"
NAMES = ("susan", "john", "ann")


def test_search_becomes_one_block() -> None:
    text = (EXAMPLES / "search.flow").read_text(encoding="utf-8")
    done = offline(text, {"nameList": NAMES, "name": "ann"}, points="uniform")
    assert done.statics() >= {"name", "nameList"}
    assert "valueList" not in done.statics()
    assert len(done.residual.main.blocks) == 1
    assert done.names() == ["cdr", "cdr", "car", "show"]
    assert done.residual.main.signature.names == ("valueList",)
    assert done.output(valueList=(1, 2, 3)) == ["3"]
    assert len(done.outcome.cache) == 1


def test_the_trace_of_the_search() -> None:
    text = (EXAMPLES / "search.flow").read_text(encoding="utf-8")
    rows = offline(text, {"nameList": NAMES, "name": "ann"}).outcome.rows
    assert rows[0].block.startswith("<L1, ")
    steps = [row for row in rows if row.statement]
    blocks = [row.block for row in steps]
    passed = [block for at, block in enumerate(blocks) if at == 0 or blocks[at - 1] != block]
    assert passed == ["L1", "L2", "L3", "L2", "L3", "L2", "L4", "Exit"]
    emitting = [(row.block, row.statement, row.emitted) for row in steps if row.emitted and row.block != "Exit"]
    assert emitting == [
        ("L3", "valueList = cdr(valueList)", "valueList = cdr(valueList)"),
        ("L3", "valueList = cdr(valueList)", "valueList = cdr(valueList)"),
        ("L4", "print car(valueList)", "print car(valueList)"),
    ]
    tests = [row.store for row in steps if row.statement.startswith("nameList = ")]
    assert ["'john', 'ann'" in store for store in tests] == [True, False]
    assert ["('ann',)" in store for store in tests] == [False, True]


POWER = (EXAMPLES / "exponent.flow").read_text(encoding="utf-8")


@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize("kind", KINDS)
def test_exercise_1_a_to_the_x(kind: Kind, points: Points) -> None:
    """Reconstructed: the product in a loop that counts x down."""
    done = offline(POWER, {"x": 2}, division=kind, points=points)
    assert "x" in done.statics()
    assert not {"a", "ans"} & done.statics()
    assert done.names() == ["mul", "mul", "show"]
    assert len(done.residual.main.blocks) == 1
    assert done.output(a=7) == ["49"]


DEAD = (EXAMPLES / "dead.flow").read_text(encoding="utf-8")


@pytest.mark.parametrize("trim", [True, False])
def test_dead_static_variables(trim: bool) -> None:
    """Reconstructed: x is static, has two values where it is assigned anew, and is dead there."""
    done = offline(DEAD, {}, division="simple", trim=trim, tidy=False)
    copies = [entry for entry in done.outcome.cache if entry.block == "A" or entry.block == "B" or entry.block == "L2"]
    kept = offline(DEAD, {}, division="simple", trim=trim, follow=False)
    points = [entry for entry in kept.outcome.cache if entry.block == "L2"]
    assert len(points) == (1 if trim else 2)
    assert [entry.store for entry in points] == ([{}] if trim else [{"x": 1}, {"x": 2}])
    assert len(copies) == 2
    for d in (0, 1, 5):
        assert done.output(d=d) == kept.output(d=d) == output(done.lowered.program, {"d": d})


COUNT = (EXAMPLES / "growing.flow").read_text(encoding="utf-8")


@pytest.mark.parametrize("points", POINTS)
def test_a_division_that_is_only_congruent_may_not_end(points: Points) -> None:
    """Reconstructed: y counts the trips of a loop whose end is not known."""
    endless = offline(COUNT, {}, division="simple", points=points, generalize=False, budget=300)
    assert endless.outcome.program is None
    (event,) = endless.outcome.events
    assert "`y`" in event.reason
    assert "L2" in event.reason or "L3" in event.reason
    stopped = offline(COUNT, {}, division="simple", points=points, budget=300)
    for done in (stopped, offline(COUNT, {}, division="safe", points=points)):
        assert len(done.residual.main.blocks) <= 5
        assert done.output(x=4) == ["4"]
    assert "y" not in offline(COUNT, {}, division="safe", points=points).statics()
    assert "y" in offline(COUNT, {}, division="simple", points=points, generalize=False, budget=300).statics()


def test_exercises_2_and_3_the_program_dependence_graph() -> None:
    """The graph of the counting loop; the lines of the program above are its nodes, 0 the entry."""
    dependence = Dependence(lower_flow(COUNT, "test.flow").program.main)
    flow, control = dependence.statement_edges()
    read, start, test, down, up, shown = 0, 5, 8, 10, 11, 14
    assert {(source, target) for source, target, name in flow if name == "y"} == {
        (start, up), (up, up), (start, shown), (up, shown),
    }  # fmt: skip
    assert {(source, target) for source, target, name in flow if name == "x"} == {
        (read, test), (read, down), (down, test), (down, down),
    }  # fmt: skip
    assert {(a, b) for a, b in control if a != b} == {
        (0, start), (0, test), (0, shown), (0, 15), (test, down), (test, up),
    }  # fmt: skip
    assert (test, test) in control


POINTWISE = (EXAMPLES / "points.flow").read_text(encoding="utf-8")


def test_uniform_against_pointwise() -> None:
    """Reconstructed: z and w are made of x first and of y later."""
    uniform = offline(POINTWISE, {"x": 10}, points="uniform")
    assert uniform.statics() == {"x"}
    pointwise = offline(POINTWISE, {"x": 10}, points="pointwise")
    assert "add" not in pointwise.names()[:1]
    static = [v for v, hint in enumerate(pointwise.division.function.hints) if hint in ("z", "w")
              and pointwise.division.static(v)]  # fmt: skip
    assert len(static) == 2
    assert uniform.names().count("add") > pointwise.names().count("add") or uniform.names() != pointwise.names()
    for done in (uniform, pointwise):
        assert done.output(y=5) == ["21", "15"]


EVEN = """
L1:
  read length
  read array
  total = 0
  i = 0
  goto L2
L2:
  if i < length then goto L3 else goto L7
L3:
  if array[i] % 2 == 0 then goto L4 else goto L5
L4:
  total = total + array[i]
  goto L6
L5:
  total = total - array[i]
  goto L6
L6:
  i = i + 1
  goto L2
L7:
  print total
  return
"""


@pytest.mark.parametrize("kind", KINDS)
def test_exercise_4_even_and_odd(kind: Kind) -> None:
    """The length of the array is known, its items are not: the loop is unrolled, the conditions stay."""
    done = offline(EVEN, {"length": 3}, division=kind, points="uniform")
    assert done.statics() == {"length", "i"}
    ends = [block.terminator.name for block in done.residual.main.blocks]
    assert ends.count("branch") == 5  # following gotos copies what comes behind each arm, up to the next condition
    kept = offline(EVEN, {"length": 3}, division=kind, points="uniform", follow=False)
    assert [block.terminator.name for block in kept.residual.main.blocks].count("branch") == 3
    assert kept.output(array=(1, 2, 4)) == ["5"]
    assert not any(op.name == "lt" for op in done.residual.main.operations())
    assert done.output(array=(1, 2, 4)) == ["5"]
    assert done.output(array=(1, 3, 5)) == ["-9"]


@pytest.mark.parametrize("points", POINTS)
@pytest.mark.parametrize("kind", ["safe", "bounded"])
@pytest.mark.parametrize("follow", [True, False])
def test_a_loop_that_is_never_entered_is_no_trap(kind: Kind, points: Points, follow: bool) -> None:
    for inside in ("", " y = y + 1\n"):
        text = f"M0:\n read d\n y = 0\n if d != d then goto L else goto M\nL:\n{inside} goto L\nM:\n print d\n return\n"
        done = offline(text, {}, division=kind, points=points, follow=follow, generalize=False, budget=100)
        assert done.output(d=3) == ["3"]
        assert len(done.residual.main.blocks) <= 6


def test_a_static_error_under_dynamic_control_stays() -> None:
    text = "A:\n read d\n if d then goto L else goto M\nL:\n print car(cdr([1]))\n goto M\nM:\n print d\n return\n"
    done = offline(text, {}, division="simple")
    assert done.output(d=0) == ["0"]
    (line,) = done.output(d=1)
    assert line.startswith("ListError")
    assert line == output(done.lowered.program, {"d": 1})[0]


def test_the_trace_shows_points_and_jumps() -> None:
    done = offline(EVEN, {"length": 1}, points="uniform", follow=False)
    rows = {row.statement: row.emitted for row in done.outcome.rows if row.statement and "i=0" in row.store}
    assert rows["if array[i] % 2 == 0 then goto L4 else goto L5"] == (
        "if array[0] % 2 == 0 then goto <L4, length=1, i=0> else goto <L5, length=1, i=0>"
    )
    assert rows["total = total + array[i]"] == "total = total + array[0]"
    assert rows["goto L6"] == "goto <L6, length=1, i=0>"
    taken = [line for line in trace_table(done.outcome.rows).splitlines() if line.startswith("<")]
    branch, arms = "<L3, length=1, i=0>", ["<L4, length=1, i=0>", "<L5, length=1, i=0>"]
    entry, test = "<L1, length=1>", "<L2, length=1, i=0>"
    assert taken[:4] == [
        f"{entry}    marked: nothing    pending: nothing",
        f"{test}    marked: {entry}    pending: nothing",
        f"{branch}    marked: {test}, {entry}    pending: nothing",
        f"{arms[0]}    marked: {branch}, {test}, {entry}    pending: {arms[1]}",
    ]
    assert any(line.startswith("<L7> ") for line in taken)


def test_the_code_cache_of_power_has_seven_entries() -> None:
    text = (EXAMPLES / "power.flow").read_text(encoding="utf-8")
    done = offline(text, {"y": 5}, points="polyvariant", follow=False, trim=False)
    assert [(entry.block, entry.store) for entry in done.outcome.cache] == [
        ("power", {"y": 5}), ("power_rec", {"y": 5, "res": 1}), ("power_rec", {"y": 4}), ("power_rec", {"y": 3}),
        ("power_rec", {"y": 2}), ("power_rec", {"y": 1}), ("power_done", {"y": 0}),
    ]  # fmt: skip
    blocks = done.residual.main.blocks
    assert [done.names(at) for at in range(len(blocks))] == [[], *[["mul"]] * 5, ["show"]]
    assert [block.terminator.name for block in blocks] == ["jump"] * 6 + ["return"]
    first = blocks[1]
    assert [op.attr.value for op in first.ops if op.name == "const"] == [1]  # type: ignore[attr-defined]
    assert done.output(x=2) == ["32"]
    shared = offline(text, {"y": 5}, points="pointwise", follow=False, trim=False)
    assert len(shared.outcome.cache) == 7


def test_the_trace_shows_the_beginning_of_large_values() -> None:
    nested: object = ()
    for _ in range(3000):
        nested = (nested,)
    text = "L:\n read x\n read y\n read d\n y = x * x\n print d\n print y\n return\n"
    stores = [row.store for row in offline(text, {"x": 10**5000, "y": 0}).outcome.rows]
    assert any(store.startswith("x=0x") and "..." in store for store in stores)
    assert all(len(store) < 200 for store in stores)
    for value, wanted in ((nested, "((((("), ("a" * 99, "'aaa"), ((1, "b"), "(1, 'b')"), ((1,), "(1,)")):
        assert shown({"x": value}).startswith(f"x={wanted}")
        assert len(shown({"x": value})) <= 42
