"""`vars(x)`, `x.__dict__` and `dir(x)` of classes and static objects.

    {name: field for name, field in vars(Header).items() if isinstance(field, Field)}        written out

Invariant: a class that got, lost or changed an attribute since is noticed when the residual is called.
"""

from __future__ import annotations

import pickle
import struct

import pytest

import futamura

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


class Field:
    def __init__(self, layout):
        self.layout = layout


class Record:
    @classmethod
    def fields(cls):
        return [(name, field) for name, field in vars(cls).items() if isinstance(field, Field)]

    @classmethod
    def unpack(cls, data):
        out, offset = {}, 0
        for name, field in cls.fields():
            size = struct.calcsize("<" + field.layout)
            (out[name],) = struct.unpack_from("<" + field.layout, data, offset)
            offset += size
        return out


class Header(Record):
    magic = Field("4s")
    version = Field("H")
    length = Field("I")


class Shell:
    prefix = "do_"

    def __init__(self):
        self.history = []
        self.depth = 1

    def do_help(self, line):
        return f"help {line}"

    def do_quit(self, line):
        return "bye"

    def run(self, line):
        name, _, rest = line.partition(" ")
        for one in dir(self):
            if one.startswith("do_") and one[3:] == name:
                return getattr(self, one)(rest)
        return "unknown, try: " + ", ".join(one[3:] for one in dir(self) if one.startswith(self.prefix))

    def shown(self, extra):
        return {name: (value, extra) for name, value in vars(self).items()}


DATA = struct.pack("<4sHI", b"MAGI", 3, 99)


def test_the_fields_of_a_class_are_written_out() -> None:
    residual = futamura.Specializer(assume="trust")(Header.unpack)
    assert "vars" not in residual.source and "for " not in residual.source and "isinstance" not in residual.source
    checked = futamura.specialize(Header.unpack)
    assert "vars" not in checked.source and "for " not in checked.source
    for made in (residual, checked):
        assert made(DATA) == Header.unpack(DATA) == {"magic": b"MAGI", "version": 3, "length": 99}
        with pytest.raises(struct.error):
            made(b"x")


@pytest.mark.parametrize("change", ["add", "replace", "delete", "reorder"])
def test_a_class_that_changes_is_noticed(change) -> None:
    class Late(Record):
        a = Field("H")
        b = Field("B")

    residual = futamura.specialize(Late.unpack)
    assert residual(DATA) == Late.unpack(DATA) and "vars" not in residual.source
    if change in ("delete", "reorder"):
        first = Late.a
        delattr(Late, "ab"[0])
    if change != "delete":
        new = {"add": ("c", Field("B")), "replace": ("b", Field("I")), "reorder": ("a", None)}[change]
        setattr(Late, new[0], new[1] or first)
    assert list(residual(DATA).items()) == list(Late.unpack(DATA).items())
    assert not residual.holds()


def test_names_are_told_by_dir() -> None:
    residual = futamura.specialize(Shell().run)
    assert "dir(" not in residual.source and "getattr" not in residual.source
    for line in ("help me", "quit", "nothing at all", ""):
        assert residual(line) == Shell().run(line)


def test_what_an_object_has() -> None:
    residual = futamura.specialize(Shell().shown)
    assert "for " not in residual.source
    assert residual(3) == Shell().shown(3) and list(residual(3)) == ["history", "depth"]


class Counter:
    def __init__(self):
        self.a = 1

    def grown(self, x):
        before = sorted(vars(self))
        self.b = x
        return before, sorted(vars(self)), vars(self).get("b"), "b" in self.__dict__

    def changed(self, x):
        self.a = x
        return dict(self.__dict__.items()), [name for name in self.__dict__], self.__dict__["a"]  # noqa: C416

    def looped(self, xs):
        found = []
        for x in xs:
            found.append([*self.__dict__.items()])
            setattr(self, "n" + x, x)
        return found

    def handed(self, call):
        first = [*vars(self)]
        call(self)
        return first, [*vars(self)], vars(self).get("c")


def _set_c(counter):
    counter.c = 5


@pytest.mark.parametrize(
    ("name", "given"), [("grown", 1), ("changed", 2), ("looped", "ab"), ("handed", _set_c), ("handed", id)]
)
def test_what_the_code_itself_stores(name, given) -> None:
    one, other = Counter(), Counter()
    residual = futamura.specialize(getattr(one, name))
    for _ in range(2):
        assert residual(given) == getattr(other, name)(given)
        assert list(vars(one)) == list(vars(other))


