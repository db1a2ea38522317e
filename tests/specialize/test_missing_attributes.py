"""Attributes that known classes, annotations and builtin values have not decide `hasattr` and `getattr` with a default.

    hasattr(List[int], "__supertype__")  ->  False        getattr(Point, "__members__", None)  ->  None

Invariant: what is given to a class later is noticed at the next call.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import typing
from typing import Any

import pytest

import futamura

UserId = typing.NewType("UserId", int)
T = typing.TypeVar("T")


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int = 0


class Keys(typing.TypedDict):
    x: int


class Pair(typing.NamedTuple):
    x: int


class Closing(typing.Protocol):
    def close(self) -> None: ...


class Box(typing.Generic[T]): ...


class Answering(type):
    def __getattr__(cls, name: str) -> Any:
        return name


class Answered(metaclass=Answering): ...


class Searching(type):
    def __getattribute__(cls, name: str) -> Any:
        return name


class Searched(metaclass=Searching): ...


class Slots:
    __slots__ = ("x",)


FORMS: list[Any] = [
    *[typing.List[int], list[int], typing.Optional[int], int | None, typing.Annotated[int, 3], typing.Literal["a"]],  # noqa: UP006, UP045
    *[UserId, T, typing.Any, int, Color, Point, Keys, Pair, Closing, Box[int], Box, typing.Callable[[int], str]],
    *[tuple[int, ...], typing.Tuple[int, ...], typing.Final[int], typing.List, typing.Union, type[int]],  # noqa: UP006
    *[None, 5, "text", 1.5, (1, 2), [1], {1: 2}, range(3), Slots(), Point(), Answered, Searched, Color.RED],
    *[list[Point], typing.List[Point], dict[str, list[int]], collections.OrderedDict, typing.ForwardRef("int")],  # noqa: UP006
]
NAMES = [
    *["__supertype__", "__origin__", "__args__", "__metadata__", "__dataclass_fields__", "__members__", "_fields"],
    *["__total__", "_name", "__constraints__", "__forward_arg__", "x", "items", "append", "RED", "real", "__getitem__"],
]
DECIDED = ["__supertype__", "__metadata__", "__dataclass_fields__"]


def has(form: Any, name: str, x: Any) -> Any:
    return hasattr(form, name), x


def get(form: Any, name: str, x: Any) -> Any:
    return getattr(form, name, "missing"), x


@pytest.mark.parametrize("function", [has, get])
def test_answers_are_those_of_python(function: Any) -> None:
    for form in FORMS:
        for name in NAMES:
            residual = futamura.specialize(function, form, name)
            assert residual(1) == function(form, name, 1), (form, name, residual.source)


@pytest.mark.parametrize("name", DECIDED)
def test_what_readers_of_annotations_ask_for_is_decided(name: str) -> None:
    forms = [form for form in FORMS if form not in (T, Answered, Searched, Color.RED)]
    for form in forms:
        source = futamura.specialize(has, form, name).source
        assert "hasattr" not in source, (form, source)


def test_classes_may_get_attributes_later() -> None:
    class Late(typing.Generic[T]): ...

    class Meta(type): ...

    class Made(metaclass=Meta): ...

    for owner, form in ((Late, Late), (Late, Late[int]), (Meta, Made), (Made, Made)):
        residual = futamura.specialize(has, form, "late")
        assert residual(1) == (False, 1)
        owner.late = int  # type: ignore[attr-defined]
        assert residual(1) == has(form, "late", 1) == (True, 1)
        del owner.late  # type: ignore[attr-defined]


class Later(type): ...


class Plain(metaclass=Later): ...


def test_classes_may_answer_later(monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, target in ((Later, Plain), (Plain, Plain()), (Slots, Slots())):
        residual = futamura.specialize(has, target, "late")
        assert residual(1) == (False, 1)
        with monkeypatch.context() as patch:
            patch.setattr(owner, "__getattr__", lambda self, name: name, raising=False)
            assert residual(1) == has(target, "late", 1) == (True, 1)


def load(form: Any, value: Any) -> Any:
    if hasattr(form, "__supertype__"):
        return load(form.__supertype__, value)
    if hasattr(form, "__metadata__"):
        return load(form.__origin__, value)
    origin = getattr(form, "__origin__", None)
    if origin is list:
        if not isinstance(value, list):
            raise TypeError("not a list")
        (item,) = form.__args__
        return [load(item, part) for part in value]
    if origin is dict:
        key, item = form.__args__
        return {load(key, name): load(item, part) for name, part in value.items()}
    if hasattr(form, "__dataclass_fields__"):
        return form(**{name: load(int, value[name]) for name in form.__dataclass_fields__})
    if not isinstance(value, form):
        raise TypeError(repr(value))
    return value


def test_a_reader_of_annotations_leaves_no_annotation() -> None:
    residual = futamura.specialize(load, dict[str, list[typing.Annotated[UserId, "id"]]])
    assert "attr" not in residual.source and "load" not in residual.source.split("(", 1)[1]
    for value in ({"a": [1, 2]}, {"a": ["1"]}, {"a": 1}, {1: []}, {}):
        try:
            wanted = load(dict[str, list[typing.Annotated[UserId, "id"]]], value)
        except TypeError as error:
            with pytest.raises(TypeError) as found:
                residual(value)
            assert str(found.value) == str(error)
        else:
            assert residual(value) == wanted


class Sized:
    def __init__(self, size: int) -> None:
        self.size = size


class Slotted:
    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 1


def shown(value: Any, text: Any) -> Any:
    try:
        show = value.__html__
    except AttributeError:
        show = None
    return text.upper() if show is None else show()


def several(value: Any, text: Any) -> Any:
    found = []
    for name in ("size", "depth"):
        try:
            found.append(getattr(value, name))
        except (AttributeError, KeyError):
            found.append(text)
    return found


def told(value: Any, text: Any) -> Any:
    try:
        return value.depth, text
    except AttributeError as error:
        return error.name, error.obj is value, error.args, text


def kept(value: Any, errors: Any) -> Any:
    try:
        return value.depth
    except AttributeError as error:
        errors.append(error)
        return None


def passed(value: Any, text: Any) -> Any:
    try:
        return value.depth
    except KeyError:
        return text


def again(value: Any, text: Any) -> Any:
    try:
        try:
            return value.depth
        except AttributeError:
            text = text + "!"
            raise
    except AttributeError:
        return text


def instead(value: Any, text: Any) -> Any:
    try:
        return value.depth
    except AttributeError:
        raise ValueError(text)  # noqa: B904  # its context is the other one


READERS = (shown, several, told, kept, passed, again, instead)


def described(function: Any, *args: Any) -> Any:
    try:
        return repr(function(*args))
    except Exception as error:
        context = error.__context__
        of = (type(context).__name__, str(context), getattr(context, "name", None)) if context is not None else None
        return type(error).__name__, str(error), getattr(error, "name", None), of


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", [Sized, Slotted, "class"])
def test_a_handler_catches_what_is_known_to_be_missing(reader: Any, kind: Any) -> None:
    value = Sized if kind == "class" else Sized(3) if kind is Sized else Slotted()
    residual = futamura.specialize(reader, value=value)
    if reader in (shown, several) and kind is Sized:
        assert "try" not in residual.source, residual.source
    for text in ("a", ""):
        theirs: Any = [] if reader is kept else text
        mine: Any = [] if reader is kept else text
        assert described(residual, mine) == described(reader, value, theirs)
        if reader is kept:
            assert [(one.name, one.obj is value, str(one)) for one in mine] == [
                (one.name, one.obj is value, str(one)) for one in theirs
            ]


def test_a_class_gets_what_was_missing() -> None:
    class Empty: ...

    residual = futamura.specialize(shown, value=Empty())
    assert residual("a") == "A"
    exec("Empty.__html__ = lambda self: 'html'")
    assert residual("a") == "html"
