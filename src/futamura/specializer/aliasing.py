"""Which open inputs must be tested against static objects when the residual is called.

    def f(static, xs):                 static's first item was read when f was specialized;
        first = static[0]              if xs is that very list, the store changes what was read:
        xs[0] = 1                      `xs` must be told apart from it at entry
        return first, static[0]

An open input matters if the residual code may write to it, or hand it to code that may: the residual is walked
from each open parameter along everything that is made of it.  An input that is only read may be any object.

A method of a static object matters as well where it may be called: not where operators with plain operands are all that
is done with the input, for there it raises a TypeError, or is just another object.

Invariant: too many inputs are tested rather than too few; what lies inside of an input is not looked at.
"""

from __future__ import annotations

import bisect
import functools
import math
from collections.abc import Callable, Iterable, Mapping
from types import BuiltinFunctionType, CellType, MethodDescriptorType
from typing import Final, NamedTuple, TypeAlias

from futamura.ir.attributes import FunctionAttr
from futamura.ir.classes import is_a
from futamura.ir.constant import Constant
from futamura.ir.evaluate import BINARY, COMPARE, INPLACE, UNARY
from futamura.ir.graph import Block, Edge, Function, Operation, Program
from futamura.ir.ops import SUSPENDING
from futamura.specializer.exposure import runs_code
from futamura.specializer.kept import Named
from futamura.specializer.purity import HEAP_TYPE

__all__ = ["FEW_STRANGERS", "NONE_APART", "Apart", "KeptBy", "apart"]


class KeptBy(NamedTuple):
    """What the `__dict__` of an object has under a name, or a cached function gives, once it was computed: an object of
    this class."""

    owner: object
    name: Named
    cls: type


class Apart(NamedTuple):
    """The open parameters to be tested, and the objects that none of them may be."""

    names: tuple[str, ...] = ()
    objects: tuple[object, ...] = ()
    kept: tuple[KeptBy, ...] = ()
    """What is kept by them from their first reading on, and may be none of them either."""
    methods: tuple[str, ...] = ()
    """Those of the parameters that may be no method of one of the objects, either."""


NONE_APART: Final = Apart()
FEW_STRANGERS: Final = 4
"""So many objects are compared one by one faster than one is looked up by its identity."""

_CONTAINERS: Final = (list, dict, set, bytearray)
_BUILTIN: Final = (*_CONTAINERS, str, bytes, tuple, int, float, frozenset)
_FIXED: Final = (tuple, frozenset, CellType)
_HANDING_OVER: Final = frozenset({"class", "aiter", *SUSPENDING})
"""What gives its operands to code that may do anything with them."""
_QUIET: Final = frozenset({"const", "copy", "is", "is_not", "cell", "cell_get", "tuple", "list", "global_get"})
"""Operators that run no code of their operands' classes, and write to none of them."""
_Follow: TypeAlias = "Callable[[int, bool], None]"
_FRESH: Final = frozenset(
    {"is", "is_not", "eq", "ne", "lt", "le", "gt", "ge", "in", "not_in", "not", "truth", "format", "string"}
)
"""Operators whose results hold nothing of their operands."""
_FRESH_CALLS: Final = frozenset(
    {ascii, bin, bool, bytes, callable, chr, float, format, hash, hex, id, int, isinstance, len, oct, ord, repr, str}
)
"""Builtins whose results hold nothing of their arguments."""
_WRITES: Final[dict[str, tuple[type, ...]]] = {
    "iadd": (list, bytearray),
    "imul": (list, bytearray),
    "isub": (set,),
    "iand": (set,),
    "ixor": (set,),
    "ior": (set, dict),
    "setitem": (list, dict, bytearray),
    "delitem": (list, dict, bytearray),
    "list_append": (list,),
    "set_add": (set,),
    "dict_put": (dict,),
    "setattr": (),
    "delattr": (),
}
"""Operators that write to an operand, with the builtin classes for which they do."""
_DISPLAYS: Final = frozenset({"tuple", "list"})
_DEAF: Final = frozenset({"is", "is_not", "iter", "unpack"})
_DEAF_CALLS: Final = frozenset(
    {
        abs, bool, callable, chr, float, id, int, len, ord, range, type, math.sqrt, math.exp, math.log, math.sin,
        math.cos, math.tan, math.atan, math.erf, math.erfc, math.floor, math.ceil, math.fabs, math.isnan, math.isinf,
        math.isfinite, math.gcd, math.trunc, math.gamma, math.lgamma, math.degrees, math.radians,
    }
)  # fmt: skip
"""Builtins that raise a TypeError if they are given a method, or look at nothing but its class."""
_PLAIN: Final = (int, float, complex, bool, str, bytes, type(None))
"""Classes whose instances do nothing with a method that is the other operand."""
_STORED: Final = {"cell_set": 1, "list_append": 0, "set_add": 0, "dict_put": 0, "setattr": 1, "setitem": 1}
"""Operators that put something into one of their operands, with its place."""
_SAME: Final = frozenset({"copy", "cell", "cell_get"})
_LOOKING: Final = frozenset(
    (
        abs, all, any, ascii, bool, callable, chr, dict, divmod, enumerate, float, format, frozenset, hash, hex,
        id, int, isinstance, iter, len, list, max, min, oct, ord, pow, print, range, repr, reversed, round, set,
        sorted, str, sum, tuple, type, zip, bisect.bisect_left, bisect.bisect_right,
    )
)  # fmt: skip
"""Builtins that write to no argument, as long as its class has no special methods of its own."""


