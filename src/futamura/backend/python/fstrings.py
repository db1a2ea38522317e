"""f-strings: exact on every version, also where 3.11 forbids quotes and backslashes inside.

    string("a", format(x, ">3"))   ->   f'a{x:>3}'

Where no quote is left that the expressions do not use, the parts are joined by calls instead.
"""

from __future__ import annotations

import builtins
from typing import Final

from futamura.backend.python.expressing import ATOM, RULES, TEST, Expressions
from futamura.backend.python.trees import Expression, Literal, Node

__all__: list[str] = []

_QUOTES: Final = ("'", '"')


class _Impossible(Exception):
    """No quotes are left for this f-string."""


def _string(e: Expressions, tree: Node) -> tuple[str, int]:
    return _joined(e, tree.kids), ATOM


def _format(e: Expressions, tree: Node) -> tuple[str, int]:
    return _joined(e, (tree,)), ATOM


def _joined(e: Expressions, parts: tuple[Expression, ...]) -> str:
    pieces: list[tuple[str, bool]] = []
    try:
        for part in parts:
            pieces.extend(_pieces(e, part, spec=False))
        inside = "".join(text for text, fixed in pieces if not fixed)
        if "\\" in inside or "#" in inside or "\n" in inside:
            raise _Impossible
        quote = next((q for q in _QUOTES if q not in inside), None)
        if quote is None:
            raise _Impossible
        return "f" + quote + "".join(_escaped(text, quote) if fixed else text for text, fixed in pieces) + quote
    except _Impossible:
        return _by_calls(e, parts)


def _pieces(e: Expressions, part: Expression, spec: bool) -> list[tuple[str, bool]]:
    """(text, is it fixed text) pieces of one part."""
    if isinstance(part, Literal) and type(part.constant.value) is str:
        return [(part.constant.value, True)]
    if isinstance(part, Node) and part.op.name == "string":
        return [piece for kid in part.kids for piece in _pieces(e, kid, spec)]
    if not isinstance(part, Node) or part.op.name != "format":
        raise _Impossible
    text = e.text(part.kids[0], TEST)
    if text.startswith("{"):
        text = " " + text
    if ("lambda" in text or ":=" in text) and not text.startswith("("):
        text = f"({text})"
    if "!" in text and "!=" not in text and "'" not in text and '"' not in text:
        text = f"({text})"
    found = [("{" + text, False)]
    if part.op.attr:
        found.append((f"!{part.op.attr}", False))
    if len(part.kids) > 1:
        inner = part.kids[1]
        if spec:
            raise _Impossible
        found.append((":", False))
        nested = _pieces(e, inner, True)
        if any(fixed and ("{" in text or "}" in text) for text, fixed in nested):
            raise _Impossible
        found.extend(nested)
    found.append(("}", False))
    return found


def _escaped(text: str, quote: str) -> str:
    shown = repr(text)
    body = shown[1:-1]
    if shown[0] == '"':
        body = body.replace('\\"', '"')
    else:
        body = body.replace("\\'", "'")
    return body.replace("{", "{{").replace("}", "}}").replace(quote, "\\" + quote)


def _by_calls(e: Expressions, parts: tuple[Expression, ...]) -> str:
    shown = []
    for part in parts:
        if isinstance(part, Node) and part.op.name == "string":
            shown.append(_by_calls(e, part.kids))
        elif isinstance(part, Node) and part.op.name == "format":
            shown.append(_formatted(e, part))
        else:
            shown.append(e.text(part))
    return shown[0] if len(shown) == 1 else f"''.join([{', '.join(shown)}])"


def _formatted(e: Expressions, part: Node) -> str:
    value = e.text(part.kids[0])
    convert = {"s": str, "r": repr, "a": ascii}.get(str(part.op.attr or ""))
    if convert is not None:
        value = f"{e.context.constant(convert)}({value})"
    spec = ""
    if len(part.kids) > 1:
        spec = ", " + _by_calls(e, (part.kids[1],))
    return f"{e.context.constant(builtins.format)}({value}{spec})"


RULES["string"] = _string
RULES["format"] = _format
