"""Declared caches: what the program would put there is static, also while the tables are still empty."""

from __future__ import annotations

import abc
import dataclasses
import enum
import functools
import typing
from typing import Any

import pytest

import futamura
from tests.specialize.memo_programs import memos

HERE = __name__
MEMO: dict[Any, Any] = {}
COUNTS: dict[str, int] = {}


@pytest.fixture(autouse=True)
def _empty() -> None:
    MEMO.clear()
    COUNTS.clear()


def residual_of(function: Any, /, *args: Any, caches: Any = (f"{HERE}.MEMO",), **static: Any) -> futamura.Residual:
    residual = futamura.Specializer(caches=caches)(function, *args, **static)
    assert residual.stats["specialized"] and not residual.stats["fallbacks"]
    return residual


@dataclasses.dataclass
class Point:
    x: int
    y: str


def by_get(cls: type, value: Any) -> Any:
    hints = MEMO.get(cls)
    if hints is None:
        hints = MEMO[cls] = typing.get_type_hints(cls)
    return [type(value[name]) is kind for name, kind in hints.items()]


def by_membership(cls: type, value: Any) -> Any:
    if cls not in MEMO:
        MEMO[cls] = typing.get_type_hints(cls)
    return [type(value[name]) is kind for name, kind in MEMO[cls].items()]


def by_handler(cls: type, value: Any) -> Any:
    try:
        hints = MEMO[cls]
    except KeyError:
        MEMO[cls] = hints = typing.get_type_hints(cls)
    return [type(value[name]) is kind for name, kind in hints.items()]


def by_default(cls: type, value: Any) -> Any:
    hints = MEMO.setdefault(cls, typing.get_type_hints(cls))
    return [type(value[name]) is kind for name, kind in hints.items()]


@pytest.mark.parametrize("function", [by_get, by_membership, by_handler, by_default])
def test_an_empty_table_is_as_good_as_a_full_one(function: Any) -> None:
    cold = residual_of(function, cls=Point)
    assert MEMO == {}
    assert "MEMO" not in cold.source and "hints" not in cold.source and "_x" not in cold.source
    given = {"x": 1, "y": 2}
    assert cold(given) == [True, False] and MEMO == {}
    assert function(Point, given) == [True, False] and list(MEMO) == [Point]
    assert residual_of(function, cls=Point).source == cold.source
    assert cold(given) == [True, False]


class Node:
    def __init__(self, name: str, parts: list[Any]) -> None:
        self.name = name
        self.parts = parts


@dataclasses.dataclass(slots=True)
class Slotted:
    text: str
    sizes: tuple[int, ...]


def compiled(text: str) -> Node:
    found = MEMO.get(text)
    if found is None:
        parts: list[Any] = []
        for word in text.split():
            parts.append(Slotted(word, (len(word), 0)) if word != "end" else Node("end", []))
        found = MEMO[text] = Node(text, parts)
    return found


def uses(text: str, x: int) -> Any:
    total = x
    for part in compiled(text).parts:
        total += part.sizes[0] if isinstance(part, Slotted) else -1
    return total, compiled(text) is compiled(text), compiled(text).name


def test_entries_are_objects_of_the_program() -> None:
    residual = residual_of(uses, text="ab c end")
    assert "for" not in residual.source and "MEMO" not in residual.source
    assert residual(5) == (7, True, "ab c end") == uses("ab c end", 5)


def gives(text: str, x: int) -> Any:
    return compiled(text), x


def test_an_entry_that_leaves_is_one_object() -> None:
    residual = residual_of(gives, text="a end")
    (one, _), (other, x) = residual(1), residual(2)
    assert one is other and x == 2
    assert type(one) is Node and one.name == "a end" and one.parts[0] == Slotted("a", (1, 0))
    assert type(one.parts[1]) is Node and list(vars(one)) == ["name", "parts"]


def grows(name: str, x: int) -> Any:
    if name not in MEMO:
        MEMO[name] = made = []
        made.append(name)
        made.append(len(MEMO))
    return MEMO[name], x


def test_an_entry_that_is_completed_later() -> None:
    residual = residual_of(grows, name="a")
    assert residual(1) == (["a", 1], 1) and MEMO == {"a": ["a", 1]} and residual(2)[0] is MEMO["a"]


def of_input(name: str, x: int) -> Any:
    if name not in MEMO:
        MEMO[name] = [x]
    return MEMO[name]


def test_an_entry_that_is_not_static_stays() -> None:
    residual = residual_of(of_input, name="a")
    assert residual(3) == [3] and residual(4) == [3] and MEMO == {"a": [3]}


def twice(name: str, x: int) -> Any:
    MEMO[name] = 1
    first = MEMO[name]
    MEMO[name] = 2
    return first, MEMO[name], x


