"""A template engine, an evaluator of Python's own trees, parsers of combinators, a processor: subjects of a test."""

# ruff: noqa: RUF012
import ast
import operator
import re

# -- a template engine: tokens by `re.split`, blocks by a nested function, nodes that render themselves


class Text:
    def __init__(self, text):
        self.text = text

    def render(self, context, out):
        out.append(self.text)


class Show:
    def __init__(self, text):
        parts = text.split("|")
        self.path = parts[0].strip().split(".")
        self.filters = [part.strip() for part in parts[1:]]

    def render(self, context, out):
        value = found(context, self.path)
        for name in self.filters:
            value = FILTERS[name](value)
        out.append(str(value))


class Loop:
    def __init__(self, name, path, body):
        self.name = name
        self.path = path
        self.body = body

    def render(self, context, out):
        items = found(context, self.path)
        for at, item in enumerate(items):
            inner = dict(context)
            inner[self.name] = item
            inner["loop"] = {"index": at + 1, "last": at == len(items) - 1}
            for node in self.body:
                node.render(inner, out)


class Choice:
    def __init__(self, path, body, otherwise):
        self.path = path
        self.body = body
        self.otherwise = otherwise

    def render(self, context, out):
        for node in self.body if found(context, self.path) else self.otherwise:
            node.render(context, out)


FILTERS = {
    "upper": str.upper, "title": lambda text: text.title(), "length": len,
    "escape": lambda text: str(text).replace("&", "&amp;").replace("<", "&lt;"),
}  # fmt: skip


def found(context, path):
    value = context
    for part in path:
        try:
            value = value[part]
        except (KeyError, TypeError, IndexError):
            value = getattr(value, part, "")
    return value


class TemplateError(Exception):
    pass


def parse(text):
    tokens = re.split(r"(\{\{.*?\}\}|\{%.*?%\})", text)
    at = 0

    def block(*ends):
        nonlocal at
        nodes = []
        while at < len(tokens):
            token = tokens[at]
            at += 1
            if token.startswith("{{"):
                nodes.append(Show(token[2:-2]))
            elif token.startswith("{%"):
                words = token[2:-2].split()
                if words[0] in ends:
                    return nodes, words[0]
                if words[0] == "for":
                    body, _ = block("endfor")
                    nodes.append(Loop(words[1], words[3].split("."), body))
                elif words[0] == "if":
                    body, end = block("else", "endif")
                    otherwise = []
                    if end == "else":
                        otherwise, _ = block("endif")
                    nodes.append(Choice(words[1].split("."), body, otherwise))
                else:
                    raise TemplateError(words[0])
            elif token:
                nodes.append(Text(token))
        if ends:
            raise TemplateError("unclosed " + ends[0])
        return nodes, None

    return block()[0]


def render(text, context):
    out = []
    for node in parse(text):
        node.render(context, out)
    return "".join(out)


PAGE = (
    "Hi {{ user.name|upper }}!{% if items %}<ul>{% for i in items %}<li>{{loop.index}}: {{ i.title|escape }}</li>"
    "{% endfor %}</ul>{% else %}none{% endif %}"
)

# -- an evaluator of Python's trees, by the visitor of the standard library

SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


class Evaluator(ast.NodeVisitor):
    def __init__(self, values):
        self.values = values

    def visit_Expression(self, node):
        return self.visit(node.body)

    def visit_BinOp(self, node):
        left = self.visit(node.left)
        right = self.visit(node.right)
        return SIGNS[type(node.op)](left, right)

    def visit_Constant(self, node):
        return node.value

    def visit_Name(self, node):
        return self.values[node.id]

    def visit_Compare(self, node):
        left = self.visit(node.left)
        for sign, comparator in zip(node.ops, node.comparators):
            right = self.visit(comparator)
            if isinstance(sign, ast.Lt):
                holds = left < right
            elif isinstance(sign, ast.Gt):
                holds = left > right
            else:
                raise ValueError("unknown comparison")
            if not holds:
                return False
            left = right
        return True

    def visit_IfExp(self, node):
        return self.visit(node.body) if self.visit(node.test) else self.visit(node.orelse)

    def visit_Call(self, node):
        receiver = self.values[node.func.value.id]
        return getattr(receiver, node.func.attr)(*[self.visit(arg) for arg in node.args])

    def generic_visit(self, node):
        raise ValueError(f"unknown {type(node).__name__}")


def evaluated(tree, values):
    return Evaluator(values).visit(tree)


FORMULA = ast.parse("a * 2 + b if 0 < a < 10 else s.upper()", mode="eval")

# -- parsers out of parsers: closures that give a value and where it ends, or nothing


def literal(wanted):
    def parser(text, at):
        if text.startswith(wanted, at):
            return wanted, at + len(wanted)
        return None

    return parser


def sequence(*parsers):
    def parser(text, at):
        values = []
        for part in parsers:
            made = part(text, at)
            if made is None:
                return None
            value, at = made
            values.append(value)
        return values, at

    return parser


def either(*parsers):
    def parser(text, at):
        for part in parsers:
            made = part(text, at)
            if made is not None:
                return made
        return None

    return parser


def many(part):
    def parser(text, at):
        values = []
        while True:
            made = part(text, at)
            if made is None:
                return values, at
            value, at = made
            values.append(value)

    return parser


