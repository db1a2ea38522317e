"""What residual source looks like where its meaning leaves a choice.

    x[:n] with n = 3    ->    x[:3], not a constant slice with a made-up name

Invariant: each text is also run against the generic function.
"""

from __future__ import annotations

import futamura


def parts(x: str, n: int, m: int) -> tuple[object, ...]:
    return x[:n], x[n:], x[1:n:2], x[::-1], x[m:n]


def test_constant_slices_are_written_as_slices() -> None:
    residual = futamura.specialize(parts, n=3, m=-2)
    assert "x[:3], x[3:], x[1:3:2], x[::-1], x[-2:3]" in residual.source
    assert residual("abcdef") == parts("abcdef", 3, -2)
