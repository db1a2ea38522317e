"""The commands that specialize, as a user meets them: products, records, findings, exit codes.

    futamura specialize shop.py:price rate=3    ->    the residual on stdout, one line of record on stderr, exit code 0

Invariant: every command runs in a process of its own, and no wrong use prints a traceback.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from futamura.cli.checking import observe
from tests.test_cli import HOUSE, command

SHOP = '''
"""A shop."""

class Machine:
    def __init__(self, code):
        self.code = code

    def run(self, x):
        for op in self.code:
            x = x + 1 if op == "i" else x * 2
        return x

machine = Machine("iid")
RATES = [1, 2, 3]

def price(x: float, rate: int, discounts=()):
    """The price."""
    i = 0
    while i < rate:
        x *= 2
        i += 1
    return x

def looked_up(rules, key):
    return rules[key]

def shouts(text: str, times: int):
    return text.upper() * times

def evaluates(x, n):
    return eval("x + n")

def endless(n, x):
    while n > 0:
        n -= 1
    return x

def kept(thing, x):
    return thing, x

def wrong(x, n):
    return x + n
'''
INTERPRETER = """
def run(program, x):
    for op in program:
        if op == "+":
            x += 1
        elif op == "*":
            x *= 2
    return x
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "interp.py").write_text(INTERPRETER)
    (tmp_path / "twice.prog").write_text("++*\n")
    (tmp_path / "rules.json").write_text('{"a": 1, "b": [2, 3]}')
    (tmp_path / "rules.toml").write_text("a = 5\n")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "data.bin").write_bytes(b"\xff\x00")
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    return tmp_path


def loaded(path: Path) -> dict[str, object]:
    space: dict[str, object] = {"__name__": "loaded"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), space)
    return space


