"""Where a residual compares open texts again and again, it is made once more for the classes that annotations and uses
of its inputs suggest: calls with these run it, all others one that is made without them.

Invariant: no input is treated as if it had a class that is only likely, unless it has.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import futamura
import futamura.api
from futamura import Dyn, Specializer
from futamura.specializer.policy import Budget
from tests.specialize.specializing import fallbacks

WORDS = ["users", "posts", "about", "login", "logout", "tags", "feeds", "admin"]


class Route:
    def __init__(self, method: str, pattern: str, name: str) -> None:
        self.method = method
        self.parts = pattern.strip("/").split("/")
        self.name = name


ROUTES = [
    *(Route("GET", f"/{word}", word) for word in WORDS),
    *(Route("POST", f"/{word}", f"new {word}") for word in WORDS[:4]),
    *(Route("GET", f"/{word}/{{id}}", f"one {word}") for word in WORDS),
]


def dispatch(routes, method, path):  # type: ignore[no-untyped-def]  # what the uses suggest
    segments = path.strip("/").split("/")
    allowed = []
    for route in routes:
        if len(route.parts) != len(segments):
            continue
        found = {}
        for want, have in zip(route.parts, segments):
            if want.startswith("{"):
                found[want[1:-1]] = have
            elif want != have:
                break
        else:
            if route.method == method:
                return route.name, found
            allowed.append(route.method)
    return (405, allowed) if allowed else (404, [])


def command(table: Any, text: str, size: int) -> Any:
    """Annotated; nothing that is done with `text` and `size` says more."""
    key = text + "!"
    for word, least, found in table:
        if key == word and least == size:
            return found
    return None


class Text(str):
    """A str that looks like another one."""

    def strip(self, chars: Any = None, /) -> Any:
        return Text("/users")

    def split(self, *args: Any) -> Any:  # type: ignore[override]
        return [Segment("x")]

    def __getitem__(self, index: Any) -> Any:
        return Segment("u")


class Segment(str):
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> Any:
        SEEN.append(other)
        return len(SEEN) % 7 == 0

    def __ne__(self, other: object) -> Any:
        SEEN.append(("!=", other))
        return len(SEEN) % 5 != 0


SEEN: list[Any] = []
CALLS = [
    ("GET", "/users"), ("GET", "/tags/7"), ("PUT", "/login"), ("POST", "/posts/"), ("GET", "/nothing"), ("GET", ""),
    ("GET", "/users/7/8"), (None, "/users"), (7, "/posts"), ("GET", Text("/x")), (Text("GET"), "/users"),
    (Segment("GET"), "/feeds"), (Segment("GET"), Text("/x")), ("GET", b"/users"), ("GET", None), ("GET", 5),
]  # fmt: skip


def result(call: Any, *args: Any) -> Any:
    SEEN.clear()
    try:
        found = call(*args)
    except Exception as error:
        return type(error), str(error), list(SEEN)
    return type(found), found, list(SEEN)


def test_the_tests_become_a_tree() -> None:
    residual = futamura.specialize(dispatch, routes=ROUTES)
    declared = futamura.specialize(dispatch, routes=ROUTES, method=Dyn(str), path=Dyn(str))
    assert residual.source == declared.source and residual.stats["notes"]["FT409"] == 2
    assert not fallbacks(residual)
    assert any("method is exactly str" in event.reason for event in residual.events)


@pytest.mark.parametrize("how", ["usual", "strict", "pickled", "method", "trusted"])
def test_inputs_of_other_classes(how: str) -> None:
    inputs: dict[str, Any] = {"method": Dyn(str)} if how == "method" else {}
    maker = Specializer(strict=how == "strict", assume="trust" if how == "trusted" else "check")
    residual: Any = maker(dispatch, routes=ROUTES, **inputs)
    if how == "pickled":
        residual = pickle.loads(pickle.dumps(residual))
    for given in (*CALLS, *CALLS):
        assert result(residual, *given) == result(dispatch, ROUTES, *given), given
    for given in (("GET",), (), ("GET", "/", 3)):
        with pytest.raises(TypeError):
            residual(*given)


def test_an_annotation_that_is_wrong() -> None:
    table = [(f"{word}!", size, word) for word in WORDS[:6] for size in (1, 2, 3, 4, 5)]
    residual = futamura.specialize(command, table=table)
    assert residual.stats["notes"].get("FT409") == 2
    for text in ("users", "tags", "", b"users", ["login"], Text("posts"), Segment("about"), None, 5, {}):
        for size in (2, True, 3.0, None, 9):
            assert result(residual, text, size) == result(command, table, text, size), (text, size)


def test_a_saved_residual_takes_all_classes(tmp_path: Path) -> None:
    path = futamura.specialize(dispatch, routes=ROUTES).save(tmp_path / "saved_routes.py")
    assert "exactly" not in path.read_text()
    code = "import saved_routes as s; print(s.dispatch('GET', '/users'), s.dispatch(7, '/tags'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == f"{dispatch(ROUTES, 'GET', '/users')} {dispatch(ROUTES, 7, '/tags')}\n"


class Table:
    def __init__(self, words: list[tuple[str, int]]) -> None:
        self.words = words
        self.most = 3
        self.last: Any = None

    def find(self, text: Any, size: int) -> Any:
        key = text.strip()
        for word, least in self.words:
            if key == word and size > least:
                self.last = word
                return word, self.last
        return None, self.last

    def learn(self, text: Any, size: int) -> Any:
        key = text.strip()
        if type(text) is not str:
            self.most = key
        for word, least in self.words:
            if key == word and size > least:
                return word, self.most
        return None, self.most


class Odd:
    def __init__(self, text: str) -> None:
        self.text = text

    def strip(self) -> Any:
        return self.text


@pytest.mark.parametrize("name", ["find", "learn"])
def test_a_residual_that_changes_static_objects(name: str) -> None:
    """What calls with other classes change is seen in the next ones."""
    words = [(word, least) for word in WORDS for least in (1, 2, 3)]
    mine, theirs = Table(words), Table(words)
    residual = futamura.specialize(getattr(mine, name))
    for given in ("users", "x", Odd("tags"), "users", Odd("x"), "x", Odd("more"), "x", " feeds"):
        for size in (2, 2.5, 0):
            assert result(residual, given, size) == result(getattr(theirs, name), given, size), given
            assert vars(mine) == vars(theirs)


MATRIX = [[1.0, 2.0, 0.5], [3.0, 1.0, 0.25], [0.5, 0.25, 4.0]]


def product(matrix: Any, xs: Any) -> Any:
    if len(xs) != len(matrix[0]):
        raise ValueError("size")
    out = []
    for row in matrix:
        total = 0.0
        for a, b in zip(row, xs):
            total += a * b
        out.append(total)
    return out


def spelled(pattern: Any, text: Any) -> Any:
    found = []
    for want, have in zip(pattern, text):
        if have == want:
            found.append(want)
    for want, have in zip(pattern[1:], text):
        if have == want:
            found.append(want)
    return found


class Shrinking:
    """A factor that changes the list that it is in."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __rmul__(self, other: Any) -> Any:
        SEEN.append(other)
        del self.items[1:]
        return other

    def __repr__(self) -> str:
        return "Shrinking"


