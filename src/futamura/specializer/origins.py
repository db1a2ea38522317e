"""Why is this dynamic?  Chains of reasons, and what became of each source line.

    r *= x          chain of `r`:   r *= x   power.py:7
                                    `x` is left open

    trace(machine, root, ...)       which source blocks were executed, which spans left residual operations, and for
                                    each of them the first dynamic operand's chain

The machine keeps the defining operation of each residual value (`origins`) and what each parameter of a version stood
for (`renames`); nothing else is recorded while it runs.

Invariant: chains are capped and end at an input, an effect or a place where different known values meet.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol

from futamura.errors import Because
from futamura.ir.constant import Constant
from futamura.ir.graph import Span
from futamura.source import Place
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.library import is_own
from futamura.specializer.residual import Lazy, ResidualBlock, ResidualOperation, Version
from futamura.specializer.values import Dynamic

__all__ = ["Left", "Trace", "chain", "segment", "trace"]

LINKS: Final = 6
"""Links of a chain: more do not help a reader."""

STEPS: Final = 200
"""Values looked at for one chain."""

_TRIVIAL: Final = frozenset({"const", "cell", "cell_get", "cell_set", "function", "global_get"})
"""Source operations that move values about: they do not tell whether a line is static."""

_EFFECTS: Final = {
    "global_get": "this global is bound anew while the program runs, or does not exist yet",
    "cell_get": "this variable is shared with another function",
    "import": "an import happens at run time",
    "import_from": "an import happens at run time",
    "class": "a class is made at run time",
}


_NOT_TESTED: Final = "it is read when the residual runs: to test it at each call would take longer than folding saves"


class World(Protocol):
    """What is believed of the program."""

    @property
    def assumes(self) -> bool: ...
    def why_lost(self, value: object) -> str: ...


class Recorded(Protocol):
    """What a chain is made of; the machine has it."""

    @property
    def world(self) -> World: ...

    hints: list[str | None]
    origins: dict[int, ResidualOperation]
    renames: dict[int, int]
    names: dict[int, str]
    held: dict[int, object]
    """The constants of the residual."""


def segment(file: str, span: Span | None, limit: int = 60) -> str:
    """The source text of a span, on one line."""
    if span is None:
        return ""
    first = linecache.getline(file, span.line).rstrip("\n").encode("utf-8", "surrogatepass")
    text = first[span.column : span.end_column if span.end_line == span.line else None].decode("utf-8", "replace")
    text = " ".join(text.split())
    if span.end_line != span.line:
        text += " ..."
    return text if len(text) <= limit else text[: limit - 4] + " ..."


def chain(recorded: Recorded, inputs: dict[int, str], value: int) -> tuple[Because, ...]:
    """Why the residual value `value` is not known: its definition, and on to an input or an effect.

    `inputs` has the names of the open inputs by residual value.
    """
    links: list[Because] = []
    seen: set[int] = set()
    said: set[str] = set()
    for _ in range(STEPS):
        if value in seen:
            break
        seen.add(value)
        if value in inputs:
            links.append(Because(f"`{inputs[value]}` is left open"))
            break
        if value in recorded.renames:
            old = recorded.renames[value]
            if old < 0:
                name = recorded.names.get(value) or recorded.hints[value]
                links.append(Because(f"{f'`{name}`' if name else 'the value'} has several known values here"))
                break
            value = old
            continue
        op = recorded.origins.get(value)
        if op is None:
            break
        file = op.where.function.file if op.where is not None else ""
        place = None if op.span is None else Place(*op.span)
        effect = _effect(recorded, op)
        text = segment(file, op.span) or op.name
        if text not in said and not (op.where is not None and is_own(op.where.namespace)):
            said.add(text)
            links.append(Because(f"{text}: {effect}" if effect else text, file, place))
        follow = None if effect else _dynamic_operand(recorded, op)
        if follow is None or len(links) >= LINKS:
            break
        value = follow
    return tuple(links)


def _effect(recorded: Recorded, op: ResidualOperation) -> str:
    """What makes this operation's result dynamic by itself, if something does."""
    if op.name == "global_get" and not recorded.world.assumes:
        return _NOT_TESTED
    if op.name in _EFFECTS:
        return _EFFECTS[op.name]
    if op.name == "invoke":
        return "what a call gives is known at run time"
    if op.name == "exception":
        return "an exception is caught here"
    if op.name == "call" and op.args:
        callee = recorded.origins.get(op.args[0])
        if callee is not None or _dynamic_operand(recorded, op) is None:
            return "what a call gives is known at run time"
    if _dynamic_operand(recorded, op) is None:
        return next(filter(None, (_lost(recorded, arg) for arg in op.args)), "it happens at run time")
    return ""


def _lost(recorded: Recorded, value: int) -> str:
    """Why what the static object `value` holds is read again."""
    if value not in recorded.held:
        return ""
    held = recorded.held[value]
    why = recorded.world.why_lost(held)
    return why and f"what the static {type(held).__name__} holds may have changed: {why}"


def _dynamic_operand(recorded: Recorded, op: ResidualOperation) -> int | None:
    """The first operand that is not a constant."""
    return next((arg for arg in op.args if not _is_constant(recorded, arg)), None)


