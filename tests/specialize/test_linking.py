"""A variable that names a row of a static table becomes the row, where loops look up one state after the other.

    state = TABLE[state].get(event, state)     ->     state_row = state_row.get(event, state_row)

Invariant: the residual does what the original does for every event: it asks it what the table asked it, and as often.
"""

from __future__ import annotations

import copy
import enum
import pickle
import random
from collections import OrderedDict, defaultdict
from pathlib import Path
from typing import Any, ClassVar

import pytest

import futamura
from tests.specialize import automata

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

ROWS = {
    "idle": {"start": "running", "stop": "idle"},
    "running": {"pause": "paused", "stop": "idle", "tick": "running"},
    "paused": {"resume": "running", "stop": "idle"},
}
NAN = float("nan")


class Asked:
    """An event that writes down what it is asked; `says` is what it answers where it is compared."""

    asked: ClassVar[list[object]] = []

    def __init__(self, value, says=None):
        self.value, self.says = value, says

    def __repr__(self):
        return f"Asked({self.value!r}, {self.says!r})"

    def __hash__(self):
        self.asked.append("hash")
        return hash(self.value)

    def __eq__(self, other):
        self.asked.append(("==", other))
        if isinstance(self.says, type):
            raise self.says("mine")
        return self.value == other if self.says is None else self.says


class Text(str):
    """A text that is compared by code of the program."""

    __slots__ = ()

    def __hash__(self):
        Asked.asked.append("hash of a text")
        return str.__hash__(self)

    def __eq__(self, other):
        Asked.asked.append(("text ==", str(other)))
        return str.__eq__(self, other)


class NoHash:
    def __hash__(self):
        raise KeyError("hash")

    def __repr__(self):
        return "NoHash()"


