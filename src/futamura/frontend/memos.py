"""Dicts in which a function keeps what it has computed, as far as the text of their module says.

    _hints = {}
    def structure(cls, value):
        hints = _hints.get(cls)                            one function uses the dict, with one key,
        if hints is None:
            hints = _hints[cls] = get_type_hints(cls)      and fills it where the key is missing
        ...

What it does for a missing key reads nothing of the function but the key, leaves nothing but the entry, and goes on as
if that had been there.  So nobody sees whether it was, if the functions that are called there leave nothing behind
either, and an entry never changes, if they give the same each time: that is not looked at here.

The same for an attribute that is None until a method first needs it: `self._index is None` asks for the entry.

Invariant: no function of the module uses the dict, or the attribute, but those that fill it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeGuard

from futamura.analysis.reading import bound_by, parts, read_only
from futamura.analysis.trees import every

__all__ = ["Memo", "lazy_attributes", "memo_tables"]

_Function: TypeAlias = ast.FunctionDef
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_STRANGE: Final = (
    ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Import,
    ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Delete,
)  # fmt: skip
"""What does more than to compute something, or binds names in its own way."""


class _Missing(NamedTuple):
    """What is done where there is no entry."""

    body: Sequence[ast.stmt]
    held: str | None
    """The variable that has the entry behind it; None if the dict is asked again."""
    ends: bool
    """Does the function end there?  Else it goes on behind it."""
    places: Sequence[ast.AST]
    """The statements that ask whether there is one, and those behind them."""


class Memo(NamedTuple):
    """A dict in which functions keep what they have computed."""

    functions: tuple[str, ...]
    """Those that fill it (`f`, `Class.f`), all with the same."""
    only_read: bool
    """Do they only read the contents of its entries, each where it stands?"""
    only_given: bool
    """Do they so, or give the entry to their caller?"""


def memo_tables(tree: ast.Module, own: frozenset[str]) -> Mapping[str, Memo]:
    """The globals of the module that are such dicts; `own` are the names that its functions and methods may have."""
    bound = Counter(name for node in every(tree) for name in bound_by(node))
    names = frozenset(name for name in _empty_dicts(tree) if bound[name] == 1 and not bound["*"])
    users = _users(tree, names) if names else {}
    found: dict[str, Memo] = {}
    for name, places in users.items():
        memos = [None if place is None else _Memo(place[1], name) for place in places]
        fillings = {None if one is None else one.filling() for one in memos}
        if len(fillings) == 1 and None not in fillings:
            known = [one for one in memos if one is not None]
            functions = tuple(place[0] for place in places if place is not None)
            found[name] = Memo(functions, *_only(known, own))
    return found


def _only(memos: Sequence[_Memo], own: frozenset[str]) -> tuple[bool, bool]:
    """What `Memo` has as `only_read` and `only_given` for these functions."""
    only_read = all(one.only_reads(own, or_gives=False) for one in memos)
    return only_read, only_read or all(one.only_reads(own, or_gives=True) for one in memos)


def _empty_dicts(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and ast.unparse(node.value) in ("{}", "dict()"):
            yield targets[0].id


def _users(tree: ast.Module, names: frozenset[str]) -> dict[str, list[tuple[str, _Function] | None]]:
    """By name the functions, of the module or of a class of it, that use it; None for any other place."""
    found: dict[str, list[tuple[str, _Function] | None]] = {}
    own: dict[int, tuple[str, _Function]] = {}
    for node in tree.body:
        inside = [(f"{node.name}.", one) for one in node.body] if isinstance(node, ast.ClassDef) else [("", node)]
        for prefix, one in inside:
            if isinstance(one, ast.FunctionDef):
                own.update((id(part), (prefix + one.name, one)) for part in _of_its_own(one.body))
    for part in every(tree):
        used = part.names if isinstance(part, (ast.Global, ast.Nonlocal)) else [getattr(part, "attr", "")]
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            used = [part.id]
        for name in names.intersection(used):
            place = own.get(id(part)) if isinstance(part, ast.Name) else None
            if place not in found.setdefault(name, []):
                found[name].append(place)
    return found


def _of_its_own(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """The nodes of these statements, without those in functions and classes in them."""
    work: list[ast.AST] = [*body]
    while work:
        node = work.pop()
        yield node
        if not isinstance(node, _SCOPES):
            work.extend(ast.iter_child_nodes(node))


class _Memo:
    """A function, and the dict that it may keep its results in."""

    def __init__(self, function: _Function, name: str) -> None:
        self.function: Final = function
        self.name: Final = name
        self.nodes: Final = list(_of_its_own(function.body))
        self.parents: Final = {id(child): node for node in self.nodes for child in ast.iter_child_nodes(node)}
        self.parameters: Final = frozenset(one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg))
        self.bound: Final = Counter(name for node in self.nodes for name in bound_by(node))
        self.inside: frozenset[int] = frozenset()
        """The nodes of what is done where the key is missing."""
        self.held: str | None = None
        """The variable that has the entry behind that."""

    def filling(self) -> str | None:
        """What the function does where the key is missing, if it fills the dict there alone, with what comes out of the
        key alone: the same text for the same."""
        key = self._key()
        variables = None if key is None else self._parts(key)
        if key is None or variables is None or self.name in self.bound:
            return None
        found = [one for body in self._bodies(self.function.body) for one in self._missing(body)]
        if len(found) != 1:
            return None
        (missing,) = found
        inside = list(_of_its_own(missing.body))
        fills = self._fills(missing, ast.dump(key)) and self._is_computed(missing, inside, variables)
        if not fills or not self._is_asked_behind(missing, {id(node) for node in inside}):
            return None
        own = {name for node in inside for name in bound_by(node)}
        self.inside, self.held = frozenset(map(id, inside)), missing.held
        body = missing.body[:-1] if missing.ends else missing.body
        return _renamed([ast.Expr(self._whole(key)), *body], variables | own)

    def only_reads(self, own: frozenset[str], *, or_gives: bool) -> bool:
        """Is an entry only read where it stands, by its variable or out of the dict, or given to the caller?"""
        harmless = {id(part) for node in self.nodes for read in read_only(node, own) for part in parts(read)}
        harmless.update(id(node.value) for node in self.nodes if self._holds(node))
        if or_gives:
            harmless.update(id(node.value) for node in self.nodes if isinstance(node, ast.Return))
        return all(
            id(node) in harmless or id(node) in self.inside
            for node in self.nodes
            if (isinstance(node, ast.Name) and node.id == self.held and isinstance(node.ctx, ast.Load))
            or (self._is_entry(node, None) and isinstance(node.ctx, ast.Load))  # type: ignore[attr-defined]
            or (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and self._is_named(node.func.value))
        )

    def _holds(self, node: ast.AST) -> TypeGuard[ast.Assign | ast.NamedExpr]:
        """Does this only give the entry its variable?"""
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        plain = isinstance(node, (ast.Assign, ast.NamedExpr)) and len(targets) == 1
        return plain and isinstance(targets[0], ast.Name) and targets[0].id == self.held

    def _is_named(self, node: ast.AST) -> bool:
        """Is this the dict, or the attribute?"""
        return isinstance(node, ast.Name) and node.id == self.name

    def _key(self) -> ast.expr | None:
        """The one key with which the dict is asked, and filled."""
        keys = [
            self._key_at(node) for node in self.nodes
            if isinstance(node, ast.Name) and node.id == self.name and isinstance(node.ctx, ast.Load)
        ]  # fmt: skip
        return keys[0] if keys and None not in keys and len({ast.dump(key) for key in keys if key}) == 1 else None

    def _key_at(self, node: ast.Name) -> ast.expr | None:
        parent = self.parents.get(id(node))
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return parent.slice if isinstance(parent.ctx, (ast.Load, ast.Store)) else None
        if isinstance(parent, ast.Compare) and len(parent.ops) == 1 and parent.comparators[0] is node:
            return parent.left if isinstance(parent.ops[0], (ast.In, ast.NotIn)) else None
        call = self.parents.get(id(parent)) if isinstance(parent, ast.Attribute) and parent.attr == "get" else None
        if isinstance(call, ast.Call) and call.func is parent and not call.keywords:
            if len(call.args) == 1 or (len(call.args) == 2 and _is_none(call.args[1])):
                return call.args[0]
        return None

    def _parts(self, key: ast.expr) -> frozenset[str] | None:
        """The variables that the key is made of, as they are; None if it is computed, or they change."""
        items = key.elts if isinstance(key, ast.Tuple) else [key]
        names = [item.id for item in items if isinstance(item, ast.Name)]
        if len(names) < len(items):
            return None
        found = set(names)
        for name in names:
            if name in self.parameters:
                continue
            made = [node for node in self.function.body if isinstance(node, ast.Assign) and name in _bound(node)]
            if self.bound[name] != 1 or len(made) != 1 or len(made[0].targets) != 1:
                return None
            value = made[0].value
            inside = value.elts if isinstance(value, ast.Tuple) else [value]
            if not all(isinstance(one, ast.Name) for one in inside):
                return None
            found.update(one.id for one in inside if isinstance(one, ast.Name))
        changed = [name for name in found if self.bound[name] != (name not in self.parameters)]
        return frozenset(found) if not changed else None

    def _whole(self, key: ast.expr) -> ast.expr:
        """The key, with what its variables are made of."""
        made = {
            name: node.value for node in self.function.body if isinstance(node, ast.Assign) for name in _bound(node)
        }
        items = key.elts if isinstance(key, ast.Tuple) else [key]
        parts = [made.get(item.id, item) if isinstance(item, ast.Name) else item for item in items]
        return ast.Tuple(parts, ast.Load()) if isinstance(key, ast.Tuple) else parts[0]

    # -- where there is no entry

    def _bodies(self, body: Sequence[ast.stmt]) -> Iterator[Sequence[ast.stmt]]:
        """These statements, and those in them, but for what loops do again."""
        yield body
        for one in body:
            if isinstance(one, (ast.If, ast.Try, ast.With)):
                for inner in (one.body, getattr(one, "orelse", []), getattr(one, "finalbody", [])):
                    yield from self._bodies(inner) if inner else ()

    def _missing(self, body: Sequence[ast.stmt]) -> Iterator[_Missing]:
        """The places among these statements where it is asked whether there is an entry."""
        for at, one in enumerate(body):
            rest = body[at + 1 :]
            if isinstance(one, ast.If):
                yield from self._at_test(one, body[at - 1] if at else None, rest)
            elif isinstance(one, ast.Try) and not one.orelse and not one.finalbody and len(one.handlers) == 1:
                yield from self._at_try(one, rest)

    def _at_test(self, one: ast.If, before: ast.stmt | None, rest: Sequence[ast.stmt]) -> Iterator[_Missing]:
        asked = self._asked(one.test, before)
        if asked is None:
            return
        held, there = asked
        places = [one, *rest, *([before] if before is not None and held is not None else [])]
        if not there:  # if v is None: ...      if k not in T: ...
            if not one.orelse:
                yield _Missing(one.body, held, False, places)
            return
        only = one.body[0] if len(one.body) == 1 else None
        if isinstance(only, ast.Return) and self._is_entry(only.value, held):
            if not (one.orelse and rest):
                yield _Missing(one.orelse or rest, held, True, places)
        elif isinstance(only, ast.Assign) and held is None and len(only.targets) == 1 and one.orelse:
            target = only.targets[0]
            if isinstance(target, ast.Name) and self._is_entry(only.value, None):
                yield _Missing(one.orelse, target.id, False, places)

    def _asked(self, test: ast.expr, before: ast.stmt | None) -> tuple[str | None, bool] | None:
        """The variable that has the entry, or None in its place, if that is compared; is the answer that it is there?
        None if something else is asked."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return None
        op, left, right = test.ops[0], test.left, test.comparators[0]
        if isinstance(op, (ast.In, ast.NotIn)):
            return (None, isinstance(op, ast.In)) if isinstance(right, ast.Name) and right.id == self.name else None
        if not isinstance(op, (ast.Is, ast.IsNot)) or not _is_none(right):
            return None
        got: ast.expr | None = None
        if isinstance(left, ast.NamedExpr):
            got, held = left.value, left.target.id
        elif isinstance(left, ast.Name) and isinstance(before, ast.Assign) and len(before.targets) == 1:
            named = before.targets[0]
            held = left.id
            got = before.value if isinstance(named, ast.Name) and named.id == held else None
        if not isinstance(got, ast.Call) or not isinstance(got.func, ast.Attribute):
            return None
        owner = got.func.value
        return (held, isinstance(op, ast.IsNot)) if isinstance(owner, ast.Name) and owner.id == self.name else None

    def _at_try(self, one: ast.Try, rest: Sequence[ast.stmt]) -> Iterator[_Missing]:
        only, handler = one.body[0] if len(one.body) == 1 else None, one.handlers[0]
        caught = handler.type
        if handler.name is not None or not isinstance(caught, ast.Name) or caught.id != "KeyError":
            return
        if isinstance(only, ast.Return) and self._is_entry(only.value, None):
            passes = all(isinstance(inner, ast.Pass) for inner in handler.body)
            yield _Missing(rest if passes else handler.body, None, True, [one, *rest])
        elif isinstance(only, ast.Assign) and len(only.targets) == 1 and isinstance(only.targets[0], ast.Name):
            if self._is_entry(only.value, None):
                yield _Missing(handler.body, only.targets[0].id, False, [one, *rest])

    def _is_entry(self, node: ast.AST | None, held: str | None) -> bool:
        """Is this `T[k]`, or the variable that has it?"""
        if isinstance(node, ast.Name):
            return node.id == held
        return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == self.name

    # -- what is done there

    def _fills(self, missing: _Missing, key: str) -> bool:
        """Is the dict filled once, there, and is what follows told the same as if the entry had been there?"""
        stores = [node for node in self.nodes if self._is_entry(node, None) and isinstance(node.ctx, ast.Store)]  # type: ignore[attr-defined]
        if len(stores) != 1:
            return False
        store = self.parents.get(id(stores[0]))
        body = next((one for one in self._bodies(missing.body) if any(inner is store for inner in one)), None)
        if body is None or not isinstance(store, ast.Assign) or not any(stores[0] is one for one in store.targets):
            return False
        names = {one.id for one in store.targets if isinstance(one, ast.Name)}
        if isinstance(store.value, ast.Name):
            names.add(store.value.id)
        if len(names) + sum(not isinstance(one, ast.Name) for one in store.targets) < len(store.targets):
            return False
        place = next(at for at, one in enumerate(body) if one is store)
        rest = body[place + 1 :]
        returned = rest[0] if len(rest) == 1 else None
        if missing.ends:
            if not isinstance(returned, ast.Return) or returned.value is None:
                return False
            value = returned.value
            return value.id in names if isinstance(value, ast.Name) else self._is_entry(value, None)
        return body is missing.body and not rest and (missing.held is None or missing.held in names)

    def _is_computed(self, missing: _Missing, inside: Sequence[ast.AST], key: frozenset[str]) -> bool:
        """Is nothing of the function read there but the key, and nothing left but the entry?"""
        if any(isinstance(node, _STRANGE) for node in inside):
            return False
        if not missing.ends and any(isinstance(node, (ast.Return, ast.Break, ast.Continue)) for node in inside):
            return False
        own = {name for node in inside for name in bound_by(node)}
        if own & (key | self.parameters):
            return False
        within = {id(node) for node in inside}
        names = {
            one.id for node in inside for one in (ast.walk(node) if isinstance(node, ast.Lambda) else [node])
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
        }  # fmt: skip
        outer = {name for name in names - own - key - {self.name} if name in self.parameters or self.bound[name]}
        stored = {
            _base(node) for node in inside
            if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)
            and not self._is_entry(node, None)
        }  # fmt: skip
        if outer or not stored <= own:
            return False
        left = own - {missing.held}
        outside = [
            one
            for node in self.nodes if id(node) not in within
            for one in (ast.walk(node) if isinstance(node, _SCOPES) else [node])
        ]  # fmt: skip
        return not any(
            isinstance(one, ast.Name) and one.id in left and one.id not in self._own_of(one) for one in outside
        )

    def _own_of(self, node: ast.Name) -> set[str]:
        """The variables of the comprehensions that it stands in."""
        found: set[str] = set()
        around = self.parents.get(id(node))
        while around is not None:
            found.update(
                *(bound_by(part) for one in getattr(around, "generators", []) for part in ast.walk(one.target))
            )
            around = self.parents.get(id(around))
        return found

    def _is_asked_behind(self, missing: _Missing, inside: set[int]) -> bool:
        """Is the dict used behind the test alone, where the entry is there?"""
        behind = {id(node) for node in _of_its_own(missing.places)}
        return all(id(node) in behind or id(node) in inside for node in self.nodes if self._is_named(node))


