"""From labelled jumps to `break`, `continue`, falling through, and flags as the last resort.

    [Loop 1 while c: [Cond d [Jump 1] [a, Jump 1]]]      becomes      while c:
                                                                          if not d:
                                                                              a
At each position one label is where control falls, one is where `break` goes and one where `continue` goes.  A scope
whose label is needed elsewhere becomes a one-shot loop `while True: ... break`, which costs nothing in CPython.
A jump that crosses several loops sets a flag, breaks, and is taken behind the loop.

Invariant: a jump that is neither fallen to, broken to nor continued to stands inside of a loop that leads on to it.
Recursion is as deep as the output is indented; scopes, elif chains and sequences are walked by loops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from futamura.backend.structure.idioms import GUARD_THEN, finish_if, has_one_guarded, reset_before_breaks
from futamura.backend.structure.labelled import (
    NOWHERE,
    RETURNS,
    Cond,
    Element,
    Exit,
    Jump,
    Loop,
    Managed,
    Scope,
    Sequence,
    Take,
    Try,
)
from futamura.backend.structure.tree import (
    Break,
    Continue,
    FlagTest,
    For,
    Guarded,
    Handler,
    If,
    Plain,
    SetFlag,
    Statement,
    Suite,
    While,
    With,
)

__all__ = ["Lowering"]

CHAIN_LIMIT = 400
"""An `elif` chain is cut after so many arms: CPython's compiler gives up at 2,900."""


@dataclass(slots=True, eq=False)
class Frame:
    """The loop in which a statement stands: where `break` and `continue` go.

    `exits` numbers the labels that are reached by a flag and a break; `breaks` counts the other breaks.
    """

    stop: int = NOWHERE
    again: int = NOWHERE
    place: tuple[int, int] | None = None  # None: not in a loop
    flag: str = ""
    exits: dict[int, int] = field(default_factory=dict)
    breaks: int = 0
    sheltered: int = 0  # clean-ups around the current position, inside of this loop
    stale: bool = False  # a clean-up may catch a flagged break on its way: the flag is not yet the truth


_Result = tuple[Suite, bool]  # whether control may fall off the end


class EnoughSeen(Exception):
    """There are more flagged jumps than anybody would read: those counted so far say where."""


