"""Operators of user classes: the methods that Python would try, entered in its order.

p + q        p a Point                          ->    `Point.__add__` in line; NotImplemented asks for `__radd__`
p * x        x not known, Point has no subclass ->    `Point.__mul__` in line
p == q, if p, len(p), x in p, -p, p[i]          ->    the method in line

Invariant: an operator is entered only where the classes decide which methods are tried; where an unknown operand could
decide after all, the attempt is refused and the operation stays (`answering.undecided`).
"""

from __future__ import annotations

from types import FunctionType, MemberDescriptorType
from typing import Final, NamedTuple

from futamura.ir.classes import extends, is_a
from futamura.ir.graph import Operation
from futamura.runtime import answered
from futamura.specializer import answering, comparing, iterators, library
from futamura.specializer.attributes import assume_plain_field, store_field
from futamura.specializer.bounds import items_of
from futamura.specializer.calls import enter
from futamura.specializer.extended import inherited
from futamura.specializer.flags import is_plain_flag, with_plain_flag
from futamura.specializer.generators import is_generator, is_iterator
from futamura.specializer.handing_over import hand_over
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.marks import unrolled
from futamura.specializer.models import HANDLED, KEYWORD_MODELS, MODELS, Keywords, iterator_over
from futamura.specializer.plain_copies import plainly, to_ask
from futamura.specializer.plainness import is_record
from futamura.specializer.purity import HEAP_TYPE, MISSING, class_lookup, deep, is_data
from futamura.specializer.records import readable
from futamura.specializer.rules import OPERATOR_CALLS, SPECIAL, exact_type, operate, rule, sequence_items, site
from futamura.specializer.speculation import in_general
from futamura.specializer.state import Frame
from futamura.specializer.stepping import is_stepping, stepping
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Shape

__all__ = ["get_item", "method_of", "operand_class", "own_class", "try_methods"]

_BINARY: Final[dict[str, tuple[str, str]]] = {
    "add": ("add", "+"),
    "sub": ("sub", "-"),
    "mul": ("mul", "*"),
    "truediv": ("truediv", "/"),
    "floordiv": ("floordiv", "//"),
    "mod": ("mod", "%"),
    "and": ("and", "&"),
    "or": ("or", "|"),
    "xor": ("xor", "^"),
    "lshift": ("lshift", "<<"),
    "rshift": ("rshift", ">>"),
    "matmul": ("matmul", "@"),
    "pow": ("pow", "** or pow()"),
}
_COMPARED: Final = {
    "eq": ("__eq__", "__eq__", "=="),
    "ne": ("__ne__", "__ne__", "!="),
    "lt": ("__lt__", "__gt__", "<"),
    "le": ("__le__", "__ge__", "<="),
    "gt": ("__gt__", "__lt__", ">"),
    "ge": ("__ge__", "__le__", ">="),
}
_NUMBERS: Final = frozenset({int, float, bool, complex, type(None)})
_CLOSED: Final = frozenset({*_NUMBERS, str, bytes, list, tuple, dict, set, frozenset, range, type(Ellipsis)})
"""Builtin classes that answer NotImplemented for an operand that has none of them as a base."""


class Attempt(NamedTuple):
    """A method that is tried: with the operands swapped or not, its answer negated or not."""

    method: FunctionType
    swapped: bool
    negated: bool = False


def own_class(m: Machine, value: AbstractValue) -> type | None:
    """The class of a value, if it is written in Python and has no builtin base but `object`."""
    cls = exact_type(m, value)
    if cls is None or cls in _CLOSED or not cls.__flags__ & HEAP_TYPE:
        return None
    return cls if all(base is object or base.__flags__ & HEAP_TYPE for base in cls.__mro__) else None


_MOST_COMPARED: Final = 16
"""An object is compared in line with so many items of a list or tuple."""
_ITERABLE: Final = frozenset({str, bytes, list, tuple, dict, set, frozenset, range})


def method_of(m: Machine, cls: type, name: str) -> FunctionType | None:
    """The method that the class has under `name`, if its source can be read; recorded as an assumption."""
    found = class_lookup(cls, name)
    if not is_a(found, FunctionType):
        return None
    made = readable(cls, name, found)
    if m.resolve(made) is None:
        return None
    m.assume_attribute(cls, name, found)
    return made


def _alone(m: Machine, cls: type) -> bool:
    """Is there no subclass whose reflected method would come first?"""
    if cls.__subclasses__():
        return False
    m.assume_no_subclass(cls)
    return True


# -- arithmetic


