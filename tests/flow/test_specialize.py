"""Flow-graph programs specialized online: the seeds' examples with their answers, options, and random programs.

Residuals are compared as texts where the answer is known exactly, and run against their programs everywhere.
"""

from __future__ import annotations

import collections
import dataclasses
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from futamura.cli.main import cli
from futamura.frontend.flow.reading import FlowError
from futamura.frontend.flow.running import read_inputs
from futamura.languages import FlowOptions, FlowResidual, specialize_flow
from tools.fuzz_flow import difference, random_options

from .random_flow import lowered, random_case, shown

EXAMPLES = Path(__file__).parents[2] / "examples" / "flow"
CLEAN = ("paste", "prune")
ALL = ("paste", "prune", "merge", "tails", "reroll")
CLASSICAL: dict[str, Any] = {"keep_jumps": True, "polyvariance": "all"}


def specialize(text: str, *inputs: str, **options: Any) -> FlowResidual:
    return specialize_flow(text, read_inputs(inputs), "test.flow", FlowOptions(**options))


def example(name: str, *inputs: str, **options: Any) -> FlowResidual:
    return specialize((EXAMPLES / name).read_text(encoding="utf-8"), *inputs, **options)


def code(residual: FlowResidual) -> list[str]:
    return [line.strip() for line in residual.text.splitlines()]


def same(text: str, static: dict[str, Any], *rounds: dict[str, Any], **options: Any) -> FlowResidual:
    """The residual, after it and its text showed what the program shows."""
    residual = specialize_flow(text, static, "test.flow", FlowOptions(**options))
    program, again = lowered(text), lowered(residual.text)
    for given in rounds:
        wanted = shown(program, {**static, **given}, 10_000)
        assert wanted is not None
        assert shown(residual.program, given, 20_000) == wanted, residual.text
        assert shown(again, given, 20_000) == wanted, residual.text
    return residual


# --- power ---


def test_power_has_seven_entries_in_the_code_cache() -> None:
    residual = example("power.flow", "y=5", trim=False, labels="numbered", **CLASSICAL)
    assert [(row.label, dict(row.store), row.residual) for row in residual.rows] == [
        ("power", {"y": 5}, "power1"),
        ("power_rec", {"y": 5, "res": 1}, "power_rec1"),
        *(("power_rec", {"y": 6 - n}, f"power_rec{n}") for n in range(2, 6)),
        ("power_done", {"y": 0}, "power_done1"),
    ]
    wanted = ["power1:", "goto power_rec1", "power_rec1:", "res = 1 * x", "goto power_rec2"]
    for n in range(2, 6):
        wanted += [f"power_rec{n}:", "res = res * x", f"goto {f'power_rec{n + 1}' if n < 5 else 'power_done1'}"]
    assert code(residual) == [*wanted, "power_done1:", "print res", "return"]


def test_labels_may_be_pairs_of_label_and_store() -> None:
    residual = example("power.flow", "y=2", trim=False, labels="pairs", **CLASSICAL)
    labels = [line.strip(":") for line in code(residual) if line.endswith(":")]
    assert labels == [
        "<power, y = 2>", "<power_rec, res = 1, y = 2>", "<power_rec, y = 1>", "<power_done, y = 0>",
    ]  # fmt: skip
    assert shown(lowered(residual.text), {"x": 7}, 1000) == shown(residual.program, {"x": 7}, 1000)


def test_with_trimming_dead_variables_are_not_in_the_cache() -> None:
    residual = example("power.flow", "y=2", labels="numbered", **CLASSICAL)
    assert [dict(row.store) for row in residual.rows] == [{"y": 2}, {"res": 1, "y": 2}, {"y": 1}, {}]


@pytest.mark.parametrize("y", [0, 1, 5])
def test_power_in_line(y: int) -> None:
    residual = example("power.flow", f"y={y}")
    assert code(residual)[0] == "power:"
    assert sum("*" in line for line in code(residual)) == y
    assert not any("goto" in line for line in code(residual))


def test_unrolled_power_is_rolled_again() -> None:
    residual = example("power.flow", "y=5", passes=("reroll",))
    assert sum("*" in line for line in code(residual)) == 1
    assert "count = 5" in code(residual)
    assert shown(lowered(residual.text), {"x": 3}, 1000).printed == "243\n"  # type: ignore[union-attr]


# --- the notes ---

