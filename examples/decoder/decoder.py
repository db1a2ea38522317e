"""Decodes binary records by a description of their fields.

    decode((("kind", "u8"), ("name", "str8")), b"\\x07\\x02hi")    gives {"kind": 7, "name": "hi"}

A field is (name, kind) or (name, kind, more): kinds are u8 u16 u32 i16 f64, `str8` (length in a byte, then text),
`bits` with (name, width) parts of one byte, `list` with the fields of an item (count in a byte), `flag`.
Invariant: records that are too short raise `DecodeError` and name the field.
"""

import struct

SIZES = {"u8": 1, "u16": 2, "u32": 4, "i16": 2, "f64": 8}


class DecodeError(ValueError):
    """Says which field is damaged."""


def number(kind, data, at, name):
    size = SIZES[kind]
    if at + size > len(data):
        raise DecodeError(f"{name}: the record ends too early")
    if kind == "f64":
        return struct.unpack_from(">d", data, at)[0], at + size
    value = 0
    for step in range(size):
        value = value << 8 | data[at + step]
    if kind[0] == "i" and value >= 1 << 8 * size - 1:
        value -= 1 << 8 * size
    return value, at + size


def fields(layout, data, at):
    """The fields of one record, and where it ends."""
    record = {}
    for name, kind, *more in layout:
        if kind in SIZES:
            record[name], at = number(kind, data, at, name)
        elif kind == "flag":
            value, at = number("u8", data, at, name)
            record[name] = value != 0
        elif kind == "str8":
            size, at = number("u8", data, at, name)
            if at + size > len(data):
                raise DecodeError(f"{name}: the record ends too early")
            record[name] = data[at : at + size].decode("utf-8")
            at += size
        elif kind == "bits":
            value, at = number("u8", data, at, name)
            shift = 8
            for part, width in more[0]:
                shift -= width
                record[part] = value >> shift & (1 << width) - 1
        elif kind == "list":
            count, at = number("u8", data, at, name)
            items = []
            for _ in range(count):
                item, at = fields(more[0], data, at)
                items.append(item)
            record[name] = items
        else:
            raise ValueError(f"no such kind of field: {kind}")
    return record, at


def decode(layout, data):
    """The record in `data`; nothing may come after it."""
    record, end = fields(layout, data, 0)
    if end != len(data):
        raise DecodeError(f"{len(data) - end} bytes after the record")
    return record


SENSOR = (
    ("version", "u8"),
    ("", "bits", (("charging", 1), ("alarm", 1), ("mode", 3), ("channel", 3))),
    ("serial", "u32"),
    ("offset", "i16"),
    ("name", "str8"),
    ("active", "flag"),
    ("samples", "list", (("time", "u16"), ("value", "f64"))),
)


def sample(number_of_samples=8):
    """A record of `SENSOR`."""
    head = bytes([2, 0b1010_1101]) + struct.pack(">IhB", 90210, -12, 5) + b"attic" + b"\x01"
    items = b"".join(struct.pack(">Hd", 60 * step, 20.5 + step / 4) for step in range(number_of_samples))
    return head + bytes([number_of_samples]) + items
