"""An item of a static table at an open place is one of few: the code goes on for each, if the item decides something.

    kind, scale = UNITS[name]; if kind == "length": ...     ->     no comparison with "length" is left

Invariant: the residual does what the original does, with as many questions to the key, for keys that the table does not
have, or cannot hash; it looks up where an item decides nothing.
"""

from __future__ import annotations

import copy
import importlib.util
import re
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path
from typing import Any, ClassVar

import pytest

import futamura
from futamura import Dyn
from tests.specialize.lookup_programs import lookups
from tests.specialize.specializing import fallbacks, source_of, specialize

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def outcome(function, *arguments):
    try:
        return repr(function(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def agree(function, table, *inputs):
    residual = futamura.specialize(function, table)
    assert not residual.stats["fallbacks"], residual.events
    for given in inputs:
        assert outcome(residual, *copy.deepcopy(given)) == outcome(function, table, *copy.deepcopy(given)), given
    return residual


class Counted:
    """A key that writes down what it is asked."""

    asked: ClassVar[list[str]] = []

    def __init__(self, value):
        self.value = value

    def __hash__(self):
        self.asked.append("hash")
        return hash(self.value)

    def __eq__(self, other):
        self.asked.append(f"== {other!r}")
        return self.value == other


FIELDS = {1: ("id", "int"), 2: ("name", "str"), 3: ("tags", "list"), 4: ("more", "list")}


def field(fields, number, raw):
    if number not in fields:
        return None
    name, kind = fields[number]
    if kind == "int":
        return name, int(raw)
    if kind == "str":
        return name, str(raw)
    return name, [raw]


def test_each_item_has_its_way():
    keys = [1, 2, 3, 4, 5, True, 1.0, "1", None, [1], slice(1)]
    residual = agree(field, FIELDS, *((key, "7") for key in keys), (1, "x"))
    assert "'int'" not in residual.source
    assert "'name', str(raw)" in residual.source
    assert residual.source.count("raw") == 5


SPECS = {"x": {"type": "int"}, "y": {"type": "int", "add": 5}, "z": {"type": "many", "count": 3}}


def by_get(specs, name, value):
    spec = specs.get(name)
    if spec is None:
        return None
    if spec["type"] == "int":
        return int(value) + spec.get("add", 0)
    return [value] * spec["count"]


def test_what_is_missing_is_a_way_too():
    residual = agree(by_get, SPECS, ("x", 1), ("y", "2"), ("z", 3), ("w", 1), (None, 1), ([], 1))
    assert "'type'" not in residual.source
    assert "[value, value, value]" in residual.source


def kind_at(kinds, place):
    kind, text = kinds[place]
    if kind == "a":
        return 1
    return text + "!"


@pytest.mark.parametrize("table", [(("a", "x"), ("b", "y"), ("a", "x")), [("a", "x"), ["b", "y"], ("a", "x")]])
def test_lists_by_places_that_are_ints(table):
    places = [0, 1, 2, -1, -3, 3, True]
    function = kind_at
    residual = futamura.specialize(function, table, Dyn(int))
    assert "+ '!'" not in residual.source
    for place in (*places, 1.5, slice(0, 1), "a", None):
        assert outcome(residual, place) == outcome(function, table, place)
    agree(function, table, *((place,) for place in (*places, 1.5, slice(0, 1), "a")))


def made_here(_, name, x):
    ways = {"double": (lambda a, n: a * n, 2), "negative": (lambda a, n: -a, 1), "list": (None, [])}
    if name not in ways:
        return "none"
    way, n = ways[name]
    return n if way is None else way(x, n)


def test_tables_that_the_function_makes():
    residual = agree(made_here, None, ("double", 3), ("negative", 3), ("list", 3), ("?", 3), ([], 3), ("double", "a"))
    assert "lambda" not in residual.source
    assert "x * 2" in residual.source


def kept(_, name, x):
    """The table is looked at again after an item of it has changed."""
    rows = {"a": ["int"], "b": ["str", 1]}
    row = rows[name]
    if row[0] == "int":
        row.append(x)
    return rows, rows[name] is row, row


def test_items_stay_what_they_are():
    agree(kept, None, ("a", 1), ("b", 2), ("c", 3))


def automaton(table, events, limit):
    state, count = "idle", 0
    for event in events:
        for target, guard, cost in table.get((state, event), ()):
            if guard is None or guard(count, limit):
                count += cost
                state = target
                break
        else:
            raise ValueError(f"{event} in {state}")
    return state, count


TRANSITIONS = {
    ("idle", "coin"): [("ready", None, 1)],
    ("ready", "push"): [("idle", lambda count, limit: count < limit, 0), ("full", None, 0)],
    ("ready", "coin"): [("ready", None, 1)],
}


def test_automata_are_code():
    events = [["coin", "push"], ["push"], ["coin"] * 4 + ["push", "coin"], [], ["coin", []], None, ["coin", "push"] * 9]
    residual = agree(automaton, TRANSITIONS, *((one, limit) for one in events for limit in (3, 20)))
    assert "lambda" not in residual.source
    assert "count < limit" in residual.source
    assert "'full'" in residual.source


def by_rows(table, events, limit, state):
    count = 0
    for event in events:
        for target, guard, cost in table[state].get(event, ()):
            if guard is None or guard(count, limit):
                count += cost
                state = target
                break
    return state, count


ROWS = {
    "idle": {"coin": [("ready", None, 1)]},
    "ready": {"push": [("idle", lambda n, limit: n < limit, 0), ("full", None, 0)], "coin": [("ready", None, 1)]},
    "full": {"empty": [("idle", None, -3)], "coin": [("full", None, 0)]},
}


@pytest.mark.parametrize("first", ["idle", "ready", "full"])
def test_rows_without_guards_beside_some_with_guards(first):
    residual = futamura.specialize(by_rows, ROWS, state=first)
    for events in (["coin", "push"], ["coin"] * 4 + ["push", "coin", "empty"] * 2, [], ["coin", []], None):
        for limit in (3, 20):
            assert outcome(residual, events, limit) == outcome(by_rows, ROWS, events, limit, first)
    assert "guard" not in residual.source
    assert "[state" not in residual.source


def many_rows(table, events, state):
    count = 0
    for event in events:
        for target, guard, cost in table[state].get(event, ()):
            if guard is None or guard(count):
                count += cost
                state = target
                break
    return state, count


def test_too_many_rows_without_guards():
    plain = {n: {k: [((n * 7 + k) % 40, None, k)] for k in range(5)} for n in range(40)}
    table = {**plain, 3: {0: [(4, lambda count: count > 3, 1), (5, None, 0)]}}
    residual = agree(many_rows, table, ([0, 1, 2, 3, 4, 0, 1], 3), ([3, 0, 0, 0, [], 1], 0), ([], 1), ([0], 99))
    assert len(residual.source.splitlines()) < 80


class Bus:
    def __init__(self, kind):
        self.handlers = kind()

    def on(self, name, function, when=None):
        self.handlers.setdefault(name, []).append((function, when))

    def emit(self, name, x):
        found = []
        for function, when in self.handlers.get(name, ()):
            if when is None or when(x):
                found.append(function(x))
        return found, len(self.handlers)

    def emit_all(self, name, x):
        return [function(x) for function, _ in self.handlers[name]], len(self.handlers)


@pytest.mark.parametrize("kind", [dict, OrderedDict, Counter, lambda: defaultdict(list)])
def test_handlers_in_dicts_of_all_kinds(kind):
    """`get` makes no item, even of a `defaultdict`; a look-up in one does."""
    buses = [Bus(kind) for _ in range(4)]
    for bus in buses:
        bus.on("add", lambda x: x + 1)
        bus.on("add", lambda x: x * 2, lambda x: x > 1)
        bus.on("flip", lambda x: -x)
    emit, emit_all = futamura.specialize(buses[0].emit), futamura.specialize(buses[1].emit_all)
    assert "lambda" not in emit.source and "for" not in emit.source, emit.source
    for name in ("add", "flip", "other", "", None, [], Counted("add"), "other"):
        for x in (1, 2, "a", None):
            assert outcome(emit, name, x) == outcome(buses[2].emit, name, x)
            assert outcome(emit_all, name, x) == outcome(buses[3].emit_all, name, x)


def until(table, items):
    count = 0
    while True:
        kind = table.get(items.pop(), "skip")
        if isinstance(kind, tuple):
            kind = kind[0]
        if kind == "end":
            return count
        if kind == "take":
            count += 1


def test_loops_that_an_item_ends_stay_loops():
    agree(until, {"e": ("end",), "t": ("take",), "u": ("take", 2)}, (["e", "t", "u", "t"],), (["x"],), ([],))
    residual = agree(until, {"e": "end", "t": "take", "u": "take"}, (["e", "t", "x", "u", "t"],), (["t"],), ([[]],))
    assert len(residual.source.splitlines()) < 16


def counted(table, events):
    """What the item says goes through an attribute: how often that is done is bounded."""

    class Run:
        state = "a"
        steps = 0

    run = Run()
    for event in events:
        run.steps += 1
        if run.state == "b":
            run.steps += 5
        run.state, more = table[run.state, event]
        if more == "more":
            run.steps += 1
    return run.state, run.steps


def test_what_goes_through_attributes():
    table = {("a", 1): ("b", "more"), ("b", 1): ("a", ""), ("a", 2): ("a", "more")}
    residual = agree(counted, table, ([1, 1, 2, 1],), ([1] * 30,), ([],), ([1, 2],))
    assert "'more'" not in residual.source


def scaled(units, name, x):
    factor, offset = units[name]
    return x * factor + offset


def test_what_decides_nothing_is_looked_up():
    residual = agree(scaled, {"m": (1, 0), "km": (1000, 0), "c": (1.0, 273.15)}, ("km", 2), ("c", 1), ("?", 1))
    assert len(residual.source.splitlines()) == 3
    assert "==" not in residual.source


def test_strings_are_told_apart_by_the_tests_that_there_are():
    def one(table, name, x):
        kind = table[name]
        if kind == "x":
            x += 1
        for i in range(x):
            if i % 3 == 0:
                x -= 1
        return x if kind != "y" else -x

    residual = agree(one, dict(zip("abcdefgh", "xyzwvuts")), *((name, 7) for name in "abcz"))
    assert residual.source.count("for ") == 1


def test_one_item_and_none():
    residual = agree(field, {7: ("id", "int")}, (7, "3"), (8, "3"), ([], 1))
    assert "int(raw)" in residual.source
    assert "str(raw)" not in residual.source
    agree(by_get, {}, ("x", 1), ([], 1))


def test_keys_are_asked_as_before():
    residual = futamura.specialize(field, FIELDS)
    for value in (1, 3, 9, -1, -2):
        Counted.asked.clear()
        expected = outcome(field, FIELDS, Counted(value), "5"), [*Counted.asked]
        Counted.asked.clear()
        assert (outcome(residual, Counted(value), "5"), Counted.asked) == expected


def test_keys_of_one_hash_are_looked_up():
    assert hash(-1) == hash(-2)
    residual = agree(field, {-1: ("a", "int"), -2: ("b", "str")}, (-1, "1"), (-2, "1"), (0, 1))
    assert "'int'" in residual.source


def by_parts(table, key):
    kind, n = table[key, -1]
    if kind == "x":
        return 1
    return n


def test_keys_with_known_parts_are_asked_as_before():
    assert hash(("a", -1)) == hash(("a", -2))
    for table in ({("a", -2): ("x", 1), ("a", 5): ("z", 3)}, {("a", -1): ("x", 1), ("b", -2): ("y", 2), ("b", 5): ()}):
        residual = futamura.specialize(by_parts, table)
        for value in ("a", "b", "c"):
            Counted.asked.clear()
            expected = outcome(by_parts, table, Counted(value)).partition("(<")[0], [*Counted.asked]
            Counted.asked.clear()
            assert (outcome(residual, Counted(value)).partition("(<")[0], Counted.asked) == expected


def by_names(table, names, rows):
    out = []
    for name in names:
        for row in rows:
            kind, default = table.get(row.get(name), ("none", 0))
            if kind == "int":
                out.append(default + 1)
            elif kind == "str":
                out.append(str(default))
            else:
                out.append(kind)
    return out


def test_places_that_are_reached_often_are_looked_up():
    names = [f"n{number}" for number in range(40)]
    table = {"i": ("int", 3), "s": ("str", 4)}
    residual = futamura.specialize(by_names, table, names)
    rows = [dict(zip(names, "isx" * 20)), {}]
    assert residual(rows) == by_names(table, names, rows)
    assert residual.stats["fallbacks"] == {}
    assert residual.stats["restarts"] < 9


def test_many_open_lookups_do_not_multiply():
    def options(table, a, b, c, d, e):
        first, second, third, fourth, fifth = table[a], table[b], table[c], table[d], table[e]
        out = []
        for kind, one in (first, second, third, fourth, fifth, first, second, third, fourth, fifth):
            if kind == "x":
                out.append(1)
            elif kind == "y":
                out.append(2)
            else:
                out.append(one)
        return out

    table = {key: (kind, number) for number, (key, kind) in enumerate(zip("abcdefgh", "xyzwvuts"))}
    residual = agree(options, table, tuple("abcde"), tuple("hgfed"), tuple("aaaaz"))
    assert len(residual.source.splitlines()) < 100


ROWS = {"a": ("int", 1), "b": ("str", 2)}


def change_rows(key, value):
    ROWS[key] = value


def read_rows(key, change):
    if change is not None:
        change_rows(key, change)
    kind, n = ROWS[key]
    if kind == "int":
        return n + 1
    return [kind, n]


def test_tables_that_are_changed_are_looked_up():
    residual = futamura.specialize(read_rows, change=("int", 9))
    for key in ("a", "b", "c"):
        assert residual(key) == 10 == read_rows(key, None)
    kept = dict(ROWS)
    residual = futamura.specialize(read_rows, change=None)
    change_rows("a", ("many", 5))
    assert residual("a") == ["many", 5]
    ROWS.clear()
    ROWS.update(kept)


def changed_here(table, key, other):
    table[other] = ("str", 0)
    kind, n = table[key]
    if kind == "int":
        return n + 1
    return [kind, n]


def test_tables_that_the_function_changes():
    for key, other in (("a", "b"), ("a", "a"), ("b", "a"), ("c", "c"), ("c", "d")):
        table = {"a": ("int", 1), "b": ("str", 2)}
        again = dict(table)
        residual = futamura.specialize(changed_here, table)
        assert outcome(residual, key, other) == outcome(changed_here, again, key, other)
        assert table == again


def test_saved(tmp_path: Path):
    residual = futamura.specialize(field, FIELDS)
    path = tmp_path / "saved_field.py"
    residual.save(path)
    spec = importlib.util.spec_from_file_location("saved_field", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for given in ((1, "3"), (2, 5), (3, None), (9, 1)):
        assert module.field(*given) == field(FIELDS, *given)


def called(table, place, x):
    return table[place](x)


@pytest.mark.parametrize("table", [[abs], [len, str], (abs, abs), [lambda x: -x, lambda x: x + x]])
def test_a_list_that_is_asked_for_a_slice(table):
    inputs = [(0, 3), (1, 3), (-1, "a"), (5, 1), (slice(0, 1), 3), ("a", 1), (True, 2), (slice(None), 1)]
    agree(called, table, *inputs)


@pytest.mark.parametrize("seed", range(300))
def test_random_programs(seed):
    program = lookups(seed)
    residual = futamura.specialize(program.function, program.table)
    assert not residual.stats["fallbacks"], residual.events

    def run(function, *arguments) -> Any:
        program.log.clear()
        found = outcome(function, *copy.deepcopy(arguments))
        return re.sub(r" at 0x[0-9a-f]+", "", found), repr(program.log)

    def original(*arguments):
        return program.function(program.table, *arguments)

    if re.search(r"(v|w2)\.append", program.source) and "    T = " not in program.source:
        pytest.skip("it changes its table")
    for given in program.inputs:
        assert run(residual, *given) == run(original, *given), (given, program.source, residual.source)


def decoded(tree: Any, bits: Any) -> str:
    out = []
    node = tree
    for bit in bits:
        node = node[bit == "1"]
        if isinstance(node, str):
            out.append(node)
            node = tree
    return "".join(out)


def decoded_by_number(tree: Any, bits: Any) -> str:
    out = []
    node = tree
    for bit in bits:
        node = node[int(bit)]
        if isinstance(node, str):
            out.append(node)
            node = tree
    return "".join(out)


@pytest.mark.parametrize("function", [decoded, decoded_by_number])
@pytest.mark.parametrize(
    "tree", [("a", (("b", "c"), "d")), (("a", "b"), ("c", "d")), (("x", "x"), "y"), ("a", "b", "c")]
)
def test_a_tree_of_pairs_becomes_code(function: Any, tree: Any) -> None:
    residual = futamura.specialize(function, tree, futamura.Dyn(str))
    assert "isinstance" not in residual.source and "node" not in residual.source
    for bits in ("", "0", "1", "0100101110" * 5, "01", "2", "11a", "-1", "\u0661"):
        assert outcome(residual, bits) == outcome(function, tree, bits), (bits, residual.source)
    for bits in (["0", "1", 1, True], [1, 0], None, b"01"):
        assert outcome(residual, bits) == outcome(function, tree, bits), (bits, residual.source)


class Short:
    def decode(self, data: Any) -> Any:
        return data[0]


class Long:
    def decode(self, data: Any) -> Any:
        return data[0] | data[1] << 8


def decoded(forms: Any, kind: Any, data: Any) -> Any:
    return forms[kind].decode(data)


def test_methods_that_are_called_like_those_of_builtin_classes() -> None:
    forms = {0: Short(), 1: Long()}
    residual = futamura.specialize(decoded, forms)
    assert ".decode" not in residual.source
    for kind, data in ((0, b"ab"), (1, b"ab"), (1, [1, 2])):
        assert residual(kind, data) == decoded(forms, kind, data)
    with pytest.raises(KeyError):
        residual(2, b"")
    texts = futamura.specialize(decoded, {0: b"a", 1: b"b"})
    assert "decode" in texts.source and texts(1, "ascii") == "b"


def message(parts: Any, values: Any) -> str:
    out = ""
    for part in parts:
        if isinstance(part, str):
            out += part
        elif part[0] == "arg":
            out += str(values[part[1]])
        else:
            out += message(part[2].get(values[part[1]], part[2]["other"]), values)
    return out


def test_a_default_out_of_the_table_that_goes_to_the_function_itself() -> None:
    parts = ["Hi ", ("arg", "who"), ("select", "kind", {"a": [", he"], "b": [", ", ("arg", "who")], "other": ["!"]})]
    residual = specialize(message, parts)
    assert not fallbacks(residual) and "message_" not in source_of(residual)
    for kind in ("a", "b", "other", "z", None, 3, ()):
        assert residual({"who": "x", "kind": kind}) == message(parts, {"who": "x", "kind": kind})
    with pytest.raises(TypeError):
        residual({"who": "x", "kind": []})


class Unexpected(ValueError):
    def __init__(self, token: Any, row: Any) -> None:
        super().__init__(f"{token!r} is none of {sorted(row)}")


def driven(table: Any, tokens: Any) -> list[Any]:
    found, state = [], "start"
    for token in tokens:
        row = table[state]
        if token not in row:
            raise Unexpected(token, row)
        state = row[token]
        found.append(state)
    return found


def test_what_an_error_is_made_of_is_worth_no_ways() -> None:
    table = {"start": {"a": "mid", "b": "start"}, "mid": {"a": "end", "c": "start"}, "end": {"b": "mid"}}

    def outcome(run: Any, *args: Any) -> Any:
        try:
            return run(*args)
        except Unexpected as error:
            return str(error)

    residual = specialize(driven, table)
    assert source_of(residual).count("raise") == 1 and not fallbacks(residual), source_of(residual)
    for tokens in ("ab", "aabc", "", "bbbaac", "z"):
        assert outcome(residual, tokens) == outcome(driven, table, tokens)


NAMED = {"coin": ("open", "accept"), "push": ("shut", "alarm"), "kick": ("shut", "missing"), "wait": ("open", 3)}
METHODS = {"coin": "accept", "push": "alarm", "kick": "missing", "none": None}


class Gate:
    def __init__(self):
        self.state, self.count = "shut", 0

    def accept(self):
        self.count += 1

    def alarm(self):
        self.count += 100

    def fire(self, table, event):
        self.state, action = table[event]
        getattr(self, action)()

    def handle(self, table, event):
        name = table.get(event)
        if name is None:
            return None
        return getattr(self, name, None) or name


def by_pairs(table, events):
    gate = Gate()
    for event in events:
        gate.fire(table, event)
    return gate.state, gate.count


def by_methods(table, events):
    gate, found = Gate(), []
    for event in events:
        method = gate.handle(table, event)
        found.append(method() if callable(method) else method)
    return gate.count, found


EVENTS = [
    ["coin", "push", "coin"], [], ["coin", "kick"], ["wait"], ["other"], ["coin", []], ["none", "coin"],
    [Counted("coin")], ["coin", "coin", Counted("push"), 3],
]  # fmt: skip


@pytest.mark.parametrize(("function", "table"), [(by_pairs, NAMED), (by_methods, METHODS)])
def test_what_names_an_attribute_decides(function, table):
    known = {key: item for key, item in table.items() if key in ("coin", "push")}
    residual = agree(function, known, *[[one] for one in EVENTS])
    assert not any(word in source_of(residual) for word in ("getattr", "accept", "Gate"))
    agree(function, table, *[[one] for one in EVENTS])
    for event in ("push", "kick", "wait", "other"):
        residual, asked = futamura.specialize(function, known), []
        for run in (residual, lambda events: function(known, events)):
            del Counted.asked[:]
            outcome(run, [Counted("coin"), Counted(event)])
            asked.append(Counted.asked[:])
        assert asked[0] == asked[1]


def _more(x: int) -> int:
    return x + 1


def _twice(x: int) -> int:
    return x * 2


def _negative(x: int) -> int:
    return -x


def _replacing(table: dict[str, Any], keys: list[str], x: int) -> int:
    for key in keys:
        x = table[key](x)
        if key == "swap":
            table["a"] = _negative
    return x


def test_functions_of_a_table_that_the_code_replaces() -> None:
    def table() -> dict[str, Any]:
        return {"a": _more, "b": _twice, "swap": _twice}

    residual, other = futamura.specialize(_replacing, table()), table()
    for keys in (["a", "swap"], ["a", "swap", "a"], ["a"]):
        assert residual(keys, 3) == _replacing(other, keys, 3)