def test_an_entry_that_changes_is_read() -> None:
    assert residual_of(twice, name="a")(3) == (1, 2, 3) and MEMO == {"a": 2}


@futamura.opaque
def register(name: str) -> None:
    MEMO[name] = name * 2


def registered(name: str, x: int) -> Any:
    if name not in MEMO:
        register(name)
    return MEMO[name], MEMO.get(name), name in MEMO, x


def test_an_entry_that_unknown_code_makes() -> None:
    assert residual_of(registered, name="a")(3) == ("aa", "aa", True, 3) and MEMO == {"a": "aa"}


def borrows(name: str, x: int) -> Any:
    if name not in MEMO:
        MEMO[name] = name * 2
    found = MEMO[name]
    del MEMO[name]
    return found, x


def takes(name: str, x: int) -> Any:
    if name not in MEMO:
        MEMO[name] = name * 2
    return MEMO.pop(name), x


@pytest.mark.parametrize("function", [borrows, takes])
def test_an_entry_that_is_taken_away(function: Any) -> None:
    residual = residual_of(function, name="a")
    assert residual(1) == residual(1) == ("aa", 1) and MEMO == {}
    MEMO["a"] = "aa"
    residual = residual_of(function, name="a")
    assert residual(1) == residual(1) == ("aa", 1) and MEMO == {}


def fibonacci(n: int) -> int:
    if n not in MEMO:
        MEMO[n] = n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    return MEMO[n]  # type: ignore[no-any-return]


def scaled(n: int, x: int) -> int:
    return fibonacci(n) * x


def test_a_memoized_recursion() -> None:
    residual = residual_of(scaled, n=60)
    assert "1548008755920" in residual.source and residual(2) == 2 * 1548008755920


def keyed(key: Any, x: int) -> Any:
    found = MEMO.get(key)
    if found is None:
        MEMO[key] = found = repr(key)
    return found, x


class Odd:
    def __hash__(self) -> int:
        raise AssertionError("this runs when the residual is made")

    def __eq__(self, other: object) -> bool:
        raise AssertionError("this runs when the residual is made")


def test_keys_run_no_code_of_the_program() -> None:
    residual = futamura.Specializer(caches=[f"{HERE}.MEMO"])(keyed, key=Odd())
    with pytest.raises(AssertionError):
        residual(1)
    for key in (1, True, 1.0, "a", (1, (2, "b")), None, b"c", frozenset({1})):
        MEMO.clear()
        assert residual_of(keyed, key=key)(2) == (repr(key), 2)


class Color(enum.Enum):
    RED = "red"


class Kind(abc.ABC):  # noqa: B024
    pass


class Spelled(str):
    pass


def keyed_by_kind(kind: Any, key: Any, x: int) -> Any:
    if (kind, key) not in MEMO:
        MEMO[kind, key] = kind.__name__
    return MEMO[kind, key], x


@pytest.mark.parametrize("kind", [Color, Kind, Point, Node, int])
@pytest.mark.parametrize("key", [Color.RED, Kind, "a", None, (1, Node)])
def test_keys_of_many_kinds(kind: type, key: Any) -> None:
    residual = residual_of(keyed_by_kind, kind=kind, key=key)
    assert "MEMO" not in residual.source and residual(2) == (kind.__name__, 2)


LIVE: list[int] = []


def lives(x: int) -> None:
    LIVE.append(x)


def holds_live(name: str, x: int) -> Any:
    if name not in MEMO:
        MEMO[name] = (name, LIVE)
    return MEMO[name][0], len(MEMO[name][1]), x


def test_an_entry_that_holds_what_others_write() -> None:
    residual = residual_of(holds_live, name="a")
    assert residual(1) == ("a", 0, 1)
    lives(3)
    assert residual(1) == ("a", 1, 1)
    LIVE.clear()


def fails(name: str, x: int) -> Any:
    if name not in MEMO:
        MEMO[name] = Spelled(name)
    return MEMO[name].upper(), undefined_name if x > 3 else x  # type: ignore[name-defined] # noqa: F821


def test_an_entry_of_another_kind() -> None:
    residual = residual_of(fails, name="a")
    assert residual(1) == ("A", 1) and type(MEMO["a"]) is Spelled
    with pytest.raises(NameError):
        residual(4)


# -- functions in `lru_cache`


@functools.cache
def hints(cls: type) -> Any:
    COUNTS["hints"] = COUNTS.get("hints", 0) + 1
    return typing.get_type_hints(cls)


@functools.cache
def shape(cls: type, *, short: bool = False) -> Any:
    names = [field.name for field in dataclasses.fields(cls)]
    return names[:1] if short else names


