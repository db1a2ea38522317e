"""Fuzzes the specializer with random programs; every difference from the original is printed with its seed.

    python -m tools.fuzz_specializer --count 50000 --seed 1 --jobs 2
    python -m tools.fuzz_specializer --count 50000 --table    how many programs used each feature, and fired each rule
    python -m tools.fuzz_specializer --seed 4711 --count 1 --minimize      one program again, made small
    python -m tools.fuzz_specializer --count 200 --engine identity         the fuzzer itself: must find nothing
    python -m tools.fuzz_specializer --count 2000 --engine offline         offline: the nine divisions take turns
    python -m tools.fuzz_specializer --count 200 --engine offline-bounded-uniform      one of them

    ->  50000 programs, 0 differences, 0 crashes, 0 hangs, 94.2 % specialized without fallback, ...

Programs are a function of their seed.  Workers run a slice of the seeds each; one that stops answering, or dies, is
replaced, and its program is reported.  The exit status is 1 if something was found, or too much fell back.

Invariant: workers run under one fixed PYTHONHASHSEED, so that a seed is enough to see a finding again.
"""

from __future__ import annotations

import argparse
import builtins
import faulthandler
import functools
import importlib
import json
import multiprocessing
import os
import resource
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

from futamura.analysis.division import KINDS, POINTS
from tests.specialize.fired import LEFT, Fired, watch
from tests.specialize.minimize import minimize, same_finding
from tests.specialize.oracle import BAD, NUMBER, Report, check, merge
from tests.specialize.planted import PLANTED, identity
from tests.specialize.programs import Program, generate

MEMORY: Final = 2 << 30
"""Address space of a worker in bytes: a specialization that explodes must not take the machine with it."""
GRACE: Final = 120.0
"""Seconds, on a busy machine, beyond all time limits after which a silent worker counts as hanging in C code."""
SHOWN: Final = 3
"""Findings of one group that are printed."""


def engine(name: str, seed: int = 0) -> Callable[..., Callable[..., Any]]:
    """The specializer to be tested: the real one, the identity, the round trip, or one with a planted fault.

    Offline there is one for each division, and `seed` says which one has its turn.
    """
    if name.partition("-")[0] == "offline":
        divisions = [f"offline-{kind}-{points}" for kind in KINDS for points in POINTS]
        return _offline(divisions[seed % len(divisions)] if name == "offline" else name)
    if name == "identity":
        return identity
    if name in ("roundtrip", "optimized"):
        roundtrip = importlib.import_module("futamura.driver").roundtrip
        optimize = importlib.import_module("futamura.optimize.pipeline").optimize

        def through(function: Any, **static: Any) -> Callable[..., Any]:
            inner = getattr(function, "__func__", function)
            module = inner.__globals__
            known = {(module["__name__"], at): value for at, value in vars(builtins).items() if at not in module}
            change = (lambda program: optimize(program, known=known)[0]) if name == "optimized" else None
            changed = roundtrip(inner, change=change)
            return identity(changed if inner is function else changed.__get__(function.__self__), **static)

        return through
    if name in PLANTED:
        return PLANTED[name]
    return importlib.import_module("futamura.api").specialize  # type: ignore[no-any-return]


@functools.cache
def _offline(name: str) -> Callable[..., Callable[..., Any]]:
    _, division, points = name.split("-")
    specializer = importlib.import_module("futamura.api").Specializer
    return specializer(mode="offline", division=division, points=points)  # type: ignore[no-any-return]


@dataclass(slots=True)
class Totals:
    """What is known after some programs."""

    kinds: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    fired: Counter[str] = field(default_factory=Counter)
    """Programs for which each row of the specializer's tables did something."""
    failing: Counter[str] = field(default_factory=Counter)
    fallbacks: Counter[str] = field(default_factory=Counter)
    fell_back: Counter[str] = field(default_factory=Counter)
    stats: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    groups: dict[str, list[Report]] = field(default_factory=dict)
    slowest: tuple[float, int] = (0.0, 0)
    runs: int = 0
    raised: int = 0

    def add(self, report: Report, features: Counter[str]) -> None:
        self.kinds[report.kind] += 1
        self.features.update(features.keys())
        self.fired.update(report.fired)
        self.runs += report.runs
        self.raised += report.raised
        self.slowest = max(self.slowest, (report.seconds, report.seed))
        merge(self.stats, report.stats)
        if report.kind in BAD:
            self.failing.update(features.keys())
            print(f"... seed {report.seed}: {report.kind}: {report.group}", file=sys.stderr, flush=True)
        if report.kind in (*BAD, "refused"):
            self.groups.setdefault(f"{report.kind}: {report.group}", []).append(report)
        if report.fallbacks:
            self.kinds["fell back"] += 1
            self.fallbacks.update(report.fallbacks.keys())
            self.fell_back.update(features.keys())
            self.events.update({NUMBER.sub("N", event)[:140] for event in report.events})

    def tested(self) -> int:
        return sum(self.kinds[kind] for kind in ("equal", "difference", "crash", "hang", "refused"))

    def specialized(self) -> float:
        """The share of programs that were specialized without any fallback."""
        return (self.kinds["equal"] + self.kinds["difference"] - self.kinds["fell back"]) / max(1, self.tested())


