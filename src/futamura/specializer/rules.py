"""What each operator does to abstract values: fold, act on a virtual object, or stay.

    add  Known 1, Known 2         ->  Known 3
    add  Dynamic int, Known 2     ->  emitted, an int
    list x, y                     ->  a virtual list
    getitem virtual list, Known 0 ->  its first item

`RULES` maps the name of each operator to its rule.  A rule that cannot decide emits the operation.
Attributes live in `attributes`, calls in `calls`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Final

from futamura.ir.attributes import FunctionAttr
from futamura.ir.classes import extends, is_a
from futamura.ir.constant import Constant, makes_nan
from futamura.ir.evaluate import BINARY, COMPARE, INPLACE, UNARY, unbound
from futamura.ir.graph import Operation
from futamura.ir.ops import OPERATORS
from futamura.specializer.bounds import by_law, cannot_fail, compared, least_of_result, note_sum, note_test
from futamura.specializer.builtin_errors import exception_classes
from futamura.specializer.derived import note_source, unchanged
from futamura.specializer.handling import about_caught, is_caught, loses_context
from futamura.specializer.machine import Machine
from futamura.specializer.plainness import always_true, comparable, is_record, keeps_operator, stands_for
from futamura.specializer.policy import SMALL_MODULUS
from futamura.specializer.purity import ATOMS, DICTS, HEAP_TYPE, cheap, class_lookup, deep
from futamura.specializer.refinement import about_operands, answer, asked_of_none, asks_plainly, matches, refused_by
from futamura.specializer.selfsame import is_plain_tuple, joined_with_nothing
from futamura.specializer.speculation import likely
from futamura.specializer.state import OLDEST, Frame
from futamura.specializer.taking import items_taken
from futamura.specializer.values import (
    FUNCTIONS,
    About,
    AbstractValue,
    Dynamic,
    Known,
    Virtual,
    VObject,
    has_identity,
    token_key,
)
from futamura.specializer.variables import own_cell, read_variable, write_variable

__all__ = [
    "OPERATOR_CALLS",
    "RULES",
    "SPECIAL",
    "Rule",
    "derived_age",
    "exact_type",
    "extend_in_place",
    "group",
    "hint_of",
    "rule",
    "sequence_items",
    "site",
]

Rule = Callable[[Machine, Frame, Operation], None]
RULES: Final[dict[str, Rule]] = {}
OPERATOR_CALLS: Final[dict[str, Callable[[Machine, Frame, Operation, list[AbstractValue]], bool]]] = {}
"""Operators that a user's class may define: enters the method, or says that it does not."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    def register(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return register


_UNTYPED: Final = frozenset({"class of", "cell", *FUNCTIONS, "bound", "method", "iterator"})


def exact_type(m: Machine, value: AbstractValue) -> type | None:
    """The exact class of `value`, if it is known."""
    if type(value) is Known:
        cls = type(value.value)
        return cls if m.world.assumes or not cls.__flags__ & HEAP_TYPE else None
    if type(value) is Dynamic:
        return value.type
    entry = m.state.object(value)
    if entry is None or entry.kind in _UNTYPED:
        return None
    return entry.cls


def site(frame: Frame) -> object:
    return (frame.chain, frame.facts.uid, frame.block, frame.index)


# -- constants, names


@rule("const")
def const(m: Machine, frame: Frame, op: Operation) -> None:
    assert type(op.attr) is Constant
    frame.env[op.results[0]] = Known(op.attr.value)


@rule("copy")
def copy(m: Machine, frame: Frame, op: Operation) -> None:
    values = [frame.env[arg] for arg in op.args]
    for result, value in zip(op.results, values, strict=True):
        frame.env[result] = value


# -- arithmetic and comparison

_IMMUTABLE: Final = frozenset({int, float, bool, complex, str, bytes, tuple, frozenset, range, type(None)})
_BUILTIN: Final[frozenset[type | None]] = frozenset({*_IMMUTABLE, list, dict, set, slice})
_BY_NAME: Final = {kind.__name__: kind for kind in _BUILTIN if kind is not None}
_EQUALITY, _LOOKING = frozenset({"eq", "ne"}), frozenset({"is", "is_not", "eq", "ne"})
_BITS: Final = frozenset({"or", "and", "xor", "ior", "iand", "ixor", "invert"})
_BY_EQUALITY: Final = frozenset({list, tuple, dict, set, frozenset})
"""Two of the same class are equal or not, whatever their items say."""


def result_type(name: str, types: list[type | None]) -> type | None:
    """The exact class of the result of an arithmetic operator on operands of these exact classes."""
    return _BY_NAME.get(OPERATORS[name].result_type(_names(types)))


