"""What builtins do with the items of an iterator, as ordinary Python that is inlined where they are called.

    any(x > n for x in (1, 2))    ->    the loop of `any_of`, entered with the generator as a virtual object

Each function does what its builtin does, in the same order and with the same errors.  They are only specialized,
never called; so they use nothing but builtins, and say in loops what builtins would say shorter.

Invariant: a variable called `iterator`, or `..._iterator`, holds an iterator: a loop over it asks it for no other.
"""

# ruff: noqa: SIM110, C416, B007, UP028
from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from futamura.specializer import answering, by_name, comparing, iterators
from futamura.specializer.answering import undecided

__all__ = [
    "attributes_at", "delegate", "extend", "is_own", "items_at", "join", "next_of", "next_or", "property_or_answer",
]  # fmt: skip


def is_own(namespace: Mapping[str, Any]) -> bool:
    """Are these the globals of functions that stand for builtins?  No program could rebind them."""
    others = (answering, by_name, comparing, iterators)
    return namespace is globals() or any(namespace is one.__dict__ for one in others)


def any_of(iterable: Iterable[Any]) -> bool:
    for item in iterable:
        if item:
            return True
    return False


def all_of(iterable: Iterable[Any]) -> bool:
    for item in iterable:
        if not item:
            return False
    return True


def list_of(iterable: Iterable[Any]) -> list[Any]:
    return [item for item in iterable]


def make_item(items: dict[Any, Any], key: Any, factory: Callable[[], Any]) -> Any:
    """What a `defaultdict` does where there is no such item."""
    value = factory()
    items[key] = value
    return value


def itself(value: Any) -> Any:
    return value


def kept(instance: Any, name: str, make: Callable[[Any], Any]) -> Any:
    """What `functools.cached_property` does where the instance has no value yet."""
    value = make(instance)
    setattr(instance, name, value)
    return value


def settled(instance: Any, name: str, make: Callable[[Any], Any]) -> Any:
    """What a `functools.cached_property` of a static object does, which leaves nothing but the reading of it."""
    return keeping(instance, name, make(instance))


