"""A tiny printer of trees whose opaque parts are Python text, for tests.

    [While("c(1)", [Plain("t(2)")])]      while c(1):
                                              t(2)
Invariant: nothing is left out and nothing improved, so that the text shows exactly what the tree says.  Only `stop`,
a condition, is tested where a final part or a bare `except` starts, so that a test can end a function that
swallows everything.
"""

from __future__ import annotations

from futamura.backend.structure.tree import (
    Break,
    Call,
    Continue,
    FlagTest,
    For,
    Guarded,
    If,
    Initial,
    Outlined,
    Plain,
    SetFlag,
    Statement,
    Suite,
    While,
    With,
)


def render(suite: Suite, depth: int = 0, stop: str = "") -> list[str]:
    lines: list[str] = []
    for statement in suite:
        _statement(statement, depth, lines, stop)
    return lines or ["    " * depth + "pass"]


def _condition(condition: object, negated: bool) -> str:
    if isinstance(condition, FlagTest):
        text = condition.name
        if condition.operator != "truth":
            text = f"{condition.name} {condition.operator} {condition.value}"
    else:
        text = str(condition)
    return f"not ({text})" if negated else text


def _statement(statement: Statement, depth: int, lines: list[str], stop: str) -> None:
    pad = "    " * depth

    def part(head: str, suite: Suite) -> None:
        lines.append(pad + head)
        lines.extend(render(suite, depth + 1, stop))

    match statement:
        case Plain(text):
            lines.append(pad + str(text))
        case SetFlag(name, value):
            lines.append(f"{pad}{name} = {value}")
        case Break():
            lines.append(pad + "break")
        case Continue():
            lines.append(pad + "continue")
        case If():
            _chain(statement, depth, lines, stop)
        case While(condition, body, orelse, negated):
            part(f"while {'True' if condition is None else _condition(condition, negated)}:", body)
            if orelse:
                part("else:", orelse)
        case For(target, iterator, body, orelse):
            part(f"for {target} in {iterator}:", body)
            if orelse:
                part("else:", orelse)
        case With(header, body):
            part(f"with {header}:", body)
        case Guarded(body, handlers, orelse, final):
            part("try:", body)
            for handler in handlers:
                if handler.header:
                    part(f"except {handler.header}:", handler.body)
                else:
                    part("except:", [Plain(f"if {stop}: return"), *handler.body] if stop else handler.body)
            if orelse:
                part("else:", orelse)
            if final or not handlers:
                part("finally:", [Plain(f"if {stop}: return"), *final] if stop else final)
        case Outlined(name, parameters, results, body):
            part(f"def {name}({', '.join(parameters)}):", body)
            lines.append(f"{pad}    return ({''.join(f'{result}, ' for result in results)})")
        case Call(name, parameters, results):
            target = f"({''.join(f'{result}, ' for result in results)}) = " if results else ""
            lines.append(f"{pad}{target}{name}({', '.join(parameters)})")
        case Initial(names):
            lines.append(pad + "".join(f"{name} = " for name in names) + "None")
        case _:
            raise AssertionError(statement)


def _chain(statement: If, depth: int, lines: list[str], stop: str) -> None:
    pad, word = "    " * depth, "if"
    while True:
        lines.append(f"{pad}{word} {_condition(statement.condition, statement.negated)}:")
        lines.extend(render(statement.then, depth + 1, stop))
        orelse = statement.orelse
        if len(orelse) == 1 and isinstance(orelse[0], If):
            statement, word = orelse[0], "elif"
            continue
        if orelse:
            lines.append(pad + "else:")
            lines.extend(render(orelse, depth + 1, stop))
        return