def may_raise(name: str, types: list[type | None]) -> bool:
    row = OPERATORS[name]
    return not row.silent and bool(row.raises(_names(types)))


def _names(types: list[type | None]) -> tuple[str, ...]:
    return tuple(["object" if kind is None or kind not in _BUILTIN else kind.__name__ for kind in types])


def _shows_itself(name: str, values: tuple[object, ...]) -> bool:
    """Does the operator see more of an operand than its number or text: which object it is, what its `__str__` says?"""
    return name in ("is", "is_not") or (name in ("mod", "imod") and is_a(values[0], (str, bytes)))


def fold(m: Machine, name: str, values: tuple[object, ...]) -> tuple[object, ...] | None:
    """The result of a builtin operator on builtin operands, in a tuple; None if it must stay."""
    check, plain = comparable if name in _LOOKING else deep, ATOMS.issuperset(map(type, values))
    if not plain and not _shows_itself(name, values) and not all(map(deep, values)):
        values = tuple([stands_for(value, name in _BITS) for value in values])
    if not (plain or all(check(value) for value in values)) or not cheap(name, values):
        return None
    evaluate = OPERATORS[name].evaluate
    assert evaluate is not None
    try:
        found = evaluate(values, None)
    except Exception:
        return None
    return None if makes_nan(found, values) else (found,)


def derived_age(m: Machine, name: str, values: tuple[object, ...], args: list[AbstractValue]) -> int:
    """The provenance of a computed value: comparison results and small remainders are finite."""
    if name in COMPARE or name in ("not", "truth"):
        return 0
    if name in ("mod", "imod", "and", "iand"):
        right = values[1]
        if isinstance(right, int) and 0 <= right <= SMALL_MODULUS:
            return 0
    age = max(m.state.age(arg) for arg in args)
    return age if age & 1 or age >= OLDEST else age + 1


@rule(*BINARY, *INPLACE, *COMPARE, *UNARY)
def arithmetic(m: Machine, frame: Frame, op: Operation) -> None:
    operate(m, frame, op, [m.get(frame, arg) for arg in op.args])


