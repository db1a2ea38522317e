"""Specializers that are right or wrong on purpose, to show that the oracle sees each kind of fault.

    identity(f, n=3)(2)     ->     f(2, n=3)
    PLANTED["zero sign"]    ->     as `identity`, but gives 0.0 where the function gives -0.0

Invariant: `identity` agrees with the original in everything that the oracle observes.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import types
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["PLANTED", "identity"]


def _names(function: Any, static: dict[str, Any]) -> tuple[list[str], list[str]]:
    """All positional parameters, and those that stay open."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    return names, [name for name in names if name not in static]


def identity(function: Any, **static: Any) -> Callable[..., Any]:
    """Binds the static arguments and calls the function itself."""
    names, opened = _names(function, static)

    def residual(*args: Any, **kwargs: Any) -> Any:
        values = {**static, **dict(zip(opened, args)), **kwargs}
        head = []
        for name in names:
            if name not in values:
                break
            head.append(values.pop(name))
        return function(*head, **values)

    return residual


def on_result(change: Callable[[Any], Any]) -> Callable[..., Callable[..., Any]]:
    """A fault in what is returned."""

    def specialize(function: Any, **static: Any) -> Callable[..., Any]:
        bound = identity(function, **static)
        return lambda *args, **kwargs: change(bound(*args, **kwargs))

    return specialize


def deeply(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The change applied to the value, or to the members of a returned tuple."""

    def apply(value: Any) -> Any:
        return tuple(change(item) for item in value) if type(value) is tuple else change(value)

    return apply


def run_twice(function: Any, **static: Any) -> Callable[..., Any]:
    bound = identity(function, **static)

    def residual(*args: Any, **kwargs: Any) -> Any:
        with contextlib.suppress(Exception):
            bound(*args, **kwargs)
        return bound(*args, **kwargs)

    return residual


def no_print(function: Any, **static: Any) -> Callable[..., Any]:
    bound = identity(function, **static)

    def residual(*args: Any, **kwargs: Any) -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            return bound(*args, **kwargs)

    return residual


def copied_arguments(function: Any, **static: Any) -> Callable[..., Any]:
    bound = identity(function, **static)

    def residual(*args: Any, **kwargs: Any) -> Any:
        return bound(*(copy.copy(a) for a in args), **{name: copy.copy(a) for name, a in kwargs.items()})

    return residual


def stale_static(function: Any, **static: Any) -> Callable[..., Any]:
    """Each call starts from the static values as they were."""

    def residual(*args: Any, **kwargs: Any) -> Any:
        return identity(function, **copy.deepcopy(static))(*args, **kwargs)

    return residual


def run_early(function: Any, **static: Any) -> Callable[..., Any]:
    bound = identity(function, **static)
    if not _names(function, static)[1]:
        with contextlib.suppress(Exception):
            bound()
    return bound


def on_error(change: Callable[[Exception], Exception]) -> Callable[..., Callable[..., Any]]:
    """A fault in what is raised."""

    def specialize(function: Any, **static: Any) -> Callable[..., Any]:
        bound = identity(function, **static)

        def residual(*args: Any, **kwargs: Any) -> Any:
            try:
                return bound(*args, **kwargs)
            except Exception as error:
                changed = change(error)
            raise changed

        return residual

    return specialize


def without_context(error: Exception) -> Exception:
    error.__context__ = None
    return error


def shorter_text(error: Exception) -> Exception:
    error.args = tuple(a[:-1] if isinstance(a, str) else a for a in error.args)
    return error


def swallow(function: Any, **static: Any) -> Callable[..., Any]:
    bound = identity(function, **static)

    def residual(*args: Any, **kwargs: Any) -> Any:
        with contextlib.suppress(Exception):
            return bound(*args, **kwargs)

    return residual


def eager_generator(value: Any) -> Any:
    return iter(list(value)) if isinstance(value, types.GeneratorType) else value


def crash(function: Any, **static: Any) -> Callable[..., Any]:
    raise IndexError("planted")


def hang(function: Any, **static: Any) -> Callable[..., Any]:
    def forever() -> Iterator[int]:
        while True:
            yield 1

    sum(forever())
    raise AssertionError


PLANTED: dict[str, Callable[..., Callable[..., Any]]] = {
    "zero sign": on_result(deeply(lambda v: 0.0 if type(v) is float and v == 0.0 else v)),
    "bool as int": on_result(deeply(lambda v: int(v) if type(v) is bool else v)),
    "int as bool": on_result(deeply(lambda v: bool(v) if type(v) is int and v in (0, 1) else v)),
    "copied result": on_result(deeply(lambda v: list(v) if type(v) is list else v)),
    "copied instance": on_result(
        deeply(lambda v: copy.copy(v) if type(v).__module__ == "subject" and hasattr(v, "n") else v)
    ),
    "tuple as list": on_result(lambda v: list(v) if type(v) is tuple else v),
    "effects twice": run_twice,
    "effects lost": no_print,
    "arguments copied": copied_arguments,
    "stale static": stale_static,
    "run at specialization time": run_early,
    "context lost": on_error(without_context),
    "text of exception": on_error(shorter_text),
    "type of exception": on_error(lambda error: LookupError(*error.args)),
    "exception swallowed": swallow,
    "generator run at once": on_result(eager_generator),
    "crash": crash,
    "hang": hang,
}
