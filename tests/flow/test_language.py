"""The flow-graph language: spellings, runs, and the place of every error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from futamura.cli.main import cli
from futamura.frontend.flow.lowering import lower_flow
from futamura.frontend.flow.reading import FlowError
from futamura.frontend.flow.running import read_inputs, read_value, run_program
from futamura.ir.interp import run
from futamura.ir.lists import ListError, literal
from futamura.ir.ops import OPERATORS

EXAMPLES = Path(__file__).parents[2] / "examples" / "flow"


def outcome(text: str, *inputs: str, fuel: int = 100_000, **options: Any) -> Any:
    lowered = lower_flow(text, "test.flow", **options)
    arrays = [given.name for given in lowered.inputs if given.array]
    return run_program(
        lowered.program, read_inputs(inputs), text=lowered.text, file=lowered.file, arrays=arrays, fuel=fuel
    )


def example(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("trim", [True, False])
@pytest.mark.parametrize(
    ("name", "inputs", "printed"),
    [
        ("power.flow", ["x=10", "y=10"], "10000000000\n"),
        ("power.flow", ["x=3", "y=0"], "1\n"),
        ("search.flow", ['name="ann"', 'nameList=["susan", "john", "ann"]', "valueList=[1, 2, 3]"], "3\n"),
        (
            "search.flow",
            ['name="john"', 'nameList=["susan", "john"]', 'valueList=[1, [2, "x", true]]'],
            '[2, "x", true]\n',
        ),
        ("evenodd.flow", ["length=4", "array=[1, 2, 3, 4]"], "2\n"),
        ("meeting.flow", ["n=1"], "ge\n"),
        ("meeting.flow", ["n=6"], "lt\n"),
    ],
)
def test_examples(name: str, inputs: list[str], printed: str, trim: bool, capsys: pytest.CaptureFixture[str]) -> None:
    outcome(example(name), *inputs, trim=trim)
    assert capsys.readouterr().out == printed


def test_results_and_arrays() -> None:
    assert outcome(example("meeting.flow"), "n=1")[0] == 8
    assert outcome(example("meeting.flow"), "n=6")[0] == 12
    assert outcome(example("clear.flow"), "n=2", "gv=[7, 7, 7]") == (None, {"gv": (0, 0, 7)})


def test_structured_statements() -> None:
    text = """
    int f(int n) {
      int total = 0;
      while (n > 0) {
        if (n % 2 == 0) total = total + n; else { total = total - n; }
        if (n == 100) return total;
        n--;
      }
      for (int i = 0; i < 3; i++) total = total * 2;
      return total;
    }"""

    def python(n: int) -> int:
        total = 0
        while n > 0:
            total = total + n if n % 2 == 0 else total - n
            if n == 100:
                return total
            n -= 1
        return total * 8

    for n in (0, 1, 7, 99, 100, 150):
        assert outcome(text, f"n={n}")[0] == python(n)


def test_declarations_without_a_value() -> None:
    text = "int f(int n) { int a, b; bool c; a = n + 1; if (a) b = 2; else b = 3; c = a < b; return [a, b, c]; }"
    assert outcome(text, "n=0")[0] == (1, 2, True)
    assert outcome(text, "n=-1")[0] == (0, 3, True)


def test_named_operators_and_copies() -> None:
    text = "s: a = same(x) b = add(a, mul(2, 3)) c = readlist(l, 1) d = cons(b, l) x = 5 e = ge(b, c)"
    text += " return [a, b, c, d, e, x]"
    assert outcome(text, "x=1", "l=[8, 9]")[0] == (1, 7, 9, (7, 8, 9), False, 5)


def test_a_swap_around_a_loop() -> None:
    text = "L: read a read b read n goto M M: t = a a = b b = t n = n - 1 if n > 0 goto M else goto E E: return [a, b]"
    assert outcome(text, "a=1", "b=2", "n=3")[0] == (2, 1)
    assert outcome(text, "a=1", "b=2", "n=2")[0] == (1, 2)


def test_the_first_block_may_be_jumped_to() -> None:
    assert outcome("L: x = x - 1 if x goto L else goto M M: return x", "x=4")[0] == 0


def test_lists() -> None:
    rows = {name: OPERATORS[name].evaluate for name in ("car", "cdr", "cons", "null")}
    assert rows["car"](((1, 2),), None) == 1 and rows["cdr"](((1, 2),), None) == (2,)  # type: ignore[misc]
    assert rows["cons"]((0, (1,)), None) == (0, 1) and rows["null"](((),), None) is True  # type: ignore[misc]
    for name in ("car", "cdr", "null"):
        for wrong in ([1], "ab", 5, None):
            with pytest.raises(ListError):
                rows[name]((wrong,), None)  # type: ignore[misc]
    for name in ("car", "cdr"):
        with pytest.raises(ListError):
            rows[name](((),), None)  # type: ignore[misc]


@pytest.mark.parametrize(
    "value", [0, -3, True, False, 'a"\n\\é', (), (1, ("x", (True,))), 1 << 40_000, -(1 << 9_000)], ids=range(9)
)
def test_values_are_read_as_they_are_written(value: Any) -> None:
    found = read_value(literal(value))
    assert found == value and type(found) is type(value)


BAD = [
    ("", "FT506", None, ""),
    ("  # nothing\n", "FT506", None, ""),
    ("L: x = 1 +", "FT501", (1, 11), "expected a value"),
    ("L: x = 1 ) y = 2", "FT501", (1, 10), "expected"),
    ('L:\n  x = "abc', "FT501", (2, 7), "without an end"),
    ("L: goto M", "FT502", (1, 9), "there is no block `M`"),
    ("Loop: goto Lop", "FT502", (1, 12), "did you mean `Loop`?"),
    ("L: goto L L: goto L", "FT507", (1, 11), "line 1"),
    ("L: x = 1 M: goto L", "FT501", (1, 10), "'goto', 'if' or 'return'"),
    ("x = 1", "FT501", (1, 1), "label"),
    ("L: print 1 read x", "FT501", (1, 12), "inputs are read first"),
    ("L: read x read x", "FT507", (1, 11), "twice"),
    ("L: read y print x", "FT503", (1, 17), "`x` may have no value"),
    ("L: read y if y goto A else goto B A: x = 1 goto B B: print x", "FT503", (1, 60), "`x`"),
    ('L: é = 1', "FT501", (1, 4), "cannot stand here"),
    ('L: x = "é" + + 2', "FT501", (1, 14), "cannot stand here"),
    ("L: x = foo(1)", "FT510", (1, 8), "no operator `foo`"),
    ("L: x = car()", "FT510", (1, 8), "takes 1 operand"),
    ("L: goto = 3", "FT501", (1, 9), "cannot stand here"),
    ("L: x = print", "FT501", (1, 8), "`print` is a word of the language"),
    ("L: read let print 1", "FT501", (1, 9), "`let` is a word of the language"),
    ("L: read x if x then M else N", "FT501", (1, 21), "`M` cannot stand here"),
    ("int f(int n) { int a; if (n) a = 1; return a; }", "FT503", (1, 44), "`a`"),
    ("int f(int n) { int a, b; }", "FT506", (1, 1), ""),
    ("L: x = 99" + "9" * 5000, "FT501", (1, 8), "base 16"),
    ('L: x = "\\q"', "FT501", (1, 8), "escape"),
    ("int f(int n) { return 1", "FT501", (1, 24), "expected ';'"),
    ("int f(int n) { }", "FT506", (1, 1), ""),
    ("int x;", "FT506", None, ""),
    ("int f() { return 1; } int g() { return 1; }", "FT507", (1, 23), "second"),
    ("int f(int n, int n) { return 1; }", "FT507", (1, 18), "twice"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "place", "part"), BAD, ids=range(len(BAD)))
def test_bad_programs(text: str, code: str, place: tuple[int, int] | None, part: str) -> None:
    with pytest.raises(FlowError) as caught:
        lower_flow(text, "bad.flow")
    found = caught.value.diagnostic
    assert found.code == code
    assert (None if place is None else (found.line, found.column)) == place
    assert part in str(caught.value)


@pytest.mark.parametrize(
    ("text", "inputs", "code", "place"),
    [
        ('L: x = 1\n y = x + "a" print y', [], "FT504", (2, 6)),
        ("L: read l print car(cdr(l))", ["l=[1]"], "FT504", (1, 17)),
        ("L: read l print l[3]", ["l=[1]"], "FT504", (1, 17)),
        ("L: x = 1 // 0 goto L", [], "FT504", (1, 8)),
        ("L: goto L", [], "FT508", None),
        ("L: x = 3 goto M M: x = x * x goto M", [], "FT508", None),
        ('L: x = "ab" goto M M: x = x + x goto M', [], "FT508", None),
        ("L: l = [] goto M M: l = cons(l, l) l = l + l goto M", [], "FT508", None),
        ("L: read x print x", [], "FT505", None),
        ("L: read x print x", ["x=1", "y=2"], "FT505", None),
        ("L: read x print x", ["x=1", "x=2"], "FT505", None),
        ("L: read x print x", ["x"], "FT505", None),
        ("L: read x print x", ["x=ann"], "FT501", (1, 1)),
        ("L: read x print x", ["x="], "FT501", None),
    ],
)
def test_bad_runs(text: str, inputs: list[str], code: str, place: tuple[int, int] | None) -> None:
    with pytest.raises(FlowError) as caught:
        outcome(text, *inputs)
    found = caught.value.diagnostic
    assert found.code == code
    assert (None if place is None else (found.line, found.column)) == place


def test_nesting_has_no_limit_that_crashes() -> None:
    assert outcome("L: return " + "(" * 3000 + "1" + ")" * 3000)[0] == 1
    assert outcome("L: return x" + "+ 1" * 200, "x=1")[0] == 201
    for text, place in (
        ("L: return\n " + "car(" * 30_000 + "x" + ")" * 30_000, (2, 2 + 4 * 30_000)),
        ("int f(int n) {\n" + "if (n) { " * 3000 + "n = 1; " + "} " * 3000 + "return n; }", (2, 5 + 9 * 3000)),
        ("int f(int n) {\n" + "while (n) " * 3000 + "n = n - 1; return n; }", (2, 5 + 10 * 3000)),
    ):
        with pytest.raises(FlowError, match="nested too deeply") as caught:
            lower_flow(text)
        assert (caught.value.diagnostic.line, caught.value.diagnostic.column) == place


def test_the_command(tmp_path: Path) -> None:
    runner = CliRunner()
    done = runner.invoke(cli, ["run", str(EXAMPLES / "power.flow"), "x=2", "y=5"], standalone_mode=False)
    assert done.output == "32\n" and done.exception is None
    done = runner.invoke(cli, ["run", str(EXAMPLES / "clear.flow"), "gv=[1, 2]", "n=1"], standalone_mode=False)
    assert done.output == "gv = [0, 2]\n"
    for arguments in ([str(tmp_path / "none.flow")], [str(tmp_path)]):
        assert runner.invoke(cli, ["run", *arguments]).exit_code == 2
    done = runner.invoke(cli, ["run", str(EXAMPLES / "power.flow"), "x=2"], standalone_mode=False)
    assert isinstance(done.exception, FlowError)


def test_both_ways_of_lowering_mean_the_same() -> None:
    for text, args in ((example("power.flow"), (3, 4)), (example("evenodd.flow"), (3, (5, 6, 7)))):
        for trim in (True, False):
            run(lower_flow(text, trim=trim).program, args, globals={})
