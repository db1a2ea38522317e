"""The state of the abstract interpreter: frames, heap, provenance.

A state is what a specialization point is reached with.  `trim` drops what cannot be used any more;
states that are compared, kept or met are always trimmed.

    frames   outermost first; the last one runs.  A suspended frame stands after the operation that
             called; `result` is the value of that frame which the callee's result will define
    heap     virtual objects by id
    overlays what attributes of static objects hold that the code writes, and whether it must still be stored back
    ages     provenance: how often a known value was changed while crossing a dynamic loop's header
             since it was last validated, doubled; odd means: changed since the last crossing
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from futamura.ir.graph import Span
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.values import HELD, About, AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = [
    "AGAIN", "LEFT", "OLDEST", "ArgumentKey", "Chain", "Entered", "Extent", "Frame", "State", "Suspension",
    "Unsupported",
]  # fmt: skip

LEFT: Final = -1
"""The block of a frame that has returned."""

OLDEST: Final = 6
"""Beyond three crossings a value is out of the keys anyway; a bound on ages lets states settle."""

LARGE_ENVIRONMENT: Final = 100

Chain: TypeAlias = tuple[object, ...]
"""Where a frame was inlined: the (function, operation) pairs from the outermost call inwards."""


class Unsupported(Exception):
    """This cannot be specialized; the message says why.  The original code is used instead."""

    def __init__(
        self, reason: str, span: Span | None = None, where: FunctionFacts | None = None, *, whole: bool = False
    ) -> None:
        super().__init__(reason)
        self.whole: Final = whole
        """Would a call that does this make wrong what is known of other code, too?"""
        self.reason: Final = reason
        self.span: Final = span
        self.where: Final = where
        """The function with what cannot be specialized, if that is found out when its code is complete."""


class Extent(NamedTuple):
    """One residual region around a frame's block: `uid` tells its versions apart.

    A try region's uid is given by the state's key where it is entered, and all its exceptions meet in one
    handler version.  An except region has the uid of its try region; 0 means that the exception exists
    during specialization only, AGAIN that it is the one that the handler around it got: it was raised once more.
    """

    region: int
    kind: str
    uid: int


AGAIN: Final = -1
PLAIN, GENERAL, HANDED = 0, 1, 2


class Suspension(NamedTuple):
    """Where a virtual generator stopped: the `extra` of its object, whose `names` and `items` are its live values."""

    facts: FunctionFacts
    block: int
    index: int  # type: ignore[assignment]  # the name of a tuple's method, which nobody needs here
    chain: Chain
    dynamic: bool
    made_by: object = None
    """What makes such a generator that was not started: a function, or (maker, attribute, site) of a virtual one."""
    waiting: int | None = None
    """The value that takes what is sent; -1 at a `yield from`, None before the start."""
    quiet: bool = False
    """Do the handlers around it let a GeneratorExit pass?"""
    left: bool = False
    """Has the residual left the `except` clause that it stopped in?  What is left of the clause does not tell."""

    def has_clean_up(self) -> bool:
        """Would closing it run code?  A generator that stands at a `yield from` has an inner one, an object itself."""
        return self.waiting is not None and not self.quiet and self.facts.blocks[self.block].handler is not None


class ArgumentKey(NamedTuple):
    """The key of a call's arguments; without what containers hold; and how much is in containers, by site."""

    key: tuple[object, ...]
    signature: tuple[object, ...]
    weights: tuple[tuple[object, int], ...]


class Entered:
    """What a function was entered with: its arguments, and their key once somebody has asked for it, with the number of
    places that had left the keys then."""

    __slots__ = ("arguments", "key", "left")

    def __init__(self, arguments: State, key: ArgumentKey | None = None) -> None:
        self.arguments: Final = arguments
        self.key = key
        self.left = -1


