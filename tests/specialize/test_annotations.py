"""`typing.get_type_hints`, `get_origin` and `get_args` of all that annotations are made of, also where they are texts.

    kind: Literal["a", "b"]       from __future__ import annotations        ->    the hints are static

Invariant: what would run code of the program stays a call; a name that a text uses is an assumption.
"""

from __future__ import annotations

import sys
import textwrap
import typing
from pathlib import Path
from typing import Any

import pytest

from .specializing import source_of, specialize

HEAD = """
import collections.abc
import datetime
import enum
import typing
from dataclasses import dataclass
from typing import (Annotated, Any, Callable, ClassVar, Dict, Final, List, Literal, NamedTuple, NewType, NotRequired,
    Optional, Required, Tuple, Type, TypedDict, TypeVar, Union)

class Color(enum.Enum):
    RED = 1

class Outer:
    class Inner: pass

class Unit:
    spoken = 0
    def __init__(self, name):
        Unit.spoken += 1
    def __class_getitem__(cls, item):
        Unit.spoken += 1
        return int

class Loud(Unit):
    def __hash__(self):
        Unit.spoken += 1
        return 1
    def __eq__(self, other):
        Unit.spoken += 1
        return True

METRE, LOUD, LIMIT = Unit("m"), Loud("l"), 3
UserId = NewType("UserId", int)
T = TypeVar("T")
Ref = "Node"
Json = Dict[str, "Json"]
Alias = Dict[str, List["Node"]]

class Node: pass
"""

HINTS = """
def hints(cls, x):
    return list(typing.get_type_hints(cls).items()), x

def extras(cls, x):
    return list(typing.get_type_hints(cls, include_extras=True).items()), x

def parts(cls, x):
    found = typing.get_type_hints(cls)
    return [(name, typing.get_origin(kind), typing.get_args(kind)) for name, kind in found.items()], x

def read(cls, row):
    made = {}
    for name, kind in typing.get_type_hints(cls).items():
        value = row[name]
        if typing.get_origin(kind) is Literal:
            if value not in typing.get_args(kind):
                raise ValueError(f"{name}: {value!r}")
        else:
            value = kind(value)
        made[name] = value
    return made
"""

FORMS = [
    *('Literal["a", "b"]', 'Literal[-1, None, True, b"x"]', "Literal[Color.RED]", "datetime.datetime", "Outer.Inner"),
    *('Optional["Node"]', "list[Node] | None", 'List["Node"]', 'list["Node"]', 'Optional[Literal["a"]]', "Any"),
    *('Annotated[int, "doc", LIMIT, Color.RED]', "Annotated[int, METRE]", 'Optional[Annotated["Node", METRE]]'),
    *("ClassVar[int]", "Final[int]", "Callable[[int, Node], str]", "Callable[..., Any]", "None", "Union[int, str]"),
    *("collections.abc.Callable[[int], None]", "tuple[int, ...]", 'Tuple[int, "Node"]', "UserId", "List[T]"),
    *("Json", "Alias", "Ref", "Type[Node]", 'Dict[str, Optional[List[Literal["x"]]]]', "LIMIT", "'Nowhere | None'"),
]
RUNS = ["Unit[3]", 'Annotated[int, Unit("k")]', "Optional[Annotated['Node', LOUD]]", "Nowhere", "list['Unit[1]']"]

before_lazy = pytest.mark.skipif(sys.version_info >= (3, 14), reason="annotations are made when they are asked for")


@pytest.fixture(name="load")
def _load(tmp_path: Path) -> Any:
    names: list[str] = []

    def load(text: str, lazy: bool = True) -> Any:
        name = f"annotated_{len(names)}"
        names.append(name)
        head = "from __future__ import annotations\n" if lazy else ""
        (tmp_path / f"{name}.py").write_text(head + textwrap.dedent(HEAD + HINTS) + text)
        return __import__(name)

    sys.path.insert(0, str(tmp_path))
    yield load
    sys.path.remove(str(tmp_path))
    for name in names:
        del sys.modules[name]