SEARCH = (EXAMPLES / "search.flow").read_text(encoding="utf-8")
NAMES = ("susan", "john", "ann")


@pytest.mark.parametrize(("name", "cuts"), [("susan", 0), ("john", 1), ("ann", 2)])
def test_the_search_leaves_one_block(name: str, cuts: int) -> None:
    given = [{"valueList": (1, 2, 3)}, {"valueList": (1,)}, {"valueList": 5}]
    residual = same(SEARCH, {"name": name, "nameList": NAMES}, *given)
    body = ["valueList = cdr(valueList)"] * cuts
    assert code(residual) == ["L1:", "read valueList", *body, "print car(valueList)", "return"]


def test_a_name_that_is_not_there_fails_as_it_would() -> None:
    residual = same(SEARCH, {"name": "zoe", "nameList": NAMES}, {"valueList": (1, 2, 3)}, {"valueList": ()})
    assert "car([])" in residual.text


def test_the_search_for_an_unknown_name_unrolls_the_list() -> None:
    rounds = [{"name": name, "valueList": (1, 2, 3)} for name in (*NAMES, "zoe")]
    residual = same(SEARCH, {"nameList": NAMES}, *rounds)
    assert [name for name in NAMES if f'"{name}"' in residual.text] == list(NAMES)
    assert "nameList =" not in residual.text


DEAD = (EXAMPLES / "dead.flow").read_text(encoding="utf-8")


def test_a_dead_static_variable_makes_copies_only_without_trimming() -> None:
    rounds = [{"d": 0}, {"d": 1}, {"d": 4}]
    for trim, copies in ((True, 1), (False, 2)):
        residual = same(DEAD, {}, *rounds, trim=trim, **CLASSICAL)
        assert code(residual).count("x = d * 10") == copies
    merged = same(DEAD, {}, *rounds, trim=False, passes=("merge",), **CLASSICAL)
    assert code(merged).count("x = d * 10") == 1


UNSAFE = (EXAMPLES / "growing.flow").read_text(encoding="utf-8")


@pytest.mark.parametrize("polyvariance", ["auto", "all", "none"])
@pytest.mark.parametrize("loops", ["meet", "parameters", "variables"])
def test_a_static_variable_that_grows_with_a_dynamic_loop_ends(polyvariance: str, loops: str) -> None:
    residual = same(UNSAFE, {}, {"x": 0}, {"x": 3}, polyvariance=polyvariance, loops=loops)
    assert sum("y + 1" in line for line in code(residual)) == 1
    if loops == "meet" and polyvariance == "all":
        assert residual.events  # a budget ended it, and says so


@pytest.mark.parametrize("length", [0, 1, 4])
def test_even_and_odd(length: int) -> None:
    text = (EXAMPLES / "evenodd.flow").read_text(encoding="utf-8")
    residual = same(text, {"length": length}, {"array": (1, 2, 3, 4)}, {"array": (2,)}, {"array": ()})
    assert sum("% 2" in line for line in code(residual)) == length
    assert "length" not in residual.text and "i =" not in residual.text


def test_a_variable_is_static_again_after_it_was_dynamic() -> None:
    text = "L1: read x read y z = x + 1 x = y w = x * 2 x = 5 print z print w print x * 2 return"
    residual = same(text, {"x": 10}, {"y": 3})
    assert code(residual)[-4:] == ["print 11", "print w", "print 10", "return"]


# --- Senioria ---

MEETING = (EXAMPLES / "meeting.flow").read_text(encoding="utf-8")
CLEAR = (EXAMPLES / "clear.flow").read_text(encoding="utf-8")


@pytest.mark.parametrize(("n", "text", "result"), [(1, "ge", 8), (6, "lt", 12)])
def test_a_known_n_before_and_after_cleaning(n: int, text: str, result: int) -> None:
    before = same(MEETING, {"n": n}, {}, **CLASSICAL)
    jumps = [line for line in code(before) if line.startswith("goto")]
    assert len(jumps) == 3 and not any(line.startswith("if ") for line in code(before))
    after = same(MEETING, {"n": n}, {}, passes=CLEAN, **CLASSICAL)
    assert code(after) == ["int f() {", "entry:", f'println("{text}");', f"return {result};", "}"]


