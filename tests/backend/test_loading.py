"""Emitted text as functions: written by hand here, so that the loader is tested without the printer.

load(emitted("f", "def f(a):\\n    return a + y\\n", free=("y",)), f)     ->  reads the very cell `y` of f
"""

from __future__ import annotations
import __future__

import bdb
import contextlib
import functools
import gc
import inspect
import io
import linecache
import pdb
import pickle
import sys
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CellType, CodeType, FunctionType
from typing import Any

import pytest

from futamura.backend.python.emitted import Emitted
from futamura.backend.python.factory import renamed
from futamura.backend.python.loading import code_for, compiled, identity_of, load, load_residual, source_map, swap
from futamura.frontend.python import lower
from futamura.ir.graph import Signature, Span


def emitted(
    name: str, text: str, *, free: tuple[str, ...] = (), constants: tuple[tuple[str, object], ...] = (), **more: Any
) -> Emitted:
    return Emitted(name, text, constants, free, more.pop("spans", (None,) * text.count("\n")), **more)


def plain(a: int, b: int = 2, /, c: str = "c", *rest: int, d: float, e: float = 5.0, **more: object) -> list[object]:
    """What it does."""
    return [a, b, c, rest, d, e, more]


PLAIN = "def plain(a, b, /, c, *rest, d, e, **more):\n    return [a, b, c, rest, d, e, more]\n"


class Base:
    def hello(self) -> str:
        return "base"


class Derived(Base):
    def hello(self) -> str:
        return "derived " + super().hello()

    def nested(self) -> Any:
        return self


def counter() -> tuple[Any, Any]:
    count = 0

    def up(by: int) -> int:
        nonlocal count
        count += by
        return count

    def look() -> int:
        return count

    return up, look


UP = "def up(by):\n    nonlocal count\n    count += by\n    return count\n"


# -------------------------------------------------------------------------------------------- what is kept


def test_the_signature_and_what_describes_the_function() -> None:
    plain.mark = [1]  # type: ignore[attr-defined]
    made = load(emitted("plain", PLAIN), plain)
    assert made is not plain and made.__code__ is not plain.__code__
    assert made.__globals__ is plain.__globals__
    assert inspect.signature(made) == inspect.signature(plain)
    assert made(1, d=3) == plain(1, d=3) and made(1, 5, 6, 7, d=3, z=1) == plain(1, 5, 6, 7, d=3, z=1)
    names = ("__name__", "__qualname__", "__doc__", "__module__", "__defaults__", "__kwdefaults__", "__annotations__")
    for name in names:
        assert getattr(made, name) == getattr(plain, name), name
    assert made.__dict__ == {"mark": [1]} and made.mark is plain.mark  # type: ignore[attr-defined]
    assert made.__closure__ is None
    assert (made.__code__.co_name, made.__code__.co_qualname) == ("plain", "plain")


def test_what_can_be_changed_is_not_shared() -> None:
    made = load(emitted("plain", PLAIN), plain)
    assert made.__kwdefaults__ is not plain.__kwdefaults__
    assert made.__annotations__ is not plain.__annotations__ and made.__dict__ is not plain.__dict__


def test_names_that_were_set_by_hand_and_the_codes_own() -> None:
    def inner() -> None: ...

    inner.__name__, inner.__qualname__, inner.__doc__ = "other", "Some.other", None
    made = load(emitted("inner", 'def inner():\n    """Not this."""\n'), inner)
    assert (made.__name__, made.__qualname__, made.__doc__) == ("other", "Some.other", None)
    assert made.__code__.co_name == "inner" and made.__code__.co_qualname == inner.__code__.co_qualname


def test_a_lambda_keeps_its_name() -> None:
    double = lambda x: 2 * x  # noqa: E731
    for text, name in (("def f(x):\n    return 2 * x\n", "f"), ("f = lambda x: 2 * x\n", "<lambda>")):
        made = load(emitted("f", text), double)
        assert made(4) == 8
        assert made.__name__ == "<lambda>" and made.__code__.co_name == name  # as in the text that is shown
        assert made.__qualname__ == made.__code__.co_qualname == double.__qualname__
        assert lower(made).program.main.signature == Signature(regular=("x",))


def test_a_wrapper_stays_one() -> None:
    def inside(x: int) -> int:
        return x

    @functools.wraps(inside)
    def wrapper(*args: int) -> int:
        return inside(*args) + 1

    made = load(emitted("wrapper", "def wrapper(*args):\n    return inside(*args) + 1\n", free=("inside",)), wrapper)
    assert made(3) == 4
    assert made.__wrapped__ is inside and made.__name__ == "inside"  # type: ignore[attr-defined]
    assert inspect.signature(made) == inspect.signature(inside)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters are new in 3.12")
