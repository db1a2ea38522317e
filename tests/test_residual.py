"""The residual as an object: signature, source, pickling, saving, promises, assumptions, strictness.

    specialize(scaled, n=3)   ->   inspect.signature(...) == (x: float, *, k: int = 3) -> float

Invariant: every way in which a residual travels gives something that answers as the original does.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import functools
import inspect
import linecache
import operator
import pickle
import pydoc
import re
import struct
import subprocess
import sys
import textwrap
import traceback
import types
import uuid
from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura.residual import SavingError

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def helper(y):
    return y * 2


def scaled(x: float, n: int, *, k: int = 3) -> float:
    """Scale."""
    result = 1.0
    while n > 0:
        result *= x
        n -= 1
    return helper(result) + k


TABLE = [10, 20, 30]


def looked_up(i, table):
    return table[i]


def typed(x, n):
    return x * n + 0


def fails(x, n):
    return n / x


class Machine:
    def __init__(self, code):
        self.code = code

    def run(self, x):
        for op in self.code:
            x = x + 1 if op == "inc" else x * 2
        return x


class Color(enum.Enum):
    RED = 1


COUNTER = 0


def reads_counter(x, n):
    return COUNTER + x + n


def counts_up():
    global COUNTER
    COUNTER += 1


def evaluates(a, b):
    return eval("a + b")


def test_it_looks_like_the_original() -> None:
    residual = futamura.specialize(scaled, n=3)
    assert str(inspect.signature(residual)) == str(inspect.signature(scaled)).replace("n: 'int', ", "")
    assert (residual.__name__, residual.__doc__, residual.__module__) == ("scaled", "Scale.", __name__)
    assert textwrap.dedent(inspect.getsource(residual)).startswith("def scaled(x, *, k):")
    assert "while" not in residual.source
    assert "scaled(x: 'float'" in pydoc.plain(pydoc.render_doc(residual))
    assert residual(2.0) == scaled(2.0, 3) and residual(2.0, k=1) == scaled(2.0, 3, k=1)
    assert set(residual.stats["seconds"]) == {"specialize", "print"}
    with pytest.raises(TypeError, match=r"scaled\(\) missing 1 required positional argument: 'x'"):
        residual()


def test_a_fallback_looks_like_the_original_too() -> None:
    residual = futamura.specialize(evaluates, a=1)
    assert str(inspect.signature(residual)) == "(b)" and residual(b=2) == 3
    assert residual.diagnostics[0].code == "FT103" and not residual.stats["specialized"]


def test_pickled_as_source_and_compiled_once() -> None:
    residual = futamura.specialize(scaled, n=3)
    text = pickle.dumps(residual)
    first, second = pickle.loads(text), pickle.loads(text)
    assert first is second and first is not residual
    assert first(2.0) == scaled(2.0, 3) and first.source == residual.source and first.holds()
    assert str(inspect.signature(first)) == str(inspect.signature(residual))


def test_a_pickled_residual_in_a_process_where_an_assumption_fails(tmp_path: Path) -> None:
    source = "def h(y):\n    return y + {}\n\n\ndef f(x, n):\n    return h(x) * n\n"
    (tmp_path / "shipped_subject.py").write_text(source.format(1))
    make = "import shipped_subject as s, futamura, pickle; r = futamura.specialize(s.f, n=3);"
    make += "assert 'h(' not in r.source; open('r.pickle', 'wb').write(pickle.dumps(r))"
    use = "import pickle; r = pickle.loads(open('r.pickle', 'rb').read()); print(r(1), r.holds())"
    path = f"import sys; sys.path[:0] = {[str(tmp_path), *sys.path]!r};"

    def done(program: str) -> str:
        return subprocess.run(
            [sys.executable, "-B", "-c", path + program], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    done(make)
    assert done(use) == "6 True\n"
    (tmp_path / "shipped_subject.py").write_text(source.format(5))
    assert done(use) == "18 False\n"


def test_a_pickled_residual_writes_to_the_objects_of_its_module(tmp_path: Path) -> None:
    """Globals, defaults and attributes of classes and objects that can be changed are those of the other process."""
    source = """
        LOG = []
        COUNT = {"n": 0}

        class Shop:
            sold = []
            def __init__(self): self.rows = {}

        SHOP = Shop()
        PAIR = ([], LOG)

        def log(x): LOG.append(x)
        def seen(x, known=[]):
            known.append(x)
            return len(known)
        def named(x, *, known={}):
            return known.setdefault(x, len(known))
        def f(a, n):
            log(a)
            COUNT["n"] += n
            Shop.sold.append(a)
            SHOP.rows[a] = n
            PAIR[0].append(a)
            return COUNT["n"], seen(a), named(a), len(Shop.sold), SHOP, PAIR
        def shown(call):
            found = [call(1)[:4], f(5, 2)[:4], call(7)[:4], LOG, Shop.sold, SHOP.rows]
            return found, call(1)[4] is SHOP, PAIR, call(2)[5] is PAIR
    """
    (tmp_path / "changed_subject.py").write_text(textwrap.dedent(source))
    path = f"import sys; sys.path[:0] = {[str(tmp_path), *sys.path]!r};"
    make = "import changed_subject as s, futamura, pickle; r = futamura.specialize(s.f, n=2);"
    make += "assert 'append' in r.source; open('r.pickle', 'wb').write(pickle.dumps(r))"
    use = "import pickle; r = pickle.loads(open('r.pickle', 'rb').read());"
    use += "import changed_subject as s; print(r.holds(), s.shown(r))"
    plain = "import changed_subject as s; print(True, s.shown(lambda a: s.f(a, 2)))"

    def done(program: str) -> str:
        return subprocess.run(
            [sys.executable, "-B", "-c", path + program], cwd=tmp_path, capture_output=True, text=True, check=True
        ).stdout

    done(make)
    assert done(use) == done(plain)


def test_what_cannot_travel_says_so() -> None:
    def local(x, n):
        return x + n

    with pytest.raises((pickle.PicklingError, AttributeError), match="local"):
        pickle.dumps(futamura.specialize(local, n=1))


def saved(residual: Any, path: Path) -> dict[str, Any]:
    residual.save(path)
    text = path.read_text(encoding="utf-8")
    assert "import futamura" not in text and "from futamura" not in text
    space: dict[str, Any] = {"__name__": "saved"}
    exec(compile(text, str(path), "exec", dont_inherit=True), space)
    return space


def test_saved_as_a_plain_module(tmp_path: Path) -> None:
    space = saved(futamura.specialize(scaled, n=3), tmp_path / "one.py")
    assert space["scaled"](2.0) == scaled(2.0, 3) and space["scaled"](2.0, k=5) == scaled(2.0, 3, k=5)
    space = saved(futamura.specialize(looked_up, table=TABLE), tmp_path / "two.py")
    assert [space["looked_up"](i) for i in (0, -1)] == [10, 30]
    assert "a copy" in (tmp_path / "two.py").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.py", "two.py"]


@pytest.mark.parametrize("value", [
    1, -1, True, None, ..., 1.5, -0.0, float("inf"), 2j, "é'\n", b"\x00", (), (1,), (1, (2, "a")), [1, [2]],
    {"a": {1: 2}}, {1, 2}, set(), frozenset({"b", "a"}), range(1, 9, 2), slice(1, None), len, int, helper, Machine,
    inspect, Machine.run, type(None), types.MethodType, 10**2000,
    re.compile("a+(b)", re.IGNORECASE), re.compile(b"x"),
    datetime.date(2020, 2, 29), datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC),
    datetime.timedelta(seconds=-1), decimal.Decimal("1.50"), fractions.Fraction(1, 3), uuid.UUID(int=5), Color.RED,
    operator.countOf,
])  # fmt: skip
def test_constants_that_can_be_written(value: Any, tmp_path: Path) -> None:
    residual = futamura.specialize(looked_up, table={"k": value, 1: 0})
    space = saved(residual, tmp_path / "one.py")
    found = space["looked_up"]("k")
    unordered = isinstance(value, (set, frozenset))
    assert type(found) is type(value)
    assert sorted(found) == sorted(value) if unordered else repr(found) == repr(value)


def test_methods_of_values_can_be_written(tmp_path: Path) -> None:
    table = {"k": "-".join, 1: re.compile("b+").fullmatch, 2: struct.Struct("<h")}
    residual = futamura.specialize(looked_up, table=table)
    found = saved(residual, tmp_path / "one.py")["looked_up"]
    assert found("k")(["a", "b"]) == "a-b"
    assert found(1)("bb") and not found(1)("bba")
    assert found(2).format == "<h"


def test_a_saved_module_refuses_what_was_promised_otherwise(tmp_path: Path) -> None:
    promised = futamura.specialize(typed, n=1, x=futamura.Dyn(int))
    space = saved(promised, tmp_path / "one.py")
    assert space["typed"](4) == 4
    with pytest.raises(TypeError, match="made for calls where x is exactly int"):
        space["typed"](2.5)
    text = (tmp_path / "one.py").read_text()
    assert "# promised: x is exactly int\n" in text and "if not (type(x) is int):" in text
    trusting = futamura.Specializer(assume="trust")(typed, n=1, x=futamura.Dyn(int))
    assert saved(trusting, tmp_path / "two.py")["typed"](2.5) == 2.5
    assert "# promised, not tested here: x is exactly int\n" in (tmp_path / "two.py").read_text()
    parts = futamura.Dyn(list[float], length=2)
    third = saved(futamura.specialize(length_of, xs=parts), tmp_path / "three.py")["length_of"]
    assert third([1.0, 2.0]) == 2
    for wrong in ([1.0], [1.0, 2], (1.0, 2.0)):
        with pytest.raises(TypeError, match=r"xs is exactly list\[float\] of length 2"):
            third(wrong)


SHARED = [0]
ROWS = {"a": ("int", SHARED), "b": ("str", SHARED), "c": ("str", [SHARED, []])}


def kept_row(rows, key, x):
    kind, row = rows[key]
    if kind == "int":
        row.append(x)
        return row
    return rows, row


def test_what_constants_share_is_one_object_in_a_saved_module(tmp_path: Path) -> None:
    residual = futamura.specialize(kept_row, ROWS)
    again = saved(residual, tmp_path / "one.py")["kept_row"]
    rows, row = again("b", 1)
    assert rows["b"][1] is row is rows["a"][1] is rows["c"][1][0]
    assert again("a", 5) is row
    assert again("c", 1)[1][0] == [0, 5] == rows["a"][1]
    assert SHARED == [0]


LOG: list[Any] = []
SEEN: dict[str, Any] = {}
LIMITS = {"a": 3}
NESTED = {"log": LOG, "more": [LOG]}
MISSING = object()


def logged(kind, x):
    LOG.append((kind, x))
    SEEN[kind] = x
    NESTED["more"][0].append(len(NESTED["log"]))
    return LOG, LIMITS[kind] < x, x is MISSING


def test_globals_that_are_written_are_imported_by_a_saved_module(tmp_path: Path) -> None:
    again = saved(futamura.specialize(logged, "a"), tmp_path / "one.py")["logged"]
    text = (tmp_path / "one.py").read_text()
    assert all(f"from {__name__} import {name} as" in text for name in ("LOG", "SEEN", "MISSING"))
    log, above, missing = again(5)
    assert log is LOG and LOG == [("a", 5), 1] and SEEN == {"a": 5}
    assert above and not missing and again(2)[1:] == (False, False)
    LOG.clear()
    SEEN.clear()


def paired(x: int, pairs: Any) -> Any:
    return (x, *pairs)


def test_a_small_constant_of_very_many_parts_is_saved(tmp_path: Path) -> None:
    pairs: Any = (1, 2)
    for _ in range(60):
        pairs = (pairs, pairs)
    again = saved(futamura.specialize(paired, pairs=pairs), tmp_path / "one.py")["paired"]
    first, left, right = again(3)
    assert first == 3
    for _ in range(59):
        assert left is right
        left, right = left
    assert left is right
    assert left == (1, 2)


class Anything:
    def __getattr__(self, name: str) -> int:
        return 1


def appended(items: list[object], item: object) -> None:
    items.append(item)


def shifted(x: int, n: int) -> int:
    return x + n + n


def test_numbers_of_very_many_digits_are_saved(tmp_path: Path) -> None:
    """More than `str` of an int gives: the text has them in another base."""
    number = 10**5000
    residual = futamura.specialize(shifted, n=number)
    assert saved(residual, tmp_path / "one.py")["shifted"](1) == residual(1) == 2 * number + 1
    assert hex(number) in residual.module_text()


def test_what_cannot_be_saved_is_named_and_the_file_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "out.py"
    file.write_text("old")
    for residual, message in [
        (futamura.specialize(looked_up, table={"k": object(), 1: 0}), "is an object, which has no form as source text"),
        (futamura.specialize(appended, item=Anything()), "is an Anything, which has no form as source text"),
        (futamura.specialize(reads_counter, n=1), "`COUNTER` may be bound anew"),
        (futamura.specialize(evaluates, a=1), "was not specialized: this function uses `eval`"),
    ]:
        with pytest.raises(SavingError, match=message):
            residual.save(file)
        assert file.read_text() == "old"


def test_a_broken_promise_runs_a_residual_without_it() -> None:
    residual = futamura.specialize(typed, n=1, x=futamura.Dyn(int))
    assert residual(4) == 4 and "+" not in residual.source and "*" not in residual.source  # laws of exact ints
    for x in (True, 2.5, -0.0):
        assert (residual(x), type(residual(x))) == (typed(x, 1), type(typed(x, 1)))
    with pytest.raises(TypeError):
        residual("a")
    assert futamura.specialize(typed, n=1, x=futamura.Dyn(int))(x=7) == 7
    assert residual.stats["fallbacks"] == {}


@pytest.mark.parametrize(("kind", "used", "values"), [
    (list[int], "list[int]", ([1, 2], [1, True], (1,))),
    (dict[str, int], "dict", ({"a": 1}, {"a": "b"}, [])),
    (tuple[int, str], "tuple[int, str]", ((1, "a"), (1, "a", 2), (1, 2))),
    (tuple[int, ...], "tuple[int, ...]", ((1, 2), (1, "a"), [1])),
    (tuple[list[int], str], "tuple of length 2", (([1], "a"), (1, "a", 2), (1, 2))),
    (list[list[float]], "list", ([[1.0], []], [[1]], "ab")),
    (list[int | None], "list", ([1, None], ["a"], {})),
    (set[str], "set", ({"a"}, {1}, [])),
    (list | None, None, ([1], "a", ())),
])  # fmt: skip
def test_what_is_used_of_a_promise_is_tested(kind: Any, used: str | None, values: tuple[Any, ...]) -> None:
    residual = futamura.specialize(length_of, xs=futamura.Dyn(kind))
    promised = [line for line in residual.module_text().splitlines() if line.startswith("# promised")]
    assert promised == ([] if used is None else [f"# promised: xs is exactly {used}"])
    for value in values:
        assert residual(value) == len(value)


def length_of(xs):
    return len(xs)


def test_a_declared_length_is_tested() -> None:
    residual = futamura.specialize(length_of, futamura.Dyn(list[float], length=2))
    assert [residual([1.0, 2.0]), residual([1.0]), residual("abc"), residual([1, 2])] == [2, 1, 3, 2]


def test_an_assumption_that_fails_runs_the_original(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(scaled, n=1)
    trusting = futamura.Specializer(assume="trust")(scaled, n=1)
    assert residual.holds()
    assert f"global {__name__}.helper is this function" in map(repr, residual.assumptions)
    monkeypatch.setitem(globals(), "helper", lambda y: 100)
    assert not residual.holds()
    assert residual(1.0) == 103 and trusting(1.0) == 5.0


def test_strict_raises_for_what_is_not_specialized() -> None:
    with pytest.raises(futamura.FutamuraError) as caught:
        futamura.Specializer(strict=True)(evaluates, a=1)
    assert caught.value.diagnostic.code == "FT103" and caught.value.diagnostic.line
    assert futamura.Specializer(strict=True)(scaled, n=2)(2.0) == scaled(2.0, 2)


class Settings:
    def __init__(self):
        self.scale = 3


def rescaled(settings, x):
    before = settings.scale * x
    settings.scale = x
    return before


def test_strict_takes_no_note_for_an_error() -> None:
    """What is written while the residual runs is read there: a note says so, and nothing was given up."""
    residual = futamura.Specializer(strict=True)(rescaled, settings=Settings())
    assert [event.code for event in residual.events] == ["FT305"] and residual.stats["specialized"]
    assert [residual(5), residual(2)] == [15, 10]


def deepest(op, pc, x):
    return futamura.static(x)


def around(code, x):
    for pc, op in enumerate(code):
        x = deepest(op, pc, x)
    return x


def test_a_finding_says_in_which_calls_it_came_up() -> None:
    finding = futamura.specialize(around, code=["inc"]).diagnostics[0]
    line = around.__code__.co_firstlineno + 2
    assert [call.text for call in finding.context] == [
        "deepest(op='inc', pc=0, x=?)", "around(code=<list of 1>, x=?, pc=0, op='inc')",
    ]  # fmt: skip
    assert finding.context[0].place is not None and finding.context[0].place.line == line
    assert f" = in: deepest(op='inc', pc=0, x=?)  {__file__}:{line}\n" in str(futamura.FutamuraError(finding))


@pytest.mark.parametrize("options", [{"assume": "hope"}, {"polyvariance": "some"}])
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="not '"):
        futamura.Specializer(**options)


def test_a_traceback_shows_the_residual_line_and_where_it_is_from() -> None:
    residual = futamura.specialize(fails, n=1)
    with pytest.raises(ZeroDivisionError) as caught:
        residual(0)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert frame.line == "return 1 / x" and linecache.getline(frame.filename, frame.lineno or 0).strip() == frame.line
    assert f"specialized from {Path(__file__).name}:{fails.__code__.co_firstlineno}" in frame.filename
    assert not hasattr(caught.value, "__notes__")


def test_a_bound_method() -> None:
    residual = futamura.specialize(Machine(["inc", "dbl"]).run)
    assert residual(3) == 8 and str(inspect.signature(residual)) == "(x)"


def test_the_source_stays_known_where_constants_are_the_programs_own() -> None:
    """Constants that are put into the code afterwards must not make `linecache` forget the text."""
    marker = "a marker " * 2

    def marked(x, n):
        return (marker, x, n)

    residual = futamura.specialize(marked, n=("a", "marker"))
    assert residual(1)[0] is marker
    assert "def marked(x):" in inspect.getsource(residual)


adding = lambda n, x: helper(x) + n  # noqa: E731


def test_a_lambda_keeps_its_assumptions(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(adding, n=3)
    assert residual.stats["fallbacks"] == {}
    assert "lambda" in residual.source
    assert residual(4) == 11
    monkeypatch.setitem(globals(), "helper", lambda y: 100)
    assert residual(4) == 103


class Scaled:
    """An object that is called."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def __call__(self, x: int, y: int = 1) -> int:
        return x * self.factor + y


