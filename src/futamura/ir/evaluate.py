"""Operators on concrete values: what each row of the table does when Python executes it.

    evaluate of "unpack" on ((1, 2, 3),) with (1, True, 0)   ->  [1, [2, 3]]
    evaluate of "add" on (1, "a")                            ->  raises Python's own TypeError

A function here takes the tuple of arguments and the attribute; it gives the result, or a sequence of results where the
row has not exactly one.  Wherever Python has syntax for an operation, the very syntax is compiled once and run,
so that errors and their texts are those of the running interpreter.

Invariant: nothing here knows about frames; an exception leaves with the `__context__` that Python would give it.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from functools import cache
from types import CellType
from typing import Any, Final, TypeAlias

from futamura.ir import lists

__all__ = ["BINARY", "COMPARE", "EVALUATE", "INPLACE", "UNARY", "Evaluate"]

Evaluate: TypeAlias = Callable[[Sequence[Any], Any], Any]

BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "matmul": operator.matmul,
    "truediv": operator.truediv, "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
    "lshift": operator.lshift, "rshift": operator.rshift, "and": operator.and_, "or": operator.or_,
    "xor": operator.xor,
}  # fmt: skip
INPLACE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "iadd": operator.iadd, "isub": operator.isub, "imul": operator.imul, "imatmul": operator.imatmul,
    "itruediv": operator.itruediv, "ifloordiv": operator.ifloordiv, "imod": operator.imod, "ipow": operator.ipow,
    "ilshift": operator.ilshift, "irshift": operator.irshift, "iand": operator.iand, "ior": operator.ior,
    "ixor": operator.ixor,
}  # fmt: skip
COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "lt": operator.lt, "le": operator.le, "eq": operator.eq, "ne": operator.ne, "gt": operator.gt, "ge": operator.ge,
    "is": operator.is_, "is_not": operator.is_not,
    "in": lambda item, container: item in container, "not_in": lambda item, container: item not in container,
}  # fmt: skip
UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "not": operator.not_, "truth": operator.truth,
}  # fmt: skip


def _binary(function: Callable[[Any, Any], Any]) -> Evaluate:
    return lambda args, attr: function(args[0], args[1])


def _unary(function: Callable[[Any], Any]) -> Evaluate:
    return lambda args, attr: function(args[0])


def _compiled(source: str, name: str) -> Any:
    """The function `name` that `source` defines, with nothing of ours in its globals."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "<operator>", "exec", dont_inherit=True), namespace)
    return namespace[name]


def _names(count: int) -> list[str]:
    return [f"a{index}" for index in range(count)]


@cache
def _display(left: str, right: str, flags: tuple[bool, ...]) -> Any:
    names = _names(len(flags))
    items = "".join(("*" if starred else "") + name + ", " for name, starred in zip(names, flags))
    return _compiled(f"def display({', '.join(names)}): return {left}{items}{right}", "display")


def make_tuple(args: Sequence[Any], attr: Any) -> object:
    return tuple(args) if attr is None else _display("(", ")", attr)(*args)


def make_list(args: Sequence[Any], attr: Any) -> object:
    return list(args) if attr is None else _display("[", "]", attr)(*args)


def make_set(args: Sequence[Any], attr: Any) -> object:
    return set(args) if attr is None else _display("{*(), ", "}", attr)(*args)


@cache
def _dict_display(flags: tuple[bool, ...]) -> Any:
    count = sum(1 if mapping else 2 for mapping in flags)
    names = iter(_names(count))
    items = ", ".join(f"**{next(names)}" if mapping else f"{next(names)}: {next(names)}" for mapping in flags)
    return _compiled(f"def display({', '.join(_names(count))}): return {{{items}}}", "display")


def make_dict(args: Sequence[Any], attr: Any) -> object:
    if attr is not None:
        return _dict_display(attr)(*args)
    return {args[index]: args[index + 1] for index in range(0, len(args), 2)}


def make_slice(args: Sequence[Any], attr: Any) -> object:
    return slice(args[0], args[1], args[2])


@cache
def _unpacker(before: int, starred: bool, after: int) -> Any:
    names = _names(before + starred + after)
    targets = [f"*{name}" if starred and index == before else name for index, name in enumerate(names)]
    return _compiled(
        f"def unpack(value):\n [{', '.join(targets)}] = value\n return ({''.join(name + ', ' for name in names)})",
        "unpack",
    )


