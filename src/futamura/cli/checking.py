"""`futamura check`: the residual against the original, on many inputs.

    $ futamura check shop.py:price rate=3 --runs 500
    equal: price on 500 inputs

Values for the open inputs come from their promises (`x:float`), their annotations, or a mixture of plain objects; with
`--hypothesis N` from strategies that shrink a difference, with `--inputs FILE` from a JSON list of argument lists.
Compared are the result with exact types (of a coroutine what it gives when it is run, of a generator its first items),
the exception with its text, what was printed, and what became of the arguments.

Invariant: each side has its own copy of the arguments, and of the static inputs, which calls may change; exit code 1
means a difference was found.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import importlib
import inspect
import io
import json
import random
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, get_args, get_origin

import click

from futamura.api import Dyn
from futamura.cli.commands import as_json, deliver
from futamura.cli.specializing import (
    INPUTS,
    TARGET,
    Settings,
    controls,
    document,
    find_function,
    made,
    read_and_bind,
    report,
)
from futamura.residual import Residual, original_with

__all__ = ["check", "observe"]

_MIXED: Final[tuple[Any, ...]] = (
    int, float, str, bool, type(None), list[int], list[str], dict[str, int], tuple[int, int],
)  # fmt: skip
_NAMES: Final = {kind.__name__: kind for kind in (int, float, str, bytes, bool, list, dict, tuple, set)}
DEPTH: Final = 50
"""Levels of a result that are compared one by one."""
ITEMS: Final = 100
"""So many items of a generator."""


@click.command(short_help="Compare the residual of TARGET with the original.")
@TARGET
@INPUTS
@click.option("--runs", type=click.IntRange(min=1), default=200, show_default=True, help="Inputs to try.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random inputs.")
@click.option("--hypothesis", "examples", type=click.IntRange(min=1), metavar="N",
              help="Let hypothesis choose N inputs, and shrink what differs.")  # fmt: skip
@click.option("--inputs", "file", type=click.Path(path_type=Path), metavar="FILE",
              help="A JSON file: a list of argument lists or of objects.")  # fmt: skip
@controls
def check(
    target: str,
    inputs: tuple[str, ...],
    runs: int,
    seed: int,
    examples: int | None,
    file: Path | None,
    **options: Any,
) -> int:
    """Run the residual of TARGET and the original on many inputs, and report the first difference."""
    settings = Settings(**options)
    given = read_and_bind(target, inputs)
    function = find_function(target)
    compare = None if examples is None else _hypothesis()
    cases = None if file is None else _read_cases(file)
    residual = made(function, given, settings)
    code = report(residual, settings)
    pair = _Pair(residual)
    kinds = _kinds(residual, given)
    if cases is not None:
        found = next(filter(None, (pair.difference(*case) for case in cases)), None)
        count = len(cases)
    elif compare is not None and examples is not None:
        found, count = _search(compare, pair, kinds, examples), examples
    else:
        choice = random.Random(seed)
        tries = (pair.difference([_sample(kind, choice) for kind in kinds]) for _ in range(runs))
        found, count = next(filter(None, tries), None), runs
    if settings.output_format == "json":
        deliver(
            as_json(equal=not found, inputs=count, difference=found or None, residual=document(residual, settings)),
            None,
        )
        return 1 if found else code
    if found:
        click.echo(f"different: {residual.__qualname__}{found}")
        return 1
    click.echo(f"equal: {residual.__qualname__} on {count} inputs")
    return code


class _Pair:
    """The original and the residual, to be run on the same arguments."""

    def __init__(self, residual: Residual) -> None:
        target = residual.py_func
        function: Any = target.__func__ if isinstance(target, types.MethodType) else target
        self._residual: Final = residual
        self._twins: Final = [original_with(function, _copy(dict(residual.static))) for _ in range(2)]

    def difference(self, arguments: list[Any], keywords: dict[str, Any] | None = None) -> str:
        """A text that shows how the two differ on these arguments; empty if they do not."""
        words = keywords or {}
        expected, again = (observe(twin, *copy.deepcopy((arguments, words))) for twin in self._twins)
        found = observe(self._residual, *copy.deepcopy((arguments, words)))
        if expected == found or again != expected:  # an original that does not repeat cannot be compared with
            return ""
        shown = ", ".join([*map(repr, arguments), *(f"{name}={value!r}" for name, value in words.items())])
        lines = [f"({shown})"]
        lines.extend(
            f"  {name}: original {before[:300]}, residual {after[:300]}"
            for name, before, after in zip(("result", "printed", "arguments"), expected, found)
            if before != after
        )
        return "\n".join(lines)


def _copy(static: dict[str, object]) -> dict[str, object]:
    """The static inputs for one side; what cannot be copied is shared."""
    try:
        return copy.deepcopy(static)
    except Exception:  # whatever the copying of a foreign object raises
        return static


def observe(function: Callable[..., Any], arguments: list[Any], keywords: dict[str, Any]) -> tuple[str, str, str]:
    """What a call gives or raises, what it prints, and what becomes of its arguments."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = "gives " + used(function(*arguments, **keywords))
        except Exception as error:
            result = f"raises {type(error).__qualname__}: {error}"
    return result, printed.getvalue(), described((arguments, keywords))


