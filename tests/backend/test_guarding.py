"""The test at the entry of a residual: what it looks at, and who runs when it fails.

    specialize(f, n=2); then `helper` is bound to something else    the original runs, and sees the new one

Invariant: an entry test never raises, and never runs code of the program.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

import futamura
from futamura import Dyn
from futamura.backend.python import holding
from futamura.ir.immediates import free_names
from futamura.specializer import entry_costs

SOURCE = '''
import dataclasses
import enum

def helper(x):
    return x + 1

class Tool:
    def use(self, x):
        return x * 3

class Base:
    def use(self, x):
        return x * 5

class Derived(Base):
    pass

LIMIT = 5

def documented(x, n):
    """A text
    of two lines."""
    return helper(x) * n if n < LIMIT else x

def method(x, tool, n):
    return tool.use(x) + n

def local_name(x, n):
    len = x * n
    return len + n

def uses_len(x, n):
    return len(x) + n

def varied(x, /, *rest, n, key=7, **more):
    return helper(x), rest, n, key, more

class Colour(enum.Enum):
    RED = 1

def kind_of(x, cls):
    return (x, "record") if dataclasses.is_dataclass(cls) else (x, "plain")

import os.path as paths

def kinds(x, n):
    return isinstance(x, str) and n < LIMIT and paths.isabs(x)

_names = {"a": 1}

def look_up(x, key):
    return _names.get(key, 0) + x

def counting(x, n):
    if x <= 0:
        return n
    return counting(x - 1, n) + helper(n)
'''


@pytest.fixture(autouse=True, params=["stamps", "one by one"])
def stamped(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Everything is right with stamps of classes and functions, and where Python does not tell these."""
    if request.param != "stamps":
        monkeypatch.setattr(holding, "stamp_of", lambda marks: None)
    return bool(request.param == "stamps")


@pytest.fixture
def space() -> types.ModuleType:
    import linecache

    module = types.ModuleType("guarded_program")
    file = "<guarded program>"
    linecache.cache[file] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), file)
    exec(compile(SOURCE, file, "exec", dont_inherit=True), module.__dict__)
    return module


def test_a_rebound_global_runs_the_original(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.documented, n=2)
    assert residual(3) == 8 and residual.stats["specialized"]
    space.helper = lambda x: x + 100
    assert residual(3) == 206 == space.documented(3, 2)
    assert not residual.holds()


def test_a_deleted_global_runs_the_original(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.documented, n=2)
    del space.LIMIT
    with pytest.raises(NameError, match="LIMIT"):
        residual(3)


def test_a_changed_callee_runs_the_original(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.documented, n=2)
    space.helper.__code__ = (lambda x: x - 1).__code__
    assert residual(3) == 4


def test_a_changed_class_runs_the_original(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.method, tool=space.Tool(), n=1)
    assert residual(2) == 7
    space.Tool.use = lambda self, x: x * 30
    assert residual(2) == 61
    del space.Tool.use
    with pytest.raises(AttributeError):
        residual(2)


def test_what_changes_beside_it_changes_nothing(space: types.ModuleType, stamped: bool) -> None:
    tool = space.Derived()
    residual = futamura.specialize(space.method, tool=tool, n=1)
    calls: list[int] = []
    original = space.Base.use
    for times in range(5):
        space.Base.other = space.Derived.others = times
        space.Base.use.__kwdefaults__ = {"more": times}
        assert residual(2) == 11
    space.Base.use = lambda self, x: calls.append(x) or 0
    assert residual(2) == 1 and calls == [2]
    space.Base.use = original
    assert residual(2) == 11 and calls == [2]
    original.__code__ = (lambda self, x: x).__code__
    assert residual(2) == 3 and residual(2) == 3
    code = residual.function.__code__
    assert any("_now" in name for name in (*code.co_names, *code.co_freevars)) is stamped


def test_the_class_of_an_object_is_another_one_later(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.method, tool=space.Derived(), n=1)
    space.Derived.__bases__ = (space.Tool,)
    assert residual(2) == 7
    space.Derived.__bases__ = (space.Base,)
    assert residual(2) == 11


def test_a_name_like_that_of_a_constant_is_told_apart(space: types.ModuleType) -> None:
    residual = futamura.Specializer(caches=[space._names])(space.look_up, key="a")
    assert residual(1) == 2 and residual.stats["specialized"]
    space._names = {"a": 5}
    assert residual(1) == 6 == space.look_up(1, "a")


def test_what_a_class_of_another_metaclass_lacks_is_looked_for(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.kind_of, cls=space.Colour)
    assert residual(1) == (1, "plain") and residual.stats["specialized"]
    assert not any("holds" in name for name in residual.function.__code__.co_names)
    space.Colour.__dataclass_fields__ = {}
    assert residual(1) == (1, "record") == space.kind_of(1, space.Colour)


