"""The meaning of what the front end makes: run by the reference interpreter, compared with CPython."""

from __future__ import annotations

import itertools
import linecache
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from futamura.errors import UnsupportedError
from futamura.frontend.python import lower
from futamura.ir.frames import Machine
from futamura.ir.graph import Program
from futamura.ir.interp import closure_of
from tests.frontend.programs import generate, observe

_numbers = itertools.count()

SLICE = 25
"""Random programs in a run of the tests: a fixed number, so that the tests do the same on every machine."""


def define(source: str, name: str = "f", **namespace: Any) -> Callable[..., Any]:
    """Execute `source` with its text known, and return what it calls `name`."""
    file = f"<lowering test {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace.setdefault("__name__", "tested")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        exec(compile(source, file, "exec", dont_inherit=True), namespace)
    found: Callable[..., Any] = namespace[name]
    return found


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function run from its IR."""
    lowered = lower(function)
    machine = Machine(lowered.program, lowered.globals, None, None)
    defaults = lowered.function.__defaults__ or ()
    return closure_of(machine, lowered.program.main, lowered.closure, defaults, lowered.function.__kwdefaults__)


@pytest.mark.filterwarnings("ignore")
def test_random_programs_mean_the_same() -> None:
    """A slice of `tests.frontend.fuzz`, about a second long."""
    for seed in range(4_000_000, 4_000_000 + SLICE):
        function = define(generate(Random(seed)))
        subject = interpreted(function)
        for decisions in range(4):
            assert observe(subject, decisions) == observe(function, decisions), (seed, decisions)


@pytest.mark.filterwarnings("ignore")
def test_the_fuzzer_notices_a_planted_bug() -> None:
    """Swapping the ways of one branch must be seen within a few programs."""
    noticed = 0
    for seed in range(30):
        function = define(generate(Random(seed)))
        lowered = lower(function)
        main = lowered.program.main
        blocks = list(main.blocks)
        branches = [block for block in blocks if block.terminator.name == "branch"]
        if not branches or main.kind == "generator":
            continue
        block = branches[0]
        swapped = block.terminator._replace(edges=block.terminator.edges[::-1])
        blocks[block.id] = block._replace(terminator=swapped)
        others = lowered.program.functions[1:]
        wrong = Program(lowered.program.entry, (_with_blocks(main, tuple(blocks)), *others))
        machine = Machine(wrong, lowered.globals, None, None)
        subject = closure_of(machine, wrong.main, lowered.closure, (), None)
        noticed += any(_differs(subject, function, decisions) for decisions in range(6))
    assert noticed >= 10


def _with_blocks(main: Any, blocks: Any) -> Any:
    return type(main)(
        main.name, main.qualname, main.signature, main.free, main.kind, blocks, main.regions, main.hints, main.types
    )


def _differs(subject: Callable[..., Any], function: Callable[..., Any], decisions: int) -> bool:
    try:
        return observe(subject, decisions) != observe(function, decisions)
    except AssertionError:
        return True


ORDERS = [
    "box[note(0)] = note(1)",
    "box[note(0)] += note(1)",
    "note(box)[note(0)] -= note(1)",
    "note(thing).x += note(2)",
    "note(thing).x = note(2)",
    "note(thing).x, y = note(1), note(2)",
    "note(box)[note(0)], note(thing).x = note(3), note(4)",
    "box[note(0)] = note(thing).x = y = note(5)",
    "(a, note(thing).x), b = note([1, 2]), note(3)",
    "[a, *box[note(0):note(1)]] = note([1, 2, 3])",
    "a, b = b, a = 1, 2",
    "x = {note(1): note(2), **note({3: 4}), note(5): note(6)}",
    "x = {note(1), *note([2]), note(3)}",
    "x = [note(1), *each(2), note(3)]",
    "x = (*each(2), note(3))",
    "x = (*each(2), *each(3))",
    "take(*each(2), note(3))",
    "take(note(1), *each(2), key=note(3))",
    "take(*each(2), key=note(3))",
    "take(*each(2), **note({'k': 1}), j=note(2))",
    "take(k=note(1), **mapping('a'), j=note(2), **mapping('b'))",
    "(note(1) and take)(note(1), *each(1), note(2), k=note(3))",
    "x = note(1) if note(0) else note(2)",
    "x = note(1) < note(2) < note(2) < note(5)",
    "x = note(1) and note(0) or note(3)",
    "x = (yes(1) or yes(2)) and yes(3)",
    "x = (no(1) and yes(2)) or no(3)",
    "x = not (no(1) and yes(2))",
    "x = ((no(1) or yes(2)) and no(3)) or yes(4)",
    "x = (yes(1) if no(2) else yes(3)) and yes(4)",
    "x = f'{note(1)}{note(2):{note(3)}}{note(4)!r:>{note(5)}}{note(6)=}'",
    "x = box[note(0):note(1):note(1)]",
    "box[note(0):note(1)] = note([9])",
    "box[note(0):note(1)] += note([9])",
    "del box[note(0)], note(thing).x",
    "del (box[note(0)], [note(thing).x])",
    "x = [note(a) for a in note([1, 2]) if note(a) for b in note([3])]",
    "x = {note(a): note(-a) for a in note([1, 2])}",
    "x = list(note(a) for a in note([1, 2]) if note(a))",
    "x = note(y := note(1)) + y",
    "y = 1; x = y + (y := 5) + y",
    "y = 1; x = [y, (y := 2), y]",
    "y = 1; take(y, y := 2, k=y)",
    "y = 1; x = y + (lambda: y)()",
    "x = note(2) ** note(3) ** note(2) - -note(1)",
    "assert note(1), note(2)",
    "assert note(0), note(2)",
    "raise note(KeyError) from note(ValueError())",
    "def g(a=note(1), /, b: note(2) = note(3), *c: note(4), d: note(5) = note(6), **e: note(7)) -> note(8): pass\n"
    "x = g.__annotations__, g.__defaults__, g.__kwdefaults__",
    "def deco(n):\n    note(n)\n    return lambda g: note((n, g(0))) and g\n"
    "@deco(1)\n@deco(2)\ndef g(a, b=note(3)): return note(a)\nx = g(1)",
    "@note\n@note\nclass C(note(object)):\n    note('body')\n    x = note(1)\nx = C.x",
    "global Late\nclass Late:\n    'text'\n    y = 1\nx = Late.__qualname__, Late.__doc__, Late.y",
    "with manager(1) as box[note(0)], manager(2) as thing.x: note(3)",
    "for box[note(0)] in note([1, 2]): note(box[0])",
    "for a, (b, *thing.x) in note([(1, (2, 3))]): note((a, b, thing.x))",
    "x: note(1) = note(2)",
    "note(thing).x: note(1) = note(2)",
    "note(thing).x: note(1)",
    "(global_thing): note(1); x = global_thing",
    "(y): note(1) = note(2); x = y",
    "box[note(0):note(1)]: note(1)",
    "match note([1, {'k': note(2)}, thing]):\n    case [a, {'k': b, **c}, object(x=d)] if note(a): note((a, b, c, d))",
    "match note(3):\n    case thing.x | box.y: note(1)\n    case a: note(a)",
    "import os.path as p, sys; x = p.__name__, sys.__name__",
    "from os import path as p, sep; x = p.__name__, sep",
    "try:\n    note(1 / note(0))\nexcept (note(KeyError), note(ZeroDivisionError)) as e: note(type(e))\n"
    "else: note(2)\nfinally: note(3)",
    "for a in range(3):\n    try:\n        if a == 1: continue\n        note(a)\n    finally: note(-a)",
    "while True:\n    try:\n        break\n    finally: note(1)\nelse: note(2)",
    "x = (lambda a, *b, c=note(1), **d: (a, b, c, d))(note(2), note(3), e=note(4))",
    "x = take(*args_like, note(1))",
    "x = [*each(2)][note(0)]",
    "x, y = box[0], note(4)",
    "box[0], box[box[0]] = 1, 2",
    "x = take(a=(yield note(1)), b=(yield note(2)))",
    "x = yield from note([1, 2])",
]


class Shy:
    """A number whose truth is asked for in public."""

    def __init__(self, trace: list[object], value: bool, tag: int) -> None:
        self.trace, self.value, self.tag = trace, value, tag

    def __bool__(self) -> bool:
        self.trace.append(("truth", self.tag))
        return self.value


def _world(trace: list[object]) -> dict[str, Any]:
    def note(value: object) -> object:
        trace.append(repr(value))
        return value

    def each(count: int) -> Any:
        for number in range(count):
            trace.append(("item", number))
            yield number

    class Mapping:
        def __init__(self, key: str) -> None:
            self.key = key

        def keys(self) -> list[str]:
            trace.append(("keys", self.key))
            return [self.key]

        def __getitem__(self, key: str) -> int:
            trace.append(("get", key))
            return 1

    class Manager:
        def __init__(self, tag: int) -> None:
            self.tag = tag

        def __enter__(self) -> int:
            trace.append(("enter", self.tag))
            return self.tag

        def __exit__(self, *error: object) -> None:
            trace.append(("exit", self.tag))

    class Thing:
        x: object = 0

        def __repr__(self) -> str:
            return "thing"

        def __setattr__(self, name: str, value: object) -> None:
            trace.append(("setattr", name, repr(value)))
            super().__setattr__(name, value)

    thing = Thing()
    thing.x = 7
    return {
        "note": note,
        "each": each,
        "mapping": Mapping,
        "manager": Manager,
        "thing": thing,
        "args_like": [1, 2],
        "yes": lambda tag: Shy(trace, True, tag),
        "no": lambda tag: Shy(trace, False, tag),
        "take": lambda *args, **kwargs: trace.append((args, tuple(kwargs.items()))),
    }


def _run(text: str, through: Callable[[Callable[..., Any]], Callable[..., Any]]) -> list[object]:
    trace: list[object] = []
    body = "\n".join("    " + line for line in text.split("\n"))
    source = f"def f(box, a=1, b=2):\n{body}\n    return repr(locals_of(x if 'x' in NAMES else None, box))\n"
    source = source.replace("x if 'x' in NAMES else None", "x" if "x = " in text or "x, y" in text else "None")
    function = define(source, locals_of=lambda x, box: (str(x).split(" at ")[0], box), **_world(trace))
    subject = through(function)
    try:
        result = subject([1, 2, 3])
        trace.append(list(result) if hasattr(result, "send") else result)
    except Exception as error:
        trace.append((type(error).__name__, str(error), type(error.__cause__).__name__))
    return trace


@pytest.mark.parametrize("text", ORDERS)
def test_evaluation_order(text: str) -> None:
    assert _run(text, interpreted) == _run(text, lambda function: function)


def test_unbound_names_raise_what_python_raises() -> None:
    source = """
