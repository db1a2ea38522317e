"""The way of the data from top to bottom.  Read this file first.

    def count(words):                  roundtrip(count)  ->  a new function that does the same
        table = {}
        for word in words:             1  frontend.python.lower    the function's syntax tree to a `Program` in SSA;
            table[word] = ...                                      what cannot be lowered exactly is refused
        return table                   2  ir.verify                every invariant of the graph, while it is frozen
                                       3  backend.python.emit      graphs to structure, operations to expressions
                                       4  backend.python.loading   the text to a function in the place of the original

`continuation` turns the rest of a run into a function, and `load_residual` loads a program that has fewer parameters
than the function it was made of.

Invariant: what comes out of here has a code object of its own; nothing is changed in the functions that go in.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import CellType, FunctionType, MethodType
from typing import Any, Final, TypeAlias

from futamura.backend.python.emit import NameOf, Unprintable, emit
from futamura.backend.python.emitted import Emitted
from futamura.backend.python.listing import SourceMap, source_map
from futamura.backend.python.loading import Compiled, Identity, compiled, identity_of, load, swap
from futamura.backend.python.loading import load_residual as load_emitted
from futamura.errors import UnsupportedError, diagnose
from futamura.frontend.python import collector_paused, lower
from futamura.ir.continuation import Continuation, continuation_program
from futamura.ir.graph import OBJECT, Function, Program, Signature, Suspended
from futamura.optimize.contents import Contents, use_contents
from futamura.optimize.effects import count_calling
from futamura.optimize.forwarding import forward
from futamura.optimize.guards import guard_together
from futamura.optimize.inference import Known
from futamura.optimize.pipeline import PIPELINE, optimize, shrink
from futamura.optimize.representations import NUMERIC, marked_program
from futamura.optimize.shapes import of_type
from futamura.optimize.shortcuts import take_shortcuts

__all__ = [
    "Resumption", "SourceMap", "continuation", "emit_function", "load_program", "load_residual",
    "lower_for_specializer", "marked_text", "residual_text", "roundtrip", "roundtrip_source", "source_map", "swap",
]  # fmt: skip

_BEHIND_DECISIONS: Final = PIPELINE[PIPELINE.index("decisions") + 1 :]
_TIDYING: Final = ("paste", "parameters", "dce")
AGAIN: Final = ("typefold", "cse", "dce")
"""The passes that find more where the items of lists are known."""
_MERGING: Final = ("merge", "paste")
_MERGED: Final = ("late-iter", "dce")
MOST_MERGED: Final = 2_000
"""Operations of a residual that is printed a second time, to see whether it is shorter with equal blocks merged."""
_PLACING: Final = ("operands",)
"""What was unrolled over these items had names, which kept it where it stood."""

Change: TypeAlias = Callable[[Program], Program]
"""Makes another program that means the same."""


def roundtrip(target: Any, *, path: Path | None = None, change: Change | None = None) -> Any:
    """A new function that does the same, by way of the intermediate representation.

    A bound method, static method, class method or property gives the same kind of thing around the new function;
    another wrapper gives the new function alone.  With `path` the text is written to that file, which tracebacks then
    show.  `change` is done to the program on the way (`optimize.pipeline.optimize`, for example).  Raises
    `UnsupportedError`.
    """
    with collector_paused():  # once around both ways: it has little to find, and much to look at
        lowered = lower(target)
        emitted = _emitted(lowered.program if change is None else change(lowered.program))
    return _around(target, load(emitted, lowered.function, path=path))


def _around(target: object, function: FunctionType) -> object:
    """What `target` puts around its function, put around `function`."""
    match target:
        case MethodType():
            return MethodType(function, target.__self__)
        case staticmethod() | classmethod() if isinstance(target.__func__, FunctionType):
            return type(target)(function)
        case property() if isinstance(target.fget, FunctionType):
            return type(target)(function, target.fset, target.fdel, target.__doc__)
        case functools.cached_property():
            cached = functools.cached_property(function)
            cached.attrname = target.attrname
            return cached
    return function


def roundtrip_source(target: object, change: Change | None = None) -> str:
    """The text of the round trip: the function, and before it those that it calls directly, if any."""
    return emit_function(target, change).text


def _emitted(program: Program, naming: NameOf | None = None, known: Known | None = None) -> Emitted:
    """The text of a program; what the back end cannot print is a fault of ours, and is said with a code."""
    with collector_paused():
        try:
            return replace(emit(guard_together(program, known), naming=naming), calling=count_calling(program))
        except (Unprintable, NotImplementedError, KeyError) as broken:
            main = program.main
            title = f"`{main.qualname}` could not be printed: {broken}"
            code = "FT301" if isinstance(broken, Unprintable) else "FT901"
            raise UnsupportedError(diagnose(code, title, file=main.file, place=main.span)) from broken


def emit_function(target: object, change: Change | None = None) -> Emitted:
    """The emitted form of a function: its text, its constants, the source of each line.  Raises `UnsupportedError`."""
    with collector_paused():
        program = lower(target).program
        return _emitted(program if change is None else change(program))


def load_residual(
    program: Program, original: FunctionType, signature: Signature | None = None, *, path: Path | None = None
) -> FunctionType:
    """A program made of `original`, as a function.

    It runs in the globals and with the closure of `original`, and looks like it; `signature` (that of the program,
    unless given) says which of the parameters are left, and these keep their defaults and annotations.
    """
    emitted = _emitted(program)
    return load_emitted(emitted, original, program.main.signature if signature is None else signature, path=path)


def lower_for_specializer(
    function: FunctionType,
) -> tuple[Program, Function, dict[str, Any], tuple[CellType, ...]]:
    """What the specializer gets of a callee: its program, its entry, its globals and cells.

    Raises `UnsupportedError`.
    """
    lowered = lower(function)
    return lowered.program, lowered.program.main, lowered.globals, lowered.closure


def residual_text(
    program: Program,
    promised: Mapping[str, Contents] | None = None,
    known: Known | None = None,
    naming: NameOf | None = None,
) -> Emitted:
    """A residual program as text, optimized.

    `promised` is tested before its entry runs; `known` are the global names of which the program assumes what they
    are bound to, by module.
    """
    promised = _lasting(program, promised or {})
    given = {name: of_type(contents.type) for name, contents in promised.items()}

    def printed(program: Program, passes: Sequence[str]) -> tuple[Emitted, Callable[[], Program] | None]:
        """The text behind these passes, and what gives the program without decision trees, if they made such."""
        early = use_contents(program, promised, known) if promised else program
        used = early is not program
        if used:
            passes = [name for name in passes if name not in _PLACING]
        optimized, report = optimize(early, passes, known=known, given=given, keep="decisions", nameless=True)
        optimized = shrink(optimized, known=known)
        if promised and not used:  # what keeps the promises from being used may be gone now
            told = use_contents(optimized, promised, known)
            used = told is not optimized
            if used:  # the items have types now
                optimized, _ = optimize(told, AGAIN, known=known, given=given, nameless=True)
        if used:  # what has become a part of an expression since then is found now
            told = use_contents(optimized, promised or {}, known)
            optimized, _ = optimize(forward(told), _PLACING, known=known, given=given)
        return _briefest(_with_types(optimized, promised or {}), known, naming), report.kept

    with collector_paused():
        found, keeping = printed(program, PIPELINE)
        if keeping is None or not any(_encoded(found)):
            return found
        undecided = keeping()
        # Whether it would be plainer without decision trees is asked of an outline first: the passes take long.
        outline, _ = optimize(undecided, _TIDYING, known=known, given=given)
        if _encoded(found) <= _encoded(_emitted(outline, naming, known)):
            return found
        plain, _ = printed(undecided, _BEHIND_DECISIONS)
        return found if _encoded(found) <= _encoded(plain) else plain


def _lasting(program: Program, promised: Mapping[str, Contents]) -> Mapping[str, Contents]:
    """The promises that hold of each call: where the residual calls itself, nothing is tested."""
    main = program.main
    again = [
        (function, op)
        for function in program.functions
        for op in function.operations()
        if op.name == "invoke" and op.attr == main.name
    ]
    return {
        name: promised[name]
        for at, (name, param) in enumerate(zip(main.signature.names, main.entry.params))
        if name in promised and all(function is main and op.args[at] == param for function, op in again)
    }


def _encoded(emitted: Emitted) -> tuple[int, int, int]:
    """What stands in the text to encode control flow: dispatchers, flags, and loops, which may be run through once."""
    return emitted.dispatchers, emitted.flags, emitted.text.count("while True:")


def _with_types(program: Program, promised: Mapping[str, Contents]) -> Program:
    """The program with the promised classes of its inputs, which were tested before it runs, as their types."""
    main = program.main
    told = {value: promised[name].type for name, value in zip(main.signature.names, main.entry.params)
            if name in promised and promised[name].type != OBJECT}  # fmt: skip
    if not told:
        return program
    types = tuple([told.get(value, kind) for value, kind in enumerate(main.types)])
    functions = [replace(one, types=types) if one is main else one for one in program.functions]
    return replace(program, functions=tuple(functions))


def _briefest(program: Program, known: Known | None, naming: NameOf | None) -> Emitted:
    """The text, with blocks that do the same made one where it is the shorter for it and control flow needs no more.

    What stood twice because it is reached with different knowledge (behind both ways of an `or`) is a condition again.
    """
    found = _shortened(program, known, naming)
    size = _size(program)
    if size > MOST_MERGED:
        return found
    merged, report = optimize(program, _MERGING, known=known)
    if not report.changed["merge"] or _size(merged) >= size:
        return found
    merged, _ = optimize(merged, _MERGED, known=known)
    other = _shortened(merged, known, naming)
    return other if _encoded(other) <= _encoded(found) and len(other.text) < len(found.text) else found


def _size(program: Program) -> int:
    return sum([len(block.ops) for function in program.functions for block in function.blocks])


def _shortened(program: Program, known: Known | None, naming: NameOf | None) -> Emitted:
    """The text with tests led past those that follow from them."""
    shorter = take_shortcuts(program)
    found = _emitted(forward(shorter), naming, known)
    if shorter is program or not (found.dispatchers or found.flags):
        return found
    return _plainer(found, _emitted(forward(program), naming, known))


def _plainer(found: Emitted, plain: Emitted) -> Emitted:
    """Ways that are shorter by a few tests are no gain if control flow has to be encoded for them."""
    return found if (found.dispatchers, found.flags) <= (plain.dispatchers, plain.flags) else plain


def marked_text(target: object) -> str:
    """The program of a target with its representations behind the lines.

    Parameters are believed to be of the classes that they are annotated with, builtins to keep their meaning.  Raises
    `UnsupportedError`.
    """
    lowered = lower(target)
    annotations = lowered.function.__annotations__
    promised = {name: getattr(kind, "__name__", kind) for name, kind in annotations.items()}
    given = {name: of_type(kind) for name, kind in promised.items() if kind in NUMERIC}
    module = lowered.program.main.module
    known = {(module, name): value for name, value in vars(builtins).items() if name not in lowered.globals}
    return marked_program(lowered.program, given, known)


def load_program(
    program: Program, globals: dict[str, Any], closure: tuple[CellType, ...] = (), *, path: Path | None = None
) -> FunctionType:
    """A program that stands for no function in particular; `closure` has the cells of its entry's free names."""
    cells = dict(zip(program.main.free, closure))
    return _compiled(program, path=path).function(globals, cells)


