"""An open input that is one of the static objects: what is written to it is seen in what was read.

    def f(o, v): n = len(o); v |= {"q": 1}; return n, len(o)      o a static OrderedDict, v the same   ->   (1, 2)

Invariant: original and residual get equal objects, and the same one twice.
"""

from __future__ import annotations

import linecache
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from futamura.specializer import entry_costs
from tests.outcomes import outcome


def union(o, v):
    before = len(o)
    v |= {"q": 1}
    return before, len(o)


def members(o, v):
    before = len(o)
    v |= {7, 8}
    return before, len(o)


def fewer(o, v):
    before = 1 in o
    v -= {1}
    return before, 1 in o


def common(o, v):
    before = 1 in o
    v &= {2}
    return before, 1 in o


def either(o, v):
    before = 1 in o
    v ^= {1}
    return before, 1 in o


def longer(o, v):
    before = len(o)
    v += [5]
    return before, len(o)


def repeated(o, v):
    before = len(o)
    v *= 2
    return before, len(o)


def removed(o, v):
    before = len(o)
    del v[0]
    return before, len(o)


def replaced(o, v):
    before = o[0]
    v[0] = 9
    return before, o[0]


def by_method(name: str, args: tuple[Any, ...]) -> Callable[..., Any]:
    text = f"def by_method(o, v):\n    before = [*o]\n    v.{name}(*{args!r})\n    return before, [*o]\n"
    file = f"<{name}{args!r}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {}
    exec(compile(text, file, "exec"), space)
    made: Callable[..., Any] = space["by_method"]
    return made


LISTS = (lambda: [3, 1, 2], lambda: deque([3, 1, 2]), lambda: bytearray(b"cab"))
DICTS = (
    lambda: {0: 1, "a": 2},
    lambda: OrderedDict({0: 1, "a": 2}),
    lambda: defaultdict(int, {0: 1, "a": 2}),
    lambda: Counter({0: 1, "a": 2}),
)
SETS = (lambda: {1, 2, 3},)
OPERATORS = [
    *((deed, make) for deed in (repeated, removed, replaced) for make in LISTS),
    *((longer, make) for make in LISTS[:2]),
    *((deed, make) for deed in (union, removed, replaced) for make in DICTS),
    *((deed, make) for deed in (members, fewer, common, either) for make in SETS),
]


@pytest.mark.parametrize(("deed", "make"), OPERATORS, ids=[f"{d.__name__} {type(m()).__name__}" for d, m in OPERATORS])
def test_an_operator_writes_to_the_static_object(deed: Callable[..., Any], make: Callable[[], Any]) -> None:
    agrees(deed, make)


def agrees(deed: Callable[..., Any], make: Callable[[], Any]) -> None:
    static, other = make(), make()
    residual = futamura.specialize(deed, o=static)
    assert not residual.stats["fallbacks"]
    assert residual(static) == deed(other, other)
    assert static == other


METHODS = [
    *((name, args, 0) for name, args in (("append", (4,)), ("extend", ([4],)), ("insert", (0, 4)), ("pop", ()))),
    *((name, args, 0) for name, args in (("remove", (1,)), ("reverse", ()), ("sort", ()), ("clear", ()))),
    *((name, args, 1) for name, args in (("append", (4,)), ("appendleft", (4,)), ("rotate", ()), ("popleft", ()))),
    *((name, args, 2) for name, args in (("setdefault", ("q", 1)), ("update", ({"q": 1},)), ("pop", ("a",)))),
    *((name, args, 2) for name, args in (("popitem", ()), ("clear", ()))),
    *((name, args, 3) for name, args in (("add", (4,)), ("discard", (1,)), ("update", ((4,),)), ("remove", (1,)))),
    *((name, args, 3) for name, args in (("difference_update", ((1,),)), ("intersection_update", ((1,),)))),
]


@pytest.mark.parametrize(("name", "args", "kind"), METHODS)
def test_a_method_writes_to_the_static_object(name: str, args: tuple[Any, ...], kind: int) -> None:
    for make in (LISTS[:1], LISTS[1:2], DICTS, SETS)[kind]:
        agrees(by_method(name, args), make)


class Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.value = text, 0, ""

    def anything(self) -> None:
        self.value = self.text[self.at]
        self.at += 1

    def bind(self, rule: Callable[[], None]) -> tuple[str, int]:
        before = self.at
        rule()
        return self.value, self.at - before


def test_methods_of_the_static_object() -> None:
    one, other = Parser("abc"), Parser("abc")
    residual = futamura.specialize(one.bind)
    for _ in range(3):
        assert residual(one.anything) == other.bind(other.anything)


class Named:
    def __init__(self, name: str) -> None:
        self.name = name


ROW = {"name": 3}


def handed_as_text(row, v):
    """What is handed on is a text that holds nothing of the row."""
    return row["name"], Named(str(v["name"])).name


def handed_itself(row, v):
    before = row["name"]
    keep_in(v, "name", 4)
    return before, row["name"]


def keep_in(v, name, value):
    exec("v[name] = value")


def test_only_what_may_be_written_is_told_apart() -> None:
    mine, theirs = dict(ROW), dict(ROW)
    residual = futamura.specialize(handed_as_text, row=mine)
    assert not residual._recipe.apart.names, "a test of each argument for nothing"
    assert residual(mine) == handed_as_text(theirs, theirs)
    assert residual({"name": 5}) == handed_as_text(theirs, {"name": 5})
    residual = futamura.specialize(handed_itself, row=mine)
    assert residual(mine) == handed_itself(theirs, theirs)


class Seen:
    """Notes when somebody looks at it."""

    def __init__(self) -> None:
        self.value, self.looks = 2, 0

    def method(self, *args: Any) -> Any:
        self.value += 1
        return self.value

    def __repr__(self) -> str:
        self.value += 10
        return f"Seen({self.value})"

    def __eq__(self, other: object) -> bool:
        self.value += 100
        return True

    __hash__ = object.__hash__

    def __call__(self, *args: Any) -> Any:
        self.value += 1000
        return self.value


class Nosy:
    """Calls whatever it meets."""

    def __radd__(self, other: Any) -> Any:
        return other()

    __rmul__ = __rmod__ = __rsub__ = __rtruediv__ = __radd__
    __eq__ = __lt__ = __gt__ = __contains__ = lambda self, other: bool(other()) if callable(other) else False
    __hash__ = object.__hash__

    def __getitem__(self, key: Any) -> Any:
        return key()


NOSY = Nosy()
WITH_METHODS = [
    "x()", "f'{x}'", "f'{x!r}'", "'%s' % x", "'%s' % (x,)", "str(x)", "repr([x])", "x == 2", "x + 1", "x * 2",
    "x < 2.5", "2 + x", "-x", "not x", "bool(x) and 3", "x is None", "x.value", "x.__self__", "x.__self__()",
    "x - 3.0", "x.__call__()",
    "x.__func__(self)", "[x][0]()", "(x, 1)[0]()", "x == NOSY", "x + NOSY", "x % NOSY", "x < NOSY", "NOSY[x]",
    "x in NOSY", "NOSY == x", "[*map(x, (1,))]", "sorted([1], key=x)", "max(1, 2, key=x)", "x in (1, 2)", "x in 'abc'",
    "isinstance(x, int)", "len(x)", "abs(x)", "int(x)", "type(x)", "callable(x)", "hash(x) == 2", "(1, 2)[x]", "x[0]",
    "{1: 2}.get(x)", "[*x]", "helped(x)", "helped_by(x, 1)", "tuple([x])[0]()", "'{}'.format(x)", "x if x else 1",
]  # fmt: skip


def helped(x: Any) -> Any:
    return x + 1 if x is None else helped_by(x, 2)


def helped_by(x: Any, n: int) -> Any:
    return x() if n > 1 else x * n


