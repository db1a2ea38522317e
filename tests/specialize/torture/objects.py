"""Static objects that misbehave: their special methods raise, lie, count, change themselves or never return.

    class Angry: __eq__ raises, __hash__ raises, __bool__ raises, __getattr__ has an effect

Invariant: every effect is noted in `EFFECTS`, which must not grow while the program is specialized.
"""

from __future__ import annotations

from typing import Any

from tests.specialize.torture.case import EFFECTS, Case

__all__ = ["CASES"]


class Angry:
    """Each special method notes its name and raises."""

    def _say(self, name: str) -> Any:
        EFFECTS.append(name)
        raise RuntimeError(name)

    def __eq__(self, other: object) -> bool:
        return bool(self._say("eq"))

    def __hash__(self) -> int:
        return int(self._say("hash"))

    def __bool__(self) -> bool:
        return bool(self._say("bool"))

    def __repr__(self) -> str:
        return str(self._say("repr"))

    def __len__(self) -> int:
        return int(self._say("len"))

    def __getattr__(self, name: str) -> Any:
        return self._say(f"getattr {name}")

    def __iter__(self) -> Any:
        return self._say("iter")

    def __call__(self, *args: Any) -> Any:
        return self._say("call")

    def __index__(self) -> int:
        return int(self._say("index"))

    def __getitem__(self, key: Any) -> Any:
        return self._say("getitem")


class Liar:
    """`__class__` and comparisons that do not tell the truth."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        EFFECTS.append("class")
        return int

    def __eq__(self, other: object) -> bool:
        EFFECTS.append("eq")
        return True

    def __hash__(self) -> int:
        EFFECTS.append("hash")
        return 1

    def __bool__(self) -> bool:
        EFFECTS.append("bool")
        return False


class Moody:
    """Another answer each time."""

    count = 0

    def __bool__(self) -> bool:
        EFFECTS.append("bool")
        self.count += 1
        return self.count % 2 == 0

    def __len__(self) -> int:
        EFFECTS.append("len")
        self.count += 1
        return self.count

    @property
    def value(self) -> int:
        EFFECTS.append("value")
        self.count += 1
        return self.count

    def __getattribute__(self, name: str) -> Any:
        if name == "looked":
            EFFECTS.append("getattribute")
        return object.__getattribute__(self, name)


class Meta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        EFFECTS.append("instancecheck")
        return True

    def __getattr__(cls, name: str) -> Any:
        EFFECTS.append(f"meta {name}")
        return 5


class Checked(metaclass=Meta):
    pass


class Described:
    class Field:
        def __get__(self, instance: Any, owner: Any) -> int:
            EFFECTS.append("get")
            return 3

        def __set__(self, instance: Any, value: Any) -> None:
            EFFECTS.append("set")

    field = Field()


class Deleting:
    def __del__(self) -> None:
        EFFECTS.append("del")


def truth(n: Any, x: int) -> str:
    return "yes" if n else "no"


def truth_twice(n: Any, x: int) -> tuple[str, str]:
    a = "yes" if n else "no"
    return a, "yes" if n else "no"


def equality(n: Any, x: int) -> bool:
    return bool(n == x)


def inside(n: Any, x: int) -> bool:
    return n in [x, 5]


def inside_static(n: Any, x: int) -> bool:
    return 5 in [n] or x in (n,)


def key(n: Any, x: int) -> Any:
    return {n: x}


def member(n: Any, x: int) -> Any:
    return len({n, x})


def attribute(n: Any, x: int) -> Any:
    return n.anything + x


def value_twice(n: Any, x: int) -> Any:
    return n.value - n.value + x


def length(n: Any, x: int) -> Any:
    return len(n) + x


def iterate(n: Any, x: int) -> Any:
    return [item for item in n]  # noqa: C416


def unpack(n: Any, x: int) -> Any:
    a, b = n
    return a, b


def call(n: Any, x: int) -> Any:
    return n(x)


def index(n: Any, x: int) -> Any:
    return [1, 2, 3][n]


def item(n: Any, x: int) -> Any:
    return n[x]


def text(n: Any, x: int) -> str:
    return f"{n} {x}"


def percent(n: Any, x: int) -> str:
    return "%s %s" % (n, x)  # noqa: UP031


def class_test(n: Any, x: int) -> bool:
    return isinstance(n, int)


def class_test_meta(n: Any, x: int) -> bool:
    return isinstance(x, n)


def meta_attribute(n: Any, x: int) -> Any:
    return n.something + x


def type_of(n: Any, x: int) -> Any:
    return type(n).__name__


def matched(n: Any, x: int) -> str:
    match n:
        case 5:
            return "five"
        case int():
            return "int"
        case _:
            return "other"


def compare_tuple(n: Any, x: int) -> bool:
    return (1, n) == (1, x)


def sort(n: Any, x: int) -> Any:
    return sorted([n, x])


def looked_up(n: Any, x: int) -> Any:
    return getattr(n, "looked", x)


def field_of(n: Any, x: int) -> Any:
    n.field = x
    return n.field


def drop(n: Any, x: int) -> int:
    n = None  # noqa: F841
    return x


def chained(n: Any, x: int) -> Any:
    return (n and x) or n


def written(n: Any, x: int) -> Any:
    n["k"] = x
    return n["k"] + n.get("z", 0)


def written_list(n: Any, x: int) -> Any:
    n.append(x)
    return n[-1] + n[0] + len(n)


def written_attribute(n: Any, x: int) -> Any:
    before = n.count
    n.count = x
    return before, n.count


_X: list[tuple[Any, ...]] = [(0,), (3,)]
_ON_ANGRY = (
    truth, equality, inside, inside_static, key, member, attribute, length, iterate, unpack, call, index, item, text,
    percent, class_test, type_of, matched, compare_tuple, sort, chained, looked_up,
)  # fmt: skip
_ON_LIAR = (truth, equality, inside, inside_static, key, member, class_test, matched, compare_tuple, chained)
_ON_MOODY = (truth, truth_twice, value_twice, length, looked_up, chained, written_attribute)

CASES = [Case(f"angry {f.__name__}", f, lambda: {"n": Angry()}, lambda: _X) for f in _ON_ANGRY]
CASES += [Case(f"liar {f.__name__}", f, lambda: {"n": Liar()}, lambda: _X) for f in _ON_LIAR]
CASES += [Case(f"moody {f.__name__}", f, lambda: {"n": Moody()}, lambda: _X, fresh=True) for f in _ON_MOODY]
CASES += [
    Case("metaclass test", class_test_meta, lambda: {"n": Checked}, lambda: _X),
    Case("metaclass attribute", meta_attribute, lambda: {"n": Checked}, lambda: _X),
    Case("descriptor", field_of, lambda: {"n": Described()}, lambda: _X),
    Case("finalizer", drop, lambda: {"n": [Deleting()]}, lambda: _X),
    Case("written dict", written, lambda: {"n": {"z": 5}}, lambda: _X, fresh=True),
    Case("written list", written_list, lambda: {"n": [1]}, lambda: _X, fresh=True),
]
