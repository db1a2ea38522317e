"""Tables that functions use whole without keeping or changing them: what is taken out of them elsewhere stays known.

Invariant: what the residual gives after `use` is what the function gives.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura

from .test_implied import module_of

READING = [
    "def use(): return ', '.join(ROWS)",
    "def use(): return f'{ROWS}' + f'{ROWS!r:>9}'",
    "def use(): print(ROWS, type(ROWS), ascii(ROWS))",
    "def use(): return 'rows: %s' % ROWS, '{} {}'.format(1, ROWS)",
    "def use(): return {**ROWS, 'c': 1}",
    "def use(): return dict(**ROWS)",
    "def use(): return ROWS == {}, {} != ROWS, 1 < len(ROWS) == 2",
    "def use(): return ROWS | {'c': 2}",
    "def use():\n    made = {}\n    made.update(ROWS)\n    return made",
    "def use():\n    made = set()\n    made |= set(ROWS)\n"
    "    made = made.union(ROWS)\n    return [made.issuperset(ROWS)]",
    "def use():\n    made = []\n    made += ROWS\n    made.extend(ROWS)\n    return made",
    "def use():\n    first, second = ROWS\n    return first",
    "def use():\n    yield from ROWS",
    "MADE = {}\ndef use():\n    MADE.update(ROWS)\n    MADE['c'] = 1",
    "import functools\ndef use(): return functools.reduce(lambda a, b: a + b, ROWS, '')",
    "from itertools import chain as joined\ndef use(): return [*joined(ROWS, 'c'), *joined.from_iterable(ROWS)]",
    "import bisect as b\ndef use():\n    try: b.bisect_left(ROWS, 'c', 0, 0)\n    except TypeError: pass",
]
READING += [  # a default calls what the text does not define
    "from decimal import *\ndef use(x=Decimal(1)): return [x]",
    "import decimal\nMake = decimal.Decimal\ndef use(x=Make(1)): return [x, ROWS['a']]",
]
CHANGING = [
    "class Kept:\n    def update(self, rows): self.rows = rows\nK = Kept()\n"
    "def use():\n    K.update(ROWS)\n    K.rows['a'] = [7, 8]",
    "class Kept:\n    def __init__(self): self.union = KEPT.append\nKEPT = []\n"
    "def use():\n    Kept().union(ROWS)\n    KEPT[0]['a'] = []",
    "class Kept:\n    def __ror__(self, rows):\n        rows['a'] = []\n        return rows\n"
    "def use(): return ROWS | Kept()",
    "class Kept:\n    def __radd__(self, rows):\n        self.rows = rows\n        return self\n"
    "def use():\n    kept = ROWS + Kept()\n    kept.rows['a'] = []",
    "class Kept:\n    def __eq__(self, rows):\n        rows['a'] = []\n        return True\n"
    "def use(): return Kept() == ROWS",
    "class Kept:\n    def __iadd__(self, rows):\n        rows.clear()\n"
    "        rows['a'] = []\n        return self\n"
    "def use():\n    kept = Kept()\n    kept += ROWS",
    "def use():\n    {**ROWS}['a'].append(5)",
    "MADE = {}\ndef use():\n    MADE.update(ROWS)\n    MADE['a'].append(5)",
    "MADE = []\ndef use():\n    MADE.extend(ROWS.values())\n    for row in MADE: row.clear()",
    "def use():\n    made = []\n    made += ROWS.values()\n    made[0].append(5)",
    "def use():\n    first, second = ROWS.values()\n    first.append(5)",
    "def each():\n    yield from ROWS.values()\ndef use():\n    next(each()).append(5)",
    "def use(): return dict(rows=ROWS)['rows'].pop('a').append(4) or ROWS.update(a=[])",
    "def use():\n    made = {}\n    made.update(rows=ROWS)\n    made['rows']['a'] = []",
    "import functools\ndef use(): functools.reduce(lambda a, b: a, [1], ROWS)['a'] = [7, 8]",
    "import bisect\ndef use(): bisect.insort(ROWS['a'], 0)",
    "import bisect, types\nbisect = types.SimpleNamespace(bisect=dict.update)\n"
    "def use(): bisect.bisect(ROWS, {'a': []})",
    "import functools\ndef use():\n    kept, functools.reduce = functools.reduce, lambda a, b: b.update(a=[])\n"
    "    functools.reduce(len, ROWS)\n    functools.reduce = kept",
    "class Text(str):\n    def join(self, rows):\n        rows['a'] = []\ndef use(): Text().join(ROWS)",
]


def text_with(functions: str) -> str:
    return f"ROWS = {{'a': [1, 2], 'b': [3]}}\n{functions}\ndef f(key, x): return len(ROWS[key]), x\n"


@pytest.mark.parametrize("functions", READING)
def test_what_is_only_read_is_known(functions: str, tmp_path: Path) -> None:
    module = module_of(text_with(functions), tmp_path)
    residual = futamura.specialize(module.f, key="a")
    assert residual.source.strip().endswith("return 2, x")
    assert not [event for event in residual.events if event.code == "FT306"]
    for _ in module.use() or ():
        pass
    assert residual(1) == module.f("a", 1)


@pytest.mark.parametrize("functions", CHANGING)
def test_what_may_be_changed_is_not(functions: str, tmp_path: Path) -> None:
    module = module_of(text_with(functions), tmp_path)
    residual = futamura.specialize(module.f, key="a")
    assert residual(1) == module.f("a", 1)
    module.use()
    assert residual(1) == module.f("a", 1)