@pytest.mark.interpreted
@pytest.mark.parametrize("text", WITH_METHODS)
def test_methods_that_only_operators_get(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_LITTLE", 1e9)  # whether it is worth it is another matter
    lines = "def looked(self, x):", "before = self.value", f"got = {text}", "return before, self.value, str(got)[:9]"
    source = "\n    ".join(lines) + "\n"
    file = f"<looked {text}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space: dict[str, Any] = {"NOSY": NOSY, "helped": helped, "helped_by": helped_by}
    exec(compile(source, file, "exec"), space)
    for pick in (lambda seen: seen.method, lambda seen: seen, lambda seen: 4, lambda seen: Seen().method):
        one, other = Seen(), Seen()
        residual = futamura.specialize(space["looked"], self=one)
        for _ in range(3):
            assert outcome(residual, pick(one)) == outcome(space["looked"], other, pick(other)), residual.source
            assert one.value == other.value


def passed(x: Any, n: int, k: int) -> Any:
    """Only the function of the residual gives `x` back."""
    if n <= 0:
        return x if k > 0 else str
    return passed(x, n - 1, n)


def called_later(self: Any, x: Any, n: int) -> Any:
    before = self.value
    passed(x, n, 0)()
    return before, self.value


def shown_later(self: Any, x: Any, n: int) -> Any:
    before = self.value
    text = f"{passed((x, 1), n, 0)}"
    return before, self.value, text[:9]


@pytest.mark.interpreted
@pytest.mark.parametrize("deed", [called_later, shown_later])
def test_methods_that_functions_of_the_residual_give_back(deed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_LITTLE", 1e9)
    one, other = Seen(), Seen()
    residual = futamura.specialize(deed, self=one)
    assert "passed(" in residual.source or "passed_" in residual.source
    for n in (0, 3, 1):
        assert outcome(residual, one.method, n) == outcome(deed, other, other.method, n)
        assert one.value == other.value


class Scaled:
    def __init__(self, k: float) -> None:
        self.k = k

    def of(self, x: Any) -> Any:
        return (x - self.k) * 2 / self.k + self.k ** 2

    def called(self, x: Any) -> Any:
        return (x() - self.k) * 2 / self.k + self.k ** 2

    def __sub__(self, other: float) -> float:
        self.k += 1
        return 3.0


@pytest.mark.interpreted
def test_what_is_told_apart_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_LITTLE", 1e9)
    one = Scaled(2.0)
    residual = futamura.specialize(one.of)
    assert residual._recipe.apart.names == ("x",) and residual._recipe.apart.methods == ()
    assert "told apart: `x` is not `self`\n" in residual.explain() + "\n"
    other = Scaled(2.0)
    for x, y in ((4.0, 4.0), (one, other), (5.0, 5.0), (one, other), (1, 1)):
        assert residual(x) == other.of(y) and one.k == other.k
    residual = futamura.specialize(one.called)
    assert residual._recipe.apart.methods == ("x",)
    assert "told apart: `x` is not `self`, and no method of it" in residual.explain()
    trusted: Any = futamura.Specializer(assume="trust")(one.of)
    assert "told apart: `x` is not `self`" in trusted.explain()
    assert trusted(one) == other.of(other) and trusted(7.0) == other.of(7.0)


def marked(table, a, b, c):
    a[0], b[0], c[0] = 1, 2, 3
    return table[0]


def test_nothing_is_believed_where_only_inputs_would_be_tested_and_little_folds() -> None:
    residual = futamura.specialize(marked, table=[7, 8])
    assert residual._recipe.apart.names == () and residual.stats["notes"] == {"FT412": 1}
    assert "to tell `a`, `b`, `c` from static objects at each call would take longer" in residual.explain()
    table = [7, 8]
    assert futamura.specialize(marked, table=table)([0], [0], table) == 3
    assert residual([0], [0], [0]) == 7


def looked_up(table, a, b):
    return table[a].get(b)


def test_a_table_in_which_nothing_folds_is_not_told_apart() -> None:
    table = [{1: 2}, {3: 4}]
    residual = futamura.specialize(looked_up, table=table)
    assert residual._recipe.apart.names == () and residual.stats["notes"] == {}
    assert residual(0, 1) == 2 and residual(1, 1) is None
    trusted: Any = futamura.Specializer(assume="trust")(looked_up, table=table)
    assert trusted(1, 3) == 4
    table[1] = {1: 5}
    assert residual(1, 1) == 5
    with pytest.raises(TypeError):
        residual(1, table)
