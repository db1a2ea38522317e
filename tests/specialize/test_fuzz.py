"""A slice of the fuzzer in a second, and proof that its oracle sees each kind of planted fault.

    tools/fuzz_specializer.py --count 50000      the same programs by the thousand

Invariant: the seeds are fixed, so that a failure here is seen again by running this file again.
"""

from __future__ import annotations

import ast
import importlib.util
import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import futamura
from tests.specialize.minimize import minimize, same_finding
from tests.specialize.oracle import BAD, Specialize, check
from tests.specialize.planted import PLANTED, identity
from tests.specialize.programs import INPUTS, Program, generate

SLICE = 1.0
PLANTED_PROGRAMS = 600
"""Programs within which each planted fault must be seen; the rarest needs about 150 (an escaping `__context__`)."""


@pytest.mark.skipif(importlib.util.find_spec("futamura.api") is None, reason="the specializer has no entry yet")
def test_slice() -> None:
    """One second of programs: no difference, no crash, nothing that does not end."""
    specialize: Specialize = futamura.specialize  # type: ignore[assignment,attr-defined,unused-ignore]
    end = time.monotonic() + SLICE
    for seed in itertools.count(1):
        report = check(generate(seed), specialize)
        assert report.kind not in BAD, f"seed {seed}: {report.group}\n{report.detail}"
        if time.monotonic() > end:
            return


def test_programs_are_a_function_of_the_seed() -> None:
    assert [generate(seed) for seed in range(20)] == [generate(seed) for seed in range(20)]


RESIDUALS = """
import contextlib, io, sys, warnings
sys.path[:0] = {path!r}
warnings.simplefilter("ignore")
import futamura
from tests.specialize.oracle import load
from tests.specialize.programs import generate
for seed in range(40):
    program = generate(seed)
    copy = load(program)
    with contextlib.redirect_stdout(io.StringIO()):
        residual = futamura.specialize(copy.target, **copy.static)
    print(program.text(), residual.source, [event.reason for event in residual.events])
"""


def test_programs_and_residuals_do_not_depend_on_the_hash_seed() -> None:
    root = Path(__file__).resolve().parents[2]
    texts = []
    for seed in ("3", "4"):
        program = RESIDUALS.format(path=[str(root), str(root / "src")])
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert texts[0] == texts[1] and texts[0].count("def target") > 40


def test_programs_have_the_promised_form() -> None:
    for seed in range(60):
        program = generate(seed)
        assert len(program.inputs) == INPUTS
        names = {*program.positional, *program.keyword}
        assert {name for name, _ in program.static} <= names
        for text in program.inputs:
            given = [key.value for key in _dictionary(text).keys if isinstance(key, ast.Constant)]
            assert set(given) <= names - {name for name, _ in program.static}


def _dictionary(text: str) -> ast.Dict:
    """The dictionary itself, or the body of the function that is called with what two arguments share."""
    body = ast.parse(text, mode="eval").body
    while isinstance(body, ast.Subscript) and isinstance(body.value, ast.Tuple):  # the module changes before it
        body = body.value.elts[1]
    if isinstance(body, ast.Call) and isinstance(body.func, ast.Lambda):
        body = body.func.body
    assert isinstance(body, ast.Dict)
    return body


def test_features_occur_often() -> None:
    """Each kind of statement and value that the fuzzer is for is in at least one program of a hundred."""
    wanted = {
        "ast.For", "ast.While", "ast.Break", "ast.Try", "ast.Raise", "ast.With", "ast.Match", "ast.JoinedStr",
        "ast.ListComp", "ast.GeneratorExp", "ast.Yield", "ast.Lambda", "ast.Nonlocal", "ast.Global", "ast.AugAssign",
        "ast.Starred", "ast.Is", "ast.NamedExpr", "ast.Delete", "ast.Assert", "loop else", "alias", "nested function",
        "recursion with fuel", "generator function", "interpreter", "try finally", "mutating method", "all static",
        "nothing static", "some static", "target is a closure", "target is a method", "aliased arguments",
        "enumeration", "named tuple", "property with setter", "descriptor", "subclass of a builtin", "memo table",
        "multiple inheritance", "dataclass of the module", "generator as coroutine", "manager from a generator",
        "promised parameter", "module changed between calls", "conversion that may fail", "methods of text",
        "containers of the library", "large and exact numbers", "specifiers of f-strings", "bytes",
        "match on shapes", "class with every operator", "tree and visitor", "caches and counters", "method of bytes",
        "function of math", "iterators of the library", "methods of containers", "clean-up that changes the way out",
        "coroutine driven by hand", "controls", "augmented by every operator", "loop with else", "functools",
    }  # fmt: skip
    count = dict.fromkeys(sorted(wanted), 0)
    for seed in range(1000):
        for feature in generate(seed).features.keys() & wanted:
            count[feature] += 1
    assert [feature for feature, programs in count.items() if programs < 10] == []


def test_identity_agrees() -> None:
    for seed in range(150):
        report = check(generate(seed), identity, slow=5.0)
        assert report.kind in ("equal", "skipped"), report


@pytest.mark.parametrize("name", list(PLANTED))
def test_planted_fault_is_seen(name: str) -> None:
    for seed in range(PLANTED_PROGRAMS):
        report = check(generate(seed), PLANTED[name], limit=0.5)
        if report.kind in BAD:
            return
    pytest.fail(f"no program of {PLANTED_PROGRAMS} shows the fault {name!r}")


def test_minimizer_keeps_the_fault_and_drops_the_rest() -> None:
    source = (
        "import math\ndef helper(a):\n    return a\ndef target(i1, xs2):\n    print('on')\n    for q in xs2:\n"
        "        i1 += q\n    if i1 > 3:\n        return -0.0\n    return helper(i1)\n"
    )
    inputs = ("{'i1': 0}", "{'i1': 9}")
    program = Program(0, source, "target", ("i1", "xs2"), (), (("xs2", "[1, 2]"),), inputs)
    fault = PLANTED["zero sign"]
    small = minimize(program, same_finding(check(program, fault), fault, 5.0))
    assert check(small, fault).kind == "difference"
    assert small.source.count("\n") <= 3
    assert len(small.inputs) == 1


def grow(x, n):
    found = []
    for i in range(n):
        found.append(x + i * 2)
    return found, max(n, 1)


WATCHED = """
from tests.specialize.fired import watch
fired = watch()
import futamura
from tests.specialize.test_fuzz import grow
assert not fired.take()
futamura.specialize(grow, n=3)
wanted = {"method list.append", "computed max()", "computed mul", "end next", "rule list", "event FT301"}
found = set(fired.take(["FT301"]))
assert wanted <= found, sorted(wanted - found)
assert "rule add leaves it" in found and "rule mul leaves it" not in found
assert found - fired.rows == {"rule add leaves it"}, sorted(found - fired.rows)
futamura.specialize(grow, n=0)
assert not {"method list.append", "event FT301"} & set(fired.take())
"""


def test_rules_that_fired_are_counted() -> None:
    """In a process of its own: watching wraps the specializer's tables for good."""
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(root / "src")])}
    done = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
