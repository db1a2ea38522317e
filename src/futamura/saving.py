"""A residual as a plain module on disk: no futamura at run time.

    from shop import discount            a global that the residual reads
    _table = (1, 2, 3)                   a constant that has no name in the text
    def price(x): ...                    the text itself

What has no exact form as source text (an instance of a class, a function made at run time, a module variable that is
rebound) is named in a `SavingError`; nothing is written then.  Lists, dicts and sets become copies, and the head of
the file says so; what several of them hold is one object, as it was.  A global of a module that the residual writes to,
or gives away, is imported.

Invariant: the text compiles.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import sys
import types
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from futamura.analysis.boundedvariation import strongly_connected
from futamura.backend.python.emitted import Emitted
from futamura.embedding import embedded
from futamura.frontend.contents import changed_names, contents_are_constant, is_rebound
from futamura.ir.bytecode import instructions
from futamura.ir.homes import module_of
from futamura.source import unwarned
from futamura.specializer.assumption import Assumption
from futamura.spelling import Imports, Unspeakable, contents_spelled, spelled
from futamura.standalone import absolute, reads_renamed

__all__ = ["SavingError", "module_text"]

_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_SHARED: Final = (list, dict, set, tuple)
_HOLDERS: Final = (*_SHARED, frozenset)
_NAMED: Final = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)
"""What has a name of its own."""


class SavingError(ValueError):
    """The residual has no form as a plain module; the message names what stands in the way."""


def module_text(
    emitted: Emitted, made: types.FunctionType, described: Iterable[str], assumptions: Iterable[Assumption]
) -> str:
    """The text of a module that defines the residual `made`, whose text is `emitted`."""
    return _Module(emitted, made).text(list(described), list(assumptions))


class _Module:
    """One module under construction: what must be imported, and what cannot be written."""

    def __init__(self, emitted: Emitted, made: types.FunctionType) -> None:
        self._emitted = emitted
        self._made: Final = made
        self._imports: Final = Imports()
        self._copied: Final[list[str]] = []
        self._troubles: Final[list[str]] = []

    def text(self, described: list[str], assumptions: list[Assumption]) -> str:
        emitted, made = self._emitted, self._made
        values = dict(emitted.constants)
        for name, cell in zip(made.__code__.co_freevars, made.__closure__ or ()):
            if name in emitted.free:
                values[name] = self._cell(name, cell, assumptions)
        self._check()  # what assigns such a variable is no text that compiles alone
        self._stand_alone()
        emitted = self._emitted
        self._imports.taken.update(values, _globals_of(emitted.text, "LOAD_GLOBAL", "LOAD_NAME"))
        self._globals(assumptions)
        self._import(values, assumptions)
        lines = self._shared(values)
        helpers: dict[str, str] = {}
        for name, value in values.items():
            if name in self._imports.statements or self._imports.shared.get(id(value)) == name:
                continue
            helper = embedded(value)
            if helper is not None:
                helpers[helper[0]] = helper[1]
                lines.append(f"{name} = {helper[0]}")
                continue
            text = self._expression(value, f"the constant `{name}`", name)
            if type(value) in (list, dict, set) and module_of(value) is None:
                self._copied.append(name)
            if text != name:
                lines.append(f"{name} = {text}")
        after = self._after()
        self._check()
        described.extend(f"assumed, not tested here: {assumption!r}" for assumption in assumptions)
        if any("futamura" in line for line in self._imports.statements.values()):
            described.append("needs futamura at run time: Python has no expression for some of this")
        described.extend(f"a copy, made when this module is imported: {name}" for name in self._copied)
        head = "".join(f"# {line}\n" for line in described)
        imports = "\n".join(self._imports.statements.values())
        parts = [head, imports, *helpers.values(), "\n".join(lines), emitted.text.rstrip("\n"), "\n".join(after)]
        text = "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"
        with unwarned():
            compile(text, f"{made.__name__}.py", "exec", dont_inherit=True)
        return text

    def _check(self) -> None:
        if self._troubles:
            raise SavingError(f"`{self._made.__qualname__}` cannot be a plain module: " + "; ".join(self._troubles))

    def _stand_alone(self) -> None:
        """What means something in the old module only gets another name."""
        name, text = self._made.__name__, self._emitted.text  # under its name the module has the residual
        try:
            text = absolute(text, self._made.__globals__)
        except ImportError as reason:
            self._troubles.append(f"it imports from its package: {reason}")
        calls_itself = self._emitted.recursive and self._emitted.name == name
        if name in _globals_of(text, "LOAD_GLOBAL") and not calls_itself:
            namespace = self._made.__globals__
            module = _module_of(Assumption("global", name, namespace, name, namespace.get(name)))
            other = f"_original_{name}"
            renamed = reads_renamed(text, name, other) if other not in text else None
            if module is None or renamed is None or is_rebound(namespace, name):
                self._troubles.append(f"it calls the original `{name}`, whose name is its own there")
            else:
                text = renamed
                self._imports.member(module, name, other)
        self._emitted = replace(self._emitted, text=text)

    def _import(self, values: dict[str, object], assumptions: list[Assumption]) -> None:
        """Import the constants that are globals of modules, if they are more than read, or cannot be written."""
        places = {id(one.value): one for one in assumptions if one.kind == "global"}
        changed = changed_names(self._emitted.text, values)
        for name, value in values.items():
            found = places.get(id(value))
            module = None if found is None else _module_of(found)
            if found is None or module is None or type(value) in _NAMED or embedded(value) is not None:
                continue
            copied = type(value) in _HOLDERS and _is_speakable(value)
            if not copied or name in changed or not contents_are_constant(found.holder, found.name, value):  # type: ignore[arg-type]
                self._imports.member(module, found.name, name)
                self._imports.shared[id(value)] = name
        for one in assumptions:
            owner = places.get(id(one.holder)) if one.kind == "field" and type(one.value) in _HOLDERS else None
            module = None if owner is None else _module_of(owner)
            for name in (key for key, value in values.items() if value is one.value):
                if owner is not None and module is not None and id(one.value) not in self._imports.shared:
                    holder = f"_holder{name}"
                    self._imports.member(module, owner.name, holder)
                    self._imports.statements[f"{holder}.{one.name}"] = f"{name} = {holder}.{one.name}"
                    self._imports.shared[id(one.value)] = name

    def _shared(self, values: dict[str, object]) -> list[str]:
        """Definitions of the containers that stand in more than one place, each once, inner ones first."""
        constants = (*values.values(), self._made.__defaults__, self._made.__kwdefaults__)
        filled = _in_themselves(constants)
        counts, inner_first = _counted(constants, filled)
        names = {id(value): name for name, value in reversed(values.items())}
        lines: list[str] = []
        fills: list[object] = []
        for value in (*filled.values(), *inner_first):
            if (counts[id(value)] < 2 and id(value) not in filled) or id(value) in self._imports.shared:
                continue
            name = names.get(id(value)) or f"_shared{len(lines)}"
            while name in self._emitted.text and id(value) not in names:
                name = f"_{name}"
            if id(value) in filled:
                fills.append(value)
                lines.append(f"{name} = {'{}' if type(value) is dict else '[]'}")
            else:
                lines.append(f"{name} = {self._contents(value, name)}")
            self._imports.shared[id(value)] = name
            if type(value) is not tuple:
                self._copied.append(name)
        for value in fills:
            name = self._imports.shared[id(value)]
            lines.append(f"{name}.{'update' if type(value) is dict else 'extend'}({self._contents(value, name)})")
        return lines

    def _contents(self, value: object, name: str) -> str:
        try:
            return contents_spelled(value, self._imports)
        except Unspeakable as reason:
            self._troubles.append(f"the constant `{name}` {reason}")
            return "None"

    def _cell(self, name: str, cell: types.CellType, assumptions: list[Assumption]) -> object:
        if not any(item.kind == "cell" and item.holder is cell for item in assumptions):
            self._troubles.append(f"it shares the variable `{name}` with an enclosing function")
            return None
        return cell.cell_contents

    def _globals(self, assumptions: list[Assumption]) -> None:
        """Imports for the global names that the text reads."""
        emitted, namespace = self._emitted, self._made.__globals__
        own = {name for name, _ in emitted.constants} | set(emitted.free)
        defined = {node.name for node in ast.parse(emitted.text).body if isinstance(node, _DEFINITIONS)}
        names = _globals_of(emitted.text, "LOAD_GLOBAL", "LOAD_NAME") - own - defined - self._imports.statements.keys()
        assumed = {item.name for item in assumptions if item.kind == "global" and item.holder is namespace}
        for name in sorted(names):
            if name not in namespace:
                if not hasattr(builtins, name):
                    self._troubles.append(f"the global `{name}` does not exist")
                continue
            if name not in assumed:
                self._troubles.append(f"the global `{name}` may be bound anew while the program runs")
                continue
            text = self._expression(namespace[name], f"the global `{name}`", name)
            if text != name:
                self._imports.statements[name] = f"{name} = {text}"
        if _globals_of(emitted.text, "STORE_GLOBAL", "DELETE_GLOBAL"):
            self._troubles.append("it assigns a global")

    def _after(self) -> list[str]:
        """Statements behind the definition: defaults, the docstring."""
        made, name = self._made, self._emitted.name
        lines: list[str] = []
        if made.__name__ != name and made.__name__.isidentifier() and not keyword.iskeyword(made.__name__):
            lines.append(f"{made.__name__} = {name}")
        if made.__defaults__:
            lines.append(f"{name}.__defaults__ = {self._expression(made.__defaults__, 'a default')}")
        if made.__kwdefaults__:
            lines.append(f"{name}.__kwdefaults__ = {self._expression(made.__kwdefaults__, 'a default')}")
        text = next((node for node in ast.parse(self._emitted.text).body if getattr(node, "name", "") == name), None)
        written = ast.get_docstring(text, clean=False) if isinstance(text, _DEFINITIONS) else None  # else a lambda
        if isinstance(made.__doc__, str) and written != made.__doc__:
            lines.append(f"{name}.__doc__ = {made.__doc__!r}")
        return lines

    def _expression(self, value: object, what: str, wanted: str = "") -> str:
        """An expression for `value`; what has none is a trouble."""
        try:
            return spelled(value, self._imports, wanted)
        except Unspeakable as reason:
            self._troubles.append(f"{what} {reason}")
            return "None"


def _module_of(assumption: Assumption) -> str | None:
    """The name of the module whose global this is, if others can import it."""
    space = assumption.holder
    name = space.get("__name__") if isinstance(space, dict) else None
    if not isinstance(space, dict) or not isinstance(name, str) or name == "__main__":
        return None
    if not assumption.name.isidentifier() or space.get(assumption.name) is not assumption.value:
        return None
    return name if getattr(sys.modules.get(name), "__dict__", None) is space else None


def _is_speakable(value: object) -> bool:
    try:
        contents_spelled(value, Imports())
    except Unspeakable:
        return False
    return True


def _parts(value: object) -> list[object]:
    """The containers in a container that may need a name: a tuple does where it holds another one, so that `t = t, t`
    again and again stays small."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [item for item in items if _needs_name(item)]


