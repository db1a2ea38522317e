"""f-strings: exact on every version, also where 3.11 forbids quotes and backslashes inside.

    string("a", format(x, ">3"))   ->   f'a{x:>3}'

Where no quote is left that the expressions do not use, the parts are joined by calls instead.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import Final

from futamura.backend.python.expressing import ATOM, RULES, TEST, Expressions
from futamura.backend.python.trees import Expression, Literal, Node

__all__: list[str] = []

_QUOTES: Final = ("'", '"')
_MOST: Final = 32
"""Parts of an f-string beside which others are joined by calls."""


class _Impossible(Exception):
    """No quotes are left for this f-string."""


def _string(e: Expressions, tree: Node) -> tuple[str, int]:
    return _joined(e, tree.kids), ATOM


def _format(e: Expressions, tree: Node) -> tuple[str, int]:
    return _joined(e, (tree,)), ATOM


def _joined(e: Expressions, parts: tuple[Expression, ...]) -> str:
    try:
        found = _quoted([piece for part in parts for piece in _pieces(e, part, spec=False)])
    except _Impossible:
        found = None
    return found if found is not None else _by_calls(e, parts)


def _quoted(pieces: list[tuple[str, bool]]) -> str | None:
    """One f-string; None if it cannot be one."""
    inside = "".join(text for text, fixed in pieces if not fixed)
    if "\\" in inside or "#" in inside or "\n" in inside:
        return None
    quote = next((q for q in _QUOTES if q not in inside), None)
    if quote is None:
        return None
    return "f" + quote + "".join(_escaped(text, quote) if fixed else text for text, fixed in pieces) + quote


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
    """The parts joined, with an f-string of those side by side that can be in one."""
    shown: list[str] = []
    run: list[tuple[Expression, list[tuple[str, bool]]]] = []

    def settle() -> None:
        text = _quoted([piece for _, pieces in run for piece in pieces]) if len(run) > 1 else None
        shown.extend([text] if text is not None else [_alone(e, part) for part, _ in run])
        run.clear()

    for part in _flat(parts):
        try:
            pieces = _pieces(e, part, spec=False)
        except _Impossible:
            settle()
            shown.append(_alone(e, part))
            continue
        if _quoted([*(piece for _, before in run for piece in before), *pieces]) is None or len(run) == _MOST:
            settle()
        run.append((part, pieces))
    settle()
    return shown[0] if len(shown) == 1 else f"''.join([{', '.join(shown)}])"


def _flat(parts: tuple[Expression, ...]) -> Iterator[Expression]:
    """The parts, with those of texts among them."""
    for part in parts:
        if isinstance(part, Node) and part.op.name == "string":
            yield from _flat(part.kids)
        else:
            yield part


def _alone(e: Expressions, part: Expression) -> str:
    return _formatted(e, part) if isinstance(part, Node) and part.op.name == "format" else e.text(part)


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
