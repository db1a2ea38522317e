"""Calls: inline what is known, fold what is pure, construct instances virtually, leave the rest.

    f(1, x)      f a Python function: its body continues here, in a new frame
    Point(1, x)  a plain class: a virtual instance, then its __init__ in a new frame
    xs.append(x) on a virtual list: done
    len(xs)      on a virtual list: Known

A function that is on the stack already is unfolded only while control has stayed static since; otherwise it
becomes a residual function (`recursion`).
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Sequence
from typing import Final

from futamura.controls import is_marked
from futamura.ir.attributes import FunctionAttr
from futamura.ir.classes import is_a
from futamura.ir.graph import Operation, Signature
from futamura.specializer import choosing, dispatching, library
from futamura.specializer.binding import Keywords, bind
from futamura.specializer.bounds import note_length, shape_of_result
from futamura.specializer.builtin_errors import exception_made_plainly, plain_exception_class
from futamura.specializer.cached_calls import call_of_cache
from futamura.specializer.callables import assume_code
from futamura.specializer.consumed import with_real_generators
from futamura.specializer.describing import is_plain_enum, member_by_value
from futamura.specializer.dict_classes import empty_instance, filled_by_arguments
from futamura.specializer.exceptions import is_best_left, keep_arguments
from futamura.specializer.extended import extends_dict, method_of_owner
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.functions import settle_functions, stays
from futamura.specializer.generators import is_generator, new_generator
from futamura.specializer.handing_over import hand_over, handed_later, is_left
from futamura.specializer.harmless import class_of_result, handed_over, harmless, runs_nothing, unpacked_shape
from futamura.specializer.in_python import asking_first, in_python
from futamura.specializer.local_caches import call_of_local_cache
from futamura.specializer.machine import GUARDED, Machine, Restart, Unsupported
from futamura.specializer.making import assume_own_maker, own_maker
from futamura.specializer.marks import fold_pure
from futamura.specializer.marks import unfolds as is_marked_inline
from futamura.specializer.models import HANDLED, KEYWORD_MODELS, MODELS, about_class, call_method
from futamura.specializer.named import call_of_record, make_record
from futamura.specializer.operators import call_operator
from futamura.specializer.overloads import call_of_overload
from futamura.specializer.partials import call_of_partial
from futamura.specializer.protocol import next_item
from futamura.specializer.pure_calls import fold_call
from futamura.specializer.purity import MISSING, PURE_FUNCTIONS, WEAK, class_lookup
from futamura.specializer.raising import left_generator, operands_in_generator
from futamura.specializer.records import plain_fields, readable
from futamura.specializer.recursion import call_unit, classes_entered, unfolds
from futamura.specializer.refinement import called
from futamura.specializer.renaming import note_call
from futamura.specializer.results import result_of_call
from futamura.specializer.rules import exact_type, rule, site
from futamura.specializer.separating import is_plain_constant, stays_separate
from futamura.specializer.slots import bound_slot
from futamura.specializer.splats import (
    branch_on_options,
    clashes,
    collected,
    forget,
    items_of_stars,
    spread_arguments,
    with_own_options,
)
from futamura.specializer.state import Frame
from futamura.specializer.unpacking import TAKING, taken
from futamura.specializer.values import (
    FUNCTIONS,
    OF_SUPER,
    AbstractValue,
    Dynamic,
    Known,
    Virtual,
    VObject,
    slot_of_super,
)
from futamura.specializer.viewing import with_items
from futamura.specializer.waiting import awaited_at_once, is_watched, survives_closing
from futamura.specializer.worth import counted, stays_a_call
from futamura.specializer.wrapping import function_within

__all__ = ["call_value", "enter", "push_function"]

DEEP_ENDS: Final = 64
"""As many calls of one function may stay because the stack is too deep; more are a tree that grows without end."""


@rule("call")
def call(m: Machine, frame: Frame, op: Operation) -> None:
    function, *args = [m.get(frame, arg) for arg in op.args]
    waits = taken(m, frame, op, [function, *args])
    if waits or (type(function) is Dynamic and dispatching.branch_on_function(m, frame, function)):
        return
    if op.attr is not None and branch_on_options(m, frame, op, function, args):
        return
    _call(m, frame, op, function, args)
    if frame.forked:
        dispatching.meet_behind(m, frame)


def _call(m: Machine, frame: Frame, op: Operation, function: AbstractValue, args: list[AbstractValue]) -> None:
    if frame.forked and clashes(m, op, function, args):
        return
    args = with_own_options(m, frame, op, function, items_of_stars(m, frame, op, function, args))
    bound = spread_arguments(m, function, args, op.attr) or collected(m, function, args, op.attr)
    if frame.forked:
        forget(frame, op)
    if bound is None:
        _residual_call(m, frame, op, [function, *args], op.attr)
        return
    call_value(m, frame, op, function, *bound)


TAKING["call"] = lambda m, frame, op, given: _call(m, frame, op, given[0], given[1:])


def call_value(
    m: Machine, frame: Frame, op: Operation, function: AbstractValue, args: list[AbstractValue], keywords: Keywords
) -> None:
    """Call `function`; its result defines the (first) result of `op`, if it has one."""
    args = with_items(m, frame, function, args, keywords)
    entry = m.state.object(function)
    if entry is not None and entry.kind == "bound":
        call_value(m, frame, op, entry.items[0], [entry.items[1], *args], keywords)
        return
    for behind in (call_of_partial, call_of_overload, call_of_cache, call_of_local_cache, call_of_record):
        if (inner := behind(m, function, args, keywords)) is not None:
            call_value(m, frame, op, *inner)
            return
    if (entry is not None and entry.kind == "instance") or (type(function) is Known and _is_instance(function.value)):
        method = call_of_instance(m, function)
        if method is not None:
            call_value(m, frame, op, method, [function, *args], keywords)
            return
    if entry is not None and entry.kind in FUNCTIONS:
        within = function_within(m, entry)
        if within is not None and _inline_closure(m, frame, op, within, args, keywords):
            return
    elif entry is not None and entry.kind == "method":
        of_generator = not keywords and len(args) == 1 and is_generator(m, args[0])
        if of_generator and _method_in_python(m, frame, op, entry, args):
            return
        result = call_method(m, frame, op, entry, args, keywords)
        if result is not None:
            m.folded += 1
            if result is not HANDLED:
                _give(m, frame, op, result)
            return
        of_owner = method_of_owner(m.state, entry)
        if of_owner is not None:
            call_value(m, frame, op, of_owner[0], [of_owner[1], *args], keywords)
            return
        if entry.names == OF_SUPER:
            call_value(m, frame, op, slot_of_super(entry), [*entry.items, *args], keywords)
            return
    elif type(function) is Known and _call_known(m, frame, op, function.value, args, keywords):
        return
    shape = (*("" for _ in args), *(name for name, _ in keywords)) if keywords else None
    if entry is not None and entry.kind == "method" and not keywords:
        choosing.call_of_method(m, frame, op, function, entry, args, _residual_call)
    else:
        _residual_call(m, frame, op, [function, *args, *(value for _, value in keywords)], shape)


def _give(m: Machine, frame: Frame, op: Operation, value: AbstractValue) -> None:
    if op.results:
        frame.env[op.results[0]] = value


def _residual_call(m: Machine, frame: Frame, op: Operation, args: Sequence[AbstractValue], shape: object) -> None:
    args = with_real_generators(m, frame, op, args, shape)
    kind = class_of_result(m, args)
    about = about_class(m, args)
    if not harmless(m, args):
        hand_over(m, (*handed_over(m, args, shape), *handed_later(m)))
    note_call(m, args)
    hint = frame.facts.function.hints[op.results[0]] if op.results else None
    args, shape = operands_in_generator(m, args, shape)
    quiet = shape is None and runs_nothing(m, args)
    known = shape_of_result(args, kind) if shape is None else None
    if shape is None and (unpacked := unpacked_shape(args)) is not None:
        kind, known = tuple, unpacked
    told = result_of_call(m, args, kind) if shape is None else None
    if told is not None:
        kind, known = told.type, told.shape
    made = m.emit("call", args, shape, type=kind, hint=hint, raises=not quiet, shape=known)
    if told is not None:
        made = Dynamic(made.rv, kind, known, told.classes)
    note_length(m, args, made)
    _give(m, frame, op, called(made, args[0]))
    if about is not None:
        m.state.abouts[made.rv] = about


def _is_instance(value: object) -> bool:
    """Is this an instance of a class written in Python, whose `__call__` decides what a call does?"""
    return not is_a(value, (type, types.FunctionType, types.MethodType, types.BuiltinFunctionType)) and isinstance(
        class_lookup(type(value), "__call__"), types.FunctionType
    )


def call_of_instance(m: Machine, target: AbstractValue) -> AbstractValue | None:
    cls = exact_type(m, target)
    method = None if cls is None else class_lookup(cls, "__call__")
    if cls is None or not is_a(method, types.FunctionType):
        return None
    m.assume_attribute(cls, "__call__", method)
    return Known(method)


def _call_known(
    m: Machine, frame: Frame, op: Operation, function: object, args: list[AbstractValue], keywords: Keywords
) -> bool:
    if is_a(function, types.MethodDescriptorType) and args and exact_type(m, args[0]) is function.__objclass__:
        method = VObject("method", function.__objclass__, (args[0],), site=site(frame), extra=function.__name__)
        call_value(m, frame, op, m.virtual(method), args[1:], keywords)
        return True
    made = None if keywords else keep_arguments(m, function, args) or bound_slot(m, frame, op, function, args)
    if made is not None:
        m.folded += 1
        _give(m, frame, op, made)
        return True
    if id(function) in WEAK:
        raise Unsupported("a weak reference is made, which must see its object end in time", op.span)
    if is_a(function, types.MethodType):
        call_value(m, frame, op, Known(function.__func__), [Known(function.__self__), *args], keywords)
        return True
    if is_marked(function, "pure"):
        made = fold_pure(m, function, args, keywords)
        if made is not None:
            m.folded += 1
            _give(m, frame, op, made)
            return True
    if is_a(function, types.FunctionType) and function not in KEYWORD_MODELS:
        return _inline_function(m, frame, op, function, args, keywords)
    if type(function) in _HASHABLE:
        asking = asking_first(m, frame, op, function, args, keywords)
        if asking is not None and _inline_function(m, frame, op, asking, [Known(function), *args], keywords):
            return True
    if is_a(function, _WITH_MODELS) and function in KEYWORD_MODELS:
        made = KEYWORD_MODELS[function](m, frame, op, args, keywords)
        if made is not None:
            m.folded += 1
            if made is not HANDLED:
                _give(m, frame, op, made)
            return True
        if is_a(function, types.FunctionType):
            return False
    if not keywords and call_operator(m, frame, op, function, args):
        return True
    if not keywords and is_a(function, (type, types.BuiltinFunctionType)):
        model = MODELS.get(function) if type(function) in _HASHABLE else None
        if model is not None:
            result = model(m, frame, op, args)
            if result is not None:
                m.folded += 1
                if result is not HANDLED:
                    _give(m, frame, op, result)
                return True
        if type(function) in _HASHABLE and _call_in_python(m, frame, op, function, args):
            return True
        folded = fold_call(m, function, args) if function in PURE_FUNCTIONS else None
        if folded is not None and folded is not HANDLED:
            _give(m, frame, op, folded)
        if folded is not None:
            return True
    if not is_a(function, type) or is_marked(function, "opaque"):
        return False
    return _construct(m, frame, op, function, args, keywords)


_HASHABLE: Final = (type, types.BuiltinFunctionType)
_WITH_MODELS: Final = (
    type, types.BuiltinFunctionType, types.FunctionType, types.WrapperDescriptorType, types.MethodDescriptorType
)  # fmt: skip


def enter(m: Machine, frame: Frame, op: Operation, function: Callable[..., object], args: list[AbstractValue]) -> bool:
    """Inline a function that can be read; False if that is not possible here."""
    assert is_a(function, types.FunctionType)
    return _inline_function(m, frame, op, function, args, [])


def _call_in_python(m: Machine, frame: Frame, op: Operation, function: object, args: list[AbstractValue]) -> bool:
    """Inline the Python definition of a builtin that consumes a virtual iterator or calls a known function."""
    if function is next and len(args) == 1 and is_generator(m, args[0]):
        generator = m.state.resolve(args[0])
        assert isinstance(generator, Virtual)
        return next_item(m, op, generator)
    chosen = in_python(m, frame, op, function, args)
    return chosen is not None and _inline_function(m, frame, op, *chosen, [])


def _method_in_python(m: Machine, frame: Frame, op: Operation, entry: VObject, args: list[AbstractValue]) -> bool:
    target = m.state.resolve(entry.items[0])
    kind = exact_type(m, target)
    found = next((one for cls, name, one in _METHODS_IN_PYTHON if cls is kind and name == entry.extra), None)
    return found is not None and enter(m, frame, op, found, [target, *args])


_METHODS_IN_PYTHON: Final[tuple[tuple[type, str, Callable[..., object]], ...]] = (
    (str, "join", library.join), (list, "extend", library.extend), (dict, "update", library.update_dict),
    (set, "update", library.update_set),
)  # fmt: skip


def _defaults(function: types.FunctionType, signature: Signature) -> dict[str, AbstractValue]:
    """The default values of a function's parameters by name."""
    defaults: dict[str, AbstractValue] = {}
    regular = (*signature.posonly, *signature.regular)
    values = function.__defaults__ or ()
    for name, value in zip(regular[len(regular) - len(values) :], values):
        defaults[name] = Known(value)
    defaults.update({name: Known(value) for name, value in (function.__kwdefaults__ or {}).items()})
    return defaults


