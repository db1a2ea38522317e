"""Where residual values come from, and which of them are used, in all residual functions together.

    loop header (i, n), n always 5         ->     loop header (i)
    a, b = call_1(x, b); return a          ->     a = call_1(x, b)         b is given back as it was

Invariant: a value is replaced only by one whose definition dominates it.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from futamura.specializer.assembly import Assembly, given_by, implicit, incoming, makes_generator, operations, removable
from futamura.specializer.machine import Machine
from futamura.specializer.merge import match
from futamura.specializer.residual import ResidualBlock, ResidualOperation, Version
from futamura.specializer.values import Dynamic

__all__ = ["Flow"]


class Flow:
    """Where residual values come from and which of them reach an effect or control, in all functions together.

    What a residual function gives back unchanged is the caller's own argument; parameters and results that
    nobody uses do not exist.
    """

    def __init__(self, machine: Machine, assemblies: dict[Version, Assembly], main: Version) -> None:
        self.machine: Final = machine
        self.assemblies: Final = assemblies
        self.main: Final = main
        self.returns: Final[dict[Version, list[tuple[int, ...]]]] = {}
        self.calls: Final[dict[Version, list[ResidualOperation]]] = {version: [] for version in assemblies}
        self._made_beside: Final[dict[int, set[int]]] = {}
        """The values that the blocks of calls make which may fail, by the identity of the call."""
        self.generators: Final = {one for one in assemblies if one is not main and makes_generator(one)}
        """Functions whose calls give generators: what they return is for who uses these up."""
        for version, assembly in assemblies.items():
            ends = [block.end for block in assembly.blocks if block.end is not None]
            returns = [end.args for end in ends if end.name == "return"]
            self.returns[version] = [] if version in self.generators else returns
            for block in assembly.blocks:
                for op in operations(assembly, block):
                    if op.lazy is not None:
                        self.calls[op.lazy.version.final()].append(op)
                        if op.lost:
                            beside = {value for other in operations(assembly, block) for value in other.results}
                            self._made_beside[id(op)] = beside
        self.raises: Final = {version: _raises(assembly) for version, assembly in assemblies.items()}
        self.idle: Final = {version for version, assembly in assemblies.items() if _idle(assembly)}
        """Functions that do nothing but give results: calls of which nothing is used disappear."""
        self._passed: Final = [_passed(assembly, version.root) for version, assembly in assemblies.items()]
        self._kept: Final[dict[Version, list[int]]] = {}
        self._given: Final[dict[Version, list[int]]] = {}
        self.replaced: dict[int, int] = self._replaced({})
        unchanged = self._unchanged()
        while unchanged:  # what is given back may be so only because something else is
            self.replaced = self._replaced(unchanged)
            more = {key: at for key, at in self._unchanged().items() if key not in unchanged}
            if not more:
                break
            unchanged.update(more)
        while unchanged:
            self.replaced = self._replaced(unchanged)
            false = [key for key, at in unchanged.items() if not self._gives_back(key[0], key[1], at)]
            if not false:
                break
            for key in false:
                del unchanged[key]
            self.replaced = self._replaced({})
        self.needed: Final = self._needed()
        for assembly in assemblies.values():
            assembly.check_makings(self.needed)
        for value in sorted(self.needed):
            if value in machine.lost:
                machine.refuse(machine.lost[value], "what a failed call left in a container is used")

    def _unchanged(self) -> dict[tuple[Version, int], int]:
        """Results that some return gives as one of the parameters: candidates for all returns.

        The same for what an exception leaves in the caller's objects; `~leaf` stands for that.
        """
        found: dict[tuple[Version, int], int] = {}
        for version, returns in self.returns.items():
            if version is self.main:
                continue
            own = self.assemblies[version].own
            for args in returns:
                for at, arg in enumerate(args):
                    arg = self.replaced.get(arg, arg)
                    if arg in own:
                        found.setdefault((version, at), own.index(arg))
            for left in self.raises[version]:
                for leaf, arg in left.items():
                    arg = self.replaced.get(arg, arg)
                    if arg in own:
                        found.setdefault((version, ~leaf), own.index(arg))
        return found

    def _gives_back(self, version: Version, at: int, param: int) -> bool:
        own = self.assemblies[version].own[param]
        if at < 0:
            left = [one.get(~at, -1) for one in self.raises[version]]
            return all(self.replaced.get(arg, arg) == own for arg in left)
        return all(self.replaced.get(args[at], args[at]) == own for args in self.returns[version])

    def _replaced(self, unchanged: dict[tuple[Version, int], int]) -> dict[int, int]:
        """Values that are others, if calls give back what `unchanged` says."""
        replaced: dict[int, int] = {}
        for (version, at), param in unchanged.items():
            for call in self.calls[version]:
                if at < 0 and ~at in call.lost and call.args[param] not in self._made_beside[id(call)]:
                    replaced[call.lost[~at]] = call.args[param]
                elif 0 <= at < len(call.results):
                    replaced[call.results[at]] = call.args[param]
        for passed in self._passed:
            single_valued(passed, replaced)
        final: dict[int, int] = {}
        for value in replaced:
            end = replaced[value]
            while end in replaced:
                end = replaced[end]
            final[value] = end
        return final

    def _needed(self) -> set[int]:
        needed: set[int] = set()
        work: list[int] = []
        sources: dict[int, list[int]] = {}

        def need(value: int) -> None:
            value = self.replaced.get(value, value)
            if value not in needed:
                needed.add(value)
                work.append(value)

        kept = {self.main, *self.generators}
        for version, assembly in self.assemblies.items():
            for block in assembly.blocks:
                for op in operations(assembly, block):
                    if op.lazy is not None:
                        self._pass(op, sources)
                        for arg in op.args if op.lazy.version.final() is self.main else ():
                            need(arg)  # it has all its parameters
                    elif removable(op):
                        for result in given_by(op):
                            sources.setdefault(result, []).extend(op.args)
                    else:
                        for arg in op.args:
                            need(arg)
                assert block.end is not None
                if block.end.name != "jump" and (block.end.name != "return" or version in kept):
                    for arg in block.end.args:
                        need(arg)
            for target, args in incoming(assembly):
                for param, arg in zip(assembly.params[target][implicit(assembly, target) :], args, strict=True):
                    sources.setdefault(param, []).append(arg)
        while work:
            for source in sources.get(work.pop(), ()):
                need(source)
        return needed

    def _pass(self, call: ResidualOperation, sources: dict[int, list[int]]) -> None:
        assert call.lazy is not None
        callee = call.lazy.version.final()
        assembly = self.assemblies[callee]
        for param, arg in zip(assembly.own[: len(assembly.own) - len(assembly.free)], call.args, strict=True):
            sources.setdefault(param, []).append(arg)
        for args in self.returns[callee]:
            for result, arg in zip(call.results, args, strict=False):
                sources.setdefault(result, []).append(arg)

    def parameters(self, version: Version) -> list[int]:
        """The positions of a function's parameters that are used; all of what the user calls."""
        found = self._kept.get(version)
        if found is None:
            own = self.assemblies[version].own
            found = [at for at, param in enumerate(own) if version is self.main or param in self.needed]
            self._kept[version] = found
        return found

    def passed(self, version: Version) -> list[int]:
        """The positions of the parameters that a call passes: the closure cells that the function has are its own."""
        assembly = self.assemblies[version]
        return [at for at in self.parameters(version) if at < len(assembly.own) - len(assembly.free)]

    def results(self, version: Version) -> list[int]:
        """The positions of a residual function's results that a caller uses."""
        found = self._given.get(version)
        if found is None:
            used = {
                at
                for call in self.calls[version]
                for at, result in enumerate(call.results)
                if result not in self.replaced and result in self.needed
            }
            found = self._given[version] = [0] if version in self.generators else sorted(used)
        return found