def test_an_inherited_method_is_tested_without_calls(space: types.ModuleType) -> None:
    class Loud:
        def __get__(self, owner: object, kind: object) -> object:
            raise SystemExit("read at entry")

    residual = futamura.specialize(space.method, tool=space.Derived(), n=1)
    assert residual(2) == 11 and residual.stats["specialized"]
    space.Derived.use = lambda self, x: x
    assert residual(2) == 3
    del space.Derived.use
    assert residual(2) == 11
    space.Derived.__bases__ = (type("New", (space.Base,), {"use": lambda self, x: 0}),)
    assert residual(2) == 1
    space.Base.use = Loud()
    assert residual(2) == 1


@contextlib.contextmanager
def around(key: str, log: list[str]) -> Iterator[str]:
    log.append(f"yield {key}")
    yield key.upper()


def noted(keys: tuple[str, ...], found: dict[str, int], log: list[str]) -> list[int]:
    result = []
    for key in keys:
        with around(key, log) as name:
            result.append(found[name])
    return result


def test_the_word_yield_in_a_text_is_no_generator() -> None:
    residual = futamura.specialize(noted, ("a",))
    assert "yield" in residual.source and residual.assumptions
    called: list[str] = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_qualname) if event == "call" else None)
    try:
        assert residual({"A": 3}, []) == [3]
    finally:
        sys.setprofile(None)
    assert called.count("noted") == 1, called  # no function around it


def numbered(x: int, *more: int, n: int, key: int = 7, **names: int) -> Iterator[Any]:
    yield len(names) + n
    yield x, more, key, sorted(names)


def counted(x: int, n: int, *, last: int = 0) -> int:
    return len([n, last]) if x <= 0 else counted(x - 1, n, last=x) + 1


def test_what_cannot_hold_the_tests_is_called_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(numbered, n=2)
    again = futamura.specialize(counted, n=2)
    assert not residual.stats["fallbacks"] and not again.stats["fallbacks"]
    for _ in range(2):
        assert list(residual(1, 2, a=3)) == list(numbered(1, 2, n=2, a=3))
        assert list(residual(1, key=4)) == list(numbered(1, n=2, key=4))
        assert [again(3), again(0, last=5), again(2, last=1)] == [counted(3, 2), counted(0, 2, last=5), counted(2, 2)]
        with pytest.raises(TypeError, match="numbered"):
            residual()
        monkeypatch.setitem(globals(), "len", lambda values: 40)
    assert next(residual(1)) == 42 and again(1) == 41
    trusted = futamura.Specializer(assume="trust")(numbered, n=2)
    assert trusted.function.__code__.co_flags & inspect.CO_GENERATOR


def test_a_builtin_that_the_module_hides_runs_the_original(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.uses_len, n=1)
    assert residual([5, 6]) == 3
    space.len = lambda x: 40
    assert residual([5, 6]) == 41


def test_a_local_variable_with_the_name_of_a_builtin(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.local_name, n=2)
    assert residual(4) == 10


def test_a_global_that_is_no_call_is_read_in_line(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.uses_len, n=2)
    assert residual("/a") == 4
    assert not any("hold" in name for name in free_names(residual.function.__code__))
    space.len = lambda text: 5
    assert residual("/a") == 7


BINDING = """
def bind(value):
    global BOUND
    BOUND = value
"""


@pytest.mark.interpreted
@pytest.mark.parametrize("binding", ["", BINDING, BINDING.replace("BOUND = value", "del BOUND")])
def test_a_module_is_told_by_the_stamp_unless_it_binds_names(
    space: types.ModuleType, binding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_costs, "_LITTLE", 1e9)  # what is tested here is how, not whether it is worth it
    exec(binding, space.__dict__)
    residual = futamura.specialize(space.kinds, n=2)
    assert residual("/a") is True and residual("a") is False and residual(5) is False
    assert ("str is _str" in inspect.getsource(residual.function)) == bool(binding)
    space.other = 1
    assert residual("/a") is True
    space.str = int
    with pytest.raises(TypeError):
        residual(5)
    del space.str
    assert residual("/a") is True
    space.LIMIT = 1
    assert residual("/a") is False
    del space.LIMIT
    with pytest.raises(NameError):
        residual("/a")


