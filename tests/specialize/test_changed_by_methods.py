"""What functions change only if it has a certain method: numbers have no `append`, and `+=` makes a new one.

    RULES = {"a": [("i", 10, 1)]}
    for name, modulus, wanted in RULES[language]:
        value = getattr(operands, name)
        value %= modulus                     # changes no string and no number: RULES is known

Invariant: whatever a function of the module does change is read when the residual runs.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import futamura

KNOWN = {
    "remainder": """
RULES = {"a": {"one": [("i", 10, 1)]}}
def run(key, x):
    for name, rules in RULES[key].items():
        for var, modulus, wanted in rules:
            value = x.get(var, 0)
            value %= modulus
            if value == wanted: return name
    return "other"
""",
    "member": """
import enum
class Wire(enum.IntEnum):
    A = 0
    B = 2
RULES = {"a": Wire.A, "b": Wire.B}
def put(n, out):
    n += 1
    out.append(n)
def run(key, x):
    tag = len(x) << 3 | RULES[key]
    out = []
    put(tag, out)
    return out
""",
    "errors": """
class Field:
    def __init__(self, label): self.label = label
    def clean(self, value): return int(value)
class Form:
    def __init_subclass__(cls): cls.RULES = {n: f for n, f in vars(cls).items() if isinstance(f, Field)}
class Login(Form):
    a = Field("A")
    b = Field("B")
def run(key, x):
    out, errors = {}, {}
    for name, field in Login.RULES.items():
        try: out[name] = field.clean(x[name])
        except (KeyError, ValueError) as e: errors.setdefault(field.label, []).append(str(e))
    return out, errors
""",
    "descriptor": """
class Column:
    def __set_name__(self, owner, name):
        self.name = name
        owner.RULES = {**getattr(owner, "RULES", {}), name: self}
    def __set__(self, instance, value): instance.__dict__[self.name] = value
class User:
    i = Column()
    j = Column()
def run(key, x):
    return [x.get(column.name) for column in User.RULES.values()]
""",
}

KNOWN["objects in an attribute of a class"] = """
class Field:
    def __init__(self, name): self.name = name
    def read(self, x): return x.get(self.name)
class Row:
    RULES = (Field("i"), Field("j"))
    other = Field("a")
    def read(self, x): return [field.read(x) for field in self.RULES], self.other.read(x)
ROW = Row()
def run(key, x):
    return [ROW.read(x) for _ in range(2)]
"""
KNOWN["cycles that are counted"] = """
class Step:
    def __init__(self, name, cycles): self.name, self.cycles = name, cycles
RULES = {"a": Step("add", 2)}
class Machine:
    def __init__(self): self.cycles = 0
def run(key, x):
    machine = Machine()
    for one in x:
        machine.cycles += RULES[key].cycles
        if RULES[key].name != "add": return None
    return machine.cycles
"""

CHANGED = {
    "extended in place": """
RULES = {"a": [1], "b": (1,)}
def change():
    row = RULES["a"]
    row += [2]
def run(key, x):
    return len(RULES[key]), x
""",
    "a class with such an operator": """
class Sum:
    def __init__(self): self.total = 0
    def __iadd__(self, other):
        self.total += other
        return self
RULES = {"a": Sum()}
def change():
    row = RULES["a"]
    row += 2
def run(key, x):
    return RULES[key].total, x
""",
    "a class of another module with such an operator": """
from collections import Counter
RULES = {"a": Counter("ab")}
def change():
    row = RULES["a"]
    row -= Counter("a")
def run(key, x):
    return sorted(RULES[key].items()), x
""",
    "an item of an item": """
RULES = {"a": {"b": {"c": {1}}}}
def change():
    for one in RULES.values():
        for two in one.values():
            for three in two.values():
                three |= {2}
def run(key, x):
    return sorted(RULES[key]["b"]["c"]), x
""",
    "a method that is made up": """
class Row:
    def __init__(self): self.held = [1]
    def __getattr__(self, name): return getattr(self.held, name)
RULES = {"a": Row()}
def change():
    RULES["a"].append(2)
def run(key, x):
    return len(RULES[key].held), x
""",
    "a method of the class": """
class Row:
    def __init__(self): self.held = 1
    def grow(self): self.held += 1
RULES = {"a": Row()}
def change():
    for row in RULES.values(): row.grow()
def run(key, x):
    return RULES[key].held, x
""",
    "a key of a dict": """
class Row:
    def __init__(self): self.held = []
    def append(self, item): self.held = [*self.held, item]
RULES = {"a": Row()}
def change():
    found = {}
    found.setdefault(RULES["a"], []).append(1)
    for row in found: row.append(1)
def run(key, x):
    return len(RULES[key].held), x
""",
    "what a dict of unknown class gives": """
class Giving:
    def setdefault(self, key, default): return key
RULES = {"a": [1]}
def change(found=Giving()):
    found.setdefault(RULES["a"], []).append(1)
def run(key, x):
    return len(RULES[key]), x
""",
    "attributes by their dict": """
