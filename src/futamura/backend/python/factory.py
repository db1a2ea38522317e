"""From emitted text to code objects.

    def total(a):               def _factory(K1, rate):            the code object of `total` with the free
        return K1(a) * rate  ->     global total               ->  variables ("K1", "rate"), its names those
                                    def total(a):                  of the original
                                        return K1(a) * rate

Text without free variables is compiled as it stands.  Nothing is ever executed: the code object is a constant of the
factory's.  `global` keeps the function's own name what it is for the program: a global, not a variable of the factory.

What shows in names is put right afterwards: `co_name`, `co_qualname` here and in everything nested, also where a class
body stores it; the flags of `__future__`, which `compile` and `exec` inherit when the function calls them.  The text is
compiled without them, since the front end has made explicit what they change.

Invariant: the text that is compiled is the text that is listed, so a function that was loaded can be lowered again.
"""

from __future__ import annotations
import __future__

import ast
import dis
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Final

from futamura.backend.python.emitted import Emitted
from futamura.ir.bytecode import instructions
from futamura.ir.immediates import marker

__all__ = ["CLASS_BODY", "FUTURE", "Text", "codes_of", "factory_text", "marked", "renamed"]

FUTURE: Final = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
"""The flags that `from __future__ import` leaves in a code object."""

CLASS_BODY: Final = 0x3
"""CO_OPTIMIZED | CO_NEWLOCALS: a nested code object without them is the body of a class."""

_INDENT: Final = "    "
_DEFINITION: Final = re.compile(r"^(?:async )?def ([^\W\d]\w*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Text:
    """What is compiled and listed."""

    text: str
    header: int
    """Lines of the factory before the emitted ones."""
    parameters: tuple[str, ...]
    """Of the factory: free variables and constants of the text."""
    siblings: tuple[str, ...]
    """The other functions of the text, which it calls directly."""
    factory: str
    """The name of the factory; empty if there is none."""


def factory_text(emitted: Emitted) -> Text:
    """The emitted text, inside a factory if it has free variables."""
    parameters = (*(name for name, _ in emitted.constants), *emitted.free)
    siblings = tuple(name for name in _defined(emitted) if name != emitted.name)
    if not parameters and not siblings and not emitted.recursive:
        return Text(emitted.text, 0, (), (), "")
    factory = "_factory"
    while factory in emitted.text or factory in parameters:
        factory += "_"
    lines = [f"def {factory}({', '.join(parameters)}):"]
    if emitted.name not in parameters and not emitted.recursive:
        lines.append(f"{_INDENT}global {emitted.name}")
    header = len(lines)
    lines.extend(_indented(emitted.text))
    return Text("\n".join(lines) + "\n", header, parameters, siblings, factory)


def marked(text: Text, immediates: tuple[str, ...]) -> str:
    """What is compiled: the text, with markers in the places of those names."""
    if not immediates:
        return text.text
    head, _, rest = text.text.partition("\n")
    left = [name for name in text.parameters if name not in immediates]
    names = re.compile(rf"\b(?:{'|'.join(immediates)})\b")
    body = names.sub(lambda found: repr(marker(found[0])), rest)
    assert text.factory and head.startswith(f"def {text.factory}(")
    return f"def {text.factory}({', '.join(left)}):\n{body}"


def _defined(emitted: Emitted) -> tuple[str, ...]:
    """The names of the functions at the top level, in order."""
    text = emitted.text
    if "\ndef " not in text and "\nasync def " not in text and text.startswith(f"def {emitted.name}("):
        return (emitted.name,)
    inside = _spanning(text)
    if inside:
        text = "\n".join(line for number, line in enumerate(text.split("\n"), 1) if number not in inside)
    return tuple(dict.fromkeys(_DEFINITION.findall(text)))


def _spanning(text: str) -> set[int]:
    """The lines (counted from 1) that begin inside of a string literal; more lines of the same brackets do no harm."""
    if '"""' not in text and "'''" not in text and "\\\n" not in text:
        return set()
    inside: set[int] = set()
    nodes: list[ast.AST] = [ast.parse(text)]
    for node in nodes:
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno is not None:
            inside.update(range(node.lineno + 1, node.end_lineno + 1))
        nodes.extend(ast.iter_child_nodes(node))
    return inside


def _indented(text: str) -> Iterator[str]:
    inside = _spanning(text)
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        yield _INDENT + line if line and number not in inside else line


def codes_of(text: Text, module: CodeType) -> dict[str, CodeType]:
    """The code objects of the functions that the text defines, by name; the last definition of a name wins."""
    if text.factory:
        module = next(found for found in _inner(module) if found.co_name == text.factory)
    return {found.co_name: found for found in _inner(module)}


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (constant for constant in code.co_consts if isinstance(constant, CodeType))


def renamed(code: CodeType, name: str, qualname: str, flags: int) -> CodeType:
    """`code` under other names and with more flags, also in what is nested in it.

    A nested name that does not continue the name around it (that of a function declared `global`) stays, with
    everything in it.
    """
    if code.co_qualname == qualname and code.co_name == name and code.co_flags | flags == code.co_flags:
        return code
    constants = tuple(
        _nested(constant, code.co_qualname, qualname, flags) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    changed = code.replace(co_name=name, co_qualname=qualname, co_flags=code.co_flags | flags, co_consts=constants)
    return changed if code.co_flags & CLASS_BODY else _class_body(changed, code.co_qualname)


def _nested(code: CodeType, old: str, new: str, flags: int) -> CodeType:
    qualname = code.co_qualname
    if qualname.startswith(old + "."):
        qualname = new + qualname[len(old) :]
    return renamed(code, code.co_name, qualname, flags)


def _class_body(code: CodeType, old: str) -> CodeType:
    """The body of a class that stores the new qualified name of `code` in `__qualname__`."""
    if code.co_qualname == old:
        return code
    before: dis.Instruction | None = None
    for instruction in instructions(code):
        if instruction.opname == "STORE_NAME" and instruction.argval == "__qualname__":
            break
        before = instruction
    if before is None or before.opname != "LOAD_CONST" or before.argval != old or before.arg is None:
        return code
    constants = list(code.co_consts)
    index = len(constants)
    if index > 0xFF:
        # No byte for another index: the constant itself is changed.
        constants[before.arg] = code.co_qualname
        return code.replace(co_consts=tuple(constants))
    # A new constant, since a string of the program may share the old one.
    changed = bytearray(code.co_code)
    changed[before.offset + 1] = index
    return code.replace(co_consts=(*constants, code.co_qualname), co_code=bytes(changed))