def _inline_function(
    m: Machine,
    frame: Frame,
    op: Operation,
    function: types.FunctionType,
    args: list[AbstractValue],
    keywords: Keywords,
    subject: AbstractValue | None = None,
) -> bool:
    """Enter a Python function; `subject` is the new instance if it is an `__init__`."""
    if not (m.world.assumes or library.is_own(function.__globals__)):
        return False
    facts = m.resolve(function) if _opened(m, function, args) else None
    if facts is None or stays(m, frame, op, facts):
        return False
    signature = facts.function.signature
    starred = signature.varargs is not None or signature.varkw is not None
    complete = not starred and len(args) + len(keywords) == len(signature.names)
    bound: list[AbstractValue] | None = args
    if not complete or keywords or signature.kwonly:
        bound = bind(m, frame, signature, args, keywords, _defaults(function, signature))
    if bound is None:
        return False
    if subject is None and all(map(is_plain_constant, bound)) and stays_a_call(m, facts):
        return False
    if not (library.is_own(function.__globals__) or assume_code(m, function, signature, complete=complete)):
        return False
    cells: list[AbstractValue] = [Known(cell) for cell in facts.cells]
    purpose = "call" if subject is None else "init"
    return _push(m, frame, op, facts, [*bound, *cells], purpose=purpose, subject=subject, made_by=function)


