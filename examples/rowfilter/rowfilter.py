"""A language of conditions on rows: `age >= 21 and country in ('NL', 'BE')`, parsed to a tree, walked for each row.

    select(parse("age >= 21"), [{"age": 20}, {"age": 30}])    gives [{"age": 30}]

Invariant: `select` and `select_by_visitor` keep the same rows.
"""

import re
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Literal:
    value: Any


@dataclass(frozen=True)
class Column:
    name: str


@dataclass(frozen=True)
class Negation:
    of: Any


@dataclass(frozen=True)
class Binary:
    op: str
    left: Any
    right: Any


@dataclass(frozen=True)
class Among:
    of: Any
    values: tuple


WORD = re.compile(r"\s*(\d+(?:\.\d+)?|'[^']*'|[<>=!]=|[-+*/<>(),]|\w+)")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "in")
BINDING = {"or": 1, "and": 2, **dict.fromkeys(COMPARISONS, 4), "+": 5, "-": 5, "*": 6, "/": 6}


def parse(text):
    """The tree of a condition."""
    words, place = [], 0
    text = text.rstrip()
    while place < len(text):
        found = WORD.match(text, place)
        if found is None:
            raise SyntaxError(f"nothing begins like this at {place}")
        words.append(found[1])
        place = found.end()
    words.append("")
    tree = _binary(words, 1)
    if words[0]:
        raise SyntaxError(f"{words[0]!r} is too much")
    return tree


def _binary(words, level):
    left = _operand(words)
    while BINDING.get(words[0], 0) >= level:
        op = words.pop(0)
        if op == "in":
            left = Among(left, _values(words))
        else:
            left = Binary(op, left, _binary(words, BINDING[op] + 1))
    return left


def _operand(words):
    word = words.pop(0)
    if word == "not":
        return Negation(_binary(words, 3))
    if word == "(":
        tree = _binary(words, 1)
        _expect(words, ")")
        return tree
    if word[:1] == "'" or word[:1].isdigit():
        return Literal(_value(word))
    if word.isidentifier():
        return Column(word)
    raise SyntaxError(f"{word!r} is not expected here")


def _values(words):
    _expect(words, "(")
    values = []
    while words[0] != ")":
        values.append(_value(words.pop(0)))
        if words[0] == ",":
            words.pop(0)
    words.pop(0)
    return tuple(values)


def _expect(words, wanted):
    if words[0] != wanted:
        raise SyntaxError(f"{wanted!r} is missing")
    words.pop(0)


def _value(word):
    return word[1:-1] if word[0] == "'" else float(word) if "." in word else int(word)


def evaluate(tree, row):
    """The value of a tree for a row."""
    if isinstance(tree, Literal):
        return tree.value
    if isinstance(tree, Column):
        return row[tree.name]
    if isinstance(tree, Negation):
        return not evaluate(tree.of, row)
    if isinstance(tree, Among):
        return evaluate(tree.of, row) in tree.values
    if not isinstance(tree, Binary):
        raise TypeError(tree)
    op = tree.op
    if op == "and":
        return evaluate(tree.left, row) and evaluate(tree.right, row)
    if op == "or":
        return evaluate(tree.left, row) or evaluate(tree.right, row)
    left, right = evaluate(tree.left, row), evaluate(tree.right, row)
    if op == "==":
        return left == right
    if op == "!=":
        return left != right
    if op == "<":
        return left < right
    if op == "<=":
        return left <= right
    if op == ">":
        return left > right
    if op == ">=":
        return left >= right
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if op == "/":
        return left / right
    raise ValueError(op)


def select(tree, rows):
    """The rows for which the condition holds."""
    return [row for row in rows if evaluate(tree, row)]


class Visitor:
    """The same with a method for each kind of node."""

    def visit(self, tree, row):
        return getattr(self, "visit_" + type(tree).__name__.lower())(tree, row)

    def visit_literal(self, tree, row):
        return tree.value

    def visit_column(self, tree, row):
        return row[tree.name]

    def visit_negation(self, tree, row):
        return not self.visit(tree.of, row)

    def visit_among(self, tree, row):
        return self.visit(tree.of, row) in tree.values

    def visit_binary(self, tree, row):
        return OPERATORS[tree.op](self, tree, row)


def strict(function):
    """The method of an operator that needs both operands."""
    return lambda visitor, tree, row: function(visitor.visit(tree.left, row), visitor.visit(tree.right, row))


OPERATORS = {
    "and": lambda visitor, tree, row: visitor.visit(tree.left, row) and visitor.visit(tree.right, row),
    "or": lambda visitor, tree, row: visitor.visit(tree.left, row) or visitor.visit(tree.right, row),
    "==": strict(lambda left, right: left == right),
    "!=": strict(lambda left, right: left != right),
    "<": strict(lambda left, right: left < right),
    "<=": strict(lambda left, right: left <= right),
    ">": strict(lambda left, right: left > right),
    ">=": strict(lambda left, right: left >= right),
    "+": strict(lambda left, right: left + right),
    "-": strict(lambda left, right: left - right),
    "*": strict(lambda left, right: left * right),
    "/": strict(lambda left, right: left / right),
}


def select_by_visitor(tree, rows):
    """The rows for which the condition holds, by way of the visitor."""
    visitor = Visitor()
    return [row for row in rows if visitor.visit(tree, row)]
