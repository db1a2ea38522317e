"""The reference interpreter: the meaning of a program, one operation after the other, with fuel.

    run(program, (2, 3), globals=f.__globals__)  ==  f(2, 3)
    state = suspend_at(program, 7, (2, 3), ...)      stopped before the eighth operation of the entry's frame
    resume(program, state, ...)                      the rest of that run

The frame of a region nests as Python nests: a try region is run inside a real `try`, and its except region inside the
real `except`, so that the active exception, `__context__`, bare `raise` and what callees see are Python's own.  A
generator's frame is a real generator that nests real generators, one for each region.

Invariants: exceptions of the program propagate by themselves, they are never raised a second time (but for
StopIteration between the frames of one generator, whose `__context__` is put back); fuel is paid before each operation
and each terminator.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from types import CellType, FunctionType, coroutine
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from futamura.ir.attributes import ASYNC, ClassAttr, FunctionAttr
from futamura.ir.closures import bind, define_class
from futamura.ir.constant import Constant
from futamura.ir.evaluate import async_item, enter_async_context
from futamura.ir.frames import Frame, Machine, OutOfFuel, Stopped
from futamura.ir.graph import FrameState, Function, Program, Span, Suspended, Terminator
from futamura.ir.ops import OPERATORS, Operator

__all__ = ["Failed", "Finished", "OutOfFuel", "closure_of", "resume", "run", "run_located", "suspend_at"]


class Finished(NamedTuple):
    """The run ended before the stop."""

    value: object


OnYield: TypeAlias = Callable[[object], object]
_MOVED, _RETURNED, _YIELDS, _DELEGATES, _AWAITS = range(5)
_NO_ITEM: Final = object()


def run(
    program: Program,
    args: Sequence[object] = (),
    kwargs: Mapping[str, object] | None = None,
    *,
    globals: dict[str, Any],
    closure: tuple[CellType, ...] = (),
    defaults: tuple[object, ...] = (),
    kwdefaults: dict[str, object] | None = None,
    builtins: Mapping[str, Any] | None = None,
    fuel: int | None = None,
) -> Any:
    """Call the program's entry: a value, or a generator object for a generator function."""
    machine = Machine(program, globals, builtins, fuel)
    function = closure_of(machine, program.main, closure, defaults, kwdefaults)
    return function(*args, **(kwargs or {}))


class Failed(Exception):
    """A run that raised, with the function and the place of the operation that did; the cause is its `__cause__`."""

    def __init__(self, function: str, span: Span | None) -> None:
        super().__init__(function, span)
        self.function: Final = function
        self.span: Final = span


def run_located(program: Program, args: Sequence[object] = (), *, fuel: int | None = None) -> Any:
    """`run` for programs without globals: an exception comes out as `Failed`, with its place.  `OutOfFuel` stays."""
    machine = Machine(program, {}, None, fuel)
    machine.failing = []
    function = closure_of(machine, program.main, ())
    try:
        return function(*args)
    except Exception as error:
        name, span = machine.failing[0] if machine.failing else (program.entry, None)
        raise Failed(name, span) from error


def suspend_at(
    program: Program,
    stop: int,
    args: Sequence[object] = (),
    kwargs: Mapping[str, object] | None = None,
    *,
    globals: dict[str, Any],
    closure: tuple[CellType, ...] = (),
    defaults: tuple[object, ...] = (),
    kwdefaults: dict[str, object] | None = None,
    builtins: Mapping[str, Any] | None = None,
    fuel: int | None = None,
    on_yield: OnYield = lambda value: None,
) -> Suspended | Finished:
    """Run the entry's frame, but stop before the operation or terminator number `stop` that it executes (from 0).

    A generator is driven to there; `on_yield` takes what it yields and gives what is sent, or raises what is thrown.
    """
    machine = Machine(program, globals, builtins, fuel)
    machine.stop = stop
    function = closure_of(machine, program.main, closure, defaults, kwdefaults)
    try:
        result = function(*args, **(kwargs or {}))
        if program.main.kind != "function":
            result = _drive(result, on_yield)
    except Stopped as stopped:
        return stopped.state
    return Finished(result)


def _drive(generator: Generator[object, object, object], on_yield: OnYield) -> object:
    sent: object = None
    thrown: BaseException | None = None
    while True:
        try:
            item = generator.send(sent) if thrown is None else generator.throw(thrown)
        except StopIteration as end:
            return end.value
        sent = thrown = None
        try:
            sent = on_yield(item)
        except BaseException as exception:
            thrown = exception


def resume(
    program: Program,
    state: Suspended,
    *,
    globals: dict[str, Any],
    builtins: Mapping[str, Any] | None = None,
    fuel: int | None = None,
) -> Any:
    """The rest of a suspended run: its value, or a generator object that goes on from there."""
    machine = Machine(program, globals, builtins, fuel)
    return _continue(machine.frame_at(state))


