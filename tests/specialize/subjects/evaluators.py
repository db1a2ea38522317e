"""Evaluators in more styles: visitors by name, nested scopes, closures, macros, parsers by tables, sheets, graphs.

calculate("( x + y ) ^ 2 ^ 1", 2, 3)    ->    25
"""

from __future__ import annotations

import functools
import operator
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..table import Case, Subject, integers, mostly

# --- A visitor that finds its methods by the names of classes, with a method for the rest ---


class Node:
    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)


class Num(Node):
    pass


class Var(Node):
    pass


class BinOp(Node):
    pass


class Call(Node):
    pass


class Visitor:
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__, self.generic_visit)(node)

    def generic_visit(self, node):
        raise NotImplementedError(f"no rule for {type(node).__name__}")


class Evaluator(Visitor):
    symbols: ClassVar = {"+": operator.add, "-": operator.sub, "*": operator.mul, "<": operator.lt}
    functions: ClassVar = {"max": max, "abs": abs}

    def __init__(self, variables):
        self.variables = variables

    def visit_Num(self, node):
        return node.value

    def visit_Var(self, node):
        return self.variables[node.name]

    def visit_BinOp(self, node):
        return self.symbols[node.op](self.visit(node.left), self.visit(node.right))

    def visit_Call(self, node):
        return self.functions[node.name](*[self.visit(argument) for argument in node.arguments])


def evaluate(tree, **variables):
    return Evaluator(variables).visit(tree)


def evaluate_two(tree, x, y):
    return evaluate(tree, x=x, y=y)


LINEAR = BinOp(op="+", left=BinOp(op="*", left=Num(value=3), right=Var(name="x")), right=Var(name="y"))
CLAMPED = Call(name="max", arguments=[Var(name="x"), BinOp(op="-", left=Num(value=0), right=Var(name="y"))])
UNKNOWN = BinOp(op="+", left=Var(name="x"), right=Node())

# --- Statements over scopes with parents, `match` on data classes ---


@dataclass
class Literal:
    value: Any


@dataclass
class Name:
    name: str


@dataclass
class Apply:
    function: Any
    arguments: list


@dataclass
class Lambda:
    parameters: list
    body: list


@dataclass
class Let:
    name: str
    value: Any


@dataclass
class Assign:
    name: str
    value: Any


@dataclass
class If:
    condition: Any
    then: list
    otherwise: list = field(default_factory=list)


@dataclass
class While:
    condition: Any
    body: list


@dataclass
class Give:
    value: Any


class Scope:
    def __init__(self, parent=None):
        self.values = {}
        self.parent = parent

    def define(self, name, value):
        self.values[name] = value

    def find(self, name):
        scope = self
        while scope is not None:
            if name in scope.values:
                return scope
            scope = scope.parent
        raise NameError(name)


class Given(Exception):
    def __init__(self, value):
        self.value = value


def execute(statements, scope):
    for statement in statements:
        match statement:
            case Let(name, value):
                scope.define(name, reduce_expression(value, scope))
            case Assign(name, value):
                scope.find(name).values[name] = reduce_expression(value, scope)
            case If(condition, then, otherwise):
                execute(then if reduce_expression(condition, scope) else otherwise, scope)
            case While(condition, body):
                while reduce_expression(condition, scope):
                    execute(body, scope)
            case Give(value):
                raise Given(reduce_expression(value, scope))


def reduce_expression(expression, scope):
    match expression:
        case Literal(value):
            return value
        case Name(name):
            return scope.find(name).values[name]
        case Lambda(parameters, body):

            def closure(*arguments):
                inner = Scope(scope)
                for parameter, argument in zip(parameters, arguments, strict=True):
                    inner.define(parameter, argument)
                try:
                    execute(body, inner)
                except Given as given:
                    return given.value
                return None

            return closure
        case Apply(function, arguments):
            return reduce_expression(function, scope)(*[reduce_expression(a, scope) for a in arguments])


def run_script(script, x):
    scope = Scope()
    scope.define("add", lambda a, b: a + b)
    scope.define("less", lambda a, b: a < b)
    scope.define("x", x)
    try:
        execute(script, Scope(scope))
    except Given as given:
        return given.value


def call_of(name, *arguments):
    return Apply(Name(name), list(arguments))