def used(value: object) -> str:
    """What a call gave: of a coroutine what it gives in an event loop of its own, of a generator its first items, and
    what ends it."""
    if isinstance(value, types.CoroutineType):
        return f"a coroutine that gives {described(asyncio.run(value))}"
    if not isinstance(value, types.GeneratorType):
        return described(value)
    items: list[str] = []
    end = "more"
    try:
        while len(items) < ITEMS:
            items.append(described(next(value)))
    except StopIteration as stop:
        end = described(stop.value)
    except Exception as error:
        end = f"{type(error).__qualname__}: {error}"
    return f"a generator of {', '.join(items) or 'nothing'}, then {end}"


def described(value: object, depth: int = DEPTH) -> str:
    """A text in which values of different type or content differ."""
    kind = type(value)
    if depth == 0 or kind in (int, float, complex, str, bytes, bool, type(None), range):
        return f"{kind.__name__} {value!r}"
    if isinstance(value, (list, tuple)):
        return f"{kind.__name__}({', '.join(described(item, depth - 1) for item in value)})"
    if isinstance(value, dict):
        items = (f"{described(key, depth - 1)}: {described(item, depth - 1)}" for key, item in value.items())
        return f"{kind.__name__}({', '.join(items)})"
    if isinstance(value, (set, frozenset)):
        return f"{kind.__name__}({', '.join(sorted(described(item, depth - 1) for item in value))})"
    if isinstance(value, (type, types.FunctionType, types.ModuleType)):
        return f"{kind.__name__} {value.__name__}"
    fields = getattr(value, "__dict__", None)
    inside = described(dict(fields), depth - 1) if isinstance(fields, dict) else ""
    return f"{kind.__qualname__}({inside})"


# -- inputs


def _kinds(residual: Residual, given: dict[str, object]) -> list[Any]:
    """The type of each open input: promised, annotated, or None for a mixture."""
    kinds = []
    for parameter in residual.__signature__.parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            break
        promise = given.get(parameter.name)
        note = _NAMES.get(parameter.annotation) if isinstance(parameter.annotation, str) else parameter.annotation
        kinds.append(promise.type if isinstance(promise, Dyn) else None if note is parameter.empty else note)
    return kinds


def _sample(kind: Any, choice: random.Random) -> Any:
    """A random value of a kind; for one that is not known, a mixture."""
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin is types.UnionType:
        return _sample(choice.choice(arguments), choice)
    if origin is bool:
        return choice.random() < 0.5
    if origin is int:
        return choice.choice([0, 1, -1, 2, 7, 255, 10**20, choice.randint(-100, 100)])
    if origin is float:
        return choice.choice([0.0, -0.0, 1.5, -2.25, 1e300, float("inf"), choice.uniform(-10, 10)])
    if origin is str:
        return "".join(choice.choices("abAB01 \n-é", k=choice.randint(0, 8)))
    if origin is bytes:
        return bytes(choice.choices(range(256), k=choice.randint(0, 8)))
    if origin in (type(None), None) and kind is not None:
        return None
    count = choice.randint(0, 4)
    if origin is tuple and arguments and arguments[-1] is not ...:
        return tuple(_sample(argument, choice) for argument in arguments)
    inner = arguments[0] if arguments else choice.choice((int, str))
    if origin in (list, tuple, set, frozenset):
        return origin(_sample(inner, choice) for _ in range(count))
    if origin is dict:
        second = arguments[1] if arguments else int
        return {_sample(inner, choice): _sample(second, choice) for _ in range(count)}
    return _sample(choice.choice(_MIXED), choice)


def _read_cases(file: Path) -> list[tuple[list[Any], dict[str, Any]]]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise click.UsageError(f"cannot read '{file}': {error.strerror or error}") from None
    except ValueError as error:
        raise click.UsageError(f"'{file}' is not JSON: {error}") from None
    if not isinstance(found, list) or not all(isinstance(case, (list, dict)) for case in found):
        raise click.UsageError(f"'{file}' is not a list of argument lists or objects")
    return [([], case) if isinstance(case, dict) else (case, {}) for case in found]


def _hypothesis() -> Any:
    try:
        return importlib.import_module("hypothesis")
    except ImportError:
        raise click.UsageError("--hypothesis needs the package hypothesis: pip install hypothesis") from None


def _search(hypothesis: Any, pair: _Pair, kinds: list[Any], examples: int) -> str:
    """The smallest difference that hypothesis finds; empty if it finds none."""
    strategies = hypothesis.strategies
    values = strategies.tuples(*(_strategy(strategies, kind) for kind in kinds))
    found: list[str] = []

    def run(arguments: tuple[Any, ...]) -> None:
        difference = pair.difference(list(arguments))
        if difference:
            found.append(difference)
            raise AssertionError(difference)

    test = hypothesis.settings(
        max_examples=examples, deadline=None, database=None, derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck), report_multiple_bugs=False,
    )(hypothesis.given(values)(run))  # fmt: skip
    with contextlib.suppress(AssertionError), contextlib.redirect_stdout(io.StringIO()):
        test()
    return found[-1] if found else ""


def _strategy(strategies: Any, kind: Any) -> Any:
    if kind is None or kind is inspect.Parameter.empty:
        return strategies.one_of(*(strategies.from_type(option) for option in _MIXED))
    bare = {list: list[int], dict: dict[str, int], tuple: tuple[int, ...], set: set[int]}
    return strategies.from_type(bare.get(kind, kind))
