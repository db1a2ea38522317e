"""Random programs over one static object with lists, dicts and objects that are reached by several ways.

    program(7)    ->    the text of `target(s, k, g)`: s a static Store, k an int, `g` changes what it gets

A program reads, writes, shares and gives away what it finds under known and under open keys, and returns what is there
afterwards.  `difference` runs it several times through one residual and through the original, with a Store for each.

Invariant: a program is a function of its seed.
"""

from __future__ import annotations

import contextlib
import linecache
import random
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import futamura
from futamura.specializer import handing_over

__all__ = ["difference", "program"]

_STORE = """
class Cell:
    def __init__(self, n):
        self.n = n
        self.items = [n, n + 1]
        self.next = None

    def bump(self, d):
        self.n += d
        return self.n

    def push(self, v):
        self.items.append(v)

    @property
    def twice(self):
        return self.n * 2

    @property
    def last(self):
        return self.items[-1]

    @last.setter
    def last(self, row):
        row.append(self.n)


class Mark:
    def __init__(self, row):
        self.row = row

    def __eq__(self, other):
        self.row.append(8)
        return self is other

    def __len__(self):
        self.row.append(9)
        return len(self.row)

    def __call__(self, v):
        self.row.append(v)

    def __iadd__(self, v):
        self.row.append(v)
        return self

    def __getitem__(self, i):
        self.row[0] += 1
        return self.row[i]


class Wrap:
    def __init__(self, row):
        self.row = row
        row.append(6)


class Wide(Wrap):
    def __init__(self, row):
        super().__init__(row)
        self.size = len(row)


class Failed(Exception):
    def __init__(self, row, v):
        super().__init__(v)
        self.row = row


def later(row):
    def push(v):
        row.append(v)

    return push


def counter():
    n = 0

    def count(v):
        nonlocal n
        n += v
        return n

    return count


def parts(rows):
    for row in rows:
        yield row


class Store:
    def __init__(self):
        self.rows = [[1, 2], [3, 4], [5, 6]]
        self.cells = [Cell(1), Cell(2), Cell(3)]
        self.cells[0].next = self.cells[1]
        self.cells[1].next = self.cells[2]
        self.names = {"a": [1], "b": [2], "c": self.rows[0]}
        self.by = {"a": self.cells[0], "b": self.cells[2]}
        self.pair = (self.rows[1], self.cells[1])
        self.functions = [self.inc, self.dec, self.grow]
        self.count = 0
        self.pushes = [row.append for row in self.rows]
        self.later = [later(self.rows[0]), later(self.cells[1].items), later(self.names["a"])]
        self.counts = [counter(), counter(), counter()]
        self.marks = [Mark(self.rows[2]), Mark(self.cells[0].items), Mark(self.names["b"])]
        self.classes = [Wrap, Wide, Mark]
        self.deep = [[[1], [2]], [[3], self.rows[1]]]
        self.pickers = [first_row, named_row, cell_row]

    def inc(self, v):
        self.count += v

    def dec(self, v):
        self.count -= v

    def grow(self, v):
        self.rows[v % 3].append(v)


def put(row, v):
    row.append(v)


def first(row):
    return row[0]


def first_row(s, v):
    return s.rows[0]


def named_row(s, v):
    return s.names["abc"[v % 3]]


def cell_row(s, v):
    for cell in s.cells:
        if cell.n > v:
            return cell.items
    return s.deep[0][0]


def at(rows, i):
    return rows[i]


def hold(v):
    return [v]


def target(s, k, g):
    out = []
    r0 = s.rows[0]
    c0 = s.cells[0]
"""
_END = """
    return out, len(s.rows[0]), s.cells[0].n, s.rows[1][0], len(s.names["a"]), s.count
"""

