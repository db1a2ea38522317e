"""`match`: patterns as the primitive tests that CPython makes, in its order.

    match s:                     match_sequence s -> | next;  len s == 2 -> | next;  x, t = unpack s;
        case [x, 0] if x: A      t == 0 -> | next;  SET x;  truth x -> A | next

Names are bound after the whole pattern has matched, before the guard.

Invariant: `_match` continues in a block where the pattern holds; every way on which it does not leads to
`fail`, with nothing bound.
"""

from __future__ import annotations

import ast
from typing import Any, Final, TypeAlias

from futamura.frontend.conditions import branch_on
from futamura.frontend.draft import Draft, DraftBlock, Temp, lowers
from futamura.frontend.expressions import call_constant
from futamura.ir.ops import OPERATORS

__all__: list[str] = []

Captures: TypeAlias = "dict[str, tuple[Temp, ast.AST]]"
"""The names that the pattern has captured so far, in order, with their values."""

_CALL: Final = OPERATORS["call"]
_TRUTH: Final = OPERATORS["truth"]
_GETITEM: Final = OPERATORS["getitem"]


@lowers(ast.Match)
def match(d: Draft, node: ast.Match) -> None:
    subject = d.value(node.subject)
    after = d.new_block()
    for case in node.cases:
        following = d.new_block()
        captures: Captures = {}
        _match(d, case.pattern, subject, captures, following)
        for name, (value, place) in captures.items():
            d.store(name, value, place, copies=value == subject)
        if case.guard is not None:
            body = d.new_block()
            branch_on(d, case.guard, body, following)
            d.start(body)
        d.suite(case.body)
        if d.alive:
            d.jump(after)
        d.start(following)
        if not d.alive:
            break
    if d.alive:
        d.jump(after)
    d.start(after)


def _wildcard(node: ast.pattern) -> bool:
    return isinstance(node, ast.MatchAs) and node.name is None and node.pattern is None


def _star_wildcard(node: ast.pattern) -> bool:
    return isinstance(node, ast.MatchStar) and node.name is None


def _require(d: Draft, test: Temp, fail: DraftBlock, node: ast.AST) -> None:
    """Go on if the exact bool `test` holds."""
    following = d.new_block()
    d.terminate("branch", (test,), [(following, ()), (fail, ())], node)
    d.start(following)


def _compare(d: Draft, row: str, left: Temp, right: Temp, fail: DraftBlock, node: ast.AST) -> None:
    outcome = d.emit(OPERATORS[row], (left, right), None, node)
    _require(d, d.emit(_TRUTH, (outcome,), None, node), fail, node)


