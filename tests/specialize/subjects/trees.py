"""Interpreters of trees: tuples, visitors, functions with recursion and `return` by exception, `match`, Python's `ast`.

    run_tuple(("return", ("*", ("var", "x"), ("num", 2))), 21, 0)    ->    42

The tree is static, what its variables hold is dynamic; environments are ordinary dictionaries.
"""

import ast
import operator
from dataclasses import dataclass

from ..table import Case, Subject, integers, mostly

# --- Tuples, one function for expressions and one for statements ---


def evaluate(node, env):
    kind = node[0]
    if kind == "num":
        return node[1]
    if kind == "var":
        return env[node[1]]
    if kind == "if":
        return evaluate(node[2], env) if evaluate(node[1], env) else evaluate(node[3], env)
    left = evaluate(node[1], env)
    right = evaluate(node[2], env)
    if kind == "+":
        return left + right
    if kind == "-":
        return left - right
    if kind == "*":
        return left * right
    if kind == "<":
        return left < right
    if kind == "%":
        return left % right
    raise ValueError(f"unknown operator {kind!r}")


def execute(node, env):
    kind = node[0]
    if kind == "seq":
        for child in node[1:]:
            execute(child, env)
    elif kind == "let":
        env[node[1]] = evaluate(node[2], env)
    elif kind == "while":
        while evaluate(node[1], env):
            execute(node[2], env)
    elif kind == "when":
        if evaluate(node[1], env):
            execute(node[2], env)
        elif len(node) > 3:
            execute(node[3], env)
    elif kind == "print":
        print(*[evaluate(child, env) for child in node[1:]])
    else:
        raise ValueError(f"unknown statement {kind!r}")


def run_tuple(program, x, y):
    env = {"x": x, "y": y}
    execute(program, env)
    return env.get("result")


def num(n):
    return ("num", n)


def var(name):
    return ("var", name)


X, Y, I, TOTAL = var("x"), var("y"), var("i"), var("total")  # noqa: E741
TUPLE_LINE = ("seq", ("let", "t", ("+", X, Y)), ("let", "result", ("*", var("t"), ("-", X, num(1)))))
TUPLE_SUM = (
    "seq",
    ("let", "i", num(0)),
    ("let", "total", num(0)),
    ("while", ("<", I, X), ("seq", ("let", "total", ("+", TOTAL, ("*", I, Y))), ("let", "i", ("+", I, num(1))))),
    ("let", "result", TOTAL),
)
TUPLE_BRANCH = (
    "seq",
    ("when", ("<", X, Y), ("let", "m", X), ("let", "m", Y)),
    ("print", var("m"), ("+", var("m"), num(1))),
    ("let", "result", ("if", ("%", var("m"), num(2)), num(1), ("*", var("m"), var("m")))),
)
TUPLE_NESTED = (
    "seq",
    ("let", "total", num(0)),
    ("let", "i", num(0)),
    (
        "while",
        ("<", I, X),
        (
            "seq",
            ("let", "j", num(0)),
            (
                "while",
                ("<", var("j"), I),
                ("seq", ("let", "total", ("+", TOTAL, var("j"))), ("let", "j", ("+", var("j"), num(1)))),
            ),
            ("let", "i", ("+", I, num(1))),
        ),
    ),
    ("let", "result", TOTAL),
)
TUPLE_UNBOUND = ("seq", ("when", ("<", X, num(0)), ("let", "z", Y)), ("let", "result", var("z")))

# --- Classes and a visitor, functions, `return` by exception ---


class Number:
    def __init__(self, value):
        self.value = value


class Name:
    def __init__(self, name):
        self.name = name


class Binary:
    def __init__(self, symbol, left, right):
        self.symbol = symbol
        self.left = left
        self.right = right


class CallNode:
    def __init__(self, function, *arguments):
        self.function = function
        self.arguments = arguments


class Assign:
    def __init__(self, name, value):
        self.name = name
        self.value = value


class If:
    def __init__(self, test, body, orelse=()):
        self.test = test
        self.body = body
        self.orelse = orelse


class While:
    def __init__(self, test, body):
        self.test = test
        self.body = body


class Return:
    def __init__(self, value):
        self.value = value


class Function:
    def __init__(self, parameters, body):
        self.parameters = parameters
        self.body = body


