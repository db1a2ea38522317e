"""The printer: a program to the text of its entry, with nested functions inside and called siblings before it.

    emit(program)  ->  Emitted(name="f", text="def f(a):\\n    return a + 1\\n", ...)

For each function: prepare (fold, collapse, nest), choose names, shape, structure, write.

Invariant: the text defines exactly the names of the program's called functions; everything else that it mentions is a
local, a global of the program's module, a constant or a free variable named in `Emitted`.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Final

from futamura.backend.python import fstrings, suspending
from futamura.backend.python.asyncloops import async_loops
from futamura.backend.python.clashing import apart
from futamura.backend.python.elsewhere import in_namespaces
from futamura.backend.python.emitted import Emitted
from futamura.backend.python.expressing import Expressions
from futamura.backend.python.naming import Names, name_values
from futamura.backend.python.opaque import global_names_of, opaque_lines
from futamura.backend.python.outlining import PartNames
from futamura.backend.python.prepare import Preparation, Prepared, base_name, nested_functions
from futamura.backend.python.returning import leave_out_variables
from futamura.backend.python.shaping import regions_in_need, shape_of
from futamura.backend.python.stating import Line, Writer, assertion, statements_of
from futamura.backend.python.trees import Comprehension, Expression, Literal, Node, Raise, Ref, Return, target_values
from futamura.backend.structure.structure import structure
from futamura.backend.structure.tree import Suite
from futamura.ir.constant import Constant
from futamura.ir.graph import OBJECT, ClassAttr, Function, FunctionAttr, Program, Signature, Span, Value
from futamura.ir.homes import module_of
from futamura.runtime import lasting

__all__ = ["NameOf", "Unprintable", "emit"]

NameOf = Callable[[object], str | None]
"""What the program calls an object, if anything."""

_ = fstrings, suspending  # they register their printing rules


class Unprintable(Exception):
    """A program that there is no Python text for yet."""


def emit(program: Program, *, name: str | None = None, naming: NameOf | None = None) -> Emitted:
    """The text of `program`'s entry, defined as `name`; `naming` says what the program calls an object."""
    return _Emission(apart(in_namespaces(program)), name, naming).run()


_APART: Final[Line] = (0, "", None)
"""Between functions."""
_LITERALS: Final = (str, bytes, int, float, tuple)


class _Emission:
    """What the functions of one text share: constants, prepared functions, siblings."""

    def __init__(self, program: Program, name: str | None, naming: NameOf | None) -> None:
        self.program: Final = program
        self.naming: Final = naming
        base = base_name(program.main.name)
        self.name: Final = name if name is not None else base if base.isidentifier() else "_lambda"
        self.prepared: Final = Preparation(program)
        self.constants: dict[Constant, str] = {}
        self.flags = 0
        self.dispatchers = 0
        self.taken: Final = self._all_names()
        self.emitters: Final[list[_FunctionEmitter]] = []

    def _all_names(self) -> set[str]:
        """Every name that the program mentions, and its own: constants are named apart from them."""
        found = {self.name, self.program.main.qualname.rpartition(".")[2]}
        for function in self.program.functions:
            found.update(hint for hint in function.hints if hint is not None)
            found.update(function.free)
            found.update(global_names(function))
        return found

    def run(self) -> Emitted:
        main = self.program.main
        lines: list[Line] = []
        for sibling in self._siblings():
            cells = tuple(sibling.free)
            lines.extend(_FunctionEmitter(self, sibling, cells, set()).definition_lines(sibling.name, []))
            lines.append(_APART)
        emitter = _FunctionEmitter(self, main, tuple(main.free), set())
        lines.extend(emitter.entry_lines(self.name))
        while self.emitters:
            self.emitters.pop().close()
        return Emitted(
            name=self.name,
            text="".join("    " * depth + text + "\n" for depth, text, _ in _split(lines)),
            constants=tuple((name, constant.value) for constant, name in self.constants.items()),
            free=main.free,
            spans=tuple(span for _, _, span in _split(lines)),
            flags=self.flags,
            dispatchers=self.dispatchers,
            qualnames=tuple((sibling.name, sibling.qualname) for sibling in self._siblings()),
            recursive=self._calls_itself(),
            literals=tuple(self._literals()),
        )

    def _literals(self) -> Iterator[object]:
        for function in self.program.functions:
            for op in function.operations():
                if op.name == "const" and isinstance(op.attr, Constant) and type(op.attr.value) in _LITERALS:
                    yield op.attr.value

    def _calls_itself(self) -> bool:
        """Is the entry called directly by a function of the text?"""
        entry = self.program.entry
        called = (op for function in self.program.functions for op in function.operations() if op.name == "invoke")
        return any(op.attr == entry for op in called)

    def _siblings(self) -> Iterator[Function]:
        """The functions that are called directly, other than the entry, also by functions that are nested in others."""
        found: dict[str, None] = {}
        work = [self.program.main]
        while work:
            function = work.pop()
            for caller in (function, *nested_functions(self.program, function)):
                for op in caller.operations():
                    if op.name == "invoke" and op.attr != self.program.entry and op.attr not in found:
                        found.setdefault(str(op.attr))
                        work.append(self.program[str(op.attr)])
        for name in found:
            yield self.program[name]

    def constant(self, value: object) -> str:
        constant = Constant(value)
        name = self.constants.get(constant)
        if name is None:
            stem = _given_name(value)
            if stem is None and self.naming is not None:
                stem = self.naming(value)
            other = "_table" if type(value) in (dict, list) else "_range" if type(value) is range else "_k"
            base = f"_{stem}" if isinstance(stem, str) and stem.isidentifier() else other
            number = 0
            name = base
            while name in self.taken or keyword.iskeyword(name):
                number += 1
                name = f"{base}{number}"
            self.taken.add(name)
            self.constants[constant] = name
        return name


