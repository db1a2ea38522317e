"""Functions written without the offline specializer in mind: interpreters with environments, machines, matchers.

CASES     (function, static arguments, rounds of open arguments, what a residual for them has no more)
"""

from __future__ import annotations

from typing import Any


def env_dict(tree: Any, x: Any) -> Any:
    """An expression interpreter with a dict environment."""
    env = {"x": x}
    return ev(tree, env)


def ev(tree: Any, env: Any) -> Any:
    kind = tree[0]
    if kind == "num":
        return tree[1]
    if kind == "var":
        return env[tree[1]]
    if kind == "add":
        return ev(tree[1], env) + ev(tree[2], env)
    if kind == "let":
        inner = dict(env)
        inner[tree[1]] = ev(tree[2], env)
        return ev(tree[3], inner)
    if kind == "if":
        return ev(tree[2], env) if ev(tree[1], env) else ev(tree[3], env)
    raise ValueError(kind)


TREE = (
    "let", "y", ("add", ("var", "x"), ("num", 3)),
    ("if", ("var", "y"), ("add", ("var", "y"), ("var", "x")), ("num", 0)),
)  # fmt: skip


def env_tuples(tree: Any, x: Any) -> Any:
    return ev2(tree, (("x", x), None))


def lookup(env: Any, name: Any) -> Any:
    while env is not None:
        (key, value), env = env
        if key == name:
            return value
    raise KeyError(name)


def ev2(tree: Any, env: Any) -> Any:
    kind = tree[0]
    if kind == "num":
        return tree[1]
    if kind == "var":
        return lookup(env, tree[1])
    if kind == "add":
        return ev2(tree[1], env) + ev2(tree[2], env)
    if kind == "let":
        return ev2(tree[3], ((tree[1], ev2(tree[2], env)), env))
    if kind == "if":
        return ev2(tree[2], env) if ev2(tree[1], env) else ev2(tree[3], env)
    raise ValueError(kind)


def rpn(code: Any, x: Any, y: Any) -> Any:
    stack = ()
    for op in code:
        if op == "x":
            stack = (x, stack)
        elif op == "y":
            stack = (y, stack)
        elif op == "+":
            a, (b, stack) = stack
            stack = (a + b, stack)
        else:
            stack = (op, stack)
    return stack[0]


def horner(coefficients: Any, x: Any) -> Any:
    total = 0
    for c in reversed(coefficients):
        total = total * x + c
    return total


def fmt(template: Any, name: Any, n: Any) -> Any:
    out = ""
    i = 0
    while i < len(template):
        ch = template[i]
        if ch == "%":
            i += 1
            if template[i] == "s":
                out += name
            else:
                out += str(n)
        else:
            out += ch
        i += 1
    return out


def matches(pattern: Any, text: Any) -> Any:
    pos = 0
    for p in pattern:
        if pos >= len(text):
            return False
        if p != "." and text[pos] != p:
            return False
        pos += 1
    return pos == len(text)


def kmp(pattern: Any, text: Any) -> Any:
    for start in range(len(text) - len(pattern) + 1):
        for k in range(len(pattern)):
            if text[start + k] != pattern[k]:
                break
        else:
            return start
    return -1


def check_schema(schema: Any, value: Any) -> Any:
    kind = schema["type"]
    if kind == "int":
        return isinstance(value, int)
    if kind == "list":
        return isinstance(value, list) and all(check_schema(schema["items"], v) for v in value)
    return False


def register_machine(program: Any, a: Any, b: Any) -> Any:
    regs = (a, b)
    pc = 0
    while pc < len(program):
        op, i = program[pc]
        x, y = regs
        if op == "inc":
            regs = (x + 1, y) if i == 0 else (x, y + 1)
            pc = pc + 1
        elif op == "jz":
            pc = i if x == 0 else pc + 1
        elif op == "dec":
            regs = (x - 1, y)
            pc = pc + 1
        else:
            pc = i
    return regs


COUNT = (("jz", 4), ("dec", 0), ("inc", 1), ("jmp", 0))


def gcd(a: Any, b: Any) -> Any:
    while b:
        a, b = b, a % b
    return a


def bits(n: Any, x: Any) -> Any:
    mask = 0
    while n:
        n, bit = divmod(n, 2)
        mask = mask * 2 + (x & 1 if bit else 0)
        x >>= 1
    return mask


def ack(m: Any, n: Any) -> Any:
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))


Case = tuple[Any, dict[str, Any], list[tuple[Any, ...]], str]

CASES: list[Case] = [
    (env_dict, {"tree": TREE}, [(0,), (-3,), (5,), ("a",)], "kind"),
    (env_tuples, {"tree": TREE}, [(0,), (-3,), (5,), ("a",)], "kind"),
    (rpn, {"code": ("x", 3, "+", "y", "+")}, [(1, 2), ("a", "b")], "op"),
    (horner, {"coefficients": (1, 2, 3)}, [(0,), (2,), (1.5,), ("a",)], "coefficients"),
    (fmt, {"template": "hi %s: %d!"}, [("bob", 3), (3, 3)], "while"),
    (matches, {"pattern": "a.c"}, [("abc",), ("ab",), ("abcd",), ("xbc",), (["a", 1, "c"],)], "pattern"),
    (kmp, {"pattern": "aab"}, [("aaab",), ("xyz",), ("",), ("aabaab",)], "break"),
    (check_schema, {"schema": {"type": "list", "items": {"type": "int"}}}, [([1, 2],), ([1, "a"],), (3,)], ""),
    (register_machine, {"program": COUNT}, [(0, 0), (3, 1), (2, 5)], "pc"),
    (gcd, {"b": 0}, [(4,), ("x",)], ""),
    (gcd, {"a": 12}, [(4,), (0,), (18,)], ""),
    (bits, {"n": 13}, [(0,), (5,), (255,)], "while"),
    (ack, {"m": 2}, [(0,), (1,), (3,)], ""),
    (ack, {"m": 1, "n": 2}, [()], "if"),
]
