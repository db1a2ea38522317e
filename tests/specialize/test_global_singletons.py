"""Objects that globals hold and functions of the module use: an application, a form, a table of columns.

TABLE = Table([...]); def check(row): return TABLE.check(row)    as good as `TABLE.check` itself, until it is changed
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from futamura import DYN
from tests.outcomes import outcome
from tests.specialize.specializing import specialize
from tests.specialize.test_modules import agree_midway, module

TABLES = '''
class Rule:
    def __init__(self, test, message):
        self.test = test
        self.message = message

class Column:
    def __init__(self, name, kind, rules=(), optional=False):
        self.name, self.kind, self.rules, self.optional = name, kind, list(rules), optional

class Table:
    def __init__(self, columns):
        self.columns = columns

    def check(self, row):
        problems = []
        for column in self.columns:
            value = row.get(column.name)
            if value is None:
                if not column.optional:
                    problems.append((column.name, "missing"))
            elif not isinstance(value, column.kind):
                problems.append((column.name, "kind"))
            else:
                for rule in column.rules:
                    if not rule.test(value):
                        problems.append((column.name, rule.message))
        return problems

def between(a, b):
    return Rule(lambda value: a <= value <= b, f"between {a} and {b}")

TABLE = Table([
    Column("id", int, [between(1, 1000)]), Column("kind", str), Column("weight", float, [between(0.0, 9.0)], True),
])

def check(row):
    return TABLE.check(row)

def spoiling(row, spoil):
    first = TABLE.check(row)
    spoil(TABLE)
    return first, TABLE.check(row)
'''
ROWS: list[Any] = [
    {"id": 3, "kind": "a"}, {"id": 3, "kind": "a", "weight": 10.0}, {"id": 0, "kind": 1}, {"id": True, "kind": "b"},
    {}, {"id": "x", "weight": 3}, None,
]  # fmt: skip

CHANGES: list[Callable[[Any], object]] = [
    lambda table: setattr(table.columns[0], "name", "number"),
    lambda table: setattr(table.columns[1], "optional", True),
    lambda table: table.columns.pop(),
    lambda table: table.columns.reverse(),
    lambda table: table.columns[0].rules.clear(),
    lambda table: setattr(table.columns[0].rules[0], "message", "wrong"),
    lambda table: setattr(table.columns[0].rules[0], "test", bool),
    lambda table: setattr(table, "columns", table.columns[:1]),
    lambda table: setattr(table, "check", lambda row: "own"),
    lambda table: vars(table.columns[0]).update(kind=str),
    lambda table: setattr(table.columns[2], "__dict__", dict(vars(table.columns[1]))),
    lambda table: setattr(type(table), "check", lambda self, row: "other"),
    lambda table: setattr(table, "__class__", derived(type(table), check=lambda self, row: "another")),
    lambda table: setattr(table.columns[0], "__class__", derived(type(table.columns[0]), name=property(len))),
]


def derived(cls: type, **attributes: Any) -> type:
    return type("Derived", (cls,), attributes)


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    return module("tables_", TABLES, tmp_path, monkeypatch)


def test_a_function_may_be_called_as_the_method_that_it_calls(tables: Any) -> None:
    """It would be that method, if anybody gave it to an object: nobody does."""
    residual = specialize(tables.check, DYN)
    assert "for" not in residual.source and "columns" not in residual.source, residual.source
    assert "between 1 and 1000" in residual.source and "TABLE" not in residual.source
    for row in ROWS:
        assert outcome(residual, row) == outcome(tables.check, row)


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_changed_between_calls_is_seen(change: Callable[[Any], object], tables: Any) -> None:
    residual = specialize(tables.check, DYN)
    for row in ROWS:
        assert outcome(residual, row) == outcome(tables.check, row)
    change(tables.TABLE)
    for _ in range(2):
        for row in ROWS:
            assert outcome(residual, row) == outcome(tables.check, row)


@pytest.mark.parametrize("change", CHANGES[:3] + CHANGES[4:7])
def test_objects_that_are_changed_again_and_again(change: Callable[[Any], object], tables: Any) -> None:
    residual = specialize(tables.check, DYN)
    for at in range(50):
        tables.TABLE.seen = at
        tables.TABLE.columns[0].seen = at
        tables.TABLE.columns.append(None)
        tables.TABLE.columns.pop()
        assert outcome(residual, ROWS[at % 7]) == outcome(tables.check, ROWS[at % 7])
    change(tables.TABLE)
    for row in ROWS:
        assert outcome(residual, row) == outcome(tables.check, row)


OWNERS = '''
class Part:
    def __init__(self, n):
        self.n = [n]

class Owner:
    def __init__(self):
        self.parts = [Part(1), Part(2)]

    def run(self, x):
        return self.parts[0].n[0] * x

    def poke(self):
        self.note(self.parts[0])

    def note(self, part):
        return part
'''
METHODS = {
    "by a store": "def note(self, part):\n    part.n[0] += 1\nOwner.note = note\n",
    "by a decorator": "def put(f):\n    Owner.note = f\n@put\ndef note(self, part):\n    part.n[0] += 1\n",
    "by a class": "def note(self, part):\n    part.n[0] += 1\nclass Sub(Owner):\n    note = note\n",
    "by its name": "def note(self, part):\n    part.n[0] += 1\nsetattr(Owner, 'note', globals()['note'])\n",
    "by another name": "def note(self, part):\n    part.n[0] += 1\nother = note\nOwner.note = other\n",
    "in a dict": "def note(self, part):\n    part.n[0] += 1\nSub = type('Sub', (Owner,), {'note': note})\n",
}


@pytest.mark.parametrize("way", METHODS)
def test_functions_that_may_be_methods(way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`self.note(part)` may call a function of the module's own level, which changes the part, in the middle of a
    call."""
    text = f"{OWNERS}{METHODS[way]}OWN = {'Sub' if 'Sub' in METHODS[way] else 'Owner'}()\n"
    text += "def midway(x, f):\n    a = OWN.run(x)\n    f()\n    return a, OWN.run(x)\n"
    agree_midway("owned_", text, tmp_path, monkeypatch, "OWN.poke", 3)


