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

What was assumed is a binding of a global, the content of a cell, an attribute; all compared by identity.  A global of
the function's own module is read in line where no variable of the function has its name, a few globals of another
module in its dict, everything else of one namespace in one small function that runs in that namespace.  The attributes
of a class are read in the same way: a few in its dict, many by a function whose globals they are.

Invariant: the test comes before everything else that the function does, and looks only at what was assumed: it calls no
code of the program, and what it cannot read without a call it leaves to `Assumed.holds`.
"""

from __future__ import annotations

import ast
import builtins
import gc
import keyword
import re
import symtable
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import CellType, CodeType, FunctionType, GetSetDescriptorType, MethodType
from typing import Any, Final, Protocol

from futamura.backend.python.emitted import Emitted
from futamura.backend.python.factory import factory_text
from futamura.backend.python.tables import tables_reader
from futamura.ir.graph import Signature, Span
from futamura.ir.homes import IMMUTABLE, gets_no_names
from futamura.ir.immediates import fits
from futamura.source import unwarned

__all__ = ["Assumed", "Check", "Constants", "Items", "guarded"]

_GONE: Final = (NameError, AttributeError, KeyError, ValueError)
"""What reading an assumed place raises if it is not there any more."""

_INDENT: Final = "    "

_FEW_NAMES: Final = 2
"""So many names are read faster out of the dict of their module than by a call of a function in it."""


class Assumed(Protocol):
    """Something that was read when the residual was made."""

    @property
    def kind(self) -> str: ...
    @property
    def holder(self) -> object: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> object: ...
    def holds(self) -> bool: ...


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

    otherwise: Callable[..., Any]
    conditions: Sequence[Callable[[Constants], str]] = ()
    """Each writes an expression over the parameters, which raises nothing."""
    assumed: Sequence[Assumed] = ()
    items: Sequence[Items] = ()
    """Tested after the conditions, which have to say that these are exact lists or tuples of that length."""
    refusal: str = ""
    """If given, a `TypeError` with this text is raised instead, and builtins are called by their names."""


@dataclass(slots=True)
class _Test:
    """The test that grows: terms of a conjunction, and the constants that they use."""

    words: frozenset[str]
    """Of the text: all that could be a name in it."""
    constants: dict[str, object] = field(default_factory=dict)
    terms: list[str] = field(default_factory=list)
    may_fail: bool = False
    gone: str = ""
    """The name of the exceptions that it may raise."""
    leave: str = ""
    """The statement for the case that it fails."""
    named: bool = False
    names: dict[int, str] = field(default_factory=dict)
    """By the identity of the constant."""

    def constant(self, value: object, hint: str) -> str:
        """A name for a constant that the text does not use, one for all its uses; None is written as it is."""
        if value is None:
            return "None"
        if self.named and getattr(builtins, hint, None) is value and hint not in self.words:
            return hint
        if id(value) in self.names:
            return self.names[id(value)]
        name = self.names[id(value)] = self.unused(hint)
        self.constants[name] = value
        return name

    def unused(self, hint: str) -> str:
        """A name that the text does not use."""
        base = "_" + re.sub(r"\W", "_", hint).strip("_")
        name, count = base, 1
        while name in self.constants or name in self.words:
            name, count = f"{base}_{count}", count + 1
        return name


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
    tests: list[_Test] = []
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
        test = _Test(frozenset(re.findall(r"\w+", " ".join(used))), named=bool(check.refusal))
        test.terms.extend(write(test.constant) for write in check.conditions)
        if check.items:
            names = _unpacked(text[place], check.items[0])
            if names and len(check.items) == 1:
                later = _Test(test.words, test.constants, named=test.named, names=test.names)
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
        _add_assumed(test, check.assumed, emitted, globals)
        if test.terms:
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


def _leaving(test: _Test, check: Check, signature: Signature) -> str:
    """The statement for the case that the test fails."""
    if test.may_fail:
        test.gone = test.constant(_GONE, "Gone")
    if check.refusal:
        return f"raise {test.constant(TypeError, 'TypeError')}({check.refusal!r})"
    return f"return {test.constant(check.otherwise, 'original')}({_arguments(signature)})"


def _lines(tests: Sequence[_Test]) -> list[str]:
    """All tests in one `try` up to one that may raise; which of them failed is found out behind it."""
    lines: list[str] = []
    before: list[_Test] = []
    for test in tests:
        if not test.may_fail:
            before.append(test)
            continue
        lines.extend((f"{_INDENT}while True:", f"{_INDENT * 2}try:"))
        lines.append(f"{_INDENT * 3}if {' and '.join(term for one in (*before, test) for term in one.terms)}:")
        lines.extend((f"{_INDENT * 4}break", f"{_INDENT * 2}except {test.gone}:", f"{_INDENT * 3}pass"))
        for one in before:
            if one.leave != test.leave:
                lines.extend(_plain(one, _INDENT * 2))
        lines.append(f"{_INDENT * 2}{test.leave}")
        before = []
    return [*lines, *(line for one in before for line in _plain(one, _INDENT))]


def _plain(test: _Test, indent: str) -> list[str]:
    return [f"{indent}if not ({' and '.join(test.terms)}):", f"{indent}{_INDENT}{test.leave}"]


def _unpacked(line: str, items: Items) -> tuple[str, ...]:
    """The variables of `x0, x1 = x`, if that is what the body starts with: they are cheaper to test than `x[0]`."""
    found = re.fullmatch(rf"{_INDENT}(\w+(?:, \w+)+) = {re.escape(items.name)}", line)
    names = tuple(found[1].split(", ")) if found is not None else ()
    return names if len(set(names)) == len(names) == items.length else ()


def _item_terms(test: _Test, items: Items, names: tuple[str, ...]) -> list[str]:
    """Faster than any loop over the items as long as they are few."""
    class_of, kind = test.constant(type, "type"), test.constant(items.kind, items.kind.__name__)
    values = names or tuple(f"{items.name}[{at}]" for at in range(items.length))
    return [f"{class_of}({value}) is {kind}" for value in values]


def _add_assumed(test: _Test, assumed: Sequence[Assumed], emitted: Emitted, globals: Mapping[str, Any]) -> None:
    """One term for each assumption in line, then one for each namespace that is asked by a function of its own."""
    apart: dict[int, tuple[dict[str, Any], list[tuple[str, object]]]] = {}
    cells: list[Assumed] = []
    others: list[Assumed] = []
    fields: list[Assumed] = []
    own: dict[int, list[Assumed]] = {}
    tables: list[tuple[object, Sequence[object]]] = []
    classes = _Classes(test)
    scope = _Scope(emitted)
    for one in assumed:
        if one.kind == "global" and type(one.holder) is dict and one.name.isidentifier():
            if one.holder is globals and scope.means_global(one.name):
                test.terms.append(f"{one.name} is {test.constant(one.value, one.name)}")
            else:
                apart.setdefault(id(one.holder), (one.holder, []))[1].append((one.name, one.value))
        elif one.kind == "cell" and isinstance(one.holder, CellType):
            cells.append(one)
        elif one.kind == "attribute" and type(one.holder) is FunctionType and _is_written(one.name):
            holder = test.constant(one.holder, one.holder.__name__)
            test.terms.append(f"{holder}.{one.name} is {test.constant(one.value, one.name)}")
        elif one.kind == "attribute" and isinstance(one.holder, type) and _has_plain_bases(one.holder):
            classes.add(one.holder, one)
        elif one.kind == "own" and _has_plain_dict(one.holder):
            own.setdefault(id(one.holder), []).append(one)
        elif one.kind == "field" and not hasattr(type(one.holder), "__getattr__"):
            fields.append(one)
        elif one.kind == "field" and one.value is not None and _keeps_in_dict(one.holder, one.name):
            attributes = f"{test.constant(one.holder, type(one.holder).__name__)}.__dict__"
            test.terms.append(f"{attributes}.get({one.name!r}) is {test.constant(one.value, one.name)}")
        elif one.kind == "contents" and type(one.holder) in (list, dict, set):
            tables.append((one.holder, one.value.kept))  # type: ignore[attr-defined]
        else:
            others.append(one)
    classes.close()
    for absent in own.values():
        test.terms.extend(_absent(test, absent))
    for one in fields:  # their classes have nothing of that name, or a slot: reading them runs no code
        holder = test.constant(one.holder, type(one.holder).__name__)
        test.terms.append(f"{holder}.{one.name} is {test.constant(one.value, one.name)}")
    if tables:
        test.terms.append(f"{test.constant(tables_reader(tables), 'tables_hold')}()")
    for namespace, pairs in apart.values():
        few = len(pairs) <= _FEW_NAMES and all(name in namespace for name, _ in pairs)
        if few or not all(_is_global_name(name) for name, _ in pairs):
            place = test.constant(namespace, "globals")
            test.terms.extend(f"{place}[{name!r}] is {test.constant(value, name)}" for name, value in pairs)
        else:
            test.terms.append(f"{test.constant(_reader(namespace, pairs), 'globals_hold')}()")
    if len(cells) == 1:
        (one,) = cells
        test.terms.append(f"{test.constant(one.holder, 'cell')}.cell_contents is {test.constant(one.value, one.name)}")
    elif cells:
        test.terms.append(f"{test.constant(_cell_reader(cells), 'cells_hold')}()")
    for one in others:
        test.terms.append(f"{test.constant(MethodType(type(one).holds, one), 'holds')}()")
    test.may_fail = bool(assumed)


def _absent(test: _Test, absent: Sequence[Assumed]) -> list[str]:
    """That an object has no attributes of these names of its own; its `__dict__` is asked for once."""
    holder = absent[0].holder
    attributes = f"{test.constant(holder, type(holder).__name__)}.__dict__"
    if len(absent) == 1:
        return [f"{absent[0].name!r} not in {attributes}"]
    name = test.unused("own")
    test.words |= {name}
    first, *others = [repr(one.name) for one in absent]
    return [f"{first} not in ({name} := {attributes})", *(f"{other} not in {name}" for other in others)]


_FEW_ATTRIBUTES: Final = 2
"""So many attributes of one class are read faster out of its dict than by a call of a function."""

_NO_GLOBALS: Final = frozenset({"__builtins__", "__debug__"})
_OWN: Final = ("_was_", "_cell_")
"""How the variables of entry tests begin."""

_PLAIN_LOOKUPS: Final = [vars(cls)["__getattribute__"] for cls in (object, dict, list, tuple, set, frozenset, int, str)]
"""Many builtin classes have one of their own that does the same."""


def _has_plain_dict(value: object) -> bool:
    """Does reading `__dict__` of this object give its attributes, and run no code of its class?"""
    found = next((base.__dict__["__dict__"] for base in type(value).__mro__ if "__dict__" in base.__dict__), None)
    lookup = type(value).__getattribute__
    return type(found) is GetSetDescriptorType and any(lookup is one for one in _PLAIN_LOOKUPS)


def _keeps_in_dict(value: object, name: str) -> bool:
    """Is this attribute in the object's own `__dict__`, and in no slot?  Its `__getattr__` is not asked for it."""
    inherited = any(name in base.__dict__ for base in type(value).__mro__)
    return not inherited and _has_plain_dict(value) and name in object.__getattribute__(value, "__dict__")


