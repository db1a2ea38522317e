"""Functions on dicts, lists and tuples whose names and lengths are known, and random ones.

CASES     (function, static arguments in order of the first parameters, rounds of the others)
"""

from __future__ import annotations

import linecache
import random
import sys
import types
from typing import Any

FACTORIAL = (
    "while", ("var", "n"),
    ("seq", (
        ("set", "r", ("*", ("var", "r"), ("var", "n"))),
        ("set", "n", ("-", ("var", "n"), ("num", 1))),
    )),
)  # fmt: skip


def statements(program: Any, n: Any) -> Any:
    env = {}
    env["n"] = n
    env["r"] = 1
    execute(program, env)
    return env["r"]


def execute(statement: Any, env: Any) -> Any:
    kind = statement[0]
    if kind == "set":
        env[statement[1]] = value_of(statement[2], env)
    elif kind == "seq":
        for one in statement[1]:
            execute(one, env)
    elif kind == "while":
        while value_of(statement[1], env):
            execute(statement[2], env)
    elif kind == "if":
        if value_of(statement[1], env):
            execute(statement[2], env)
        else:
            execute(statement[3], env)


def value_of(e: Any, env: Any) -> Any:
    kind = e[0]
    if kind == "num":
        return e[1]
    if kind == "var":
        return env[e[1]]
    a = value_of(e[1], env)
    b = value_of(e[2], env)
    return a + b if kind == "+" else a * b if kind == "*" else a - b


BRANCHES = ("seq", (
    ("if", ("var", "n"), ("set", "r", ("num", 5)), ("set", "r", ("var", "missing"))),
    ("set", "r", ("+", ("var", "r"), ("var", "n"))),
))  # fmt: skip
NEW_NAMES = ("seq", (
    ("if", ("var", "n"), ("set", "q", ("num", 5)), ("set", "r", ("num", 2))),
    ("set", "r", ("+", ("var", "r"), ("var", "q"))),
))  # fmt: skip


def branches(program: Any, n: Any) -> Any:
    return statements(program, n)


def new_names(program: Any, n: Any) -> Any:
    return statements(program, n)


def straight(program: Any, x: Any) -> Any:
    env = {"x": x}
    for target, op, left, right in program:
        a = env[left] if isinstance(left, str) else left
        b = env[right] if isinstance(right, str) else right
        env[target] = a + b if op == "+" else a * b
    return env["result"]


STRAIGHT = (("y", "*", "x", 3), ("result", "+", "y", "x"))


def machine(code: Any, x: Any, y: Any) -> Any:
    stack = []
    for op, arg in code:
        if op == "x":
            stack.append(x)
        elif op == "y":
            stack.append(y)
        elif op == "push":
            stack.append(arg)
        elif op == "+":
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b)
        elif op == "swap":
            stack[-1], stack[-2] = stack[-2], stack[-1]
    return stack.pop() if len(stack) == 1 else len(stack)


MACHINE = (("x", 0), ("push", 2), ("swap", 0), ("+", 0), ("y", 0), ("+", 0))


def underflow(code: Any, x: Any, y: Any) -> Any:
    return machine(code, x, y)


def lets(tree: Any, x: Any) -> Any:
    return lookup(tree, {"x": x})


def lookup(tree: Any, env: Any) -> Any:
    kind = tree[0]
    if kind == "var":
        return env.get(tree[1], 0)
    if kind == "let":
        inner = dict(env)
        inner[tree[1]] = lookup(tree[2], env)
        return lookup(tree[3], inner)
    if kind == "has":
        return tree[1] in env
    if kind == "if":
        return lookup(tree[2], env) if lookup(tree[1], env) else lookup(tree[3], env)
    return lookup(tree[1], env) + lookup(tree[2], {**env, "y": 1})


LETS = ("let", "y", ("add", ("var", "x"), ("var", "z")),
        ("if", ("var", "y"), ("add", ("var", "y"), ("var", "x")), ("has", "q")))  # fmt: skip


def given_back(names: Any, x: Any) -> Any:
    env = {}
    for name in names:
        env[name] = x
    return env


