"""The bound on the ways that a regular expression may try, and that no slow search is made while specializing."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from futamura import specialize
from futamura.specializer.backtracking import ways_to_match

SLOW = [r"(a+)+$", r"(?:a|ab|b)*c", r"(x+x+)+y", r"(a?){30}a{30}", r"(?:a*)*b", r"(a|a)*$", r"([a-c]|ba)+d"]
QUICK = [
    (r"\s*(?:(\d+\.?\d*)|([A-Za-z_]\w*)|(.))", "3*(x+2)^2 - max(y, 4)"),
    (r'"(?:\\.|[^"\\])*"', '"a\\"b"' * 40),
    (r"\{\{\s*(\w+)\s*\}\}", "{{ a }} and {{b}} " * 40),
    (string.Template.pattern.pattern, "Hello $name and ${other}"),
    (r"(?i)[a-z]+(?:,\s*[a-z]+)*$", "One, two,  three" * 20),
]


@pytest.mark.parametrize("pattern", SLOW)
def test_what_may_take_long_is_not_tried(pattern: str) -> None:
    text = "ab" * 20 + "a" * 40 + "x" * 40
    assert (ways_to_match(re.compile(pattern), text) or 10**9) >= 10**7

    def search(text: str, x: int) -> object:
        return re.match(pattern, text) if x else x

    residual = specialize(search, text)  # ends
    assert residual(0) == 0


@pytest.mark.parametrize(("pattern", "text"), QUICK)
def test_what_is_quick_is_found_out(pattern: str, text: str) -> None:
    ways = ways_to_match(re.compile(pattern, re.VERBOSE if "escaped" in pattern else 0), text)
    assert ways is not None
    assert ways < 2_000


PARTS = st.sampled_from(
    ["a", "b", "[ab]", ".", "[^a]", "\\w", "a?", "b*", "[ab]+", "(?:ab)?", "(?=a)", "\\b", "c{1,2}"]
)
PATTERNS = st.recursive(
    PARTS,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        inner.map(lambda one: f"({one})"),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("abc", max_size=8))
def test_the_bound_covers_every_length_that_may_match(pattern: str, text: str) -> None:
    """Each prefix that the pattern can match is one way at least."""
    compiled = re.compile(pattern)
    ways = ways_to_match(compiled, text)
    ends = sum(compiled.fullmatch(text, 0, end) is not None for end in range(len(text) + 1))
    first_last = pattern.startswith(("(?=", "\\b")) or "\\b" in pattern or "(?=" in pattern
    assert ways is not None
    assert first_last or ends <= ways * (len(text) + 1)
