"""What is in the entry of a memo table is handed on (`hint(value)`), while the entry itself is only read.

    def hints_of(cls): ...                        the table, an attribute, gives {"x": int}
    def use(cls, row): return {name: hint(row[name]) for name, hint in hints_of(cls).items()}     `hint` may be anything

Invariant: the entry is known where nobody changes it, and nowhere else; it may be in itself.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.specialize.twins import shown, twin

HEAD = """
import typing
OUT = []
KEPT = {}
class Order:
    x: int
    y: float
class Node:
    def __init__(self):
        self.inner, self.n = None, 1
def itself(found):
    found["self"] = found
    return found
"""
MADE = {
    "hints": "typing.get_type_hints(cls)",
    "comprehension": "{name: hint for name, hint in cls.__annotations__.items()}",
}
FORMS = {
    "table": """
def hints_of(cls):
    found = KEPT.get(cls)
    if found is None:
        found = KEPT[cls] = MADE
    return found
""",
    "not in": """
def hints_of(cls):
    if cls not in KEPT:
        KEPT[cls] = MADE
    return KEPT[cls]
""",
    "attribute": """
class Hints:
    def __init__(self): self._hints = None
    def made(self):
        if self._hints is None:
            cls = Order
            self._hints = MADE
        return self._hints
HINTS = Hints()
""",
}
USE = """
def use(cls, row):
    hints = hints_of(cls)
    return {name: hint(row[name]) for name, hint in hints.items() if name in row}
