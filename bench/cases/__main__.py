"""One table and one JSON: residuals against the generic programs, against experts and against libraries.

    $ python -m bench.cases --only power --rounds 5
    case     speed-up  declared  checked  trusted  aim   spec.  break-even  peers
    power        3.1x      1.32     1.30     1.09  1.15  2 ms           9  peval 1.2x
    over the expert, geometric mean of 1 case: declared 1.32, checked 1.30, trusted 1.09

"declared", "checked" and "trusted" are the residual's time over the expert's, best of all rounds, interleaved in one
process, and the last line has their means: two styles of one program against one expert are one case, which counts
with the mean of both, and what has no expert does not count.  A peer's figure says how many times faster the residual
is, also that of the generic program on PyPy, where `pypy3` (or `--other`) is there.

Invariant: exits with 1 if a side disagrees.
"""

from __future__ import annotations

import json
import math
import platform
import shutil
import time
from pathlib import Path
from typing import Any

import click

from bench.cases.elsewhere import seconds_elsewhere
from bench.cases.given import given
from bench.cases.measuring import FORMS, measure
from bench.cases.own import own

HEAD = ("case", "speed-up", *FORMS, "aim", "spec.", "break-even", "peers")


def row(found: dict[str, Any]) -> list[str]:
    """The cells of one line of the table."""
    ratios = found.get("ratios", {})
    spent = found["specialization"].get("declared", found["specialization"].get("trusted", 0.0))
    even = found.get("break_even")
    notes = [f"{name} {times:.1f}x" for name, times in found.get("peers", {}).items()]
    notes += [f"generic on {name} {times:.1f}x" for name, times in found.get("elsewhere", {}).items()]
    if not found["specialized"]:
        notes.append("not specialized: " + ", ".join(found["fallbacks"]))
    notes += [f"{name} fails ({text:.40})" for name, text in found.get("failing", {}).items()]
    notes += [f"{side} DISAGREES" for side in found["wrong"]]
    return [
        found["case"],
        f"{found['speedup']:.1f}x" if "speedup" in found else "-",
        *(f"{ratios[form]:.2f}" if form in ratios else "-" for form in FORMS),
        f"{found['aim']:.2f}" if found["aim"] else "-",
        f"{spent * 1e3:.0f} ms",
        f"{even:,.0f}" if even is not None else "never",
        ", ".join(notes),
    ]


def table(rows: list[list[str]]) -> str:
    widths = [max(len(line[place]) for line in rows) for place in range(len(HEAD))]
    lines = []
    for line in rows:
        cells = [
            cell.ljust(width) if place in (0, len(HEAD) - 1) else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def over_the_expert(figures: list[dict[str, Any]]) -> str:
    """The last line: the mean of each form over the experts; "NAME by ..." is another style of the case NAME."""
    styles: dict[str, list[dict[str, float]]] = {}
    for found in figures:
        if found.get("ratios"):
            styles.setdefault(found["case"].partition(" by ")[0], []).append(found["ratios"])
    if not styles:
        return ""
    means = []
    for form in FORMS:
        ratios = [mean([style[form] for style in case if form in style]) for case in styles.values() if form in case[0]]
        means.append(f"{form} {mean(ratios):.2f}" if ratios else f"{form} -")
    count = "1 case" if len(styles) == 1 else f"{len(styles)} cases"
    return f"over the expert, geometric mean of {count}: {', '.join(means)}"


@click.command()
@click.option("--shared", type=click.Path(path_type=Path, exists=True), help="A folder of cases with a cases.toml.")
@click.option("--only", default="", help="Names of cases, separated by commas; default: all.")
@click.option("--rounds", default=7, help="Turns of each side.")
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write all figures here.")
@click.option("--other", help="An interpreter that runs the generic programs, too; default: pypy3, if there is one.")
def main(shared: Path | None, only: str, rounds: int, raw: Path | None, other: str | None) -> None:
    """Measure residuals against experts and libraries."""
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    makers = given(shared) if shared is not None else own()
    unknown = [name for name in wanted if name not in dict(makers)]
    if unknown:
        raise click.UsageError(f"no case {', '.join(unknown)}; there are {', '.join(name for name, _ in makers)}")
    interpreter = other or shutil.which("pypy3")
    rows, figures = [list(HEAD)], []
    for name, make in makers:
        if wanted and name not in wanted:
            continue
        start = time.monotonic()
        found = {**measure(make(), rounds), "case": name}
        there = seconds_elsewhere(interpreter, name, shared) if interpreter else None
        ours = found["seconds"].get("declared", found["seconds"].get("trusted"))
        if interpreter and there is None:
            click.echo(f"{name}: {interpreter} cannot run the generic program", err=True)
        if interpreter and there is not None and ours:
            found["elsewhere"] = {Path(interpreter).name: there / ours}
        figures.append(found)
        rows.append(row(found))
        click.echo(f"{name}: {time.monotonic() - start:.1f} s", err=True)
    click.echo(table(rows))
    if last := over_the_expert(figures):
        click.echo(last)
    if raw is not None:
        report = {"python": platform.python_version(), "cases": figures}
        raw.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if any(found["wrong"] for found in figures):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
