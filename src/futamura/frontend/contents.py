"""What a module's own source does to its globals: which are rebound, which containers are written.

    OPS = {"+": add}                    contents of OPS are constant: the module only reads them
    def run(op): return OPS[op](1, 2)

    LOG = []                            contents of LOG are not
    def note(x): LOG.append(x)

    class Shop: RATES = {...}           contents of the attribute, asked for as ".RATES", are constant in the same way

A container's contents count as constant if, inside functions, its bare name is only indexed, iterated, measured, tested
(for members, too), or asked by methods that do not change it, and what comes out of it is not changed either (`items`);
a variable of a function that gets it (`rows = rows or ROWS`) stands for it.  What module level code does happens once,
on import.  `changing` says which objects have, somewhere else, a name whose contents are changed: they are no constants
under any name.

Invariant: "constant" is said only if every function of the module was seen.  An attribute that some function names in a
string counts as changed; one whose name is put together at run time is not seen.
"""

from __future__ import annotations

import ast
import functools
import gc
import linecache
import sys
import types
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeGuard

from futamura.analysis.creating import stores_on_new_classes
from futamura.analysis.reading import own_names, parts, read_only
from futamura.analysis.registering import directly_registering, registering_functions
from futamura.analysis.storing import names_of_functions, on_own_objects
from futamura.analysis.trees import every
from futamura.frontend import reflecting, walking
from futamura.frontend.items import certainly_changed, changed_by_functions
from futamura.frontend.memos import Memo, lazy_attributes, memo_tables
from futamura.frontend.passing import Callee, Elsewhere, Parameters, asks_by_name, shows_variables
from futamura.frontend.sharing import changed_parts, changing_objects, is_container, name_of_change
from futamura.frontend.sources import Changed
from futamura.frontend.tuples import with_methods, with_named_tuples
from futamura.ir.bytecode import instructions
from futamura.ir.classes import is_a
from futamura.ir.homes import namespace_of
from futamura.source import unwarned

__all__ = [
    "Contents", "Entries", "Writer", "changed_names", "changing", "contents_are_constant", "filled_around", "has_texts",
    "is_rebound", "lazy", "may_delete", "memo", "mentions", "object_contents", "registered", "results_are_constant",
    "writer",
]  # fmt: skip


class _Changes(NamedTuple):
    """What the functions of a module change."""

    names: Mapping[str, int]
    """Globals, and attributes with a dot, which functions do something else with than to read their contents, and the
    first line where one does."""
    certain: Changed
    with_registering: Changed
    """The same with what is filled by functions that are only called on import, and with what functions may change that
    objects are given: all of that is to be compared."""
    imported: frozenset[tuple[str, str]]
    """Module and name of what it imports by `from module import name`."""
    callees: Mapping[str, Callee]
    """What other modules may call, and what it leaves alone."""
    memos: Mapping[str, Memo]
    """Dicts in which functions keep what they have computed."""
    lazy: Mapping[tuple[str, str], Memo]
    """By class and name attributes of objects in which methods do so."""
    handed: frozenset[str]
    """Names of functions and methods that are called on import, or used otherwise than to call them."""
    texts: bool
    """Has it classes of texts, or of tuples?"""


_rebound: Final[dict[int, tuple[object, frozenset[str]]]] = {}
_mentioned: Final[dict[int, tuple[object, frozenset[str]]]] = {}
_deleted: Final[dict[int, tuple[object, frozenset[str] | None]]] = {}
"""None where a function may delete what it has no name for."""
_NAMESPACES: Final = frozenset({"globals", "vars", "__dict__", "exec", "eval", "delattr", "__delattr__"})
"""With these a function gets at globals of any name."""
_written: Final[dict[tuple[int, int], tuple[object, _Changes | None]]] = {}
_DEPTH: Final = 2
"""So deep is followed what is passed to functions of other modules, which pass it on."""
_MODULES: Final = 4
"""So many other modules are asked by one at the last depth, twice as many before."""
_LINES: Final = 4000
"""Longer modules are not."""
_WRAPPING: Final = (
    *(type(functools.lru_cache(len)), functools.cached_property),
    *(functools.partial, functools.partialmethod, functools.singledispatchmethod),
)
_PLAIN: Final = (
    *(int, float, complex, str, bytes, range, type(None)),
    *(type, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType),
)


