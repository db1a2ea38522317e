"""What static objects compute when they first need it (`functools.cached_property`), without a declaration."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

import futamura


class Field:
    def __init__(self, name: str, low: int, high: int) -> None:
        self.name = name
        self.low = low
        self.high = high

    @functools.cached_property
    def label(self) -> str:
        return self.name.upper()

    def check(self, value: int) -> str | None:
        if value < self.low or value > self.high:
            return f"{self.label}: {value} not in {self.low}..{self.high}"
        return None


class Schema:
    def __init__(self, *fields: Field) -> None:
        self.fields = fields
        self.log: list[str] = []
        self.asked = 0

    @functools.cached_property
    def by_name(self) -> dict[str, Field]:
        return {field.name: field for field in self.fields}

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.by_name)

    @functools.cached_property
    def groups(self) -> dict[str, list[str]]:
        return {"all": [field.name for field in self.fields]}

    @functools.cached_property
    def loud(self) -> str:
        self.log.append("asked")
        return "loud"

    @functools.cached_property
    def counted(self) -> int:
        self.asked += 1
        return len(self.fields)

    @functools.cached_property
    def broken(self) -> int:
        raise ValueError(self.fields[0].name)

    @functools.cached_property
    def scaled(self) -> int:
        return FACTOR * len(self.fields)

    def check(self, row: dict[str, int]) -> list[str]:
        found = []
        for name, value in row.items():
            field = self.by_name.get(name)
            if field is None:
                found.append(f"unknown {name}")
            else:
                error = field.check(value)
                if error:
                    found.append(error)
        return found

    def one(self, value: int) -> Any:
        return self.by_name["n"].check(value), self.names

    def given(self, value: int) -> Any:
        return self.by_name, self.by_name["n"].check(value)

    def changed(self, name: str) -> Any:
        self.by_name[name] = self.fields[0]
        return len(self.by_name)

    def inner(self, name: str) -> Any:
        self.groups["all"].append(name)
        return len(self.groups["all"]), self.groups

    def effects(self, value: int) -> Any:
        return self.loud, value, len(self.log)

    def counting(self, value: int) -> Any:
        return self.counted + value, self.asked

    def failing(self, value: int) -> Any:
        try:
            return self.broken + value
        except ValueError as error:
            return str(error), value

    def renamed(self, name: str) -> Any:
        before = self.fields[0].label
        self.fields[0].name = name
        return before, self.fields[0].label

    def renamed_first(self, name: str) -> Any:
        if name:
            self.fields[0].name = name
        return self.fields[0].label

    def dropped(self, value: int) -> Any:
        first = self.names
        del self.names
        return first, "names" in self.__dict__, self.names, value

    def is_it(self, other: object) -> Any:
        return other is self.by_name, other == self.by_name

    def scaling(self, value: int) -> int:
        return self.scaled * value

    def stored(self, value: int) -> Any:
        if value < 2:
            return self.names, self.by_name["n"].label
        self.names = (value,)  # type: ignore[assignment]
        return value

    def emptied(self, rows: dict[str, Any]) -> Any:
        rows.pop("n", None)
        return self.by_name.get("n") is None, "n" in self.by_name


FACTOR = 2


def _schema() -> Schema:
    return Schema(Field("age", 0, 120), Field("n", 1, 5))


def _parts(schema: Schema) -> Any:
    """All that can be seen of the object, in its order."""
    def seen(value: Any) -> Any:
        if isinstance(value, Field):
            return "Field", {name: seen(held) for name, held in vars(value).items()}
        if isinstance(value, dict):
            return {name: seen(held) for name, held in value.items()}
        return [*map(seen, value)] if isinstance(value, (list, tuple)) else value

    return [(name, seen(held)) for name, held in vars(schema).items()]


CASES: list[tuple[str, Any]] = [
    *(("check", row) for row in ({}, {"age": 3}, {"age": 200, "n": 0}, {"other": 1})),
    ("one", 3), ("one", 9), ("given", 3), ("given", 9), ("changed", "x"), ("inner", "x"), ("effects", 1),
    ("counting", 1), ("failing", 1), ("renamed", "other"), ("renamed_first", "other"), ("renamed_first", ""),
    ("dropped", 1), ("is_it", {}), ("scaling", 4), ("emptied", {"n": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given"), CASES)
def test_the_object_is_left_as_the_original_leaves_it(name: str, given: Any) -> None:
    ours, theirs = _schema(), _schema()
    residual = futamura.specialize(getattr(ours, name))
    for _ in range(2):  # the second call finds what the first one has left
        residual(given)
        getattr(theirs, name)(given)
        assert _parts(ours) == _parts(theirs)


@pytest.mark.parametrize(("name", "given"), CASES)
def test_results_are_the_original_s(name: str, given: Any) -> None:
    schema, other = _schema(), _schema()
    residual = futamura.specialize(getattr(schema, name))
    for _ in range(2):
        result, expected = residual(given), getattr(other, name)(given)
        assert str(result).split(" at 0x")[0] == str(expected).split(" at 0x")[0]


def test_nothing_of_the_schema_is_left() -> None:
    residual = futamura.specialize(_schema().check)
    assert "fields" not in residual.source.replace("_fields_item", "")
    assert ".check" not in residual.source
    assert "AGE" in residual.source
    assert not residual.stats["fallbacks"]
    assert not residual.stats["notes"].get("FT307")


def test_a_dict_that_is_needed_itself_is_the_object_s() -> None:
    schema = _schema()
    residual = futamura.specialize(schema.given)
    assert residual(3)[0] is schema.by_name
    residual = futamura.specialize(schema.is_it)
    assert residual(schema.by_name)[0] is True


def test_the_dict_of_the_object_may_be_an_argument() -> None:
    schema, other = _schema(), _schema()
    residual = futamura.specialize(schema.emptied)
    assert residual({}) == (False, True)
    assert residual(schema.by_name) == other.emptied(other.by_name) == (True, False)


def test_what_was_assumed_is_tested() -> None:
    global FACTOR
    schema = _schema()
    residual = futamura.specialize(schema.scaling)
    FACTOR = 10
    try:
        assert residual(1) == 20
    finally:
        FACTOR = 2
    assert residual(1) == 20  # the object has kept it
    assert futamura.specialize(_schema().scaling)(1) == 4


def test_objects_of_globals_are_asked_when_the_residual_runs() -> None:
    """Who changes such an object between two calls gets what it had computed before."""
    space: dict[str, Any] = {"__name__": __name__}
    source = textwrap.dedent(
        """
        import functools
        class Field:
            def __init__(self, name): self.name = name
            @functools.cached_property
            def label(self): return self.name.upper()
        FIELD = Field("a")
        def use(value): return FIELD.label, FIELD.name, value
        """
    )
    exec(compile(source, "<fields>", "exec"), space)
    import linecache

    linecache.cache["<fields>"] = (len(source), None, source.splitlines(True), "<fields>")
    use: Callable[[int], Any] = space["use"]
    residual = futamura.specialize(use)
    space["FIELD"].name = "b"
    assert space["FIELD"].label == "B"
    space["FIELD"].name = "a"
    assert residual(1) == ("B", "a", 1)


class Machine:
    def __init__(self, program: str) -> None:
        self.program = program
        self.pc = 0

    @functools.cached_property
    def code(self) -> list[tuple[str, ...]]:
        return [tuple(line.split()) for line in self.program.split(";")]

    @functools.cached_property
    def table(self) -> dict[str, Callable[[str], None]]:
        return {"inc": self.inc, "mul": self.mul, "jz": self.jz}

    def inc(self, n: str) -> None:
        self.x += int(n)

    def mul(self, n: str) -> None:
        self.x *= int(n)

    def jz(self, n: str) -> None:
        if self.x == 0:
            self.pc = int(n)

    def run(self, x: int) -> int:
        self.x = x
        self.pc = 0
        while self.pc < len(self.code):
            op, argument = self.code[self.pc]
            self.pc += 1
            self.table[op](argument)
        return self.x


@pytest.mark.parametrize("program", ["inc 1;mul 2", "inc 1;jz 4;mul 2;mul 3;inc 7", "jz 2;mul 0;inc 3"])
def test_a_machine_with_its_code_in_a_cached_property_has_no_dispatch_left(program: str) -> None:
    ours, theirs = Machine(program), Machine(program)
    residual = futamura.specialize(ours.run, x=futamura.Dyn(int))
    assert "table[" not in residual.source
    assert "code[" not in residual.source
    assert residual.source.count("_self.code") == 1
    for x in (5, 0, -1):
        assert residual(x) == theirs.run(x)
        assert [*vars(ours)] == [*vars(theirs)]
        assert {**vars(ours), "table": 0} == {**vars(theirs), "table": 0}


def test_who_stores_the_attribute_himself_is_believed() -> None:
    ours, theirs = _schema(), _schema()
    residual = futamura.specialize(ours.stored)
    for value in (0, 5, 0, 7, 1):
        assert residual(value) == theirs.stored(value)
        assert _parts(ours) == _parts(theirs)