def test_an_unknown_n_has_two_continuations() -> None:
    rounds = [{"n": n} for n in (-1, 5, 6, 9)]
    before = same(MEETING, {}, *rounds, **CLASSICAL)
    sums = [line for line in code(before) if "i2 =" in line]
    assert [line.split("=")[1].strip() for line in sums] == ["6 + n;", "7 + n;"]
    assert sorted(row.residual for row in before.rows if row.label == "if_end") == ["if_end_1", "if_end_2"]
    after = same(MEETING, {}, *rounds, passes=CLEAN, **CLASSICAL)
    assert len([line for line in code(after) if line.endswith(":")]) == 3
    one = same(MEETING, {}, *rounds, polyvariance="none")
    assert len([line for line in code(one) if "+ n" in line]) == 1
    tails = same(MEETING, {}, *rounds, passes=(*CLEAN, "tails"), **CLASSICAL)
    assert len([line for line in code(tails) if "+ n" in line]) == 1


@pytest.mark.parametrize("loops", ["meet", "parameters", "variables"])
def test_the_loop_over_an_array_stays_one_loop(loops: str) -> None:
    residual = specialize(CLEAR, loops=loops, polyvariance="auto" if loops == "meet" else "all")
    assert sum("gv[" in line and "=" in line for line in code(residual)) == 1, residual.text
    assert sum(line.startswith("if ") for line in code(residual)) == 1
    for n in (0, 2, 3, 4):
        array, other = [7, 7, 7], [7, 7, 7]
        outcomes = [
            shown(program, {"gv": values, "n": n}, 1000)
            for program, values in ((lowered(CLEAR), array), (lowered(residual.text), other))
        ]
        assert outcomes[0] == outcomes[1] and array == other


def test_a_constant_loop_is_unrolled() -> None:
    residual = example("clear.flow", "n=3")
    assert [line for line in code(residual) if "gv[" in line] == ["gv[0] = 0;", "gv[1] = 0;", "gv[2] = 0;"]
    rolled = example("clear.flow", "n=9", passes=("reroll",))
    assert sum("gv[" in line for line in code(rolled)) == 1
    array = [7] * 9
    shown(lowered(rolled.text), {"gv": array}, 1000)
    assert array == [0] * 9


STATIC_IN_DYNAMIC = (EXAMPLES / "static_inside.flow").read_text(encoding="utf-8")
DYNAMIC_IN_STATIC = (EXAMPLES / "static_outside.flow").read_text(encoding="utf-8")


@pytest.mark.parametrize("loops", ["meet", "parameters", "variables"])
def test_nests_of_loops(loops: str) -> None:
    rounds = [{"n": n} for n in (0, 1, 4)]
    policy = "auto" if loops == "meet" else "all"
    inner = same(STATIC_IN_DYNAMIC, {}, *rounds, loops=loops, polyvariance=policy)
    # The default policy keeps that `i` is an int, so that `i * 0` adds nothing.
    assert sum("total +" in line for line in code(inner)) == (2 if loops == "meet" else 3), inner.text
    assert sum(line.startswith("if ") for line in code(inner)) == 1
    outer = same(DYNAMIC_IN_STATIC, {}, *rounds, loops=loops, polyvariance=policy)
    if loops != "meet":  # the default policy gives `i` up: the inner loop's header sees it change
        assert sum("total +" in line for line in code(outer)) == 3, outer.text
        assert sum(line.startswith("if ") for line in code(outer)) == 3


RESET = """
L1: read n  i = 0  k = 0  goto H
H: if i < n then goto B else goto E
B: k = 5  print k * 2  i = i + 1  k = 0  goto H
E: print k return
"""


def test_the_ways_of_treating_loops_differ_in_what_stays_known() -> None:
    """`k` is changed in the loop and comes back to where it was: only the meet sees that it is 0 at the header."""
    rounds = [{"n": 0}, {"n": 3}]
    kept = {loops: same(RESET, {}, *rounds, loops=loops, polyvariance="all") for loops in ("parameters", "variables")}
    kept["meet"] = same(RESET, {}, *rounds)
    known = {loops: "print 0" in code(residual) for loops, residual in kept.items()}
    assert known == {"meet": True, "parameters": False, "variables": False}


RESTORED = (EXAMPLES / "restored.flow").read_text(encoding="utf-8")


