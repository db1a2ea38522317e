"""In-source controls: no-ops when the program runs, and what each does to its specialization.

    static(x)   x open   ->   the event FT204 with the chain from `x`; an error under strict

Invariant: with or without controls, residual and original agree.
"""

from __future__ import annotations

import math
import zlib

import pytest

import futamura
import futamura as ft
from futamura import dynamic, inline, opaque, peek, promote, pure, static, unroll
from futamura.controls import is_marked
from futamura.errors import render

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
CALLS: list[object] = []


def requires(code, pc, x):
    op = static(code[pc])
    return op + x


def requires_sum(code, x):
    i = 0
    while i < len(code):
        i = static(i + 1)
    return i + x


def shadowed(static, x):
    return static(x)


def counts(n, x):
    i = dynamic(0)
    while i < n:
        i += 1
        x += i
    return x


def forgets_in_try(n, xs, zs):
    ys = zs
    try:
        ys = dynamic(zs)
        n += xs[n]
    except IndexError:
        n = 0
    return n, ys


def kept_apart(n, x):
    i = 0
    state = 0
    while x > i:
        state = promote((state + 7) % 40)
        i += 1
    return state, n


def searches(keys, wanted):
    for key in unroll(keys):
        if key == wanted:
            return "found " + key
    return None


def scans(keys, rows):
    found = []
    for row in rows:
        for key in unroll(keys):
            if row == key:
                found.append("hit " + key)
    return found


def unrolls_unknown(keys, x):
    total = x
    for key in unroll(keys):
        total += key
    return total


def peeks(n, x):
    y = peek("n", n) * 2
    return peek("sum", x + y)


@pure
def primes_below(n):
    CALLS.append(n)
    return tuple(i for i in range(2, n) if all(i % j for j in range(2, i)))


@pure
def listed(n):
    return [n]


@pure
def fails(n):
    raise ValueError(n)


def uses_pure(n, x):
    return *primes_below(n), x


def uses_pure_open(n, x):
    return primes_below(x), n


def uses_listed(n, x):
    return listed(n), x


def uses_failing(n, x):
    return fails(n) + x


@pure
def with_words(a, *, b=1):
    return a * 10 + b


def uses_words(n, x):
    return with_words(n, b=2) + x


@opaque
def secret(n):
    return n + 1


def uses_opaque(n, x):
    return secret(n) + x


@opaque
class Sealed:
    def __init__(self, n):
        self.n = n


def uses_class(n, x):
    return Sealed(n).n + x


@inline
def halves(n, x):
    if n == 0:
        return 0
    if x > n:
        return halves(n - 1, x) + 1
    return halves(n - 1, x)


def uses_inline(n, x):
    return halves(n, x)


checksum = pure(zlib.crc32)


def sums(data, x):
    return checksum(data) + x


def test_they_do_nothing_at_run_time() -> None:
    thing = object()
    assert all(control(thing) is thing for control in (static, dynamic, promote, unroll))
    assert peek("a", thing) is thing
    assert all(mark(secret) is secret for mark in (opaque,)) and secret(1) == 2


@pytest.mark.parametrize(("function", "given", "inputs"), [
    (requires, {"code": [5, 6], "pc": 1}, [(1,), (2.5,)]), (requires, {"code": [5, 6]}, [(0, 1), (1, 2)]),
    (requires_sum, {"code": (1, 2)}, [(1,)]), (counts, {"n": 5}, [(1,)]), (kept_apart, {"n": 1}, [(3,), (0,), (90,)]),
    (searches, {"keys": ("a", "b")}, [("a",), ("b",), ("c",)]),
    (scans, {"keys": ("a", "b")}, [(["b", "a", "c", "a"],)]),
    (scans, {"keys": ["a", "b"]}, [(["b", "a", "c", "a"],), ([],)]),
    (unrolls_unknown, {"x": 1}, [([1, 2],)]), (peeks, {"n": 3}, [(4,)]), (uses_pure, {"n": 9}, [(1,)]),
    (uses_pure_open, {"n": 9}, [(8,)]), (uses_words, {"n": 9}, [(8,)]), (uses_opaque, {"n": 1}, [(2,)]),
    (uses_class, {"n": 1}, [(2,)]), (uses_inline, {"n": 3}, [(2,), (9,), (0,)]), (sums, {"data": b"abc"}, [(2,)]),
    (forgets_in_try, {"n": 1, "zs": [1]}, [([],), ([1, 2],)]), (counts, {}, [(3, 4)]), (halves, {"n": 40}, [(2,)]),
])  # fmt: skip
def test_residual_and_original_agree(function, given, inputs) -> None:
    residual = futamura.specialize(function, **given)
    names = [name for name in function.__code__.co_varnames[: function.__code__.co_argcount] if name not in given]
    for values in inputs:
        expected = function(**given, **dict(zip(names, values, strict=True)))
        assert repr(residual(*values)) == repr(expected)
    assert "FT901" not in residual.stats["fallbacks"]