def test_an_object_that_is_called_is_static() -> None:
    made = futamura.specialize(Scaled(4), y=5)
    assert made(3) == 17
    assert "x * 4 + 5" in made.source


def test_the_function_in_a_wrapper_is_named() -> None:
    @functools.wraps(_power)
    def wrapper(*args: int) -> int:
        return _power(*args)

    with pytest.raises(TypeError, match=r"specialize `_power.__wrapped__`"):
        futamura.specialize(wrapper, n=3)
    with pytest.raises(futamura.UnsupportedError, match=r"around `_power.__wrapped__`"):
        futamura.specialize(functools.lru_cache(_power), n=3)


def _power(x: int, n: int) -> int:
    result = 1
    for _ in range(n):
        result *= x
    return result


def stepped(names: list[str], rows: Any) -> list[Any]:
    found = []
    for name, row in zip(names, rows):
        found.append((name, row))
    return found


def instances(n: int, x: int) -> Any:
    return NotImplemented if x < n else object.__new__(object)


def test_a_saved_module_holds_what_it_needs_of_the_runtime(tmp_path: Path) -> None:
    """Steps of an unknown iterator need a function of ours: its text is in the module."""
    residual = futamura.specialize(stepped, ["a", "b"])
    residual.save(tmp_path / "stepped.py")
    text = (tmp_path / "stepped.py").read_text(encoding="utf-8")
    assert "import" not in text and "_futamura_iterated" in text
    space = saved(residual, tmp_path / "stepped.py")

    class Again:
        def __init__(self) -> None:
            self.at = 0

        def __iter__(self) -> Any:
            self.at = 0
            return self

        def __next__(self) -> int:
            self.at += 1
            return self.at

    for rows in ([1, 2, 3], "xy", [], Again(), iter([5])):
        again = Again() if isinstance(rows, Again) else list(rows)
        assert space["stepped"](rows if isinstance(rows, Again) else list(again)) == stepped(["a", "b"], again)


