"""The online specializer: a function and some of its inputs in, a residual program out.

    specialize(power, x dynamic, n = 3)     ->     def power(x): return x * x * x

    while a version is queued: run it          (restart when something believed turns out wrong,
    assemble the versions that are reachable    with the better knowledge kept)

It always ends: every loop is bounded by a budget, the first rung above which makes keys coarser, the second
one uses no known value as a key, the last one is the original function, with the reason recorded.
"""

from __future__ import annotations

import builtins
import functools
import sys
import time
import types
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Never

from futamura.errors import Because, UnsupportedError, diagnose
from futamura.ir.classes import is_a
from futamura.ir.graph import Program
from futamura.ir.verify import VerificationError
from futamura.specializer import all_rules as _all_rules  # these register their rules and models
from futamura.specializer import handing_over
from futamura.specializer import long_lists as _long_lists
from futamura.specializer.aliasing import Apart, apart
from futamura.specializer.assemble import Entry, assemble
from futamura.specializer.assembly import parameters
from futamura.specializer.assumption import Assumption, bindings_in
from futamura.specializer.binding import collect_at_entry, collecting, open_signature
from futamura.specializer.choosing import check_ways
from futamura.specializer.control import ENDERS
from futamura.specializer.declared import NOTHING, Declared
from futamura.specializer.entry_costs import Saved, net_gains, why_not_worth
from futamura.specializer.facts import FunctionFacts
from futamura.specializer.growth import check_stored
from futamura.specializer.ladder import descend
from futamura.specializer.leaking import changed, holds_objects
from futamura.specializer.left_out import Defaults
from futamura.specializer.linking import link
from futamura.specializer.machine import Machine, OverBudget, Restart, Unsupported
from futamura.specializer.module_texts import Modules
from futamura.specializer.origins import reachable, trace
from futamura.specializer.outcome import Outcome
from futamura.specializer.parting import NOTHING_ASKED, Asked
from futamura.specializer.policy import Budget, Event, Polyvariance, Style, static_size
from futamura.specializer.programs import Point, name_values, point_of
from futamura.specializer.purity import EVERY_NAME, MISSING
from futamura.specializer.read_late import better_of, late_names
from futamura.specializer.recalling import recall
from futamura.specializer.recursion import classes_entered
from futamura.specializer.residual import Lazy, ResidualBlock, ResidualEnd, ResidualOperation, Version
from futamura.specializer.rewinding import keep, rewind
from futamura.specializer.rules import RULES
from futamura.specializer.separating import unfolds_again
from futamura.specializer.settled import by_owner, check_stand_ins
from futamura.specializer.situation import situation
from futamura.specializer.sourced import Lower, Lowered, Sources
from futamura.specializer.state import Frame, State
from futamura.specializer.touching import Source
from futamura.specializer.values import AbstractValue, Dynamic, Known, Shape
from futamura.specializer.versions import Versions
from futamura.specializer.world import World
from futamura.specializer.worth import counting, leave_worthless

__all__ = ["Open", "Outcome", "specialize_function", "specialize_program"]

MOST_LEFT: Final = 4
"""As many calls are left to save a specialization that runs out of budget."""
_KINDS: Final = 3
"""For so many combinations of classes a call of a function in itself stays, before it does for all."""
_LASTING: Final = ("FT305", "FT306", "FT308", "FT401")
"""Events that stand although specialization starts again: they say why it does."""
_ = _all_rules


@dataclass(frozen=True, slots=True)
class Open:
    """An input that stays open; `type` is its exact class, `shape` what it holds, if promised."""

    type: type | None = None
    shape: Shape | None = None
    items: tuple[Any, ...] | None = None
    """The exact classes of the arguments that `*args` collects, if their number is promised too."""


_TRIAL: Final = 3
"""This part of the work is done at most where something is guessed; then everything is done without guesses."""

Watch = Callable[[int, int, str], None]
"""Called now and then with the source blocks executed, the residual operations emitted, and a place."""


