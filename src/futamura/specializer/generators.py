"""Generators whose consumer is known: the frame of the generator lives in the heap between two items.

    def evens(n):                     g = evens(4)            g: a virtual generator, nothing emitted
        for i in range(n):            for x in g:             next: the frame of `evens` is entered where it stopped
            yield 2 * i                   total += x          yield: the frame goes back to the heap, x is its value
                                      g.send(x); g.close()    the same, with a value or an exception sent in

A virtual generator's `names` are the live values of its frame, `items` what they hold, `extra` a `Suspension`; None
once it is exhausted, RUNNING while its frame is on the stack and after an exception left it.  The function that is
specialized may be a generator function itself: then what its frame yields is yielded by the residual function.

Invariant: a suspended generator whose end would run code is never dropped; who drops one is not specialized.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import FunctionType, GeneratorType, MappingProxyType
from typing import Any, Final, NoReturn

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.runtime import end_of_generator
from futamura.specializer import iterators, library
from futamura.specializer.ends import may_show_its_end
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.handling import CONSUMING
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import exact_type, hint_of, rule
from futamura.specializer.state import Chain, Extent, Frame, Suspension
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = [
    "LENT",
    "STARTED",
    "arguments_of",
    "close",
    "finish",
    "goes_its_way",
    "is_generator",
    "is_iterator",
    "may_go_on",
    "new_generator",
    "resume",
    "stand_in",
    "start_over",
    "stays_real",
]

STARTED: Final = "a generator that was started during specialization escapes"
LENT: Final = "a generator that stands where only the run tells is used in a recursion"
ENDING: Final = "a generator needs what an iterator of unknown class ends with"
SENDING: Final = "what is sent to the generator would get to an iterator that is none"
RUNNING: Final = "running"
DELEGATING: Final = -1
_FIRST_HELD: Final = -100
_MOST_PARTS: Final = 1 << 12
_DEEPEST: Final = 12
"""So many activations of a generator's function are unfolded in each other under dynamic control."""


def new_generator(
    m: Machine,
    facts: FunctionFacts,
    env: dict[int, AbstractValue],
    chain: Chain,
    site: object,
    made_by: object = None,
) -> Virtual:
    """A generator that was not started: what a call of `made_by` makes, if given.

    One that turned out to escape later, in the middle of its code, is a real one from its start, unless it had to be
    dropped in time.
    """
    if facts.may_recur or facts.recursive:
        env = {**env, **_static(m, env)}
    names = tuple(env)
    where = Suspension(facts, 0, 0, chain, False, made_by)
    cls = STANDING_IN.get(made_by, GeneratorType) if isinstance(made_by, FunctionType) else GeneratorType
    made = m.virtual(VObject("generator", cls, tuple(env.values()), names, site, where))
    reason = _why_real(m, site)
    if reason is not None and made_by is not None and len(facts.function.regions) == 1:
        m.event("FT302", f"the call of {facts.function.qualname} stays: {reason}")
        m.escape(made)
        m.lift(made)
    return made


def _static(m: Machine, env: Mapping[int, AbstractValue]) -> dict[int, AbstractValue]:
    """The static objects among the arguments of a generator, under numbers that no values of its function have: its
    frames hold them, so that one that is entered in it can be told from it."""
    return {
        _FIRST_HELD - param: value for param, value in env.items()
        if type(value) is Known and (type(value.value) is tuple or m.world.is_frozen(value.value))
    }  # fmt: skip


def arguments_of(entry: VObject) -> list[AbstractValue]:
    """What the function of a generator that was not started is entered with: its arguments, then its cells."""
    return [value for name, value in zip(entry.names, entry.items) if not _is_held(name)]


def goes_its_way(m: Machine, entry: VObject) -> bool:
    """Is this a generator that stands where only the run tells, and can it be a real one?

    Lent to a function that calls itself, it would multiply what follows by the places where it may stand.
    """
    where = entry.extra
    if entry.kind != "generator" or not isinstance(where, Suspension) or entry.cls is not GeneratorType:
        return False
    free = where.dynamic and where.waiting is not None and len(where.facts.function.regions) == 1
    return free and _why_real(m, entry.site) is None


