"""Which parameters of the functions of a module hold what calls pass.

    def f(a, *more, **named): ...
    f(x, *ys, key=z)             a holds x; a and more may hold what is in ys; named holds z

Invariant: where it is not clear which parameter gets something, each that may get it holds it.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from futamura.frontend import implied
from futamura.frontend.implied import MAKING
from futamura.frontend.possible import MODULE, Possible
from futamura.frontend.sources import ANY_FIELD, In, Place, Source, items_of
from futamura.frontend.walking import Scope, is_of_class

__all__ = ["Arguments"]


class _Passing(NamedTuple):
    """What a call passes: at each position (out of what has a star), by each keyword (also behind `**`)."""

    positions: tuple[frozenset[Source], ...]
    named: tuple[frozenset[Source], ...]


class Arguments(Possible):
    def passing(self, function: Scope, call: ast.Call) -> _Passing:
        """What a call passes at its positions and by its keywords."""
        positions = (
            self.items(function, one) if isinstance(one, ast.Starred) else self.of(function, one) for one in call.args
        )
        named = (self.of(function, one.value) for one in call.keywords)
        return _Passing(tuple(positions), tuple(named))

    def hold_shared(self, passing: _Passing, call: ast.Call, callees: list[Scope]) -> None:
        """What is passed to one of many functions: calls of the same form share the places that it goes through."""
        form = (*(isinstance(one, ast.Starred) for one in call.args), *(one.arg for one in call.keywords))
        places: list[Place] = [(None, f"argument {at} of {form}") for at in range(len(form))]
        for place, held in zip(places, (*passing.positions, *passing.named)):
            self.hold(place, held)
        if form not in self.forms:
            self.forms.add(form)
            through = [frozenset[Source]({place}) for place in places]
            shared = _Passing(tuple(through[: len(call.args)]), tuple(through[len(call.args) :]))
            for callee in callees:
                self.hold_arguments(shared, call, callee)

    def hold_arguments(self, passing: _Passing, call: ast.Call, callee: Scope) -> None:
        names = [one.arg for one in (*callee.args.posonlyargs, *callee.args.args)]
        plain = [not isinstance(one, ast.Starred) for one in call.args]
        before = [*plain, False].index(False)  # parameters of which no star, and no keyword, is another argument
        through_self = id(call) in self.through_self and not self.is_kept(call.func)
        moved = (1,) if through_self and not is_of_class(callee, "staticmethod") else implied.shifts(call, callee)
        if isinstance(call.func, ast.Name) and self.alone_named.get(call.func.id) is callee and all(plain):
            moved = (0,)
        for at, held in enumerate(passing.positions):
            starred = any(isinstance(one, ast.Starred) for one in call.args[: at + 1])  # it may come anywhere
            for shift in moved:
                if at + shift < len(names) and not starred:
                    self.hold((callee, names[at + shift]), held)
            if starred or (at >= len(names) and callee.args.vararg is None):
                for name in names[min(moved) + before :] if starred else names:
                    self.hold((callee, name), held)
            if starred or at + max(moved) >= len(names):
                self.collect(callee, callee.args.vararg, held)
        by_keyword = [one.arg for one in callee.args.kwonlyargs]
        named = (*names, *by_keyword)
        unnamed = (*names[min(moved) + before :], *by_keyword)
        for keyword, held in zip(call.keywords, passing.named):
            if keyword.arg is None:
                held = items_of(held)
            for name in unnamed if keyword.arg is None else (keyword.arg,):
                self.hold((callee, name), held)
            if keyword.arg is None or keyword.arg not in named:
                self.collect(callee, callee.args.kwarg, held)

    def hold_all(self, callee: Scope, held: frozenset[Source]) -> None:
        makes = not isinstance(callee, ast.Lambda) and callee.name in MAKING  # its object is a new one
        for one in [*callee.args.posonlyargs, *callee.args.args, *callee.args.kwonlyargs][makes:]:
            self.hold((callee, one.arg), held)
        self.collect(callee, callee.args.vararg, held)
        self.collect(callee, callee.args.kwarg, held)

    def hold_passed(self, function: Scope, passed: ast.AST, held: frozenset[Source]) -> None:
        """The functions in what is passed are called with this, but for those of which it is clear what they get."""
        for one in self.function_values(passed):
            self.hold_all(one, held)
        folds = isinstance(passed, ast.Call) and self.folding(function, passed) is not None
        for part in passed.args[1:] if isinstance(passed, ast.Call) and folds else ast.iter_child_nodes(passed):
            self.hold_passed(function, part, held)

    def hold_folded(self, function: Scope, call: ast.Call) -> bool:
        """The parameters of the function of `reduce(f, xs, start)` hold the start, or what it gave before, and an item.
        False if it is no such call."""
        callee = self.folding(function, call)
        if callee is not None:
            first, second = (one.arg for one in callee.args.args)
            self.hold((callee, first), self.result(function, call))
            self.hold((callee, second), self.items(function, call.args[1]))
        return callee is not None

    def result(self, function: Scope, call: ast.Call) -> frozenset[Source]:
        callee = self.folding(function, call)
        if callee is None:
            return super().result(function, call)
        start = self.all(function, call.args[2:]) if call.args[2:] else self.items(function, call.args[1])
        return start | {callee}

    def folding(self, function: Scope, call: ast.AST) -> Scope | None:
        """The function of `reduce(f, xs, start)`, if it is one of the text with two plain parameters."""
        if not isinstance(call, ast.Call) or not self.is_from(function, call.func, "functools.reduce"):
            return None
        folding = call.args[0] if len(call.args) in (2, 3) and not call.keywords else None
        callee = folding if isinstance(folding, ast.Lambda) else self.alone_named.get(getattr(folding, "id", ""))
        if callee is None or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        plain = implied.parameters(callee) == callee.args.args and len(callee.args.args) == 2
        return callee if plain and not callee.args.defaults else None

    def is_from(self, function: Scope, callee: ast.expr, name: str) -> bool:
        """Is this the function of the library that is called so there?"""
        if isinstance(callee, ast.Attribute):
            return f"{self.module_of(function, callee.value)}.{callee.attr}" == name
        return isinstance(callee, ast.Name) and self.module_of(function, callee) == name

    def collect(self, callee: Scope, parameter: ast.arg | None, held: frozenset[Source]) -> None:
        """Put into what a `*` or `**` parameter collects, which is as good as what was collected."""
        if parameter is not None:
            self.hold((callee, parameter.arg), held)
            self.hold(In((callee, parameter.arg)), held)

    def attributes_in(self, match: ast.Match) -> frozenset[Source]:
        """What patterns like `Box(rows=found)` read of objects."""
        found: set[Source] = set()
        for part in ast.walk(match):
            if isinstance(part, ast.MatchClass):
                found.update((None, "." + name) for name in part.kwd_attrs)
                found.update(one for name in part.kwd_attrs for one in self.named.get(name, ()))
                plain = isinstance(part.cls, ast.Name) and self.is_builtin(MODULE, part.cls.id)
                found.update([ANY_FIELD] if part.kwd_attrs else [])
                found.update(self.openly.read() if part.patterns and not plain else ())
        return frozenset(found)
