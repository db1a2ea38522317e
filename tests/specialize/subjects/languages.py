"""Small languages read from text: a mini-Lisp, an expression compiler to closures, a calculator, rules, pipelines.

    lisp("(define (sq a) (* a a)) (sq n)", 5)    ->    25

The text is static, so reading it and walking what it means happen before the residual exists.
"""

import operator

from ..table import Case, Subject, integers, mostly

# --- A mini-Lisp ---


class Symbol:
    def __init__(self, name):
        self.name = name


def read_all(text):
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()
    forms = []
    at = 0
    while at < len(tokens):
        form, at = read_form(tokens, at)
        forms.append(form)
    return forms


def read_form(tokens, at):
    token = tokens[at]
    if token == "(":
        items = []
        at += 1
        while tokens[at] != ")":
            item, at = read_form(tokens, at)
            items.append(item)
        return items, at + 1
    if token.lstrip("-").isdigit():
        return int(token), at + 1
    return Symbol(token), at + 1


class Environment:
    def __init__(self, names, values, outer):
        self.table = dict(zip(names, values))
        self.outer = outer

    def find(self, name):
        env = self
        while env is not None:
            if name in env.table:
                return env
            env = env.outer
        raise NameError(name)


class Procedure:
    def __init__(self, parameters, body, env):
        self.parameters = parameters
        self.body = body
        self.env = env


PRIMITIVES = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "<": operator.lt,
    "=": operator.eq,
    "cons": lambda head, tail: (head, tail),
    "car": lambda pair: pair[0],
    "cdr": lambda pair: pair[1],
    "null?": lambda value: value == (),
}


def lisp_eval(form, env):
    if isinstance(form, int):
        return form
    if isinstance(form, Symbol):
        return env.find(form.name).table[form.name]
    head = form[0]
    if isinstance(head, Symbol):
        if head.name == "if":
            return lisp_eval(form[2] if lisp_eval(form[1], env) else form[3], env)
        if head.name == "define":
            if isinstance(form[1], list):
                name = form[1][0].name
                value = Procedure([p.name for p in form[1][1:]], form[2], env)
            else:
                name = form[1].name
                value = lisp_eval(form[2], env)
            env.table[name] = value
            return None
        if head.name == "lambda":
            return Procedure([p.name for p in form[1]], form[2], env)
        if head.name == "let":
            names = [pair[0].name for pair in form[1]]
            values = [lisp_eval(pair[1], env) for pair in form[1]]
            return lisp_eval(form[2], Environment(names, values, env))
    function = lisp_eval(head, env)
    arguments = [lisp_eval(argument, env) for argument in form[1:]]
    if isinstance(function, Procedure):
        return lisp_eval(function.body, Environment(function.parameters, arguments, function.env))
    return function(*arguments)


def lisp(text, n):
    env = Environment(list(PRIMITIVES), list(PRIMITIVES.values()), None)
    env = Environment(["n", "nil"], [n, ()], env)
    result = None
    for form in read_all(text):
        result = lisp_eval(form, env)
    return result


LISP_SQUARE = "(define (square a) (* a a)) (+ (square n) (square (- n 1)))"
LISP_FACTORIAL = "(define (fact k) (if (< k 2) 1 (* k (fact (- k 1))))) (fact n)"
LISP_FIB = "(define (fib k) (if (< k 2) k (+ (fib (- k 1)) (fib (- k 2))))) (fib n)"
LISP_CLOSURE = "(define (adder a) (lambda (b) (+ a b))) (let ((f (adder n)) (g (adder 10))) (f (g 1)))"
LISP_LIST = (
    "(define (upto k) (if (< k 1) nil (cons k (upto (- k 1)))))"
    "(define (total l) (if (null? l) 0 (+ (car l) (total (cdr l)))))"
    "(total (upto n))"
)
LISP_UNBOUND = "(if (< n 0) missing (* n 2))"

# --- Expressions: tokens, precedence climbing, closures ---