def specialize_function(
    function: types.FunctionType,
    inputs: Mapping[str, object],
    lower: Lower,
    *,
    polyvariance: Polyvariance = "auto",
    budget: Budget | None = None,
    modules: Modules | None = None,
    watch: Watch | None = None,
    declared: Declared = NOTHING,
    asked: Asked = NOTHING_ASKED,
) -> Outcome:
    """Specialize `function` to `inputs`: a value for each static parameter, `Open` for each open one.

    `lower` gives the IR of a Python function, or raises UnsupportedError.  Never raises for what the program
    does; the outcome has no program if nothing could be specialized.
    """
    limits = budget if budget is not None else Budget()

    def root(sources: Sources) -> FunctionFacts | None:
        return sources.resolve(function)

    subject = _Subject(function.__qualname__, function.__globals__, root, function)

    def once(late: frozenset[str]) -> Outcome:
        for trial in (True, False) if asked.parts or asked.defaults else (False,):
            run = _Run(subject, inputs, lower, limits, modules)
            run.watch, run.trial, run.world.late, run.world.home = watch, trial, late, subject.home
            run.world.declare(declared)
            if trial:
                run.parts, run.defaults.open, run.world.parting.flag = asked.parts, asked.defaults, asked.flag
            run.world.give_up(asked.given_up)
            if (found := descend(run, polyvariance, trial=trial)) is not None:
                return found
        raise AssertionError("only a trial gives nothing")

    found = once(frozenset())
    return better_of(found, once(found.late)) if found.late else found


def specialize_program(
    program: Program,
    inputs: Mapping[str, object],
    *,
    namespace: Mapping[str, object] | None = None,
    polyvariance: Polyvariance = "auto",
    budget: Budget | None = None,
    style: Style | None = None,
) -> Outcome:
    """Specialize the entry of a program of any front end, which calls its other functions by `invoke`."""
    how = style if style is not None else Style()
    home: Mapping[str, object] = namespace if namespace is not None else {}

    def root(sources: Sources) -> FunctionFacts:
        return sources.program(program, home, how.trim)

    subject = _Subject(program.main.qualname, home, root, style=how)
    run = _Run(subject, inputs, _no_source, budget if budget is not None else Budget(), None)
    found = descend(run, polyvariance)
    assert found is not None
    return found


