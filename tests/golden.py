"""Golden cases: text files with several cases each, that are compared and also run.

    [case while_sum]
    [in]
    def f(n):
        ...
    [do] roundtrip
    [out]
    def f(n):
        ...
    [run] f(3) == 6
    [run] f(None) raises TypeError

Sections of a case:
    [case NAME]     starts a case
    [python] 3.12   optional: the first version (a range "3.11 - 3.12" too) on which the case means something
    [in]            a module; the subject is `f` unless [do] names another
    [do] ACTION [TARGET]    roundtrip (the default), unnamed, ir, refuse, opt:PASSES; TARGET is a name or a dotted one,
                    `A.m`
    [out]           what the action prints; none: the case is only run
    [out 3.12]      what it prints from that version on, where the versions compile the source differently
    [run] EXPR      must not be False, and value, log and exception must be the same in the original, in the module
                    with its subject replaced, and with the subject run by the reference interpreter
    [run] EXPR raises NAME      the exception's class, by name

`opt:cse,dce` prints the function behind these passes of the optimizer ("all": the whole pipeline).  Annotations of the
subject's parameters are promises there, and builtins that the module does not define keep their meaning, as does
`struct.unpack_from`, `struct.unpack` and objects of `struct.Struct`.  `unnamed` prints a round trip in which no value
remembers its variable, as it is with most values of a residual.

In [in] and [run], `note(x)` appends x to the log and returns it; `log` is that list, empty at the start of each run.
Invariant: goldens never differ by the order of a set or by an address; `describe` prints neither.
"""

from __future__ import annotations

import builtins
import linecache
import re
import struct
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import futamura.ir.text
from futamura import errors
from futamura.driver import roundtrip, roundtrip_source
from futamura.frontend.python import lower
from futamura.ir.frames import Machine
from futamura.ir.graph import Program
from futamura.ir.interp import closure_of
from futamura.optimize.pipeline import PIPELINE, optimize
from futamura.optimize.shapes import Shape, of_type
from tools.unnamed import unnamed

__all__ = [
    "Case",
    "CaseError",
    "Outcome",
    "World",
    "act",
    "interpreted",
    "passes_of",
    "promises_of",
    "read_cases",
    "replaced",
    "run",
    "targets_of",
    "world",
    "write_outs",
]

CASES = Path(__file__).resolve().parent / "cases"
ADDRESS = re.compile(r"0x[0-9a-f]+")
SECTIONS = ("case", "python", "in", "do", "out", "run")


class CaseError(Exception):
    """A case file that does not follow the format."""


@dataclass
class Case:
    """One case; `outs` maps the version from which an [out] section holds to its text."""

    file: Path
    name: str
    line: int
    source: str = ""
    action: str = "roundtrip"
    target: str = "f"
    versions: tuple[tuple[int, int], tuple[int, int]] = ((3, 11), (3, 99))
    outs: dict[tuple[int, int], str] = field(default_factory=dict)
    runs: list[tuple[int, str]] = field(default_factory=list)

    @property
    def id(self) -> str:
        return f"{self.file.relative_to(CASES).with_suffix('')}:{self.name}"

    @property
    def out_version(self) -> tuple[int, int] | None:
        """The key of the [out] section that holds for this version of Python; None if there is none."""
        return max((version for version in self.outs if version <= sys.version_info[:2]), default=None)

    @property
    def out(self) -> str | None:
        return None if self.out_version is None else self.outs[self.out_version]

    @property
    def applies(self) -> bool:
        return self.versions[0] <= sys.version_info[:2] <= self.versions[1]


def _version(text: str) -> tuple[int, int]:
    major, _, minor = text.strip().partition(".")
    return int(major), int(minor)


def _out_version(argument: str) -> tuple[int, int]:
    return _version(argument) if argument.strip() else (3, 11)


