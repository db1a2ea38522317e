"""`with`: managers of known classes are entered and left in line, others by the operators themselves.

    with Logged(x) as v: body        Logged a class written in Python
    ->  the body of `__enter__`; a try region around `body`; on each way out the body of `__exit__`

    with_enter m          exit = the virtual bound method `__exit__`, value = what `__enter__` returned
    with_exit exit        exit(None, None, None)
    with_unwind exit, e   exit(type(e), e, the traceback of e)

The class and the traceback of an exception are virtual objects that are read from it only if something looks at them.

Invariant: both methods are looked up on the class, `__enter__` first, before either is called.
"""

from __future__ import annotations

from types import FunctionType, TracebackType

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.calls import call_value
from futamura.specializer.emitting import CONSTRUCTORS, Emitter
from futamura.specializer.handling import is_caught
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.models import MODELS, known_classes
from futamura.specializer.purity import class_lookup
from futamura.specializer.refinement import A_CLASS
from futamura.specializer.rules import exact_type, rule, site
from futamura.specializer.state import Frame
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Virtual, VObject

__all__: list[str] = []


@rule("with_enter")
def enter(m: Machine, frame: Frame, op: Operation) -> None:
    manager = m.get(frame, op.args[0])
    leaving, entered = op.results
    methods = _methods(m, manager) if op.attr is None else None
    if methods is None:
        m.escape(manager)
        frame.env[leaving], frame.env[entered] = m.emit_many("with_enter", (manager,), op.attr, results=2)
        return
    enter_method, exit_method = methods
    frame.env[leaving] = m.virtual(VObject("bound", object, (exit_method, manager), site=site(frame)))
    call_value(m, frame, op._replace(results=(entered,)), enter_method, [manager], [])


def _methods(m: Machine, manager: AbstractValue) -> tuple[AbstractValue, AbstractValue] | None:
    """`__enter__` and `__exit__` of a manager whose class is known, if both are plain functions."""
    cls = exact_type(m, manager)
    if cls is None:
        return None
    found = [class_lookup(cls, name) for name in ("__enter__", "__exit__")]
    if not all(is_a(method, FunctionType) for method in found):
        return None
    for name, method in zip(("__enter__", "__exit__"), found, strict=True):
        m.assume_attribute(cls, name, method)
    return Known(found[0]), Known(found[1])


@rule("with_exit")
def leave(m: Machine, frame: Frame, op: Operation) -> None:
    leaving = m.get(frame, op.args[0])
    if type(leaving) is Dynamic:
        m.emit("with_exit", (leaving,), op.attr, results=0)
        return
    call_value(m, frame, op, leaving, [NONE, NONE, NONE], [])


@rule("with_unwind")
def unwind(m: Machine, frame: Frame, op: Operation) -> None:
    leaving, exception = (m.get(frame, arg) for arg in op.args)
    if type(leaving) is Dynamic:
        m.set(frame, op, m.emit("with_unwind", (leaving, exception), op.attr))
        return
    kind = exact_type(m, exception)
    cls: AbstractValue = m.virtual(VObject("class of", object, (exception,), site=site(frame)))
    if kind is not None:
        cls = Known(kind)
    traceback = m.virtual(VObject("traceback", TracebackType, (exception,), site=site(frame)))
    call_value(m, frame, op, leaving, [cls, exception, traceback], [])


def _construct_traceback(m: Emitter, entry: VObject) -> Dynamic:
    """Read it from the exception, which must be a real one."""
    exception = m.state.resolve(entry.items[0])
    if type(exception) is Virtual:
        assert isinstance(m, Machine)
        m.require_real_exceptions()
        raise Unsupported("the traceback of an exception that exists during specialization only", m.span)
    return m.emit("getattr", (exception,), "__traceback__", type=TracebackType, raises=False)


def _construct_class(m: Emitter, entry: VObject) -> Dynamic:
    return Dynamic(m.emit("call", (Known(type), *entry.items), raises=False).rv, classes=A_CLASS)


def _model_issubclass(m: Machine, frame: Frame, op: Operation, args: list[AbstractValue]) -> AbstractValue | None:
    """`issubclass(type(e), (KeyError, ...))` of an exception that was caught asks what an except clause asks, if the
    classes have no say in it."""
    entry = m.state.object(args[0]) if len(args) == 2 else None
    exception = None if entry is None or entry.kind != "class of" else m.state.resolve(entry.items[0])
    classes = known_classes(m, args[1]) if exception is not None else None
    if exception is None or not classes or not is_caught(m.state, exception):
        return None
    if any(type(cls) is not type or not issubclass(cls, BaseException) for cls in classes):
        return None
    named: list[AbstractValue] = [Known(cls) for cls in classes]
    if len(named) > 1:
        named = [m.emit("tuple", named, type=tuple, raises=False)]
    return m.emit("exc_match", (exception, *named), type=bool, raises=False)


MODELS[issubclass] = _model_issubclass
CONSTRUCTORS["class of"] = _construct_class
CONSTRUCTORS["traceback"] = _construct_traceback
