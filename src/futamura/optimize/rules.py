"""Rewrite rules of arithmetic as data: what a pass applies is what is proved.

    (x + c) - d         ->   x + (c - d)                                        CHAINS["sub", "add", "int"]
    x + c               ->   x - (-c)           if c < 0                        SIGNS["add"]
    x + -1.0 * y        ->   x - y                                              NEGATED["add"]
    ((x & m) * y) & k   ->   (x * y) & k        if m & k == k, k + 1 a power of two
    x * 1               ->   x                                                  of the table of laws

A term is the name of an operand ("x", "y": any value of the rule's type; other letters: constants), a number, or an
operator of the table with its arguments.  Conditions and the constants of the right side are computed by the operators
themselves when a rule is applied.

Invariant: both sides of a rule are the same value, of the same type, for all operands for which its conditions hold,
and neither raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from futamura.ir.constant import Constant
from futamura.ir.laws import LAWS
from futamura.ir.ops import OPERATORS

__all__ = [
    "CHAINS", "LAW_RULES", "MASKED", "MODULAR", "NEGATED", "SIGNS", "Rule", "Term", "computed", "holds", "law_name",
]  # fmt: skip

Term: TypeAlias = "str | int | Constant | tuple[Any, ...]"


class Rule(NamedTuple):
    """`before` may become `after` where all of `when` are true; `type` is the exact type of the operands."""

    name: str
    type: str
    before: Term
    after: Term
    when: tuple[Term, ...] = ()


def computed(term: Term, constants: Mapping[str, object]) -> Any:
    """The value of a term of constants."""
    match term:
        case str():
            return constants[term]
        case Constant():
            return term.value
        case tuple():
            evaluate = OPERATORS[term[0]].evaluate
            assert evaluate is not None
            return evaluate([computed(arg, constants) for arg in term[1:]], None)
    return term


def holds(rule: Rule, constants: Mapping[str, object]) -> bool:
    """Are the conditions of a rule true for these constants?"""
    return all(computed(condition, constants) is True for condition in rule.when)


# -------------------------------------------------------------------- chains


def _chains() -> dict[tuple[str, str, str], Rule]:
    """By outer operator, inner operator and type: a constant on an operation with a constant."""
    rules = [
        Rule("(x + c) + d", "int", ("add", ("add", "x", "c"), "d"), ("add", "x", ("add", "c", "d"))),
        Rule("(x + c) - d", "int", ("sub", ("add", "x", "c"), "d"), ("add", "x", ("sub", "c", "d"))),
        Rule("(x - c) + d", "int", ("add", ("sub", "x", "c"), "d"), ("add", "x", ("sub", "d", "c"))),
        Rule("(x - c) - d", "int", ("sub", ("sub", "x", "c"), "d"), ("sub", "x", ("add", "c", "d"))),
    ]
    found = {("add", "add", "int"), ("sub", "add", "int"), ("add", "sub", "int"), ("sub", "sub", "int")}
    for name, laws in LAWS.items():
        for type in laws.associative:
            if (name, name, type) not in found:
                before, after = (name, (name, "x", "c"), "d"), (name, "x", (name, "c", "d"))
                rules.append(Rule(f"(x {name} c) {name} d ({type})", type, before, after))
    return {(rule.before[0], rule.before[1][0], rule.type): rule for rule in rules}  # type: ignore[index]


CHAINS: Final = _chains()
SIGNS: Final = {
    "add": Rule("x + c, c < 0", "int", ("add", "x", "c"), ("sub", "x", ("neg", "c")), (("lt", "c", 0),)),
    "sub": Rule("x - c, c < 0", "int", ("sub", "x", "c"), ("add", "x", ("neg", "c")), (("lt", "c", 0),)),
}
"""A constant is written without a sign."""
NEGATED: Final = {
    "add": Rule("x + -1.0 * y", "float", ("add", "x", ("mul", "y", Constant(-1.0))), ("sub", "x", "y")),
    "sub": Rule("x - -1.0 * y", "float", ("sub", "x", ("mul", "y", Constant(-1.0))), ("add", "x", "y")),
}
"""Exact, since `x - y` is the sum of x and the opposite of y, of zeros, infinities and NaN, too.  Not where the product
comes first: of two NaN the first is the result."""


# -------------------------------------------------------------------- masks

MODULAR: Final = ("add", "sub", "mul")
"""Their low bits depend on the low bits of the operands alone."""
_LOW: Final = (("gt", "k", 0), ("eq", ("and", "k", ("add", "k", 1)), 0))
"""k is the number of so many bits, all set."""


def _masked() -> dict[tuple[str, int], Rule]:
    found = {}
    for name in MODULAR:
        for place in (0, 1):
            inner: list[Term] = ["x", "y"]
            inner[place] = ("and", inner[place], "m")
            before = ("and", (name, *inner), "k")
            when = (*_LOW, ("eq", ("and", "m", "k"), "k"))
            text = f"(({'x & m' if place == 0 else 'x'}) {name} ({'y & m' if place else 'y'})) & k"
            found[name, place] = Rule(text, "int", before, ("and", (name, "x", "y"), "k"), when)
    return found


MASKED: Final = _masked()
"""By operator and place of the operand: a mask under a mask that has no more bits."""


# -------------------------------------------------------------------- laws


def law_name(operator: str, law: str, type: str) -> str:
    """What a law is called where it is counted."""
    return f"{operator}: {law} ({type})"


def _laws() -> dict[str, Rule]:
    """The table of laws as rules, by name."""
    rules: list[Rule] = []
    for name, laws in LAWS.items():
        for law in ("commutative", "associative", "idempotent"):
            sides: dict[str, tuple[Term, Term]] = {
                "commutative": ((name, "x", "y"), (name, "y", "x")),
                "associative": ((name, (name, "x", "y"), "z"), (name, "x", (name, "y", "z"))),
                "idempotent": ((name, "x", "x"), "x"),
            }
            rules.extend(Rule(law_name(name, law, type), type, *sides[law]) for type in getattr(laws, law))
        for law in ("left_identity", "right_identity", "left_absorbing", "right_absorbing", "same"):
            for type, constant in getattr(laws, law):
                before: Term = (name, "x", constant) if law.startswith("right") else (name, constant, "x")
                if law == "same":
                    before = (name, "x", "x")
                after: Term = "x" if law.endswith("identity") else constant
                rules.append(Rule(law_name(name, law, type), type, before, after))
    return {rule.name: rule for rule in rules}


LAW_RULES: Final = _laws()
