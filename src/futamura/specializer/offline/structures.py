"""Operations on partially static structures: the shape is in the static store, and each item is a residual value.

    setitem v5, env, "y"       shape {"x"} becomes {"x", "y"}; the item of "y" is what v5 is       nothing is emitted
    v7 = getitem env, "x"      v7 is the item of "x"                                               nothing is emitted
    v8 = getitem env, "z"      a dict of the items is made, and raises the KeyError                as Python raises it

An item of a structure is a *slot*: a number beyond those of the values, so that it lives among the dynamic values and
is passed to blocks like one.

Invariant: a shape is never changed, each change makes another; keys are of exact builtin types that compare by value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from keyword import iskeyword
from typing import Any, Final

from futamura.analysis.partial import Access, dict_parts, starred
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.graph import Function, Operation, Span, Value

__all__ = ["METHOD", "Forced", "Shape", "Slots", "StructureWriter", "item_name"]


class Forced(Exception):
    """Operations, or structures, that turned out to have to stay; the division has to be made again."""

    def __init__(
        self, function: str, operations: Sequence[int], reason: str, structures: Sequence[tuple[str, Value]] = ()
    ) -> None:
        super().__init__(reason)
        self.function: Final = function
        self.operations: Final = tuple(operations)
        self.reason: Final = reason
        self.structures: Final = tuple(structures)
        """Values of functions whose webs must not be split."""


class Shape:
    """The class of a structure, and its keys in order: names, or indices from 0."""

    __slots__ = ("keys", "kind")

    def __init__(self, kind: str, keys: tuple[object, ...]) -> None:
        self.kind: Final = kind
        self.keys: Final = keys

    def __repr__(self) -> str:
        if self.kind == "dict":
            return "{" + ", ".join(str(key) for key in self.keys) + "}"
        marks = ("(", ")") if self.kind == "tuple" else ("[", "]")
        return marks[0] + ", ".join("." for _ in self.keys) + marks[1]


METHOD: Final = Shape("method", ())
"""A method of a structure: nothing but its calls uses it, and they know whose it is."""

_MOST: Final = 64
"""Items of a structure: with more it is a table, and no set of variables."""

_NAMES: Final = (str, int, bool, bytes, type(None))


def _is_name(key: object) -> bool:
    """Is this a key that compares and hashes by value, without code of anybody's class?"""
    if type(key) is tuple:
        return all(_is_name(item) for item in key)
    return type(key) in _NAMES


class Slots:
    """The numbers of the slots of one function."""

    def __init__(self, function: Function) -> None:
        self._first: Final = len(function.hints)
        self._numbers: Final[dict[tuple[Value, int], Value]] = {}
        self.places: Final[dict[Value, tuple[Value, int]]] = {}
        """For each slot the structure and the position."""

    def of(self, value: Value, position: int) -> Value:
        slot = self._numbers.setdefault((value, position), self._first + len(self._numbers))
        self.places[slot] = (value, position)
        return slot


def item_name(base: str | None, key: object) -> str:
    """A name for the variable of an item: the key itself, if it is one."""
    if type(key) is str and key.isidentifier() and key.isascii() and not key.startswith("_") and not iskeyword(key):
        return key
    return f"{base or 'item'}_{key}" if type(key) is int and key >= 0 else f"{base or 'item'}_item"


class _Fails(Exception):
    """The operation raises, on these operands."""