def is_rebound(namespace: Mapping[str, object], name: str) -> bool:
    """Does a function of the module assign or delete this global?"""
    key = id(namespace)
    found = _rebound.get(key)
    if found is None or found[0] is not namespace:
        names = frozenset(stored for code in _codes(namespace) for stored in _stores(code))
        found = _rebound[key] = (namespace, names)
    return name in found[1]


def may_delete(namespace: Mapping[str, object], name: str) -> bool:
    """May a function of the module delete this global, or an attribute of this name, as far as its text says?"""
    key = id(namespace)
    found = _deleted.get(key)
    if found is None or found[0] is not namespace:
        codes = [*_codes(namespace)]
        names = frozenset(gone for code in codes for gone in _deletions(code))
        openly = _NAMESPACES.isdisjoint(used for code in codes for used in code.co_names)
        found = _deleted[key] = (namespace, names if openly else None)
    return found[1] is None or name in found[1]


def mentions(namespace: Mapping[str, object], name: str) -> bool:
    """Does a function of the module use this name, of a global or an attribute?"""
    key = id(namespace)
    found = _mentioned.get(key)
    if found is None or found[0] is not namespace:
        names = frozenset(used for code in _codes(namespace) for used in code.co_names)
        found = _mentioned[key] = (namespace, names)
    return name in found[1]


def _has_code(value: object) -> TypeGuard[Any]:
    """Is this a class, a function or a wrapper of one?  No other object is asked for its module: it may have a say."""
    return is_a(value, (type, types.FunctionType, staticmethod, classmethod)) or type(value) in _WRAPPING


def _codes(namespace: Mapping[str, object]) -> Iterator[types.CodeType]:
    """The code of every function that the module defines."""
    work = [value for value in namespace.values() if _has_code(value) and value.__module__ == namespace.get("__name__")]
    seen: set[int] = set()
    while work:
        value = work.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_a(value, type):
            work.extend(value.__dict__.values())
        elif is_a(value, (staticmethod, classmethod)):
            work.append(value.__func__)
        elif is_a(value, property):
            work.extend(part for part in (value.fget, value.fset, value.fdel) if part is not None)
        elif is_a(value, types.FunctionType):
            work.append(value.__code__)
            work.append(value.__dict__.get("__wrapped__"))
            work.extend(value.__closure__ or ())
        elif is_a(value, types.CellType):
            work.extend(gc.get_referents(value))  # nothing if it is empty
        elif type(value) in _WRAPPING:
            parts = [*gc.get_referents(value), *value.__dict__.values()]
            work.extend(part for part in parts if is_a(part, types.FunctionType))
        elif is_a(value, types.CodeType):
            yield value
            work.extend(value.co_consts)


def _stores(code: types.CodeType) -> Iterator[str]:
    for instruction in instructions(code):
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            yield str(instruction.argval)


def _deletions(code: types.CodeType) -> Iterator[str]:
    for instruction in instructions(code):
        if instruction.opname in ("DELETE_GLOBAL", "DELETE_ATTR", "DELETE_NAME"):
            yield str(instruction.argval)


def contents_are_constant(
    namespace: Mapping[str, object], name: str, container: object, *, whole: bool = True
) -> bool:
    """Does the module only read the container that this global (or this attribute of a class, `.name`) holds, and, of
    the `whole` of it, what is in that?  Whether it is changed under another name `changing` tells."""
    known = _changes(namespace)
    if known is None or name in known.names:
        return False
    if not whole:
        return True
    if name not in known.certain.items and name not in known.certain.by_methods:
        return True
    return all(map(_is_plain, gc.get_referents(container))) or not changed_parts(name, container, known.certain)