def _why_real(m: Machine, site: object) -> str | None:
    """Why generators made here are real ones from their start, if they are."""
    return next((reason for reason in (STARTED, LENT, ENDING, SENDING) if ("started", site, reason) in m.refused), None)


def start_over(m: Machine, entry: VObject, reason: str) -> NoReturn:
    """The generator is a real one from its start, and what its frame made explode is forgotten."""
    if _why_real(m, entry.site) is not None:
        raise Unsupported(reason, m.span)
    m.versions.forgive()
    m.refuse(("started", entry.site, reason), reason)


STANDING_IN: Final[dict[object, type]] = {
    iterators.map_of: map, iterators.map_2: map, iterators.filter_of: filter,
    iterators.map_ending: map, iterators.map_2_ending: map, iterators.filter_ending: filter,
}  # fmt: skip
"""Generator functions that stand for builtin classes: who gets such an object may look at its class."""


def stand_in(m: Machine, frame: Frame, op: Operation, generator: Callable[..., object]) -> Callable[..., object]:
    """The generator function itself, or one that ends with a StopIteration out of what it calls."""
    return iterators.ENDING.get(generator, generator) if ("ends", (frame.facts.uid, op.id)) in m.refused else generator


def is_generator(m: Machine, value: AbstractValue) -> bool:
    entry = m.state.object(value)
    return entry is not None and entry.kind == "generator"


def is_iterator(m: Machine, value: AbstractValue) -> bool:
    entry = m.state.object(value)
    return entry is not None and entry.kind in ("generator", "iterator")


def stays_real(m: Machine, generator: Virtual) -> bool:
    """Is this a generator of a function that is running under dynamic control?  Inlining it might never end, so it
    becomes a real one, unless it was started."""
    where = m.state.heap[generator.oid].extra
    if not isinstance(where, Suspension) or where.waiting is not None or where.made_by is None:
        return False
    entry = m.state.heap[generator.oid]
    return may_go_on(m, where.facts, {name: item for name, item in zip(entry.names, entry.items) if _is_held(name)})


def may_go_on(m: Machine, facts: FunctionFacts, held: Mapping[object, AbstractValue] = MappingProxyType({})) -> bool:
    """Could activations of this function be in each other without end, under dynamic control?

    Not where each of a few is given (`held`) another static object, for there are only so many of these; nor where it
    stands for `map` or the like, which calls nothing that could make another; nor where a function that may call
    itself was entered in between: a cycle comes to that call again, and whether it is unfolded is asked there
    (`recursion`).
    """
    depth, stands_in = 0, library.is_own(facts.namespace)
    for frame in reversed(m.state.frames):
        depth += frame.facts is facts
        if frame.facts is facts and frame.dynamic:
            another = stands_in or (held and _differs(held, frame.env))
            if depth > _DEEPEST or not another:
                return True
        if frame.entered is not None and frame.entered.arguments.frames:
            return False
    return False


def _differs(held: Mapping[object, AbstractValue], other: Mapping[int, AbstractValue]) -> bool:
    """Is one of these static objects another one there, or none?  Of tuples, which a program can make as many of as it
    likes, only a part of the one there is."""
    objects, tuples = _known(held)
    there, others = _known(other)
    if objects.keys() != there.keys() or any(value is not there[name] for name, value in objects.items()):
        return True
    return any(name in others and _is_part(value, others[name]) for name, value in tuples.items())


def _known(held: Mapping[Any, AbstractValue]) -> tuple[dict[object, object], dict[object, object]]:
    """The static objects that are held, and the tuples."""
    known = {name: one.value for name, one in held.items() if _is_held(name) and type(one) is Known}
    tuples = {name for name, value in known.items() if type(value) is tuple}
    objects = {name: value for name, value in known.items() if name not in tuples}
    return objects, {name: known[name] for name in tuples}


