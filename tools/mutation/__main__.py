"""Plants one fault after the other in a copy of the tree and looks for it: unit tests first, then fuzzing.

The test that found a fault last time is asked first; each fault's row in `faults.toml` names it.

    $ python -m tools.mutation --only "swapped branch" --only "class of the first"
    swapped branch          named       4 s   tests/specialize/rules/test_rules.py::test_rule[...]
    class of the first      fuzzer     71 s   3 x difference: ...
    2 of 2 faults found

A stage that fails, crashes or does not end within its time finds the fault.  `--list` prints the faults; `--without`
runs the stages on the tree as it is, where all of them must pass.
"""

from __future__ import annotations

import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from tools.mutation.planting import HOUSE, LISTS, Fault, copy, faults

__all__ = ["STAGES", "Finding", "examined"]

_SHORT = (
    "bounds", "fields", "promises", "lengths", "leaving", "control", "silent_objects", "thrown", "readable",
    "corner_tables", "facts_that_end", "rows",
)  # fmt: skip
_TESTS = (
    ("rules", ("tests/specialize/rules",)),
    ("goldens", ("tests/test_golden.py",)),
    (
        "units",
        tuple(f"tests/specialize/test_{name}.py" for name in _SHORT),
    ),
    ("subjects", ("tests/specialize/test_subjects.py", "tests/specialize/test_known_objects.py")),
    ("specializer", ("tests/specialize", "--deselect", "tests/specialize/test_faults.py")),
)
"""The unit tests in the order in which they are run: those that are short and say most come first."""
STAGES = ("named", *[name for name, _ in _TESTS], "fuzzer")
_FUZZERS = (
    ("tools.fuzz_specializer", ("--count", "100", "--jobs", "1")),
    ("tools.fuzz_heaps", ("--count", "100")),
    ("tools.fuzz_corners", ("--count", "300")),
)
"""With what is looked for in one slice: the programs from the corners are short, and most are new ones."""
_SLICE = 300
"""The seeds of a slice."""
_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_FOUND = re.compile(r"^\d+ x .*$", re.MULTILINE)


class Finding(NamedTuple):
    """What found a fault, with the seconds that it took; no stage: it was not found."""

    stage: str
    seconds: float
    what: str


def examined(fault: Fault | None, seconds: float, patience: float, seed: int, stages: Sequence[str]) -> Finding:
    """The first stage that finds the fault."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        tree = Path(folder) / "tree"
        copy(HOUSE, tree, fault)
        named = (("named", (fault.found,)),) if fault is not None and fault.found else ()
        for stage, tests in (*named, *_TESTS):
            if stage not in stages:
                continue
            done = _run(tree, ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests], patience)
            if done is None:
                return Finding(stage, time.monotonic() - start, f"does not end within {patience:.0f} s")
            failed = _FAILED.search(done.output)
            if done.code and (failed is None or _fails_again(tree, failed.group(1), patience)):
                return Finding(stage, time.monotonic() - start, failed.group(1) if failed else done.output[-200:])
        found_by_fuzzing = _fuzzed(tree, seconds, seed) if "fuzzer" in stages else ""
        return Finding("fuzzer" if found_by_fuzzing else "", time.monotonic() - start, found_by_fuzzing)


def _fails_again(tree: Path, test: str, patience: float) -> bool:
    """On a machine with much to do a test may be late once: only what fails twice is a find."""
    done = _run(tree, ["-m", "pytest", "-q", "-p", "no:cacheprovider", test], patience)
    return done is None or done.code != 0


def _fuzzed(tree: Path, seconds: float, seed: int) -> str:
    """What fuzzing in slices finds within some seconds: the fuzzers in turn, by the same seeds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, options in _FUZZERS:
            done = _run(tree, ["-m", name, "--seed", str(seed), *options], seconds + 60)
            if done is None:
                return f"{name} does not end"
            if done.code:
                found = _FOUND.search(done.output)
                return found.group(0) if found else done.output[-200:]
        seed += _SLICE
    return ""


class _Ended(NamedTuple):
    code: int
    output: str


def _run(tree: Path, arguments: Sequence[str], patience: float) -> _Ended | None:
    """A run of Python in the tree; None if it does not end, then all its processes are stopped."""
    environment = {**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None
    return _Ended(process.returncode, output)


@click.command()
@click.option("--among", multiple=True, type=click.Choice(LISTS), help="Only faults of this list.")
@click.option("--only", multiple=True, help="Only faults of this name.")
@click.option("--seconds", default=60.0, show_default=True, help="How long to fuzz.")
@click.option("--patience", default=600.0, show_default=True, help="Seconds for one stage of tests.")
@click.option("--seed", default=0, show_default=True, help="The fuzzer's first seed.")
@click.option("--stage", "stages", multiple=True, type=click.Choice(STAGES), help="Only these stages.")
@click.option("--jobs", default=1, show_default=True, help="Faults that are looked for at the same time.")
@click.option("--list", "listed", is_flag=True, help="Print the faults.")
@click.option("--without", is_flag=True, help="Run the stages without a fault.")
def main(
    among: tuple[str, ...],
    only: tuple[str, ...],
    seconds: float,
    patience: float,
    seed: int,
    stages: tuple[str, ...],
    jobs: int,
    listed: bool,
    without: bool,
) -> None:
    """Look for planted faults."""
    known = [fault for name in among or LISTS for fault in faults(name)]
    chosen = [fault for fault in known if not only or fault.name in only]
    if listed:
        for fault in chosen:
            click.echo(f"{fault.name:34}{fault.file:16}{fault.says}")
        return

    def find(fault: Fault | None) -> Finding:
        return examined(fault, seconds, patience, seed, stages or STAGES)

    if without:
        finding = find(None)
        click.echo(f"without a fault: {finding.stage or 'nothing found'} {finding.what} ({finding.seconds:.0f} s)")
        sys.exit(bool(finding.stage))
    count = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for fault, finding in zip(chosen, pool.map(find, chosen)):
            count += bool(finding.stage)
            click.echo(f"{fault.name:34}{finding.stage or 'NOT FOUND':14}{finding.seconds:6.0f} s   {finding.what}")
            sys.stdout.flush()
    click.echo(f"{count} of {len(chosen)} faults found")
    sys.exit(count < len(chosen))


if __name__ == "__main__":
    main()