class Numbers(list):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        SEEN.append("iter")
        return iter([7.0, 8.0])


WHOLE = [[1, 2, 5], [3, 1, 4], [5, 2, 4]]


@pytest.mark.parametrize(("matrix", "kind"), [(MATRIX, "list[float]"), (WHOLE, "list")])
@pytest.mark.parametrize("how", ["usual", "strict", "pickled"])
def test_items_that_are_taken_one_by_one(how: str, matrix: Any, kind: str) -> None:
    residual = Specializer(strict=how == "strict")(product, matrix=matrix)
    assert [event.reason for event in residual.events] == [
        f"the residual is for calls where xs is exactly {kind} of length 3"
    ]
    assert "_iterated" not in residual.source
    residual = pickle.loads(pickle.dumps(residual)) if how == "pickled" else residual
    shrinking: list[Any] = [1.0, 2.0, 3.0]
    shrinking[1] = Shrinking(shrinking)
    for given in (
        [1.0, 2.0, 3.0], [0.1, 1e308, float("nan")], [1.0, 2.0], [1.0, 2.0, 3.0, 4.0],
        (1.0, 2.0, 3.0), [1, True, "x"], [None] * 3, {1.0: 1, 2.0: 2, 3.0: 3}, "abc", None,
        Numbers([1.0, 2.0, 3.0]), range(3), shrinking,
    ):  # fmt: skip
        again = list(given) if type(given) is list else given
        if again and again is not given and type(again[1]) is Shrinking:
            again[1] = Shrinking(again)
        assert repr(result(residual, given)) == repr(result(product, matrix, again))


