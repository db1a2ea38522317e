"""The architecture as a test: reads the imports and the shape of the sources with `ast`.

    src/futamura/ir/x.py: `from futamura.frontend import y`    ->    test_imports_point_down fails, naming both

Ranks: a module may import only modules of a LOWER rank, or of its own folder; folders of equal rank never import
each other.  Every import counts, also one under TYPE_CHECKING.  Invariant: RANK lists every folder of the package.
"""

from __future__ import annotations

import ast
import functools
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import futamura

PACKAGE = "futamura"
HOUSE = Path(__file__).resolve().parent.parent
ROOT = HOUSE / "src" / PACKAGE
RANK = {
    "source": -1,  # `errors` draws its places with it
    "codes": -1,
    "controls": -1,
    "showing": -1,
    "spelling": -1,
    "standalone": -1,
    "writing": -1,
    "errors": 0,
    "ir": 1,
    "analysis": 2,
    "runtime": 2,
    "frontend": 3,
    "specializer": 3,
    "optimize": 3,
    "backend": 3,
    "driver": 4,
    "languages": 4,
    "embedding": 3,
    "another": 4,
    "entry": 4,
    "explaining": 4,
    "naming": 4,
    "saving": 4,
    "open_inputs": 5,
    "shipping": 5,
    "residual": 6,
    "drafts": 7,
    "api": 8,
    "cli": 9,
    "__init__": 9,
    "__main__": 10,
}
MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 80
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "core", "misc", "stuff"}
# Assembled from halves, so that this file may be searched like every other.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
MACHINE_PATHS = re.compile(r"(?<![\w.])/(?:home|root|work|Users)/\w")


@functools.cache
def modules() -> dict[str, Path]:
    return {
        ".".join((PACKAGE, *file.relative_to(ROOT).with_suffix("").parts)): file for file in sorted(ROOT.rglob("*.py"))
    }


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def scripts() -> list[Path]:
    return [file for folder in ("tools", "bench", "examples") for file in sorted((HOUSE / folder).rglob("*.py"))]


def imports(name: str, path: Path) -> Iterator[str]:
    here = name.split(".")[:-1]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: len(here) - node.level + 1]) if node.level else ""
            full = ".".join(part for part in (base, node.module) if part)
            for alias in node.names:
                yield f"{full}.{alias.name}"


def folder(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def edges() -> Iterator[tuple[str, str]]:
    known = modules()
    for name, path in known.items():
        for imported in imports(name, path):
            target = imported
            while target and target not in known and target + ".__init__" not in known:
                target = target.rpartition(".")[0]
            if target.startswith(PACKAGE + ".") and target != name:
                yield name, target


def test_every_folder_has_a_rank() -> None:
    assert sorted({folder(module) for module in modules()} - RANK.keys()) == []


def test_imports_point_down() -> None:
    bad = [(a, b) for a, b in edges() if folder(a) != folder(b) and RANK[folder(b)] >= RANK[folder(a)]]
    assert bad == []


def test_no_cycles() -> None:
    graph: dict[str, set[str]] = {}
    for a, b in edges():
        graph.setdefault(a, set()).add(b)
    state: dict[str, str] = {}

    def visit(module: str, trail: list[str]) -> None:
        assert state.get(module) != "open", " -> ".join([*trail, module])
        if module not in state:
            state[module] = "open"
            for target in sorted(graph.get(module, ())):
                visit(target, [*trail, module])
            state[module] = "done"

    for module in sorted(graph):
        visit(module, [])


def test_files_stay_small() -> None:
    long = [
        (name, lines)
        for name, file in modules().items()
        if (lines := file.read_text(encoding="utf-8").count("\n")) > MAX_FILE_LINES
    ]
    assert long == []


def test_functions_stay_short() -> None:
    long = []
    for file in [*modules().values(), *scripts()]:
        if "examples" in file.parts or file.name.startswith("loops"):
            continue  # subject programs, not parts of the evaluator
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > MAX_FUNCTION_LINES:
                    long.append((str(file.relative_to(HOUSE)), node.name, length))
    assert long == []


def test_no_imports_inside_functions() -> None:
    hidden = []
    for name, file in modules().items():
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                hidden += [
                    (name, inner.lineno) for inner in ast.walk(node) if isinstance(inner, ast.Import | ast.ImportFrom)
                ]
    assert hidden == []


def test_every_file_opens_with_a_docstring() -> None:
    files = [*modules().values(), *scripts(), *sorted((HOUSE / "tests").rglob("*.py"))]
    assert [str(file.relative_to(HOUSE)) for file in files if not ast.get_docstring(parsed(file))] == []


def test_names_say_what_is_inside() -> None:
    assert [name for name in modules() if VAGUE_NAMES & set(name.split("."))] == []


def texts() -> Iterator[tuple[str, str]]:
    suffixes = {".py", ".md", ".toml", ".test", ".txt"}
    for top in ("src", "tests", "tools", "bench", "examples", "docs", ".ci"):
        for file in sorted((HOUSE / top).rglob("*")):
            if file.is_file() and (file.suffix in suffixes or top == ".ci") and "__pycache__" not in file.parts:
                yield str(file.relative_to(HOUSE)), file.read_text(encoding="utf-8")
    for file in sorted(HOUSE.glob("*.md")):
        yield file.name, file.read_text(encoding="utf-8")
    yield "Makefile", (HOUSE / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [UNFINISHED, MACHINE_PATHS], ids=["unfinished", "machine paths"])
def test_no_forbidden_words(words: re.Pattern[str]) -> None:
    found = [(name, match.group()) for name, text in texts() for match in words.finditer(text)]
    assert found == []


def test_links_in_the_documentation_lead_somewhere() -> None:
    documents = [*sorted(HOUSE.glob("*.md")), *sorted((HOUSE / "docs").rglob("*.md"))]
    assert documents
    broken = []
    for document in documents:
        for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
            if "://" not in target and not (document.parent / target).exists():
                broken.append((document.name, target))
    assert broken == []


def test_commands_in_the_documentation_exist() -> None:
    text = "".join((HOUSE / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    named = set(re.findall(r"\b(?:tools|bench)\.\w+\b", text))
    assert named
    assert [
        name
        for name in sorted(named)
        if not any((HOUSE / name.replace(".", "/")).with_suffix(suffix).exists() for suffix in ("", ".py"))
    ] == []


def test_exported_names_are_listed_and_exist() -> None:
    assert list(futamura.__all__) == sorted(futamura.__all__)
    assert len(futamura.__all__) < 25
    for name in futamura.__all__:
        assert getattr(futamura, name) is not None
    assert set(futamura.__all__) <= set(dir(futamura))
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(futamura, "no_such_name")  # noqa: B009


def test_every_dunder_all_names_what_is_there() -> None:
    for name in modules():
        if name.endswith("__main__"):
            continue
        module = importlib.import_module(name.removesuffix(".__init__"))
        for exported in getattr(module, "__all__", ()):
            assert hasattr(module, exported), (name, exported)


def test_importing_the_package_is_light() -> None:
    program = "import sys, futamura; print(sorted(n for n in sys.modules if n.startswith('futamura.') or n == 'click'))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=None, cwd=HOUSE / "src"
    )
    assert done.stdout.strip() == "['futamura.controls']"
