"""What static tables give for open keys: the class of all their items, and of what is in these.

    table[state][letter]     a dict of dicts of texts: nothing but a text comes out, and no code of the program runs

Invariant: what is in items that somebody may have written since is not believed.
"""

from __future__ import annotations

import pytest

import futamura
from futamura import Dyn

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

TABLE = {
    "start": {"a": "A", "b": "B"},
    "A": {"a": "A", "b": "AB"},
    "B": {"a": "start"},
    "AB": {"c": "done"},
    "done": {},
}
CRC = [(n * 7919) & 255 for n in range(256)]
ROWS = ([1, 2, 0], [0, 0, 2], [2, 1, 1])


class Automaton:
    def __init__(self, table):
        self.table = table

    def run(self, text):
        self.state = "start"
        self.steps = 0
        for letter in text:
            try:
                self.state = self.table[self.state][letter]
            except KeyError:
                return False
            self.steps += 1
        return self.state in ("done", "A")


class Checksum:
    def __init__(self, table):
        self.table = table
        self.value = 0

    def feed(self, data):
        self.value = 0
        for byte in data:
            self.value = self.table[(self.value ^ byte) & 255]
        return self.value


def test_attributes_are_kept_in_variables_while_tables_are_asked() -> None:
    residual = futamura.specialize(Automaton(TABLE).run, Dyn(str))
    body = residual.source.partition("for letter in text:")[2]
    assert body.partition("except")[0].count("_self") == 0, residual.source
    for text in ("", "ab", "abc", "aba", "x", "abcx", "bab"):
        one, other = Automaton(TABLE), Automaton(TABLE)
        made = futamura.specialize(one.run, Dyn(str))
        assert made(text) == other.run(text) and (one.state, one.steps) == (other.state, other.steps)


def test_a_table_of_numbers_gives_numbers() -> None:
    residual = futamura.specialize(Checksum(CRC).feed, Dyn(bytes))
    assert residual.source.partition("for byte in data:")[2].partition("\n    _self")[0].count("_self") == 0
    for data in (b"", b"a", b"hello", bytes(range(256))):
        assert residual(data) == Checksum(CRC).feed(data)


@pytest.mark.parametrize("size", [7, 8, 9])
@pytest.mark.parametrize("kind", [list, tuple])
def test_an_index_that_is_always_inside_raises_nothing(size, kind) -> None:
    def masked(table, x):
        try:
            return table[x & 7]
        except IndexError:
            return "outside"

    def remainder(table, x):
        try:
            return table[x % 8] + table[x % 3 - 3]
        except IndexError:
            return "outside"

    for function in (masked, remainder):
        table = kind(range(10, 10 + size))
        residual = futamura.specialize(function, table, Dyn(int))
        assert ("except" in residual.source) == (size < 8 or function is remainder)
        for x in (*range(-20, 20), True, 10**30):
            assert residual(x) == function(table, x)
        assert futamura.specialize(function, table)(True) == function(table, True)


def kinds(table, key):
    item = table[key]
    return isinstance(item, int), isinstance(item, list), type(item) is str


@pytest.mark.parametrize(
    "table", [CRC, tuple(CRC), {"a": 1, "b": 2}, {"a": "x", 1: "y"}, [[1], [2]], [1, True], [1, "a"]]
)
def test_the_class_of_all_items_is_known_and_no_other(table) -> None:
    residual = futamura.specialize(kinds, table)
    for key in (0, 1, True, "a", "b", slice(0, 1), -1):
        try:
            expected = kinds(table, key)
        except Exception as error:
            with pytest.raises(type(error)):
                residual(key)
        else:
            assert residual(key) == expected


def walk(rows, texts):
    at, found = 0, []
    for text in texts:
        at = rows[at][int(text)]
        found.append((at, isinstance(at, int)))
    return found


def test_rows_of_numbers() -> None:
    residual = futamura.specialize(walk, ROWS)
    for texts in ("", "0121", ["0", 1, True], ["2", "9"]):
        try:
            expected = walk(ROWS, texts)
        except IndexError:
            with pytest.raises(IndexError):
                residual(texts)
        else:
            assert residual(texts) == expected


def handed(table, key, call):
    row = table[key]
    call(table)
    item = row["a"]
    return isinstance(item, str), item


def test_a_table_that_is_handed_to_code_that_is_not_known() -> None:
    def change(table):
        for row in table.values():
            row["a"] = 3

    def fresh():
        return {"s": {"a": "x"}, "t": {"a": "y"}}

    for call in (change, len):
        residual = futamura.specialize(handed, fresh())
        assert residual("s", call) == handed(fresh(), "s", call)


def counted(table, words):
    for word in words:
        row = table[len(word) % 2]
        row[0] = row[0] + 1 if isinstance(row[0], int) else 0
        if word == "x":
            row[0] = "reset"
    return [list(row) for row in table]


def test_rows_that_the_program_writes() -> None:
    residual = futamura.specialize(counted, [[0], [0]])
    other = [[0], [0]]
    for words in (["a", "bb", "x"], ["c", "x", "x", "d"], []):
        assert residual(words) == counted(other, words)


FILLED: dict[str, int] = {}


def filling(name, value):
    FILLED[name] = value


for _number in range(50):
    filling(f"n{_number}", _number)


def looked_up(scale, name):
    return FILLED[name] * scale


def test_a_registry_is_not_compared_for_the_class_of_its_items() -> None:
    residual = futamura.specialize(looked_up, 3)
    assert not any("holds what it held" in str(one) for one in residual.assumptions)
    assert residual("n7") == 21


REGISTRY = {"one": 1, "two": 2}


def registered(name):
    return isinstance(REGISTRY[name], int), REGISTRY[name]


def add(name, value):
    REGISTRY[name] = value


def test_a_registry_that_grows_later() -> None:
    residual = futamura.specialize(registered)
    assert residual("one") == (True, 1)
    add("three", "3")
    try:
        assert residual("three") == registered("three") == (False, "3")
    finally:
        del REGISTRY["three"]