def _binary_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    name = op.operator.name
    inplace = name not in _BINARY
    stem, symbol = _BINARY[name[1:] if inplace else name]
    symbol = symbol if not inplace else "**=" if stem == "pow" else symbol + "="
    return try_methods(m, frame, op, stem, symbol, args, inplace=inplace)


def try_methods(
    m: Machine,
    frame: Frame,
    op: Operation,
    stem: str,
    symbol: str,
    args: list[AbstractValue],
    *,
    inplace: bool = False,
) -> bool:
    """Enter the methods `__stem__` and `__rstem__` that Python asks for two operands; `symbol` is how its error names
    the operator.  False if that is not known."""
    left, right = args
    own, other = operand_class(m, left), operand_class(m, right)
    left_type, right_type = exact_type(m, left), exact_type(m, right)
    if (own is None and other is None) or site(frame) in m.refused:
        return False
    if with_plain_flag(m, args) and all(cls is None or is_plain_flag(cls) for cls in (own, other)):
        return False
    attempts: list[Attempt] = []
    if own is None and left_type not in _CLOSED:
        return False
    if own is None and ((left_type in (str, bytes) and stem == "mod") or (left_type is dict and inplace)):
        return False  # `text % x` shows whatever `x` is, `table |= x` takes whatever has keys: `x` is not asked first
    if inplace and own is not None and class_lookup(own, f"__i{stem}__") is not MISSING:
        method = method_of(m, own, f"__i{stem}__")
        found = [] if method is None else [Attempt(method, False)]
        return bool(found) and _enter_attempts(m, frame, op, found, args, symbol, "")
    unknown = right_type is None
    if unknown and (own is None or not _alone(m, own)):
        return False
    if right_type is not None and other is None and right_type not in _CLOSED:
        return False
    if other is not None and own_class(m, right) is None and left_type in _SEQUENCES:
        return False  # a tuple behind a record's method: it may be appended
    decided = not unknown and left_type not in _SEQUENCES and not (stem == "mul" and right_type in _SEQUENCES)
    names = [(own, f"__{stem}__", False), (other if other is not own else None, f"__r{stem}__", True)]
    if own is not None and other is not None and own is not other and extends(other, own):
        if class_lookup(other, f"__r{stem}__") is not class_lookup(own, f"__r{stem}__"):
            names.reverse()
    for cls, method_name, swapped in names:
        if cls is None or class_lookup(cls, method_name) is MISSING:
            if cls is not None:
                m.assume_attribute(cls, method_name, MISSING)
            continue
        method = method_of(m, cls, method_name)
        if method is None:
            return False
        attempts.append(Attempt(method, swapped))
    if not attempts or any("__index__" in base.__dict__ for cls in (own, other) if cls for base in cls.__mro__):
        return False
    return _enter_attempts(m, frame, op, attempts, args, symbol, None if decided else f"__r{stem}__" if unknown else "")


_SEQUENCES: Final = frozenset({str, bytes, list, tuple})


def operand_class(m: Machine, value: AbstractValue) -> type | None:
    """The class of an operand that may have methods of its own for it: one without builtin base, or of a named tuple.
    What that has of `tuple` is no such method."""
    cls = exact_type(m, value)
    return cls if cls is not None and issubclass(cls, tuple) and is_record(cls) else own_class(m, value)


def _enter_attempts(
    m: Machine,
    frame: Frame,
    op: Operation,
    attempts: list[Attempt],
    args: list[AbstractValue],
    symbol: str,
    other: str | None,
) -> bool:
    """`other` names the method of an operand of unknown class that is asked after them; "" if that is not known."""
    left, right = args
    if len(attempts) > 2:
        return False
    given: list[AbstractValue] = []
    for attempt in attempts:
        first, second = (right, left) if attempt.swapped else (left, right)
        given += [Known(attempt.method), first, second, Known(attempt.negated)]
    chosen = answering.tried_once if len(attempts) == 1 else answering.tried_twice
    return enter(m, frame, op, chosen, [*given, left, right, Known(symbol), Known(other)])


# -- comparison


_CONSTANTS: Final = frozenset({str, bytes, int, bool, type(None)})
"""What is of these classes equals itself."""


