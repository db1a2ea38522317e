"""Machines with a call stack of their own, and programs that call themselves: what the stack grows by is not known any
more, but the places to return to are few, and each goes on in code of its own.

Invariant: what somebody else has put in the place of one of them goes on in general code, whatever it is.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .bounds import bounded
from .specializing import specialize

FACT = (
    ("arg", 0), ("jz", 10), ("hook", 0), ("arg", 0), ("arg", 0), ("push", 1), ("sub", 0), ("call", 0), ("hook", 0),
    ("jmp", 12), ("push", 1), ("ret", 0), ("mul", 0), ("ret", 0),
)  # fmt: skip
TWICE = (
    ("arg", 0), ("jz", 14), ("arg", 0), ("push", 1), ("sub", 0), ("call", 0), ("arg", 0), ("push", 1), ("sub", 0),
    ("call", 0), ("sub", 0), ("arg", 0), ("sub", 0), ("ret", 0), ("push", 1), ("ret", 0),
)  # fmt: skip


def of_tuples(code, x, hook):
    frames = [(-1, x)]
    pc = 0
    stack = []
    while frames:
        op, a = code[pc]
        pc += 1
        if op == "arg":
            stack.append(frames[-1][1])
        elif op == "push":
            stack.append(a)
        elif op == "sub":
            b = stack.pop()
            stack[-1] -= b
        elif op == "mul":
            b = stack.pop()
            stack[-1] *= b
        elif op == "jz":
            if not stack.pop():
                pc = a
        elif op == "jmp":
            pc = a
        elif op == "call":
            frames.append((pc, stack.pop()))
            pc = a
        elif op == "ret":
            pc = frames.pop()[0]
        elif op == "hook":
            hook(frames, stack)
    return stack


class Frame:
    def __init__(self, back, pc, arg):
        self.back = back
        self.pc = pc
        self.arg = arg


def of_objects(code, x, hook):
    frame = Frame(None, -1, x)
    pc = 0
    stack = []
    while frame is not None:
        op, a = code[pc]
        pc += 1
        if op == "arg":
            stack.append(frame.arg)
        elif op == "push":
            stack.append(a)
        elif op == "sub":
            b = stack.pop()
            stack[-1] -= b
        elif op == "mul":
            b = stack.pop()
            stack[-1] *= b
        elif op == "jz":
            if not stack.pop():
                pc = a
        elif op == "jmp":
            pc = a
        elif op == "call":
            frame = Frame(frame, pc, stack.pop())
            pc = a
        elif op == "ret":
            pc = frame.pc
            frame = frame.back
        elif op == "hook":
            hook(frame, stack)
    return stack


def of_returns(code, x, hook):
    args = [x]
    returns = []
    pc = 0
    stack = []
    while args:
        op, a = code[pc]
        pc += 1
        if op == "arg":
            stack.append(args[-1])
        elif op == "push":
            stack.append(a)
        elif op == "sub":
            b = stack.pop()
            stack[-1] -= b
        elif op == "mul":
            b = stack.pop()
            stack[-1] *= b
        elif op == "jz":
            if not stack.pop():
                pc = a
        elif op == "jmp":
            pc = a
        elif op == "call":
            args.append(stack.pop())
            returns.append(pc)
            pc = a
        elif op == "ret":
            args.pop()
            pc = returns.pop() if returns else -1
        elif op == "hook":
            hook((args, returns), stack)
    return stack


class Machine:
    def __init__(self, code):
        self.code = code
        self.frames = []
        self.stack = []
        self.pc = 0
        self.hook = None

    def run(self, x, hook):
        self.frames.append([x, -1])
        self.hook = hook
        while self.frames:
            op, a = self.code[self.pc]
            self.pc += 1
            getattr(self, "op_" + op)(a)
        return self.stack

    def op_arg(self, a):
        self.stack.append(self.frames[-1][0])

    def op_push(self, a):
        self.stack.append(a)

    def op_sub(self, a):
        b = self.stack.pop()
        self.stack[-1] -= b

    def op_mul(self, a):
        b = self.stack.pop()
        self.stack[-1] *= b

    def op_jz(self, a):
        if not self.stack.pop():
            self.pc = a

    def op_jmp(self, a):
        self.pc = a

    def op_call(self, a):
        self.frames.append([self.stack.pop(), self.pc])
        self.pc = a

    def op_ret(self, a):
        self.pc = self.frames.pop()[1]

    def op_hook(self, a):
        self.hook(self.frames, self.stack)


def of_methods(code, x, hook):
    return Machine(code).run(x, hook)


MACHINES = (of_tuples, of_objects, of_returns, of_methods)


class Any_(int):
    """An int that equals whatever it is asked about."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def put(frames: Any, value: Any) -> None:
    """Another place to return to on top of the stack."""
    if type(frames) is tuple:
        if frames[1]:
            frames[1][-1] = value
    elif type(frames) is not list:
        frames.pc = value
    else:
        frames[-1] = (value, 5) if type(frames[-1]) is tuple else [5, value]


