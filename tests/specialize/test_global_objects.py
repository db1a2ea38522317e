"""Objects that globals hold: their attributes are known where the texts of the modules leave them alone, and tested.

    ROUTER = Router(TABLE)       def handle(path): return ROUTER.match(path)      ->      the rules, written out

Invariant: whatever changes an object between two calls is noticed if it stores an attribute, or if the text of a module
says that attributes of that name, or what they hold, change.
"""

from __future__ import annotations

import linecache
import pickle
from pathlib import Path
from typing import Any

import pytest

from futamura import DYN, Residual, Specializer, specialize
from futamura.backend.python import holding
from futamura.specializer import entry_costs, objects
from tests.outcomes import outcome
from tests.specialize.test_modules import module

SHOP = '''
class Rate:
    kind = "plain"

    def __init__(self, factor, names=()):
        self.factor = factor
        self.names = list(names)
        self.table = {name: len(name) for name in self.names}
        self.used = 0

    @property
    def double(self):
        return 2 * self.factor

    def apply(self, x):
        for name in self.names:
            x = x * self.factor + self.table[name]
        return x

    def count(self):
        self.used += 1

    def copy(self):
        made = Rate(self.factor)
        made.factor = self.factor
        return made

    def __repr__(self):
        return repr(sorted(self.__dict__.items()))

class Registry:
    def __init__(self):
        self.functions = {}

    def add(self, name):
        def keep(function):
            self.functions[name] = function
            return function
        return keep

class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)

class Loose:
    def __init__(self):
        self.a = self.b = 1

    def set(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

class Slotted:
    __slots__ = ("inner", "k")

    def __init__(self, k):
        self.k = k
        self.inner = Rate(k, ["x"])

class Asking:
    def __init__(self):
        self.there = 3

    def __getattr__(self, name):
        return name
'''

APP = '''
from shop_ import *

RATE = Rate(3, ["ab", "c"])
TABLE = {"a": Rate(5)}
FUNCTIONS = Registry()
STACK = Stack()
LOOSE = Loose()
SLOTTED = Slotted(4)
ASKING = Asking()

@FUNCTIONS.add("double")
def double(x):
    return 2 * x

def applied(x):
    return RATE.apply(x), RATE.double, RATE.kind, RATE.copy().factor * x

def what_is_used(x):
    return RATE.used, TABLE["a"].used, TABLE["a"].factor * x

def called(x):
    return [name + str(function(x)) for name, function in FUNCTIONS.functions.items()]

def top(x):
    return STACK.items[-1:] == [x], len(STACK.items)

def loose(x):
    return LOOSE.a * x

def slotted(x):
    return SLOTTED.k * x, SLOTTED.inner.apply(x)

def asking(x):
    return ASKING.there * x, ASKING.other

def names(x):
    return RATE.names, RATE.names[0], x

def handed(x):
    if callable(x):
        x(RATE)
        return RATE.factor, RATE.apply(2)
    return None
'''

NAMES = ("applied", "what_is_used", "called", "top", "loose", "slotted", "asking", "handed")


class Pair:
    """A function of the application, and its residual."""

    def __init__(self, app: Any, name: str) -> None:
        self.function = getattr(app, name)
        self.residual: Residual = specialize(self.function, DYN)

    def agree(self) -> bool:
        inputs: list[Any] = [2, "ab", None]
        return all(outcome(self.residual, x) == outcome(self.function, x) for x in inputs)


pytestmark = pytest.mark.usefixtures("assuming")


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_WORTH", 0)


@pytest.fixture(name="app")
def made_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    module("shop_", SHOP, tmp_path, monkeypatch)
    return module("app_", APP, tmp_path, monkeypatch)


def codes(residual: Residual) -> list[str]:
    return [event.code for event in residual.events]


@pytest.mark.interpreted
def test_what_only_constructors_store_is_known(app: Any) -> None:
    applied, slotted, loose = (Pair(app, name) for name in ("applied", "slotted", "loose"))
    assert "_RATE" not in applied.residual.source and "3" in applied.residual.source
    assert "SLOTTED" not in slotted.residual.source
    assert "2 * x" in Pair(app, "called").residual.source
    assert "_LOOSE.a" in loose.residual.source and codes(loose.residual) == ["FT306"]
    assert all(Pair(app, name).agree() for name in NAMES)


