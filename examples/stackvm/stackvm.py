"""A stack machine: an assembler, a machine with one loop of comparisons, and one with a method for each instruction.

    Machine(assemble(SIEVE)).run(10)    gives [4]: there are four primes up to 10

Invariant: both machines give the same for each program.
"""

NAMES = [
    "const", "get", "set", "add", "sub", "mul", "div", "rem", "less", "atmost", "same",
    "negate", "goto", "unless", "copy", "drop", "array", "item", "put", "show", "stop",
]  # fmt: skip
CONST, GET, SET, ADD, SUB, MUL, DIV, REM, LESS, ATMOST, SAME = range(11)
NEGATE, GOTO, UNLESS, COPY, DROP, ARRAY, ITEM, PUT, SHOW, STOP = range(11, 21)


class MachineError(Exception):
    """An instruction that does not exist."""


def assemble(text):
    """Lines such as `const 3` and `label:` to a list of (instruction, argument); `#` starts a comment."""
    places, lines = {}, []
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0].endswith(":"):
            places[words[0][:-1]] = len(lines)
        else:
            lines.append(words)
    code = []
    for name, *rest in lines:
        argument = None
        if rest:
            argument = places[rest[0]] if rest[0] in places else int(rest[0])
        code.append((NAMES.index(name), argument))
    return code


class Machine:
    """One loop, one comparison after the other."""

    def __init__(self, code, variables=8):
        self.code = code
        self.variables = variables

    def run(self, *args):
        code = self.code
        stack, shown = [], []
        variable = [*args, *[0] * (self.variables - len(args))]
        at = 0
        while True:
            op, arg = code[at]
            at += 1
            if op == CONST:
                stack.append(arg)
            elif op == GET:
                stack.append(variable[arg])
            elif op == SET:
                variable[arg] = stack.pop()
            elif op == ADD:
                right = stack.pop()
                stack.append(stack.pop() + right)
            elif op == SUB:
                right = stack.pop()
                stack.append(stack.pop() - right)
            elif op == MUL:
                right = stack.pop()
                stack.append(stack.pop() * right)
            elif op == DIV:
                right = stack.pop()
                stack.append(stack.pop() // right)
            elif op == REM:
                right = stack.pop()
                stack.append(stack.pop() % right)
            elif op == LESS:
                right = stack.pop()
                stack.append(stack.pop() < right)
            elif op == ATMOST:
                right = stack.pop()
                stack.append(stack.pop() <= right)
            elif op == SAME:
                right = stack.pop()
                stack.append(stack.pop() == right)
            elif op == NEGATE:
                stack.append(not stack.pop())
            elif op == GOTO:
                at = arg
            elif op == UNLESS:
                if not stack.pop():
                    at = arg
            elif op == COPY:
                stack.append(stack[-1])
            elif op == DROP:
                stack.pop()
            elif op == ARRAY:
                stack.append([0] * stack.pop())
            elif op == ITEM:
                place = stack.pop()
                stack.append(stack.pop()[place])
            elif op == PUT:
                value, place = stack.pop(), stack.pop()
                stack.pop()[place] = value
            elif op == SHOW:
                shown.append(stack.pop())
            elif op == STOP:
                return shown
            else:
                raise MachineError(f"no instruction {op!r} at {at - 1}")


class TableMachine:
    """A method for each instruction, the state in attributes."""

    def __init__(self, code, variables=8):
        self.code = code
        self.variables = variables
        self.methods = [getattr(self, "do_" + name) for name in NAMES]

    def run(self, *args):
        self.stack, self.shown = [], []
        self.variable = [*args, *[0] * (self.variables - len(args))]
        self.at = 0
        self.on = True
        while self.on:
            op, arg = self.code[self.at]
            self.at += 1
            self.methods[op](arg)
        return self.shown

    def push(self, value):
        self.stack.append(value)

    def pop(self):
        return self.stack.pop()

    def do_const(self, arg):
        self.push(arg)

    def do_get(self, arg):
        self.push(self.variable[arg])

    def do_set(self, arg):
        self.variable[arg] = self.pop()

    def do_add(self, arg):
        right = self.pop()
        self.push(self.pop() + right)

    def do_sub(self, arg):
        right = self.pop()
        self.push(self.pop() - right)

    def do_mul(self, arg):
        right = self.pop()
        self.push(self.pop() * right)

    def do_div(self, arg):
        right = self.pop()
        self.push(self.pop() // right)

    def do_rem(self, arg):
        right = self.pop()
        self.push(self.pop() % right)

    def do_less(self, arg):
        right = self.pop()
        self.push(self.pop() < right)

    def do_atmost(self, arg):
        right = self.pop()
        self.push(self.pop() <= right)

    def do_same(self, arg):
        right = self.pop()
        self.push(self.pop() == right)

    def do_negate(self, arg):
        self.push(not self.pop())

    def do_goto(self, arg):
        self.at = arg

    def do_unless(self, arg):
        if not self.pop():
            self.at = arg

    def do_copy(self, arg):
        self.push(self.stack[-1])

    def do_drop(self, arg):
        self.pop()

    def do_array(self, arg):
        self.push([0] * self.pop())

    def do_item(self, arg):
        place = self.pop()
        self.push(self.pop()[place])

    def do_put(self, arg):
        value, place = self.pop(), self.pop()
        self.pop()[place] = value

    def do_show(self, arg):
        self.shown.append(self.pop())

    def do_stop(self, arg):
        self.on = False


SIEVE = """
        get 0           # 0 limit, 1 sieve, 2 candidate, 3 multiple, 4 count
        const 1
        add
        array
        set 1
        const 2
        set 2
next:   # each line has one instruction or one label
        get 2
        get 0
        atmost
        unless end
        get 1
        get 2
        item
        negate
        unless crossed
        get 4
        const 1
        add
        set 4
        get 2
        copy
        mul
        set 3
cross:
        get 3
        get 0
        atmost
        unless crossed
        get 1
        get 3
        const 1
        put
        get 3
        get 2
        add
        set 3
        goto cross
crossed:
        get 2
        const 1
        add
        set 2
        goto next
end:
        get 4
        show
        stop
"""
