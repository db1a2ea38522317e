"""What the specializer may believe about the objects that exist before the residual code runs.

    static input (a list)          its items are read: static, as long as nobody writes them
    vm.pc where run() writes it    a location that the code writes is state, not static
    a list in a module             dynamic contents, unless the module never writes it or the user declares it

Frozen is per location: an attribute that is only read is static though its neighbour is written.  Finding a
write to something that was believed static records the better knowledge and asks for a restart.
"""

from __future__ import annotations

import builtins
import gc
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from futamura import runtime
from futamura.analysis.sharing import is_stored_on_a_class
from futamura.ir.classes import is_a
from futamura.ir.homes import namespace_of
from futamura.ir.immediates import closure_of
from futamura.specializer.annotated import Content, Fields, held, promise_of
from futamura.specializer.assumption import Assumption, Filled, Registered, identities, parts, place_of
from futamura.specializer.caching import Caches
from futamura.specializer.declared import BOOL_COMPARISONS, CACHES, Declared, promised_bool
from futamura.specializer.growing import GrowingDicts, grows_when_read
from futamura.specializer.hiding import Hiding
from futamura.specializer.kept import Place
from futamura.specializer.module_texts import Changes, Entries, Modules
from futamura.specializer.objects import GlobalObjects
from futamura.specializer.parting import Parting
from futamura.specializer.plainness import comparable
from futamura.specializer.present import PresentGlobals
from futamura.specializer.purity import (
    DICTS,
    MISSING,
    behind,
    class_lookup,
    is_mutable,
    is_plain_object,
    plain_lookup,
)
from futamura.specializer.unknown import Constant, Reason, Unknown
from futamura.specializer.values import token_key

__all__ = ["World"]


MANY_OBJECTS: Final = 8
MANY_CONTAINERS: Final = 24
"""When so many of a class were disturbed, each with a restart, the rest of them will be, too."""
_STREAMS: Final = frozenset({"stdin", "stdout", "stderr"})  # what others rebind while they run
_FILLED: Final = (list, dict, set)
_READ: Final = (*DICTS, list, set, tuple)


class Member(NamedTuple):
    """An attribute as a class knows it."""

    cls: type
    found: object
    """What its method resolution order has; `MISSING` if nothing."""
    plain: bool
    """Does access follow the default rules?"""
    stored: bool
    """Does other code of the modules of the class and its bases store it on a class?"""
    answers: bool = False
    """Has the class a `__getattr__`, which is asked for what is not there?"""


