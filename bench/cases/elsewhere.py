"""The generic program of one case under another interpreter: how fast it is where no specializer helps it.

    $ pypy3 -m bench.cases.elsewhere power
    {"case": "power", "seconds": 0.000021}

`python -m bench.cases` starts this for the interpreter of `--other`, `pypy3` if there is one, and shows how many times
faster the residual is here.  Invariant: the same inputs as there, the best of several rounds after a warm-up.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import click

from bench.cases.case import Case, outcome
from bench.cases.given import given
from bench.cases.measuring import race, timed_inputs
from bench.cases.own import own

__all__ = ["seconds_elsewhere"]

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120.0
"""Seconds that one case may take there."""


def seconds_elsewhere(command: str, name: str, shared: Path | None) -> float | None:
    """The seconds for all inputs of a case under the interpreter `command`; None if it cannot run it."""
    line = [command, "-m", "bench.cases.elsewhere", name, *(["--shared", str(shared)] if shared is not None else [])]
    paths = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    try:
        done = subprocess.run(
            line, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT, check=True
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return float(found["seconds"])


def measured(case: Case) -> float:
    """The best seconds of the generic program for all inputs once."""
    inputs = timed_inputs(case, [outcome(case.generic, one) for one in case.inputs])
    rounds = 1 if case.once else 7
    return race({"generic": case.generic}, inputs, rounds)["generic"]


@click.command()
@click.argument("name")
@click.option("--shared", type=click.Path(path_type=Path, exists=True), help="A folder of cases with a cases.toml.")
def main(name: str, shared: Path | None) -> None:
    """Measure the generic program of the case NAME."""
    makers = dict(given(shared) if shared is not None else own())
    if name not in makers:
        raise click.UsageError(f"no case {name}; there are {', '.join(makers)}")
    click.echo(json.dumps({"case": name, "seconds": measured(makers[name]())}))


if __name__ == "__main__":
    main()