def test_a_global_of_another_module_is_read_there(space: types.ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(space.kinds, n=2)
    monkeypatch.setattr(space.paths, "isabs", lambda text: "patched")
    assert residual("a") == "patched"
    monkeypatch.delattr(space.paths, "isabs")
    with pytest.raises(AttributeError):
        residual("a")


def test_all_kinds_of_parameters_are_passed_on(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.varied, n=2)
    expected = (2, (5, 6), 2, 8, {"z": 9})
    assert residual(1, 5, 6, key=8, z=9) == expected
    space.helper = lambda x: x + 1
    assert residual(1, 5, 6, key=8, z=9) == expected
    assert residual(1) == (2, (), 2, 7, {})


def test_recursion_is_tested_once(space: types.ModuleType) -> None:
    residual = futamura.specialize(space.counting, n=2)
    assert residual(4) == 14
    space.helper = lambda x: 0
    assert residual(4) == 2


@pytest.mark.parametrize(
    ("declared", "fits", "others"),
    [
        (Dyn(int), [3], [True, 2.5, "ab"]),
        (Dyn(list[float]), [[], [1.0]], [[1], (1.0,), [1.0, True]]),
        (Dyn(list[float], length=2), [[1.0, 2.0]], [[1.0], [1.0, 2], [1.0, 2.0, 3.0]]),
        (Dyn(tuple[int, ...]), [(), (1, 2)], [(1, True), [1]]),
    ],
)
def test_promises_are_tested(declared: Dyn, fits: list[object], others: list[object]) -> None:
    residual = futamura.specialize(_shown, declared, 2)
    for value in [*fits, *others]:
        assert residual(value) == _shown(value, 2)


def _shown(value: object, n: int) -> list[object]:
    return [value, n] * n


def test_a_residual_costs_no_code_of_ours_to_call() -> None:
    residual = futamura.specialize(_shown, n=2)
    assert type(residual).__call__ is staticmethod.__call__
    assert isinstance(residual.function, types.FunctionType)


def _moved(tables: list[dict[str, int]], x: dict[str, int]) -> tuple[int, list[dict[str, int]]]:
    first = sum(table["a"] for table in tables)
    x["a"] = 7
    return first + sum(table["a"] for table in tables), tables


@pytest.mark.parametrize("count", [1, 9])
@pytest.mark.parametrize("declared", [Dyn(dict), None])
def test_an_open_input_that_is_a_static_object_is_told_apart(count: int, declared: Dyn | None) -> None:
    tables = [{"a": at} for at in range(count)]
    given = {} if declared is None else {"x": declared}
    residual = futamura.specialize(_moved, tables=tables, **given)
    assert residual({"a": 1}) == _moved(tables, {"a": 1})
    mine = residual(tables[-1])[0]
    tables[-1]["a"] = count - 1
    assert mine == _moved(tables, tables[-1])[0]


class _Total:
    """What is read of it is known, until somebody adds to it."""

    def __init__(self) -> None:
        self.parts, self.sum = [1, 2], 3

    def grown(self, other: Any) -> list[int]:
        before = self.sum + len(self.parts) * 10
        other.add(5)
        return [before, self.sum + len(self.parts) * 10]

    def add(self, part: int) -> None:
        self.parts.append(part)
        self.sum += part


class _Quiet:
    def add(self, part: int) -> None:
        pass


@pytest.mark.interpreted
@pytest.mark.parametrize("class_changes", [0, 1, 50])
def test_the_stamp_tells_that_nothing_was_handed_over(class_changes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_LITTLE", 1e9)
    mine, other = _Total(), _Total()
    residual = futamura.specialize(mine.grown)
    for at in range(4):
        for _ in range(class_changes):
            type.__setattr__(_Total, "unrelated", object())
            assert residual(_Quiet()) == other.grown(_Quiet())
        if at % 2:
            assert residual(mine) == other.grown(other)  # from now on what was known of it is not so
        assert residual(_Quiet()) == other.grown(_Quiet())


@pytest.mark.interpreted
def test_that_a_class_has_no_subclass_is_told_by_the_stamp(stamped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_costs, "_LITTLE", 1e9)

    class Amount:
        def __init__(self, n: int) -> None:
            self.n = n

        def __add__(self, other: Any) -> Any:
            return Amount(self.n + other.n)

        def __radd__(self, other: Any) -> Any:
            return Amount(other.n + self.n)

    def total(first: Any, second: Any) -> Any:
        return (Amount(first) + second).n

    residual = futamura.specialize(total, first=3)
    assert residual(Amount(4)) == 7
    assert "subclass" in str(residual.assumptions)
    if stamped:
        assert not {"_holds", "_subclasses"} & set(free_names(residual.function.__code__))

    class More(Amount):
        def __radd__(self, other: Any) -> Any:
            return Amount(1000)

    assert residual(More(4)) == total(3, More(4)) == 1000
    assert residual(Amount(4)) == 7


def test_an_input_of_a_promised_class_is_compared_with_objects_of_that_class_only() -> None:
    residual = futamura.specialize(_moved, tables=[{"a": 1}], x=Dyn(dict))
    code = residual.function.__code__
    assert "_id" not in free_names(code), "one table is compared by `is`, and the list of tables not at all"
    assert residual({"a": 1}) == (2, [{"a": 1}])


class Named:
    holds = staticmethod(len)
    factory = 2
    _was_0 = 3

    def test(self, x: Any) -> Any:
        return self.holds(x) + self.factory + self._was_0


def test_attributes_that_are_called_like_parts_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(Named().test)
    assert not residual.stats["fallbacks"], residual.events
    assert residual([1]) == 6
    monkeypatch.setattr(Named, "_was_0", 4)
    assert residual([1]) == 7
    monkeypatch.setattr(Named, "holds", staticmethod(sum))
    assert residual([5]) == 11