def read_cases(path: Path) -> list[Case]:
    """The cases of one file, in order."""
    cases: list[Case] = []
    body: list[str] | None = None
    starts: list[tuple[Case, str, str, list[str]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        head, closing, rest = line.partition("]")
        word, _, argument = head[1:].partition(" ")
        if not (head.startswith("[") and closing and word in SECTIONS):
            if body is not None:
                body.append(line)
            elif line.strip() and not line.startswith("#"):
                raise CaseError(f"{path}:{number}: text outside of a section")
            continue
        body = None
        if word == "case":
            cases.append(Case(path, argument.strip(), number))
            continue
        if not cases:
            raise CaseError(f"{path}:{number}: [{word}] before the first [case ...]")
        body = _section(cases[-1], word, argument.strip(), rest.strip(), number, starts)
    for case, word, argument, lines in starts:
        text = "\n".join(lines).strip("\n") + "\n"
        if word == "in":
            case.source = text
        else:
            case.outs[_out_version(argument)] = text
    if len({case.name for case in cases}) != len(cases):
        raise CaseError(f"{path}: two cases have the same name")
    return cases


def _section(
    case: Case, word: str, argument: str, rest: str, number: int, starts: list[tuple[Case, str, str, list[str]]]
) -> list[str] | None:
    if word in ("in", "out"):
        lines: list[str] = []
        starts.append((case, word, argument, lines))
        return lines
    if word == "do":
        case.action, _, target = rest.partition(" ")
        case.target = target.strip() or "f"
    elif word == "python":
        first, dash, last = rest.partition("-")
        case.versions = (_version(first), _version(last) if dash else (3, 99))
    else:
        case.runs.append((number, rest))
    return None


def write_outs(path: Path, outs: dict[tuple[str, tuple[int, int]], str]) -> None:
    """Rewrite the [out] sections named in `outs` by case and version; everything else stays as it is."""
    result: list[str] = []
    name, skipping = "", False
    for line in path.read_text(encoding="utf-8").split("\n"):
        head, closing, _ = line.partition("]")
        word, _, argument = head[1:].partition(" ")
        if head.startswith("[") and closing and word in SECTIONS:
            skipping = False
            if word == "case":
                name = argument.strip()
            result.append(line)
            key = (name, _out_version(argument)) if word == "out" else None
            if key is not None and key in outs:
                result.extend(outs[key].rstrip("\n").split("\n"))
                skipping = True
        elif not skipping or not line.strip():
            result.append(line)
    text = "\n".join(result)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    path.write_text(text, encoding="utf-8")


@dataclass
class World:
    """A module made from a case's [in]."""

    module: types.ModuleType
    log: list[object]


def world(case: Case, name: str = "case") -> World:
    """A fresh module that ran the case's source, known to `linecache`."""
    filename = f"<{name} {case.id}>"
    linecache.cache[filename] = (len(case.source), None, case.source.splitlines(keepends=True), filename)
    module = types.ModuleType("case_module")
    log: list[object] = []

    def note(value: object) -> object:
        log.append(value)
        return value

    module.__dict__.update(__file__=filename, log=log, note=note)
    exec(compile(case.source, filename, "exec", dont_inherit=True), module.__dict__)
    return World(module, log)


def _owner(here: World, target: str) -> tuple[object, str]:
    owner: object = here.module
    *path, last = target.split(".")
    for part in path:
        owner = getattr(owner, part)
    return owner, last


def targets_of(here: World, target: str) -> tuple[types.FunctionType, Callable[[types.FunctionType], None]]:
    """The function that `target` names, and how to put another one in its place."""
    owner, name = _owner(here, target)
    raw = vars(owner)[name]
    wrap: Callable[[types.FunctionType], object] = lambda function: function  # noqa: E731
    if isinstance(raw, staticmethod | classmethod):
        wrap, raw = type(raw), raw.__func__
    elif isinstance(raw, property):
        old = raw
        wrap, raw = (lambda function: property(function, old.fset, old.fdel, old.__doc__)), raw.fget
    if not isinstance(raw, types.FunctionType):
        raise CaseError(f"{target} is not a function")
    return raw, lambda function: setattr(owner, name, wrap(function))


def act(case: Case) -> str:
    """What the case's action prints."""
    function, _ = targets_of(world(case), case.target)
    if case.action in ("roundtrip", "unnamed") or case.action.startswith("opt:"):
        return roundtrip_source(function, _change(case, function)).strip("\n") + "\n"
    if case.action == "ir":
        return futamura.ir.text.print_program(lower(function).program).strip("\n") + "\n"
    if case.action == "refuse":
        try:
            lower(function)
        except errors.FutamuraError as error:
            return errors.render(error.diagnostic).strip("\n") + "\n"
        raise CaseError(f"{case.id}: nothing was refused")
    raise CaseError(f"{case.file}:{case.line}: unknown action {case.action!r}")


def _change(case: Case, function: types.FunctionType) -> Callable[[Program], Program] | None:
    """What `opt:PASSES` or `unnamed` does to a program."""
    if case.action == "unnamed":
        return unnamed
    if not case.action.startswith("opt:"):
        return None
    known, given = promises_of(function)
    return lambda program: optimize(program, passes_of(case), known=known, given=given)[0]


def promises_of(function: types.FunctionType) -> tuple[dict[tuple[str, str], object], dict[str, Shape]]:
    """Which globals keep their meaning, and what is known of the parameters."""
    module = function.__globals__
    known = {(module["__name__"], name): value for name, value in vars(builtins).items() if name not in module}
    kept = {name: one for name, one in module.items() if one in (struct.unpack_from, struct.unpack)}
    kept |= {name: one for name, one in module.items() if type(one) is struct.Struct}
    known.update({(module["__name__"], name): one for name, one in kept.items()})
    return known, {name: of_type(kind.__name__) for name, kind in function.__annotations__.items()}


def passes_of(case: Case) -> tuple[str, ...]:
    """The passes that the case names; none for an action that is no `opt`."""
    action, _, listed = case.action.partition(":")
    if action != "opt":
        return ()
    return PIPELINE if listed == "all" else tuple(listed.split(","))


@dataclass(frozen=True)
class Outcome:
    """What can be observed of one run."""

    value: str
    raised: str
    chain: str
    log: str


def describe(value: object) -> str:
    """A text that tells values apart, types included, and has no address in it."""
    if isinstance(value, types.FunctionType | types.GeneratorType | type):
        return f"{type(value).__name__} {value.__qualname__}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(describe, value))})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{describe(key)}: {describe(item)}" for key, item in value.items()) + "}"
    if isinstance(value, set | frozenset):
        return f"{type(value).__name__}({', '.join(sorted(map(describe, value)))})"
    if type(value).__repr__ is object.__repr__:
        return f"{type(value).__name__} object"
    return f"{type(value).__name__} {ADDRESS.sub('0x', repr(value))}"


def _chain(error: BaseException) -> str:
    """The exceptions behind `error`: its cause and its context, by class."""
    parts = []
    seen = {id(error)}
    step: BaseException | None = error
    while step is not None:
        following = step.__cause__ or step.__context__
        if following is None or id(following) in seen:
            break
        parts.append(
            ("cause " if step.__cause__ else "context ") + type(following).__name__ + f" {step.__suppress_context__}"
        )
        seen.add(id(following))
        step = following
    return "; ".join(parts)


def run(here: World, expression: str) -> Outcome:
    """Evaluate `expression` in the module, and say all that can be observed."""
    here.log.clear()
    value, raised, chain = "", "", ""
    try:
        value = describe(eval(expression, here.module.__dict__))
    except Exception as error:
        text = "" if isinstance(error, RecursionError) else str(error)  # it says where the limit was met
        raised, chain = ADDRESS.sub("0x", f"{type(error).__name__}: {text}"), _chain(error)
    return Outcome(value, raised, chain, describe(here.log))


def replaced(case: Case) -> World:
    """The case's module with its subject replaced by its round trip."""
    here = world(case)
    function, put = targets_of(here, case.target)
    put(roundtrip(function, change=_change(case, function)))
    return here


def interpreted(case: Case) -> World:
    """The case's module with its subject run by the reference interpreter."""
    here = world(case)
    function, put = targets_of(here, case.target)
    program = lower(function).program
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    machine = Machine(program, function.__globals__, None, None)
    closure = tuple(cells[name] for name in program.main.free)
    result = closure_of(machine, program.main, closure, function.__defaults__ or (), function.__kwdefaults__)
    result.__dict__.update(function.__dict__)
    result.__annotations__ = function.__annotations__
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(result, name, getattr(function, name))
    put(result)
    return here
