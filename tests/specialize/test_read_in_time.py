"""What is read from a list is read where the program reads it, however late it is needed.

    p = (*xs,)                    written before the value is needed, on the way out, in a loop, behind a handler
    del xs[0]
    if c:
        raise ValueError(p)

All expressions with each use, the writes in turn.  Invariant: the lists are compared after the call, too.
"""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import futamura
from futamura import Dyn
from tests.outcomes import outcome

READS = (
    "xs + ys", "xs * 2", "2 * xs", "xs[:]", "xs[1:]", "list(xs)", "sorted(xs)", "len(xs)", "xs[0]", "7 in xs",
    "tuple(xs)", "f'{xs}'", "'%s' % (xs,)", "max(xs)", "sum(xs)", "xs == ys", "set(xs)", "[*xs]", "(*xs,)",
    "(0, *xs)", "{*xs}", "xs[-1]", "str(xs)", "repr(xs)", "xs.copy()", "xs.index(5)", "xs.count(5)", "not xs",
    "bool(xs)", "xs < ys", "[x for x in xs]", "{x for x in xs}", "min(xs, default=0)", "any(xs)", "dict.fromkeys(xs)",
    "list(reversed(xs))", "list(enumerate(xs))", "list(zip(xs, ys))", "xs and xs[0]", "(lambda: len(xs))()",
    "'-' * len(xs)", "xs[len(xs) - 1]", "sum(xs) * 2 + 1", "(xs + ys)[0]", "len(xs + ys)", "xs != ys",
    "frozenset(xs)", "[xs[0], xs[0]]", "{'a': xs[0]}", "(xs[0], len(xs))", "bytearray(xs)", "bytes(xs)",
    "xs.__len__()", "xs.__add__(ys)", "', '.join(map(str, xs))", "f'{len(xs):>4}'",
)  # fmt: skip
WRITES = (
    "xs.append(1)", "xs[0] = 9", "xs.clear()", "xs += [3]", "xs.insert(0, 8)", "del xs[0]", "xs[:] = [4, 5]",
    "xs.sort(reverse=True)", "xs.extend(ys)", "xs.reverse(); ys.append(2)",
)  # fmt: skip
USES = (
    "if c: raise ValueError(p)\n    return xs",
    "if c: return p\n    return len(xs)",
    "while c:\n        c -= 1\n        if c == 1: return p\n    return xs",
    "try:\n        if c: raise KeyError(p)\n    except KeyError as error:\n        return error.args\n    return xs",
)


def _function(text: str) -> Any:
    name = f"<{text}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    return space["f"]


@pytest.mark.parametrize("read", READS)
def test_a_read_stays_before_the_write(read: str) -> None:
    for number, use in enumerate(USES):
        write = WRITES[(READS.index(read) * 3 + number) % len(WRITES)]
        function = _function(f"def f(xs, ys, c):\n    p = {read}\n    {write}\n    {use}\n")
        for promised in (Dyn(list), Dyn(list[int])):
            residual = futamura.specialize(function, xs=promised, ys=promised)
            assert not residual.stats["fallbacks"], residual.events
            for items in ([5, 7], [5], [], [7, 3, 5]):
                for c in (0, 2):
                    mine, theirs = ([*items], [7, 6]), ([*items], [7, 6])
                    assert outcome(residual, *mine, c) == outcome(function, *theirs, c), residual.source
                    assert mine == theirs, residual.source