FORMS = '''
class Field:
    def __init__(self, longest):
        self.longest = longest
        self.name = ""

    def clean(self, value):
        return value[: self.longest]

class Collecting(type):
    def __new__(mcls, name, bases, space):
        made = super().__new__(mcls, name, bases, space)
        for key, value in space.items():
            if isinstance(value, Field):
                value.name = key
        return made

class Form(metaclass=Collecting):
    def __init__(self, fields):
        self.fields = fields

    def clean(self, data):
        return {field.name: field.clean(data[field.name]) for field in self.fields}

class Person(Form):
    name = Field(4)
    town = Field(2)

person = Person([Person.name, Person.town])

def clean(data):
    return person.clean(data)
'''


def test_objects_of_classes_with_a_metaclass_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forms: Any = module("forms_", FORMS, tmp_path, monkeypatch)
    residual = specialize(forms.clean, DYN)
    assert "'town'" in residual.source and "fields" not in residual.source, residual.source
    data = {"name": "somebody", "town": "somewhere"}
    assert residual(data) == forms.clean(data) == {"name": "some", "town": "so"}
    for change in (
        lambda: setattr(forms.person.fields[0], "longest", 1),
        lambda: setattr(forms.person, "fields", forms.person.fields[1:]),
        lambda: forms.person.fields.append(forms.Person.name),
        lambda: setattr(forms.Field, "clean", lambda self, value: self.name),
    ):
        change()
        assert residual(data) == forms.clean(data)


POKED = """
from meta_ import Meta
class One(metaclass=Meta):
    def __init__(self):
        self.k = 1
    def total(self, xs):
        return [self.k * x + self.k for x in xs]
ONE = One()
def poke():
    One.poke(ONE)
def midway(xs, f):
    first = ONE.total(xs)
    f()
    return first, ONE.total(xs)
"""


def test_a_metaclass_of_another_module_may_do_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks at the texts of the classes does not see it."""
    module("meta_", "class Meta(type):\n    def poke(cls, one):\n        one.k += 1\n", tmp_path, monkeypatch)
    agree_midway("poked_", POKED, tmp_path, monkeypatch, "poke", [1, 2, 3])


def test_a_list_whose_items_are_called_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a call does to an item does nothing to the list; what is in an item is read again."""
    text = '''
class Step:
    def __init__(self, table):
        self.table = table

    def __call__(self, x):
        return self.table[0] + x

class Chain:
    def __init__(self, steps):
        self.steps = steps
        self.rows = [step.table for step in steps]

    def run(self, x):
        for step in self.steps:
            x = step(x)
        return x

    def bump(self, at):
        self.rows[at][0] += 1

    def by_step(self, at):
        self.steps[at].table[0] += 1

CHAIN = Chain([Step([1]), Step([2])])

def run(x):
    return CHAIN.run(x)

def midway(x, f):
    a = CHAIN.run(x)
    f(0)
    return a, CHAIN.run(x)
'''
    users: Any = module("chain_", text, tmp_path, monkeypatch)
    twin: Any = module("chain_twin_", text, tmp_path, monkeypatch)
    residual, midway = specialize(users.run, DYN), specialize(users.midway, DYN)
    assert "for" not in residual.source, residual.source
    for change in ("bump", "by_step"):
        for _ in range(2):
            assert residual(5) == twin.run(5)
            assert midway(5, getattr(users.CHAIN, change)) == twin.midway(5, getattr(twin.CHAIN, change))
    for one in (users, twin):
        one.CHAIN.steps.reverse()
        one.CHAIN.steps.pop()
    assert residual(5) == twin.run(5)


