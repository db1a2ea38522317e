"""A game whose commands are functions that a decorator keeps, with the patterns of what is typed."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["play"]

COMMANDS: list[Any] = []


def command(pattern: str) -> Any:
    def note(function: Any) -> Any:
        COMMANDS.append((re.compile(pattern + "$"), function))
        return function

    return note


class Adventure:
    def __init__(self, world: Any) -> None:
        self.world, self.here, self.turns = world, "hall", 0

    @command(r"go (north|south)")
    def go(self, to: Any) -> Any:
        if to not in self.world[self.here]:
            return "no way"
        self.here = self.world[self.here][to]
        return self.here

    @command(r"put (\w+)(?: on (\w+))?")
    def put(self, what: Any, where: Any) -> Any:
        return f"{what} on {where} in {self.here}"

    @command(r"look")
    def look(self) -> Any:
        return "You see " + self.here

    def do(self, text: Any) -> Any:
        self.turns += 1
        for pattern, function in COMMANDS:
            found = pattern.match(text)
            if found:
                return function(self, *found.groups())
        return "what?"


def play(world: Any, texts: Any) -> Any:
    game = Adventure(world)
    return [game.do(text) for text in texts], game.turns