def test_letters_are_those_of_a_text() -> None:
    residual = futamura.specialize(spelled, pattern="abcd")
    assert "text is exactly str" in str([event.reason for event in residual.events])
    for given in ("abcd", "aacd", "", "a", ["a", "b"], (Segment("a"), "a"), Text("abc"), b"abcd", None, iter("abcd")):
        again = iter("abcd") if type(given) is type(iter("x")) else given
        assert result(residual, given) == result(spelled, "abcd", again), given


STEPS = {("km", "m"): 1000.0, ("m", "cm"): 100.0, ("mile", "km"): 1.609344, ("ft", "cm"): 30.48}


def factor(steps: Any, source: Any, target: Any, seen: Any = ()) -> Any:
    if source == target:
        return 1.0
    for (one, other), times in steps.items():
        for near, far, by in ((one, other, times), (other, one, 1 / times)):
            if near == source and far not in seen:
                rest = factor(steps, far, target, (*seen, source))
                if rest is not None:
                    return by * rest
    return None


def converted(steps: Any, target: Any, source: Any, value: Any) -> Any:
    found = factor(steps, source, target)
    if found is None:
        raise ValueError(f"{source} -> {target}")
    return value * found


def test_what_comes_to_no_end_otherwise() -> None:
    """Each comparison with an open unit may run code, so nothing is learned from one."""
    residual = futamura.specialize(converted, steps=STEPS, target="ft")
    assert residual.stats["notes"] == {"FT409": 1} and not fallbacks(residual)
    assert "source is exactly str" in residual.events[-1].reason
    for unit in ("km", "ft", "mile", "", "in", Segment("m"), Text("cm"), None, 7, ("km",), b"km", ["m"]):
        assert result(residual, unit, 3) == result(converted, STEPS, "ft", unit, 3), unit


def test_a_time_limit_is_for_both_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []
    specialized = futamura.api.specialize_function

    def watched(*args: Any, budget: Any, **options: Any) -> Any:
        limits.append(budget.seconds)
        return specialized(*args, budget=budget, **options)

    monkeypatch.setattr(futamura.api, "specialize_function", watched)
    residual = Specializer(budget=Budget(seconds=1_000.0))(dispatch, routes=ROUTES)
    assert residual.stats["notes"]["FT409"] == 2
    assert limits[0] == 1_000.0 and 0 < limits[1] < 1_000.0


def test_few_comparisons_are_not_worth_it() -> None:
    residual = futamura.specialize(dispatch, routes=ROUTES[:3])
    assert "FT409" not in residual.stats["notes"]


