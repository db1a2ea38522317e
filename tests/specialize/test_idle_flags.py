"""Flags that nothing asks, or that are asked late, tell no versions apart: what they are variables of is there once.

Invariant: a flag that is asked on each trip around a loop, or soon, stays known.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from futamura import Dyn, Specializer, specialize


def seen(names: Any, xs: Any) -> Any:
    none = late = False
    for x in xs:
        if x is None:
            none = True
        elif x in names:
            late = True
            xs.append(0) if x == 3 else None
    return none, late


OPTIONS = {"-v": "verbose", "-q": "quiet", "-f": "force"}


def options(table: Any, words: Any) -> Any:
    found = {"verbose": None, "quiet": None, "force": None}
    rest = []
    for word in words:
        if word in table:
            found[table[word]] = True
        else:
            rest.append(word)
    return found, rest


MOVES = {"idle": {"go": "run"}, "run": {"stop": "idle", "end": "done"}, "done": {}}


def driven(moves: Any, events: Any) -> Any:
    state, wrong, ran = "idle", False, False
    log = []
    for event in events:
        if event not in moves[state]:
            wrong = True
            log.append(f"{event} in {state}")
            continue
        state = moves[state][event]
        if state == "run":
            ran = True
    return state, wrong, ran, log


def judged(limits: Any, xs: Any) -> Any:
    good = True
    for x in xs:
        for limit in limits:
            if x == limit:
                good = False
    return "good" if good else "bad"


def checked(names: Any, row: Any) -> Any:
    good = True
    for name in names:
        if name not in row:
            row[name] = len(row)
            good = False
        elif row[name] is None:
            row[name] = 0
            good = False
    return "complete" if good else "filled"


@pytest.mark.parametrize(
    ("function", "static", "inputs", "once"),
    [
        (seen, {"a", 3}, [[None, 1], ["a", None], [3], [], [1]], "for x in xs"),
        (options, OPTIONS, [["-v", "x", "-q"], [], ["-f", "-f"], ["x"]], ".append("),
        (driven, MOVES, [["go", "stop"], ["stop", "go", "end", "x"], ["go", "go"], []], "{event} in"),
        (judged, (2, 5), [[1], [1, 2], [5, 2], []], "for x in xs"),
        (checked, tuple("abcdefgh"), [{}, dict.fromkeys("abcdefgh", 1), {"a": None}, {"h": 3}], "['h'] = len("),
    ],
)
def test_code_that_does_the_same_is_there_once(function: Any, static: Any, inputs: Any, once: str) -> None:
    residual = specialize(function, static)
    for given in inputs:
        ours, theirs = given.copy(), given.copy()
        assert residual(ours) == function(static, theirs) and ours == theirs
    assert residual.source.count(once) == 1, residual.source


def joined(sign: Any, xs: Any) -> Any:
    first, out = True, ""
    for x in xs:
        if not first:
            out += sign
        first = False
        out += x
    return out


def told(code: Any, n: Any) -> Any:
    at = steps = 0
    while code[at] != "end":
        jumped = False
        if code[at] == "less":
            n -= 1
        elif n > 0:
            at, jumped = code[at], True
        if not jumped:
            at += 1
        steps += 1
    return n, steps


def asked_by_identity(names: Any, xs: Any) -> Any:
    found = None
    for x in xs:
        if found is None and x in names:
            found = True
            xs.append(names[0])
    return found


def test_a_flag_that_is_asked_in_a_loop_stays_known() -> None:
    residual = specialize(joined, "-")
    assert residual("abc") == "a-b-c" and residual("") == ""
    assert "first" not in residual.source
    residual = specialize(told, ("less", 0, "end"))
    assert residual(5) == told(("less", 0, "end"), 5)
    assert "jumped" not in residual.source
    residual = specialize(asked_by_identity, ("a",))
    for xs in (["a", "b"], ["b"], []):
        assert residual(xs.copy()) == asked_by_identity(("a",), xs.copy())
    assert "is None" not in residual.source


def first_word(words: Any, text: Any) -> Any:
    missed = False
    for word, other in words:
        if text.startswith(word):
            if text.endswith(other):
                return word
            missed = True
    return "missed" if missed else "none"


def test_a_flag_is_found_before_all_is_run_twice() -> None:
    """What is asked behind the loop only is known to be so after a few of its trips."""
    words = [(f"a{at}", f"b{at}") for at in range(120)]
    work: list[int] = []
    residual = Specializer(watch=lambda blocks, left, place: work.append(blocks))(first_word, words, Dyn(str))
    for text in ("a7 b7", "a7 b8", "b7", "a11 b1", "a119 b119"):
        assert residual(text) == first_word(words, text)
    assert residual.source.count("startswith") == len(words)
    given_up = [before for before, after in itertools.pairwise(work) if after < before]
    assert residual.stats["restarts"] and max(given_up, default=0) < work[-1] // 2, work
