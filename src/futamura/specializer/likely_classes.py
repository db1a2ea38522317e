"""Classes of open inputs that their annotations and uses suggest, where one test at entry would save many.

    path.strip("/").split("/") ...      `path` open: anything may have a `strip`, and what comes of it is compared with
    "users" == segment                  each text of a table of routes again, since each comparison may run code
                                        `path` a str: what was compared once is known, and the tests become a tree

    zip((0.5, 2.0, 0.25), xs)           `xs` open: any iterator of its own; a list of three floats: its items

Only where a residual compares with texts again and again, or takes the items of an input one by one, is it made once
more, for calls with these classes; all others run the one that was made without them (FT409), as for the classes of
`guessing`.

Invariant: what is suggested decides nothing by itself; it is tested at entry, and no code of the program runs here.
"""

from __future__ import annotations

import inspect
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from types import FunctionType, GenericAlias
from typing import Any, Final, NamedTuple, Protocol

from futamura.ir.constant import Constant
from futamura.ir.graph import Function, Operation

__all__ = ["Likely", "is_unsettled", "is_worth_a_test", "likely_classes"]


class _Made(Protocol):
    """A residual."""

    @property
    def source(self) -> str: ...
    @property
    def stats(self) -> dict[str, Any]: ...
    @property
    def calling(self) -> int:
        """How many of its operations may run code that is not known."""
        ...


class Likely(NamedTuple):
    """What an open input is likely to be."""

    type: Any
    """A class, or `list[float]`."""
    length: int | None = None


_AGAIN: Final = 12
"""So many comparisons with texts are worth a second specialization."""
_UNROLLED: Final = 4
"""So are so many steps of iterators over an input, beside the first ones."""
_LENGTHY: Final = 12_000
"""What took so many source blocks is not made twice."""
_SHORT: Final = 400
"""Nor is what took so many, if nearly all texts are compared with once: they may exclude each other, or not."""
_MUCH_SHORTER: Final = 0.85
"""A residual for likely classes may have this part of the text of one without: what is compared once is shared then."""
_HALF: Final = 0.5
"""Or this part of the operations, however they are written."""
_FEWER_CALLING: Final = 0.4
"""Or this part of those that may run code that is not known: there is no need to look at the text then."""
_GIVING_UP: Final = ("FT401", "FT406", "FT410")
_RECKONING: Final = frozenset({"add", "sub", "mul", "truediv", "iadd", "isub", "imul"})
_CLASSES: Final = (str, int, bytes, dict, list, tuple)
"""Those that annotations are taken at their word for: who writes `float` gives an int as well."""
_NAMES: Final = {cls.__name__: cls for cls in _CLASSES}
_OTHERS: Final = frozenset(name for cls in (dict, list, tuple, set, int, float, object) for name in dir(cls))
_OF_TEXTS: Final = frozenset(dir(str)) - _OTHERS
_OF_DICTS: Final = frozenset(dir(dict)) - frozenset(name for cls in (list, set, str, object) for name in dir(cls))


def likely_classes(
    function: FunctionType, main: Function, source_blocks: int, names: Iterable[str], *, unsettled: bool
) -> dict[str, Likely]:
    """The classes that the open inputs `names` are likely to be of; none if the residual `main` would not be shorter.

    A class for one input is of no use if another one has none: it is the residual as a whole that counts.  If
    specialization was left `unsettled`, it may come to an end with any of them.
    """
    if source_blocks > _LENGTHY and not unsettled:
        return {}
    signature, wanted = main.signature, set(names)
    wanted.difference_update((signature.varargs, signature.varkw))  # an annotation says of what class each of them is
    params = {value: name for value, name in zip(main.entry.params, signature.names) if name in wanted}
    texts = _texts(main)
    compared = [texts[arg] for op in main.operations() if op.name in ("eq", "ne") for arg in op.args if arg in texts]
    again = len(compared) - len(set(compared)) >= len(compared) // 4 or source_blocks <= _SHORT
    iterated = _iterated(main, params, texts)
    if not unsettled and not iterated and (len(compared) < _AGAIN or not again):
        return {}
    found = {name: Likely(kind) for name, kind in {**_used_as(main, params, texts), **_annotated(function)}.items()}
    for name, one in iterated.items():
        if name not in found or found[name].type is list:
            found[name] = one
    return {name: found[name] for name in params.values() if name in found}