DECLARED = '''
class Invalid(Exception):
    pass

class Field:
    counter = 0

    def __init__(self, *, required=True, default=None, tests=()):
        self.required, self.default = required, default
        self.tests = list(tests)
        self.name = None
        Field.counter += 1
        self.order = Field.counter

    def to_python(self, value):
        return value

    def clean(self, value):
        if value is None:
            if self.required:
                raise Invalid(f"{self.name}: required")
            return self.default
        value = self.to_python(value)
        for test in self.tests:
            test(value)
        return value

class Integer(Field):
    def __init__(self, *, lowest=None, **options):
        super().__init__(**options)
        self.lowest = lowest

    def to_python(self, value):
        value = int(value)
        if self.lowest is not None and value < self.lowest:
            raise Invalid(f"{self.name}: less than {self.lowest}")
        return value

class Text(Field):
    def __init__(self, longest=None, *more, **options):
        Field.__init__(self, **options)
        self.longest = longest

    def to_python(self, value):
        return str(value)[: self.longest]

class FormMeta(type):
    def __new__(mcls, name, bases, namespace):
        fields = {}
        for base in bases:
            fields.update(getattr(base, "_fields", {}))
        for key, value in list(namespace.items()):
            if isinstance(value, Field):
                value.name = key
                fields[key] = value
                del namespace[key]
        namespace["_fields"] = dict(sorted(fields.items(), key=lambda pair: pair[1].order))
        return super().__new__(mcls, name, bases, namespace)

class Form(metaclass=FormMeta):
    def clean(self, data):
        cleaned, errors = {}, {}
        for name, field in self._fields.items():
            try:
                cleaned[name] = field.clean(data.get(name))
            except Invalid as error:
                errors[name] = str(error)
        return cleaned, errors
'''
PEOPLE = '''
def no_digits(value):
    if any(c.isdigit() for c in value):
        raise Invalid("no digits please")

class Person(Form):
    name = Text(20, tests=[no_digits])
    age = Integer(lowest=0)
    kind = Text(required=False, default="user")

person = Person()

def clean(data):
    return person.clean(data)

def clean_new(data):
    return Person().clean(data)

def midway(data, f):
    first = person.clean(data)
    f()
    return first, person.clean(data)
'''
DATA: list[Any] = [
    {"name": "joe", "age": "3"}, {"name": "joe3", "age": -1, "kind": "x"}, {}, {"age": "q"}, {"name": 5, "age": True},
]  # fmt: skip
OF_FORMS: list[Callable[[Any], object]] = [
    lambda forms: setattr(forms.Person._fields["name"], "name", "title"),
    lambda forms: setattr(forms.Person._fields["age"], "lowest", 10),
    lambda forms: setattr(forms.Person._fields["kind"], "required", True),
    lambda forms: forms.Person._fields["name"].tests.clear(),
    lambda forms: setattr(forms.Person, "_fields", {}),
    lambda forms: setattr(forms.person, "_fields", {}),
    lambda forms: setattr(forms.Text, "clean", lambda self, value: self.name),
    lambda forms: vars(forms.Person._fields["age"]).clear(),
]


