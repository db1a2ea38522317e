"""How much of the standard library goes to the IR and comes back, and in how many lines.

    $ python -m tools.stdlib_coverage --only textwrap --failures
    module        functions  back   lines  original  flags  dispatchers
    textwrap             14    14     198       199      0            0

"Back" means: lowered, verified, printed, compiled.  Lines are those of `ast.unparse` of both sides, without decorators
of the function itself, docstrings and bare string statements.  A flag is a local variable that the original does not
have and that only ever holds True or False; a dispatcher is one that only ever holds small integers; what the
structurer reports by itself counts too.
Invariant: a function that fails is always in the list of failures, by reason; async functions are skipped and counted.
"""

from __future__ import annotations

import ast
import collections
import functools
import inspect
import json
import sys
import time
import types
from dataclasses import dataclass, field
from pathlib import Path

import click

from futamura.backend.python.emitted import Emitted
from futamura.driver import emit_function, roundtrip
from futamura.errors import FutamuraError
from futamura.frontend.python import lower
from futamura.ir.verify import verify_program
from tools.standard_modules import MODULES, Member, own_functions

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass
class Tally:
    """The figures of one module."""

    functions: int = 0
    back: int = 0
    skipped: int = 0
    lines: int = 0
    original: int = 0
    flags: list[str] = field(default_factory=list)
    dispatchers: list[str] = field(default_factory=list)
    failures: list[tuple[str, str, str]] = field(default_factory=list)
    grown: list[tuple[int, int, str]] = field(default_factory=list)
    lower_seconds: float = 0.0
    whole_seconds: float = 0.0
    source_lines: int = 0


@functools.cache
def definitions(file: str) -> dict[tuple[str, int], ast.AST]:
    """Every function of a file by name and first line, decorators included."""
    found: dict[tuple[str, int], ast.AST] = {}
    for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
        if isinstance(node, DEFINITIONS):
            name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            found.setdefault((name, first), node)
    return found