class Entries(NamedTuple):
    """What functions do with the entries of a dict in which some keep what they have computed."""

    changed: bool
    """Do they change an entry, or hand it on?"""
    inside: bool
    """Do they so with what is in an entry?"""
    texts: bool
    """Has the module classes of texts, or of tuples?"""


def has_texts(namespace: Mapping[str, object]) -> bool:
    """Has the module classes of texts, or of tuples, whose objects are equal to plain ones?"""
    known = _changes(namespace)
    return known is None or known.texts


def memo(namespace: Mapping[str, object], name: str) -> Entries | None:
    """What functions do with the entries of this global, if it is a dict in which some keep what they have computed."""
    known = _changes(namespace)
    found = None if known is None else known.memos.get(name)
    return None if known is None or found is None else _entries(known, name, found)


def lazy(cls: type, name: str) -> Entries | None:
    """The same for an attribute of instances of a class, if that is None until methods of the class first need it, and
    no module of a class above or below mentions it."""
    homes = [(base, namespace_of(base)) for base in cls.__mro__[:-1]]
    for base, home in homes:
        known = _changes(home) if home is not None and home.get(base.__name__) is base else None
        found = None if known is None else known.lazy.get((base.__name__, name))
        if known is not None and found is not None:
            others = [one for _, one in homes if one is not None and one is not home]
            return None if any(mentions(one, name) for one in others) else _entries(known, "." + name, found)
    return None


def _entries(known: _Changes, name: str, found: Memo) -> Entries:
    changed = known.with_registering
    named = {one.rpartition(".")[2] for one in found.functions}
    kept = not named.isdisjoint(known.handed)
    inside = kept or not changed.results.isdisjoint(found.functions)
    inside = inside or name in changed.items or name in changed.by_methods
    whole = kept or not found.only_given or not changed.whole_results.isdisjoint(found.functions)
    return Entries(inside and whole and not found.only_read, inside, known.texts)


def results_are_constant(function: types.FunctionType, whole: bool = False) -> bool:
    """Does the module of this function only read what it gives, and hand it to nobody?  If only the `whole` is asked
    for, what is in it may be handed on."""
    known = _changes(function.__globals__)
    name = ".".join(function.__qualname__.rpartition("<locals>.")[2].split(".")[-2:])
    if known is None or name.rpartition(".")[2] in known.handed:
        return False
    found = known.with_registering
    return name not in (found.whole_results if whole else found.results)


class Contents(NamedTuple):
    """Do functions change what an attribute of objects holds?"""

    line: int
    """Where one does, for the first time; 0 if none does."""
    itself: bool
    """Do functions change it under another name?"""
    name: str
    changed: Changed

    def inside(self, held: object) -> bool:
        """Do functions change it, or what is in it, if it is what the attribute holds now?"""
        if self.itself or not self.changed.has("", self.name):
            return self.itself
        return bool(changed_parts("." + self.name, held, self.changed))


def object_contents(owner: Mapping[str, object], user: Mapping[str, object], name: str) -> Contents | None:
    """What the module of a class, and the one that has an object of it as a global, do to what the attribute `name` of
    such objects holds, but for the constructors; None if that is not known."""
    key = id(owner), id(user)
    found = _of_objects.get(key)
    if found is None or found[0] is not owner or found[1] is not user:
        found = _of_objects[key] = (owner, user, _changed_on_objects(owner, user))
    if found[2] is None:
        return None
    lines, changed = found[2]
    return Contents(lines.get("." + name, 0), "." + name in changed.itself, name, changed)


_Found = tuple[Mapping[str, int], Changed]
_of_objects: Final[dict[tuple[int, int], tuple[object, object, _Found | None]]] = {}