def pattern(expression):
    compiled = re.compile(expression)

    def parser(text, at):
        match = compiled.match(text, at)
        return (match.group(), match.end()) if match else None

    return parser


def mapped(part, function):
    def parser(text, at):
        made = part(text, at)
        if made is None:
            return None
        return function(made[0]), made[1]

    return parser


SPACE = pattern(r"\s*")
NUMBER = mapped(sequence(SPACE, pattern(r"\d+")), lambda values: int(values[1]))
WORD = mapped(sequence(SPACE, pattern(r"[a-z]+")), lambda values: values[1])
ITEM = either(NUMBER, WORD)
MORE = mapped(sequence(SPACE, literal(","), ITEM), lambda values: values[2])
LIST = mapped(sequence(literal("["), ITEM, many(MORE), SPACE, literal("]")), lambda values: [values[1], *values[2]])


def parsed(parser, text):
    made = parser(text, 0)
    if made is None or made[1] != len(text):
        raise ValueError(text)
    return made[0]


# -- a processor with registers and words of two bytes


class Processor:
    def __init__(self, rom):
        self.memory = list(rom)

    def run(self, x, y, limit=1000):
        values = [x, y, 0, 0]
        at = steps = 0
        shown = []
        while steps < limit:
            steps += 1
            word = self.memory[at] << 8 | self.memory[at + 1]
            at += 2
            to, other, constant = word >> 8 & 15, word >> 4 & 15, word & 255
            match word >> 12:
                case 0:
                    return shown, values
                case 1:
                    at = word & 0xFFF
                case 3:
                    if values[to] == constant:
                        at += 2
                case 6:
                    values[to] = constant
                case 7:
                    values[to] = values[to] + constant & 255
                case 8:
                    match word & 15:
                        case 0:
                            values[to] = values[other]
                        case 4:
                            values[to] = values[to] + values[other] & 255
                        case 5:
                            values[to] = values[to] - values[other] & 255
                        case unknown:
                            raise ValueError(f"unknown operation {unknown}")
                case 15:
                    shown.append(values[to])
                case _:
                    raise ValueError(hex(word))
        raise TimeoutError


MULTIPLY = Processor(bytes([0x62, 0, 0x82, 0x04, 0x71, 0xFF, 0x31, 0, 0x10, 2, 0xF2, 0, 0, 0]))


# -- a language of classes: functions that call themselves, variables in a chain of scopes, `return` by an exception


class Scope:
    def __init__(self, parent=None):
        self.values = {}
        self.parent = parent

    def get(self, name):
        scope = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            scope = scope.parent
        raise NameError(name)

    def assign(self, name, value):
        scope = self
        while scope is not None:
            if name in scope.values:
                scope.values[name] = value
                return
            scope = scope.parent
        raise NameError(name)


class Returned(Exception):
    def __init__(self, value):
        self.value = value


class Function:
    def __init__(self, parameters, body, scope):
        self.parameters = parameters
        self.body = body
        self.scope = scope

    def call(self, machine, args):
        scope = Scope(self.scope)
        for name, value in zip(self.parameters, args):
            scope.values[name] = value
        try:
            machine.block(self.body, scope)
        except Returned as returned:
            return returned.value
        return None


class Machine:
    BINARY = {"+": operator.add, "-": operator.sub, "<": operator.lt}

    def __init__(self):
        self.globals = Scope()
        self.shown = []

    def run(self, program, **inputs):
        self.globals.values.update(inputs)
        self.block(program, self.globals)
        return self.shown

    def block(self, statements, scope):
        for statement in statements:
            getattr(self, "do_" + statement[0])(scope, *statement[1:])

    def do_let(self, scope, name, value):
        scope.values[name] = self.value(value, scope)

    def do_set(self, scope, name, value):
        scope.assign(name, self.value(value, scope))

    def do_while(self, scope, condition, body):
        while self.value(condition, scope):
            self.block(body, Scope(scope))

    def do_if(self, scope, condition, body):
        if self.value(condition, scope):
            self.block(body, Scope(scope))

    def do_function(self, scope, name, parameters, body):
        scope.values[name] = Function(parameters, body, scope)

    def do_return(self, scope, value):
        raise Returned(self.value(value, scope))

    def do_show(self, scope, value):
        self.shown.append(self.value(value, scope))

    def value(self, tree, scope):
        if isinstance(tree, int):
            return tree
        if isinstance(tree, str):
            return scope.get(tree)
        if tree[0] == "call":
            function = self.value(tree[1], scope)
            return function.call(self, [self.value(arg, scope) for arg in tree[2:]])
        sign, left, right = tree
        return self.BINARY[sign](self.value(left, scope), self.value(right, scope))


FIBONACCI = [
    (
        "function", "fib", ("n",),
        [
            ("if", ("<", "n", 2), [("return", "n")]),
            ("return", ("+", ("call", "fib", ("-", "n", 1)), ("call", "fib", ("-", "n", 2)))),
        ],
    ),
    ("let", "i", 0),
    ("while", ("<", "i", "x"), [("let", "t", ("call", "fib", "i")), ("show", "t"), ("set", "i", ("+", "i", 1))]),
]  # fmt: skip


def shown(program, x):
    return Machine().run(program, x=x)
