"""Registries of fields that metaclasses and `__init_subclass__` fill, and what metaclasses give their classes.

Invariant: the residual gives what the function does, whatever the module does with its registries between two calls.
"""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest

import futamura
from tests.specialize.twins import outcome, twin

FIELDS = """
class Field:
    def __init__(self, name=None, default=None):
        self.name, self.default = name, default
    def bind(self, name):
        self.name = name
    def get(self, owner, name):
        return getattr(owner, name)
"""

BY_METACLASS = (
    FIELDS
    + """
class Meta(type):
    def __new__(meta, name, bases, space):
        made = super().__new__(meta, name, bases, space)
        fields = {}
        for key, value in space.items():
            if isinstance(value, Field):
                value.name = key
                fields[key] = value
        made.fields = fields
        return made

class Model(metaclass=Meta):
    def __init__(self, values):
        for name, field in self.fields.items():
            setattr(self, name, values.get(name, field.default))
    def __repr__(self):
        return type(self).__name__

class Part(Model):
    a = Field()
    b = Field(default=2)

def use(row):
    return [(name, row.get(name, field.default)) for name, field in Part.fields.items()]
"""
)

BY_SUBCLASS = (
    FIELDS
    + """
class Base:
    declared = {}
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.declared = dict(cls.declared)
        for key, value in vars(cls).items():
            if isinstance(value, Field):
                value.bind(key)
                cls.declared[key] = value

class Part(Base):
    a = Field()
    b = Field(default=2)

def use(row):
    return [(name, row.get(name, field.default)) for name, field in Part.declared.items()]
"""
)

BY_OPTIONS = """
class Meta(type):
    def __init__(cls, name, bases, space):
        cls.options = {}
        for base in bases:
            cls.options.update(getattr(base, "options", {}))
        for key, hint in space.get("HINTS", {}).items():
            cls.options[key] = (hint, space.get(key))

class Base(metaclass=Meta):
    def __init__(self, values):
        self.__dict__.update(values)
    @classmethod
    def load(cls, row):
        values = {}
        for key, (hint, default) in cls.options.items():
            values[key] = hint(row[key]) if key in row else default
        return cls(values)

class Part(Base):
    HINTS = {"a": int, "b": str}
    a = 1
    b = "x"

def use(row):
    return [(key, hint(row[key]) if key in row else default) for key, (hint, default) in Part.options.items()]
"""

MODULES = {"metaclass": BY_METACLASS, "subclass": BY_SUBCLASS, "options": BY_OPTIONS}
ROWS: list[dict[str, Any]] = [{}, {"a": 1}, {"a": 3, "b": 4}]


@pytest.mark.parametrize("name", MODULES)
def test_the_registry_is_gone(tmp_path: Path, name: str) -> None:
    made = twin(tmp_path, MODULES[name])
    residual = futamura.Specializer(assume="trust")(made.use)
    assert "Part" not in residual.source and "for" not in residual.source
    for row in ROWS:
        assert residual(row) == made.use(row)


