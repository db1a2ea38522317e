"""Operators without an expression of their own, in emitted text and in the interpreter."""

from __future__ import annotations

import types
from typing import Any

import pytest

from futamura.driver import load_program
from futamura.ir.build import FunctionBuilder
from futamura.ir.graph import Program, Signature
from futamura.ir.interp import run


def program(operator: str, *parameters: str, attr: object = None) -> Program:
    builder = FunctionBuilder("f", Signature(regular=parameters))
    entry = builder.block()
    values = builder.params(entry, *parameters)
    builder.terminate(entry, "return", (builder.emit(entry, operator, values, attr),))
    return Program("f", (builder.finish(),))


class Lying(type):
    def __subclasscheck__(cls, other: type) -> bool:
        return True


class Liar(Exception, metaclass=Lying): ...


@pytest.mark.parametrize("classes", [KeyError, LookupError, (ValueError, KeyError), Liar, int, (), ((KeyError,),), 3])
def test_exceptions_match_as_in_except_clauses(classes: Any) -> None:
    def clause(error: BaseException, classes: Any) -> object:
        try:
            raise error
        except classes:
            return True
        except KeyError:
            return False

    def outcome(call: Any) -> object:
        try:
            return call(KeyError(1), classes)
        except TypeError as error:
            return str(error)

    made = program("exc_match", "error", "classes")
    expected = outcome(clause)
    assert outcome(load_program(made, {})) == expected
    assert outcome(lambda *args: run(made, args, globals={})) == expected


def test_members_of_modules() -> None:
    module = types.ModuleType("box")
    module.content = 3  # type: ignore[attr-defined]
    call = load_program(program("import_from", "module", attr="content"), {})
    assert call(module) == 3
    del module.content  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="cannot import name 'content' from 'box'"):
        call(module)