TWICE = [
    Let("twice", Lambda(["f", "v"], [Give(call_of("f", call_of("f", Name("v"))))])),
    Give(call_of("twice", Lambda(["n"], [Give(call_of("add", Name("n"), Literal(3)))]), Name("x"))),
]
COUNTING = [
    Let("i", Literal(0)),
    Let("total", Literal(0)),
    While(
        call_of("less", Name("i"), Name("x")),
        [
            Assign("total", call_of("add", Name("total"), Name("i"))),
            Assign("i", call_of("add", Name("i"), Literal(1))),
        ],
    ),
    Give(Name("total")),
]
SIGN = [
    If(call_of("less", Name("x"), Literal(0)), [Give(Literal("negative"))], [Let("unused", Literal(1))]),
    Give(Literal("other")),
]

# --- Compiled to closures over a list of slots ---


def compile_node(node, slots):
    kind, *rest = node
    if kind == "constant":
        value = rest[0]
        return lambda frame: value
    if kind == "local":
        slot = slots.setdefault(rest[0], len(slots))
        return lambda frame: frame[slot]
    if kind == "store":
        value = compile_node(rest[1], slots)
        slot = slots.setdefault(rest[0], len(slots))

        def store(frame):
            frame[slot] = value(frame)

        return store
    if kind == "block":
        steps = [compile_node(step, slots) for step in rest]

        def block(frame):
            result = None
            for step in steps:
                result = step(frame)
            return result

        return block
    if kind == "while":
        condition, body = (compile_node(part, slots) for part in rest)

        def loop(frame):
            while condition(frame):
                body(frame)

        return loop
    function = {"+": operator.add, "-": operator.sub, "*": operator.mul, ">": operator.gt}[kind]
    left, right = (compile_node(part, slots) for part in rest)
    return lambda frame: function(left(frame), right(frame))


def run_compiled(tree, n):
    slots = {"n": 0}
    code = compile_node(tree, slots)
    frame = [None] * len(slots)
    frame[0] = n
    return code(frame)


LOCAL_N = ("local", "n")
CUBE = ("*", LOCAL_N, ("*", LOCAL_N, LOCAL_N))
FACTORIAL = (
    "block",
    ("store", "r", ("constant", 1)),
    ("while", (">", LOCAL_N, ("constant", 1)), (
        "block",
        ("store", "r", ("*", ("local", "r"), LOCAL_N)),
        ("store", "n", ("-", LOCAL_N, ("constant", 1))),
    )),
    ("local", "r"),
)  # fmt: skip
ASSIGNED = ("block", ("store", "a", ("+", LOCAL_N, ("constant", 2))), ("*", ("local", "a"), ("local", "a")))

# --- A Lisp with macros ---


def expand(form, macros):
    if not isinstance(form, list) or not form:
        return form
    head = form[0]
    if isinstance(head, str) and head in macros:
        parameters, template = macros[head]
        return expand(substitute(template, dict(zip(parameters, form[1:], strict=True))), macros)
    return [expand(part, macros) for part in form]


def substitute(template, replacements):
    if isinstance(template, list):
        return [substitute(part, replacements) for part in template]
    return replacements.get(template, template)


def lisp_apply(function, arguments):
    parameters, body, environment = function
    return lisp_eval(body, environment | dict(zip(parameters, arguments, strict=True)))


def lisp_eval(form, environment):
    if isinstance(form, str):
        return environment[form]
    if not isinstance(form, list):
        return form
    head, *rest = form
    if head == "if":
        condition, then, otherwise = rest
        return lisp_eval(then if lisp_eval(condition, environment) else otherwise, environment)
    if head == "lambda":
        return rest[0], rest[1], environment
    if head == "quote":
        return rest[0]
    function = lisp_eval(head, environment)
    arguments = [lisp_eval(argument, environment) for argument in rest]
    if isinstance(function, tuple):
        return lisp_apply(function, arguments)
    return function(*arguments)


def lisp(program, macros, x):
    environment = {"+": operator.add, "*": operator.mul, "<": operator.lt, "x": x}
    return lisp_eval(expand(program, macros), environment)


MACROS = {
    "unless": (["condition", "value", "other"], ["if", "condition", "other", "value"]),
    "let": (["name", "value", "body"], [["lambda", ["name"], "body"], "value"]),
}
GUARDED = ["unless", ["<", "x", 0], ["*", "x", 2], ["quote", "negative"]]
BOUND = ["let", "y", ["+", "x", 1], ["*", "y", "y"]]
NESTED = ["let", "f", ["lambda", ["a"], ["+", "a", "x"]], ["f", ["f", 10]]]

# --- A parser driven by an LL(1) table that evaluates as it goes ---

TABLE = {
    ("E", "n"): ["T", "E'"], ("E", "("): ["T", "E'"],
    ("E'", "+"): ["+", "T", "add", "E'"], ("E'", ")"): [], ("E'", "$"): [],
    ("T", "n"): ["F", "T'"], ("T", "("): ["F", "T'"],
    ("T'", "*"): ["*", "F", "mul", "T'"], ("T'", "+"): [], ("T'", ")"): [], ("T'", "$"): [],
    ("F", "n"): ["n"], ("F", "("): ["(", "E", ")"],
}  # fmt: skip


