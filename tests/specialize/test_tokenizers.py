"""Tokenizers as people write them: generators over regular expressions, on texts of which nothing is promised.

    for match, kind in RULES: found = match(text, at)      a match or None, and its methods raise no StopIteration

Invariant: the residual gives the tokens and the errors of the function, and guards only calls that may end a generator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import futamura

WORDS = re.compile(r"\w+")
PARTS = [(r"\s+", None), (r"\d+", "number"), (r"\w+", "name"), (r"[-+*/()]", "sign")]
RULES = [(re.compile(part).match, kind) for part, kind in PARTS]
NAMED = [("NUMBER", r"\d+(\.\d*)?"), ("NAME", r"[a-z]+"), ("LINE", r"\n"), ("SPACE", r"[ \t]+"), ("OTHER", r".")]


def by_rules(rules: Any, text: Any) -> Iterator[Any]:
    at = 0
    while at < len(text):
        for match, kind in rules:
            found = match(text, at)
            if not found:
                continue
            if kind is not None:
                yield kind, found.group()
            at = found.end()
            break
        else:
            raise ValueError(at)


def tokens_by_rules(rules: Any, text: Any) -> list[str]:
    return [kind + ":" + text for kind, text in by_rules(rules, text)]


def by_names(parts: Any, keywords: Any, text: Any) -> Iterator[Any]:
    line, start = 1, 0
    for found in re.finditer("|".join(f"(?P<{name}>{part})" for name, part in parts), text):
        kind, value = found.lastgroup, found.group()
        column = found.start() - start
        if kind == "LINE":
            line, start = line + 1, found.end()
            continue
        if kind == "SPACE":
            continue
        if kind == "OTHER":
            raise SyntaxError(f"{value!r} on line {line}")
        if kind == "NUMBER":
            value = float(value) if "." in value else int(value)
        elif value in keywords:
            kind = value
        yield kind, value, line, column


def tokens_by_names(parts: Any, keywords: Any, text: Any) -> list[Any]:
    return list(by_names(parts, keywords, text))


def fields(separator: str, line: Any) -> Iterator[Any]:
    for part in line.split(separator):
        part = part.strip()
        if part:
            yield part


def table(separator: str, text: Any) -> list[Any]:
    return [field.upper() for line in text.splitlines() for field in fields(separator, line)]


def words(least: int, text: Any) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in WORDS.findall(text):
        if len(word) >= least:
            counts[word.lower()] = counts.get(word.lower(), 0) + 1
    return counts


def pairs(separator: str, text: Any) -> dict[str, str]:
    found = {}
    for item in text.split(separator):
        key, _, value = item.partition("=")
        found[key.strip()] = value.strip()
    return found


def growing(separator: str, text: Any) -> list[Any]:
    """The list that is walked through is changed meanwhile: its items may be anything."""
    parts = text.split(separator)
    out: list[Any] = []
    for part in parts:
        out.append(part.upper() if type(part) is str else part)
        if len(parts) < 5:
            parts.append(len(parts))
    return out


def shared(separator: str, text: Any) -> list[Any]:
    class Holder:
        def split(self) -> Any:
            self.parts = text.split(separator)
            return self.parts

    holder = Holder()
    out: list[Any] = []
    for part in holder.split():
        out.append(part.upper() if type(part) is str else part)
        if len(out) < 5:
            holder.parts.append(len(out))
    return out


@futamura.opaque
def risky(part: Any) -> None:
    if part == "a":
        raise ValueError(part)


def changed_by_a_handler(separator: str, text: Any) -> list[Any]:
    out: list[Any] = []
    parts = text.split(separator)
    for part in parts:
        other: Any = None
        try:
            other = parts
            risky(part)
            other = []
        except ValueError:
            if len(other) < 9:
                other.append(len(other))
        out.append(part.upper() if type(part) is str else part)
    return out


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (tokens_by_rules, (RULES,)),
    (tokens_by_names, (NAMED, frozenset({"if"}))),
    (table, (",",)),
    (words, (2,)),
    (pairs, (";",)),
    (growing, (",",)),
    (shared, (",",)),
    (changed_by_a_handler, (",",)),
]
TEXTS: list[Any] = [
    *["", "foo + 12*(bar-3)", "if x\n  3.5 7 if\n", "a=1; b = 2;;c", "a, b ,,c\nd", "?", "ä+1"],
    *[b"a,b", None, 3, [1]],
]


def outcome(function: Any, *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("declared", [futamura.DYN, futamura.Dyn(str)], ids=["open", "str"])
@pytest.mark.parametrize(("function", "static"), CASES, ids=[function.__name__ for function, _ in CASES])
def test_tokens(function: Any, static: tuple[Any, ...], declared: Any) -> None:
    residual = futamura.specialize(function, *static, declared)
    assert not residual.stats["fallbacks"]
    for text in TEXTS:
        assert outcome(residual, text) == outcome(function, *static, text), (text, residual.source)
    if declared is not futamura.DYN or function in (tokens_by_rules, tokens_by_names):
        assert "call_in_generator" not in residual.source and "StopIteration" not in residual.source


class Ending:
    """A text whose methods end whoever calls them inside a generator."""

    def split(self, separator: str) -> Any:
        raise StopIteration("split")

    def splitlines(self) -> list[Any]:
        return [self]


def substituted(pattern: Any, text: Any) -> Iterator[str]:
    yield pattern.sub(lambda found: next(iter(())), text)


def all_substituted(pattern: Any, text: Any) -> list[str]:
    return list(substituted(pattern, text))


def test_what_may_end_a_generator_is_guarded() -> None:
    residual = futamura.specialize(table, ",")
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        residual(Ending())
    residual = futamura.specialize(all_substituted, WORDS)
    with pytest.raises(RuntimeError, match="generator raised StopIteration"):
        residual("a")


def test_constants_are_named_after_what_they_are_in_the_program() -> None:
    assert "_WORDS.findall(text)" in futamura.specialize(words, 2).source
    assert "_rules_item.match(text, at)" in futamura.specialize(tokens_by_rules, RULES).source
    assert " in _keywords" in futamura.specialize(tokens_by_names, NAMED, frozenset({"if", "then"})).source
