"""Automata and generators: tables, state classes, accounts, cells, tokenizers, walks of trees, pipelines.

    run_table({("off", "push"): "on", ("on", "push"): "off"}, "off", ["push"])    ->    "on"

The machine is static, the events are dynamic.
"""

import enum

from ..table import Case, Subject, mostly, text

# --- A table of transitions ---


def run_table(transitions, state, events):
    for event in events:
        state = transitions.get((state, event), state)
    return state


T_DOOR = {("open", "close"): "shut", ("shut", "open"): "open", ("shut", "lock"): "locked", ("locked", "unlock"): "shut"}
T_TOGGLE = {("off", "push"): "on", ("on", "push"): "off"}


def events_input(*names):
    return lambda random: ([random.choice(names) for _ in range(random.randint(0, 7))],)


# --- An automaton over characters ---


def accepts(dfa, string):
    state = dfa["start"]
    for c in string:
        moves = dfa["moves"][state]
        if c not in moves:
            return False
        state = moves[c]
    return state in dfa["final"]


DFA_EVEN = {"start": 0, "moves": {0: {"a": 1, "b": 0}, 1: {"a": 0, "b": 1}}, "final": [0]}
DFA_NUMBER = {
    "start": "s",
    "moves": {
        "s": {"-": "i", "1": "d", "0": "d"},
        "i": {"1": "d", "0": "d"},
        "d": {"1": "d", "0": "d", ".": "f"},
        "f": {"1": "f", "0": "f"},
    },
    "final": ["d", "f"],
}
DFA_NONE = {"start": 0, "moves": {0: {}}, "final": []}

# --- States as classes ---


class Idle:
    def on(self, machine, event):
        if event == "coin":
            return Ready()
        return self


class Ready:
    def on(self, machine, event):
        if event == "push":
            machine.passed += 1
            return Idle()
        if event == "coin":
            machine.refunds += 1
        return self


class Turnstile:
    def __init__(self, initial):
        self.state = initial
        self.passed = 0
        self.refunds = 0

    def feed(self, events):
        for event in events:
            self.state = self.state.on(self, event)
        return type(self.state).__name__, self.passed, self.refunds


def turnstile(initial, events):
    return Turnstile(initial()).feed(events)


# --- A bank account ---


class InsufficientFunds(Exception):
    def __init__(self, missing):
        super().__init__(f"{missing} missing")
        self.missing = missing


class Account:
    def __init__(self, rules):
        self.rules = rules
        self.balance = 0
        self.status = "open"

    def apply(self, operation, amount):
        if self.status == "frozen" and operation != "unfreeze":
            return "refused"
        rule = self.rules.get(operation)
        if rule is None:
            return "unknown"
        if rule == "add":
            self.balance += amount
        elif rule == "take":
            if amount > self.balance:
                raise InsufficientFunds(amount - self.balance)
            self.balance -= amount
        else:
            self.status = rule
        return "ok"


def bank(rules, operations):
    account = Account(rules)
    log = []
    for operation, amount in operations:
        try:
            log.append(account.apply(operation, amount))
        except InsufficientFunds as problem:
            log.append(str(problem))
            account.status = "frozen"
    return account.balance, account.status, log


RULES_FULL = {"deposit": "add", "withdraw": "take", "freeze": "frozen", "unfreeze": "open"}
RULES_SIMPLE = {"deposit": "add", "withdraw": "take"}


def operations_input(random):
    names = ["deposit", "deposit", "withdraw", "freeze", "unfreeze", "look"]
    return ([(random.choice(names), random.randint(1, 50)) for _ in range(random.randint(0, 6))],)


# --- Cells ---


def automaton_step(rule, cells):
    padded = [0, *cells, 0]
    return [rule >> (padded[i - 1] * 4 + padded[i] * 2 + padded[i + 1]) & 1 for i in range(1, len(padded) - 1)]


def automaton(rule, steps, cells):
    for _ in range(steps):
        cells = automaton_step(rule, cells)
    return cells


# --- A tokenizer ---


class Mode(enum.Enum):
    START = 0
    WORD = 1
    NUMBER = 2


def tokens_of(classes, string):
    mode = Mode.START
    current = ""
    tokens = []
    for c in [*string, " "]:
        kind = "other"
        for name, characters in classes:
            if c in characters:
                kind = name
                break
        if mode is Mode.WORD and kind in ("letter", "digit"):
            current += c
            continue
        if mode is Mode.NUMBER and kind == "digit":
            current += c
            continue
        if mode is not Mode.START:
            tokens.append((mode.name, current))
            mode = Mode.START
        if kind == "letter":
            mode, current = Mode.WORD, c
        elif kind == "digit":
            mode, current = Mode.NUMBER, c
        elif kind == "operator":
            tokens.append(("OP", c))
    return tokens


# --- Generators ---


def in_order(tree):
    if tree is not None:
        left, key, right = tree
        yield from in_order(left)
        yield key
        yield from in_order(right)


def sum_of_tree(tree, scale):
    total = 0
    for key in in_order(tree):
        total += key * scale
    return total


def first_above(tree, bound):
    return next((key for key in in_order(tree) if key > bound), None)


def evens(values):
    for value in values:
        if value % 2 == 0:
            yield value


def scaled(values, factor):
    for value in values:
        yield value * factor


def windowed(values, size):
    window = []
    for value in values:
        window.append(value)
        if len(window) == size:
            yield tuple(window)
            window.pop(0)


def staged(stages, values):
    stream = iter(values)
    for name, argument in stages:
        if name == "evens":
            stream = evens(stream)
        elif name == "scaled":
            stream = scaled(stream, argument)
        elif name == "windowed":
            stream = windowed(stream, argument)
        elif name == "skip":
            stream = (value for value in stream if value != argument)
    return list(stream)