def unpack(args: Sequence[Any], attr: Any) -> object:
    return _unpacker(*attr)(args[0])


_CONVERSIONS: Final[dict[str, Callable[[Any], str]]] = {"s": str, "r": repr, "a": ascii}


def format_value(args: Sequence[Any], attr: Any) -> object:
    value = _CONVERSIONS[attr](args[0]) if attr else args[0]
    if len(args) == 2:
        return format(value, args[1])
    return value if type(value) is str else format(value)


def join(args: Sequence[Any], attr: Any) -> object:
    return "".join(args)


@cache
def _caller(marks: tuple[str, ...]) -> Any:
    names = _names(len(marks))
    parts = [
        name if mark == "" else mark + name if mark in ("*", "**") else f"{mark}={name}"
        for name, mark in zip(names, marks)
    ]
    return _compiled(f"def call({', '.join(['f', *names])}): return f({', '.join(parts)})", "call")


def call(args: Sequence[Any], attr: Any) -> object:
    return args[0](*args[1:]) if attr is None else _caller(attr)(*args)


def make_super(args: Sequence[Any], attr: Any) -> object:
    """`super()`: a global `super` that is not the builtin is called without arguments, as Python does."""
    function, cell, first = args
    if function is not builtins.super:
        return function()
    if is_empty(cell):
        raise RuntimeError("super(): empty __class__ cell")
    return function(cell.cell_contents, first)


@cache
def _importer(name: str) -> Any:
    return compile(f"from module import {name} as found", "<operator>", "exec", dont_inherit=True)


def import_from(args: Sequence[Any], attr: Any) -> object:
    """IMPORT_FROM on the given module: only `__import__` is replaced, so the errors are Python's own."""
    namespace: dict[str, Any] = {"__builtins__": {"__import__": lambda *_: args[0]}}
    exec(_importer(attr), namespace)
    return namespace["found"]


