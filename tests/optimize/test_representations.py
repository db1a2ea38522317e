"""Representations, checked against what runs of the interpreter see.

    v3 is marked int64, `add` gives up on "overflow"      ->  each value of v3 is an int that fits, or the run gave up
    `mul` is marked int64 and gives up on nothing         ->  machine arithmetic, done here, gives what Python gave

A run that gave up is no longer bound to its marks.  Invariant: every value that a frame binds is looked at.
"""

from __future__ import annotations

import collections
import math
import random
import re
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner

from futamura.cli.main import cli
from futamura.ir.build import FunctionBuilder
from futamura.ir.frames import Frame, Machine, OutOfFuel
from futamura.ir.graph import Edge, Function, Program, Signature, Value
from futamura.ir.interp import closure_of
from futamura.ir.parse import parse_program
from futamura.optimize import native as native_module
from futamura.optimize import representations as module
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.inference import Inference
from futamura.optimize.native import BOOL, BUFFER, FLOAT64, INT64, OBJECT, Native
from futamura.optimize.pipeline import optimize
from futamura.optimize.representations import Marks, marked_text, marks
from futamura.optimize.shapes import Shape, of_type
from tests.optimize import programs

FITS: Final = range(-(1 << 63), 1 << 63)
GIVEN: Final = {"a": Shape("int"), "b": Shape("int"), "s": Shape("str"), "xs": Shape("list")}


# -------------------------------------------------------------------- a run that looks at marks


class Watched(Machine):
    """Runs the entry with its marks watched; `gave_up` says where a run left native code."""

    def __init__(self, program: Program, found: Marks, globals: dict[str, Any]) -> None:
        super().__init__(program, globals, None, 100_000)
        self.marks = found
        self.gave_up: list[str] = []
        self.wrong: list[str] = []
        self.checked = collections.Counter[str]()
        self.ends: dict[int, list[int]] = collections.defaultdict(list)
        """For each block the terminators that lead to it."""
        for block in program.main.blocks:
            for edge in (*block.terminator.edges, *([block.handler] if block.handler else ())):
                self.ends[edge.target].append(block.terminator.id)

    def enter(self, function: Function, values: tuple[object, ...]) -> Frame:
        frame = WatchedFrame(self, function)
        frame.environment = Environment(frame)
        frame.environment.update(zip(function.entry.params, values))
        return frame


class WatchedFrame(Frame):
    """An operation that raises must have given up, if it is native."""

    machine: Watched

    def catch(self, region: int, exception: BaseException) -> int:
        self.raised(exception)
        return super().catch(region, exception)

    def raised(self, exception: BaseException) -> None:
        machine = self.machine
        if machine.gave_up or isinstance(exception, OutOfFuel) or self.index >= len(self.block.ops):
            return
        op = self.block.ops[self.index]
        if op.id in machine.marks.native and not machine.marks.native[op.id].gives_up:
            machine.wrong.append(f"{op.name} {op.args} raised {exception!r}")


class Environment(dict[int, Any]):
    """The values of a frame; each binding is compared with its mark."""

    def __init__(self, frame: WatchedFrame) -> None:
        super().__init__()
        self.frame = frame
        self.machine = frame.machine

    def __setitem__(self, value: int, bound: Any) -> None:
        super().__setitem__(value, bound)
        if not self.machine.gave_up:
            self.operation(bound)
            self.bind(value, bound, self.reasons(self.op.id))

    def update(self, pairs: Iterable[tuple[int, Any]]) -> None:  # type: ignore[override]
        for value, bound in pairs:
            super().__setitem__(value, bound)
            if not self.machine.gave_up:
                block = self.frame.block.id
                entering = [one for one in self.machine.marks.entering.get(block, ()) if one.value == value]
                allowed = any(one.gives_up for one in entering) or any(map(self.reasons, self.machine.ends[block]))
                self.bind(value, bound, allowed)

    @property
    def op(self) -> Any:
        return self.frame.block.ops[self.frame.index]

    def reasons(self, at: int) -> bool:
        """May something give up at this operation or terminator?"""
        found = self.machine.marks
        converted = (*found.before.get(at, ()), *found.behind.get(at, ()))
        return any(one.gives_up for one in converted) or (at in found.native and bool(found.native[at].gives_up))

    def bind(self, value: Value, bound: object, may_give_up: bool) -> None:
        kind = self.machine.marks.values.get(value, OBJECT)
        self.machine.checked[kind] += kind != OBJECT
        if not holds(kind, bound):
            if kind == INT64 and type(bound) is int and may_give_up:
                self.machine.gave_up.append("does not fit")
            else:
                self.machine.wrong.append(f"v{value} is marked {kind}, and was {bound!r}")

    def operation(self, result: object) -> None:
        op = self.op
        found = self.machine.marks.native.get(op.id)
        if found is None or self.machine.gave_up:
            return
        args = [self[value] for value in op.args[len(op.args) - len(found.takes) :]]
        name = op.name if op.name != "call" else self[op.args[0]].__name__ + "()"
        if any(type(arg) is int and arg not in FITS for arg in args):
            if not any(one.gives_up for one in self.machine.marks.before.get(op.id, ())):
                self.machine.wrong.append(f"{name} {args}: no conversion gives up")
            self.machine.gave_up.append("does not fit")
            return
        self.machine.checked[f"{name} to {found.gives}"] += 1
        reasons = {why for why in NEEDED if NEEDED[why](name, found, args, result)}
        if reasons:
            if not reasons & set(found.gives_up):
                self.machine.wrong.append(f"{name} {args} = {result!r} gives up only on {found.gives_up}")
            self.machine.gave_up.extend(sorted(reasons))
        elif not same(computed(name, found, args), result):
            self.machine.wrong.append(f"{name} {args} = {result!r}, but natively {computed(name, found, args)!r}")