def _changed_on_objects(owner: Mapping[str, object], user: Mapping[str, object]) -> _Found | None:
    """What functions that may be called at any time do something else with than to read it, and what they change."""
    tree, other = _tree(owner), _tree(user)
    if tree is None or other is None or _reaches_itself(tree, str(owner.get("__name__"))):
        return None
    registering = registering_functions(tree, () if owner is user else (other,))
    harmless, parameters = _parameters(tree, owner, _elsewhere(_DEPTH))
    names = _not_only_read(tree, harmless | parameters.left_alone(), registering, on_own_objects(tree))
    return names, changed_by_functions(tree, registering, parameters.outside()).certain


def _tree(namespace: Mapping[str, object]) -> ast.Module | None:
    """The source of a module."""
    lines = _lines(namespace)
    try:
        with unwarned():
            return with_named_tuples(with_methods(ast.parse("".join(lines)))) if lines else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _lines(namespace: Mapping[str, object]) -> list[str]:
    file = namespace.get("__file__")
    return linecache.getlines(file) if isinstance(file, str) else []


class Writer(NamedTuple):
    """Where a function may change what a name stands for."""

    file: str
    line: int
    """0 if it is not known which."""
    function: str
    """What the function is called, `function` or `Cls.method`; "" if it is none."""
    name: str
    """The name that what is changed has there; "" if it is the one that was asked for."""


def writer(namespace: Mapping[str, object], name: str, value: object) -> Writer | None:
    """The first function that may change what this name stands for, or what it has under another name, or which makes
    that nothing is known of this module; None if none does."""
    known, tree = _changes(namespace), _tree(namespace)
    if tree is None:
        return Writer("", 0, "", "")
    if known is None:
        return _writer(namespace, tree, _reaches_itself(tree, str(namespace.get("__name__"))))
    line = known.names.get(name, 0) or known.certain.line(name)
    if line or not contents_are_constant(namespace, name, value):
        return _writer(namespace, tree, line)
    for one, other in _together(namespace):
        shared = name_of_change(one, other.certain, value)
        text = _tree(one) if shared else None
        if text is not None:
            return _writer(one, text, other.names.get(shared, 0) or other.certain.line(shared), shared)
    return None