class Registry:
    entries: list = []  # noqa: RUF012

    @classmethod
    def stored(cls, x):
        before = [name for name in vars(cls) if not name.startswith("_")]
        cls.extra = x
        return before, [name for name in cls.__dict__ if not name.startswith("_")], cls.__dict__.get("extra")

    @classmethod
    def named(cls, name):
        return name in vars(cls), vars(cls).get(name, 0) == 0, sorted(n for n in cls.__dict__ if n[0] != "_")

    @classmethod
    def missing(cls, key):
        try:
            return cls.__dict__["nothing"], key
        except KeyError as error:
            return str(error)


def test_a_class_that_the_code_stores_on() -> None:
    class One(Registry):
        pass

    class Two(Registry):
        pass

    residual = futamura.specialize(One.stored)
    for x in (1, 2):
        assert residual(x) == Two.stored(x)


def test_open_names_and_missing_ones() -> None:
    residual = futamura.specialize(Registry.named)
    for name in ("entries", "named", "nothing", "__doc__"):
        assert residual(name) == Registry.named(name)
    assert futamura.specialize(Registry.missing)(1) == Registry.missing(1)


class Meta(type):
    def __dir__(cls):
        return ["made", "up"]


class Strange(metaclass=Meta):
    x = 1

    def __dir__(self):
        return ["b", "a"]

    @property
    def __dict__(self):  # type: ignore[override]
        return {"strange": 1}


class Slotted:
    __slots__ = ("a", "b")
    c = 1

    def __init__(self):
        self.a = 1


def named(subject, x):
    return [name for name in dir(subject) if not name.startswith("_")], x


def held(subject, x):
    try:
        return [*vars(subject)], [*subject.__dict__], x
    except (TypeError, AttributeError) as error:
        return str(error)


@pytest.mark.parametrize("subject", [Strange, Strange(), Slotted(), Slotted, struct, int, 3, [1], Shell, Header(), len])
def test_other_subjects_are_right(subject) -> None:
    for function in (named, held):
        assert futamura.specialize(function, subject)(1) == function(subject, 1)


def bases(cls, x):
    return {name: x for base in cls.__mro__ for name, field in vars(base).items() if isinstance(field, Field)}


def test_along_the_bases() -> None:
    class More(Header):
        crc = Field("I")

    residual = futamura.specialize(bases, More)
    assert residual(1) == bases(More, 1) and list(residual(1)) == ["crc", "magic", "version", "length"]
    assert "for " not in residual.source


def test_a_dict_that_is_handed_on_is_the_real_one() -> None:
    def typed(subject, x):
        names = vars(subject)
        return type(names).__name__, x, names is subject.__dict__ if not isinstance(subject, type) else None

    for subject in (Header, Shell()):
        assert futamura.specialize(typed, subject)(1) == typed(subject, 1)


def test_it_travels_or_says_why_not() -> None:
    residual = futamura.specialize(bases, Header)
    try:
        again = pickle.loads(pickle.dumps(residual))
    except pickle.PicklingError as error:
        assert "depends on" in str(error)
    else:
        assert again(2) == residual(2)


class First:
    @classmethod
    def made(cls):
        return "first"

    def own(self):
        return "first"


class Second:
    extra = 1

    @classmethod
    def made(cls):
        return "second"

    def own(self):
        return "second"


@pytest.mark.parametrize("part", ["order", "base", "made", "own", "names"])
def test_other_bases_are_noticed(part) -> None:
    class Moved(First):
        @classmethod
        def made(cls):
            return super().made()

        def own(self):
            return super().own()

    def asked(cls, x):
        if part == "order":
            return [one.__name__ for one in cls.__mro__], x
        if part == "base":
            return cls.__bases__[0].__name__, cls.__base__.__name__, x
        if part == "made":
            return cls.made(), x
        if part == "own":
            return cls().own(), x
        return [name for name in dir(cls) if not name.startswith("_")], x

    residual = futamura.specialize(asked, Moved)
    assert residual(1) == asked(Moved, 1)
    Moved.__bases__ = (Second,)
    assert residual(1) == asked(Moved, 1)
    Moved.__bases__ = (First,)
    assert residual(1) == asked(Moved, 1)


class Held:
    def __init__(self):
        self.a = 1


def test_an_open_argument_that_is_the_object_itself() -> None:
    def stored(held, other, name):
        other.__dict__[name] = name
        return held.a, [one for one in dir(held) if not one.startswith("_")], "zz" in vars(held)

    for name in ("b", "a", "zz"):
        one, other = Held(), Held()
        residual = futamura.specialize(stored, one)
        assert residual(Held(), name) == stored(other, Held(), name)
        assert residual(one, name) == stored(other, other, name)
