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