class Row:
    def __init__(self): self.held = 1
RULES = {"a": Row()}
def change():
    RULES["a"].__dict__["held"] = 2
def run(key, x):
    return RULES[key].held, x
""",
    "a dict that is a dict of attributes, too": """
class Row: pass
RULES = {"held": 1}
def change():
    row = Row()
    row.__dict__ = RULES
    row.__dict__["held"] = 2
def run(key, x):
    return RULES["held"], x
""",
    "what a descriptor stores": """
class Column:
    def __init__(self, name): self.name = name
    def __set__(self, instance, value): instance.__dict__[self.name] = value
class Row:
    held = Column("held")
RULES = {"a": Row()}
def change(): RULES["a"].held = [2]
change()
def change(): RULES["a"].__dict__["held"].append(3)
def run(key, x):
    return len(RULES[key].__dict__["held"]), x
""",
    "an object in an attribute of a class": """
class Field:
    def __init__(self, name): self.name = name
class Row:
    RULES = Field("i")
    def read(self, x): return self.RULES.name, x
ROW = Row()
def change(): Row.RULES.name = "j"
def run(key, x):
    return [ROW.read(x) for _ in range(3)]
""",
    "another object in an attribute of a class": """
class Field:
    def __init__(self, name): self.name = name
class Row:
    RULES = Field("i")
    def read(self, x): return self.RULES.name, x
ROW = Row()
def change(): Row.RULES = Field("j")
def run(key, x):
    return [ROW.read(x) for _ in range(3)]
""",
    "an object in a tuple in an attribute of a class": """
class Field:
    def __init__(self, name): self.name = name
class Row:
    RULES = (Field("i"),)
    def read(self, x): return self.RULES[0].name, x
ROW = Row()
def change():
    for field in Row.RULES: field.name = "j"
def run(key, x):
    return [ROW.read(x) for _ in range(3)]
""",
    "a builtin method that is kept": """
from functools import partial
from types import SimpleNamespace
ROWS = [1, 2]
RULES = {"a": ROWS}
KEPT = {"o": SimpleNamespace(go=partial(list.append, ROWS))}
def change():
    for one in KEPT.values(): one.go(3)
def run(key, x):
    return len(RULES[key]), x
""",
    "an argument behind a star": """
RULES = {"a": [1]}
def into(a, b, c=0): c.append(9)
def change(): into(*(0, 1), RULES["a"])
def run(key, x):
    return len(RULES[key]), x
""",
    "an argument behind a long star": """
RULES = {"a": [1]}
def into(a, b, c, d=0): d.append(9)
def change(): into(*(0, 1, 2), RULES["a"])
def run(key, x):
    return len(RULES[key]), x
""",
    "an argument behind a star of none": """
RULES = {"a": [1]}
def into(a, b=0): a.append(9)
def change(): into(*(), RULES["a"])
def run(key, x):
    return len(RULES[key]), x
""",
    "what a dict gives by a star": """
RULES = {"a": [1]}
def change():
    found = {}
    found.get(*["z", RULES["a"]]).append(2)
def run(key, x):
    return len(RULES[key]), x
""",
    "a variable that is a class, too": """
RULES = {"a": [1]}
def change(really=True):
    found = {}
    if really:
        class found: get = staticmethod(lambda key: key)
    found.get(RULES["a"]).append(2)
def run(key, x):
    return len(RULES[key]), x
""",
    "a variable that is a function, too": """
RULES = {"a": [1]}
class Gives:
    def get(self, key): return key
def change(really=True):
    found = {}
    def found(): pass
    found.get = Gives().get
    found.get(RULES["a"]).append(2)
def run(key, x):
    return len(RULES[key]), x
""",
    "a function that is bound": """
class Row:
    def put(self, out): out.append(1)
put = Row().put
RULES = {"a": []}
def change(): put(RULES["a"])
def run(key, x):
    return len(RULES[key]), x
""",
}


def written(name: str, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = "changed_" + "".join(one if one.isalnum() else "_" for one in name)
    (folder / f"{module}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, module, raising=False)
    return __import__(module)


INPUTS: list[dict[str, Any]] = [{}, {"i": 1, "a": "2", "b": "x"}, {"i": 21, "j": 2, "b": "3"}]


@pytest.mark.parametrize("name", KNOWN)
def test_what_cannot_be_changed_is_known(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = written(name, KNOWN[name], tmp_path, monkeypatch)
    residual = futamura.specialize(module.run, key="a")
    assert not any(event.code == "FT306" for event in residual.events), residual.events
    assert "RULES" not in residual.source and "_k" not in residual.source, residual.source
    assert [residual(x) for x in INPUTS] == [module.run("a", x) for x in INPUTS]


@pytest.mark.parametrize("name", CHANGED)
def test_what_is_changed_is_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = written(name, CHANGED[name], tmp_path, monkeypatch)
    residual = futamura.specialize(module.run, key="a")
    assert residual(5) == module.run("a", 5)
    module.change()
    assert residual(5) == module.run("a", 5), residual.source
