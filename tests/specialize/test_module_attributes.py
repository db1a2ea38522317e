"""Globals that are stored as attributes of their module: what is read of them afterwards is what was stored.

    shop.RATE = x; return shop.RATE        x, also if a function of the module reads it

Invariant: the residual gives what the function gives, and leaves the module as it does.
"""

from __future__ import annotations

import contextlib
import io
import sys
import types
from collections.abc import Callable
from typing import Any

import pytest

import futamura

SHOP: Any = types.ModuleType("attributes_of_a_shop")
exec("RATE = 1\ndef rate(): return RATE\n", SHOP.__dict__)


def stored(x: Any) -> Any:
    SHOP.RATE = x
    return SHOP.RATE, SHOP.rate()


def by_setattr(x: Any) -> Any:
    old = SHOP.RATE
    setattr(SHOP, "RATE", x)  # noqa: B010
    try:
        return SHOP.RATE, old, SHOP.rate()
    finally:
        SHOP.RATE = old


def updated(x: Any) -> Any:
    SHOP.RATE += x
    return SHOP.rate()


def in_a_loop(x: Any) -> Any:
    out = []
    for value in (x, x + 1):
        out.append(SHOP.RATE)
        SHOP.RATE = value
    return out, SHOP.rate()


def deleted(x: Any) -> Any:
    SHOP.RATE = x
    del SHOP.RATE
    return hasattr(SHOP, "RATE")


def redirected(x: Any) -> Any:
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        sys.stdout.write(str(x))
    return buffer.getvalue()


def by_any_name(x: Any, name: str = "RATE") -> Any:
    name = futamura.dynamic(name)
    before = SHOP.RATE
    setattr(SHOP, name, x)
    setattr(SHOP, name * 2, x)
    delattr(SHOP, name * 2)
    return before, SHOP.RATE, SHOP.rate(), hasattr(SHOP, name * 2)


def redirected_by_another(x: Any, made: Any = contextlib.redirect_stdout) -> Any:
    buffer = io.StringIO()
    before = sys.stdout
    with futamura.dynamic(made)(buffer):
        sys.stdout.write(str(x))
        same = before is sys.stdout
    return buffer.getvalue(), same, before is sys.stdout


FUNCTIONS = [
    *[stored, by_setattr, updated, in_a_loop, deleted, by_any_name],
    *[redirected, redirected_by_another],
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_stores_are_seen(function: Callable[[Any], Any]) -> None:
    SHOP.RATE = 1
    residual = futamura.specialize(function)
    found = residual(5), SHOP.__dict__.pop("RATE", None)
    SHOP.RATE = 1
    assert found == (function(5), SHOP.__dict__.pop("RATE", None)), residual.source