def settled_call(function: Any, place: Any, wrapped: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    """What a call of a function in `functools.lru_cache` does, which leaves nothing but this call."""
    return keeping(function, place, wrapped(*args, **keywords))


def keeping(instance: Any, name: Any, value: Any) -> Any:
    """The model says what is left."""
    return value


def remembered(memo: dict[Any, Any], key: Any, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Any:
    """What a declared cache does: `memo` and `key` are static, so nothing of them is left."""
    if key in memo:
        return memo[key]
    value = memo[key] = function(*args, **keywords)
    return value


def memoized(function: Callable[..., Any], most: int | None) -> Callable[..., Any]:
    """What `functools.lru_cache` makes of a function: the model says what is called."""
    return function


def up_to(iterable: Iterable[Any], most: int) -> list[Any]:
    """The items that are asked for where `most` are unpacked: one more tells that there are too many."""
    items = []
    for item in iterable:
        items.append(item)
        if len(items) > most:
            break
    return items


def count_elements(counts: Any, items: Iterable[Any], /) -> None:
    """What `collections.Counter` does with what it is to count."""
    get = counts.get
    for item in items:
        counts[item] = get(item, 0) + 1


def deque_of(iterable: Iterable[Any]) -> deque[Any]:
    return deque([item for item in iterable])


def set_of(iterable: Iterable[Any]) -> set[Any]:
    made = set()
    for item in iterable:
        made.add(item)
    return made


def frozenset_of(iterable: Iterable[Any]) -> frozenset[Any]:
    return frozen_of(set_of(iterable))


def frozen_of(made: set[Any]) -> frozenset[Any]:
    """The elements in the order in which they were added: the model knows them, or the builtin does all of it."""
    return frozenset(made)


def dict_of(pairs: Iterable[Any]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    update_dict(made, pairs)
    return made


def tuple_of(iterable: Iterable[Any]) -> tuple[Any, ...]:
    return tuple([item for item in iterable])


def sorted_of(iterable: Iterable[Any], reverse: bool = False) -> list[Any]:
    items = [item for item in iterable]
    return sorted(items, reverse=True) if reverse else sorted(items)


def sum_of(iterable: Iterable[Any], start: Any = 0) -> Any:
    if isinstance(start, (str, bytes, bytearray)):
        return sum((), start)
    total = start
    for item in iterable:
        total = total + item
    return total


def sum_plainly(iterable: Iterable[Any], start: Any = 0) -> Any:
    """`sum` from Python 3.12 on, which adds floats with compensation: they are kept for it, until all are there."""
    if isinstance(start, (str, bytes, bytearray)):
        return sum((), start)
    total = start
    floats: list[float] = []
    for item in iterable:
        if floats:
            floats.append(only_float(item))
        elif adds_plainly(total, item):
            total = total + item
        else:
            floats.append(item)
    return sum(floats, total) if floats else total


def adds_plainly(total: Any, item: Any) -> bool:
    """Yes; or no, for the item is a float and adding it to the total cannot fail; or the specializer starts again and
    leaves the call of `sum` as it is."""
    raise TypeError


def only_float(item: Any) -> float:
    """The item, which is exactly a float; or the specializer starts again."""
    raise TypeError


def max_of(iterable: Iterable[Any]) -> Any:
    iterator = iter(iterable)
    for largest in iterator:
        break
    else:
        return max(())
    for item in iterator:
        if item > largest:
            largest = item
    return largest


def min_of(iterable: Iterable[Any]) -> Any:
    iterator = iter(iterable)
    for least in iterator:
        break
    else:
        return min(())
    for item in iterator:
        if item < least:
            least = item
    return least


_MAXSIZE: Final = sys.maxsize
END: Any = object()
"""What a step returns when its iterator is exhausted."""


def zip_1(iterator: Iterator[Any]) -> Any:
    for x in iterator:
        return (x,)
    return END


def zip_2(iterator: Iterator[Any], second_iterator: Iterator[Any]) -> Any:
    for x in iterator:
        for y in second_iterator:
            return x, y
        return END
    return END


def zip_3(iterator: Iterator[Any], second_iterator: Iterator[Any], third_iterator: Iterator[Any]) -> Any:
    for x in iterator:
        for y in second_iterator:
            for z in third_iterator:
                return x, y, z
            return END
        return END
    return END


def strict_2(iterator: Iterator[Any], second_iterator: Iterator[Any]) -> Any:
    for x in iterator:
        for y in second_iterator:
            return x, y
        raise ValueError("zip() argument 2 is shorter than argument 1")
    for _ in second_iterator:
        raise ValueError("zip() argument 2 is longer than argument 1")
    return END


def next_item(iterator: Iterator[Any]) -> Any:
    for item in iterator:
        return item
    return END


def next_match(number_iterator: Iterator[int], search: Any, place: Any) -> Any:
    for number in number_iterator:
        return match_at(number, search, place)
    return END


def match_at(number: int, search: Any, place: Any) -> Any:
    """The specializer knows this function: the match with this number of a search that was made already."""
    raise TypeError


def replaced(match_iterator: Iterator[Any], function: Callable[[Any], Any], text: Any, empty: Any) -> Any:
    """`re.sub` with a function: `match_iterator` gives those that it replaces."""
    parts = []
    at = 0
    for match in match_iterator:
        begin = match.start()
        if at < begin:
            parts.append(text[at:begin])
        made = function(match)
        if made is not None:
            parts.append(made)
        at = match.end()
    if at < len(text):
        parts.append(text[at:])
    return empty.join(parts)


def enumerate_step(iterator: Iterator[Any], box: list[int]) -> Any:
    for item in iterator:
        count = box[0]
        box[0] = count + 1
        return count, item
    return END


def places_step(items: Sequence[Any], place: list[int]) -> Any:
    """As the iterator of a list: it asks for the length each time, and once it has ended it stays so."""
    at = place[0]
    if at < len(items) if at else items:
        place[0] = at + 1
        return item_at(items, at)
    place[0] = _MAXSIZE
    return END


def item_at(items: Sequence[Any], at: int) -> Any:
    """The item at a place that there is."""
    return items[at]


def iterator_to_reduce(iterable: Iterable[Any]) -> Iterator[Any]:
    try:
        return iter(iterable)
    except TypeError:
        pass
    raise TypeError("reduce() arg 2 must support iteration")  # behind the handler: it has no context


def reduce_of(function: Callable[[Any, Any], Any], iterable: Iterable[Any], *initial: Any) -> Any:
    iterator = iterator_to_reduce(iterable)
    if initial:
        value = initial[0]
    else:
        for value in iterator:
            break
        else:
            raise TypeError("reduce() of empty iterable with no initial value")
    for item in iterator:
        value = function(value, item)
    return value


def next_of(iterator: Iterator[Any]) -> Any:
    for item in iterator:
        return item
    raise StopIteration


def next_or(iterator: Iterator[Any], default: Any) -> Any:
    for item in iterator:
        return item
    return default


def next_given(method: Any, iterator: Any, default: Any) -> Any:
    """`next` of an object whose class has this `__next__`."""
    try:
        return method(iterator)
    except StopIteration:
        return default


def join(separator: str, iterable: Iterable[Any]) -> str:
    return separator.join([item for item in iterable])


def extend(items: list[Any], iterable: Iterable[Any]) -> None:
    for item in iterable:
        items.append(item)


def update_set(items: set[Any], iterable: Iterable[Any]) -> None:
    for item in iterable:
        items.add(item)


def update_dict(items: dict[Any, Any], pairs: Iterable[Any]) -> None:
    count = 0
    for pair in pairs:
        if (type(pair) is tuple or type(pair) is list) and len(pair) == 2:
            items[pair[0]] = pair[1]
        else:
            last = dict([*[(END, None)] * count, pair])  # names the place if this is no pair
            last.pop(END, None)
            items.update(last)
        count += 1  # noqa: SIM113


def property_or_answer(get: Any, answer: Any, value: Any, name: str) -> Any:
    """What `value.name` is by a property of a class with a `__getattr__`."""
    try:
        return get(value)
    except AttributeError:
        pass
    return answer(value, name)


def items_at(value: Any, *keys: Any) -> Any:
    if len(keys) == 1:
        return value[keys[0]]
    return tuple([value[key] for key in keys])


def attributes_at(value: Any, *names: str) -> Any:
    found = []
    for name in names:
        inner = value
        for part in name.split("."):
            inner = getattr(inner, part)
        found.append(inner)
    return found[0] if len(names) == 1 else tuple(found)


def delegate(iterable: Iterable[Any]) -> Iterator[Any]:
    for item in iterable:
        yield item


def extreme(items: Iterable[Any], key: Callable[[Any], Any] | None, given: bool, default: Any, greater: bool) -> Any:
    """`max` or `min`."""
    iterator = iter(items)
    for found in iterator:
        break
    else:
        if given:
            return default
        return max(()) if greater else min(())
    best = found if key is None else key(found)
    for item in iterator:
        value = item if key is None else key(item)
        if (value > best) if greater else (value < best):
            found = item
            best = value
    return found


def by_keys(items: list[Any], keys: list[Any], reverse: bool) -> list[Any]:
    """The specializer knows this function: the keys are computed already."""
    raise TypeError


def sorted_by(iterable: Iterable[Any], key: Callable[[Any], Any], reverse: bool) -> list[Any]:
    items = [item for item in iterable]
    return by_keys(items, [key(item) for item in items], reverse)


def sorted_listed(iterable: Iterable[Any], key: Any, reverse: Any) -> list[Any]:
    """`sorted` takes all items before it does anything else."""
    items = [item for item in iterable]
    if key is None:
        return sorted(items) if reverse is False else sorted(items, reverse=reverse)
    return sorted(items, key=key) if reverse is False else sorted(items, key=key, reverse=reverse)


def sorted_with(iterable: Iterable[Any], key: Callable[[Any], Any], reverse: bool) -> list[Any]:
    """`sorted` asks for all keys before it compares any: it may as well be given them."""
    items = list(iterable)
    keys = iter([key(item) for item in items])  # each item would do if there were no key left
    return sorted(items, key=partial(next, keys), reverse=True) if reverse else sorted(items, key=partial(next, keys))


# -- operators of user classes


def identical(left: Any, right: Any, wanted: bool) -> bool:
    return (left is right) is wanted


def truth_by_bool(method: Any, value: Any, negated: bool) -> bool:
    result = method(value)
    if type(result) is not bool:
        raise TypeError(f"__bool__ should return bool, returned {type(result).__name__}")
    return not result if negated else result


def exactly(kind: type, method: Any, value: Any) -> Any:
    """What this method of an object gives, which has to be of this very class."""
    result = method(value)
    if type(result) is not kind:
        undecided()
    return result


def length(method: Any, value: Any) -> Any:
    result = exactly(int, method, value)
    if result < 0:
        raise ValueError("__len__() should return >= 0")
    if result > _MAXSIZE:
        raise OverflowError("cannot fit 'int' into an index-sized integer")
    return result


def hashed(kind: type, method: Any, value: Any) -> Any:
    """`hash` of an object whose class has this method: an index-sized int is the hash, only longer ones have one."""
    result = exactly(kind, method, value)
    if -_MAXSIZE - 1 <= result <= _MAXSIZE:
        return -2 if result == -1 else result
    return hash(result)


def rounded(method: Any, value: Any, digits: Any) -> Any:
    """`round` of an object whose class has this method."""
    return method(value) if digits is None else method(value, digits)


NAME_OF: Final = type.__dict__["__name__"].__get__
MODULE_OF: Final = type.__dict__["__module__"].__get__
FLAGS_OF: Final = type.__dict__["__flags__"].__get__
"""What a class says of itself, whatever its metaclass says."""


def shown(method: Any, value: Any, name: str) -> Any:
    """`str` or `repr` of an object whose class has this method."""
    text = method(value)
    if not issubclass(type(text), str):
        raise TypeError(f"{name} returned non-string (type {name_in_c(type(text))})")
    return text


def shown_in_percent(
    before: str, first: tuple[Any, ...], shows: tuple[Any, ...], after: str, rest: tuple[Any, ...], literal: bool
) -> str:
    """`template % (*first, value, *rest)`, of which `before` and `after` are the parts around the field of `value`;
    where there is nothing else to show, the text that they stand for.  Python makes an f-string of a template that is
    written there with its values, which formats what it gets."""
    made = before % first if first else before
    text = shown(*shows)
    if type(text) is not str:
        text = format(text, "") if literal else TEXT_OF(text)
    if not rest and not after:
        return made + text if first or before else text
    tail = after % rest if rest else after
    return made + (text + tail) if first or before else text + tail


TEXT_OF: Final = str.__str__
"""The text of an object of a subclass, whose own methods are not asked."""


def name_in_c(kind: type) -> str:
    """The name by which errors of CPython speak of a class."""
    if not FLAGS_OF(kind) & 256:  # others can add attributes to it: a class statement made it
        return str(NAME_OF(kind))
    module = MODULE_OF(kind)
    return str(NAME_OF(kind)) if module == "builtins" else f"{module}.{NAME_OF(kind)}"


def shown_within(method: Any, value: Any, name: str, spec: str) -> str:
    """The same with a conversion within an f-string, which formats what it gets."""
    text = shown(method, value, name)
    return text if type(text) is str and spec == "" else format(text, spec)


def formatted(method: Any, value: Any, spec: Any) -> Any:
    """An object whose class has a `__format__` of its own, within an f-string."""
    text = method(value, spec)
    if not issubclass(type(text), str):
        undecided()
    return text


def truth_by_length(method: Any, value: Any, negated: bool) -> bool:
    result = length(method, value)
    return (result == 0) is negated


def contains(method: Any, container: Any, item: Any, negated: bool) -> bool:
    result = method(container, item)
    return not result if negated else bool(result)


def is_among(items: Any, item: Any, negated: bool) -> bool:
    for other in items:
        if other is item or other == item:
            return not negated
    return negated


def equals_any(items: Any, item: Any, negated: bool) -> bool:
    """The same for what is equal to itself."""
    for other in items:
        if other == item:
            return not negated
    return negated


def set_by(method: Any, descriptor: Any, instance: Any, value: Any) -> None:
    method(descriptor, instance, value)


def set_by_property(setter: Any, instance: Any, value: Any) -> None:
    setter(instance, value)


def deleted_by(method: Any, descriptor: Any, instance: Any) -> None:
    method(descriptor, instance)


def checked_iterator(iterator: Any) -> Any:
    """`iterator`, if it has a `__next__`: the specializer knows this function."""
    return iter(iterator)


def iterate(method: Any, value: Any) -> Any:
    return checked_iterator(method(value))


def item_of(method: Any, iterator: Any) -> Any:
    try:
        return method(iterator)
    except StopIteration:
        return END
