"""Decision trees: what was asked on the way to a branch is not asked again.

    b1: branch (s == "a") -> b2 | b3         b1: branch (s == "a") -> b2 | b3
    b2: ... jump b3                          b2: ... return 1
    b3: branch (s == "b") -> b4 | b5   ->    b3: branch (s == "b") -> b4 | b5        entered with s != "a" only
    b4: return 2 ...

Blocks are followed from the entry with what the branches on the way have told (`pathfacts.py`).  A block that only
asks gets a copy for each set of facts with which it is reached, as far as these decide a branch behind it; in all other
blocks what is known meets.  Rules that are tried one after the other become a tree that asks each question once.

The walk ends: facts are about branches of the function, and it is given up when there are too many copies.  Headers of
loops have no copies, and what the loop may change is forgotten there.

Invariant: on every way the same operations are executed in the same order, but for branches that are decided.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Final, NamedTuple, TypeAlias

from futamura.ir.constant import Constant
from futamura.ir.graph import Edge, Value
from futamura.optimize.classtests import Kinds, kinds_of_type
from futamura.optimize.cleaning import paste
from futamura.optimize.copying import Copies, Copy
from futamura.optimize.flowgraph import FlowGraph, Node
from futamura.optimize.inference import Inference
from futamura.optimize.parameters import same_parameters
from futamura.optimize.pathfacts import Expressions, Fact, Subject, Test, answer, learned, meet

__all__ = ["decisions"]

MOST_COPIES: Final = 24
"""Copies of one block."""
MOST_OPERATIONS: Final = 6
"""Operations, constants not counted, of a block that only asks."""
GROWTH: Final = 1.5
ALLOWANCE: Final = 24
"""Operations that all copies may have beyond what there was."""
PATIENCE: Final = 4
"""Times what the copies may have: so much is looked at before it is given up, as some copies are reached no more."""
STEPS: Final = 30
"""Copies that are looked at for each block."""

_ENDS: Final = frozenset({"jump", "branch", "return"})
_Facts: TypeAlias = dict[int, int]
"""By the number of the subject, the number of what is known of it."""
_Key: TypeAlias = tuple[int, object]


def decisions(graph: FlowGraph, inference: Inference) -> bool:
    """Make decision trees; did anything change?"""
    if sum(node.end.name == "branch" for _, node in graph.nodes()) < 2:
        return False
    if any(loop.irreducible for loop in inference.layout.loops()):
        return False
    questions = _Questions(graph, inference)
    if not questions.repeated():
        return False
    walk = _Walk(questions)
    if not walk.run() or not walk.pays(live := walk.live()):
        return False
    Copies(graph, walk.copies(live)).build()
    paste(graph)
    same_parameters(graph)
    return True


class _Question(NamedTuple):
    """What a branch asks, or a value that is passed: its serial number, and that of the subject."""

    serial: int
    subject: int
    test: Test


class _Passed(NamedTuple):
    """What an edge says of a parameter: what is known of another subject, of a condition, or a constant."""

    subject: int
    source: int
    condition: _Question | None = None
    constant: Constant | Kinds | None = None


class _Questions:
    """The branches of a function, what they ask about, and which answers matter where."""

    def __init__(self, graph: FlowGraph, inference: Inference) -> None:
        self.graph: Final = graph
        self.layout: Final = inference.layout
        self.inference: Final = inference
        self._expressions: Final = Expressions(graph, inference)
        self._subjects: Final[list[Subject]] = []
        self._numbers: Final[dict[Subject, int]] = {}
        self._asked = 0
        self.tests: Final[dict[int, _Question]] = {}
        """What the branch at the end of a block asks."""
        self.passed: Final[dict[tuple[int, int], list[_Passed]]] = {}
        """By block and edge."""
        self._own: Final[dict[int, int]] = {}
        """By block: the subjects that it may change, so that nothing is known of them before, as bits."""
        self.raising: Final[dict[int, int]] = {}
        """By the number of an operation: the subject that tells whether it raises."""
        self.executed: Final[dict[int, tuple[int, ...]]] = {}
        """By block: the subjects of its operations that may raise."""
        self.guarded: Final[set[int]] = set()
        """Blocks with a handler of which the subjects tell whether they raise."""
        for at in self.layout.order:
            if at in inference.reached:
                self._ask(at, graph.node(at))
        self._follow_parameters()
        for number, subject in enumerate(self._subjects):
            for at in self._expressions.homes[subject.expression]:
                self._own[at] = self._own.get(at, 0) | 1 << number
        self._lost: Final = self._changed_by_loops()
        self.relevant: Final = self._relevance()
        """By block: the subjects that are asked about behind its beginning, as bits."""
        self.kept: Final = {
            at: bits & ~self._own.get(at, 0) & ~self._lost.get(at, 0) for at, bits in self.relevant.items()
        }
        """Those of which what is known before an edge to the block is known behind it."""

    def _ask(self, at: int, node: Node) -> None:
        test = self._expressions.test(node)
        if test is not None and self._final(node.end.edges[0]) != self._final(node.end.edges[1]):
            self.tests[at] = self._question(test)
        if node.end.name not in ("jump", "branch"):
            return
        raising = self._expressions.raising(node)
        self.raising.update({op: self._number(subject) for op, subject in raising.items() if subject is not None})
        self.executed[at] = tuple(dict.fromkeys([self.raising[op] for op in raising if op in self.raising]))
        if node.handler is not None and self._may_leave(node) and None not in raising.values():
            self.guarded.add(at)

    def _final(self, edge: Edge) -> Edge:
        """Where control goes on when blocks that only jump are left out."""
        for _ in range(len(self.layout.order)):
            node = self.graph.node(edge.target)
            if node.params or node.ops or node.end.name != "jump":
                break
            edge = node.end.edges[0]
        return edge

    def _may_leave(self, node: Node) -> bool:
        """Is the block in a try region that holds what raises, and no more, with nothing around it?"""
        region = self.graph.function.regions[node.region]
        return region.kind == "try" and region.flavor == "residual" and not region.parent

    def tails(self) -> set[int]:
        """The blocks in such regions behind all that may raise: these may as well stand behind the region."""
        inside = [at for at in self.layout.order if self._may_leave(self.graph.node(at))]
        around = {at: self._outermost(self.graph.node(at).region) for at in self.layout.order}
        work = [at for at in self.layout.order if around[at] and self.graph.node(at).handler is not None]
        before = set(work)
        while work:
            at = work.pop()
            for source, _ in self.layout.entering[at]:
                if source not in before and around[source] == around[at]:
                    before.add(source)
                    work.append(source)
        return {at for at in inside if at not in before}

    def _outermost(self, region: int) -> int:
        """The region around this one with nothing around it."""
        regions = self.graph.function.regions
        while region and regions[region].parent:
            region = regions[region].parent
        return region

    def _question(self, test: Test) -> _Question:
        self._asked += 1
        return _Question(self._asked, self._number(test.subject), test)

    def _number(self, subject: Subject) -> int:
        found = self._numbers.get(subject)
        if found is None:
            found = self._numbers[subject] = len(self._subjects)
            self._subjects.append(subject)
        return found

    def _follow_parameters(self) -> None:
        """What is passed to a parameter that is asked about is asked about, too, but at the header of a loop, where
        what is known of it meets anyway."""
        headers = {loop.header for loop in self.layout.loops()}
        homes = {param: at for at in self.layout.order for param in self.graph.node(at).params}
        for number, subject in enumerate(self._subjects):  # which grow meanwhile
            param = self._expressions.params.get(subject.expression)
            at = 0 if param is None else homes[param]
            if param is None or at == 0:
                continue
            if at in headers:
                continue
            place = self.graph.node(at).params.index(param)
            for source, way in self.layout.entering[at]:
                node = self.graph.node(source)
                if place >= node.implicit(way):
                    passed = self._passed(number, subject, node.edges()[way].args[place - node.implicit(way)])
                    self.passed.setdefault((source, way), []).append(passed)

    def _passed(self, number: int, subject: Subject, value: Value) -> _Passed:
        shape = self.inference.shapes.get(value)
        if subject.kind == "kind":
            kinds = None if shape is None else kinds_of_type(shape.type)
            if kinds is not None:
                return _Passed(number, -1, None, kinds)
        elif shape is not None and shape.constant is not None:
            return _Passed(number, -1, None, shape.constant)
        if subject.kind == "truth":
            condition = self._question(self._expressions.condition(value))
            return _Passed(number, condition.subject, condition)
        return _Passed(number, self._number(subject._replace(expression=self._expressions.of(value))))

    def _changed_by_loops(self) -> dict[int, int]:
        """By the header of a loop: the subjects that the loop may change."""
        forest = self.layout.loops()
        innermost = {at: number for number, loop in enumerate(forest) for at in loop.nodes}
        lost = dict.fromkeys([loop.header for loop in forest], 0)
        for number, subject in enumerate(self._subjects):
            around: set[int] = set()
            for at in self._expressions.homes[subject.expression]:
                loop = innermost.get(at, -1)
                while loop >= 0 and loop not in around:
                    around.add(loop)
                    loop = forest[loop].parent
            for loop in around:
                lost[forest[loop].header] |= 1 << number
        return lost

    def _relevance(self) -> dict[int, int]:
        found = dict.fromkeys(self.layout.order, 0)
        for at, asked in self.tests.items():
            found[at] = 1 << asked.subject
        for at, numbers in self.executed.items():
            found[at] |= sum(1 << number for number in set(numbers))
        work = deque(reversed(self.layout.order))
        waiting = set(work)
        while work:
            at = work.popleft()
            waiting.discard(at)
            for source, way in self.layout.entering[at]:
                bits = found[at] & ~self._own.get(at, 0) & ~self._lost.get(at, 0)
                for passed in self.passed.get((source, way), ()):
                    if passed.source >= 0 and found[at] >> passed.subject & 1:
                        bits |= 1 << passed.source
                if bits & ~found[source]:
                    found[source] |= bits
                    if source not in waiting:
                        waiting.add(source)
                        work.append(source)
        return found

    def repeated(self) -> bool:
        """May the answer to a question, or a constant that is passed, decide a branch?"""
        answers = [(at, asked.subject) for at, asked in self.tests.items()]
        answers.extend((at, number) for at in sorted(self.guarded) for number in self.executed[at])
        for at, number in answers:
            if any(self.kept[edge.target] >> number & 1 for edge in self.graph.node(at).edges()):
                return True
        return any(one.constant is not None for passed in self.passed.values() for one in passed)


class _Knowledge:
    """Facts by number: what follows from each is found out once."""

    def __init__(self) -> None:
        self._facts: Final[list[Fact]] = []
        self._numbers: Final[dict[Fact, int]] = {}
        self._answers: Final[dict[tuple[int, int], bool | None]] = {}
        self._learned: Final[dict[tuple[int, int, bool], int]] = {}
        self._met: Final[dict[tuple[int, int], int]] = {}
        self.yes: Final = self.number(Constant(True))
        self.no: Final = self.number(Constant(False))

    def number(self, fact: Fact) -> int:
        found = self._numbers.get(fact)
        if found is None:
            found = self._numbers[fact] = len(self._facts)
            self._facts.append(fact)
        return found

    def _fact(self, number: int) -> Fact | None:
        return None if number < 0 else self._facts[number]

    def answer(self, asked: _Question, known: int) -> bool | None:
        """What a branch does where this (-1: nothing) is known of its subject."""
        key = (asked.serial, known)
        if key not in self._answers:
            self._answers[key] = answer(asked.test, self._fact(known))
        return self._answers[key]

    def learned(self, asked: _Question, known: int, first: bool) -> int:
        key = (asked.serial, known, first)
        if key not in self._learned:
            self._learned[key] = self.number(learned(asked.test, self._fact(known), first))
        return self._learned[key]

    def meet(self, one: int, other: int) -> int:
        """What both say; -1 if that is nothing."""
        key = (one, other)
        if key not in self._met:
            both = meet(self._facts[one], self._facts[other])
            self._met[key] = -1 if both is None else self.number(both)
        return self._met[key]


class _Version:
    """A copy of a block: the facts with which it is reached, and where its edges lead."""

    __slots__ = ("facts", "key", "raises", "taken", "targets")

    def __init__(self, key: _Key, facts: _Facts) -> None:
        self.key: Final = key
        self.facts: _Facts = facts
        self.taken: int | None = None
        """The only edge that a decided branch takes."""
        self.raises: bool | None = None
        """Whether one of its operations raises; None if that is open."""
        self.targets: list[_Version] = []


class _Walk:
    """Follows the blocks with what is known."""

    def __init__(self, questions: _Questions) -> None:
        self._questions: Final = questions
        self._graph: Final = questions.graph
        self._knowledge: Final = _Knowledge()
        self._versions: Final[dict[_Key, _Version]] = {}
        self._counts: Final[dict[int, int]] = {}
        self._weights: Final = {at: _weight(self._graph.node(at)) for at in questions.layout.order}
        self._headers: Final = {loop.header for loop in questions.layout.loops()} | {0}
        self._tails: Final = questions.tails()
        self._whole: Final = self._uncopied()
        self._forgotten: Final[dict[tuple[int, int], tuple[int, ...]]] = {}
        """By block and target: the subjects of which something may be known before, and nothing behind."""
        self._room = PATIENCE * (GROWTH * sum(self._weights.values()) + ALLOWANCE)
        """Operations that may yet be copied."""
        self._work: Final[deque[_Version]] = deque()

    def _uncopied(self) -> set[int]:
        """The blocks in which all that is known meets."""
        layout = self._questions.layout
        found = set(self._headers)
        for at in layout.order:
            node = self._graph.node(at)
            bound = (node.region and at not in self._tails) or node.handler is not None
            if bound or node.end.name not in _ENDS:
                found.add(at)
            if node.handler is not None:
                found.add(node.handler.target)
            if self._weights[at] > MOST_OPERATIONS:
                found.add(at)
        return found

    def run(self) -> bool:
        """Follow all ways; False if these are too many."""
        self._arrive(0, {})
        limit = STEPS * len(self._weights)
        while self._work:
            self._follow(self._work.popleft())
            limit -= 1
            if limit < 0 or self._room < 0:
                return False
        return True

    def _arrive(self, at: int, facts: _Facts, items: object = None) -> _Version:
        """The version of a block that these facts lead to; `items` are these in a key, if they are in one already."""
        told = at in self._questions.guarded and at not in self._headers and self._raises(at, facts) is False
        key: _Key = (at, None)
        asks: bool | None = None
        if told or at not in self._whole:
            key = (at, items if items is not None else frozenset(facts.items()))
            version = self._versions.get(key)
            if version is not None:
                return version
            asks = self._asks(at, facts)
            if asks:
                self._counts[at] = self._counts.get(at, 0) + 1
                if self._counts[at] > MOST_COPIES:
                    self._whole.add(at)
                    key = (at, None)
        version = self._versions.get(key)
        if version is None:
            version = self._versions[key] = _Version(key, facts)
            asks = self._asks(at, facts) if asks is None else asks
            self._room -= self._weights[at] if asks else 0
            self._work.append(version)
        elif version.facts != facts:
            meet = self._knowledge.meet
            both = {n: known for n, old in version.facts.items() if n in facts and (known := meet(old, facts[n])) >= 0}
            if both != version.facts:
                version.facts = both
                self._work.append(version)
        return version

    def _asks(self, at: int, facts: _Facts) -> bool:
        """Is something left of the block, knowing this?"""
        asked = self._questions.tests.get(at)
        return self._weights[at] > 0 and (
            asked is None or self._knowledge.answer(asked, facts.get(asked.subject, -1)) is None
        )

    def _raises(self, at: int, facts: _Facts) -> bool | None:
        """Is it known that an operation of a block with a handler raises, or that none does?"""
        if at not in self._questions.guarded:
            return None
        told = [facts.get(number, -1) for number in self._questions.executed[at]]
        if all(known == self._knowledge.no for known in told):
            return False
        return True if self._knowledge.yes in told else None

    def _follow(self, version: _Version) -> None:
        at = version.key[0]
        node = self._graph.node(at)
        knowledge = self._knowledge
        asked = self._questions.tests.get(at)
        before = -1 if asked is None else version.facts.get(asked.subject, -1)
        answered = None if asked is None else knowledge.answer(asked, before)
        numbers = self._questions.executed.get(at, ())
        version.raises = self._raises(at, version.facts)
        version.taken = None if answered is None else 0 if answered else 1
        version.targets = []
        if version.taken is not None and not numbers and node.handler is None:  # nothing is told here
            self._go(version, version.taken, node.end.edges[version.taken].target, version.facts)
            return
        for way, edge in enumerate(node.edges()):
            facts = version.facts
            if way == len(node.end.edges):
                if version.raises is False:
                    continue
                if len(numbers) == 1 and at in self._questions.guarded:
                    facts = {**facts, numbers[0]: knowledge.yes}
            else:
                if version.raises or (answered is not None and way != version.taken):
                    continue
                if numbers:
                    facts = {**facts, **dict.fromkeys(numbers, knowledge.no)}
                if answered is None and asked is not None:
                    facts = {**facts, asked.subject: knowledge.learned(asked, before, way == 0)}
            self._go(version, way, edge.target, facts)

    def _go(self, version: _Version, way: int, target: int, facts: _Facts) -> None:
        """Follow an edge, knowing these facts."""
        brought = self._brought(version.key[0], way, target, facts)
        items = version.key[1] if brought is version.facts else None
        version.targets.append(self._arrive(target, brought, items))

    def _brought(self, at: int, way: int, target: int, facts: _Facts) -> _Facts:
        """What is known behind an edge."""
        questions, knowledge = self._questions, self._knowledge
        forgotten = self._forgotten.get((at, target))
        if forgotten is None:
            forgotten = _members(questions.relevant[at] & ~questions.kept[target])
            self._forgotten[at, target] = forgotten
        every = questions.passed.get((at, way), ())
        if not every and facts.keys().isdisjoint(forgotten):
            return facts
        found = {**facts}
        for number in forgotten:
            found.pop(number, None)
        for passed in every:
            if not questions.relevant[target] >> passed.subject & 1:
                continue
            if passed.constant is not None:
                found[passed.subject] = knowledge.number(passed.constant)
            elif passed.condition is not None:
                told = knowledge.answer(passed.condition, facts.get(passed.source, -1))
                if told is not None:
                    found[passed.subject] = knowledge.yes if told else knowledge.no
            elif passed.source in facts:
                found[passed.subject] = facts[passed.source]
        return found

    # -------------------------------------------------------------------- what came out

    def live(self) -> list[_Version]:
        """The versions that the entry leads to, in the order of their blocks."""
        first = self._versions[0, None]
        seen = {first}
        work = [first]
        for version in work:
            for target in version.targets:
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        position = {at: place for place, at in enumerate(self._questions.layout.order)}
        return sorted(work, key=lambda version: position[version.key[0]])

    def pays(self, live: list[_Version]) -> bool:
        """Is a branch decided, and the code not much longer?"""
        if all(version.taken is None for version in live):
            return False
        size = sum(self._weights[version.key[0]] for version in live if version.taken is None)
        return size <= GROWTH * sum(self._weights.values()) + ALLOWANCE

    def copies(self, live: list[_Version]) -> list[Copy]:
        places = {version: place for place, version in enumerate(live)}
        shared = self._graph.shared()
        counts = Counter([version.key[0] for version in live])
        needed = {at: self._needed(at, shared, count > 1) for at, count in counts.items()}
        return [
            Copy(
                version.key[0],
                version.taken,
                version.raises,
                tuple([places[target] for target in version.targets]),
                self._does_nothing(version, needed[version.key[0]]),
                version.raises is False or version.key[0] in self._tails,
            )
            for version in live
        ]

    def _needed(self, at: int, shared: set[Value], several: bool) -> tuple[int, ...] | None:
        """The subjects of which it must be known that they do not raise, so that nothing of the block is needed but an
        edge; None if something is in any case.  Parameters of blocks with several copies are passed on."""
        node = self._graph.node(at)
        bound = node.region and at not in self._tails
        if at in self._headers or bound or node.handler or (not several and not shared.isdisjoint(node.params)):
            return None
        if any(self._graph.node(source).implicit(way) for source, way in self._questions.layout.entering[at]):
            return None
        found: list[int] = []
        for op in node.ops:
            fact = self._questions.inference.fact(op)
            effects = fact.effects
            if effects.writes or effects.calls or effects.suspends or not shared.isdisjoint(op.results):
                return None
            if fact.raises:
                found.append(self._questions.raising.get(op.id, -1))
        return None if -1 in found else tuple(found)

    def _does_nothing(self, version: _Version, needed: tuple[int, ...] | None) -> bool:
        """Is only the edge left?"""
        if needed is None:
            return False
        node = self._graph.node(version.key[0])
        if version.taken is None and node.end.name != "jump":
            return False
        if needed and any(version.facts.get(number) != self._knowledge.no for number in needed):
            return False
        passed = node.end.edges[version.taken or 0].args
        return not passed or not any(result in passed for op in node.ops for result in op.results)


def _members(bits: int) -> tuple[int, ...]:
    """The numbers of the bits that are set."""
    found: list[int] = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return tuple(found)


def _weight(node: Node) -> int:
    return sum([op.name != "const" for op in node.ops]) + (node.end.name == "branch")
