"""Makes a failing program small: statements removed, expressions replaced by their parts, inputs dropped.

    minimize(program, still_fails)    ->    the smallest program found for which `still_fails` holds

Delta debugging on the syntax tree: chunks of statements from large to small, then one statement, one expression at a
time, until nothing more can go or the budget of trials is used up.

Invariant: every intermediate program was tried and fails in the same way; the result is never a guess.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.specialize.oracle import Report, Specialize, check
from tests.specialize.programs import Program

__all__ = ["minimize", "same_finding"]

TRIALS = 1200
SIMPLE = ("0", "1", "None", "()", "''", "[]")


class _Shrinker:
    def __init__(self, program: Program, still_fails: Callable[[Program], bool], trials: int) -> None:
        self.best = program
        self.still_fails = still_fails
        self.left = trials

    def attempt(self, candidate: Program) -> bool:
        if self.left <= 0:
            return False
        self.left -= 1
        if not self.still_fails(candidate):
            return False
        self.best = candidate
        return True

    def attempt_tree(self, tree: ast.Module) -> bool:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                source = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
                compile(source, "candidate", "exec", dont_inherit=True)
            except (SyntaxError, ValueError, RecursionError):
                return False
        return source != self.best.source and self.attempt(replace(self.best, source=source))


def minimize(program: Program, still_fails: Callable[[Program], bool], *, trials: int = TRIALS) -> Program:
    """The smallest program found; `program` itself must fail."""
    shrinker = _Shrinker(program, still_fails, trials)
    drop_inputs(shrinker)
    before = None
    while before != shrinker.best and shrinker.left > 0:
        before = shrinker.best
        remove_statements(shrinker)
        unwrap_statements(shrinker)
        simplify_expressions(shrinker)
        drop_parameters(shrinker)
        simplify_values(shrinker)
    drop_inputs(shrinker)
    return shrinker.best


def drop_inputs(shrinker: _Shrinker) -> None:
    """One input if one is enough, else as few as possible."""
    for text in shrinker.best.inputs[::-1]:
        if len(shrinker.best.inputs) > 1 and shrinker.attempt(replace(shrinker.best, inputs=(text,))):
            return
    index = len(shrinker.best.inputs) - 1
    while index >= 0 and len(shrinker.best.inputs) > 1:
        kept = shrinker.best.inputs[:index] + shrinker.best.inputs[index + 1 :]
        shrinker.attempt(replace(shrinker.best, inputs=kept))
        index -= 1


def bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements, outermost first."""
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def remove_statements(shrinker: _Shrinker) -> None:
    """Chunks of each body, halving their size; an emptied body becomes `pass`."""
    number = 0
    while shrinker.left > 0:
        lists = list(bodies(ast.parse(shrinker.best.source)))
        if number >= len(lists):
            return
        size = len(lists[number])
        while size >= 1:
            start = 0
            while shrinker.left > 0:
                tree = ast.parse(shrinker.best.source)
                lists = list(bodies(tree))
                if number >= len(lists) or start >= len(lists[number]):
                    break
                body = lists[number]
                if (
                    all(isinstance(statement, ast.Pass) for statement in body[start : start + size])
                    and len(body) <= size
                ):
                    break
                del body[start : start + size]
                if not body:
                    body.append(ast.Pass())
                if not shrinker.attempt_tree(tree):
                    start += size
            size //= 2
        number += 1


def unwrap_statements(shrinker: _Shrinker) -> None:
    """A compound statement gives way to one of its bodies; `else`, `finally`, decorators and cases go."""
    number = 0
    while shrinker.left > 0:
        tree = ast.parse(shrinker.best.source)
        choices = [(body, i, part) for body in bodies(tree) for i, s in enumerate(body) for part in parts_of(s)]
        if number >= len(choices):
            break
        body, index, part = choices[number]
        body[index : index + 1] = part
        if not shrinker.attempt_tree(tree):
            number += 1
    for field in ("orelse", "finalbody", "decorator_list", "bases", "handlers", "cases"):
        strip_field(shrinker, field)


