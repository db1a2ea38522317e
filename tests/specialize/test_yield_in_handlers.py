"""Generators that yield in an `except` clause, and do nothing else in what is left of it.

    try:                                   try:
        yield data[key]          ->            item = data["a"]
    except KeyError:                       except KeyError:
        yield None                             item = None
                                           ... what is done with the item ...

Invariant: what is done with the item does not handle the exception: its own exceptions have no context.
"""

from __future__ import annotations

import sys

import pytest

import futamura

# mypy: disable-error-code="no-untyped-def, no-untyped-call"

KEYS = ("a", "b", "c")


def items(keys, data):
    for key in keys:
        try:
            yield data[key]
        except KeyError:
            yield None


def numbers(keys, data):
    for key in keys:
        try:
            value = int(data[key])
        except (KeyError, ValueError):
            yield key, "bad"
            continue
        yield key, value


def named(keys, data):
    for key in keys:
        try:
            yield data[key]
        except KeyError as error:
            yield str(error)


def twice(keys, data):
    for key in keys:
        try:
            yield data[key]
        except KeyError:
            yield "first"
            yield "second"
        yield key


def raising(keys, data):
    for key in keys:
        try:
            yield data[key]
        except KeyError:
            yield None
            raise ValueError(key)  # noqa: B904


def delegated(keys, data):
    yield "begin"
    try:
        yield from items(keys[:1], data)
        yield data[keys[1]]
    except KeyError:
        yield from numbers(keys[1:], data)


GENERATORS = [items, numbers, named, twice, raising, delegated]


def listed(made, keys, data):
    found = []
    for item in made(keys, data):
        found.append(item)
    return found


def collected(made, keys, data):
    return tuple(made(keys, data)), ",".join(str(item) for item in made(keys, data))


def first_missing(made, keys, data):
    for at, item in enumerate(made(keys, data)):
        if item is None or item == "first":
            return at
    else:
        return -1


def with_context(made, keys, data):
    found = []
    for item in made(keys, data):
        found.append(sys.exc_info()[0])
        try:
            item + 1
        except TypeError as error:
            found.append((str(error), error.__context__))
        found.append(sys.exc_info()[0])
    return found


def leaving(made, keys, data):
    for item in made(keys, data):
        item.upper()
    return "all"


DATA = [
    {"a": 1, "b": 2, "c": 3}, {"a": 1}, {}, {"b": "x", "c": None}, {"a": "text", "b": "u", "c": "v"}, {"c": "4"},
]  # fmt: skip


def told(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error), repr(error.__context__), error.__suppress_context__


@pytest.mark.parametrize("made", GENERATORS)
@pytest.mark.parametrize("consumer", [listed, collected, first_missing, with_context, leaving])
def test_every_consumer_is_right(made, consumer) -> None:
    residual = futamura.specialize(consumer, made, KEYS)
    for data in DATA:
        assert told(residual, data) == told(consumer, made, KEYS, data), data
        assert told(residual, dict(data)) == told(consumer, made, KEYS, data), data


def test_the_generator_is_gone() -> None:
    for made in (items, numbers):
        for consumer in (listed, collected):
            residual = futamura.specialize(consumer, made, KEYS)
            assert not residual.stats["fallbacks"], residual.source
            assert made.__name__ not in residual.source and "for " not in residual.source


def talked(made, keys, data, sent):
    talk = made(keys, data)
    found = [next(talk)]
    try:
        found.append(talk.send(sent))
        found.append(talk.throw(KeyError("thrown")))
        found.append(next(talk))
    except (KeyError, StopIteration, ValueError) as error:
        found.append((type(error), str(error), repr(error.__context__)))
    talk.close()
    return found, list(talk)


@pytest.mark.parametrize("made", GENERATORS)
def test_what_is_sent_and_thrown(made) -> None:
    residual = futamura.specialize(talked, made, KEYS)
    for data in DATA:
        for sent in (None, 1):
            assert told(residual, data, sent) == told(talked, made, KEYS, data, sent)


def crossed(keys, data):
    found = []
    for first in items(keys, data):
        for second in items(keys, data):
            try:
                found.append((first + second, len(found)))
            except TypeError:
                found.append(None)
    return found


def test_code_does_not_grow_without_bound() -> None:
    keys = tuple("abcdefgh")
    residual = futamura.specialize(crossed, keys)
    assert len(residual.source.splitlines()) < 600
    for data in ({}, {"a": 1, "c": 2}, dict.fromkeys(keys, 3), {"b": "x"}):
        assert residual(data) == crossed(keys, data)
