"""Why the contents of what globals and attributes of classes hold are not believed: who may change them, and where.

    HANDLERS = {}                       `shop.HANDLERS` is read when the residual runs: line 3 of its module may write
    def add(name, function):            to it
        HANDLERS[name] = function           because: `add` may change it   shop.py:3

Invariant: a reason is only told of what the text of a module keeps from being believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, Protocol

from futamura.codes import CODES
from futamura.errors import Because
from futamura.ir.classes import is_a
from futamura.ir.homes import namespace_of
from futamura.source import Place
from futamura.specializer.assumption import Assumption
from futamura.specializer.module_texts import Modules, Writer

__all__ = ["Constant", "Reason", "Unknown", "changed_by", "promise_for", "promised_in"]

_FILLED: Final = (list, dict, set)


class Reason(NamedTuple):
    """Why something is not believed."""

    text: str
    because: tuple[Because, ...]


_LEADS: Final = " leads to it: "


def promise_for(root: str) -> Because:
    """What the user can promise of the global of this name (`shop.TABLE`), which leads to what is not believed."""
    return Because(f'`{root}`{_LEADS}`frozen=["{root}"]` promises that nobody writes it')


def promised_in(because: Iterable[Because]) -> Iterator[str]:
    """The globals that such reasons name."""
    for one in because:
        root, found, _ = one.text.partition(_LEADS)
        if found:
            yield root.strip("`")


class _World(Protocol):
    """What is asked of the world of static objects."""

    @property
    def assumptions(self) -> Mapping[tuple[str, int, str], Assumption]: ...


class Constant(NamedTuple):
    """A container that a global of a module, or an attribute of one of its classes, holds."""

    home: Mapping[str, object]
    name: str
    """As the text of the module knows it, attributes as `.name`."""
    place: str


class Unknown:
    """Asked for one specialization; each place once."""

    def __init__(self, world: _World, modules: Modules | None) -> None:
        self._world: Final = world
        self._modules: Final = modules
        self._found: Final[dict[tuple[int, str, int], Reason | None]] = {}

    def why(self, value: object) -> Reason | None:
        """Why the contents of a global, or of an attribute of a class, are not believed, if what functions do is the
        reason."""
        if type(value) not in _FILLED:
            return None
        for found in self._world.assumptions.values():
            if found.value is not value:
                continue
            if found.kind == "global" and isinstance(found.holder, Mapping):
                return self._why(found.holder, found.name, found.place, value)
            if found.kind == "attribute" and is_a(found.holder, type):
                owner = next((base for base in found.holder.__mro__ if found.name in base.__dict__), found.holder)
                home = namespace_of(owner)
                place = f"{found.holder.__module__}.{found.place}"
                return None if home is None else self._why(home, f".{found.name}", place, value)
        return None

    def why_inside(self, value: object, found: Constant) -> Reason | None:
        """The same of something in such a constant."""
        why = self._why(found.home, found.name, found.place, value) if type(value) in _FILLED else None
        return None if why is None else why._replace(text=f"what {why.text.replace('` is', '` holds is', 1)}")

    def _why(self, namespace: Mapping[str, object], name: str, place: str, value: object) -> Reason | None:
        key = id(namespace), name, id(value)
        if key not in self._found:
            writer = None if self._modules is None else self._modules.writer(namespace, name, value)
            self._found[key] = None if writer is None else _reason(place, writer)
        return self._found[key]


def _reason(place: str, writer: Writer) -> Reason:
    line = f"line {writer.line}" if writer.line else "a function"
    what = f"change it, as `{writer.name}`" if writer.name else "change it"
    text = f"`{place}` is read when the residual runs: {line} of its module may write to it"
    return Reason(text, changed_by(what, writer.file, writer.line, writer.function))


def changed_by(what: str, file: str, line: int, function: str) -> tuple[Because, ...]:
    """The chain of reasons: the rule, and the function and the line that may do `what`."""
    rule = Because(CODES["FT306"].explanation)
    if not line:
        return (rule,)
    who = f"`{function}` may {what}" if function else f"this may {what}"
    return rule, Because(who, file, Place(line, 0, line, 0))
