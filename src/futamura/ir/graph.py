"""The frozen program graph.

A `Program` is a set of `Function`s; a function is a tuple of `Block`s with parameters; a block is a
tuple of `Operation`s and one `Terminator`.  Everything here is immutable: `build.py` makes it, passes
map one program to another.

    def f(a, b):                      func f(a, b)
        while a < b:                  b0(v0:a, v1:b):
            a += 1                      jump b1(v0)
        return a                      b1(v2:a):
                                        v3 = lt v2, v1
                                        v4 = truth v3
                                        branch v4 -> b2() | b3()
                                      b2():
                                        v5 = const 1
                                        v6:a = iadd v2, v5
                                        jump b1(v6)
                                      b3():
                                        return v2

Invariants (checked by `verify.py`): values are dense integers, defined once, and every definition
dominates its uses; block ids are dense, block 0 is the entry and has no predecessor.

The meaning of every part stands in `docs/ir.md`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from futamura.ir.attributes import ClassAttr, FunctionAttr
from futamura.ir.ops import Operator, TerminatorKind

__all__ = [
    "OBJECT",
    "Block",
    "ClassAttr",
    "Edge",
    "FrameState",
    "Function",
    "FunctionAttr",
    "FunctionKind",
    "Operation",
    "Program",
    "Region",
    "RegionKind",
    "Signature",
    "Span",
    "Suspended",
    "Terminator",
    "Value",
]

Value: TypeAlias = int
"""An SSA value: an index into `Function.hints` and `Function.types`."""

OBJECT: Final = "object"
"""The default type of a value: any Python object.  Types are an open set of names ("i64", "f64", ...)."""

RegionKind: TypeAlias = Literal["body", "try", "except", "copy"]
FunctionKind: TypeAlias = Literal["function", "generator", "coroutine"]


class Span(NamedTuple):
    """A place in the source: 1-based lines, 0-based columns counted in UTF-8 bytes, as `ast` counts them."""

    line: int
    column: int
    end_line: int
    end_column: int


class Edge(NamedTuple):
    """A way to `target`, binding `args` to its parameters.

    The edges of `next` to its body and every handler edge pass one more, implicit argument that comes
    first: the item, respectively the exception.
    """

    target: int
    args: tuple[Value, ...] = ()


class Operation(NamedTuple):
    """`results = operator[attr](args)`.  `id` is stable and unique in its function."""

    id: int
    operator: Operator
    args: tuple[Value, ...]
    attr: object
    results: tuple[Value, ...]
    span: Span | None = None

    @property
    def name(self) -> str:
        return self.operator.name


class FrameState(NamedTuple):
    """How to rebuild the frame that continues at (function, block, index): used by `guard`.

    `values` pairs each live-in with its recipe: a value of the guarding function, or a nested tuple
    that describes a virtual object.  `parent` is the caller's frame.
    """

    function: str
    block: int
    index: int  # type: ignore[assignment]  # the name of a tuple's method, which nobody needs here
    values: tuple[tuple[Value, object], ...]
    parent: FrameState | None = None


class Terminator(NamedTuple):
    """The end of a block; `kind` says what `args`, `edges` and `attr` mean (see `ops.TERMINATORS`)."""

    id: int
    kind: TerminatorKind
    args: tuple[Value, ...] = ()
    edges: tuple[Edge, ...] = ()
    attr: object = None
    span: Span | None = None

    @property
    def name(self) -> str:
        return self.kind.name


class Region(NamedTuple):
    """An extent of blocks.

    kind "body":   the function's body; region 0, the root
    kind "try":    protected by `handler`; `flavor` is "except", "finally" or "with"
    kind "except": the extent in which the exception caught by try region `of` is the active one
    kind "copy":   a copy of the clean-up of try region `of` on a way out without exception
    """

    id: int
    parent: int
    kind: RegionKind
    flavor: str = ""
    handler: int = -1
    of: int = -1
    span: Span | None = None


class Block(NamedTuple):
    """`params`, then `ops`, then `terminator`; an exception raised in it goes to `handler`."""

    id: int
    params: tuple[Value, ...]
    ops: tuple[Operation, ...]
    terminator: Terminator
    handler: Edge | None = None
    region: int = 0


class Signature(NamedTuple):
    """The parameters of a function in the order of its entry block's first parameters."""

    posonly: tuple[str, ...] = ()
    regular: tuple[str, ...] = ()
    varargs: str | None = None
    kwonly: tuple[str, ...] = ()
    varkw: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """All names in the order of `co_varnames`: positional, keyword-only, *args, **kwargs."""
        stars = tuple(name for name in (self.varargs, self.varkw) if name is not None)
        return self.posonly + self.regular + self.kwonly + stars


@dataclass(frozen=True, slots=True)
class Function:
    """One function.  The entry's parameters are `signature.names`, then one cell for each name of `free`."""

    name: str
    qualname: str
    signature: Signature
    free: tuple[str, ...]
    kind: FunctionKind
    blocks: tuple[Block, ...]
    regions: tuple[Region, ...]
    hints: tuple[str | None, ...]
    types: tuple[str, ...]
    doc: str | None = None
    module: str = ""
    file: str = ""
    span: Span | None = None

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    def operations(self) -> Iterator[Operation]:
        for block in self.blocks:
            yield from block.ops

    def region_path(self, region: int) -> tuple[int, ...]:
        """The regions that hold `region`, from the root down to `region` itself."""
        path = [region]
        while path[-1] != 0:
            path.append(self.regions[path[-1]].parent)
        return tuple(reversed(path))


@dataclass(frozen=True, slots=True)
class Program:
    """The function `entry` and the functions that it makes, by unique name, in order of appearance."""

    entry: str
    functions: tuple[Function, ...]
    index: dict[str, Function] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {function.name: function for function in self.functions})

    @property
    def main(self) -> Function:
        return self.index[self.entry]

    def __getitem__(self, name: str) -> Function:
        return self.index[name]


@dataclass(frozen=True, slots=True)
class Suspended:
    """A frame that stopped before operation `index` of `block` (or its terminator): the values it lives on.

    `active` holds the exceptions that are being handled, outermost first, one for each "except" region
    of the block's region path.
    """

    function: str
    block: int
    index: int
    environment: dict[Value, object]
    active: tuple[BaseException, ...] = ()
