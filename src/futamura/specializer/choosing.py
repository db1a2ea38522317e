"""An item taken out of a static table at a place that is not known is one of few: the code goes on for each.

    kind, scale = UNITS[name]                      j = {'m': 0, 'km': 1, 's': 2}[name]
    if kind == "length": ...        UNITS static   if j == 0: ... 'length', 1.0 ...
                                    name open      elif j == 1: ...

The look-up goes into a table of the same keys that holds numbers, so that it asks the key what it was asked, and fails
as it did.  Each way knows its item.  The ways meet again where ways of the function meet, if they differ in nothing
that is needed there.

Only an item with parts that decides something is worth that (`deciding.py`): a string is told apart by the tests that
the code has, unless it names an attribute.  A place that is reached often, as in an automaton of many states, or behind
others of its kind whose items are still needed, is left as it is.

Invariant: the table is believed not to change, so nothing else than what it holds can have come out of it; no two of
its keys have one hash, so that at most one of them is compared with the key, in both tables.  (How often it is compared
depends on the room in a dict: one that has shrunk may ask a key that says no once, where the other one asks twice.)
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Final, NamedTuple, NoReturn

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.dispatching import Parts, fork, known_parts, may_equal, note_choice_of_get
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import DICTS
from futamura.specializer.recursion import COMPACT
from futamura.specializer.rules import SPECIAL, exact_type, hint_of, may_raise
from futamura.specializer.state import Frame, State
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Virtual, VObject, token_key

__all__ = ["branch_on_item", "call_of_method", "check_ways", "count_choice", "mark_choice"]

MOST: Final = 16
"""So many items may be told apart at a look-up."""
MOST_KEYS: Final = 64
MOST_TIMES: Final = 24
"""So often may that be done at one place, in the versions that are left."""
MOST_WAYS: Final = 24
LEAST_TIMES: Final = 4
"""So many ways may be made at one place with one table; so often may it be done in any case."""
MOST_ON_THE_WAY: Final = 24
"""So often may it be done as long as it is not known what varies around loops."""
_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, type)
_SCALARS: Final = (str, int, float, bool, bytes, complex, type(None))
_ATOMS: Final = (*_FUNCTIONS, *_SCALARS)
_WITHOUT_CODE: Final = (*_SCALARS, BuiltinFunctionType, type)


class _Table(NamedTuple):
    """What may be looked up by its keys, and the static object that it is, if it is one."""

    kind: type
    pairs: Sequence[tuple[object, AbstractValue]]
    static: object = None


class _Choice(NamedTuple):
    """The items, each once, and the constant table that gives the number of one; what that is without a key in it."""

    items: Sequence[AbstractValue]
    numbers: Known
    missing: int = 0


def branch_on_item(m: Machine, frame: Frame, op: Operation, table: AbstractValue, key: AbstractValue) -> bool:
    """Go on behind `table[key]` in one way for each item that it may give."""
    found = None if type(key) is Known else _table(m, frame, op, table)
    if found is None or (found.kind is not dict and exact_type(m, key) not in (int, bool)):
        return False
    choice = _choice(m, frame, op, found, known_parts(m, key))
    if choice is None:
        return False
    itself = exact_type(m, key) is bool and found.kind is not dict and choice.numbers.value in ((0, 1), [0, 1])
    frame.env[op.results[0]] = key if itself else m.emit("getitem", (choice.numbers, key), type=int)
    _go_on(m, frame, op, choice)
    return True


def call_of_method(
    m: Machine,
    frame: Frame,
    op: Operation,
    function: AbstractValue,
    method: VObject,
    args: list[AbstractValue],
    call: Callable[[Machine, Frame, Operation, list[AbstractValue], object], None],
) -> None:
    """`call` a method at run time; the same for `table.get(key)` and `table.get(key, default)`."""
    parts = known_parts(m, args[0]) if args else None
    default = m.state.resolve(args[1]) if len(args) == 2 else NONE
    choice = _choice_of_get(m, frame, op, method, args, default, parts)
    if choice is None:
        call(m, frame, op, [function, *args], None)
        note_choice_of_get(m, frame, op, method, args, parts)
        return
    function = m.virtual(method._replace(items=(choice.numbers,)))
    call(m, frame, op, [function, args[0], Known(choice.missing)], None)
    taken = frame.env[op.results[0]]
    assert type(taken) is Dynamic
    frame.env[op.results[0]] = Dynamic(taken.rv, int)
    m.types[taken.rv] = int
    _go_on(m, frame, op, choice)


def _choice_of_get(
    m: Machine,
    frame: Frame,
    op: Operation,
    method: VObject,
    args: list[AbstractValue],
    default: AbstractValue,
    parts: Parts,
) -> _Choice | None:
    if method.extra != "get" or not 1 <= len(args) <= 2:
        return None
    if type(default) is not Known and m.state.object(default) is None:
        return None
    table = _table(m, frame, op, m.state.resolve(method.items[0]), DICTS)  # `get` makes no item
    return None if table is None or table.kind is not dict else _choice(m, frame, op, table, parts, default)


def _among_keys(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`key in table` where the table is made here, and need not be for that."""
    key, table = args
    entry = m.state.object(table)
    if type(key) is not Dynamic or entry is None or entry.kind != "dict" or entry.cls is not dict:
        return None
    if not _are_apart(entry.names) or not _has_structure([m.state.resolve(item) for item in entry.items]):
        return None
    keys = m.world.index_of(dict, entry.names, range(len(entry.names)))
    name, types = op.operator.name, [exact_type(m, key), dict]
    return m.emit(name, (key, Known(keys)), type=bool, hint=hint_of(frame, op), raises=may_raise(name, types))