@functools.cache
def fib(n: int) -> int:
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@functools.lru_cache(2)
def load(path: str) -> str:
    return path + str(futamura.dynamic(len(path)))


@functools.cache
def refuses(n: int) -> int:
    raise ValueError(n)


def by_cache(cls: type, value: Any) -> Any:
    kinds = hints(cls)
    return [type(value[name]) is kinds[name] for name in shape(cls)], shape(cls, short=True), kinds is hints(cls)


def test_a_cached_function() -> None:
    hints.cache_clear()
    residual = residual_of(by_cache, cls=Point, caches=[hints, f"{HERE}.shape"])
    assert "_hints" not in residual.source and "_shape" not in residual.source
    assert residual({"x": 1, "y": 2}) == ([True, False], ["x"], True)
    assert hints.cache_info().currsize == 0 and COUNTS == {}


def test_a_cached_function_that_is_not_declared() -> None:
    hints.cache_clear()
    residual = residual_of(by_cache, cls=Point, caches=())
    assert "FT307" in {event.code for event in residual.events}
    for _ in range(2):
        assert residual({"x": 1, "y": 2}) == ([True, False], ["x"], True)
    assert hints.cache_info().currsize == 1 and COUNTS == {"hints": 1}


def of_fib(n: int, x: int) -> int:
    return fib(n) + x


def loads(path: str, x: int) -> Any:
    return load(path), x


def catches(n: int, x: int) -> Any:
    try:
        return refuses(n)
    except ValueError as error:
        return error.args, x


def open_key(x: int) -> Any:
    return fib(x), fib(3)


def kinds_of_one(x: int) -> Any:
    return shown(1), shown(1.0), shown(True), x


@functools.cache
def shown(value: Any) -> str:
    return repr(value)


def test_what_cached_functions_do() -> None:
    assert "832040" in residual_of(of_fib, n=30, caches=[fib]).source
    assert residual_of(of_fib, n=90, caches=[fib])(1) == 2880067194370816121
    residual = residual_of(loads, path="a", caches=[load])
    load.cache_clear()
    assert residual(1) == residual(1) == ("a1", 1) and load.cache_info().hits == 1
    assert residual_of(catches, n=3, caches=[refuses])(1) == ((3,), 1)
    assert residual_of(open_key, caches=[fib])(10) == (55, 2)
    assert residual_of(kinds_of_one, caches=[shown])(2) == ("1", "1.0", "True", 2)


POWER = functools.lru_cache(functools.partial(pow, 2))
RENAMED = functools.lru_cache(lambda n: n * 2)
RENAMED.__wrapped__ = lambda n: n  # type: ignore[attr-defined]
NAMELESS = functools.lru_cache(lambda n: n * 3)
del NAMELESS.__wrapped__


def of_others(n: int, x: int) -> Any:
    return POWER(n) + x, RENAMED(n) + x, NAMELESS(n) + x


@pytest.mark.parametrize("caches", [(), (POWER, RENAMED, NAMELESS)])
def test_caches_around_other_objects(caches: Any) -> None:
    residual = residual_of(of_others, n=5, caches=caches)
    assert residual(1) == residual(1) == (33, 11, 16)


# -- values that objects keep


class Order:
    ready: Any = None

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self._parts: Any = None

    def parts(self) -> Any:
        if self._parts is None:
            self._parts = [part.strip() for part in self.spec.split(",")]
        return self._parts

    def of_class(self) -> Any:
        if self.ready is None:
            self.ready = tuple(self.spec.split(","))
        return self.ready

    @functools.cached_property
    def names(self) -> Any:
        return tuple(self.spec.split(","))

    @functools.cache  # noqa: B019
    def first(self, count: int) -> Any:
        return self.spec.split(",")[:count]

    def match(self, row: Any) -> Any:
        return [row[part] for part in self.parts()], self._parts is self.parts()

    def match_names(self, row: Any) -> Any:
        return [row[name] for name in self.names], self.names is self.names

    def match_first(self, row: Any) -> Any:
        return [row[name] for name in self.first(1)]

    def match_class(self, row: Any) -> Any:
        return [row[name] for name in self.of_class()]


@pytest.mark.parametrize(
    ("method", "cache"),
    [("match", "_parts"), ("match_names", "names"), ("match_first", "first"), ("match_class", "ready")],
)
def test_values_that_a_static_object_keeps(method: str, cache: str) -> None:
    order, row = Order("a,b"), {"a": 1, "b": 2}
    residual = residual_of(getattr(order, method), caches=[f"{HERE}.Order.{cache}"])
    before = dict(vars(order))
    got = residual(row)
    assert vars(order) == before and "for" not in residual.source and "split" not in residual.source
    assert got == getattr(Order("a,b"), method)(row)
    plain = residual_of(getattr(order, method), caches=())
    assert plain(row) == plain(row) == got
    assert getattr(order, method)(row) == got == residual(row)


