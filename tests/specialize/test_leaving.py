"""The shape of residuals of programs that make error messages: what is done on the way to an error, and what before.

for i, x in enumerate(xs):                      for i, x in enumerate(xs):
    check(x, ("$", "[%d]" % i), 1)       ->         if ...: raise Invalid(("$", "[%d]" % i), "is no number")
"""

from __future__ import annotations

import ast
import copy
import dataclasses

import futamura

from .rules import leaving
from .specializing import fallbacks, source_of, specialize


def statements(source: str, kind: type) -> list[str]:
    return [ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, kind)]


def test_paths_are_made_where_errors_are_raised() -> None:
    residual = specialize(leaving.items, low=1)
    source = source_of(residual)
    raised = statements(source, ast.Raise)
    assert not fallbacks(residual)
    assert source.count("'[%d]'") == sum("'[%d]'" in text for text in raised) >= 2
    assert all(text.startswith("raise Invalid(('$', '[%d]' % i)") for text in raised)


def test_errors_that_are_caught_are_never_made() -> None:
    def valid(low, xs):
        found = []
        for i, x in enumerate(xs):
            try:
                leaving.check(x, ("$", "[%d]" % i), low)  # noqa: UP031
            except leaving.Invalid as error:
                found.append(str(error))
        return found

    source = source_of(specialize(valid, low=2))
    assert "raise " not in source and "Invalid(" not in source
    assert "is less than 2" in source  # the text that the handler asks for


def test_a_class_is_asked_once() -> None:
    def sizes(kinds, x):
        return [name for name, kind in kinds if isinstance(x, kind)]

    kinds = (("text", str), ("number", int), ("text again", str), ("truth", bool), ("list", list))
    source = source_of(specialize(sizes, kinds=kinds))
    asked = statements(source, ast.Call)
    assert len(asked) == len(kinds) - 1
    assert "return ['text', 'text again']" in source


def closures_of_a_comprehension(n):
    made = []
    for i in range(n):
        made += [lambda: q for q in range(i)]  # noqa: B023
    return [one() for one in made]


def test_variables_of_comprehensions_that_functions_capture_in_a_loop() -> None:
    """There is no text for them yet: the original runs, and the event says why."""
    residual = futamura.specialize(closures_of_a_comprehension)
    assert residual(4) == closures_of_a_comprehension(4) == [0, 1, 1, 2, 2, 2]
    assert residual.stats["fallbacks"] == {"FT301": 1}
    assert "a comprehension in a loop" in residual.explain()


class Number:
    def __pow__(self, other):
        return NotImplemented


def raised_in_place(x):
    number = Number()
    try:
        number **= x
    except TypeError as error:
        return str(error)


def test_the_message_of_a_power_in_place() -> None:
    assert futamura.specialize(raised_in_place, 2)() == raised_in_place(2)


def mapped_if_any(xs):
    if xs:
        xs = list(map(lambda x: x, xs))  # noqa: C417


def test_an_iterator_that_a_test_and_a_comprehension_read() -> None:
    residual = futamura.specialize(mapped_if_any)
    assert not residual.stats["fallbacks"]
    rest = iter([1, 2])
    assert residual(rest) is None and list(rest) == []


def _of_calls(f, n):
    def results():
        for i in range(n):
            yield f(i)

    return tuple(results())


def test_nothing_is_assumed_of_what_we_call_ourselves() -> None:
    residual = futamura.specialize(_of_calls, n=2)
    assert residual.stats["specialized"] and "except _StopIteration" in residual.source
    assert residual(abs) == (0, 1) == _of_calls(abs, 2)
    assert not [one.place for one in residual.assumptions if one.place.startswith("futamura.")]


@dataclasses.dataclass
class Segment:
    start: object
    tags: list[object]


def _as_data(a, b):
    return dataclasses.asdict(Segment(a, [b]))


def _as_items(segment, n):
    return dataclasses.astuple(segment)[:n]


def test_a_call_in_itself_is_followed() -> None:
    residual = futamura.specialize(_as_data)
    assert "Segment" not in residual.source.partition("def _as_data")[2] and "{'start': " in residual.source
    point = Segment((1, [2]), [])
    for a, b in ((1, 2), (point, [point]), ({"k": point}, None)):
        assert residual(a, b) == _as_data(a, b)
    assert not fallbacks(residual)


def test_fields_of_a_promised_class_are_taken_one_by_one() -> None:
    residual = futamura.specialize(_as_items, segment=futamura.Dyn(Segment), n=1)
    assert "segment.start" in residual.source and "segment.tags" in residual.source
    segment = Segment(Segment(1, []), [Segment(2, [3])])
    assert residual(segment) == _as_items(segment, 1) == ((1, []),)


def _copied(x, n, text):
    return copy.copy(x), copy.deepcopy(n), copy.deepcopy((n, text)), copy.copy(text)


def test_a_copy_of_what_cannot_change_is_the_value() -> None:
    residual = futamura.specialize(_copied, n=3, text=futamura.Dyn(str))
    assert residual.source.count("copy") == 2
    for x in ([1], "a", 2.5):
        assert residual(x, "t") == _copied(x, 3, "t")
    assert residual(x := [1], "t")[0] is not x