def outcome(function: Any, *args: Any) -> object:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def agree(made: Any, function: Any, *args: Any) -> None:
    found, wanted = outcome(made, args[-1]), outcome(function, *args)
    assert found == wanted and repr(found) == repr(wanted)


@before_lazy
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lazy", [True, False])
def test_hints_are_static(load: Any, form: str, lazy: bool) -> None:
    module = load(f"class Of:\n    n: int\n    x: {form}\n", lazy)
    for function in (module.hints, module.extras, module.parts):
        made = specialize(function, cls=module.Of)
        agree(made, function, module.Of, 3)
        assert ("get_type_hints" in source_of(made)) is ("Nowhere" in form)


@before_lazy
@pytest.mark.parametrize("form", RUNS)
def test_what_runs_code_stays(load: Any, form: str) -> None:
    module = load(f"class Of:\n    n: int\n    x: {form}\n")
    spoken = module.Unit.spoken
    made = specialize(module.hints, cls=module.Of)
    assert module.Unit.spoken == spoken and "get_type_hints" in source_of(made)
    agree(made, module.hints, module.Of, 3)


@before_lazy
@pytest.mark.parametrize("lazy", [True, False])
def test_typed_dicts_and_named_tuples(load: Any, lazy: bool) -> None:
    module = load(
        """
class Row(TypedDict, total=False):
    x: Required[int]
    y: NotRequired[Literal["q"]]
    z: "Node"

class Pair(NamedTuple):
    x: Literal["a"]
    y: int = 3
""",
        lazy,
    )
    for cls in (module.Row, module.Pair):
        for function in (module.hints, module.extras, module.parts):
            made = specialize(function, cls=cls)
            assert "get_type_hints" not in source_of(made)
            agree(made, function, cls, 3)


@before_lazy
def test_a_reader_of_literals_is_straight(load: Any) -> None:
    module = load('class Of:\n    n: int\n    kind: Literal["a", "b"]\n')
    made = specialize(module.read, cls=module.Of)
    text = source_of(made)
    assert "for " not in text and "get_" not in text and "'a', 'b'" in text
    for row in ({"n": "3", "kind": "a"}, {"n": "3", "kind": "c"}, {"n": "q", "kind": "a"}, {"kind": "a"}, {"n": 1}):
        agree(made, module.read, module.Of, row)


@before_lazy
def test_lists_of_callables_are_new_each_time(load: Any) -> None:
    module = load(
        """
def taken(kind, x):
    first, second = typing.get_args(kind)[0], typing.get_args(kind)[0]
    first.append(x)
    return first is second, first, second
"""
    )
    kind = typing.Callable[[int, str], bool]
    made = specialize(module.taken, kind=kind)
    assert "get_args" not in source_of(made)
    for _ in range(2):
        assert made(3) == module.taken(kind, 3) == (False, [int, str, 3], [int, str])


@before_lazy
def test_names_of_texts_are_assumptions(load: Any) -> None:
    module = load("class Of:\n    x: Node\n    y: int\n")
    made: Any = specialize(module.hints, cls=module.Of)
    assert made.holds()
    module.Node = module.Color
    assert not made.holds()
    agree(made, module.hints, module.Of, 3)
    module.int = float
    agree(made, module.hints, module.Of, 3)


@before_lazy
def test_a_name_of_the_class_hides_a_builtin(load: Any) -> None:
    module = load("class Of:\n    x: list\n    def list(self): pass\n")
    made = specialize(module.hints, cls=module.Of)
    agree(made, module.hints, module.Of, 3)


@before_lazy
def test_annotations_that_the_module_writes_are_asked_for(load: Any) -> None:
    module = load(
        "class Of:\n    x: int\n\ndef more(cls):\n    known = cls.__annotations__\n    known['z'] = complex\n"
    )
    made = specialize(module.hints, cls=module.Of)
    agree(made, module.hints, module.Of, 3)
    module.more(module.Of)
    agree(made, module.hints, module.Of, 3)