class State(enum.Enum):
    IDLE = "idle"
    RUNNING = "running"
    PAUSED = "paused"


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Mark:
    """A state that is equal to nothing else."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name


A, B = Mark("A"), Mark("B")


def shown(value):
    if type(value) in (tuple, list):
        return type(value).__name__, [shown(item) for item in value]
    return type(value).__name__, repr(value)


def outcome(function, *arguments, once=False):
    """What comes out, and what events were asked; `once`: how often in a row a key was compared does not count."""
    Asked.asked.clear()
    try:
        result = shown(function(*arguments))
    except Exception as error:
        context = error.__context__
        result = type(error).__name__, shown(error.args), context and (type(context), shown(context.args))
    asked = [*Asked.asked]
    if once:
        asked = [one for at, one in enumerate(asked) if not at or one != asked[at - 1] or isinstance(one, str)]
    return result, asked


def pairs_of(rows):
    return {(state, event): after for state, row in rows.items() for event, after in row.items()}


def raising(events):
    yield from events
    raise KeyError("events")


def agree(function, table, start, *inputs):
    """The residual, which does the same for lists of events, and for iterators that fail."""
    residual = futamura.specialize(function, table, start)
    assert not residual.stats["fallbacks"], residual.events
    once = function.__name__.startswith("pairs")
    for events in inputs:
        for given in (list, iter, raising):
            expected = outcome(function, table, start, given(events), once=once)
            assert outcome(residual, given(events), once=once) == expected, events
    return residual


def is_linked(residual):
    """Is the table not looked into any more?  The tests at entry may still tell it from an argument."""
    function = residual.function
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    used = [cell.cell_contents for name, cell in cells if not name.startswith("_object")]
    return not any(value is residual.static["table"] for value in used)


EVENTS = ["start", "tick", "tick", "pause", "?", "resume", "stop", "stop", "start"]
STRANGE = [
    EVENTS, [], ["start", Asked("tick"), Asked("pause"), "resume"], [Asked("start", False), "start"],
    [Asked("stop", 1)], [Asked("start", ZeroDivisionError)], [Asked("start", KeyError)],
    [Text("start"), Text("pause")], [NoHash()], ["start", [1]], [{}], [slice(1)], [1, True, None, NAN],
    ["start", "pause"], ["start", "pause", "resume", 2.5, ("start",)], ["start", 0, ""],
]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in dir(automata) if name.startswith("rows")])
def test_rows(name):
    residual = agree(getattr(automata, name), ROWS, "idle", *STRANGE)
    assert is_linked(residual), residual.source


@pytest.mark.parametrize("name", [name for name in dir(automata) if name.startswith("pairs")])
def test_pairs(name):
    residual = agree(getattr(automata, name), pairs_of(ROWS), "idle", *STRANGE)
    assert is_linked(residual), residual.source


def test_members_are_states():
    rows = {State(state): {key: State(after) for key, after in row.items()} for state, row in ROWS.items()}
    for function, table in ((automata.rows_in, rows), (automata.rows_get, rows), (automata.pairs_in, pairs_of(rows))):
        assert is_linked(agree(function, table, State.IDLE, *STRANGE))


PAIRS: list[list[object]] = [
    [A, B], [State.IDLE, A], [len, str], [0, 1], [True, 2], [(1, 2), None], [Number.ONE, 5], [State.IDLE, 7],
    ["a", 7],
]  # fmt: skip


@pytest.mark.parametrize("states", PAIRS)
def test_states_of_many_classes(states):
    one, other = states
    rows = {one: {"x": other, 1: one}, other: {"x": one, 2.0: other, None: other}}
    inputs = [["x", 1, True, 1.0, "x", 2, 2.0, None, NAN, Number.ONE, Number.TWO], ["x", Asked("x"), Asked(1), [1]]]
    residual = agree(automata.rows_get, rows, one, *inputs)
    assert is_linked(residual) == all(type(state) in (int, str, State) for state in states)
    agree(automata.pairs_get, pairs_of(rows), one, *inputs)


def test_states_that_are_equal_stay_apart():
    """Of 1, True and 1.0 the one comes out that was put in."""
    rows = {1: {"x": True, "y": 1.0, "z": 1, "w": 2}, 2: {"x": 1.0, "w": 2.0}}
    for events in (["x"], ["y"], ["z"], ["w"], ["w", "w"], ["w", "w", "x"], ["x", "x", "y"]):
        for function in (automata.rows_get, automata.rows_counted, automata.rows_until):
            agree(function, rows, 1, events)
            agree(function, rows, True, events)


def test_keys_of_one_hash_are_left_alone():
    rows = {"a": {-1: "b", -2: "a", "x": "b"}, "b": {"x": "a"}}  # -1 and -2 have one hash
    assert not is_linked(agree(automata.rows_get, rows, "a", [-1, -2, "x", Asked(-1), Asked(-2)]))
    rows = {"a": {NAN: "b"}, "b": {"x": "a"}}
    assert not is_linked(agree(automata.rows_get, rows, "a", [NAN, "x", float("nan")]))


def test_pairs_of_numbers_are_left_alone():
    """How often a key that says no is compared depends on where others lie: among numbers it is always the same."""
    numbers = {(1, 1): 2, (1, 2): 1, (2, 1): 2, (2, 3): 1}
    residual = futamura.specialize(automata.pairs_get, numbers, 1)
    assert not is_linked(residual)
    assert is_linked(futamura.specialize(automata.rows_get, {1: {1: 2, 2: 1}, 2: {1: 2, 3: 1}}, 1))


def test_what_may_be_missing_stays():
    """A state without a row may be asked for one: the table says so."""
    rows = {"a": {"x": "b", "y": "c"}, "b": {"x": "a"}}
    residual = agree(automata.rows_get, rows, "a", ["x", "x"], ["y"], ["y", "x"])
    assert not is_linked(residual)
    none = {"a": {"x": "b", "y": None}, "b": {"x": "a"}}
    assert is_linked(agree(automata.rows_none, none, "a", ["x", "x"], ["y"], ["y", "x"], ["z"]))
    assert not is_linked(agree(automata.rows_get, {**none, None: {"x": "a"}}, "a", ["y", "x", "y"]))


def test_tests_that_leave_both_ways():
    """What was told on the edge to a block is not known there, if another edge leads to it."""
    rows = {"a": {"x": "b", "y": None}, "b": {"x": "a"}}
    for function in (automata.told_on_one_way, automata.told_by_one_edge):
        agree(function, rows, "a", ["x", "x"], ["y"], ["x", "y", "x"], ["y", "x"], ["z", "x"], [0, "x"])


class Missing(dict[str, str]):
    def __missing__(self, key):
        return "a"


@pytest.mark.parametrize("kind", [OrderedDict, Missing, lambda row: defaultdict(lambda: "b", row)])
def test_rows_of_other_classes_are_left_alone(kind):
    rows = {"a": kind({"x": "b"}), "b": kind({"x": "a", "y": "b"})}
    own = copy.deepcopy(rows)
    residual = futamura.specialize(automata.rows_item, rows, "a")
    for events in (["x", "y"], ["x", "?"], ["?", "?"]):
        assert outcome(residual, events) == outcome(automata.rows_item, own, "a", events)
        assert repr(rows) == repr(own)  # what is asked for may be put in
    assert not is_linked(residual)


@pytest.mark.parametrize("name", ["writes_row", "writes_table", "gives_table", "gives_row", "walks", "asks_values"])
def test_tables_that_do_not_stay_in_the_loop(name):
    function = getattr(automata, name)
    rows, own = copy.deepcopy(ROWS), copy.deepcopy(ROWS)
    residual = futamura.specialize(function, rows, "idle")
    assert not is_linked(residual)
    for events in (EVENTS, ["start", "a", "tick", "a", "tick"], []):
        assert outcome(residual, events) == outcome(function, own, "idle", events)
        assert rows == own


def test_an_argument_that_is_the_table():
    rows, own = copy.deepcopy(ROWS), copy.deepcopy(ROWS)
    residual = futamura.specialize(automata.stores, rows, "idle")
    assert is_linked(residual)
    for out, other in (({}, {}), (rows["running"], own["running"]), (rows, own)):
        assert outcome(residual, EVENTS, out) == outcome(automata.stores, own, "idle", EVENTS, other)
        assert rows == own
    assert outcome(residual, EVENTS, {}) == outcome(automata.stores, own, "idle", EVENTS, {})  # the table has changed


def test_an_argument_that_is_one_of_very_many_rows():
    """Nothing else was known of it than the linked row."""
    rows, own = machine(200, 6), machine(200, 6)
    events = ["e0", "e0"]
    residual = futamura.specialize(automata.stores, rows, "s0")
    assert is_linked(residual)
    outs = rows[rows["s0"]["e0"]], own[rows["s0"]["e0"]]
    assert outcome(residual, events, outs[0]) == outcome(automata.stores, own, "s0", events, outs[1])
    assert rows == own
    assert outcome(residual, events, {}) == outcome(automata.stores, own, "s0", events, {})


def machine(count, width, seed=5):
    choose = random.Random(seed)
    states = [f"s{number}" for number in range(count)]
    return {state: {f"e{at}": choose.choice(states) for at in range(width)} for state in states}


def test_many_states_are_told_by_pairs():
    rows = machine(40, 4)
    events = [f"e{number % 5}" for number in range(60)]
    residual = agree(automata.rows_get, rows, "s0", events, [], [Asked("e1"), [1]])
    assert "[1].get(" in residual.source and residual.source.count("\n") < 8
    agree(automata.pairs_item, pairs_of(rows), "s0", events, ["e1", "e2"])
    agree(automata.rows_counted, rows, "s0", events)


def test_very_many_stay_a_table():
    rows = machine(200, 50)
    events = [f"e{number % 51}" for number in range(60)]
    for function, table in ((automata.rows_get, rows), (automata.pairs_get, pairs_of(rows))):
        residual = agree(function, table, "s0", events)
        assert not is_linked(residual) and residual.source.count("\n") < 8


def test_an_item_that_tells_nothing_is_no_way_of_its_own():
    residual = agree(automata.rows_counted, ROWS, "idle", *STRANGE)
    assert residual.source.count(".get(") == 1


def test_it_can_be_saved_and_pickled(tmp_path: Path):
    for function, table in (
        (automata.rows_counted, ROWS), (automata.rows_get, machine(12, 3)), (automata.pairs_item, pairs_of(ROWS)),
    ):  # fmt: skip
        start = next(iter(table)) if function is not automata.pairs_item else "idle"
        residual = futamura.specialize(function, table, start)
        assert is_linked(residual)
        residual.save(tmp_path / "saved.py")
        namespace: dict[str, Any] = {}
        exec((tmp_path / "saved.py").read_text(), namespace)
        copied = pickle.loads(pickle.dumps(residual))
        for events in (EVENTS, ["e0", "e1", "e2", "e1"], [], ["start", "tick"]):
            expected = outcome(function, table, start, events)
            assert outcome(namespace[function.__name__], events) == expected == outcome(copied, events)


@pytest.mark.parametrize("seed", range(60))
def test_machines_of_any_kind(seed):
    choose = random.Random(seed)
    name = choose.choice([name for name in dir(automata) if name.startswith(("rows", "pairs"))])
    kinds: list[list[Any]] = [
        ["a", "b", "c"], [1, "a", 2.5], [State.IDLE, State.PAUSED], [A, B, "a"], [True, 2, "x"],
    ]  # fmt: skip
    events: list[list[Any]] = [["x", "y", "z"], [1, "x", (1, "x")], [A, "x", 0.0], [State.IDLE, "x"]]
    ends: list[list[Any]] = [[], [], ["end"], [None]]
    states, keys, sinks = choose.choice(kinds), choose.choice(events), choose.choice(ends)
    rows = {
        state: {key: choose.choice(states + sinks) for key in choose.sample(keys, choose.randint(1, len(keys)))}
        for state in states
    }
    others: list[Any] = [1, True, 0.0, -0.0, NAN, None, [1], NoHash(), State.IDLE, A]
    others += [Asked("x", False), Asked(1), Text("x")]
    inputs = [[choose.choice(keys if choose.random() < 0.7 else others) for _ in range(8)] for _ in range(6)]
    agree(getattr(automata, name), pairs_of(rows) if name.startswith("pairs") else rows, states[0], *inputs)


def test_containers_that_hold_themselves_are_saved(tmp_path: Path):
    table: dict[str, Any] = {"a": 1}
    rows = [table]
    table["rows"], table["pair"], table["plain"] = rows, (rows, [table]), {"a": [1]}
    rows.append(rows)  # type: ignore[arg-type]
    residual = futamura.specialize(automata.item, table)
    residual.save(tmp_path / "saved.py")
    namespace: dict[str, Any] = {}
    exec((tmp_path / "saved.py").read_text(), namespace)
    found = namespace["item"]
    assert found("a") == 1 and found("plain") == {"a": [1]}
    assert found("rows")[1] is found("rows") and found("rows")[0]["rows"] is found("rows")
    assert found("pair")[0] is found("rows") and found("pair")[1][0]["pair"] is found("pair")


def test_a_method_of_this_name_without_arguments() -> None:
    """`box.get()` is no look-up, whatever the object is."""

    def run(table: Any, box: Any, events: Any) -> Any:
        state, seen = "a", 0
        for event in events:
            seen += box.get()
            state = table[state].get(event, state)
        return state, seen

    class Box:
        def get(self) -> int:
            return 1

    table = {"a": {"x": "b"}, "b": {"x": "a"}}
    residual = futamura.specialize(run, table)
    assert not residual.stats["fallbacks"]
    assert residual(Box(), "xxyx") == run(table, Box(), "xxyx") == ("b", 4)


@pytest.mark.parametrize("odd", [float("nan"), 1.0, True, (1, 2), frozenset({1})])
def test_states_that_are_no_names(odd: Any) -> None:
    """What may equal something of another class, or not itself, is told by what it is."""
    table = {odd: {"x": "b"}, "b": {"x": odd, "y": "b"}}

    def changes(table: Any, state: Any, events: Any) -> Any:
        changed = same = 0
        for event in events:
            old, state = state, table[state].get(event, state)
            if old != state:
                changed += 1
            if state == state:
                same += 1
        return changed, same, state

    residual = futamura.specialize(changes, table, "b")
    assert not residual.stats["fallbacks"]
    for events in ("xy", "x", "yy", "xxyx"):
        assert repr(residual(events)) == repr(changes(table, "b", events))
