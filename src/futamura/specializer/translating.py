"""`str.maketrans` and `translate` on known characters.

    TABLE = str.maketrans("<>", "()")       a dict that is known
    "<a>".translate(TABLE)                  "(a)"
    re.escape("a.b")                        "a\\.b"

Invariant: only tables that are dicts of numbers and texts, so that looking into them runs no code of the program.
"""

from __future__ import annotations

import re
from typing import Final

from futamura.ir.graph import Operation
from futamura.specializer.containers import dict_pairs
from futamura.specializer.machine import Machine
from futamura.specializer.models import KEYWORD_METHODS, KEYWORD_MODELS, Keywords
from futamura.specializer.pure_calls import fold_call
from futamura.specializer.rules import exact_type, site
from futamura.specializer.state import Frame
from futamura.specializer.values import AbstractValue, Known, VObject

__all__: list[str] = []

_LONGEST: Final = 1 << 14


def _table_of(m: Machine, value: AbstractValue) -> dict[object, object] | None:
    """What a known dict of characters says; None if it holds anything else."""
    pairs = dict_pairs(m, value) if exact_type(m, value) is dict else None
    if pairs is None or not all(type(item) is Known for pair in pairs for item in pair):
        return None
    found = {key.value: item.value for key, item in pairs if type(key) is Known and type(item) is Known}
    plain = all(type(key) in (int, str) and type(item) in (int, str, type(None)) for key, item in found.items())
    return found if plain else None


def _made(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`str.maketrans` of texts, or of a dict."""
    given: list[object] = [arg.value for arg in args if type(arg) is Known and type(arg.value) is str]
    if len(args) == 1:
        table = _table_of(m, args[0])
        given = [] if table is None else [table]
    if keywords or not args or len(given) < len(args):
        return None
    try:
        found = str.maketrans(*given)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        return None
    if len(found) > m.budget.virtual_length:
        return None
    items = tuple([Known(item) for item in found.values()])
    return m.virtual(VObject("dict", dict, items, tuple(found), site(frame)))


def _translated(
    m: Machine, frame: Frame, op: Operation, target: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    table = _table_of(m, args[0]) if len(args) == 1 and not keywords and type(target) is Known else None
    if table is None or type(target) is not Known or len(target.value) > _LONGEST:  # type: ignore[arg-type]
        return None
    try:
        result = str(target.value).translate(table)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return m.known(result, m.state.age(target)) if len(result) <= 4 * _LONGEST else None


def _escaped(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    return fold_call(m, re.escape, args, keywords)


KEYWORD_MODELS[re.escape] = _escaped
KEYWORD_MODELS[str.maketrans] = _made
KEYWORD_METHODS[str, "translate"] = _translated
