"""Which rows of the specializer's tables did something for a program: rules, models, methods, folds, passes, events.

    fired = watch()                   once in a process, before anything is specialized
    futamura.specialize(f, xs=[1])
    fired.take()                      ->   {"rule getitem", "method list.append", "model len", "pass dce", ...}
    sorted(fired.rows)                     everything that could fire

A row of a table fires when it gives a result; a rule fires when it decides an operation that does not stay, and is
"left" when the operation stays; a constructor fires when an object of its kind has to be made at run time.

Invariant: the rows do what they do unwatched; they are only wrapped where the tables and their modules name them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import futamura.api  # noqa: F401  the tables are filled by the modules that it imports
from futamura.codes import CODES
from futamura.ir.evaluate import BINARY, COMPARE, INPLACE, UNARY
from futamura.ir.laws import Laws
from futamura.ir.ops import OPERATORS
from futamura.optimize import pipeline
from futamura.specializer import calls, in_python, models, operators, rules
from futamura.specializer.control import ENDERS
from futamura.specializer.emitting import CONSTRUCTORS, CYCLE_BREAKERS
from futamura.specializer.purity import PURE_FUNCTIONS, PURE_METHODS
from futamura.specializer.rules import OPERATOR_CALLS, RULES, SPECIAL

__all__ = ["LEFT", "Fired", "watch"]

LEFT: Final = " leaves it"
"""How the row of a rule ends that could not decide its operation."""

_OTHER_LANGUAGES: Final = frozenset(f"rule {name}" for name in ("car", "cdr", "cons", "null", "show", "invoke")) | {
    "end guard",
    "end switch",
    "pass merge",
    "pass prune",
    "pass reroll",
    "pass tails",
}
"""What only flow graphs and functional programs have, which have fuzzers of their own."""
_EVENTS: Final = ("FT2", "FT3", "FT4")
"""The codes of what a specialization may say of a program that it takes."""


@dataclass
class Fired:
    """The rows that exist, and those that did something since the last look."""

    rows: set[str] = field(default_factory=set)
    now: set[str] = field(default_factory=set)

    def take(self, events: Iterable[str] = ()) -> tuple[str, ...]:
        """What fired since the last look, and the codes of the events that a residual came with."""
        self.now.update(f"event {code}" for code in events)
        found = tuple(sorted(self.now))
        self.now.clear()
        return found

    def wrapped(self, row: str, function: Callable[..., Any], missing: object = None) -> Callable[..., Any]:
        """`function`, which fires `row` whenever it gives something else than `missing`."""
        self.rows.add(row)

        def watched(*args: Any) -> Any:
            result = function(*args)
            if result is not missing:
                self.now.add(row)
            return result

        return watched

    def rule(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The rule for an operator: what it decides and what it leaves are two rows."""
        decided, left = f"rule {name}", f"rule {name}{LEFT}"
        self.rows.add(decided)

        def watched(m: Any, frame: Any, op: Any) -> None:
            before = m.emitted
            function(m, frame, op)
            self.now.add(decided if m.emitted == before else left)

        return watched

    def ender(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The rule for a terminator: is it followed during specialization, or does it end the residual block?"""
        row = f"end {name}"
        self.rows.add(row)

        def watched(m: Any, frame: Any) -> None:
            self.now.add(row)
            function(m, frame)

        return watched

    def named(
        self,
        row: Callable[..., str],
        rows: Iterable[str],
        function: Callable[..., Any],
        gives: Callable[[object], bool] = lambda result: result is not None and result is not False,
    ) -> Callable[..., Any]:
        """`function`, which fires the row that `row` makes of its arguments whenever it gives something."""
        self.rows.update(rows)

        def watched(*args: Any) -> Any:
            result = function(*args)
            if gives(result):
                self.now.add(row(*args))
            return result

        return watched


def watch() -> Fired:
    """Wrap every row of every table of this process."""
    fired = Fired()
    fired.rows.update(f"event {code}" for code in CODES if code.startswith(_EVENTS))
    _wrap_tables(fired)
    _wrap_folds(fired)
    _wrap_passes(fired)
    fired.rows -= _OTHER_LANGUAGES
    return fired


def _wrap_tables(fired: Fired) -> None:
    for name, function in list(RULES.items()):
        RULES[name] = fired.rule(name, function)
    for name, ender in list(ENDERS.items()):
        ENDERS[name] = fired.ender(name, ender)
    for name, specials in SPECIAL.items():
        specials[:] = [fired.wrapped(f"special {name}: {one.__name__.strip('_')}", one) for one in specials]
    for name, method in list(OPERATOR_CALLS.items()):
        OPERATOR_CALLS[name] = fired.wrapped(f"method of a class for {name}", method, False)
    tables: tuple[tuple[str, dict[Any, Any]], ...] = (
        ("model", models.MODELS),
        ("model", models.KEYWORD_MODELS),
        ("method", models.METHODS),
        ("method", models.KEYWORD_METHODS),
        ("made at run time:", CONSTRUCTORS),
        ("made in a cycle:", CYCLE_BREAKERS),
    )
    for kind, table in tables:
        for key, function in list(table.items()):
            table[key] = fired.wrapped(f"{kind} {_named(key)}", function)


def _wrap_folds(fired: Fired) -> None:
    """What is computed during specialization, and the laws of operators whose operands are partly known."""
    in_rules: Any = rules  # whose names are bound to other functions here
    in_calls: Any = calls
    in_rules.fold = fired.named(lambda m, name, values: f"computed {name}", [], in_rules.fold)
    fired.rows.update(f"computed {name}" for name in (*BINARY, *INPLACE, *COMPARE, *UNARY))
    laws = [f"law of {name} for {kind}" for name, row in OPERATORS.items() for kind in _with_laws(row.laws)]
    in_rules.by_law = fired.named(
        lambda name, args, types: f"law of {name} for {types[0].__name__}", laws, in_rules.by_law
    )
    in_rules.compared = fired.named(
        lambda m, name, *rest: f"bounds of ints decide {name}",
        (f"bounds of ints decide {name}" for name in ("lt", "le", "gt", "ge", "eq", "ne")),
        in_rules.compared,
        lambda result: type(result) is bool,
    )
    functions = [_named(function) for function in PURE_FUNCTIONS if function not in operators._OPERATORS]
    in_calls.fold_call = fired.named(
        lambda m, function, args: f"computed {_named(function)}()",
        (f"computed {name}()" for name in functions),
        in_calls.fold_call,
    )
    called = [(kind, name) for kind, names in PURE_METHODS.items() for name in names if callable(getattr(kind, name))]
    methods = [f"computed {kind.__name__}.{name}()" for kind, name in called]
    models._fold_method = fired.named(
        lambda m, target, name, *rest: f"computed {type(target.value).__name__}.{name}()", methods, models._fold_method
    )
    in_calls._call_in_python = fired.named(
        lambda m, frame, op, function, args: f"inlined {_named(function)}()",
        (f"inlined {_named(function)}()" for function in (*in_python.IN_PYTHON, next, map, filter)),
        in_calls._call_in_python,
    )
    in_calls.call_operator = fired.named(
        lambda m, frame, op, function, args: f"{_named(function)} as operator",
        (f"{_named(function)} as operator" for function in operators._OPERATORS),
        in_calls.call_operator,
    )


def _with_laws(laws: Laws) -> set[str]:
    """The builtin classes that an operator has a law for."""
    if laws in (OPERATORS["is"].laws, OPERATORS["is_not"].laws):
        return set()  # what `is` says of one value is known before its laws are asked
    of_constants = (laws.right_identity, laws.left_identity, laws.right_absorbing, laws.left_absorbing, laws.same)
    return {kind for pairs in of_constants for kind, _ in pairs} | set(laws.idempotent)


def _wrap_passes(fired: Fired) -> None:
    add = pipeline.Report.add
    fired.rows.update(f"pass {name}" for name in pipeline.PASSES)

    def watched(self: pipeline.Report, name: str, seconds: float, changed: bool, removed: int) -> None:
        add(self, name, seconds, changed, removed)
        if changed:
            fired.now.add(f"pass {name}")

    report: Any = pipeline.Report
    report.add = watched


def _named(key: object) -> str:
    """A readable name of a table's key."""
    if isinstance(key, tuple):
        return ".".join(_named(part) for part in key)
    if isinstance(key, str):
        return key
    module = str(getattr(key, "__module__", None)).lstrip("_")
    name = str(getattr(key, "__qualname__", key))
    return name if module in ("builtins", "None") or module.startswith("futamura") else f"{module}.{name}"
