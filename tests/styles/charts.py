"""Charts of states, pipelines of coroutines, options and sections: programs that a declaration drives.

    reached(DOOR, ["open", "close", "lock"])    gives ("locked", ["ring"])

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterable
from typing import Any, ClassVar

Handler = Callable[["Chart"], str]


class Chart:
    """Handlers are registered by a decorator, under a state and an event."""

    handlers: ClassVar[dict[tuple[str, str], Handler]] = {}

    def __init__(self, state: str) -> None:
        self.state = state
        self.log: list[str] = []
        self.tries = 0

    @classmethod
    def on(cls, state: str, event: str) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            cls.handlers[state, event] = handler
            return handler

        return register

    def send(self, event: str) -> None:
        handler = self.handlers.get((self.state, event))
        if handler is None:
            self.log.append(f"{event} ignored in {self.state}")
        else:
            self.state = handler(self)


@Chart.on("closed", "open")
def _open(chart: Chart) -> str:
    chart.log.append("opened")
    return "open"


@Chart.on("open", "close")
def _close(chart: Chart) -> str:
    return "closed"


@Chart.on("closed", "lock")
def _lock(chart: Chart) -> str:
    chart.tries = 0
    return "locked"


@Chart.on("locked", "open")
def _try(chart: Chart) -> str:
    chart.tries += 1
    if chart.tries > 2:
        chart.log.append("alarm")
        return "alarm"
    return "locked"


@Chart.on("locked", "unlock")
def _unlock(chart: Chart) -> str:
    return "closed"


def reached(state: str, events: list[str]) -> tuple[str, list[str]]:
    chart = Chart(state)
    for event in events:
        chart.send(event)
    return chart.state, chart.log


TURNSTILE = {
    "initial": "locked",
    "states": {
        "locked": {"coin": ("unlocked", "unlock"), "push": ("locked", "alarm")},
        "unlocked": {"coin": ("unlocked", "refund"), "push": ("locked", "lock")},
    },
}


def turned(chart: dict[str, Any], events: list[str]) -> tuple[str, dict[str, int]]:
    """The same kind of thing as nested dicts, with counters of actions."""
    state = chart["initial"]
    counts: dict[str, int] = {}
    for event in events:
        moves = chart["states"][state]
        if event not in moves:
            raise ValueError(f"no {event!r} in {state!r}")
        state, action = moves[event]
        counts[action] = counts.get(action, 0) + 1
    return state, counts


Stage = Generator[None, Any, None]


def coroutine(function: Callable[..., Stage]) -> Callable[..., Stage]:
    """Started, so that it takes what is sent at once."""

    @functools.wraps(function)
    def start(*args: Any, **kwargs: Any) -> Stage:
        made = function(*args, **kwargs)
        next(made)
        return made

    return start


@coroutine
def kept(test: Callable[[Any], bool], target: Stage) -> Stage:
    while True:
        value = yield
        if test(value):
            target.send(value)


@coroutine
def mapped(change: Callable[[Any], Any], target: Stage) -> Stage:
    while True:
        value = yield
        target.send(change(value))


@coroutine
def collected(into: list[Any]) -> Stage:
    while True:
        into.append((yield))


TESTS: dict[str, Callable[[Any], bool]] = {"even": lambda n: n % 2 == 0, "small": lambda n: n < 100}
CHANGES: dict[str, Callable[[Any], Any]] = {"square": lambda n: n * n, "half": lambda n: n // 2}
PIPELINE = ("even", "square", "small", "half")


def piped(stages: tuple[str, ...], values: Iterable[int]) -> list[int]:
    found: list[int] = []
    target = collected(found)
    for name in reversed(stages):
        target = kept(TESTS[name], target) if name in TESTS else mapped(CHANGES[name], target)
    for value in values:
        target.send(value)
    return found


class UsageError(Exception):
    pass


class Option:
    def __init__(self, *flags: str, dest: str, kind: Callable[[str], Any] = str, default: Any = None) -> None:
        self.flags = flags
        self.dest = dest
        self.kind = kind
        self.default = default


class Switch(Option):
    """An option without a value."""


class Arguments:
    """Options are added one by one; `parse` gives a dict."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._options: list[Option] = []
        self._positional: list[str] = []

    def option(self, *flags: str, **how: Any) -> Arguments:
        self._options.append(Option(*flags, **how))
        return self

    def switch(self, *flags: str, dest: str) -> Arguments:
        self._options.append(Switch(*flags, dest=dest, default=False))
        return self

    def positional(self, name: str) -> Arguments:
        self._positional.append(name)
        return self

    def _find(self, flag: str) -> Option | None:
        for option in self._options:
            if flag in option.flags:
                return option
        return None

    def parse(self, argv: list[str]) -> dict[str, Any]:
        values = {option.dest: option.default for option in self._options}
        rest = []
        words = iter(argv)
        for word in words:
            if not word.startswith("-"):
                rest.append(word)
                continue
            flag, equals, text = word.partition("=")
            option = self._find(flag)
            if option is None:
                raise UsageError(f"{self.name}: unknown option {flag}")
            if isinstance(option, Switch):
                values[option.dest] = True
                continue
            if not equals:
                text = next(words, "")
            try:
                values[option.dest] = option.kind(text)
            except ValueError:
                raise UsageError(f"{self.name}: bad value {text!r} for {flag}") from None
        if len(rest) != len(self._positional):
            raise UsageError(f"{self.name}: expected {len(self._positional)} arguments, got {len(rest)}")
        values.update(zip(self._positional, rest))
        return values


TOOL = (
    Arguments("tool")
    .option("-n", "--number", dest="number", kind=int, default=1)
    .option("-o", "--output", dest="output")
    .switch("-v", "--verbose", dest="verbose")
    .positional("source")
)

SECTIONS: dict[str, dict[str, tuple[Callable[[str], Any], Any]]] = {
    "server": {"host": (str, "localhost"), "port": (int, 80), "debug": (lambda text: text in ("yes", "true"), False)},
    "paths": {"root": (str, "/"), "parts": (lambda text: [part.strip() for part in text.split(",")], [])},
}


class ConfigError(Exception):
    pass


def configured(spec: dict[str, dict[str, tuple[Callable[[str], Any], Any]]], text: str) -> dict[str, dict[str, Any]]:
    """An INI file as its specification says."""
    found: dict[str, dict[str, Any]] = {
        name: {key: default for key, (_, default) in keys.items()} for name, keys in spec.items()
    }
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            if section not in spec:
                raise ConfigError(f"line {number}: no section {section!r}")
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise ConfigError(f"line {number}: expected key = value")
        key = key.strip()
        if section not in spec or key not in spec[section]:
            raise ConfigError(f"line {number}: no key {key!r} in [{section}]")
        convert, _ = spec[section][key]
        try:
            found[section][key] = convert(value.strip())
        except ValueError as error:
            raise ConfigError(f"line {number}: {error}") from None
    return found