def _given_name(value: object) -> str | None:
    """The name that a class or function was given; other objects are not asked, for that could run their code."""
    kind = type(value)
    if issubclass(kind, type):
        name = type.__dict__["__name__"].__get__(value)
    elif kind in (FunctionType, BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType):
        name = getattr(value, "__name__", None)
    elif kind is dict and (module := module_of(value)) is not None:
        return f"{module.__name__.rpartition('.')[2]}_globals"
    elif kind is not tuple and issubclass(kind, tuple):
        name = type.__dict__["__name__"].__get__(kind)
    else:
        return None
    return name if isinstance(name, str) else None


def _split(lines: list[Line]) -> Iterator[Line]:
    """Lines of text may hold several physical lines (docstrings, classes)."""
    yield from lines


def global_names(function: Function) -> Iterator[str]:
    for op in function.operations():
        if op.name in ("global_get", "global_set", "global_del") and isinstance(op.attr, tuple):
            yield str(op.attr[1])
        elif op.name == "invoke":
            yield str(op.attr)


class _FunctionEmitter:
    """Writes one function; the `Context` of its expressions and statements."""

    __deletable__ = ("expressions",)

    def __init__(self, emission: _Emission, function: Function, free: tuple[str, ...], outer: set[str]) -> None:
        self.emission: Final = emission
        self.function: Final = function
        self.prepared: Prepared = emission.prepared[function.name]
        self.free: Final = free
        self.outer: Final = outer
        self.signature: Final[Signature] = function.signature
        self.expressions = Expressions(self)
        self._temporaries = 0
        self._used: set[str] = set()
        self.names = Names()
        emission.emitters.append(self)

    def close(self) -> None:
        """It is written: the trees lead back to it no more, so that they are freed at once."""
        del self.expressions

    # -- names

    def choose_names(self) -> None:
        self._choose_names()
        while regions := regions_in_need(self.prepared, self.names):
            self.emission.prepared.write_out(self.function.name, regions)
            self.prepared = self.emission.prepared[self.function.name]
            self._choose_names()

    def _choose_names(self) -> None:
        function, prepared = self.function, self.prepared
        params = function.entry.params
        count = len(function.signature.names)
        reserved = {*self.free, *global_names(function), *self.emission.constants.values()}
        for nested in nested_functions(self.emission.program, function):
            reserved.update(global_names(nested))
        for op in function.operations():
            if isinstance(op.attr, ClassAttr):
                reserved |= global_names_of(op.attr)
        fixed = {param: _parameter(name) for param, name in zip(params, function.signature.names)}
        cells = dict(zip(params[count:], self.free))
        self._name_cells(cells, set(fixed.values()), reserved, fixed)
        exceptions, extents = self._name_exceptions(reserved | set(fixed.values()) | set(cells.values()))
        self._check_cells(cells)
        self._check_fresh_cells()
        self.names = name_values(
            prepared.draft,
            prepared.nested,
            reserved - set(fixed.values()),
            fixed,
            cells,
            exceptions,
            extents,
            prepared.resumes,
            prepared.iterables,
        )
        self._used = {*self.names.values.values(), *cells.values(), *reserved, *fixed.values()}
        self.emission.taken.update(self._used, exceptions.values())

    def _name_cells(
        self, cells: dict[Value, str], params: set[str], reserved: set[str], fixed: dict[Value, str]
    ) -> None:
        taken = set(cells.values()) | reserved
        for op in self.function.operations():
            if op.name != "cell":
                continue
            name = str(op.attr)
            own = bool(op.args) and fixed.get(op.args[0]) == name
            number = 0
            shown = name if name.isidentifier() else "_" + "".join(c for c in name if c.isalnum())
            base = shown
            while shown in taken or (shown in params and not own) or keyword.iskeyword(shown):
                number += 1
                shown = f"{base}_{number}"
            taken.add(shown)
            cells[op.results[0]] = shown

    def _check_cells(self, cells: dict[Value, str]) -> None:
        """Cells may be used as variables only where they print as one."""
        for block in self.function.blocks:
            for op in block.ops:
                if op.name in ("cell_get", "cell_set", "cell_del", "super"):
                    continue
                if isinstance(op.attr, FunctionAttr):
                    named = op.args[: len(op.args) - len(self.emission.program[op.attr.name].free)]
                elif isinstance(op.attr, ClassAttr):
                    named = ()
                    for name, arg in zip(op.attr.free, op.args, strict=True):
                        if cells.get(arg) != name:
                            raise NotImplementedError(f"the class {op.attr.name} needs the variable {name}")
                else:
                    named = op.args
                if any(arg in cells for arg in named):
                    raise NotImplementedError("a cell is used as a value")

    def _captured(self) -> set[Value]:
        """What nested functions and classes get, their cells among it."""
        definitions = (op for op in self.function.operations() if isinstance(op.attr, (FunctionAttr, ClassAttr)))
        return {arg for op in definitions for arg in op.args}

    def _check_fresh_cells(self) -> None:
        """A captured cell that a loop makes anew is no variable of this function: all its closures would share one."""
        captured = self._captured()
        for node in self.prepared.draft.nodes.values():
            for item in node.items:
                if item.name == "cell" and item.results[0] in captured and self._repeats(node.id):
                    raise Unprintable("a comprehension in a loop makes functions that capture its variables")

    def _repeats(self, start: int) -> bool:
        """Does a way lead from a node back to it?"""
        nodes = self.prepared.draft.nodes
        seen: set[int] = set()
        work = [start] if start else []  # nothing leads to the entry
        while work:
            node = nodes[work.pop()]
            targets = [edge.target for edge in node.end.edges]
            if node.handler is not None:
                targets.append(node.handler.target)
            if start in targets:
                return True
            work.extend(target for target in targets if target not in seen)
            seen.update(targets)
        return False

    def _name_exceptions(self, taken: set[str]) -> tuple[dict[Value, str], dict[int, frozenset[Value]]]:
        """`as` names, and the exceptions that are named while each node runs."""
        prepared = self.prepared
        found: dict[Value, str] = {}
        during: dict[int, set[Value]] = {}
        for parts in prepared.tries.values():
            for header, members in zip(parts.headers, parts.members, strict=True):
                if header.exception is not None:
                    for node in members:
                        during.setdefault(node, set()).add(header.exception)
        order = sorted({value for values in during.values() for value in values})
        for value in order:
            hint = prepared.draft.hints[value]
            base = hint if hint is not None and hint.isidentifier() else "_e"
            clash = {
                found[other] for values in during.values() if value in values for other in values if other in found
            }
            name, number = base, 0
            while name in taken or name in clash:
                number += 1
                name = f"{base}_{number}"
            found[value] = name
        return found, {node: frozenset(values) for node, values in during.items()}

    def variable(self, value: Value) -> str:
        name = self.names.values.get(value)
        if name is not None:
            return name
        cell = self.names.cells.get(value)
        if cell is not None:
            return cell
        raise NotImplementedError(f"value v{value} of {self.function.name} has no variable")

    def cell(self, value: Value) -> str:
        return self.names.cells[value]

    def constant(self, value: object) -> str:
        return self.emission.constant(value)

    def temporary(self) -> str:
        while True:
            self._temporaries += 1
            name = f"_{self._temporaries}"
            if name not in self._used:
                self._used.add(name)
                return name

    def expressible(self, name: str) -> bool:
        return self.emission.prepared.expressible(name)

    def exact(self, value: Value) -> str:
        """The exact class of a value; nothing is known of those that printing made."""
        types = self.prepared.draft.function.types
        return types[value] if value < len(types) else OBJECT

    def only_looped_over(self, value: Value) -> bool:
        return value in self.prepared.only_looped_over

    def is_super(self, node: Node) -> bool:
        """Does plain `super()` mean the same here?"""
        names = self.signature.posonly + self.signature.regular
        function, cell, first = node.kids
        if not names or not isinstance(function, Node) or function.op.name != "global_get":
            return False
        if self.names.cells.get(node.op.args[1]) != "__class__":
            return False
        del cell
        return self.expressions.text(first) == _parameter(names[0])

    def is_awaited(self, function: str) -> bool:
        """Is this function of the program one whose call has to be awaited?"""
        return self.emission.program[function].kind == "coroutine"

    # -- nested functions

    def nested(self, node: Node) -> _FunctionEmitter:
        attr = node.op.attr
        assert isinstance(attr, FunctionAttr)
        function = self.emission.program[attr.name]
        cells = node.op.args[len(node.op.args) - len(function.free) :] if function.free else ()
        free = tuple(self.names.cells[cell] for cell in cells)
        return _FunctionEmitter(self.emission, function, free, self._used)

    def lambda_text(self, node: Node) -> str:
        attr = node.op.attr
        assert isinstance(attr, FunctionAttr)
        emitter = self.nested(node)
        emitter.choose_names()
        body = emitter.prepared.expression
        if body is None:
            raise NotImplementedError(f"{attr.name} is not an expression")
        params = emitter.parameters(attr, [self.expressions.text(kid) for kid in node.kids], annotated=False)
        return f"lambda{' ' if params else ''}{params}: {emitter.expressions.text(body)}"

    def generator_text(self, node: Node, iterable: str) -> str:
        emitter = self.nested(node)
        emitter.choose_names()
        found = emitter.prepared.comprehension
        if found is None:
            raise NotImplementedError("a generator expression that is not one")
        emitter.name_comprehension()
        return emitter.expressions.comprehension(found, iterable, "genexp")

    def name_comprehension(self) -> None:
        """A generator expression's variables: no names that it takes from outside."""
        found = self.prepared.comprehension
        assert found is not None
        taken = {*self.free, *global_names(self.function)}
        for nested in nested_functions(self.emission.program, self.function):
            taken.update(global_names(nested))
        from_cells = set(self.names.cells.values())
        taken |= from_cells
        name_inner(found, self.names, self.prepared.draft.hints, taken)

    def definition(self, node: Node, name: str, decorators: list[str]) -> list[Line]:
        attr = node.op.attr
        assert isinstance(attr, FunctionAttr)
        emitter = self.nested(node)
        kids = [self.expressions.text(kid) for kid in node.kids]
        return emitter.definition_lines(name, decorators, attr=attr, operands=kids, span=node.op.span)

    def class_lines(self, attr: ClassAttr) -> list[str]:
        return opaque_lines(attr.source)

    # -- text

    def parameters(self, attr: FunctionAttr | None, operands: list[str], *, annotated: bool) -> str:
        """The parameter list, with defaults and annotations from the operands of the defining operation."""
        signature = self.signature
        defaults: dict[str, str] = {}
        notes: dict[str, str] = {}
        if attr is not None:
            positional = signature.posonly + signature.regular
            defaults.update(zip(positional[len(positional) - attr.defaults :], operands[: attr.defaults]))
            at = attr.defaults
            defaults.update(zip(attr.kwdefaults, operands[at:]))
            at += len(attr.kwdefaults)
            if annotated:
                notes.update(zip(attr.annotations, operands[at:]))

        def shown(name: str, prefix: str = "") -> str:
            text = prefix + _parameter(name)
            note = notes.get(name)
            if note is not None:
                text += f": {note}"
            if name in defaults:
                text += f" = {defaults[name]}" if note is not None else f"={defaults[name]}"
            return text

        parts = [shown(name) for name in signature.posonly]
        if signature.posonly:
            parts.append("/")
        parts.extend(shown(name) for name in signature.regular)
        if signature.varargs is not None:
            parts.append(shown(signature.varargs, "*"))
        elif signature.kwonly:
            parts.append("*")
        parts.extend(shown(name) for name in signature.kwonly)
        if signature.varkw is not None:
            parts.append(shown(signature.varkw, "**"))
        return ", ".join(parts)

    def definition_lines(
        self,
        name: str,
        decorators: list[str],
        *,
        attr: FunctionAttr | None = None,
        operands: Iterable[str] = (),
        defaults: bool = True,
        span: Span | None = None,
    ) -> list[Line]:
        """`def name(...)` with its body."""
        operands = list(operands)
        lines: list[Line] = [(0, f"@{decorator}", span) for decorator in decorators]
        head = f"def {name}({self.parameters(attr if defaults else None, operands, annotated=True)})"
        if attr is not None and "return" in attr.annotations:
            at = attr.defaults + len(attr.kwdefaults) + attr.annotations.index("return")
            head += f" -> {operands[at]}"
        head = f"async {head}" if self.function.kind == "coroutine" else head
        lines.append((0, head + ":", span or self.function.span))
        lines.extend((depth + 1, text, where) for depth, text, where in self.body_lines())
        return lines

    def entry_lines(self, name: str) -> list[Line]:
        """The program's entry as `name`: a lambda stays one if it is still an expression."""
        lambda_ = base_name(self.function.name) == "<lambda>" and self.function.kind == "function"
        if not lambda_ or self.prepared.expression is None:
            return self.definition_lines(name, [], defaults=False)
        self.choose_names()
        params = self.parameters(None, [], annotated=False)
        body = self.expressions.text(self.prepared.expression)
        return [(0, f"{name} = lambda{' ' if params else ''}{params}: {body}", self.function.span)]

    def body_lines(self) -> list[Line]:
        self.choose_names()
        suite = self._structured()
        async_loops(suite, self.prepared.function, self.names.values)
        leave_out_variables(suite, self.prepared.draft.hints, self.names.values)
        writer = Writer(self.expressions, self)
        params = self.function.entry.params
        writer.free = frozenset(params[len(self.signature.names) :])
        writer.returns_value = any(_returns_value(statement) for statement in statements_of(suite))
        for statement in suite:
            writer.statement(statement, 0)
        lines = writer.out.found
        if lines and lines[-1][:2] == (0, "return"):
            lines.pop()
        head: list[Line] = [] if self.function.doc is None else [(0, repr(self.function.doc), None)]
        if writer.globals:
            head.append((0, f"global {', '.join(writer.globals)}", None))
        if writer.nonlocals:
            head.append((0, f"nonlocal {', '.join(writer.nonlocals)}", None))
        for name in self._unbound_cells(writer.bound | self.expressions.inner):
            # An annotation makes the name a local variable, and runs no code.
            head.append((0, f"{name}: object", None))
        for param in params[: len(self.signature.names)]:
            if self.only_looped_over(param):
                name = self.names.values[param]
                head.append((0, f"{name} = {self.constant(lasting)}({name})", None))
        if self.function.kind == "generator" and not _has_yield(self.prepared):
            lines = [*lines, (0, "return", None), (0, "yield", None)]
        return [*head, *lines] or [(0, "pass", None)]

    def _unbound_cells(self, bound: set[str]) -> list[str]:
        """Variables that this function itself never binds: Python must know that they are its own."""
        made = [op.results[0] for op in self.function.operations() if op.name == "cell" and not op.args]
        return [name for cell in made if (name := self.names.cells[cell]) not in bound]

    def _structured(self) -> Suite:
        shape = shape_of(self.prepared, self.names)
        emission = self.emission

        def fresh(kind: str) -> str:
            if kind in ("state", "entry"):
                emission.dispatchers += 1
            elif kind != "inner":
                emission.flags += 1
            return self.temporary()

        return structure(
            shape, movable=_movable, implicit=_implicit, refuses=_fails, fresh=fresh,
            names=PartNames(self.names, self.is_awaited),
            parameters=[_parameter(name) for name in self.signature.names],
        )  # fmt: skip