def test_a_value_that_an_object_keeps_and_that_is_not_static() -> None:
    class Counter:
        def __init__(self) -> None:
            self._first: Any = None

        def note(self, x: int) -> Any:
            if self._first is None:
                self._first = x
            return self._first

    counter = Counter()
    globals()["Counter"] = Counter
    residual = residual_of(counter.note, caches=[f"{HERE}.Counter._first"])
    assert residual(3) == residual(4) == 3 == counter._first


class Converter:
    def __init__(self) -> None:
        self._hooks: dict[Any, Any] = {}

    def hook(self, cls: type) -> Any:
        if cls not in self._hooks:
            self._hooks[cls] = [(field.name, field.type) for field in dataclasses.fields(cls)]
        return self._hooks[cls]

    def convert(self, cls: type, value: Any) -> Any:
        return [value[name] for name, _ in self.hook(cls)]


def test_a_table_that_a_static_object_holds() -> None:
    converter = Converter()
    residual = residual_of(converter.convert, Point, caches=[f"{HERE}.Converter._hooks"])
    assert "for" not in residual.source and "hook" not in residual.source
    assert residual({"x": 1, "y": 2}) == [1, 2] and converter._hooks == {}


class Lean:
    __slots__ = ("_size", "spec")

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self._size: int | None = None

    def size(self, x: int) -> int:
        if self._size is None:
            self._size = len(self.spec)
        return self._size + x


class Changing:
    def __init__(self, spec: str) -> None:
        self.spec = spec
        self._size: int | None = None

    @functools.cached_property
    def names(self) -> Any:
        return self.spec.split(",")

    def assigned(self, x: Any) -> Any:
        before = len(self.names)
        self.names = x
        return before, self.names

    def reset(self, x: Any) -> Any:
        if self._size is None:
            self._size = len(self.spec)
        before = self._size
        self._size = None
        return before, self._size, x


def test_what_is_kept_and_assigned_again() -> None:
    for method, cache in (("assigned", "names"), ("reset", "_size")):
        residual = residual_of(getattr(Changing("a,b"), method), caches=[f"{HERE}.Changing.{cache}"])
        assert residual("xyz") == getattr(Changing("a,b"), method)("xyz")


def test_a_promise_that_was_used_is_told() -> None:
    assert "declared cache" in residual_of(by_get, cls=Point).explain()
    assert "declared cache" not in residual_of(fails, name="a").explain()


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_a_slot_that_is_filled_later() -> None:
    residual = residual_of(Lean("abc").size, caches=[f"{HERE}.Lean._size"])
    assert residual.source.endswith("return 3 + x\n") and residual(2) == 5


class Vector:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    @functools.cached_property
    def norm(self) -> float:
        COUNTS["norm"] = COUNTS.get("norm", 0) + 1
        return self.x * self.x + self.y * self.y


def twice_the_norm(k: int, x: float) -> Any:
    vector = Vector(x, k)
    before = "norm" in vars(vector)
    return before, vector.norm + vector.norm, "norm" in vars(vector), vector


def test_a_cached_property_of_a_new_object() -> None:
    residual = residual_of(twice_the_norm, k=3)
    before, norm, after, vector = residual(2.0)
    assert (before, norm, after) == (False, 26.0, True) and list(vars(vector)) == ["x", "y", "norm"]
    assert COUNTS == {"norm": 1} and "norm = " not in residual.source


@pytest.mark.parametrize("name", [f"{HERE}.Order.nothing", f"{HERE}.nothing", f"{HERE}.Order._parts.x"])
def test_a_cache_that_is_not_there(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}'"):
        futamura.Specializer(caches=[name])


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_with_memo_tables(seed: int) -> None:
    program = memos(seed)
    residual = futamura.Specializer(caches=program.caches())(program.main, s=3)
    assert set(residual.stats["fallbacks"]) <= {"FT301"}, program.source  # two equal tuples are compared by `is`
    for x in range(5):
        program.clear()
        expected = repr_of(program.main, 3, x)
        for _ in range(2):
            assert repr_of(residual, x) == expected, program.source
        program.clear()
        assert repr_of(residual, x) == repr_of(program.main, 3, x) == repr_of(residual, x) == expected, program.source
    assert futamura.Specializer(caches=program.caches())(program.main, s=3)(4) == program.main(3, 4), program.source


def repr_of(function: Any, /, *args: Any) -> str:
    try:
        return repr(function(*args))
    except Exception as error:
        return repr(error)
