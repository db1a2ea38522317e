"""The standard library's own tests, with every function of a module replaced by its round trip.

    $ python -m tools.stdlib_meaning --only textwrap,heapq
    subject    functions  replaced  tests  passed  new failures
    heapq             15        15     51      51             0

Every test module runs twice, each time in a fresh process: unmodified, and with replacements.  A new failure is a test
that passes in the first run and does not in the second (or is missing there).  `tools/accepted_differences.toml` lists
the ones that are accepted, with the reason.  Invariant: a run that crashes or hangs counts as a new failure.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import json
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tools.standard_modules import MORE, TESTS

HOUSE = Path(__file__).resolve().parent.parent
ACCEPTED = HOUSE / "tools" / "accepted_differences.toml"
HANGS_AFTER = 1800
"""Seconds after which a run counts as hanging: the slowest takes 60 on a slow machine."""


@dataclass
class Verdict:
    """What the runs of one subject showed."""

    functions: int = 0
    replaced: int = 0
    tests: int = 0
    passed: int = 0
    new: list[tuple[str, str, str]] = field(default_factory=list)
    accepted: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    stuck: list[tuple[str, str]] = field(default_factory=list)


SUBJECTS = {**TESTS, **MORE}
HOW = ["emitted"]
"""How replaced functions run: set once, by the command's option."""