_READ: Final = frozenset({"abc", "collections", "contextlib", "dataclasses", "functools", "heapq", "operator", "types"})
"""Modules of the standard library that are small enough to be looked into."""

_READ_IF_KNOWN: Final = frozenset(
    {"ast", "colorsys", "fnmatch", "genericpath", "ntpath", "posixpath", "string", "textwrap"}
)
"""The same, where something is known of an argument: else there is nothing to gain."""


def _opened(m: Machine, function: types.FunctionType, args: Sequence[AbstractValue]) -> bool:
    """Is the function looked into?  The rest of the standard library stays behind its calls."""
    package = str(function.__globals__.get("__name__", "")).partition(".")[0]
    if package not in sys.stdlib_module_names or package in _READ or package == "__main__":
        return True
    if package in _READ_IF_KNOWN and any(type(arg) is not Dynamic for arg in args):
        return True
    return package == str(m.home.get("__name__", "")).partition(".")[0]


def _inline_closure(
    m: Machine, frame: Frame, op: Operation, entry: VObject, args: list[AbstractValue], keywords: Keywords
) -> bool:
    assert isinstance(entry.extra, tuple)
    maker, attr = entry.extra
    assert isinstance(maker, FunctionFacts) and isinstance(attr, FunctionAttr)
    facts = m.nested(maker, attr.name)
    if stays(m, frame, op, facts):
        return False
    signature = facts.function.signature
    regular = (*signature.posonly, *signature.regular)
    items = entry.items
    defaults = dict(zip(regular[len(regular) - attr.defaults :], items[: attr.defaults]))
    at = attr.defaults
    defaults.update(zip(attr.kwdefaults, items[at : at + len(attr.kwdefaults)]))
    cells = items[len(items) - len(facts.function.free) :] if facts.function.free else ()
    bound = bind(m, frame, signature, args, keywords, defaults)
    made_by = (maker, attr, entry.site)
    return bound is not None and _push(m, frame, op, facts, [*bound, *cells], made_by=made_by)


