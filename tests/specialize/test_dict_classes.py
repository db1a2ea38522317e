"""Instances of classes that extend `dict`: what disappears with them, and what a saved module says.

    asked(("a", "c"), x)     ->    [x, 3]: no environment is left, only what was asked of it

Invariant: a module that was saved makes the same instances without futamura.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from futamura import specialize


class Env(dict[str, Any]):
    """Variables, with an outer environment."""

    def __init__(self, outer: Env | None = None, **variables: Any) -> None:
        super().__init__()
        self.update(variables)
        self.outer = outer

    def find(self, name: str) -> Any:
        return self[name] if name in self or self.outer is None else self.outer.find(name)


def asked(names: tuple[str, ...], x: Any) -> list[Any]:
    env = Env(Env(a=x, b=2), c=3)
    return [env.find(name) for name in names]


def given(name: str, x: Any) -> Env:
    env = Env(a=x)
    env[name] = env.find("a")
    return env


def test_no_environment_is_left() -> None:
    residual = specialize(asked, ("a", "c", "b"))
    assert residual("x") == ["x", 3, 2]
    assert not {"Env", "find", "update"} & set(residual.source.replace("(", " ").replace(".", " ").split())


def test_a_saved_module_makes_the_instance(tmp_path: Path) -> None:
    residual = specialize(given, "b")
    made = residual(5)
    assert type(made) is Env and made == {"a": 5, "b": 5} and made.outer is None
    residual.save(str(tmp_path / "saved.py"))
    script = "import saved; made = saved.given(5); print(type(made).__name__, dict(made), made.outer)"
    root = str(Path(__file__).parents[2])
    shown = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {root!r}, {root + '/src'!r}]; {script}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stdout == "Env {'a': 5, 'b': 5} None\n"