def caught(names: Any, x: Any) -> Any:
    env = {"a": 1}
    try:
        for name in names:
            env[name] = x
            env["n"] = len(env) + x
    except TypeError:
        return env["a"], "b" in env, len(env)
    return env["a"], env


def aliased(names: Any, x: Any) -> Any:
    env = {"a": x}
    other = env
    for name in names:
        other[name] = 2
    return env["a"], len(env)


def kept_inside(names: Any, x: Any) -> Any:
    env = {"a": x}
    row = [env]
    for name in names:
        env[name] = 2
    return row


def keys_that_are_equal(names: Any, x: Any) -> Any:
    env = {1: x, True: 2, "1": 3}  # noqa: F601
    env[1.0] = 4
    return env


def keys_in_order(names: Any, x: Any) -> Any:
    env = {"z": x, "a": 1}
    del env["z"]
    env["z"] = 2
    env["a"] = x
    return env


def passed_twice(names: Any, x: Any) -> Any:
    env = {"a": x}
    return both(env, env)


def both(one: Any, other: Any) -> Any:
    one["a"] = 5
    return other["a"]


def changed_by_a_callee(names: Any, x: Any) -> Any:
    env = {"a": x}
    try:
        fill(env, names, x)
    except TypeError:
        return env["a"], len(env)
    return env["a"], env[names[0]]


def fill(env: Any, names: Any, x: Any) -> Any:
    for name in names:
        env[name] = 7
    env["a"] = x + 1


def callee_gives_back(names: Any, x: Any) -> Any:
    env = {"a": x}
    same = itself(env)
    same["a"] = 3
    return env["a"]


def itself(env: Any) -> Any:
    return env


def iterated(names: Any, x: Any) -> Any:
    env = {"a": x}
    for name in names:
        env[name] = x
    return [(key, env[key]) for key in env]


def compared(names: Any, x: Any) -> Any:
    env = {"a": x}
    return env == {"a": 1}, env is env, str(env)


def captured(names: Any, x: Any) -> Any:
    env = {"a": x}
    read = [lambda: env["a"]]
    env["a"] = 4
    return read[0]()


def rows(names: Any, x: Any) -> Any:
    row = [x, 1, *[2, 3]]
    row[True] = 8
    row[-1] += 1
    first, *_ = row
    copy = row.copy()
    copy.append(5)
    return row, copy, first


def out_of_range(names: Any, x: Any) -> Any:
    row = [x, 1]
    if x:
        row[2] = 5
    return row[1]


def dropped(names: Any, x: Any) -> Any:
    env = {"a": x, "b": 2}
    first = env.pop("a")
    second = env.pop("a", x)
    if x:
        del env["q"]
    return first, second, env


def pushing(n: Any) -> Any:
    stack = []
    while n:
        stack.append(n)
        n -= 1
    return len(stack)


def counting_names(n: Any) -> Any:
    env = {}
    while n:
        env[len(env)] = 1
        n -= 1
    return len(env)


def tuples(names: Any, x: Any) -> Any:
    stack = ()
    for name in names:
        stack = (*stack, x, name)
    return stack[0], len(stack), stack[1:] if x else stack


CASES: list[tuple[Any, dict[str, Any], list[tuple[Any, ...]]]] = [
    (statements, {"program": FACTORIAL}, [(0,), (5,), ("a",)]),
    (branches, {"program": BRANCHES}, [(0,), (5,), ("a",)]),
    (new_names, {"program": NEW_NAMES}, [(0,), (5,), ("a",)]),
    (straight, {"program": STRAIGHT}, [(4,), ("a",), (None,)]),
    (machine, {"code": MACHINE}, [(1, 2), ("a", "b")]),
    (underflow, {"code": (("x", 0), ("+", 0))}, [(1, 2), ("a", "b")]),
    (lets, {"tree": LETS}, [(0,), (3,), ("a",), (-3,)]),
    *[
        (function, {"names": ("b", "c")}, [(0,), (3,), ("a",), (None,)])
        for function in (
            given_back, caught, aliased, kept_inside, keys_that_are_equal, keys_in_order, passed_twice,
            changed_by_a_callee, callee_gives_back, iterated, compared, captured, rows, out_of_range, dropped, tuples,
        )
    ],
]  # fmt: skip

