"""Objects that globals hold, and what may be believed of their attributes.

    ROUTER = Router(TABLE)              # app.py
    def handle(path):                                  ROUTER.rules is believed: only `__init__` stores it, by the texts
        return ROUTER.match(path)                      of the modules of its class and of the global.  Whether it still
                                                       is that object is tested whenever the residual is called.

What it holds, if that is a small list, dict or set, is known in the same way, and what hangs on that.

Invariant: whatever is believed is compared at entry, so there are bounds on how much that is.  What a function may
store later, by these texts, is read when the residual runs: it could be stored in the middle of the call.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from futamura.analysis.cfg import ControlFlow
from futamura.analysis.loops import loops
from futamura.analysis.storing import Store, only_on_import, owners, store_in, store_of
from futamura.errors import Because
from futamura.ir.graph import Program
from futamura.ir.homes import file_of, namespace_of
from futamura.ir.stamps import words_for
from futamura.specializer.assumption import Assumption, Filled
from futamura.specializer.module_texts import Changes
from futamura.specializer.purity import MISSING, class_lookup, is_data, is_plain_object, own_attribute
from futamura.specializer.unknown import Reason, changed_by, promise_for

__all__ = ["GlobalObjects"]


class _World(Protocol):
    """What is asked of the world of static objects."""

    @property
    def read(self) -> set[int]: ...
    @property
    def looked_at(self) -> Sequence[Mapping[str, object]]: ...
    def is_frozen(self, value: object) -> bool: ...
    def gave_up(self, value: object) -> bool: ...
    def contents(self, value: object) -> bool: ...
    def found(self, container: object, item: object) -> None: ...
    def lacks(self, value: object, name: str) -> bool: ...
    def assume(self, assumption: Assumption) -> Assumption: ...
    def look_at(self, namespace: Mapping[str, object]) -> None: ...
    def is_of_a_constant(self, value: object) -> bool: ...
    def freeze_filled(self, value: object) -> None: ...
    def home_of(self, value: object) -> Mapping[str, object] | None: ...
    def contents_on_objects(
        self, owner: Mapping[str, object], user: Mapping[str, object], name: str
    ) -> Changes | None: ...


_MOST_FIELDS: Final = 24
_MOST_STAMPED_FIELDS: Final = 120
"""So many attributes are compared at entry; if a stamp tells whether they have changed."""
_MOST_PARTS: Final = 96
_MOST_STAMPED_PARTS: Final = 240
"""So many items of lists, dicts and sets."""
_LONGEST: Final = 32
_LONGEST_STAMPED: Final = 64
"""No table of more items is compared."""
_WORDS: Final = 10
"""So many words of a stamp are compared as fast as an attribute, or an item."""
_WORTH: Final = 8
"""So many operations have to fold for each attribute and item that is compared."""
_WORTH_OF_LOOPS: Final = 2
"""So many if the residual has a loop, in which some of them would be executed again and again."""
_WORTH_OF_DESCRIPTORS: Final = 2
"""So many for each attribute of a descriptor: it would be read where the descriptor's code is entered, and comparing
takes as long as reading."""


class GlobalObjects:
    """The objects of the program that globals hold, and what hangs on them."""

    def __init__(self, world: _World) -> None:
        self._world: Final = world
        self._found: Final[dict[int, tuple[object, Mapping[str, object]]]] = {}
        """With the module of the global."""
        self._roots: Final[dict[int, str]] = {}
        """The globals that lead to them."""
        self._refused: Final[dict[int, tuple[object, Reason]]] = {}
        """Containers that attributes hold, and why what is in them is not believed."""
        self._tables: Final[dict[int, tuple[object, object, str]]] = {}
        """Containers that attributes of these objects hold, at any depth, with the object and the attribute."""
        self._fields: Final[set[tuple[int, str]]] = set()
        self._parts: Final[dict[int, int]] = {}
        self._stores: Final[dict[tuple[int, str, str | None], Store | None]] = {}
        self._entered: Final[set[tuple[str, int, str]]] = set()
        """Functions that are specialized: where they begin, and their names."""
        self._on_import: Final[set[tuple[str, int, str]]] = set()
        """Functions that only run while modules are imported, which may store something that is believed."""
        self.tested = self.tells_apart = True
        self._given_up = False

    def costs_too_much(self, folded: int, assumptions: Iterable[Assumption], program: Program) -> bool:
        """Would comparing what is believed of these objects cost more than what has folded?  Then it is not believed
        from now on."""
        fields = [one for one in assumptions if one.kind in ("field", "contents")]
        told = {id(one.holder): words for one in fields if (words := words_for(one.holder))}
        others = [one for one in fields if id(one.holder) not in told]
        cost = sum(len(one.value.kept) if isinstance(one.value, Filled) else 1 for one in others)
        cost += sum(told.values()) // _WORDS
        if not self.tested or self._given_up or not any(one.kind == "field" for one in fields):
            return False
        repeats = any(loops(ControlFlow(function)).forest for function in program.functions)
        described = sum(one.kind == "field" and _is_descriptor(one.holder) for one in others)
        worth = min(_WORTH, _WORTH_OF_LOOPS if repeats else _WORTH)
        self._given_up = folded < worth * (cost - described) + _WORTH_OF_DESCRIPTORS * described
        return self._given_up

    def add(self, value: object, namespace: Mapping[str, object], root: str = "") -> None:
        """`root` is the global of this module that leads to it, if that is known."""
        if id(value) not in self._found:
            self._found[id(value)] = (value, namespace)
            self._roots[id(value)] = root

    def compares(self, value: object) -> bool:
        """Is what is believed of this object compared at entry?"""
        if self._given_up or id(value) not in self._found:
            return False
        return not self._world.is_frozen(value) or self._world.is_of_a_constant(value)

    def believes(self, value: object, name: str, content: object) -> bool:
        """May this attribute of a static object be used now?  Remembers that it was."""
        world = self._world
        if self.compares(value):
            return self._believes_global(value, name, content)
        if not world.contents(value):
            return False
        if world.is_of_a_constant(value) and is_plain_object(value):
            if self._store(value, name) is not None:
                home = world.home_of(value)
                if home is None:
                    return False
                self.add(value, home)  # if only what runs on import stores it, it is compared
                return self._believes_global(value, name, content)
            owners = _homes_of(type(value)) or []
            for owner in owners:
                world.look_at(owner)
            user = owners[0] if owners else {}
            if type(content) in (list, dict, set) and not self._is_left_alone(owners, user, value, name):
                return True
        world.found(value, content)
        return True

    def is_bare(self, value: object, name: str) -> bool:
        """Has this static object, which has no such attribute that is believed, none for good?"""
        if not self._world.is_of_a_constant(value) or not is_plain_object(value):
            return True
        return own_attribute(value, name) is MISSING and self._store(value, name) is None

    def lacks(self, value: object, name: str) -> bool:
        """Has this object no attribute of its own that hides what its class has?  Remembers that this was asked."""
        if not self.compares(value) or self._world.gave_up(value) or self._store(value, name) is not None:
            return False
        if not self._takes_field(value, name):
            return False
        self._world.read.add(id(value))
        return self._world.lacks(value, name)

    def _believes_global(self, value: object, name: str, content: object) -> bool:
        world = self._world
        if world.gave_up(value) or self._store(value, name) is not None or not self._takes_field(value, name):
            return False
        self._take(content, value, name, inside=False)
        world.read.add(id(value))
        world.assume(Assumption("field", f"{type(value).__qualname__}.{name}", value, name, content))
        return True

    def _takes_field(self, value: object, name: str) -> bool:
        most = _MOST_STAMPED_FIELDS if words_for(value) else _MOST_FIELDS
        if (id(value), name) not in self._fields and len(self._fields) < most:
            self._fields.add((id(value), name))
        return (id(value), name) in self._fields

    def found(self, container: object, item: object) -> bool:
        """`item` was read from `container`: does that belong to one of these objects?"""
        held = None if self._given_up else self._tables.get(id(container))
        if held is not None:
            self._take(item, *held[1:], inside=True)
        return held is not None

    def _take(self, content: object, value: object, name: str, *, inside: bool) -> None:
        """`content` is what the attribute of one of these objects holds, or `inside` of that."""
        if is_plain_object(content):
            self.add(content, self._found[id(value)][1], self._roots[id(value)])
        elif type(content) is tuple:
            self._tables.setdefault(id(content), (content, value, name))
        elif type(content) in (list, dict, set) and self._takes_table(content, value, name, inside=inside):
            self._tables.setdefault(id(content), (content, value, name))
            self._world.freeze_filled(content)

    def _takes_table(self, content: object, value: object, name: str, *, inside: bool) -> bool:
        """May this container be compared at entry, and do the texts leave it alone?"""
        assert isinstance(content, (list, dict, set))
        if id(content) not in self._parts:
            count = len(content)
            longest, most = (_LONGEST, _MOST_PARTS)
            if words_for(content):
                longest, most = (_LONGEST_STAMPED, _MOST_STAMPED_PARTS)
            if count > longest or sum(self._parts.values()) + count > most:
                self._refuse(content, value, name, f"{longest} items at most, {most} in all, are compared")
                return False
            namespace = self._found[id(value)][1]
            homes = _homes_of(type(value))
            owners = [] if homes is None else [*homes, namespace]
            if not self._is_left_alone(owners, namespace, value, name, inside=inside):
                self._refuse(content, value, name, "functions of its module may change what it holds")
                return False
            for owner in owners:
                self._world.look_at(owner)
            self._parts[id(content)] = count
        return True

    def _refuse(self, content: object, value: object, name: str, why: str) -> None:
        """This container, which the attribute leads to, is read when the residual runs."""
        text = f"what `{type(value).__qualname__}.{name}` holds is read when the residual runs: {why}"
        self._refused.setdefault(id(content), (content, Reason(text, self._promise(value))))

    def _promise(self, value: object) -> tuple[Because, ...]:
        """What the user can say of the global that leads to this object."""
        root = self._roots.get(id(value), "")
        return (promise_for(root),) if root else ()

    def why_contents(self, value: object) -> Reason | None:
        """Why what is in this container is not believed, if an attribute of a global object holds it."""
        found = self._refused.get(id(value))
        return None if found is None or self._world.gave_up(value) else found[1]

    def _is_left_alone(
        self,
        owners: Sequence[Mapping[str, object]],
        user: Mapping[str, object],
        value: object,
        name: str,
        *,
        inside: bool = True,
    ) -> bool:
        """Do the texts of these modules only read what this attribute holds, and what is `inside` of it?"""
        found = [self._world.contents_on_objects(owner, user, name) for owner in owners]
        held = own_attribute(value, name)
        return bool(owners) and not any(
            one is None or one.line or (one.inside(held) if inside else one.itself) for one in found
        )

    def _store(self, value: object, name: str, *, compared: bool = False) -> Store | None:
        """Where an attribute of such an object may be stored after it was made, by the texts of its modules; if it is
        compared, but for the functions that only run on import."""
        users = [user.get("__file__") for user in self._world.looked_at]
        if id(value) not in self._found:
            return self._stored(value, name, users, None)
        user = self._found[id(value)][1].get("__file__")
        users = [user, *(one for one in users if one != user)]
        found = self._stored(value, name, users, None)
        if found is None or not (compared or self.compares(value)) or type(user) is not str:
            return found
        later = self._stored(value, name, users, user)
        if later is None:
            files = {user, *(file for base in type(value).__mro__ if (file := file_of(base)) is not None)}
            left_out = frozenset[tuple[str, int, str]]().union(*(only_on_import(file, [user]) for file in files))
            if not left_out.isdisjoint(self._entered):
                return found
            self._on_import.update(left_out)
        return later

    def _stored(self, value: object, name: str, users: Sequence[object], later: str | None) -> Store | None:
        """A store in the texts of the class and in these; `later` than the text is imported, if one is given."""
        cls = type(value)
        used = None if later is None else [later]
        if (id(cls), name, later) not in self._stores:
            self._stores[id(cls), name, later] = store_of(cls, name, used)
        found = self._stores[id(cls), name, later]
        if found is not None:
            return found
        of = owners(cls)
        stores = [store_in(user, name, of, used) if type(user) is str else Store("", 0, False) for user in users]
        return next((one for one in stores if one is not None), None)

    def enters(self, code: types.CodeType) -> bool:
        """This function is specialized.  True if it was believed that it only runs on import."""
        place = code.co_filename, code.co_firstlineno, code.co_name
        self._entered.add(place)
        return place in self._on_import

    def why_not(self, value: object, name: str) -> Reason | None:
        """Why an attribute of a global object, or of one that a constant holds, is not believed."""
        known = id(value) in self._found or (self._world.is_of_a_constant(value) and is_plain_object(value))
        if not known or self._world.gave_up(value):
            return None
        compared = id(value) in self._found
        found = self._store(value, name, compared=compared)
        what = f"`{type(value).__qualname__}.{name}` is read when the residual runs"
        promise = self._promise(value)
        if found is None:
            if compared and self._given_up:
                return Reason(f"{what}: to compare it at each call would take longer", promise)
            if compared and (id(value), name) not in self._fields:
                many = len(self._fields)
                return Reason(f"{what}: {many} attributes of objects are compared at each call already", promise)
            return None
        if not found.line:
            return Reason(f"{what}: the text of its module is not known", promise)
        text = f"{what}: line {found.line} of {os.path.basename(found.file)} may store it"
        by = changed_by("store it" if found.named else _ANY_NAME, *found[:2], found.function)
        return Reason(text, (*by, *promise))


_ANY_NAME: Final = (
    "store any attribute: write the names out, or store them in `__init__`, on an object that the function makes, or "
    "in a function that is only called at module level"
)


def _is_descriptor(value: object) -> bool:
    return class_lookup(type(value), "__get__") is not MISSING or is_data(value)


def _homes_of(cls: type) -> list[Mapping[str, object]] | None:
    """The globals of the modules of a class and of those that it inherits from, but for those of the standard library;
    None if some are not known."""
    found: dict[int, Mapping[str, object]] = {}
    for base in cls.__mro__:
        module = base.__dict__.get("__module__")  # builtin classes have none
        if type(module) is str and module.partition(".")[0] not in sys.stdlib_module_names:
            home = namespace_of(base)
            if home is None:
                return None
            found[id(home)] = home
    return list(found.values())
