"""The functional language: runs, errors with their places, and residuals printed back."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from futamura.cli.main import cli
from futamura.frontend.flow.reading import FlowError
from futamura.frontend.flow.running import run_program
from futamura.frontend.functional.lowering import lower_functional
from futamura.ir.graph import Program
from futamura.languages import FunctionalOptions, FunctionalResidual, specialize_functional

EXAMPLES = Path(__file__).parents[2] / "examples" / "functional"
STYLES: list[dict[str, Any]] = [
    {"calls": "unfold"},
    {"calls": "keep"},
    {"calls": "unfold", "polyvariance": "none"},
    {"calls": "keep", "polyvariance": "all"},
    {"mode": "offline"},
    {"mode": "offline", "division": "bounded", "points": "polyvariant"},
]


def outcome(program: Program, given: dict[str, Any], fuel: int = 200_000) -> object:
    try:
        return run_program(program, given, text="", file="test.fl", fuel=fuel)[0]
    except FlowError as error:
        return (error.diagnostic.code, error.diagnostic.title)


def same(text: str, static: dict[str, Any], *rounds: dict[str, Any], **options: Any) -> FunctionalResidual:
    residual = specialize_functional(text, static, "test.fl", FunctionalOptions(**options))
    program, again = lower_functional(text).program, lower_functional(residual.text).program
    for given in rounds:
        wanted = outcome(program, {**static, **given})
        assert outcome(residual.program, given) == wanted, residual.text
        assert outcome(again, given) == wanted, residual.text
    return residual


def example(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def heads(residual: FunctionalResidual) -> list[str]:
    return [
        line.split("(")[0] for line in residual.text.splitlines() if line and not line.startswith((" ", "else", "let"))
    ]


# --- the notes' examples ---


@pytest.mark.parametrize("options", [{"calls": "keep"}, {"mode": "offline"}], ids=str)
def test_the_search_makes_three_new_functions(options: dict[str, Any]) -> None:
    rounds = [{"valueList": (1, 2, 3)}, {"valueList": (1,)}, {"valueList": ()}]
    residual = same(example("search.fl"), {}, *rounds, **options)
    assert heads(residual) == ["main", "find_1", "find_2", "find_3"]
    assert "if" not in residual.text and "ann" not in residual.text


def test_the_functions_and_the_trace_of_the_search() -> None:
    lists = [("susan", "john", "ann"), ("john", "ann"), ("ann",)]
    for options in ({"calls": "keep"}, {"mode": "offline"}):
        residual = same(example("search.fl"), {}, {"valueList": (1, 2, 3)}, **options)
        assert [(row.label, dict(row.store), row.residual) for row in residual.rows] == [
            ("main", {}, "main"),
            *[("find", {"name": "ann", "nameList": names}, f"find_{n}") for n, names in enumerate(lists, 1)],
        ]
    rows = residual.trace.splitlines()
    points = [row.split("    ")[0] for row in rows if row.startswith("<")]
    assert points == ["<main>", *[f"<find, name='ann', nameList={names}>" for names in lists]]
    assert [row.split("  ")[-1].strip() for row in rows if "return" in row] == [
        "return find_1(valueList)", "return find_2(cdr(vList))", "return find_3(cdr(vList))", "return car(vList)",
    ]  # fmt: skip
    in_line = same(example("search.fl"), {}, {"valueList": (1, 2, 3)})
    assert [(row.label, row.residual) for row in in_line.rows] == [("main", "main")]


def test_the_search_in_line() -> None:
    residual = same(example("search.fl"), {}, {"valueList": (1, 2, 3)}, {"valueList": 7})
    assert residual.text == "main(valueList) = car(cdr(cdr(valueList)))\n"


def test_all_static_calls_are_done_in_place() -> None:
    for options in STYLES:
        residual = same(example("power.fl"), {"a": 3, "x": 4}, {}, **options)
        assert residual.text == "main() = 81\n", options


def test_even_and_odd() -> None:
    rounds = [{"list": (1, 2, 3)}, {"list": (2, 2, 2, 2)}, {"list": (1,)}]
    for options in STYLES:
        same(example("evenodd.fl"), {"length": 3}, *rounds, **options)
    kept = same(example("evenodd.fl"), {"length": 3}, *rounds, calls="keep", polyvariance="all")
    assert "length" not in kept.text


@pytest.mark.parametrize(("name", "division", "gone"), [
    ("evenodd.fl", "simple", True), ("evenodd.fl", "safe", False), ("evenodd_inside.fl", "safe", True),
])  # fmt: skip
def test_even_and_odd_under_divisions(name: str, division: Any, gone: bool) -> None:
    """The length is static under the rules for data; with the rule for control if no dynamic test decides on calls."""
    rounds = [{"list": (1, 2, 3)}, {"list": (2, 2, 2, 2)}, {"list": (1,)}]
    residual = same(example(name), {"length": 3}, *rounds, mode="offline", division=division)
    assert ("length" not in residual.text) == gone, residual.text
    assert residual.specialized


UNSAFE = "main(x) = f(x, 0)\nf(x, y) = if x == 0 then y else f(x - 1, y + 1)\n"


@pytest.mark.parametrize("options", STYLES, ids=str)
def test_a_static_argument_that_grows_under_dynamic_control_ends(options: dict[str, Any]) -> None:
    if options.get("polyvariance") == "all":
        pytest.skip("ends by its budget, which takes seconds")
    same(UNSAFE, {}, {"x": 0}, {"x": 5}, **options)


@pytest.mark.parametrize("options", STYLES, ids=str)
@pytest.mark.parametrize(
    "text", ["main(x) = f(1)\nf(y) = f(y)\n", "main(x) = if x then f(1) else 2\nf(y) = f(y + 1)\n"]
)
def test_what_never_ends_ends_here(text: str, options: dict[str, Any]) -> None:
    residual = specialize_functional(text, {}, "test.fl", FunctionalOptions(**options))
    program = lower_functional(residual.text).program
    if "if" in text:
        assert outcome(program, {"x": 0}) == 2
    assert outcome(program, {"x": 1}, fuel=2_000)[0] == "FT508"  # type: ignore[index]


# --- the language ---

PROGRAMS: list[tuple[str, list[dict[str, Any]]]] = [
    ("main(x, y) = (if x then y else 1) + (if y then 2 else x)", [{"x": a, "y": b} for a in (0, 3) for b in (0, 4)]),
    ("main(x, y) = let a = x + 1 in let b = a * a in b - y * a", [{"x": 2, "y": 5}]),
    ("main(x, y) = let x = x + y in let y = x in x * y", [{"x": 2, "y": 5}]),
    ("table = [1, [2, 3], more]\nmore = 4\nmain(x, y) = [table[x], car(cdr(table)), y, more]", [{"x": 1, "y": 0}]),
    ("main(x, y) = g(f(x), f(y))\nf(z) = cons(z, [z])\ng(a, b) = [b, a, null(a), not b]", [{"x": 1, "y": ()}]),
    ("main(x, y) = even(x)\neven(n) = if n == 0 then true else odd(n - 1)\n"
     "odd(n) = if n == 0 then false else even(n - 1)",
     [{"x": n, "y": 0} for n in (0, 1, 6)]),
    ("main(x, y) = let a = car(x) in let b = car(y) in b",
     [{"x": 1, "y": 2}, {"x": (1,), "y": 2}, {"x": (), "y": (5,)}]),
    ("main(x, y) = f(car(x), car(y))\nf(a, b) = if b then 1 else 2", [{"x": 1, "y": 2}, {"x": (), "y": (5,)}]),
    ("main(x, y) = let z = if x then car(y) else y in if z then [z, z] else z",
     [{"x": 1, "y": (0,)}, {"x": 0, "y": 3}]),
    ("main(x, y) = append(x, y)\nappend(a, b) = if null(a) then b else cons(car(a), append(cdr(a), b))",
     [{"x": (1, 2), "y": (3,)}, {"x": (), "y": ()}, {"x": 3, "y": ()}]),
]  # fmt: skip


@pytest.mark.parametrize("options", STYLES, ids=str)
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_residuals_mean_the_same(number: int, options: dict[str, Any]) -> None:
    text, rounds = PROGRAMS[number]
    for static in ((), ("x",), ("y",), ("x", "y")):
        for given in rounds:
            known = {name: given[name] for name in static}
            same(text, known, {name: value for name, value in given.items() if name not in known}, **options)


def test_random_expressions() -> None:
    """Operands in their order, errors at their place, whatever is nested in what."""
    r = random.Random(5)

    def expression(depth: int) -> str:
        kind = r.random()
        if depth == 0 or kind < 0.2:
            return r.choice(["x", "y", "1", "[2]", "[]"])
        a, b = expression(depth - 1), expression(depth - 1)
        if kind < 0.4:
            return f"({a} {r.choice(['+', '-', '*', '==', '<'])} {b})"
        if kind < 0.55:
            return f"{r.choice(['car', 'cdr', 'null'])}({a})"
        if kind < 0.7:
            return f"cons({a}, {b})"
        if kind < 0.8:
            return f"f({a}, {b})"
        if kind < 0.9:
            return f"(if {a} then {b} else {expression(depth - 1)})"
        return f"(let x = {a} in {b})"

    values = [0, 1, (1,), (0, (2,))]
    for _ in range(60):
        text = f"main(x, y) = {expression(4)}\nf(x, y) = {expression(2).replace('f(', 'cons(')}\n"
        static = {name: r.choice(values) for name in "xy" if r.random() < 0.4}
        rounds = [{name: r.choice(values) for name in "xy" if name not in static} for _ in range(3)]
        for options in (STYLES[0], STYLES[1], STYLES[4]):
            same(text, static, *rounds, **options)


BAD = [
    ("", "FT506", None, ""),
    ("x = 1", "FT506", None, "no function"),
    ("f(x) = y", "FT503", (1, 8), "no variable `y`"),
    ("f(number) = numbr", "FT503", (1, 13), "did you mean `number`?"),
    ("f(x) = g(x)", "FT510", (1, 8), "no function `g`"),
    ("f(x) = f(x, x)", "FT510", (1, 8), "1 parameter, not 2"),
    ("f(x) = f", "FT503", (1, 8), "in parentheses"),
    ("f(x) = x\nf(y) = y", "FT507", (2, 1), "line 1"),
    ("f(x, x) = x", "FT507", (1, 6), "two parameters"),
    ("car(x) = x", "FT507", (1, 1), "operator"),
    ("a = b\nb = c\nc = a\nf(x) = a", "FT509", (3, 5), "a -> b -> c -> a"),
    ("a = [a]\nf(x) = a", "FT509", (1, 6), "a -> a"),
    ("f(x) = if x then 1", "FT501", (1, 19), "'else'"),
    ("f(x) = (x", "FT501", (1, 10), "')'"),
    ("f(let) = 1", "FT501", (1, 3), "`let` is a word of the language"),
    ("f(x) = let x = in x", "FT501", (1, 16), "expected a value"),
    ("f(x) = if then 1 else 2", "FT501", (1, 11), "expected a value"),
    ("f(x) = 1 + if x then 1 else 2", "FT501", (1, 12), "`if` is a word of the language"),
    ("f(x) = print", "FT501", (1, 8), "`print` is a word of the language"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "place", "part"), BAD, ids=range(len(BAD)))
def test_bad_programs(text: str, code: str, place: tuple[int, int] | None, part: str) -> None:
    with pytest.raises(FlowError) as caught:
        lower_functional(text, "bad.fl")
    found = caught.value.diagnostic
    assert found.code == code
    assert (None if place is None else (found.line, found.column)) == place
    assert part in str(caught.value)


def test_deep_recursion_runs() -> None:
    text = "main(n) = if n == 0 then 0 else 1 + main(n - 1)"
    assert outcome(lower_functional(text).program, {"n": 3000}) == 3000


def test_the_commands() -> None:
    runner = CliRunner()
    done = runner.invoke(cli, ["run", str(EXAMPLES / "search.fl"), "valueList=[1, 2, 3]"], standalone_mode=False)
    assert done.output == "3\n"
    done = runner.invoke(cli, ["specialize", str(EXAMPLES / "power.fl"), "x=2"], standalone_mode=False)
    assert done.output == "main(a) = a * (a * 1)\n"
    done = runner.invoke(cli, ["ir", str(EXAMPLES / "search.fl")], standalone_mode=False)
    assert done.output.startswith("program main") and "invoke[find]" in done.output
    search = str(EXAMPLES / "search.fl")
    done = runner.invoke(cli, ["specialize", search, "--calls", "keep", "--trace"], standalone_mode=False)
    assert [line.split()[-1] for line in done.output.splitlines() if line.startswith("# find")] == [
        "find_1",
        "find_2",
        "find_3",
    ]
    for idle in ("--keep-jumps", "--follow-gotos", "--no-trim", "--labels=pairs", "--points=uniform", "--loops=meet"):
        assert runner.invoke(cli, ["specialize", search, idle]).exit_code == 2
    assert "without --offline" in runner.invoke(cli, ["specialize", search, "--offline", "--calls", "keep"]).output
    flow = str(EXAMPLES.parent / "flow" / "power.flow")
    assert "in .fl only" in runner.invoke(cli, ["specialize", flow, "--calls", "keep"]).output
    arguments = ["specialize", search, "--offline"]
    done = runner.invoke(cli, arguments, standalone_mode=False)
    assert "find_3(vList) = car(vList)" in done.output
