"""Emitting residual operations, and constructing the virtual objects that escape into them.

    emit("add", (Dynamic 3, Known 1))      ->  v7 = const 1; v8 = add v3, v7
    lift(virtual list of Dynamic 3)        ->  v9 = list v3; from now on the list is Dynamic 9

Invariant: operations are emitted in the order in which the source would have executed them; constructing an object
late moves only its allocation.
"""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence, Set
from typing import Final, NoReturn

from futamura.ir.constant import Constant
from futamura.ir.graph import Span
from futamura.specializer.confined import asked_table, confined, fills, only_looks
from futamura.specializer.endings import Restart
from futamura.specializer.groups import is_all_groups
from futamura.specializer.guessing import guess
from futamura.specializer.handling import has_context
from futamura.specializer.kept import Kept
from futamura.specializer.left_out import ASKING, Defaults
from futamura.specializer.owned import starts_owned, used
from futamura.specializer.promises import WRITERS, leaves_alone
from futamura.specializer.purity import HEAP_TYPE, class_lookup, is_data, shows_methods
from futamura.specializer.records import stored_fields
from futamura.specializer.residual import ResidualBlock, ResidualOperation, Version
from futamura.specializer.state import GENERAL, HANDED, Spent, State, Unsupported
from futamura.specializer.stored import Stored
from futamura.specializer.values import (
    BARE,
    FRESH,
    HELD,
    OF_SUPER,
    AbstractValue,
    Dynamic,
    Known,
    Shape,
    Virtual,
    VObject,
    slot_of_super,
    token_key,
)

__all__ = ["CONSTRUCTORS", "CYCLE_BREAKERS", "LACKING", "Emitter", "Unsupported"]


_CONSTANT_SET: Final = 3
"""From here on a display of constants is a constant, which is copied item by item: the order is not that of items that
were added, where two of them want one place."""

LACKING: Final = "lacking"
"""What an AttributeError of an attribute that is known not to be there is told from others by."""
_MANY: Final = 16
"""More equal constants than this are written once: `[0] * 256`."""

CONSTRUCTORS: Final[dict[str, Callable[[Emitter, VObject], Dynamic]]] = {}
"""How virtual objects of further kinds are constructed."""

CYCLE_BREAKERS: Final[dict[str, Callable[[Emitter, VObject], None]]] = {}
"""What is tried for the objects of a kind on a way from an object to itself, before that is given up."""