def lights(phases):
    while True:
        for colour, seconds in phases:
            for _ in range(seconds):
                yield colour


def colour_after(phases, seconds):
    signal = lights(phases)
    colour = None
    for _ in range(seconds):
        colour = next(signal)
    return colour


def averager(weights):
    total = 0
    value = yield
    for weight in weights:
        total += weight * value
        value = yield total
    return total


def feed_averager(weights, values):
    machine = averager(weights)
    next(machine)
    results = []
    try:
        for value in values:
            results.append(machine.send(value))
    except StopIteration as stop:
        results.append(("stopped", stop.value))
    return results


TREE_SMALL = (None, 5, None)
TREE_FULL = ((None, 1, (None, 2, None)), 4, ((None, 6, None), 7, None))


def numbers_input(random):
    return ([random.randint(-6, 12) for _ in range(random.randint(0, 7))],)


SUBJECTS = [
    Subject(
        "transition_table",
        [
            Case(
                "door",
                lambda: (run_table, {"transitions": dict(T_DOOR), "state": "shut"}),
                inputs=events_input("open", "close", "lock", "unlock", "kick"),
            ),
            Case("toggle", lambda: (run_table, {"transitions": dict(T_TOGGLE), "state": "off"})),
            Case("stuck", lambda: (run_table, {"transitions": {}, "state": "only"})),
        ],
        inputs=mostly(events_input("push", "pull"), [[], "push"], None),
    ),
    Subject(
        "character_automaton",
        [
            Case("even", lambda: (accepts, {"dfa": dict(DFA_EVEN)}), inputs=text("aab", 8)),
            Case("number", lambda: (accepts, {"dfa": dict(DFA_NUMBER)})),
            Case("none", lambda: (accepts, {"dfa": dict(DFA_NONE)})),
        ],
        inputs=mostly(text("-01.", 6), ["0", [1]], 5),
        gone=("dfa", "start", "final"),
    ),
    Subject(
        "state_classes",
        [
            Case("idle", lambda: (turnstile, {"initial": Idle})),
            Case("ready", lambda: (turnstile, {"initial": Ready})),
            Case("lambda", lambda: (turnstile, {"initial": lambda: Ready()})),
        ],
        inputs=mostly(events_input("coin", "push", "kick"), "push", None),
        gone=("initial", "Turnstile"),
    ),
    Subject(
        "bank_account",
        [
            Case("full", lambda: (bank, {"rules": dict(RULES_FULL)})),
            Case("simple", lambda: (bank, {"rules": dict(RULES_SIMPLE)})),
            Case("empty", lambda: (bank, {"rules": {}})),
        ],
        inputs=operations_input,
        gone=("Account",),
    ),
    Subject(
        "cellular_automaton",
        [Case(f"rule={rule}", lambda rule=rule: (automaton, {"rule": rule, "steps": 2})) for rule in (30, 90, 110)],
        inputs=lambda r: ([r.randint(0, 1) for _ in range(r.randint(0, 7))],),
        gone=("rule", "steps"),
    ),
    Subject(
        "tokenizer",
        [
            Case("usual", lambda: (tokens_of, {"classes": [("letter", "abc"), ("digit", "012"), ("operator", "+-")]})),
            Case("letters", lambda: (tokens_of, {"classes": [("letter", "abc012")]})),
            Case("nothing", lambda: (tokens_of, {"classes": []})),
        ],
        inputs=text("abc012+- ", 9),
        gone=("classes", "characters"),
    ),
    Subject(
        "tree_walk",
        [
            Case("small", lambda: (sum_of_tree, {"tree": TREE_SMALL})),
            Case("full", lambda: (sum_of_tree, {"tree": TREE_FULL})),
            Case("none", lambda: (sum_of_tree, {"tree": None})),
        ],
        inputs=lambda r: (r.choice([1, -2, 2.5, "q", None]),),
        gone=("tree", "in_order"),
    ),
    Subject(
        "first_above",
        [
            Case("small", lambda: (first_above, {"tree": TREE_SMALL})),
            Case("full", lambda: (first_above, {"tree": TREE_FULL})),
            Case("none", lambda: (first_above, {"tree": None})),
        ],
        inputs=lambda r: (r.choice([0, 3, 6, 9, 2.5, "q"]),),
        gone=("tree", "in_order"),
    ),
    Subject(
        "generator_pipeline",
        [
            Case("two", lambda: (staged, {"stages": [("evens", None), ("scaled", 3)]})),
            Case("window", lambda: (staged, {"stages": [("windowed", 2)]})),
            Case("skip", lambda: (staged, {"stages": [("skip", 4), ("scaled", -1), ("evens", None)]})),
            Case("none", lambda: (staged, {"stages": []})),
        ],
        inputs=mostly(numbers_input, [1, "q", 2], None),
        gone=("stages", "argument"),
    ),
    Subject(
        "traffic_light",
        [
            Case("usual", lambda: (colour_after, {"phases": [("red", 3), ("green", 2), ("yellow", 1)]})),
            Case("blink", lambda: (colour_after, {"phases": [("on", 1), ("off", 1)]})),
            Case("one", lambda: (colour_after, {"phases": [("red", 2)]})),
        ],
        inputs=lambda r: (r.choice([0, 1, 2, 3, 4, 5, 6, 7, 20, -1, "q"]),),
    ),
    Subject(
        "fed_generator",
        [
            Case("two", lambda: (feed_averager, {"weights": [1, 3]})),
            Case("four", lambda: (feed_averager, {"weights": [1, 0, 2.5, -1]})),
            Case("none", lambda: (feed_averager, {"weights": []})),
        ],
        inputs=mostly(numbers_input, [1, "q", 2], None),
    ),
]
