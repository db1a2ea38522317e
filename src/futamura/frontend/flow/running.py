"""Running a program of the small languages on the reference interpreter, and reading the values that it is given.

    read_inputs(["n=3", 'name="ann"'], names)  ->  {"n": 3, "name": "ann"}
    run_program(program, {"x": 2}, ...)        ->  the result; what goes wrong is a FlowError with its place

Invariant: a run ends: with a result, with a diagnostic, or when its fuel is used up.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from futamura.frontend.flow.grammar import VALUE
from futamura.frontend.flow.reading import Reader, nearest
from futamura.frontend.flow.syntax import Apply, Expression, Literal
from futamura.ir.graph import Program
from futamura.ir.interp import Failed, OutOfFuel, run_located

__all__ = ["FUEL", "checked_inputs", "deep", "read_inputs", "read_value", "run_program"]

FUEL: Final = 10_000_000
"""Operations of a run, unless the user says otherwise: some ten seconds."""

_DEPTH: Final = 100_000
_STACK: Final = 512 * 1024 * 1024
_T = TypeVar("_T")


def read_value(text: str) -> object:
    """A number, a text in quotes, true, false, or a list of values."""
    reader = Reader(text, "<value>")
    if not text.strip():
        reader.fail("FT501", "a value is missing", None, help='write a number, "a text", true, false or [a, list]')
    return _evaluated(reader, reader.expression(reader.tree(VALUE).children[0]))


def _evaluated(reader: Reader, expression: Expression) -> object:
    if isinstance(expression, Literal):
        return expression.value
    if isinstance(expression, Apply) and expression.operator == "tuple":
        return tuple([_evaluated(reader, operand) for operand in expression.operands])
    hint = 'write a number, "a text", true, false or [a, list]'
    return reader.fail("FT501", "this is not a value", expression.span, help=hint)


def read_inputs(texts: Iterable[str]) -> dict[str, object]:
    """The values of `name=value` texts."""
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            Reader(text, "<input>").fail("FT505", f"`{text}` is not of the form name=value", None)
        if name.strip() in found:
            Reader(text, "<input>").fail("FT505", f"`{name.strip()}` is given twice", None)
        found[name.strip()] = read_value(value)
    return found


def checked_inputs(given: Mapping[str, object], wanted: Sequence[str], file: str, *, all_of_them: bool) -> None:
    """Raise `FlowError` if a name is not an input, or (with `all_of_them`) if one is missing."""
    reader = Reader("", file)
    names = ", ".join(wanted) if wanted else "none"
    for name in given:
        if name not in wanted:
            reader.fail(
                "FT505",
                f"`{name}` is not an input of the program",
                None,
                help=nearest(name, wanted),
                why=f"its inputs are: {names}",
            )
    missing = [name for name in wanted if name not in given]
    if all_of_them and missing:
        reader.fail("FT505", f"no value is given for `{missing[0]}`", None, why=f"its inputs are: {names}")


def run_program(
    program: Program, given: Mapping[str, object], *, text: str, file: str, arrays: Iterable[str] = (), fuel: int = FUEL
) -> tuple[object, dict[str, object]]:
    """The result and the arrays as they are afterwards; `arrays` are inputs that the program may change."""
    names = program.main.signature.names
    checked_inputs(given, names, file, all_of_them=True)
    values: dict[str, Any] = {name: given[name] for name in names}
    changing = [name for name in names if name in set(arrays) and type(values[name]) is tuple]
    for name in changing:
        values[name] = list(values[name])
    reader = Reader(text, file)
    try:
        result = deep(lambda: run_located(program, [values[name] for name in names], fuel=fuel))
    except OutOfFuel:
        reader.fail("FT508", f"the program did not end within {fuel} operations", None)
    except Failed as failed:
        cause = failed.__cause__
        if isinstance(cause, RecursionError):
            reader.fail("FT508", "the calls of the program are nested too deeply", failed.span)
        reader.fail("FT504", _said(cause), failed.span, why=f"{type(cause).__name__} in `{failed.function}`")
    return result, {name: tuple(values[name]) for name in changing}


def _said(cause: BaseException | None) -> str:
    """Python's message, in the words of the languages."""
    return str(cause).replace("'tuple'", "'list'").replace("tuple", "list") or type(cause).__name__


def deep(work: Callable[[], _T]) -> _T:
    """Run `work` where calls may nest deeply: in a thread with a large stack."""
    outcome: list[_T] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            failure.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(max(limit, _DEPTH))
    try:
        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if failure:
        raise failure[0]
    return outcome[0]