"""
CHANGES = {
    "stored": "def after(): hints_of(Order)['x'] = str",
    "removed": "def after(): hints_of(Order).pop('x', None)",
    "deleted": "def after(): del hints_of(Order)['x']",
    "updated": "def after(): hints_of(Order).update(x=str)",
    "in place": "def after():\n    found = hints_of(Order)\n    found |= {'x': str}",
    "in a list": "def after():\n    for one in [hints_of(Order)]: one['x'] = str",
    "in a dict": "def after():\n    found = {1: (hints_of(Order),)}\n    found[1][0]['x'] = str",
    "in a global": "def after():\n    OUT.append(hints_of(Order))\n    OUT[-1]['x'] = str",
    "by another": "def given(): return hints_of(Order)\ndef after(): given()['x'] = str",
    "handed": "def put(found): found['x'] = str\ndef after(): put(hints_of(Order))",
    "starred": "def put(*found): found[0]['x'] = str\ndef after(): put(*[hints_of(Order)])",
    "closure": "def after():\n    found = hints_of(Order)\n    def put(): found['x'] = str\n    put()",
    "attribute": "class Box: pass\ndef after():\n    box = Box()\n    box.f = hints_of(Order)\n    box.f['x'] = str",
    "method": "def after(): getattr(hints_of(Order), 'update')(x=str)",
    "unbound": "def after(): dict.update(hints_of(Order), x=str)",
    "elsewhere": "import operator\ndef after(): operator.setitem(hints_of(Order), 'x', str)",
    "open attribute": (
        "class Box: pass\ndef after():\n    box = Box()\n    box.f = hints_of(Order)\n"
        "    for name in ['f']: getattr(box, name)['x'] = str"
    ),
    "attributes": (
        "class Box: pass\ndef after():\n    box = Box()\n    box.f = hints_of(Order)\n    vars(box)['f']['x'] = str"
    ),
    **{
        name: f"class Box: pass\ndef after():\n    box = Box()\n    box.f = hints_of(Order)\n    {use}"
        for name, use in {
            "in __dict__": "box.__dict__['f']['x'] = str",
            "all in __dict__": "for one in box.__dict__.values(): one['x'] = str",
            "getattribute": "box.__getattribute__('f')['x'] = str",
            "getattribute of object": "object.__getattribute__(box, 'f')['x'] = str",
            "members": "import inspect\n    for name, one in inspect.getmembers(box):\n"
                       "        if name == 'f': one['x'] = str",
            "state": "getattr(box, '__getstate__', lambda: vars(box))()['f']['x'] = str",
            "mapped": "import operator\n    for one in map(operator.attrgetter('f'), [box]): one['x'] = str",
            "reduced": "box.__reduce_ex__(2)[2]['f']['x'] = str",
            "matched attribute": "match box:\n        case Box(f=one): one['x'] = str",
            "matched by place": "Box.__match_args__ = ('f',)\n    match box:\n        case Box(one): one['x'] = str",
            "getter": "import operator\n    operator.attrgetter('f')(box)['x'] = str",
            "beginning": "for name in 'f': getattr(box, 'f' + name[1:])['x'] = str",
            "formatted": "for name in 'f': getattr(box, f'{name}')['x'] = str",
        }.items()
    },
    "default of an attribute": "def after(): getattr(0, 'nothing', hints_of(Order))['x'] = str",
    "default of an open one": "def after():\n    for name in ['nothing']: getattr(0, name, hints_of(Order))['x'] = str",
    "default of a dict": "def after(): {}.get(1, hints_of(Order))['x'] = str",
    "default of an iterator": "def after(): next(iter(()), hints_of(Order))['x'] = str",
    "default of the largest": "def after(): max((), default=hints_of(Order))['x'] = str",
    "largest": "def after(): max(hints_of(Order), hints_of(Order), key=len)['x'] = str",
    "sum": "def after():\n    for one in sum(([hints_of(Order)], []), []): one['x'] = str",
    "reduced": "import functools\ndef after(): functools.reduce(lambda a, b: a, [1], hints_of(Order))['x'] = str",
    "zipped": "def after():\n    for one, _ in zip([hints_of(Order)], [1]): one['x'] = str",
    "mapped": "def after():\n    for one in map(hints_of, [Order]): one['x'] = str",
    "chained": "import itertools\ndef after():\n    for one in itertools.chain([hints_of(Order)]): one['x'] = str",
    "chosen": "def after(): (None or hints_of(Order))['x'] = str",
    "one of two": "def after(): (hints_of(Order) if OUT is not None else {})['x'] = str",
    "matched": "def after():\n    match hints_of(Order):\n        case {} as found: found['x'] = str",
    "matched in a list": "def after():\n    match [hints_of(Order)]:\n        case [found]: found['x'] = str",
    "unpacked": "def after():\n    found, *_ = [hints_of(Order), 1]\n    found['x'] = str",
    "raised": (
        "class E(Exception): pass\ndef after():\n    try: raise E(hints_of(Order))\n"
        "    except E as e: e.args[0]['x'] = str"
    ),
    "yielded": "def some(): yield hints_of(Order)\ndef after():\n    for one in some(): one['x'] = str",
    "by a property": (
        "class Box:\n    @property\n    def f(self): return hints_of(Order)\ndef after(): Box().f['x'] = str"
    ),
    "partial": "import functools\ndef put(f): f['x'] = str\ndef after(): functools.partial(put, hints_of(Order))()",
    "default of a function": "def after():\n    def put(f=hints_of(Order)): f['x'] = str\n    put()",
    "entered": (
        "import contextlib\ndef after():\n    with contextlib.nullcontext(hints_of(Order)) as f: f['x'] = str"
    ),
    "special method": (
        "class Box:\n    def __getitem__(self, at): return hints_of(Order)\ndef after(): Box()[0]['x'] = str"
    ),
    "operator": "class Box:\n    def __add__(self, x): return hints_of(Order)\ndef after(): (Box() + 1)['x'] = str",
    "under a name": "def after():\n    f = hints_of\n    f(Order)['x'] = str",
}


def key(module: Any, form: str) -> Any:
    return module.HINTS if form == "attribute" else module.Order


def whole(form: str, made: str, use: str) -> str:
    asked = use.replace("hints_of(cls)", "cls.made()").replace("hints_of(Order)", "HINTS.made()")
    return HEAD + FORMS[form].replace("MADE", made) + (asked if form == "attribute" else use)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("made", MADE)
def test_what_is_in_an_entry_may_be_handed_on(tmp_path: Path, form: str, made: str) -> None:
    text = whole(form, MADE[made], USE + "def other(): hints_of(Order)['x'].append(1)")
    ours, theirs = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(ours.use, key(ours, form))
    assert "int(row['x'])" in residual.source and "FT306" not in residual.stats["notes"], residual.source
    for row in ({"x": "3"}, {"y": 1, "z": 2}, {"x": "a"}):
        assert shown(residual, row) == shown(theirs.use, key(theirs, form), row)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("change", CHANGES)
def test_the_entry_itself_is_changed(tmp_path: Path, form: str, change: str) -> None:
    for made in MADE.values():
        text = whole(form, made, USE + CHANGES[change])
        for first in (False, True):
            ours, theirs = twin(tmp_path, text), twin(tmp_path, text)
            if first:
                assert shown(ours.after) == shown(theirs.after)
            residual = futamura.specialize(ours.use, key(ours, form))
            for row in itertools.islice(itertools.cycle([{"x": "3"}, {"x": "a", "y": 1}]), 4):
                assert shown(residual, row) == shown(theirs.use, key(theirs, form), row), residual.source
                assert shown(ours.after) == shown(theirs.after)


CHANGED_THERE = {
    "variable": "if more: found['x'] = str",
    "method": "if more: found.update(x=str)",
    "table": "if more: KEPT[cls]['x'] = str",
    "handed": "if more: put(found)",
    "another name": "other = found\n    if more: other['x'] = str",
    "kept": "if more: OUT.append(found)",
    "in a list": "for one in [found] * more: one['x'] = str",
}


@pytest.mark.parametrize("change", CHANGED_THERE)
def test_who_fills_the_table_changes_the_entry(tmp_path: Path, change: str) -> None:
    filling = FORMS["table"].replace("    return found", f"    {CHANGED_THERE[change]}\n    return found")
    others = "def put(found): found['x'] = str\ndef after():\n    hints_of(Order, 1)\n    for f in OUT: f['x'] = str\n"
    text = HEAD + filling.replace("MADE", MADE["hints"]).replace("(cls):", "(cls, more=0):") + USE + others
    ours, theirs = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(ours.use, ours.Order)
    for row in ({"x": "3"}, {"x": "a", "y": 1}, {"x": "b"}):
        assert shown(residual, row) == shown(theirs.use, theirs.Order, row), residual.source
        assert shown(ours.after) == shown(theirs.after)


ITSELF = {
    "dict": ("itself({'n': 1})", "found['self']['n'] += y", "found['n']"),
    "list in a dict": ("itself({'n': [1]})", "found['self']['n'].append(y)", "sum(found['n'])"),
    "object": ("made()", "found.inner.n += y", "found.n"),
    "tuple in a list": ("pair()", "found[0][0].append(y)", "len(found)"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ITSELF)
def test_an_entry_in_itself(tmp_path: Path, form: str, kind: str) -> None:
    made, change, given = ITSELF[kind]
    text = f"""
def made():
    node = Node()
    node.inner = node
    return node
def pair():
    found = []
    found.append((found, 1))
    return found
def use(cls, y):
    found = hints_of(cls)
    return {given}, y
def touch(found, y):
    {change}
def after(): touch(hints_of(Order), 1)
"""
    text = whole(form, made, text)
    ours, theirs = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(ours.use, key(ours, form))
    for y in (1, 2, 3):
        assert shown(residual, y) == shown(theirs.use, key(theirs, form), y), residual.source
        assert shown(ours.after) == shown(theirs.after)