def holds(kind: str, value: object) -> bool:
    """Is the value one that this representation holds?"""
    if kind == INT64:
        return type(value) is int and value in FITS
    classes: dict[str, tuple[type, ...]] = {FLOAT64: (float,), BOOL: (bool,), BUFFER: (bytes, bytearray)}
    return kind == OBJECT or type(value) in classes[kind]


def same(one: object, other: object) -> bool:
    """To the last bit, and of one type."""
    if type(one) is float and type(other) is float:
        return struct.pack("d", one) == struct.pack("d", other) or (math.isnan(one) and math.isnan(other))
    return type(one) is type(other) and one == other


# -------------------------------------------------------------------- what a machine does

Needed = Callable[[str, Native, list[Any], Any], bool]
SIGNED: Final[dict[str, Callable[[int, int], int]]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
    "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
    "lshift": lambda a, b: a << b, "rshift": lambda a, b: a >> min(b, 63),
}  # fmt: skip
FLOATS: Final[dict[str, Callable[[float, float], float]]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "truediv": lambda a, b: a / b,
    "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
}  # fmt: skip
ORDER: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}  # fmt: skip


def wrapped(number: int) -> int:
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def plain(name: str) -> str:
    return name[1:] if name[0] == "i" and name[1:] in SIGNED | FLOATS else name


def computed(name: str, found: Native, args: list[Any]) -> object:
    """The operation on 64-bit integers that wrap around, doubles, and bits."""
    name = plain(name)
    if name == "getitem":
        return args[0][args[1]]
    if name == "len()":
        return len(args[0])
    taken = [float(arg) if kind == FLOAT64 else int(arg) for arg, kind in zip(args, found.takes)]
    if len(taken) == 2:
        if name in ORDER:
            return ORDER[name](*taken)
        if name in ("min()", "max()"):
            one, other = taken
            return other if (other < one if name == "min()" else other > one) else one
        if name in ("is", "is_not"):
            return (taken[0] == taken[1]) is (name == "is")
        value = FLOATS[name](*taken) if found.gives == FLOAT64 else wrapped(SIGNED[name](*taken))
        return bool(value) if found.gives == BOOL else value
    (value,) = taken
    if name in ("truth", "bool()", "not"):
        return (value != 0) is (name != "not")
    if name in ("float()", "int()"):
        return float(value) if name == "float()" else wrapped(int(value))
    if name == "abs()":
        return math.copysign(value, 1.0) if type(value) is float else wrapped(-value if value < 0 else value)
    result = {"neg": lambda: -value, "pos": lambda: value, "invert": lambda: ~value}[name]()
    return result if type(result) is float else wrapped(result)


def _overflows(name: str, found: Native, args: list[Any], result: Any) -> bool:
    return found.gives == INT64 and name != "int()" and type(result) is int and result not in FITS


def _inexact(name: str, found: Native, args: list[Any], result: Any) -> bool:
    whole = [arg for arg, kind in zip(args, found.takes) if kind == FLOAT64 and type(arg) is int]
    compares = plain(name) in ORDER or (plain(name) == "truediv" and len(whole) == 2)
    return compares and any(abs(arg) > 1 << 53 for arg in whole)


def _counts_badly(name: str, found: Native, args: list[Any], result: Any) -> bool:
    return plain(name) == "lshift" and not 0 <= args[1] <= 63


def _is_out_of_range(name: str, found: Native, args: list[Any], result: Any) -> bool:
    return name == "int()" and result not in FITS


NEEDED: Final[dict[str, Needed]] = {
    "overflow": _overflows, "inexact": _inexact, "shift count": _counts_badly, "out of range": _is_out_of_range,
}  # fmt: skip
"""When an operation that went well must have given up, by reason; what raised is looked at where it raises."""


# -------------------------------------------------------------------- random programs