def _ways_to_compare(m: Machine, args: list[AbstractValue]) -> tuple[str, ...] | None:
    """How the items of two tuples or lists are compared one by one; None unless some of them compare by a method."""
    found = [sequence_items(m, arg) for arg in args]
    if found[0] is None or found[1] is None or found[0][0] is not found[1][0]:
        return None
    kind, left, right = found[0][0], found[0][1], found[1][1]
    if min(len(left), len(right)) > _MOST_COMPARED or (kind is list and len(left) != len(right)):
        return None
    ways = []
    for pair in zip(left, right):
        one, other = (m.state.resolve(item) for item in pair)
        if any(own_class(m, item) is not None and type(item) is not Dynamic for item in (one, other)):
            ways.append("objects")
        elif Dynamic not in (type(one), type(other)):
            ways.append("known")
        else:
            ways.append("values" if {exact_type(m, one), exact_type(m, other)} <= _CONSTANTS else "objects")
    compared = [own_class(m, m.state.resolve(item)) for pair in zip(left, right) for item in pair]
    by_method = any(cls is not None and class_lookup(cls, "__eq__") is not vars(object)["__eq__"] for cls in compared)
    return tuple(ways) if by_method else None


def _compare_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    equality = op.operator.name in ("eq", "ne") and site(frame) not in m.refused
    if equality and (ways := _ways_to_compare(m, args)) is not None:
        return enter(m, frame, op, comparing.equal_items, [*args, Known(ways), Known(op.operator.name == "eq")])
    name, reflected, symbol = _COMPARED[op.operator.name]
    left, right = args
    own, other = own_class(m, left), own_class(m, right)
    left_type, right_type = exact_type(m, left), exact_type(m, right)
    if site(frame) in m.refused or (own is None and other is None):
        return False
    if (own is None and left_type not in _CLOSED) or (other is None and right_type not in _CLOSED and right_type):
        return False
    if right_type is None and (own is None or not _alone(m, own)):
        return False
    order = [(own, name, False), (other, reflected, True)]
    if own is not None and other is not None and own is not other and extends(other, own):
        order.reverse()
    attempts: list[Attempt] = []
    for cls, method_name, swapped in order:
        if cls is None:
            continue
        attempt = _comparing_method(m, cls, method_name, swapped)
        if attempt is None:
            return False
        attempts += attempt
    if not attempts and symbol in ("==", "!=") and right_type is not None:
        return enter(m, frame, op, library.identical, [left, right, Known(symbol == "==")])
    if not attempts:
        return False
    return _enter_attempts(m, frame, op, attempts, args, symbol, None if right_type is not None else reflected)


def _comparing_method(m: Machine, cls: type, name: str, swapped: bool) -> list[Attempt] | None:
    """What a class contributes: its method, nothing if it has only that of `object`, None if that is not known."""
    found = class_lookup(cls, name)
    default = vars(object)[name]
    negated = False
    if name == "__ne__" and found is default:
        m.assume_attribute(cls, name, found)
        name, found, default, negated = "__eq__", class_lookup(cls, "__eq__"), vars(object)["__eq__"], True
    if found is default:
        m.assume_attribute(cls, name, found)
        return []
    method = method_of(m, cls, name)
    return None if method is None else [Attempt(method, swapped, negated)]


# -- one operand


def _unary_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    cls = None if with_plain_flag(m, args) else operand_class(m, args[0])
    method = None if cls is None else method_of(m, cls, f"__{op.operator.name}__")
    return method is not None and enter(m, frame, op, method, args)


def _truth_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    copy = plainly(m, args[0], "__len__", "__bool__")
    if type(copy) is Known and copy is not args[0]:
        m.set(frame, op, Known(bool(copy.value) is (op.operator.name != "not")))
        m.folded += 1
        return True
    cls = own_class(m, args[0])
    if cls is None or isinstance(args[0], Dynamic) or site(frame) in m.refused:
        return False
    negated = Known(op.operator.name == "not")
    by_bool = class_lookup(cls, "__bool__")
    m.assume_attribute(cls, "__bool__", by_bool)
    method = method_of(m, cls, "__bool__" if by_bool is not MISSING else "__len__")
    if method is None:
        return False
    chosen = library.truth_by_bool if by_bool is not MISSING else library.truth_by_length
    return enter(m, frame, op, chosen, [Known(method), args[0], negated])


