"""Calls with `**` before anything: the function that collects them is entered with a dict of its own.

    def page(template, context): return template.render(**context)      ->      own = options(context, ...), the body

Invariant: whatever the mapping is, the residual gives and raises what the function does, and does the same to it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome


class Template:
    def __init__(self, *names: str) -> None:
        self.names = names

    def render(self, **context: Any) -> Any:
        context["seen"] = len(context)
        return [context.get(name, name) for name in self.names], list(context)

    def headed(self, title: Any, /, *more: Any, **context: Any) -> Any:
        return title, more, [context[name] for name in self.names]

    def kept(self, **context: Any) -> Any:
        self.last = context
        return context


class Rows(Mapping[str, Any]):
    def __init__(self, /, **rows: Any) -> None:
        self.rows = rows
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> Any:
        self.asked.append(name)
        return self.rows[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Rows({self.rows}, {self.asked})"


class Missing(Rows):
    def __iter__(self) -> Iterator[str]:
        return iter(["a", "none"])


class Without:
    def keys(self) -> Any:
        raise AttributeError("no keys")


class Names(dict[str, Any]):
    def keys(self) -> Any:
        return ["a"]

    def __getitem__(self, name: str) -> Any:
        return name * 2


class Name(str):
    pass


def page(template: Template, context: Any) -> Any:
    return template.render(**context), context


def headed(template: Template, context: Any) -> Any:
    return template.headed(1, 2, **context)


def caught(template: Template, context: Any) -> Any:
    try:
        return template.render(**context)
    except (TypeError, KeyError) as error:
        return str(error), type(error)


def steps(template: Template, context: Any) -> Iterator[Any]:
    yield template.render(**context)
    context["b"] = 7
    yield template.render(**context)


def stepped(template: Template, context: Any) -> Any:
    return list(steps(template, context))


def own(template: Template, context: Any) -> Any:
    found = template.kept(**context)
    found["more"] = 1
    return found is context, found, context, template.last is found


CONTEXTS: list[Callable[[], Any]] = [
    dict,
    lambda: {"a": 1, "b": [2]},
    lambda: {"c": 3, "self": 4},
    lambda: {"self": 4, 1: 2},
    lambda: {1: 2},
    lambda: {Name("a"): 5, "title": 6},
    lambda: OrderedDict(b=1, a=2),
    lambda: Rows(a=1, b=2),
    lambda: Rows(a=1, self=2),
    lambda: Missing(a=1),
    lambda: Names(b=3),
    lambda: Without(),
    lambda: None,
    lambda: 5,
    lambda: [("a", 1)],
]


@pytest.mark.parametrize("function", [page, headed, caught, stepped, own], ids=lambda one: one.__name__)
def test_any_mapping(function: Any) -> None:
    given, twin = Template("a", "b"), Template("a", "b")
    residual = futamura.Specializer(assume="trust")(function, template=given)
    assert not residual.stats["fallbacks"] and "render(" not in residual.source, residual.source
    for make in CONTEXTS:
        for _ in range(2):
            mine, other = make(), make()
            assert outcome(residual, mine).replace("Missing", "Rows") == outcome(function, twin, other).replace(
                "Missing", "Rows"
            )
            assert repr(mine).partition(" at 0x")[0] == repr(other).partition(" at 0x")[0]


def test_what_is_passed_stays_its_owners() -> None:
    context = {"a": 1}
    residual = futamura.specialize(page, template=Template("a"))
    assert residual(context) == (([1], ["a", "seen"]), {"a": 1}) and context == {"a": 1}


def test_a_saved_module(tmp_path: Path) -> None:
    path = futamura.Specializer(assume="trust")(caught, template=Template("a", "b")).save(tmp_path / "caught.py")
    space: dict[str, Any] = {"__name__": "caught"}
    exec(compile(path.read_text(), str(path), "exec"), space)
    for make in CONTEXTS:
        assert outcome(space["caught"], make()) == outcome(caught, Template("a", "b"), make())


def test_where_nothing_is_known_the_call_stays() -> None:
    def collect(**given: Any) -> Any:
        return given

    def passing(given: Any, limit: int) -> Any:
        return collect(**given), limit

    assert "options(" not in futamura.specialize(passing, limit=3).source