class World(Hiding):
    """Static objects, what was read of them, and which places turned out to be written."""

    def __init__(self, frozen: Iterable[object] = (), modules: Modules | None = None) -> None:
        super().__init__()
        self._frozen: Final[dict[int, object]] = {}
        self._constants: Final[set[int]] = set()
        """Those of `_frozen` that are so only because of what the text of their module does."""
        self._homes: Final[dict[int, tuple[object, Constant]]] = {}
        """What constants of modules lead to, by its identity, with the constant."""
        self._changing: Final[dict[int, dict[int, object]]] = {}
        """Per namespace the objects that its module changes under some name; they are kept alive here."""
        self.looked_at: Final[list[Mapping[str, object]]] = []
        """Modules of which it is known what their functions change."""
        self._closures: Final[dict[int, types.CellType]] = {}
        """The variables of functions that are static inputs, or were found in one."""
        self._given: Final[dict[int, types.FunctionType]] = {}
        """Functions that are static inputs, or were found in one."""
        self._lazy: Final[dict[tuple[type, str], Entries | None]] = {}
        self.filled: Final[dict[int, object]] = {}
        """Objects that functions which are only called on import fill: more may be imported later."""
        self._serials: Final[dict[int, int]] = {}
        self._pinned: Final[list[object]] = []
        self._indexes: Final[dict[object, object]] = {}
        self._made: Final[dict[tuple[type, object], object]] = {}
        self.read: Final[set[int]] = set()
        self.unfrozen: Final[set[int]] = set()
        self._escaped: Final[dict[int, object]] = {}
        """What unknown code got, with all that it reaches; nothing of it is believed any more."""
        self._inputs: Final[set[int]] = set()
        self._disturbed: Final[dict[type, int]] = {}
        """How many objects of a class were written, or got away, after they had been read."""
        self._doubtful: Final[set[type]] = set()
        """Classes of which too many objects were: none of them is believed any more, but for the inputs themselves."""
        self.assigned: Final[set[tuple[int, str | None]]] = set()  # globals; None stands for any of a module
        self.written: Final[set[tuple[int, str]]] = set()
        self.on_classes: Final[set[tuple[int, str | None]]] = set()
        """Attributes of classes that specialized code stores; 0 stands for a class that is not known."""
        self.settled: Final[dict[Place, tuple[object, list[object]]]] = {}
        """What static objects compute when they first need it, and all that was made for it, by object and name."""
        self.searches: Final[dict[object, object]] = {}
        """Searches of regular expressions that were made already, by what was asked."""
        self.registered: Final[dict[tuple[int, int], Registered]] = {}
        """By the identities of the registry and of the class; this keeps both alive."""
        self.assumes = True
        """Is something believed that is tested at entry: of globals, closures, and the classes of static objects?"""
        self.late: frozenset[str] = frozenset()
        self.home: Mapping[str, object] | None = None
        """Globals of the residual's module that are read when it runs (`read_late.py`), and this module."""
        self._promised: Final[dict[int, object]] = {}
        self.caches: Final = Caches()
        self.bool_comparisons = False
        self.annotated: Fields = {}
        self.promises_used: Final[dict[str, None]] = {}
        """What was promised in words, and made a difference."""
        self._plainly_keyed: Final[dict[int, int]] = {}
        self._members: Final[dict[tuple[int, str], Member]] = {}
        self.objects: Final = GlobalObjects(self)
        self.growing: Final = GrowingDicts(self)
        self.parting: Final = Parting()
        self._modules: Final = modules
        self.present: Final = PresentGlobals(self, modules)
        self._unknown: Final = Unknown(self, modules)
        for value in frozen:
            self.freeze(value)
            self._inputs.add(id(value))

    def serial(self, value: object) -> int:
        """A small number for an object, in order of first use."""
        number = self._serials.get(id(value))
        if number is None:
            number = self._serials[id(value)] = len(self._pinned)
            self._pinned.append(value)
        return number

    def by_serial(self, number: int) -> object:
        return self._pinned[number]

    def freeze(self, value: object) -> None:
        """`value` is a static input, or was found in one: what is only read of it is static."""
        if is_mutable(value):
            self._frozen.setdefault(id(value), value)
            self._constants.discard(id(value))
        elif type(value) is types.MethodType:
            self.freeze(value.__self__)
            self.freeze(value.__func__)
        elif type(value) is types.FunctionType:
            self._closures.update((id(cell), cell) for cell in closure_of(value))
            self._given[id(value)] = value

    def found_in_cell(self, cell: types.CellType, content: object) -> None:
        """`content` is in a variable of a closure: static, if the closure is a static input or was found in one."""
        if id(cell) in self._closures:
            self.freeze(content)

    def freeze_constant(self, value: object, held_by: Constant | None = None) -> None:
        """`value` is what a constant of a module holds: static unless it is changed under another name."""
        key = id(value)
        if held_by is not None:
            self._homes.setdefault(key, (value, held_by))
        if key in self.filled and type(value) not in _FILLED:
            if key in self._homes and is_plain_object(value):
                self.objects.add(value, self._homes[key][1].home)  # what runs on import stores on it: it is compared
            return
        if is_mutable(value) and key not in self._frozen and not any(key in some for some in self._changing.values()):
            if grows_when_read(value):
                self.growing.add(value)
                return
            self._frozen[key] = value
            self._constants.add(key)

    def home_of(self, value: object) -> Mapping[str, object] | None:
        """The module of the constant that this was found in."""
        found = self._homes.get(id(value))
        return None if found is None else found[1].home

    def _holds_constant(
        self, namespace: Mapping[str, object], name: str, value: object, *, whole: bool = True
    ) -> bool:
        """Are the contents of the global `name`, or the attribute `.name`, constant as far as the text says?  If the
        `whole` of it is not asked for, `freeze_constant` has to ask whether it is changed under another name."""
        if self._modules is None or not self._modules.contents_are_constant(namespace, name, value, whole=whole):
            return False
        self.look_at(namespace)
        return True

    def is_constant_attribute(self, namespace: Mapping[str, object], name: str, value: object) -> bool:
        """Do the functions of this module only read attributes of this name, but for those that run on import?"""
        return self._holds_constant(namespace, "." + name, value)

    def is_of_a_constant(self, value: object) -> bool:
        """Was this object found in what a global holds?"""
        return id(value) in self._constants

    def contents_on_objects(self, owner: Mapping[str, object], user: Mapping[str, object], name: str) -> Changes | None:
        return None if self._modules is None else self._modules.object_contents(owner, user, name)

    def freeze_filled(self, value: object) -> None:
        """`value` is constant, but for what is filled in on import: more may be imported later."""
        self.filled[id(value)] = value
        self.freeze_constant(value)

    def look_at(self, namespace: Mapping[str, object]) -> None:
        """Find out which objects the functions of this module change."""
        if self._modules is not None and id(namespace) not in self._changing:
            self.serial(namespace)
            self.looked_at.append(namespace)
            self._changing[id(namespace)] = dict(self._modules.changing(namespace))
            self.filled.update(self._modules.registered(namespace))

    def enter(self, function: types.FunctionType) -> bool:
        """This function is specialized, or called by what is.  True if something was believed that it may change."""
        filled = {} if self._modules is None else self._modules.filled_around(function)
        believed = [self.write(value) for value in filled.values()]
        return self.objects.enters(function.__code__) or any(believed)

    def declare(self, declared: Declared) -> None:
        """What the user promises (see `declared`)."""
        self.bool_comparisons = declared.bool_comparisons
        self.annotated = declared.annotated
        self.objects.tested, self.objects.tells_apart = not declared.trusted, not declared.untested
        for value in declared.frozen:
            self._promise(value)
        for cache in declared.caches:
            self.caches.declare(cache)

    def promises(self) -> tuple[str, ...]:
        """What was promised in words, and made a difference."""
        return (*self.promises_used, *([CACHES] if self.caches.are_used() else []))

    def compares_to_bool(self, name: str, types: Sequence[type | None]) -> bool:
        """Is it promised that this comparison gives a bool?"""
        if not self.bool_comparisons or not promised_bool(name, types):
            return False
        self.promises_used[BOOL_COMPARISONS] = None
        return True

    def annotated_as(self, cls: type | None, name: str) -> Content | None:
        """What an instance of exactly this class holds under this name, if it is promised."""
        found = held(self.annotated, cls, name)
        if cls is not None and found is not None:
            self.promises_used[promise_of(cls)] = None
        return found

    def _promise(self, value: object) -> None:
        work = [value]
        if is_a(value, type):  # what it and its bases have as attributes
            work += [part for cls in value.__mro__ if cls.__module__ != "builtins" for part in cls.__dict__.values()]
        while work:
            item = work.pop()
            if id(item) not in self._promised and is_mutable(item):
                self._promised[id(item)] = item
                self.freeze(item)
                work.extend(gc.get_referents(item))

    def give_up(self, values: Iterable[object]) -> None:
        """Somebody else may have these objects, and change them and what they reach: nothing is believed of that."""
        for value in values:
            if id(value) not in self._promised:
                self.serial(value)
                self.escape(value)
                self.unfrozen.add(id(value))
                self._escaped[id(value)] = value

    def believed(self) -> tuple[object, ...]:
        """The objects of which it is believed what they hold; the classes and functions among those read are tested."""
        known = {id(value): value for value in (*self._frozen.values(), *self._closures.values(), *self._pinned)}
        return tuple([value for key, value in known.items() if key in self.read and key not in self.unfrozen])

    def escaped(self) -> tuple[object, ...]:
        """What unknown code gets; with all that it reaches, nothing is believed of it any more."""
        return tuple({id(value): value for value in self._escaped.values()}.values())

    def places_written(self) -> frozenset[tuple[int, str]]:
        """The attributes of objects, by the identities of these, that specialized code writes."""
        return frozenset([(id(self._pinned[number]), name) for number, name in (*self.written, *self._hiding_on)])

    def is_promised(self, value: object) -> bool:
        """Does the user promise that nobody writes this object?"""
        return id(value) in self._promised

    def plainly_keyed(self, container: object) -> bool:
        """Does a look-up in this dict run no code of the program, whatever its keys are compared with?"""
        assert isinstance(container, dict)
        if self._plainly_keyed.get(id(container)) != len(container):
            if not all(map(comparable, container)):
                return False
            self.serial(container)
            self._plainly_keyed[id(container)] = len(container)
        return True

    def is_given(self, function: types.FunctionType) -> bool:
        """Is this function a static input, or was it found in one?"""
        return id(function) in self._given

    def is_input(self, value: object) -> bool:
        return id(value) in self._inputs

    def is_frozen(self, value: object) -> bool:
        if id(value) not in self._frozen or self.gave_up(value):
            return False
        return not self._doubtful or not self._is_doubtful(value)

    def gave_up(self, value: object) -> bool:
        """Is nothing believed here of what it holds, because it is written, or code that is not known has it?"""
        return id(value) in self.unfrozen or (self.parting.is_over() and id(value) not in self._promised)

    def _is_doubtful(self, value: object) -> bool:
        return type(value) in self._doubtful and id(value) not in self._inputs and id(value) not in self._promised

    def contents(self, value: object) -> bool:
        """May the contents of `value` be read now?  Remembers that they were."""
        if not self.is_frozen(value):
            self.parting.missed = self.parting.missed or id(value) in self.parting.unread
            return False
        if id(value) in self._constants and id(value) in self.filled:
            self._assume_contents(value)
        self.read.add(id(value))
        return True

    def _assume_contents(self, table: object) -> None:
        if ("contents", id(table), "") in self.assumptions:
            return
        filled = Filled(identities(table), tuple(parts(table)))
        self.assume(Assumption("contents", place_of(self.assumptions.values(), table), table, "", filled))

    def contents_read(self) -> list[object]:
        """The objects whose contents were used as static, in the order in which they were met."""
        return [value for key, value in self._frozen.items() if key in self.read and self.is_frozen(value)]

    def index_of(self, kind: type, keys: Sequence[object], numbers: Sequence[int]) -> object:
        """A table of numbers of this kind by these keys; one for each keys and numbers."""
        found = (kind, tuple(map(token_key, keys)), tuple(numbers))
        if found not in self._indexes:
            self._indexes[found] = dict(zip(keys, numbers)) if kind is dict else kind(numbers)
        return self._indexes[found]

    def constant_of(self, cls: type, key: object, make: Callable[[], object]) -> object:
        """The object of an immutable class for these arguments, the same one each time; `make` may raise."""
        if (cls, key) not in self._made:
            self._made[cls, key] = make()
        return self._made[cls, key]

    def is_index(self, table: object) -> bool:
        """Is this such a table, which nobody writes?"""
        return any(table is one for one in self._indexes.values())

    def found(self, container: object, item: object) -> None:
        """`item` was read from the static `container`."""
        if type(item) is types.MethodType:
            self.found(container, item.__self__)
        if self.objects.found(container, item):
            return
        if id(container) in self._constants or self.growing.holds(container):
            self.freeze_constant(item, self._homes[id(container)][1] if id(container) in self._homes else None)
        elif id(container) in self._frozen or id(container) in self._given:
            self.freeze(item)

    def write(self, value: object) -> bool:
        """The contents of `value` may change.  True if they had been used as static."""
        if not is_mutable(value):
            return False
        if self.caches.disturb(value):
            return True
        if id(value) in self.unfrozen:
            return False
        self.serial(value)
        self.unfrozen.add(id(value))
        if id(value) not in self.read or self._is_doubtful(value):
            return False
        kind = type(value)
        self._disturbed[kind] = self._disturbed.get(kind, 0) + 1
        if self._disturbed[kind] >= (MANY_CONTAINERS if kind in (list, dict, set) else MANY_OBJECTS):
            self._doubtful.add(kind)
        return True

    def escape(self, value: object) -> bool:
        """Code that we cannot see gets `value`: it, and all that it reaches, may be written."""
        if id(value) in self._escaped:
            return False
        restart = False
        seen: set[int] = set()
        work = [value]
        while work:
            item = work.pop()
            if id(item) in seen or id(item) in self._promised or id(item) in self._escaped:
                continue
            if is_mutable(item):
                restart = self.write(item) or restart
                more = gc.get_referents(item)  # slots and what C code keeps included; runs no code
            else:
                more = list(behind(item))
            if more:
                seen.add(id(item))
                work.extend(more)
        if seen and not self.caches.are_declared():  # these ask again whenever one of their entries gets away
            self._escaped.update(dict.fromkeys(seen, value))
        return restart

    def believe_again(self, numbers: set[int]) -> None:
        """These objects were given up although nothing that they hold had been read: it was too early.  Whatever the
        next run hands over is followed anew, with all that it reaches."""
        self.unfrozen.difference_update(numbers)
        self._escaped.clear()

    def contents_of_cell(self, cell: types.CellType) -> bool:
        """Is the binding of this closure cell believed constant?"""
        self.serial(cell)
        if self.gave_up(cell):
            return False
        self.read.add(id(cell))
        return True

    def lookup(self, namespace: Mapping[str, object], module: str, name: str) -> tuple[object] | None:
        """The binding of a global as an assumption; None if visible code rebinds it, or it does not exist."""
        if self.is_assigned(namespace, name) or not (self.assumes or namespace is runtime.__dict__ or name == "super"):
            return None  # `super()` without arguments cannot be called under another name
        if name in self.late and namespace is self.home:
            return None
        if name in namespace:
            value = namespace[name]
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
        else:
            return None
        if namespace is not runtime.__dict__ and ("global", id(namespace), name) not in self.assumptions:
            # What a residual calls of ours stands for what Python itself does: a program cannot rebind that.
            self.assume(Assumption("global", f"{module}.{name}", namespace, name, value))
        if name in namespace and is_mutable(value):
            if is_plain_object(value):
                self.objects.add(value, namespace, f"{module}.{name}")
            elif type(value) is dict and self._modules and (entries := self._modules.memo(namespace, name)):
                self.caches.keep(value, changed=entries.changed, inside=entries.inside, texts=entries.texts)
            elif self._holds_constant(namespace, name, value, whole=False):
                self.freeze_constant(value, Constant(namespace, name, f"{module}.{name}"))
        return (value,)

    def is_assigned(self, namespace: Mapping[str, object], name: str) -> bool:
        """Does code that is specialized, or a function of the module, bind this global anew?"""
        if (id(namespace), name) in self.assigned or (id(namespace), None) in self.assigned:
            return True
        return (namespace is sys.__dict__ and name in _STREAMS) or self._is_rebound(namespace, name)

    def _is_rebound(self, namespace: Mapping[str, object], name: str) -> bool:
        return self._modules is not None and self._modules.is_rebound(namespace, name)

    def keeps_elsewhere(self, namespace: Mapping[str, object], name: str) -> bool:
        """Is this dict, which a module has under this name, none in which its own functions keep things?"""
        return self._modules is not None and self._modules.memo(namespace, name) is None

    def lazily_filled(self, cls: type, name: str) -> Entries | None:
        """What functions do with this attribute of instances of a class, if only its own methods fill and use it."""
        key = cls, name
        if key not in self._lazy:
            self._lazy[key] = None if self._modules is None else self._modules.lazy(cls, name)
        return self._lazy[key]

    def results_are_constant(self, function: types.FunctionType, whole: bool) -> bool:
        """Does the module of this function only read what it gives, or at least the `whole` of it, as far as the text
        says?"""
        return self._modules is not None and self._modules.results_are_constant(function, whole)

    def has_texts(self, namespace: Mapping[str, object]) -> bool:
        """Has the module classes of texts, or of tuples?"""
        return self._modules is None or self._modules.has_texts(namespace)

    def mentions(self, namespace: Mapping[str, object], name: str) -> bool:
        """May a function of the module use this name?"""
        return self._modules is None or self._modules.mentions(namespace, name)

    def assign(self, namespace: Mapping[str, object], name: str | None, *, gone: bool = False) -> bool:
        """Code that is specialized assigns this global (None: one of them), or deletes it.  True if it was believed."""
        self.assigned.add((id(namespace), name))
        if name is not None:
            lost = gone and self.present.delete(namespace, name)
            return self.assumptions.pop(("global", id(namespace), name), None) is not None or lost
        believed = [key for key in self.assumptions if key[0] in ("global", "present") and key[1] == id(namespace)]
        for key in believed:
            del self.assumptions[key]
        return bool(believed)

    def store_on_class(self, cls: type | types.FunctionType | None, name: str | None) -> bool:
        """Code that is specialized stores this attribute on a class or a function (None: on one that is not known; an
        attribute of any name), or deletes it.  True if what is found under that name had been believed."""
        key = (0 if cls is None else id(cls), name)
        if key in self.on_classes:
            return False
        self.on_classes.add(key)
        if cls is not None:
            self.serial(cls)
        believed = [one for one in self.assumptions.values() if name in (None, one.name) or one.kind == "contents"]
        for assumption in believed:
            if assumption.kind in ("attribute", "contents") and is_a(assumption.holder, type):
                if cls is None or cls in assumption.holder.__mro__:
                    return True
            elif assumption.kind == "attribute" and (cls is None or cls is assumption.holder):
                return True
        return False

    def is_stored_on_function(self, function: types.FunctionType, name: str) -> bool:
        """Does code that is specialized store this attribute on the function?"""
        return self._stores_on((0, id(function)), name)

    def is_stored(self, cls: type, name: str) -> bool:
        """Does code that is specialized store this attribute on the class, or on one that it inherits from?"""
        return self._stores_on((0, *map(id, cls.__mro__)), name) if self.on_classes else False

    def _stores_on(self, owners: Iterable[int], name: str) -> bool:
        return any((owner, one) in self.on_classes for owner in owners for one in (name, None))

    def may_be_stored(self, cls: type, name: str) -> bool:
        """The same, or other code of the modules of these classes."""
        return self.is_stored(cls, name) or is_stored_on_a_class(cls, name)

    def member(self, cls: type, name: str) -> Member:
        """What this class says about an attribute of its instances; asked of the class once."""
        found = self._members.get((id(cls), name))
        if found is None:
            answers = class_lookup(cls, "__getattr__") is not MISSING
            found = Member(cls, class_lookup(cls, name), plain_lookup(cls), is_stored_on_a_class(cls, name), answers)
            self._members[id(cls), name] = found
        return found

    def why_unknown(self, value: object) -> Reason | None:
        """Why the contents of this static object are not believed, if what functions of its module do is the reason."""
        if self.is_frozen(value) or self.parting.is_over():
            return None
        held = self._homes.get(id(value))
        inside = None if held is None else self._unknown.why_inside(*held)
        return self._unknown.why(value) or inside or self.objects.why_contents(value)

    def why_lost(self, value: object) -> str:
        """Why nothing is believed of what this object holds, if it was for a while; "" if it is not so."""
        written = "it is written while the residual runs" if id(value) in self.unfrozen else ""
        return "code that is not known gets it" if id(value) in self._escaped else written

    def binds(self, namespace: Mapping[str, object], name: str) -> bool:
        """Is `name` a global of the module whose contents are believed constant?"""
        return name in namespace and self._holds_constant(namespace, name, namespace[name])

    def found_in_class(self, cls: type, name: str, value: object) -> None:
        """`value` is an attribute of a class: its contents are static if the class's module only reads them.  A
        descriptor, or another object, is believed as one is that a global holds."""
        whole = is_plain_object(value)
        if not whole and (type(value) not in _READ or not is_mutable(value)):
            return
        home = namespace_of(next(base for base in cls.__mro__ if name in base.__dict__))
        if home is None:
            return
        if whole:
            self.objects.add(value, home)
        elif self._holds_constant(home, "." + name, value, whole=False):
            place = f"{home.get('__name__')}.{cls.__qualname__}.{name}"
            self.freeze_constant(value, Constant(home, f".{name}", place))

    def freeze_described(self, cls: type, value: object) -> None:
        """`value` describes a class: static if no function of the class's module changes it under any name."""
        home = namespace_of(cls)
        if home is not None:
            self.look_at(home)
            self.freeze_constant(value)

    def forget(self) -> None:
        """Everything is asked anew: what is still assumed, or read, will be again."""
        self.assumptions.clear()
        self.read.clear()

    def assume_attribute(self, holder: type | types.FunctionType, name: str, found: object) -> None:
        """An attribute was read off a class or function."""
        if ("attribute", id(holder), name) not in self.assumptions:
            self.assume(Assumption("attribute", f"{holder.__qualname__}.{name}", holder, name, found))
