"""Methods of builtin classes used as functions, attributes of bound methods, views of dicts, builtins that fail."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import pytest

import futamura


def stripped(lines: list[str], x: int) -> int:
    for word in map(str.strip, lines):
        if str.isdigit(word):
            x += int(word)
        elif str.lower(word) == "dbl":
            x *= 2
    return x


def sorted_texts(text: str, x: int) -> list[Any]:
    words = list(map(str.upper, str.split(text)))
    return [x, len(words), *sorted(words, key=str.lower), *filter(str.isalpha, words), max(words, key=str.casefold)]


def appended(items: list[int], x: int) -> list[int]:
    found: list[int] = []
    for item in items:
        list.append(found, item + x)
    list.sort(found, reverse=True)
    dict.update({}, {"a": 1})
    return found


class Text(str):
    def strip(self, *args: Any) -> str:  # type: ignore[override]
        return "own"


def of_a_subclass(texts: list[str], x: int) -> list[Any]:
    return [str.strip(text) for text in texts] + [text.strip() for text in texts] + [x]


def wrong_class(values: list[Any], x: int) -> Any:
    try:
        return [str.strip(value) for value in values]
    except TypeError as error:
        return str(error), x


def sized(size: int) -> Callable[[Any], Any]:
    def wrap(function: Any) -> Any:
        function.size = size
        return function

    return wrap


class Machine:
    def __init__(self, code: list[Any], x: int) -> None:
        self.code, self.pc, self.acc = code, 0, x
        self.ops = {"add": self.op_add, "neg": self.op_neg}
        self.names = {method.__name__.upper(): name for name, method in self.ops.items()}

    @sized(1)
    def op_add(self, n: int) -> None:
        self.acc += n

    @sized(0)
    def op_neg(self) -> None:
        self.acc = -self.acc

    def run(self) -> Any:
        while self.pc < len(self.code):
            method = self.ops[self.code[self.pc]]
            if method.__self__ is not self or method.__func__ is not getattr(Machine, method.__name__):
                raise RuntimeError
            method(*self.code[self.pc + 1 : self.pc + 1 + method.size])
            self.pc += 1 + method.size
        return self.acc, self.names["OP_ADD"]


def machine(code: list[Any], x: int) -> Any:
    return Machine(code, x).run()


def viewed(table: dict[str, int], x: int) -> Any:
    own = {"p": x, "q": 2}
    return (
        len(table.keys()), len(own.items()), max(table.values()), sorted(own.keys()), min(own.values()),
        table.keys() == {"a", "b"}, own.keys() <= {"p", "q", "r"}, table.keys() > own.keys(), ", ".join(own.keys()),
        max(table, key=table.get), [*own], x,
    )  # fmt: skip


def walked(rule: Any, data: dict[str, int]) -> Any:
    if not (isinstance(rule, dict) and len(rule.keys()) == 1):
        return rule
    op = next(iter(rule))
    args = [walked(value, data) for value in rule[op]]
    return data[args[0]] if op == "var" else args[0] < args[1] if op == "<" else args[0] + args[1]


def failing(values: list[Any], x: int) -> list[Any]:
    found: list[Any] = [x]
    for call, *args in values:
        try:
            found.append(call(*args))
        except (ValueError, ZeroDivisionError, struct.error) as error:
            found.append((type(error).__name__, error.args))
    return found


def read_past_the_end(rom: bytes, x: int) -> int:
    pc = 0
    while True:
        (op,) = struct.unpack_from("<H", rom, 2 * pc)
        pc += 1
        if op == 0:
            return x
        x = x + 1 if op == 1 else x * 2


FAILING = [(chr, -1), (divmod, 1, 0), (math.sqrt, -1), (struct.unpack, ">H", b"a"), (len, "abc"), (ord, "a")]
CASES: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (stripped, {"lines": [" 5", "DBL ", "x"]}), (stripped, {"lines": []}), (sorted_texts, {"text": "b A c"}),
    (appended, {"items": [1, 5, 3]}), (machine, {"code": ["add", 3, "neg", "add", 1]}), (machine, {"code": ["neg"]}),
    (viewed, {"table": {"a": 1, "b": 2}}), (viewed, {"table": {"p": 1, "q": 2, "r": 0}}),
    (failing, {"values": FAILING}), (read_past_the_end, {"rom": b"\1\0\2\0\0\0"}),
    (read_past_the_end, {"rom": b"\1\0\2\0"}),
]  # fmt: skip


def _outcome(function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    try:
        return function(*args, **named)
    except Exception as error:
        return type(error), error.args


@pytest.mark.parametrize(("function", "static"), CASES)
def test_nothing_of_what_is_known_is_left(function: Callable[..., Any], static: dict[str, Any]) -> None:
    residual = futamura.Specializer(assume="trust")(function, **static)
    assert not residual.stats["fallbacks"]
    for word in ("str.", "map(", "_code", "_table", "_rom", "_values", "_lines", "keys()", "ops"):
        assert word not in residual.source, residual.source
    for x in (5, 0, -3):
        assert _outcome(residual, x) == _outcome(function, **static, x=x)


@pytest.mark.parametrize("texts", [[Text(" a "), " b "], [" a", "b "]])
def test_subclasses_keep_their_own_methods(texts: list[str]) -> None:
    residual = futamura.specialize(of_a_subclass, texts=texts)
    assert residual(1) == of_a_subclass(texts, 1)


def test_other_classes_are_refused_as_ever() -> None:
    residual = futamura.specialize(wrong_class, values=[" a", 3])
    assert residual(1) == wrong_class([" a", 3], 1)


def test_a_walk_that_asks_for_views() -> None:
    rule = {"<": [{"var": ["t"]}, {"+": [{"var": ["u"]}, 1]}]}
    residual = futamura.specialize(walked, rule=rule)
    assert residual.source.count("\n") == 2, residual.source
    assert residual({"t": 1, "u": 1}) == walked(rule, {"t": 1, "u": 1}) is True


def test_a_dict_stays_apart_if_its_view_is_handed_over() -> None:
    def told(x: int) -> Any:
        env = {"a": 1, "b": x}
        low = min(env.values())
        env["a"] = low
        return env["a"] + len(env)

    residual = futamura.specialize(told)
    assert "{" not in residual.source
    assert residual(0) == told(0)
    assert residual(7) == told(7)


def empty_views(table: dict[int, int], x: int) -> Any:
    own: dict[int, int] = {}
    first = bool(own.values()), not own.keys(), 1 if own.items() else 2, bool(table.keys()), not table.values()
    if x > 1:
        own[1] = 2
    return first, bool(own.keys()), own.items() or 3, x


@pytest.mark.parametrize("table", [{}, {1: 2}])
def test_views_are_true_if_there_are_items(table: dict[int, int]) -> None:
    residual = futamura.specialize(empty_views, table=table)
    for x in (0, 5):
        assert repr(residual(x)) == repr(empty_views(table, x))