def closure_of(
    machine: Machine,
    function: Function,
    cells: tuple[CellType, ...],
    defaults: tuple[object, ...] = (),
    kwdefaults: dict[str, object] | None = None,
    annotations: dict[str, object] | None = None,
) -> FunctionType:
    """A Python function that interprets `function`, its free variables in `cells`."""

    def start(values: tuple[object, ...]) -> object:
        return _continue(machine.enter(function, values + cells))

    globals = machine.namespace(function.module)
    return bind(function, start, globals, defaults=defaults, kwdefaults=kwdefaults, annotations=annotations)


def _continue(frame: Frame) -> object:
    """Run a frame from where it stands: the value that it returns, a generator, or what is awaited."""
    if frame.function.kind == "generator":
        return _generate(frame)
    if frame.function.kind == "coroutine":
        return _coroutine(frame)
    if frame.machine.failing is not None:
        return _run_watched(frame)
    _run_region(frame, 0)
    return frame.value


def _run_watched(frame: Frame) -> object:
    """Run a function's frame; where an exception leaves it, its place is noted."""
    try:
        _run_region(frame, 0)
    except Exception:
        assert frame.machine.failing is not None
        frame.machine.failing.append((frame.function.name, frame.span()))
        raise
    return frame.value


class _Sent(NamedTuple):
    """What came in at a yield: a value, or an exception that was thrown."""

    value: object = None
    thrown: BaseException | None = None


def _generate(frame: Frame) -> Generator[object, object, object]:
    """The generator of a frame.

    What is thrown goes down to the regions as a message: `throw` would give it a context in each region's generator.
    """
    regions = _generate_region(frame, 0)
    message = None
    while True:
        try:
            item = regions.send(message)  # type: ignore[arg-type]
        except StopIteration as end:
            return end.value if isinstance(end.value, _Passing) else frame.value
        try:
            message = _Sent((yield item))
        except BaseException as exception:
            message = _Sent(thrown=exception)


def _receive(frame: Frame, message: _Sent) -> object:
    """The value that was sent; raises what was thrown."""
    if message.thrown is not None and frame.handling():
        raise message.thrown  # its context becomes what the frame is handling
    if message.thrown is not None:
        _activate(message.thrown)
    return message.value


async def _coroutine(frame: Frame) -> object:
    """The coroutine of a frame; a StopIteration that leaves it gets the words for coroutines here."""
    outcome: object = await _until_stopped(frame)  # type: ignore[misc]
    if isinstance(outcome, _Passing):
        raise outcome.exception
    return outcome


@coroutine
def _until_stopped(frame: Frame) -> Generator[object, object, object]:
    return (yield from _generate(frame))


def _native(iterable: Any) -> Generator[object, object, object]:
    return (yield from iterable)


async def _awaited(value: Any) -> object:
    return await value


def _delegate(
    frame: Frame, inner: Generator[object, object, object] | Coroutine[object, object, object]
) -> Generator[object, _Sent, object]:
    """`yield from`, or `await`: Python's own, with the messages of `_generate`."""
    message = _Sent()
    while True:
        failure = None
        try:
            item = inner.send(message.value) if message.thrown is None else inner.throw(message.thrown)
        except StopIteration as end:
            return end.value
        except BaseException as exception:
            if message.thrown is None or not frame.handling():
                raise
            failure = exception
        if failure is not None:
            raise failure  # what comes back from a throw gets a context as well
        message = yield item


def _run_region(frame: Frame, region: int) -> bool:
    """Run the blocks of `region` and all below; True if the function returned, False if control left the region."""
    plan = frame.plan
    while True:
        where = frame.towards(region)
        if where < 0:
            return False
        if where == region:
            returned = _execute(frame) == _RETURNED
        elif plan.kind[where] == "try":
            try:
                returned = _run_region(frame, where)
            except BaseException as exception:
                extent = frame.catch(where, exception)
                if extent < 0:
                    raise
                returned = _run_region(frame, extent)
        else:
            try:
                _activate(frame.active[plan.depth[where] - 1])
            except BaseException:
                returned = _run_region(frame, where)
        if returned:
            return True


class _Passing(NamedTuple):
    """A StopIteration on its way through the generators of one frame, which would turn it into a RuntimeError."""

    exception: StopIteration


