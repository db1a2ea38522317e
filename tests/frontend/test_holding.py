"""`list(x)`, `sorted(x)`, `zip(...)` and the like are objects of their own, which hold what was in `x`.

    y = list(ROWS); y.sort()                ROWS is left alone
    for row in list(ROWS): row.append(1)    an item of ROWS is changed

Invariant: a change of an item is found behind every such copy.
"""

from __future__ import annotations

import ast

import pytest

from futamura.frontend.items import changed_by_functions

CHANGED = (
    "for row in list(ROWS): row.append(1)",
    "list(ROWS)[0].append(1)",
    "sorted(ROWS)[0].pop()",
    "dict(ROWS)['a'].append(1)",
    "dict(a=ROWS)['a'][0].append(2)",
    "list(zip(ROWS, x))[0][0].append(1)",
    "for at, row in enumerate(ROWS): row.append(1)",
    "next(enumerate(ROWS))[1].append(1)",
    "for row in reversed(ROWS): row.append(1)",
    "for a, b in zip(x, ROWS): b.append(1)",
    "a, *b = tuple(ROWS); b[0].append(1)",
    "y = list(ROWS); y.append(3); z = y.pop(); z.append(1)",
    "for row in list(sorted(list(ROWS))): row.clear()",
    "max(list(ROWS)).append(1)",
    "next(iter(list(ROWS))).append(1)",
    "frozenset(ROWS).pop().append(1)",
    "y = set(ROWS); y.pop().append(1)",
)
LEFT = (
    "y = list(ROWS); y.sort(); y.append(x); del y[0]",
    "y = sorted(ROWS); y.reverse(); return y.pop()",
    "y = dict(ROWS); y.update(x); y['a'] = 1",
    "y = set(ROWS); y.add(x)",
    "y = list(zip(ROWS, x)); y.pop()",
)


def changes(body: str) -> bool:
    found = changed_by_functions(ast.parse(f"ROWS = [[1]]\ndef f(x):\n    {body}")).certain
    return "ROWS" in found.itself | found.items | found.by_methods.keys()


@pytest.mark.parametrize("body", CHANGED)
def test_items_are_changed_behind_copies(body: str) -> None:
    assert changes(body)


@pytest.mark.parametrize("body", LEFT)
def test_copies_are_changed_alone(body: str) -> None:
    assert not changes(body)
