"""Loops over open lists beside attributes of static objects, and the classes that are guessed for open inputs.

    self.total = 0.0                        total = 0.0
    for x in xs: self.total += x      ->    for x in xs: total += x             xs: list[float]
                                            self.total = total

Invariant: an item of a list that somebody may have written since has any class.
"""

from __future__ import annotations

import pytest

import futamura
from futamura import Dyn

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Filter:
    def __init__(self, k):
        self.k = k
        self.y = 0.0

    def run(self, xs):
        self.y = 0.0
        out = []
        for x in xs:
            self.y += self.k * (x - self.y)
            out.append(self.y)
        return out

    def total(self, xs):
        self.y = 0.0
        for x in xs:
            self.y += x
        return self.y

    def kinds(self, xs, call):
        self.y = 1.0
        found = []
        for x in xs:
            call(xs)
            found.append((isinstance(x, float), self.y))
        return found

    def changed(self, xs):
        self.y = 0.0
        found = []
        for x in xs:
            found.append(isinstance(x, float))
            if len(xs) < 6:
                xs.append("text")
            self.y += 1
        return found, self.y

    def nested(self, xs):
        self.y = 0.0
        for x in xs:
            for y in xs:
                self.y += x * y
        return self.y


class Watching(float):
    """A number that looks at the filter, and changes it."""

    def __new__(cls, value, owner):
        made = float.__new__(cls, value)
        made.owner = owner
        return made

    def __radd__(self, other):
        self.owner.y += 100
        return other + float(self)

    __rmul__ = __radd__
    __rsub__ = __radd__
    __sub__ = __radd__


INPUTS = [[], [1.0, 2.5, -3.0], [1, True, 2.0]]


def outcome(function, *args):
    try:
        return repr(function(*args))
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", ["run", "total", "nested", "changed"])
@pytest.mark.parametrize("promise", [Dyn(), Dyn(list), Dyn(list[float]), Dyn(tuple)])
def test_every_list_is_right(name, promise) -> None:
    one, other = Filter(0.5), Filter(0.5)
    residual = futamura.specialize(getattr(one, name), xs=promise)
    original = getattr(other, name)
    for _ in range(2):
        for xs in (*INPUTS, ["a", 1], (1.0, 2.0), {1.0, 2.0}, "ab", 3, None):
            copied = list(xs) if isinstance(xs, list) else xs
            given = list(xs) if isinstance(xs, list) else xs
            assert outcome(residual, given) == outcome(original, copied), xs
            assert given == copied and one.y == other.y, xs
        assert outcome(residual, [1.0, Watching(2.0, one), 3.0]) == outcome(original, [1.0, Watching(2.0, other), 3.0])
        assert one.y == other.y


def test_a_promised_list_is_added_up_in_a_variable() -> None:
    source = futamura.specialize(Filter(0.5).total, xs=Dyn(list[float])).source
    loop = source.partition("for x in xs:")[2]
    assert "while" not in source and loop.count("_self") == 1 and loop.index("_self") > loop.index("+")


def test_a_list_of_any_items_is_a_for_loop() -> None:
    for name in ("total", "run"):
        source = futamura.specialize(getattr(Filter(0.5), name), xs=Dyn(list)).source
        assert "for x in xs:" in source and "while" not in source


@pytest.mark.parametrize("promise", [Dyn(), Dyn(list), Dyn(list[float])])
def test_a_list_that_is_changed_while_it_is_read(promise) -> None:
    def text(xs):
        xs[-1] = "text"

    def nothing(xs):
        pass

    one, other = Filter(1), Filter(1)
    residual = futamura.specialize(one.kinds, xs=promise)
    for call in (text, nothing):
        for xs in ([1.0, 2.0, 3.0], [1.0], []):
            assert residual(list(xs), call) == other.kinds(list(xs), call)


class Store:
    def __init__(self, k):
        self.k = k
        self.n = 0


def length(store, xs):
    store.n = 1
    found = len(xs)
    store.n += store.k
    return found, store.n


def first_two(store, xs):
    store.n = 1
    a, b = xs
    store.n += store.k
    return a, b, store.n


def shown(store, xs):
    store.n = 1
    text = f"{xs}"
    store.n += store.k
    return text, str(xs), store.n