def test_what_methods_store_is_read(app: Any) -> None:
    residual = Pair(app, "what_is_used").residual
    assert "_RATE.used" in residual.source and "_TABLE_item.used" in residual.source and "5 * x" in residual.source
    assert [event.reason for event in residual.events if event.code == "FT306"] == [
        "`Rate.used` is read when the residual runs: line 21 of shop_.py may store it"
    ]


def test_every_change_is_noticed(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [Pair(app, name) for name in NAMES]
    shop = app.Rate.__init__.__globals__

    def changed() -> None:
        assert [pair.function.__name__ for pair in pairs if not pair.agree()] == []

    changed()
    app.RATE.count()
    app.TABLE["a"].count()
    changed()
    app.RATE.factor = 10
    changed()
    app.RATE.kind = "own"
    changed()
    app.RATE.apply = lambda x: x
    changed()
    del app.RATE.apply
    app.FUNCTIONS.add("negative")(lambda x: f"-{x}")
    changed()
    app.FUNCTIONS.functions["double"] = str
    changed()
    app.STACK.push(2)
    changed()
    app.LOOSE.set(a=7)
    changed()
    app.SLOTTED.inner = shop["Rate"](9, ["y"])
    changed()
    app.SLOTTED.inner.factor = 11
    changed()
    del app.SLOTTED.k
    changed()
    app.SLOTTED.k = 5
    app.ASKING.other = 8
    changed()
    del app.ASKING.there
    changed()
    app.RATE = shop["Rate"](1, ["z"])
    changed()
    monkeypatch.setattr(shop["Rate"], "factor", property(lambda self: 100), raising=False)
    changed()


def test_an_object_that_is_handed_out_is_read_again(app: Any) -> None:
    pair = Pair(app, "handed")

    def store(rate: Any) -> None:
        rate.factor += 1

    app.RATE.factor = 3
    found = pair.residual(store)
    app.RATE.factor = 3
    assert found == pair.function(store) == (4, app.RATE.apply(2))


def test_trust_and_holds(app: Any) -> None:
    residual = Specializer(assume="trust")(app.applied, DYN)
    assert residual.holds() and any(str(one) == "attribute Rate.factor is 3" for one in residual.assumptions)
    app.RATE.factor = 4
    assert not residual.holds()


def test_saved(app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "saved_.py"
    specialize(app.applied, DYN).save(path)
    saved = module("saved_", path.read_text(), tmp_path, monkeypatch)
    assert saved.applied(2) == app.applied(2)


def test_an_object_is_asked_for_its_attributes_once(app: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "stamp_of", lambda marks: None)
    residual = specialize(app.applied, DYN)
    text = "".join(linecache.getlines(residual.function.__code__.co_filename))
    assert text.count("__dict__") == 1 and "'apply' not in" in text and "'copy' not in" in text
    for name in ("apply", "copy"):
        setattr(app.RATE, name, lambda *given: app.LOOSE)
        assert outcome(residual, 2) == outcome(app.applied, 2)
        delattr(app.RATE, name)
        assert outcome(residual, 2) == outcome(app.applied, 2)


LOADED = '''
class Config:
    NAMES = ("rate", "offset")

    def __init__(self):
        self.rate = self.offset = 0

    def load(self, data):
        for name in Config.NAMES:
            if name in data:
                setattr(self, name, data[name])

class Tariff:
    def __init__(self, config):
        self.config = config
        self.steps = (1, 2, 3)

    def price(self, x):
        for step in self.steps:
            x = x * self.config.rate + step * self.config.offset
        return x

def setup(data):
    CONFIG.load(data)

CONFIG = Config()
TARIFF = Tariff(CONFIG)
setup({"rate": 2, "offset": 5})

def price(x):
    return TARIFF.price(x)
'''
MIDWAY = '''
import weakref

def again(x):
    weakref.ref(CONFIG)  # so that calls of this stay
    setup({"rate": x})

def midway(x):
    before = TARIFF.price(x)
    again(x)
    return before, TARIFF.price(x), CONFIG.offset

midway(3)
'''


@pytest.mark.interpreted
def test_what_is_only_stored_on_import_is_known_and_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: Any = module("loaded_", LOADED, tmp_path, monkeypatch)
    pair = Pair(made, "price")
    assert "CONFIG" not in pair.residual.source and "10" in pair.residual.source and not codes(pair.residual)
    made.setup({"offset": 7})
    assert pair.agree()
    made.CONFIG.load({"rate": 7})
    assert pair.agree()


@pytest.mark.parametrize("text", [MIDWAY, MIDWAY.replace("weakref.ref", "repr")], ids=["kept", "in line"])
def test_what_runs_on_import_and_later_is_not_known(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Any = module("loaded_", LOADED + text, tmp_path, monkeypatch)
    residual = specialize(made.midway, DYN)
    for x in (4, 5, 5):
        found = []
        for function in (residual, made.midway):
            made.setup({"rate": 3})  # as it was when the residual was made
            found.append((function(x), made.price(1)))
        assert found[0] == found[1]


OPENLY = "\n\ndef apply(target, data):\n    for name in data:\n        setattr(target, name, data[name])\n"


def test_the_note_names_the_function_that_may_store_any_attribute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: Any = module("loaded_", LOADED + OPENLY, tmp_path, monkeypatch)
    pair = Pair(made, "price")
    (note, *_) = [one for one in pair.residual.diagnostics if one.code == "FT306"]
    line = LOADED.count("\n") + 5
    assert note.title.endswith(f"line {line} of loaded_.py may store it")
    by, promise = note.because[-2:]
    assert by.text.startswith("`apply` may store any attribute: write the names out")
    assert by.place is not None and by.place.line == line
    assert promise.text.startswith("`loaded_.TARIFF` leads to it")
    promised = Specializer(frozen=["loaded_.TARIFF"])(made.price, DYN)
    assert "_CONFIG.rate" not in promised.source and promised(4) == made.price(4)
    made.apply(made.CONFIG, {"rate": 9})
    assert pair.agree()


LOOSE_ENDS = '''
class Rule:
    rate = 1

    def __init__(self, rate):
        self.rate = rate
        self.rows = [[1], [2]]
        self.view = self.rows

    def bump(self):
        self.rate += 1

    def deep(self):
        self.rows[0].append(10)

    def by_view(self):
        self.view.append([5])

    def by_names(self):
        for name in ("rows",):
            getattr(self, name).append([7])

    def by_dict(self):
        for value in vars(self).values():
            if isinstance(value, list):
                value.append([8])
'''

USERS = '''
from loose_ import Rule

ONE = Rule(2)
TABLE = {"a": Rule(5)}
MANY = [Rule(number) for number in range(40)]

def shown(x):
    return ONE.rate, ONE.rows[0][0] * x, len(ONE.rows[0]), sum(row[0] for row in ONE.rows)

def held(x):
    return TABLE["a"].rate * x, len(TABLE["a"].rows), TABLE["a"].rows[0][-1]

def many(x):
    return sum(one.rate for one in MANY) * x

def asked(x):
    return hasattr(TABLE["a"], "rate"), getattr(TABLE["a"], "rate", 0) * x, getattr(ONE, "none", x)

def set_rate(rule, rate):
    rule.rate = rate

def midway(change):
    change()
    return ONE.rate, ONE.rows[0][-1], len(ONE.rows), len(ONE.rows[0])
'''


@pytest.mark.parametrize("name", ["shown", "held", "many", "asked"])
def test_no_way_of_changing_them_is_missed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module("loose_", LOOSE_ENDS, tmp_path, monkeypatch)
    users: Any = module("users_", USERS, tmp_path, monkeypatch)
    pair = Pair(users, name)
    assert pair.agree(), pair.residual.source
    for change in ("bump", "deep", "by_view", "by_names", "by_dict"):
        for one in (users.ONE, users.TABLE["a"], users.MANY[3]):
            getattr(one, change)()
            assert pair.agree(), (change, pair.residual.source)
    users.set_rate(users.TABLE["a"], 70)
    assert pair.agree()


@pytest.mark.parametrize("change", ["bump", "deep", "by_view"])
def test_what_methods_change_in_the_middle_of_a_call(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module("loose_", LOOSE_ENDS, tmp_path, monkeypatch)
    own: Any = module("own_users_", USERS, tmp_path, monkeypatch)
    users: Any = module("users_", USERS, tmp_path, monkeypatch)
    residual = specialize(users.midway, DYN)
    for _ in range(2):
        assert residual(getattr(users.ONE, change)) == own.midway(getattr(own.ONE, change))


@pytest.mark.interpreted
@pytest.mark.parametrize(("name", "most"), [("_MOST_FIELDS", 24), ("_MOST_STAMPED_FIELDS", 40)])
def test_only_so_much_is_compared(name: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one, or by a stamp: there are bounds."""
    monkeypatch.setattr(objects, name, most)
    if name == "_MOST_FIELDS":
        monkeypatch.setattr(objects, "words_for", lambda value: 0)
    text = "class Wide:\n    def __init__(self):\n" + "".join(f"        self.a{at} = {at}\n" for at in range(60))
    text += "        self.table = dict.fromkeys(range(1000))\n"
    module("wide_", text, tmp_path, monkeypatch)
    body = " + ".join(f"WIDE.a{at}" for at in range(60))
    source = f"from wide_ import Wide\nWIDE = Wide()\ndef total(x):\n    return {body} + x, WIDE.table[x]\n"
    users: Any = module("wide_users_", source, tmp_path, monkeypatch)
    residual = specialize(users.total, DYN)
    assert sum("Wide.a" in str(one) and "does not" not in str(one) for one in residual.assumptions) <= most
    assert "_WIDE.a59" in residual.source and not any("holds what" in str(one) for one in residual.assumptions)
    assert residual(3) == users.total(3)


@pytest.mark.interpreted
def test_pickled(app: Any) -> None:
    residual = specialize(app.slotted, DYN)
    again = pickle.loads(pickle.dumps(residual))
    assert again.holds() and again(2) == residual(2)
    app.SLOTTED.inner.factor = 8
    assert not again.holds() and again(2) == app.slotted(2)


@pytest.mark.interpreted
def test_pickled_with_objects_in_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "class One:\n    def __init__(self, n):\n        self.n = n\n"
    text += "class All:\n    def __init__(self):\n        self.ones = {'a': One(3), 'b': One(4)}\n"
    text += "ALL = All()\ndef total(x):\n    return ALL.ones['a'].n * x + ALL.ones['b'].n\n"
    users: Any = module("pickled_", text, tmp_path, monkeypatch)
    residual = specialize(users.total, DYN)
    again = pickle.loads(pickle.dumps(residual))
    assert again.source == residual.source and "ALL" not in again.source and again.holds() and again(2) == 10
    users.ALL.ones["b"].n = 5
    assert not again.holds() and again(2) == 11
    users.ALL.ones["b"].n = 4
    assert again.holds()
    users.ALL.ones["b"] = users.One(4)
    assert not again.holds() and again(2) == 10


def test_saved_modules_share_what_the_objects_hold(app: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "names_.py"
    specialize(app.names, DYN).save(path)
    saved = module("names_", path.read_text(), tmp_path, monkeypatch)
    assert saved.names(1)[0] is app.RATE.names


WORTH = """
class Program:
    def __init__(self, steps):
        self.steps = list(steps)
        self.scale = 2

    def run(self, x):
        for name, operand in self.steps:
            if name == "add":
                x = x + operand * self.scale
            elif name == "multiply":
                x = x * operand
            else:
                raise ValueError(name)
        return x

PROGRAM = Program([("add", 1), ("multiply", 3), ("add", 2), ("multiply", 5), ("add", 7)])

def run(x):
    return PROGRAM.run(x)

def scaled(x):
    return PROGRAM.scale * x

def all_scaled(xs):
    return [PROGRAM.scale * x + PROGRAM.scale * 3 for x in xs]
"""


@pytest.mark.interpreted
def test_tests_have_to_be_worth_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worth: Any = module("worth_", WORTH, tmp_path, monkeypatch)
    monkeypatch.setattr(objects, "_WORTH", 4)
    for one in (objects, entry_costs):
        monkeypatch.setattr(one, "words_for", lambda value: 0)
    assert "steps" not in specialize(worth.run, DYN).source
    small = specialize(worth.scaled, DYN)
    assert "_PROGRAM.scale" in small.source and "would take longer" in small.events[0].reason
    assert "2 * x" in Specializer(assume="trust")(worth.scaled, DYN).source
    assert "2 * x + 6" in specialize(worth.all_scaled, DYN).source  # each item of `xs` gains from it
