"""Recursion under dynamic control: what is unfolded once more, and calls of residual functions.

    def visit(self, node): ...      self.env a virtual dict, node a static tree: each node is unfolded where it is met
    def call(self, name, args):     "fib" inside "fib": a residual function that takes what the arguments hold,

        fib(n)                      flattened, and returns the result and what the caller's objects hold afterwards

A residual function is made for one key of its arguments.  Virtual objects that the caller does not see again
belong to the callee; the others are lent: the callee holds them, and gives their contents back.  What a call
gives back is the meet of all its returns so far, its *summary*; when a summary rises, the versions that
called run again.  A call whose callee has not returned yet ends its path.

Invariant: a lent object has one identity on both sides of a call; behind an exception only what the summary of
exceptions knows may be used of it, everything else there is lost, and needing it is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.generators import LENT, goes_its_way, start_over
from futamura.specializer.keys import CONTAINERS, OPEN, opened, wherever_made
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.owned import NOTHING
from futamura.specializer.residual import Lazy, ResidualOperation
from futamura.specializer.state import ArgumentKey, Entered, Frame, State
from futamura.specializer.summaries import RESULT, lent_alone, returned_leaves
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject, bare_shape, token_key

__all__ = ["COMPACT", "call_unit", "classes_entered", "lent_objects", "unfolds"]

COPIES: Final = 1
"""A call with the same arguments is unfolded at so many places of a residual function; the others stay calls."""
COPIES_TOLD: Final = 8
"""The same, where the results of the function are known before they meet: a residual function could not tell them."""
COPIES_LENT: Final = 2
"""The same, where the callee changes objects of the caller: passing them to and fro costs more."""
COPIES_KEPT: Final = 8
"""The same, where something is known of what was written to static objects, which a residual function would forget."""
COPIES_CAUGHT: Final = 4
"""So many times more where a caller catches exceptions: raised in a residual function, they would be real ones."""
GROWING: Final = 6
"""So many calls on the stack with ever more in their containers, and the same otherwise: it grows without bound."""
GROWING_WITH_CALLS: Final = 4
"""The same, where each call makes the container of the next one."""

SMALL: Final = 8
"""An int that gets smaller from call to call, not below 0, and was at most this: so it can be but a few times more."""

COMPACT: Final = ("compact", 0)
"""Refused in a specialization: that what calls itself is unfolded in itself."""

NOT_KEPT: Final = Entered(State([]))
"""What a function was entered with that does not look as if it would call itself."""


def unfolds(
    m: Machine, frame: Frame, op: Operation, facts: FunctionFacts, values: Sequence[AbstractValue]
) -> tuple[bool, Entered | None]:
    """Is this call unfolded?  With what the function is entered with, if it may call itself."""
    frames = m.state.frames
    on_stack = [active for active in frames if active.facts is facts]
    dynamic = any(active.dynamic for active in on_stack)
    if not dynamic and not facts.may_recur and not facts.recursive:
        return True, NOT_KEPT
    env = dict(zip(facts.function.entry.params, values, strict=True))
    if dynamic:
        _renew_falling(m, on_stack[-1], env)
    arguments = State([Frame(facts, env)], m.state.heap, m.state.ages)
    arguments.trim(whole=False)
    arguments.ages = dict(arguments.ages)
    entered = Entered(arguments)
    if not dynamic:
        if facts.called_recursively.has(True) or (_is_old(arguments) and facts.recursive):
            entered.key = m.versions.argument_key(arguments)
        return True, entered
    if not facts.called_recursively.has(True):
        facts.called_recursively.add(True)
        if facts.called_recursively.was_missed(True):
            raise Restart(f"{facts.function.name} calls itself under dynamic control")
    arguments.cross_header()
    m.state.ages.update(arguments.ages)
    try:
        key = entered.key = m.versions.argument_key(arguments)
    except Restart:
        _pass_on(m, facts, arguments)
        raise
    if _cycles(m, facts, key) or COMPACT in m.refused:
        return False, entered
    _stop_growth(m, facts, on_stack, key)
    _stop_linking(m, on_stack, arguments)
    if len(frames) >= m.budget.depth - 1 or _only_opens(m, on_stack, key):
        return False, entered
    called = (m.state.unit, facts.uid, key.key)
    places = m.unfolded.of(called)
    place = (*frame.chain, (frame.facts.uid, op.id))
    if place in places:
        return True, entered
    limit = COPIES_LENT if _changes(m, frame, op, values) else COPIES
    limit = COPIES_KEPT if _is_kept_aside(m) else limit
    if m.catching_frame() is not None and not _has_try(facts):
        limit *= COPIES_CAUGHT
    if len(places) >= limit and (limit >= COPIES_TOLD or len(places) >= COPIES_TOLD or True not in facts.told):
        return False, entered
    m.unfolded.add(called, place)
    return True, entered


def classes_entered(entered: Entered | None) -> tuple[object, ...] | None:
    """The classes of what a function was entered with, None for what is open: a call of it in itself that has to stay
    does so for arguments of these classes only.  None if it was not kept."""
    if entered is None or entered is NOT_KEPT:
        return None
    arguments = entered.arguments
    found: list[object] = []
    for param in sorted(arguments.top.env):
        value = arguments.resolve(arguments.top.env[param])
        entry = arguments.object(value)
        if entry is not None:
            found.append(entry.cls)
        else:
            found.append(type(value.value) if type(value) is Known else value.type if type(value) is Dynamic else None)
    return tuple(found)


def _renew_falling(m: Machine, last_call: Frame, env: dict[int, AbstractValue]) -> None:
    """Small numbers that fall from call to call come to an end: `det(n - 1, minor)`.  They do not grow old."""
    entered = last_call.entered
    starts = m.first if last_call is m.state.frames[0] and not m.state.unit else {}
    before = starts if entered is None or entered is NOT_KEPT else entered.arguments.top.env
    for param, value in env.items():
        earlier = before.get(param)
        if type(value) is not Known or type(earlier) is not Known or not value.vid:
            continue
        number, last = value.value, earlier.value
        if type(number) is int and type(last) is int and 0 <= number < last <= SMALL:
            m.state.ages.pop(value.vid, None)


def _pass_on(m: Machine, facts: FunctionFacts, arguments: State) -> None:
    """An argument varies from call to call: so does what was called in between with the value that it had before."""
    frames = m.state.frames
    last = max(at for at, active in enumerate(frames) if active.facts is facts)
    before = frames[last].entered
    if before is None or before is NOT_KEPT:
        return
    for param, content in arguments.top.env.items():
        earlier = before.arguments.top.env.get(param)
        if (facts.uid, param) not in m.versions.varying or type(content) is not Known or type(earlier) is not Known:
            continue
        for between in frames[last + 1 :]:
            entered = between.entered
            passed = {} if entered is None or entered is NOT_KEPT else entered.arguments.top.env
            m.versions.varies([(between.facts.uid, at) for at, value in sorted(passed.items()) if value is earlier])


def _is_old(arguments: State) -> bool:
    """Could an argument leave the keys, if the key of these were made?"""
    return any(age > 2 for age in arguments.ages.values())


def _key(m: Machine, entered: Entered | None) -> ArgumentKey | None:
    if entered is None or entered is NOT_KEPT:
        return None
    if entered.key is None or entered.left != len(m.versions.nokey):
        entered.left = len(m.versions.nokey)
        entered.key = m.versions.argument_key(entered.arguments)
    return entered.key


def _cycles(m: Machine, facts: FunctionFacts, key: ArgumentKey) -> bool:
    """Is the function on the stack with the same arguments?

    A cycle of calls that goes through try statements is entered at a function that has one, if it can be:
    then exceptions need not leave the residual function.
    """
    frames = m.state.frames
    same = [
        at
        for at, active in enumerate(frames)
        if active.facts is facts and (found := _key(m, active.entered)) is not None and found.key == key.key
    ]
    if not same or len(same) > 1:
        return bool(same)
    if _has_try(facts):
        return True
    return not any(extent.kind == "try" for active in frames[same[0] :] for extent in active.extents)


def _only_opens(m: Machine, on_stack: list[Frame], key: ArgumentKey) -> bool:
    """Does the call know nothing that a running one does not, and less?  Its copy could do nothing better than the
    residual function, which serves every call that knows as much."""
    for active in on_stack:
        found = _key(m, active.entered)
        differing = None if found is None or len(found.key) != len(key.key) else opened(key.key, found.key)
        if differing and all(key.key[at] == OPEN for at in differing):
            return True
    return False


def _has_try(facts: FunctionFacts) -> bool:
    return any(region.kind == "try" for region in facts.function.regions)


def _changes(m: Machine, frame: Frame, op: Operation, values: Sequence[AbstractValue]) -> bool:
    """May the callee change an object that the caller sees again?"""
    lent = lent_objects(m, frame, op, values, ())
    return any(not lent_alone(m.state.heap[oid]) for oid in lent)


def _is_kept_aside(m: Machine) -> bool:
    """Is anything known of what was written to static objects?  Calls of residual functions have it stored back."""
    return any(type(content) is not Dynamic for content, _ in m.state.overlays.values())


def _stop_growth(m: Machine, facts: FunctionFacts, on_stack: list[Frame], key: ArgumentKey) -> None:
    """Containers that hold more and more from call to call are built at run time."""
    keys = [_key(m, active.entered) for active in on_stack]
    same = [found for found in keys if found is not None and found.signature == key.signature]
    for of, count in ((_site, GROWING), (_place, GROWING_WITH_CALLS)):
        chain = [*same[1 - count :], key]
        if len(chain) < count:
            continue
        weights = [_weights(found, of) for found in chain]
        steps = list(itertools.pairwise(weights))
        sites = [site for site in weights[-1] if all(a.get(site, 0) < b.get(site, 0) for a, b in steps)]
        if sites:
            m.versions.grows(set(sites), m.state)


def _stop_linking(m: Machine, on_stack: list[Frame], arguments: State) -> None:
    """Objects that hold the ones of the call before are made at run time: `counting(Env(n, outer=env), x - 1)`.

    The calls must be the same but for them, or each is a step of its own, however many there are.
    """
    entered = [active.entered for active in on_stack]
    before = [found.arguments for found in entered if found is not None and found is not NOT_KEPT]
    chain = [*[state for state in before if _is_told_the_same(m, state, arguments)][1 - GROWING :], arguments]
    if len(chain) < GROWING:
        return
    made = [_made(state) for state in chain]
    steps = list(itertools.pairwise(made))
    places = [place for place in made[-1] if all(len(a.get(place, ())) < len(b.get(place, ())) for a, b in steps)]
    if not places:
        return
    keys = {
        m.versions.tokens_without(state, {site for place in places for site in found.get(place, ())})
        for state, found in zip(chain, made, strict=True)
    }
    if len(keys) == 1:
        m.versions.links.update(places)
        m.versions.grows(set(places), arguments)


def _is_told_the_same(m: Machine, arguments: State, others: State) -> bool:
    """Are the same values in the keys of two calls, apart from what objects hold?"""
    uid, left, env = others.top.facts.uid, m.versions.nokey, arguments.top.env
    for param, value in others.top.env.items():
        other = env.get(param)
        if type(value) is not Known or (uid, param) in left:
            continue
        if type(other) is not Known or token_key(value.value) != token_key(other.value):
            return False
    return True


def _made(arguments: State) -> dict[object, list[object]]:
    """The sites of the objects that the arguments reach, containers apart, by where they are made along any calls."""
    found: dict[object, list[object]] = {}
    for value in arguments.top.env.values():
        for leaf in arguments.leaves(value):
            if type(leaf) is Virtual and (entry := arguments.heap[leaf.oid]).kind not in CONTAINERS:
                found.setdefault(_place(entry.site), []).append(entry.site)
    return found


def _weights(key: ArgumentKey, of: Callable[[object], object]) -> dict[object, int]:
    found: dict[object, int] = {}
    for site, weight in key.weights:
        found[of(site)] = found.get(of(site), 0) + weight
    return found


def _site(site: object) -> object:
    return site


def _place(site: object) -> object:
    """Where an object is made, along whatever calls."""
    return next(iter(wherever_made([site])), site)


def lent_objects(
    m: Machine, frame: Frame, op: Operation, values: Sequence[AbstractValue], roots: Sequence[AbstractValue]
) -> list[int]:
    """The virtual objects that the arguments reach and that the caller sees again, in the order of the arguments."""
    state = m.state
    seen: set[int] = set()
    work: list[int] = []

    def mark(value: AbstractValue) -> None:
        value = state.resolve(value)
        if type(value) is Virtual and value.oid not in seen:
            seen.add(value.oid)
            work.append(value.oid)

    for at, active in enumerate(state.frames):
        awaited = state.frames[at + 1].result if active is not frame else (op.results[0] if op.results else None)
        for value in (*active.facts.live_at(active.block, active.index), *active.held):
            if value != awaited and value in active.env:
                mark(active.env[value])
        if active.subject is not None:
            mark(active.subject)
    for root in roots:
        mark(root)
    while work:
        for item in state.heap[work.pop()].items:
            mark(item)
    found: dict[int, None] = {}
    for argument in values:
        for leaf in state.leaves(argument):
            if type(leaf) is Virtual and leaf.oid in seen:
                found.setdefault(leaf.oid)
    return list(found)


def call_unit(
    m: Machine,
    frame: Frame,
    op: Operation,
    facts: FunctionFacts,
    values: Sequence[AbstractValue],
    entered: Entered | None,
    roots: Sequence[AbstractValue] = (),
    purpose: str = "call",
) -> AbstractValue | None:
    """Call the residual function for these arguments: its result, or None if no return of it is known (yet).

    `roots` are values besides those of the frames that are seen again, `purpose` is the callee's.
    """
    m.observe()
    lent = lent_objects(m, frame, op, values, roots)
    for oid in lent:
        if goes_its_way(m, m.state.heap[oid]):
            start_over(m, m.state.heap[oid], LENT)
    real = [oid for oid in lent if not m.versions.has_shape(m.state.heap[oid])]
    if real:
        for oid in real:
            m.lift(Virtual(oid))
        lent = lent_objects(m, frame, op, values, roots)
    place = ("lent", frame.facts.uid, op.id)
    if place in m.refused:
        for oid in lent:
            if not lent_alone(m.state.heap[oid]):
                m.lift(Virtual(oid))
        lent = lent_objects(m, frame, op, values, roots)
    kept = [m.state.resolve(value) for value in values]
    held = {RESULT - 1 - at: Virtual(oid) for at, oid in enumerate(lent)}
    env: dict[int, AbstractValue] = dict(zip(facts.function.entry.params, kept, strict=True))
    inner = Frame(facts, {**env, **held}, purpose=purpose, held=tuple(held), entered=entered)
    callee = State([inner], dict(m.state.heap), dict(m.state.ages), intact=False, general=m.state.general)
    version = m.versions.arrive_unit(callee)
    summary = m.versions.summaries[callee.unit]
    summary.callers.setdefault(m.running)
    if lent and not summary.watched and (m.catching_frame() is not None or m.versions.watched(m.state.unit)):
        m.versions.watch(callee.unit)
    m.state.owned = NOTHING  # where its exception is caught, too
    lost = _protect(m, summary.raised, held, place)
    call = ResidualOperation("invoke", (), None, (), m.span, lazy=Lazy(version, callee), where=frame.facts, lost=lost)
    m.block.ops.append(call)
    m.emitted += 1
    if summary.returned is None:
        m.end("unreachable")
        return None
    result, results = _take_back(m, summary.returned, held)
    call.results = tuple(results)
    m.origins.update(dict.fromkeys(results, call))
    return result


def _protect(m: Machine, raised: State | None, held: dict[int, Virtual], place: object) -> dict[int, int]:
    """The call may raise: what a handler sees of the lent objects then is what all exceptions agree on.

    Gives the residual values that stand for what they differ in, by the leaves of `raised`.
    """
    if raised is None or not held:
        m.protect()
        return {}
    state = m.state
    m.state = state.copy()
    lost: dict[int, Dynamic] = {}
    _Import(m, raised, lost, place).objects(held)
    m.state, after = state, m.state
    heap, state.heap = state.heap, after.heap
    m.protect()
    state.heap = heap
    return {leaf: made.rv for leaf, made in lost.items()}


def _take_back(m: Machine, returned: State, held: dict[int, Virtual]) -> tuple[AbstractValue, list[int]]:
    """The result of a call and the residual values that it gives; the lent objects now hold what it left in them."""
    names: dict[int, Dynamic] = {}
    importing = _Import(m, returned, names, None)
    importing.objects(held)
    result = importing.value(returned.top.env[RESULT])
    importing.finish()
    return result, [names[rv].rv for rv in returned_leaves(returned)]


class _Import:
    """Brings the contents of a callee's last state into the caller's: its objects get new names, lent ones keep
    theirs; each residual value of the callee becomes one of the caller's."""

    def __init__(self, m: Machine, source: State, names: dict[int, Dynamic], lost: object) -> None:
        self._m: Final = m
        self._source: Final = source
        self._names: Final = names
        self._lost: Final = lost
        """The place to blame if a value is needed that is not passed; None: values are passed."""
        self._oids: Final[dict[int, int]] = {}
        self._work: Final[list[int]] = []

    def objects(self, held: dict[int, Virtual]) -> None:
        m = self._m
        env = self._source.top.env
        for slot, mine in held.items():
            theirs = env[slot]
            if type(theirs) is Virtual:
                self._oids[theirs.oid] = mine.oid
                if not lent_alone(m.state.heap[mine.oid]):
                    self._work.append(theirs.oid)
        for slot, mine in held.items():
            theirs = env[slot]
            if type(theirs) is Dynamic:
                made = self._residual(theirs)
                m.state.heap[mine.oid] = VObject("forward", m.state.heap[mine.oid].cls, (made,))
        self.finish()

    def finish(self) -> None:
        heap = self._m.state.heap
        while self._work:
            oid = self._work.pop()
            entry = self._source.heap[oid]
            heap[self._oids[oid]] = entry._replace(items=tuple([self.value(item) for item in entry.items]))

    def value(self, value: AbstractValue) -> AbstractValue:
        m = self._m
        if type(value) is Known:
            age = self._source.age(value)
            if age:
                m.state.ages[value.vid] = max(age, m.state.age(value))
            return value
        if type(value) is Virtual:
            if value.oid not in self._oids:
                self._oids[value.oid] = m.new_object()
                self._work.append(value.oid)
            return Virtual(self._oids[value.oid])
        assert type(value) is Dynamic
        return self._residual(value)

    def _residual(self, value: Dynamic) -> Dynamic:
        m = self._m
        made = self._names.get(value.rv)
        if made is None:
            made = self._names[value.rv] = Dynamic(m.renamed(value.rv), value.type, bare_shape(value), value.classes)
            if value.type is not None:
                m.types[made.rv] = value.type
            if self._lost is not None:
                m.lost[made.rv] = self._lost
        return made