def _needs_name(value: object) -> bool:
    if type(value) not in _SHARED or (type(value) is tuple and not any(type(part) in _HOLDERS for part in value)):
        return False
    return module_of(value) is None


def _in_themselves(values: Iterable[object]) -> dict[int, object]:
    """The lists and dicts in constants that lead back to themselves: these are filled when all others are there."""
    found = {id(value): value for value in values if _needs_name(value)}
    work = [*found.values()]
    while work:
        new = {id(part): part for part in _parts(work.pop()) if id(part) not in found}
        found.update(new)
        work.extend(new.values())

    def below(number: int) -> list[int]:
        return [id(part) for part in _parts(found[number])]

    cycles = [one for one in strongly_connected(found, below) if len(one) > 1 or one[0] in below(one[0])]
    around = {number for one in cycles for number in one}
    return {number: value for number, value in found.items() if number in around and type(value) in (list, dict)}


def _counted(values: Iterable[object], filled: dict[int, object]) -> tuple[Counter[int], list[object]]:
    """In how many places each list, dict, set and tuple of containers stands in constants, and all of them behind what
    they hold, but for what the `filled` ones do."""
    counts: Counter[int] = Counter()
    inner_first: list[object] = []
    roots = [value for value in values if _needs_name(value)]
    for root in roots:
        work = [(root, False)]
        while work:
            found, done = work.pop()
            if done:
                inner_first.append(found)
                continue
            counts[id(found)] += 1
            if counts[id(found)] > 1:
                continue
            if id(found) in filled:
                roots.extend(_parts(found))
                continue
            work.append((found, True))
            work.extend((part, False) for part in _parts(found))
    return counts, inner_first


def _globals_of(text: str, *operations: str) -> set[str]:
    """The names that these operations of the text's functions name, as text: LOAD_GLOBAL ..."""
    with unwarned():
        module = compile(text, "text", "exec")
    codes = [item for item in module.co_consts if isinstance(item, types.CodeType)]
    names: set[str] = set()
    for code in codes:
        codes.extend(item for item in code.co_consts if isinstance(item, types.CodeType))
        names.update(str(found.argval) for found in instructions(code) if found.opname in operations)
    return names