def test_specialize_prints_the_residual_and_one_record(shop: Path) -> None:
    done = command("specialize", "shop.py:price", "rate=3", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "def price(x, discounts):" in done.stdout and "while" not in done.stdout
    assert done.stderr.startswith("specialized price(rate=3)") and done.stderr.count("\n") == 1
    assert "\x1b" not in done.stdout + done.stderr
    assert command("specialize", "shop.py:price", "rate=3", "-q", cwd=shop).stderr == ""


def test_specialize_names_the_globals_that_could_be_promised(tmp_path: Path) -> None:
    """Two notes for one object are one line; with the promise there is none."""
    text = "class Rule:\n    def __init__(self, k):\n        self.k, self.rows = k, [k]\n"
    text += "    def change(self, k):\n        self.k = k\n        self.rows.append(k)\n"
    text += "RULE = Rule(3)\ndef run(x):\n    return [RULE.k * x * row for row in RULE.rows]\n"
    (tmp_path / "rules.py").write_text(text)
    done = command("specialize", "rules.py:run", cwd=tmp_path)
    first, *notes = done.stderr.splitlines()
    assert done.returncode == 0 and first.startswith("specialized run()")
    assert len(notes) == 1 and "`--frozen rules.RULE` promises that nobody writes it" in notes[0]
    told = command("explain", "rules.py:run", cwd=tmp_path).stdout
    assert "`rules.RULE` leads to it" in told and "line 5 of rules.py may store it" in told
    assert "what `Rule.rows` holds is read when the residual runs" in told
    promised = command("specialize", "rules.py:run", "--frozen", "rules.RULE", cwd=tmp_path)
    assert promised.stderr.count("\n") == 1 and "RULE" not in promised.stdout, promised.stdout


def test_specialize_to_a_file_that_needs_nothing(shop: Path) -> None:
    done = command("specialize", "shop.py:price", "rate=3", "-o", "out.py", cwd=shop)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.rstrip().endswith("out.py")
    text = (shop / "out.py").read_text()
    assert "# static: rate = 3" in text
    assert loaded(shop / "out.py")["price"](1.5) == 12.0  # type: ignore[operator]


@pytest.mark.parametrize(("given", "expected"), [
    ("rules={'k': 1}", "1"), ("rules=@rules.json", "1"), ("rules=@rules.toml", "5"), ("rules=shop.py:RATES", "2"),
    ("rules=@data.bin:bytes", "255"), ("rules=-", "'x'"), ("rules=@twice.prog", "'+'"),
])  # fmt: skip
def test_ways_to_give_a_value(shop: Path, given: str, expected: str) -> None:
    key = {"1": "'a'", "5": "'a'"}.get(expected, "0")
    if "{" in given:
        key = "'k'"
    if "RATES" in given:
        key = "1"
    line = [sys.executable, "-m", "futamura", "specialize", "shop.py:looked_up", given, f"key={key}"]
    environment = {**os.environ, "PYTHONPATH": str(HOUSE / "src")}
    done = subprocess.run(line, cwd=shop, env=environment, input="xyz", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"return {expected}" in done.stdout


def test_compile_is_the_first_projection(shop: Path) -> None:
    done = command("compile", "interp.py:run", "twice.prog", "-o", "twice.py", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert loaded(shop / "twice.py")["run"](5) == 14  # type: ignore[operator]
    assert "program" not in (shop / "twice.py").read_text().partition("def ")[2]
    literal = command("compile", "interp.py:run", "-", "--static", "program", cwd=shop)
    assert literal.returncode == 0 and "return x" in literal.stdout


def test_a_method_of_an_object(shop: Path) -> None:
    done = command("specialize", "shop.py:machine.run", cwd=shop)
    assert done.returncode == 0 and "for" not in done.stdout


def test_explain(shop: Path) -> None:
    done = command("explain", "shop.py:price", "rate=2", cwd=shop)
    assert done.returncode == 0, done.stderr
    assert "because: `x` is left open" in done.stdout and "\x1b" not in done.stdout
    code = command("explain", "ft204", cwd=shop)
    assert code.returncode == 0 and code.stdout.startswith("FT204: static-required")


@dataclass
class Order:
    amount: int


async def waits(amount, rate, wrong=None):
    await asyncio.sleep(0)
    if wrong:
        raise ValueError(rate)
    return Order(amount * rate)


def counts(n, step):
    for at in range(n):
        yield at * step
    if n == 3:
        raise ValueError(step)
    return "end"


def test_check_runs_what_runs_later() -> None:
    assert observe(waits, [2, 3], {})[0] == "gives a coroutine that gives Order(dict(str 'amount': int 6))"
    assert observe(waits, [2, 3, 1], {})[0] == "raises ValueError: 3"
    assert observe(counts, [2, 3], {})[0] == "gives a generator of int 0, int 3, then str 'end'"
    assert observe(counts, [3, 3], {})[0] == "gives a generator of int 0, int 3, int 6, then ValueError: 3"
    assert observe(counts, [0, 3], {})[0] == "gives a generator of nothing, then str 'end'"
    assert observe(counts, [10**20, 3], {})[0].endswith("int 294, int 297, then more")


def test_check_says_equal(shop: Path) -> None:
    done = command("check", "shop.py:price", "rate=2", "--runs", "40", cwd=shop)
    assert (done.returncode, done.stdout) == (0, "equal: price on 40 inputs\n")
    done = command("check", "shop.py:shouts", "times=2", "--hypothesis", "25", cwd=shop)
    assert (done.returncode, done.stdout) == (0, "equal: shouts on 25 inputs\n")
    (shop / "cases.json").write_text('[["a"], {"text": "b"}]')
    done = command("check", "shop.py:shouts", "times=2", "--inputs", "cases.json", cwd=shop)
    assert (done.returncode, done.stdout) == (0, "equal: shouts on 2 inputs\n")


@pytest.mark.parametrize("extra", [[], ["--hypothesis", "50"]])
def test_check_finds_a_difference(shop: Path, extra: list[str]) -> None:
    """A residual that was made wrong on purpose: the command must not say that it is equal."""
    program = (
        "import futamura.cli.checking as c; from futamura.residual import Residual; old = c.observe\n"
        "def wrong(f, *rest):\n"
        "    result, *others = old(f, *rest)\n"
        "    return (result.lower() if isinstance(f, Residual) else result, *others)\n"
        "c.observe = wrong\n"
        "from futamura.cli.main import main; main()"
    )
    environment = {**os.environ, "PYTHONPATH": str(HOUSE / "src")}
    line = [sys.executable, "-c", program, "check", "shop.py:shouts", "times=1", *extra]
    done = subprocess.run(line, cwd=shop, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("different: shouts(") and "original gives" in done.stdout


def test_json_is_one_document(shop: Path) -> None:
    done = command("specialize", "shop.py:evaluates", "n=3", "--output-format", "json", cwd=shop)
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert document["schema"] == 1 and document["events"][0]["code"] == "FT103" and document["open"] == ["x"]
    done = command("specialize", "shop.py:price", "rate=3", "--output-format", "json", cwd=shop)
    assert json.loads(done.stdout)["stats"]["specialized"] is True


def test_a_table_that_is_declared(shop: Path) -> None:
    (shop / "reg.py").write_text(
        "OPS = {}\ndef add(name, f): OPS[name] = f\nadd('inc', lambda x: x + 1)\ndef run(n, x): return OPS[n](x)\n"
        "def later(f): add('inc', f)\n"
    )
    done = command("specialize", "reg.py:run", "n='inc'", "-v", cwd=shop)
    assert "note[FT306]" in done.stderr and "['inc']" in done.stdout
    done = command("specialize", "reg.py:run", "n='inc'", "--frozen", "reg.OPS", cwd=shop)
    assert done.returncode == 0 and "['inc']" not in done.stdout and "x + 1" in done.stdout
    done = command("specialize", "reg.py:run", "n='inc'", "--frozen", "reg.NOPE", cwd=shop)
    assert done.returncode == 2 and "--frozen: 'reg.NOPE'" in done.stderr


def test_promises_of_comparisons_and_of_annotations(shop: Path) -> None:
    (shop / "kinds.py").write_text(
        "class Pair:\n    left: int\n    right: list[str]\n"
        "def run(n, pair): return isinstance(pair.left, int) and pair.left >= n and [x for x in pair.right]\n"
        "PAIR = Pair()\ndef same(other): return other is PAIR and isinstance(other, Pair)\n"
    )
    asked = ("specialize", "kinds.py:run", "n=3")
    plain = command(*asked, cwd=shop)
    promised = command(*asked, "--bool-comparisons", cwd=shop)
    assert plain.returncode == promised.returncode == 0 and plain.stdout != promised.stdout
    typed = command(*asked, "pair:Pair", "--annotated", "kinds.Pair", cwd=shop)
    assert typed.returncode == 0 and "isinstance" not in typed.stdout and "[*pair.right]" in typed.stdout
    bound = command("specialize", "kinds.py:same", "other=kinds.py:PAIR", cwd=shop)
    assert bound.returncode == 0 and "return True" in bound.stdout  # the module is loaded once
    unknown = command(*asked, "pair:Triple", cwd=shop)
    assert unknown.returncode == 2 and "'Triple' is not a type that can be promised" in unknown.stderr
    wrong = command(*asked, "--annotated", "kinds.run", cwd=shop)
    assert wrong.returncode == 2 and "--annotated: an instance of function is no class" in wrong.stderr


@pytest.mark.parametrize(("line", "key", "content"), [
    ("check shop.py:price rate=3 --runs 5", "equal", True),
    ("explain shop.py:price rate=3", "target", "shop:price"),
    ("explain FT204", "name", "static-required"),
    ("compile shop.py:price cases.json --static discounts", "open", ["x", "rate"]),
    ("doctor", "schema", 1),
    ("bta shop.py:price --static rate", "static", ["rate"]),
    ("ir shop.py:price", "schema", 1),
    ("roundtrip shop.py:shouts", "schema", 1),
    ("run power.flow x=2 y=5", "printed", "32\n"),
    ("specialize power.flow y=1", "events", []),
    ("ir power.flow", "schema", 1),
])  # fmt: skip
def test_every_command_writes_json(shop: Path, line: str, key: str, content: object) -> None:
    (shop / "cases.json").write_text("[]")
    (shop / "power.flow").write_text((HOUSE / "examples" / "flow" / "power.flow").read_text())
    done = command(*line.split(), "--output-format", "json", cwd=shop)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema"] == 1 and document[key] == content


def test_a_pipe_is_written_to_and_not_replaced(shop: Path) -> None:
    os.mkfifo(shop / "pipe")
    reader = subprocess.Popen(["cat", "pipe"], cwd=shop, stdout=subprocess.PIPE, text=True)
    done = command("specialize", "shop.py:shouts", "times=2", "-o", "pipe", cwd=shop)
    text, _ = reader.communicate(timeout=60)
    assert done.returncode == 0 and "def shouts(text)" in text
    assert (shop / "pipe").is_fifo()


def test_what_is_refused_is_said_and_is_no_success(shop: Path) -> None:
    (shop / "out.py").write_text("old")
    done = command("specialize", "shop.py:evaluates", "n=3", "-o", "out.py", cwd=shop)
    assert done.returncode == 1 and done.stderr.startswith("error[FT103]") and done.stdout == ""
    assert (shop / "out.py").read_text() == "old"
    done = command("specialize", "shop.py:evaluates", "n=3", "--output-format", "concise", cwd=shop)
    assert done.stderr.count("\n") == 1 and "shop.py:" in done.stderr and "error[FT103]" in done.stderr


def test_what_cannot_be_written_is_named(shop: Path) -> None:
    (shop / "out.py").write_text("old")
    done = command("specialize", "shop.py:kept", "thing=shop.py:machine", "-o", "out.py", cwd=shop)
    assert done.returncode == 1 and "is a Machine, which has no form as source text" in done.stderr
    assert (shop / "out.py").read_text() == "old"


@pytest.mark.parametrize(("arguments", "message"), [
    (["specialize", "shop.py:prize", "rate=3"], "did you mean 'price'?"),
    (["specialize", "none.py:price"], "there is no file 'none.py'"),
    (["specialize", "shop.py:price", "rat=3"], "has no parameter 'rat'; it has: x, rate, discounts"),
    (["specialize", "shop.py:price", "rate"], "is not an input"),
    (["specialize", "shop.py:price", "rate=3", "rate=4"], "given twice"),
    (["specialize", "shop.py:price", "rate=a b"], "is not a literal of Python"),
    (["specialize", "shop.py:price", "rate='a'"], "annotated as int, but a str is given"),
    (["specialize", "shop.py:price", "rate=@none.txt"], "cannot read 'none.txt'"),
    (["specialize", "shop.py:price", "rate=@broken.json"], "is not JSON"),
    (["specialize", "shop.py:price", "rate=@bad.txt"], "is not a text in UTF-8"),
    (["specialize", "shop.py:price", "rate=shop.py:none"], "'shop.py' has no 'none'"),
    (["specialize", "shop.py:price", "x:thing"], "is not a type that can be promised"),
    (["specialize", "shop.py:price", "x:list[int, int]"], "is not a type that can be promised"),
    (["specialize", "shop.py:price", "x:)"], "is not a type"),
    (["specialize", "shop.py:price", "rate=3", "-o", "no/such/out.py"], "cannot write"),
    (["specialize", "shop.py:price", "rate=3", "--time-limit", "-1"], "--time-limit"),
    (["specialize", "shop.py:price", "rate=3", "--output-format", "xml"], "--output-format"),
    (["specialize", "none.flow"], "none.flow"),
    (["compile", "interp.py:run", "none.prog"], "cannot read 'none.prog'"),
    (["compile", "interp.py:run", "twice.prog", "--static", "prog"], "has no parameter 'prog'"),
    (["compile", "interp.py:run"], "Missing argument"),
    (["explain", "FT999"], "there is no code FT999"),
    (["explain", "shop.py:machine"], "not a function"),
    (["check", "shop.py:price", "rate=3", "--inputs", "none.json"], "cannot read 'none.json'"),
    (["check", "shop.py:price", "rate=3", "--inputs", "broken.json"], "is not JSON"),
    (["check", "shop.py:price", "rate=3", "--inputs", "rules.json"], "is not a list of"),
])  # fmt: skip
def test_wrong_uses(shop: Path, arguments: list[str], message: str) -> None:
    done = command(*arguments, cwd=shop)
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert message in done.stderr and done.stdout == ""
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\nError: ") == 1


def test_a_missing_extra_is_said(shop: Path) -> None:
    program = "import sys; sys.modules['hypothesis'] = None; from futamura.cli.main import main; main()"
    environment = {**os.environ, "PYTHONPATH": str(HOUSE / "src")}
    line = [sys.executable, "-c", program, "check", "shop.py:price", "rate=1", "--hypothesis", "5"]
    done = subprocess.run(line, cwd=shop, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "pip install hypothesis" in done.stderr and "Traceback" not in done.stderr


ENDLESS = ["specialize", "shop.py:endless", "n=1000000000", "--max-states", "1000000000"]


def test_a_budget_that_runs_out(shop: Path) -> None:
    done = command(*ENDLESS, "--time-limit", "0.3", cwd=shop)
    assert done.returncode == 3 and done.stderr.startswith("warning[FT411]"), done.stderr


def test_an_interrupted_run_says_how_far_it_came(shop: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(HOUSE / "src")}
    # A shell starts what it runs in the background with interrupts ignored, and children inherit that.
    start = (
        "import runpy, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "sys.argv[0] = 'futamura'; runpy.run_module('futamura', run_name='__main__')"
    )
    line = [sys.executable, "-c", start, *ENDLESS]
    with subprocess.Popen(line, cwd=shop, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as running:  # fmt: skip
        assert running.stderr is not None
        first = running.stderr.readline()  # so it runs
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130 and out == "" and "endless" in first, first
    assert "interrupted: specializing endless" in err and "blocks executed" in err and "Traceback" not in err


def test_doctor(tmp_path: Path) -> None:
    done = command("doctor", cwd=tmp_path)
    assert "a small function is specialized" in done.stdout and "futamura" in done.stdout
    assert done.returncode == (0 if "wrong" not in done.stdout else 1)


@pytest.mark.parametrize("name", ["specialize", "compile", "explain", "check", "doctor"])
def test_each_command_has_help(name: str, tmp_path: Path) -> None:
    done = command(name, "--help", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("Usage: futamura " + name)
