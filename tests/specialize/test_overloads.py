"""Functions of `functools.singledispatch`: the function for a known class is called, as long as it is the one.

    shown(Slot("a"))    Slot is known: what is registered for it is unfolded

Invariant: what is registered later, for this class or for others, is found by the residual as by the program.
"""

from __future__ import annotations

import abc
import collections.abc
import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest

import futamura
from futamura.backend.python import holding


@pytest.fixture(autouse=True, params=["stamps", "one by one"])
def stamped(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Everything is right with a stamp of the registry, and where Python does not tell these."""
    if request.param != "stamps":
        monkeypatch.setattr(holding, "stamp_of", lambda marks: None)
    return bool(request.param == "stamps")


class Node:
    def __init__(self, value: Any) -> None:
        self.value = value


class Leaf(Node):
    pass


class Twig(Leaf):
    pass


class Claims(Node):
    @property  # type: ignore[misc]
    def __class__(self) -> type:  # type: ignore[override]
        return Leaf


class Sized(Node):
    def __len__(self) -> int:
        return 3


def made() -> Any:
    """A function of its own for each test."""

    @functools.singledispatch
    def shown(node: Any, x: int) -> Any:
        return "any", x

    @shown.register
    def _(node: Leaf, x: int) -> Any:
        return "leaf", node.value + x

    return shown


def shown_all(shown: Callable[..., Any], nodes: list[Node], x: int) -> list[Any]:
    return [shown(node, x) for node in nodes]


def test_what_is_registered_is_unfolded() -> None:
    residual = futamura.specialize(shown_all, made(), [Leaf(1), Twig(2), Node(3)])
    assert "shown(" not in residual.source
    assert residual(5) == [("leaf", 6), ("leaf", 7), ("any", 5)]


@pytest.mark.parametrize("kind", [Leaf, Twig, Node, object, int])
def test_what_is_registered_later_is_found(kind: type) -> None:
    shown = made()
    nodes = [Leaf(1), Twig(2), Node(3)]
    residual = futamura.specialize(shown_all, shown, nodes)
    shown.register(kind)(lambda node, x: ("later", x))
    assert residual(5) == shown_all(shown, nodes, 5)
    assert not residual.holds()


def test_an_abstract_class_is_asked_when_the_residual_runs() -> None:
    shown = made()
    shown.register(collections.abc.Sized)(lambda node, x: ("sized", len(node) + x))
    nodes = [Leaf(1), Sized(2)]
    residual = futamura.specialize(shown_all, shown, nodes)
    assert residual(5) == shown_all(shown, nodes, 5) == [("leaf", 6), ("sized", 8)]


def test_an_object_that_claims_to_be_of_another_class() -> None:
    shown = made()
    nodes = [Claims(1), Leaf(2)]
    residual = futamura.specialize(shown_all, shown, nodes)
    assert residual(5) == shown_all(shown, nodes, 5) == [("leaf", 6), ("leaf", 7)]


def test_open_arguments_are_dispatched_when_the_residual_runs() -> None:
    shown = made()
    residual = futamura.specialize(shown_all, shown, x=5)
    nodes = [Leaf(1), Node(3), Claims(2)]
    assert residual(nodes) == shown_all(shown, nodes, 5)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> int: ...


class Square(Shape):
    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return self.side**2


def of_shapes() -> Any:
    @functools.singledispatch
    def measured(node: Any, x: int) -> Any:
        return "any", x

    measured.register(Shape)(lambda node, x: ("shape", node.area() + x))
    measured.register(int)(lambda node, x: ("int", node + x))
    return measured


def test_abstract_bases_are_looked_up_as_others() -> None:
    measured = of_shapes()
    residual = futamura.specialize(shown_all, measured, [Square(3), 4, Leaf(1)])
    assert "measured(" not in residual.source
    assert residual(1) == shown_all(measured, [Square(3), 4, Leaf(1)], 1) == [("shape", 10), ("int", 5), ("any", 1)]


def test_a_class_that_is_registered_with_an_abstract_one_later() -> None:
    measured = of_shapes()

    class Late(Node):
        def area(self) -> int:
            return 7

    nodes = [Late(1), Square(2)]
    residual = futamura.specialize(shown_all, measured, nodes)
    assert residual(1) == shown_all(measured, nodes, 1) == [("any", 1), ("shape", 5)]
    Shape.register(Late)
    assert residual(1) == shown_all(measured, nodes, 1) == [("shape", 8), ("shape", 5)]


class Other:
    def __init__(self, value: Any) -> None:
        self.value = value


class Asked(type):
    """Asked for nothing, if the number of classes tells enough."""

    def __hash__(cls) -> int:
        asked.append(cls)
        return hash(Leaf)

    def __eq__(cls, other: object) -> bool:
        asked.append(cls)
        return True


asked: list[type] = []


def names_of(residual: Any) -> list[str]:
    """What the test at entry uses."""
    code = residual.function.__code__
    return [*code.co_names, *code.co_freevars]


@pytest.mark.parametrize("kinds", [1, 4])
def test_the_registry_is_told_by_the_stamp(kinds: int, stamped: bool) -> None:
    shown = made()
    for kind in (int, str, float)[: kinds - 1]:
        shown.register(kind)(lambda node, x: (node, x))
    nodes: list[Any] = [Leaf(1), 2, "a", 4.0][:kinds]
    residual = futamura.specialize(shown_all, shown, nodes)
    assert residual(5) == shown_all(shown, nodes, 5)
    assert any("_now" in name for name in names_of(residual)) is stamped
    if stamped:
        assert not any("registry" in name or name.startswith("_holds") for name in names_of(residual))
    shown.register(list)(lambda node, x: "list")
    assert residual(5) == shown_all(shown, nodes, 5) and not residual.holds()
    for kind in (Leaf, int, str, float)[:kinds]:
        shown = made()
        for each in (int, str, float)[: kinds - 1]:
            shown.register(each)(lambda node, x: (node, x))
        residual = futamura.specialize(shown_all, shown, nodes)
        shown.register(kind)(lambda node, x: "replaced")
        assert residual(5) == shown_all(shown, nodes, 5) and "replaced" in residual(5)


def test_what_else_is_registered_anew_changes_nothing() -> None:
    shown = made()
    shown.register(int)(lambda node, x: ("int", node))
    residual = futamura.specialize(shown_all, shown, [Leaf(1)])
    for times in range(40):  # so often that the registry is tested alone
        shown.register(int)(lambda node, x, times=times: ("int", times))
        assert residual(5) == [("leaf", 6)] and residual.holds()
    shown.register(Leaf)(lambda node, x: "later")
    assert residual(5) == ["later"] and not residual.holds()


def test_two_registries_are_told_apart() -> None:
    one, two = made(), made()

    def both(node: Node, x: int) -> Any:
        return one(node, x), two(node, x)

    residual = futamura.specialize(both, Leaf(1))
    assert residual(2) == both(Leaf(1), 2) == (("leaf", 3), ("leaf", 3))
    two.register(Leaf)(lambda node, x: "two")
    assert residual(2) == both(Leaf(1), 2) == (("leaf", 3), "two")


def test_a_class_with_its_own_equality_is_registered_later() -> None:
    shown = made()
    residual = futamura.specialize(shown_all, shown, [Leaf(1)])
    shown.register(Asked("Strange", (), {}))(lambda node, x: "strange")
    assert not residual.holds()
    asked.clear()
    expected = shown_all(shown, [Leaf(1)], 5)
    counted = len(asked)
    asked.clear()
    assert residual(5) == expected
    assert len(asked) == counted


def test_what_is_registered_with_abstract_classes_is_asked_by_its_number() -> None:
    measured = of_shapes()
    nodes: list[Any] = [Other(1), Square(2)]
    residual = futamura.specialize(shown_all, measured, nodes)
    assert not any(name.startswith("_holds") for name in names_of(residual))
    assert residual(1) == shown_all(measured, nodes, 1) == [("any", 1), ("shape", 5)]
    abc.ABCMeta("Unrelated", (), {}).register(int)
    assert residual(1) == [("any", 1), ("shape", 5)] and residual.holds()
    measured.register(collections.abc.Hashable)(lambda node, x: "hashable")
    assert residual(1) == shown_all(measured, nodes, 1)


def test_a_class_counts_as_an_abstract_one_later() -> None:
    measured = of_shapes()

    class Late(Node):
        def area(self) -> int:
            return 7

    residual = futamura.specialize(shown_all, measured, [Late(1)])
    assert residual(1) == [("any", 1)]
    abc.ABCMeta("Between", (), {}).register(str)
    assert residual(1) == [("any", 1)]
    Shape.register(Late)
    assert residual(1) == shown_all(measured, [Late(1)], 1) == [("shape", 8)]
    assert residual(1) == [("shape", 8)] and not residual.holds()


class Viewer:
    @functools.singledispatchmethod
    def view(self, node: Any, x: int) -> Any:
        return x

    @view.register
    def _(self, node: Leaf, x: int) -> Any:
        return node.value, x


@pytest.mark.parametrize(
    ("given", "named", "kind"),
    [
        ((Leaf(1),), {}, "Leaf"), ((), {"node": Twig(1)}, "Twig"), ((), {"x": 1}, "cls"), ((), {"y": 1}, "cls"),
        ((futamura.DYN, 5), {}, "cls"), ((futamura.Dyn(Leaf), 5), {}, "Leaf"),
    ],
)  # fmt: skip
def test_who_specializes_the_function_itself_is_told_what_to_do(given: Any, named: Any, kind: str) -> None:
    shown = made()
    with pytest.raises(TypeError, match="only looks for what is registered") as told:
        futamura.specialize(shown, *given, **named)
    name = shown.__qualname__
    assert f"specialize `{name}.dispatch({kind})`, or a function that calls `{name}`" in str(told.value)


def test_what_the_error_names_can_be_specialized() -> None:
    shown = made()
    residual = futamura.specialize(shown.dispatch(Leaf), node=Leaf(1))
    assert residual(5) == shown(Leaf(1), 5) == ("leaf", 6)
    calling = futamura.specialize(shown_all, shown, [Twig(1)])
    assert calling(5) == shown_all(shown, [Twig(1)], 5)


def test_what_it_has_as_parameters_may_be_given() -> None:
    shown = made()
    residual = futamura.specialize(shown, args=(Leaf(1), 5), kw={})
    assert residual() == shown(Leaf(1), 5)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the method is an object, which is called")
@pytest.mark.parametrize(("given", "named"), [((Leaf(1),), {}), ((), {"node": Leaf(1)})])
def test_who_specializes_an_overloaded_method_is_told_what_to_do(given: Any, named: Any) -> None:
    with pytest.raises(TypeError, match=r"specialize a function that calls `Viewer\.view`$"):
        futamura.specialize(Viewer().view, *given, **named)


def test_who_names_a_parameter_of_a_wrapped_function_is_told_of_it() -> None:
    @functools.wraps(shown_all)
    def wrapper(*args: Any, **options: Any) -> Any:
        return shown_all(*args, **options)

    hint = r"specialize `shown_all.__wrapped__`, or give all that \*\*options collects as `options=\{...\}`"
    with pytest.raises(TypeError, match=hint):
        futamura.specialize(wrapper, x=5)