def _match(d: Draft, node: ast.pattern, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    _PATTERNS[node.__class__](d, node, subject, captures, fail)


def _capture(d: Draft, name: str, value: Temp, captures: Captures, node: ast.AST) -> None:
    captures[d.mangled(name)] = (value, node)


def _value(d: Draft, node: ast.MatchValue, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    _compare(d, "eq", subject, d.value(node.value), fail, node)


def _singleton(d: Draft, node: ast.MatchSingleton, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    _require(d, d.emit(OPERATORS["is"], (subject, d.constant(node.value, node)), None, node), fail, node)


def _as(d: Draft, node: ast.MatchAs, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    if node.pattern is not None:
        _match(d, node.pattern, subject, captures, fail)
    if node.name is not None:
        _capture(d, node.name, subject, captures, node)


def _or(d: Draft, node: ast.MatchOr, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    """Each alternative binds the same names: they meet as parameters of one block."""
    join = d.new_block()
    names: list[str] | None = None
    for position, alternative in enumerate(node.patterns):
        last = position == len(node.patterns) - 1
        following = fail if last else d.new_block()
        found: Captures = {}
        _match(d, alternative, subject, found, following)
        if names is None:
            names = list(found)
        d.jump(join, tuple(found[name][0] for name in names), alternative)
        if not last:
            d.start(following)
            if not d.alive:
                break
    assert names is not None
    join.params = tuple(d.temp() for _ in names)
    for name, temp in zip(names, join.params):
        captures[name] = (temp, node)
    d.start(join)


def _length(d: Draft, subject: Temp, node: ast.AST) -> Temp:
    return call_constant(d, len, (subject,), node)


def _sequence(d: Draft, node: ast.MatchSequence, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    patterns = node.patterns
    size = len(patterns)
    stars = [position for position, item in enumerate(patterns) if isinstance(item, ast.MatchStar)]
    _require(d, d.emit(OPERATORS["match_sequence"], (subject,), None, node), fail, node)
    if not stars:
        _compare(d, "eq", _length(d, subject, node), d.constant(size, node), fail, node)
    elif size > 1:
        _compare(d, "ge", _length(d, subject, node), d.constant(size - 1, node), fail, node)
    if all(_wildcard(item) or _star_wildcard(item) for item in patterns):
        return
    if stars and _star_wildcard(patterns[stars[0]]):
        _elements(d, node, subject, captures, fail, stars[0])
        return
    before = stars[0] if stars else size
    form = (before, bool(stars), size - before - len(stars))
    parts = d.several(OPERATORS["unpack"], (subject,), form, size, node)
    for item, part in zip(patterns, parts):
        _match(d, item, part, captures, fail)


def _elements(
    d: Draft, node: ast.MatchSequence, subject: Temp, captures: Captures, fail: DraftBlock, star: int
) -> None:
    """`[a, *_, b]` takes single items: the subject may not even support negative indices."""
    size = len(node.patterns)
    for position, item in enumerate(node.patterns):
        if position == star or _wildcard(item):
            continue
        if position < star:
            place = d.constant(position, item)
        else:
            length = _length(d, subject, item)
            place = d.emit(OPERATORS["sub"], (length, d.constant(size - position, item)), None, item)
        _match(d, item, d.emit(_GETITEM, (subject, place), None, item), captures, fail)


def _star(d: Draft, node: ast.MatchStar, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    if node.name is not None:
        _capture(d, node.name, subject, captures, node)


def _mapping(d: Draft, node: ast.MatchMapping, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    size = len(node.keys)
    _require(d, d.emit(OPERATORS["match_mapping"], (subject,), None, node), fail, node)
    if size:
        _compare(d, "ge", _length(d, subject, node), d.constant(size, node), fail, node)
    keys = [d.value(key) for key in node.keys]
    for item, part in zip(node.patterns, _lookups(d, node, subject, keys, fail)):
        _match(d, item, part, captures, fail)
    if node.rest is not None:
        rest = d.emit(OPERATORS["dict"], (subject,), (True,), node)
        for key in keys:
            d.effect(OPERATORS["delitem"], (rest, key), None, node)
        _capture(d, node.rest, rest, captures, node)


def _lookups(d: Draft, node: ast.MatchMapping, subject: Temp, keys: list[Temp], fail: DraftBlock) -> list[Temp]:
    """The values of all keys: `get` with a default that nobody else has, before any value is looked at."""
    if not keys:
        return []
    get = d.emit(OPERATORS["getattr"], (subject,), "get", node)
    distinct = len(keys) == 1 or all(isinstance(key, ast.Constant) for key in node.keys)
    seen = -1 if distinct else call_constant(d, set, (), node)
    missing = call_constant(d, object, (), node)
    values: list[Temp] = []
    for key, place in zip(keys, node.keys):
        if not distinct:
            _refuse_repeated(d, seen, key, place)
        value = d.emit(_CALL, (get, key, missing), None, place)
        _require(d, d.emit(OPERATORS["is_not"], (value, missing), None, place), fail, place)
        values.append(value)
    return values


def _refuse_repeated(d: Draft, seen: Temp, key: Temp, node: ast.AST) -> None:
    """Keys that are not constants may turn out equal."""
    repeated, following = d.new_block(), d.new_block()
    found = d.emit(_TRUTH, (d.emit(OPERATORS["in"], (key, seen), None, node),), None, node)
    d.terminate("branch", (found,), [(repeated, ()), (following, ())], node)
    d.start(repeated)
    text = d.emit(OPERATORS["format"], (key,), "r", node)
    parts = (d.constant("mapping pattern checks duplicate key (", node), text, d.constant(")", node))
    message = d.emit(OPERATORS["string"], parts, None, node)
    d.terminate("raise", (call_constant(d, ValueError, (message,), node),), [], node)
    d.start(following)
    add = d.emit(OPERATORS["getattr"], (seen,), "add", node)
    d.emit(_CALL, (add, key), None, node)


def _class(d: Draft, node: ast.MatchClass, subject: Temp, captures: Captures, fail: DraftBlock) -> None:
    cls = d.value(node.cls)
    names = tuple(node.kwd_attrs)
    patterns = [*node.patterns, *node.kwd_patterns]
    attr = (len(node.patterns), names)
    matched, *parts = d.several(OPERATORS["match_class"], (subject, cls), attr, len(patterns) + 1, node)
    _require(d, matched, fail, node)
    for item, part in zip(patterns, parts):
        if not _wildcard(item):
            _match(d, item, part, captures, fail)


_PATTERNS: Final[dict[type[ast.AST], Any]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
    ast.MatchSequence: _sequence,
    ast.MatchStar: _star,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
}