def _is_constant(recorded: Recorded, value: int) -> bool:
    """Constants have no origin: they are made where they are used."""
    return value not in recorded.origins and value not in recorded.renames and recorded.hints[value] is None


@dataclass(slots=True)
class Left:
    """What remains of one source line."""

    spans: set[Span] = field(default_factory=set)
    because: tuple[Because, ...] = ()


@dataclass(slots=True)
class Trace:
    """What happened to the source, by file and line."""

    functions: list[tuple[str, str, Span | None]]
    """Qualified name, file and place of each function that was executed, in the order of first execution."""
    executed: dict[tuple[str, int], set[Span]]
    """The spans of the source operations that were executed, by line."""
    left: dict[tuple[str, int], Left]
    """The lines that left something."""
    versions: dict[tuple[str, int], int]
    """Specialization points with more than one version, by the line of their block."""
    returned: set[tuple[str, int]] = field(default_factory=set)
    """Lines whose `return` gives a value that is computed at run time."""


def trace(recorded: Recorded, root: Version, inputs: dict[int, str]) -> Trace:
    """Read the side tables off the versions that are reachable from `root`."""
    found = Trace([], {}, {}, {})
    blocks, versions = _reachable(root)
    facts: dict[int, FunctionFacts] = {}
    noted: set[tuple[int, int]] = set()
    recorded.names = dict(_variables(versions))
    for version in versions:
        for place, owner in version.executed.items():
            if place in noted:
                continue
            noted.add(place)
            uid, block = place
            if uid not in facts:
                facts[uid] = owner
                function = owner.function
                if not is_own(owner.namespace):
                    found.functions.append((function.qualname, function.file, function.span))
            _note_executed(found, owner, block)
        top = version.state.top
        span = _first_span(top.facts, top.block)
        if span is not None:
            line = (top.facts.function.file, span.line)
            found.versions[line] = found.versions.get(line, 0) + 1
    constants = [op for residual in blocks for op in residual.ops if type(op.attr) is Constant]
    recorded.held = {op.results[0]: op.attr.value for op in constants if type(op.attr) is Constant}
    for residual in blocks:
        for op in residual.ops:
            if op.where is not None and op.span is not None and op.name not in _TRIVIAL:
                _note_left(recorded, found, inputs, op.where.function.file, op.span, op)
        end = residual.end
        if end is not None and end.where is not None and end.span is not None and end.args:
            if end.name in ("return", "yield"):
                if not _is_constant(recorded, end.args[0]):
                    found.returned.add((end.where.function.file, end.span.line))
            elif end.name != "jump":
                op = ResidualOperation(end.name, end.args, end.attr, (), end.span)
                _note_left(recorded, found, inputs, end.where.function.file, end.span, op)
    found.versions = {place: count for place, count in found.versions.items() if count > 1}
    return found


def _variables(versions: list[Version]) -> Iterator[tuple[int, str]]:
    """The parameters of versions with the variables that they are."""
    for version in versions:
        for frame in version.state.frames:
            for value, content in frame.env.items():
                name = frame.facts.function.hints[value] if value >= 0 else None
                if type(content) is Dynamic and name:
                    yield content.rv, name


def _note_executed(found: Trace, owner: FunctionFacts, block: int) -> None:
    source = owner.blocks[block]
    file = owner.function.file
    for op in source.ops:
        if op.span is not None:
            spans = found.executed.setdefault((file, op.span.line), set())
            if op.operator.name not in _TRIVIAL:
                spans.add(op.span)
    if source.terminator.span is not None:
        found.executed.setdefault((file, source.terminator.span.line), set())


def _note_left(
    recorded: Recorded, found: Trace, inputs: dict[int, str], file: str, span: Span, op: ResidualOperation
) -> None:
    left = found.left.setdefault((file, span.line), Left())
    left.spans.add(span)
    if not left.because:
        operand = _dynamic_operand(recorded, op)
        if operand is not None:
            left.because = chain(recorded, inputs, operand)
        if not left.because:
            left.because = (Because(_effect(recorded, op) or "it happens at run time"),)


def _first_span(facts: FunctionFacts, block: int) -> Span | None:
    source = facts.blocks[block]
    return next((op.span for op in source.ops if op.span is not None), source.terminator.span)


def reachable(root: Version) -> list[Version]:
    """The versions that the residual consists of."""
    return _reachable(root)[1]


def _reachable(root: Version) -> tuple[list[ResidualBlock], list[Version]]:
    """Residual blocks and versions, in the order of a walk from `root`."""
    first = root.final()
    versions = [first]
    known = {first}
    blocks: list[ResidualBlock] = []
    seen: set[ResidualBlock] = set()
    work = [first.root]

    def target(found: ResidualBlock | Lazy) -> ResidualBlock:
        if isinstance(found, ResidualBlock):
            return found
        version = found.version.final()
        if version not in known:
            known.add(version)
            versions.append(version)
        return version.root

    while work:
        block = work.pop()
        if block in seen:
            continue
        seen.add(block)
        blocks.append(block)
        reached = [target(op.lazy) for op in block.ops if op.lazy is not None]
        if block.handler is not None:
            reached.append(target(block.handler))
        if block.end is not None:
            reached.extend(target(item) for item in block.end.targets)
        work.extend(reversed(reached))
    return blocks, versions
