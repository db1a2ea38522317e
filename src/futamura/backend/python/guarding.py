"""The test at the entry of a residual function: are the promised classes there, does what was assumed still hold?

    def power(x):                    def power(x):
        return x * x                     while True:
                              ->             try:
                                                 if _type(x) is _float and power is _power:
                                                     break
                                             except _Gone:
                                                 pass
                                             return _original(x)
                                         return x * x

The loop is none: `break` is the shortest way out of the `try`, and the original runs outside of the handler.  Tests
that can raise nothing are an `if`.

What was assumed is a binding of a global, the content of a cell, an attribute; all compared by identity.  A few globals
of the function's own module are read in line where no variable of the function has their names.  Of all other names,
variables of closures, classes, functions and registries it is asked whether they have changed at all (`holding.py`).

Invariant: the test comes before everything else that the function does, and looks only at what was assumed: it calls no
code of the program, and what it cannot read without a call it leaves to `Assumed.holds`.
"""

from __future__ import annotations

import ast
import re
import symtable
from abc import get_cache_token
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any, Final

from futamura.backend.python.emitted import Emitted
from futamura.backend.python.entrytest import EntryTest, is_written
from futamura.backend.python.factory import factory_text
from futamura.backend.python.holding import Assumed, Holding, has_plain_bases, has_plain_dict
from futamura.ir.graph import Signature, Span
from futamura.ir.homes import module_of
from futamura.ir.immediates import fits
from futamura.ir.stamps import FEW_OWN_NAMES
from futamura.source import unwarned

__all__ = ["Assumed", "Check", "Constants", "Items", "guarded"]

_GONE: Final = (NameError, AttributeError, KeyError, ValueError)
"""What reading an assumed place raises if it is not there any more."""

_INDENT: Final = "    "


Constants = Callable[[object, str], str]
"""Gives a name to a constant; the text is a hint."""


@dataclass(frozen=True, slots=True)
class Items:
    """The class that all items of a parameter of few items are promised to have."""

    name: str
    length: int
    kind: type


@dataclass(frozen=True, slots=True)
class Check:
    """One test at the entry: conditions on the parameters, what was assumed, and who runs if it fails."""

    otherwise: Any
    conditions: Sequence[Callable[[Constants], str]] = ()
    """Each writes an expression over the parameters, which raises nothing."""
    assumed: Sequence[Assumed] = ()
    items: Sequence[Items] = ()
    """Tested after the conditions, which have to say that these are exact lists or tuples of that length."""
    flag: object = None
    """If given, its attribute `now` has to be false; it is asked before the conditions."""
    later: bool = False
    """Does `otherwise` have an attribute `run`, which is called?  Who runs may be another one later."""
    refusal: str = ""
    """If given, a `TypeError` with this text is raised instead, and builtins are called by their names."""


def guarded(
    emitted: Emitted, signature: Signature, checks: Sequence[Check], globals: Mapping[str, Any]
) -> Emitted | None:
    """The emitted function with tests before its first statement; None if a call of itself would repeat them, or it is
    a lambda, which has no statements."""
    if emitted.recursive or not re.search(rf"^def {emitted.name}\(", emitted.text, re.MULTILINE):
        return None
    if re.search(r"\byield\b", emitted.text) and _suspends(emitted):
        return None
    text = emitted.text.removesuffix("\n").split("\n")
    place = _first_statement(text, emitted.name)
    lines: list[str] = []
    moved: list[Span | None] = []
    constants: dict[str, object] = {}
    tests: list[EntryTest] = []
    for check in checks:
        assumed = [one.name for one in check.assumed]
        used = (
            emitted.text,
            *assumed,
            *emitted.free,
            *constants,
            *(name for name, _ in emitted.constants),
            *signature.names,
        )
        known = {id(value): name for name, value in constants.items()}
        test = EntryTest(frozenset(re.findall(r"\w+", " ".join(used))), named=bool(check.refusal), names=known)
        if check.flag is not None:
            test.unset = f"not {test.constant(check.flag, 'handed_over')}.now"
        test.terms.extend(write(test.constant) for write in check.conditions)
        if check.items:
            names = _unpacked(text[place], check.items[0])
            if names and len(check.items) == 1:
                later = EntryTest(test.words, test.constants, named=test.named, names=test.names)
                test.leave = _leaving(test, check, signature)
                lines.extend(_lines([*tests, test]))
                tests.clear()
                moved = [*[None] * len(lines), emitted.spans[place]]
                lines.append(text.pop(place))
                test = later
            else:
                names = ()
            for items in check.items:
                test.terms.extend(_item_terms(test, items, names))
        flagged = next((one for one in tests if one.unset), None)
        flag = next((one.flag for one in checks if one.flag is not None), None) if flagged is not None else None
        if _add_assumed(test, check.assumed, emitted, globals, flag) and flagged is not None:
            flagged.told = True
        if test.all_terms():
            test.leave = _leaving(test, check, signature)
            tests.append(test)
            constants.update(test.constants)
    lines.extend(_lines(tests))
    if not lines:
        return emitted
    rest = emitted.spans[place + bool(moved) :]
    spans = (*emitted.spans[:place], *moved, *[None] * (len(lines) - len(moved)), *rest)
    text[place:place] = lines
    immediates = () if any(check.refusal for check in checks) else [name for name in constants if fits(constants[name])]
    return replace(
        emitted,
        text="\n".join(text) + "\n",
        spans=spans,
        constants=(*emitted.constants, *constants.items()),
        immediates=tuple(immediates),
    )