class _Lazy(_Memo):
    """A method, and the attribute that it may fill when it first needs it: its own object is the key."""

    def __init__(self, function: _Function, name: str) -> None:
        super().__init__(function, name)
        self.receiver: Final = next((one.arg for one in (*function.args.posonlyargs, *function.args.args)), "")

    def _key(self) -> ast.expr | None:
        named = [node for node in self.nodes if self._is_named(node)]
        own = all(isinstance(node.value, ast.Name) and node.value.id == self.receiver for node in named)  # type: ignore[attr-defined]
        return ast.Name(self.receiver, ast.Load()) if named and own and self.receiver else None

    def _is_named(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Attribute) and node.attr == self.name

    def _is_entry(self, node: ast.AST | None, held: str | None) -> bool:
        if isinstance(node, ast.Name):
            return node.id == held
        return node is not None and self._is_named(node)

    def _asked(self, test: ast.expr, before: ast.stmt | None) -> tuple[str | None, bool] | None:
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not _is_none(test.comparators[0]):
            return None
        there, left = isinstance(test.ops[0], ast.IsNot), test.left
        if not there and not isinstance(test.ops[0], ast.Is):
            return None
        if self._is_named(left):
            return None, there
        if isinstance(left, ast.NamedExpr):
            return (left.target.id, there) if self._is_named(left.value) else None
        if not isinstance(left, ast.Name) or not isinstance(before, ast.Assign) or len(before.targets) != 1:
            return None
        named = isinstance(before.targets[0], ast.Name) and before.targets[0].id == left.id
        return (left.id, there) if named and self._is_named(before.value) else None

    def _at_try(self, one: ast.Try, rest: Sequence[ast.stmt]) -> Iterator[_Missing]:
        yield from ()


