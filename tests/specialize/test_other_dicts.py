"""`OrderedDict` and `Counter` made by the code: what they hold is known, as that of dicts is."""

from __future__ import annotations

import copy
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

import futamura


def changed(text: str, x: Any) -> Any:
    d = OrderedDict(a=1, b=x)
    d["c"] = 3
    d["a"] = 9
    del d["b"]
    d["b"] = x
    for char in text:
        d[char] = x
    return list(d), list(d.items()), d["a"], d.get("z"), d.pop("c"), len(d), "a" in d, d


def moved(text: str, x: Any) -> Any:
    d = OrderedDict([(char, x) for char in text])
    d.move_to_end(text[0])
    return list(d.items()), d.popitem(last=False), d.popitem(), d


def compared(text: str, x: Any) -> Any:
    one, other = OrderedDict(a=1, b=x), OrderedDict(b=x, a=1)
    return one == other, one == dict(other), one == OrderedDict(a=1, b=x), repr(one), f"{other}", str(OrderedDict())


def kinds(text: str, x: Any) -> Any:
    d = OrderedDict(a=1)
    other = d.copy()
    other[text] = x
    d.update({"q": x})
    d.setdefault("w", []).append(x)
    return type(other), other, d, isinstance(d, dict), type(d) is dict, dict(d), list(reversed(d)), type(d.items())


def attribute(text: str, x: Any) -> Any:
    d = OrderedDict()
    d.kept = x  # type: ignore[attr-defined]
    return d.kept, d  # type: ignore[attr-defined]


def missing(text: str, x: Any) -> Any:
    d = OrderedDict([(text, x)])
    try:
        return d["zz"]
    except KeyError as error:
        return error.args


def merged(text: str, x: Any) -> Any:
    d: Any = OrderedDict.fromkeys(text, x)
    d |= {"c": 1}
    return d, OrderedDict(d), {**d}, d | {"z": 1}, copy.copy(d), bool(OrderedDict()), OrderedDict(x)


def counted(text: str, x: Any) -> Any:
    c = Counter(text)
    c["a"] += x
    return c["a"], c["zz"], c.most_common(1), sum(c.values()), c


def subtracted(text: str, x: Any) -> Any:
    c = Counter({"a": 1})
    c.subtract(text)
    c.update(x)
    return c, dict(Counter(text) + Counter("ab")), x


class Own(Counter[str]):
    def get(self, key: str, default: Any = None) -> Any:
        return 10


def own(text: str, x: Any) -> Any:
    return Own(text)["a"], x


FUNCTIONS = [changed, moved, compared, kinds, attribute, missing, merged, counted, subtracted, own]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("text", ["abca", "a"])
def test_they_are_as_they_would_be(function: Callable[..., Any], text: str) -> None:
    residual = futamura.specialize(function, text)
    assert not residual.stats["fallbacks"]
    for x in (1, "ab", [("p", 3)], {"p": 3}):
        ours, theirs = outcome(residual, copy.deepcopy(x)), outcome(function, text, copy.deepcopy(x))
        assert repr(ours) == repr(theirs)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def replaced(pattern: str, y: int) -> str:
    codes = OrderedDict([("YY", str(y)), ("Y", "y")])
    out, at = [], 0
    while at < len(pattern):
        for code, text in codes.items():
            if pattern.startswith(code, at):
                out.append(text)
                at += len(code)
                break
        else:
            out.append(pattern[at])
            at += 1
    return "".join(out)


def weighed(text: str, y: int) -> int:
    return sum(count * y for count in Counter(text).values())


def test_loops_over_them_are_gone() -> None:
    residual = futamura.specialize(replaced, "YY-Y")
    assert "while" not in residual.source and "for" not in residual.source.replace("def", "")
    assert residual(7) == replaced("YY-Y", 7)
    residual = futamura.specialize(weighed, "abca")
    assert "Counter" not in residual.source
    assert residual(3) == 12
