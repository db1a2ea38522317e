"""Signs of growth among the versions of one block: containers that get longer, or nest ever deeper.

    [] , [1] , [1, 1] , [1, 1, 1]   of one allocation site, all else equal     ->   the site is one that grows
    [] , [1]    and the loop only appends to it: nothing in it can tell the two    ->   the next trip makes it longer

Invariant: nothing is changed here, and nothing depends on the order of sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Final, TypeAlias

from futamura.specializer.keys import Choices, Key, is_among, wherever_made
from futamura.specializer.knowledge import Learned
from futamura.specializer.machine import Restart
from futamura.specializer.residual import Version
from futamura.specializer.state import State
from futamura.specializer.stored import Stored
from futamura.specializer.values import Dynamic, Known, Virtual, VObject

__all__ = [
    "SHAPES", "Shapes", "along_all_calls", "check_stored", "growing_at", "growing_sites", "grown_around", "is_link",
    "mark_loops", "trips_of", "weights_of",
]  # fmt: skip

Shapes: TypeAlias = tuple[tuple[object, int], ...]
"""The containers of a state with their lengths, in the order of its key."""

_LISTS: Final = frozenset({"list"})
_TABLES: Final = frozenset({"dict", "set"})
SHAPES: Final = 3
"""As many lengths of a container are kept apart at one point of a loop; more mean that it grows with the loop."""
NESTINGS: Final = 2
"""Objects of one site that nest to more different depths than this among the versions of a block grow."""
DICT_LENGTHS: Final = 4
"""Dicts may have so many times more lengths than there may be shapes of all other containers."""
CHAINS: Final = 3
"""Where containers of one place grew along so many chains of calls, they grow along all."""
SHAPES_IN_ALL: Final = 16
"""So many times more shapes, dicts included, are too many in any case."""
MOST_NESTED: Final = 64
"""Deeper counts as this deep."""


def trips_of(siblings: list[Version]) -> tuple[int, set[object]]:
    """How many trips of nested loops over static data these versions stand for, and the places of the positions: the
    loops' bodies are copied for each pair of positions, which is as much code as there is data."""
    trips: set[frozenset[tuple[object, object]]] = set()
    places: set[object] = set()
    for version in siblings:
        found = []
        for entry in version.state.heap.values():
            walks = entry.kind == "iterator" and entry.extra in ("sequence", "backwards")
            if walks and type(position := entry.items[1]) is Known:
                places.add((entry.site, 1))
                found.append((entry.site, position.value))
        trips.add(frozenset(found))
    return len(trips), places


def weights_of(shapes: Iterable[tuple[object, int]]) -> dict[object, int]:
    """How many containers of each site there are, and how much is in them, in one number."""
    weights: dict[object, int] = {}
    for site, length in shapes:
        weights[site] = weights.get(site, 0) + length + 1
    return weights


def growing_sites(siblings: list[Version]) -> set[object]:
    """Allocation sites whose containers have many lengths, or nest in themselves ever deeper, among these versions."""
    lengths: dict[object, set[int]] = {}
    depths: dict[object, set[int]] = {}
    for version in siblings[-64:]:
        heap = version.state.heap
        for entry in heap.values():
            if entry.kind in ("list", "tuple", "dict", "set", "deque"):
                lengths.setdefault(entry.site, set()).add(len(entry.items))
        for site, depth in nesting_depths(heap).items():
            depths.setdefault(site, set()).add(depth)
    limit = min(len(siblings), 64) // 2
    nested = {site for site, found in depths.items() if len(found) > NESTINGS}
    return {site for site, found in lengths.items() if len(found) > limit} | nested


def check_stored(stored: Stored, settled: bool = False) -> None:
    """Start again if more is known to be stored in objects that grow than somebody has been told."""
    if settled:
        stored.settle()
    if stored.late:
        stored.late = False
        raise Restart("fields of objects that grow hold more values")


def is_link(links: Learned[object], entry: VObject) -> bool:
    """Is this an object that would hold the one before it, if that was not real already?  Then it need not be."""
    if entry.kind != "instance" or not isinstance(entry.site, tuple) or entry.site[1:] not in links:
        return False
    return not any(type(item) is Virtual for item in entry.items)


