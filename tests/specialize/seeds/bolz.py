"""Bolz's flow-graph language: power as a Python function, and an interpreter of the language in Python.

    run_blocks(POWER, "power", {"x": 10, "y": 10})    ->    10000000000

Blocks are tuples as in the text: operations, then `if`, `jump` or `print_and_stop`.
"""


def power(x, y):
    res = 1
    while y:
        res = res * x
        y = y - 1
    return res


def power_printed(x, y):
    res = 1
    while y:
        res = res * x
        y = y - 1
    print(res)


POWER = {
    "power": (("op1", "res", "same", 1), ("if", "y", "power_rec", "power_done")),
    "power_rec": (
        ("op2", "res", "mul", "res", "x"),
        ("op2", "y", "sub", "y", 1),
        ("if", "y", "power_rec", "power_done"),
    ),
    "power_done": (("print_and_stop", "res"),),
}
LOOP = {
    "loop": (
        ("op2", "sum", "readlist", "l", "i"),
        ("op2", "total", "add", "total", "sum"),
        ("op2", "i", "add", "i", 1),
        ("op2", "more", "ge", "n", "i"),
        ("if", "more", "loop", "done"),
    ),
    "done": (("jump", "end"),),
    "end": (("print_and_stop", "total"),),
}


def resolve(argument, env):
    return env[argument] if isinstance(argument, str) else argument


def do_op(name, *arguments):
    if name == "same":
        return arguments[0]
    if name == "mul":
        return arguments[0] * arguments[1]
    if name == "add":
        return arguments[0] + arguments[1]
    if name == "sub":
        return arguments[0] - arguments[1]
    if name == "eq":
        return int(arguments[0] == arguments[1])
    if name == "ge":
        return int(arguments[0] >= arguments[1])
    if name == "readlist":
        return arguments[0][arguments[1]]
    raise LookupError(name)


def run_blocks(blocks, label, env):
    code = blocks[label]
    at = 0
    while True:
        operation = code[at]
        at += 1
        if operation[0] == "op1":
            env[operation[1]] = do_op(operation[2], resolve(operation[3], env))
        elif operation[0] == "op2":
            left, right = resolve(operation[3], env), resolve(operation[4], env)
            env[operation[1]] = do_op(operation[2], left, right)
        elif operation[0] == "jump":
            code = blocks[operation[1]]
            at = 0
        elif operation[0] == "if":
            code = blocks[operation[2] if env[operation[1]] != 0 else operation[3]]
            at = 0
        else:
            result = resolve(operation[1], env)
            print(result)
            return result


def run_power(blocks, x, y):
    return run_blocks(blocks, "power", {"x": x, "y": y})


def run_loop(blocks, n, l):  # noqa: E741
    return run_blocks(blocks, "loop", {"n": n, "l": l, "i": 0, "total": 0})
