"""Static `SimpleNamespace` objects: their attributes are those of any object.

Invariant: what the code stores in one, gives away or deletes is seen.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.outcomes import outcome
from tests.specialize.specializing import fallbacks, specialize


class Own(SimpleNamespace):
    limit = 3

    def scaled(self, x: Any) -> Any:
        return x * self.k


def config(cls: Any = SimpleNamespace) -> Any:
    steps = [("add", 1), ("mul", 1.19), ("cap", 100)]
    return cls(steps=steps, rounding=True, digits=2, k=3, inner=SimpleNamespace(a=1))


def price(held: Any, x: Any) -> Any:
    for kind, k in held.steps:
        if kind == "add":
            x += k
        elif kind == "mul":
            x *= k
        elif kind == "cap":
            x = min(x, k)
    if held.rounding:
        x = round(x, held.digits)
    return x + held.inner.a


def stored(held: Any, x: Any) -> Any:
    before = held.k
    held.k = x
    held.new = 1
    return before, held.k, held.new, sorted(vars(held))


def deleted(held: Any, x: Any) -> Any:
    before = held.k
    del held.k
    return before, hasattr(held, "k"), x


def missing(held: Any, x: Any) -> Any:
    return getattr(held, "zz", x), hasattr(held, "k"), held.zz


def handed(held: Any, x: Any) -> Any:
    before = held.k
    x(held)
    return before, held.k


def named(held: Any, x: Any) -> Any:
    setattr(held, x, 7)
    return held.k


def compared(held: Any, x: Any) -> Any:
    return held == x, held == config(), held != config(), repr(held) == x, len(vars(held))


def bump(held: Any) -> None:
    held.k += 10


@pytest.mark.parametrize("cls", [SimpleNamespace, Own])
@pytest.mark.parametrize(
    ("function", "x"),
    [(price, 3), (price, "a"), (stored, 5), (deleted, 1), (missing, 2), (handed, bump), (named, "k"), (named, "zz"),
     (compared, 1)],
)  # fmt: skip
def test_what_is_done_is_seen(cls: Any, function: Any, x: Any) -> None:
    mine, theirs = config(cls), config(cls)
    residual = specialize(function, mine)
    for _ in range(3):
        assert outcome(residual, x) == outcome(function, theirs, x)
    assert repr(mine) == repr(theirs)


def test_nothing_is_left() -> None:
    residual = specialize(price, config())
    assert not fallbacks(residual)
    assert "for" not in residual.source and "_held" not in residual.source
    own = config(Own)
    residual = specialize(own.scaled)
    assert residual(4) == 12 and "_self" not in residual.source
