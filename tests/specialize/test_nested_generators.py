"""Generators in each other along static trees, under dynamic control, and generators that are taken by a `*`.

    all(ok(part, x) for part in parts)        every level of a condition that is known disappears
    factory(*(get(name) for name in needs))   the call has its arguments

Invariant: items are computed in the order and as far as Python computes them, and recursion that does not end with the
static input ends the specialization.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .bounds import bounded
from .specializing import fallbacks, source_of, specialize

CONDITION = ("all", (1, ("any", (5, ("all", (7, ("not", (9,)))), 3)), 2))


def accepts(condition: Any, x: int) -> Any:
    if type(condition) is int:
        return x > condition
    kind, parts = condition
    if kind == "all":
        return all(accepts(part, x) for part in parts)
    if kind == "any":
        return any(accepts(part, x) for part in parts)
    return not accepts(parts[0], x)


def test_conditions_in_each_other_disappear() -> None:
    made = specialize(accepts, condition=CONDITION)
    assert fallbacks(made) == {} and made.source.count("(x)") == 1 and " in " not in made.source
    assert [made(x) for x in range(12)] == [accepts(CONDITION, x) for x in range(12)]


class Container:
    def __init__(self) -> None:
        self.providers: dict[str, Any] = {
            "url": (lambda: "memory", (), False),
            "store": (lambda url: [url], ("url",), True),
            "page": (lambda store, user: (store, user), ("store", "user"), False),
        }
        self.made: dict[str, Any] = {}

    def get(self, name: str, given: dict[str, Any]) -> Any:
        if name in given:
            return given[name]
        factory, needs, single = self.providers[name]
        if single and name in self.made:
            return self.made[name]
        made = factory(*(self.get(need, given) for need in needs))
        if single:
            self.made[name] = made
        return made


def page(container: Container, user: Any) -> Any:
    return container.get("page", {"user": user})


def test_a_container_that_wires_by_name() -> None:
    container, other = Container(), Container()
    made = specialize(page, container=container)
    assert " for " not in made.source and "providers" not in made.source
    first, second = made("ann"), made("bob")
    assert [first, second] == [page(other, "ann"), page(other, "bob")] and container.made == other.made
    assert first[0] is second[0] is container.made["store"]


def note(x: Any, seen: list[Any]) -> Any:
    seen.append(x)
    if x == 3 and seen[0]:
        raise ValueError(x)
    return x


def given(*args: Any, **names: Any) -> Any:
    return args, names


def lone(xs: Any, seen: list[Any]) -> Any:
    return given(*(note(x, seen) for x in xs), k=note(9, seen))


def behind_another(xs: Any, seen: list[Any]) -> Any:
    return given(0, *(note(x, seen) for x in xs), k=note(9, seen))


def before_another(xs: Any, seen: list[Any]) -> Any:
    return given(*(note(x, seen) for x in xs), note(9, seen))


def used_up(xs: Any, seen: list[Any]) -> Any:
    items = (note(x, seen) for x in xs)
    next(items)
    return given(*items), list(items), [*items]


def in_displays(xs: Any, seen: list[Any]) -> Any:
    return [*(note(x, seen) for x in xs)], (0, *(note(x, seen) for x in xs), len(seen))


def caught(xs: Any, seen: list[Any]) -> Any:
    try:
        return [*(note(x, seen) for x in xs)]
    except ValueError as error:
        return error.args


def to_open_function(xs: Any, seen: list[Any], use: Any) -> Any:
    return use(*(note(x, seen) for x in xs))


def with_mapping(xs: Any, seen: list[Any], names: Any) -> Any:
    return given(*(note(x, seen) for x in xs), **names)


def in_a_loop(xs: Any, seen: list[Any], n: int) -> Any:
    return [given(*(note(x + at, seen) for x in xs)) for at in range(n)]


@pytest.mark.parametrize("xs", [(), (1, 2, 4), (1, 3)])
@pytest.mark.parametrize(
    "function, more",
    [
        *((one, [()]) for one in (lone, behind_another, before_another, used_up, in_displays, caught)),
        (to_open_function, [(given,), (len,), (3,)]),
        (with_mapping, [({},), ({"k": 1},), (3,), ({1: 2},)]),
        (in_a_loop, [(0,), (3,)]),
    ],
)
def test_what_a_star_takes(function: Callable[..., Any], more: Any, xs: Any) -> None:
    made = specialize(function, xs=xs)
    for seen in ([], [0], [1, 2]):
        for rest in more:
            assert _done(made, seen, rest) == _done(lambda *args: function(xs, *args), seen, rest)


def _done(function: Callable[..., Any], seen: list[Any], rest: tuple[Any, ...]) -> Any:
    seen = copy.copy(seen)
    try:
        return function(seen, *rest), seen
    except (TypeError, ValueError, StopIteration) as error:
        return type(error), error.args, seen


def endless(n: int, x: int) -> Any:
    return x > 0 and all(endless(n, x - 1) for _ in range(n))


def endless_display(n: int, x: int) -> Any:
    return [n, *(endless_display(n, x - 1) for _ in range(n) if x > 0)]


def growing(items: tuple[int, ...], x: int) -> Any:
    return x > len(items) and any(growing((*items, at), x - 1) for at in items)


def of_itself(n: int, x: int) -> Iterator[Any]:
    if x:
        yield [n, *of_itself(n, x - 1)]


def endless_generators(n: int, x: int) -> Any:
    return list(of_itself(n, x))


@pytest.mark.parametrize(
    "function, static",
    [(endless, 2), (endless_display, 2), (endless_generators, 2), (growing, (1, 2))],
)
def test_recursion_over_what_is_open_ends(function: Callable[..., Any], static: Any) -> None:
    made = specialize(function, static)
    assert [made(x) for x in range(5)] == [function(static, x) for x in range(5)]


def reported(schema: Any, value: Any, root: Any = None) -> Any:
    """A generator that walks over a schema by calling itself in `for` loops, below tests on the value."""
    root = schema if root is None else root
    if "ref" in schema:
        for error in reported(root[schema["ref"]], value, root):
            yield error
        return
    if not isinstance(value, schema["type"]):
        yield f"not {schema['type'].__name__}"
    elif "parts" in schema:
        for name, part in schema["parts"].items():
            if name in value:
                for error in reported(part, value[name], root):
                    yield f"{name}.{error}"


def reports(schema: Any, value: Any) -> list[str]:
    return list(reported(schema, value))


FLAT = {"type": dict, "parts": {"a": {"type": int}, "b": {"type": dict, "parts": {"c": {"type": str}}}}}


def test_a_generator_that_calls_itself_with_other_static_objects_is_unfolded() -> None:
    residual = specialize(reports, FLAT)
    assert not fallbacks(residual)
    assert "reported" not in source_of(residual) and "for" not in source_of(residual).partition("\n")[2]
    values: list[Any] = [{}, {"a": 1}, {"a": "x", "b": {"c": 1}}, {"b": {"c": "y"}}, {"b": 5}, 7, {"a": True, "b": {}}]
    for value in values:
        assert residual(value) == reports(FLAT, value)


def test_one_that_comes_to_the_same_objects_again_ends() -> None:
    tree: dict[str, Any] = {"type": dict, "parts": {"left": {"ref": "tree"}, "size": {"type": int}}}
    tree["tree"] = tree
    loop: dict[str, Any] = {"type": dict, "parts": {"next": {"type": dict, "parts": {}}}}
    loop["parts"]["next"]["parts"]["back"] = loop
    values: list[Any] = [1, {"size": "x"}, {"left": {"left": {"size": 1, "left": 5}}}, {"left": {"size": None}}]
    values += [{"next": {"back": {"next": {"back": 3}}}}, {"next": 4}]
    for schema in (tree, loop):
        residual = specialize(reports, schema)
        for value in values:
            assert residual(value) == reports(schema, value)


def swapping(a: Any, b: Any, n: Any) -> Any:
    if n > 0:
        yield a["name"]
        for one in swapping(b, a, n - 1):
            yield one + a["name"]


def test_objects_that_change_places() -> None:
    def words(a: Any, b: Any, n: Any) -> list[str]:
        return list(swapping(a, b, n))

    given = {"name": "x"}, {"name": "y"}
    residual = specialize(words, *given)
    for n in range(6):
        assert residual(n) == words(*given, n)


# -- generators that delegate to themselves over what is open


class Tree:
    def __init__(self, *parts: Tree) -> None:
        self.parts = parts


def below(tree: Any) -> Any:
    for part in tree.parts:
        yield len(part.parts)
        yield from below(part)


def numbered(tree: Any, depth: Any = 0) -> Any:
    for part in tree.parts:
        yield depth, len(part.parts)
        yield from numbered(part, depth + 1)


class Walker:
    def __init__(self, k: int) -> None:
        self.k = k

    def walk(self, tree: Any) -> Any:
        for part in tree.parts:
            yield len(part.parts) * self.k
            yield from self.walk(part)

    def along(self, tree: Any, names: Any) -> Any:
        if not names:
            yield tree
            return
        first, *rest = names
        for part in getattr(tree, first):
            yield from self.along(part, rest)


def all_below(k: Any, tree: Any) -> Any:
    return [n * k for n in below(tree)]


def all_numbered(k: Any, tree: Any) -> Any:
    return [n * k for n in numbered(tree)]


def all_walked(k: Any, tree: Any) -> Any:
    return [n + 1 for n in Walker(k).walk(tree)]


def all_along(k: Any, tree: Any) -> Any:
    return [len(part.parts) * k for part in Walker(k).along(tree, ["parts", "parts"])]


@pytest.mark.parametrize("function", [all_below, all_numbered, all_walked, all_along])
def test_what_delegates_to_itself_is_left_where_it_goes_on(function: Any) -> None:
    tree = Tree(Tree(Tree(), Tree(Tree())), Tree())
    residual = specialize(function, 3)
    assert residual(tree) == function(3, tree)
    assert not residual.stats["fallbacks"]
    assert not any(word in residual.source for word in ("yield", ".along("))


def matches(node: Any, text: str, at: int) -> Iterator[int]:
    """Where a pattern may end: generators in each other along it, with open loops in between."""
    if node[0] == "lit":
        if at < len(text) and text[at] == node[1]:
            yield at + 1
    else:
        for middle in matches(node[1], text, at):
            yield from matches(node[2], text, middle)


def first(node: Any, text: str) -> int | None:
    for end in matches(node, text, 0):
        return end
    return None


PATTERN = ("seq", ("lit", "a"), ("seq", ("lit", "b"), ("seq", ("lit", "c"), ("lit", "d"))))
SHARED = ("lit", "a")
TWICE = ("seq", ("seq", SHARED, SHARED), ("seq", SHARED, SHARED))


def listed(node: Any) -> Any:
    return [listed(part) for part in node] if type(node) is tuple else node


@pytest.mark.parametrize("pattern", [PATTERN, TWICE, listed(PATTERN)], ids=["tuples", "shared", "lists"])
def test_generators_along_a_static_pattern_disappear(pattern: Any) -> None:
    made = specialize(first, node=pattern)
    assert fallbacks(made) == {} and "yield" not in made.source and "matches" not in made.source, made.source
    for text in ("", "a", "abc", "abcd", "abcde", "aaaa", "aaa", "xbcd"):
        assert made(text) == first(pattern, text), text


def paths(node: Any, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield path
    if node is not None:
        yield from paths(node[0], (*path, len(path)))


def all_paths(start: Any, node: Any) -> list[tuple[int, ...]]:
    return list(paths(node, start))


def test_tuples_that_grow_end_the_unfolding() -> None:
    with bounded():
        made = specialize(all_paths, start=(3,))
    assert len(made.source.splitlines()) < 20, made.source
    node: Any = None
    for _ in range(30):
        assert made(node) == all_paths((3,), node)
        node = (node,)