def test_type_parameters() -> None:
    space: dict[str, Any] = {}
    exec("def f[T](x: T) -> T:\n    return x\n", space)
    made = load(emitted("f", "def f(x):\n    return x\n"), space["f"])
    assert made.__type_params__ == space["f"].__type_params__ != ()  # type: ignore[attr-defined]
    assert made.__annotations__ == space["f"].__annotations__


def test_the_flags_of_future_come_with_the_code() -> None:
    text = "def f():\n    def g(x: '1'): return compile('x: 1', '', 'exec').co_flags\n    return g\n"
    space: dict[str, Any] = {"__name__": __name__}
    code = compile("def f(): ...", "<f>", "exec", __future__.annotations.compiler_flag, dont_inherit=True)
    exec(code, space)
    made = load(emitted("f", text), space["f"])
    assert made.__code__.co_flags & __future__.annotations.compiler_flag
    assert made()("") & __future__.annotations.compiler_flag
    assert made().__annotations__ == {"x": "1"}  # the front end made strings of them: not twice
    assert lower(made).program.main.qualname == "f"


# -------------------------------------------------------------------------------------------- free variables


def test_closure_cells_are_shared_both_ways() -> None:
    up, look = counter()
    made = load(emitted("up", UP, free=("count",)), up)
    assert made.__closure__[0] is up.__closure__[0]
    assert made(2) == 2 and look() == 2 and up(3) == 5 and made(1) == 6 and look() == 6


def test_an_empty_cell_stays_empty() -> None:
    def outer() -> Any:
        def use() -> object:
            return late

        made = load(emitted("use", "def use():\n    return late\n", free=("late",)), use)
        with pytest.raises(NameError) as info:
            made()
        with pytest.raises(NameError) as expected:
            use()
        assert str(info.value) == str(expected.value)
        late = 7
        return made

    assert outer()() == 7


def test_super_without_arguments() -> None:
    text = "def hello(self):\n    return 'new ' + super().hello()\n"
    made = load(emitted("hello", text, free=("__class__",)), Derived.hello)
    assert made(Derived()) == "new base"
    with pytest.raises(TypeError):
        made(3)


def test_recursion_goes_through_the_globals() -> None:
    space: dict[str, Any] = {"k": 1}
    exec("def fact(n):\n    return 1\n", space)
    texts = {"without a factory": (), "in a factory": (("K1", 1),)}
    for constants in texts.values():
        text = "def fact(n):\n    return K1 if n < 2 else n * fact(n - 1)\n".replace("K1", "K1" if constants else "1")
        made = load(emitted("fact", text, constants=constants), space["fact"])
        assert made(3) == 3  # the inner call finds the old one
        assert space["fact"](3) == 1
    assert sorted(space) == ["__builtins__", "fact", "k"]  # nothing was injected


def test_a_function_that_is_its_own_free_variable() -> None:
    def outer() -> Any:
        def down(n: int) -> list[int]:
            return [n, *down(n - 1)] if n else []

        return down

    down = outer()
    text = "def down(n):\n    return [n, *down(n - 1), *[g.__qualname__ for g in [lambda: 0]]] if n else []\n"
    made = load(emitted("down", text, free=("down",)), down)
    name = "test_a_function_that_is_its_own_free_variable.<locals>.outer.<locals>.down.<locals>."
    assert made(2)[:2] == [2, 1] and made(1)[1].startswith(name)


def test_constants_and_functions_that_are_called_directly() -> None:
    marker: list[int] = []
    text = (
        "def even(n):\n    K1.append(n)\n    return True if n == 0 else odd(n - 1)\n\n"
        "def odd(n):\n    return False if n == 0 else even(n - 1)\n\n"
        "def main(n):\n    return even(n)\n"
    )
    space: dict[str, Any] = {"__name__": "home"}
    exec("def main(n): ...", space)
    made = load(emitted("main", text, constants=(("K1", marker),)), space["main"])
    assert made(5) is False and marker == [5, 3, 1]
    inner = inspect.getclosurevars(made).nonlocals["even"]
    assert inner.__globals__ is space and inner.__module__ == "home"
    assert sorted(space) == ["__builtins__", "__name__", "main"]


def test_a_text_that_calls_itself_directly() -> None:
    def f(n: int) -> object: ...

    text = "def f(n):\n    return n * f(n - 1) if n else 1\n"
    assert load(emitted("f", text, recursive=True), f)(5) == 120