def tokenize(text):
    tokens = []
    i = 0
    while i < len(text):
        c = text[i]
        if c.isspace():
            i += 1
        elif c.isdigit():
            start = i
            while i < len(text) and text[i].isdigit():
                i += 1
            tokens.append(int(text[start:i]))
        elif c.isalpha():
            start = i
            while i < len(text) and text[i].isalnum():
                i += 1
            tokens.append(text[start:i])
        else:
            tokens.append(c)
            i += 1
    tokens.append("end")
    return tokens


LEVELS = {"<": 1, "+": 2, "-": 2, "*": 3, "/": 3}


class Parser:
    def __init__(self, text):
        self.tokens = tokenize(text)
        self.position = 0

    def advance(self):
        token = self.tokens[self.position]
        self.position += 1
        return token

    def atom(self):
        token = self.advance()
        if isinstance(token, int):
            return lambda env: token
        if token == "(":
            inner = self.expression(0)
            self.advance()
            return inner
        if token == "-":
            operand = self.atom()
            return lambda env: -operand(env)
        return lambda env: env[token]

    def expression(self, least):
        left = self.atom()
        while LEVELS.get(self.tokens[self.position], 0) > least:
            symbol = self.advance()
            left = combine(symbol, left, self.expression(LEVELS[symbol]))
        return left


def combine(symbol, left, right):
    if symbol == "+":
        return lambda env: left(env) + right(env)
    if symbol == "-":
        return lambda env: left(env) - right(env)
    if symbol == "*":
        return lambda env: left(env) * right(env)
    if symbol == "/":
        return lambda env: left(env) / right(env)
    return lambda env: left(env) < right(env)


def calculate(text, x, y):
    compiled = Parser(text).expression(0)
    return compiled({"x": x, "y": y})


# --- Code in postfix, made by a compiler, run by a loop ---


def compile_postfix(node):
    if isinstance(node, tuple):
        symbol, left, right = node
        return [*compile_postfix(left), *compile_postfix(right), ("apply", symbol)]
    if isinstance(node, str):
        return [("fetch", node)]
    return [("constant", node)]


APPLY = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "max": max}


def run_postfix(node, variables):
    stack = []
    for operation, operand in compile_postfix(node):
        if operation == "apply":
            b = stack.pop()
            a = stack.pop()
            stack.append(APPLY[operand](a, b))
        elif operation == "fetch":
            stack.append(variables[operand])
        else:
            stack.append(operand)
    [result] = stack
    return result


# --- Business rules as nested dictionaries ---


def decide(rule, facts):
    if not isinstance(rule, dict):
        return rule
    [(symbol, operands)] = rule.items()
    if symbol == "var":
        value = facts
        for key in operands.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value
    if symbol == "and":
        return all(decide(operand, facts) for operand in operands)
    if symbol == "or":
        return any(decide(operand, facts) for operand in operands)
    if symbol == "if":
        test, yes, no = operands
        return decide(yes if decide(test, facts) else no, facts)
    if symbol == "in":
        return decide(operands[0], facts) in operands[1]
    values = [decide(operand, facts) for operand in operands]
    if symbol == "==":
        return values[0] == values[1]
    if symbol == ">=":
        return values[0] >= values[1]
    if symbol == "+":
        return sum(values)
    raise KeyError(symbol)


RULE_ADULT = {"and": [{">=": [{"var": "age"}, 18]}, {"==": [{"var": "home.country"}, "NO"]}]}
RULE_FEE = {"if": [{"in": [{"var": "kind"}, ["student", "child"]]}, 0, {"+": [5, {"var": "age"}]}]}
RULE_ANY = {"or": [{"==": [{"var": "kind"}, "guest"]}, {">=": [{"var": "age"}, 67]}]}


def facts_input(random):
    facts = {"age": random.randint(0, 90), "kind": random.choice(["student", "guest", "child", "other"])}
    if random.random() < 0.7:
        facts["home"] = random.choice([{"country": "NO"}, {"country": "SE"}, {}, None])
    if random.random() < 0.1:
        del facts["age"]
    return (facts,)