def test_static_says_why_not() -> None:
    residual = futamura.specialize(requires, code=[5, 6])
    assert residual.stats["fallbacks"] == {"FT204": 1}
    found = residual.diagnostics[0]
    assert found.line == requires.__code__.co_firstlineno + 1 and found.level == "error"
    text = render(found)
    assert "`static(code[pc])` must be static here but is dynamic" in text
    assert "because: `pc` is left open" in text and "^^^^" in text
    with pytest.raises(futamura.SpecializationError, match="FT204"):
        futamura.Specializer(strict=True)(requires, code=[5, 6])
    assert futamura.Specializer(strict=True)(requires, code=[5, 6], pc=0)(1) == 6


def test_recognized_by_identity_not_by_name() -> None:
    residual = futamura.specialize(shadowed, static=abs)
    assert residual(-3) == 3 and residual.events == ()

    def renamed(x, n):
        return ft.static(x) + n

    assert futamura.specialize(renamed, n=1).stats["fallbacks"] == {"FT204": 1}


def test_dynamic_generalizes() -> None:
    residual = futamura.specialize(counts, n=5)
    assert "while" in residual.source and residual.stats["fallbacks"] == {}


def test_promote_tells_versions_apart() -> None:
    residual = futamura.specialize(kept_apart, n=1)
    assert residual.stats["versions"] >= 40 and "%" not in residual.source


def test_unroll_unrolls_and_says_when_it_cannot() -> None:
    assert "for " not in futamura.specialize(searches, keys=("a", "b")).source
    residual = futamura.specialize(scans, keys=("a", "b", "c"))
    assert residual.source.count("for ") == 1 and "hit b" in residual.source
    found = futamura.specialize(unrolls_unknown, x=1).diagnostics
    assert [item.code for item in found] == ["FT205"] and "`keys` is left open" in found[0].because[-1].text


def test_peek_reports() -> None:
    residual = futamura.specialize(peeks, n=3)
    assert [event.reason for event in residual.events] == ["n is static: 3", "sum is dynamic"]
    assert residual.stats["fallbacks"] == {} and residual.stats["notes"] == {"FT206": 2}


def test_pure_is_run_once_and_early() -> None:
    CALLS.clear()
    residual = futamura.specialize(uses_pure, n=9)
    assert CALLS == [9] and "primes_below" not in residual.source and residual(1) == (2, 3, 5, 7, 1)
    assert CALLS == [9]
    assert "crc" not in futamura.specialize(sums, data=b"abc").source
    assert "92" in futamura.specialize(uses_words, n=9).source


def test_pure_never_shares_what_can_change_and_never_raises_early() -> None:
    residual = futamura.specialize(uses_listed, n=1)
    assert residual(0)[0] is not residual(0)[0]
    residual = futamura.specialize(uses_failing, n=1)
    with pytest.raises(ValueError, match="1"):
        residual(1)


def test_opaque_is_left_alone() -> None:
    assert "secret(1)" in futamura.specialize(uses_opaque, n=1).source
    assert "Sealed(1)" in futamura.specialize(uses_class, n=1).source
    assert futamura.specialize(secret, n=1)() == 2


def test_inline_unfolds_recursion_under_dynamic_control() -> None:
    assert futamura.specialize(uses_inline, n=4).source.count("def ") == 1


def test_what_can_be_marked() -> None:
    for mark in (pure, opaque, inline):
        with pytest.raises(TypeError, match="takes a function"):
            mark(5)
        with pytest.raises(TypeError, match="cannot be marked"):
            mark(str.upper)
    assert is_marked(zlib.crc32, "pure") and not is_marked(math.sqrt, "pure") and not is_marked([], "pure")


# --- what is declared ---

RATES = {"tea": [3, 4]}
MEMO: dict[object, object] = {}


def add_rate(name, value):
    RATES[name] = value


def rated(name, x):
    return RATES[name][0] * x


def shows(name, x):
    print(RATES)
    return RATES[name][1] + x


def test_a_frozen_object_is_static_though_its_module_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "['tea']" in futamura.specialize(rated, name="tea").source
    for frozen in (RATES, f"{__name__}.RATES"):
        special = futamura.Specializer(frozen=[frozen])
        residual = special(rated, name="tea")
        assert "tea" not in residual.source and residual(5) == 15
        residual = special(shows, name="tea")
        assert residual(5) == 9 and "tea" not in residual.source
    assert capsys.readouterr().out == f"{RATES}\n" * 2


@pytest.mark.parametrize("name", ["no_such_module.x", "math.no_such_name"])
def test_a_declared_name_that_is_not_there(name: str) -> None:
    with pytest.raises(ValueError, match="no"):
        futamura.Specializer(frozen=[name])