def run(test: str, modules: tuple[str, ...], first: int = 0, last: int = 1 << 30, pattern: str = "") -> dict[str, Any]:
    """One run in a fresh process; {"crash": text} if it did not come to its end."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [sys.executable, "-m", "tools.stdlib_child", "--test", test, "--result", str(result)]
        command += [
            "--replace",
            ",".join(modules),
            "--first",
            str(first),
            "--last",
            str(last),
            "--pattern",
            pattern,
            "--how",
            HOW[0],
        ]
        try:
            done = subprocess.run(command, cwd=HOUSE, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  errors="replace", timeout=HANGS_AFTER, check=False)  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"crash": "the run hangs", "outcomes": {}, "details": {}, "replaced": None}
        if not result.exists():
            return {"crash": (done.stdout + done.stderr)[-2500:], "outcomes": {}, "details": {}, "replaced": None}
        report: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return report


def accepted_reason(test: str, accepted: dict[str, str]) -> str | None:
    return next((reason for pattern, reason in accepted.items() if fnmatch.fnmatchcase(test, pattern)), None)


def judge(subject: str, accepted: dict[str, str]) -> Verdict | None:
    """Both runs of every test of a subject; None if the interpreter lacks the tests."""
    modules, tests = SUBJECTS[subject]
    modules = tuple(name for name in modules if importlib.util.find_spec(name))
    tests = tuple(test for test in tests if importlib.util.find_spec(f"test.{test}"))
    if not tests:
        return None
    verdict = Verdict()
    for test in tests:
        plain, changed = run(test, ()), run(test, modules)
        if changed.get("crash"):
            verdict.new.append((test, "crash", changed["crash"]))
        replaced = changed["replaced"]
        if replaced:
            verdict.functions = max(verdict.functions, replaced["functions"])
            verdict.replaced = max(verdict.replaced, replaced["in place"] + replaced["by attribute"])
            verdict.refused = replaced["refused"]
            verdict.stuck = replaced["stuck"]
            verdict.new += [(place, "not replaced, crash", text) for place, text in replaced["crashed"]]
        compare(plain, changed, accepted, verdict)
    return verdict


def compare(plain: dict[str, Any], changed: dict[str, Any], accepted: dict[str, str], verdict: Verdict) -> None:
    for key, outcome in plain["outcomes"].items():
        if outcome != "pass":
            continue
        verdict.tests += 1
        now = changed["outcomes"].get(key, "missing")
        if now == "pass":
            verdict.passed += 1
        elif (reason := accepted_reason(key, accepted)) is not None:
            verdict.accepted.append((key, reason))
        elif not changed.get("crash"):
            verdict.new.append((key, now, changed["details"].get(key, "")))
    # Failures that belong to no test: a class or module that cannot be set up.
    for key, now in changed["outcomes"].items():
        if key not in plain["outcomes"] and now in ("fail", "error"):
            verdict.new.append((key, now, changed["details"].get(key, "")))


def bisect(subject: str, pattern: str) -> None:
    """Name the one function whose replacement makes the tests that match `pattern` fail."""
    modules, tests = SUBJECTS[subject]
    for test in tests:
        plain = run(test, (), pattern=pattern)
        wanted = {key for key, outcome in plain["outcomes"].items() if outcome == "pass"}
        if not wanted:
            continue

        def bad(first: int, last: int, test: str = test, wanted: set[str] = wanted) -> bool:
            outcomes = run(test, modules, first, last, pattern)["outcomes"]
            return any(outcomes.get(key) != "pass" for key in wanted)

        whole = run(test, modules, pattern=pattern)
        names = whole["replaced"]["names"] if whole["replaced"] else []
        low, high = 0, len(names) or 4096
        if not bad(low, high):
            click.echo(f"{test}: no failure")
            continue
        while high - low > 1:
            middle = (low + high) // 2
            if bad(low, middle):
                high = middle
            elif bad(middle, high):
                low = middle
            else:
                break
        click.echo(f"{test}: {', '.join(names[low:high]) or (low, high)}")


def show(verdicts: dict[str, Verdict], details: bool) -> None:
    row = "{:<13} {:>9} {:>9} {:>7} {:>7} {:>9} {:>13}"
    click.echo(row.format("subject", "functions", "replaced", "tests", "passed", "accepted", "new failures"))
    for name, verdict in verdicts.items():
        click.echo(
            row.format(
                name,
                verdict.functions,
                verdict.replaced,
                verdict.tests,
                verdict.passed,
                len(verdict.accepted),
                len(verdict.new),
            )
        )
    click.echo(
        row.format(
            "all",
            *(sum(getattr(v, key) for v in verdicts.values()) for key in ("functions", "replaced", "tests", "passed")),
            sum(len(v.accepted) for v in verdicts.values()),
            sum(len(v.new) for v in verdicts.values()),
        )
    )
    for verdict in verdicts.values():
        for place, reason in verdict.refused:
            click.echo(f"  not replaced: {place}: {reason}")
        for place, reason in verdict.stuck:
            click.echo(f"  could not be put in place: {place}: {reason}")
        for key, reason in verdict.accepted:
            click.echo(f"  accepted: {key}: {reason}")
        for key, now, text in verdict.new:
            click.echo(f"  NEW {now}: {key}")
            if details or now == "crash":
                click.echo("      " + text.strip().replace("\n", "\n      "))


@click.command()
@click.option("--only", default="", help="Subjects, separated by commas; default: all.")
@click.option("--more", is_flag=True, help="All other subjects, beyond the list.")
@click.option("--interpreted", is_flag=True, help="Run the functions in the reference interpreter instead.")
@click.option(
    "--through",
    default="emitted",
    type=click.Choice(["emitted", "optimized", "unnamed", "interpreted", "specialize"]),
    help="What replaces a function: its round trip, that through the optimizer, that without names of variables, the "
    "interpreter, or its residual with nothing static.",
)
@click.option("--details", is_flag=True, help="Print the tracebacks of new failures.")
@click.option(
    "--bisect", "pattern", default="", help="Find the function that makes the tests matching this pattern fail."
)
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write the raw figures here.")
def main(only: str, more: bool, interpreted: bool, through: str, details: bool, pattern: str, raw: Path | None) -> None:
    """Run CPython's own tests against round trips (or residuals) of the standard library."""
    if importlib.util.find_spec("test") is None or importlib.util.find_spec("test.test_textwrap") is None:
        click.echo("skipped: this interpreter comes without CPython's `test` package")
        return
    HOW[:] = ["interpreted" if interpreted else {"specialize": "specialized"}.get(through, through)]
    subjects = only.split(",") if only else list(MORE if more else TESTS)
    unknown = [name for name in subjects if name not in SUBJECTS]
    if unknown:
        raise click.UsageError(f"unknown subject: {', '.join(unknown)}")
    if pattern:
        for name in subjects:
            bisect(name, pattern)
        return
    accepted = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))
    of_residuals = accepted.pop("specialize", {})
    if through == "specialize":
        accepted.update(of_residuals)
    verdicts: dict[str, Verdict] = {}
    for name in subjects:
        verdict = judge(name, accepted)
        if verdict is None:
            click.echo(f"skipped: {name}: no tests in this interpreter")
        else:
            verdicts[name] = verdict
    show(verdicts, details)
    if raw is not None:
        raw.write_text(
            json.dumps({name: vars(verdict) for name, verdict in verdicts.items()}, indent=1) + "\n", encoding="utf-8"
        )
    if any(verdict.new for verdict in verdicts.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
