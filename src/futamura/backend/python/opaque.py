"""Definitions that the program has as source: their lines, and the names that they need from the module.

    class A(Base):                  lines: the same without blank lines, each string on one line of its own, so that
        '''one                      indenting them changes no string;
        two'''                      names: {"Base"}, if `Base` is no free variable of the definition

Invariant: the source is one statement as `ast.unparse` writes it: only its docstrings go over several lines.
"""

from __future__ import annotations

import ast
import io
import symtable
import tokenize

from futamura.ir.attributes import ClassAttr

__all__ = ["global_names_of", "opaque_lines"]


def opaque_lines(source: str) -> list[str]:
    lines = source.split("\n")
    if '"""' in source or "'''" in source:
        strings = [token for token in tokenize.generate_tokens(io.StringIO(source).readline) if _goes_on(token)]
        for token in reversed(strings):
            (first, start), (last, end) = token.start, token.end
            text = repr(ast.literal_eval(token.string))
            lines[first - 1 : last] = [lines[first - 1][:start] + text + lines[last - 1][end:]]
    return [line for line in lines if line.strip()]


def _goes_on(token: tokenize.TokenInfo) -> bool:
    return token.type == tokenize.STRING and token.start[0] != token.end[0]


def global_names_of(attr: ClassAttr) -> set[str]:
    """The names that a definition finds in its module: no variable of the function around it may have one of them."""
    lines = [f"def definition({', '.join(attr.free)}):", *("  " + line for line in opaque_lines(attr.source))]
    found: set[str] = set()
    work = symtable.symtable("\n".join(lines), "<definition>", "exec").get_children()
    while work:
        table = work.pop()
        found.update(symbol.get_name() for symbol in table.get_symbols() if symbol.is_global())
        work += table.get_children()
    return found