def _generate_region(frame: Frame, region: int) -> Generator[object, _Sent, bool | _Passing]:
    """The same for a generator's frame."""
    plan = frame.plan
    try:
        while True:
            where = frame.towards(region)
            if where < 0:
                return False
            returned: bool | _Passing = False
            if where == region:
                outcome = _execute(frame)
                returned = outcome == _RETURNED
                if outcome == _YIELDS:
                    frame.deliver(_receive(frame, (yield frame.value)))
                elif outcome == _DELEGATES:
                    frame.deliver((yield from _delegate(frame, _native(frame.value))))
                elif outcome == _AWAITS:
                    frame.deliver((yield from _delegate(frame, _awaited(frame.value))))
            elif plan.kind[where] == "try":
                try:
                    returned = yield from _generate_region(frame, where)
                    if isinstance(returned, _Passing):
                        _activate(returned.exception)
                except BaseException as exception:
                    extent = frame.catch(where, exception)
                    if extent < 0:
                        raise
                    returned = yield from _generate_region(frame, extent)
                    if isinstance(returned, _Passing):
                        _activate(returned.exception)
            else:
                try:
                    _activate(frame.active[plan.depth[where] - 1])
                except BaseException:
                    returned = yield from _generate_region(frame, where)
                    if isinstance(returned, _Passing):
                        _activate(returned.exception)
            if returned:
                return True
    except StopIteration as exception:
        if region == 0 and frame.function.kind == "generator":
            raise
        return _Passing(exception)


def _activate(exception: BaseException) -> NoReturn:
    """Raise an exception that was raised before: its context stays what it was."""
    context = exception.__context__
    try:
        raise exception
    except BaseException:
        exception.__context__ = context
        raise


def _execute(frame: Frame) -> int:
    """Run operations and terminators until control leaves the region, or the function returns or yields."""
    region = frame.block.region
    environment = frame.environment
    while True:
        block = frame.block
        ops = block.ops
        while frame.index < len(ops):
            frame.pay()
            _, row, operands, attr, results, _ = ops[frame.index]
            args = tuple([environment[value] for value in operands])
            if frame.result is not None:
                produce, frame.result = frame.result, None
                given = produce()
            elif (attr == ASYNC or row.name == "anext") and row.name in _WAITING:
                frame.value = _WAITING[row.name](*args)
                return _AWAITS
            elif row.evaluate is not None:
                if args and args[0] is _GLOBALS and row.name == "call":
                    args = (frame.globals_function(), *args[1:])
                given = row.evaluate(args, attr)
            elif row.name in _SUSPENDING:
                frame.value = args[0]
                return _SUSPENDING[row.name]
            else:
                given = _WITH_FRAME[row.name](frame, attr, args)
                if _is_awaited(frame, row, attr):
                    frame.value = given
                    return _AWAITS
            if row.results == 1:
                environment[results[0]] = given
            elif results:
                environment.update(zip(results, given))  # type: ignore[call-overload]
            frame.index += 1
        frame.pay()
        if _ENDS[block.terminator.name](frame, block.terminator):
            return _RETURNED
        if frame.block.region != region:
            return _MOVED


_GLOBALS: Final = vars(builtins)["globals"]
"""It looks at the frame that calls it, which would be the interpreter's."""
_SUSPENDING: Final = {"yield": _YIELDS, "yield_from": _DELEGATES, "await": _AWAITS}


async def _exit(leave: Any) -> object:
    return await leave(None, None, None)


async def _unwind(leave: Any, exception: BaseException) -> object:
    return await leave(type(exception), exception, exception.__traceback__)


_WAITING: Final[dict[str, Callable[..., object]]] = {
    "with_enter": enter_async_context, "with_exit": _exit, "with_unwind": _unwind, "anext": async_item,
}  # fmt: skip


# -------------------------------------------------------------------- terminators: True if the function returns


def _jump(frame: Frame, end: Terminator) -> bool:
    frame.go(end.edges[0])
    return False


def _branch(frame: Frame, end: Terminator) -> bool:
    condition = frame.environment[end.args[0]]
    if condition is not True and condition is not False:
        raise AssertionError(f"{frame.function.name}: b{frame.block.id} branches on {condition!r}, no exact bool")
    frame.go(end.edges[0 if condition else 1])
    return False


def _switch(frame: Frame, end: Terminator) -> bool:
    wanted = Constant(frame.environment[end.args[0]])
    cases: Any = end.attr
    frame.go(end.edges[cases.index(wanted) if wanted in cases else -1])
    return False


def _next(frame: Frame, end: Terminator) -> bool:
    item = next(frame.environment[end.args[0]], _NO_ITEM)
    if item is _NO_ITEM:
        frame.go(end.edges[1])
    else:
        frame.go(end.edges[0], item)
    return False


def _return(frame: Frame, end: Terminator) -> bool:
    frame.value = frame.environment[end.args[0]]
    return True


def _raise(frame: Frame, end: Terminator) -> bool:
    values = [frame.environment[value] for value in end.args]
    if not values:
        raise  # the active exception is the one of the frame below us
    if len(values) == 1:
        raise values[0]
    raise values[0] from values[1]