class Lowering:
    """`flags` counts the flagged jumps for each region that the quality gate may dispatch."""

    def __init__(
        self,
        places: dict[int, tuple[int, int]],
        fresh: Callable[[str], str],
        implicit: Callable[[object], bool],
        refuses: Callable[[object], bool] = lambda statement: False,
        most: int | None = None,
    ) -> None:
        self.most = most
        """More flagged jumps than this raise `EnoughSeen`: each is led through all statements around it."""
        self.flagged = 0
        self.places = places
        self.fresh = fresh
        self.implicit = implicit
        self.refuses = refuses
        self.flags: dict[tuple[int, int], int] = {}
        self.crossed: dict[tuple[int, int], dict[tuple[int, int], int]] = {}  # the regions that these jumps leave

    def run(self, sequence: Sequence) -> Suite:
        suite, _ = self._sequence(sequence, 0, RETURNS, Frame())
        return suite

    # Sequences

    def _sequence(self, sequence: Sequence, start: int, falls: int, frame: Frame) -> _Result:
        """Lower `sequence[start:]`, from whose end control falls to the label `falls`."""
        top: Suite = []
        out = top
        goes_on = False
        chain: list[tuple[If, Suite, bool]] = []
        place = start
        while True:
            if place == len(sequence):
                goes_on = True
                break
            element = sequence[place]
            place += 1
            if isinstance(element, (Plain, SetFlag)):
                out.append(element)
                continue
            if isinstance(element, Cond):
                otherwise = bool(chain) and not out  # an `elif` stays one, even if its arm leaves
                first, second = element.then, element.orelse
                negated = not otherwise and self._is_guard(second, first)
                if negated:
                    first, second = second, first
                then, through = self._sequence(first, 0, falls, frame)
                statement = If(element.condition, then, negated=negated)
                out.append(statement)
                sequence, place = second, 0
                if through or otherwise or not then:
                    goes_on = goes_on or through
                    chain.append((statement, out, through))
                    out = statement.orelse
                    if len(chain) > CHAIN_LIMIT:
                        out = self._cut(chain, out)
                continue
            if isinstance(element, Loop):
                rest, through = self._loop(element, falls, frame, out)
                if rest is not None:
                    sequence, place = rest, 0
                    continue
                goes_on = goes_on or through
                break
            suite, through = self._element(element, falls, frame)
            out.extend(suite)
            if not through or isinstance(element, (Jump, Exit)):
                goes_on = goes_on or through
                break
        for place in range(len(chain) - 1, -1, -1):
            statement, home, _ = chain[place]
            is_elif = place > 0 and home is chain[place - 1][0].orelse and home[0] is statement
            finish_if(statement, home, None if is_elif else self._explicit(falls, frame))
            for inner, _, through in islice(chain, place + 1, None):
                # What was an `elif` of a statement that became a guard clause may be one as well.
                if through or home[-1] is not inner or not inner.orelse:
                    break
                home.extend(inner.orelse)
                inner.orelse = []
        return top, goes_on

    def _is_guard(self, arm: Sequence, other: Sequence) -> bool:
        """Does this second arm read best as a guard clause: does it only leave, and the other one goes on?"""
        if not 0 < len(arm) <= GUARD_THEN or not isinstance(arm[-1], Exit) or arm[-1].statement is None:
            return False
        if not all(isinstance(element, Plain) for element in arm[:-1]):
            return False
        if self.refuses(arm[-1].statement):
            return True
        return not (other and isinstance(other[-1], Exit)) and not (len(other) == 1 and isinstance(other[0], Jump))

    def _element(self, element: Element, falls: int, frame: Frame) -> _Result:
        match element:
            case Jump():
                return self._jump(element, falls, frame)
            case Exit(statement):
                return self._exit(statement, falls)
            case Scope():
                return self._scope(element, frame)
            case Take():
                return self._take(element, frame)
            case Try():
                return self._try(element, falls, frame)
            case Managed():
                return self._managed(element, falls, frame)
        raise AssertionError(element)

    def _cut(self, chain: list[tuple[If, Suite, bool]], out: Suite) -> Suite:
        """Go on with an elif chain behind the first part of it, under a flag."""
        name = self.fresh("rest")
        out.append(SetFlag(name, 1))
        for statement, home, _ in reversed(chain):
            finish_if(statement, home, None)
        home = chain[0][1]
        home.insert(len(home) - 1, SetFlag(name, 0))
        del chain[:]
        rest = If(FlagTest(name), [])
        home.append(rest)
        return rest.then

    # Jumps

    def _jump(self, jump: Jump, falls: int, frame: Frame) -> _Result:
        label = jump.label
        if label == falls:
            return [], True
        if label == frame.stop:
            frame.breaks += 1
            return [Break()], False
        if label == frame.again:
            return [Continue()], False
        if jump.clone is not None:
            body: Suite = list(jump.clone.body)
            suite, through = self._exit(jump.clone.data, falls)
            return body + suite, through
        return self._flagged(label, frame)

    def _flagged(self, label: int, frame: Frame) -> _Result:
        assert frame.place is not None, f"no loop leads on to label {label}"
        if not frame.flag:
            frame.flag = self.fresh("exit")
        place = self.places.get(label, frame.place)
        self.flagged += 1
        if self.most is not None and self.flagged > self.most:
            raise EnoughSeen
        self.flags[place] = self.flags.get(place, 0) + 1
        crossed = self.crossed.setdefault(place, {})
        crossed[frame.place] = crossed.get(frame.place, 0) + 1
        number = frame.exits.setdefault(label, len(frame.exits) + 1)
        frame.stale = frame.stale or frame.sheltered > 0
        return [SetFlag(frame.flag, number), Break()], False

    def _exit(self, statement: object | None, falls: int) -> _Result:
        if statement is None:
            return [], False
        if falls == RETURNS and self.implicit(statement):
            return [], True
        return [Plain(statement)], False

    def _explicit(self, falls: int, frame: Frame) -> Statement | None:
        """A statement that goes where control falls, if there is one."""
        if falls == frame.again and falls != NOWHERE:
            return Continue()
        return None

    def _behind(self, inner: Frame, loop: Suite, through: bool, falls: int, outer: Frame) -> _Result:
        """The flagged jumps behind a loop; `through`: whether control comes there without a flag."""
        if not inner.exits:
            return loop, through
        if inner.stale:
            reset_before_breaks(loop, inner.flag)
        suite: Suite = [SetFlag(inner.flag, 0), *loop]
        single = len(inner.exits) == 1
        for label, number in inner.exits.items():
            jump, jumps_on = self._jump(Jump(label), falls, outer)
            last = not through and number == len(inner.exits)
            if last:
                suite.extend(jump)
            elif jump:
                suite.append(If(FlagTest(inner.flag, "truth" if single else "==", 0 if single else number), jump))
            if jumps_on:
                through = True
        return suite, through

    # Scopes

    def _scope(self, scope: Scope, frame: Frame) -> _Result:
        """A scope without what follows it.  Scopes that start with scopes are walked by a loop."""
        opened: list[tuple[Scope, Frame, Frame]] = []
        while True:
            inner = Frame(scope.label, NOWHERE, scope.place) if scope.far else frame
            opened.append((scope, inner, frame))
            frame = inner
            first = scope.body[0]
            if not isinstance(first, Scope):
                break
            scope = first
        suite, through = self._sequence(scope.body, 0, scope.label, frame)
        while True:
            scope, inner, outer = opened.pop()
            if inner is not outer:
                suite, through = self._one_shot(suite, through, inner, outer)
            if not opened:
                return suite, through
            if through:
                around, frame, _ = opened[-1]
                rest, through = self._sequence(around.body, 1, around.label, frame)
                suite.extend(rest)

    def _one_shot(self, suite: Suite, through: bool, inner: Frame, outer: Frame) -> _Result:
        if not inner.breaks and not inner.exits:
            return suite, through
        if through:
            suite.append(Break())
        return self._behind(inner, [While(None, suite)], through or inner.breaks > 0, NOWHERE, outer)

    # Loops

    def _loop(self, loop: Loop, falls: int, frame: Frame, out: Suite) -> tuple[Sequence | None, bool]:
        """Append the loop to `out`.  Gives the sequence that goes on behind it in the same place, if any."""
        stop = self._stop(loop, falls, frame)
        inner = Frame(stop, loop.label, loop.place)
        body, _ = self._sequence(loop.body, 0, loop.label, inner)
        orelse: Suite = []
        broken = inner.breaks > 0 or bool(inner.exits)
        through = stop == falls and inner.breaks > 0
        if loop.kind != "forever" and broken:
            orelse, done = self._sequence(loop.done, 0, falls if stop == falls else NOWHERE, frame)
            through = through or done
        statement: Statement
        if loop.kind == "for":
            assert isinstance(loop.data, tuple)
            statement = For(loop.data[0], loop.data[1], body, orelse)
        else:
            statement = While(loop.data, body, orelse, loop.negated)
        if loop.kind != "forever" and not broken:
            out.append(statement)
            return loop.done, False
        jumped: Suite = []
        if stop != falls and inner.breaks:
            jumped, _ = self._jump(Jump(stop, loop.clones.get(stop)), falls, frame)
        suite, through = self._behind(inner, [statement], through or bool(jumped), falls, frame)
        out.extend(suite)
        out.extend(jumped)
        return None, through and not jumped

    def _stop(self, loop: Loop, falls: int, frame: Frame) -> int:
        """Where `break` shall lead: where control falls, unless all jumps out of the loop go elsewhere."""
        if not loop.exits or falls in loop.exits:
            return falls
        if loop.kind != "forever" and not self._leaves(loop.done, falls, frame):
            return falls
        return max(loop.exits, key=lambda label: (loop.exits[label], -label))

    def _leaves(self, done: Sequence, falls: int, frame: Frame) -> bool:
        """Whether the `done` part of a loop can be made to jump where control would fall."""
        if falls in (frame.again, frame.stop):
            return True
        last = done[-1]
        if not all(isinstance(element, (Plain, SetFlag)) for element in done[:-1]):
            return False
        return isinstance(last, Exit) or (isinstance(last, Jump) and last.label != falls)

    def _take(self, take: Take, frame: Frame) -> _Result:
        done, through = self._sequence(take.done, 0, NOWHERE, frame)
        assert not through, "what follows an exhausted iterator must leave"
        return [For(take.target, take.iterator, [Break()], done)], True

    # Statements with parts

    def _try(self, statement: Try, falls: int, frame: Frame) -> _Result:
        frame.sheltered += bool(statement.final)
        body, through = self._sequence(statement.body, 0, falls, frame)
        guarded = Guarded(body)
        if statement.orelse and through:
            guarded.orelse, through = self._sequence(statement.orelse, 0, falls, frame)
        for header, sequence in statement.handlers:
            suite, handler_through = self._sequence(sequence, 0, falls, frame)
            guarded.handlers.append(Handler(header, suite))
            through = through or handler_through
        frame.sheltered -= bool(statement.final)
        if statement.final:
            guarded.final, final_through = self._sequence(statement.final, 0, falls, frame)
            through = through and final_through
            if has_one_guarded(body):
                only = body[0]
                assert isinstance(only, Guarded)
                only.final = guarded.final
                guarded = only
        return [guarded], through

    def _managed(self, managed: Managed, falls: int, frame: Frame) -> _Result:
        swallows = managed.swallowed != NOWHERE
        frame.sheltered += 1
        body, through = self._sequence(managed.body, 0, managed.swallowed if swallows else falls, frame)
        frame.sheltered -= 1
        return [With(managed.header, body)], through or swallows
