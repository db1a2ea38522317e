"""Static objects that the residual itself changes, or gives to code that may, by a way that only it knows.

    def target(rows, k, call):       rows static, k and call open
        rows[k].append(1)
        return len(rows[0])          the next call finds what this one did

Each program runs twice through one residual, as the original does with objects of its own.  Invariant: `call`, and the
operators of `Guest`, change every list that they get.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import futamura


class Guest:
    """An object whose operators change what they are given."""

    def change(self, other: Any) -> Any:
        if isinstance(other, list):
            other.append(0)
        return True

    __eq__ = __add__ = __radd__ = __lt__ = __gt__ = __contains__ = __getitem__ = send = change  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __setitem__(self, key: Any, value: Any) -> None:
        self.change(value)

    def __setattr__(self, name: str, value: Any) -> None:
        self.change(value)

    def __call__(self, *args: Any, **named: Any) -> None:
        for one in (*args, *named.values()):
            self.change(one)

    def __enter__(self) -> Guest:
        return self

    def __exit__(self, *raised: Any) -> bool:
        self.change(raised[1].args[0])
        return True


# -- a static list, given to operators of a guest


def stored_item(rows: Any, guest: Any) -> Any:
    guest["x"] = rows
    return len(rows)


def stored_slice(rows: Any, guest: Any) -> Any:
    guest[0:1] = rows
    return len(rows)


def stored_attribute(rows: Any, guest: Any) -> Any:
    guest.x = rows
    return len(rows)


def compared(rows: Any, guest: Any) -> Any:
    return guest == rows, len(rows)


def compared_from_the_left(rows: Any, guest: Any) -> Any:
    return rows == guest, len(rows)


def ordered(rows: Any, guest: Any) -> Any:
    return rows < guest, len(rows)


def compared_inside(rows: Any, guest: Any) -> Any:
    return (1, rows) == (1, guest), len(rows)


def compared_inside_a_dict(rows: Any, guest: Any) -> Any:
    return {1: rows} == {1: guest}, len(rows)


def found_in_values(rows: Any, guest: Any) -> Any:
    return guest in {"a": rows}.values(), len(rows)


def added(rows: Any, guest: Any) -> Any:
    return guest + rows, len(rows)


def added_from_the_left(rows: Any, guest: Any) -> Any:
    return rows + guest, len(rows)


def looked_for(rows: Any, guest: Any) -> Any:
    return rows in guest, len(rows)


def taken_as_index(rows: Any, guest: Any) -> Any:
    return guest[rows], len(rows)


def summed(rows: Any, guest: Any) -> Any:
    return sum([rows], guest), len(rows)


def in_a_call(rows: Any, guest: Any) -> Any:
    guest(*[rows])
    return len(rows)


def by_keyword(rows: Any, guest: Any) -> Any:
    guest(a=rows)
    return len(rows)


def by_method(rows: Any, guest: Any) -> Any:
    guest.send((rows,)[0])
    return len(rows)


def in_an_exception(rows: Any, guest: Any) -> Any:
    with guest:
        raise ValueError(rows)
    return len(rows)


def in_a_generator(rows: Any, guest: Any) -> Any:
    def steps() -> Iterator[Any]:
        yield rows

    for step in steps():
        guest(step)
    return len(rows)


GIVEN = [
    stored_item, stored_slice, stored_attribute, compared, compared_from_the_left, ordered, compared_inside,
    compared_inside_a_dict, found_in_values, added, added_from_the_left, looked_for, taken_as_index, summed, in_a_call,
    by_keyword, by_method, in_an_exception, in_a_generator,
]  # fmt: skip


# -- a static list in objects that are made, and then given away


class Wrap:
    def __init__(self, held: Any) -> None:
        self.held = held


def in_a_loop(rows: Any, n: int, call: Any) -> Any:
    made = []
    for _ in range(n):
        made.append(Wrap(rows))
    call(made)
    return len(rows)


def in_a_dict_by_open_keys(rows: Any, n: int, call: Any) -> Any:
    made = {}
    for i in range(n):
        made[i] = rows
    call(made)
    return len(rows)


def in_pairs(rows: Any, n: int, call: Any) -> Any:
    call(list(zip([rows] * n, range(n))))
    return len(rows)


def at_a_place_of_a_list(rows: Any, n: int, call: Any) -> Any:
    made = [None] * n
    made[0] = rows
    call(made)
    return len(rows)


def at_an_open_key(rows: Any, n: int, call: Any) -> Any:
    made = {"a": 1}
    made[n] = rows
    call(made)
    return len(rows)


def in_an_attribute_of_one_of_two(rows: Any, n: int, call: Any) -> Any:
    made = [Wrap(0), Wrap(1)]
    made[n - 3].held = rows
    call(made)
    return len(rows)


def in_nested_tuples(rows: Any, n: int, call: Any) -> Any:
    made: Any = None
    for _ in range(n):
        made = (rows, made)
    call(made)
    return len(rows)


def nested(rows: Any, n: int) -> Any:
    return [rows] if n == 0 else [nested(rows, n - 1), 1]


def in_recursion(rows: Any, n: int, call: Any) -> Any:
    call(nested(rows, n))
    return len(rows)


def in_one_of_two_ways(rows: Any, n: int, call: Any) -> Any:
    made = Wrap(rows) if n else Wrap(0)
    call(made)
    return len(rows)


WRAPPED = [
    in_a_loop, in_a_dict_by_open_keys, in_pairs, at_a_place_of_a_list, at_an_open_key, in_an_attribute_of_one_of_two,
    in_nested_tuples, in_recursion, in_one_of_two_ways,
]  # fmt: skip


def change(value: Any, seen: tuple[Any, ...] = ()) -> None:
    """Change every list that starts with 1.5 in what is given."""
    if any(value is one for one in seen):
        return
    seen = (*seen, value)
    if isinstance(value, list) and value and value[0] == 1.5:
        value.append(0)
    elif isinstance(value, (list, tuple)):
        for part in list(value):
            change(part, seen)
    elif isinstance(value, dict):
        for part in list(value.values()):
            change(part, seen)
    elif isinstance(value, Wrap):
        change(value.held, seen)


# -- parts of a static table at open places


def given_row(rows: Any, k: int, call: Any) -> Any:
    call(rows[k])
    return len(rows[0])


def appended_row(rows: Any, k: int, call: Any) -> Any:
    rows[k].append(1)
    return len(rows[0])


def stored_in_row(rows: Any, k: int, call: Any) -> Any:
    rows[k][0] = 5
    return rows[0][0]


def row_in_place(rows: Any, k: int, call: Any) -> Any:
    rows[k] += [1]
    return len(rows[0])


def repeated_rows(rows: Any, k: int, call: Any) -> Any:
    for row in rows * k:
        call(row)
    return len(rows[0])


def rows_from(rows: Any, k: int, call: Any) -> Any:
    for row in rows[k:]:
        row.append(1)
    return len(rows[0])


def numbered_rows(rows: Any, k: int, call: Any) -> Any:
    for _, row in enumerate(rows[: k + 1]):
        row.append(1)
    return len(rows[0])


def reversed_rows(rows: Any, k: int, call: Any) -> Any:
    for row in reversed(rows[: k + 1]):
        row.append(1)
    return len(rows[0])


def row_of_a_copy(rows: Any, k: int, call: Any) -> Any:
    list(rows)[k].append(1)
    return len(rows[0])


def row_of_a_dict(rows: Any, k: int, call: Any) -> Any:
    dict(zip("abc", rows))["abc"[k]].append(1)
    return len(rows[0])


def row_by_get(rows: Any, k: int, call: Any) -> Any:
    dict(enumerate(rows)).get(k).append(1)  # type: ignore[union-attr]
    return len(rows[0])


def row_in_a_class(rows: Any, k: int, call: Any) -> Any:
    class Holder:
        row: Any

    Holder.row = rows[k]
    Holder.row.append(1)
    return len(rows[0])


def rows_in_a_slice(rows: Any, k: int, call: Any) -> Any:
    made = [1]
    made[0:k] = rows
    for row in made:
        if isinstance(row, list):
            row.append(1)
    return len(rows[0])


def chosen_row(rows: Any, k: int, call: Any) -> Any:
    max(rows, key=lambda row: row[0] * k).append(1)
    return len(rows[2]), len(rows[0])


def unpacked_rows(rows: Any, k: int, call: Any) -> Any:
    first, *rest = rows[k:]
    first.append(1)
    return len(rows[0]), len(rest)


PARTS = [
    given_row, appended_row, stored_in_row, row_in_place, repeated_rows, rows_from, numbered_rows, reversed_rows,
    row_of_a_copy, row_of_a_dict, row_by_get, row_in_a_class, rows_in_a_slice, chosen_row, unpacked_rows,
]  # fmt: skip


# -- objects at open places


class Account:
    def __init__(self, balance: int) -> None:
        self.balance = balance
        self.entries: list[int] = []

    def pay(self, amount: int) -> None:
        self.balance += amount
        self.entries.append(amount)


def stored_balance(accounts: Any, k: int, call: Any) -> Any:
    accounts[k].balance = 7
    return accounts[0].balance


def paid(accounts: Any, k: int, call: Any) -> Any:
    accounts[k].pay(3)
    return accounts[0].balance, len(accounts[0].entries)


def paid_up_to(accounts: Any, k: int, call: Any) -> Any:
    for i in range(k):
        accounts[i].balance += k
    return accounts[0].balance


def appended_entry(accounts: Any, k: int, call: Any) -> Any:
    accounts[k].entries.append(1)
    return len(accounts[0].entries)


def shared_entries(accounts: Any, k: int, call: Any) -> Any:
    accounts[k].entries = accounts[0].entries
    accounts[k].entries.append(1)
    return len(accounts[0].entries), accounts[0].balance


def set_by_name(accounts: Any, k: int, call: Any) -> Any:
    setattr(accounts[k], "balance", 5)  # noqa: B010
    return accounts[0].balance


def set_in_its_dict(accounts: Any, k: int, call: Any) -> Any:
    accounts[k].__dict__["balance"] = 5
    return accounts[0].balance


def both_ways(accounts: Any, k: int, call: Any) -> Any:
    accounts[0].balance = 5
    accounts[k].balance = 7
    return accounts[0].balance


OBJECTS = [
    stored_balance, paid, paid_up_to, appended_entry, shared_entries, set_by_name, set_in_its_dict, both_ways
]  # fmt: skip


def history(run: Callable[..., Any], *rest: Any) -> list[Any]:
    found = []
    for _ in range(2):
        try:
            found.append(run(*rest))
        except Exception as error:
            found.append(repr(error))
    return found


def agree(target: Callable[..., Any], static: Callable[[], Any], *rest: Any) -> Any:
    mine, its = static(), static()
    want = history(functools.partial(target, mine), *rest)
    residual = futamura.specialize(target, its)
    assert history(residual, *rest) == want, residual.source
    assert repr(its) == repr(mine) or isinstance(its[0], Account)
    return residual


@pytest.mark.parametrize("target", GIVEN, ids=lambda target: target.__name__)
def test_given_to_operators(target: Callable[..., Any]) -> None:
    agree(target, lambda: [1, 2], Guest())


@pytest.mark.parametrize("target", WRAPPED, ids=lambda target: target.__name__)
def test_given_inside_of_what_is_made(target: Callable[..., Any]) -> None:
    agree(target, lambda: [1.5, 2], 3, change)


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("target", PARTS, ids=lambda target: target.__name__)
def test_parts_at_open_places(target: Callable[..., Any], k: int) -> None:
    agree(target, lambda: [[1], [2], [3]], k, lambda row: row.append(0))


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.parametrize("target", OBJECTS, ids=lambda target: target.__name__)
def test_objects_at_open_places(target: Callable[..., Any], k: int) -> None:
    agree(target, lambda: [Account(1), Account(2), Account(3)], k, None)


# -- functions of static tables


class Machine:
    def __init__(self) -> None:
        self.count = 0
        self.log: list[int] = []
        self.limits = [10]
        self.handlers = [self.step, self.note, self.twice, self.look] * 3

    def step(self) -> None:
        self.count += 1

    def note(self) -> None:
        self.log.append(1)

    def twice(self) -> None:
        self.step()
        self.step()

    def look(self) -> None:
        len(self.limits)

    def run(self, k: int) -> Any:
        self.handlers[k]()
        return self.count, len(self.log), len(self.limits)

    def repeat(self, k: int) -> Any:
        handler = self.handlers[k]
        for _ in range(k):
            handler()
        return self.count, len(self.log), len(self.limits)


@pytest.mark.parametrize("name", ["run", "repeat"])
def test_methods_of_a_table(name: str) -> None:
    """More of them than are entered one by one; what none of them writes is still known."""

    def calls(run: Callable[[int], Any]) -> list[Any]:
        return [run(k) for k in (0, 1, 2, 3, 7, 9, 0)]

    for assume in ("check", "trust"):
        residual = futamura.Specializer(assume=assume)(getattr(Machine(), name))
        assert calls(residual) == calls(getattr(Machine(), name))
    assert "limits" not in residual.source


def counter() -> tuple[Callable[[Any], None], Callable[[], int]]:
    log: list[Any] = []

    @futamura.opaque
    def note(value: Any) -> None:
        log.append(value)

    return note, lambda: len(log)


def noted(pair: Any, value: Any) -> Any:
    pair[0](value)
    return pair[1]()


def test_what_a_function_that_stays_captured() -> None:
    mine = counter()
    residual = futamura.specialize(noted, counter())
    assert [residual(1), residual(2)] == [noted(mine, 1), noted(mine, 2)]


def grid(cells: Any, x: int, y: int) -> Any:
    cells[y][x] += 1
    return cells[0][0] - cells[1][1], len(cells)


def test_what_is_not_written_stays_known() -> None:
    """The rows of the grid are written, the list of the rows is not."""
    residual = futamura.specialize(grid, [[0, 0], [0, 0]])
    cells = [[0, 0], [0, 0]]
    for x, y in ((0, 0), (1, 1), (0, 1)):
        assert residual(x, y) == grid(cells, x, y)
    assert ", 2" in residual.source and "len(" not in residual.source


class Release:
    """What is compared is a key that is made once, and kept in a slot."""

    __slots__ = ("_key", "numbers")
    kind = ("release", [1])

    def __init__(self, numbers: tuple[int, ...]) -> None:
        self.numbers = numbers
        self._key: Any = None

    def __lt__(self, other: Any) -> Any:
        if isinstance(other, Release):
            if self._key is None:
                self._key = self.numbers[:2]
            if other._key is None:
                other._key = other.numbers[:2]
            return self._key < other._key
        return self.kind == other

    def change(self, other: Any) -> Any:
        other(self.kind[1])
        return self.numbers, self.kind


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_what_is_read_out_of_a_slot_or_a_class_is_no_method() -> None:
    """Neither what a slot holds nor an attribute of the class gives away the object it is read from."""
    residual = futamura.specialize(Release((1, 2, 3)).__lt__)
    mine = Release((1, 2, 3))
    for other in (Release((1, 3)), Release((0, 9)), ("release", [1]), 3):
        assert residual(other) == (mine < other)
    assert "numbers" not in residual.source.replace("other.numbers", "")


def test_what_a_class_holds_may_be_changed_by_whom_an_object_gives_it_to() -> None:
    residual = futamura.specialize(Release((1, 2)).change)
    try:
        assert residual(lambda held: held.append(2)) == ((1, 2), ("release", [1, 2]))
        assert residual(lambda held: held.append(3)) == ((1, 2), ("release", [1, 2, 3]))
    finally:
        del Release.kind[1][1:]


class Counted:
    """Counts how often it is shown."""

    def __init__(self) -> None:
        self.shown = 0

    def __repr__(self) -> str:
        self.shown += 1
        return "counted"

    def method(self) -> None: ...


@pytest.mark.parametrize("show", [
    lambda row: repr(row.method), lambda row: str([row.method]), lambda row: f"{row.method}",
    lambda row: "%s" % (row.method,), lambda row: print(1, row.method),  # noqa: UP031
    lambda row: "{0.shown}{0!r}".format(row),  # noqa: UP032
])  # fmt: skip
def test_a_method_shows_its_object_and_a_text_what_it_formats(show: Any) -> None:
    def around(rows: Any, at: Any) -> Any:
        before = rows[0].shown
        show(rows[at])
        return before, rows[0].shown

    residual = futamura.specialize(around, [Counted(), Counted()])
    assert [residual(at) for at in (0, 1, 0)] == [(0, 1), (1, 1), (1, 2)]