def _suspends(emitted: Emitted) -> bool:
    """Is the function itself a generator, of which nothing runs when it is called?"""
    work: list[ast.AST] = []
    for statement in ast.parse(emitted.text).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == emitted.name:
            work.extend(statement.body)
    while work:
        node = work.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            work.extend(ast.iter_child_nodes(node))
    return False


def _leaving(test: EntryTest, check: Check, signature: Signature) -> str:
    """The statement for the case that the test fails."""
    if test.may_fail:
        test.gone = test.constant(_GONE, "Gone")
    if check.refusal:
        return f"raise {test.constant(TypeError, 'TypeError')}({check.refusal!r})"
    run = ".run" if check.later else ""
    return f"return {test.constant(check.otherwise, 'original')}{run}({_arguments(signature)})"


def _lines(tests: Sequence[EntryTest]) -> list[str]:
    """All tests in one `try` up to one that may raise; which of them failed is found out behind it."""
    lines: list[str] = []
    before: list[EntryTest] = []
    for test in tests:
        if not test.may_fail:
            before.append(test)
            continue
        lines.extend((f"{_INDENT}while True:", f"{_INDENT * 2}try:"))
        lines.append(f"{_INDENT * 3}if {' and '.join(term for one in (*before, test) for term in one.asked())}:")
        lines.extend((f"{_INDENT * 4}break", f"{_INDENT * 2}except {test.gone}:", f"{_INDENT * 3}pass"))
        for one in before:
            if one.leave != test.leave:
                lines.extend(_plain(one, _INDENT * 2))
        lines.append(f"{_INDENT * 2}{test.leave}")
        before = []
    return [*lines, *(line for one in before for line in _plain(one, _INDENT))]


def _plain(test: EntryTest, indent: str) -> list[str]:
    return [f"{indent}if not ({' and '.join(test.all_terms())}):", f"{indent}{_INDENT}{test.leave}"]


def _unpacked(line: str, items: Items) -> tuple[str, ...]:
    """The variables of `x0, x1 = x`, if that is what the body starts with: they are cheaper to test than `x[0]`."""
    found = re.fullmatch(rf"{_INDENT}(\w+(?:, \w+)+) = {re.escape(items.name)}", line)
    names = tuple(found[1].split(", ")) if found is not None else ()
    return names if len(set(names)) == len(names) == items.length else ()


def _item_terms(test: EntryTest, items: Items, names: tuple[str, ...]) -> list[str]:
    """Faster than any loop over the items as long as they are few."""
    class_of, kind = test.constant(type, "type"), test.constant(items.kind, items.kind.__name__)
    values = names or tuple(f"{items.name}[{at}]" for at in range(items.length))
    return [f"{class_of}({value}) is {kind}" for value in values]


def _add_assumed(
    test: EntryTest, assumed: Sequence[Assumed], emitted: Emitted, globals: Mapping[str, Any], flag: object
) -> bool:
    """One term for each assumption in line, and one for all that a stamp stands for.  Does that tell as well that the
    flag, if one is given, is not set?"""
    others: list[Assumed] = []
    homes: dict[int, ModuleType | None] = {}
    holding = Holding(test, {id(one.holder) for one in assumed if one.kind == "present"})
    scope = _Scope(emitted)
    own_names = sum(one.kind == "global" and one.holder is globals for one in assumed)
    in_line = own_names <= FEW_OWN_NAMES or globals.get("__name__") == "__main__"
    plain: list[Assumed] = []
    for one in assumed:
        if one.kind == "global" and type(one.holder) is dict and one.name.isidentifier():
            if one.holder is globals and in_line and scope.means_global(one.name):
                plain.append(one)
            else:
                holding.add(one.holder, one)
        elif _is_held(one):
            holding.add(one.holder, one)
        elif one.kind == "registered":
            holding.add(one.holder.registry, one)  # type: ignore[attr-defined]
        elif one.kind == "imported" and type(one.holder) is dict:
            modules = test.constant(one.holder, "modules")
            test.terms.append(f"{modules}.get({one.name!r}) is {test.constant(one.value, one.name.rpartition('.')[2])}")
        elif one.kind == "present" and type(one.holder) is dict:
            test.terms.append(f"{one.name!r} in {test.constant(one.holder, 'globals')}")
            homes.setdefault(id(one.holder), module_of(one.holder))
        elif _is_of_object(one):
            holding.add(one.holder, one)
        elif one.kind == "field" and one.value is not None and _keeps_in_dict(one.holder, one.name):
            attributes = f"{test.constant(one.holder, type(one.holder).__name__)}.__dict__"
            test.terms.append(f"{attributes}.get({one.name!r}) is {test.constant(one.value, one.name)}")
        elif one.kind == "registrations":
            token, held = test.constant(get_cache_token, "cache_token"), test.constant(one.value, "registrations")
            test.terms.append(f"({token}() == {held}.token or {held}.hold())")
        elif one.kind == "contents" and type(one.holder) in (list, dict, set):
            holding.add(one.holder, one)
        else:
            others.append(one)
    if plain and type(globals) is dict and holding.joins(globals, len(plain)):
        for one in plain:
            holding.add(globals, one)
    else:
        test.terms.extend(f"{one.name} is {test.constant(one.value, one.name)}" for one in plain)
    told = holding.close(flag)
    for home in homes.values():  # a class of its own may have a property of a global's name
        kind = f"{test.constant(type, 'type')}({test.constant(home, 'module')})"
        test.terms.append(f"{kind} is {test.constant(ModuleType, 'ModuleType')}")
    for one in others:
        test.terms.append(f"{test.constant(MethodType(type(one).holds, one), 'holds')}()")
    test.may_fail = bool(assumed)
    return told


