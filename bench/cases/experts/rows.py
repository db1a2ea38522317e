"""By hand: one condition on rows, and the answers of the router.

    select([{"age": 30, ...}])    gives the rows for which CONDITION holds;   match("GET", "/")    gives ("home", {})

Invariant: CONDITION is the text that `select` stands for; the router's table is that of `examples/router`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["CONDITION", "router", "rows", "select"]

CONDITION = (
    "age >= 21 and (country in ('NL', 'BE', 'LU') or tier == 'gold') and not banned == 1 "
    "and score * 2 + bonus > 50.0 and visits / (days + 1) < 3.5"
)


def rows(count: int) -> list[dict[str, Any]]:
    """Rows of a table, the same each time."""
    choose = random.Random(5)
    return [
        {
            "age": choose.randrange(12, 70),
            "country": choose.choice(["NL", "BE", "LU", "FR", "DE"]),
            "tier": choose.choice(["gold", "blue", "none"]),
            "banned": choose.randrange(2) * choose.randrange(2),
            "score": choose.uniform(0, 40),
            "bonus": choose.uniform(0, 20),
            "visits": choose.randrange(30),
            "days": choose.randrange(15),
        }
        for _ in range(count)
    ]


def select(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        row
        for row in rows
        if row["age"] >= 21
        and (row["country"] in ("NL", "BE", "LU") or row["tier"] == "gold")
        and row["banned"] != 1
        and row["score"] * 2 + row["bonus"] > 50.0
        and row["visits"] / (row["days"] + 1) < 3.5
    ]


def router(table: Sequence[tuple[str, str, str]], errors: Any) -> Callable[..., Any]:
    """A tree of tests on segments, as text: what one would write for a table that never changes.

    Right for tables in which no rule shadows another of the same length at a variable.
    """
    tree: dict[int, list[tuple[str, list[str], str]]] = {}
    for method, pattern, endpoint in table:
        parts = pattern.strip("/").split("/")
        tree.setdefault(len(parts), []).append((method, parts, endpoint))
    lines = ["def match(method, path):", "    segments = path.strip('/').split('/')", "    count = len(segments)"]
    for number, (count, rules) in enumerate(sorted(tree.items())):
        lines.append(f"    {'el' if number else ''}if count == {count}:")
        lines.append(f"        {', '.join(f's{place}' for place in range(count))}, = segments")
        _level(lines, rules, 0, " " * 8)
    lines.append("    raise NotFound(path)")
    space = {
        "slug": re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*").fullmatch,
        "NotFound": errors.NotFound,
        "MethodNotAllowed": errors.MethodNotAllowed,
    }
    exec("\n".join(lines), space)
    found: Callable[..., Any] = space["match"]
    return found


_TESTS = {"int": "{0}.isascii() and {0}.isdigit()", "text": "{0}", "slug": "slug({0})"}


def _level(lines: list[str], rules: list[tuple[str, list[str], str]], depth: int, indent: str) -> None:
    if depth == len(rules[0][1]):
        for method, parts, endpoint in rules:
            values = []
            for place, part in enumerate(parts):
                if part[:1] == "<":
                    kind, _, name = part[1:-1].partition(":")
                    values.append(f"{name!r}: int(s{place})" if kind == "int" else f"{name!r}: s{place}")
            lines.append(f"{indent}if method == {method!r}:")
            lines.append(f"{indent}    return {endpoint!r}, {{{', '.join(values)}}}")
        lines.append(f"{indent}raise MethodNotAllowed(path)")
        return
    groups: dict[str, list[tuple[str, list[str], str]]] = {}
    for rule in rules:
        part = rule[1][depth]
        groups.setdefault(part.partition(":")[0] + ">" if part[:1] == "<" else part, []).append(rule)
    for number, (part, members) in enumerate(groups.items()):
        test = _TESTS[part[1:-1]].format(f"s{depth}") if part[:1] == "<" else f"s{depth} == {part!r}"
        lines.append(f"{indent}{'el' if number else ''}if {test}:")
        _level(lines, members, depth + 1, indent + "    ")