def _compiled(program: Program, flags: int = 0, path: Path | None = None) -> Compiled:
    main = program.main
    name = main.qualname.rpartition(".")[2]
    return compiled(_emitted(program), Identity(name, main.qualname, main.file, flags), path=path)


@dataclass(frozen=True, slots=True)
class Resumption:
    """The rest of a run as a callable.

    Its arguments: the live-in values, then the exceptions that are being handled, outermost first, then the cells of
    the variables that nested functions share.  Each call makes a function with these cells in its closure.
    """

    program: Program
    point: Continuation
    code: Compiled
    globals: dict[str, Any]

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the arguments."""
        return (*self.point.function.signature.names, *self.point.function.free)

    def __call__(self, *live: Any) -> Any:
        if len(live) != len(self.parameters):
            raise TypeError(f"{len(live)} live-ins instead of {len(self.parameters)}: {', '.join(self.parameters)}")
        count = len(live) - len(self.point.cells)
        return self.bind(dict(zip(self.point.function.free, live[count:])))(*live[:count])

    def bind(self, cells: Mapping[str, CellType]) -> FunctionType:
        """The function of the values and active exceptions alone."""
        return self.code.function(self.globals, cells)

    def resume(self, state: Suspended) -> Any:
        """Go on from a state in which the interpreter stopped."""
        environment = state.environment
        values = [environment[value] for value in self.point.values]
        return self(*values, *state.active, *(environment[value] for value in self.point.cells))


def continuation(target: object, block: int, index: int, *, function: str | None = None) -> Resumption:
    """The rest of a run of `target` from before operation `index` of `block` on, as a function of the live-ins.

    `function` names the function of the program in which the point lies, if it is not the entry but one nested in it.
    """
    lowered = lower(target)
    program, point = continuation_program(lowered.program, function or lowered.program.entry, block, index)
    flags = identity_of(lowered.function).flags
    return Resumption(program, point, _compiled(program, flags), lowered.globals)
