"""Calls of a virtual generator's methods, and of `next` on one.

    next(g)                   its next item; StopIteration with what it returned at its end
    g.send(x), g.throw(e)     the generator goes on where it stopped, with a value or an exception
    g.close()                 GeneratorExit where it stopped, if a try statement is around it there

Each enters the generator's frame, which gives the result when it yields or returns.
"""

from __future__ import annotations

from futamura.ir.classes import is_a
from futamura.ir.graph import Operation
from futamura.specializer.ends import may_show_its_end
from futamura.specializer.generators import close, resume, stays_real
from futamura.specializer.handling import is_caught
from futamura.specializer.machine import Machine, Unsupported
from futamura.specializer.models import HANDLED, METHODS
from futamura.specializer.raising import raise_value
from futamura.specializer.rules import exact_type
from futamura.specializer.state import Frame, Suspension
from futamura.specializer.values import NONE, AbstractValue, Dynamic, Known, Virtual, VObject

__all__ = ["next_item"]


def next_item(m: Machine, op: Operation, generator: Virtual) -> bool:
    """`next(generator)`; False if the generator must become a real one."""
    if stays_real(m, generator) or may_show_its_end(m, generator):
        return False
    if not resume(m, generator, "send", result=_result(op)):
        raise_value(m, m.virtual(VObject("exception", StopIteration, (), site=("exhausted", op.id))))
    return True


def _result(op: Operation) -> int | None:
    return op.results[0] if op.results else None


def _next(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    return HANDLED if not args and next_item(m, op, target) else None


def _iter(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    return None if args else target


def _send(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if len(args) != 1 or stays_real(m, target):
        return None
    where = held.extra
    plain = type(args[0]) is Known and args[0].value is None
    if isinstance(where, Suspension) and where.waiting is None and not plain:
        if type(args[0]) is not Known and exact_type(m, args[0]) in (None, type(None)):
            raise Unsupported("what may be None is sent to a generator that was not started", op.span)
        text = Known("can't send non-None value to a just-started generator")
        raise_value(m, m.virtual(VObject("exception", TypeError, (text,), site=("send", op.id))))
        return HANDLED
    if not resume(m, target, "send", sent=args[0], result=_result(op)):
        raise_value(m, m.virtual(VObject("exception", StopIteration, (), site=("exhausted", op.id))))
    return HANDLED


def _throw(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if len(args) not in (1, 3) or stays_real(m, target):
        return None
    exception = _thrown(m, args)
    if exception is None:
        raise Unsupported("what is thrown into a generator is not known to be an exception", op.span)
    where = held.extra
    kind = exact_type(m, exception)
    delegating = isinstance(where, Suspension) and where.waiting == -1
    if delegating and (kind is None or issubclass(kind, GeneratorExit)):
        raise Unsupported("what may be a GeneratorExit is thrown into a `yield from`", op.span)
    if not resume(m, target, "send", thrown=exception, result=_result(op)):
        raise_value(m, exception, thrown=True)
    return HANDLED


def _thrown(m: Machine, args: list[AbstractValue]) -> AbstractValue | None:
    """The exception that `throw` raises; with three arguments those that `__exit__` gets."""
    exception = args[0]
    if len(args) == 3:
        traceback = m.state.object(args[2])
        exception = args[1]
        if traceback is None or traceback.kind != "traceback" or m.state.resolve(traceback.items[0]) is not exception:
            return None
        return exception
    if type(exception) is Known and is_a(exception.value, type) and issubclass(exception.value, BaseException):
        return m.plain_exception(exception.value)
    entry = m.state.object(exception)
    if entry is not None and issubclass(entry.cls, BaseException):
        return exception
    if type(exception) is Dynamic and is_caught(m.state, exception):
        return exception
    kind = exact_type(m, exception)
    return exception if kind is not None and issubclass(kind, BaseException) else None


def _close(
    m: Machine, frame: Frame, op: Operation, target: Virtual, held: VObject, args: list[AbstractValue]
) -> AbstractValue | None:
    if args:
        return None
    if op.results:
        frame.env[op.results[0]] = NONE
    close(m, target, _result(op))
    return HANDLED


METHODS.update(
    {
        ("generator", "__iter__"): _iter,
        ("generator", "__next__"): _next,
        ("generator", "close"): _close,
        ("generator", "send"): _send,
        ("generator", "throw"): _throw,
    }
)
