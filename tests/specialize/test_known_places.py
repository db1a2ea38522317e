"""Items at places that are known, whatever class the index has: True and False are 1 and 0.

    maps = {}, {}; maps[strict][name] = value        strict True    ->    the second dict

Invariant: an index that is not inside raises when the residual runs.
"""

from __future__ import annotations

from typing import Any

import pytest

import futamura
from tests.outcomes import outcome


class Table:
    def __init__(self) -> None:
        self.maps: Any = ({}, {})
        self.lists = [1, 2]

    def put(self, key: Any, value: Any, strict: Any = True) -> None:
        self.maps[strict][key] = value
        self.lists[strict] = value
        del self.lists[not strict]


def filled(names: Any, x: Any) -> Any:
    table = Table()
    for name in names:
        table.put(name, x)
    table.lists.append(3)
    table.put("q", x, False)
    return table.maps, table.lists, table.maps[True], (1, 2)[not x]


def decided(names: Any, x: Any) -> Any:
    """What is taken out at such a place decides what follows."""
    table = Table()
    table.put(names[0], x)
    found = table.maps[True]
    return found[x] if x in found else len(found)


@pytest.mark.parametrize("function", [filled, decided])
@pytest.mark.parametrize("names", [("a",), ("a", "b"), ()])
def test_truth_values_are_places(function: Any, names: Any) -> None:
    if function is decided and not names:
        return
    residual = futamura.specialize(function, names)
    assert not residual.stats["fallbacks"]
    for x in (0, 1, "a", None):
        assert outcome(residual, x) == outcome(function, names, x)
    if function is decided:
        assert "True" not in residual.source and "maps" not in residual.source, residual.source