def along_all_calls(known: Collection[object], sites: Collection[object]) -> Collection[object]:
    """What stands for the places of these sites along all calls, if enough other sites of them grow already; else the
    sites."""
    before = Counter(wherever_made(known))
    return [place for place in wherever_made(sites) if before[place] >= CHAINS] or sites


def growing_at(choices: Choices, state: State, alike: Collection[Shapes], running: Version | None) -> set[object]:
    """The sites whose containers grow with the loop at whose header this state is: `alike` holds the shapes of
    all states that came here, this one included, and are the same but for what containers hold.

    So many as SHAPES may differ at a dynamic loop's header.  What the loop only appends to grows as soon as a trip has
    made it longer and changed nothing else, at any header.
    """
    dynamic = state.top.block in state.top.facts.dynamic_headers
    if dynamic and len(alike) > SHAPES:
        sites = lengthening_sites(alike, state.heap, SHAPES)
        return _with_shapes(choices, outermost_sites(sites, state.heap))
    if len(alike) > 1:
        return gathered(choices, state, gathered_sites(state), alike, running)
    return _with_shapes(choices, gathered_sites(state, always=True)) if dynamic else set()


def _with_shapes(choices: Choices, sites: set[object]) -> set[object]:
    """Those of these sites whose objects are not real anyway."""
    return {site for site in sites if not is_among(choices.noshape, site)}


def grown_around(state: State, shapes: Iterable[tuple[tuple[int, int, object], Collection[Shapes]]]) -> set[object]:
    """Versions explode: the sites whose containers had several lengths at one point of a loop around this state while
    all else was equal.  What they hold may multiply the versions long before they are long."""
    grown: set[object] = set()
    shapes = list(shapes)
    for frame in state.frames:
        headers = {loop.header for loop in frame.facts.loops_of[frame.block]}
        for (uid, block, _), seen in shapes:
            if uid != frame.facts.uid or block not in headers or len(seen) < SHAPES:
                continue
            held = [weights_of(found) for found in seen]
            sites = {site for weights in held for site in weights}
            differing = {site for site in sites if len({found.get(site, 0) for found in held}) > 1}
            grown |= differing if len(differing) == 1 else set()
    return grown


def gathered_sites(state: State, always: bool = False) -> set[object]:
    """The sites of the lists that the loop at whose header this state is only appends to, and of the dicts and sets
    that it only writes to; only of the lists to which it appends for each item of an open iterator, if `always`: if it
    gets that far at all, they grow."""
    top = state.top
    found = top.facts.gathering(top.block)
    if not always:
        return _sites_of(state, found.added, found.used, _LISTS) | _sites_of(state, found.written, found.read, _TABLES)
    taken = top.facts.taking.get(top.block)
    if taken is None or type(state.resolve(top.env[taken])) is not Dynamic:
        return set()
    return _sites_of(state, found.always, found.used, _LISTS)


def _sites_of(state: State, values: frozenset[int], used: frozenset[int], kinds: frozenset[str]) -> set[object]:
    """The sites of objects of these kinds that are among these values, and can be reached in no other way that is
    used."""
    env = state.top.env
    oids = [content.oid for value in sorted(values.intersection(env)) if type(content := env[value]) is Virtual]
    oids = [oid for oid in oids if state.heap[oid].kind in kinds and _is_only_added_to(state, oid, used)]
    return {state.heap[oid].site for oid in oids}


def gathered(choices: Choices, state: State, sites: set[object], alike: object, running: Version | None) -> set[object]:
    """Those of these sites whose objects hold more, or other keys, than in a state that led here and is the same
    otherwise."""
    held = _contents(state, sites)
    tokens: tuple[object, ...] = ()
    version = running if sites else None
    while version is not None:
        before = version.state
        if version.alike is alike and version.scalars is not None:
            changed = {site for site, found in _contents(before, sites).items() if found != held[site]}
            tokens = tokens or Key(choices, state, without=sites).tokens
            if changed and Key(choices, before, without=sites).tokens == tokens:
                return changed
        version = version.parent
    return set()