@dataclass(slots=True)
class Spent:
    """What the blind calls of a function have folded and left, how many there were, and whether one was in a loop, or
    gave something of which parts are known."""

    folded: int = 0
    left: int = 0
    calls: int = 0
    loops: bool = False
    gives: bool = False
    selects: bool = False
    """Has a constant that they gave selected something?"""
    opens: bool = False
    """Did one give what is not known?"""
    ways: set[object] = field(default_factory=set)
    """The constants that they gave."""
    behind: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """By the place of a call, how many operations behind it are done once for each of these."""


class Frame:
    """One activation of a source function."""

    __slots__ = (
        "blind",
        "block",
        "chain",
        "counted",
        "dynamic",
        "entered",
        "env",
        "extents",
        "facts",
        "forked",
        "held",
        "index",
        "purpose",
        "result",
        "subject",
    )

    def __init__(
        self,
        facts: FunctionFacts,
        env: dict[int, AbstractValue],
        chain: Chain = (),
        block: int = 0,
        index: int = 0,
        dynamic: bool = False,
        result: int | None = None,
        purpose: str = "call",
        subject: AbstractValue | None = None,
        extents: tuple[Extent, ...] = (),
        blind: bool = False,
        counted: tuple[int, ...] = (),
        held: tuple[int, ...] = (),
        entered: Entered | None = None,
    ) -> None:
        self.facts = facts
        self.forked = False
        """The call that comes next is one way of several, which meet behind it."""
        self.env = env
        self.chain = chain
        self.block = block
        self.index = index
        self.dynamic = dynamic
        self.result = result
        """The caller's value that the result defines; None drops the result."""
        self.purpose = purpose
        """"call"; "init": the result is `subject`, the new instance; "truth", "iter" ...: how the result is used."""
        self.subject = subject
        self.extents = extents
        """The try, except and copy regions around `block`, outermost first."""
        self.blind = blind
        """The call brought nothing static but plain constants: should it explode, it is better left as it is."""
        self.counted = counted
        """The numbers of the functions whose blind calls this frame belongs to: what folds here counts for them."""
        self.held = held
        """Entries of `env` that are no values of the function (negative) and live as long as the frame: objects
        that the caller of a residual function sees again, and, in the state of a return, the result."""
        self.entered = entered
        """What the function was entered with, if it may call itself."""

    def copy(self, env: dict[int, AbstractValue] | None = None) -> Frame:
        """The same frame, with these values if given; by position, for this is done for each frame at each point."""
        copy = Frame(
            self.facts, dict(self.env) if env is None else env, self.chain, self.block, self.index, self.dynamic,
            self.result, self.purpose, self.subject, self.extents, self.blind, self.counted, self.held, self.entered,
        )  # fmt: skip
        copy.forked = self.forked
        return copy

    def live(self, top: bool) -> tuple[int, ...]:
        if self.held:
            return self.held if self.block == LEFT else (*self.held, *self._live(top))
        return self._live(top)

    def _live(self, top: bool) -> tuple[int, ...]:
        if top and self.index == 0:
            return self.facts.live_in[self.block]
        return self.facts.live_at(self.block, self.index)


_ITEMS: Final[Callable[[VObject], tuple[AbstractValue, ...]]] = attrgetter("items")