class StructureWriter(ABC):
    """The part of a writer of residual functions that knows structures."""

    def __init__(self, function: Function, builder: FunctionBuilder, slots: Slots) -> None:
        self.function: Final = function
        self.builder: Final = builder
        self.slots: Final = slots
        self.static: dict[Value, Any] = {}
        self.dynamic: dict[Value, Value] = {}
        self.order: list[Value] = []
        self.out: BlockBuilder

    @abstractmethod
    def residual(self, value: Value) -> Value:
        """The residual value that stands for `value`."""

    # ------------------------------------------------------------ items

    def items(self, value: Value) -> list[Value]:
        """The residual values of the items, in order."""
        return [self.dynamic[slot] for slot in self.slots_of(value, self.static[value])]

    def slots_of(self, value: Value, content: object) -> list[Value]:
        """The slots of a structure that has this shape; a static tuple has none."""
        count = len(content.keys) if type(content) is Shape else 0
        return [self.slots.of(value, position) for position in range(count)]

    def slot_name(self, slot: Value, store: dict[Value, Any]) -> str | None:
        """A name for the residual value of a slot, where its structure has the shape that `store` says."""
        value, position = self.slots.places[slot]
        return item_name(self.function.hints[value], store[value].keys[position])

    def set_structure(self, value: Value, shape: Shape, items: Sequence[Value]) -> None:
        """`value` is a structure of this shape with these items."""
        if len(items) > _MOST:
            name = self.function.name
            raise Forced(name, [], f"it has more than {_MOST} items", [(name, value)])
        self.static[value] = shape
        self.order.append(value)
        hints = self.builder.hints
        for position, item in enumerate(items):
            self.dynamic[self.slots.of(value, position)] = item
            if hints[item] is None and shape.kind == "dict":
                hints[item] = item_name(self.function.hints[value], shape.keys[position])

    def materialized(self, value: Value, span: Span | None = None) -> Value:
        """An ordinary object with the items."""
        shape: Shape = self.static[value]
        items = self.items(value)
        if shape.kind == "dict":
            keys = [self.builder.constant(self.out, key) for key in shape.keys]
            items = [part for pair in zip(keys, items) for part in pair]
        return self.builder.emit(self.out, shape.kind, tuple(items), span=span)

    # ------------------------------------------------------------ operations

    def touches(self, operation: Operation, access: Access) -> bool:
        """Does the operation work on a structure here, and not on static values only?"""
        if access.makes and operation.name in ("dict", "list", "call"):
            return True
        if access.kind == "make" and any(value not in self.static for value in operation.args):
            return True
        if access.kind in ("cons", "add") and any(value not in self.static for value in operation.args):
            return True
        return any(type(self.static.get(value)) is Shape for value in (access.on, *operation.args))

    def structure(self, operation: Operation, access: Access) -> bool:
        """Execute the operation on shapes; False if it raises whenever it is reached."""
        try:
            self._executed(operation, access)
        except _Fails:
            self._raises(operation)
            return False
        return True

    def _executed(self, operation: Operation, access: Access) -> None:
        results = operation.results
        if access.kind == "method":
            self.static[results[0]] = METHOD
        elif access.makes:
            shape, items = self._made(operation, access)
            self.set_structure(results[0], shape, items)
        elif access.changes:
            self._change(operation, access)
        elif access.kind == "size":
            count = len(self.static[access.on].keys)
            found = {"truth": count > 0, "not": count == 0, "null": count == 0}.get(operation.name, count)
            self._known(results[0], found)
        elif access.kind == "has":
            key = self._name_of(operation, access.keys[0])
            there = key in self.static[access.on].keys
            self._known(results[0], there if operation.name == "in" else not there)
        elif access.kind == "unpack":
            items = self.items(access.on)
            if len(items) != len(results):
                raise _Fails
            for result, item in zip(results, items):
                self._is(result, item)
        elif access.kind == "get":
            shape = self.static[access.on]
            key = self._name_of(operation, access.keys[0])
            place = self._place(shape, key)
            default = operation.args[2:]
            if place is not None:
                self._is(results[0], self.items(access.on)[place])
            elif default:
                self._is(results[0], self.residual(default[0]))
            else:
                self._is(results[0], self.builder.constant(self.out, None))
        elif access.kind == "item":
            self._item(operation, access)
        else:
            raise Forced(self.function.name, [operation.id], f"`{operation.name}` on a structure is not executed early")

    def _item(self, operation: Operation, access: Access) -> None:
        shape = self.static[access.on]
        items = self.items(access.on)
        if operation.name == "car":
            place: int | None = 0 if items else None
        else:
            place = self._index(operation, shape, access.keys[0])
        if place is None:
            raise _Fails
        self._is(operation.results[0], items[place])

    def _known(self, result: Value, content: object) -> None:
        self.static[result] = content
        self.order.append(result)

    def _is(self, result: Value, item: Value) -> None:
        self.dynamic[result] = item
        self.order.append(result)

    # ------------------------------------------------------------ keys

    def _name_of(self, operation: Operation, value: Value) -> object:
        key = self.static[value]
        if not _is_name(key):
            raise Forced(self.function.name, [operation.id], f"a `{type(key).__name__}` is no name that can be known")
        return key

    def _place(self, shape: Shape, key: object) -> int | None:
        """The position of a name; None if it is not there."""
        places = {name: place for place, name in enumerate(shape.keys)}
        return places.get(key)

    def _index(self, operation: Operation, shape: Shape, value: Value) -> int | None:
        """The position of a name or an index; None if there is no such item."""
        key = self._name_of(operation, value)
        if shape.kind == "dict":
            return self._place(shape, key)
        if type(key) is not int and type(key) is not bool:
            raise Forced(self.function.name, [operation.id], f"an index is a `{type(key).__name__}`")
        count = len(shape.keys)
        return int(key) % count if -count <= key < count else None

    # ------------------------------------------------------------ making and changing

    def _made(self, operation: Operation, access: Access) -> tuple[Shape, list[Value]]:
        if operation.name == "dict":
            return self._dict(operation)
        if operation.name in ("list", "tuple"):
            items: list[Value] = []
            for value, star in zip(operation.args, starred(operation)):
                items += self._spread(operation, value) if star else [self.residual(value)]
            return _row(operation.name, items)
        if operation.name == "cons":
            return _row("tuple", [self.residual(operation.args[0]), *self._spread(operation, operation.args[1])])
        if operation.name == "add":
            first, second = operation.args
            return _row("tuple", [*self._spread(operation, first), *self._spread(operation, second)])
        if operation.name == "cdr":
            items = self.items(access.on)
            if not items:
                raise _Fails
            return _row("tuple", items[1:])
        if access.kind == "make":  # `dict()`
            kind = "dict" if self.static[operation.args[0]] is dict else "list"
            return Shape(kind, ()), []
        return self.static[access.on], self.items(access.on)

    def _spread(self, operation: Operation, value: Value) -> list[Value]:
        """The items of a structure, or of a static tuple."""
        content = self.static.get(value)
        if type(content) is Shape:
            return self.items(value)
        if type(content) is not tuple:
            raise Forced(self.function.name, [operation.id], "what is joined to a structure is none")
        return [self.known_item(item) for item in content]

    @abstractmethod
    def known_item(self, content: object) -> Value:
        """A residual constant."""

    def _dict(self, operation: Operation) -> tuple[Shape, list[Value]]:
        found: dict[object, Value] = {}
        for name, value in dict_parts(operation):
            if name is not None:
                found[self._name_of(operation, name)] = self.residual(value)
                continue
            shape = self.static[value]
            if type(shape) is not Shape or shape.kind != "dict":
                raise Forced(self.function.name, [operation.id], "what is spread is no structure")
            found.update(zip(shape.keys, self.items(value)))
        return Shape("dict", tuple(found)), list(found.values())

    def _change(self, operation: Operation, access: Access) -> None:
        shape = self.static[access.on]
        items = self.items(access.on)
        if access.kind == "append":
            shape, items = _row("list", [*items, self.residual(operation.args[1])])
            if operation.results:
                self._known(operation.results[0], None)
        elif access.kind in ("store", "put"):
            value = operation.args[0 if access.kind == "store" else 2]
            shape, items = self._stored(operation, shape, items, access.keys[0], self.residual(value))
        else:
            shape, items = self._dropped(operation, access, shape, items)
        self.set_structure(access.on, shape, items)

    def _stored(
        self, operation: Operation, shape: Shape, items: list[Value], key: Value, item: Value
    ) -> tuple[Shape, list[Value]]:
        place = self._index(operation, shape, key)
        if place is not None:
            return shape, [*items[:place], item, *items[place + 1 :]]
        if shape.kind != "dict":
            raise _Fails
        return Shape("dict", (*shape.keys, self.static[key])), [*items, item]

    def _dropped(
        self, operation: Operation, access: Access, shape: Shape, items: list[Value]
    ) -> tuple[Shape, list[Value]]:
        """`del` and `pop`."""
        if access.keys:
            place = self._index(operation, shape, access.keys[0])
        else:
            place = len(items) - 1 if items else None
        if place is None:
            if access.kind != "pop" or len(operation.args) < 3:
                raise _Fails
            self._is(operation.results[0], self.residual(operation.args[2]))
            return shape, items
        if access.kind == "pop":
            self._is(operation.results[0], items[place])
        left = [*items[:place], *items[place + 1 :]]
        if shape.kind == "list":
            return _row("list", left)
        return Shape("dict", (*shape.keys[:place], *shape.keys[place + 1 :])), left

    # ------------------------------------------------------------ failing

    def _raises(self, operation: Operation) -> None:
        """The operation itself, on an object that has the items: it raises what Python raises."""
        args = []
        for value in operation.args:
            content = self.static.get(value)
            if content is METHOD:
                args.append(self._method(value, operation.span))
            elif type(content) is Shape:
                args.append(self.materialized(value, operation.span))
            else:
                args.append(self.residual(value))
        results = tuple([self.builder.value(self.function.hints[value]) for value in operation.results])
        self.builder.append(self.out, operation.name, tuple(args), operation.attr, results, operation.span)

    def _method(self, value: Value, span: Span | None) -> Value:
        made = next(op for op in self.function.operations() if value in op.results)
        whole = self.materialized(made.args[0], span)
        return self.builder.emit(self.out, "getattr", (whole,), made.attr, span=span)


def _row(kind: str, items: list[Value]) -> tuple[Shape, list[Value]]:
    return Shape(kind, tuple(range(len(items)))), items