def _raises(assembly: Assembly) -> list[dict[int, int]]:
    """What each exception that leaves the function leaves in the caller's objects, by the leaves of the summary."""
    found: list[dict[int, int]] = []
    for block in assembly.blocks:
        for summary, left in block.raising:
            assert summary.raised is not None
            values = match(summary.raised, left)
            found.append({leaf: value.rv for leaf, value in values.items() if type(value) is Dynamic})
    return found


def _passed(assembly: Assembly, root: ResidualBlock) -> list[tuple[int, int]]:
    """The parameters of all blocks but the first one, each with what it receives, for each way there."""
    found: list[tuple[int, int]] = []
    for target, args in incoming(assembly):
        if target is not root:
            found += zip(assembly.params[target][implicit(assembly, target) :], args, strict=True)
    return found


def single_valued(passed: list[tuple[int, int]], replaced: dict[int, int]) -> None:
    """Add the parameters that always receive the same value to `replaced`, with that value."""

    def final(value: int) -> int:
        trail = []
        while value in replaced:
            trail.append(value)
            value = replaced[value]
        for link in trail:
            replaced[link] = value
        return value

    received: dict[int, list[int]] = {}
    users: dict[int, list[int]] = {}
    for param, arg in passed:
        received.setdefault(param, []).append(arg)
        users.setdefault(final(arg) if arg in replaced else arg, []).append(param)
    work = deque([param for param in received if param not in replaced])
    waiting = set(work)
    while work:
        param = work.popleft()
        waiting.discard(param)
        if param in replaced:
            continue
        values = {final(arg) if arg in replaced else arg for arg in received[param]}
        values.discard(param)
        if len(values) == 1:
            value = replaced[param] = values.pop()
            followers = users.pop(param, [])
            users.setdefault(value, []).extend(followers)
            for follower in followers:
                if follower not in waiting:
                    waiting.add(follower)
                    work.append(follower)


def _idle(assembly: Assembly) -> bool:
    """Does this function run straight through operations that have no effect?"""
    for number, block in enumerate(assembly.blocks):
        if number in assembly.handlers or block.end is None or block.end.name not in ("jump", "return"):
            return False
        if not all(op.lazy is None and removable(op) for op in operations(assembly, block)):
            return False
    return any(block.end is not None and block.end.name == "return" for block in assembly.blocks)