class Emitter(ABC):
    """The current path's state and residual block, and the names of residual values."""

    def __init__(self) -> None:
        self.state: State = State([])
        self.block: ResidualBlock = ResidualBlock()
        self.emitted = 0
        self.besides = 0
        """How many of these operations were emitted in general code, behind a test that has failed."""
        self.folded = 0
        self.entered = 0
        """Calls that were unfolded."""
        self.saved = 0
        """Nanoseconds that what was executed, and is not left, would take."""
        self._counted = 0
        self._within: Set[int] = frozenset()
        """Objects that are made real with one that holds them, of which it is known that none holds itself."""
        self.settled = False
        """Are all versions run?  What is still made is what passes between them, and raises nothing."""
        self.spent: Final[dict[int, Spent]] = {}
        """By the number of a function: what its blind calls have folded and left."""
        self.given: Final[dict[int, tuple[Spent, ...]]] = {}
        """By `vid`, the constants that blind calls gave, and of which functions."""
        self.inputs: dict[int, str] = {}
        self.guessed: dict[str, type] = {}
        """Open inputs that are tested to be of a class where an operator needs it."""
        self.missed: dict[str, type] = {}
        """Classes of open inputs with which more would be known of static objects."""
        self.defaults = Defaults()
        self.looked = 0
        """As soon as so many operations were emitted, it is time to look how long the residual gets."""
        self.hints: list[str | None] = []
        self.origins: dict[int, ResidualOperation] = {}
        """The operation that defines a residual value: why it is dynamic."""
        self.types: dict[int, type] = {}
        """The exact classes of residual values, wherever these are defined."""
        self.names: dict[int, str] = {}
        self.held: dict[int, object] = {}
        """Variables that parameters of versions stand for."""
        self.renames: dict[int, int] = {}
        """Parameters of versions, and the value each stood for first (-1: different known ones)."""
        self.span: Span | None = None
        self.own_name = ""
        """The name of the residual function."""
        self.hidden: frozenset[str] = frozenset()
        """Names that stand for parameters of the residual function, wherever these come from."""
        self.named: dict[int, tuple[str, str]] = {}
        """Functions, classes and modules that were found under a global name of the residual's own module."""
        self.kept: Final = Kept()
        self.sums: dict[int, tuple[Dynamic, int]] = {}
        """Residual ints without a name of their own that are another one plus a constant."""
        self.lengths: dict[int, int] = {}
        """The lengths of open lists that were asked for: which list."""
        self.tests: dict[int, tuple[str, Dynamic, Known]] = {}
        """Residual bools that compare a value with a known one."""
        self.choices: dict[int, tuple[object, ...]] = {}
        """Residual values that are one of few functions."""
        self.parts: dict[int, tuple[AbstractValue, ...]] = {}
        """What residual tuples were made of."""
        self.chosen: dict[tuple[str, int, int], dict[Version, list[tuple[int, int, int]]]] = {}
        """By the place of a look-up, and version: each time that it became a way for each item; the run of the version,
        the id of the table, and how many ways."""
        self.slices: dict[int, slice] = {}
        """Constant slices that the code itself makes."""
        self.sources: dict[int, int] = {}
        """Which value with a provenance a computed one was made of: `pc` for `pc // 4`; finitely many give the same."""
        self.made_of: dict[int, list[int]] = {}
        """The same by the source."""
        self.memories = False  # is there an object of which parts are known while the real one exists?
        self.stored = False
        """Was a known item of a memory stored where control is open, and was that not known before?"""
        self.growing: Stored | None = None
        """What is stored in objects that grow."""
        self._displays: Final[dict[frozenset[object], tuple[object, ...]]] = {}
        """The orders in which displays show constants, by these."""
        self.decided: dict[int, Known] = {}
        """What `Versions.decided` is."""
        self._oids = 0
        self._vids = 0

    @abstractmethod
    def protect(self, kind: type | None = None) -> None:
        """The next operation may raise."""

    @abstractmethod
    def expose(self, name: str, args: Sequence[AbstractValue], attr: object) -> None:
        """The next operation may run code of its operands' classes."""

    @abstractmethod
    def has_plain_keys(self, table: object) -> bool:
        """Does a look-up in this static dict run no code of the program?"""

    @abstractmethod
    def observe(self) -> None:
        """The next operation may look at static objects."""

    @abstractmethod
    def keeps(self) -> bool:
        """May attributes of static objects be kept aside where the next operation raises?"""

    @abstractmethod
    def refuse(self, place: object, reason: str) -> NoReturn:
        """A virtual object made at `place` cannot be constructed: it must not be virtual."""

    def turn_to(self, block: ResidualBlock) -> None:
        """From here on code goes to this block; what has folded since the last turn saves time in the one before."""
        self.block.saved += self.saved - self._counted
        self._counted, self.block = self.saved, block

    # -- identities

    def residual_value(self, hint: str | None = None) -> int:
        self.hints.append(hint)
        return len(self.hints) - 1

    def hint(self, value: AbstractValue, name: object, holder: int = -1) -> None:
        """A residual value that has no name is called like the item that it becomes, or `machine_pc` like the
        attribute of an object."""
        value = self.state.resolve(value)
        if type(value) is not Dynamic or self.hints[value.rv] is not None:
            return
        if type(name) is not str or not name.isidentifier():
            return
        if holder >= 0:
            owner = next((one for one in self._variables_of(holder) if one not in ("self", "cls")), None)
            name = None if owner is None else f"{owner}_{name.lstrip('_')}"
        self.hints[value.rv] = name

    def _variables_of(self, oid: int) -> Iterator[str]:
        """The variables that hold a virtual object, of the outermost call first."""
        for frame in self.state.frames:
            for number, content in frame.env.items():
                if type(content) is Virtual and content.oid == oid and number >= 0:
                    name = frame.facts.function.hints[number]
                    if name is not None and name.isidentifier():
                        yield name

    def renamed(self, old: int) -> int:
        """A parameter that stands for the residual value `old` (-1: for none)."""
        new = self.residual_value(self.hints[old] if old >= 0 else None)
        self.renames[new] = old
        return new

    def known(self, value: object, age: int = 0) -> Known:
        """A computed value with its provenance."""
        if not age:
            return Known(value)
        self._vids += 1
        self.state.ages[self._vids] = age
        return Known(value, self._vids)

    def told_to(self, value: Known, spent: tuple[Spent, ...]) -> Known:
        """The value that calls of these functions gave: they hear of it when it selects something."""
        self._vids += 1
        self.given[self._vids] = spent
        if age := self.state.age(value):
            self.state.ages[self._vids] = age
        return Known(value.value, self._vids)

    def validate(self, value: AbstractValue) -> None:
        """`value` selected something finite: its provenance starts anew, and that of what it was computed from.  What
        was computed from it before is as if that had been done now."""
        if type(value) is not Known:
            return
        first = vid = value.vid
        self.decided[-vid or id(value)] = value
        for spent in self.given.get(vid, ()):
            spent.selects = True
        ages = self.state.ages
        if ages.pop(vid, None) is not None:
            ages.update({made: 1 for made in self.made_of.get(first, ()) if ages.get(made, 0) > 1})
        while vid := self.sources.get(vid, 0):
            self.decided[-vid] = value
            if ages.pop(vid, None) is None:
                break

    def derive(self, made: Known, source: Known) -> None:
        """Finitely many values in place of `source` give `made`, which was computed from it."""
        self.sources[made.vid] = source.vid
        self.made_of.setdefault(source.vid, []).append(made.vid)

    def new_object(self) -> int:
        self._oids += 1
        return self._oids

    def virtual(self, entry: VObject) -> Virtual:
        oid = self.new_object()
        self.state.heap[oid] = entry
        return Virtual(oid)

    # -- emitting

    def emit(
        self,
        name: str,
        args: Sequence[AbstractValue] = (),
        attr: object = None,
        *,
        results: int = 1,
        type: type | None = None,
        hint: str | None = None,
        raises: bool = True,
        shape: Shape | None = None,
    ) -> Dynamic:
        """Emit one residual operation on lifted operands; its (first) result."""
        made = self.emit_many(name, args, attr, results=results, type=type, hint=hint, raises=raises)[0]
        return made if shape is None else Dynamic(made.rv, type, shape)

    def emit_many(
        self,
        name: str,
        args: Sequence[AbstractValue],
        attr: object = None,
        *,
        results: int = 1,
        type: type | None = None,
        hint: str | None = None,
        raises: bool = True,
    ) -> list[Dynamic]:
        table = asked_table(self.state, name, args, attr) if raises or name == "call" else None
        asks = table is not None and self.has_plain_keys(table)
        kept = raises and bool(self.state.overlays) and self.keeps()
        kept = kept and (asks or confined(self.state, name, args, attr))
        looks = (raises or name == "call") and self.state.intact
        looks = looks and (asks or only_looks(self.state, name, args, attr) or fills(self.state, name, args, attr))
        if raises:
            self.expose(name, args, attr)
        owned = self.state.owned
        using = used(self.state, name, args, attr) if owned else -1
        asking = bool(self.defaults.open) and name in ASKING
        told = list(map(self._is_told, args)) if asking else []
        lifted = tuple([self.lift(arg) for arg in args])
        if self.state.owned or using >= 0:
            self.state.owned = (self.state.owned | {using} & owned).difference([rv for rv in lifted if rv != using])
        if raises:
            intact = self.state.intact and (looks or leaves_alone(name, args))
            if not kept:
                guess(self.missed, self.state, (self.inputs, self.renames), name, args, attr)
                self.observe()
            self.state.intact = intact
            if not self.settled:
                self.protect()
        elif name in WRITERS and not looks and not leaves_alone(name, args):
            self.state.intact = False
        if not results and self.growing is not None and not self.state.general:
            self.growing.store_operand(name, args, attr)
        values = tuple([self.residual_value(hint) for _ in range(results)])
        if asking and results:
            left = self.defaults.note((self.inputs, self.renames), name, args, values[0], told)
            if left is not None:
                raise Restart(f"calls leave out {left}", whole=True)
        op = ResidualOperation(name, lifted, attr, values, self.span, not raises, None, self.state.frames[-1].facts)
        self.block.ops.append(op)
        self.block.handed = self.state.general == HANDED
        for value in values:
            self.origins[value] = op
            if type is not None:
                self.types[value] = type
        self.emitted += 1
        self.besides += self.state.general == GENERAL
        return [Dynamic(value, type) for value in values] or [Dynamic(-1)]

    def _is_told(self, value: AbstractValue) -> bool:
        """Is this known, or an object of which all that it holds is?"""
        value = self.state.resolve(value)
        if type(value) is Virtual:
            return all(type(self.state.resolve(item)) is Known for item in self.state.heap[value.oid].items)
        return type(value) is Known

    def lift(self, value: AbstractValue) -> int:
        """The residual value of `value`, materializing it if it is virtual."""
        value = self.state.resolve(value)
        if type(value) is Dynamic:
            return value.rv
        if type(value) is Known:
            return self._constant(value.value)
        assert type(value) is Virtual
        return self.materialize(value)

    def _constant(self, value: object) -> int:
        named = self.named.get(id(value))
        if named is not None:  # read where it is used: a name reads better than a variable that holds it
            found = self.residual_value()
            self.block.ops.append(ResidualOperation("global_get", (), named, (found,), self.span, True))
            return found
        if type(value) is slice and id(value) in self.slices:  # written where it is used
            parts = tuple(self._constant(part) for part in (value.start, value.stop, value.step))
            found = self.residual_value()
            self.block.ops.append(ResidualOperation("slice", parts, None, (found,), self.span, True))
            return found
        if id(value) in self.kept.reads:
            return self.kept.reads[id(value)]()
        constant = Constant(value)
        found = self.block.constants.get(constant, -1)
        if found < 0:
            found = self.residual_value()
            self.block.constants[constant] = found
            if type(value) is str:
                self.held[found] = value
            self.block.ops.append(ResidualOperation("const", (), constant, (found,), self.span, True))
        return found

    # -- materializing

    def materialize(self, value: Virtual) -> int:
        """Emit the construction of a virtual object; from here on it is dynamic."""
        entry = self.state.heap[value.oid]
        if entry.kind == "forward":
            return self.lift(value)
        owner = self.state.owner(value.oid)
        if owner is not None:  # a dict that an instance holds comes to be with it
            self.materialize(owner)
            return self.lift(value)
        if value.oid in self._within:
            return self._made_real(value, entry)
        holder, within = self._holder_of(value) if entry.kind != "instance" else (None, frozenset())
        if holder is not None:  # it is made first, and filled later
            self.materialize(holder)
            return self.lift(value)
        self._require_acyclic(value)
        outside, self._within = self._within, within
        try:
            return self._made_real(value, entry)
        finally:
            self._within = outside

    def _made_real(self, value: Virtual, entry: VObject) -> int:
        if self.growing is not None and not self.state.general:
            self.growing.store_all(entry)
        whole = entry.kind == "instance" and self._made_by_fields(value, entry)
        dynamic = self._called_class(entry) if whole else self._construct(entry)
        if self.hints[dynamic.rv] is None:
            self.hints[dynamic.rv] = next(self._variables_of(value.oid), None)
        if entry.kind == "instance" and shows_methods(entry.cls, entry.names):
            dynamic = Dynamic(dynamic.rv, entry.cls, BARE)
        self.state.heap[value.oid] = VObject("forward", entry.cls, (dynamic,))
        if entry.kind == "instance" and HELD in entry.names:
            entry = self._fill_held(entry, dynamic)
        if entry.kind == "instance" and not whole:
            self._fill(entry, dynamic)
        if entry.kind == "exception":
            for name, item in zip(entry.names, entry.items):
                if type(name) is str:
                    self.emit("setattr", (item, dynamic), name, results=0, raises=False)
        return dynamic.rv

    def _fill_held(self, entry: VObject, dynamic: Dynamic) -> VObject:
        """Put into an instance what it holds as a dict, and say that the dict is the instance now; its attributes."""
        at = entry.names.index(HELD)
        held = self.state.resolve(entry.items[at])
        if type(held) is not Virtual:
            raise Unsupported("what an instance of a class that extends dict holds has left it", self.span)
        content = self.state.heap[held.oid]
        self.state.heap[held.oid] = VObject("forward", entry.cls, (dynamic,))
        if content.items:
            pairs = [x for key, item in zip(content.names, content.items) for x in (Known(key), item)]
            given = self.emit("dict", pairs, type=dict, raises=False)
            self.emit("call", (Known(dict.update), dynamic, given), raises=False)
            self._is_for(dynamic)
        names = (*entry.names[:at], *entry.names[at + 1 :])
        return entry._replace(names=names, items=(*entry.items[:at], *entry.items[at + 1 :]))

    def _made_by_fields(self, value: Virtual, entry: VObject) -> bool:
        """Does calling the class with the attributes' values make this very instance?"""
        fields = stored_fields(entry.cls)
        if fields is None or tuple(fields) != entry.names:
            return False
        inside = [leaf for item in entry.items for leaf in self.state.leaves(item)]
        return not any(type(leaf) is Virtual and leaf.oid == value.oid for leaf in inside)

    def _called_class(self, entry: VObject) -> Dynamic:
        return self._is_for(self.emit("call", (Known(entry.cls), *entry.items), type=entry.cls, raises=False))

    def _is_for(self, made: Dynamic) -> Dynamic:
        """The last operation makes or fills this new object, and does nothing else."""
        self.block.ops[-1].making = made.rv
        return made

    def _holder_of(self, value: Virtual) -> tuple[Virtual | None, Set[int]]:
        """An instance that holds this object and is held by it, and what is held by it if there are no instances."""
        work: list[tuple[int, Virtual | None]] = [(value.oid, None)]
        seen: set[int] = set()
        while work:
            oid, instance = work.pop()
            if oid in seen:
                continue
            seen.add(oid)
            entry = self.state.heap[oid]
            if instance is None and entry.kind == "instance":
                instance = Virtual(oid)
            for item in entry.items:
                item = self.state.resolve(item)
                if type(item) is Virtual:
                    if item.oid == value.oid and instance is not None:
                        return instance, frozenset()
                    work.append((item.oid, instance))
        return None, frozenset() if any(self.state.heap[oid].kind == "instance" for oid in seen) else seen

    def _require_acyclic(self, value: Virtual) -> None:
        """An object that contains itself, but not by an instance's attribute, is constructed if one of those on the way
        back to it can be real from the beginning."""
        work: list[tuple[int, tuple[int, ...]]] = [(value.oid, ())]
        seen: set[int] = set()
        while work:
            oid, trail = work.pop()
            if oid in trail:
                for passed in trail[trail.index(oid) :]:
                    breaker = CYCLE_BREAKERS.get(self.state.heap[passed].kind)
                    if breaker is not None:
                        breaker(self, self.state.heap[passed])
                raise Unsupported("an object that contains itself escapes", self.span)
            if oid in seen:
                continue
            seen.add(oid)
            entry = self.state.heap[oid]
            if entry.kind == "instance":
                continue
            for item in entry.items:
                item = self.state.resolve(item)
                if type(item) is Virtual:
                    work.append((item.oid, (*trail, oid)))

    def _construct(self, entry: VObject) -> Dynamic:
        kind = entry.kind
        items = entry.items
        if kind == "list" and entry.cls is list and len(items) > _MANY and (item := _all_alike(items)) is not None:
            one = self.emit("list", (item,), type=list, raises=False)
            return self.emit("mul", (one, Known(len(items))), type=list, raises=False)
        if kind in ("list", "tuple") and entry.cls in (list, tuple):
            shape = FRESH if kind == "list" else None
            display = self.emit(kind, items, type=entry.cls, raises=False, shape=shape)
            if kind == "tuple":
                self.parts[display.rv] = items
            return display
        if kind == "tuple":
            return self._called_class(entry)
        if kind == "dict" and is_all_groups(entry, self.origins):
            self.refuse(entry.site, "the dict of all groups of a match is looked at as a whole")
        if kind == "dict" and entry.cls is dict:
            pairs = [x for key, item in zip(entry.names, items) for x in (Known(key), item)]
            table = self.emit("dict", pairs, type=dict, raises=False)
            if starts_owned(entry):
                self.state.owned |= {table.rv}
            return table
        if kind == "set":
            return self._construct_set(entry)
        if kind == "slice":
            return self.emit("slice", items, type=slice, raises=False)
        if kind == "cell":
            return self.emit("cell", items, entry.extra, raises=False)
        if kind == "instance" and entry.cls in (types.SimpleNamespace, object):
            return self._is_for(self.emit("call", (Known(entry.cls),), type=entry.cls, raises=False))
        if kind == "instance":
            maker = Known(dict.__new__ if HELD in entry.names else object.__new__)
            return self._is_for(self.emit("call", (maker, Known(entry.cls)), type=entry.cls, raises=False))
        if kind == "exception":
            if entry.extra == LACKING:
                self.refuse(entry.site, "an AttributeError knows the object and the name")
            if has_context(entry):
                self.refuse(entry.site, "an exception that was raised in a handler escapes with its context")
            if entry.extra != "made":
                return self.emit("call", (Known(entry.cls), *items), type=entry.cls, raises=False)
            given = [item for name, item in zip(entry.names, items) if type(name) is int]
            return self.emit(
                "call", (Known(BaseException.__new__), Known(entry.cls), *given), type=entry.cls, raises=False
            )
        if kind == "super":  # what it gives is a descriptor's or a builtin class's: it is asked at run time
            return self.emit("call", (Known(super), *items), raises=False)
        if kind == "method" and entry.names == OF_SUPER:
            getter = Known(types.WrapperDescriptorType.__get__)
            return self.emit("call", (getter, slot_of_super(entry), *items, Known(entry.cls)), raises=False)
        if kind == "method":
            return self.emit("getattr", items, entry.extra, raises=False)
        if kind == "view":
            source = self.state.resolve(items[0])
            if type(source) is Dynamic and source.type is not None and source.type.__flags__ & HEAP_TYPE:
                made = Known(dict.__dict__[str(entry.extra)])  # the instance may have an attribute of this name by now
                return self.emit("call", (made, source), type=entry.cls, raises=False)
            method = self.emit("getattr", items, str(entry.extra), raises=False)
            return self.emit("call", (method,), type=entry.cls, raises=False)
        if kind in CONSTRUCTORS:
            return CONSTRUCTORS[kind](self, entry)
        raise Unsupported(f"a {kind} object made during specialization escapes", self.span)

    def _construct_set(self, entry: VObject) -> Dynamic:
        """The elements again in their order; `extra` says how many came from a display of constants."""
        elements = [Known(name) for name in entry.names]
        shown = entry.extra
        if not isinstance(shown, int):
            self.refuse(entry.site, "the order of a set's elements would be lost")
        if (len(elements) < _CONSTANT_SET or len(elements) == shown) and self.shows(entry.names):
            return self.emit("set", elements, type=set, raises=False)
        if not shown:
            return self.emit("call", (Known(set), Known(tuple(entry.names))), type=set, raises=False)
        self.shows(entry.names[:shown])
        made = self.emit("set", elements[:shown], type=set, raises=False)
        for element in elements[shown:]:
            method = self.emit("getattr", (made,), "add", raises=False)
            self.emit("call", (method, element), raises=False)
        return made

    def shows(self, elements: Sequence[object]) -> bool:
        """Does a display keep this order of constants?  All displays of a text with equal ones are one constant for the
        compiler, which has the order of the first; two are no constant."""
        keys = tuple(map(token_key, elements))
        return len(keys) < _CONSTANT_SET or self._displays.setdefault(frozenset(keys), keys) == keys

    def _fill(self, entry: VObject, dynamic: Dynamic) -> None:
        plain = entry.cls is types.SimpleNamespace or not any(
            "__setattr__" in base.__dict__ for base in entry.cls.__mro__[:-1]
        )
        for name, item in zip(entry.names, entry.items):
            if is_data(found := class_lookup(entry.cls, str(name))) and type(found) is not types.MemberDescriptorType:
                own = self.emit("getattr", (dynamic,), "__dict__", type=dict, raises=False)
                self.emit("setitem", (item, own, Known(name)), results=0, raises=False)
                self._is_for(dynamic)
            elif plain:
                self.emit("setattr", (item, dynamic), name, results=0, raises=False)
                self._is_for(dynamic)
            else:
                self.emit("call", (Known(object.__setattr__), dynamic, Known(name), item), raises=False)
                self._is_for(dynamic)


def _all_alike(items: Sequence[AbstractValue]) -> Known | None:
    """The number, text or other plain constant that all of these are."""
    first = items[0]
    if type(first) is not Known or type(first.value) not in (int, bool, float, str, bytes, type(None)):
        return None
    return first if all(type(item) is Known and item.value is first.value for item in items) else None