class ReturnSignal(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


class Visitor:
    operators = {  # noqa: RUF012
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "%": operator.mod,
        "<": operator.lt,
        "==": operator.eq,
    }

    def __init__(self, functions):
        self.functions = functions
        self.env = {}

    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__)(node)

    def visit_Number(self, node):
        return node.value

    def visit_Name(self, node):
        return self.env[node.name]

    def visit_Binary(self, node):
        return self.operators[node.symbol](self.visit(node.left), self.visit(node.right))

    def visit_Assign(self, node):
        self.env[node.name] = self.visit(node.value)

    def visit_If(self, node):
        self.block(node.body if self.visit(node.test) else node.orelse)

    def visit_While(self, node):
        while self.visit(node.test):
            self.block(node.body)

    def visit_Return(self, node):
        raise ReturnSignal(self.visit(node.value))

    def visit_CallNode(self, node):
        return self.call(node.function, [self.visit(argument) for argument in node.arguments])

    def block(self, statements):
        for statement in statements:
            self.visit(statement)

    def call(self, name, arguments):
        function = self.functions[name]
        saved = self.env
        self.env = dict(zip(function.parameters, arguments))
        try:
            self.block(function.body)
        except ReturnSignal as signal:
            return signal.value
        finally:
            self.env = saved
        return None


def run_visitor(functions, x, y):
    return Visitor(functions).call("main", [x, y])


def visitor_gcd():
    test = Binary("==", Name("b"), Number(0))
    loop = While(
        Number(1),
        [
            If(test, [Return(Name("a"))]),
            Assign("t", Binary("%", Name("a"), Name("b"))),
            Assign("a", Name("b")),
            Assign("b", Name("t")),
        ],
    )
    return {"main": Function(["a", "b"], [loop])}


def visitor_fib():
    n = Name("n")
    first = CallNode("main", Binary("-", n, Number(1)), Number(0))
    second = CallNode("main", Binary("-", n, Number(2)), Number(0))
    body = [If(Binary("<", n, Number(2)), [Return(n)]), Return(Binary("+", first, second))]
    return {"main": Function(["n", "unused"], body)}


def visitor_helpers():
    square = Function(["v"], [Return(Binary("*", Name("v"), Name("v")))])
    clip = Function(["v"], [If(Binary("<", Name("v"), Number(0)), [Return(Number(0))]), Return(Name("v"))])
    total = Binary("+", CallNode("square", Name("x")), CallNode("clip", Binary("-", Name("y"), Name("x"))))
    return {"main": Function(["x", "y"], [Return(total)]), "square": square, "clip": clip}


def visitor_silent():
    return {"main": Function(["x", "y"], [Assign("z", Binary("+", Name("x"), Name("y")))])}


def visitor_parity():
    even = Function(
        ["n", "k"],
        [
            If(Binary("==", Name("n"), Number(0)), [Return(Name("k"))]),
            Return(CallNode("odd", Binary("-", Name("n"), Number(1)), Name("k"))),
        ],
    )
    odd = Function(
        ["n", "k"],
        [
            If(Binary("==", Name("n"), Number(0)), [Return(Number(-1))]),
            Return(CallNode("main", Binary("-", Name("n"), Number(1)), Name("k"))),
        ],
    )
    return {"main": even, "odd": odd}


# --- `match` over dataclasses ---


@dataclass(frozen=True)
class Lit:
    value: object


@dataclass(frozen=True)
class Ref:
    name: str


@dataclass(frozen=True)
class Bin:
    op: str
    left: object
    right: object


@dataclass(frozen=True)
class Let:
    name: str
    value: object
    body: object


@dataclass(frozen=True)
class Cond:
    test: object
    yes: object
    no: object


def reduce_tree(node, env):
    match node:
        case Lit(value):
            return value
        case Ref(name):
            return env[name]
        case Bin("+", left, Lit(0)):
            return reduce_tree(left, env)
        case Bin("+", left, right):
            return reduce_tree(left, env) + reduce_tree(right, env)
        case Bin("*" | "x", left, right):
            return reduce_tree(left, env) * reduce_tree(right, env)
        case Bin("<", left, right):
            return reduce_tree(left, env) < reduce_tree(right, env)
        case Let(name, value, body):
            return reduce_tree(body, {**env, name: reduce_tree(value, env)})
        case Cond(test=test, yes=yes, no=no) if reduce_tree(test, env):
            return reduce_tree(yes, env)
        case Cond(no=no):
            return reduce_tree(no, env)
        case _:
            raise TypeError(f"no such node: {node!r}")


def run_match(tree, a, b):
    return reduce_tree(tree, {"a": a, "b": b})


A, B = Ref("a"), Ref("b")
MATCH_LINE = Bin("+", Bin("*", A, Lit(3)), Bin("+", B, Lit(0)))
MATCH_LET = Let("t", Bin("x", A, B), Let("u", Bin("+", Ref("t"), Lit(1)), Bin("*", Ref("t"), Ref("u"))))
MATCH_COND = Cond(Bin("<", A, B), Bin("+", A, Lit(100)), Cond(Bin("<", B, Lit(0)), Lit(0), B))
MATCH_BAD = Bin("+", A, Bin("?", A, B))

# --- Python's own ast ---


class PythonReturn(Exception):
    pass


BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv}
COMPARE = {ast.Lt: operator.lt, ast.Gt: operator.gt, ast.Eq: operator.eq, ast.NotEq: operator.ne}