for _name in ("in", "not_in"):
    SPECIAL.setdefault(_name, []).append(_among_keys)


def _go_on(m: Machine, frame: Frame, op: Operation, choice: _Choice) -> None:
    """What was looked up tells which item it is: go on in one way for each."""
    result = op.results[0]
    if not choice.items:  # that raises
        m.end("unreachable")
        return
    if len(choice.items) == 1:
        frame.env[result] = choice.items[0]
        return
    taken = frame.env[result]
    assert type(taken) is Dynamic
    mark_choice(m, frame, op)
    state = m.state

    def way(at: int) -> State:
        arm = state.copy()
        arm.top.env[result] = choice.items[at]
        return arm

    by_truth = taken.type is bool  # of two
    fork(m, frame, len(choice.items), lambda at: ("not", (taken,)) if by_truth else ("eq", (taken, Known(at))), way)


def mark_choice(m: Machine, frame: Frame, op: Operation) -> None:
    """Control is dynamic behind it, and so are the loops whose end it decides, here and where this was called."""
    late = False
    result: int | None = op.results[0]
    frames = m.state.frames
    for depth in range(len(frames) - 1, -1, -1):
        active = frames[depth]
        active.dynamic = True
        if result is None:
            continue
        late = active.facts.mark_choice(active.block, result) or late
        if not active.facts.deciding.decided(result)[1] or not depth:
            result = None
            continue
        caller = frames[depth - 1]
        ops = caller.facts.blocks[caller.block].ops
        waiting = ops[caller.index - 1] if 0 < caller.index <= len(ops) else None
        result = waiting.results[0] if waiting is not None and waiting.results else None
    if late:
        m.late = f"the loop of {frame.facts.function.name} turned out dynamic"
        if not m.patient:
            raise Restart(m.late)


def _table(
    m: Machine, frame: Frame, op: Operation, table: AbstractValue, dicts: tuple[type, ...] = (dict, OrderedDict)
) -> _Table | None:
    """The table that is looked into, if an item of it may be worth it, and its contents are known."""
    if not op.results or op.results[0] not in frame.facts.deciding.callers or m.style.every_block:
        return None
    if type(table) is Known:
        content = table.value
        if not isinstance(content, dict | list | tuple):
            return None
        if type(content) not in dicts and type(content) is not list and type(content) is not tuple:
            return None
        age = m.state.age(table)
        pairs = [*content.items()] if is_a(content, dict) else [*enumerate(content)]
        known = [(key, m.known(item, age)) for key, item in pairs[: MOST_KEYS + 1]]
        return _Table(dict if is_a(content, dict) else type(content), known, content)
    entry = m.state.object(table)
    if entry is None or entry.kind not in ("dict", "list", "tuple") or entry.cls not in (dict, list, tuple):
        return None
    names = entry.names if entry.kind == "dict" else range(len(entry.items))
    items = [m.state.resolve(item) for item in entry.items[: MOST_KEYS + 1]]
    if entry.kind != "dict" and not all(type(item) is Virtual for item in items):
        return None
    return _Table(entry.cls, [*zip(names, items)])


def _choice(
    m: Machine, frame: Frame, op: Operation, table: _Table, parts: Parts, *default: AbstractValue
) -> _Choice | None:
    """What may come out of a table, if the ways can be told apart; `parts` of the key, `default` if it has none."""
    if m.versions.polyvariance == "none" or len(m.state.frames) >= m.budget.depth // 2:
        return None
    if len(table.pairs) > MOST_KEYS or not _are_apart([key for key, _ in table.pairs]):
        return None
    pairs = [(key, item) for key, item in table.pairs if may_equal(key, parts)]
    items = {_token(m, item): item for item in (*(item for _, item in pairs), *default)}
    named = op.results[0] in frame.facts.deciding.names and all(map(_may_name, items.values()))
    if len(items) > 1 and not (len(items) <= MOST and (named or _has_structure(items.values()))):
        return None
    place = ("choice", frame.facts.uid, op.id)
    if op.results[0] not in frame.facts.deciding.values and not _is_with_code(m, place, items.values()):
        return None
    if len(items) > 1 and not named and _tells_nothing(m, frame, op, items.values()):
        return None
    if place in m.refused:
        return None
    if table.static is not None:
        if type(table.static) is not tuple and not m.frozen(table.static):
            return None
        for _, item in pairs:
            assert type(item) is Known
            m.reads(table.static, item.value)
    numbers = {token: number for number, token in enumerate(items)}
    keys = [key for key, _ in table.pairs]  # all: also of those that it cannot be one may have the hash of the key
    index = m.world.index_of(table.kind, keys, [numbers.get(_token(m, item), 0) for _, item in table.pairs])
    count_choice(m, place, id(index), len(items))
    return _Choice([*items.values()], Known(index), numbers[_token(m, default[0])] if default else 0)