SPLIT = ["statements", "straight", "machine", "lets"]


# -------------------------------------------------------------------- random ones

_KEYS = ("'a'", "'b'", "0", "key", "True")
_ITEMS = ("x", "y", "1", "key", "None")


def random_module(r: random.Random) -> str:
    """A module with two functions on structures."""
    helper = ["def helper(env, row, key, x, y):", *_body(r, 3, ["env", "row"]), f"    return {r.choice(_ITEMS)}"]
    body = [
        "def target(keys, x, y):",
        f"    env = {r.choice(['{}', '{0: x}', 'dict()', '{**{1: y}, **{1: x}}'])}",
        f"    row = {r.choice(['[]', '[x]', '[x, 1]', 'list()'])}",
        f"    part = {r.choice(['()', '(x,)', '(x, 1)'])}",
        f"    made = {r.choice(['env', 'dict(env)', '{**env}', 'row', 'None'])}",
        "    found = []",
        f"    for key in {r.choice(['keys', 'keys', 'keys[1:]', '(x, y)'])}:",
        *_body(r, 5, ["env", "row", "part"], "        "),
        *_body(r, 2, ["env", "row", "part"]),
        f"    return {r.choice(['found', 'found, env', 'env', 'row', 'found, part', 'found, len(row)', 'made'])}",
    ]
    return "\n".join([*helper, "", *body, ""])


def _body(r: random.Random, count: int, structures: list[str], indent: str = "    ") -> list[str]:
    lines: list[str] = []
    for _ in range(r.randint(1, count)):
        kind = r.random()
        if kind < 0.12:
            lines += [f"{indent}if {r.choice(['x', 'y', 'key' if len(indent) > 4 else 'x'])}:"]
            lines += _body(r, 2, structures, indent + "    ")
        elif kind < 0.2:
            lines += [f"{indent}try:", *_body(r, 2, structures, indent + "    ")]
            lines += [f"{indent}except {r.choice(['KeyError', 'TypeError', 'IndexError', 'Exception'])}:"]
            lines += _body(r, 1, structures, indent + "    ")
        else:
            lines.append(indent + _statement(r, structures, in_loop=len(indent) > 4))
    return lines


def _statement(r: random.Random, structures: list[str], *, in_loop: bool) -> str:
    top = "part" in structures
    key = r.choice(_KEYS)
    item = r.choice(_ITEMS)
    if top and not in_loop:
        key, item = key.replace("key", "'c'"), item.replace("key", "2")
    note = "found.append({})" if top else "x = [{}]"
    choices = [
        f"env[{key}] = {item}", f"env[{key}] = {item}", f"env[{key}] = env.get({key}, {item})",
        note.format(f"env[{key}]"), note.format(f"env.get({key})"), note.format(f"{key} in env"),
        f"row.append({item})", f"row.append({item})", note.format("row.pop()"), note.format(f"row[{r.choice('012')}]"),
        f"row[{r.choice(['0', '-1', '1'])}] = {item}", note.format("len(row), len(env)"), note.format("not env"),
        f"env.pop({key}, None)", f"del env[{key}]",
    ]  # fmt: skip
    if top:
        given = "key" if in_loop else "'d'"
        choices += [
            f"part = (*part, {item})", f"part = part + ({item},)", note.format("part[0]"), "first, second = part",
            f"helper(env, row, {given}, x, y)", f"x = helper(env, row, {given}, x, y)", "env = dict(env)",
            "env = {**env, 'n': x}", "row = row.copy()", "other = env", "found.append(env)",
            f"helper(dict(env), list(), {given}, y, x)",
        ]  # fmt: skip
    return r.choice(choices)


def loaded(text: str, name: str) -> Any:
    """The function `target` of a module with this text."""
    module = types.ModuleType("structured_" + "".join(c for c in name if c.isalnum()))
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    sys.modules[module.__name__] = module
    exec(compile(text, name, "exec"), module.__dict__)
    return module.target