def operate(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> None:
    """Apply the operator of `op` to `args`."""
    name = op.operator.name
    if name in ("is", "is_not") and not any(type(arg) is Known and _singleton(arg.value) for arg in args):
        m.compared.update(token_key(arg.value) for arg in args if type(arg) is Known and has_identity(arg.value))
    values = tuple([arg.value for arg in args if type(arg) is Known])
    if len(values) == len(args):
        folded = fold(m, name, values)
        if folded is not None:
            m.folded += 1
            if name == "eq" and folded[0] is True:
                for arg in args:
                    m.validate(arg)
            elif name in ("not", "truth"):
                m.decided.update((-arg.vid or id(arg), arg) for arg in args if type(arg) is Known)
            computed = unchanged(m, folded[0], args)
            if computed is None:
                computed = m.known(folded[0], derived_age(m, name, values, args))
                note_source(m, name, computed, args)
            m.set(frame, op, computed)
            return
    for special in SPECIAL.get(name, ()):
        result = special(m, frame, op, args)
        if result is not None:
            m.folded += 1
            m.set(frame, op, result)
            return
    operator_call = OPERATOR_CALLS.get(name)
    if operator_call is not None and operator_call(m, frame, op, args):
        return
    name, args = asked_of_none(name, args)
    args = likely(m, frame, op, name, args) if m.state.overlays else args
    types = [exact_type(m, arg) for arg in args]
    base = name[1:] if name in INPLACE and types[0] in _IMMUTABLE else name
    lawful = by_law(base, args, types)
    simpler = compared(m, name, args, types) if lawful is None else None
    if lawful is not None or type(simpler) is bool:
        m.folded += 1
        m.set(frame, op, Known(simpler) if lawful is None else lawful)
        return
    if type(simpler) is tuple:
        name, args = simpler
    decided = name in _EQUALITY and types[0] is types[1] in _BY_EQUALITY
    kind = bool if decided or m.world.compares_to_bool(name, types) else result_type(name, types)
    raises = may_raise(name, types) and not asks_plainly(name, args) and not cannot_fail(name, args, types)
    if name in INPLACE and types[0] in _IMMUTABLE and not raises:
        name = name[1:]  # there is nothing to change in place, and no error that would name the operator
    elif name in INPLACE:
        m.writes(args[0])
    hint = hint_of(frame, op)
    shape = least_of_result(base, args) if kind is int else None
    made = m.emit(name, args, type=kind, hint=hint, raises=raises, shape=shape)
    if hint is None:
        note_sum(m, base, args, types, made)
    if kind is bool:
        note_test(m, name, args, types, made)
    m.set(frame, op, made)
    about = about_operands(m.state, name, args) or about_caught(m.state, name, args)
    if about is not None:
        m.state.abouts[made.rv] = about


def hint_of(frame: Frame, op: Operation) -> str | None:
    return frame.facts.function.hints[op.results[0]] if op.results else None


Special = Callable[[Machine, Frame, Operation, list[AbstractValue]], AbstractValue | None]


def _identity(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    left, right = args
    same: bool | None = None
    if type(left) is Virtual or type(right) is Virtual:
        if _unnameable(m, left) or _unnameable(m, right):
            none = any(type(value) is Known and value.value is None for value in args)
            return Known(op.operator.name != "is") if none else None
        same = type(left) is Virtual and type(right) is Virtual and left.oid == right.oid
    elif type(left) is Known and type(right) is Known:
        if left.value is right.value:
            same = True
        elif _singleton(left.value) or _singleton(right.value) or not (deep(left.value) and deep(right.value)):
            same = False
    else:
        known, other = (left, right) if type(left) is Known else (right, left)
        if type(left) is Dynamic and type(right) is Dynamic and left.rv == right.rv:
            same = True
        elif (type(known) is Known and known.value is None and is_caught(m.state, other)) or (
            type(known) is Known
            and type(other) is Dynamic
            and other.type is not None
            and type(known.value) is not other.type
        ):
            same = False
        elif type(known) is Known and type(other) is Dynamic:
            same = _same_by_class(m, known.value, other)
    if same is None:
        return None
    return Known(same if op.operator.name == "is" else not same)


def _same_by_class(m: Machine, value: object, other: Dynamic) -> bool | None:
    """Is `other` this very object, as far as what is known of classes tells?"""
    about = m.state.abouts.get(other.rv)
    if about is not None and about.kind == "class" and is_a(value, type):
        return answer(Dynamic(about.subject, None, None, about.held), (value,), exact=True)
    if value is None and answer(other, (type(None),), exact=True):
        return True
    return False if refused_by(other, value) else None


def _unnameable(m: Machine, value: AbstractValue) -> bool:
    """Virtual immutable objects have no identity of their own to compare by."""
    entry = m.state.object(value)
    return entry is not None and (
        entry.kind in ("class of", "traceback") or (entry.kind == "tuple" and not entry.items)
    )


def _singleton(value: object) -> bool:
    return value is None or value is Ellipsis or value is NotImplemented or type(value) is bool


def _length_truth(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    value = args[0]
    negate = op.operator.name == "not"
    entry = m.state.object(value)
    if entry is not None:
        if entry.kind in ("list", "tuple", "dict", "set", "deque"):
            return Known(bool(entry.items) is not negate)
        if entry.kind == "view":
            return _length_truth(m, frame, op, [m.state.resolve(entry.items[0])])
        if entry.kind in ("instance", "exception"):
            return Known(not negate) if always_true(entry.cls, m.assume_attribute) else None
        return Known(not negate) if entry.kind != "class of" else None
    if type(value) is Dynamic and value.type is bool and not negate:
        return value
    if type(value) is Dynamic and (about := m.state.abouts.get(value.rv)) is not None and about.kind == "filled":
        return Known(not negate)
    if type(value) is Known:
        content = value.value
        if (type(content) is list or type(content) in DICTS) and m.frozen(content):
            assert isinstance(content, (list, dict))
            return Known(bool(content) is not negate)
        if is_a(content, type) and type(content) is not type:
            return None
        if is_record(type(content)) or deep(stands_for(content)):
            return Known(bool(content) is not negate)
        if always_true(type(content), m.assume_attribute):
            return Known(not negate)
    return None


_GROUPS: Final[dict[type, str]] = {
    **dict.fromkeys((int, float, bool, complex), "number"),
    **dict.fromkeys((set, frozenset), "set"),
    **{kind: kind.__name__ for kind in (list, tuple, dict, range, slice, type(None), FunctionType)},
    **dict.fromkeys((str, bytes), "text"),  # these may be warned about
}
"""Builtin classes that answer NotImplemented when they are compared with one of another group."""


def _unequal(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`==` and `!=` of values that cannot be equal: of unrelated builtin classes, or lists of different lengths."""
    left, right = (group(m, arg) for arg in args)
    if left is None or right is None:
        return None
    if left == right:
        if left != "list":
            return None
        items = [sequence_items(m, arg) for arg in args]
        if items[0] is None or items[1] is None or len(items[0][1]) == len(items[1][1]):
            return None
    return Known(op.operator.name == "ne")


def group(m: Machine, value: AbstractValue) -> str | None:
    entry = m.state.object(value)
    if entry is not None and entry.kind == "function":
        return _GROUPS[FunctionType]
    kind = exact_type(m, value)
    found = None if kind is None else _GROUPS.get(kind)
    return "tuple" if found is None and kind is not None and is_record(kind) else found


def _taken(m: Machine, value: AbstractValue, kind: type) -> tuple[type, tuple[AbstractValue, ...]] | None:
    """The items of an open list or tuple of this kind, if their number is promised, taken one by one."""
    items = items_taken(m, value) if exact_type(m, value) is kind else None
    return None if items is None else (kind, items)


def _concatenate(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    left, right = (sequence_items(m, arg) for arg in args)
    if op.operator.name == "add" and (left is None) is not (right is None):
        kind = (left or right or (list,))[0]
        left, right = (found or _taken(m, arg, kind) for found, arg in zip((left, right), args, strict=True))
    if left is None or right is None or left[0] is not right[0] or not _keep(m, "add", args):
        return None
    if left[0] is list and op.operator.name == "iadd":
        return extend_in_place(m, args[0], right[1])
    if len(left[1]) + len(right[1]) > m.budget.virtual_length:
        return None
    if (same := joined_with_nothing(m, args[0], args[1], (len(left[1]), len(right[1])))) is not None:
        return same
    return m.virtual(VObject(left[0].__name__, left[0], (*left[1], *right[1]), site=site(frame)))


def _keep(m: Machine, stem: str, args: Sequence[AbstractValue]) -> bool:
    """Have these sequences the operator of lists and tuples, whatever class they are of?"""
    for cls in (exact_type(m, arg) for arg in args):
        if cls is None or (issubclass(cls, (list, tuple)) and not keeps_operator(cls, stem)):
            return False
        for name in (f"__{stem}__", f"__r{stem}__") if cls.__flags__ & HEAP_TYPE else ():
            m.assume_attribute(cls, name, class_lookup(cls, name))
    return True


def extend_in_place(m: Machine, target: AbstractValue, items: tuple[AbstractValue, ...]) -> AbstractValue | None:
    entry = m.state.object(target)
    if entry is None or type(target) is not Virtual:
        return None
    m.state.heap[target.oid] = entry._replace(items=(*entry.items, *items))
    return target


def _repeat(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    for sequence, count in (args, args[::-1]):
        entry = m.state.object(sequence)
        if (
            entry is None
            or entry.kind not in ("list", "tuple")
            or type(count) is not Known
            or type(count.value) is not int
            or not _keep(m, "mul", [sequence])
        ):
            continue
        if op.operator.name == "imul" and entry.kind == "list":
            return None
        if abs(count.value) > sys.maxsize or len(entry.items) * max(count.value, 0) > m.budget.virtual_length:
            return None
        if count.value == 1 and is_plain_tuple(m, sequence):
            return sequence
        kind = list if entry.kind == "list" else tuple
        return m.virtual(entry._replace(cls=kind, items=entry.items * count.value, site=site(frame)))
    return None


SPECIAL: Final[dict[str, list[Special]]] = {
    "is": [_identity],
    "is_not": [_identity],
    "truth": [_length_truth],
    "not": [_length_truth],
    "add": [_concatenate],
    "iadd": [_concatenate],
    "mul": [_repeat],
    "imul": [_repeat],
    "eq": [_unequal],
    "ne": [_unequal],
}
"""What operators do to virtual objects, tried one after the other: the result, or None."""


def sequence_items(m: Machine, value: AbstractValue) -> tuple[type, tuple[AbstractValue, ...]] | None:
    """The items of a list or tuple whose shape is known: virtual, or a constant tuple."""
    entry = m.state.object(value)
    if entry is not None and entry.kind in ("list", "tuple"):
        return (list if entry.kind == "list" else tuple), entry.items
    if type(value) is Known and (type(value.value) is tuple or is_record(type(value.value))):
        assert isinstance(value.value, tuple)
        for item in value.value:
            m.reads(value.value, item)
        return tuple, tuple(m.known(item, m.state.age(value)) for item in value.value)
    if type(value) is Known and type(value.value) is list and m.frozen(value.value):
        if len(value.value) > m.budget.virtual_length:
            return None
        for item in value.value:
            m.reads(value.value, item)
        return list, tuple(Known(item) for item in value.value)
    return None


# -- cells and functions


def _raise_unbound(m: Machine, name: str, scope: str) -> None:
    """Read a variable that has no value."""
    if scope != "local":  # its exception has the name as an attribute
        exception = m.emit("call", (Known(unbound), Known(name), Known(scope)), type=NameError, raises=False)
        _raise_built(m, exception, NameError)
        return
    text = str(unbound(name, scope))
    made = m.virtual(VObject("exception", UnboundLocalError, (Known(text),), site=("unbound", name)))
    if m.catching_frame() is not None and not m.catches_for_real() and not loses_context(m.state, made, m.refused):
        m.unwind(made)
        return
    _raise_built(m, made, UnboundLocalError)


def _raise_built(m: Machine, exception: AbstractValue, cls: type) -> None:
    lifted = m.lift(exception)
    m.observe()
    m.protect(cls)
    m.end("raise", (lifted,))


@rule("cell_get")
def cell_get(m: Machine, frame: Frame, op: Operation) -> None:
    cell = m.get(frame, op.args[0])
    entry = m.state.object(cell)
    if entry is not None and entry.items:
        m.set(frame, op, entry.items[0])
        return
    if entry is not None:
        assert isinstance(op.attr, tuple)
        _raise_unbound(m, *op.attr)
        return
    if type(cell) is Known:
        m.set(frame, op, read_variable(m, frame, cell, op, hint_of(frame, op)))
        return
    m.set(frame, op, m.emit("cell_get", (cell,), op.attr, hint=hint_of(frame, op)))


@rule("cell_set")
def cell_set(m: Machine, frame: Frame, op: Operation) -> None:
    value, cell = (m.get(frame, arg) for arg in op.args)
    entry = m.state.object(cell)
    if entry is not None and type(cell) is Virtual:
        m.state.heap[cell.oid] = entry._replace(items=(value,))
        made = m.origins.get(value.rv) if type(value) is Dynamic else None
        if made is None or made.name == "next":  # what an operation gives may well have no name
            m.hint(value, entry.extra)
        return
    m.writes(cell)
    m.escape(value)
    write_variable(m, cell, value, op)


@rule("cell_del")
def cell_del(m: Machine, frame: Frame, op: Operation) -> None:
    cell = m.get(frame, op.args[0])
    entry = m.state.object(cell)
    if entry is not None and type(cell) is Virtual:
        if entry.items:
            m.state.heap[cell.oid] = entry._replace(items=())
        else:
            assert isinstance(op.attr, tuple)
            _raise_unbound(m, *op.attr)
        return
    m.writes(cell)
    if type(cell) is Known:
        cell = own_cell(m, cell.value)
    m.emit("cell_del", (cell,), op.attr, results=0)


@rule("function")
def make_function(m: Machine, frame: Frame, op: Operation) -> None:
    assert isinstance(op.attr, FunctionAttr)
    items = tuple(m.get(frame, arg) for arg in op.args)
    entry = VObject("function", type(make_function), items, site=site(frame), extra=(frame.facts, op.attr))
    m.set(frame, op, m.virtual(entry))


# -- the rest stays


@rule("exc_match")
def exc_match(m: Machine, frame: Frame, op: Operation) -> None:
    exception, cls = (m.get(frame, arg) for arg in op.args)
    kind = exact_type(m, exception)
    clause = cls.value if type(cls) is Known else None
    entry = m.state.object(cls)
    if entry is not None and entry.kind == "tuple" and all(type(item) is Known for item in entry.items):
        clause = tuple([item.value for item in entry.items if type(item) is Known])
    proper = exception_classes(clause)
    classes = clause if is_a(clause, tuple) else (clause,)
    if kind is not None and proper:
        m.folded += 1
        m.set(frame, op, Known(extends(kind, *classes)))
        return
    if proper:
        held = matches(exception, classes)
        if held is not None:
            m.folded += 1
            m.set(frame, op, Known(held))
            return
    made = m.emit("exc_match", (exception, cls), type=bool, raises=not proper)
    if type(exception) is Dynamic and type(cls) is Known and cls.value is StopIteration:
        m.state.abouts[made.rv] = About("caught", exception.rv)
    m.set(frame, op, made)


@rule("match_sequence", "match_mapping")
def match_shape(m: Machine, frame: Frame, op: Operation) -> None:
    subject = m.get(frame, op.args[0])
    kind = exact_type(m, subject)
    sequence = op.operator.name == "match_sequence"
    if kind in (list, tuple, range):
        m.set(frame, op, Known(sequence))
    elif kind is dict:
        m.set(frame, op, Known(not sequence))
    elif kind in (str, bytes, int, float, bool, type(None), set, frozenset):
        m.set(frame, op, Known(False))
    else:
        m.set(frame, op, m.emit(op.operator.name, (subject,), type=bool))