_INDICES = ("0", "1", "2", "k % 3", "k % 2", "(k + 1) % 3")
_KEYS = ("'a'", "'b'", "'c'", "'abc'[k % 3]", "'ab'[k % 2]")
_TWO_KEYS = ("'a'", "'b'", "'ab'[k % 2]")
# `{i}` an index, `{key}` a key, `{row}` a list, `{cell}` an object, `{num}` a number; the first ones end recursion
_ROWS = (
    "s.rows[{i}]", "s.names[{key}]", "s.pair[0]", "r0",
    "{cell}.items", "at(s.rows, {i})", "hold({row})[0]", "(s.rows if k else [s.rows[0]] * 3)[{i}]",
    "{{**s.names}}[{key}]", "[*s.rows][{i}]", "max(s.rows, key=lambda r: r[0] * (k - 1))",
    "dict(zip('abc', s.rows))[{key}]", "s.rows[k % 2:][0]", "s.marks[{i}].row", "Wrap({row}).row", "Wide({row}).row",
    "s.classes[{i}]({row}).row", "s.pushes[{i}].__self__", "Mark({row}).row", "[*parts(s.rows)][{i}]",
    "next(parts(s.rows[k % 2:]))", "s.deep[{i}][0]", "s.deep[k % 2][-1]", "s.pickers[{i}](s, {num})",
    "s.names.get('abz'[k % 3], {row})", "s.names.setdefault({key}, {row})",
    "(lambda a, *b: b[0])(*s.rows[k % 2:], {row})",
    "next(iter(s.deep[{i}]))", "dict(s.names).pop({key})", "[r for r in s.rows if r][k % 2]", "sum(s.deep, [])[{i}]",
)  # fmt: skip
_CELLS = (
    "s.cells[{i}]", "s.by[{two}]", "s.pair[1]", "c0",
    "({cell}.next or s.cells[0])", "hold({cell})[0]", "list(s.by.values())[k % 2]",
    "sorted(s.cells, key=lambda c: c.n * (k - 1))[0]",
)  # fmt: skip
_NUMBERS = (
    "k", "1", "3", "s.count", "len(s.rows)",
    "len({row})", "{cell}.n", "sum({row})", "{cell}.twice", "first({row})", "len({cell}.items)",
    "len(s.marks[{i}])", "s.marks[{i}][0]", "(s.marks[{i}] == k)", "s.counts[{i}]({num})", "len(Mark({row}))",
    "(k in s.marks)", "(Mark({row}) == {num})", "[Mark({row})].count({num})", "s.marks.count({num})",
)  # fmt: skip
_SIMPLE = (
    "{row}.append({num})", "{row}[0] = {num}", "{row}[-1] += {num}", "{cell}.n = {num}", "{cell}.bump({num})",
    "{cell}.push({num})", "put({row}, {num})", "out.append({num})", "out.append({num})", "out.append({num})",
    "r0 = {row}", "c0 = {cell}", "s.functions[{i}]({num})", "s.rows[{i}] = {row}", "{cell}.next = {cell}",
    "{cell}.items = {row}", "s.names[{key}] = {row}", "g({row})", "g({cell})", "g(hold({row}))",
    "s.pushes[{i}]({num})", "s.later[{i}]({num})", "s.marks[{i}]({num})", "s.marks[{i}] += {num}",
    "m = Mark({row}); m += 1", "g(s.pushes[{i}])", "g(s.later[{i}])", "g(s.later)", "g(s.counts[{i}])",
    "g(s.marks[{i}])", "g(lambda v: {row}.append(v))",
    "out.append(s.counts[0](1))", "g({row}.append)", "g([*s.marks])",
    "{cell}.last = {row}", "g(s.deep[k % 2])", "g(s.deep)", "s.deep[k % 2].append({row})",
    "s.deep[{i}].insert(0, {row})",
    "a, *b = s.rows[k % 2:]; b[-1].append({num})", "a, *b = s.deep[k % 2]; a.append({num}); b[0][0] = {num}",
    "s.deep[k % 2].extend(s.rows)", "s.names.update(z={row})", "s.deep[{i}] += [{row}]",
    "s.deep[k % 2][0], r0 = {row}, {row}",
    "[r.append({num}) for r in s.deep[k % 2]]", "g(s.pickers[{i}](s, k))", "s.deep[k % 2].sort(key=len)",
)  # fmt: skip
_COMPOUND = (
    ("for x in s.rows:", "out.append(x[0])"), ("for x in s.rows[:k % 3]:", "x.append(k)"),
    ("for x in s.rows[1:]:", "x[0] += 1"), ("for x in s.rows:", "put(x, 1)"), ("for x in s.rows[:k % 3]:", "r0 = x"),
    ("for y in s.cells:", "out.append(y.n)"), ("for y in s.cells[:k % 3]:", "y.push(k)"),
    ("for y in s.cells[1:]:", "y.n += 1"), ("for y in s.cells:", "y.bump(2)"), ("for y in s.cells[:k % 3]:", "c0 = y"),
    ("for i in range(k % 3):", None), ("if {num} > {num}:", None), ("while len({row}) < 5 and len(out) < 20:", None),
    ("try:", None), ("def inner(v, q={num}):", None),
)  # fmt: skip


_MAY_BE_A_CLASS = "of a class is stored, and needed while it is"
"""What is assigned to a property of an object of which nothing is known: that is refused."""


