"""Each statement of the parts that are read off Python itself, in a program of its own or with few others.

    "q = [{i}, {j}]; r = q.insert({i}, {v})"    ->    residual and original do the same, with i known and with i open

Programs from the corners (`test_corners`) meet these statements by chance, in surroundings; here each has its turn.

Invariant: what is read of a static object is written to in its own program, since one write makes all of it unknown.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import random
import re
import warnings
from collections.abc import Iterator

import pytest

import futamura

from .corner_tables import TABLES, Part
from .corner_ways import REACHED
from .corners import DEFINITIONS, PARAMETERS, VALUES
from .oracle import BAD, check, load
from .ordinary import LIBRARY
from .programs import Program

TOGETHER = 3
FEW = {"methods of generators": 3, "iterators over what changes": 3, "what meets": 20}
"""Of which parts not one program of twelve is looked at here; the fuzzer has all."""
SPLITS = (("i", "s"), ("xs", "v"), ("i", "j", "xs"), ("s", "t", "v"), (), ("i", "j", "s", "t", "xs", "ys", "v", "c"))
"""What is known."""
INPUTS = 3
HOLE = re.compile(r"\{(i|j|s|t|xs|ys|v|c)\}")


def lines_of(statement: str) -> list[str]:
    plain = statement.replace("{{", "\0").replace("}}", "\1")
    lines = HOLE.sub(r"\1", plain).replace("\0", "{").replace("\1", "}").split("\n")
    return [
        "    try:", *(f"        {line}" for line in lines),
        "    except Exception as error: out.append((type(error).__name__, str(error)))",
    ]  # fmt: skip


def program_of(part: Part, statements: tuple[str, ...], number: int) -> Program:
    chosen = random.Random(number)
    parameters = [*PARAMETERS, *(["o"] if part.objects else [])]
    lines = [line for statement in statements for line in lines_of(statement)]
    head = [LIBRARY, DEFINITIONS, part.definitions, f"def target({', '.join(parameters)}):", "    out = []"]
    values = {**VALUES, "o": part.objects}
    known = ("o",) if part.objects else SPLITS[number % len(SPLITS)]
    static = [(name, chosen.choice(values[name])) for name in known]
    inputs = []
    for turn in range(INPUTS):
        given = {name: chosen.choice(values[name]) for name in parameters if name not in known}
        if part.objects:
            given.update(i=str(turn & 1), j=str(turn & 1), v="static['o']" if turn else given["v"])
        inputs.append("{" + ", ".join(f"{name!r}: {text}" for name, text in given.items()) + "}")
    source = "\n".join([*head, *lines, "    return out", ""])
    return Program(number, source, "target", tuple(parameters), (), tuple(static), tuple(inputs), ())


def programs(part: Part) -> Iterator[Program]:
    count = 1 if part.objects else TOGETHER
    for number, at in enumerate(range(0, len(part.statements), count)):
        yield program_of(part, part.statements[at : at + count], number)


def _checked(part: Part, start: int, step: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for program in itertools.islice(programs(part), start, None, step):
            report = check(program, futamura.specialize)
            assert report.kind not in BAD, f"{report.group}\n{program.text()}\n{report.detail}"


@pytest.mark.parametrize("turn", range(3))
@pytest.mark.parametrize("part", REACHED, ids=lambda part: part.name)
def test_statements_about_what_is_reached(part: Part, turn: int) -> None:
    _checked(part, turn, 6 if len(part.statements) > 120 else 3)


@pytest.mark.parametrize("part", TABLES, ids=lambda part: part.name)
def test_some_statements_of_tables(part: Part) -> None:
    _checked(part, 0, FEW.get(part.name, 12))


@pytest.mark.parametrize("part", REACHED, ids=lambda part: part.name)
def test_statements_reach_their_end(part: Part) -> None:
    """What fails before it has written to anything shows nothing."""
    failed = []
    for program in programs(part):
        copy = load(program)
        given = eval(program.inputs[1], copy.namespace, {"static": copy.static})
        with contextlib.redirect_stdout(io.StringIO()):
            found = copy.target(**copy.static, **given)
        if any(name in str(found) for name in ("NameError", "UnboundLocalError", "AttributeError")):
            failed.append(program.seed)
    assert len(failed) <= len(part.statements) // 10, failed
