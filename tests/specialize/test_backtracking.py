"""The bound on the ways that a regular expression may try, and that no slow search is made while specializing."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from itertools import islice

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from futamura import specialize
from futamura.specializer.backtracking import places_to_begin, ways_to_match

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


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"(?:[ab](?=[ab]{3000}))+c", "ab" * 3000),
        (r"(?:[ab](?<=[ab]{3000}))*c", "ab" * 3000),
        (r"(?:(?:(?:x?){1000}){1000}){1000}", "ab"),
        (r"(?:(?:\b){2000}){2000}[ab]", "ab"),
    ],
)
def test_what_looks_around_or_matches_nothing_counts_too(pattern: str, text: str) -> None:
    compiled = re.compile(pattern)

    def search(text: str, x: int) -> object:
        return compiled.search(text) if x else x

    assert (ways_to_match(compiled, text) or 10**9) * len(text) >= 10**6
    residual = specialize(search, text)  # ends
    assert residual(0) == 0


@pytest.mark.parametrize(("pattern", "text"), QUICK)
def test_what_is_quick_is_found_out(pattern: str, text: str) -> None:
    ways = ways_to_match(re.compile(pattern, re.VERBOSE if "escaped" in pattern else 0), text)
    assert ways is not None
    assert ways < 2_000


LONG = "Dear customer, " * 30 + "{{ name }} has {{ count|number }} left.\n" + "All the best. " * 30
TEMPLATES = [
    r"\{\{\s*([\w.]*)[^}]*\}\}", r"\{\{\s*(.*?)\s*\}\}", r"(?s)\{\{.*?\}\}|\{%.*?%\}", r"(\{\{|\}\})", r"\w+\|\w+",
]  # fmt: skip


@pytest.mark.parametrize("pattern", TEMPLATES)
def test_a_long_text_is_searched_for_what_is_rare_in_it(pattern: str) -> None:
    compiled = re.compile(pattern)

    def parts(text: str, x: list[int]) -> object:
        return [x, *[found.group() for found in compiled.finditer(text)]], compiled.split(text)

    residual = specialize(parts, LONG)
    assert "finditer" not in residual.source
    assert residual([1]) == parts(LONG, [1])


class _Part:
    """A part of a pattern: its text, and every way in which it matches, by definition."""

    def __init__(self, text: str, ways: Callable[[str, int], Iterator[int]]) -> None:
        self.text = text
        self.ways = ways
        """The ends, one for each way to match from this place of this text."""

    def __repr__(self) -> str:
        return self.text


def _single(text: str) -> _Part:
    compiled = re.compile(text)

    def ways(subject: str, at: int) -> Iterator[int]:
        found = compiled.match(subject, at)
        if found is not None:
            yield found.end()

    return _Part(text, ways)


def _both(parts: tuple[_Part, _Part]) -> _Part:
    first, second = parts

    def ways(subject: str, at: int) -> Iterator[int]:
        for middle in first.ways(subject, at):
            yield from second.ways(subject, middle)

    return _Part(first.text + second.text, ways)


def _either(parts: tuple[_Part, _Part]) -> _Part:
    """Arms are groups, so that the parser does not take out what they begin with."""
    first, second = parts

    def ways(subject: str, at: int) -> Iterator[int]:
        yield from first.ways(subject, at)
        yield from second.ways(subject, at)

    return _Part(f"(?:({first.text})|({second.text}))", ways)


def _repeated(parts: tuple[_Part, tuple[str, int, int]]) -> _Part:
    part, (mark, least, most) = parts

    def ways(subject: str, at: int, done: int = 0) -> Iterator[int]:
        if done < most:
            for end in part.ways(subject, at):
                if end > at or done < least:  # the engine leaves a loop whose body matched nothing
                    yield from ways(subject, end, done + 1)
        if done >= least:
            yield at

    return _Part(f"(?:{part.text}){mark}", ways)


REPEATS = st.sampled_from([("?", 0, 1), ("*", 0, 99), ("+", 1, 99), ("{1,2}", 1, 2), ("{0,3}", 0, 3)])
PATTERNS = st.recursive(
    st.sampled_from(["a", "b", "[ab]", ".", "[^a]", r"\w", "c", "(?=a)", r"\b"]).map(_single),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(_both),
        st.tuples(inner, inner).map(_either),
        st.tuples(inner, REPEATS).map(_repeated),
    ),
    max_leaves=6,
)


@given(PATTERNS, st.text("abc", max_size=7))
@example(_repeated((_single("a"), ("*", 0, 99))), "aaac")
@example(_either((_single("a"), _single("[ab]"))), "ac")
def test_the_bound_covers_every_way_to_match(part: _Part, text: str) -> None:
    """Each way that ends in front of one more letter is counted."""
    whole = _both((part, _single("c")))
    ways = ways_to_match(re.compile(whole.text), text)
    counted = sum(1 for _ in islice(whole.ways(text, 0), 20_000))
    assert ways is None or counted <= ways
    places = places_to_begin(re.compile(whole.text), text + "c")
    assert places >= sum(1 for at in range(len(text) + 2) if next(whole.ways(text + "c", at), None) is not None)
