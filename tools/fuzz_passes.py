"""Translation validation: random programs through random sequences of passes; the interpreter must see no difference.

    $ python -m tools.fuzz_passes --count 50000 --seed 1
    50000 programs, 171204 passes (51034 changed something): 0 mismatches ...

Half of the programs are random control flow with nested handlers and generators (`tests/fuzz/graphs.py`; a fifth of
them loops that count, `tests/optimize/counted.py`), half compute with numbers, strings, lists, attributes, cells and
globals under conditions, switches, handlers and loops, irreducible ones too (`tests/optimize/programs.py`); a third of
these decides much and has no handlers (`tests/optimize/logic.py`), for the shortcuts between tests and the loops that
are split; of some, a fifth takes buffers apart (`tests/optimize/records.py`).  Some go through what residuals meet
behind the passes as well.  Results with their types, exceptions with their texts, calls in order, and what is left in
arguments, attributes and globals are compared; the verifier runs behind each pass.
"""

from __future__ import annotations

import collections
import random
import sys
import time
import traceback
from typing import Any

import click

from futamura.ir.graph import Program
from futamura.ir.interp import OutOfFuel, run
from futamura.ir.text import print_program
from futamura.ir.verify import verify_program
from futamura.optimize.forwarding import forward
from futamura.optimize.pipeline import PASSES, optimize
from futamura.optimize.shapes import Shape
from futamura.optimize.shortcuts import take_shortcuts
from tests.fuzz.graphs import observe, random_program
from tests.fuzz.oracles import interpreted
from tests.optimize import counted, programs
from tests.optimize.logic import logical_program
from tests.optimize.records import READERS, buffer, record_program

FUEL = 100_000
"""Operations; the programs end long before."""
ENDLESS = "did not end"
GIVEN = {"a": Shape("int"), "b": Shape("int"), "s": Shape("str"), "xs": Shape("list")}

COUNTING = 10_000
"""Operations of loops that count: many do not end."""
SUMMING = ("typefold", "cse", "algebra", "dead-stores", "closed-forms", "dce")
READING = ("typefold", "fields", "cse", "typefold", "sink", "dce")


def computed(program: Program, seed: int, data: object = None) -> tuple[object, ...]:
    """All that a run of a program that computes shows; `data` is its text, if it takes buffers apart."""
    number = random.Random(seed)
    a, b, s, xs = programs.arguments(number)
    globals: dict[str, Any] = {"__name__": "m", "g": 1, "h": 2, **{name: one for (_, name), one in READERS.items()}}
    recorder = programs.Recorder(seed, xs, globals)
    try:
        given = (recorder, a, b, s if data is None else data, xs)
        result = programs.shown(run(program, given, globals=globals, fuel=FUEL))
    except OutOfFuel:
        result = ENDLESS
    except Exception as error:
        result = f"raised {type(error).__name__}: {error}"
    left = {name: programs.shown(globals.get(name)) for name in programs.GLOBALS}
    left.update({name: programs.shown(getattr(recorder, name)) for name in "pq"})
    return result, recorder.events, [programs.shown(item) for item in xs], left


def counted_run(program: Program, seed: int, typed: bool) -> tuple[object, ...]:
    """What a run of a program with loops that count gives."""
    given = counted.arguments_of(seed)
    if typed and not type(given[0]) is type(given[1]) is int:
        return ("of other types",)
    try:
        result = run(program, given, globals={"__name__": "counted"}, fuel=COUNTING)
        return tuple([programs.shown(part) for part in result])
    except OutOfFuel:
        return (ENDLESS,)
    except Exception as error:
        return (f"raised {type(error).__name__}: {error}",)


def check(seed: int, counts: collections.Counter[str], *, runs: int, passes: tuple[str, ...] = ()) -> str:
    """ "" or what is wrong with the program of this seed; `passes` instead of random ones."""
    number = random.Random(seed)
    computes = number.random() < 0.5
    decides = computes and seed % 3 == 0
    reads = computes and seed % 1000 >= 800 and not decides
    loops = not computes and seed % 1000 >= 800
    if loops:
        program = counted.counted_program(seed)
    elif reads:
        program = record_program(seed)
    elif decides:
        program = logical_program(seed)
    elif computes:
        program = programs.random_program(seed, 80, texts=seed % 2 == 1)
    else:
        program = random_program(seed, 25)
    names = passes or tuple(number.choice(tuple(PASSES)) for _ in range(number.randrange(1, 7)))
    if reads and not passes and number.random() < 0.7:
        names = (*names, *READING)
    if loops and not passes and number.random() < 0.8:
        names = (*names, *SUMMING)
    typed = (computes or loops) and number.random() < 0.7
    given = counted.TYPES if loops else {**GIVEN, "s": Shape("bytes")} if reads else GIVEN
    counts["programs"] += 1
    counts["passes"] += len(names)
    known = counted.KNOWN if loops else {**programs.KNOWN, **READERS} if computes else None
    try:
        changed, report = optimize(
            program, names, known=known, given=given if typed else None, watch=lambda name, function: None
        )
        if number.random() < (0.7 if decides else 0.3):  # what residuals go through behind the passes
            shorter = take_shortcuts(changed)
            counts["shortcuts"] += shorter is not changed
            changed = forward(shorter)
            verify_program(changed)
    except Exception:
        return f"seed {seed}, {','.join(names)}\n{traceback.format_exc()}\n{print_program(program, [])}"
    counts["changed"] += sum(report.changed.values())
    counts["removed"] += sum(report.removed.values())
    for at in range(runs):
        if loops:
            expected = counted_run(program, seed * 1000 + at, typed)
            found = expected if expected[0] == ENDLESS else counted_run(changed, seed * 1000 + at, typed)
        elif computes:
            data = buffer(random.Random(seed * 1000 + at), only_bytes=typed) if reads else None
            expected, found = computed(program, seed * 1000 + at, data), computed(changed, seed * 1000 + at, data)
        else:
            expected = observe(interpreted(program, {}), seed * 1000 + at)
            found = observe(interpreted(changed, {}), seed * 1000 + at)
        if computes and expected[0] == ENDLESS:
            counts["endless"] += 1  # a list that grows while it is iterated: how far it gets says nothing
        elif expected != found:
            both = f"{print_program(program, [])}\n{print_program(changed, [])}"
            return f"seed {seed}, {','.join(names)}\nexpected {expected}\nfound    {found}\n{both}"
    return ""


@click.command()
@click.option("--count", default=2000, show_default=True, help="How many programs.")
@click.option("--seed", default=1, show_default=True, help="The first seed; each program has its own.")
@click.option("--runs", default=3, show_default=True, help="How many runs of each program.")
@click.option("--passes", default="", help="These, separated by commas, in the place of random sequences.")
@click.option("--failures", default=1, show_default=True, help="After how many mismatches to stop.")
def main(count: int, seed: int, runs: int, passes: str, failures: int) -> None:
    """Compare programs before and behind passes."""
    counts: collections.Counter[str] = collections.Counter()
    start = time.process_time()
    wrong = 0
    for at in range(seed, seed + count):
        problem = check(at, counts, runs=runs, passes=tuple(passes.split(",")) if passes else ())
        if problem:
            wrong += 1
            click.echo(problem)
            if wrong >= failures:
                break
    click.echo(
        f"{counts['programs']} programs, {counts['passes']} passes ({counts['changed']} changed something, "
        f"{counts['removed']} operations removed, {counts['shortcuts']} with shortcuts): {wrong} mismatches, "
        f"{time.process_time() - start:.0f} s"
    )
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
