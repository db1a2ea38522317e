"""Programs over deques, dicts with defaults, unpacked generators, and values of classes that are never equal."""

# ruff: noqa: C402, C401, RUF017
from __future__ import annotations

from collections import defaultdict, deque

from ..table import Case, Subject
from .hostile import values


def queue_of(items, x):
    queue = deque(items)
    queue.append(x)
    queue.appendleft("first")
    queue.extend((1, x))
    queue.extendleft([2, x])
    queue.rotate(1)
    queue.rotate(-2)
    taken = [queue.popleft(), queue.pop(), queue[0], queue[-1], len(queue), bool(queue)]
    queue[0] = x
    rest = list(queue)
    other = queue.copy()
    other.reverse()
    found = 2 in deque((1, 2))
    queue.clear()
    try:
        queue.pop()
    except IndexError as error:
        taken.append(str(error))
    return taken, rest, list(other), found, bool(queue), isinstance(other, deque)


def queue_escapes(items, x):
    queue = deque(items)
    queue.append(x)
    shared = [queue, queue]
    limited = deque(items, 2)
    limited.append(x)
    return shared, limited, deque(), deque(i for i in items), queue == limited


def queue_in_branches(items, x):
    queue = deque(items)
    if x:
        queue.append(1)
    else:
        queue.append(2)
    found = [queue.popleft() for _ in range(len(items))]
    for item in queue:
        found.append(item)
    try:
        for item in queue:
            queue.append(item)
    except RuntimeError as error:
        found.append(str(error))
    return found, queue


def defaults(items, x):
    groups = defaultdict(list)
    counts = defaultdict(int)
    for item in items:
        groups[item].append(x)
        counts[item] += 1
    inner = defaultdict(lambda: [x])
    inner["a"].append(1)
    known = groups.get("missing"), "missing" in groups, groups.pop("missing", None), groups["new"]
    merged = {**counts, "more": x}
    copied = counts.copy()
    copied["copied"] = 1
    return groups, dict(counts), inner, known, merged, copied, list(groups), sorted(counts.values()), len(counts)


def made(name):
    return [name]


def factories(items, x):
    table = defaultdict(made, a=x)
    try:
        table["b"]
    except TypeError as error:
        return str(error), table
    return table


def no_factory(items, x):
    table = defaultdict(None)
    try:
        return table[x]
    except KeyError as error:
        return error.args, table
    except TypeError as error:
        return str(error), table


def noted(log, items):
    for item in items:
        log.append(item)
        yield item


def unpacked(items, x):
    log = []
    found = []
    try:
        a, b = noted(log, items)
        found.append((a, b))
    except ValueError as error:
        found.append(str(error))
    first, *rest = (item for item in (*items, x))
    try:
        (c, d), e = (pair for pair in (items, x))
        found.append((c, d, e))
    except (ValueError, TypeError) as error:
        found.append(str(error))
    try:
        f, g = map(str, (x, 1))
        found.append((f, g))
    except Exception as error:
        found.append(type(error))
    return found, log, first, rest


def unknown_unpacked(items, x):
    try:
        a, b = (item for item in x)
    except (ValueError, TypeError) as error:
        return str(error)
    return a, b


def consumed(items, x):
    return (
        dict(zip(items, (x, 1), strict=False)),
        dict((item, x) for item in items),
        set(str(item) for item in items),
        list(zip(items, items, strict=True)),
        tuple(enumerate(item for item in items)),
    )


def wrong_pairs(items, x):
    try:
        return dict(pair for pair in ((1, 2), [3, 4], x))
    except (TypeError, ValueError) as error:
        return str(error)


def unrelated(items, x):
    one = [x]
    local = lambda: x  # noqa: E731
    return [
        one == "text", one != (x,), (x,) == one, {1: x} == [1], one == [x, x], [x] != [], local == "text", one is None,
        (x,) == (x, x), {x} == {1: 2} if isinstance(x, int) else 0, "a" == b"a", x == one, one == None,  # noqa: E711
    ]  # fmt: skip


def sums(items, x):
    text = repr(x)
    return (
        sum(item * item for item in items), sum((len(text) + item for item in items), True),
        sum(([x] * item for item in items), []), sum((len(text) > item for item in items), start=len(text)),
    )  # fmt: skip


def compensated_sums(items, x):
    found = []
    for make in (lambda item: item * 0.1, lambda item: x, lambda item: 1 << 62, lambda item: (x, 0.1, 1)[item % 3]):
        try:
            found.append(sum(make(item) for item in items))
            found.append(sum((make(item) for item in items), 0.5))
        except TypeError as error:
            found.append(str(error))
    return found


def _subject(function, *found, gone=()):
    cases = [Case(repr(items), lambda items=items: (function, {"items": items})) for items in found]
    return Subject(function.__name__, cases, values(1), gone)


SUBJECTS = [
    _subject(queue_of, (), ("a", 3), gone=("deque", "popleft", "rotate", "extendleft")),
    _subject(queue_escapes, (), (1, 2)),
    _subject(queue_in_branches, (), (1, 2)),
    _subject(defaults, (), ("a", "b", "a")),
    _subject(factories, ()),
    _subject(no_factory, ()),
    _subject(unpacked, (), (1,), (1, 2), (1, 2, 3), gone=("noted", "map")),
    _subject(unknown_unpacked, ()),
    _subject(consumed, (), (1, "b"), gone=("zip", "enumerate")),
    _subject(wrong_pairs, ()),
    _subject(sums, (), (1, 2, 3), gone=("sum",)),
    _subject(compensated_sums, (), (1, 2, 3, 4, 5, 6)),
    _subject(unrelated, (), gone=("text",)),
]