def _metaclass_has(cls: type, *names: str) -> bool:
    """Does the class's metaclass, or a base of it, define one of these itself?"""
    own = [base for base in type.mro(type(cls)) if base is not type and base is not object]
    return any(name in base.__dict__ for base in own for name in names)


def _has_plain_bases(cls: type) -> bool:
    """Does reading `__mro__` run no code of a metaclass?"""
    return not _metaclass_has(cls, "__mro__", "__getattribute__")


_MRO_OF: Final = type.__dict__["__mro__"].__get__
"""Reads what the attribute gives; a metaclass with a `__getattr__` makes that slow."""


def _bases_are_fixed() -> bool:
    """Does this Python refuse other bases for a class whose only base is `object`?"""
    one: Any = type("one", (), {})
    try:
        one.__bases__ = (type("other", (), {}),)
    except TypeError:
        return True
    return False


_FIXED_BASES: Final = _bases_are_fixed()


def _keeps_bases(cls: type) -> bool:
    """Will `__mro__` always be what it is?  Classes are told by identity: a metaclass may have its own `==`."""
    mro = cls.__mro__
    return _FIXED_BASES and len(mro) == 2 and mro[1] is object and not _metaclass_has(cls, "mro")


class _Classes:
    """Attributes of classes: read in the dicts of their bases, because `getattr` would run a descriptor's code."""

    def __init__(self, test: _Test) -> None:
        self._test: Final = test
        self._bases: Final[dict[int, tuple[type, dict[str, Assumed | None]]]] = {}
        """By the identity of the base: the attributes that it has to have, or (None) must not have."""

    def add(self, holder: type, one: Assumed) -> None:
        test = self._test
        bases = holder.__mro__
        changing = [not gets_no_names(base) for base in bases]
        owner = next((at for at, base in enumerate(bases) if one.name in base.__dict__), None)
        if owner is None and not one.holds():
            test.terms.append("False")
            return
        if all(base.__flags__ & IMMUTABLE for base in bases) and one.holds():
            return
        if owner != 0 and not _keeps_bases(holder):
            cls, mro = test.constant(holder, holder.__name__), test.constant(bases, "mro")
            slow = _metaclass_has(holder, "__getattr__")
            read = f"{test.constant(_MRO_OF, 'mro_of')}({cls})" if slow else f"{cls}.__mro__"
            term = f"{read} is {mro}"
            if term not in test.terms:
                test.terms.append(term)
        for base, may_change in zip(bases[:owner], changing):
            if may_change:
                self._of(base)[one.name] = None
        if owner is not None:
            self._of(bases[owner])[one.name] = one

    def _of(self, base: type) -> dict[str, Assumed | None]:
        return self._bases.setdefault(id(base), (base, {}))[1]

    def close(self) -> None:
        """Write the tests: a few in line, many in a function that has the attributes for its globals."""
        test = self._test
        for base, wanted in self._bases.values():
            attributes = _attributes(base)
            if len(wanted) > _FEW_ATTRIBUTES and type(attributes) is dict and all(map(_is_global_name, wanted)):
                test.terms.append(f"{test.constant(_class_reader(attributes, wanted), 'class_holds')}()")
                continue
            place = test.constant(attributes, base.__name__)
            for name, one in wanted.items():
                if one is None:
                    test.terms.append(f"{name!r} not in {place}")
                else:
                    test.terms.append(f"{place}[{name!r}] is {test.constant(one.value, name)}")