def _is_part(value: object, whole: object) -> bool:
    """Is this one of the tuples inside of another one?"""
    work, seen = [whole], {id(whole)}
    while work and len(seen) < _MOST_PARTS:
        for item in work.pop():  # type: ignore[attr-defined]
            if item is value:
                return True
            if type(item) is tuple and id(item) not in seen:
                seen.add(id(item))
                work.append(item)
    return False


def _is_held(name: object) -> bool:
    return isinstance(name, int) and name <= _FIRST_HELD


# -- entering and leaving


def resume(
    m: Machine,
    generator: Virtual,
    purpose: str,
    *,
    sent: AbstractValue = NONE,
    thrown: AbstractValue | None = None,
    result: int | None = None,
) -> bool:
    """Enter the generator's frame with a value or an exception; False if it is exhausted."""
    entry = m.state.heap[generator.oid]
    where = entry.extra
    if not isinstance(where, Suspension):
        for frame in m.state.frames:
            subject = None if frame.subject is None else m.state.resolve(frame.subject)
            if frame.purpose in CONSUMING and isinstance(subject, Virtual) and subject.oid == generator.oid:
                raise Unsupported("a generator asks itself for an item", m.span)
        _must_have_ended(m, entry)
        return False  # an exception that left it has ended it
    if where.left and thrown is not None:
        raise Unsupported("an exception is thrown into a generator that handles one", m.span)
    if len(m.state.frames) >= m.budget.depth:
        m.refuse(("delegated", where.facts.uid), "generators are nested too deep")
    frame = _restored(entry, where)
    frame.purpose, frame.subject, frame.result = purpose, generator, result
    over = RUNNING if entry.cls is GeneratorType else ("over", where.chain[-1])
    m.state.heap[generator.oid] = entry._replace(items=(), names=(), extra=over)
    m.state.frames.append(frame)
    _enter_regions(m, frame)
    if where.waiting is None:
        if thrown is not None:
            assert frame.facts.blocks[0].handler is None
            raise_value(m, thrown, thrown=not frame.extents or frame.extents[-1].kind != "except")
    elif where.waiting == DELEGATING:
        _resume_inner(m, frame, sent, thrown)
    else:
        frame.env[where.waiting] = sent
        if thrown is not None:
            raise_value(m, thrown, thrown=not frame.extents or frame.extents[-1].kind != "except")
    return True


def _must_have_ended(m: Machine, entry: VObject) -> None:
    """Of a builtin iterator for which a generator stood in, one can go on asking: behind an exception it gives the next
    item, behind its end whatever its source has by then.  It is a real one from its start, then."""
    if isinstance(entry.extra, tuple):
        m.refuse(("call", entry.extra[1]), "an iterator is asked for more behind its end")


def _restored(entry: VObject, where: Suspension) -> Frame:
    env = {value: item for value, item in zip(entry.names, entry.items, strict=True) if isinstance(value, int)}
    held = tuple([name for name in env if _is_held(name)])
    return Frame(where.facts, env, where.chain, block=where.block, index=where.index, dynamic=where.dynamic, held=held)


def _enter_regions(m: Machine, frame: Frame) -> None:
    """Enter the regions around the point where a generator stopped: new residual extents, for its consumer's code
    stands between.  The exception of a handler in which it stopped exists during specialization only."""
    regions = frame.facts.function.regions
    for region in frame.facts.paths[frame.block]:
        kind = regions[region].kind
        if kind == "except":
            frame.extents = (*frame.extents, Extent(region, kind, 0))
        else:
            m.enter_region(frame, region)