def _contents(state: State, sites: set[object]) -> dict[object, object]:
    """How long lists are, and what the keys of dicts and sets are."""
    return {
        entry.site: len(entry.items) if entry.kind == "list" else (entry.names, len(entry.items))
        for entry in state.heap.values()
        if entry.site in sites
    }


def _is_only_added_to(state: State, oid: int, used: frozenset[int]) -> bool:
    """Is this the only object of its site, which the running frame reaches by none of these values?"""
    found = state.heap[oid]
    for other, entry in state.heap.items():
        if (other != oid and entry.site == found.site) or _holds(entry.items, oid):
            return False
    if _holds([content for content, _ in state.overlays.values()], oid):
        return False
    return not _holds([content for value, content in state.top.env.items() if value in used], oid)


def _holds(items: Collection[object], oid: int) -> bool:
    return any(type(item) is Virtual and item.oid == oid for item in items)


def lengthening_sites(
    seen: Collection[tuple[tuple[object, int], ...]], heap: dict[int, VObject], shapes: int
) -> set[object]:
    """The sites whose containers differ in length among the shapes that came to one header, if these are too many.

    The keywords that a row of an open list brings have several lengths, too, but grow with no loop: dicts, whose keys
    come from static data, are not counted until they have many more.
    """
    held = [weights_of(shape) for shape in seen]
    lengths = {site: len({weights.get(site, 0) for weights in held}) for site in held[0]}
    differing = {site for site, number in lengths.items() if number > 1}
    dicts = {entry.site for entry in heap.values() if entry.kind == "dict"} & differing
    others = differing - dicts
    growing = {site for site in dicts if lengths[site] > DICT_LENGTHS * shapes}
    if _shapes_of(others, held) > shapes:
        # A list that another one takes the place of differs, too, once, and grows with no loop.
        longer = {site for site in others if lengths[site] > shapes}
        growing |= longer if longer and _shapes_of(others - longer, held) <= shapes else others
    return growing if growing or len(held) <= SHAPES_IN_ALL * shapes else differing


def _shapes_of(sites: set[object], held: list[dict[object, int]]) -> int:
    """How many combinations of lengths the containers of these sites have."""
    return len({frozenset([(site, weights.get(site, 0)) for site in sites]) for weights in held})


def outermost_sites(sites: set[object], heap: dict[int, VObject]) -> set[object]:
    """Those of these sites whose objects do not lie in an object of another one.

    A list that grows holds ever more of what a trip around the loop makes: it grows, and they do not.
    """
    inside: set[object] = set()
    for entry in heap.values():
        if entry.site not in sites:
            continue
        seen: set[int] = set()
        work = list(entry.items)
        while work:
            item = work.pop()
            if type(item) is Virtual and item.oid not in seen:
                seen.add(item.oid)
                held = heap[item.oid]
                work.extend(held.items)
                if held.site != entry.site:
                    inside.add(held.site)
    return sites - inside or sites


def nesting_depths(heap: dict[int, VObject]) -> dict[object, int]:
    """How deep objects of one site lie inside each other, for the sites where any do."""
    inside = {
        oid: [item.oid for item in entry.items if type(item) is Virtual and heap[item.oid].site == entry.site]
        for oid, entry in heap.items()
    }
    depths: dict[object, int] = {}
    level = [oid for oid, items in inside.items() if items]
    for depth in range(1, MOST_NESTED):
        if not level:
            break
        depths.update((heap[oid].site, depth) for oid in level)
        reached = dict.fromkeys(item for oid in level for item in inside[oid])
        level = [oid for oid in reached if inside[oid]]
    return depths


def mark_loops(state: State) -> None:
    """Versions explode: the innermost loops around that have static control are dynamic after all.

    What decides about them depends on dynamic control earlier in the loop, through values that `facts` does not see.
    """
    for frame in reversed(state.frames):
        facts = frame.facts
        late = facts.dynamic_headers.absent(loop.header for loop in facts.loops_of[frame.block])
        if late:
            facts.dynamic_headers.update(late)
            raise Restart(f"the loop of {facts.function.name} turned out dynamic")