def is_empty(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018  an empty cell raises
    except ValueError:
        return True
    return False


def make_cell(args: Sequence[Any], attr: Any) -> object:
    return CellType(*args)


def unbound(name: str, scope: str) -> NameError:
    """What Python raises where a variable has no value."""
    if scope == "local":
        return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")
    return NameError(
        f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope", name=name
    )


def cell_get(args: Sequence[Any], attr: Any) -> object:
    try:
        return args[0].cell_contents
    except ValueError:
        pass
    raise unbound(*attr)  # outside of the handler: ValueError is not its context


def cell_set(args: Sequence[Any], attr: Any) -> None:
    args[1].cell_contents = args[0]


def cell_del(args: Sequence[Any], attr: Any) -> None:
    if is_empty(args[0]):
        raise unbound(*attr)
    del args[0].cell_contents


def match_sequence(args: Sequence[Any], attr: Any) -> object:
    match args[0]:
        case [*_]:
            return True
        case _:
            return False


def match_mapping(args: Sequence[Any], attr: Any) -> object:
    match args[0]:
        case {}:
            return True
        case _:
            return False


@cache
def _class_matcher(count: int, keywords: tuple[str, ...]) -> Any:
    names = _names(count + len(keywords))
    parts = [*names[:count], *(f"{keyword}={name}" for keyword, name in zip(keywords, names[count:]))]
    return _compiled(
        f"def test(subject, cls):\n match subject:\n  case cls({', '.join(parts)}):\n"
        f"   return (True, {''.join(name + ', ' for name in names)})\n"
        f" return (False, {'None, ' * len(names)})",
        "test",
    )


def match_class(args: Sequence[Any], attr: Any) -> object:
    return _class_matcher(*attr)(args[0], args[1])


_MRO: Final = type.__dict__["__mro__"].__get__
_NOT_A_CLASS: Final = "catching classes that do not inherit from BaseException is not allowed"


def _is_exception_class(value: object) -> bool:
    return issubclass(type(value), type) and any(base is BaseException for base in _MRO(value))


def exc_match(args: Sequence[Any], attr: Any) -> object:
    """`except classes:` looks at the real method resolution order, not at `__instancecheck__`."""
    exception, classes = args
    wanted = list(tuple.__iter__(classes)) if issubclass(type(classes), tuple) else [classes]
    if not all(map(_is_exception_class, wanted)):
        raise TypeError(_NOT_A_CLASS)
    bases = _MRO(type(exception))
    return any(base is cls for cls in wanted for base in bases)


def _special(value: object, name: str) -> Any:
    """A special method as the interpreter finds it: on the type, bound by its descriptor; None if there is none."""
    kind = type(value)
    for base in _MRO(kind):
        if name not in base.__dict__:
            continue
        found = base.__dict__[name]
        bind = getattr(type(found), "__get__", None)
        return (found,) if bind is None else (bind(found, value, kind),)
    return None


def with_enter(args: Sequence[Any], attr: Any) -> object:
    manager = args[0]
    enter = _special(manager, "__enter__")
    leave = None if enter is None else _special(manager, "__exit__")
    if leave is None:
        with manager:  # the statement itself finds what is missing, calls nothing and has the right words
            raise AssertionError(f"{type(manager)} is a context manager after all")
    return (leave[0], enter[0]())


async def enter_async_context(manager: Any) -> tuple[Any, Any]:
    """The same for `async with`."""
    enter = _special(manager, "__aenter__")
    leave = None if enter is None else _special(manager, "__aexit__")
    if leave is None:
        async with manager:
            raise AssertionError(f"{type(manager)} is an asynchronous context manager after all")
    return (leave[0], await enter[0]())


def async_iterator(iterable: Any) -> Any:
    """What `async for` asks for items.  Errors: TypeError in the words of the statement."""
    make = _special(iterable, "__aiter__")
    if make is None:
        raise TypeError(f"'async for' requires an object with __aiter__ method, got {type(iterable).__name__}")
    found = make[0]()
    if _special(found, "__anext__") is None:
        kind = type(found).__name__
        raise TypeError(f"'async for' received an object from __aiter__ that does not implement __anext__: {kind}")
    return found


class _Again:
    """Gives an iterator that exists already to a statement."""

    __slots__ = ("_iterator",)

    def __init__(self, iterator: Any) -> None:
        self._iterator: Any = iterator

    def __aiter__(self) -> Any:
        return self._iterator


async def async_item(iterator: Any) -> Any:
    """The next item of an asynchronous iterator, as the statement gets it.  Errors: StopAsyncIteration at its end."""
    async for item in _Again(iterator):
        return item
    raise StopAsyncIteration


def with_exit(args: Sequence[Any], attr: Any) -> None:
    args[0](None, None, None)


def with_unwind(args: Sequence[Any], attr: Any) -> object:
    leave, exception = args
    return leave(type(exception), exception, exception.__traceback__)


def set_item(args: Sequence[Any], attr: Any) -> None:
    args[1][args[2]] = args[0]


def delete_item(args: Sequence[Any], attr: Any) -> None:
    del args[0][args[1]]


def put(args: Sequence[Any], attr: Any) -> None:
    args[0][args[1]] = args[2]


EVALUATE: Final[dict[str, Evaluate]] = {
    "const": lambda args, attr: attr.value,
    "copy": lambda args, attr: args,
    **{name: _binary(function) for table in (BINARY, INPLACE, COMPARE) for name, function in table.items()},
    **{name: _unary(function) for name, function in UNARY.items()},
    "getattr": lambda args, attr: getattr(args[0], attr),
    "setattr": lambda args, attr: setattr(args[1], attr, args[0]),
    "delattr": lambda args, attr: delattr(args[0], attr),
    "getitem": lambda args, attr: args[0][args[1]],
    "setitem": set_item,
    "delitem": delete_item,
    "slice": make_slice,
    "tuple": make_tuple,
    "list": make_list,
    "set": make_set,
    "dict": make_dict,
    "list_append": lambda args, attr: list.append(args[0], args[1]),
    "set_add": lambda args, attr: set.add(args[0], args[1]),
    "dict_put": put,
    "unpack": unpack,
    "format": format_value,
    "string": join,
    "call": call,
    "super": make_super,
    "iter": lambda args, attr: iter(args[0]),
    "aiter": lambda args, attr: async_iterator(args[0]),
    "import_from": import_from,
    "cell": make_cell,
    "cell_get": cell_get,
    "cell_set": cell_set,
    "cell_del": cell_del,
    "match_sequence": match_sequence,
    "match_mapping": match_mapping,
    "match_class": match_class,
    "exc_match": exc_match,
    "with_enter": with_enter,
    "with_exit": with_exit,
    "with_unwind": with_unwind,
    "car": lists.car,
    "cdr": lists.cdr,
    "cons": lists.cons,
    "null": lists.null,
    "show": lists.show,
}
"""By the name of the row; the rows that need a frame (globals, imports, definitions, yields) have none."""
