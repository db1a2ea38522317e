"""Deques of known shape: with a maximal length, iterated over, changed meanwhile.

    window = deque([0] * 3, maxlen=3); window.appendleft(x)     ->    three variables
"""

from __future__ import annotations

import linecache
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome

MAKERS = (
    "deque([x, 1, n], maxlen=3)", "deque([x, 1, n, 5], 2)", "deque(maxlen=n)", "deque([x, 1, n])", "deque([1], -1)",
    "deque((v for v in (x, n, 1)), maxlen=2)", "deque([1], maxlen=None)", "deque([1, x], maxlen=0)",
    "deque(range(n), maxlen=x)",
)  # fmt: skip
USES = (
    "d.append(7)", "d.appendleft(7)", "d.extend([1, x, n])", "d.extendleft([1, x, n])", "d.extend(d)",
    "d.append(1); d.append(2); d.append(3); out.append(d.popleft() if d else 0)", "d.rotate(1); d.append(n)",
    "for v in d: out.append(v)", "for v in d:\n        out.append(v)\n        d.append(1)",
    "for v in d:\n        out.append(v)\n        break\n    d.append(1)",
    "it = iter(d); out.append(next(it, 0)); d.append(4); out.append(next(it, 0))",
    "it = iter(d); out.append(next(it, 0)); out.append(list(it))", "it = iter(d); next(it, 0); call(it)",
    "it = iter(d); call(it)", "out = [a * b for a, b in zip((1, 2, 3), d)]; d.append(3)",
    "out.append(sum(d)); d.append(x); out.append(sum(v for v in d))",
    "for i in range(x):\n        d.appendleft(i)\n        out.append(sum(a * b for a, b in zip((1, n, 3), d)))",
    "e = d.copy(); e.append(5); out.append(list(e))", "call(d); d.append(2)", "d.clear(); d.append(1)",
    "d.reverse(); d.append(1)", "out.append(d == deque([x, 1, n]))", "d += [4]", "d[0] = 9; out.append(d[0])",
    "out = [v for v in d if v != x]", "for i, v in enumerate(d): out.append((i, v))", "d.insert(0, 3)",
    "out.append(max(d, default=0))", "while d: out.append(d.pop())", "out.append(repr(d))",
    "it = iter(d); out.append(list(it)); d.rotate(1); out.append(next(it, 0))",
)  # fmt: skip


def _call(value: Any) -> Any:
    return value.append(8) if hasattr(value, "append") else list(value)


@pytest.mark.parametrize("maker", MAKERS)
def test_like_the_original(maker: str) -> None:
    for use in USES:
        text = (
            "from collections import deque\ndef f(n, x, call):\n"
            f"    d = {maker}\n    out = []\n    {use}\n    return out, list(d), d.maxlen, len(d)\n"
        )
        name = f"<{text}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        space: dict[str, Any] = {"__name__": "deques"}
        exec(compile(text, name, "exec"), space)
        for n in (0, 2):
            residual = futamura.specialize(space["f"], n=n)
            assert not residual.stats["fallbacks"], (use, residual.events)
            for x in (0, 3):
                assert outcome(residual, x, _call) == outcome(space["f"], n, x, _call), (use, n, x, residual.source)


def test_a_delay_line_is_variables() -> None:
    def filtered(weights: Any, samples: Any) -> Any:
        window: Any = deque([0.0] * len(weights), maxlen=len(weights))
        out = []
        for sample in samples:
            window.appendleft(sample)
            total = 0.0
            for weight, value in zip(weights, window):
                total += weight * value
            out.append(total)
        return out

    from collections import deque

    weights = (0.5, 0.25, 0.25)
    residual = futamura.specialize(filtered, weights=weights)
    assert "deque" not in residual.source and "zip" not in residual.source, residual.source
    for samples in ([], [1.0], [1.0, 2.0, 4.0, -8.0, 0.5]):
        assert residual(samples) == filtered(weights, samples)