class _Kinds(NamedTuple):
    """What the static objects are."""

    classes: tuple[type, ...]
    attributes: bool
    """Is there one whose attributes can be set?"""
    code: bool
    """Is there one whose class runs code for an operator or an attribute?"""


def apart(
    program: Program, opened: Mapping[str, type | None], read: Iterable[object], bindings: Mapping[str, object]
) -> Apart:
    """The open inputs (with their promised classes) of `program` that may not be one of the objects in `read`.

    `bindings` are the globals that are assumed to be as they were.
    """
    objects = tuple(value for value in read if type(value) not in _FIXED and not is_a(value, type))
    if not objects:
        return NONE_APART
    classes = tuple(dict.fromkeys(type(value) for value in objects))
    kinds = _Kinds(
        classes,
        any(cls not in _CONTAINERS for cls in classes),
        any(runs_code(cls) for cls in classes),
    )
    main = program.main
    walk = _Walk(program, kinds, bindings)
    names = []
    for name, param in zip(main.signature.names, main.entry.params):
        kind = opened.get(name)
        if (kind is None or kind in classes) and walk.matters(main, param):
            names.append(name)
    methods = [name for name, param in zip(main.signature.names, main.entry.params) if walk.calls_method(main, param)]
    return Apart(tuple(names), objects, methods=tuple(methods)) if names else NONE_APART


class _Uses:
    """Who reads which value of a function, and what is known of its callees."""

    def __init__(self, function: Function, bindings: Mapping[str, object]) -> None:
        self.users: Final[dict[int, list[Operation]]] = {}
        self.flows: Final[dict[int, list[int]]] = {}
        self.constants: Final[dict[int, object]] = {}
        self.makers: Final[dict[int, Operation]] = {}
        self.caught: Final[set[int]] = set()
        """What is raised where a handler stands, which gets it."""
        for block in function.blocks:
            for op in block.ops:
                for arg in op.args:
                    self.users.setdefault(arg, []).append(op)
                for result in op.results:
                    self.makers[result] = op
                if op.name == "const" and isinstance(op.attr, Constant):
                    self.constants[op.results[0]] = op.attr.value
                if op.name == "global_get" and isinstance(op.attr, tuple) and op.attr[0] == function.module:
                    if op.attr[1] in bindings:
                        self.constants[op.results[0]] = bindings[op.attr[1]]
            self._edges(function, block)

    def _edges(self, function: Function, block: Block) -> None:
        end = block.terminator
        if end.name == "raise" and block.handler is not None:
            self.caught.update(end.args)
        ways: list[tuple[Edge, int]] = [(edge, 0) for edge in end.edges]
        if end.name == "next":
            ways[0] = (end.edges[0], 1)
            self.flows.setdefault(end.args[0], []).append(function.blocks[end.edges[0].target].params[0])
        if block.handler is not None:
            ways.append((block.handler, 1))
        for edge, implicit in ways:
            for param, arg in zip(function.blocks[edge.target].params[implicit:], edge.args):
                self.flows.setdefault(arg, []).append(param)