def _is_with_code(m: Machine, place: tuple[str, int, int], items: Iterable[AbstractValue]) -> bool:
    """Is there a function of the program in one of the items, or is there in those of another table at this place?

    The rows of an automaton are looked up at one place: one without guards is told apart as those with guards are, or
    the state behind it would not be known.
    """
    if not any(_has_code(item.value if type(item) is Known else item) for item in items):
        return ("rows", *place) in m.refused and ("rows without code", *place) not in m.refused
    if m.refused.learn(("rows", *place)):
        m.versions.forgive()
        raise Restart("rows without code lie beside some with code")
    return True


def _tells_nothing(m: Machine, frame: Frame, op: Operation, items: Iterable[AbstractValue]) -> bool:
    """Are the items dicts of numbers and texts, in which only open keys are looked up?"""
    for item in items:
        row = item.value if type(item) is Known else None
        if type(row) is not dict or not all(type(one) in _SCALARS for one in row.values()):
            return False
    keys = frame.facts.deciding.keys(op.results[0])
    return bool(keys) and keys is not None and all(type(frame.env.get(key)) is Dynamic for key in keys)


def count_choice(m: Machine, place: tuple[str, int, int], table: int, ways: int) -> None:
    """One time more at this place, and with the table of this number."""
    times = m.chosen.setdefault(place, {}).setdefault(m.running, [])
    if times and times[0][0] != m.running.runs:
        times.clear()
    times.append((m.running.runs, table, ways))
    if ways > 1 and len(_left(m, place)) > MOST_ON_THE_WAY:
        _refuse(m, place)


def check_ways(m: Machine) -> None:
    """All versions are run: nothing was found out too late, and ways were not made too often."""
    if m.late:
        raise Restart(m.late)
    for place in m.chosen:
        if m.refused.has(place):
            continue
        left = [(index, ways) for _, index, ways in _left(m, place) if ways > 1]
        made = Counter(left)
        if len(left) > MOST_TIMES or any(n > max(LEAST_TIMES, MOST_WAYS // ways) for (_, ways), n in made.items()):
            if m.unfolded.items() and not m.refused.has(COMPACT):
                m.refuse(COMPACT, _TOO_MANY)
            _refuse(m, place)


def _refuse(m: Machine, place: tuple[str, int, int]) -> NoReturn:
    """No ways at this place: first none for rows without code beside some with code."""
    without = ("rows without code", *place)
    if m.refused.has(("rows", *place)) and not m.refused.has(without):
        m.refuse(without, _TOO_MANY)
    m.refuse(place, _TOO_MANY)


_TOO_MANY: Final = "the items of a table differ at too many places"


def _left(m: Machine, place: tuple[str, int, int]) -> list[tuple[int, int, int]]:
    """What was done at a place in versions that are left."""
    return [
        one
        for version, times in m.chosen[place].items()
        if version.forward is None and version.unit.table.get(version.key) is version
        for one in times
    ]


def _has_structure(items: Iterable[AbstractValue]) -> bool:
    """Are all known, and is there one with parts among them?  Functions are asked for when they are called."""
    shown = [item for item in items if not (type(item) is Known and type(item.value) in _ATOMS)]
    return bool(shown) and all(type(item) is not Dynamic for item in shown)


def _may_name(item: AbstractValue) -> bool:
    return type(item) is Known and type(item.value) in (str, type(None))


def _has_code(item: object, depth: int = 4) -> bool:
    """Is there a function of the program among its parts, or what may be one?"""
    if is_a(item, dict):
        return any(_has_code(part, depth - 1) for part in item.values())
    if type(item) in (tuple, list) and isinstance(item, tuple | list):
        return depth > 0 and any(_has_code(part, depth - 1) for part in item)
    if type(item) in _WITHOUT_CODE:
        return False
    return callable(item) or bool(type(item).__flags__ & _HEAP and not type(item).__flags__ & _IMMUTABLE)


_HEAP: Final = 1 << 9
_IMMUTABLE: Final = 1 << 8
"""Flags of classes: made when the program runs; of those the ones that are written in C."""


def _token(m: Machine, item: AbstractValue) -> object:
    """Equal for items that are one."""
    item = m.state.resolve(item)
    if type(item) is Known:
        return ("known", token_key(item.value))
    return item.oid if type(item) is Virtual else item


def _are_apart(keys: Sequence[object]) -> bool:
    """Can keys be compared without code of the program, and has each a hash of its own?"""
    return all(comparable(key) and key == key for key in keys) and len({hash(key) for key in keys}) == len(keys)