class _Writer:
    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)

    def fill(self, text: str, depth: int = 0) -> str:
        """The template with each place filled; deeper ones get short."""
        while "{" in text.replace("{{", ""):
            start = text.replace("{{", "\0\0").index("{")
            end = text.index("}", start)
            text = text[:start] + self.part(text[start + 1 : end], depth) + text[end + 1 :]
        return text.replace("{{", "\1").replace("}}", "\2")

    def part(self, kind: str, depth: int) -> str:
        plain = {"i": _INDICES, "key": _KEYS, "two": _TWO_KEYS}.get(kind)
        if plain is not None:
            return self.choose.choice(plain)
        several = {"row": _ROWS, "cell": _CELLS, "num": _NUMBERS}[kind]
        return self.fill(self.choose.choice(several if depth < 3 else several[:4]), depth + 1)

    def statement(self, depth: int) -> list[str]:
        if depth > 1 or self.choose.random() < 0.65:
            return [self.fill(self.choose.choice(_SIMPLE))]
        head, body = self.choose.choice(_COMPOUND)
        if head.startswith("def") and depth:
            return ["pass"]
        lines = [body] if body is not None else self.statement(depth + 1)
        found = [self.fill(head), *("    " + line for line in lines)]
        if head == "try:":
            row = self.fill("{row}")
            if self.choose.random() < 0.5:
                found += [
                    f"    if k == 2: raise ValueError({row})",
                    "except ValueError as e:",
                    "    e.args[0].append(7)",
                ]
            else:
                found += [f"    if k == 2: raise Failed({row}, k)", "except Failed as e:", "    e.row.append(7)"]
        elif head.startswith("if"):
            found += ["else:", *("    " + line for line in self.statement(depth + 1))]
        elif head.startswith("while"):
            found.insert(1, "    out.append(1)")
        elif head.startswith("def"):
            found += ["    return v", self.fill("out.append(inner({num}))")]
        return found


def program(seed: int) -> str:
    writer = _Writer(seed)
    lines: list[str] = []
    for _ in range(writer.choose.randrange(3, 9)):
        lines += writer.statement(0)
    text = "".join(f"    {line}\n" for line in lines)
    return _STORE + text.replace("\1", "{").replace("\2", "}") + _END.lstrip("\n")


def _guest(value: Any) -> None:
    if isinstance(value, list) and value and callable(value[0]):
        value[0](5)
    elif callable(value):
        value(5)
    elif isinstance(value, list):
        (value[0] if value and isinstance(value[0], list) else value).append(4)
    else:
        value.n += 10
        value.items.append(3)


def _shown(value: Any, seen: dict[int, int]) -> Any:
    """The whole object with what is shared in it."""
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, (types.MethodType, types.FunctionType, types.BuiltinFunctionType, type)):
        return value.__name__
    if id(value) in seen:
        return f"#{seen[id(value)]}"
    seen[id(value)] = len(seen)
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *(_shown(part, seen) for part in value)]
    parts = value if isinstance(value, dict) else vars(value)
    return {name: _shown(part, seen) for name, part in parts.items()}


def _history(run: Callable[[int, Any], Any], store: Any, calls: list[int]) -> list[Any]:
    found: list[Any] = []
    for k in calls:
        try:
            found.append(repr(run(k, _guest)))
        except Exception as error:
            found.append(repr(error))
        found.append(_shown(store, {}))
    return found


@contextlib.contextmanager
def _often(*, always: bool) -> Iterator[None]:
    """While it lasts, static objects are handed over on ways that are not rare, too, and known on the others."""
    before = handing_over._RARE
    handing_over._RARE = 1e9 if always else before  # type: ignore[misc]
    try:
        yield
    finally:
        handing_over._RARE = before  # type: ignore[misc]


def difference(seed: int) -> str | None:
    """What the residual does otherwise than the original; None if nothing."""
    text = program(seed)
    name = f"<heap {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = types.ModuleType(f"heap_{seed}")
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, name, "exec"), module.__dict__)
        choose = random.Random(seed)
        calls = [choose.randrange(4) for _ in range(5)]
        mine, its = module.Store(), module.Store()
        declared = {"k": futamura.Dyn(int)} if choose.random() < 0.4 else {}
        with _often(always=seed % 3 == 0):
            residual = futamura.specialize(module.target, s=its, **declared)
        want = _history(lambda k, g: module.target(mine, k, g), mine, calls)
        got = _history(residual, its, calls)
    finally:
        del sys.modules[module.__name__], linecache.cache[name]
    if not set(residual.stats["fallbacks"]) <= {"FT301"} or any(
        event.code == "FT301" and _MAY_BE_A_CLASS not in event.reason for event in residual.events
    ):
        return f"seed {seed}: not specialized: {residual.stats['fallbacks']}"
    pairs = [f"expected {a}\n     got {b}" for a, b in zip(want, got) if a != b]
    if not pairs:
        return None
    return f"seed {seed}:\n{text.partition('c0 = s.cells[0]')[2]}\n{residual.source}\n{pairs[0]}"
