"""Programs that format: templates known, values known in part."""

# ruff: noqa: UP031, UP032, F507, F509, F522, F523, F524, F525, PIE804
from __future__ import annotations

from typing import Any

from ..table import Case, Subject
from .hostile import values


def percents(n, x):
    found = []
    for make in (
        lambda: "%s-%s!" % (n, x),
        lambda: "%5.2f|%s%%" % (n, x),
        lambda: "%d %r" % (x, n),
        lambda: "%s" % (n,),
        lambda: "%s %s" % (n, x, x),
        lambda: "%(a)s" % {"a": n},
        lambda: "%*d" % (n, x),
        lambda: "100% %s" % (n, x),
        lambda: "%s %s %s" % (x, n, x),
        lambda: b"%d" % (n,),
    ):
        try:
            found.append(make())
        except (TypeError, ValueError, OverflowError) as error:
            found.append((type(error).__name__, str(error)))
    return found


def formats(n, x):
    found = []
    for make in (
        lambda: "{}-{}!".format(n, x),
        lambda: "{0}{1}{0}".format(x, n),
        lambda: "{:>5}|{n!r:<4}|{{}}".format(x, n=n),
        lambda: "{a} {b}".format(a=n, b=x, c=1),
        lambda: "{} {1}".format(n, x),
        lambda: "{} {}".format(n),
        lambda: "{x.y}".format(x=x),
        lambda: "{:{}}".format(x, 5),
        lambda: "{:q}".format(n),
        lambda: "{:n}|{}".format(n, x),
        lambda: "nothing".format(x),
        lambda: "{q}".format(**{"q": x}),
        lambda: "".format(),
    ):
        try:
            found.append(make())
        except (TypeError, ValueError, OverflowError, IndexError, KeyError, AttributeError) as error:
            found.append((type(error).__name__, str(error)))
    return found


def labels(n, x):
    return "%s: %s" % ("item %d" % n, x), "{}/{}".format("n{}".format(n), x), f"{n:03}{x}{n!r:>5}"


def _cases(function: Any, name: str, *found: Any, gone: tuple[str, ...] = ()) -> Subject:
    cases = [Case(repr(v), lambda v=v: (function, {name: v})) for v in found]  # type: ignore[misc]
    return Subject(function.__name__, cases, values(1), gone)


SUBJECTS = [
    _cases(percents, "n", 3, 2.5, True, "a%", None, -0.0),
    _cases(formats, "n", 3, 2.5, True, "a{}", None, -0.0),
    _cases(labels, "n", 3, 12, gone=("n", "item %d")),
]