def test_one_text_many_closures() -> None:
    def read() -> object: ...

    code = compiled(emitted("read", "def read():\n    return x\n", free=("x",)), identity_of(read))
    first, second = (code.function({}, {"x": CellType(value)}) for value in (1, 2))
    assert (first(), second()) == (1, 2) and first.__code__ is second.__code__


# -------------------------------------------------------------------------------------------- nested names

NESTED = """def nested(self):
    class Inner:
        text = 'nested.<locals>.Inner'

        class Deep:
            def method(self):
                return lambda: self

        def generate(self):
            return (x for x in [1])
    def local():
        return [c for c in "ab"]
    global free_standing

    def free_standing():
        def below(): pass
        return below
    return Inner, local, free_standing
"""


@pytest.mark.parametrize("free", [(), ("__class__",)], ids=["plain", "in a factory"])
def test_qualified_names_of_nested_things(free: tuple[str, ...]) -> None:
    text = NESTED if not free else NESTED + "    return __class__\n"
    original: FunctionType = Derived.nested if not free else Derived.hello
    base = f"Derived.{original.__name__}.<locals>"
    text = text.replace("def nested", f"def {original.__name__}", 1)
    made = load(emitted(original.__name__, text, free=free), original)
    try:
        inner, local, standing = made(Derived())
    finally:
        globals().pop("free_standing", None)
    assert inner.__qualname__ == f"{base}.Inner" and inner.__module__ == __name__
    assert inner.text == "nested.<locals>.Inner"  # a string of the program
    assert inner.Deep.__qualname__ == f"{base}.Inner.Deep"
    assert inner.Deep.method.__qualname__ == f"{base}.Inner.Deep.method"
    assert inner.Deep().method().__qualname__ == f"{base}.Inner.Deep.method.<locals>.<lambda>"
    assert inner().generate().__qualname__ == f"{base}.Inner.generate.<locals>.<genexpr>"
    assert local.__qualname__ == f"{base}.local" and local.__module__ == __name__
    assert standing.__qualname__ == "free_standing" and standing().__qualname__ == "free_standing.<locals>.below"


def test_a_class_body_with_many_constants() -> None:
    """The index of another constant does not fit into the instruction: the old one is replaced."""
    body = "".join(f"        a{i} = {i + 1000}\n" for i in range(300))
    made = load(emitted("nested", f"def nested(self):\n    class C:\n{body}    return C\n"), Derived.nested)
    found = made(None)
    assert found.__qualname__ == "Derived.nested.<locals>.C" and found.a299 == 1299


def test_renaming_nothing_gives_the_same_code() -> None:
    code = plain.__code__
    assert renamed(code, code.co_name, code.co_qualname, 0) is code


# -------------------------------------------------------------------------------------------- what is seen


def failing(x: int) -> float:
    return 1 / x


FAILING = "def failing(x):\n    y = x\n    return 1 / y\n"


def frames(call: Callable[[], object]) -> list[traceback.FrameSummary]:
    try:
        call()
    except Exception as error:
        return list(traceback.extract_tb(error.__traceback__))
    raise AssertionError("nothing was raised")


def test_tracebacks_show_the_emitted_line() -> None:
    made = load(emitted("failing", FAILING), failing)
    last = frames(lambda: made(0))[-1]
    assert (last.lineno, last.name, last.line) == (3, "failing", "return 1 / y")
    assert last.filename == made.__code__.co_filename and last.filename.startswith("<futamura failing#")


def test_tracebacks_in_a_factory_point_at_the_right_columns() -> None:
    made = load(emitted("failing", "def failing(x):\n    return (1, K / x)\n", constants=(("K", 1),)), failing)
    made_frames = frames(lambda: made(0))
    shown = made_frames[-1]
    line = linecache.getline(shown.filename, shown.lineno or 0)
    assert line[shown.colno : shown.end_colno] == "K / x"  # type: ignore[misc]


def test_getsource() -> None:
    assert inspect.getsource(load(emitted("failing", FAILING), failing)) == FAILING
    made = load(emitted("hello", "def hello(self):\n    return __class__\n", free=("__class__",)), Derived.hello)
    assert inspect.getsource(made) == "    def hello(self):\n        return __class__\n"


def test_the_entry_survives_a_check_of_the_cache() -> None:
    made = load(emitted("failing", FAILING), failing)
    linecache.checkcache()
    assert linecache.getline(made.__code__.co_filename, 2) == "    y = x\n"