def asked(store, xs):
    store.n = 1
    if isinstance(xs, (list, dict)):
        store.n = 2
    store.n += store.k
    return store.n


@pytest.mark.parametrize("function", [length, first_two, shown, asked])
def test_guesses_that_are_broken_again_and_again(function) -> None:
    one, other = Store(2), Store(2)
    residual = futamura.specialize(function, one)
    values = [[1, 2], "ab", 5, 2.5, (3, 4), {"a": 1, "b": 2}, None]
    for _ in range(3):
        for value in values:
            for _ in range(5):
                assert outcome(residual, value) == outcome(function, other, value)
                assert one.n == other.n
        one.k, other.k = one.k, other.k


def test_what_takes_items_is_guessed_to_be_a_list() -> None:
    for function in (length, first_two):
        (event,) = [one for one in futamura.specialize(function, Store(2)).events if one.code == "FT409"]
        assert "list" in event.reason


NFA = {"q0": {"a": ["q0", "q1"], "b": ["q0"]}, "q1": {"b": ["q2"]}, "q2": {}}


def reached(nfa, word):
    current = {"q0"}
    for letter in word:
        current = {after for state in current for after in nfa.get(state, {}).get(letter, ())}
        if not current:
            return False
    return "q2" in current


def test_a_set_that_is_asked_whether_it_is_empty_is_made_before_the_loops() -> None:
    source = futamura.specialize(reached, NFA).source
    assert source.count("for ") == 3 and "while" not in source and source.count(".add(") == 1
    for word in ("", "ab", "abbabbab", "x", "ba", ["a", "b"]):
        assert futamura.specialize(reached, NFA)(word) == reached(NFA, word)


def gathered(k, xs):
    out = []
    for x in xs:
        out.append((isinstance(x, float), x * k))
        out.insert(0, None)
    return out


def either(k, xs, which):
    out = [1.0]
    target = out if which else xs
    target.append("text")
    return [(isinstance(x, float), x) for x in xs], len(out), k


def stored(k, xs):
    out = [None] * 3
    box = [xs]
    found = []
    for x in xs:
        out[0] = x
        box[0][-1] = k
        found.append(isinstance(x, float))
    return out, found


def grown(k, xs):
    out = []
    found = []
    for x in xs:
        if len(out) == 2:
            found.append((len(out), x))
        out.append(x)
        if len(out) == 3:
            found.append([len(out), out[2], k])
            out.clear()
    return found, out


@pytest.mark.parametrize("function", [gathered, either, stored, grown])
def test_lists_that_the_residual_makes_are_no_promised_ones(function) -> None:
    promised, plain = futamura.specialize(function, "k", Dyn(list[float])), futamura.specialize(function, 2.0)
    for xs in ([], [1.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1, "a", 2.0]):
        for rest in ((True,), (False,)) if function is either else ((),):
            for residual, k in ((promised, "k"), (plain, 2.0)):
                one, other = list(xs), list(xs)
                assert outcome(residual, one, *rest) == outcome(function, k, other, *rest)
                assert one == other


def test_the_class_of_items_is_known_while_a_new_list_is_filled() -> None:
    source = futamura.specialize(gathered, 2.0, Dyn(list[float])).source
    assert "isinstance" not in source
    source = futamura.specialize(Filter(0.5).run, xs=Dyn(list[float])).source
    loop = source.partition("for x in xs:")[2].partition("return")[0]
    assert loop.count("_self") == 1 and loop.index("_self") > loop.index("append")


class Part:
    def __init__(self):
        self.size = 1


class Counted:
    def __init__(self):
        self.pc = 0
        self.rows = [1, 2]
        self.part = Part()

    def run(self, x, flag=None):
        out: list[object] = []
        self.new = 1
        if flag is None:
            out.append(f"{x}")
            if len(self.rows) > 1:
                self.rows.pop()
        else:
            self.pc += 1
            out.append(self.part.size)
        out.append((self.pc, hasattr(self, "new")))
        return out


@pytest.mark.parametrize("flags", [(0, None), (None, 0, None), (0, 0, None, 1, None)])
def test_what_a_residual_for_guesses_writes_the_other_one_sees(flags) -> None:
    one, other = Counted(), Counted()
    residual = futamura.specialize(one.run)
    for flag in flags:
        given = {} if flag is None else {"flag": flag}
        assert residual(1, **given) == other.run(1, **given)
