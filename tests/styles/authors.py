"""What libraries keep in tables and wire by name: rules, providers, plural forms, queries, records, resolvers.

    allowed(RULE, {"age": 20, "country": "DE"})    gives True

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

RULE: tuple[Any, ...] = (
    "all",
    (">=", "age", 18),
    ("any", ("in", "country", ("DE", "FR")), ("all", ("not", ("==", "plan", "free")), ("has", "card"))),
)


def allowed(rule: tuple[Any, ...], user: dict[str, Any]) -> Any:
    """Rules in each other, by generators that call the function again."""
    kind, *parts = rule
    if kind == "all":
        return all(allowed(part, user) for part in parts)
    if kind == "any":
        return any(allowed(part, user) for part in parts)
    if kind == "not":
        return not allowed(parts[0], user)
    if kind == "has":
        return parts[0] in user
    name, wanted = parts
    if kind == "==":
        return user.get(name) == wanted
    return user[name] >= wanted if kind == ">=" else user[name] in wanted


class Wiring:
    """Providers by name; each says what it needs."""

    def __init__(self) -> None:
        self.providers: dict[str, tuple[Callable[..., Any], tuple[str, ...], bool]] = {}
        self.single: dict[str, Any] = {}

    def add(self, name: str, factory: Callable[..., Any], *needs: str, single: bool = False) -> None:
        self.providers[name] = (factory, needs, single)

    def get(self, name: str, given: dict[str, Any]) -> Any:
        if name in given:
            return given[name]
        factory, needs, single = self.providers[name]
        if single and name in self.single:
            return self.single[name]
        made = factory(*(self.get(need, given) for need in needs))
        if single:
            self.single[name] = made
        return made


class Store:
    def __init__(self, place: str) -> None:
        self.place = place


class Page:
    def __init__(self, store: Store, user: Any, clock: Callable[[], int]) -> None:
        self.store, self.user, self.clock = store, user, clock

    def shown(self, text: str) -> tuple[Any, ...]:
        return self.store.place, self.user, self.clock(), text


def wired() -> Wiring:
    wiring = Wiring()
    wiring.add("place", lambda: "memory")
    wiring.add("store", Store, "place", single=True)
    wiring.add("clock", lambda: lambda: 7)
    wiring.add("page", Page, "store", "user", "clock")
    return wiring


def handled(wiring: Wiring, name: str, user: Any, text: str) -> Any:
    """A container that puts objects together along what they need."""
    return wiring.get(name, {"user": user}).shown(text)


PLURALS = {
    "en": [("one", "i = 1 and v = 0"), ("other", "")],
    "ru": [
        ("one", "v = 0 and i % 10 = 1 and i % 100 != 11"),
        ("few", "v = 0 and i % 10 = 2..4 and i % 100 != 12..14"),
        ("other", ""),
    ],
}


def _operand(name: str, number: float) -> int:
    if name == "i":
        return int(abs(number))
    return len(str(number).partition(".")[2])


def _holds(relation: str, number: float) -> bool:
    found = re.match(r"(\w)(?: % (\d+))? (=|!=) (.*)", relation)
    assert found is not None
    name, divisor, sign, ranges = found.groups()
    value = _operand(name, number)
    if divisor:
        value %= int(divisor)
    inside = False
    for part in ranges.split(","):
        low, _, high = part.partition("..")
        if int(low) <= value <= int(high or low):
            inside = True
    return inside if sign == "=" else not inside


def plural(language: str, number: float) -> str | None:
    """Rules of plural forms, read anew for each number."""
    for form, rule in PLURALS[language]:
        if not rule or all(_holds(relation, number) for relation in rule.split(" and ")):
            return form
    return None


@dataclass(frozen=True)
class Query:
    table: str
    columns: tuple[str, ...] = ("*",)
    conditions: tuple[tuple[str, str, str], ...] = ()
    order: tuple[str, ...] = ()

    def where(self, column: str, operator: str, parameter: str) -> Query:
        return replace(self, conditions=(*self.conditions, (column, operator, parameter)))


class Dialect:
    quote = '"'

    def name(self, text: str) -> str:
        return text if text == "*" else ".".join(f"{self.quote}{part}{self.quote}" for part in text.split("."))

    def mark(self, number: int) -> str:
        return f"${number}"


ORDERS = Query("shop.orders", ("id", "total"), order=("-day", "id")).where("user", "=", "u").where("state", "in", "s")


def sql(dialect: Dialect, query: Query, parameters: dict[str, Any]) -> tuple[str, list[Any]]:
    """A statement and its arguments."""
    text = f"SELECT {', '.join(map(dialect.name, query.columns))} FROM {dialect.name(query.table)}"
    arguments: list[Any] = []
    conditions = []
    for column, operator, parameter in query.conditions:
        value = parameters[parameter]
        if operator == "in":
            marks = []
            for item in value:
                arguments.append(item)
                marks.append(dialect.mark(len(arguments)))
            conditions.append(f"{dialect.name(column)} IN ({', '.join(marks)})")
        else:
            arguments.append(value)
            conditions.append(f"{dialect.name(column)} {operator} {dialect.mark(len(arguments))}")
    if conditions:
        text += " WHERE " + " AND ".join(conditions)
    if query.order:
        text += " ORDER BY " + ", ".join(
            dialect.name(column.lstrip("-")) + (" DESC" if column.startswith("-") else "") for column in query.order
        )
    return text, arguments


class Record:
    """Fields are annotations; the values are checked by them."""

    def __init__(self, **values: Any) -> None:
        kinds = type(self).__annotations__
        for name, value in values.items():
            if name not in kinds:
                raise TypeError(f"unexpected {name}")
            setattr(self, name, value)


class Person(Record):
    name: str
    age: int


def loaded(cls: type[Record], row: dict[str, str]) -> tuple[str, dict[str, Any]]:
    """An instance out of texts, by the annotations of its class."""
    made = cls(**{name: {"str": str, "int": int}[kind](row[name]) for name, kind in cls.__annotations__.items()})
    return type(made).__name__, vars(made)


RESOLVERS: dict[tuple[str, str], Callable[..., Any]] = {}


def resolver(kind: str, name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        RESOLVERS[kind, name] = function
        return function

    return register


@resolver("Query", "user")
def _user(_: Any, base: dict[str, Any], id: int) -> Any:
    return base["users"].get(id)


@resolver("User", "posts")
def _posts(user: dict[str, Any], base: dict[str, Any], first: int) -> Any:
    return [post for post in base["posts"] if post["author"] == user["id"]][:first]


TYPES: dict[str, dict[str, Any]] = {
    "Query": {"user": "User"}, "User": {"name": None, "posts": ["Post"]}, "Post": {"title": None}
}  # fmt: skip
REQUEST: dict[str, Any] = {
    "user": {"args": {"id": "uid"}, "fields": {"name": {}, "posts": {"args": {"first": 2}, "fields": {"title": {}}}}}
}
BASE = {
    "users": {1: {"id": 1, "name": "Ann"}, 2: {"id": 2, "name": "Bob"}},
    "posts": [{"author": 1, "title": "t"}, {"author": 2, "title": "u"}, {"author": 1, "title": "v"}],
}


def resolved(
    types: dict[str, dict[str, Any]], request: dict[str, Any], kind: str, value: Any, base: dict[str, Any], given: Any
) -> dict[str, Any]:
    """A request over a graph of types, with functions for what is not just stored."""
    found = {}
    for name, selection in request.items():
        inner = types[kind][name]
        function = RESOLVERS.get((kind, name))
        named = selection.get("args", {})
        arguments = {key: given[what] if isinstance(what, str) else what for key, what in named.items()}
        item = function(value, base, **arguments) if function else value[name]
        if item is not None and selection.get("fields"):
            if isinstance(inner, list):
                item = [resolved(types, selection["fields"], inner[0], one, base, given) for one in item]
            else:
                item = resolved(types, selection["fields"], inner, item, base, given)
        found[name] = item
    return found