def name_inner(found: object, names: Names, hints: list[str | None], taken: set[str]) -> None:
    """Variables of a comprehension outside of any statement."""
    assert isinstance(found, Comprehension)
    for clause in found.clauses:
        for value in target_values(clause.target):
            if value in names.values:
                continue
            hint = hints[value]
            base = hint if hint is not None and hint.isidentifier() else "_"
            name, number = base, 0
            while name in taken or (name == "_" and number == 0 and hint is None):
                number += 1
                name = f"{base}{number}" if base == "_" else f"{base}_{number}"
            taken.add(name)
            names.values[value] = name


def _parameter(name: str) -> str:
    """A parameter as it prints: a generator expression's `.0` has no name in Python."""
    return name if name.isidentifier() else "_iterator"


def _movable(statement: object) -> bool:
    return isinstance(statement, Return) and isinstance(statement.value, (Ref, Literal))


def _implicit(statement: object) -> bool:
    return isinstance(statement, Return) and _is_none(statement.value)


def _fails(statement: object) -> bool:
    """Is this what a failing assertion does?"""
    return isinstance(statement, Raise) and len(statement.kids) == 1 and assertion(statement.kids[0]) is not None


def _is_none(tree: Expression) -> bool:
    return isinstance(tree, Literal) and tree.constant == Constant(None)


def _returns_value(statement: object) -> bool:
    return isinstance(statement, Return) and not _is_none(statement.value)


def _has_yield(prepared: Prepared) -> bool:
    return any(op.name in ("yield", "yield_from") for op in prepared.function.operations())