def _writer(namespace: Mapping[str, object], tree: ast.Module, line: int, name: str = "") -> Writer:
    """What stands in this line."""
    names = names_of_functions(tree)
    around = [
        node
        for node in every(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= line <= (node.end_lineno or 0)
    ]
    inner = max(around, key=lambda node: node.lineno, default=None)
    function = "" if inner is None else names[id(inner)]
    return Writer(str(namespace.get("__file__", "")), line, function, name.removeprefix("."))


def changing(namespace: Mapping[str, object]) -> dict[int, object]:
    """By identity the objects of the module whose contents functions change under some name: its own functions, and
    those of the modules that it imports containers from."""
    found: dict[int, object] = {}
    for one, known in _together(namespace):
        found.update(changing_objects(one, known.certain))
    return found


def registered(namespace: Mapping[str, object]) -> dict[int, object]:
    """Those as well that are filled on import, by decorators and the like, and may get more; and those that functions
    get which objects keep."""
    found: dict[int, object] = {}
    for one, known in _together(namespace):
        if known.with_registering != known.certain:
            found.update(changing_objects(one, known.with_registering))
    return found


def filled_around(function: types.FunctionType) -> dict[int, object]:
    """What is known of this module only because the functions that fill it are called on import alone, if this function
    calls such a function: where it runs later, they do."""
    namespace = function.__globals__
    starts = _starting(namespace)
    if (function.__code__.co_firstlineno, function.__code__.co_name) not in starts:
        return {}  # most functions: nothing has to be known of the rest of the module
    key = id(namespace)
    found = _helped.get(key)
    if found is None or found[0] is not namespace:
        found = _helped[key] = (namespace, _filled_by_helpers(namespace))
    return found[1]


def _starting(namespace: Mapping[str, object]) -> frozenset[tuple[int, str]]:
    """Line and name of the functions that call functions which fill something on import."""
    key = id(namespace)
    found = _starts.get(key)
    if found is None or found[0] is not namespace:
        tree = _tree(namespace)
        calling = () if tree is None else directly_registering(tree)[1]
        found = _starts[key] = (namespace, frozenset(map(_start_of, calling)))
    return found[1]


def _filled_by_helpers(namespace: Mapping[str, object]) -> dict[int, object]:
    """What these fill, which is not known to be filled without them."""
    known, tree = _changes(namespace), _tree(namespace)
    if known is None or tree is None or known.certain == known.with_registering:
        return {}
    direct, _ = directly_registering(tree)
    _, parameters = _parameters(tree, namespace, _elsewhere(_DEPTH))
    changed = certainly_changed(tree, direct, parameters.outside(), parameters.doubtful())
    before = changing_objects(namespace, known.certain)
    filled = changing_objects(namespace, changed).items()
    return {key: value for key, value in filled if key not in before}


def _start_of(node: ast.AST) -> tuple[int, str]:
    """The line that the code of a function begins with, and its name."""
    if isinstance(node, ast.FunctionDef):
        return min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.name
    return node.lineno, "<lambda>"  # type: ignore[attr-defined]


_starts: Final[dict[int, tuple[object, frozenset[tuple[int, str]]]]] = {}
_helped: Final[dict[int, tuple[object, dict[int, object]]]] = {}


def _together(namespace: Mapping[str, object]) -> Iterator[tuple[Mapping[str, object], _Changes]]:
    """The module, and those that it imports containers from."""
    work = [namespace]
    seen: set[int] = set()
    while work:
        one = work.pop()
        known = _changes(one)
        if known is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one, known
        for module, name in sorted(known.imported):
            other = sys.modules.get(module)
            if isinstance(other, types.ModuleType) and (name == "*" or is_container(other.__dict__.get(name))):
                work.append(other.__dict__)


def _changes(namespace: Mapping[str, object], depth: int = _DEPTH) -> _Changes | None:
    """What the source of the module says, read once; None if it is not known.  Calls of other modules' functions are
    followed so deep."""
    key = id(namespace), depth
    found = _written.get(key)
    if found is None or found[0] is not namespace:
        found = _written[key] = (namespace, _changed(namespace, depth))
    return found[1]


def _elsewhere(depth: int) -> Elsewhere:
    """What may be called by the names of other modules: so many are asked, in the order of the text."""
    asked: dict[int, Mapping[str, Callee]] = {}

    def callees(namespace: Mapping[str, object]) -> Mapping[str, Callee]:
        if depth > 0 and id(namespace) not in asked and len(asked) < _MODULES * depth:
            known = _changes(namespace, depth - 1) if len(_lines(namespace)) < _LINES else None
            asked[id(namespace)] = {} if known is None else known.callees
        return asked.get(id(namespace), {})

    return callees


def _is_plain(value: object) -> bool:
    """Has the value nothing in it that could be changed?"""
    if type(value) in (tuple, frozenset):
        return all(map(_is_plain, gc.get_referents(value)))
    return type(value) in _PLAIN or is_a(value, type)


def _changed(namespace: Mapping[str, object], depth: int) -> _Changes | None:
    tree = _tree(namespace)
    if tree is None:
        return None
    if _reaches_itself(tree, str(namespace.get("__name__"))):
        return None
    registering = registering_functions(tree)
    harmless, parameters = _parameters(tree, namespace, _elsewhere(depth))
    changed = _not_only_read(tree, harmless | parameters.left_alone(), registering)
    imported = frozenset(_imported(tree, namespace.get("__package__")))
    found = changed_by_functions(tree, registering, parameters.outside(), parameters.doubtful())
    callees = parameters.callees(found.everything, found.possible)
    own = own_names(tree)
    memos, lazily = memo_tables(tree, own), lazy_attributes(tree, own)
    return _Changes(
        changed, found.certain, found.possible, imported, callees, memos, lazily,
        walking.handed_names(tree, registering), walking.has_classes_of_texts(tree),
    )  # fmt: skip


def changed_names(text: str, names: Iterable[str]) -> frozenset[str]:
    """Which of these free names of a text stand for containers that its functions do more with than to read them."""
    tree = ast.parse("".join(f"{name} = [[]]\n" for name in names) + text)
    changed = changed_by_functions(tree).possible
    harmless, parameters = _parameters(tree, {}, lambda _: {})
    used = _not_only_read(tree, harmless | parameters.left_alone())
    return frozenset(used).union(changed.itself, changed.items, changed.by_methods)


def _parameters(tree: ast.Module, namespace: Mapping[str, object], elsewhere: Elsewhere) -> tuple[set[int], Parameters]:
    """The nodes that are only read where they stand, and what functions do with what they are given."""
    harmless = stores_on_new_classes(tree)
    own = own_names(tree)
    for node in every(tree):
        harmless.update(id(part) for read in read_only(node, own) for part in parts(read))
    for node in every(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            harmless.update(_aliased(node, harmless))
    return harmless, Parameters(tree, harmless, namespace, elsewhere)


def _not_only_read(
    tree: ast.Module,
    harmless: Collection[int],
    without: Collection[ast.AST] = (),
    made: Collection[int] | None = None,
) -> dict[str, int]:
    """The names that functions do something else with than to read what they hold, with the first line of this.  If
    `made` is given, attributes are those of objects, but not these nodes, of objects that are being made."""
    named = {id(part) for node in every(tree) if asks_by_name(node) for part in ast.walk(node)}
    changed: dict[str, int] = {}
    left_out = set(map(id, without))
    for function in every(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) and id(function) not in left_out:
            for node in ast.walk(function):
                if isinstance(node, ast.Name) and id(node) not in harmless:
                    changed.setdefault(node.id, node.lineno)
                elif isinstance(node, ast.Attribute) and id(node) not in harmless:
                    if made is None or id(node) not in made:
                        changed.setdefault("." + node.attr, node.lineno)
                elif isinstance(node, ast.Constant) and type(node.value) is str and (made is None or id(node) in named):
                    changed.setdefault("." + node.value, node.lineno)
    return changed


def _reaches_itself(tree: ast.Module, name: str) -> int:
    """The line where the module gets at its globals by other ways than their names, or at variables by ways that are
    not followed; 0 if it does not."""
    if line := reflecting.hides_ways(tree):
        return line
    for node in every(tree):
        if isinstance(node, ast.Name) and node.id in ("exec", "eval", "globals"):
            return node.lineno
        if isinstance(node, ast.Attribute) and node.attr == "__globals__":
            return node.lineno
        if isinstance(node, ast.Import) and any(alias.name == name for alias in node.names):
            return node.lineno
        if isinstance(node, ast.ImportFrom) and not node.level and node.module == name:
            return node.lineno
    return 0


def _imported(tree: ast.Module, package: object) -> Iterator[tuple[str, str]]:
    for node in every(tree):
        if isinstance(node, ast.ImportFrom):
            parents = str(package).split(".")[: 1 - node.level or None] if node.level else []
            module = ".".join((*parents, *([node.module] if node.module else ())))
            yield from ((module, alias.name) for alias in node.names)


def _aliased(function: ast.FunctionDef | ast.AsyncFunctionDef, harmless: set[int]) -> set[int]:
    """The names whose values a function gives to a variable (`rules = rules or RULES`) that it only reads."""
    given: dict[str, list[ast.expr]] = {}
    spoiled: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            given.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            spoiled.update(node.names)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            spoiled.add(node.target.id)
        elif isinstance(node, ast.ClassDef):  # these are attributes
            spoiled.update(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
        elif shows_variables(node):
            return set()
    inside = {id(part): name for name, values in given.items() for value in values for part in parts(value)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in harmless:
            if inside.get(id(node)) != node.id:  # `rules = rules or RULES` itself
                spoiled.add(node.id)
    return {part for part, name in inside.items() if name not in spoiled}