CHANGES = {
    "metaclass": [
        "def change(): Part.fields['c'] = Field('c', 5)",
        "def change(): Part.fields['b'].default = 7",
        "def change(): Part.fields['b'].bind('z'); Part.fields['b'].default = 9",
        "def change():\n    for field in Part.fields.values(): field.default = 8",
        "def change(): setattr(Part, 'fields', {})",
        "def change(): setattr(Part, 'fie' + 'lds', {})",
        "class Log:\n    def __call__(self, field): field.default = 4\ndef change(): Log()(Part.fields['a'])",
        "class Log:\n    def __add__(self, field): return field\ndef change(): (Log() + Part.fields['a']).default = 4",
        "class Log:\n    def __iter__(self): return iter(Part.fields.values())\n"
        "def change():\n    for field in Log(): field.default = 6",
        "class Log:\n    def __enter__(self): return Part.fields\n    def __exit__(self, *a): pass\n"
        "def change():\n    with Log() as fields: fields.clear()",
        "class Log:\n    def __str__(self): return Part.fields['a']\ndef change(): Log().__str__().default = 3",
        "class Log:\n    def __contains__(self, field): field.default = 3\ndef change(): Part.fields['a'] in Log()",
    ],
    "subclass": [
        "def change(): Part.declared['b'].default = 7",
        "class Sub:\n    def __init_subclass__(cls, field): field.default = 1\n"
        "def change():\n    class Own(Sub, field=Part.declared['a']): pass",
        "class Sub:\n    def __init_subclass__(cls, field): field.default = 1\n"
        "def change(): type('Own', (Sub,), {}, field=Part.declared['b'])",
        "def change(): getattr(Part, 'decl' + 'ared').clear()",
        "KEPT = {}\ndef change(): KEPT.update(Part.declared); KEPT['a'].default = 5",
        "KEPT = []\ndef change(): KEPT.extend(Part.declared.values()); KEPT[0].default = 5",
        "class Kept:\n    def update(self, other): self.other = other\nKEPT = Kept()\n"
        "def change(): KEPT.update(Part.declared); KEPT.other.clear()",
    ],
    "options": [
        "def change(): Part.options.update({'a': (str, 9)})",
        "def change(): Part({'x': 1}).__class__.options.pop('a', 0)",
        "def change(): vars(Part)['options'].clear()",
        "KEPT = {}\ndef change(): KEPT.update(Part.options, c=Part.options); KEPT['c'].clear()",
    ],
}


@pytest.mark.parametrize(("name", "change"), [(name, change) for name, found in CHANGES.items() for change in found])
def test_what_the_module_changes_is_seen(tmp_path: Path, name: str, change: str) -> None:
    text = textwrap.dedent(MODULES[name]) + change
    made, other = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(made.use)
    for _ in range(2):
        for row in ROWS:
            assert residual(row) == other.use(row)
        made.change()
        other.change()


METACLASSES = """
class Meta(type):
    @property
    def prefix(cls):
        return cls.__name__.upper() + "_"
    def make(cls, x):
        return cls.prefix, x, cls.tag
    @property
    def broken(cls):
        raise AttributeError("broken")
    def __getattr__(cls, name):
        if name.startswith("x"):
            return name
        raise AttributeError(name)

class Shop(metaclass=Meta):
    tag = "shop"

class Own(Shop):
    tag = "own"
    prefix = "hidden"
    @classmethod
    def make(cls, x):
        return "own", x

def use(cls, x):
    return cls.prefix, cls.make(x), cls.xyz, cls.tag

def broken(cls, x):
    try:
        return cls.broken, x
    except AttributeError as error:
        return str(error)

def missing(cls, x):
    return cls.missing, x

def of_instance(cls, x):
    return cls().make(x)
"""
STORED = """
def stored(cls, x):
    cls.make = lambda y: (y, y)
    return cls.make(x)
"""


@pytest.mark.parametrize("cls", ["Shop", "Own"])
@pytest.mark.parametrize("name", ["use", "broken", "missing", "of_instance", "stored"])
def test_what_a_metaclass_gives_is_the_class_s(tmp_path: Path, name: str, cls: str) -> None:
    text = METACLASSES + (STORED if name == "stored" else "")
    made, other = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(getattr(made, name), getattr(made, cls))
    for x in (1, "a"):
        assert outcome(residual, x) == outcome(getattr(other, name), getattr(other, cls), x)
    if name == "use":
        assert "prefix" not in residual.source and "make" not in residual.source


def test_a_text_with_names_in_a_table_is_filled_in(tmp_path: Path) -> None:
    text = """
    from string import Template
    LETTERS = {"a": Template("Dear $name, $count of $name"), "b": Template("$$ ${x} $")}
    def use(key, name, count):
        return LETTERS[key].substitute(name=name, count=count, x=1)
    """
    made = twin(tmp_path, text)
    for key in ("a", "b"):
        residual = futamura.specialize(made.use, key)
        assert outcome(residual, "Ann", 3) == outcome(made.use, key, "Ann", 3)
    assert "LETTERS" not in futamura.specialize(made.use, "a").source