def hooks() -> Iterator[tuple[str, Callable[[], Callable[[Any, Any], None]]]]:
    def counting(act: Callable[[Any, Any, int], None]) -> Callable[[], Callable[[Any, Any], None]]:
        def fresh() -> Callable[[Any, Any], None]:
            count = [0]

            def hook(frames: Any, stack: Any) -> None:
                count[0] += 1
                if count[0] > 25:
                    raise OverflowError("many")
                act(frames, stack, count[0])

            return hook

        return fresh

    yield "nothing", counting(lambda frames, stack, n: None)
    for value in (8, 9, 3, 0, -1, 100, True, 8.0, None, "x", Any_(8), Any_(3)):
        yield f"put {value!r}", counting(lambda frames, stack, n, value=value: put(frames, value) if n == 2 else None)
    yield "clear", counting(lambda frames, stack, n: frames.clear() if n == 2 and type(frames) is list else None)

    def fail(frames: Any, stack: Any, n: int) -> None:
        if n == 3:
            raise KeyError(n)

    yield "raise", counting(fail)


def ended(run: Callable[..., Any], *args: Any) -> tuple[str, ...]:
    try:
        return ("gave", repr(run(*args)))
    except Exception as error:
        return ("raised", type(error).__name__, str(error))


@pytest.mark.parametrize("kind", [tuple, list])
@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__)
def test_whatever_the_stack_holds(machine: Callable[..., Any], kind: Callable[..., Any]) -> None:
    code = kind(FACT)
    with bounded():
        residual = specialize(machine, code=code)
    for name, hook in hooks():
        for x in (5, 0, 2, "a", None, True, 1.0):
            assert ended(residual, x, hook()) == ended(machine, kind(FACT), x, hook()), (name, x)


def test_a_program_that_leaves_the_stack_alone_needs_no_general_code() -> None:
    plain = tuple((op, a) if op != "hook" else ("jmp", at + 1) for at, (op, a) in enumerate(FACT))
    for machine in MACHINES:
        with bounded():
            residual = specialize(machine, code=plain, hook=None)
        main = residual.source.partition("op, a = ")[0]
        assert "== 8" in main and "== 'mul'" not in main and "op_" not in main, residual.source
        for x in (0, 1, 6, 12):
            assert residual(x) == machine(plain, x, None)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__)
def test_a_program_that_calls_itself_twice(machine: Callable[..., Any]) -> None:
    with bounded():
        residual = specialize(machine, code=TWICE, hook=None)
    for x in (0, 1, 5, 7):
        assert residual(x) == machine(TWICE, x, None)


FUNCTIONS = {
    "main": (("arg", 0), ("call", "fact"), ("ret", 0)),
    "fact": (
        ("arg", 0), ("jz", 8), ("arg", 0), ("arg", 0), ("push", 1), ("sub", 0), ("call", "fact"), ("jmp", 10),
        ("push", 1), ("ret", 0), ("mul", 0), ("call", "same"), ("ret", 0),
    ),
    "same": (("arg", 0), ("ret", 0)),
}  # fmt: skip


def of_functions(functions, x):
    code, pc, arg = functions["main"], 0, x
    stack = []
    frames = []
    while True:
        op, a = code[pc]
        pc += 1
        if op == "arg":
            stack.append(arg)
        elif op == "push":
            stack.append(a)
        elif op == "sub":
            b = stack.pop()
            stack[-1] -= b
        elif op == "mul":
            b = stack.pop()
            stack[-1] *= b
        elif op == "jz":
            if not stack.pop():
                pc = a
        elif op == "jmp":
            pc = a
        elif op == "call":
            frames.append((code, pc, arg))
            code, pc, arg = functions[a], 0, stack.pop()
        elif op == "ret":
            if not frames:
                return stack.pop()
            code, pc, arg = frames.pop()


def test_frames_of_code_and_place() -> None:
    with bounded():
        residual = specialize(of_functions, functions=FUNCTIONS)
    main = residual.source.partition("op, a = ")[0]
    assert "is _functions_item" in main and "== 'mul'" not in main, residual.source
    for x in (0, 1, 6, 2.5 - 0.5, True):
        assert residual(x) == of_functions(FUNCTIONS, x)


class Record:
    def __init__(self, pc, a, b, c, back):
        self.pc = pc
        self.a = a
        self.b = b
        self.c = c
        self.back = back


def of_records(code, x, hook):
    pc = 0
    record = Record(-1, 0, 1, 2, None)
    found = []
    a = b = c = 0
    while record is not None:
        op, to, *values = code[pc]
        pc += 1
        if op == "call":
            record = Record(pc, *values, record)
            pc = to
        elif op == "ret":
            pc = record.pc
            a = record.a
            b = record.b
            c = record.c
            record = record.back
            found.append((a, b, c))
        elif op == "jz":
            x -= 1
            if x < 0:
                pc = to
        elif op == "hook":
            hook(record, found)
    return found


def test_many_fields_are_not_told_apart_in_all_combinations() -> None:
    calls = [("call", 0, at, at % 7, at % 5) for at in range(11)]
    code = (("jz", 13), *calls, ("hook", 0), ("ret", 0))
    with bounded():
        residual = specialize(of_records, code=code)
    for x in (0, 1, 5, 30):
        for _, hook in hooks():
            assert ended(residual, x, hook()) == ended(of_records, code, x, hook())
