"""Dataclasses from plain data and back, driven by their type hints.

    structure(Order, {"number": 7, ...})    gives Order(number=7, ...)
    unstructure(Order, Order(number=7, ...))    gives {"number": 7, ...}

Invariant: data that does not fit raises `StructureError` with the path to the first thing that is wrong.
"""

import dataclasses
import datetime
import enum
import types
import typing

_hints = {}


class StructureError(ValueError):
    """Says where, and what was expected there."""

    def __init__(self, path, problem):
        super().__init__(f"{'.'.join(map(str, path)) or 'value'}: {problem}")


def hints_of(cls):
    """The resolved type hints of a class, looked up once."""
    found = _hints.get(cls)
    if found is None:
        found = _hints[cls] = typing.get_type_hints(cls)
    return found


def structure(hint, value, path=()):
    """`value` as an object of the type that `hint` describes."""
    origin = typing.get_origin(hint)
    if origin is typing.Union or origin is types.UnionType:
        return structure_union(typing.get_args(hint), value, path)
    if origin is list:
        if not isinstance(value, list):
            raise StructureError(path, "expected a list")
        (item,) = typing.get_args(hint)
        return [structure(item, one, (*path, place)) for place, one in enumerate(value)]
    if origin is tuple:
        items = typing.get_args(hint)
        if not isinstance(value, (list, tuple)) or len(value) != len(items):
            raise StructureError(path, f"expected {len(items)} items")
        return tuple([structure(item, one, (*path, place)) for place, (item, one) in enumerate(zip(items, value))])
    if origin is dict:
        if not isinstance(value, dict):
            raise StructureError(path, "expected a dict")
        key, item = typing.get_args(hint)
        return {structure(key, name, (*path, name)): structure(item, one, (*path, name)) for name, one in value.items()}
    if dataclasses.is_dataclass(hint):
        return structure_dataclass(hint, value, path)
    return structure_plain(hint, value, path)


def structure_union(hints, value, path):
    if value is None and type(None) in hints:
        return None
    problems = []
    for hint in hints:
        if hint is not type(None):
            try:
                return structure(hint, value, path)
            except StructureError as problem:
                problems.append(str(problem))
    raise StructureError(path, "; ".join(problems))


def structure_dataclass(cls, value, path):
    if not isinstance(value, dict):
        raise StructureError(path, "expected a dict")
    hints = hints_of(cls)
    given = {}
    for field in dataclasses.fields(cls):
        name = field.name
        if name in value:
            given[name] = structure(hints[name], value[name], (*path, name))
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise StructureError(path, f"{name!r} is missing")
    return cls(**given)


def structure_plain(hint, value, path):
    if issubclass(hint, enum.Enum):
        try:
            return hint(value)
        except ValueError:
            raise StructureError(path, f"{value!r} is no {hint.__name__}") from None
    if hint is datetime.datetime:
        try:
            return datetime.datetime.fromisoformat(value)
        except (TypeError, ValueError):
            raise StructureError(path, "expected a date and time") from None
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise StructureError(path, f"expected {hint.__name__}, got {type(value).__name__}")
    return value


def unstructure(hint, value):
    """The plain data of an object of the type that `hint` describes."""
    origin = typing.get_origin(hint)
    if origin is typing.Union or origin is types.UnionType:
        if value is None:
            return None
        (hint,) = [item for item in typing.get_args(hint) if item is not type(None)]
        return unstructure(hint, value)
    if origin is list:
        (item,) = typing.get_args(hint)
        return [unstructure(item, one) for one in value]
    if origin is tuple:
        return [unstructure(item, one) for item, one in zip(typing.get_args(hint), value)]
    if origin is dict:
        key, item = typing.get_args(hint)
        return {unstructure(key, name): unstructure(item, one) for name, one in value.items()}
    if dataclasses.is_dataclass(hint):
        hints = hints_of(hint)
        return {
            field.name: unstructure(hints[field.name], getattr(value, field.name)) for field in dataclasses.fields(hint)
        }
    if issubclass(hint, enum.Enum):
        return value.value
    if hint is datetime.datetime:
        return value.isoformat()
    return value