def test_pollution_of_what_is_read_and_written_beside_the_ssa_way() -> None:
    """`k` is written in the loop, but by way of a copy gets its value back: in SSA form nothing meets at the header."""
    rounds = [{"n": 0}, {"n": 3}]
    last = {}
    for loops, kept in (("variables", "all"), ("parameters", "all"), ("meet", "auto")):
        residual = same(RESTORED, {}, *rounds, loops=loops, polyvariance=kept)
        last[loops] = [line for line in code(residual) if "print" in line][-1]
    assert last == {"variables": "print 3 * 2 + m", "parameters": "print 6 + m", "meet": "print 6"}
    for text in (STATIC_IN_DYNAMIC, DYNAMIC_IN_STATIC, CLEAR, UNSAFE):
        polluted, phis = (
            specialize(text, loops=loops, polyvariance="all").text for loops in ("variables", "parameters")
        )
        assert polluted == phis


# --- offline: the same way through another specializer ---


def test_power_offline_has_the_same_code_cache() -> None:
    residual = example("power.flow", "y=5", trim=False, labels="numbered", mode="offline", keep_jumps=True)
    online = example("power.flow", "y=5", trim=False, labels="numbered", **CLASSICAL)
    assert [(row.label, dict(row.store)["y"], row.residual) for row in residual.rows] == [
        (row.label, dict(row.store)["y"], row.residual) for row in online.rows
    ]
    assert [line.replace("1 * x", "res * x") for line in code(residual) if line != "res = 1"] == [
        line.replace("1 * x", "res * x") for line in code(online)
    ]


def test_the_search_offline() -> None:
    residual = same(SEARCH, {"name": "ann", "nameList": NAMES}, {"valueList": (1, 2, 3)}, mode="offline")
    assert sum("cdr(" in line for line in code(residual)) == 2 and "if " not in residual.text
    assert "statement" in residual.trace and "susan" in residual.trace


def columns(line: str) -> list[str]:
    """The cells of a row of a table, which are two spaces apart at least."""
    return [cell for cell in line.split("  ") if cell]


def test_the_trace_of_the_search_is_the_table_of_the_notes() -> None:
    residual = same(SEARCH, {"name": "ann", "nameList": NAMES}, {"valueList": (1, 2, 3)}, mode="offline")
    _, point, *rows = residual.trace.splitlines()
    assert point.split("    ") == [
        "<L1, nameList=('susan', 'john', 'ann'), name='ann'>", "marked: nothing", "pending: nothing",
    ]  # fmt: skip
    table = [columns(row) for row in rows]
    test, cut = "if name != car(nameList) then goto L3 else goto L4", "valueList = cdr(valueList)"
    assert [(cells[0].strip(), cells[1].strip()) for cells in table] == [
        *[(f"read {name}", "L1") for name in ("nameList", "valueList", "name")], ("goto L2", "L1"),
        *[(test, "L2"), ("nameList = cdr(nameList)", "L3"), (cut, "L3"), ("goto L2", "L3")] * 2,
        (test, "L2"), ("print car(valueList)", "L4"), ("goto Exit", "L4"), ("return", "Exit"),
    ]  # fmt: skip
    emitted = [(cells[0].strip(), cells[3].strip()) for cells in table if len(cells) > 3]
    assert emitted == [
        ("read valueList", "read valueList"),
        *[("valueList = cdr(valueList)", "valueList = cdr(valueList)")] * 2,
    ]
    assert table[-3][2].strip() == "print car(valueList)"
    lists = [row.split("nameList=")[1].split(")")[0] for row in rows if row.startswith("valueList = ")]
    assert lists == ["('john', 'ann'", "('ann',"]


@pytest.mark.parametrize("seed", [3, 8, 21, 34])
def test_the_trace_shows_the_worklist_and_what_is_marked(seed: int) -> None:
    """Each point is put on the worklist once and taken from it once, in order; and each is in the code cache."""
    case = random_case(seed)
    residual = specialize_flow(case.text, case.static, "test.flow", FlowOptions(mode="offline", keep_jumps=True))
    assert residual.specialized
    heads = [line.split("    ") for line in residual.trace.splitlines() if line.startswith("<")]
    points = [point for point, _, _ in heads]
    assert len(points) == len(residual.rows) and len(points) > 2
    for at, (_, marked, pending) in enumerate(heads):
        done, waiting = marked.removeprefix("marked: "), pending.removeprefix("pending: ")
        assert done == "nothing" if at == 0 else done.startswith(points[at - 1])
        assert (
            waiting == "nothing"
            if at + 1 == len(points)
            else waiting.startswith(points[at + 1]) or waiting == "nothing"
        )


