"""From a functional program to a program of the IR: one function for each definition.

    add1(x) = if x then x + 1 else 0     b0(v0:x): v1 = truth v0; branch v1 -> b1() | b2()   each arm returns

A value becomes a function without parameters.  Calls are `invoke`; a conditional that is not the whole of what is
returned meets in a block with one parameter.  Invariant: operands are evaluated from left to right, then the operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from futamura.frontend.flow.grammar import FUNCTIONAL
from futamura.frontend.flow.reading import Reader
from futamura.frontend.flow.syntax import Apply, Call, Expression, IfElse, Let, Literal, Variable
from futamura.frontend.functional.parsing import Definition, FunctionalProgram, parse_functional
from futamura.ir.build import BlockBuilder, FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Function, Program, Signature, Value

__all__ = ["LoweredFunctional", "lower_functional"]


@dataclass(frozen=True, slots=True)
class LoweredFunctional:
    """A program of the IR and the text that it comes from."""

    program: Program
    file: str
    text: str


def lower_functional(text: str, file: str = "<functional>") -> LoweredFunctional:
    """The IR of a functional program; raises `FlowError`."""
    source = parse_functional(text, file)
    functions = [_Function(source, definition).lowered() for definition in source.definitions]
    functions.sort(key=lambda function: function.name != source.entry)
    return LoweredFunctional(Program(source.entry, tuple(functions)), file, text)


class _Function:
    """One definition."""

    def __init__(self, source: FunctionalProgram, definition: Definition) -> None:
        self.source: Final = source
        self.definition: Final = definition
        self.builder: Final = FunctionBuilder(
            definition.name, Signature(regular=definition.parameters), file=source.file, span=definition.span
        )
        self.block: BlockBuilder = self.builder.block()

    def lowered(self) -> Function:
        parameters = self.definition.parameters
        known = dict(zip(parameters, self.builder.params(self.block, *parameters)))
        try:
            self._result(self.definition.body, known)
            return self.builder.finish()
        except RecursionError:
            reader = Reader(self.source.text, self.source.file)
            reader.tree(FUNCTIONAL)
            reader.too_deep()

    def _result(self, here: Expression, known: dict[str, Value]) -> None:
        """What the function returns."""
        while isinstance(here, Let):
            known = {**known, here.name: self._named(here, known)}
            here = here.body
        if isinstance(here, IfElse):
            then, otherwise = self._branch(here, known)
            for block, arm in ((then, here.then), (otherwise, here.otherwise)):
                self.block = block
                self._result(arm, known)
            return
        value = self._value(here, known)
        self.builder.terminate(self.block, "return", (value,), span=here.span)

    def _named(self, let: Let, known: dict[str, Value]) -> Value:
        value = self._value(let.value, known)
        if self.builder.hints[value] is None:
            self.builder.hints[value] = let.name
        return value

    def _branch(self, here: IfElse, known: dict[str, Value]) -> tuple[BlockBuilder, BlockBuilder]:
        condition = self._value(here.condition, known)
        test = self.builder.emit(self.block, "truth", (condition,), span=here.condition.span)
        then, otherwise = self.builder.block(), self.builder.block()
        edges = (Edge(then.id), Edge(otherwise.id))
        self.builder.terminate(self.block, "branch", (test,), edges, span=here.span)
        return then, otherwise

    def _value(self, here: Expression, known: dict[str, Value]) -> Value:
        builder = self.builder
        if isinstance(here, Variable):
            if here.name in known:
                return known[here.name]
            return builder.emit(self.block, "invoke", (), here.name, span=here.span)
        if isinstance(here, Literal):
            return builder.emit(self.block, "const", (), Constant(here.value), span=here.span)
        if isinstance(here, Apply):
            operands = tuple([self._value(operand, known) for operand in here.operands])
            return builder.emit(self.block, here.operator, operands, span=here.span)
        if isinstance(here, Call):
            arguments = tuple([self._value(argument, known) for argument in here.arguments])
            return builder.emit(self.block, "invoke", arguments, here.function, span=here.span)
        if isinstance(here, Let):
            return self._value(here.body, {**known, here.name: self._named(here, known)})
        return self._conditional(here, known)

    def _conditional(self, here: IfElse, known: dict[str, Value]) -> Value:
        then, otherwise = self._branch(here, known)
        ends: list[tuple[BlockBuilder, Value]] = []
        for block, arm in ((then, here.then), (otherwise, here.otherwise)):
            self.block = block
            value = self._value(arm, known)
            ends.append((self.block, value))
        self.block = self.builder.block()
        (result,) = self.builder.params(self.block, None)
        for block, value in ends:
            self.builder.terminate(block, "jump", (), (Edge(self.block.id, (value,)),), span=here.span)
        return result
