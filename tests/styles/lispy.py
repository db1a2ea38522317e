"""A small Lisp as it is published: environments are dicts with an outer one, procedures have a `__call__`.

    evaluated("(begin (define r n) (* r r))", 3)    gives 9: the text is read, and then run in a new environment

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import Any

Symbol = str


class Env(dict[str, Any]):
    """An environment: a dict of variables, with an outer one."""

    def __init__(self, names: Iterable[str] = (), values: Iterable[Any] = (), outer: Env | None = None) -> None:
        self.update(zip(names, values))
        self.outer = outer

    def find(self, name: str) -> Env:
        """The innermost environment that has the name."""
        if name in self:
            return self
        if self.outer is None:
            raise LookupError(name)
        return self.outer.find(name)


class Procedure:
    """A function that the program defines."""

    def __init__(self, names: list[str], body: Any, env: Env) -> None:
        self.names, self.body, self.env = names, body, env

    def __call__(self, *args: Any) -> Any:
        return evaluate(self.body, Env(self.names, args, self.env))


def standard_env() -> Env:
    env = Env()
    env.update(
        {
            "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
            ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "=": operator.eq,
            "abs": abs, "car": lambda x: x[0], "cdr": lambda x: x[1:], "cons": lambda x, y: [x, *y],
            "length": len, "list": lambda *x: list(x), "list?": lambda x: isinstance(x, list), "max": max, "min": min,
            "not": operator.not_, "null?": lambda x: x == [], "sqrt": math.sqrt, "pi": math.pi,
        }
    )  # fmt: skip
    return env


def parse(text: str) -> Any:
    return read_from(text.replace("(", " ( ").replace(")", " ) ").split())


def read_from(tokens: list[str]) -> Any:
    if not tokens:
        raise SyntaxError("unexpected end")
    token = tokens.pop(0)
    if token == "(":
        items = []
        while tokens[0] != ")":
            items.append(read_from(tokens))
        tokens.pop(0)
        return items
    if token == ")":
        raise SyntaxError("unexpected )")
    return atom(token)


def atom(token: str) -> Any:
    try:
        return int(token)
    except ValueError:
        try:
            return float(token)
        except ValueError:
            return Symbol(token)


def evaluate(x: Any, env: Env) -> Any:
    while True:
        if isinstance(x, Symbol):
            return env.find(x)[x]
        if not isinstance(x, list):
            return x
        if x[0] == "quote":
            return x[1]
        if x[0] == "if":
            _, test, then, other = x
            x = then if evaluate(test, env) else other
        elif x[0] == "define":
            _, name, value = x
            env[name] = evaluate(value, env)
            return None
        elif x[0] == "set!":
            _, name, value = x
            env.find(name)[name] = evaluate(value, env)
            return None
        elif x[0] == "lambda":
            _, names, body = x
            return Procedure(names, body, env)
        elif x[0] == "begin":
            for part in x[1:-1]:
                evaluate(part, env)
            x = x[-1]
        else:
            function = evaluate(x[0], env)
            args = [evaluate(part, env) for part in x[1:]]
            if not isinstance(function, Procedure):
                return function(*args)
            x, env = function.body, Env(function.names, args, function.env)


def evaluated(text: str, n: Any) -> Any:
    env = standard_env()
    env["n"] = n
    return evaluate(parse(text), env)


FACTORIAL = "(begin (define fact (lambda (k) (if (<= k 1) 1 (* k (fact (- k 1)))))) (fact n))"
COUNTER = """(begin
    (define make (lambda (total) (lambda (more) (begin (set! total (+ total more)) total))))
    (define count (make n)) (count 3) (count n))"""
