"""What ran in place of a residual in one call is seen by the next ones.

A promise is broken, or an input is a static object itself: something else runs in that call, and may change what the
residual believes of static objects.  So it is with a residual of which nothing is made later (`strict`), and with one
that came from another process.

Invariant: a residual gives in each of a series of calls what the original gives in it.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import futamura
from futamura import Dyn, Specializer
from futamura.another import Snapshot


class Box:
    def __init__(self) -> None:
        self.k: Any = 1
        self.n = 0
        self.items: list[Any] = [1, 2]


def promised(box: Box, a: Any, b: Any) -> Any:
    if type(a) is not int:
        box.k = a
    return box.k, b


def promised_beside_a_guess(box: Box, a: Any, b: Any) -> Any:
    if type(a) is not int:
        box.k = a
    box.n = 5
    text = str(b)
    if box.n == 5:
        return box.k, text
    return box.n


def promised_of_an_item(box: Box, a: Any, b: Any) -> Any:
    if type(a) is not int:
        box.items.append(a)
    return len(box.items), b


def promised_by_a_generator(box: Box, a: Any, b: Any) -> Any:
    if type(a) is not int:
        box.k = a
    yield box.k
    yield b


PROMISED = [promised, promised_beside_a_guess, promised_of_an_item, promised_by_a_generator]


def stores(box: Box, other: Any, value: Any) -> Any:
    other.k = value
    return box.k, box.n


def appends(box: Box, other: Any, value: Any) -> Any:
    other.items.append(value)
    return box.items[1], len(box.items), box.items[-1]


def guessed_and_stores(box: Box, other: Any, value: Any) -> Any:
    other.k = value
    box.n = 7
    text = str(value)
    if box.n == 7:
        return box.k, text
    return box.k


ALIASED = [stores, appends, guessed_and_stores]


def _result(call: Any, *args: Any) -> Any:
    found = call(*args)
    return list(found) if hasattr(found, "__next__") else found


def _made(how: str, function: Any, **inputs: Any) -> Any:
    """The residual, and its static box."""
    if how == "trusted":
        return Specializer(assume="trust")(function, **inputs)
    residual = Specializer(strict=how == "strict")(function, **inputs)
    return pickle.loads(pickle.dumps(residual)) if how == "pickled" else residual


@pytest.mark.parametrize("how", ["usual", "strict", "pickled", "trusted"])
@pytest.mark.parametrize("function", PROMISED)
def test_a_promise_was_broken(function: Any, how: str) -> None:
    residual, theirs = _made(how, function, box=Box(), a=Dyn(int)), Box()
    assert not residual.stats["fallbacks"]
    for a, b in [(1, 2), ("x", 2), (1, 2), (True, "q"), (3, 3), (1, 0.5), ("y", "u"), (1, 2), (1, 2)]:
        assert _result(residual, a, b) == _result(function, theirs, a, b), (a, b)


@pytest.mark.parametrize("promise", [futamura.DYN, Dyn(int)])
@pytest.mark.parametrize("how", ["usual", "strict", "pickled"])
@pytest.mark.parametrize("function", ALIASED)
def test_an_input_was_a_static_object(function: Any, how: str, promise: Any) -> None:
    residual, theirs, other = _made(how, function, box=Box(), value=promise), Box(), Box()
    mine, third = residual.static["box"], Box()
    assert not residual.stats["fallbacks"]
    for it, that, value in [
        (other, third, 3), (mine, theirs, 7), (other, third, 9), (other, third, "x"), (mine, theirs, "y"),
        (other, third, 9), (mine, theirs, 4), (other, third, 5),
    ]:  # fmt: skip
        assert residual(it, value) == function(theirs, that, value), value
        assert vars(mine) == vars(theirs)


def left_out(box: Box, other: Any, a: Any, force: Any = None) -> Any:
    if force is None:
        a += 1
    other.k = a
    return a, box.k


def left_out_and_takes(box: Box, other: Any, a: Any, force: Any = None) -> Any:
    out = []
    if force is None:
        out.append(str(a))
    other.items.pop()
    return out, len(box.items)


def stored(box: Box, other: Any, a: Any) -> Any:
    other.k = a
    return box.k


def listed(box: Box, other: Any, a: Any) -> Any:
    other.items = [a]
    return len(box.items)


MANY: list[tuple[Any, Any, list[tuple[bool, Any]]]] = [
    (guessed_and_stores, futamura.DYN, [(False, ("x",)), (True, (3,)), (False, (3,)), (False, ("x",)), (False, (3,))]),
    (guessed_and_stores, futamura.DYN, [(False, (2.5,)), (False, (3,)), (True, (3,)), (False, (3,))]),
    (stored, Dyn(int), [(False, ("x",))] * 3 + [(True, (7,)), (False, (3,))]),
    (stored, Dyn(int), [(False, ("x",)), (True, (7,)), (False, (3,))]),
    (listed, Dyn(int), [(False, ("x",))] * 3 + [(True, (1,)), (False, ("x",)), (False, (1,))]),
    (left_out, futamura.DYN, [(False, (7, 1)), (True, (8,)), (False, (1,)), (False, (1, 2))]),
    (left_out_and_takes, futamura.DYN, [(True, (1, 1)), (False, (1,))]),
]


@pytest.mark.parametrize("how", ["usual", "strict", "pickled", "trusted"])
@pytest.mark.parametrize(("function", "promise", "calls"), MANY)
def test_all_that_run_in_its_place_see_it(function: Any, promise: Any, calls: Any, how: str) -> None:
    """A residual, the one that is made for other classes or defaults, and the original, in many orders."""
    name = "value" if function is guessed_and_stores else "a"
    residual, theirs = _made(how, function, box=Box(), **{name: promise}), Box()
    mine = residual.static["box"]
    for is_static, rest in calls:
        assert residual(mine if is_static else Box(), *rest) == function(theirs, theirs if is_static else Box(), *rest)


@pytest.mark.interpreted
@pytest.mark.usefixtures("assuming")
def test_what_has_changed_is_looked_at_ever_more_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    holds = Snapshot.holds
    monkeypatch.setattr(Snapshot, "holds", lambda snapshot: looks.append(snapshot) or holds(snapshot))
    box = Box()
    residual = futamura.specialize(stores, box=box)
    assert residual(box, 8) == (8, 0)
    for value in range(300):
        assert residual(Box(), value) == (8, 0)
    assert 1 <= len(looks) < 30


def test_the_residual_runs_again_where_nothing_was_changed() -> None:
    """An input was the static object, and its change was taken back."""
    box = Box()
    residual = futamura.specialize(stores, box=box)
    assert residual(Box(), 3) == (1, 0) and residual(box, 8) == (8, 0) and residual(Box(), 3) == (8, 0)
    assert residual(box, 1) == (1, 0)
    for _ in range(4):  # whether it holds what it held is looked at ever more seldom
        assert residual(Box(), 3) == (1, 0)
    calls = []

    def watch(frame: Any, event: str, given: Any) -> None:
        if event == "call":
            calls.append(frame.f_code)

    sys.setprofile(watch)
    try:
        assert residual(Box(), 3) == (1, 0)
    finally:
        sys.setprofile(None)
    assert [code for code in calls if code.co_name == "stores"] == [residual.function.__code__]


def test_a_named_object_of_another_process_is_no_input(tmp_path: Path) -> None:
    """What a residual holds by its name is there, too, and may be given to it."""
    (tmp_path / "named_subject.py").write_text(
        "class Box:\n    def __init__(self): self.k = 1\n"
        "BOX = Box()\n"
        "def f(n, other, value):\n    other.k = value\n    return BOX.k, n\n"
    )
    run = {"cwd": tmp_path, "env": {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}}
    make = "import named_subject as s, futamura, pickle; r = futamura.specialize(s.f, n=3);"
    make += "open('r.pickle', 'wb').write(pickle.dumps(r))"
    use = "import pickle, named_subject as s; r = pickle.loads(open('r.pickle', 'rb').read());"
    use += "print(r(s.Box(), 2), r(s.BOX, 5), r(s.Box(), 2), r.holds())"
    subprocess.run([sys.executable, "-c", make], check=True, **run)  # type: ignore[call-overload]
    done = subprocess.run([sys.executable, "-c", use], check=True, capture_output=True, text=True, **run)  # type: ignore[call-overload]
    assert done.stdout == "(1, 3) (5, 3) (5, 3) True\n"
