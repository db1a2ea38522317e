"""`raise Error from cause` that is caught again: nothing is raised when the residual runs, but what escapes, or is
looked at, has its cause, its context and what hides that.

Invariant: a cause that is no exception is a TypeError, whatever is raised.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

from typing import Any

import pytest

from .specializing import specialize


class Deep(Exception):
    def __init__(self, depth):
        super().__init__(depth)
        self.depth = depth


class Plain(Exception):
    pass


def hidden(k, n):
    try:
        try:
            if n == 0:
                raise Deep(k)
        except Deep as error:
            if error.depth > 0:
                raise Deep(error.depth - 1) from None
    except Deep:
        return n
    return None


def caused(k, n):
    try:
        try:
            if n == 0:
                raise KeyError(k)
        except KeyError as error:
            raise ValueError(k) from error
    except ValueError as error:
        return str(error), n
    return None


def escapes(k, n):
    try:
        if n == 0:
            raise KeyError(k)
    except KeyError as error:
        raise Plain(k) from error


def escapes_hiding(k, n):
    try:
        if n == 0:
            raise KeyError(k)
    except KeyError:
        raise Plain(k) from None


def looked_at(k, n):
    try:
        try:
            if n == 0:
                raise KeyError(k)
        except KeyError as error:
            raise Plain(k, n) from error
    except Plain as found:
        cause = found.__cause__
        return type(cause), cause.args, type(found.__context__), found.__suppress_context__, found.args


def kept(k, n):
    out = []
    try:
        try:
            if n == 0:
                raise KeyError(k)
        except KeyError as error:
            raise Plain(k, n) from error
    except Plain as found:
        out.append(found)
    return [(type(one), one.args, repr(one.__cause__), one.__suppress_context__) for one in out]


def open_cause(k, n):
    try:
        raise Plain(k) from n
    except Plain as found:
        return repr(found.__cause__), found.__suppress_context__
    except TypeError as error:
        return str(error)


def class_as_cause(k, n):
    try:
        raise Plain from ValueError
    except Plain as found:
        return repr(found.__cause__), found.__suppress_context__, n


def twice(k, n):
    try:
        try:
            try:
                if n == 0:
                    raise KeyError(k)
            except KeyError as error:
                raise Plain(k) from error
        except Plain as error:
            raise error from None
    except Plain as found:
        return type(found.__cause__), found.__suppress_context__, type(found.__context__)


def same(k, n):
    error = Plain(k)
    try:
        raise error from error
    except Plain as found:
        return found is error, found.__cause__ is found, n


def reraised(k, n):
    try:
        try:
            if n == 0:
                raise KeyError(k)
        except KeyError as error:
            raise Plain(k) from error
    except Plain:
        raise


SUBJECTS = (
    hidden, caused, escapes, escapes_hiding, looked_at, kept, open_cause, class_as_cause, twice, same, reraised,
)  # fmt: skip
VALUES = (0, 1, None, "x", 0.0, ValueError(3), KeyError, [0])


def chain(error: BaseException | None) -> Any:
    if error is None:
        return None
    hides = error.__suppress_context__
    return type(error).__name__, error.args, chain(error.__cause__), chain(error.__context__), hides


def ended(run: Any, value: Any) -> Any:
    try:
        return run(value)
    except Exception as error:
        return "raised", chain(error)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.__name__)
def test_what_is_raised_with_a_cause(subject: Any) -> None:
    residual = specialize(subject, k=1)
    for value in VALUES:
        assert ended(residual, value) == ended(lambda value: subject(1, value), value), value


@pytest.mark.parametrize("subject", [hidden, caused])
def test_nothing_is_raised_for_it(subject: Any) -> None:
    assert "raise" not in specialize(subject, k=1).source