def _member_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    item, container = args
    asked = to_ask(m, container)
    if asked is not container:
        operate(m, frame, op, [item, asked])
        return True
    entry = m.state.object(container)
    found = sequence_items(m, container)
    if found == (tuple, ()):  # lists may grow in loops that ask so first
        m.set(frame, op, Known(op.operator.name == "not_in"))
        m.folded += 1
        return True
    if entry is not None and entry.kind == "view" and entry.extra == "keys":
        target = m.state.resolve(entry.items[0])
        if exact_type(m, target) is dict:
            operate(m, frame, op, [item, target])
            return True
    if entry is not None and entry.kind == "set" and entry.cls is set:
        m.shows(entry.names)
        shown = m.emit("set", [Known(name) for name in entry.names], type=set, raises=False)
        operate(m, frame, op, [item, shown])  # asked only, so no order matters, and Python makes it once
        return True
    cls = None if with_plain_flag(m, [container]) else own_class(m, container)
    method = None if cls is None or isinstance(container, Dynamic) else method_of(m, cls, "__contains__")
    negated = Known(op.operator.name == "not_in")
    if is_generator(m, container) or is_stepping(m, container):
        equal = type(item) is Known and deep(item.value) and item.value == item.value
        among = library.equals_any if equal else library.is_among
        return enter(m, frame, op, among, [container, item, negated])
    if method is None and found is not None and len(found[1]) <= _MOST_COMPARED and _compares_itself(m, item):
        return enter(m, frame, op, library.is_among, [container, item, negated])
    return method is not None and enter(m, frame, op, library.contains, [Known(method), container, item, negated])


def _compares_itself(m: Machine, value: AbstractValue) -> bool:
    """Is this an object of which it is known how its class compares it?"""
    cls = None if isinstance(value, Dynamic) else own_class(m, value)
    return cls is not None and isinstance(class_lookup(cls, "__eq__"), FunctionType)


