"""A container that is changed under one name is no constant under another.

    ALL = {}; TABLE = ALL; def add(k): ALL[k] = 1            TABLE is read when the residual runs

Invariant: each module is changed by its own function only, after the residual was made.
"""

from __future__ import annotations

import importlib.util
import sys
import textwrap
from pathlib import Path

import pytest

import futamura

CHANGED = {
    "two globals": """
        ALL = {}
        TABLE = ALL
        def add(k): ALL[k] = 1
        def read(x): return [*TABLE], x
    """,
    "an item": """
        ALL = {}
        NEST = {"a": ALL, "b": [ALL]}
        def add(k): ALL[k] = 1
        def read(x): return [*NEST["a"]], [*NEST["b"][0]], x
    """,
    "an item of an attribute of a class": """
        ALL = []
        class Menu: nest = {"a": ALL}
        def add(k): ALL.append(k)
        def read(x): return [*Menu.nest["a"]], x
    """,
    "an attribute of a class": """
        ALL = set()
        class Menu: all = ALL
        def add(k): ALL.add(k)
        def read(x): return sorted(Menu.all), x
    """,
    "stored when the class is made": """
        ALL = {}
        class Base:
            def __init_subclass__(cls): cls.fields = ALL
        class Menu(Base): pass
        def add(k): ALL[k] = 1
        def read(x): return [*Menu.fields], x
    """,
    "added to when a class is made": """
        class Base:
            fields = []
            def __init_subclass__(cls): cls.fields += [cls.__name__]
        def add(k): type(k, (Base,), {})
        def read(x): return [*Base.fields], x
    """,
    "a variable of a closure": """
        def made():
            rows = {}
            def add(k): rows[k] = 1
            return rows, add
        TABLE, add = made()
        def read(x): return [*TABLE], x
    """,
    "an item of a variable of a closure": """
        def made():
            rows = {"a": []}
            def add(k): rows["a"].append(k)
            return rows["a"], add
        TABLE, add = made()
        def read(x): return [*TABLE], x
    """,
    "an attribute of an instance": """
        class State:
            def __init__(self, rows): self.rows = rows
            def add(self, k): self.rows.append(k)
        TABLE = []
        STATE = State(TABLE)
        add = STATE.add
        def read(x): return [*TABLE], x
    """,
    "an item of an attribute in a slot": """
        class State:
            __slots__ = ("rows",)
            def __init__(self, rows): self.rows = {"a": rows}
            def add(self, k): self.rows["a"].append(k)
        TABLE = []
        STATE = State(TABLE)
        add = STATE.add
        def read(x): return [*TABLE], x
    """,
    "a default": """
        TABLE = []
        def add(k, into=TABLE): into.append(k)
        def read(x): return [*TABLE], x
    """,
    "an item of a default": """
        TABLE = []
        def add(k, *, into={"a": TABLE}): into["a"].append(k)
        def read(x): return [*TABLE], x
    """,
    "what a function holds as an attribute": """
        TABLE = []
        def add(k): add.rows.append(k)
        add.rows = TABLE
        def read(x): return [*TABLE], x
    """,
    "a method that is kept": """
        TABLE = []
        add = TABLE.append
        def read(x): return [*TABLE], x
    """,
    "a dict with defaults": """
        from collections import defaultdict
        TABLE = defaultdict(list)
        def add(k): TABLE[k]
        def read(x): return [*TABLE], x
    """,
    "an item of a global": """
        ROWS = {"a": []}
        TABLE = ROWS["a"]
        def add(k): ROWS["a"].append(k)
        def read(x): return [*TABLE], x
    """,
}

