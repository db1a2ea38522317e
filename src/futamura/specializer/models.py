"""Models: methods of builtin types and builtin functions on values whose shape is known.

    xs.append(x)    on a virtual list      ->  the list grows, nothing is emitted
    "a b".split()   on a constant          ->  a fresh virtual list
    len(xs)         on a virtual list      ->  Known
    enumerate(xs)   on a known sequence    ->  a virtual iterator

A model gives the result, or None if the call must stay.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Final

from futamura.ir.classes import extends
from futamura.ir.constant import Constant, count_of, is_long, makes_nan
from futamura.ir.graph import Operation
from futamura.specializer import library
from futamura.specializer.abstract import instance_of, is_abstract
from futamura.specializer.builtin_errors import only_keeps_arguments
from futamura.specializer.containers import ITEMS_OF, static_get, store_item, usable_key, view_items
from futamura.specializer.control import drain
from futamura.specializer.exceptions import set_exception_arguments
from futamura.specializer.failing import nothing_to_pop
from futamura.specializer.generators import is_generator
from futamura.specializer.machine import Machine
from futamura.specializer.memos import entry_of, forgotten, is_missing, note_unknown, noted_store
from futamura.specializer.plain_copies import plainly
from futamura.specializer.plainness import is_record
from futamura.specializer.promises import promised_item, promised_length
from futamura.specializer.pure_calls import HANDLED, fail_now, fold_call
from futamura.specializer.purity import CHANGEABLE, DICTS, PURE_METHODS, claims, deep, plain_format, stays_short
from futamura.specializer.raising import raise_value
from futamura.specializer.refinement import answer, plain_check
from futamura.specializer.rules import exact_type, hint_of, result_type, sequence_items, site
from futamura.specializer.selfsame import is_plain_tuple, lookup_key
from futamura.specializer.state import Frame
from futamura.specializer.stepping import STEPS, goes_on, inner_iterator, is_stepping, stepping
from futamura.specializer.subscripts import class_behind
from futamura.specializer.taking import items_taken
from futamura.specializer.values import FUNCTIONS, NONE, About, AbstractValue, Dynamic, Known, Virtual, VObject
from futamura.specializer.wholes import holds_keys, whole

__all__ = [
    "HANDLED", "KEYWORD_METHODS", "KEYWORD_MODELS", "METHODS", "MODELS", "Model", "are_plain", "call_method",
    "iterable_items", "iterator_over",
]  # fmt: skip

Model = Callable[[Machine, Frame, Operation, list[AbstractValue]], AbstractValue | None]


def iterator_over(m: Machine, frame: Frame, source: AbstractValue) -> AbstractValue | None:
    """A virtual iterator over a source whose shape is known."""
    source = whole(m, source)
    entry = m.state.object(source)
    if entry is not None and entry.kind in ("iterator", "generator"):
        return source
    if entry is not None and entry.kind in ("view", "dict"):
        return _dict_iterator(m, frame, source, entry)
    if entry is not None and entry.kind == "deque" and site(frame) not in m.refused:
        return m.virtual(VObject("iterator", deque, (source, Known(0)), site=site(frame), extra="sequence"))
    simple = entry is not None and entry.kind in ("list", "tuple")
    cls: type = object
    of: tuple[Constant, ...] = ()
    if type(source) is Known:
        kind = type(source.value)
        keyed = holds_keys(m, source.value)
        held = keyed or (kind is list and m.frozen(source.value))
        simple = held or kind in (str, bytes, tuple, range) or is_record(kind)
        if simple and keyed:
            of, cls = (Constant(source.value),), dict
            source = Known(tuple(source.value))  # type: ignore[arg-type]
    if not simple and (promised_length(source, m.state.intact) or m.budget.virtual_length) >= m.budget.virtual_length:
        return None
    return m.virtual(VObject("iterator", cls, (source, Known(0)), of, site(frame), "sequence"))


def _dict_iterator(m: Machine, frame: Frame, source: AbstractValue, entry: VObject) -> AbstractValue | None:
    """An iterator over a dict of known shape or a view of one; it remembers the keys, which must not change."""
    target = m.state.resolve(entry.items[0]) if entry.kind == "view" else source
    held = m.state.object(target)
    if held is None:
        items = view_items(m, frame, entry)
        if items is None:
            return None
        values = Known(tuple(item.value for item in items if type(item) is Known))
        of = (Constant(target.value), str(entry.extra)) if type(target) is Known else ()
        cls = dict if of else object
        return m.virtual(VObject("iterator", cls, (values, Known(0)), of, site(frame), "sequence"))
    if held.kind != "dict":
        return None
    if entry.kind == "dict":
        source = m.virtual(VObject("view", _VIEWS["keys"], (target,), site=(site(frame), "keys"), extra="keys"))
    parts = (source, Known(0), Known(held.names))
    return m.virtual(VObject("iterator", object, parts, site=site(frame), extra="sequence"))


# -- methods of builtin types


Keywords = list[tuple[str, AbstractValue]]
KeywordMethod = Callable[
    [Machine, Frame, Operation, AbstractValue, list[AbstractValue], Keywords], AbstractValue | None
]
KEYWORD_METHODS: Final[dict[tuple[type, str], KeywordMethod]] = {}
"""Methods of values of exact builtin types, whose calls may have keywords."""


def call_method(
    m: Machine, frame: Frame, op: Operation, entry: VObject, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    target = m.state.resolve(entry.items[0])
    name = str(entry.extra)
    kind_now = exact_type(m, target)
    if kind_now is type and type(target) is Known:
        if target.value is dict and name == "fromkeys" and not keywords:
            return MODELS[dict.fromkeys](m, frame, op, args)
        function = getattr(target.value, name)
        special = KEYWORD_MODELS.get(function) if type(function) is BuiltinFunctionType else None
        found = None if special is None else special(m, frame, op, args, keywords)
        return fold_call(m, function, args, keywords) if found is None else found
    model = None if kind_now is None else KEYWORD_METHODS.get((kind_now, name))
    modelled = None if model is None else model(m, frame, op, target, args, keywords)
    if modelled is not None or keywords:
        return modelled
    if name == "__init__" and only_keeps_arguments(entry.cls):
        return set_exception_arguments(m, target, args, entry.cls)
    if entry.cls is object:
        return NONE if name == "__init__" and not args else None
    held = m.state.object(target)
    if held is not None and type(target) is Virtual:
        method = METHODS.get((held.kind, name))
        return method(m, frame, op, target, held, args) if method is not None else None
    if type(target) is not Known:
        return None
    if m.world.caches.declared(target.value) and name in ("get", "setdefault", "pop") and args:
        return _of_cache(m, target, name, args)
    kind = type(target.value)
    if kind is str and name == "join" and len(args) == 1:
        return _join(m, frame, target, args[0])
    if kind in DICTS and name in ("items", "keys", "values") and not args and m.frozen(target.value):
        cls = _VIEWS[name] if kind is not OrderedDict else type(getattr(target.value, name)())
        return m.virtual(VObject("view", cls, (target,), site=site(frame), extra=name))
    if kind in DICTS and name == "get" and len(args) in (1, 2) and (got := static_get(m, target, args)) is not None:
        return got
    values = [arg.value for arg in args if type(arg) is Known]
    if len(values) != len(args) or not all(deep(value, unordered=False) for value in values):
        return None
    if name in PURE_METHODS.get(kind, ()):
        return _fold_method(m, target, name, values, args)
    if kind is str and name in ("split", "rsplit", "splitlines"):
        try:
            items = getattr(target.value, name)(*values)
        except Exception:
            return None
        return m.virtual(VObject("list", list, tuple(Known(x) for x in items), site=site(frame)))
    if kind is list and name in ("index", "count") and m.frozen(target.value):
        return _fold_read(m, target, name, values, args)
    if name in ("get", "setdefault") and args:
        note_unknown(m, target, args[0])
    return None


def _of_cache(m: Machine, cache: Known, name: str, args: list[AbstractValue]) -> AbstractValue | None:
    """`get`, `setdefault` and `pop` of a declared cache."""
    key, default = lookup_key(m, args[0]), args[1] if len(args) == 2 else NONE
    if name == "pop":
        forgotten(m, cache, key)
    if type(key) is not Known or len(args) > 2 or name == "pop":
        return None
    found = entry_of(m, cache, key)
    if found is not None:
        return m.known(found.value, m.state.age(cache))
    missing = is_missing(m, cache, key)
    if name == "get":
        return default if missing or m.world.caches.is_asked(cache.value, key.value) else None
    if not missing:
        return None
    return m.state.resolve(default) if noted_store(m, cache, key, default) else None


def _fold_method(
    m: Machine, target: Known, name: str, values: list[object], args: list[AbstractValue]
) -> AbstractValue | None:
    padded = name in ("center", "ljust", "rjust", "zfill", "expandtabs", "to_bytes")
    padded = padded and any(isinstance(v, int) and v > 10_000 for v in values)
    given = (target.value, *values)
    if padded or any(map(is_long, given)) or not plain_format(name, given) or not stays_short(name, given):
        return None
    try:
        result = getattr(target.value, name)(*values)
    except Exception as error:
        return fail_now(m, error, args)
    if not deep(result) or makes_nan(result, (target.value, *values)):
        return None
    for arg in args:
        m.validate(arg)
    return m.known(result, max([m.state.age(target), *(m.state.age(arg) for arg in args)]))


def _fold_read(
    m: Machine, target: Known, name: str, values: list[object], args: list[AbstractValue]
) -> AbstractValue | None:
    content = target.value
    assert isinstance(content, list)
    if not all(deep(item) for item in content):
        return None
    try:
        result = getattr(content, name)(*values)
    except Exception as error:
        return fail_now(m, error, args)
    for arg in args:
        m.validate(arg)
    return Known(result)


VirtualMethod = Callable[[Machine, Frame, Operation, Virtual, VObject, list[AbstractValue]], AbstractValue | None]


def _append(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if len(args) != 1 or len(held.items) >= m.budget.virtual_length:
        return None
    m.state.heap[target.oid] = held.with_items((*held.items, args[0]))
    return NONE


def _pop(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    index = args[0].value if len(args) == 1 and type(args[0]) is Known else -1
    if len(args) > 1 or type(index) is not int or (args and type(args[0]) is not Known):
        return None
    if not -len(held.items) <= index < len(held.items):
        return _nothing_popped(m, held, args)
    items = list(held.items)
    value = items.pop(index)
    m.state.heap[target.oid] = held.with_items(tuple(items))
    return value


def _nothing_popped(m: Machine, held: VObject, args: list[AbstractValue]) -> AbstractValue | None:
    missing = nothing_to_pop(m, held, args)
    if missing is None:
        return None
    raise_value(m, missing)
    return HANDLED


def _extend(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if len(args) != 1 or len(held.items) >= m.budget.virtual_length:
        return None
    found = sequence_items(m, args[0])
    if found is None and any(type(leaf) is Virtual and leaf.oid == target.oid for leaf in m.state.leaves(args[0])):
        return None
    items = iterable_items(m, args[0]) if found is None else found[1]
    if items is None:
        return None
    m.state.heap[target.oid] = held._replace(items=(*held.items, *items))
    return NONE


def _insert(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if len(args) != 2 or type(args[0]) is not Known or type(args[0].value) is not int:
        return None
    if abs(args[0].value) > sys.maxsize:
        return None  # an error
    items = list(held.items)
    at = args[0].value
    items[at:at] = [args[1]]
    m.state.heap[target.oid] = held._replace(items=tuple(items))
    return NONE


def _copy(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    return None if args else m.virtual(held._replace(site=site(frame)))


def _clear(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if args:
        return None
    m.state.heap[target.oid] = held._replace(items=(), names=())
    return NONE


def _reverse(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if args:
        return None
    m.state.heap[target.oid] = held._replace(items=held.items[::-1])
    return NONE


def _dict_get(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    key = lookup_key(m, args[0]) if args else NONE
    if not 1 <= len(args) <= 2 or not usable_key(key):
        return None
    assert type(key) is Known
    if key.value in held.names:
        m.validate(key)
        return held.items[held.names.index(key.value)]
    return args[1] if len(args) == 2 else NONE


def _dict_setdefault(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    found = _dict_get(m, frame, op, target, held, args)
    key = lookup_key(m, args[0]) if found is not None else NONE
    if found is None or (type(key) is Known and key.value in held.names):
        return found
    return found if store_item(m, target, args[0], found) else None


_VIEWS: Final[dict[str, type]] = {"items": type({}.items()), "keys": type({}.keys()), "values": type({}.values())}


def _join(m: Machine, frame: Frame, separator: Known, items: AbstractValue) -> AbstractValue | None:
    """`separator.join(items)` of known pieces, or of pieces that are exact strings."""
    entry = m.state.object(items)
    found = iterable_items(m, items) if entry is None or entry.kind in ("list", "tuple", "dict") else None
    if found is None or not all(exact_type(m, item) is str for item in found):
        return None
    if not stays_short("join", [separator.value] * len(found) + [x.value for x in found if type(x) is Known]):
        return None
    parts: list[AbstractValue] = []
    for at, item in enumerate(found):
        for part in (separator, item) if at else (item,):
            last = parts[-1] if parts else None
            if type(part) is Known and type(last) is Known:
                age = max(m.state.age(part), m.state.age(last))
                parts[-1] = m.known(str(last.value) + str(part.value), age)
            else:
                parts.append(part)
    parts = [part for part in parts if type(part) is not Known or part.value]
    if not parts:
        return Known("")
    return parts[0] if len(parts) == 1 else joined_text(m, parts)


def joined_text(m: Machine, parts: Sequence[AbstractValue]) -> Dynamic:
    """One text of several; it is not empty if one of them is known not to be."""
    made = m.emit("string", parts, type=str, raises=False)
    if any(type(part) is Known and part.value for part in parts):
        m.state.abouts[made.rv] = About("filled", made.rv)
    return made


METHODS: Final[dict[tuple[str, str], VirtualMethod]] = {
    ("list", "append"): _append,
    ("list", "pop"): _pop,
    ("list", "extend"): _extend,
    ("list", "insert"): _insert,
    ("list", "copy"): _copy,
    ("dict", "copy"): _copy,
    ("list", "clear"): _clear,
    ("dict", "clear"): _clear,
    ("list", "reverse"): _reverse,
    ("dict", "get"): _dict_get,
    ("dict", "setdefault"): _dict_setdefault,
}
"""Methods of virtual objects by their kind."""


# -- models of builtins on values of known shape


def _model_len(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if len(args) != 1:
        return None
    args = [plainly(m, args[0], "__len__")]
    entry = m.state.object(args[0])
    if entry is not None:
        if entry.kind == "view":
            return _model_len(m, frame, op, [m.state.resolve(entry.items[0])])
        if entry.kind == "memory":
            return Known(len(entry.extra))  # type: ignore[arg-type]
        return Known(len(entry.items)) if entry.kind in ("list", "tuple", "dict", "set", "deque") else None
    if type(args[0]) is Known:
        kind = type(args[0].value)
        if (kind in CHANGEABLE and m.frozen(args[0].value)) or kind is tuple or is_record(kind):
            return Known(len(args[0].value))  # type: ignore[arg-type]
    length = promised_length(args[0], m.state.intact)
    return None if length is None else Known(length)


def _model_isinstance(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    classes = known_classes(m, args[1]) if len(args) == 2 else None
    if classes is None:
        return None
    kind = _class_of(m, args[0])
    if kind is None:
        held = answer(args[0], classes)
        return None if held is None else Known(held)
    classes = tuple(map(class_behind, classes))  # what is behind it is asked by `type(x)`, which is known here
    if not all(plain_check(cls) for cls in classes) or not classes:
        if not all(plain_check(cls) or is_abstract(cls) for cls in classes) or claims(kind):
            return None
        found = instance_of(m, kind, classes)
        return None if found is None else Known(found)
    if not extends(kind, classes[0]) and claims(kind):
        return None
    return Known(extends(kind, *classes))


def about_class(m: Machine, args: Sequence[AbstractValue]) -> About | None:
    """What the result of a call of `isinstance` or `type` that stays says of its first argument."""
    callee, *given = args
    if type(callee) is not Known or not given:
        return None
    subject = m.state.resolve(given[0])
    if type(subject) is not Dynamic:
        return None
    if callee.value is type and len(given) == 1:
        return About("class", subject.rv, held=subject.classes)
    classes = known_classes(m, given[1]) if callee.value is isinstance and len(given) == 2 else None
    return None if classes is None else About("isinstance", subject.rv, classes)


def known_classes(m: Machine, value: AbstractValue) -> tuple[type, ...] | None:
    """The classes that `isinstance` is asked about: one, or those of a tuple; None if they are not known."""
    if type(value) is Known and type(value.value) is not tuple:
        return (value.value,)  # type: ignore[return-value]
    items = sequence_items(m, value)
    if items is None or exact_type(m, value) is not tuple or not all(type(item) is Known for item in items[1]):
        return None
    return tuple(item.value for item in items[1] if type(item) is Known)  # type: ignore[misc]


def _model_type(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    kind = _class_of(m, args[0]) if len(args) == 1 else None
    return Known(kind) if kind is not None else None


_CLASSES: Final = {**dict.fromkeys(FUNCTIONS, FunctionType), "bound": MethodType}


def _class_of(m: Machine, value: AbstractValue) -> type | None:
    """The exact class of `value`, that of a virtual function or bound method included."""
    entry = m.state.object(value)
    return exact_type(m, value) if entry is None or entry.kind not in _CLASSES else _CLASSES[entry.kind]


def _model_list(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if not args:
        return m.virtual(VObject("list", list, (), site=site(frame)))
    items = items_taken(m, args[0]) or iterable_items(m, args[0]) if len(args) == 1 else None
    if items is None or len(items) > m.budget.virtual_length:
        return None
    return m.virtual(VObject("list", list, items, site=site(frame)))


def _model_tuple(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    if len(args) == 1 and is_plain_tuple(m, args[0]):
        return args[0]
    items = () if not args else items_taken(m, args[0]) or iterable_items(m, args[0]) if len(args) == 1 else None
    if items is None or len(items) > m.budget.virtual_length:
        return None
    if all(type(item) is Known and deep(item.value) for item in items):
        age = max((m.state.age(item) for item in items), default=0)
        return m.known(tuple(item.value for item in items if type(item) is Known), age)
    return m.virtual(VObject("tuple", tuple, items, site=site(frame)))


def are_plain(m: Machine, value: AbstractValue) -> bool:
    """Are these known items of builtin classes, which may be hashed more than once?"""
    items = iterable_items(m, value)
    return items is not None and all(type(item) is Known and deep(item.value) for item in items)


def iterable_items(m: Machine, value: AbstractValue) -> tuple[AbstractValue, ...] | None:
    value = whole(m, value)
    found = sequence_items(m, value)
    if found is not None:
        return found[1]
    entry = m.state.object(value)
    if entry is not None and entry.kind == "deque":
        return entry.items
    if entry is not None and entry.kind == "dict":
        return tuple(Known(name) for name in entry.names)
    if entry is not None and entry.kind == "view":
        return view_items(m, m.state.top, entry)
    if entry is not None and entry.kind == "iterator" and entry.extra == ("step", "items"):
        return drain(m, m.state.resolve(entry.items[0]), m.budget.virtual_length)
    if entry is not None and entry.kind == "iterator":
        return drain(m, value, m.budget.virtual_length)
    if type(value) is Known and type(value.value) in (str, bytes, range):
        few = count_of(value.value) <= m.budget.virtual_length  # type: ignore[arg-type]
        return tuple(Known(item) for item in value.value) if few else None  # type: ignore[attr-defined]
    if type(value) is Known and type(value.value) is list and m.frozen(value.value):
        if len(value.value) > m.budget.virtual_length:
            return None
        for item in value.value:
            m.world.found(value.value, item)
        return tuple(Known(item) for item in value.value)
    if type(value) is Known and holds_keys(m, value.value):
        assert isinstance(value.value, (dict, set, frozenset))
        names = list(value.value)
        return tuple(Known(name) for name in names) if len(names) <= m.budget.virtual_length else None
    return None


def _model_enumerate(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    given = [*args, *(value for name, value in keywords if name == "start")]
    if len(args) != len(given) - len(keywords) or not 1 <= len(given) <= 2 or not args:
        return None
    start = given[1] if len(given) == 2 else Known(0)
    if type(start) is not Known or type(start.value) is not int:
        return None
    start = Known(start.value)  # what tells trips apart is how far it has come, however old what it starts with
    if is_generator(m, args[0]) or is_stepping(m, args[0]):
        box = m.virtual(VObject("list", list, (start,), site=(site(frame), "count")))
        return stepping(m, frame, "enumerate", enumerate, (args[0], box))
    inner = iterator_over(m, frame, args[0])
    if inner is None:
        return None
    return m.virtual(VObject("iterator", object, (inner, start), site=site(frame), extra="enumerate"))


def _model_zip(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    strict = False
    for name, value in keywords:
        if name != "strict" or type(value) is not Known or type(value.value) is not bool:
            return None
        strict = value.value
    known = [None if _may_be_changed(m, arg) else iterator_over(m, frame, arg) for arg in args]
    plain = all(item is not None and _steady(m, item) for item in known)
    if plain and not strict:
        items = tuple(item for item in known if item is not None)
        return m.virtual(VObject("iterator", object, items, site=site(frame), extra="zip"))
    kind = f"{'strict' if strict and len(args) > 1 else 'zip'} {len(args)}"
    if kind not in STEPS or site(frame) in m.refused or all(item is None or goes_on(m, item) for item in known):
        return None
    pairs = zip(args, known, strict=True)
    inner = tuple([inner_iterator(m, frame, arg, n) if item is None else item for n, (arg, item) in enumerate(pairs)])
    return stepping(m, frame, kind, zip, inner)


def _may_be_changed(m: Machine, value: AbstractValue) -> bool:
    """Is this an open list of items of any class?  What is known of its length ends with the first that is used."""
    if type(value) is not Dynamic or exact_type(m, value) is not list:
        return False
    return value.shape is None or value.shape.element is None


def _item_at(
    m: Machine, frame: Frame, op: Operation, args: list[AbstractValue], keywords: Keywords
) -> AbstractValue | None:
    items, at = args
    found = promised_item(items, at, m.state.intact)
    kind = found[0] if found is not None else result_type("getitem", [exact_type(m, items), int])
    return m.emit("getitem", (items, at), type=kind, hint=hint_of(frame, op), raises=False)


def _steady(m: Machine, iterator: AbstractValue) -> bool:
    """Does taking an item run nothing, so that a real iterator could go on where this one stops?"""
    entry = m.state.object(iterator)
    if entry is None or entry.kind != "iterator" or isinstance(entry.extra, tuple):
        return False
    inner = entry.items if entry.extra == "zip" else entry.items[:1] if entry.extra == "enumerate" else ()
    return all(_steady(m, item) for item in inner)


KeywordModel = Callable[[Machine, Frame, Operation, list[AbstractValue], Keywords], AbstractValue | None]
KEYWORD_MODELS: Final[dict[object, KeywordModel]] = {}
"""Models of calls that may have keywords."""

MODELS: Final[dict[object, Model]] = {
    len: _model_len,
    isinstance: _model_isinstance,
    type: _model_type,
    list: _model_list,
    tuple: _model_tuple,
}

ITEMS_OF.append(iterable_items)
KEYWORD_MODELS[enumerate] = _model_enumerate
KEYWORD_MODELS[zip] = _model_zip
KEYWORD_MODELS[library.item_at] = _item_at