def _reraise(frame: Frame, end: Terminator) -> bool:
    exception = frame.environment[end.args[0]]
    if sys.exception() is exception:
        raise
    _activate(exception)


def _guard(frame: Frame, end: Terminator) -> bool:
    if frame.environment[end.args[0]]:
        return _jump(frame, end)
    assert isinstance(end.attr, FrameState)
    frame.value = _continue(_rebuilt(frame, end.attr))
    return True


def _rebuilt(frame: Frame, state: FrameState) -> Frame:
    """The outermost frame of the chain; each one waits for the frame below it as for the call that it made."""
    current = _frame_of(frame, state)
    while state.parent is not None:
        state = state.parent
        caller = _frame_of(frame, state)
        caller.index -= 1
        caller.result = _waiting(current)
        current = caller
    return current


def _waiting(frame: Frame) -> Callable[[], object]:
    return lambda: _continue(frame)


def _frame_of(frame: Frame, state: FrameState) -> Frame:
    environment = {value: _recipe(frame, recipe) for value, recipe in state.values}
    place = Suspended(state.function, state.block, state.index, environment, tuple(frame.active))
    return frame.machine.frame_at(place)


def _recipe(frame: Frame, recipe: object) -> object:
    """A value of the guarding function, a constant, or (operator, attribute, recipes...): what that operator makes."""
    if type(recipe) is int:
        return frame.environment[recipe]
    if isinstance(recipe, Constant):
        return recipe.value
    assert isinstance(recipe, tuple)
    evaluate = OPERATORS[recipe[0]].evaluate
    assert evaluate is not None
    return evaluate([_recipe(frame, part) for part in recipe[2:]], recipe[1])


def _unreachable(frame: Frame, end: Terminator) -> bool:
    raise AssertionError(f"{frame.function.name}: b{frame.block.id} is reached")


_ENDS: Final[dict[str, Callable[[Frame, Terminator], bool]]] = {
    "jump": _jump, "branch": _branch, "switch": _switch, "next": _next, "return": _return, "raise": _raise,
    "reraise": _reraise, "guard": _guard, "unreachable": _unreachable,
}  # fmt: skip


# -------------------------------------------------------------------- operators that need the frame


def _global_get(frame: Frame, attr: Any, args: tuple[Any, ...]) -> object:
    module, name = attr
    globals = frame.machine.namespace(module)
    if name in globals:
        return globals[name]
    if name in frame.machine.builtins:
        return frame.machine.builtins[name]
    raise NameError(f"name '{name}' is not defined", name=name)


def _global_set(frame: Frame, attr: Any, args: tuple[Any, ...]) -> None:
    module, name = attr
    frame.machine.namespace(module)[name] = args[0]


def _global_del(frame: Frame, attr: Any, args: tuple[Any, ...]) -> None:
    module, name = attr
    globals = frame.machine.namespace(module)
    if name not in globals:
        raise NameError(f"name '{name}' is not defined", name=name)
    del globals[name]


def _import(frame: Frame, attr: Any, args: tuple[Any, ...]) -> object:
    name, names, level = attr
    if "__import__" not in frame.machine.builtins:
        raise ImportError("__import__ not found")
    globals = frame.machine.namespace(frame.function.module)
    return frame.machine.builtins["__import__"](name, globals, None, names, level)


def _function(frame: Frame, attr: Any, args: tuple[Any, ...]) -> object:
    assert isinstance(attr, FunctionAttr)
    keywords = attr.defaults + len(attr.kwdefaults)
    notes = keywords + len(attr.annotations)
    return closure_of(
        frame.machine,
        frame.machine.program[attr.name],
        args[notes:],
        args[: attr.defaults],
        dict(zip(attr.kwdefaults, args[attr.defaults : keywords])),
        dict(zip(attr.annotations, args[keywords:notes])),
    )


def _class(frame: Frame, attr: Any, args: tuple[Any, ...]) -> object:
    assert isinstance(attr, ClassAttr)
    globals = frame.machine.namespace(frame.function.module)
    return define_class(attr, frame.function.qualname, globals, args)


def _invoke(frame: Frame, attr: Any, args: tuple[Any, ...]) -> object:
    machine = frame.machine
    return closure_of(machine, machine.program[attr], (), (), None)(*args)


def _is_awaited(frame: Frame, row: Operator, attr: object) -> bool:
    """Does this operation call a coroutine of the program, and wait for it?"""
    return row.name == "invoke" and frame.machine.program[str(attr)].kind == "coroutine"


_WITH_FRAME: Final[dict[str, Callable[[Frame, Any, tuple[Any, ...]], object]]] = {
    "global_get": _global_get, "global_set": _global_set, "global_del": _global_del, "import": _import,
    "function": _function, "class": _class, "invoke": _invoke,
}  # fmt: skip