THROUGH = {
    "another module's function": """
        import heapq
        ROWS = {"a": []}
        def add(k): heapq.heappush(ROWS["a"], k)
    """,
    "a function that was imported": """
        from heapq import heappush as push
        ROWS = {"a": []}
        def add(k): push(ROWS["a"], k)
    """,
    "a function in a table": """
        from heapq import heappush
        HOW = {"push": heappush}
        ROWS = {"a": []}
        def add(k): HOW["push"](ROWS["a"], k)
    """,
    "a function of its own in a table": """
        def push(rows, k): rows.append(k)
        HOW = {"push": push}
        ROWS = {"a": []}
        def add(k): HOW["push"](ROWS["a"], k)
    """,
    "a constructor": """
        class Pusher:
            def __init__(self, rows, k): rows.append(k)
        ROWS = {"a": []}
        def add(k): Pusher(ROWS["a"], k)
    """,
    "the attribute of an object": """
        class Pusher:
            def __init__(self, rows): self.rows = rows
            def push(self, k): self.rows.append(k)
        ROWS = {"a": []}
        def add(k): Pusher(ROWS["a"]).push(k)
    """,
    "a field of a record": """
        import dataclasses
        @dataclasses.dataclass
        class Pusher:
            rows: list
            def push(self, k): self.rows.append(k)
        ROWS = {"a": []}
        def add(k): Pusher(ROWS["a"]).push(k)
    """,
    "a list of lists": """
        ROWS = {"a": []}
        def add(k):
            work = []
            work.append(ROWS["a"])
            for one in work: one.append(k)
    """,
    "a list in a list": """
        ROWS = {"a": []}
        def add(k):
            work = [[ROWS["a"]]]
            while work:
                for one in work.pop(): one.append(k)
    """,
    "a dict of lists": """
        ROWS = {"a": []}
        def add(k):
            work = {}
            work[k] = ROWS["a"]
            work[k].append(k)
    """,
    "a function that is given": """
        ROWS = {"a": []}
        def each(function, rows): return [function(row) for row in rows]
        def add(k): each(lambda row: row.append(k), ROWS.values())
    """,
    "a method that is bound": """
        ROWS = {"a": []}
        def add(k):
            push = ROWS["a"].append
            push(k)
    """,
    "a method of the class": """
        ROWS = {"a": []}
        def add(k): list.append(ROWS["a"], k)
    """,
    "setattr and slices": """
        ROWS = {"a": []}
        def add(k): ROWS["a"][len(ROWS["a"]):] = [k]
    """,
    "a pattern": """
        ROWS = {"a": []}
        def add(k):
            match ROWS:
                case {"a": row}: row.append(k)
    """,
    "unpacking": """
        ROWS = {"a": ([], 1)}
        def add(k):
            (row, _), = ROWS.values()
            row.append(k)
        def read(x): return [*ROWS["a"][0]], x
    """,
    "a generator": """
        ROWS = {"a": []}
        def rows(): yield from ROWS.values()
        def add(k): next(rows()).append(k)
    """,
    "map": """
        ROWS = {"a": []}
        def add(k): list(map(lambda row: row.append(k), ROWS.values()))
    """,
    "starred arguments": """
        ROWS = {"a": []}
        def push(k, *rows): rows[0].append(k)
        def add(k): push(k, *ROWS.values())
    """,
    "a property": """
        ROWS = {"a": []}
        class Box:
            @property
            def rows(self): return ROWS["a"]
        BOX = Box()
        def add(k): BOX.rows.append(k)
    """,
    "a property that is set": """
        ROWS = {"a": []}
        class Box:
            @property
            def rows(self): return None
            @rows.setter
            def rows(self, rows): rows.append(1)
        def add(k): Box().rows = ROWS["a"]
    """,
    "an exception": """
        ROWS = {"a": []}
        def add(k):
            try: raise ValueError(ROWS["a"])
            except ValueError as error: error.args[0].append(k)
    """,
    "a context": """
        ROWS = {"a": []}
        class Opened:
            def __enter__(self): return ROWS["a"]
            def __exit__(self, *how): pass
        def add(k):
            with Opened() as rows: rows.append(k)
    """,
    "an iterator": """
        ROWS = {"a": []}
        class Box:
            def __iter__(self): yield ROWS["a"]
        def add(k):
            for row in Box(): row.append(k)
    """,
    "an own index": """
        ROWS = {"a": []}
        class Box:
            def __getitem__(self, key): return ROWS[key]
        def add(k): Box()["a"].append(k)
    """,
    "an object that is called": """
        ROWS = {"a": []}
        class Pusher:
            def __call__(self, rows): rows.append(1)
        def add(k):
            push = Pusher()
            push(ROWS["a"])
    """,
    "a function of operator": """
        import operator
        ROWS = {"a": []}
        def add(k): operator.iadd(ROWS["a"], [k])
    """,
    "a caller of methods": """
        from operator import methodcaller
        ROWS = {"a": []}
        def add(k): methodcaller("append", k)(ROWS["a"])
    """,
    "a queue": """
        from collections import deque
        ROWS = {"a": []}
        def add(k):
            work = deque()
            work.append(ROWS["a"])
            work.popleft().append(k)
    """,
    "a method by its name": """
        ROWS = {"a": []}
        def add(k): getattr(ROWS["a"], "append")(k)
    """,
    "a method of the class as a value": """
        ROWS = {"a": []}
        def add(k): list(map(list.append, ROWS.values(), [k]))
    """,
    "setattr": """
        ROWS = {"a": []}
        class Box: pass
        def add(k):
            box = Box()
            setattr(box, "rows", ROWS["a"])
            box.rows.append(k)
    """,
    "sum": """
        ROWS = {"a": []}
        def add(k): sum([], ROWS["a"]).append(k)
    """,
    "what a coroutine gives": """
        ROWS = {"a": []}
        async def rows(): return ROWS["a"]
        async def change(k): (await rows()).append(k)
        def add(k):
            try: change(k).send(None)
            except StopIteration: pass
    """,
    "code": """
        ROWS = {"a": []}
        def add(k): exec("ROWS['a'].append(k)")
    """,
    "the globals": """
        ROWS = {"a": []}
        def add(k): globals()["ROWS"]["a"].append(k)
    """,
    "a dict that makes its items": """
        from collections import defaultdict
        ROWS = {"a": defaultdict(list)}
        def add(k): ROWS["a"][k]
    """,
    "keywords": """
        ROWS = {"a": []}
        def push(k, **rows): rows["a"].append(k)
        def add(k): push(k, **ROWS)
    """,
}