class _Walk:
    """Follows parameters through the functions of a program."""

    def __init__(self, program: Program, kinds: _Kinds, bindings: Mapping[str, object]) -> None:
        self.program: Final = program
        self.kinds: Final = kinds
        self.bindings: Final = bindings
        self._uses: Final[dict[str, _Uses]] = {}
        self.uses = _Uses(program.main, {})

    def matters(self, main: Function, param: int) -> bool:
        """May something be written to the object in `param`, or to what is reached through it?

        A fresh value is an object of its own, which holds parts of the parameter: the sum of two lists.
        """

        def finds(op: Operation, value: int, fresh: bool, follow: _Follow) -> bool:
            if op.name != "invoke" and self._writes(op, value, fresh):
                return True
            if op.name not in _FRESH and not self._gives_fresh(op):
                arithmetic = op.name in BINARY or op.name in UNARY or op.name in INPLACE
                for result in op.results:
                    follow(result, arithmetic or (fresh and op.name in _SAME))
            stored = self._stored(op)
            if stored is not None:
                follow(stored, True)
            return False

        return self._followed(main, param, finds)

    def calls_method(self, main: Function, param: int) -> bool:
        """If `param` is a method of a static object: may code of this object run, or get the method?"""

        def finds(op: Operation, value: int, held: bool, follow: _Follow) -> bool:
            if op.name == "invoke" or op.name in _SAME or op.name in _DISPLAYS:
                for result in op.results:  # it, or something that holds it
                    follow(result, held or op.name not in _SAME)
                return False
            return held or not self._ignores_method(op, value)

        return self._followed(main, param, finds)

    def _followed(self, main: Function, param: int, finds: Callable[[Operation, int, bool, _Follow], bool]) -> bool:
        """Is there a use of what is in `param` that `finds` gives True for?  It is followed through versions and calls
        of residual functions, with a mark, which what `finds` follows further may have."""
        seen = {(main.name, param, False)}
        work = [(main.name, param, False)]

        def follow(function: str, value: int, mark: bool) -> None:
            if (function, value, mark) not in seen:
                seen.add((function, value, mark))
                work.append((function, value, mark))

        while work:
            function, value, mark = work.pop()
            self.uses = uses = self._uses_of(function)
            if value in uses.caught:
                return True
            for other in uses.flows.get(value, ()):
                follow(function, other, mark)
            onward = functools.partial(follow, function)
            for op in uses.users.get(value, ()):
                if op.name == "invoke":
                    callee = self.program[str(op.attr)]
                    for given, parameter in zip(op.args, callee.entry.params):
                        if given == value:
                            follow(callee.name, parameter, mark)
                if finds(op, value, mark, onward):
                    return True
        return False

    def _ignores_method(self, op: Operation, value: int) -> bool:
        """Does `op` run no code of the object whose method is in `value`, and give the method to nobody?  Its result
        has nothing of it."""
        name = op.name
        if name in _DEAF or name in UNARY:
            return True
        if name == "getattr":  # the function has no other attributes than the program gave it
            return not str(op.attr).startswith("__")
        constants = self.uses.constants
        others = [arg for arg in op.args if arg != value]
        if name == "getitem":
            return op.args[0] == value or type(constants.get(op.args[0])) in (list, tuple, str, bytes)
        if name in BINARY or name in INPLACE or name in COMPARE:
            plain = all(arg in constants and type(constants[arg]) in _PLAIN for arg in others)
            return plain and not (name in ("mod", "imod") and op.args[0] != value)  # a text shows it
        if name != "call" or op.attr is not None or value == op.args[0]:
            return False
        callee = constants.get(op.args[0])
        if callee is isinstance and len(op.args) == 3 and op.args[2] in others:
            kinds = constants.get(op.args[2])
            return all(type(kind) is type for kind in (kinds if type(kinds) is tuple else (kinds,)))
        return type(callee) in (type, BuiltinFunctionType) and callee in _DEAF_CALLS

    def _uses_of(self, name: str) -> _Uses:
        if name not in self._uses:
            self._uses[name] = _Uses(self.program[name], self.bindings)
        return self._uses[name]

    def _gives_fresh(self, op: Operation) -> bool:
        """Is this a call whose result holds nothing of its arguments?"""
        callee = self.uses.constants.get(op.args[0]) if op.name == "call" else None
        return type(callee) in (type, BuiltinFunctionType) and callee in _FRESH_CALLS

    def _stored(self, op: Operation) -> int | None:
        """The object into which `op` may put another one of its operands."""
        at = _STORED.get(op.name)
        if at is None and op.name == "call":
            method = self.uses.makers.get(op.args[0])
            return method.args[0] if method is not None and method.name == "getattr" else None
        return None if at is None else op.args[at]

    def _writes(self, op: Operation, value: int, fresh: bool) -> bool:
        """May `op` write to an object in `value`, if that is one of the static ones?"""
        if op.name in _QUIET:
            return False
        if isinstance(op.attr, FunctionAttr) or op.name in _HANDING_OVER:
            return True
        if op.name == "call":
            return self._call_writes(op, value)
        if op.name == "getattr" and op.attr == "__dict__":  # who has it may write to the object
            return self.kinds.attributes
        written = _WRITES.get(op.name)
        if written is not None and not fresh and op.args[_STORED.get(op.name, 0)] == value:
            if op.name in ("setattr", "delattr"):
                return self.kinds.attributes
            if any(cls in written if cls in _CONTAINERS else _defines(cls, op.name) for cls in self.kinds.classes):
                return True
        return self.kinds.code

    def _call_writes(self, op: Operation, value: int) -> bool:
        callee = op.args[0]
        method = self.uses.makers.get(callee)
        if callee == value:
            if method is None or method.name != "getattr":
                return True
            return any(_may_change(cls, str(method.attr)) for cls in self.kinds.classes)
        if method is not None and method.name == "getattr" and self._builtin(method.args[0]):
            return self.kinds.code
        return self.kinds.code or not _looks_only(self.uses.constants.get(callee))

    def _builtin(self, value: int) -> bool:
        """Is this an object of a builtin class, whose methods write to no argument?"""
        maker = self.uses.makers.get(value)
        if maker is not None and maker.name in ("list", "dict", "set", "tuple", "string", "format"):
            return True
        return type(self.uses.constants.get(value)) in _BUILTIN


