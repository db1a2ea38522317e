"""Random functions of the IR that take buffers apart: calls of `struct`, methods of `struct.Struct`, slices.

    record_program(7)     func f(t, a, b, s, xs): ... v5 = call unpack_from, ">H", s, 0; v6 = getitem v5, 0 ...

Most calls read where the one before ended, some a little further on, some elsewhere; between them is what may be
noticed or not.  The buffer is the argument `s`, or constant bytes, or what a call gives, so that it may be anything.

Invariant: a function depends on the random source alone, and is verified.
"""

from __future__ import annotations

import random
import struct
from typing import Final

from futamura.ir.graph import Program, Value
from tests.optimize.programs import Writer

__all__ = ["READERS", "buffer", "record_program"]

_CODES: Final = ("B", "b", "H", "h", "I", "3s", "HB", "x", "?", "Bx", "")
_ORDERS: Final = (">", "<", "!", "=", "", "@")
READERS: Final[dict[tuple[str, str], object]] = {
    ("m", "unpack_from"): struct.unpack_from,
    ("m", "unpack"): struct.unpack,
    ("m", "HEAD"): struct.Struct(">HB"),
    ("m", "BODY"): struct.Struct(">b"),
}
"""Global names that keep their meaning."""


def record_program(seed: int, size: int = 30) -> Program:
    """A program of one function of `t, a, b, s, xs`."""
    return Program("f", (_Records(random.Random(seed), size).write(),))


def buffer(number: random.Random, *, only_bytes: bool = False) -> object:
    """What such a function may get for `s`: bytes, mostly."""
    data = bytes(number.randrange(256) for _ in range(number.choice((0, 8, 20, 40, 90, 90, 90))))
    return data if only_bytes else number.choice((*[data] * 7, bytearray(data), data.hex(), 0))


class _Records(Writer):
    """Writes one function from top to bottom."""

    def operation(self) -> None:
        if self.random.random() < 0.5:
            self.fields()
        else:
            super().operation()

    def fields(self) -> None:
        """Some calls on one buffer."""
        data = self.random.choice((*[self.s] * 8, self.constant(bytes(range(20))), self.pick()))
        base = self.pick("int") if self.random.random() < 0.2 else None
        order = self.random.choice(_ORDERS[:4] if self.random.random() < 0.8 else _ORDERS)
        offset = self.random.randrange(3)
        for _ in range(self.random.randrange(1, 5)):
            offset += self.random.choice((*[0] * 12, 1, 2, -1, 70))
            offset += self.call(order, data, base, offset)
            if self.random.random() < 0.15:
                order = self.random.choice(_ORDERS)
            if self.random.random() < 0.2:
                super().operation()

    def call(self, order: str, data: Value, base: Value | None, offset: int) -> int:
        """One call and what is done with its result; how many bytes it reads."""
        code = order + "".join(self.random.choice(_CODES) for _ in range(self.random.randrange(1, 3)))
        name = self.random.choice(("unpack_from", "unpack"))
        head: tuple[Value, ...]
        row = self.random.randrange(5)
        if row < 2:
            head = (self.known(name), self.constant(code))
        else:
            owner, code = self.random.choice((("HEAD", ">HB"), ("BODY", ">b"), ("", code)))
            holder = self.known(owner) if owner else self.constant(struct.Struct(code))
            head = (self.emit("getattr", (holder,), name),)
        size = struct.calcsize(code)
        start = self.place_at(base, offset)
        if name == "unpack_from":
            rest = (data,) if self.random.random() < 0.1 else (data, start)
        else:
            end = self.place_at(base, offset + size + self.random.choice((*[0] * 12, 1)))
            cut = self.emit("slice", (start, end, self.constant(None if self.random.random() < 0.9 else 1)))
            rest = (self.emit("getitem", (data, cut)),)
        self.take(self.emit("call", (*head, *rest)), len(struct.unpack(code, bytes(size))))
        return size

    def place_at(self, base: Value | None, offset: int) -> Value:
        if base is None:
            return self.constant(offset)
        return self.emit("add", (base, self.constant(offset))) if offset or self.random.random() < 0.5 else base

    def take(self, made: Value, count: int) -> None:
        """Use the fields of what a call gave."""
        row = self.random.randrange(8)
        if row < 4 and count:
            for _ in range(self.random.randrange(3)):
                index = self.constant(self.random.randrange(-count, count + (self.random.random() < 0.1)))
                self.scope.append(self.made(self.emit("getitem", (made, index)), "int"))
        elif row < 6 and count:
            wanted = count + (self.random.random() < 0.1)
            found = self.builder.values(wanted)
            self.builder.append(self.block, "unpack", (made,), (wanted, False, 0), found)
            self.scope.extend(found)
        elif row == 6:
            self.scope.append(made)
        if self.random.random() < 0.3:
            self.emit("call", (self.t, self.scope[-1]))
