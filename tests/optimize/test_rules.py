"""Every rewrite rule is applied by a test, and what it makes means the same.

    `x * 1` of an exact int       ->    a function with just that, behind `typefold`, and both executed

Laws and chains are tables: for each row a function of its own is made.  The other rules are applied by the golden
cases and by random programs; what no test applies fails here, with its name.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Iterator

import pytest

from futamura.frontend.python import lower
from futamura.ir.build import FunctionBuilder
from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Program, Signature, Value
from futamura.ir.interp import run
from futamura.optimize.flowgraph import FlowGraph
from futamura.optimize.pipeline import PASSES, PIPELINE, RULES, Cleaning, optimize
from futamura.optimize.rules import CHAINS, LAW_RULES, MASKED, NEGATED, SIGNS, Rule, Term, holds
from futamura.optimize.shapes import Shape, of_type
from tests import golden
from tests.optimize.programs import KNOWN, random_program

SAMPLES: dict[str, tuple[object, ...]] = {
    "int": (0, 1, -1, 2, 7, 255, -256, 1 << 70, -(1 << 65) - 1),
    "bool": (True, False),
    "float": (0.0, -0.0, 1.5, -2.25, float("inf"), float("-inf"), float("nan"), 5e-324, 1.7e308),
    "complex": (0j, complex(-0.0, -0.0), complex(float("nan"), 1.0), 1 + 2j, complex(0.0, -0.0)),
    "str": ("", "a", "ab"),
    "bytes": (b"", b"a", b"\x00"),
    "NoneType": (None,),
}
CONSTANTS: dict[str, tuple[object, ...]] = {
    "int": (3, 5, -4, 7, 255, 15), "bool": (True, False), "str": ("a", "bc"), "bytes": (b"x", b"yz"),
}  # fmt: skip


def written(term: Term, constants: dict[str, object], names: tuple[str, ...]) -> Program:
    """The function that computes a term of its parameters and constants."""
    builder = FunctionBuilder("f", Signature(regular=names), module="m")
    block = builder.block()
    values = dict(zip(names, builder.params(block, *names)))

    def made(part: Term) -> Value:
        match part:
            case str() if part in values:
                return values[part]
            case str():
                return builder.constant(block, constants[part])
            case Constant():
                return builder.constant(block, part.value)
            case (name, *args):
                return builder.emit(block, name, tuple([made(arg) for arg in args]))
        return builder.constant(block, part)

    builder.terminate(block, "return", (made(term),))
    return Program("f", (builder.finish(),))


def outcome(program: Program, values: tuple[object, ...]) -> object:
    try:
        return Constant(run(program, values, globals={"__name__": "m"}, fuel=1000))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def variables(term: Term) -> tuple[str, ...]:
    """The operands of a term that are not constants."""
    found = [term] if isinstance(term, str) and term in "xyz" else []
    if isinstance(term, tuple):
        found.extend(name for part in term[1:] for name in variables(part))
    return tuple(dict.fromkeys(found))


def letters(term: Term) -> tuple[str, ...]:
    """The constants of a term that have names."""
    found = [term] if isinstance(term, str) and term not in "xyz" else []
    if isinstance(term, tuple):
        found.extend(name for part in term[1:] for name in letters(part))
    return tuple(dict.fromkeys(found))


def applications(rule: Rule) -> Iterator[dict[str, object]]:
    """Constants for which the conditions of a rule hold."""
    names = letters(rule.before)
    pool = CONSTANTS.get(rule.type, ())
    for number in range(len(pool) ** len(names)):
        chosen: dict[str, object] = {}
        for name in names:
            number, at = divmod(number, len(pool))
            chosen[name] = pool[at]
        if holds(rule, chosen):
            yield chosen


def applied(rule: Rule, before: Term, passes: tuple[str, ...]) -> collections.Counter[str]:
    """The rules that were counted for functions with this term; what they mean is compared."""
    fired: collections.Counter[str] = collections.Counter()
    names = variables(before)
    given = {name: of_type(rule.type) for name in names}
    samples = SAMPLES[rule.type]
    for constants in applications(rule):
        program = written(before, constants, names)
        changed, report = optimize(program, passes, given=given)
        fired.update(report.fired)
        for at in range(len(samples)):
            values = tuple([samples[(at * (place + 1) + place) % len(samples)] for place in range(len(names))])
            assert outcome(program, values) == outcome(changed, values), (rule, constants, values)
    return fired


def of_table(name: str) -> tuple[Rule, Term, tuple[str, ...]]:
    """A rule of the tables by its name in `RULES`, a term to which it applies, and the passes."""
    owner, _, rest = name.partition(": ")
    if owner == "algebra":
        rule = next(rule for rules in (CHAINS, SIGNS, MASKED, NEGATED) for rule in rules.values() if rule.name == rest)
        before = rule.before
        if rule in SIGNS.values():  # they follow another rule
            before = ("add", ("sub", "x", "c"), 1) if rest.startswith("x + c") else ("sub", ("sub", "x", "c"), -900)
            rule = Rule(rule.name, rule.type, before, before)
        return rule, before, ("algebra", "dce")
    rule = LAW_RULES[rest]
    if owner == "cse":
        return rule, ("tuple", rule.before, rule.after), ("cse", "dce")
    return rule, rule.before, ("typefold", "dce")


TABLED = [name for name in RULES if name.startswith("algebra: ") or name.partition(": ")[2] in LAW_RULES]


def switched() -> Program:
    """A switch on a constant, as specialization leaves it behind."""
    builder = FunctionBuilder("f", Signature(regular=("x",)), module="m")
    block, one, two, other = [builder.block() for _ in range(4)]
    (x,) = builder.params(block, "x")
    edges = (Edge(one.id), Edge(two.id), Edge(other.id))
    chosen = builder.constant(block, "two")
    builder.terminate(block, "switch", (chosen,), edges, (Constant("one"), Constant("two")))
    for at, way in enumerate((one, two, other)):
        builder.terminate(way, "return", (builder.emit(way, "tuple", (x, builder.constant(way, at))),))
    return Program("f", (builder.finish(),))


def with_a_handler(*, again: bool = False) -> Program:
    """`try: return "ab"[x]` of a residual, with a clause for KeyError, which may raise it `again`."""
    builder = FunctionBuilder("f", Signature(regular=("x",)), module="m")
    entry = builder.block(1)
    clause, other, taken = [builder.block(2) for _ in range(3)]
    builder.region("try", 0, flavor="residual", handler=clause.id)
    builder.region("except", 0, of=1)
    (x,) = builder.params(entry, "x")
    entry.handler = Edge(clause.id)
    found = builder.emit(entry, "getitem", (builder.constant(entry, "ab"), x))
    builder.terminate(entry, "return", (found,))
    (caught,) = builder.params(clause, "e")
    test = builder.emit(clause, "exc_match", (caught, builder.constant(clause, KeyError)))
    builder.terminate(clause, "branch", (test,), (Edge(taken.id), Edge(other.id)))
    builder.terminate(other, "reraise", (caught,))
    if again:
        builder.terminate(taken, "reraise", (caught,))
    else:
        builder.terminate(taken, "return", (builder.constant(taken, None),))
    return Program("f", (builder.finish(),))


def with_a_spare(loop: bool = False, *, late: bool = False) -> Program:
    """`v = [x]; try: "ab"[x]; except: return v; return [x]` of a residual; the last list may be made `late`, where the
    one before it is changed already, or in a `loop`."""
    builder = FunctionBuilder("f", Signature(regular=("x",)), module="m")
    entry, first = builder.block(0), builder.block(1)
    clause, behind, end = builder.block(2), builder.block(0), builder.block(0)
    builder.region("try", 0, flavor="residual", handler=clause.id)
    builder.region("except", 0, of=1)
    (x,) = builder.params(entry, "x")
    spare = builder.emit(entry, "list", (x,))
    builder.terminate(entry, "jump", (), (Edge(first.id),))
    first.handler = Edge(clause.id, (spare,))
    builder.emit(first, "getitem", (builder.constant(first, "ab"), x))
    if late:
        made = builder.emit(first, "list", (x,))
        method = builder.emit(first, "getattr", (made,), attr="append")
        builder.emit(first, "call", (method, x))
        builder.emit(first, "getitem", (builder.constant(first, "b"), x))
    builder.terminate(first, "jump", (), (Edge(behind.id),))
    found = builder.emit(behind, "list", (x,))
    if loop:
        held = builder.emit(behind, "list", (found,))
        builder.terminate(behind, "branch", (builder.emit(behind, "truth", (held,)),), (Edge(end.id), Edge(behind.id)))
    else:
        builder.terminate(behind, "jump", (), (Edge(end.id),))
    builder.terminate(end, "return", (found,))
    _, given = builder.params(clause, "e", "given")
    builder.terminate(clause, "return", (given,))
    return Program("f", (builder.finish(),))


@pytest.mark.parametrize(("loop", "late"), [(False, False), (True, False), (False, True)])
def test_what_a_handler_did_not_get_is_used(loop: bool, late: bool) -> None:
    program = with_a_spare(loop, late=late)
    changed, report = optimize(program, ("spares", "dce"))
    assert bool(report.fired["spares"]) is not loop
    for x in (0, 1, 5, "a"):
        assert str(outcome(program, (x,))) == str(outcome(changed, (x,))), x


@functools.cache
def applied_elsewhere() -> collections.Counter[str]:
    """The rules that golden cases and random programs apply."""
    fired: collections.Counter[str] = collections.Counter()
    for path in sorted(golden.CASES.rglob("*.test")):
        for case in golden.read_cases(path):
            if case.applies and case.action.startswith("opt:"):
                function, _ = golden.targets_of(golden.world(case), case.target)
                known, given = golden.promises_of(function)
                _, report = optimize(lower(function).program, golden.passes_of(case), known=known, given=given)
                fired.update(report.fired)
    for action in ("typefold", "dce"):
        program = switched()
        changed, report = optimize(program, (action,))
        assert outcome(program, (3,)) == outcome(changed, (3,))
        fired.update(report.fired)
    caught = with_a_handler()
    changed, report = optimize(caught, ("handlers", "dce"), given={"x": Shape("int")})
    assert outcome(caught, (1,)) == outcome(changed, (1,)) and outcome(caught, (2,)) == outcome(changed, (2,))
    assert len(changed.main.blocks) == 1
    fired.update(report.fired)
    caught = with_a_handler(again=True)
    changed, report = optimize(caught, ("rethrown",))
    assert outcome(caught, (1,)) == outcome(changed, (1,)) and outcome(caught, (2,)) == outcome(changed, (2,))
    assert len(changed.main.blocks) == 1
    fired.update(report.fired)
    fired.update(optimize(with_a_spare(), ("spares",))[1].fired)
    graph = FlowGraph(switched().main)  # every pass that cuts a way prunes by itself
    graph.node(0).end = graph.terminator("jump", (), graph.node(0).end.edges[:1])
    prune = PASSES["prune"]
    fired["prune"] += isinstance(prune, Cleaning) and prune.run(graph)
    for seed in range(40):
        for passes in (PIPELINE, ("merge", "tails", "reroll", "representations")):
            program = random_program(seed, 80)
            fired.update(optimize(program, passes, known=KNOWN, given={"a": Shape("int"), "b": Shape("int")})[1].fired)
    return fired


@pytest.mark.parametrize("name", TABLED)
def test_row_of_a_table_is_applied(name: str) -> None:
    rule, before, passes = of_table(name)
    assert applied(rule, before, passes)[name], f"{name} is not applied"


@pytest.mark.parametrize("name", [name for name in RULES if name not in TABLED])
def test_rule_is_applied(name: str) -> None:
    assert applied_elsewhere()[name], f"{name} is not applied by any test"


def test_what_is_counted_has_a_name() -> None:
    assert set(applied_elsewhere()) <= set(RULES)
    assert len(RULES) == len(set(RULES))
