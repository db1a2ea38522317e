"""Random functions over a static object and open inputs, in series of calls: what one call does to the static object,
by whatever code runs in place of the residual, the next ones see.

The open inputs are of the promised or likely classes and of others, are left out or given, and are now and then the
static object itself.

Invariant: each call of the series gives, raises and stores what the original does.
"""

from __future__ import annotations

import importlib.util
import pickle
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from futamura import Dyn, SpecializationError, Specializer

HEAD = """
class Box:
    def __init__(self):
        self.k, self.n, self.items, self.d = 1, 0, [1, 2], {"x": 1}
        self.sub = None
    def get(self):
        return self.k
    def put(self, value):
        self.k = value
"""
STEPS = (
    "other.k = a", "box.k = a", "other.items.append(a)", "box.items.append(a)", "other.d[b] = a", "box.n += 1",
    "other.n = b", "other.items = [a]", "text = str(b)", "out.append(text)", "out.append(box.k)", "out.append(box.n)",
    "out.append(len(box.items))", "out.append(box.items[-1])", "out.append(list(box.d))", "out.append(other.k)",
    "other.items.pop()", "del other.items[0]", "out.append(f'{a}')", "text = a", "out.append(a == b)",
    "out.append(box is other)", "box.k, other.n = other.n, box.k", "out.append(box.get())", "box.put(a)",
    "other.put(b)", "del other.k", "out.append(list(vars(box)))", "out.extend(box.items)",
)  # fmt: skip
TESTS = (
    "type(a) is not int", "type(b) is str", "force is None", "force", "box.k == 1", "len(box.items) > 2", "a == b",
    "b", "text == 'x'", "'a' in box.d", "isinstance(b, str)", "other.k == 1", "box.n > 1", "other is box",
)  # fmt: skip
HOWS = ("usual", "strict", "pickled", "trusted")


def _lines(rng: random.Random, depth: int, indent: str) -> list[str]:
    found: list[str] = []
    for _ in range(rng.randint(1, 4)):
        kind = rng.random() if depth else 0.0
        if kind < 0.65:
            found.append(indent + rng.choice(STEPS))
        elif kind < 0.9:
            found += [f"{indent}if {rng.choice(TESTS)}:", *_lines(rng, depth - 1, indent + "    ")]
            if rng.random() < 0.5:
                found += [f"{indent}else:", *_lines(rng, depth - 1, indent + "    ")]
        elif kind < 0.95:
            found += [f"{indent}try:", *_lines(rng, depth - 1, indent + "    ")]
            found += [f"{indent}except (AttributeError, IndexError):", *_lines(rng, depth - 1, indent + "    ")]
        else:
            found.append(f"{indent}if {rng.choice(TESTS)}: raise ValueError(box.k)")
    return found


def _function(rng: random.Random, number: int) -> list[str]:
    return [
        f"def f{number}(box, other, a, b, force=None):", "    out, text = [], ''",
        *_lines(rng, 3, "    "), "    return out, box.k, len(box.items), box.n", "",
    ]  # fmt: skip


def _outcome(call: Any, *args: Any) -> Any:
    try:
        return repr(call(*args))
    except (ValueError, AttributeError, IndexError, TypeError) as error:
        return type(error).__name__, str(error)


def _state(box: Any) -> str:
    return repr({name: value for name, value in vars(box).items() if name != "sub"})


@pytest.mark.parametrize("seed", range(8))
def test_series_of_calls(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    count = 12
    path = tmp_path / f"series_{seed}.py"
    path.write_text(HEAD + "\n".join(line for number in range(count) for line in _function(rng, number)))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)
    spec.loader.exec_module(module)
    for number in range(count):
        function = getattr(module, f"f{number}")
        how, promises = HOWS[number % len(HOWS)], [{}, {"a": Dyn(int)}, {"b": Dyn(str)}][rng.randrange(3)]
        maker = Specializer(strict=how == "strict", assume="trust" if how == "trusted" else "check")
        try:
            residual: Any = maker(function, box=module.Box(), **promises)
        except SpecializationError:
            assert how == "strict"
            continue
        residual = pickle.loads(pickle.dumps(residual)) if how == "pickled" else residual
        mine, theirs = residual.static["box"], module.Box()
        others = module.Box(), module.Box()
        for _ in range(10):
            same = rng.random() < 0.3
            rest = [rng.choice((1, 2, "x", 2.5)), rng.choice(("x", "a", 3)), *rng.choice(([], [], [None], [1]))]
            found = _outcome(residual, mine if same else others[0], *rest)
            wanted = _outcome(function, theirs, theirs if same else others[1], *rest)
            assert found == wanted and _state(mine) == _state(theirs), (path.read_text(), number, same, rest)
            assert _state(others[0]) == _state(others[1])