def _looks_only(function: object) -> bool:
    """Does calling this builtin write to none of its arguments?"""
    if type(function) is MethodDescriptorType:
        return function.__objclass__ in (str, bytes, int, float, tuple, frozenset)
    if type(function) is BuiltinFunctionType:
        owner = function.__self__
        if owner in (str, bytes, int, float, dict) if type(owner) is type else type(owner) in (str, bytes, int, float):
            return True
        if getattr(function, "__module__", None) in ("math", "_struct"):
            return not function.__name__.startswith("pack_into")
    if type(function) is type and issubclass(function, BaseException):
        return not function.__flags__ & HEAP_TYPE  # it keeps them, and has no method that writes to them
    return type(function) in (type, BuiltinFunctionType) and function in _LOOKING


def _defines(cls: type, operator: str) -> bool:
    """May this operator write to an instance of a class like `deque` or `defaultdict`?"""
    return hasattr(cls, f"__{operator}__")


_READING: Final[dict[type, frozenset[str]]] = {
    list: frozenset({"copy", "count", "index"}),
    dict: frozenset({"copy", "get", "items", "keys", "values", "fromkeys"}),
    set: frozenset({"copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset", "union"}),
}


def _may_change(cls: type, method: str) -> bool:
    """May this method change its object?  Not if the class has none of this name, or it only reads."""
    if cls in _READING:
        return hasattr(cls, method) and method not in _READING[cls]
    return cls not in _CONTAINERS or hasattr(cls, method)