def lazy_attributes(tree: ast.Module, own: frozenset[str]) -> Mapping[tuple[str, str], Memo]:
    """By class and name the attributes that are None until methods of the class first need them, and nobody else uses;
    `own` are the names that functions and methods of the module may have."""
    found: dict[tuple[str, str], Memo] = {}
    texts = {node.value for node in every(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    uses = Counter(node.attr for node in every(tree) if isinstance(node, ast.Attribute))
    for cls in tree.body:
        if not isinstance(cls, ast.ClassDef) or cls.decorator_list:
            continue
        methods = [one for one in cls.body if isinstance(one, ast.FunctionDef)]
        empty = _empty_attributes(methods)
        for name in dict.fromkeys(empty):
            memos = [_Lazy(one, name) for one in methods if one.name != "__init__"]
            users = [one for one in memos if any(map(one._is_named, one.nodes))]
            counted = empty.count(name) + sum(sum(map(one._is_named, one.nodes)) for one in users)
            fillings = {one.filling() for one in users}
            if name not in texts and counted == uses[name] and len(fillings) == 1 and None not in fillings:
                functions = tuple(f"{cls.name}.{one.function.name}" for one in users)
                found[cls.name, name] = Memo(functions, *_only(users, own))
    return found


def _empty_attributes(methods: Sequence[_Function]) -> list[str]:
    """The attributes to which `__init__` gives None."""
    makers = [one for one in methods if one.name == "__init__" and one.args.args]
    return [
        target.attr
        for one in makers for node in one.body
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None and _is_none(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
        and target.value.id == one.args.args[0].arg
    ]  # fmt: skip


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _renamed(body: Sequence[ast.stmt], names: Collection[str]) -> str:
    """The text of these statements, with these variables named in the order in which they come."""
    numbers: dict[str, int] = {}
    nodes = [ast.parse(ast.unparse(one)).body[0] for one in body]
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and part.id in names:
                part.id = f"_{numbers.setdefault(part.id, len(numbers))}"
    return "\n".join(map(ast.unparse, nodes))


def _bound(node: ast.AST) -> set[str]:
    return {name for part in ast.walk(node) for name in bound_by(part)}


def _base(node: ast.expr) -> str | None:
    """The variable in which an item or an attribute of something is stored."""
    while isinstance(node, (ast.Subscript, ast.Attribute, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