class State:
    """Frames, heap and provenance; mutable, copied before a second way goes on from it."""

    __slots__ = ("abouts", "ages", "frames", "general", "heap", "intact", "overlays", "owned", "unit")

    def __init__(
        self,
        frames: list[Frame],
        heap: dict[int, VObject] | None = None,
        ages: dict[int, int] | None = None,
        overlays: dict[tuple[int, str], tuple[AbstractValue, bool]] | None = None,
        unit: int = 0,
        intact: bool = True,
        abouts: dict[int, About] | None = None,
        general: int = PLAIN,
        owned: frozenset[int] = frozenset(),
    ) -> None:
        self.abouts: dict[int, About] = abouts if abouts is not None else {}
        """What residual values say of others."""
        self.general = general
        """`GENERAL`: a test that was likely to hold has failed on the way here, no further tests are made.  `HANDED`:
        code that is not known got static objects, nothing that one of them holds is believed any more."""
        self.intact = intact
        """Whether nothing so far could have written to the open inputs."""
        self.frames = frames
        self.heap: dict[int, VObject] = heap if heap is not None else {}
        self.ages: dict[int, int] = ages if ages is not None else {}
        self.overlays: dict[tuple[int, str], tuple[AbstractValue, bool]] = overlays if overlays is not None else {}
        self.owned = owned
        """The dicts, by residual value, that nothing but this state has; see `owned`."""
        self.unit = unit
        """The residual function that the outermost frame belongs to."""

    def copy(self) -> State:
        frames = [frame.copy() for frame in self.frames]
        kept, abouts, ages = dict(self.overlays), dict(self.abouts), dict(self.ages)
        return State(frames, dict(self.heap), ages, kept, self.unit, self.intact, abouts, self.general, self.owned)

    @property
    def top(self) -> Frame:
        return self.frames[-1]

    def regions(self) -> tuple[Extent, ...]:
        """The residual regions around the running frame, outermost first."""
        return tuple([extent for frame in self.frames for extent in frame.extents if extent.uid > 0])

    def resolve(self, value: AbstractValue) -> AbstractValue:
        """The value, or what it was materialized to."""
        while type(value) is Virtual:
            entry = self.heap[value.oid]
            if entry.kind != "forward":
                return value
            value = entry.items[0]
        return value

    def object(self, value: AbstractValue) -> VObject | None:
        """The virtual object that `value` is, if it is one."""
        while type(value) is Virtual:
            entry = self.heap[value.oid]
            if entry.kind != "forward":
                return entry
            value = entry.items[0]
        return None

    def age(self, value: AbstractValue) -> int:
        return self.ages.get(value.vid, 0) if type(value) is Known and value.vid else 0

    def cross_header(self) -> None:
        """A dynamic loop's header is crossed: what changed since the last crossing grows older."""
        for vid, age in self.ages.items():
            if age & 1:
                self.ages[vid] = min(age + 1, OLDEST)

    def leaves(
        self,
        value: AbstractValue,
        seen: set[int] | None = None,
        parts: Callable[[VObject], Iterable[AbstractValue]] = _ITEMS,
    ) -> Iterator[AbstractValue]:
        """All values reachable from `value`, virtual ones included, each object once, and none of those `seen`.

        `parts` gives what is reached from an object.
        """
        seen = set() if seen is None else seen
        work = [value]
        while work:
            item = self.resolve(work.pop())
            if type(item) is Virtual:
                if item.oid in seen:
                    continue
                seen.add(item.oid)
                work.extend(parts(self.heap[item.oid]))
            yield item

    def owner(self, oid: int) -> Virtual | None:
        """The instance that holds this dict, if it is one that an instance holds."""
        if self.heap[oid].extra != HELD:
            return None
        for other, entry in self.heap.items():
            if entry.kind == "instance" and HELD in entry.names:
                held = self.resolve(entry.items[entry.names.index(HELD)])
                if type(held) is Virtual and held.oid == oid:
                    return Virtual(other)
        return None

    def trim_large(self) -> None:
        """Trim if the running frame has many values that it does not need: below, it costs more than it saves."""
        top = self.top
        if len(top.env) > LARGE_ENVIRONMENT + 2 * len(top.live(True)):
            self.trim()

    def trim(self, *, whole: bool = True) -> None:
        """Keep what the frames can still use; forwards disappear, and what tests have told.

        A generator that would run code when it is dropped must not be: then this is not supported.  Of a state that is
        not whole, somebody else keeps the rest.
        """
        heap: dict[int, VObject] = {}
        vids: set[int] = set()
        captured: list[Virtual] = []
        last = len(self.frames) - 1
        for at, frame in enumerate(self.frames):
            env = frame.env
            kept: dict[int, AbstractValue] = {}
            awaited = self.frames[at + 1].result if at != last else None
            unread: list[int] = []
            if frame.facts.unread.cells and frame.block != LEFT:
                unread = self._empty_unread(frame)
            for value in frame.live(at == last):
                content = env.get(value)
                kind = type(content)
                if content is None or value == awaited:
                    continue  # an older iteration's value: the callee's result will replace it
                if kind is Dynamic or (kind is Virtual and content.oid in heap):  # type: ignore[union-attr]
                    kept[value] = content
                elif kind is Known and content.found is None:  # type: ignore[union-attr]
                    kept[value] = content
                    if content.vid:  # type: ignore[union-attr]
                        vids.add(content.vid)  # type: ignore[union-attr]
                else:
                    kept[value] = self._keep(content, heap, vids)
            frame.env = kept
            captured += [cell for value in unread if type(cell := kept.get(value)) is Virtual]
            if frame.subject is not None:
                frame.subject = self._keep(frame.subject, heap, vids)
        for place, (content, dirty) in self.overlays.items():
            self.overlays[place] = (self._keep(content, heap, vids), dirty)
        if whole:
            self._keep_clean_ups(heap)
        self.heap = heap
        if self.ages:
            ages = self.ages  # of a long run without points, it has far more than are left here
            self.ages = {vid: ages[vid] for vid in sorted(vids) if vid in ages}
        alone = [cell for cell in captured if cell.oid in heap and self.uses(cell) == 1]
        if alone:
            self._empty(alone)
            self.trim(whole=whole)

    def _empty_unread(self, frame: Frame) -> list[int]:
        """Nobody reads what these cells of a frame hold; given back are those of which this is so if nobody else has
        them."""
        unread = frame.facts.unread
        captured: list[int] = []
        own: list[Virtual] = []
        for value in unread.at(frame.block, frame.index):
            cell = frame.env.get(value)
            if type(cell) is Virtual and self.heap[cell.oid].kind == "cell" and self.heap[cell.oid].items:
                if value in unread.captured:
                    captured.append(value)
                else:
                    own.append(cell)
        self._empty(own)
        return captured

    def _empty(self, cells: list[Virtual]) -> None:
        if cells:
            self.heap = {**self.heap, **{cell.oid: self.heap[cell.oid].with_items(()) for cell in cells}}

    def uses(self, value: Virtual) -> int:
        """How often a virtual object stands in the frames, in other objects and in overlays."""
        held: list[AbstractValue | None] = [content for content, _ in self.overlays.values()]
        for frame in self.frames:
            held += [*frame.env.values(), frame.subject]
        for entry in self.heap.values():
            held += entry.items
        return sum(type(item) is Virtual and item.oid == value.oid for item in held)

    @staticmethod
    def _known_for_good(value: AbstractValue) -> AbstractValue:
        return value.found if type(value) is Known and value.found is not None else value

    def _keep_clean_ups(self, heap: dict[int, VObject]) -> None:
        for oid, entry in self.heap.items():
            if entry.kind == "generator" and oid not in heap:
                where = entry.extra
                if isinstance(where, Suspension) and where.has_clean_up():
                    raise Unsupported("a generator is dropped inside a try statement")

    def _keep(self, value: AbstractValue, heap: dict[int, VObject], vids: set[int]) -> AbstractValue:
        value = self._known_for_good(self.resolve(value))
        if type(value) is Known:
            if value.vid:
                vids.add(value.vid)
            return value
        if type(value) is Dynamic:
            return value
        work = [value.oid] if type(value) is Virtual and value.oid not in heap else []
        while work:
            oid = work.pop()
            if oid in heap:
                continue
            entry = self.heap[oid]
            items: list[AbstractValue] | None = None
            for at, held in enumerate(entry.items):
                kind = type(held)
                if kind is Dynamic:
                    continue
                item = held
                if kind is Virtual or held.found is not None:  # type: ignore[union-attr]
                    item = self._known_for_good(self.resolve(held))
                    if item is not held:
                        items = [*entry.items] if items is None else items
                        items[at] = item
                if type(item) is Known:
                    if item.vid:
                        vids.add(item.vid)
                elif type(item) is Virtual and item.oid not in heap:
                    work.append(item.oid)
            heap[oid] = entry if items is None else entry.with_items(tuple(items))
        return value