def _push(
    m: Machine,
    frame: Frame,
    op: Operation,
    facts: FunctionFacts,
    values: list[AbstractValue],
    *,
    purpose: str = "call",
    subject: AbstractValue | None = None,
    made_by: object = None,
    awaited: bool = False,
) -> bool:
    """Enter `facts` in a new frame, unless it is on the stack under dynamic control or too deep; `awaited`: `op` gives
    what awaiting the call gives."""
    frames = m.state.frames
    if facts.function.kind == "coroutine" and not awaited:
        waiting = awaited_at_once(frame, op) if purpose == "call" else None
        if waiting is None:
            return False
        frame.index += 1
        if _push(m, frame, op._replace(results=waiting.results), facts, values, made_by=made_by, awaited=True):
            return True
        frame.index -= 1
        return False
    if facts.function.kind == "generator":
        if purpose != "call":
            return False
        env = dict(zip(facts.function.entry.params, values, strict=True))
        chain = (*frame.chain, (frame.facts.uid, op.id))
        _give(m, frame, op, new_generator(m, facts, env, chain, site(frame), made_by))
        return True
    if len(frames) >= m.budget.depth or (
        ("deep", facts.uid) in m.refused and any(active.facts is facts for active in frames)
    ):
        m.event("FT404", f"{facts.function.qualname} is called {len(frames)} calls deep: the call stays")
        _end_too_deep(m, facts.uid)
        return False
    chain = (*frame.chain, (frame.facts.uid, op.id))
    if (purpose == "call" and chain[-1] in m.versions.opaque) or is_left(m, purpose, made_by):
        return False
    here, entered = unfolds(m, frame, op, facts, values)
    if ("alike", chain[-1]) in m.refused and ("call", chain[-1], classes_entered(entered)) in m.refused:
        return False
    shared = ("unit", facts.uid) in m.refused  # a variable of it must be a real one, of one call each
    shared = shared or (awaited and (is_watched(m) or survives_closing(m, facts)))
    if not shared and purpose in ("call", "init"):
        shared = stays_separate(m, frame, facts, values)
    if shared or (not here and not is_marked_inline(m, facts)):
        if purpose not in ("call", "init"):
            return False
        settle_functions(m)
        inside = GUARDED if left_generator(m) is not None else "call"
        given = call_unit(m, frame, op, facts, values, entered, (subject,) if subject is not None else (), inside)
        if given is not None:
            _give(m, frame, op, _constructed(m, subject, given))
        return True
    params = facts.function.entry.params
    env = dict(zip(params, values, strict=True))
    result = op.results[0] if op.results else None
    blind = purpose == "call" and all(is_plain_constant(value) for value in values)
    of_program = isinstance(made_by, types.FunctionType) and not library.is_own(made_by.__globals__)
    group = counted(m, frame, facts, blind=blind and of_program and not is_marked_inline(m, facts))
    m.folded += 1  # the call itself
    m.entered += 1
    inner = Frame(
        facts, env, chain, result=result, purpose=purpose, subject=subject, entered=entered, blind=blind, counted=group
    )
    frames.append(inner)
    return True