def parse_by_table(tokens, x):
    values = []
    stack = ["$", "E"]
    rest = deque([*tokens, "$"])
    while stack:
        top = stack.pop()
        look = rest[0]
        kind = look if look in ("+", "*", "(", ")", "$") else "n"
        if top == "add":
            values.append(values.pop() + values.pop())
        elif top == "mul":
            values.append(values.pop() * values.pop())
        elif top == kind:
            token = rest.popleft()
            if kind == "n":
                values.append(x if token == "x" else int(token))
        elif (top, kind) in TABLE:
            stack.extend(reversed(TABLE[top, kind]))
        else:
            raise SyntaxError(f"unexpected {look}")
    return values


# --- Operator precedence with two stacks ---

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
RIGHT = {"^"}


def reduce_top(operators, operands):
    symbol = operators.pop()
    right, left = operands.pop(), operands.pop()
    if symbol == "+":
        operands.append(left + right)
    elif symbol == "-":
        operands.append(left - right)
    elif symbol == "*":
        operands.append(left * right)
    elif symbol == "/":
        operands.append(left / right)
    else:
        operands.append(left**right)


def shift_reduce(text, **variables):
    operators, operands = [], []
    for token in text.split():
        if token == "(":
            operators.append(token)
        elif token == ")":
            while operators[-1] != "(":
                reduce_top(operators, operands)
            operators.pop()
        elif token in PRECEDENCE:
            while operators and operators[-1] != "(":
                above, own = PRECEDENCE[operators[-1]], PRECEDENCE[token]
                if above < own or (above == own and token in RIGHT):
                    break
                reduce_top(operators, operands)
            operators.append(token)
        elif token.isdigit():
            operands.append(int(token))
        else:
            operands.append(variables[token])
    while operators:
        reduce_top(operators, operands)
    (result,) = operands
    return result


def calculate(text, x, y):
    return shift_reduce(text, x=x, y=y)


# --- A sheet whose formulas refer to other cells ---


class Sheet:
    def __init__(self, formulas):
        self.formulas = formulas
        self.cache = {}

    def cell(self, name):
        if name not in self.cache:
            formula = self.formulas[name]
            if callable(formula):
                self.cache[name] = formula(self)
            elif isinstance(formula, str) and formula.startswith("="):
                self.cache[name] = functools.reduce(operator.add, [self.cell(part) for part in formula[1:].split("+")])
            else:
                self.cache[name] = formula
        return self.cache[name]

    def __getitem__(self, name):
        return self.cell(name)


def compute(formulas, wanted, x):
    sheet = Sheet({**formulas, "X": x})
    return [sheet[name] for name in wanted]


PRICES = {"A1": 3, "A2": "=A1+X", "A3": lambda sheet: sheet["A2"] * sheet["A1"], "A4": "=A3+A2+A1"}

# --- A graph of operations in the order of their dependencies ---


def topological(edges):
    incoming = defaultdict(int)
    for targets in edges.values():
        for target in targets:
            incoming[target] += 1
    ready = deque(node for node in edges if incoming[node] == 0)
    order = []
    while ready:
        node = ready.popleft()
        order.append(node)
        for target in edges.get(node, ()):
            incoming[target] -= 1
            if incoming[target] == 0:
                ready.append(target)
    return order


def run_graph(edges, operations, source):
    values = {}
    inputs = defaultdict(list)
    for node, targets in edges.items():
        for target in targets:
            inputs[target].append(node)
    for node in topological(edges):
        arguments = [values[name] for name in inputs[node]]
        values[node] = operations[node](*arguments) if arguments else source
    return values[node]


DIAMOND = {"in": ["left", "right"], "left": ["sum"], "right": ["sum"], "sum": []}
DIAMOND_OPERATIONS = {"left": lambda v: v + 1, "right": lambda v: v * 2, "sum": operator.add}
CHAIN = {"a": ["b"], "b": ["c"], "c": []}
CHAIN_OPERATIONS = {"b": abs, "c": functools.partial(operator.add, 10)}

# --- Facts and rules, applied until nothing is new ---


def infer(rules, age, member):
    facts = {"adult"} if age >= 18 else {"minor"}
    if member:
        facts.add("member")
    changed = True
    while changed:
        changed = False
        for conditions, conclusion in rules:
            if conclusion not in facts and all(condition in facts for condition in conditions):
                facts.add(conclusion)
                changed = True
    return "discount" in facts, len(facts)