def parts_of(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return
    for field in ("body", "orelse", "finalbody"):
        value = getattr(statement, field, None)
        if value and isinstance(value, list) and not isinstance(value[0], ast.Pass):
            yield value
    for name in ("handlers", "cases"):
        for item in getattr(statement, name, ()):
            yield item.body


def strip_field(shrinker: _Shrinker, field: str) -> None:
    number = 0
    while shrinker.left > 0:
        tree = ast.parse(shrinker.best.source)
        holders = [
            node for node in ast.walk(tree) if isinstance(getattr(node, field, None), list) and getattr(node, field)
        ]
        if number >= len(holders):
            return
        values = getattr(holders[number], field)
        del values[0 if field in ("handlers", "cases") and len(values) > 1 else slice(None)]
        if not shrinker.attempt_tree(tree):
            number += 1


def expressions(tree: ast.Module) -> Iterator[tuple[ast.AST, str, int | None, ast.expr]]:
    """Every expression that is read, with its place: (parent, field, index or None, expression)."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.JoinedStr, ast.pattern, ast.MatchValue)):
            continue
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
                yield node, name, None, value
            elif isinstance(value, list):
                for index, item in enumerate(value):
                    if isinstance(item, ast.expr) and isinstance(getattr(item, "ctx", ast.Load()), ast.Load):
                        yield node, name, index, item


def simplify_expressions(shrinker: _Shrinker) -> None:
    """Each expression is tried as one of its own parts, then as a constant; elements of displays go."""
    number = 0
    while shrinker.left > 0:
        tree = ast.parse(shrinker.best.source)
        places = list(expressions(tree))
        if number >= len(places):
            return
        if not simplify_place(shrinker, tree, number):
            number += 1


def simplify_place(shrinker: _Shrinker, tree: ast.Module, number: int) -> bool:
    _, _, _, expression = list(expressions(tree))[number]
    if isinstance(expression, ast.Constant) or (isinstance(expression, ast.Name) and expression.id != "None"):
        options: list[ast.expr] = []
    else:
        options = [part for part in ast.iter_child_nodes(expression) if isinstance(part, ast.expr)]
        options += [ast.parse(text, mode="eval").body for text in SIMPLE if ast.unparse(expression) != text]
    for option in options:
        fresh = ast.parse(shrinker.best.source)
        parent, field, index, _ = list(expressions(fresh))[number]
        put(parent, field, index, copy.deepcopy(option))
        if shrinker.attempt_tree(fresh):
            return True
    return drop_elements(shrinker, number)


def drop_elements(shrinker: _Shrinker, number: int) -> bool:
    """Remove one element of a call, display or boolean operation."""
    done = False
    for field in ("args", "elts", "values", "keywords", "ifs"):
        index = 0
        while shrinker.left > 0:
            tree = ast.parse(shrinker.best.source)
            places = list(expressions(tree))
            if number >= len(places):
                return done
            expression: Any = places[number][3]
            values = getattr(expression, field, None)
            if not isinstance(values, list) or index >= len(values):
                break
            del values[index]
            if isinstance(expression, ast.Dict):
                del expression.keys[index]
            if (len(values) < 2 and isinstance(expression, ast.BoolOp)) or not shrinker.attempt_tree(tree):
                index += 1
            else:
                done = True
    return done


def put(parent: ast.AST, field: str, index: int | None, value: ast.expr) -> None:
    if index is None:
        setattr(parent, field, value)
    else:
        getattr(parent, field)[index] = value


def drop_parameters(shrinker: _Shrinker) -> None:
    """A parameter of the target that does not matter goes, or a static one becomes open to nobody; promises go."""
    if shrinker.best.promises:
        shrinker.attempt(replace(shrinker.best, promises=()))
    for name in (*shrinker.best.positional, *shrinker.best.keyword):
        tree = ast.parse(shrinker.best.source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == shrinker.best.target.rpartition(".")[2]:
                arguments = node.args
                arguments.args = [a for a in arguments.args if a.arg != name]
                arguments.kwonlyargs = [a for a in arguments.kwonlyargs if a.arg != name]
                arguments.defaults = arguments.defaults[-len(arguments.args) :] if arguments.args else []
                arguments.kw_defaults = arguments.kw_defaults[: len(arguments.kwonlyargs)]
        best = shrinker.best
        shrinker.attempt(
            replace(
                best,
                source=ast.unparse(tree) + "\n",
                positional=tuple(n for n in best.positional if n != name),
                keyword=tuple(n for n in best.keyword if n != name),
                static=tuple((n, text) for n, text in best.static if n != name),
                promises=tuple((n, text) for n, text in best.promises if n != name),
                inputs=tuple(without(text, name) for text in best.inputs),
            )
        )


def without(text: str, name: str) -> str:
    """The text of an input without the entry for `name`."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            kept = [
                (k, v) for k, v in zip(node.keys, node.values) if not (isinstance(k, ast.Constant) and k.value == name)
            ]
            node.keys, node.values = [k for k, _ in kept], [v for _, v in kept]
    return ast.unparse(tree)


def simplify_values(shrinker: _Shrinker) -> None:
    """Static values and dynamic arguments are tried as simple constants."""
    for position, (name, text) in enumerate(shrinker.best.static):
        for simple in SIMPLE:
            changed = (*shrinker.best.static[:position], (name, simple), *shrinker.best.static[position + 1 :])
            if text not in SIMPLE and shrinker.attempt(replace(shrinker.best, static=changed)):
                break
    for number in range(len(shrinker.best.inputs)):
        simplify_input(shrinker, number)


def simplify_input(shrinker: _Shrinker, number: int) -> None:
    tree = ast.parse(shrinker.best.inputs[number], mode="eval")
    if isinstance(tree.body, ast.Subscript) and isinstance(tree.body.value, ast.Tuple):
        inputs = list(shrinker.best.inputs)
        inputs[number] = ast.unparse(tree.body.value.elts[1])
        if shrinker.attempt(replace(shrinker.best, inputs=tuple(inputs))):
            simplify_input(shrinker, number)
        return
    if not isinstance(tree.body, ast.Dict):
        return
    for index, value in enumerate(tree.body.values):
        if ast.unparse(value) in SIMPLE:
            continue
        for simple in SIMPLE:
            candidate = copy.deepcopy(tree)
            assert isinstance(candidate.body, ast.Dict)
            candidate.body.values[index] = ast.parse(simple, mode="eval").body
            inputs = list(shrinker.best.inputs)
            inputs[number] = ast.unparse(candidate)
            if shrinker.attempt(replace(shrinker.best, inputs=tuple(inputs))):
                tree = candidate
                break


def same_finding(wanted: Report, specialize: Specialize, limit: float) -> Callable[[Program], bool]:
    """Does a smaller program fail in the same way?"""

    def still_fails(program: Program) -> bool:
        try:
            report = check(program, specialize, limit=limit, slow=0.5)
        except (Exception, RecursionError):
            return False
        return (report.kind, report.group) == (wanted.kind, wanted.group)

    return still_fails