EDGES: Final = (
    0, 1, -1, 2, 63, 64, 255, 1 << 31, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, -(1 << 63), 1 << 63,
    1 << 70,
)  # fmt: skip
REALS: Final = (0.0, -0.0, 1.0, -1.5, 0.1, 1e300, 2.0**53, 2.0**63, math.inf, -math.inf, math.nan)
SEEDS: Final = 240
TYPES: Final = {"i": "int", "j": "int", "x": "float", "y": "float", "p": "bool", "q": "bool", "s": "bytes"}
NAMES: Final = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"),
    *(
        "iadd",
        "imul",
        "ixor",
        "lt",
        "le",
        "gt",
        "ge",
        "eq",
        "ne",
        "neg",
        "pos",
        "invert",
        "not",
        "truth",
        "is",
        "is_not",
    ),
    *("getitem", "len()", "abs()", "float()", "int()", "bool()", "min()", "max()", "join", "mask"),
)


def arithmetic(number: random.Random) -> Function:
    """Operations on numbers of all types, with joins of two values; many raise a TypeError sooner or later."""
    builder = FunctionBuilder("f", Signature(regular=tuple(TYPES)), module="m")
    block = builder.block()
    values = list(builder.params(block, *TYPES))
    for _ in range(number.randrange(3, 9)):
        name = number.choice(NAMES)
        one, other = number.choice(values), number.choice(values)
        if number.random() < 0.3:
            other = builder.constant(block, number.choice((*EDGES, *REALS, True, False)))
        if name == "lshift":  # no numbers of a million digits
            low = builder.constant(block, number.choice((7, 63, 127)))
            other = builder.emit(block, "and", (values[number.randrange(2)], low), None)
        if name == "join":
            then, after = builder.block(), builder.block()
            (param,) = builder.params(after, "r")
            test = builder.emit(block, "truth", (number.choice(values),), None)
            builder.terminate(block, "branch", (test,), (Edge(then.id), Edge(after.id, (one,))))
            builder.terminate(then, "jump", (), (Edge(after.id, (other,)),))
            block = after
            values.append(param)
        elif name == "mask":
            low = builder.constant(block, number.choice((1, 255, (1 << 31) - 1, (1 << 62) - 1)))
            values.append(builder.emit(block, "and", (one, low), None))
        elif name.endswith("()"):
            called = builder.emit(block, "global_get", (), ("m", name[:-2]))
            args = (one, other) if name in ("min()", "max()") else (values[6] if name == "len()" else one,)
            values.append(builder.emit(block, "call", (called, *args), None))
        elif name in ("neg", "pos", "invert", "not", "truth"):
            values.append(builder.emit(block, name, (one,), None))
        else:
            values.append(builder.emit(block, name, (values[6] if name == "getitem" else one, other), None))
    builder.terminate(block, "return", (values[-1],))
    return builder.finish()


def watched(function: Function, given: dict[str, Shape], args: tuple[Any, ...], globals: dict[str, Any]) -> Watched:
    """Run it once, with its marks watched."""
    graph = FlowGraph(function)
    shapes = {
        param: given[name] for name, param in zip(function.signature.names, function.entry.params) if name in given
    }
    found = marks(graph, Inference(graph, shapes, KNOWN))
    machine = Watched(Program("f", (function,)), found, globals)
    frames: list[WatchedFrame] = []
    enter = machine.enter

    def entered(function: Function, values: tuple[object, ...]) -> Frame:
        frame = enter(function, values)
        assert isinstance(frame, WatchedFrame)
        frames.append(frame)
        return frame

    machine.enter = entered  # type: ignore[method-assign]
    try:
        closure_of(machine, function, ())(*args)
    except Exception as error:
        frames[0].raised(error)
    return machine


KNOWN: Final = {**programs.KNOWN, ("m", "bool"): bool}


def check(seed: int, counts: collections.Counter[str]) -> list[str]:
    """What is wrong with the marks of the programs of this seed."""
    number = random.Random(seed)
    wrong: list[str] = []
    typed = {name: of_type(kind) for name, kind in TYPES.items()}
    function = arithmetic(number)
    for _ in range(4):
        args = (
            number.choice(EDGES), number.choice(EDGES), number.choice(REALS), number.choice(REALS),
            number.random() < 0.5, number.random() < 0.5, b"\x00\x07\xff",
        )  # fmt: skip
        run = watched(function, typed, args, {"__name__": "m"})
        counts.update(run.checked)
        counts.update(run.gave_up)
        wrong.extend(run.wrong)
    if seed % 6 == 0:
        function = programs.random_function(number, 60)
        for at in range(2):
            a, b, s, xs = programs.arguments(number)
            globals: dict[str, Any] = {"__name__": "m", "g": 1, "h": 2}
            recorder = programs.Recorder(seed + at, xs, globals)
            run = watched(function, GIVEN, (recorder, a, b, s, xs), globals)
            counts.update(run.checked)
            wrong.extend(run.wrong)
    return wrong