def get_item(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    cls = own_class(m, args[0])
    method = None if cls is None or isinstance(args[0], Dynamic) else method_of(m, cls, "__getitem__")
    return method is not None and enter(m, frame, op, method, args)


def _setitem_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    value, target, key = args
    cls = own_class(m, target)
    method = None if cls is None or isinstance(target, Dynamic) else method_of(m, cls, "__setitem__")
    return method is not None and enter(m, frame, op, method, [target, key, value])


def _delitem_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> bool:
    cls = own_class(m, args[0])
    method = None if cls is None or isinstance(args[0], Dynamic) else method_of(m, cls, "__delitem__")
    return method is not None and enter(m, frame, op, method, args)


def _length(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`len` of an instance."""
    cls = own_class(m, args[0]) if len(args) == 1 else None
    if cls is None or isinstance(args[0], Dynamic) or site(frame) in m.refused:
        return None
    method = method_of(m, cls, "__len__")
    entered = method is not None and enter(m, frame, op, library.length, [Known(method), args[0]])
    return HANDLED if entered else None


def _bool(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if len(args) != 1:
        return None
    for special in SPECIAL["truth"]:
        found = special(m, frame, op, args)
        if found is not None:
            return found
    return HANDLED if _truth_call(m, frame, op, args) else None


def _undecided(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """Reached inside an attempt: the operation of the frame below stays, in another specialization."""
    frames = m.state.frames
    below = (at for at in range(len(frames) - 1, -1, -1) if not library.is_own(frames[at].facts.namespace))
    at = next(below, 0)  # a residual function of ours may have been called for it
    m.refuse(site(frames[at]), "an operand that is not known decides which method is called")


def _answered(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """An operand of unknown class is asked, as hardly any will be: what its method may do is believed of on this way
    alone, which goes on in general code."""
    m.block.unlikely = True
    if not m.state.general and m.catching_frame() is None:
        in_general(m)
    given = (Known(answered), *args)
    hand_over(m, given)
    return m.emit("call", given)


def _set_plainly(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """`object.__setattr__(virtual, name, value)`."""
    if keywords or len(args) != 3 or type(args[1]) is not Known or type(args[1].value) is not str:
        return None
    if args[1].value == "__class__":
        raise Unsupported("the class of an object is changed", m.span, whole=True)
    entry = m.state.object(args[0])
    if entry is None or entry.kind != "instance":
        return None
    found = class_lookup(entry.cls, args[1].value)
    in_slot = type(found) is MemberDescriptorType
    if not in_slot and (is_data(found) or not entry.cls.__dictoffset__):
        return None
    if not store_field(m, args[0], args[1].value, args[2]):
        return None
    assume_plain_field(m, entry.cls, args[1].value, found)
    return NONE


# -- iteration


@rule("iter")
def make_iterator(m: Machine, frame: Frame, op: Operation) -> None:
    source = m.get(frame, op.args[0])
    if library.is_own(frame.facts.namespace) and _is_called_iterator(frame, op.args[0]):
        unrolled(m, frame, op, source)
        m.set(frame, op, source)
        return
    iterator = _iterator_of(m, frame, op, [source])
    if iterator is None and type(source) is Dynamic and source.type is enumerate:
        m.set(frame, op, m.emit("iter", (source,), type=enumerate, raises=False, shape=source.shape))
    elif iterator is None:
        items = items_of(source) or _of_new_list(m, frame, op, source)
        quiet = items is not None or exact_type(m, source) in _ITERABLE
        m.set(frame, op, m.emit("iter", (source,), raises=not quiet, shape=items))
    elif iterator is not HANDLED:
        unrolled(m, frame, op, iterator)
        m.set(frame, op, iterator)


def _of_new_list(m: Machine, frame: Frame, op: Operation, source: AbstractValue) -> Shape | None:
    """What is known of the items of a list that a method just made (`line.split(",")`), and that nothing else holds."""
    if type(source) is not Dynamic or source.type is not list or source.shape is None or source.shape.element is None:
        return None
    call, made = frame.facts.iterated.get(op.args[0]), m.origins.get(source.rv)
    if call is None or made is None or made.name != "call" or made.where is not frame.facts or made.span != call.span:
        return None
    return Shape(element=source.shape.element, iterates=True)


def _is_called_iterator(frame: Frame, value: int) -> bool:
    """Does our own code say of this value that it is an iterator already?"""
    return (frame.facts.function.hints[value] or "").endswith("iterator")


def _iterator_of(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if len(args) != 1:
        return None
    source = args[0]
    held = inherited(m, source, "__iter__")
    source = source if held is None else held[0]
    iterator = iterator_over(m, frame, source)
    if iterator is not None:
        return iterator
    if type(source) is Dynamic and exact_type(m, source) in _ITERABLE and library.is_own(frame.facts.namespace):
        return m.emit("iter", (source,), raises=False)
    cls = own_class(m, source)
    if cls is None or isinstance(source, Dynamic) or site(frame) in m.refused:
        return None
    method = method_of(m, cls, "__iter__")
    entered = method is not None and enter(m, frame, op, library.iterate, [Known(method), source])
    return HANDLED if entered else None


def _iter_call(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`iter(items)`; in functions of ours it is the operation, whose iterator may be another one for loops."""
    found = _iterator_of(m, frame, op, args)
    if found is None and len(args) == 1 and type(args[0]) is Dynamic and library.is_own(frame.facts.namespace):
        return m.emit("iter", (args[0],), raises=exact_type(m, args[0]) not in _ITERABLE)
    return found


MODELS[iter] = _iter_call


def _iterator_check(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """What `__iter__` gave, if it is an iterator for sure."""
    if is_iterator(m, args[0]):
        return args[0]
    cls = own_class(m, args[0])
    if cls is not None and _gives_next(m, cls):
        return args[0]
    return _undecided(m, frame, op, args, keywords)


def _own_iterator(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    """An iterator of Python's own; who asks one of the program for its iterator runs code of it."""
    iterator = args[0]
    if is_iterator(m, iterator):
        return iterator
    cls = own_class(m, iterator)
    asked = "next" if type(iterator) is Dynamic else None if cls is None or not _gives_next(m, cls) else "own"
    made = None if asked is None else stepping(m, frame, asked, object, (iterator,))
    return _undecided(m, frame, op, args, keywords) if made is None else made


def _gives_next(m: Machine, cls: type) -> bool:
    """Has the class a `__next__` that can be read?"""
    return method_of(m, cls, "__next__") is not None


KEYWORD_MODELS[iterators.own_iterator] = _own_iterator
KEYWORD_MODELS[library.checked_iterator] = _iterator_check
KEYWORD_MODELS[answering.undecided] = _undecided
KEYWORD_MODELS[answering.answered] = _answered
KEYWORD_MODELS[object.__setattr__] = _set_plainly
MODELS[bool] = _bool
_model_len = MODELS[len]
MODELS[len] = lambda m, frame, op, args: _model_len(m, frame, op, args) or _length(m, frame, op, args)
OPERATOR_CALLS.update(dict.fromkeys((*_BINARY, *("i" + name for name in _BINARY)), _binary_call))
OPERATOR_CALLS.update(dict.fromkeys(_COMPARED, _compare_call))
OPERATOR_CALLS.update(dict.fromkeys(("neg", "pos", "invert"), _unary_call))
OPERATOR_CALLS.update(dict.fromkeys(("truth", "not"), _truth_call))
OPERATOR_CALLS.update(dict.fromkeys(("in", "not_in"), _member_call))
OPERATOR_CALLS["getitem"] = get_item
OPERATOR_CALLS["setitem"] = _setitem_call
OPERATOR_CALLS["delitem"] = _delitem_call
