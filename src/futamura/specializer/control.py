"""How control goes on: jumps, branches, iteration, return and raise on abstract values.

branch Known True      one way, in line
branch Dynamic         both ways, each from a copy of the state
next on virtual list   the item or the end, in line
return in a callee     the caller goes on; at a specialization point if control was dynamic in the callee
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

from futamura.ir.constant import Constant, count_of
from futamura.specializer.bounds import refine
from futamura.specializer.containers import view_item
from futamura.specializer.functions import settle_functions
from futamura.specializer.generators import finish, is_generator, resume, stays_real
from futamura.specializer.handling import CONSUMING, caught_by, handled
from futamura.specializer.machine import Machine, Restart, Unsupported
from futamura.specializer.optionals import is_optional
from futamura.specializer.promises import promised_item, promised_length
from futamura.specializer.raising import leave_closing, passes, raise_guarded, raise_value, rethrown_may_stop
from futamura.specializer.refinement import may_be_stop, told
from futamura.specializer.rolling import watch_repeating
from futamura.specializer.rules import exact_type
from futamura.specializer.state import Frame, State
from futamura.specializer.stepping import enter_step, leave_step
from futamura.specializer.summaries import returned_state
from futamura.specializer.unpacking import go_on
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape, Virtual, VObject, tuple_shape
from futamura.specializer.worth import note_result

__all__ = ["ENDERS", "advance", "drain", "ends_within", "finite"]

Ender = Callable[[Machine, Frame], None]
ENDERS: Final[dict[str, Ender]] = {}


def ender(name: str) -> Callable[[Ender], Ender]:
    def register(function: Ender) -> Ender:
        ENDERS[name] = function
        return function

    return register


def _terminator(frame: Frame):  # type: ignore[no-untyped-def]
    return frame.facts.blocks[frame.block].terminator


@ender("jump")
def jump(m: Machine, frame: Frame) -> None:
    default = frame.facts.defaults.get(frame.block)
    if default is not None and m.block.origin == (frame.facts, frame.block) and m.versions.polyvariance == "auto":
        _open_default(m, frame, default)
    m.follow(frame, _terminator(frame).edges[0])


def _open_default(m: Machine, frame: Frame, default: int) -> None:
    """What an open variable is by default is as good as what it may be otherwise: what follows is not done twice."""
    value = m.get(frame, default)
    kind = exact_type(m, value)
    frame.env[default] = Dynamic(m.lift(value), kind)


@ender("branch")
def branch(m: Machine, frame: Frame) -> None:
    end = _terminator(frame)
    condition = m.get(frame, end.args[0])
    if type(condition) is Known:
        m.folded += 1
        m.decided[-condition.vid or id(condition)] = condition
        m.follow(frame, end.edges[0] if condition.value else end.edges[1])
        return
    assert type(condition) is Dynamic
    rv = condition.rv
    if m.defaults.open and (name := m.defaults.asked((m.inputs, m.renames), rv)) is not None:
        raise Restart(f"calls leave out {name}", whole=True)
    about = m.state.abouts.get(rv)

    def learn(state: State, position: int) -> None:
        refine(m, state, rv, position == 0)
        if about is not None:
            told(state, about, position == 0)

    if len(m.versions.noshape):
        make_empty(m)
    m.split(frame, "branch", (rv,), end.edges, refine=learn)


def make_empty(m: Machine) -> None:
    """What will be real on both ways of a branch, because only some ways add to it, is made in front if it is empty."""
    for oid, entry in list(m.state.heap.items()):
        if not entry.items and entry.kind in _EMPTY and entry.extra is None and is_optional(m.versions.noshape, entry):
            ops = m.block.ops
            count = len(ops)
            m.lift(Virtual(oid))
            made = ops[count:]
            del ops[count:]
            ops[0:0] = made


_EMPTY: Final = frozenset({"list", "dict", "set"})


@ender("switch")
def switch(m: Machine, frame: Frame) -> None:
    end = _terminator(frame)
    value = m.get(frame, end.args[0])
    assert isinstance(end.attr, tuple)
    if type(value) is Known:
        wanted = Constant(value.value)
        at = next((i for i, constant in enumerate(end.attr) if constant == wanted), len(end.attr))
        m.follow(frame, end.edges[at])
        return
    m.split(frame, "switch", (m.lift(value),), end.edges, attr=end.attr)


@ender("next")
def take_next(m: Machine, frame: Frame) -> None:
    end = _terminator(frame)
    iterator = m.get(frame, end.args[0])
    if type(iterator) is Virtual and is_generator(m, iterator) and not stays_real(m, iterator):
        m.folded += 1
        if not resume(m, iterator, "next"):
            m.follow(frame, end.edges[1])
        return
    if type(iterator) is Virtual:
        watch_repeating(m, frame, end, iterator)
        item = advance(m, iterator)
        if item is not None:
            m.folded += 1
            if item is EXHAUSTED:
                m.follow(frame, end.edges[1])
            else:
                assert not isinstance(item, str)
                m.follow(frame, end.edges[0], item)
            return
    if enter_step(m, iterator):
        m.folded += 1
        return
    rv = m.lift(iterator)
    shape = iterator.shape if type(iterator) is Dynamic else None
    counts = shape is not None and shape.iterates
    if not counts:
        m.observe()
        m.protect()
    params = frame.facts.blocks[end.edges[0].target].params
    item_value = Dynamic(m.residual_value(frame.facts.function.hints[params[0]]))
    if type(iterator) is Dynamic and iterator.type is enumerate:
        item_value = Dynamic(item_value.rv, tuple, Shape(length=2, counts=shape is not None and shape.counts))
    if shape is not None and counts:
        known = Shape(least=shape.least, texts=shape.texts, pattern=shape.pattern)
        kind = None if shape.passing and not m.state.intact else shape.element
        item_value = Dynamic(item_value.rv, kind, known)
    if shape is not None and shape.lasting:  # of a dict, which may have been changed
        pair = None if shape.items is None else tuple_shape(shape.items)
        item_value = Dynamic(item_value.rv, tuple if pair is not None else shape.element, pair)
    if item_value.type is not None:
        m.types[item_value.rv] = item_value.type
    m.split(frame, "next", (rv,), end.edges, implicit=item_value)


EXHAUSTED: Final = "exhausted"


def advance(m: Machine, iterator: Virtual) -> AbstractValue | str | None:
    """The next item of a virtual iterator, `EXHAUSTED`, or None if it is not virtual any more."""
    entry = m.state.object(iterator)
    if entry is None or entry.kind != "iterator":
        return None
    if entry.extra == "sequence":
        return _advance_sequence(m, iterator)
    if not finite(m, iterator):
        return None
    if entry.extra == "backwards":
        return _advance_backwards(m, iterator, entry)
    inner = [m.state.resolve(item) for item in entry.items if type(m.state.resolve(item)) is Virtual]
    items: list[AbstractValue] = []
    for source in inner:
        assert type(source) is Virtual
        item = advance(m, source)
        if item is None:
            raise Unsupported("an iterator inside zip or enumerate escaped")
        if isinstance(item, str):
            return EXHAUSTED
        items.append(item)
    from_zip = entry.extra == "zip"
    if not from_zip:
        count = entry.items[1]
        assert type(count) is Known and isinstance(count.value, int)
        items.insert(0, count)
        m.validate(count)  # it counts what is finite
        m.state.heap[iterator.oid] = entry._replace(items=(entry.items[0], m.known(count.value + 1, m.older(count))))
    elif not items:
        return EXHAUSTED
    return m.virtual(entry._replace(kind="tuple", cls=tuple, items=tuple(items), extra=None))


def finite(m: Machine, iterator: AbstractValue) -> bool:
    """Are all further items of this iterator of known number?"""
    entry = m.state.object(iterator)
    if entry is None or entry.kind != "iterator":
        return False
    if isinstance(entry.extra, tuple):
        return False
    items = [m.state.resolve(item) for item in entry.items]
    if entry.extra == "zip":
        return all(finite(m, item) for item in items)
    if entry.extra == "enumerate":
        return finite(m, items[0]) and type(items[1]) is Known
    source = items[0]
    if type(items[1]) is not Known:
        return False
    if entry.extra == "backwards":
        # a virtual list, or nothing is left, or a list whose length still is what was promised
        return type(source) is not Dynamic or promised_length(source, m.state.intact) is not None
    if type(source) is Known:
        return type(source.value) is not list or m.frozen(source.value)
    if promised_length(source, m.state.intact) is not None:
        return True
    held = m.state.object(source)
    if held is not None and held.kind == "view":
        target = m.state.object(held.items[0])
        return target is not None and type(items[2]) is Known and items[2].value == target.names
    return held is not None


def _aged(m: Machine, iterator: Virtual, position: AbstractValue) -> int:
    return 0 if iterator.oid in m.unrolled else m.older(position)


def _advance_sequence(m: Machine, iterator: Virtual) -> AbstractValue | str | None:
    entry = m.state.heap[iterator.oid]
    source, position = (m.state.resolve(item) for item in entry.items[:2])
    if type(position) is not Known:
        return None
    at = position.value
    assert isinstance(at, int)
    held = m.state.object(source)
    if held is not None and held.kind == "view":
        return _advance_view(m, iterator, held)
    if held is not None:
        size = len(held.items)
    elif type(source) is Known:
        size = count_of(source.value)  # type: ignore[arg-type]  # not written since, or all would start again
    else:
        promised = promised_length(source, m.state.intact)
        if promised is None:
            return None
        size = promised
    if at >= size and entry.cls is deque:
        return EXHAUSTED  # it still looks whether the deque changes
    if at < 0 or at >= size:
        kind = entry.cls if entry.cls is not object else exact_type(m, source) or object
        m.state.heap[iterator.oid] = entry._replace(items=(Known(()), Known(0)), cls=kind)
        return EXHAUSTED
    m.validate(position)
    m.state.heap[iterator.oid] = entry._replace(items=(source, m.known(at + 1, _aged(m, iterator, position))))
    if held is not None:
        return held.items[at]
    if type(source) is Dynamic:
        found = promised_item(source, Known(at), m.state.intact)
        assert found is not None
        return m.emit("getitem", (source, Known(at)), type=found[0], raises=found[1])
    assert type(source) is Known
    item = source.value[at]  # type: ignore[index]
    m.reads(source.value, item)
    return m.known(item, m.state.age(source))


def _advance_backwards(m: Machine, iterator: Virtual, entry: VObject) -> AbstractValue | str:
    """The next item of a list from its end: of a virtual one, which may have become shorter or longer meanwhile, or one
    whose length is promised."""
    source, position = (m.state.resolve(item) for item in entry.items)
    held = m.state.object(source)
    assert type(position) is Known and isinstance(position.value, int)
    at = position.value
    promised = promised_length(source, m.state.intact)
    count = promised or 0 if held is None else len(held.items)
    if not 0 <= at < count:
        m.state.heap[iterator.oid] = entry._replace(items=(Known(()), Known(-1)))
        return EXHAUSTED
    m.validate(position)
    m.state.heap[iterator.oid] = entry._replace(items=(source, m.known(at - 1, _aged(m, iterator, position))))
    if held is None:
        found = promised_item(source, Known(at), m.state.intact)
        assert found is not None
        return m.emit("getitem", (source, Known(at)), type=found[0], raises=found[1])
    return held.items[at]


def _advance_view(m: Machine, iterator: Virtual, view: VObject) -> AbstractValue | str | None:
    """The next item of a view of a virtual dict; changing its keys meanwhile is left to the dict itself."""
    entry = m.state.heap[iterator.oid]
    source, position, names = (m.state.resolve(item) for item in entry.items)
    held = m.state.object(view.items[0])
    if held is None or held.kind != "dict" or type(names) is not Known or held.names != names.value:
        return None
    assert type(position) is Known and isinstance(position.value, int)
    at = position.value
    if at >= len(held.items):
        m.state.heap[iterator.oid] = entry._replace(items=(Known(()), Known(0)))
        return EXHAUSTED
    m.validate(position)
    m.state.heap[iterator.oid] = entry._replace(items=(source, m.known(at + 1, _aged(m, iterator, position)), names))
    return view_item(m, m.state.top, view, Known(held.names[at]), held.items[at])


def drain(m: Machine, iterator: AbstractValue, most: int) -> tuple[AbstractValue, ...] | None:
    """All further items of a virtual iterator, which is exhausted then; None if they are not known, or too many."""
    if type(iterator) is not Virtual or not ends_within(m, iterator, most):
        return None
    items: list[AbstractValue] = []
    while True:
        item = advance(m, iterator)
        if isinstance(item, str):
            return tuple(items)
        assert item is not None
        items.append(item)


def ends_within(m: Machine, iterator: AbstractValue, most: int) -> bool:
    """Has this virtual iterator no more than so many items, whose number is known?"""
    return finite(m, iterator) and _remaining(m, iterator) <= most


def _remaining(m: Machine, iterator: AbstractValue) -> int:
    entry = m.state.object(iterator)
    assert entry is not None
    items = [m.state.resolve(item) for item in entry.items]
    if entry.extra == "zip":
        return min((_remaining(m, item) for item in items), default=0)
    if entry.extra == "enumerate":
        return _remaining(m, items[0])
    held = m.state.object(items[0])
    if entry.extra == "backwards":
        assert type(items[1]) is Known and isinstance(items[1].value, int)
        return items[1].value + 1 if held is not None or type(items[0]) is Dynamic else 0
    if held is not None and held.kind == "view":
        held = m.state.object(held.items[0])
    if held is not None:
        return len(held.items)
    promised = promised_length(items[0], m.state.intact)
    if promised is not None:
        return promised
    assert type(items[0]) is Known
    return count_of(items[0].value)  # type: ignore[arg-type]


@ender("return")
def leave(m: Machine, frame: Frame) -> None:
    value = m.get(frame, _terminator(frame).args[0])
    if frame.purpose in CONSUMING:
        finish(m, frame, value)
        return
    if frame.purpose == "step":
        leave_step(m, frame, value)
        return
    if frame.purpose == "unpack":
        _leave_unpacking(m, frame, value)
        return
    if len(m.state.frames) == 1:
        m.require_no_clean_up()
        _leave_unit(m, value)
        return
    if frame.purpose == "init":
        if type(value) is not Known or value.value is not None:
            raise Unsupported("__init__ returns something", m.span)
        assert frame.subject is not None
        value = frame.subject
    _back(m)
    m.give(frame.result, note_result(m, frame, value))
    if frame.dynamic:
        m.arrive_here()


def _back(m: Machine) -> None:
    """The call is over: what is done next is done where it stands."""
    m.state.frames.pop()
    caller = m.state.frames[-1]
    ops = caller.facts.blocks[caller.block].ops
    if 0 < caller.index <= len(ops):
        m.span = ops[caller.index - 1].span


def _leave_unpacking(m: Machine, frame: Frame, items: AbstractValue) -> None:
    """The items that the frame below unpacks have been taken."""
    _back(m)
    go_on(m, frame.subject, items)
    if frame.dynamic and m.alive:
        m.arrive_here()


def _leave_unit(m: Machine, value: AbstractValue) -> None:
    """Return from a residual function; what its callers learn is joined with its other returns."""
    m.observe()
    settle_functions(m)
    summary = m.versions.summaries[m.state.unit]
    if summary.plain:
        kind = exact_type(m, value)
        lifted = m.lift(value)
        m.versions.returns(returned_state(m.state, Dynamic(lifted, kind)))
        m.end("return", (lifted,))
        return
    left = returned_state(m.state, value)
    m.versions.returns(left)
    m.end("return")
    assert m.block.end is not None
    m.block.end.leaving = (summary, left)


@ender("raise")
def throw(m: Machine, frame: Frame) -> None:
    args = [m.get(frame, arg) for arg in _terminator(frame).args]
    if args:
        raise_value(m, *args)
        return
    caught = _handled(m, frame)
    if caught is not None:
        _go_on(m, frame, caught, left=not any(map(_is_unrolled, m.state.frames)))
        return
    active = handled(m.state)
    if active is not None and passes(m, active.exception):
        return
    m.require_real_exceptions()
    if rethrown_may_stop(m, None):
        raise_guarded(m, ())
        return
    leave_closing(m, None)
    m.observe()
    m.protect()
    m.end("raise")


def _handled(m: Machine, frame: Frame) -> Virtual | None:
    """The exception that the running handler of this frame got, if it is one of specialization only."""
    handlers = [extent for extent in frame.extents if extent.kind == "except"]
    if not handlers or handlers[-1].uid:
        return None
    caught = caught_by(m.state, frame, handlers[-1])
    return caught if type(caught) is Virtual else None


def _is_unrolled(frame: Frame) -> bool:
    """Does this frame stand in a loop that may be copied for each trip?"""
    return any(loop.header not in frame.facts.dynamic_headers for loop in frame.facts.loops_of[frame.block])


@ender("reraise")
def rethrow(m: Machine, frame: Frame) -> None:
    _go_on(m, frame, m.get(frame, _terminator(frame).args[0]))


def _go_on(m: Machine, frame: Frame, exception: AbstractValue, left: bool = False) -> None:
    """The exception that was caught goes on; if it has `left` the handler, it need not be a real one there.

    (In loops it is: where each trip of a known number may end so, their ends would be nested in each other.)
    """
    if passes(m, exception):
        return
    if may_be_stop(exception) and rethrown_may_stop(m, exact_type(m, exception)):
        raise_guarded(m, (exception,))
        return
    if leave_closing(m, exact_type(m, exception)):
        return
    if type(exception) is Virtual and m.catching_frame() is not None and not m.catches_for_real():
        m.unwind(exception)
        return
    around = frame.extents[-1:]
    if left and type(exception) is Virtual and around and around[0].kind == "except" and not around[0].uid:
        frame.extents = frame.extents[:-1]
    kind = exact_type(m, exception)
    name = "reraise" if type(exception) is Dynamic else "raise"
    lifted = (m.lift(exception),)
    m.observe()
    m.protect(kind)
    m.end(name, lifted)


@ender("unreachable")
def never(m: Machine, frame: Frame) -> None:
    m.end("unreachable")


@ender("guard")
def guard(m: Machine, frame: Frame) -> None:
    raise Unsupported("a guard in source code", m.span)