class PythonInterpreter:
    def __init__(self, env):
        self.env = env
        self.result = None

    def statements(self, nodes):
        for node in nodes:
            self.statement(node)

    def statement(self, node):
        if isinstance(node, ast.Assign):
            self.env[node.targets[0].id] = self.expression(node.value)
        elif isinstance(node, ast.AugAssign):
            name = node.target.id
            self.env[name] = BINARY[type(node.op)](self.env[name], self.expression(node.value))
        elif isinstance(node, ast.If):
            self.statements(node.body if self.expression(node.test) else node.orelse)
        elif isinstance(node, ast.While):
            while self.expression(node.test):
                self.statements(node.body)
        elif isinstance(node, ast.For):
            for item in self.expression(node.iter):
                self.env[node.target.id] = item
                self.statements(node.body)
        elif isinstance(node, ast.Return):
            self.result = self.expression(node.value)
            raise PythonReturn
        else:
            raise NotImplementedError(type(node).__name__)

    def expression(self, node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return self.env[node.id]
        if isinstance(node, ast.BinOp):
            return BINARY[type(node.op)](self.expression(node.left), self.expression(node.right))
        if isinstance(node, ast.Compare):
            return COMPARE[type(node.ops[0])](self.expression(node.left), self.expression(node.comparators[0]))
        if isinstance(node, ast.BoolOp):
            return any(self.expression(value) for value in node.values)
        if isinstance(node, ast.List):
            return [self.expression(element) for element in node.elts]
        raise NotImplementedError(type(node).__name__)


def run_python(function, x, y):
    env = {parameter.arg: value for parameter, value in zip(function.args.args, (x, y))}
    interpreter = PythonInterpreter(env)
    try:
        interpreter.statements(function.body)
    except PythonReturn:
        return interpreter.result
    return None


def python_tree(text):
    return ast.parse(text).body[0]


PY_CUBE = "def f(a, b):\n    c = a * a\n    c *= a\n    return c + b - 1\n"
PY_LOOP = "def f(a, b):\n    total = 0\n    while a > 0:\n        total += a * b\n        a -= 1\n    return total\n"
PY_SEARCH = "def f(a, b):\n    for item in [3, 5, 8]:\n        if item == a or item == b:\n            return item\n"
PY_REFUSED = "def f(a, b):\n    c = a + b\n    del c\n"


def _visitor(program):
    return lambda: (run_visitor, {"functions": program()})


def _python(text):
    return lambda: (run_python, {"function": python_tree(text)})


SUBJECTS = [
    Subject(
        "tuple_tree",
        [
            Case("line", lambda: (run_tuple, {"program": TUPLE_LINE})),
            Case("sum", lambda: (run_tuple, {"program": TUPLE_SUM})),
            Case("branch", lambda: (run_tuple, {"program": TUPLE_BRANCH})),
            Case("nested", lambda: (run_tuple, {"program": TUPLE_NESTED})),
            Case("unbound", lambda: (run_tuple, {"program": TUPLE_UNBOUND})),
        ],
        inputs=mostly(integers(2), 2.5, None),
        gone=("program", "node", "kind", "env", "evaluate", "execute", "seq", "let", "num", "var"),
    ),
    Subject(
        "visitor_tree",
        [
            Case("gcd", _visitor(visitor_gcd)),
            Case("fib", _visitor(visitor_fib), inputs=lambda r: (r.randint(-2, 11), 0)),
            Case("helpers", _visitor(visitor_helpers)),
            Case("silent", _visitor(visitor_silent)),
            Case("parity", _visitor(visitor_parity), inputs=lambda r: (r.randint(0, 30), r.randint(0, 5))),
        ],
        inputs=mostly(integers(2), 2.5, "q"),
        gone=(
            "functions",
            "node",
            "getattr",
            "visit_",
            "visit_Binary",
            "symbol",
            "Visitor",
            "operators",
            "___new__",  # no signal is made; an operator of an unknown operand may raise one, so handlers stay
        ),
    ),
    Subject(
        "match_tree",
        [
            Case("line", lambda: (run_match, {"tree": MATCH_LINE})),
            Case("let", lambda: (run_match, {"tree": MATCH_LET})),
            Case("cond", lambda: (run_match, {"tree": MATCH_COND})),
            Case("bad", lambda: (run_match, {"tree": MATCH_BAD})),
        ],
        inputs=mostly(integers(2), 2.5, "q"),
        gone=("tree", "Lit", "Bin", "Let", "Cond", "Ref", "env", "reduce_tree"),
    ),
    Subject(
        "python_tree",
        [
            Case("cube", _python(PY_CUBE)),
            Case("loop", _python(PY_LOOP)),
            Case("search", _python(PY_SEARCH)),
            Case("refused", _python(PY_REFUSED)),
        ],
        inputs=mostly(integers(2, 0, 9), 2.5, None),
        gone=("function", "node", "BinOp", "BINARY", "COMPARE", "isinstance", "ast", "targets"),
    ),
]