def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, added: str, *, apart: bool) -> Any:
    if apart:
        module(f"{name}_base_", DECLARED, tmp_path, monkeypatch)
        text = f"from {name}_base_ import Form, Integer, Invalid, Text\n{PEOPLE}{added}"
    else:
        text = f"{DECLARED}{PEOPLE}{added}"
    return module(name, text, tmp_path, monkeypatch)


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("function", ["clean", "clean_new"])
def test_forms_that_classes_declare(
    function: str, apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a metaclass of the same module stores on the fields is compared; of other fields only what is stored so."""
    for at, change in enumerate(OF_FORMS[:1] + OF_FORMS[4:] if apart else OF_FORMS):
        forms = declared(tmp_path, monkeypatch, f"forms{at}_", "", apart=apart)
        original = getattr(forms, function)
        residual = specialize(original, DYN)
        assert "'name: required'" in residual.source and "_fields" not in residual.source, residual.source
        for _ in range(2):
            for data in DATA:
                assert outcome(residual, data) == outcome(original, data)
            change(forms)


@pytest.mark.parametrize("apart", [False, True])
def test_what_a_method_or_a_function_stores_later_is_no_constant(
    apart: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of a call, through the module of the form or that of its fields."""
    ways = [
        "def loosen():\n    for field in Person._fields.values():\n        field.required = False\n",
        "def loosen():\n    person._fields['name'].name = 'other'\n",
        "def loosen():\n    person._fields['name'].tests.append(print)\n",
        "def loosen():\n    Person._fields.clear()\n",
        "def loosen(f=Person._fields['age']):\n    f.lowest = 100\n",
    ]
    for at, added in enumerate(ways):
        forms = declared(tmp_path, monkeypatch, f"loosened{at}_", added, apart=apart)
        twin = declared(tmp_path, monkeypatch, f"loosened_twin{at}_", added, apart=apart)
        residual = specialize(forms.midway, DYN)
        for data in DATA:
            assert outcome(residual, data, forms.loosen) == outcome(twin.midway, data, twin.loosen), added


KINDS = '''
class Layout:
    def __init__(self, text):
        self.parts = []
        for part in text.split():
            self.parts.append((part[1:], None) if part.startswith("$") else (None, part))

    def show(self, record):
        return " ".join([record[name] if text is None else text for name, text in self.parts])

LAYOUT = Layout("from $a to $b")
KINDS = {}

def of(*kinds):
    def keep(function):
        for kind in kinds:
            KINDS[kind] = function
        return function
    return keep

@of(%s)
def shown(value):
    return str(value)

def show(record):
    return LAYOUT.show(record)

def midway(record, f):
    first = LAYOUT.show(record)
    f(LAYOUT)
    return first, LAYOUT.show(record)
'''


@pytest.mark.parametrize("kind", ["type(None)", "type(...), type([]), type(lambda: 0)", "int"])
def test_who_asks_for_the_class_of_a_constant_makes_no_objects(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Constructors run on import only, then: what they append to is known."""
    layouts: Any = module("layouts_", KINDS % kind, tmp_path, monkeypatch)
    residual = specialize(layouts.show, DYN)
    assert "parts" not in residual.source and "'from'" in residual.source, residual.source
    assert residual({"a": "x", "b": "y"}) == "from x to y"
    layouts.LAYOUT.parts.pop()
    assert residual({"a": "x", "b": "y"}) == "from x to"


def test_who_asks_for_the_class_of_an_object_may_make_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = KINDS % "int" + "\ndef again(one):\n    made = type(one)\n    made.__init__(one, '$b')\n"
    agree_midway("remade_", text, tmp_path, monkeypatch, "again", {"a": "x", "b": "y"})


INSIDES = '''
class Part:
    def __init__(self, n):
        self.n = [n]
        self.k = n

ROWS = [[1], [2, 3]]
TABLE = {"a": [1], "b": [4]}
PARTS = [Part(1), Part(2)]
PAIRS = [("a", [1]), ("b", [])]

def bump():
    ROWS[0].append(9)
    for row in TABLE.values():
        row.append(1)
    PARTS[1].n.append(3)
    PARTS[0].k += 1
    for name, row in PAIRS:
        row.append(name)

def midway(x, f):
    first = [len(row) * x for row in ROWS], [(name, len(row)) for name, row in TABLE.items()]
    second = [(part.k, len(part.n)) for part in PARTS], [(name, len(row)) for name, row in PAIRS]
    f()
    third = [len(row) * x for row in ROWS], [(name, len(row)) for name, row in TABLE.items()]
    return first, second, third, [(part.k, len(part.n)) for part in PARTS], [(name, len(row)) for name, row in PAIRS]
'''


def test_what_is_in_a_constant_changes_and_the_constant_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = agree_midway("insides_", INSIDES, tmp_path, monkeypatch, "bump", 2)
    assert " for " not in source, source


ALIASES = {
    "a variable": "def change():\n    rows = ROWS\n    rows.append([0])\n",
    "a parameter": "def put(rows):\n    rows.append([0])\ndef change():\n    put(ROWS)\n",
    "another name": "OTHER = ROWS\ndef change():\n    OTHER.append([0])\n",
    "an item": "ALL = [ROWS]\ndef change():\n    ALL[0].append([0])\n",
    "an attribute": "class Box: pass\nBOX = Box()\nBOX.rows = ROWS\ndef change():\n    BOX.rows.append([0])\n",
    "a default": "def change(rows=ROWS):\n    rows.append([0])\n",
    "a method": "ADD = ROWS.append\ndef change():\n    ADD([0])\n",
    "a result": "def rows():\n    return ROWS\ndef change():\n    rows().append([0])\n",
    "a closure": "def make(rows):\n    def inner():\n        rows.append([0])\n    return inner\nchange = make(ROWS)\n",
}


@pytest.mark.parametrize("way", ALIASES)
def test_a_constant_that_is_changed_under_another_name_is_none(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "ROWS = [[1], [2]]\n" + ALIASES[way]
    text += "def midway(x, f):\n    a = [len(row) * x for row in ROWS]\n    f()\n"
    text += "    for row in ROWS:\n        row.append(x)\n    return a, [len(row) * x for row in ROWS]\n"
    agree_midway("aliased_", text, tmp_path, monkeypatch, "change", 2)