# --- passes ---


def test_merging_finds_loops_that_are_the_same() -> None:
    text = """
L1: read c read n if c then goto A else goto B
A: n = n - 1 print n if n > 0 then goto A else goto E
B: n = n - 1 print n if n > 0 then goto B else goto E
E: return
"""
    residual = same(text, {}, {"c": 1, "n": 3}, {"c": 0, "n": 2}, passes=("merge",))
    assert sum("print n" in line for line in code(residual)) == 1


def test_passing_values_around_a_swap() -> None:
    text = (
        "L: read n a = 1 b = 2 goto M M: t = a a = b b = t n = n - 1 if n > 0 goto M else goto E E: print [a, b] return"
    )
    for options in ({}, {"polyvariance": "none"}, {"loops": "parameters", "polyvariance": "all"}):
        same(text, {}, {"n": 1}, {"n": 2}, {"n": 5}, **options)


def test_a_tail_that_gets_one_value_in_two_places() -> None:
    """In the one block the condition and what is passed are the same variable, in the other they are not."""
    text = """
L1: read a read u if a > 5 then goto A else goto B
A: print 1 if u then goto X else goto Y
B: u = u - 1 if a then goto X else goto Y
X: print [u, 1] return
Y: print [u, 2] return
"""
    rounds = [{"a": a, "u": u} for a in (0, 2, 8) for u in (0, 1, 4)]
    residual = same(text, {}, *rounds, passes=("merge", "tails"))
    assert sum(line.startswith("if") for line in code(residual)) == 2, residual.text


def test_rolling_keeps_what_comes_before_and_after() -> None:
    line = " ".join(f"r = r * x + {2 * n}" for n in range(6))
    text = f"L: read x r = 1 print r {line} print r r = r - x return r"
    residual = same(text, {}, {"x": 3}, {"x": "no"}, passes=("reroll",))
    assert sum("* x" in line for line in code(residual)) == 1


# --- bad input ---


def test_inputs_are_checked() -> None:
    with pytest.raises(FlowError, match="did you mean `x`"):
        specialize("L: read x1 read x print x + x1", "xx=1")
    with pytest.raises(FlowError, match="must stay open"):
        specialize(CLEAR, "gv=[1]")


def test_what_never_ends_ends_here() -> None:
    for text in ("L: goto L", "L: read x goto M M: x = x + 1 goto M", "L: read x goto M M: print 1 goto M"):
        for options in ({}, {"keep_jumps": True}, {"polyvariance": "all"}):
            for static in ({}, {"x": 1} if "x" in text else {}):
                assert specialize_flow(text, static, "test.flow", FlowOptions(**options)).text


def test_numbers_that_explode_are_left_to_the_program() -> None:
    """Neither the numbers nor what is known of them are computed."""
    text = "L: x = 2 n = 60 goto M M: x = x * x n = n - 1 if n > 0 goto M else goto E E: return x"
    for mode in ("online", "offline"):
        residual = specialize(text, mode=mode)
        assert "x = x * x" in residual.text and len(residual.text) < 20_000


def test_the_command() -> None:
    runner = CliRunner()
    done = runner.invoke(cli, ["specialize", str(EXAMPLES / "power.flow"), "y=1", "--trace"], standalone_mode=False)
    assert done.exception is None
    assert done.output.splitlines()[-4:] == ["power:", "  res = 1 * x", "  print res", "  return"]
    assert done.output.startswith("# power")
    assert runner.invoke(cli, ["specialize", str(EXAMPLES / "power.flow"), "--passes", "no"]).exit_code == 2


# --- random programs ---


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_random_programs(start: int) -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(start, start + 10):
        for options in (random_options(seed), random_options(seed, "offline")):
            assert difference(random_case(seed), options, counts) == "", (seed, options.mode)
    assert counts["ended"] and counts["online specialized"] and counts["offline specialized"]


def test_a_block_that_a_pass_copies_gives_its_label_to_one_copy() -> None:
    case, options = random_case(900584), random_options(900584, "offline")
    options = dataclasses.replace(options, passes=(*options.passes, "peel", "thread"))
    residual = specialize_flow(case.text, case.static, "copies.flow", options)
    labels = [line for line in residual.text.splitlines() if line.endswith(":")]
    assert len(labels) == len(set(labels)) > 5
    assert difference(case, options, collections.Counter()) == ""