def f(n, log):
    def free():
        return late
    for step in range(6):
        try:
            if step == 0: maybe
            if step == 1: free()
            if step == 2: [maybe for _ in 'a']
            if step == 3: del maybe
            if step == 4: (lambda: maybe)()
            if step == 5: missing_everywhere
        except NameError as error:
            log.append((type(error).__name__, str(error)))
    if n: maybe = late = 1
    return maybe, late
"""
    for n in (0, 1):
        outcomes = []
        for subject in (define(source), interpreted(define(source))):
            log: list[object] = []
            try:
                log.append(subject(n, log))
            except NameError as error:
                log.append(str(error))
            outcomes.append(log)
        assert outcomes[0] == outcomes[1]


def test_names_of_except_clauses_are_unbound_on_every_way_out() -> None:
    source = """
def f(boom, log):
    e = 'before'
    get = lambda: e
    try:
        try:
            raise ValueError(1)
        except ValueError as e:
            log.append(get())
            boom()
    except KeyError:
        try:
            log.append(get())
        except NameError as error:
            log.append(str(error))
    try:
        return e
    except UnboundLocalError as error:
        return str(error)
"""

    def boom() -> None:
        raise KeyError

    for action in (boom, lambda: None):
        results = []
        for subject in (define(source), interpreted(define(source))):
            log: list[object] = []
            results.append((subject(action, log), [str(entry) for entry in log]))
        assert results[0] == results[1]


@pytest.mark.parametrize(
    "body",
    [
        "return a" + " + a" * 2000,
        "return a" + ".x" * 600,
        "return " + " and ".join(["a"] * 3000),
        "if a == 0:\n        a = 0\n"
        + "".join(f"    elif a == {n}:\n        a = -{n}\n" for n in range(1, 2500))
        + "    return a",
    ],
    ids=["sum", "attributes", "conjunction", "elif"],
)
def test_long_chains(body: str) -> None:
    class Self:
        @property
        def x(self) -> Self:
            return self

    argument: Any = Self() if ".x" in body else 2
    try:
        function = define(f"def f(a):\n    {body}\n")
    except RecursionError:
        pytest.skip("this interpreter cannot compile it")
    assert interpreted(function)(argument) == function(argument)


def test_deep_nesting_of_expressions() -> None:
    text = "a"
    for _ in range(80):
        text = f"(a or [{text}])"
    function = define(f"def f(a):\n    return {text}\n")
    assert interpreted(function)(0) == function(0)


def test_a_function_is_lowered_once() -> None:
    def made(n: int) -> Any:
        return lambda x: (x + n, "a text that is one object")

    first, second = made(1), made(2)
    program = lower(first).program
    assert lower(first).program is program
    assert lower(second).program is program and lower(second).function is second
    unchecked = lower(first, check=False).program
    assert unchecked is not program and unchecked == program


def test_what_is_lowered_again_is_refused_for_what_its_names_mean_now() -> None:
    namespace: dict[str, Any] = {"__name__": "somewhere"}
    text = "def f(x):\n    return eval(x)\n"
    linecache.cache["<refused later>"] = (len(text), None, text.splitlines(True), "<refused later>")
    exec(compile(text, "<refused later>", "exec"), namespace)
    namespace["eval"] = len
    program = lower(namespace["f"]).program
    assert lower(namespace["f"]).program is program
    del namespace["eval"]
    with pytest.raises(UnsupportedError, match="eval"):
        lower(namespace["f"])
    namespace["eval"], namespace["__name__"] = len, "elsewhere"
    assert lower(namespace["f"]).program.main.module == "elsewhere"


def test_the_same_text_loaded_again_is_lowered_again() -> None:
    text = "def f():\n    return 'some constant', 12345.5\n"
    linecache.cache["<loaded twice>"] = (len(text), None, text.splitlines(True), "<loaded twice>")
    programs = []
    for _ in range(2):
        namespace: dict[str, Any] = {}
        exec(compile(text, "<loaded twice>", "exec"), namespace)
        programs.append(lower(namespace["f"]).program)
    assert programs[0] is not programs[1]