def test_constants_that_only_builtins_name_can_be_saved(tmp_path: Path) -> None:
    residual = futamura.specialize(instances, n=3)
    space = saved(residual, tmp_path / "instances.py")
    assert space["instances"](1) is NotImplemented and type(space["instances"](5)) is object


def collecting(first: Any, *rest: Any, **named: Any) -> Any:
    return first, rest, named


def test_what_is_collected_is_given_as_a_whole() -> None:
    with pytest.raises(TypeError, match=r"takes 1 positional arguments before \*rest: give .* `rest=\(\.\.\.\)`, 3 "):
        futamura.specialize(collecting, 1, 2, 3)
    with pytest.raises(TypeError, match=r"no parameter 'other': give .* collects as `named=\{\.\.\.\}`"):
        futamura.specialize(collecting, other=1)
    assert futamura.specialize(collecting, rest=(2, 3), named={"other": 1})(1) == collecting(1, 2, 3, other=1)


def test_options_have_no_name_of_a_known_parameter() -> None:
    def options(a, /, b=1, *, d, **more):  # type: ignore[no-untyped-def]
        return a, b, d, more

    residual = futamura.specialize(options, d=5)
    assert residual(1, x=2, a=3) == (1, 1, 5, {"x": 2, "a": 3})
    with pytest.raises(TypeError, match=r"options\(\) got multiple values for keyword argument 'd'"):
        residual(1, d=5)
    known = futamura.specialize(options, 3)
    assert known(d=1, a=7) == (3, 1, 1, {"a": 7})