def _is_written(name: str) -> bool:
    """May it stand behind a dot?"""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def _is_global_name(name: str) -> bool:
    """Does code that mentions the name read a global of that name?"""
    if name in _NO_GLOBALS or name.startswith(_OWN):
        return False
    return _is_written(name)


def _attributes(cls: type) -> Mapping[str, object]:
    """The attributes of a class, to be read: the dict itself, where it can be had, because the view of it is slower."""
    view = cls.__dict__
    behind = gc.get_referents(view)
    return behind[0] if len(behind) == 1 and type(behind[0]) is dict else view


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


def _reader(namespace: dict[str, Any], pairs: Sequence[tuple[str, object]]) -> Callable[[], bool]:
    """A function in `namespace` that compares globals with what they were; NameError if one is gone."""
    wanted = {f"_was_{place}": value for place, (_, value) in enumerate(pairs)}
    terms = [f"{name} is _was_{place}" for place, (name, _) in enumerate(pairs)]
    return _function(namespace, terms, {name: CellType(value) for name, value in wanted.items()})


def _cell_reader(cells: Sequence[Assumed]) -> Callable[[], bool]:
    """A function that compares the contents of cells with what they were; NameError if one is empty."""
    wanted: dict[str, CellType] = {}
    terms = []
    for place, one in enumerate(cells):
        assert isinstance(one.holder, CellType)
        wanted[f"_cell_{place}"] = one.holder
        wanted[f"_was_{place}"] = CellType(one.value)
        terms.append(f"_cell_{place} is _was_{place}")
    return _function({"__builtins__": builtins}, terms, wanted)