def _iterated(main: Function, params: Mapping[int, str], texts: Mapping[int, str]) -> dict[str, Likely]:
    """The inputs of which the items are taken one by one, not in loops: texts, if one is compared with a letter, else
    lists, of floats if these are reckoned with."""
    iterators = {op.results[0]: op.args[0] for op in main.operations() if op.name == "iter" and op.args[0] in params}
    begun, steps = Counter(iterators.values()), Counter[int]()
    items: dict[int, int] = {}
    for block in main.blocks:
        if block.terminator.name == "next" and block.terminator.args[0] in iterators:
            steps[iterators[block.terminator.args[0]]] += 1
            items[main.blocks[block.terminator.edges[0].target].params[0]] = block.terminator.args[0]
    unrolled = [one for one, count in steps.items() if count >= 2 * begun[one] and count - begun[one] >= _UNROLLED]
    if not unrolled:
        return {}
    floats = {op.results[0] for op in main.operations() if op.name == "const" and _constant(op) is float}
    taken, letters, reckoned = Counter[int](), set[int](), set[int]()
    used = {arg for block in main.blocks for edge in block.terminator.edges for arg in edge.args}
    for op in main.operations():
        used.update(op.args)
        here = {iterators[items[arg]] for arg in op.args if arg in items}
        if here and op.name in ("eq", "ne") and any(arg in texts for arg in op.args):
            letters |= here
        elif here and op.name in _RECKONING and not floats.isdisjoint(op.args):
            reckoned |= here
    for item, iterator in items.items():
        taken[iterator] += item in used
    found: dict[str, Likely] = {}
    for one in unrolled:
        lengths = {taken[iterator] for iterator, value in iterators.items() if value == one}
        length = lengths.pop() if len(lengths) == 1 else None
        kind = list[float] if one in reckoned else list
        found[params[one]] = Likely(str) if one in letters else Likely(kind, length)
    return found


def _texts(main: Function) -> dict[int, str]:
    """The values that are known texts."""
    return {op.results[0]: op.attr.value for op in main.operations() if _constant(op) is str}  # type: ignore[attr-defined]


def _constant(op: Operation) -> type | None:
    return type(op.attr.value) if type(op.attr) is Constant else None


def _used_as(main: Function, params: Mapping[int, str], texts: Mapping[int, str]) -> dict[str, type]:
    """The class in which all uses of a parameter agree that suggest one."""
    votes: dict[str, set[type]] = defaultdict(set)
    for op in main.operations():
        if op.args and op.args[0] in params and op.name == "getattr":
            kinds = [kind for kind, own in ((str, _OF_TEXTS), (dict, _OF_DICTS)) if op.attr in own]
            votes[params[op.args[0]]].add(kinds[0] if kinds else object)
        elif op.name in ("eq", "ne") and any(arg in texts for arg in op.args):
            for value in params.keys() & set(op.args):
                votes[params[value]].add(str)
        elif op.name == "getitem" and op.args[0] in params and op.args[1] in texts:
            votes[params[op.args[0]]].add(dict)
    return {name: kind for name, kinds in votes.items() for kind in kinds if len(kinds) == 1 and kind is not object}


def _annotated(function: FunctionType) -> dict[str, type]:
    """The builtin classes among the annotations, also where these are texts."""
    given = vars(FunctionType)["__annotations__"].__get__(function) if not _are_made_late(function) else {}
    kinds = {name: _NAMES.get(one.partition("[")[0]) if type(one) is str else one for name, one in given.items()}
    kinds = {name: kind.__origin__ if type(kind) is GenericAlias else kind for name, kind in kinds.items()}
    return {name: cls for name, kind in kinds.items() for cls in _CLASSES if kind is cls}


def _are_made_late(function: FunctionType) -> bool:
    """Would code of the program run for the annotations of this function?"""
    return inspect.getattr_static(function, "__annotate__", None) is not None


def is_unsettled(made: _Made) -> bool:
    """Did specialization grow until it had to give up telling apart what it knew?"""
    return any(code in made.stats[kind] for code in _GIVING_UP for kind in ("fallbacks", "notes"))


def is_worth_a_test(better: _Made, made: _Made) -> bool:
    """Is a residual for likely classes worth what it costs to test them at entry, and to make two residuals?"""
    if not better.source or better.stats["fallbacks"] or "FT412" in better.stats["notes"]:
        return False
    if is_unsettled(made):
        return not is_unsettled(better) and bool(better.stats["folded"] > made.stats["folded"])
    if better.stats["left"] <= _HALF * made.stats["left"] or better.calling <= _FEWER_CALLING * made.calling:
        return True
    return len(better.source) <= _MUCH_SHORTER * len(made.source)