def _resume_inner(m: Machine, frame: Frame, sent: AbstractValue, thrown: AbstractValue | None) -> None:
    """The running frame stands at its `yield from`."""
    inner = m.get(frame, frame.facts.blocks[frame.block].ops[frame.index].args[0])
    assert isinstance(inner, Virtual)
    where = m.state.heap[inner.oid].extra
    plain = type(sent) is Known and sent.value is None and thrown is None
    if not plain and isinstance(where, Suspension) and library.is_own(where.facts.namespace):
        raise Unsupported("a value is sent to an iterator that is no generator", m.span)
    if not resume(m, inner, "delegate", sent=sent, thrown=thrown):
        if thrown is not None:
            raise_value(m, thrown, thrown=True)
        else:
            _after_delegation(frame, NONE)


def _yields_really(m: Machine) -> bool:
    """Does what the running frame yields leave the residual function?"""
    frames = m.state.frames
    at = len(frames) - 1
    while at and frames[at].purpose == "delegate":
        at -= 1
    return at == 0 and frames[0].purpose == "call"


def suspend(m: Machine, frame: Frame, value: AbstractValue, waiting: int) -> None:
    """The running frame is one of a generator and yields `value`: whoever waits for an item gets it."""
    while True:
        if frame.purpose not in CONSUMING:
            raise Unsupported("yield inside specialized code", m.span)
        handling = any(extent.kind == "except" and extent.uid for extent in frame.extents)
        m.left += handling
        if handling and (m.left > _MOST_LEFT or not _ends_quietly(frame.facts, frame.block, frame.index)):
            raise Unsupported("a generator is suspended while it handles an exception", m.span)
        _store(m, frame, waiting, handling)
        m.state.frames.pop()
        dynamic = frame.dynamic
        caller = m.state.frames[-1]
        if frame.purpose == "next":
            _deliver(m, 0, value, dynamic)
            return
        caller.dynamic = caller.dynamic or dynamic
        if frame.purpose == "send":
            m.give(frame.result, value)
            if dynamic:
                m.arrive_here()
            return
        if frame.purpose == "close":
            text = Known("generator ignored GeneratorExit")
            raise_value(m, m.virtual(VObject("exception", RuntimeError, (text,), site=("close", frame.facts.uid))))
            return
        frame, waiting = caller, DELEGATING


def _lets_pass(m: Machine, frame: Frame) -> bool:
    """Would a GeneratorExit leave the running frame without that any code runs?"""
    names = frame.facts.tested_when_closed(frame.block)
    for module, name in names or ():
        found = m.world.lookup(frame.facts.namespace, module, name)
        cls = None if found is None else found[0]
        if not is_a(cls, type) or not issubclass(cls, BaseException) or issubclass(GeneratorExit, cls):
            return False
    return names is not None


_MOST_LEFT: Final = 24
"""So often is an `except` clause left to go on with its consumer: what follows is there once more each time."""
_QUIET: Final = frozenset({"const", "copy", "is", "is_not", "yield"})


def _ends_quietly(facts: FunctionFacts, block: int, index: int) -> bool:
    """Does nothing that is left of an `except` clause raise, or look at its exception?"""
    path = facts.paths[block]
    regions = facts.function.regions
    clauses = {region for region in path if regions[region].kind == "except"}
    seen, work = {block}, [block]
    for at in work:  # which grows
        found = facts.blocks[at]
        ops = found.ops[index:] if at == block and len(seen) == 1 else found.ops
        if found.terminator.name != "jump" or any(op.name not in _QUIET for op in ops):
            return False
        after = found.terminator.edges[0].target
        if not clauses.isdisjoint(facts.paths[after]) and after not in seen:
            seen.add(after)
            work.append(after)
    return True


def _store(m: Machine, frame: Frame, waiting: int, left: bool = False) -> None:
    used = frame.facts.live_at(frame.block, frame.index)
    live = [value for value in (*used, *frame.held) if value in frame.env and value != waiting]
    items = tuple(m.get(frame, value) for value in live)
    generator = m.state.resolve(frame.subject) if frame.subject is not None else None
    assert isinstance(generator, Virtual)
    quiet = _lets_pass(m, frame)
    where = Suspension(frame.facts, frame.block, frame.index, frame.chain, frame.dynamic, None, waiting, quiet, left)
    m.clean_ups = m.clean_ups or where.has_clean_up()
    m.state.heap[generator.oid] = m.state.heap[generator.oid]._replace(items=items, names=tuple(live), extra=where)


