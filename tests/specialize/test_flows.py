"""What functions change that got it by any way in which values flow: the residual sees it.

Each holder takes the ways that were once not seen, in turn with the others, and a part of the rest;
`python -m tests.specialize.flows` runs all.  Invariant: without a change, the residual knows what the holder holds.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura
from tests.specialize.flows import FLOWS, HOLDERS, PLACES, STARRED, module_text, wrong
from tests.specialize.twins import twin


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_took_any_way_is_changed(tmp_path: Path, holder: str) -> None:
    at, step = [*HOLDERS].index(holder), len(HOLDERS)
    others = [name for name in FLOWS if name not in STARRED]
    mine = [*sorted(STARRED)[at % 3 :: 3], *others[at :: 3 * step]]
    places = [*PLACES]
    found = {}
    for number, flow in enumerate(mine):
        place = places[number % len(places)]
        if problem := wrong(tmp_path, flow, holder, place, first=number % 2 > 0):
            found[flow, place] = problem
    assert not found, found


@pytest.mark.parametrize("holder", HOLDERS)
def test_what_nobody_changes_is_known(tmp_path: Path, holder: str) -> None:
    text = module_text("assign", holder, "here")
    module = twin(tmp_path, text[: text.index("def after")])
    source = futamura.specialize(module.use, eval(HOLDERS[holder].key, vars(module))).source
    assert "_int(row)" in source or not any(name in source for name in ("ROWS", "RATES", "BOX", "table")), source


def test_a_key_without_a_name(tmp_path: Path) -> None:
    for flow in ("sorted key in dict", "sorted key global alias", "map global alias"):
        assert not wrong(tmp_path, flow, "item", "here", first=False)


def test_what_builtins_give_and_add(tmp_path: Path) -> None:
    for flow, holder, place in (
        ("dict getitem unbound", "item", "elsewhere"), ("list getitem unbound", "item", "elsewhere"),
        ("double star 2", "entry", "here"), ("dict()", "entry", "here"),
        ("operator add own", "entry", "here"),
    ):  # fmt: skip
        assert not wrong(tmp_path, flow, holder, place, first=False), flow
        assert not wrong(tmp_path, flow, holder, place, first=True), flow


NOT_FOLLOWED = {
    "cells": "fn closure cell",
    "variables": "gen frame locals",
    "defaults": "fn defaults set",
    "stores": "setattr via map",
    "itself": "importlib self",
    "code": "fn code swap",
}


@pytest.mark.parametrize("way", NOT_FOLLOWED)
def test_what_is_not_followed(tmp_path: Path, way: str) -> None:
    text = module_text(NOT_FOLLOWED[way], "item", "here")
    module = twin(tmp_path, text)
    assert "ROWS" in futamura.specialize(module.use, 1).source