def _texts_written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of residuals that are written from now on."""
    texts: list[str] = []
    written = futamura.api.residual_text

    def counted(*args: Any) -> Any:
        emitted = written(*args)
        texts.append(emitted.text)
        return emitted

    monkeypatch.setattr(futamura.api, "residual_text", counted)
    return texts


def test_the_other_residual_is_written_when_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = _texts_written(monkeypatch)
    residual = futamura.specialize(dispatch, routes=ROUTES)
    assert residual("GET", "/tags/7") == dispatch(ROUTES, "GET", "/tags/7")
    assert texts == [residual.source]
    for given in (*CALLS, *CALLS):
        assert result(residual, *given) == result(dispatch, ROUTES, *given), given
    assert len(texts) == 2 and texts[1] != residual.source


def test_what_was_assumed_may_be_otherwise_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is noted of classes and globals when a residual is written must not be what they became since."""
    monkeypatch.setattr(Route, "wanted", lambda self, index: self.parts[index], raising=False)

    def by_method(routes: Any, method: Any, path: Any) -> Any:
        segments = path.strip("/").split("/")
        for route in routes:
            if len(route.parts) == len(segments) and route.method == method:
                for index, have in enumerate(segments):
                    if route.wanted(index) != have and not route.wanted(index).startswith("{"):
                        break
                else:
                    return route.name
        return None

    texts = _texts_written(monkeypatch)
    residual = futamura.specialize(by_method, routes=ROUTES)
    assert residual("GET", "/tags") == "tags" and len(texts) == 1
    with monkeypatch.context() as changed:
        changed.setattr(Route, "wanted", lambda self, index: "x")
        for path in (Text("/x"), "/x", "/tags"):
            assert result(residual, "GET", path) == result(by_method, ROUTES, "GET", path), path
        assert len(texts) == 1
    for path in (Text("/x"), "/x", "/tags", Text("/tags")):
        assert result(residual, "GET", path) == result(by_method, ROUTES, "GET", path), path
    assert len(texts) == 2
    with monkeypatch.context() as changed:
        changed.setattr(Route, "wanted", lambda self, index: "x")
        for path in (Text("/x"), "/x", "/tags"):
            assert result(residual, "GET", path) == result(by_method, ROUTES, "GET", path), path


def test_the_other_residual_is_needed_deep_inside() -> None:
    residual = futamura.specialize(dispatch, routes=ROUTES)

    def deep(count: int) -> Any:
        return deep(count - 1) if count else residual("GET", Text("/x"))

    left = sys.getrecursionlimit() - 120
    SEEN.clear()
    try:
        found = deep(left)
    except RecursionError:
        found = None
    SEEN.clear()
    assert found in (None, dispatch(ROUTES, "GET", Text("/x")))
    for given in CALLS:
        assert result(residual, *given) == result(dispatch, ROUTES, *given), given


class Shelf:
    def __init__(self) -> None:
        self.start, self.steps = 3, [4]


def _stocked(shelf: Any) -> int:
    return 0


def _restocked(shelf: Any) -> int:
    shelf.steps[0] += 10
    return 0


def shelved(shelf: Any, words: Any, word: Any) -> Any:
    found = _stocked(shelf) + shelf.start * 2
    if type(word) is list:
        word.append(found)
        return found, shelf.steps[0] * 3
    for at, one in enumerate(words):
        if word == one or word == one + "s" or one + "er" == word:
            return found, at
    return found, None


def test_what_only_the_other_residual_believes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is changed, and no longer in doubt, before that one is written."""
    ours, theirs, words = Shelf(), Shelf(), tuple(WORDS)
    residual: Any = futamura.specialize(shelved, shelf=ours, words=words)
    for helper in (_stocked, _restocked, _stocked):
        monkeypatch.setitem(globals(), "_stocked", helper)
        for word in ("users", "tags", *(([], [1]) if helper is _restocked else ())):
            assert residual(word) == shelved(theirs, words, word), (helper, word)
    for word in ("users", [], "tags", [1], "user"):
        assert residual(word) == shelved(theirs, words, word), word
