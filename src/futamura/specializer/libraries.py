"""Functions of the standard library: patterns, binary layouts, and iterators over known items.

re.compile("a+")               ->    the pattern, a constant
re.match("a+", text)           ->    a_plus.match(text)
struct.Struct("<Bh").size      ->    3
itertools.product((1, 2), xs)  ->    a virtual iterator, xs of known shape
ast.literal_eval("[1, 'a']")   ->    [1, 'a'], a new list each time
string.Formatter().parse(TEXT) ->    a virtual iterator, TEXT known
copy.deepcopy(3), copy.copy(n) ->    3, n (an int)

Invariant: only what has no effect and depends on nothing but its known arguments is done now; an iterator that somebody
could look at is made by the library after all.
"""

from __future__ import annotations

import _string  # type: ignore[import-not-found]
import ast
import copy
import itertools
import re
import struct
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.attributes import load_attribute
from futamura.specializer.calls import call_value
from futamura.specializer.machine import Machine
from futamura.specializer.models import HANDLED, KEYWORD_MODELS, METHODS, Keywords, iterable_items, iterator_over
from futamura.specializer.purity import deep
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.stepping import STEPS, stepping
from futamura.specializer.values import AbstractValue, Known, Virtual, VObject

__all__: list[str] = []

# -- patterns

_LONGEST_PATTERN: Final = 2_000


def _pattern(value: AbstractValue, flags: AbstractValue) -> re.Pattern[Any] | None:
    """The compiled pattern, if it is known; a pattern that is wrong stays, to fail when it runs."""
    if type(value) is not Known or type(flags) is not Known:
        return None
    text = value.value
    if type(text) is re.Pattern:
        return text if type(flags.value) is int and flags.value == 0 else None
    if type(text) not in (str, bytes) or type(flags.value) not in (int, re.RegexFlag):
        return None
    assert isinstance(text, (str, bytes)) and isinstance(flags.value, int)
    if len(text) > _LONGEST_PATTERN or flags.value & re.DEBUG:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a warning is an effect
        try:
            return re.compile(text, flags.value)
        except (re.error, ValueError, OverflowError, RecursionError, Warning):
            return None


def _flags(args: list[AbstractValue], at: int, keywords: Keywords) -> AbstractValue | None:
    """The argument `flags`, given by its place or by name; None if there are others that we do not know."""
    if len(args) > at + 1 or (keywords and (len(keywords) > 1 or keywords[0][0] != "flags" or len(args) > at)):
        return None
    return keywords[0][1] if keywords else args[at] if len(args) > at else Known(0)


