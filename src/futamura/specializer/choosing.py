"""An item taken out of a static table at a place that is not known is one of few: the code goes on for each.

    kind, scale = UNITS[name]                      j = {'m': 0, 'km': 1, 's': 2}[name]
    if kind == "length": ...        UNITS static   if j == 0: ... 'length', 1.0 ...
                                    name open      elif j == 1: ...

The look-up goes into a table of the same keys that holds numbers, so that it asks the key what it was asked, and fails
as it did; items that are all strings, or all ints, tell themselves apart.  Each way knows its item.  The ways meet
again where ways of the function meet, if they differ in nothing that is needed there.

Only an item that decides something is worth that (`deciding.py`).  A place that is reached often, with a table in each
state of an automaton, or behind too many others of its kind, is left as it is.

Invariant: the table is believed not to change, so nothing else than what it holds can have come out of it; no two of
its keys have one hash, so that at most one of them is compared with the key, in both tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType
from typing import Final, NamedTuple

from futamura.ir.graph import Operation
from futamura.specializer.dispatching import Parts, known_parts, may_equal, note_choice_of_get
from futamura.specializer.machine import Machine, Restart
from futamura.specializer.plainness import comparable
from futamura.specializer.purity import deep
from futamura.specializer.residual import ResidualBlock
from futamura.specializer.rules import SPECIAL, exact_type, hint_of, may_raise
from futamura.specializer.state import Frame, State
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Virtual, VObject, token_key

__all__ = ["branch_on_item", "call_of_method"]

MOST: Final = 8
"""So many items may be told apart at a look-up."""
MOST_STRUCTURES: Final = 16
MOST_KEYS: Final = 64
MOST_TIMES: Final = 24
"""So often may that be done at one place."""
_FUNCTIONS: Final = (FunctionType, BuiltinFunctionType, type)
_SCALARS: Final = (str, int, float, bool, bytes, complex, type(None))


class _Table(NamedTuple):
    """What may be looked up by its keys, and the static object that it is, if it is one."""

    kind: type
    pairs: Sequence[tuple[object, AbstractValue]]
    static: object = None


class _Choice(NamedTuple):
    """The items, each once, and the constant table that says which one it is: what it gives for each."""

    items: Sequence[AbstractValue]
    table: object
    told: Sequence[object]


def branch_on_item(m: Machine, frame: Frame, op: Operation, table: AbstractValue, key: AbstractValue) -> bool:
    """Go on behind `table[key]` in one way for each item that it may give."""
    found = _table(m, frame, op, table)
    if found is None or (found.kind is not dict and exact_type(m, key) not in (int, bool)):
        return False
    choice = _choice(m, frame, op, found, known_parts(m, key))
    if choice is None:
        return False
    direct = choice.table is found.static
    kind = type(choice.told[0]) if choice.told else None
    frame.env[op.results[0]] = m.emit(
        "getitem", (Known(choice.table), key), type=kind, hint=hint_of(frame, op) if direct else None
    )
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
    function = m.virtual(method._replace(items=(Known(choice.table),)))
    missing = choice.told[next(at for at, item in enumerate(choice.items) if _token(m, item) == _token(m, default))]
    call(m, frame, op, [function, args[0], Known(missing)], None)
    taken = frame.env[op.results[0]]
    assert type(taken) is Dynamic
    frame.env[op.results[0]] = Dynamic(taken.rv, type(missing))
    m.types[taken.rv] = type(missing)
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
    if not (type(default) is Known and deep(default.value)) and m.state.object(default) is None:
        return None
    table = _table(m, frame, op, m.state.resolve(method.items[0]))
    return None if table is None or table.kind is not dict else _choice(m, frame, op, table, parts, default)


def _among_keys(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`key in table` where the table is made here, and need not be for that."""
    key, table = args
    entry = m.state.object(table)
    if type(key) is not Dynamic or entry is None or entry.kind != "dict" or entry.cls is not dict:
        return None
    if not _are_apart(entry.names) or any(type(m.state.resolve(item)) is Dynamic for item in entry.items):
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
    _mark(m, frame, op)
    state = m.state
    arms: list[tuple[State, ResidualBlock]] = []
    for at, (item, told) in enumerate(zip(choice.items, choice.told)):
        arm = state.copy()
        arm.top.env[result] = item
        if at == len(choice.items) - 1:
            arms.append((arm, m.block))
            break
        same = m.emit("eq", (taken, Known(told)), type=bool, raises=False)
        then, otherwise = ResidualBlock(place=state.regions()), ResidualBlock(place=state.regions())
        then.origin = otherwise.origin = (frame.facts, frame.block)
        m.end("branch", (same.rv,), (then, otherwise))
        arms.append((arm, then))
        m.block = otherwise
    m.pending.extend(reversed(arms))
    m.alive = False