def _no_source(function: types.FunctionType) -> Never:
    """Programs of the other languages have no Python functions to look into."""
    raise UnsupportedError(diagnose("FT101", f"`{function.__qualname__}` is not a function of the program"))


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is specialized: its name, the globals of its residual code, and how its facts are found."""

    qualname: str
    home: Mapping[str, object]
    root: Callable[[Sources], FunctionFacts | None]
    function: object = None
    style: Style | None = None


def _entered(world: World, lower: Lower, function: types.FunctionType) -> Lowered:
    """A function as it is lowered, for what is believed of tables that it may fill."""
    if world.enter(function):
        raise Restart(f"{function.__qualname__} fills a table", whole=True)
    return lower(function)


class _Run:
    """One specialization with its restarts."""

    def __init__(
        self, subject: _Subject, inputs: Mapping[str, object], lower: Lower, budget: Budget, modules: Modules | None
    ) -> None:
        self.subject: Final = subject
        self.inputs: Final = inputs
        self.budget: Final = budget.scaled(static_size(v for v in inputs.values() if not is_a(v, Open)))
        self.events: Final[list[Event]] = []
        static = [value for value in inputs.values() if not is_a(value, Open)]
        self.world: Final = World(static, modules)
        self.sources: Final = Sources(functools.partial(_entered, self.world, lower))
        self.open: Final = tuple(name for name, value in inputs.items() if is_a(value, Open))
        self._file = ""
        self._context: tuple[Because, ...] = ()
        self._left = MOST_LEFT
        self._kinds: Final = Counter[tuple[object, ...]]()
        self.watch: Watch | None = None
        self.trial = False
        """Is another run made without guesses if this one exceeds its budget?"""
        self.parts = False
        """May later calls run another residual, where a static object was handed to code that is not known?"""
        self.defaults: Final = Defaults()
        self._given: tuple[object, ...] = ()
        self._guessed: Final[dict[str, type]] = {}
        self._missed: Final[dict[str, type]] = {}
        self._machine: Machine | None = None
        self._told_apart: tuple[Program, object, Apart] | None = None  # the last answer, and what for
        self._late: frozenset[str] = frozenset()
        self._deadline: Final = None if budget.seconds is None else time.monotonic() + budget.seconds

    @property
    def name(self) -> str:
        return self.subject.qualname

    def is_trial(self) -> bool:
        """Is something believed that the run without guesses would not believe?"""
        return self.trial and (self.world.parting.tried or bool(self.defaults.taken))

    def operations(self) -> int:
        """How many operations the sources have that were looked at."""
        return sum([facts.size for facts in self.sources.all()])

    def unsupported(self, reason: Unsupported) -> Event:
        """The event of what ended the specialization."""
        function = self.subject.function
        refused = self.sources.refused.get(function) if is_a(function, types.FunctionType) else None
        if refused is not None:
            return Event.of(refused)
        line = reason.span.line if reason.span is not None else 0
        text = f"{reason.reason}: the original code is used"
        return Event("FT301", text, line, self._file, reason.span, context=self._context)

    def outcome(self, polyvariance: str) -> Outcome:
        facts = self.subject.root(self.sources)
        if facts is None:
            raise Unsupported(f"{self.name} has no source that could be read")
        assert polyvariance in ("auto", "all", "none")
        events, knowledge = self.events.append, self.sources.knowledge
        versions = Versions(polyvariance, self.budget, self._fresh, events, knowledge)  # type: ignore[arg-type]
        self.world.parting.allowed = self.parts and not self.world.caches.are_declared()
        try:
            return self._settled(versions, facts)
        finally:
            versions.reset()  # they and the machine lead to each other: now all of it is freed at once
            self.world.caches.running(None)
            self._machine = None

    def _fresh(self, old: int) -> int:
        assert self._machine is not None
        return self._machine.renamed(old)

    def _settled(self, versions: Versions, facts: FunctionFacts) -> Outcome:
        """Run until nothing that was believed turns out wrong."""
        limit = sys.getrecursionlimit()
        knowledge = self.sources.knowledge
        machine: Machine | None = None
        read_places: set[tuple[int, str]] = set()
        started: tuple[Version, list[int]] | None = None
        for attempt in range(self.budget.restarts):
            if machine is None or started is None:
                versions.reset()
                self.world.forget()
                self.world.parting.reset()
                machine = self._machine = self._new_machine(versions, facts)
                machine.read_places = read_places
            recall(machine)
            running = True
            try:
                if started is None:
                    started = self._start(machine, versions, facts)
                root, params = started
                self._run(machine, versions)
                running = False
                leave_worthless(machine)
                traced = trace(machine, root, machine.inputs)
                program = self._assemble(machine, root, params, facts)
                linked = link(machine, program, self._saved)
                check_stored(versions.stored)
                self.world.parting.active = False
                handing_over.require_rare(machine, program)
                self._check_static(program, read_places)
                if self.world.objects.costs_too_much(machine.folded, self.world.assumptions.values(), program):
                    raise Restart("objects of globals are not worth their tests", whole=True)
                static = len(self.open) < len(self.inputs) or bool(facts.cells) or self._shaped
                self._late = late_names(machine, program) or self._late
                cause = why_not_worth(machine, program, self._saved, self._apart_now, static=static)
                if cause and self._believes_less(program):
                    self.events.append(Event("FT412", cause))
                    raise Restart(cause, whole=True)
                if self.world.caches.settle(set(reachable(root))):  # this attempt was a trial
                    raise Restart("the entries of declared caches are known now", whole=True)
            except Restart as again:
                self.events.extend(event for event in machine.events.values() if event.code in _LASTING)
                running = running and not again.whole
            except VerificationError:
                if not self.world.caches.give_up():
                    raise
            except Unsupported as reason:
                self._file, self._context = machine.file, situation(machine.state)
                if self.world.parting.give_up() or self.defaults.give_up():
                    running = False
                elif not self.world.caches.give_up() and not self._left_call(machine, reason):
                    if not unfolds_again(machine):
                        raise
                    running = False
            except OverBudget as over:
                if self.is_trial():
                    raise
                if not self.world.caches.give_up() and not self._smaller(machine, versions, over):
                    raise
            else:
                self.events.extend(machine.events.values())
                self.events.extend(map(Event.of, self.sources.refused.values()))
                return replace(self._result(machine, versions, linked, self._apart_now(program), attempt), trace=traced)
            if not (running and rewind(machine, versions, knowledge)):
                self.world.caches.again()
                started = None
        sys.setrecursionlimit(limit)
        raise OverBudget("too many restarts")

    def _new_machine(self, versions: Versions, facts: FunctionFacts) -> Machine:
        sources, home = self.sources, self.subject.home
        rules = {name: counting(name, rule) for name, rule in RULES.items()}
        budget = replace(self.budget, work=self.budget.work // (_TRIAL if self.is_trial() else 1))
        machine = Machine(rules, ENDERS, versions, budget, self.world, home, sources.callee, sources.nested)
        versions.style = machine.style = self.subject.style or machine.style
        machine.patient, machine.watch, machine.deadline = self.subject.style is not None, self.watch, self._deadline
        machine.own_cells, machine.own_names, called = facts.cells, facts.function.free, facts.function.name
        machine.guessed, machine.missed = self._guessed, self._missed
        machine.defaults, machine.decided = self.defaults, versions.decided
        self.defaults.begin()
        machine.growing = versions.stored
        machine.own_name = called.rpartition(".")[2].partition("#")[0]
        return machine

    def _left_call(self, machine: Machine, reason: Unsupported) -> bool:
        """Give up one call only: the innermost function that can be called instead stays a call from now on; if it
        called itself, this call of it, for what fails for one part of a tree may do for the whole: first only for
        arguments of the same classes."""
        place: tuple[object, ...]
        if reason.where is not None:  # found in the finished program
            place = ("call", reason.where.uid)
            return self.sources.is_callee(reason.where) and self._leaves(machine, place, reason.where, reason)
        frames = machine.state.frames
        for depth in range(len(frames) - 1, 0, -1) if not reason.whole else ():
            frame = frames[depth]
            recursive = any(frame.facts is outer.facts for outer in frames[:depth])
            place = ("call", frame.chain[-1] if recursive else frame.facts.uid)
            if frame.purpose in ("call", "init") and self.sources.is_callee(frame.facts):
                if recursive and frame.purpose == "call" and (classes := classes_entered(frame.entered)) is not None:
                    alike = (*place, classes)
                    if self._kinds[place] < _KINDS and alike not in machine.refused:
                        self._kinds[place] += 1
                        machine.refused.add(("alike", frame.chain[-1]))
                        place = alike
                if self._leaves(machine, place, frame.facts, reason):
                    return True
        return False

    def _leaves(
        self, machine: Machine, place: tuple[object, ...], facts: FunctionFacts, reason: Unsupported
    ) -> bool:
        """From now on the call stays; False if it does already."""
        if place in machine.refused:
            return False
        machine.refused.add(place)
        line = reason.span.line if reason.span is not None else 0
        text = f"the call of {facts.function.qualname} stays: {reason.reason}"
        self.events.append(Event("FT302", text, line, self._file, reason.span, context=self._context))
        return True

    def _smaller(self, machine: Machine, versions: Versions, over: OverBudget) -> bool:
        """Is there something that makes less work of it?"""
        allowed = machine.budget.allowed_work(machine.emitted, machine.attempts)
        if versions.work > allowed and _long_lists.shortened_lists(machine):
            versions.work = 0
            return True
        return self._left_the_outermost_call(machine, versions, over)

    def _left_the_outermost_call(self, machine: Machine, versions: Versions, over: OverBudget) -> bool:
        """The budget ran out inside a call: the rest may fit without it.  Each such attempt gets a part."""
        frames = machine.state.frames
        if len(frames) < 2 or self._left == 0 or frames[1].purpose not in ("call", "init"):
            return False
        if frames[1].chain[-1] in versions.opaque:
            return False
        self._left -= 1
        versions.opaque.add(frames[1].chain[-1])
        versions.work = machine.budget.work - machine.budget.work // 4
        machine.attempts += 1
        self.events.append(Event("FT406", f"{over}: the call of {frames[1].facts.function.qualname} stays"))
        return True

    def _start(self, machine: Machine, versions: Versions, facts: FunctionFacts) -> tuple[Version, list[int]]:
        """The version of the entry, and the residual values of its parameters."""
        env: dict[int, AbstractValue] = {}
        names = facts.function.signature.names
        params: list[int] = []
        self._collected: list[tuple[int, list[Dynamic]]] = []
        self._shaped = any(is_a(given, Open) and given.shape is not None for given in self.inputs.values())
        for name, param in zip(names, facts.function.entry.params):
            given = self.inputs[name]
            if is_a(given, Open):
                rv = machine.residual_value(name)
                machine.hidden |= {name}
                params.append(rv)
                if name in self.defaults.taken:
                    env[param] = Known(self.defaults.taken[name])
                    continue
                env[param] = Dynamic(rv, given.type or collecting(facts.function.signature, name), given.shape)
                if given.items is not None and name == facts.function.signature.varargs:
                    items = [Dynamic(machine.residual_value(name), one) for one in given.items]
                    self._collected.append((rv, items))
                    machine.types.update({item.rv: item.type for item in items if item.type is not None})
            else:
                env[param] = Known(given)
        for cell, param in zip(facts.cells, facts.function.entry.params[len(names) :]):
            env[param] = Known(cell)
        machine.inputs = dict(zip(params, self.open))
        state = State([Frame(facts, env)])
        machine.state = state
        machine.first = dict(env)
        collect_at_entry(machine, facts.function, env, dict(self._collected))
        plain = open_signature(facts.function.signature, self.open)
        alone = plain.varargs is None and plain.varkw is None and not plain.kwonly
        root = versions.arrive_unit(state) if alone else versions.arrive_root(state)
        self._arrived = state
        for value, content in root.state.top.env.items():
            before = env.get(value)
            if type(content) is Dynamic and type(before) is Dynamic and before.rv in machine.inputs:
                machine.inputs[content.rv] = machine.inputs[before.rv]
        return root, params

    def _run(self, machine: Machine, versions: Versions) -> None:
        """Run versions until all have settled."""
        versions.settle()
        self.world.parting.active = True
        keep(machine, versions)
        while (version := versions.next()) is not None:
            self.world.caches.running(version)
            machine.run_version(version)
            handing_over.hope_again(machine)
            keep(machine, versions)
        check_ways(machine)
        if not machine.compared.isdisjoint(versions.confused) and not self.world.caches.in_trial():
            raise Unsupported("`is` tells two equal tuples apart that are one value here")

    def _assemble(self, machine: Machine, root: Version, params: list[int], facts: FunctionFacts) -> Program:
        from_state = {}
        top = root.final().state.top
        for value, content in self._arrived.top.env.items():
            now = top.env.get(value)
            if type(content) is Dynamic and type(now) is Dynamic:
                from_state[content.rv] = now.rv
        inputs = [from_state.get(rv, rv) for rv in params]
        signature = open_signature(facts.function.signature, self.open)
        name = facts.function.name.rpartition(".")[2]
        inner = [rv for rv in parameters(root.final()) if rv not in inputs]
        kept = [machine.hints[rv] for rv in inner]
        for version in self._versions(root):
            name_values(version, machine.hints)
        if inner:  # these are parameters of a function inside, and not of the target
            root, inputs = self._wrapped(machine, root), params
        entry = Entry(name, signature, inputs, facts.function)
        self.points: list[Point] = []
        self._saved: Saved = {}
        self._placed: dict[tuple[str, int], ResidualBlock] = {}
        self.world.parting.assembling()
        for rv, hint in zip(inner, kept if self.subject.style is None else ()):
            machine.hints[rv] = hint

        def placed(function: str, number: int, block: ResidualBlock, version: Version | None) -> None:
            self._saved[function, number] = block.saved
            self._placed[function, number] = block
            self.world.parting.placed((function, number), block)
            point = None if self.subject.style is None else point_of(function, number, block, version)
            if point is not None:
                self.points.append(point)

        return assemble(machine, root, entry, placed)

    def _versions(self, root: Version) -> list[Version]:
        found = {version.uid: version for version in root.unit.table.values() if version.forward is None}
        return [found[uid] for uid in sorted(found)]

    def _wrapped(self, machine: Machine, root: Version) -> Version:
        """The entry calls itself with other static values, or is passed what `*args` has collected one by one."""
        result = machine.residual_value()
        call = ResidualOperation("invoke", (), None, (result,), None, lazy=Lazy(root, self._arrived))
        unpacked = [
            ResidualOperation("unpack", (rv,), (len(items), False, 0), tuple(item.rv for item in items), None)
            for rv, items in self._collected
        ]
        block = ResidualBlock(ops=[*unpacked, call], end=ResidualEnd("return", (result,)))
        return Version(0, root.unit, "wrapper", self._arrived, (), block)

    def _result(
        self, machine: Machine, versions: Versions, program: Program, inputs: Apart, restarts: int
    ) -> Outcome:
        stats = {
            "source_blocks": machine.steps,
            "versions": len(versions.unit.table),
            "folded": machine.folded,
            "left": sum(len(block.ops) for function in program.functions for block in function.blocks),
            "restarts": restarts,
        }
        late = self._late or self.world.late
        # The code that the target had when its residual was made is what was asked for, also where it calls itself.
        assumptions = tuple(
            entry for entry in self.world.assumptions.values()
            if entry.holder is not self.subject.function or entry.name != "__code__"
        )  # fmt: skip
        return Outcome(
            program, self.open, assumptions, tuple(dict.fromkeys(self.events)), stats, tuple(self.points),
            inputs, declared=self.world.promises(),
            guesses={**self._missed, **(self._guessed if self.world.unfrozen else {})},
            left_out=dict(self.defaults.taken), given=self._given,
            believed=self.world.believed(), unfrozen=frozenset(self.world.unfrozen),
            escaped=self.world.escaped(), written=self.world.places_written(), hides=bool(self.world.hiding),
            handed_over=self.world.parting.flag if self.world.parting.used else None,
            late=late, nets=net_gains(machine, program, self._saved, inputs) if late else (),
        )  # fmt: skip

    def _check_static(self, program: Program, read: set[tuple[int, str]]) -> None:
        """Start again without the static objects that the residual itself changes by ways of its own."""
        world = self.world
        if not (world.read or holds_objects(program)) or (machine := self._machine) is None:
            return
        check_stand_ins(machine, program, lambda: self._apart(program))
        known = bindings_in(self.subject.home, world.assumptions.values())
        asked = (known, self.subject.home, self._source, world.is_frozen, machine.kept.found)
        found = changed(handing_over.before_handing_over(program, world.parting.handed), *asked)
        self._given = handing_over.what_is_given(world.parting, lambda: changed(program, *asked))
        for value in found.written:
            if world.write(value):
                self.events.append(Event("FT305", f"the contents of a static {type(value).__name__} are written"))
                raise Restart("a static object is written by the residual", whole=True)
        for value, name in found.stored:
            if value is world.parting.flag:
                continue
            if name == "__class__":
                raise Unsupported("the residual changes the class of a static object")
            if world.hides(name, value):
                raise Restart("an attribute of an object is written by the residual", whole=True)
            place, every = (world.serial(value), name), (world.serial(value), EVERY_NAME)
            if (place in read or every in read) and place not in world.written and world.is_frozen(value):
                world.written.add(place)
                text = f"attribute `{name}` of a static object is written after it was read"
                self.events.append(Event("FT305", text))
                raise Restart("an attribute of a static object is written by the residual", whole=True)
        if any(handing_over.is_believed(machine, value) for value in found.given) and world.parting.follow_no_more():
            raise Restart("elements of a set are handed to unknown code by the residual", whole=True)
        if handing_over.find_sites(machine, program, found, self._placed):
            raise Restart("static objects are handed over on a way that is rare", whole=True)
        for value, at in zip(found.given, found.places, strict=True):
            if world.escape(value):
                self.events.append(handing_over.handed_by_residual(value, at, self._placed))
                raise Restart("a static object is handed to unknown code by the residual", whole=True)

    def _source(self, function: types.FunctionType) -> Source | None:
        """A function that the residual calls, as far as its source is known."""
        found = self.sources.lowered(function)
        if found is None:
            return None
        program, entry, namespace, cells = found
        known_library = str(namespace.get("__name__")).partition(".")[0] in sys.stdlib_module_names

        def binding(name: str) -> object:
            if known_library and not self.world.is_assigned(namespace, name):
                return namespace.get(name, getattr(builtins, name, MISSING))  # no reason to test it at each entry
            known = self.world.lookup(namespace, entry.module, name)
            return MISSING if known is None else known[0]

        return Source(program, entry, cells, binding, namespace)

    def _apart_now(self, program: Program) -> Apart:
        return self._apart(program, tuple(self.world.assumptions.values()))

    def _believes_less(self, program: Program) -> bool:
        """The tests at entry take longer than what they are for: start again, and do without?"""
        if self.world.assumes and self.world.assumptions and self.world.objects.tested:
            self.world.assumes = False
            return True
        escaped = [self.world.escape(value) for value in self._apart_now(program).objects]
        return any(escaped)

    def _apart(self, program: Program, assumptions: tuple[Assumption, ...] = ()) -> Apart:
        read, bindings = self.world.contents_read(), bindings_in(self.subject.home, assumptions)
        asked = (list(map(id, read)), {name: id(value) for name, value in bindings.items()})
        if self._told_apart is None or self._told_apart[0] is not program or self._told_apart[1] != asked:
            opened = {name: value.type for name, value in self.inputs.items() if is_a(value, Open)}
            self._told_apart = program, asked, apart(program, opened, read, bindings)
        return by_owner(self.world, self._told_apart[2])