def test_pdb_steps_in_the_text() -> None:
    made = load(emitted("failing", FAILING), failing)
    output = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("step\nstep\nstep\nlist\nquit\n"), stdout=output, nosigint=True, readrc=False)
    with contextlib.suppress(bdb.BdbQuit):
        debugger.runcall(made, 4)
    shown = output.getvalue()
    assert f"{made.__code__.co_filename}(3)failing()" in shown
    assert "-> return 1 / y" in shown


def test_the_entry_dies_with_the_function() -> None:
    made = load(emitted("failing", FAILING), failing)
    file = made.__code__.co_filename
    assert file in linecache.cache and source_map(made) is not None
    code = made.__code__
    del made
    gc.collect()
    assert file in linecache.cache  # the code object may still run
    assert source_map(code) is not None
    del code
    gc.collect()
    assert file not in linecache.cache


def test_the_entry_lives_as_long_as_a_nested_function() -> None:
    def maker() -> Any: ...

    made = load(emitted("maker", "def maker():\n    def inner(): return 1\n    return inner\n"), maker)
    inner = made()
    file = inner.__code__.co_filename
    alive = weakref.ref(made.__code__)
    del made
    gc.collect()
    assert alive() is None and inspect.getsource(inner) == "    def inner(): return 1\n"
    del inner
    gc.collect()
    assert file not in linecache.cache


def test_an_entry_does_not_keep_constants_alive() -> None:
    class Thing: ...

    thing = Thing()
    dead = weakref.ref(thing)
    made = load(emitted("failing", "def failing(x):\n    return K\n", constants=(("K", thing),)), failing)
    thing.function = made  # type: ignore[attr-defined]
    file = made.__code__.co_filename
    del thing, made
    gc.collect()
    assert dead() is None and file not in linecache.cache


def test_file_names_are_fresh() -> None:
    names = {load(emitted("failing", FAILING), failing).__code__.co_filename for _ in range(5)}
    assert len(names) == 5


def test_a_real_file(tmp_path: Path) -> None:
    path = tmp_path / "out.py"
    made = load(emitted("failing", FAILING), failing, path=path)
    assert path.read_text() == FAILING
    assert made.__code__.co_filename == str(path) and inspect.getsource(made) == FAILING
    assert frames(lambda: made(0))[-1].line == "return 1 / y"


def test_the_source_map() -> None:
    spans = (Span(10, 0, 12, 5), None, Span(12, 4, 12, 9))
    made = load(emitted("failing", FAILING, spans=spans), failing)
    found = source_map(made)
    assert found is not None
    assert [found.place(line) for line in range(5)] == [None, (__file__, spans[0]), None, (__file__, spans[2]), None]
    inside = load(emitted("failing", FAILING.replace("1", "K"), spans=spans, constants=(("K", 1),)), failing)
    shifted = source_map(inside)
    last = frames(lambda: inside(0))[-1]
    assert shifted is not None and shifted.place(last.lineno or 0) == (__file__, spans[2])
    assert source_map(failing) is None


def test_strings_over_several_lines_are_not_indented() -> None:
    text = 'def failing(x):\n    """A\n  b\ndef not_a_function():\n    """\n    y = K\n    return f"""{y}\n  {x}"""\n'
    made = load(emitted("failing", text, constants=(("K", 1),)), failing)
    assert made(2) == "1\n  2"
    continued = "def failing(x):\n    return 'a\\\nb' + K\n"
    assert load(emitted("failing", continued, constants=(("K", "c"),)), failing)(2) == "abc"


def test_a_loaded_function_can_be_lowered_again() -> None:
    up, _ = counter()
    for function, text, free in ((failing, FAILING, ()), (up, UP, ("count",))):
        made = load(emitted(function.__name__, text, free=free), function)
        lowered = lower(made)
        assert lowered.function is made and lowered.program.main.free == free


def test_warnings_that_raise_are_not_given_again() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = load(emitted("failing", "def failing(x):\n    return x is 1000\n"), failing)
    assert made(2) is False


# -------------------------------------------------------------------------------------------- in place


@pytest.fixture
def subject() -> Iterator[FunctionType]:
    code = failing.__code__
    yield failing
    failing.__code__ = code


def test_swap_keeps_the_identity(subject: FunctionType) -> None:
    stored = pickle.dumps(subject)
    made = load(emitted("failing", FAILING), subject)
    assert swap(subject, made) is subject and subject.__code__ is made.__code__
    assert pickle.loads(stored) is subject and pickle.dumps(subject) == stored
    file = made.__code__.co_filename
    del made
    gc.collect()
    assert frames(lambda: subject(0))[-1].line == "return 1 / y" and file in linecache.cache


