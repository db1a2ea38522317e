"""A try statement that is left to several places says where to: in a flag, instead of by breaks out of one-shot loops.

    [Scope 5 [Scope 4 [Try [a, Jump 5] except: [Jump 4]], b], c]         flag = 0
                                                                         try:
                                                                             a; flag = 1
                                                            becomes      except:
                                                                             pass
                                                                         if not flag:
                                                                             b
                                                                         c
Control falls from all parts of the statement to the innermost of the scopes around it; what stands between that one
and the one that is jumped to is skipped.  `break` and `continue` in the parts are those of the loop around them.

Invariant: a flag is set last in its part, so nothing can raise behind it; it is cleared in front of the statement.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from futamura.backend.structure.labelled import Cond, Jump, Loop, Managed, Scope, Sequence, Take, Try
from futamura.backend.structure.tree import FlagTest, Plain, SetFlag

__all__ = ["select"]


class _Skipped(NamedTuple):
    """What stands from a place in a sequence on, and where control falls behind it."""

    sequence: Sequence
    place: int
    falls: int


class _Found(NamedTuple):
    """A jump from which control could fall to the end of a scope's body instead, but for what is to be skipped."""

    sequence: Sequence
    falls: int
    label: int
    through_try: bool
    skipped: tuple[_Skipped, ...]


def select(sequence: Sequence, fresh: Callable[[str], str]) -> None:
    """Let flags take the place of one-shot loops around try statements, everywhere in the sequence."""
    work = [sequence]
    while work:
        elements = work.pop()
        for element in elements:
            if isinstance(element, Scope):
                chain = _chain(element)
                _settle(chain, fresh)
                work.append(chain[-1].body)
                work.extend([scope.body[_first(scope.body) + 1 :] for scope in chain[:-1]])
            elif isinstance(element, Cond):
                work.extend((element.then, element.orelse))
            elif isinstance(element, Loop):
                work.extend((element.body, element.done))
            elif isinstance(element, Take):
                work.append(element.done)
            elif isinstance(element, Managed):
                work.append(element.body)
            elif isinstance(element, Try):
                work.extend((element.body, element.orelse, element.final))
                work.extend([part for _, part in element.handlers])


def _first(sequence: Sequence) -> int:
    """The place of the first element that is no plain statement."""
    for place, element in enumerate(sequence):
        if not isinstance(element, (Plain, SetFlag)):
            return place
    return len(sequence)


def _chain(scope: Scope) -> list[Scope]:
    """The scope, and those that what is in it begins with, the innermost last."""
    chain = [scope]
    while True:
        body = chain[-1].body
        place = _first(body)
        inner = body[place] if place < len(body) else None
        if not isinstance(inner, Scope):
            return chain
        chain.append(inner)


def _settle(chain: list[Scope], fresh: Callable[[str], str]) -> None:
    """Let a flag say which of these scopes control goes to the end of, if it comes there out of a try statement."""
    if not any(scope.far for scope in chain):
        return
    depth = {scope.label: place for place, scope in enumerate(chain)}
    far: list[tuple[int, _Found]] = []  # behind which of these scopes a jump stands, and the jump
    for place, scope in enumerate(chain):
        start = 0 if scope is chain[-1] else _first(scope.body) + 1
        here = len(chain) if scope is chain[-1] else place + 1
        found = _jumps(scope.body, start, scope.label)
        far += [(here, jump) for jump in found if jump.label in depth and jump.label != jump.falls]
    counts = [sum(jump.label == scope.label for _, jump in far) for scope in chain]
    chosen = [place for place, scope in enumerate(chain) if scope.far and counts[place] == scope.far]
    if not any(jump.through_try and depth[jump.label] in chosen for _, jump in far):
        return
    flag = fresh("exit")
    number = {chain[place].label: value for value, place in enumerate(reversed(chosen), 1)}
    passed = [sum(other >= place for other in chosen) for place in range(len(chain) + 1)]
    skipped: dict[tuple[int, int], tuple[_Skipped, int]] = {}
    for here, jump in far:
        if jump.label in number:
            jump.sequence[-1:] = [SetFlag(flag, number[jump.label]), Jump(jump.falls)]
            skipped.update({(id(one.sequence), one.place): (one, passed[here]) for one in jump.skipped})
    for place in range(1, len(chain)):
        around = chain[place - 1]
        if passed[place] < len(chosen):
            start = _first(around.body) + 1
            skipped[id(around.body), start] = _Skipped(around.body, start, around.label), passed[place]
    for one, least in sorted(skipped.values(), key=lambda item: -item[0].place):
        _skip(one, flag, least)
    for place in chosen:
        chain[place].far = 0
    body = chain[-1].body
    body.insert(_first(body), SetFlag(flag, 0))


def _skip(one: _Skipped, flag: str, least: int) -> None:
    """Do what stands there only if the flag is not greater."""
    behind = one.sequence[one.place :]
    only = behind[0] if len(behind) == 1 else None
    if not behind or (isinstance(only, Jump) and only.label == one.falls):
        return
    if not least:
        one.sequence[one.place :] = [Cond(FlagTest(flag), [Jump(one.falls)], behind)]
    else:
        one.sequence[one.place :] = [Cond(FlagTest(flag, "<", least + 1), behind, [Jump(one.falls)])]


def _jumps(sequence: Sequence, start: int, falls: int) -> list[_Found]:
    """The jumps in the sequence, from a place on, that need not be jumps."""
    found: list[_Found] = []
    work: list[tuple[Sequence, int, int, bool, tuple[_Skipped, ...]]] = [(sequence, start, falls, False, ())]
    while work:
        elements, place, label, through, skipped = work.pop()
        while place < len(elements) and isinstance(elements[place], (Plain, SetFlag)):
            place += 1
        element = elements[place] if place < len(elements) else None
        last = place + 1 == len(elements)
        if isinstance(element, Scope):
            work.append((elements, place + 1, label, through, skipped))
            behind = _Skipped(elements, place + 1, label)
            work.append((element.body, 0, element.label, through, (*skipped, behind)))
        elif isinstance(element, Jump):
            if element.clone is None and last:
                found.append(_Found(elements, label, element.label, through, skipped))
        elif isinstance(element, Cond) and last:
            work += [(arm, 0, label, through, skipped) for arm in (element.then, element.orelse)]
        elif isinstance(element, Try) and last and not element.final:
            work += [(part, 0, label, True, skipped) for _, part in element.handlers]
            if element.orelse:
                work.append((element.orelse, 0, label, True, skipped))
                skipped = (*skipped, _Skipped(element.orelse, 0, label))
            work.append((element.body, 0, label, True, skipped))
    return found
