"""Import statements inside of functions: what modules that are loaded have is known.

    def f(x): from math import sqrt; return sqrt(4) * x        ->    return 2.0 * x

Invariant: other modules under the same names, and other things in them, are noticed at the next call; nothing is
imported while something is specialized.
"""

from __future__ import annotations

import importlib
import math
import os.path
import pickle
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import futamura
from tests.outcomes import outcome

# mypy: disable-error-code="no-untyped-def, no-untyped-call"


def plain(x):
    import math

    return math.sqrt(4) * x


def members(x):
    from math import floor as down
    from math import pi, sqrt

    return down(pi) + sqrt(9) + x


def parts(x):
    import os.path

    return os.path.join("a", "b"), os.path.sep, x


def part_as(x):
    import os.path as path

    return path.join("a", x)


def optional(x):
    try:
        import no_such_module_anywhere as found
    except ImportError:
        found = None
    return found, x


def there(x):
    try:
        import json as fast
    except ImportError:
        fast = None
    return "none" if fast is None else fast.dumps(x)


def lacking(x):
    from math import no_such_function

    return no_such_function(x)


def again(n, x):
    found = []
    for _ in range(n):
        import math

        found.append(math.floor(x))
    return found


@pytest.mark.parametrize("function", [plain, members, parts, part_as, optional, there, lacking])
def test_local_imports(function: Any) -> None:
    assert os.path.sep and math.pi
    residual = futamura.specialize(function)
    for x in (2, "b", 1.5, None):
        assert outcome(residual, x) == outcome(function, x)
    if function in (plain, members, parts, part_as, there):
        assert "import" not in residual.source, residual.source
    else:
        assert "import" in residual.source


def test_in_a_loop() -> None:
    residual = futamura.specialize(again, n=3)
    assert "import" not in residual.source
    assert residual(2.5) == again(3, 2.5)


def test_another_module_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    residual = futamura.specialize(plain)
    assert residual(2) == 4.0
    with monkeypatch.context() as patch:
        other = ModuleType("math")
        other.sqrt = lambda x: 100  # type: ignore[attr-defined]
        patch.setitem(sys.modules, "math", other)
        assert residual(2) == 200
    with monkeypatch.context() as patch:
        patch.setattr(math, "sqrt", lambda x: 7)
        assert residual(2) == 14
    with monkeypatch.context() as patch:
        patch.delitem(sys.modules, "math")
        assert residual(2) == 4.0
    assert residual(2) == 4.0


def test_a_residual_travels(tmp_path: Path) -> None:
    residual = futamura.specialize(members)
    again = pickle.loads(pickle.dumps(residual))
    assert again(1) == members(1)
    residual.save(tmp_path / "made.py")
    text = (tmp_path / "made.py").read_text()
    space: dict[str, Any] = {"__name__": "made"}
    exec(compile(text, "made.py", "exec"), space)
    assert space["members"](1) == members(1)


PACKAGE = {
    "__init__.py": "log = []\n",
    "inner.py": "from . import log\nlog.append('inner')\nRATE = 3\n\nclass Loader:\n    def load(self, x):\n"
    "        return x * RATE\n",
    "late.py": "from . import log\nlog.append('late')\nVALUE = 5\n",
    "using.py": "def relative(x):\n    from .inner import Loader\n    return Loader().load(x)\n\n"
    "def submodule(x):\n    from . import inner\n    return inner.RATE + x\n\n"
    "def late(x):\n    from . import late\n    return late.VALUE + x\n\n"
    "def dotted(x):\n    import loaded_package.inner\n    return loaded_package.inner.Loader().load(x)\n",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    folder = tmp_path / "loaded_package"
    folder.mkdir()
    for name, text in PACKAGE.items():
        (folder / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("loaded_package.using")
    for name in [one for one in sys.modules if one.partition(".")[0] == "loaded_package"]:
        del sys.modules[name]


def test_modules_of_a_package(package: Any) -> None:
    log = sys.modules["loaded_package"].log
    early = futamura.specialize(package.relative)
    late = futamura.specialize(package.late)
    assert log == [], "nothing is imported by specializing"
    assert early(2) == 6 and log == ["inner"]
    assert late(2) == 7 and log == ["inner", "late"]
    for name in ("relative", "submodule", "late", "dotted"):
        residual = futamura.specialize(getattr(package, name))
        assert residual(4) == getattr(package, name)(4)
        assert "import" not in residual.source, residual.source
    assert log == ["inner", "late"]
    used = futamura.specialize(package.relative)
    sys.modules["loaded_package.inner"].RATE = 10  # type: ignore[attr-defined]
    assert used(2) == package.relative(2) == 20