@pytest.mark.parametrize("text", THROUGH.values(), ids=THROUGH)
def test_an_item_that_is_changed_in_a_roundabout_way_is_read_late(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = "" if "def read" in text else '\ndef read(x): return [*ROWS["a"]], x\n'
    test_a_container_with_another_name_is_read_late(textwrap.dedent(text) + reading, tmp_path, monkeypatch)


@pytest.mark.parametrize("text", CHANGED.values(), ids=CHANGED)
def test_a_container_with_another_name_is_read_late(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("shared_rows", tmp_path / "shared_rows.py")
    assert spec is not None and spec.loader is not None
    (tmp_path / "shared_rows.py").write_text(textwrap.dedent(text))
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "shared_rows", module)
    spec.loader.exec_module(module)
    residual = futamura.specialize(module.read)
    assert residual(1) == module.read(1)
    before = module.read(1)
    module.add("key")
    assert module.read(1) != before
    assert residual(1) == module.read(1)


def test_so_is_one_that_another_module_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shared_one.py").write_text("ALL = []\ndef add(k): ALL.append(k)\n")
    (tmp_path / "shared_two.py").write_text("from shared_one import ALL as TABLE\ndef read(x): return [*TABLE], x\n")
    monkeypatch.syspath_prepend(tmp_path)
    one, two = importlib.import_module("shared_one"), importlib.import_module("shared_two")
    residual = futamura.specialize(two.read)
    one.add("key")
    assert residual(1) == two.read(1) == (["key"], 1)


def test_what_nothing_changes_stays_constant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        TABLE = {"a": [1, 2]}
        SAME = TABLE
        LOG = []
        class Menu:
            rows = TABLE["a"]
            def show(self): return self.rows
        def note(k): LOG.append((k, TABLE["a"]))
        def read(x): return SAME["a"][1] + Menu.rows[0] + x
    """
    (tmp_path / "shared_none.py").write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(tmp_path)
    residual = futamura.specialize(importlib.import_module("shared_none").read)
    assert residual(1) == 4
    assert "return 3 + x" in residual.source