def one(seed: int, specialize: Callable[..., Callable[..., Any]], limit: float, fired: Fired) -> tuple[Report, Program]:
    program = generate(seed)
    start = time.perf_counter()
    try:
        report = check(program, specialize, limit=limit)
    except MemoryError:
        report = Report(seed, "crash", "MemoryError", "the memory limit of the worker was reached")
    report.seconds = time.perf_counter() - start
    report.fired = fired.take(event.partition(":")[0] for event in report.events)
    return report, program


def work(seeds: list[int], name: str, limit: float, sink: Connection) -> None:
    """A worker: says which seed it starts, then what came out."""
    faulthandler.enable()
    warnings.simplefilter("ignore")  # programs say `0.5 is None`, and warnings of that are no finding
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    fired = watch() if name == "specialize" else Fired()
    for seed in seeds:
        sink.send(seed)
        report, program = one(seed, engine(name, seed), limit, fired)
        sink.send((report, program.features))
    sink.send(None)


@dataclass(slots=True)
class Worker:
    """A process with the seeds that it still has to do."""

    process: BaseProcess
    source: Connection
    left: list[int]
    current: int
    since: float


def start(context: Any, seeds: list[int], name: str, limit: float) -> Worker:
    source, sink = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(seeds, name, limit, sink), daemon=True)
    process.start()
    sink.close()
    return Worker(process, source, list(seeds), seeds[0], time.monotonic())


def receive(worker: Worker, totals: Totals) -> bool:
    """One message; True if the worker is done.  `EOFError` if it died."""
    message = worker.source.recv()
    worker.since = time.monotonic()
    if message is None:
        return True
    if isinstance(message, int):
        worker.current = message
        return False
    report, features = message
    totals.add(report, features)
    worker.left.remove(worker.current)
    return False


def fuzz(seeds: list[int], name: str, jobs: int, limit: float, stop: bool, progress: bool) -> Totals:
    """All seeds through `jobs` workers."""
    context = multiprocessing.get_context("spawn")
    totals = Totals()
    workers = [start(context, part, name, limit) for part in (seeds[n::jobs] for n in range(jobs)) if part]
    shown = time.monotonic()
    while workers:
        ready = wait([worker.source for worker in workers], timeout=1.0)
        for worker in list(workers):
            ended = False
            lost = ""
            try:
                if worker.source in ready:
                    ended = receive(worker, totals)
                elif time.monotonic() - worker.since > limit + GRACE:
                    lost = "hang"
            except EOFError:
                lost = "crash"
            if lost:
                worker.process.join(0.0 if lost == "hang" else 2.0)
                worker.process.kill()
                worker.process.join()
                report = Report(
                    worker.current,
                    lost,
                    "worker " + ("silent" if lost == "hang" else f"died with {worker.process.exitcode}"),
                )
                totals.add(report, generate(worker.current).features)
                rest = [seed for seed in worker.left if seed != worker.current]
                if rest:
                    workers.append(start(context, rest, name, limit))
            if lost or ended:
                workers.remove(worker)
        if progress and time.monotonic() - shown > 20:
            shown = time.monotonic()
            print(f"... {totals.tested()} tested, {dict(totals.kinds)}", file=sys.stderr, flush=True)
        if stop and totals.groups and any(key.partition(":")[0] in BAD for key in totals.groups):
            for worker in workers:
                worker.process.kill()
            break
    return totals


def shrink(report: Report, name: str, limit: float) -> str:
    """The text of a small program with the same finding, and what the oracle says of it."""
    specialize = engine(name, report.seed)
    program = generate(report.seed)
    wanted = check(program, specialize, limit=limit)
    if wanted.kind not in BAD:
        return f"# seed {report.seed} does not fail again ({wanted.kind})"
    if wanted.input >= 0 and wanted.kind == "difference":
        program = replace(program, inputs=program.inputs[: wanted.input + 1])
    small = minimize(
        program, same_finding(wanted, specialize, min(limit, 3.0)), trials=250 if wanted.kind == "hang" else 1500
    )
    final = check(small, specialize, limit=limit)
    reason = final.detail.strip().splitlines()[-1:]
    return "\n".join([f"{small.text()}# {final.kind}: {final.group}", *(f"# {line}" for line in reason)])


def not_fired(totals: Totals, name: str) -> list[str]:
    """The rows of the specializer's tables that no program has used."""
    if name != "specialize":
        return []
    left = {row.removesuffix(LEFT) for row in totals.fired if row.endswith(LEFT)}
    return sorted(watch().rows - totals.fired.keys() - left)


