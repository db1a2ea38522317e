"""`functools.wraps`, `update_wrapper` and `contextlib.contextmanager` applied while the specialized function runs:
calls of the wrapper are in line, and who gets the wrapper itself gets what `functools` makes."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import contextlib
import functools
import inspect
import math
import types
from typing import Any

import pytest

from .specializing import fallbacks, source_of, specialize, words

LOG: list[object] = []
VALUES: list[Any] = [0, 3, -1, True, 2.5, math.inf, "a", b"b", None, (), [1, 2], {"a": 1}, 2j, object, len]


def described(value, depth=0):
    """What can be seen of a value, of functions too."""
    if isinstance(value, types.FunctionType) and depth < 5:
        held = {name: described(one, depth + 1) for name, one in value.__dict__.items()}
        names = (value.__name__, value.__qualname__, value.__module__, value.__doc__)
        return "function", names, value.__annotations__, value.__defaults__, held, str(inspect.signature(value))
    if type(value) in (list, tuple) and depth < 5:
        return type(value), [described(one, depth + 1) for one in value]
    if type(value) is dict and depth < 5:
        return {key: described(one, depth + 1) for key, one in value.items()}
    if isinstance(value, BaseException):
        return type(value), str(value), described(value.__cause__), described(value.__context__)
    return type(value), repr(value).partition(" at 0x")[0]


def outcome(function, *args):
    del LOG[:]
    try:
        found = described(function(*args))
    except Exception as error:
        found = described(error)
    return found, described(LOG[:])


def same(function, *static, values=VALUES, named=None):
    residual = specialize(function, *static, **(named or {}))
    for value in values:
        expected = outcome(lambda: function(*static, value, **(named or {})))  # noqa: B023
        assert outcome(residual, value) == expected, (value, source_of(residual))
    return residual


def is_gone(residual, *names):
    found = words(residual)
    assert not found & {"update_wrapper", "wraps", "contextmanager", *names}, source_of(residual)
    assert not fallbacks(residual)


def step(x, scale=2):
    """A step."""
    return x * scale


def marked(x: int) -> int:
    return x + 1


marked.kind = "marked"  # type: ignore[attr-defined]


def doubled(x):
    return x * 2


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **options):
        """What a wrapper says."""
        LOG.append("call")
        try:
            return f(*args, **options)
        finally:
            LOG.append("done")

    return wrapper


def retried(count, *errors):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **options):
            for at in range(count):
                try:
                    return f(*args, **options)
                except errors:
                    LOG.append(at)
                    if at == count - 1:
                        raise
            return None

        return wrapper

    return decorate


# -- what is in line


def local_function(k, x):
    @logged
    def go(a):
        return a * k

    return go(x)


def with_arguments(k, x):
    @retried(k, TypeError)
    def go(a):
        LOG.append("try")
        return a + 1

    return go(x)


def nested_wrappers(k, x):
    @logged
    @retried(k, TypeError, ValueError)
    @logged
    def go(a, b=k):
        return int(a) + b

    return go(x), go(x, b=1)


def static_function(k, x):
    return logged(step)(x, k)


def static_method(k, x):
    return logged(Shop(k).price)(x)


def static_builtin(k, x):
    return logged(math.floor)(x) + k


class Shop:
    def __init__(self, k):
        self.k = k

    def price(self, x):
        """The price."""
        return x * self.k

    def decorated(self, x):
        @logged
        def price(y):
            return self.price(y)

        return price(x)


def method_of_closure(k, x):
    return Shop(k).decorated(x)


def selected_names(k, x):
    def go(a):
        return a * k

    @functools.wraps(go, assigned=("__name__", "__doc__"), updated=())
    def wrapper(a):
        return go(a) + go(a)

    return wrapper(x)


def updated_directly(k, x):
    def go(a):
        return a * k

    def wrapper(a):
        return go(a) + go(a)

    return functools.update_wrapper(wrapper, go)(x), wrapper(x)


def updated_twice(k, x):
    def go(a):
        return a * k

    def wrapper(a):
        return go(a)

    functools.update_wrapper(wrapper, go)
    functools.update_wrapper(wrapper, step, updated=())
    return wrapper(x)


def in_a_loop(k, x):
    found = []
    for at in range(k):

        @logged
        def go(a, at=at):
            return a * at

        found.append(go(x))
    return found


def composed(k, x):
    def add(a):
        return a + k

    for _ in range(k):
        add = logged(add)
    return add(x)


def asked_for_other_names(k, x):
    def go(a):
        """It goes."""
        return a * k

    @functools.wraps(go, assigned=("__doc__",))
    def wrapper(a):
        return go(a)

    @functools.wraps(wrapper, assigned=("__name__",))
    def outer(a):
        """It wraps."""
        return wrapper(a)

    return wrapper.__name__, wrapper.__doc__, outer.__name__, outer.__doc__, outer.__qualname__, outer(x)


def asked(k, x):
    @logged
    def go(a):
        """It goes."""
        return a * k

    return go.__name__, go.__doc__, go.__qualname__, go.__wrapped__(x), type(go) is types.FunctionType, callable(go)


def as_argument(k, x):
    @logged
    def go(a):
        return a * k

    return [*map(go, [x, k])], functools.partial(go, x)(), max([k, 1], key=go)


def in_a_cache(k, x):
    @functools.lru_cache
    @logged
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    return fib(k) * x


def compared(k, x):
    @logged
    def go(a):
        return a

    @logged
    def other(a):
        return a

    return go is go, go is other, go is go.__wrapped__, bool(go), not go, go is None, x


def unfolded_recursion(k, x):
    @logged
    def power(n):
        return 1 if n == 0 else x * power(n - 1)

    return power(k)


IN_LINE = [
    (local_function, 3), (with_arguments, 3), (nested_wrappers, 2), (static_function, 3), (static_builtin, 3),
    (static_method, 3), (method_of_closure, 3), (selected_names, 3), (updated_directly, 3), (updated_twice, 3),
    (in_a_loop, 3), (composed, 3), (as_argument, 2), (compared, 1), (unfolded_recursion, 4),
]  # fmt: skip


@pytest.mark.parametrize(("function", "k"), IN_LINE, ids=[function.__name__ for function, _ in IN_LINE])
def test_calls_of_wrappers_are_in_line(function, k):
    is_gone(same(function, k), "wrapper", "go", "price")


def test_names_of_wrappers_are_known():
    source = source_of(same(asked_for_other_names, 3))
    assert "return 'wrapper', 'It goes.', 'wrapper', 'It wraps.'," in source
    source = source_of(same(asked, 3))
    assert "return 'go', 'It goes.', 'asked.<locals>.go', x * 3, True, True" in source


def test_a_cache_around_a_wrapper():
    same(in_a_cache, 5)


# -- wrappers that others get


def returned(k, x):
    @logged
    def go(a: int, b: str = "b", *, c: float = 1.5) -> list:
        """It goes."""
        return a * k, x, b, c

    return go


def returned_and_called(k, x):
    go = returned(k, x)
    return go, go(1), go.__wrapped__


def stored(k, x):
    @logged
    def go(a):
        return a * k

    LOG.append(go)
    found = {"go": go}
    return found, go(x)


def handed_over(k, x):
    @logged
    def go(a):
        return a * k

    return sorted([3, 1, k], key=go), list(filter(go, [x, 0])), inspect.signature(go), inspect.unwrap(go), go(x)


def read_attributes(k, x):
    @logged
    def go(a: int) -> str:
        return a * k

    return (
        *(go.__dict__.keys(), go.__module__, go.__annotations__, go.__defaults__, go.__code__.co_name),
        *(getattr(go, "missing", x), hasattr(go, "__wrapped__"), vars(go).keys(), go.__wrapped__.__name__, go.__name__),
    )  # fmt: skip


def attributes_stored(k, x):
    @logged
    def go(a):
        go.calls += 1
        return a * k

    go.calls = k
    return go(x), go.calls, go


def attributes_in_a_wrapper(k, x):
    def counted(f):
        @functools.wraps(f)
        def wrapper(*args):
            wrapper.calls += 1
            return f(*args)

        wrapper.calls = 0
        return wrapper

    @counted
    def go(a):
        return a * k

    go(1)
    return go(x), go.calls, go.__wrapped__.__dict__, go


def renamed(k, x):
    def go(a):
        return a * k

    go.__name__ = "gone"
    go.extra = [x]
    wrapper = logged(go)
    return wrapper, wrapper(x), wrapper.extra is go.extra, wrapper.__wrapped__ is go


def wrapped_renamed_later(k, x):
    def go(a):
        return a * k

    wrapper = logged(go)
    go.__name__ = "gone"
    go.extra = x
    return wrapper, wrapper(x), go


def wrapped_seen_first(k, x):
    def go(a):
        return a * k

    wrapper = logged(go)
    LOG.append(go)
    rename(LOG[-1])
    return wrapper, wrapper.__wrapped__ is go, wrapper(x)


def rename(function):
    function.__name__ = "renamed"
    function.__doc__ = "Renamed."
    function.__dict__["more"] = 1


def static_one_changed_between(k, x):
    wrapper = logged(marked)
    kept = marked.kind
    marked.kind = x
    try:
        return wrapper, wrapper(k), wrapper.kind
    finally:
        marked.kind = kept


def static_one_changed_elsewhere(k, x):
    wrapper = logged(marked)
    switch(x)
    try:
        return wrapper, wrapper(k), wrapper.kind
    finally:
        switch("marked")


def switch(x):
    exec("marked.kind = x", globals(), {"x": x})


def rebound_later(k, x):
    def go(a):
        return a * k

    wrapper = logged(go)

    def go(a):  # type: ignore[no-redef]
        return a, k

    return wrapper(x), go(x), wrapper


def wrapped_updated_later(k, x):
    def go(a):
        """It goes."""
        return a * k

    def plain(a):
        return a

    wrapper = logged(go)
    functools.update_wrapper(go, plain)
    return wrapper.__name__, wrapper.__doc__, go.__name__, go.__doc__, wrapper(x), wrapper, go, plain


def wrap_each_other(k, x):
    def go(a):
        return a * k

    wrapper = logged(go)
    functools.update_wrapper(go, wrapper)
    return go(x), go.__wrapped__ is wrapper, wrapper.__wrapped__ is go, wrapper.__name__


def updated_below_somewhere(k, x):
    def go(a):
        return a * k

    def wrapper(a):
        return go(a), go(a)

    update_below(wrapper, go, x)
    return wrapper(x), wrapper.__name__, hasattr(wrapper, "__wrapped__"), wrapper


def update_below(wrapper, go, items):
    if not items:
        functools.update_wrapper(wrapper, go)
        return 0
    return update_below(wrapper, go, items[1:]) + 1


def static_function_returned(k, x):
    return logged(marked), logged(step)(x, k), logged(marked).__wrapped__ is marked, logged(Shop(k).price)


def selected_names_returned(k, x):
    def go(a: int):
        """It goes."""
        return a * k

    def made(**options):
        @functools.wraps(go, **options)
        def wrapper(a):
            return go(a)

        return wrapper

    return (
        *(made(assigned=("__name__",)), made(updated=()), made(assigned=()), made(assigned=("__doc__",), updated=())),
        *(made(assigned=("__defaults__", "no")), made(assigned=["__name__"]), functools.update_wrapper(made(), made)),
    )  # fmt: skip


def wraps_what_is_open(k, x):
    return logged(x), k


def wrong_arguments(k, x):
    def go(a):
        return a * k

    @functools.wraps(go)
    def wrapper(a, b):
        return a, b

    return wrapper(x)


def unknown_names(k, x):
    @functools.wraps(step, assigned=k)
    def wrapper(a):
        return a

    return wrapper(x)


def wrapped_twice_returned(k, x):
    def go(a):
        return a * k

    wrapper = logged(logged(go))
    return wrapper, wrapper.__wrapped__.__wrapped__ is go, wrapper(x)


def updated_twice_returned(k, x):
    def go(a):
        return a * k

    def wrapper(a):
        return go(a)

    functools.update_wrapper(wrapper, go)
    functools.update_wrapper(wrapper, step, updated=())
    return wrapper(x), wrapper


def on_one_way(k, x):
    @logged
    def go(a):
        return a * k

    if x:
        LOG.append(go)
    else:
        LOG.append(go.__wrapped__)
    return go(x), go


def wrapped_on_one_way(k, x):
    def go(a):
        return a * k

    if x:
        go = logged(go)
    return go(x), go


def either_is_wrapped(k, x):
    def one(a):
        return a * k

    def other(a):
        return a + a

    go = logged(one if x else other)
    return go(x), go


def in_an_open_loop(k, x):
    found = []
    for item in x:

        @logged
        def go(a, item=item):
            return a, item

        found += [go(k), go] if item == 1 else [go(k)]
    return found


def composed_in_an_open_loop(k, x):
    def go(a):
        return a * k

    for _ in x:
        go = logged(go)
    return go(1), go


def called_in_an_open_loop(k, x):
    @logged
    def go(a):
        return a * k

    total = ()
    while x:
        x = x[1:] if len(x) > 1 else x.__class__()
        total += (go(x),)
    return total


def recursion(k, x):
    @logged
    def count(n):
        return 0 if not n else k + count(n[1:])

    return count(x)


def mutual_recursion(k, x):
    @logged
    def even(n):
        return True if not n else odd(n[1:])

    @logged
    def odd(n):
        return False if not n else even(n[1:])

    return even(x), odd(x), k


def lent(k, x):
    def go(a):
        return a * k

    def wrapper(a):
        return go(a), wrapper.__name__

    def update(items):
        if not items:
            return functools.update_wrapper(wrapper, go)
        return update(items[1:])

    return update(x) is wrapper, wrapper(k), wrapper


def holds_itself(k, x):
    known = []

    @logged
    def go(a):
        return known[0].__name__, a, k

    known.append(go)
    return go(x), go


def generator_in_a_wrapper(k, x):
    def source(a):
        yield a
        return k

    @functools.wraps(source)
    def wrapper(a):
        yield from source(a)

    made, other = wrapper(x), wrapper(x)
    LOG.append(made)
    return made.__name__, made.__qualname__, list(made), repr(other).partition(" at ")[0], inspect.isgenerator(other)


def around_what_calls_it(k, x):
    @logged
    def go(a):
        return a * k

    def other(a):
        return go(a)

    if x:
        functools.update_wrapper(go, other)
    return go(x), other(x), other, go.__wrapped__ is other


def of_itself(k, x):
    def go(a):
        return a * k

    functools.update_wrapper(go, go)
    return go(x), go.__wrapped__ is go, go.__name__, inspect.isfunction(go)


def of_a_class(k, x):
    class Local:
        @logged
        def method(self, a):
            return a * k

    return Local().method(x), Local.method.__name__


def a_class_is_wrapped(k, x):
    @functools.wraps(Shop)
    def wrapper(a):
        return Shop(a).price(k)

    return wrapper(x), wrapper.__name__, sorted(wrapper.__dict__)


def errors(k, x):
    @logged
    def go(a):
        return a[k]

    try:
        return go(x)
    except (TypeError, KeyError) as error:
        return type(error), str(error)


def formatted(k, x):
    @logged
    def go(a):
        return a

    return f"{go}".partition(" at ")[0], repr(go).partition(" at ")[0], x, k


SEEN = [
    returned, returned_and_called, stored, handed_over, read_attributes, attributes_stored, attributes_in_a_wrapper,
    renamed, wrapped_renamed_later, wrapped_seen_first, static_one_changed_between, static_one_changed_elsewhere,
    rebound_later, wrapped_updated_later, updated_below_somewhere, wrap_each_other, static_function_returned,
    selected_names_returned, wraps_what_is_open, wrong_arguments, wrapped_twice_returned, updated_twice_returned,
    on_one_way, wrapped_on_one_way, either_is_wrapped, in_an_open_loop, composed_in_an_open_loop,
    called_in_an_open_loop, recursion, mutual_recursion, lent, holds_itself, generator_in_a_wrapper,
    around_what_calls_it, of_itself, of_a_class,
    a_class_is_wrapped, errors, formatted,
]  # fmt: skip


@pytest.mark.parametrize("function", SEEN, ids=[function.__name__ for function in SEEN])
def test_who_gets_a_wrapper_gets_what_functools_makes(function):
    assert "FT301" not in fallbacks(same(function, 3))


@pytest.mark.parametrize("names", [("__name__",), ["__doc__"], "ab", 7, ("__name__", 7), ("__wrapped__", "__code__")])
def test_names_that_are_no_usual_ones(names):
    same(unknown_names, names)


def test_a_wrapper_that_escapes_is_made_on_that_way_alone():
    def run(k, x):
        @logged
        def go(a):
            return a * k

        return go(x) if x else go

    residual = same(run, 3)
    before, _, after = source_of(residual).partition("return x * 3")
    assert not after or "update_wrapper" not in before


def test_open_and_static_functions():
    def run(f, x):
        return retried(2, TypeError)(f)(x)

    for f in (step, marked, math.floor, Shop(2).price, functools.partial(step, scale=3), int, logged(step), [].append):
        same(run, f)
    opened = specialize(lambda k, f: retried(k, TypeError)(f)(3), 2)
    for g in (step, math.floor, None, 3):
        assert outcome(opened, g) == outcome(lambda k, f: retried(k, TypeError)(f)(3), 2, g)


# -- context managers


def manager(k, x):
    @contextlib.contextmanager
    def tag(name):
        """A tag."""
        LOG.append(f"<{name}>")
        yield k
        LOG.append(f"</{name}>")

    with tag("a") as found:
        LOG.append(x + found)
    return found


def nested_managers(k, x):
    @contextlib.contextmanager
    def tag(name, *more):
        LOG.append(name)
        try:
            yield more
        finally:
            LOG.append(("end", name))

    with tag("a", k) as (one,), tag("b"), tag("c", x) as more:
        LOG.append((*more, x * one))
    return k


def suppressing(k, x):
    @contextlib.contextmanager
    def ignoring(*kinds):
        try:
            yield
        except kinds as error:
            LOG.append(str(error))

    with ignoring(TypeError, KeyError):
        return x[k]
    return "ignored"


def yields_twice(k, x):
    @contextlib.contextmanager
    def twice():
        yield 1
        if x:
            yield 2

    with twice() as found:
        LOG.append(found)
    return k


def yields_never(k, x):
    @contextlib.contextmanager
    def never():
        if x:
            yield k

    with never() as found:
        return found


def yields_again_after_an_error(k, x):
    @contextlib.contextmanager
    def again():
        try:
            yield 1
        except TypeError:
            yield 2

    with again():
        return x + k


def fails_on_the_way_out(k, x):
    @contextlib.contextmanager
    def failing():
        try:
            yield
        finally:
            LOG.append(k + x)

    with failing():
        raise ValueError(k)


def stops(k, x):
    @contextlib.contextmanager
    def plain():
        yield
        LOG.append("not reached")

    with plain():
        raise StopIteration(x if x else k)


def gives_a_result(k, x):
    @contextlib.contextmanager
    def giving():
        yield k
        return x

    with giving() as found:
        return found, x


def raises_another(k, x):
    @contextlib.contextmanager
    def translating():
        try:
            yield
        except TypeError as error:
            raise LookupError(str(error)) from error

    with translating():
        return x + k


def in_a_loop_of_managers(k, x):
    @contextlib.contextmanager
    def each(at):
        LOG.append(at)
        yield at * 2
        LOG.append(-at)

    total = []
    for at in range(k):
        with each(at) as found:
            if at == 1 and not x:
                continue
            total.append((found, x))
    return total


def in_a_loop_over_what_is_open(k, x):
    @contextlib.contextmanager
    def each(item):
        LOG.append(item)
        yield item * k
        LOG.append("end")

    total = []
    for item in x:
        with each(item) as found:
            total.append(found)
    return total


def on_a_stack(k, x):
    @contextlib.contextmanager
    def each(at):
        LOG.append(at)
        try:
            yield at
        finally:
            LOG.append(("end", at))

    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(each(at)) for at in range(k)]
        return found, x + 1


def as_decorator(k, x):
    @contextlib.contextmanager
    def around():
        LOG.append("in")
        yield
        LOG.append("out")

    @around()
    def go(a):
        return a * k

    return go(x), go.__name__


def manager_returned(k, x):
    @contextlib.contextmanager
    def tag(name: str):
        """A tag."""
        yield name, k

    made = tag(x)
    return tag, made.__doc__, type(made).__name__, tag.__wrapped__, tag.__name__


def manager_without_doc(k, x):
    @contextlib.contextmanager
    def tag(name):
        yield name

    return tag(x).__doc__, k


def wrong_arguments_of_a_manager(k, x):
    @contextlib.contextmanager
    def tag(name):
        yield name

    with tag(x, k) as found:
        return found


def over_a_static_generator(k, x):
    with contextlib.contextmanager(static_generator)(x) as found:
        return found, k


def static_generator(x):
    LOG.append("in")
    yield x
    LOG.append("out")


def in_a_wrapper(k, x):
    @contextlib.contextmanager
    @logged
    def tag(name):
        yield name, k

    with tag(x) as found:
        return found


def of_a_method(k, x):
    return Page().row(k, x)


class Page:
    def __init__(self):
        self.out = []

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        @contextlib.contextmanager
        def element(**attributes):
            self.out.append(f"<{name}{''.join(f' {key}={value}' for key, value in attributes.items())}>")
            yield self
            self.out.append(f"</{name}>")

        return element

    def row(self, k, x):
        with self.tr(id=k), self.td():
            self.out.append(x)
        return self.out


GONE = [
    (manager, "tag"), (nested_managers, "tag"), (yields_twice, "twice"), (of_a_method, "element"), (stops, "plain"),
    (in_a_loop_of_managers, "each"), (in_a_loop_over_what_is_open, "each"), (suppressing, "ignoring"),
    (raises_another, "translating"), (gives_a_result, "giving"),
]  # fmt: skip
MANAGERS = [
    yields_never, yields_again_after_an_error, fails_on_the_way_out, on_a_stack, as_decorator, manager_returned,
    manager_without_doc, wrong_arguments_of_a_manager, over_a_static_generator, in_a_wrapper,
]  # fmt: skip


@pytest.mark.parametrize(("function", "name"), GONE, ids=[function.__name__ for function, _ in GONE])
def test_local_managers_are_entered(function, name):
    is_gone(same(function, 3), name, "helper", "_GeneratorContextManager")


@pytest.mark.parametrize("function", MANAGERS, ids=[function.__name__ for function in MANAGERS])
def test_local_managers(function):
    same(function, 3)


# -- what is assumed


def test_update_wrapper_that_is_replaced(monkeypatch):
    residual = same(local_function, 3)
    monkeypatch.setattr(functools, "update_wrapper", lambda wrapper, wrapped, assigned, updated: wrapped)
    assert outcome(residual, 2) == outcome(local_function, 3, 2) == ((int, "6"), (list, []))


def test_update_wrapper_with_other_code(monkeypatch):
    residual = same(local_function, 3)

    def other(wrapper, wrapped, assigned=(), updated=()):
        return wrapped

    monkeypatch.setattr(functools.update_wrapper, "__code__", other.__code__)
    assert outcome(residual, 2) == outcome(local_function, 3, 2) == ((int, "6"), (list, []))