def _mark(m: Machine, frame: Frame, op: Operation) -> None:
    """Control is dynamic behind it, and so are the loops whose end it decides, here and where this was called."""
    late = False
    result: int | None = op.results[0]
    for active in reversed(m.state.frames):
        active.dynamic = True
        if result is None:
            continue
        late = active.facts.mark_choice(active.block, result) or late
        if not active.facts.deciding.decided(result)[1] or active is m.state.frames[0]:
            result = None
            continue
        caller = m.state.frames[m.state.frames.index(active) - 1]
        ops = caller.facts.blocks[caller.block].ops
        waiting = ops[caller.index - 1] if 0 < caller.index <= len(ops) else None
        result = waiting.results[0] if waiting is not None and waiting.results else None
    if late:
        m.late = f"the loop of {frame.facts.function.name} turned out dynamic"
        if not m.patient:
            raise Restart(m.late)


def _table(m: Machine, frame: Frame, op: Operation, table: AbstractValue) -> _Table | None:
    """The table that is looked into, if an item of it may be worth it, and its contents are known."""
    if not op.results or op.results[0] not in frame.facts.deciding.structures or m.style.every_block:
        return None
    if type(table) is Known:
        content = table.value
        if not isinstance(content, dict | list | tuple) or type(content) not in (dict, list, tuple):
            return None
        age = m.state.age(table)
        pairs = [*content.items()] if isinstance(content, dict) else [*enumerate(content)]
        known = [(key, m.known(item, age)) for key, item in pairs[: MOST_KEYS + 1]]
        return _Table(type(content), known, content)
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
    items = [*{_token(m, item): item for item in (*(item for _, item in pairs), *default)}.values()]
    if len(items) > 1 and not _is_worth_it(frame, op, items):
        return None
    place = ("choice", frame.facts.uid, op.id)
    if place in m.refused:
        return None
    if table.static is not None:
        if type(table.static) is not tuple and not m.frozen(table.static):
            return None
        for _, item in pairs:
            assert type(item) is Known
            m.reads(table.static, item.value)
    m.chosen[place] = m.chosen.get(place, 0) + 1
    if m.chosen[place] > MOST_TIMES:
        m.refuse(place, "the items of a table differ at too many places")
    values = [item.value for item in items if type(item) is Known]
    if table.static is not None and _tell_themselves(values) and len(values) == len(items):
        return _Choice(items, table.static, values)
    numbers = {_token(m, item): number for number, item in enumerate(items)}
    index = m.world.index_of(table.kind, [key for key, _ in pairs], [numbers[_token(m, item)] for _, item in pairs])
    return _Choice(items, index, range(len(items)))


def _is_worth_it(frame: Frame, op: Operation, items: Sequence[AbstractValue]) -> bool:
    """Are there few of them, and does it decide anything which one it is?"""
    known = [item.value for item in items if type(item) is Known]
    if len(known) == len(items) and all(type(value) in _FUNCTIONS or value is None for value in known):
        return False  # these are asked when they are called (`dispatching.py`)
    structured = len(known) < len(items) or not all(type(value) in _SCALARS for value in known)
    if any(type(item) is Dynamic for item in items):
        structured = False
    if not structured and op.results[0] not in frame.facts.deciding.values:
        return False
    return len(items) <= (MOST_STRUCTURES if structured else MOST)


def _tell_themselves(values: list[object]) -> bool:
    return bool(values) and type(values[0]) in (str, int) and all(type(value) is type(values[0]) for value in values)


def _token(m: Machine, item: AbstractValue) -> object:
    """Equal for items that are one."""
    item = m.state.resolve(item)
    if type(item) is Known:
        return ("known", token_key(item.value))
    return item.oid if type(item) is Virtual else item


def _are_apart(keys: Sequence[object]) -> bool:
    """Can keys be compared without code of the program, and has each a hash of its own?"""
    return all(comparable(key) and key == key for key in keys) and len({hash(key) for key in keys}) == len(keys)