RULES = [(("adult", "member"), "loyal"), (("loyal",), "discount"), (("minor",), "discount")]


SUBJECTS = [
    Subject(
        "visitor_by_name",
        [
            Case("linear", lambda: (evaluate_two, {"tree": LINEAR})),
            Case("clamped", lambda: (evaluate_two, {"tree": CLAMPED})),
            Case("unknown", lambda: (evaluate_two, {"tree": UNKNOWN})),
        ],
        inputs=mostly(integers(2), "ab", 2.5),
        gone=("tree", "visit", "getattr", "visit_Num", "variables", "symbols", "node", "Evaluator"),
    ),
    Subject(
        "scoped_script",
        [
            Case("twice", lambda: (run_script, {"script": TWICE})),
            Case("counting", lambda: (run_script, {"script": COUNTING})),
            Case("sign", lambda: (run_script, {"script": SIGN})),
        ],
        inputs=integers(1, -3, 9),
        gone=("script", "scope", "find", "execute", "define", "Given", "parent", "twice"),
        types=(("x", int),),
    ),
    Subject(
        "slots_compiled",
        [
            Case("cube", lambda: (run_compiled, {"tree": CUBE})),
            Case("factorial", lambda: (run_compiled, {"tree": FACTORIAL})),
            Case("assigned", lambda: (run_compiled, {"tree": ASSIGNED})),
        ],
        inputs=integers(1, -3, 9),
        gone=("tree", "slots", "frame", "compile_node", "block", "step", "constant", "lambda"),
    ),
    Subject(
        "lisp_macros",
        [
            Case("guarded", lambda: (lisp, {"program": GUARDED, "macros": MACROS})),
            Case("bound", lambda: (lisp, {"program": BOUND, "macros": MACROS})),
            Case("nested", lambda: (lisp, {"program": NESTED, "macros": MACROS})),
        ],
        inputs=mostly(integers(1), 2.5),
        gone=("program", "macros", "environment", "lisp_eval", "unless", "let", "head"),
    ),
    Subject(
        "table_parser",
        [
            Case("flat", lambda: (parse_by_table, {"tokens": ["x", "+", "2", "*", "x"]})),
            Case("nested", lambda: (parse_by_table, {"tokens": [*"(x+1)*(2+x)"]})),
            Case("wrong", lambda: (parse_by_table, {"tokens": ["x", "+", ")"]})),
        ],
        inputs=mostly(integers(1), "ab", 2.5),
        gone=("tokens", "stack", "look", "TABLE", "popleft", "E", "deque", "rest"),
    ),
    Subject(
        "shift_reduce",
        [
            Case("flat", lambda: (calculate, {"text": "x + 2 * y - 1"})),
            Case("power", lambda: (calculate, {"text": "( x + y ) ^ 2 ^ 1"})),
            Case("one", lambda: (calculate, {"text": "x"})),
        ],
        inputs=mostly(integers(2), 2.5),
        gone=("text", "operators", "operands", "token", "PRECEDENCE", "reduce_top", "isdigit"),
    ),
    Subject(
        "spreadsheet",
        [
            Case("chain", lambda: (compute, {"formulas": PRICES, "wanted": ["A4"]})),
            Case("two", lambda: (compute, {"formulas": PRICES, "wanted": ["A2", "A3"]})),
            Case("known", lambda: (compute, {"formulas": PRICES, "wanted": ["A1"]})),
        ],
        inputs=mostly(integers(1), 2.5, "ab"),
        gone=("formulas", "cache", "cell", "wanted", "startswith", "reduce", "A1", "Sheet"),
        types=(("x", int),),
    ),
    Subject(
        "dataflow",
        [
            Case("diamond", lambda: (run_graph, {"edges": DIAMOND, "operations": DIAMOND_OPERATIONS})),
            Case("chain", lambda: (run_graph, {"edges": CHAIN, "operations": CHAIN_OPERATIONS})),
            Case("single", lambda: (run_graph, {"edges": {"in": []}, "operations": {}})),
        ],
        inputs=mostly(integers(1), 2.5),
        gone=("edges", "operations", "incoming", "ready", "node", "defaultdict", "deque", "popleft", "partial"),
    ),
    Subject(
        "forward_rules",
        [
            Case("loyal", lambda: (infer, {"rules": RULES})),
            Case("none", lambda: (infer, {"rules": []})),
            Case("minor", lambda: (infer, {"rules": RULES[2:]})),
        ],
        inputs=lambda random: (random.randint(10, 30), random.choice([True, False])),
        gone=("rules", "facts", "conditions", "conclusion", "changed", "loyal"),
    ),
]
