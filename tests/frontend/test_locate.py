"""Finding the source of a function object, and refusing what is not its source."""

from __future__ import annotations

import ast
import functools
import linecache
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from futamura.errors import UnsupportedError
from futamura.frontend.locate import locate, same_code
from futamura.frontend.python import lower
from tests.frontend.test_lowering import define, interpreted


def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


class Shop:
    __tax = 3

    def total(self, price: int) -> int:
        return price + self.__tax

    @staticmethod
    def free(x: int) -> int:
        return x + 1

    @classmethod
    def name(cls) -> str:
        return cls.__name__

    @property
    def tax(self) -> int:
        return self.__tax

    @decorated
    def wrapped(self) -> int:
        return 7

    @functools.cached_property
    def cached(self) -> int:
        return 8


@functools.lru_cache
def remembered(x: int) -> int:
    return x * 2


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (Shop.total, "total"), (Shop().total, "total"), (Shop.__dict__["free"], "free"), (Shop.free, "free"),
        (Shop.__dict__["name"], "name"), (Shop.name, "name"), (Shop.__dict__["tax"], "tax"), (Shop.wrapped, "wrapper"),
        (Shop.__dict__["cached"], "cached"), (remembered, "remembered"),
    ],
)  # fmt: skip
def test_functions_inside_of_other_objects(target: object, name: str) -> None:
    located = locate(target)
    assert isinstance(located.node, ast.FunctionDef)
    assert located.node.name == name == located.function.__code__.co_name
    assert lower(target).program.main.qualname == located.function.__code__.co_qualname


def test_private_names_are_mangled() -> None:
    assert locate(Shop.total).private == "Shop"
    assert interpreted(Shop.total)(Shop(), 4) == 7


def test_lambdas_on_one_line() -> None:
    found: list[Any] = define(
        "f = [lambda x: x + 1, lambda x: x + 2, lambda x, y=lambda z: z + 3: y(x), lambda: 4, lambda: 5,\n"
        "     lambda: None, lambda: (lambda q: q + 6), lambda x: x]\n"
    )  # type: ignore[assignment]
    for function, expected in zip(found[:2], (11, 12)):
        assert interpreted(function)(10) == expected
    assert interpreted(found[2])(10) == 13
    assert interpreted(found[2].__defaults__[0])(10) == 13
    assert [interpreted(function)() for function in found[3:6]] == [4, 5, None]
    assert interpreted(found[6]())(10) == 16
    assert interpreted(found[7])(1) == 1


def test_nested_function_with_closure() -> None:
    made = define("def f(n):\n    def g(x):\n        return x + n\n    return g\n")(5)
    lowered = lower(made)
    assert lowered.program.main.free == ("n",)
    assert lowered.closure[0].cell_contents == 5
    assert interpreted(made)(1) == 6


def test_builtins_have_no_source() -> None:
    for target in (len, int, 3, functools.partial(print), property()):
        with pytest.raises(UnsupportedError) as caught:
            locate(target)
        assert caught.value.diagnostic.code == "FT101"


def test_text_that_nobody_kept() -> None:
    namespace: dict[str, Any] = {}
    exec("def f(): return 1", namespace)
    with pytest.raises(UnsupportedError) as caught:
        lower(namespace["f"])
    assert caught.value.diagnostic.code == "FT102"


@pytest.mark.parametrize(
    "changed",
    [
        "def f(x):\n    return x + 2\n", "def f(x):\n    return x + 1.0\n", "def f(y):\n    return y + 1\n",
        "\ndef f(x):\n    return x + 1\n", "def f(x):\n    return x + True\n", "def f(*x):\n    return x + 1\n",
        "def f(x:\n",
    ],
)  # fmt: skip
def test_changed_source_is_refused(changed: str) -> None:
    function = define("def f(x):\n    return x + 1\n")
    file = function.__code__.co_filename
    linecache.cache[file] = (len(changed), None, changed.splitlines(keepends=True), file)
    with pytest.raises(UnsupportedError) as caught:
        lower(function)
    assert caught.value.diagnostic.code == "FT104"
    assert "f" in str(caught.value)


def test_comments_and_layout_do_not_count() -> None:
    function = define("def f(x):\n    return x + 1\n")
    file = function.__code__.co_filename
    text = "def f(x):\n    # a word\n    return (x +\n        1)\n"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    assert lower(function).program.main.blocks[0].ops[-1].span == (3, 12, 4, 9)


def test_codes_differ_by_exact_constants() -> None:
    first, second = compile("x = 0.0", "", "exec"), compile("x = -0.0", "", "exec")
    assert not same_code(first, second)
    assert same_code(first, compile("x = 0.0", "other", "exec"))


def test_future_annotations_become_strings() -> None:
    function = define(
        "from __future__ import annotations\n"
        "def f(n):\n    def g(a: List[int], *b: 'x', c: (1, 2) = 3) -> not None: pass\n"
        "    class C:\n        x: Missing = 1\n        def m(self, y: Absent): pass\n"
        "    return g.__annotations__, C.__annotations__, C.m.__annotations__\n"
    )
    assert interpreted(function)(1) == function(1)


def test_spans_count_bytes() -> None:
    function = define("def f(x):\n    é = 'ü' + x.y\n    return é\n")
    spans = {operation.name: operation.span for operation in lower(function).program.main.blocks[0].ops}
    assert spans["getattr"] == (2, 16, 2, 19)


def test_warnings_that_raise_are_no_errors_of_the_source() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = define("def f(x):\n    return x is 5, '\\d'\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        located = locate(function)
        with pytest.raises(SyntaxWarning):
            warnings.warn("the filters are as they were", SyntaxWarning, stacklevel=1)
    assert located.function is function
