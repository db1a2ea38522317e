"""Functions made during specialization that become real objects.

    def adder(n): return lambda x: x + n       adder(n) with n open, returned
    ->  def adder(n):
            return lambda x: x + n             the nested function is part of the residual program

    A variable that is final at the capture      the closure gets a variable of its own, with the value
    A variable that is assigned later on         one real variable for all of them

A variable that must be real is made so at its birth: specialization starts again with that knowledge.  A function whose
variable must be real is not inlined, for the variable belongs to one call.

Invariant: the code of a closure is the original code; names, defaults, annotations and documentation are as they were.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence
from types import FunctionType, GeneratorType
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.graph import Function, Operation, Program
from futamura.runtime import iterating
from futamura.specializer.captures import Capture
from futamura.specializer.definitions import Closure
from futamura.specializer.elsewhere import moving
from futamura.specializer.emitting import CONSTRUCTORS, CYCLE_BREAKERS, Emitter
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.generators import STARTED, arguments_of, start_over
from futamura.specializer.handed import only_reads_fields
from futamura.specializer.machine import Machine, Restart, Unsupported
from futamura.specializer.purity import is_mutable
from futamura.specializer.rules import rule, site
from futamura.specializer.state import Frame, Suspension
from futamura.specializer.values import AbstractValue, Dynamic, Known, Virtual, VObject
from futamura.specializer.variables import content_of, is_own, own_cell

__all__ = ["make_real", "parts_of", "settle_functions", "stays"]


@rule("cell")
def new_cell(m: Machine, frame: Frame, op: Operation) -> None:
    items = tuple(m.get(frame, arg) for arg in op.args)
    place = site(frame)
    assert isinstance(place, tuple)
    shared = real_cell(place) in m.refused
    if not shared and ("variable", *place[1:]) not in m.refused:
        m.set(frame, op, m.virtual(VObject("cell", object, items, site=place, extra=op.attr)))
        return
    if shared and frame.chain:
        raise Unsupported("a variable that closures share belongs to a function that is inlined", op.span)
    m.shared.add(str(op.attr))
    for item in items:
        m.escape(item)
    m.set(frame, op, m.emit("cell", items, op.attr, hint=str(op.attr), raises=False))


def real_cell(place: object) -> object:
    """The mark of cells that must be real: where the source makes them, however it was called."""
    assert isinstance(place, tuple)
    return ("cell", *place[1:])


def make_real(m: Machine, cell: VObject) -> None:
    """This cell is shared by what escapes: start again with a real one."""
    place = cell.site
    assert isinstance(place, tuple)
    if real_cell(place) in m.refused:
        raise Unsupported("a variable that closures share has no place of its own", m.span)
    m.refused.add(real_cell(place))
    if place[0]:
        m.refused.add(("unit", place[1]))
    raise Restart("a variable is shared by a function that escapes")


def parts_of(m: Machine, entry: VObject) -> tuple[FunctionFacts, FunctionFacts, FunctionAttr, tuple[Capture, ...]]:
    """Of a function made during specialization: who makes it, the function, how, and what is known of the variables
    that it captures."""
    assert isinstance(entry.extra, tuple) and isinstance(entry.site, tuple)
    maker, attr = entry.extra[:2]
    assert isinstance(maker, FunctionFacts) and isinstance(attr, FunctionAttr)
    block, index = entry.site[2:4]
    made = maker.blocks[block].ops[index - 1]
    return maker, m.nested(maker, attr.name), attr, m.definitions.captures(maker.program, maker.function.name, made.id)


def stays(m: Machine, frame: Frame, op: Operation, facts: FunctionFacts) -> bool:
    """Did this function have to stay a call, or this call of it in itself?"""
    return ("call", facts.uid) in m.refused or ("call", (frame.facts.uid, op.id)) in m.refused


def settle_functions(m: Machine) -> None:
    """Control passes to another residual function: virtual functions whose variables are real ones here become real,
    for a variable cannot be passed."""
    for oid, entry in list(m.state.heap.items()):
        if entry.kind != "function":
            continue
        count = len(parts_of(m, entry)[1].function.free)
        cells = entry.items[len(entry.items) - count :] if count else ()
        if any(type(m.state.resolve(cell)) is Dynamic for cell in cells):
            m.materialize(Virtual(oid))


def _construct_function(m: Emitter, entry: VObject) -> Dynamic:
    assert isinstance(m, Machine)
    maker, nested, attr, captures = parts_of(m, entry)
    free = nested.function.free
    move = moving(m, maker, nested)
    plain = entry.items[: len(entry.items) - len(free)]
    operands: list[AbstractValue] = list(plain)
    fresh: list[str | None] = []
    lasts: list[bool] = []
    variables: list[int] = []
    for at, cell in enumerate(entry.items[len(plain) :]):
        cell = m.state.resolve(cell)
        held = m.state.object(cell)
        variables.append(cell.oid if type(cell) is Virtual else -1)
        value = held.items[0] if held is not None and captures[at].final and held.items else None
        lasts.append(held is None or (isinstance(held.site, tuple) and not held.site[0]))
        if type(cell) is Known and not is_own(m, cell.value):
            value = content_of(m, nested, cell.value, free[at])
            if value is None:
                raise Unsupported(f"a function captures `{free[at]}` of a closure that exists already", m.span, maker)
        if value is not None:
            operands.append(value)
            fresh.append(free[at])
            _hand_over(m, nested, at, value)
            continue
        if held is not None:
            make_real(m, held)
        if type(cell) is Known:
            cell = own_cell(m, cell.value)
        operands.append(cell)
        fresh.append(None)
    for value in plain:
        m.escape(value)
    name = m.definitions.register(maker.program, attr.name, move)
    base = name.rpartition(".")[2].partition("#")[0]
    closure = Closure(attr._replace(name=name), tuple(fresh), tuple(lasts))
    hint = base if base.isidentifier() and base not in m.shared else None
    made = m.emit("closure", operands, closure, type=FunctionType, hint=hint, raises=False)
    m.captured[made.rv] = tuple(variables)
    return made


def _share_cells(m: Emitter, entry: VObject) -> None:
    """A function contains itself: if that is by a variable which must be a real one, start again with it."""
    assert isinstance(m, Machine)
    _, nested, _, captures = parts_of(m, entry)
    count = len(nested.function.free)
    for capture, cell in zip(captures, entry.items[len(entry.items) - count :] if count else ()):
        held = m.state.object(cell)
        if held is not None and not (capture.final and held.items):
            make_real(m, held)


# -- what a closure may do to what it captures

_READING: Final = frozenset({"truth", "not", "is", "is_not"})
_FINDING: Final = frozenset({"in", "not_in"})
"""What is looked for may be of a class that gets to see the items, when it is compared with them."""
_COMPARING: Final = frozenset({"eq", "ne", "lt", "le", "gt", "ge", "add", "mul"})
"""The other operand may be of a class that gets to see the container itself."""
_TAKING: Final = frozenset({"getitem", "iter", "unpack", *_COMPARING})
_PLAIN: Final = frozenset({list, dict, set, frozenset, tuple})
_LOOKING: Final = frozenset({"get", "index", "count", "items", "keys", "values", "startswith", "endswith"})


def _hand_over(m: Machine, nested: FunctionFacts, at: int, value: AbstractValue) -> None:
    """The closure lives on with this value: static objects in it are not static any more, unless it only reads them."""
    statics = [leaf.value for leaf in m.state.leaves(value) if type(leaf) is Known and is_mutable(leaf.value)]
    if not statics:
        return
    cell = nested.function.entry.params[len(nested.function.signature.names) + at]
    if type(value) is Known and only_reads_fields(nested, cell, value.value):
        return
    flat = all(not is_mutable(item) for held in statics for item in gc.get_referents(held))
    if not _all_plain(statics) or not only_reads(nested.program, nested.function, at, flat):
        m.escape(value)


def _all_plain(values: Sequence[object]) -> bool:
    """Are these and all that can be changed in them containers of builtin classes, which run no code of the program?"""
    seen: set[int] = set()
    work = list(values)
    while work:
        value = work.pop()
        if id(value) in seen or not is_mutable(value):
            continue
        seen.add(id(value))
        if type(value) not in _PLAIN:
            return False
        work.extend(gc.get_referents(value))
    return True


def only_reads(program: Program, function: Function, at: int, flat: bool) -> bool:
    """Does the function nothing with its free variable number `at` but look into it?  `flat` means that what is found
    in the value cannot be changed."""
    cell = function.entry.params[len(function.signature.names) + at]
    held: set[int] = set()
    looking: set[int] = set()
    constants: set[int] = set()
    for block in _in_order(function):
        for op in block.ops:
            if op.name == "const":
                constants.update(op.results)
            elif op.name == "cell_get" and op.args[0] == cell:
                held.update(op.results)
            elif isinstance(op.attr, FunctionAttr) and cell in op.args:
                inner = program[op.attr.name]
                cells = op.args[len(op.args) - len(inner.free) :]
                if not all(only_reads(program, inner, i, flat) for i, other in enumerate(cells) if other == cell):
                    return False
            elif op.name == "getattr" and op.args[0] in held and op.attr in _LOOKING:
                looking.update(op.results)
            elif op.name == "call" and op.args[0] in looking and not held.intersection(op.args):
                if not flat:
                    held.update(op.results)
            elif looking.intersection(op.args) or (
                op.name in _COMPARING and held.intersection(op.args) and not constants >= {*op.args} - held
            ):
                return False
            elif op.name in _TAKING and held.intersection(op.args):
                if not flat or op.name == "iter":
                    held.update(op.results)
            elif op.name in _FINDING and held.intersection(op.args[:1]):
                return False
            elif op.name not in _READING and held.intersection(op.args):
                if op.name not in _FINDING or not flat:
                    return False
        end = block.terminator
        if looking.intersection(end.args) or any(looking.intersection(edge.args) for edge in end.edges):
            return False
        taken = held.intersection(end.args) or any(held.intersection(edge.args) for edge in end.edges)
        if taken and not (flat and end.name == "next" and not any(held.intersection(edge.args) for edge in end.edges)):
            return False
        if block.handler is not None and held.intersection(block.handler.args):
            return False
    return True


def _in_order(function: Function):  # type: ignore[no-untyped-def]
    """The blocks so that definitions come before uses."""
    facts = FunctionFacts(Program(function.name, (function,)), function, {})
    return sorted(function.blocks, key=lambda block: facts.position.get(block.id, len(function.blocks)))


# -- generators that were not started


def _construct_generator(m: Emitter, entry: VObject) -> Dynamic:
    where = entry.extra
    if isinstance(where, Suspension) and entry.cls is not GeneratorType:
        m.refuse(("call", where.chain[-1]), "an iterator of its own class escapes")
    if isinstance(where, tuple) and not isinstance(where, Suspension):
        m.refuse(("call", where[1]), "an iterator of its own class escapes")
    if not isinstance(where, Suspension) or where.waiting is not None:
        assert isinstance(m, Machine)
        start_over(m, entry, STARTED)
    if where.made_by is None:
        raise Unsupported(STARTED, m.span)
    signature = where.facts.function.signature
    values = arguments_of(entry)
    names = signature.names
    given, cells = values[: len(names)], values[len(names) :]
    maker = where.made_by
    if isinstance(maker, tuple):
        facts, attr, place = maker
        bare = attr._replace(defaults=0, kwdefaults=(), annotations=())
        made = VObject("function", FunctionType, tuple(cells), site=place, extra=(facts, bare))
        function: AbstractValue = m.virtual(made)
    else:
        function = Known(maker)
    if names == (".0",):
        return _construct_expression(m, function, given[0])
    marks = ["" for _ in (*signature.posonly, *signature.regular)]
    at = len(marks)
    order = list(range(at))
    stars = names.index(signature.varargs) if signature.varargs is not None else -1
    if stars >= 0:
        order.append(stars)
        marks.append("*")
    for name in signature.kwonly:
        order.append(names.index(name))
        marks.append(name)
    if signature.varkw is not None:
        order.append(names.index(signature.varkw))
        marks.append("**")
    shape = tuple(marks) if any(marks) else None
    operands = [function, *(given[place] for place in order)]
    # What has something to do when it is dropped is made where it is used: no variable keeps it any longer.
    return m.emit("call", operands, shape, type=GeneratorType, raises=len(where.facts.function.regions) > 1)


def _construct_expression(m: Emitter, function: AbstractValue, iterator: AbstractValue) -> Dynamic:
    """A generator expression: what it iterates over, then the function, its iterator and the call as one expression."""
    entry = m.state.object(iterator)
    last = m.block.ops[-1] if m.block.ops else None
    raises = False
    if entry is not None and entry.kind == "iterator" and _is_fresh(m, entry):
        source: AbstractValue = Dynamic(m.lift(entry.items[0]))
    elif type(iterator) is Dynamic and last is not None and last.name == "iter" and last.results == (iterator.rv,):
        source, raises = Dynamic(last.args[0]), not last.pure
        m.block.ops.pop()
    else:
        source = m.emit("call", (Known(iterating), iterator), raises=False)
    made = Dynamic(m.lift(function))
    return m.emit("call", (made, m.emit("iter", (source,), raises=raises)), type=GeneratorType, raises=False)


def _is_fresh(m: Emitter, entry: VObject) -> bool:
    """Is this an iterator over a sequence that gave no item yet?"""
    position = m.state.resolve(entry.items[1])
    return entry.extra == "sequence" and len(entry.items) == 2 and type(position) is Known and not position.value


CONSTRUCTORS["function"] = _construct_function
CONSTRUCTORS["generator"] = _construct_generator
CYCLE_BREAKERS["function"] = _share_cells