def _end_too_deep(m: Machine, uid: int) -> None:
    """A call of the function `uid` stays because the stack is deep; where many do, its recursion is not unfolded."""
    m.too_deep[uid] = m.too_deep.get(uid, 0) + 1
    if m.too_deep[uid] > DEEP_ENDS and ("deep", uid) not in m.refused:
        m.refused.add(("deep", uid))
        raise Restart("a recursion branches without end")


def push_function(m: Machine, frame: Frame, op: Operation, facts: FunctionFacts, values: list[AbstractValue]) -> bool:
    """Enter a function of the program itself, which is called by its name."""
    return _push(m, frame, op, facts, values)


def _constructed(m: Machine, subject: AbstractValue | None, given: AbstractValue) -> AbstractValue:
    """What a call gives: the result, or the new instance whose `__init__` it was."""
    if subject is None:
        return given
    if type(given) is not Known or given.value is not None:
        raise Unsupported("__init__ returns something", m.span)
    return subject


def _construct(
    m: Machine, frame: Frame, op: Operation, cls: type, args: list[AbstractValue], keywords: Keywords
) -> bool:
    """A new instance of a plain class: virtual, then `__init__` inlined."""
    if is_plain_enum(cls):
        member = None if keywords else member_by_value(m, cls, args)
        if member is not None:
            m.folded += 1
            _give(m, frame, op, member)
        return member is not None
    if type(cls).__call__ is not type.__call__ or cls.__flags__ & (1 << 20):  # abstract classes raise
        return False
    record = make_record(m, frame, cls, args, keywords)
    if record is not None:
        _give(m, frame, op, record)
        return True
    if issubclass(cls, BaseException):
        if exception_made_plainly(cls):
            left = is_best_left(m, frame, op, [*args, *(value for _, value in keywords)])
            return not left and _construct_exception(m, frame, op, cls, args, keywords)
        if keywords or not plain_exception_class(cls):
            return False
        _give(m, frame, op, m.virtual(VObject("exception", cls, tuple(args), site=site(frame))))
        return True
    finalizer = class_lookup(cls, "__del__")
    if type(finalizer) is types.FunctionType:
        raise Unsupported(f"an instance of {cls.__qualname__} has a finalizer, which must run in time", op.span)
    if finalizer is MISSING and (own := own_maker(m, cls)) is not None:
        entered = _inline_function(m, frame, op, own, [Known(cls), *args], keywords)
        if entered:
            assume_own_maker(m, cls)
        return entered
    maker = dict.__new__ if extends_dict(cls) else object.__new__
    if cls.__new__ is not maker or cls.__module__ == "builtins" or finalizer is not MISSING:
        return False
    init = class_lookup(cls, "__init__")
    assumed = init
    subject = empty_instance(m, cls, site(frame))
    if init is dict.__dict__["__init__"]:
        filled = filled_by_arguments(m, frame, op, subject, args, keywords)
        if filled:
            m.assume_attribute(cls, "__init__", init)
            _give(m, frame, op, subject)
        return filled
    if init is vars(object)["__init__"]:
        if args or keywords:
            return False
        m.assume_attribute(cls, "__init__", init)
        _give(m, frame, op, subject)
        return True
    if not isinstance(init, types.FunctionType):
        return False
    fields = plain_fields(cls)
    if fields is not None:
        signature = Signature(regular=tuple(fields))
        bound = bind(m, frame, signature, args, keywords, _defaults(init, signature))
        complete = len(args) + len(keywords) == len(fields)
        if bound is None or not assume_code(m, init, signature, complete=complete):
            return False
        m.assume_attribute(cls, "__init__", init)
        entry = VObject("instance", cls, tuple(bound), tuple(fields), site(frame))
        _give(m, frame, op, m.virtual(entry))
        return True
    init = readable(cls, "__init__", init)
    facts = m.resolve(init)
    if facts is None or facts.function.kind != "function":
        return False
    m.assume_attribute(cls, "__init__", assumed)
    return _inline_function(m, frame, op, init, [subject, *args], keywords, subject)


def _construct_exception(
    m: Machine, frame: Frame, op: Operation, cls: type, args: list[AbstractValue], keywords: Keywords
) -> bool:
    """A new exception whose class has an `__init__` in Python."""
    init = class_lookup(cls, "__init__")
    facts = m.resolve(init) if isinstance(init, types.FunctionType) else None
    if facts is None or facts.function.kind != "function" or not isinstance(init, types.FunctionType):
        return False
    m.assume_attribute(cls, "__init__", init)
    subject = m.virtual(VObject("exception", cls, tuple(args), tuple(range(len(args))), site(frame), "made"))
    return _inline_function(m, frame, op, init, [subject, *args], keywords, subject)