class Undocumented(ast.NodeTransformer):
    """Drops docstrings and the annotations of local variables, which leave no trace in a function's meaning."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if (
            isinstance(node, ast.FunctionDef | ast.ClassDef | ast.If | ast.For | ast.While | ast.With | ast.Try)
            and not node.body
        ):
            node.body = [ast.Pass()]
        return node


def stripped(node: ast.AST) -> ast.AST:
    """A copy of a definition without decorators, docstrings and its own annotations."""
    copy: ast.AST = Undocumented().visit(ast.parse(ast.unparse(node)).body[0])
    if isinstance(copy, ast.FunctionDef):
        copy.decorator_list = []
        copy.returns = None
    return copy


def printed_lines(node: ast.AST) -> int:
    return ast.unparse(ast.fix_missing_locations(stripped(node))).count("\n") + 1


def emitted_definition(text: str, name: str) -> ast.AST:
    """The function in the emitted text: the innermost one that carries the name, or a lambda."""
    tree = ast.parse(text)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    named = [node for node in nodes if node.name == name]
    if named:
        return named[0]
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    return (lambdas or nodes or [tree])[0]


def bound_names(node: ast.AST) -> set[str]:
    names = {
        inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load)
    }
    names |= {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
    return names | {inner.name for inner in ast.walk(node) if isinstance(inner, ast.ExceptHandler) and inner.name}


def new_switches(emitted: ast.AST, original: ast.AST) -> tuple[set[str], set[str]]:
    """Variables that only steer control: (flags, dispatchers)."""
    values: dict[str, list[object]] = collections.defaultdict(list)
    other = {arg.arg for arg in ast.walk(emitted) if isinstance(arg, ast.arg)}
    for node in ast.walk(emitted):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    values[target.id].append(node.value.value)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.For | ast.NamedExpr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            other |= {inner.id for target in targets for inner in ast.walk(target) if isinstance(inner, ast.Name)}
    fresh = {name: found for name, found in values.items() if name not in other and name not in bound_names(original)}
    flags = {name for name, found in fresh.items() if all(isinstance(value, bool) for value in found)}
    states = {name for name, found in fresh.items() if len(found) > 1 and all(type(value) is int for value in found)}
    return flags, states


def reason_of(error: BaseException) -> str:
    if isinstance(error, FutamuraError):
        diagnostic = error.diagnostic
        return f"{diagnostic.code} {diagnostic.title}"
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = f" ({Path(frame.tb_frame.f_code.co_filename).name}:{frame.tb_lineno})" if frame is not None else ""
    return f"crash {type(error).__name__}: {str(error)[:120]}{place}"


def examine(module: str, member: Member, tally: Tally) -> None:
    """One function there and back."""
    function = member.function
    code = function.__code__
    if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        tally.skipped += 1
        return
    tally.functions += 1
    stage = "lower"
    try:
        program = lower(function).program
        stage = "verify"
        verify_program(program)
        stage = "emit"
        emitted = emit_function(function)
        stage = "compile"
        result = roundtrip(function)
        if not isinstance(result, types.FunctionType) or result.__code__ is code:
            raise AssertionError("what came back is not a new function")
        stage = "measure"
        measure(module, member, emitted, tally)
    except Exception as error:
        tally.failures.append((f"{module}:{member.path}", stage, reason_of(error)))
        return
    tally.back += 1


def measure(module: str, member: Member, result: Emitted, tally: Tally) -> None:
    code = member.function.__code__
    original = definitions(code.co_filename).get((code.co_name, code.co_firstlineno))
    if original is None:
        raise AssertionError("the original's definition was not found")
    emitted = emitted_definition(result.text, result.name)
    before, after = printed_lines(original), printed_lines(emitted)
    tally.lines += after
    tally.original += before
    place = f"{module}:{member.path}"
    if after != before:
        tally.grown.append((after - before, before, place))
    flags, states = new_switches(emitted, original)
    if flags or result.flags:
        tally.flags.append(place)
    if states or result.dispatchers:
        tally.dispatchers.append(place)


def time_module(found: list[Member], tally: Tally) -> None:
    """Processor seconds for lowering alone and for the whole way, after one warm-up by `examine`.

    Processor time, for a machine may be busy with other things; the work has one thread.
    """
    failed = {path for path, _, _ in tally.failures}
    for member in found:
        code = member.function.__code__
        if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR) or any(
            p.endswith(":" + member.path) for p in failed
        ):
            continue
        node = definitions(code.co_filename)[(code.co_name, code.co_firstlineno)]
        tally.source_lines += (getattr(node, "end_lineno", 0) or 0) - getattr(node, "lineno", 0) + 1
        start = time.process_time()
        lower(member.function)
        middle = time.process_time()
        emit_function(member.function)
        tally.lower_seconds += middle - start
        tally.whole_seconds += time.process_time() - middle


def show(tallies: dict[str, Tally], failures: bool, grown: int) -> None:
    row = "{:<14} {:>9} {:>6} {:>7} {:>9} {:>7} {:>6} {:>12}"
    click.echo(row.format("module", "functions", "back", "lines", "original", "ratio", "flags", "dispatchers"))
    for name, tally in tallies.items():
        ratio = f"{tally.lines / tally.original:.3f}" if tally.original else "-"
        click.echo(
            row.format(
                name,
                tally.functions,
                tally.back,
                tally.lines,
                tally.original,
                ratio,
                len(tally.flags),
                len(tally.dispatchers),
            )
        )
    functions, back = sum(t.functions for t in tallies.values()), sum(t.back for t in tallies.values())
    lines, original = sum(t.lines for t in tallies.values()), sum(t.original for t in tallies.values())
    flags = sorted({place for t in tallies.values() for place in (*t.flags, *t.dispatchers)})
    click.echo(
        f"\ncoverage     {back} of {functions} functions = {100 * back / max(functions, 1):.2f} %"
        f" ({sum(t.skipped for t in tallies.values())} async ones skipped)"
    )
    click.echo(f"lines        {lines} emitted, {original} original: ratio {lines / max(original, 1):.4f}")
    click.echo(f"no switches  {back - len(flags)} of {back} = {100 * (back - len(flags)) / max(back, 1):.2f} %")
    sources, seconds = sum(t.source_lines for t in tallies.values()), sum(t.whole_seconds for t in tallies.values())
    if seconds:
        lowering = sum(t.lower_seconds for t in tallies.values())
        click.echo(
            f"throughput   {sources / seconds:,.0f} source lines a second, there and back"
            f" ({sources / lowering:,.0f} for lowering alone)"
        )
    reasons = collections.Counter((stage, reason) for t in tallies.values() for _, stage, reason in t.failures)
    if reasons:
        click.echo("\nfailures by reason")
    for (stage, reason), count in reasons.most_common():
        click.echo(f"  {count:>5}  {stage}: {reason}")
    if failures:
        for tally in tallies.values():
            for place, stage, reason in tally.failures:
                click.echo(f"  {place:<50} {stage}: {reason}")
    for place in flags if failures else ():
        click.echo(f"  with a switch: {place}")
    for more, before, place in sorted((g for t in tallies.values() for g in t.grown), key=lambda g: -abs(g[0]))[:grown]:
        click.echo(f"  {more:+4d} lines on {before:>4}: {place}")


@click.command()
@click.option("--only", default="", help="Modules, separated by commas; default: all.")
@click.option("--failures", is_flag=True, help="List every function that fails.")
@click.option("--grown", default=0, help="List that many functions whose length changes most.")
@click.option("--timing/--no-timing", default=True, help="Measure throughput too.")
@click.option("--json", "raw", type=click.Path(path_type=Path), help="Write the raw figures here.")
@click.option("--at-least", default=0.0, help="Exit with 1 if coverage in per cent is below.")
def main(only: str, failures: bool, grown: int, timing: bool, raw: Path | None, at_least: float) -> None:
    """Send all functions of the standard modules to the IR and back."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 3000))
    tallies: dict[str, Tally] = {}
    for name in only.split(",") if only else MODULES:
        tally = tallies[name] = Tally()
        found = own_functions(name)
        for member in found:
            examine(name, member, tally)
        if timing:
            time_module(found, tally)
    show(tallies, failures, grown)
    if raw is not None:
        raw.write_text(
            json.dumps({name: vars(tally) for name, tally in tallies.items()}, indent=1) + "\n", encoding="utf-8"
        )
    functions, back = sum(t.functions for t in tallies.values()), sum(t.back for t in tallies.values())
    if 100 * back < at_least * functions:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