# --- Pipelines of closures ---


def make_stage(specification):
    name, *arguments = specification
    if name == "add":
        [amount] = arguments
        return lambda values: [v + amount for v in values]
    if name == "scale":
        [factor] = arguments
        return lambda values: [v * factor for v in values]
    if name == "keep_above":
        [bound] = arguments
        return lambda values: [v for v in values if v > bound]
    if name == "take":
        [count] = arguments
        return lambda values: values[:count]
    if name == "running":
        return running_totals
    raise LookupError(name)


def running_totals(values):
    total = 0
    totals = []
    for v in values:
        total += v
        totals.append(total)
    return totals


def compose(*functions):
    def composed(value):
        for function in functions:
            value = function(value)
        return value

    return composed


def pipeline(stages, values):
    return compose(*[make_stage(stage) for stage in stages])(values)


def numbers_input(random):
    return ([random.randint(-9, 20) for _ in range(random.randint(0, 6))],)


SUBJECTS = [
    Subject(
        "mini_lisp",
        [
            Case("square", lambda: (lisp, {"text": LISP_SQUARE})),
            Case("factorial", lambda: (lisp, {"text": LISP_FACTORIAL})),
            Case("fib", lambda: (lisp, {"text": LISP_FIB}), inputs=integers(1, -1, 10)),
            Case("closure", lambda: (lisp, {"text": LISP_CLOSURE})),
            Case("list", lambda: (lisp, {"text": LISP_LIST})),
            Case("unbound", lambda: (lisp, {"text": LISP_UNBOUND})),
        ],
        inputs=mostly(integers(1), 2.5),
        gone=("text", "tokens", "Symbol", "Procedure", "Environment", "table", "outer", "find", "define", "lambda"),
    ),
    Subject(
        "expression_compiler",
        [
            Case("line", lambda: (calculate, {"text": "x * 3 + y - 1"})),
            Case("brackets", lambda: (calculate, {"text": "(x + y) * (x - y) / 2"})),
            Case("minus", lambda: (calculate, {"text": "- x - - (y * 2) < x"})),
            Case("unknown", lambda: (calculate, {"text": "x + z * 2"})),
        ],
        inputs=mostly(integers(2), 2.5, "q"),
        gone=("text", "tokens", "Parser", "env", "LEVELS", "symbol", "combine", "position"),
    ),
    Subject(
        "postfix_compiler",
        [
            Case("line", lambda: (run_postfix, {"node": ("+", ("*", "x", 3), "y")})),
            Case("max", lambda: (run_postfix, {"node": ("max", ("-", "x", "y"), ("-", "y", "x"))})),
            Case("missing", lambda: (run_postfix, {"node": ("+", "x", ("*", "z", 2))})),
        ],
        inputs=lambda r: ({"x": r.choice([1, 2.5, -7, "a"]), "y": r.randint(-9, 9)},),
        gone=("node", "stack", "operation", "operand", "APPLY", "apply", "fetch", "constant"),
    ),
    Subject(
        "business_rules",
        [
            Case("adult", lambda: (decide, {"rule": dict(RULE_ADULT)})),
            Case("fee", lambda: (decide, {"rule": dict(RULE_FEE)})),
            Case("any", lambda: (decide, {"rule": dict(RULE_ANY)})),
        ],
        inputs=facts_input,
        gone=("rule", "symbol", "operands", "var", "and", "home.country", "split"),
    ),
    Subject(
        "closure_pipeline",
        [
            Case("arithmetic", lambda: (pipeline, {"stages": [("add", 1), ("scale", 3), ("keep_above", 9)]})),
            Case("running", lambda: (pipeline, {"stages": [("running",), ("take", 3)]})),
            Case("empty", lambda: (pipeline, {"stages": []})),
        ],
        inputs=mostly(numbers_input, [1, "q"], (1, 2), None),
        gone=("stages", "specification", "compose", "make_stage", "keep_above", "scale"),
    ),
]