def _deliver(m: Machine, way: int, value: AbstractValue | None, dynamic: bool) -> None:
    """The frame below stands at its `next`: it takes the edge for an item, or the one for the end."""
    caller = m.state.frames[-1]
    caller.dynamic = caller.dynamic or dynamic
    m.follow(caller, caller.facts.blocks[caller.block].terminator.edges[way], value)
    if dynamic and m.alive:
        m.arrive_here()


def finish(m: Machine, frame: Frame, value: AbstractValue) -> None:
    """The running frame of a generator returns."""
    generator = m.state.resolve(frame.subject) if frame.subject is not None else None
    assert isinstance(generator, Virtual)
    entry = m.state.heap[generator.oid]
    over = entry.extra if isinstance(entry.extra, tuple) else None
    m.state.heap[generator.oid] = entry._replace(items=(), names=(), extra=over)
    m.state.frames.pop()
    caller = m.state.frames[-1]
    caller.dynamic = caller.dynamic or frame.dynamic
    if frame.purpose == "next":
        _deliver(m, 1, None, frame.dynamic)
        return
    if frame.purpose == "send":
        raise_value(m, _end_of(m, value))
        return
    if frame.purpose == "close":
        m.give(frame.result, value if sys.version_info >= (3, 13) else NONE)
    else:
        _after_delegation(caller, value)
    if frame.dynamic:
        m.arrive_here()


def _end_of(m: Machine, value: AbstractValue) -> AbstractValue:
    """The StopIteration that tells what a generator returned; without arguments if that is None."""
    site = ("end of a generator",)
    if type(value) is Known and value.value is None:
        return m.virtual(VObject("exception", StopIteration, (), site=site))
    if type(value) is Dynamic and value.type in (None, type(None)):
        return m.emit("call", (Known(end_of_generator), value), type=StopIteration, raises=False)
    return m.virtual(VObject("exception", StopIteration, (value,), site=site))


def _after_delegation(frame: Frame, value: AbstractValue) -> None:
    op = frame.facts.blocks[frame.block].ops[frame.index]
    frame.index += 1
    frame.env[op.results[0]] = value


# -- what generators do


@rule("yield")
def yield_value(m: Machine, frame: Frame, op: Operation) -> None:
    value = m.get(frame, op.args[0])
    if not _yields_really(m):
        suspend(m, frame, value, op.results[0])
        return
    for active in m.state.frames[1:]:
        if active.facts.blocks[active.block].handler is not None:
            # What is thrown or closed from outside would end the inner generator first, and then the outer one.
            m.refuse(("real", active.chain[-1]), "a generator with a try statement is delegated to")
    if m.state.frames[0].purpose == "call":
        m.escape(value)
        m.set(frame, op, m.emit("yield", (value,), hint=hint_of(frame, op)))


@rule("yield_from")
def yield_from(m: Machine, frame: Frame, op: Operation) -> None:
    """The frame stays at this operation until the inner generator, kept in place of the operand, is exhausted."""
    place = op.args[0]
    inner = m.get(frame, place)
    virtual = isinstance(inner, Virtual) and is_generator(m, inner)
    shown = op.results[0] in frame.facts.live_at(frame.block, frame.index) and may_show_its_end(m, inner)
    if _yields_really(m) and (not virtual or shown or _must_be_real(m, inner)):
        m.escape(inner)
        m.set(frame, op, m.emit("yield_from", (inner,), hint=hint_of(frame, op)))
        return
    if isinstance(inner, Virtual) and virtual and _goes_on_alike(m, inner):
        m.observe()
        inner, virtual = Dynamic(m.lift(inner), GeneratorType), False
    if shown:
        _needs_real_end(m, frame, op)
    if not virtual:
        inner = frame.env[place] = _delegated(m, frame, op, inner)
    assert isinstance(inner, Virtual)
    frame.index -= 1
    if not resume(m, inner, "delegate"):
        _after_delegation(frame, NONE)