def _compile(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    flags = _flags(args, 1, keywords)
    found = None if flags is None or not args else _pattern(args[0], flags)
    return None if found is None else Known(found)


def _method_of_pattern(function: Callable[..., object], count: int, most: str = "") -> None:
    """`function(pattern, ...)` with `count` further arguments is a method of the pattern; one that is named `most` and
    says how often may stand between them and the flags."""
    name = function.__name__

    def model(
        m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
    ) -> AbstractValue | None:
        often = [value for key, value in keywords if key == most]
        given = [*args[1 : count + 1], *often]
        flags = _flags(args, count + 1, [(key, value) for key, value in keywords if key != most])
        if flags is None or len(args) < count + 1 or (most and len(args) > count + 1):
            return None
        found = _pattern(args[0], flags)
        if found is None:
            return None
        loaded = load_attribute(m, frame, op, Known(found), name)
        assert loaded is not None and not isinstance(loaded, str)
        call_value(m, frame, op, loaded, given, [])
        return HANDLED

    KEYWORD_MODELS[function] = model


KEYWORD_MODELS[re.compile] = _compile
for _function in (re.match, re.search, re.fullmatch, re.findall, re.finditer):
    _method_of_pattern(_function, 1)
_method_of_pattern(re.split, 1, "maxsplit")
_method_of_pattern(re.sub, 2, "count")
_method_of_pattern(re.subn, 2, "count")


# -- binary layouts


def _layout(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    if keywords or len(args) != 1 or type(args[0]) is not Known or type(args[0].value) not in (str, bytes):
        return None
    try:
        return Known(struct.Struct(args[0].value))  # type: ignore[arg-type]
    except (struct.error, UnicodeEncodeError, MemoryError):
        return None


KEYWORD_MODELS[struct.Struct] = _layout


# -- iterators over known items


def _items(m: Machine, value: AbstractValue, lazily: bool) -> tuple[AbstractValue, ...] | None:
    """The items of a container of known shape; one that may change is taken only by who takes all at once."""
    entry = m.state.object(value)
    if entry is not None and entry.kind not in (("tuple",) if lazily else ("tuple", "list")):
        return None
    if lazily and exact_type(m, value) not in (tuple, str, bytes, range):
        return None
    return iterable_items(m, value)


def _row(m: Machine, frame: Frame, items: Iterable[AbstractValue]) -> AbstractValue:
    """A tuple of these items."""
    found = tuple(items)
    if all(type(item) is Known and deep(item.value) for item in found):
        return Known(tuple(item.value for item in found if type(item) is Known))
    return m.virtual(VObject("tuple", tuple, found, site=(site(frame), "row")))


def _over(m: Machine, frame: Frame, cls: type, items: list[AbstractValue]) -> AbstractValue | None:
    if site(frame) in m.refused:
        return None
    source = m.virtual(VObject("tuple", tuple, tuple(items), site=(site(frame), "items")))
    inner = iterator_over(m, frame, source)
    return None if inner is None else stepping(m, frame, "items", cls, (inner,))


STEPS["items"] = library.next_item
Rows = Callable[[list[tuple[AbstractValue, ...]], list[int]], Iterable[Any]]


def _combining(function: Any, rows: Rows, *, numbers: int = 0, lazily: bool = True, single: bool = False) -> None:
    """A row of the table below: `rows` gives the items from those of the arguments and from `numbers` last ones."""

    def model(
        m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
    ) -> AbstractValue | None:
        last = [arg.value for arg in args[len(args) - numbers :] if type(arg) is Known] if numbers else []
        found = [_items(m, arg, lazily) for arg in args[: len(args) - numbers]]
        if keywords or len(last) != numbers or any(type(n) is not int or not 0 <= n <= 64 for n in last):
            return None
        shaped = [items for items in found if items is not None]
        if len(shaped) < len(found) or not shaped or (numbers and len(shaped) != 1):
            return None
        size = 1
        for items in shaped:
            size *= max(len(items), 1)
        if max(size, *(len(items) for items in shaped)) > m.budget.virtual_length:
            return None
        made: list[AbstractValue] = []
        for row in itertools.islice(rows(shaped, [n for n in last if isinstance(n, int)]), m.budget.virtual_length + 1):
            made.append(row if single else _row(m, frame, row))
        return _over(m, frame, function, made) if len(made) <= m.budget.virtual_length else None

    KEYWORD_MODELS[function] = model


_combining(itertools.product, lambda shaped, n: itertools.product(*shaped), lazily=False)
_combining(itertools.permutations, lambda shaped, n: itertools.permutations(shaped[0], n[0]), numbers=1, lazily=False)
_combining(itertools.combinations, lambda shaped, n: itertools.combinations(shaped[0], n[0]), numbers=1, lazily=False)
_combining(itertools.chain, lambda shaped, n: itertools.chain(*shaped), single=True)
_combining(itertools.islice, lambda shaped, n: itertools.islice(shaped[0], n[0]), numbers=1, single=True)


def _pairwise(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    items = _items(m, args[0], True) if len(args) == 1 and not keywords else None
    if items is None or len(items) > m.budget.virtual_length:
        return None
    return _over(m, frame, itertools.pairwise, [_row(m, frame, pair) for pair in itertools.pairwise(items)])


def _repeat(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    if keywords or len(args) != 2 or type(args[1]) is not Known or type(args[1].value) is not int:
        return None
    count = args[1].value
    if count < -sys.maxsize or count > m.budget.virtual_length:
        return None  # an error, or too much
    return _over(m, frame, itertools.repeat, [args[0]] * count)


KEYWORD_MODELS[itertools.pairwise] = _pairwise
KEYWORD_MODELS[itertools.repeat] = _repeat

# -- format strings


def _only_text(args: list[AbstractValue], keywords: Keywords) -> str | None:
    """The known text that is the only argument, if it is."""
    text = args[0].value if len(args) == 1 and not keywords and type(args[0]) is Known else None
    return text if type(text) is str else None


def _parts_of_format(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """What `string.Formatter().parse` goes through: a text that is wrong stays, to fail where the walk comes to it."""
    text = _only_text(args, keywords)
    if text is None:
        return None
    try:
        parts = list(_string.formatter_parser(text))
    except ValueError:
        return None
    found = _known_items(m, frame, _PARTS_OF_FORMAT, parts, args[0])
    if found is not None:
        m.validate(args[0])
    return found


def _parts_of_field(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """The name at the head of a field, and a walk over the attributes and items behind it."""
    text = _only_text(args, keywords)
    if text is None:
        return None
    try:
        first, rest = _string.formatter_field_name_split(text)
        parts = list(rest)
    except ValueError:
        return None
    walk = _known_items(m, frame, _PARTS_OF_FIELD, parts, args[0])
    if walk is None:
        return None
    m.validate(args[0])
    return m.virtual(VObject("tuple", tuple, (m.known(first, m.state.age(args[0])), walk), site=(site(frame), "row")))


def _known_items(
    m: Machine, frame: Frame, cls: type, parts: list[tuple[object, ...]], source: AbstractValue
) -> AbstractValue | None:
    if len(parts) > m.budget.virtual_length:
        return None
    return _over(m, frame, cls, [m.known(part, m.state.age(source)) for part in parts])


_PARTS_OF_FORMAT: Final = type(_string.formatter_parser(""))
_PARTS_OF_FIELD: Final = type(_string.formatter_field_name_split("")[1])
KEYWORD_MODELS[_string.formatter_parser] = _parts_of_format
KEYWORD_MODELS[_string.formatter_field_name_split] = _parts_of_field

# -- copies

_COPIES_ARE_THEMSELVES: Final = frozenset({type(None), bool, int, float, complex, str, bytes, type(...)})


def _copy(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """A copy of a value that cannot change is the value."""
    return args[0] if len(args) == 1 and not keywords and exact_type(m, args[0]) in _COPIES_ARE_THEMSELVES else None


def _shallow_copy(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """The copy of a list, dict or set is what its method `copy` gives."""
    target = args[0] if len(args) == 1 and not keywords else None
    held = None if target is None else m.state.object(target)
    if type(target) is Virtual and held is not None and exact_type(m, target) in (list, dict, set):
        copied = METHODS.get((held.kind, "copy"))
        return None if copied is None else copied(m, frame, op, target, held, [])
    return _copy(m, frame, op, args, keywords)


def _namespace(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """An object that has what it is made with for attributes."""
    if args or site(frame) in m.refused:
        return None
    items, names = tuple([value for _, value in keywords]), tuple([name for name, _ in keywords])
    return m.virtual(VObject("instance", types.SimpleNamespace, items, names, site(frame)))


KEYWORD_MODELS[types.SimpleNamespace] = _namespace
KEYWORD_MODELS[copy.copy] = _shallow_copy
KEYWORD_MODELS[copy.deepcopy] = _copy


_LONGEST_LITERAL: Final = 10_000
_DEEPEST: Final = 50


def _literal_eval(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    text = args[0].value if len(args) == 1 and not keywords and type(args[0]) is Known else None
    if type(text) is not str or len(text) > _LONGEST_LITERAL:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = ast.literal_eval(text)
    except Exception:
        return None
    made = _value_of_literal(m, frame, found, ())
    if made is not None:
        m.validate(args[0])
    return made


def _value_of_literal(m: Machine, frame: Frame, value: object, path: tuple[int, ...]) -> AbstractValue | None:
    """A new object like this one; None if it has a set inside, whose order is not known, or is too large."""
    if deep(value):
        return Known(value)
    if type(value) not in (list, tuple, dict) or len(path) > _DEEPEST:
        return None
    assert isinstance(value, (list, tuple, dict))
    if len(value) > m.budget.virtual_length or not all(map(deep, value if is_a(value, dict) else ())):
        return None
    items = []
    for at, item in enumerate(value.values() if is_a(value, dict) else value):
        made = _value_of_literal(m, frame, item, (*path, at))
        if made is None:
            return None
        items.append(made)
    names = tuple(value) if is_a(value, dict) else ()
    return m.virtual(VObject(type(value).__name__, type(value), tuple(items), names, (site(frame), path)))


KEYWORD_MODELS[ast.literal_eval] = _literal_eval


def _object(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`object()`: told apart from everything else."""
    return None if args or keywords else m.virtual(VObject("instance", object, (), (), site(frame)))


KEYWORD_MODELS[object] = _object