def show(totals: Totals, options: argparse.Namespace, seconds: float) -> None:
    """The summary, then the findings by group."""
    if options.table:
        print(f"{'feature':44}{'programs':>9}{'failing':>9}{'fell back':>10}")
        for feature, count in sorted(totals.features.items(), key=lambda entry: (-entry[1], entry[0])):
            print(f"{feature:44}{count:9}{totals.failing[feature]:9}{totals.fell_back[feature]:10}")
        print(f"\n{'rule':60}{'programs':>9}")
        for row, count in sorted(totals.fired.items(), key=lambda entry: (-entry[1], entry[0])):
            print(f"{row:60}{count:9}")
    for group, reports in sorted(totals.groups.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        seeds = sorted(report.seed for report in reports)
        print(f"\n{len(reports)} x {group}\n  seeds {seeds[:12]}")
        for report in sorted(reports, key=lambda report: report.seed)[: options.show]:
            print("  " + report.detail.strip().replace("\n", "\n  "))
            if options.minimize and report.kind in BAD and report.group.partition(" ")[0] != "worker":
                print("    " + shrink(report, options.engine, options.time_limit).replace("\n", "\n    "))
    for code, count in sorted(totals.fallbacks.items()):
        print(f"fallback {code}: {count} programs")
    for event, count in totals.events.most_common(options.events):
        print(f"{count:6} {event}")
    silent = not_fired(totals, options.engine)
    for row in silent if options.table else ():
        print(f"never fired: {row}")
    if totals.fired:
        print(f"{len(totals.fired)} rules fired, {len(silent)} never")
    counts = ", ".join(f"{key} {value}" for key, value in sorted(totals.stats.items()))
    print(f"statistics: {counts or 'none'}")
    slow, seed = totals.slowest
    print(f"{totals.runs} runs compared, {totals.raised} of them raised; slowest program {slow:.2f} s (seed {seed})")
    kinds = totals.kinds
    print(
        f"{sum(kinds[kind] for kind in ('equal', 'skipped', 'refused', *BAD))} programs in {seconds:.0f} s: "
        f"{kinds['difference']} differences, {kinds['crash']} crashes, {kinds['hang']} hangs, "
        f"{kinds['refused']} refused, {kinds['skipped']} skipped, "
        f"{100 * totals.specialized():.1f} % specialized without fallback"
    )


def as_data(totals: Totals, name: str) -> dict[str, object]:
    """The findings by group, and the counts."""
    return {
        "findings": {key: [asdict(report) for report in found] for key, found in sorted(totals.groups.items())},
        "programs": dict(totals.kinds),
        "features": dict(sorted(totals.features.items())),
        "fallbacks": dict(sorted(totals.fallbacks.items())),
        "fired": dict(sorted(totals.fired.items())),
        "never fired": not_fired(totals, name),
    }


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000, help="programs")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds for one specialization")
    parser.add_argument(
        "--engine",
        default="specialize",
        help="specialize, offline[-DIVISION-POINTS], identity, roundtrip, optimized, or a planted fault",
    )
    parser.add_argument("--minimize", action="store_true", help="make the shown findings small")
    parser.add_argument("--show", type=int, default=SHOWN, help="findings of one group that are printed")
    parser.add_argument("--events", type=int, default=15, help="reasons of fallbacks that are printed")
    parser.add_argument("--table", action="store_true", help="print a count per feature and per rule fired")
    parser.add_argument("--print", action="store_true", help="print the programs instead of running them")
    parser.add_argument("--stop", action="store_true", help="stop at the first finding")
    parser.add_argument("--at-least", type=float, default=0.0, help="percent that must be specialized without fallback")
    parser.add_argument("--json", type=Path, help="write the findings and the counts to this file")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if os.environ.get("PYTHONHASHSEED") is None:
        os.environ["PYTHONHASHSEED"] = "0"
        if arguments is None:
            os.execv(sys.executable, [sys.executable, "-m", "tools.fuzz_specializer", *sys.argv[1:]])
    seeds = list(range(options.seed, options.seed + options.count))
    if options.print:
        print("\n".join(f"# seed {seed}\n{generate(seed).text()}" for seed in seeds))
        return 0
    warnings.simplefilter("ignore")
    engine(options.engine)  # an engine that cannot be imported is said here, not once for each program
    start_time = time.monotonic()
    totals = fuzz(seeds, options.engine, options.jobs, options.time_limit, options.stop, progress=True)
    show(totals, options, time.monotonic() - start_time)
    if options.json:
        options.json.write_text(json.dumps(as_data(totals, options.engine), indent=1, default=str) + "\n")
    found_bad = any(totals.kinds[kind] for kind in BAD)
    return int(found_bad or 100 * totals.specialized() < options.at_least)


if __name__ == "__main__":
    sys.exit(main())
