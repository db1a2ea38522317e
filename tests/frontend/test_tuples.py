"""Named tuples that a text makes by calls are classes of their own: `with_named_tuples`."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from futamura import DYN
from futamura.frontend.tuples import with_named_tuples
from tests.outcomes import outcome
from tests.specialize.specializing import specialize
from tests.specialize.test_modules import agree_midway, module

IMPORTS = "from collections import namedtuple\nimport collections\n"


def classes(text: str) -> dict[str, list[str]]:
    """The fields of each class that is said to be a named tuple."""
    found = with_named_tuples(ast.parse(IMPORTS + text))
    made = [one for one in found.body if isinstance(one, ast.ClassDef) and ast.unparse(one.bases[0]) == "NamedTuple"]
    fields = {
        one.name: [ast.unparse(part.target) for part in one.body if isinstance(part, ast.AnnAssign)] for one in made
    }
    compile(ast.unparse(ast.fix_missing_locations(found)), "<text>", "exec")
    return fields


@pytest.mark.parametrize(
    "text",
    [
        "Op = namedtuple('Op', 'name run')", "Op = namedtuple('Op', 'name, run')",
        "Op = namedtuple('Op', ['name', 'run'])",
        "Op = namedtuple('Op', ('name', 'run'), defaults=(1, None))", "Op = collections.namedtuple('Op', 'name run')",
        "class Op(namedtuple('Op', 'name run')):\n    pass",
        "class Op(collections.namedtuple('Any', 'name run')):\n    x = 1",
    ],
)  # fmt: skip
def test_they_are_classes(text: str) -> None:
    assert classes(text) == {"Op": ["name", "run"]}


@pytest.mark.parametrize(
    "text",
    [
        "Op = namedtuple('Op', FIELDS)", "Op = namedtuple('Op', 'name run', rename=True)",
        "Op = namedtuple('Op', 'name _run')",
        "Op = namedtuple('Op', 'name name')", "Op = namedtuple('Op', 'name class')[0]", "Op = namedtuple(*args)",
        "Op = namedtuple('Op', 'a')\nOp = f(Op)", "def namedtuple(*a): ...\nOp = namedtuple('Op', 'a')",
        "Op = namedtuple('Op', 'a', defaults=[f()])", "collections = other\nOp = collections.namedtuple('Op', 'a')",
        "NamedTuple = 1\nOp = namedtuple('Op', 'a')", "from other import NamedTuple as Tuple_, X as NamedTuple\n"
        "Op = namedtuple('Op', 'a')", "from other import *\nOp = namedtuple('Op', 'a')", "Op = namedtuple('Op', '')",
        "class Op(namedtuple('Op', 'a'), Other): pass", "class Op(namedtuple('Op', 'a'), metaclass=M): pass",
    ],
)  # fmt: skip
def test_whatever_may_be_something_else_is_left(text: str) -> None:
    assert classes(text) == {}


TEXT = '''
from collections import namedtuple
Op = namedtuple("Op", "name arity run")
OPS = [Op("add", 2, lambda a, b: a + b), Op("neg", 1, lambda a: -a), Op("mul", 2, lambda a, b: a * b)]
BY_NAME = {one.name: one for one in OPS}

def run(tokens):
    stack = []
    for token in tokens:
        op = BY_NAME.get(token)
        if op is None:
            stack.append(float(token))
        else:
            stack.append(op.run(*[stack.pop() for _ in range(op.arity)][::-1]))
    return stack[-1]

def program(x):
    return run([x, "2", "mul", "1", "add", "neg"])
'''


def test_tables_of_them_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ops: Any = module("ops_", TEXT, tmp_path, monkeypatch)
    residual = specialize(ops.program, DYN)
    assert "* 2.0" in residual.source and "arity" not in residual.source, residual.source
    for x in ("3", "add", "mul", "q", None, 4):
        assert outcome(residual, x) == outcome(ops.program, x)


MADE = "Op = namedtuple('Op', 'rows run')\nOP = Op([1], len)\ndef bump():\n"
HOLDERS = {
    "a method": "class Op(namedtuple('Op', 'rows run')):\n    def add(self):\n        self.rows.append(1)\n"
    "OP = Op([1], len)\ndef bump():\n    OP.add()\n",
    "a function": "Op = namedtuple('Op', 'rows run')\nOP = Op([1], lambda rows: rows.append(1))\n"
    "def bump():\n    OP.run(OP.rows)\n",
    "a field": f"{MADE}    for one in OP:\n        if isinstance(one, list):\n            one.append(1)\n",
    "replaced": f"{MADE}    OP._replace(run=1)[0].append(1)\n",
    "as a dict": f"{MADE}    OP._asdict()['rows'].append(1)\n",
    "unpacked": f"{MADE}    rows, _ = OP\n    rows.append(1)\n",
    "made": f"{MADE}    Op._make(OP).rows.append(1)\n",
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_they_hold_may_change(holder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from collections import namedtuple\n" + HOLDERS[holder]
    text += "def midway(x, f):\n    a = len(OP.rows) * x\n    f()\n    return a, len(OP.rows) * x\n"
    agree_midway("held_", text, tmp_path, monkeypatch, "bump", 2)
