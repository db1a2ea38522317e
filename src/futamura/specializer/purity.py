"""What may be computed at specialization time: operands and functions whose behaviour cannot be observed.

    foldable 1 + 2, "ab"[0], len((1, 2)), isinstance(3, int)
    not      5 in [E()]   (runs E.__eq__),   "%s" % x   (runs x.__str__),   2 ** 10**9   (too large)

Invariant: `deep` holds only for values all of whose parts are exact builtin immutable types, so that no
method of a user's class can run when a builtin operation looks into them.
"""

from __future__ import annotations

import abc
import ast
import binascii
import builtins
import cmath
import collections
import contextlib
import datetime
import decimal
import functools
import gc
import keyword
import math
import operator
import os
import re
import struct
import sys
import typing
import weakref
import zlib
from collections.abc import Iterator, Sequence
from types import (
    BuiltinFunctionType,
    CodeType,
    EllipsisType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    NoneType,
    NotImplementedType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import Final

from futamura.ir.bytecode import instructions
from futamura.ir.classes import is_a
from futamura.ir.constant import is_long
from futamura.ir.homes import namespace_of

__all__ = [
    "ATOMS",
    "CHANGEABLE",
    "DICTS",
    "EVERY_NAME",
    "HEAP_TYPE",
    "IMMUTABLE",
    "MISSING",
    "PLAIN_DELETIONS",
    "PLAIN_STORES",
    "PURE_FUNCTIONS",
    "PURE_METHODS",
    "WEAK",
    "behind",
    "can_be_written",
    "cheap",
    "claims",
    "class_lookup",
    "deep",
    "is_data",
    "is_mutable",
    "keeps_attributes",
    "many_digits",
    "named_attributes",
    "own_attribute",
    "own_attributes",
    "plain_format",
    "plain_lookup",
    "plain_reads",
    "stays_short",
    "stays_small",
    "stored_attribute",
    "wide",
]

ATOMS: Final[frozenset[type]] = frozenset(
    {int, float, complex, bool, str, bytes, NoneType, EllipsisType, NotImplementedType, range}
)


MOST_PARTS: Final = 1 << 15
"""Of a constant whose parts are all looked at."""


def deep(value: object, depth: int = 30, unordered: bool = True) -> bool:
    """Is `value` made of exact builtin immutable types only?  Deeper than `depth` counts as no.

    With `unordered` false, sets count as no: whatever walks over one depends on the hash seed.
    """
    return type(value) in ATOMS or _extent(value, depth, unordered, {}) is not None


def _extent(value: object, depth: int, unordered: bool, known: dict[int, tuple[int, int]]) -> tuple[int, int] | None:
    """How many parts it has, at most `MOST_PARTS`, and how deep it is; None if it is not deep.

    `t = t, t` again and again is small and has very many parts: each object is looked at once, and counts each time.
    """
    kind = type(value)
    if kind is slice:
        assert isinstance(value, slice)
        return (0, 0) if all(type(part) in ATOMS for part in (value.start, value.stop, value.step)) else None
    if kind is not tuple and not (unordered and kind is frozenset):
        return None
    assert isinstance(value, (tuple, frozenset))
    if depth <= 0 or len(value) > 10_000:
        return None
    parts, height = len(value), 1
    for item in value:
        if type(item) in ATOMS:
            continue
        found = known.get(id(item)) or _extent(item, depth - 1, unordered, known)
        if found is None:
            return None
        parts += found[0]
        height = max(height, found[1] + 1)
        if parts > MOST_PARTS or height > depth:
            return None
    known[id(value)] = (parts, height)
    return parts, height


MISSING: Final = object()


def class_lookup(cls: type, name: str) -> object:
    """What `type.__mro__` has under `name`, without running descriptors; `MISSING` if nothing."""
    for base in cls.__mro__:
        found = base.__dict__.get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def is_data(found: object) -> bool:
    """Does this attribute of a class come before those of its instances, and is it asked where they are stored?"""
    kind = type(found)
    return class_lookup(kind, "__set__") is not MISSING or class_lookup(kind, "__delete__") is not MISSING


def own_attributes(value: object) -> dict[str, object] | None:
    """The dictionary of an instance, read as the object's own class defines it, without running a user's code."""
    found = class_lookup(type(value), "__dict__")
    if type(found) is not GetSetDescriptorType and found is not _NAMES_OF:
        return None
    stored = found.__get__(value)
    return stored if type(stored) is dict else None


def keeps_attributes(value: object) -> bool:
    """Has an instance a dictionary, which `own_attributes` would give?  It is not made for the answer."""
    found = class_lookup(type(value), "__dict__")
    return (type(found) is GetSetDescriptorType or found is _NAMES_OF) and not is_a(value, type)


_NAMES_OF: Final = SimpleNamespace.__dict__["__dict__"]
"""What holds the attributes of a `SimpleNamespace`: a slot."""


def stored_attribute(value: object, name: str, *, sure: bool = True) -> object:
    """What the dictionary of an instance has under `name`; `MISSING` if nothing.  If that need not be `sure`, it may be
    what the class has instead.

    The dictionary itself is not asked for if that can be helped: Python only makes it then, and from then on reading
    and storing attributes of this object takes two to three times as long, everywhere in the program (3.11 to 3.13).
    """
    cls = type(value)
    if not keeps_attributes(value):
        return MISSING
    found = class_lookup(cls, name)
    described = class_lookup(type(found), "__get__") is not MISSING
    if cls.__flags__ & HEAP_TYPE and (found is MISSING or not described or type(found) in _BINDING):
        try:
            got: object = object.__getattribute__(value, name)
        except AttributeError:
            return MISSING
        if found is MISSING or not (described or (got is found and sure)):
            return got
        if not _may_hold(value, name, got):
            return MISSING
    stored = own_attributes(value)
    return MISSING if stored is None or name not in stored else stored[name]


_BINDING: Final = (FunctionType, staticmethod, WrapperDescriptorType, MethodDescriptorType)
"""Descriptors that run no code when they are read of an instance, and give way to what it has itself."""


def _may_hold(value: object, name: str, item: object) -> bool:
    """May this object, which its class has under `name`, be what the instance itself has there?"""
    held = 0
    for part in gc.get_referents(value):
        held += part is item
        if type(part) is dict and all(type(key) is str for key in part) and part.get(name, MISSING) is item:
            return True
    return held > 0 and held != sum(_holds(value, other, item) for other in _mentioned(type(value)))


def _holds(value: object, name: str, item: object) -> bool:
    """Is this object what the instance has under a name that its class has not?"""
    return class_lookup(type(value), name) is MISSING and stored_attribute(value, name) is item


def named_attributes(value: object) -> list[tuple[object, object]] | None:
    """The attributes in the dictionary of an instance, as far as it is told without asking for it that these are all:
    by the names that functions of its class mention.  None if it has no dictionary; keys may be no texts."""
    if not keeps_attributes(value):
        return None
    parts = gc.get_referents(value)
    if type(value).__flags__ & HEAP_TYPE:
        places = {id(part): at for at, part in [*enumerate(parts)][::-1]}
        pairs: list[tuple[object, object]] = [
            (name, stored_attribute(value, name, sure=False)) for name in _mentioned(type(value))
        ]
        pairs = [(name, held) for name, held in pairs if id(held) in places]
        if {id(type(value)), *(id(held) for _, held in pairs)} >= places.keys():
            return sorted(pairs, key=lambda pair: places[id(pair[1])])
    return list((own_attributes(value) or {}).items())


def _mentioned(cls: type) -> list[str]:
    """The names of attributes that the functions of a class mention."""
    functions = [one for base in cls.__mro__ for one in base.__dict__.values() if type(one) is FunctionType]
    return list(dict.fromkeys(name for function in functions for name in function.__code__.co_names))


def own_attribute(value: object, name: str) -> object:
    """What an instance itself has under `name`, in its dictionary or a slot; `MISSING` if nothing."""
    stored = stored_attribute(value, name)
    if stored is not MISSING:
        return stored
    slot = class_lookup(type(value), name)
    if type(slot) is not MemberDescriptorType:
        return MISSING
    try:
        return slot.__get__(value)
    except AttributeError:
        return MISSING


DICTS: Final = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
"""Exact classes whose objects find and give what they hold as a dict does; what `d[key]` does without it differs."""
CHANGEABLE: Final = (list, set, *DICTS)


def is_mutable(value: object) -> bool:
    """May somebody who gets `value` change what reading it gives?"""
    if type(value) in IMMUTABLE:
        return getattr(value, "tzinfo", None) is not None  # that is an object of its own
    return not (deep(value) or issubclass(type(value), (type, FunctionType, BuiltinFunctionType, ModuleType)))


def can_be_written(value: object) -> bool:
    """The same, but for what is only mutable because of what it holds."""
    return type(value) not in (tuple, frozenset) and is_mutable(value)


def is_plain_object(value: object) -> bool:
    """Is this an object of a class of the program, which inherits from no class that is not the program's?"""
    cls = type(value)
    if type(cls) not in _METACLASSES and not _has_plain_metaclass(cls):
        return False
    return all(
        base is object or base in _EMPTY_BASES or (base.__flags__ & HEAP_TYPE and not _is_of_python(base))
        for base in cls.__mro__
    ) and plain_lookup(cls)


_METACLASSES: Final = (type, abc.ABCMeta)


def _has_plain_metaclass(cls: type) -> bool:
    """Is the metaclass of this class one of the program, from a module of the class or of those it inherits from?
    Whoever looks at the texts of these has seen what it does to objects, too."""
    kind: type = type(cls)
    own = [base for base in kind.__mro__ if base is not object and base not in _METACLASSES]
    found = [namespace_of(base) for base in cls.__mro__ if base.__flags__ & HEAP_TYPE]
    homes = {id(home) for home in found if home is not None}
    return all(
        base.__flags__ & HEAP_TYPE and not _is_of_python(base) and id(namespace_of(base)) in homes for base in own
    )


_EMPTY_BASES: Final = (abc.ABC, typing.Generic, typing.Protocol)


def _is_of_python(cls: type) -> bool:
    module = cls.__dict__.get("__module__")
    return type(module) is not str or module.partition(".")[0] in sys.stdlib_module_names


HEAP_TYPE: Final = 1 << 9
"""The flag of classes that a class statement made."""


def _made_in_c(cls: type) -> bool:
    return not cls.__flags__ & HEAP_TYPE or bool(cls.__flags__ & _NO_ATTRIBUTES)


_NO_ATTRIBUTES: Final = 1 << 8
"""The flag of classes that take no attributes."""
IMMUTABLE: Final = frozenset(filter(_made_in_c, (
    decimal.Decimal, datetime.date, datetime.time, datetime.datetime, datetime.timedelta,
)))  # fmt: skip
"""Classes of the library whose instances nobody can change."""


def behind(value: object) -> Iterator[object]:
    """What calling a function, a builtin method, or what a class makes, may reach without being given it."""
    if type(value) is FunctionType:
        bound = _bound_anew(value.__code__)
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            if name in bound:
                yield cell
            else:
                with contextlib.suppress(ValueError):  # it has no value yet
                    yield cell.cell_contents
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
        yield from value.__dict__.values()
    elif is_a(value, BuiltinFunctionType):
        yield value.__self__
    elif is_a(value, type):
        for base in value.__mro__:
            if base.__flags__ & HEAP_TYPE:
                yield from filter(_is_method, base.__dict__.values())


@functools.lru_cache(maxsize=1000)
def _bound_anew(code: CodeType) -> frozenset[str]:
    """The variables of closures that this code, or code in it, assigns or deletes."""
    ops = instructions(code) if code.co_freevars or code.co_cellvars else ()
    names = [op.argval for op in ops if op.opname in ("STORE_DEREF", "DELETE_DEREF")]
    inner = [_bound_anew(part) for part in code.co_consts if type(part) is CodeType and part.co_freevars]
    return frozenset(names).union(*inner)


def _is_method(found: object) -> bool:
    """Is this something in a class that runs code when it is read, or called?"""
    kind = type(found)
    return kind in (FunctionType, staticmethod, classmethod, property) or (
        bool(kind.__flags__ & HEAP_TYPE) and not issubclass(kind, type) and class_lookup(kind, "__get__") is not MISSING
    )


PURE_FUNCTIONS: Final[frozenset[object]] = frozenset(
    {
        builtins.abs,
        builtins.ascii,
        builtins.bin,
        builtins.bool,
        builtins.bytes,
        builtins.callable,
        builtins.chr,
        builtins.complex,
        builtins.divmod,
        builtins.float,
        builtins.format,
        builtins.frozenset,
        builtins.hex,
        builtins.int,
        builtins.len,
        builtins.max,
        builtins.min,
        builtins.oct,
        builtins.ord,
        builtins.pow,
        builtins.range,
        builtins.repr,
        builtins.round,
        builtins.slice,
        builtins.str,
        builtins.sum,
        builtins.tuple,
        builtins.all,
        builtins.any,
        struct.calcsize,
        struct.pack,
        struct.unpack,
        struct.unpack_from,
        int.from_bytes,
        bytes.fromhex,
        os.fspath,
        re.escape,
        keyword.iskeyword,
        *(zlib.crc32, zlib.adler32, binascii.crc32, binascii.hexlify, binascii.unhexlify),
        *(one for module in (math, cmath) for name, one in vars(module).items() if callable(one) and name[0] != "_"),
        *(
            getattr(operator, name)
            for name in operator.__all__
            if name not in ("call", "attrgetter", "itemgetter", "methodcaller", "setitem", "delitem", "length_hint")
            and not name.startswith("i")
        ),
    }
)

_STRING: Final = frozenset(
    name
    for name in dir(str)
    if not name.startswith("_") and name not in ("format_map", "split", "rsplit", "splitlines")
)

PURE_METHODS: Final[dict[type, frozenset[str]]] = {
    str: _STRING,
    bytes: frozenset(
        name for name in dir(bytes) if not name.startswith("_") and name not in ("split", "rsplit", "splitlines")
    ),
    int: frozenset(name for name in dir(int) if not name.startswith("_")),
    float: frozenset(name for name in dir(float) if not name.startswith("_")),
    bool: frozenset(name for name in dir(bool) if not name.startswith("_")),
    tuple: frozenset({"index", "count"}),
    frozenset: frozenset({"union", "intersection", "difference", "issubset", "issuperset", "isdisjoint"}),
    range: frozenset({"index", "count"}),
}

_LARGE: Final = 1 << 14


_WIDE: Final = re.compile(r"\d{5}")


def wide(spec: str) -> bool:
    """May this format make a text of many characters?"""
    return _WIDE.search(spec) is not None


_SPECIAL_FIELD: Final = re.compile(r"n\}|[:!.\[][^{}]*\{|\d{5}")


def plain_format(function: object, values: Sequence[object]) -> bool:
    """If this formats: is the text short, and the same under all settings of the process, as far as the format tells?

    `values` are the arguments of the function `format`, or the template of the method and its arguments.
    """
    if function is builtins.format:
        return len(values) < 2 or not (str(values[1]).endswith("n") or wide(str(values[1])))
    if function != "format":
        return True
    return _SPECIAL_FIELD.search(str(values[0])) is None and not any(map(many_digits, values[1:]))


_ALWAYS_SHOWN: Final = int(sys.int_info.str_digits_check_threshold * math.log2(10))
"""Ints of so many bits are written in decimal digits whatever `sys.set_int_max_str_digits` says."""


_LONGEST: Final = {
    **dict.fromkeys(("repr", "ascii", "str", "hex", "expandtabs"), 1 << 16),
    **dict.fromkeys(("join", "translate"), 1 << 20),
}
"""Of so much text functions and methods make more that may be made of again and again: `s = repr(s)`."""
_LONGEST_PRODUCT: Final = 1 << 20
"""The same where one text is put into another one: `s.replace("a", t)`, `"{0} {0}".format(s)`."""


def stays_short(name: str, values: Sequence[object]) -> bool:
    """Does the function or method of this name make no text of these values that is too long to be kept?"""
    if name in _LONGEST and not (name == "str" and type(values[0]) is str):
        return sum(map(_text_in, values)) <= _LONGEST[name]
    if name == "replace" and len(values) >= 3:
        text, old, new = map(_text_in, values[:3])
        return (0 < old >= new) or text * max(new, 1) <= _LONGEST_PRODUCT
    if name in ("format", "format_map"):
        return _text_in(values[0]) * (1 + sum(map(_text_in, values[1:]))) <= _LONGEST_PRODUCT
    return True


def _text_in(value: object) -> int:
    """How much text a value is, or holds."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if is_a(value, (tuple, frozenset)):
        return sum(map(_text_in, value)) + len(value)
    return 1


def many_digits(value: object) -> bool:
    """Does writing this value, or reading it as a number, depend on `sys.set_int_max_str_digits`?"""
    if isinstance(value, int):
        return value.bit_length() >= _ALWAYS_SHOWN
    if is_a(value, (tuple, frozenset)):
        return any(map(many_digits, value))
    return False


def cheap(name: str, args: tuple[object, ...]) -> bool:
    """Is the result of this operator on these builtin operands of reasonable size?"""
    if name in ("pow", "ipow"):
        base, exponent = args[0], args[1]
        if isinstance(base, int) and isinstance(exponent, int):
            return exponent < 0 or base.bit_length() * exponent <= _LARGE
        return True
    if name in ("lshift", "ilshift"):
        return not (isinstance(args[0], int) and isinstance(args[1], int)) or args[0].bit_length() + args[1] <= _LARGE
    if name in ("mul", "imul"):
        for sequence, count in (args, args[::-1]):
            if isinstance(sequence, (str, bytes, tuple, list)) and isinstance(count, int):
                return len(sequence) * count <= _LARGE
        return all(not isinstance(arg, int) or arg.bit_length() <= _LARGE for arg in args)
    if name in ("in", "not_in") and is_long(args[1]):
        return type(args[0]) in (int, bool)
    if name in ("mod", "imod") and isinstance(args[0], (str, bytes)):
        template = args[0] if isinstance(args[0], str) else args[0].decode("latin-1")
        narrow = "*" not in template or not _has_wide_number(args[1])
        return narrow and not wide(template) and not many_digits(args[1])
    return True


def stays_small(factors: object) -> bool:
    """Is the product of these numbers of reasonable size?"""
    if isinstance(factors, range):
        return len(factors) * max(factors.start.bit_length(), factors.stop.bit_length()) <= _LARGE
    return not isinstance(factors, tuple) or sum(one.bit_length() for one in factors if isinstance(one, int)) <= _LARGE


def _has_wide_number(values: object) -> bool:
    """May a `*` of a template, whose width is one of these, make a text of many characters?"""
    given = values if isinstance(values, tuple) else (values,)
    return any(isinstance(one, int) and abs(one) > _WIDEST for one in given)


_WIDEST: Final = 1_000


_PLAIN_LOOKUPS: Final = {
    id(base.__dict__["__getattribute__"]): base.__dict__["__getattribute__"]
    for base in (object, ast.AST, BaseException, SimpleNamespace, tuple, int, str, float, dict, list, set)
    if "__getattribute__" in base.__dict__
}
"""By identity, for `==` of what a class has there may be code of the program."""
EVERY_NAME: Final = "*"
"""Stands for the names that an object has not, among the places that were read, and for any name that is stored."""
PLAIN_STORES: Final = tuple(class_lookup(base, "__setattr__") for base in (object, BaseException, SimpleNamespace))
PLAIN_DELETIONS: Final = tuple(class_lookup(base, "__delattr__") for base in (object, SimpleNamespace))


def plain_lookup(cls: type) -> bool:
    """Are attributes of instances looked up by the default rules?  (Some builtin classes name the same code again.)"""
    return id(class_lookup(cls, "__getattribute__")) in _PLAIN_LOOKUPS


def plain_reads(cls: type) -> bool:
    """Does attribute access on instances follow the default rules?"""
    return plain_lookup(cls) and class_lookup(cls, "__getattr__") is MISSING


def claims(cls: type) -> bool:
    """May an instance say by its `__class__` that it is of another class, or run code of the program when asked?"""
    for base in cls.__mro__[:-1]:
        if "__class__" in base.__dict__ or base in weakref.ProxyTypes:
            return True
        lookup = base.__dict__.get("__getattribute__")
        if lookup is not None and id(lookup) not in _PLAIN_LOOKUPS:
            module = _MODULE_OF_CLASS.__get__(base)
            return type(lookup) is not WrapperDescriptorType or module not in sys.stdlib_module_names
    return False


_MODULE_OF_CLASS: Final = type.__dict__["__module__"]


WEAK: Final = {
    id(made): made
    for made in (
        weakref.ref,
        weakref.proxy,
        weakref.finalize,
        weakref.WeakMethod,
        weakref.WeakSet,
        weakref.WeakKeyDictionary,
        weakref.WeakValueDictionary,
    )
}
"""By identity, for what is called may be anything."""


def shows_methods(cls: type, names: Sequence[object]) -> bool:
    """Do attributes of these names hide no method of the class?"""
    found = (class_lookup(cls, name) for name in names if isinstance(name, str))
    return not any(type(one) in (FunctionType, staticmethod, classmethod) for one in found)
