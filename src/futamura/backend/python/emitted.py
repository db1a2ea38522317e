"""What the printer gives and the loader takes: the text of one function and what it refers to.

    Emitted(name="f", text="def f(a):\\n    return a + _k\\n", constants=(("_k", big),), free=("x",), spans=(...))

`text` defines `name` at the top level; it may define sibling functions before it (`invoke`).  Names of
`constants` and `free` are its free variables: the loader puts the text into a factory whose parameters they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from futamura.ir.graph import Span

__all__ = ["Emitted"]


@dataclass(frozen=True, slots=True)
class Emitted:
    """One emitted function.

    `spans` has one entry for each line of `text`: the source span of its first operation, or None.
    `flags` counts helper variables that the structurer needed, `dispatchers` its local dispatch loops.
    """

    name: str
    text: str
    constants: tuple[tuple[str, object], ...]
    free: tuple[str, ...]
    spans: tuple[Span | None, ...]
    flags: int = 0
    dispatchers: int = 0
    qualnames: tuple[tuple[str, str], ...] = ()
    """The qualified names of the functions that `text` defines beside `name`."""
    recursive: bool = False
    """Whether the text calls `name` by `invoke`: the name then means this very function, not the program's global."""
    literals: tuple[object, ...] = ()
    """Objects that are printed as literals: code that asks for identity must find these very objects."""
    immediates: tuple[str, ...] = ()
    """Names among the constants that stand nowhere but where a string may stand: they need no cells (`immediates`)."""
    calling: int = 0
    """How many of its operations may run code that is not known."""