def _class_reader(attributes: dict[str, Any], wanted: Mapping[str, Assumed | None]) -> Callable[[], bool]:
    """A function whose globals are the attributes of a class: it compares them with what they were.

    What must not be there is found among its builtins instead; NameError if something is gone.
    """
    missing = object()
    values = {f"_was_{at}": missing if one is None else one.value for at, one in enumerate(wanted.values())}
    terms = [f"{name} is {was}" for name, was in zip(wanted, values)]
    absent = {name: missing for name, one in wanted.items() if one is None}
    return _function(attributes, terms, {name: CellType(value) for name, value in values.items()}, absent)


def _function(
    namespace: dict[str, Any], terms: list[str], cells: Mapping[str, CellType], known: dict[str, object] | None = None
) -> Callable[[], bool]:
    """A function of no arguments; `known` are its builtins, if it must not have the usual ones."""
    text = f"def factory({', '.join(cells)}):\n return lambda: {' and '.join(terms)}\n"  # it has no name to be mistaken
    factory = next(item for item in compile(text, "<entry test>", "exec").co_consts if hasattr(item, "co_consts"))
    code = next(item for item in factory.co_consts if hasattr(item, "co_freevars"))
    closure = tuple(cells[name] for name in code.co_freevars)
    if known is None:
        return FunctionType(code, namespace, "holds", None, closure)
    # A function whose globals say nothing of builtins gets those of the frame that makes it.
    maker = FunctionType(_made.__code__, {"__builtins__": known, "FunctionType": FunctionType})
    made: Callable[[], bool] = maker(code, namespace, closure)
    return made


def _made(code: CodeType, namespace: dict[str, Any], closure: tuple[CellType, ...]) -> FunctionType:
    return FunctionType(code, namespace, "holds", None, closure)


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