def _goes_on_alike(m: Machine, inner: Virtual) -> bool:
    """Would delegating to this generator of a function that is running go on without end, because nothing that it is
    given is another static value?"""
    if not stays_real(m, inner):
        return False
    entry = m.state.heap[inner.oid]
    assert isinstance(entry.extra, Suspension)
    given = [m.state.resolve(value) for value in arguments_of(entry)]
    alike = all(type(one) is Dynamic or (type(one) is Known and m.world.is_frozen(one.value)) for one in given)
    return alike or ("delegated", entry.extra.facts.uid) in m.refused


def _must_be_real(m: Machine, inner: AbstractValue) -> bool:
    assert isinstance(inner, Virtual)
    entry = m.state.heap[inner.oid]
    where = entry.extra
    if not isinstance(where, Suspension):
        return False
    stands_in = library.is_own(where.facts.namespace)  # for a builtin iterator, which takes no `send`
    if where.waiting is not None or where.made_by is None:
        if stands_in:
            start_over(m, entry, SENDING)
        return False
    return stands_in or ("real", where.chain[-1]) in m.refused or stays_real(m, inner)


def _needs_real_end(m: Machine, frame: Frame, op: Operation) -> NoReturn:
    """Only a real generator gets what an iterator that is not known ends with."""
    generator = None if frame.subject is None else m.state.resolve(frame.subject)
    if isinstance(generator, Virtual):
        start_over(m, m.state.heap[generator.oid], ENDING)
    raise Unsupported(ENDING, op.span)


_ENDING_PLAINLY: Final = frozenset({list, tuple, str, bytes, bytearray, dict, set, frozenset, range})
"""Exact classes whose iterators never end with a value."""


def _delegated(m: Machine, frame: Frame, op: Operation, inner: AbstractValue) -> Virtual:
    """A generator that gives the items of any iterable."""
    if op.args[0] in frame.facts.live_at(frame.block, frame.index):
        raise Unsupported("yield from something that is used again", op.span)
    if op.results[0] in frame.facts.live_at(frame.block, frame.index) and exact_type(m, inner) not in _ENDING_PLAINLY:
        _needs_real_end(m, frame, op)
    facts = m.resolve(library.delegate)  # type: ignore[arg-type]
    if facts is None:
        raise Unsupported("yield from inside specialized code", op.span)
    env = {facts.function.entry.params[0]: inner}
    chain = (*frame.chain, (frame.facts.uid, op.id))
    return new_generator(m, facts, env, chain, ("delegate", frame.facts.uid, op.id))


def close(m: Machine, generator: Virtual, result: int | None) -> None:
    """Close a generator: a GeneratorExit where it stands, if that runs any code."""
    where = m.state.heap[generator.oid].extra
    inner: Virtual = generator
    while isinstance(where, Suspension) and where.waiting == DELEGATING:
        if where.has_clean_up():
            raise Unsupported("a generator is closed while it stands at a `yield from` inside a try statement", m.span)
        value = m.state.resolve(m.state.heap[inner.oid].items[_place_of_inner(m, inner, where)])
        assert isinstance(value, Virtual)
        inner, where = value, m.state.heap[value.oid].extra
    if isinstance(where, Suspension) and where.has_clean_up():
        if inner is not generator:
            raise Unsupported("a generator is closed while it stands at a `yield from` inside a try statement", m.span)
        thrown = m.virtual(VObject("exception", GeneratorExit, (), site=("close", where.facts.uid)))
        resume(m, generator, "close", thrown=thrown, result=result)
        return
    m.state.heap[generator.oid] = m.state.heap[generator.oid]._replace(items=(), names=(), extra=None)
    m.give(result, NONE)


def _place_of_inner(m: Machine, generator: Virtual, where: Suspension) -> int:
    operand = where.facts.blocks[where.block].ops[where.index].args[0]
    return m.state.heap[generator.oid].names.index(operand)