@pytest.mark.interpreted
def test_marks_hold_in_runs() -> None:
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(SEEDS):
        assert check(seed, counts) == [], seed
    assert {kind for kind in (INT64, FLOAT64, BOOL, BUFFER) if counts[kind] < 50} == set()
    assert {why for why in (*NEEDED, "does not fit") if not counts[why]} == set()


FAULTS: Final[dict[str, tuple[Any, str, Callable[[Any], Any]]]] = {
    "nothing overflows": (native_module, "fits", lambda old: lambda shape: True),
    "negation never overflows": (native_module, "_negated", lambda old: lambda shape: ()),
    "no divisor is zero": (native_module, "_zero", lambda old: lambda shape: ()),
    "every int is exact as a float": (native_module, "_is_exact", lambda old: lambda shape: True),
    "True is 1": (
        module, "representation_of", lambda old: lambda shape: INT64 if shape.type == "bool" else old(shape),
    ),
    "floats are compared as ints": (
        native_module, "_compared", lambda old: lambda one, other: Native((INT64, INT64), BOOL),
    ),
    "objects always fit": (module, "fits", lambda old: lambda shape: True),
    "unknown values are ints": (
        module, "representation_of", lambda old: lambda shape: old(shape) if shape.type != "object" else INT64,
    ),
}  # fmt: skip


@pytest.mark.interpreted
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, attribute, change = FAULTS[name]
    monkeypatch.setattr(owner, attribute, change(getattr(owner, attribute)))
    counts: collections.Counter[str] = collections.Counter()
    assert any(check(seed, counts) for seed in range(2 * SEEDS))


# -------------------------------------------------------------------- pictures


PICTURE: Final = """program f

func f(t, n, x) module m
b0(v0:t, v1:n, v2:x):
  v3 = const 0
  v4 = const 0.0
  jump b1(v3, v4)
b1(v5:i, v6:total):
  v7 = lt v5, v1
  branch v7 -> b2() | b3()
b2():
  v8 = mul v6, v2
  v9 = add v8, v5
  v10 = call v0, v9
  v11 = const 1
  v12 = add v5, v11
  jump b1(v12, v9)
b3():
  return v6
"""


def test_picture() -> None:
    program = parse_program(PICTURE)
    graph = FlowGraph(program.main)
    _, n, x = program.main.entry.params
    inference = Inference(graph, {n: Shape("int"), x: Shape("float")}, KNOWN)
    text = marked_text(program.main, marks(graph, inference))
    assert (
        text
        == """func f(t, n, x) module m
b0(v0:t, v1:n, v2:x):    ; v1 object to int64 unless does not fit; v2 object to float64
  v3 = const 0
  v4 = const 0.0
  jump b1(v3, v4)
b1(v5:i, v6:total):    ; v5 int64; v6 float64
  v7 = lt v5, v1    ; bool
  branch v7 -> b2() | b3()
b2():
  v8 = mul v6, v2    ; float64
  v9 = add v8, v5    ; v5 int64 to float64; float64
  v10 = call v0, v9    ; v9 float64 to object
  v11 = const 1
  v12 = add v5, v11    ; int64
  jump b1(v12, v9)
b3():
  return v6    ; v6 float64 to object
"""
    )


def test_types_of_values() -> None:
    given = {"n": Shape("int"), "x": Shape("float")}
    program, report = optimize(parse_program(PICTURE), ("representations",), given=given)
    types = program.main.types
    assert [types[value] for value in (0, 1, 2, 3, 5, 6, 7, 9, 10)] == [
        OBJECT, INT64, FLOAT64, OBJECT, INT64, FLOAT64, BOOL, FLOAT64, OBJECT,
    ]  # fmt: skip
    assert report.changed["representations"] == 1
    again, report = optimize(program, ("representations",), given=given)
    assert again is not None and report.changed["representations"] == 0


def test_what_only_travels_stays_an_object() -> None:
    program = parse_program("""program f

func f(n) module m
b0(v0:n):
  jump b1(v0)
b1(v1):
  return v1
""")
    graph = FlowGraph(program.main)
    assert marks(graph, Inference(graph, {0: Shape("int")}, {})).values == {}


def test_command(tmp_path: Path) -> None:
    source = tmp_path / "subject.py"
    source.write_text("def f(n: int, x: float, y):\n    return n * x + len(y)\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["ir", "--representations", f"{source}:f"])
    assert done.exit_code == 0
    assert "v0 object to int64 unless does not fit; v1 object to float64" in done.output
    assert re.search("mul v0, v1 .*    ; v0 int64 to float64; float64\n", done.output)
    assert "    ; " not in CliRunner().invoke(cli, ["ir", f"{source}:f"]).output
