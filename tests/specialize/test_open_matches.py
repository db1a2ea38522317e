r"""Matches that are open, of patterns that are known: the names of their groups are known.

    m = RULE.match(path)      {k: CONVERT[k](v) for k, v in m.groupdict().items()}     ->     {"id": int(m["id"])}

Invariant: what may be None, or of another pattern, is asked at run time; the dict of all groups is made by the match.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from .adventure import play
from .specializing import fallbacks, source_of, specialize

RULE = re.compile(r"/(?P<id>\d+)/(?P<name>\w+)(x)?$")
OTHER = re.compile(r"(?P<name>[a-z]+)|(?P<id>\d+)")
CONVERT = {"id": int, "name": str.title}
TEXTS = ["/1/ab", "/22/x", "/1/bx", "ab", "7", "", "/1"]


def converted(rule: re.Pattern[str], text: str) -> Any:
    m = rule.match(text)
    if m:
        return {name: CONVERT[name](value) for name, value in m.groupdict().items()}
    return None


def show(request: str, id: str, name: str = "none") -> str:
    return f"{request}: {id.upper()} {name}"


def dispatched(rules: Any, text: str) -> Any:
    for rule, handler in rules:
        m = rule.match(text)
        if m is not None:
            return handler(text, **m.groupdict())
    return "none"


def given(rule: re.Pattern[str], text: str) -> Any:
    if (m := rule.search(text)) is not None:
        return list(m.groupdict("-").items()) + list(m.groupdict(default=None).items()), list(m.groupdict("+"))
    return text


def changed(rule: re.Pattern[str], text: str) -> Any:
    m = rule.fullmatch(text)
    if not m:
        return m
    found = m.groupdict()
    for name, value in found.items():
        found[name] = (value or "") + "!"
    found["more"] = m["id"]
    return found


def filtered(rule: re.Pattern[str], text: str) -> Any:
    return [
        (list(m.groupdict()), {name: value for name, value in m.groupdict().items() if value is not None})
        for m in rule.finditer(text)
    ]


def taken(rule: re.Pattern[str], text: str) -> Any:
    if m := rule.match(text):
        groups = m.groups()
        return len(groups), groups, m[1], m["name"], m.group("id"), m[0]
    return None


@pytest.mark.parametrize("function", [converted, given, changed, filtered, taken])
@pytest.mark.parametrize("rule", [RULE, re.compile(r"/(?P<name>\w+)/(?P<id>\w+)"), re.compile(r"(?P<id>(?P<name>7))")])
def test_names_of_groups_are_known(function: Callable[..., Any], rule: re.Pattern[str]) -> None:
    residual = specialize(function, rule=rule)
    assert not fallbacks(residual)
    for text in TEXTS:
        assert _outcome(residual, text) == _outcome(function, rule, text)
    assert "groupdict" not in source_of(residual)


@pytest.mark.parametrize("function", [converted, given, changed, filtered, taken])
def test_groups_that_take_no_part_are_none(function: Callable[..., Any]) -> None:
    residual = specialize(function, rule=OTHER)
    for text in [*TEXTS, "ab7c"]:
        assert _outcome(residual, text) == _outcome(function, OTHER, text)
    assert ("groupdict('-')" in source_of(residual)) is (function is given)


def _outcome(function: Callable[..., Any], *args: Any) -> object:
    try:
        return repr(function(*args))
    except (TypeError, ValueError, IndexError) as error:
        return type(error), str(error)


def test_handlers_are_entered_with_the_groups() -> None:
    rules = ((RULE, show), (re.compile("(?P<id>[a-z]+)"), show), (re.compile("(?P<name>7)"), lambda _, name: name))
    residual = specialize(dispatched, rules)
    source = source_of(residual)
    assert "groupdict" not in source and "show" not in source and "**" not in source
    for text in TEXTS:
        assert residual(text) == dispatched(rules, text)


def looked_at(rule: re.Pattern[str], text: str, log: Callable[[object], object]) -> Any:
    m = rule.match(text)
    if m:
        found = m.groupdict()
        log("before")
        if found["id"] == "1":
            return log(found)
        return list(m.groupdict().values()), found is m.groupdict()
    return m


def test_the_dict_as_a_whole_is_what_the_match_gives() -> None:
    residual = specialize(looked_at, rule=RULE)
    assert source_of(residual).count("groupdict") == 1
    for text in TEXTS:
        log: list[object] = []
        wanted: list[object] = []
        assert residual(text, log.append) == looked_at(RULE, text, wanted.append)
        assert log == wanted


def one_of_two(text: str, flag: bool) -> Any:
    m = RULE.match(text) if flag else OTHER.match(text)
    if m:
        return list(m.groupdict()), m.groupdict(), len(m.groups())
    return None


def not_tested(text: str, flag: bool) -> Any:
    m = RULE.match(text)
    if flag or m:
        return [(name, value) for name, value in m.groupdict().items()]  # type: ignore[union-attr]
    return m


def again(text: str, flag: bool) -> Any:
    m = RULE.match(text)
    for part in text.split("/"):
        if m:
            return [name for name in m.groupdict()], m["name"], part  # noqa: C416
        m = OTHER.match(part)
    return flag


def missing(text: str, flag: bool) -> Any:
    m = OTHER.match(text)
    if m:
        return m["id"] if flag else m["none"]
    return m


@pytest.mark.parametrize("function", [one_of_two, not_tested, again, missing])
def test_what_is_not_certain_is_asked(function: Callable[..., Any]) -> None:
    residual = specialize(function)
    for text in TEXTS:
        for flag in (True, False):
            assert _failure(residual, text, flag) == _failure(function, text, flag)


def _failure(function: Callable[..., Any], *args: Any) -> object:
    try:
        return repr(function(*args))
    except (AttributeError, IndexError) as error:
        return type(error), str(error)


class Text(str):
    pass


def test_texts_are_plain_whatever_class_the_pattern_has() -> None:
    rule = re.compile(Text(r"/(?P<id>\w+)/(?P<name>\w+)"))

    def kinds(text: str) -> Any:
        m = rule.match(text)
        return m and (type(m.group()), type(m.group("id")), type(m["id"]), [type(v) for v in m.groupdict().values()])

    assert specialize(kinds)(Text("/1/2")) == kinds(Text("/1/2"))


def in_buffer(text: Any) -> Any:
    m = re.match(rb"(?P<first>.)", text)
    if m:
        found = m.groupdict()
        text[0] = 65
        return found["first"], m["first"]
    return None


def test_buffers_are_read_when_the_match_is_asked() -> None:
    residual = specialize(in_buffer)
    assert residual(bytearray(b"xy")) == in_buffer(bytearray(b"xy")) == (b"x", b"A")


def test_patterns_are_looked_into_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule = re.compile(r"(?P<id>[[a]+)(?P<name>b)", re.DEBUG)
    capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        residual = specialize(converted, rule=rule)
        assert specialize(taken, rule, "ab")() == taken(rule, "ab")
    assert capsys.readouterr().out == ""
    assert "groupdict" not in source_of(residual)


BYTES = re.compile(rb"(a)(b)")
def test_groups_are_arguments() -> None:
    world = {"hall": {"north": "cave"}, "cave": {"south": "hall"}}
    residual = specialize(play, world)
    assert "groups" in residual.source
    assert "Adventure" not in residual.source
    walk = ["look", "go north", "go north", "look", "go south"]
    for texts in (walk, ["put lamp", "put lamp on table", "x"], [], "ab"):
        assert residual(texts) == play(world, texts)


def classes_of_groups(value: Any) -> Any:
    found = BYTES.match(value)
    if not found:
        return None
    one, other = found.groups()
    return isinstance(one, bytes), isinstance(other, str), type(one).__name__, [one, other]


def test_groups_of_bytes_are_bytes() -> None:
    residual = specialize(classes_of_groups)
    for value in (b"ab", b"ba", bytearray(b"ab")):
        assert residual(value) == classes_of_groups(value)