def _is_of_object(one: Assumed) -> bool:
    """Is this assumed of an attribute of an object that runs no code when it is read?"""
    if one.kind == "own":
        return has_plain_dict(one.holder)
    return one.kind == "field" and not hasattr(type(one.holder), "__getattr__")


def _is_held(one: Assumed) -> bool:
    """Is this assumed of a variable of a closure, a function or a class?"""
    if one.kind == "cell":
        return isinstance(one.holder, CellType)
    if one.kind not in ("attribute", "contents", "order", "subclasses"):
        return False
    if type(one.holder) is FunctionType:
        return is_written(one.name)
    return isinstance(one.holder, type) and has_plain_bases(one.holder)


def _keeps_in_dict(value: object, name: str) -> bool:
    """Is this attribute in the object's own `__dict__`, and in no slot?  Its `__getattr__` is not asked for it."""
    inherited = any(name in base.__dict__ for base in type(value).__mro__)
    return not inherited and has_plain_dict(value) and name in object.__getattribute__(value, "__dict__")


class _Scope:
    """The names that mean globals in the body of an emitted function."""

    def __init__(self, emitted: Emitted) -> None:
        around = factory_text(emitted)  # what the text declares `nonlocal` has its variable there
        with unwarned():
            top = symtable.symtable(around.text, "<emitted>", "exec")
        if around.factory:
            top = next(table for table in top.get_children() if table.get_name() == around.factory)
        self._own: Final = next(table for table in reversed(top.get_children()) if table.get_name() == emitted.name)
        self._used: Final = frozenset(self._own.get_identifiers())
        beside = {table.get_name() for table in top.get_children()} - {emitted.name}
        self._taken: Final = {*emitted.free, *beside, *(name for name, _ in emitted.constants)}
        if emitted.recursive:
            self._taken.add(emitted.name)

    def means_global(self, name: str) -> bool:
        if name in self._taken:
            return False
        return name not in self._used or self._own.lookup(name).is_global()


def _arguments(signature: Signature) -> str:
    """The parameters, passed on."""
    parts = [*signature.posonly, *signature.regular]
    if signature.varargs is not None:
        parts.append(f"*{signature.varargs}")
    parts += [f"{name}={name}" for name in signature.kwonly]
    if signature.varkw is not None:
        parts.append(f"**{signature.varkw}")
    return ", ".join(parts)


def _first_statement(lines: Sequence[str], name: str) -> int:
    """The index of the line where the body of the function starts, behind documentation and declarations."""
    header = max(place for place, line in enumerate(lines) if line.startswith(f"def {name}("))
    place = header
    while not lines[place].rstrip().endswith(":"):
        place += 1
    place += 1
    start = lines[place].strip()
    quote = re.match(r"[rbuRBU]*(\"\"\"|'''|\"|')", start)
    if quote is not None:
        end = _end_of_text(lines, place)
        if end is not None:
            place = end + 1
    while place < len(lines) and re.match(r"\s+(global|nonlocal) ", lines[place]):
        place += 1
    return place


def _end_of_text(lines: Sequence[str], place: int) -> int | None:
    """The last line of the statement at `place` if that is nothing but a text."""
    for end in range(place, len(lines)):
        text = "\n".join(lines[place : end + 1]).strip()
        try:
            code = compile(text, "<documentation>", "eval", dont_inherit=True)
        except SyntaxError:
            continue
        constant = not code.co_names and not code.co_varnames and type(code.co_consts[0]) is str
        return end if constant and len(code.co_consts) == 1 else None
    return None