def test_swap_of_a_closure() -> None:
    up, look = counter()
    swap(up, load(emitted("up", UP.replace("by\n", "2 * by\n"), free=("count",)), up))
    assert up(2) == 4 and look() == 4


def test_swap_with_constants_and_functions(subject: FunctionType) -> None:
    text = "def helper(x):\n    return [K1, x]\n\ndef failing(x):\n    'doc'\n    return [helper(x) for _ in K2]\n"
    listed: list[object] = []
    made = load(emitted("failing", text, constants=(("K1", listed), ("K2", [1, 2]))), subject)
    swap(subject, made)
    assert subject(3) == [[listed, 3]] * 2 and subject(3)[0][0] is listed  # type: ignore[comparison-overlap]
    hash(subject.__code__)  # constants that cannot be hashed do not matter
    assert subject.__closure__ is None


def test_swap_fits_the_old_free_variables() -> None:
    up, look = counter()
    unused = load(emitted("up", "def up(by):\n    return K\n", constants=(("K", [9]),)), up)
    swap(up, unused)
    assert up(1) == [9] and look() == 0
    again, look = counter()
    swap(again, load(emitted("up", "def up(by):\n    return by\n"), again))
    assert again(5) == 5
    third, look = counter()
    swap(third, load(emitted("up", UP.replace("by\n", "K * by\n"), free=("count",), constants=(("K", 3),)), third))
    assert third(2) == 6 and look() == 6


def test_the_entry_of_swapped_code_dies_with_it() -> None:
    up, _ = counter()
    swap(up, load(emitted("up", "def up(by):\n    return K\n", constants=(("K", 3),)), up))
    gc.collect()
    file = up.__code__.co_filename
    assert inspect.getsource(up) == "    def up(by):\n        return K\n"
    del up
    gc.collect()
    assert file not in linecache.cache


def test_swap_refuses_what_does_not_fit(subject: FunctionType) -> None:
    before: CodeType = subject.__code__
    with pytest.raises(ValueError, match="other parameters"):
        swap(subject, load(emitted("f", "def f(x, y):\n    return 1\n"), subject))
    up, _ = counter()
    other, _ = counter()
    with pytest.raises(ValueError, match="another free variable `count`"):
        swap(other, load(emitted("up", UP, free=("count",)), up))
    with pytest.raises(ValueError, match="other free variables"):
        code_for(subject, lambda x: up(x))
    assert subject.__code__ is before


# -------------------------------------------------------------------------------------------- residual programs


def test_residual_keeps_what_is_left() -> None:
    made = load_residual(
        emitted("plain", "def plain(c, *, e):\n    return [c, e]\n"), plain, Signature(regular=("c",), kwonly=("e",))
    )
    assert made() == ["c", 5.0] and made(1, e=2) == [1, 2]
    assert made.__annotations__ == {"c": "str", "e": "float", "return": "list[object]"}
    assert made.__name__ == "plain" and made.__doc__ == plain.__doc__


def test_residual_defaults_stand_at_the_end() -> None:
    text = "def plain(b, d, c):\n    return [b, d, c]\n"
    made = load_residual(emitted("plain", text), plain, Signature(regular=("b", "d", "c")))
    assert str(inspect.signature(made)).startswith("(b: 'int', d: 'float', c: 'str' = 'c')")
    assert load_residual(emitted("plain", "def plain():\n    return 1\n"), plain, Signature()).__defaults__ is None


def test_residual_of_a_wrapper_describes_itself() -> None:
    def inside(x: int, y: int) -> int:
        return x

    @functools.wraps(inside)
    def wrapper(x: int, y: int = 2) -> int:
        return inside(x, y)

    text = "def wrapper(y):\n    return inside(1, y)\n"
    made = load_residual(emitted("wrapper", text, free=("inside",)), wrapper, Signature(regular=("y",)))
    assert str(inspect.signature(made)) == "(y: 'int' = 2) -> 'int'" and made() == 1


# -------------------------------------------------------------------------------------------- generators


def test_generator_functions() -> None:
    def numbers(n: int) -> Iterator[int]:
        yield n

    made = load(emitted("numbers", "def numbers(n):\n    yield n\n    yield K\n", constants=(("K", 7),)), numbers)
    found = made(3)
    assert found.__name__ == "numbers" and found.__qualname__ == numbers.__qualname__
    assert list(found) == [3, 7]
    swap(numbers, made)
    assert list(numbers(4)) == [4, 7]
