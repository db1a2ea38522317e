"""What the usual names of methods, builtins and modules do to objects, for analyses that only read source text.

    rows.append(x)      "append" is among MUTATING: rows is changed, and holds x
    rows.get(k)         "get" is among GIVING: what it gives may be an item of rows

Invariant: a name that is in none of these tables may do anything.
"""

from __future__ import annotations

import builtins
import re
from typing import Final

__all__ = ["BUILTINS", "GIVING", "HOLDING", "MUTATING", "PASSING", "POURING", "PURE_MODULES", "READING", "WRITING"]

MUTATING: Final = frozenset(
    {"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "add", "discard", "update", "popitem"}
    | {"setdefault", "appendleft", "extendleft", "popleft", "rotate", "move_to_end", "subtract"}
    | {"difference_update", "intersection_update", "symmetric_difference_update"}
    | {"__setitem__", "__delitem__", "__setattr__", "__delattr__", "__iadd__", "__imul__"}
    | {"__ior__", "__iand__", "__isub__", "__ixor__"}
)
POURING: Final = frozenset({"update", "extend", "extendleft"})
"""Those of them that take the items out of what they are given."""
GIVING: Final = frozenset(
    {"get", "items", "keys", "values", "copy", "pop", "popitem", "popleft", "setdefault", "__getitem__"}
)
"""Methods of containers that give items."""
READING: Final = (
    frozenset(name for cls in (str, bytes, int, float, tuple, frozenset, re.Pattern, re.Match) for name in dir(cls))
    | {"substitute", "safe_substitute"}
    | GIVING
) - MUTATING
"""Methods that change neither their object nor what they are given."""
PASSING: Final = frozenset(
    {"enumerate", "reversed", "zip", "list", "tuple", "sorted", "filter", "map", "iter", "min", "max", "next", "dict"}
    | {"set", "frozenset", "getattr", "vars", "sum"}
)
"""Builtins whose result may be, or hold, what is in their arguments."""
HOLDING: Final = frozenset({"enumerate", "reversed", "zip", "list", "tuple", "sorted", "dict", "set", "frozenset"})
"""Those of them whose result is none of it, but an object of its own."""
OPERATORS: Final = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "xor", "or"),
)
BUILTINS: Final = frozenset(dir(builtins)) - {"setattr", "delattr", "exec", "eval", "super"}
PURE_MODULES: Final = frozenset(
    {"abc", "ast", "bisect", "cmath", "collections", "copy", "dataclasses", "datetime", "decimal", "enum", "fractions"}
    | {"functools", "html", "inspect", "itertools", "json", "keyword", "math", "operator", "posixpath", "re"}
    | {"statistics", "string", "struct", "sys", "textwrap", "time", "types", "typing", "unicodedata", "urllib.parse"}
    | {"datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta", "decimal.Decimal"}
    | {"fractions.Fraction", "itertools.chain"}
)
"""Modules, and classes of these, whose functions change nothing that they are given, but for functions that they are
given, and `WRITING`."""
WRITING: Final = (
    frozenset({"setitem", "delitem", "methodcaller", "attrgetter", "pack_into", "setattr", "insort", "insort_left"})
    | {name for one in (*OPERATORS, "concat") for name in (f"i{one}", f"__i{one}__")}
    | {"insort_right", "__setitem__", "__delitem__", "call", "SimpleNamespace", "UserDict", "UserList", "new_class"}
)
"""Names in these modules of functions that do change what they are given, or may, or of what keeps it for others."""
