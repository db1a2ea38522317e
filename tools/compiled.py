"""The compiled core: the specializer, the optimizer and the printing of Python, as an extension module.

    python -m tools.compiled                     a whole package in build/compiled, with the core compiled
    PYTHONPATH=build/compiled python ...         uses it

mypyc compiles the modules as they are; what they do does not change, and the texts of residuals are the same ones.
A wheel holds the compiled core if it is built with `HATCH_BUILD_HOOKS_ENABLE=1` (see `hatch_build.py`).

Invariant: nothing is written into `src`; a module is compiled from its source as it stands or not at all.
"""

from __future__ import annotations

import argparse
import builtins
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

__all__ = ["build", "compiled_modules"]

HOUSE: Final = Path(__file__).resolve().parent.parent
PARTS: Final = ("ir", "specializer", "optimize", "backend/structure", "backend/python")
INTERPRETED: Final = {
    "specializer/answering.py": "its functions are specialized themselves",
    "specializer/by_name.py": "its functions are specialized themselves",
    "specializer/comparing.py": "its function is specialized itself",
    "specializer/library.py": "its functions are specialized themselves",
    "specializer/iterators.py": "its functions are specialized themselves",
    "ir/interp.py": "exceptions get the causes and contexts that the interpreter gives them",
    "ir/evaluate.py": "exceptions get the causes and contexts that the interpreter gives them",
    "backend/python/emitted.py": "what is pickled is taken apart and put together by Python",
    "backend/python/listing.py": "what is pickled is taken apart and put together by Python",
    "backend/python/loading.py": "what it takes from functions and gives them may be anything",
    "backend/python/entrytest.py": "a function in it is a pattern whose code others are made of",
    "ir/stamps.py": "it looks into functions of its own",
    "ir/words.py": "it looks into functions of its own",
}
"""Modules of these parts that stay Python, and why."""
GROUP: Final = "futamura"
"""What the extension module with the code is called; the modules themselves are small ones that lead there."""
VERSION: Final = "2.2"
"""The one version of mypy that is known to compile it right: of what newer ones make, values are freed too early."""
_TYPES: Final = {
    "object": "PyBaseObject_Type", "complex": "PyComplex_Type", "slice": "PySlice_Type", "property": "PyProperty_Type",
    "super": "PySuper_Type", "memoryview": "PyMemoryView_Type", "enumerate": "PyEnum_Type", "zip": "PyZip_Type",
    "map": "PyMap_Type", "filter": "PyFilter_Type", "reversed": "PyReversed_Type",
    "staticmethod": "PyStaticMethod_Type", "classmethod": "PyClassMethod_Type",
}  # fmt: skip


def compiled_modules(package: Path) -> list[Path]:
    """The modules of the package in this folder that are compiled."""
    found = [file for part in PARTS for file in sorted((package / part).rglob("*.py"))]
    return [
        file
        for file in found
        if file.name != "__init__.py" and file.relative_to(package).as_posix() not in INTERPRETED
    ]


def build(target: Path, house: Path = HOUSE, jobs: int | None = None) -> list[Path]:
    """Compile the core of `house/src/futamura`.  `target` becomes a folder with extension modules in the places that
    their modules have under `src`; gives their paths there.  Needs mypy, setuptools and a C compiler."""
    from setuptools import Distribution

    with tempfile.TemporaryDirectory() as scratch, _inside(house), _arguments():
        extensions = _generated(compiled_modules(Path("src/futamura")), Path(scratch, "c"))
        distribution = Distribution({"name": GROUP, "ext_modules": extensions, "packages": []})
        command = distribution.get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(target), str(Path(scratch, "o"))
        with _in_parallel(jobs or os.cpu_count() or 1):
            distribution.run_command("build_ext")
    return sorted(path for pattern in ("*.so", "*.pyd") for path in target.rglob(pattern))


def _generated(modules: Sequence[Path], target: Path) -> list[Any]:
    """What there is to compile: C code in `target`.  Raises `RuntimeError` if another version would make it."""
    from mypy.version import __version__ as version
    from mypyc.build import mypycify

    if not version.startswith(f"{VERSION}."):
        raise RuntimeError(f"mypy {VERSION} compiles the core, and this is {version}: pip install 'mypy=={VERSION}.*'")
    _name_builtin_classes()
    # the types are those of the Python that runs this: what must be ignored on one need not be on another
    options = ["--config-file=pyproject.toml", "--no-warn-unused-ignores", *map(str, modules)]
    made: list[Any] = mypycify(
        options, opt_level="3", debug_level="0", multi_file=True, group_name=GROUP, target_dir=str(target)
    )
    return made


def _name_builtin_classes() -> None:
    """Tell mypyc what the builtin classes are called in C: as the class of an attribute it knows only some, and looks
    for the others among the globals of the module."""
    from mypyc.ir.rtypes import object_rprimitive
    from mypyc.primitives import registry

    for name, cls in vars(builtins).items():
        full = f"builtins.{name}"
        if not isinstance(cls, type) or cls.__name__ != name or full in registry.builtin_names:
            continue
        if issubclass(cls, BaseException):
            registry.load_address_op(full, object_rprimitive, f"*PyExc_{name}")
        elif name in _TYPES:
            registry.load_address_op(full, object_rprimitive, _TYPES[name])


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _arguments() -> Iterator[None]:
    """What builds extension modules looks at the arguments of the command; these are not for it."""
    before = sys.argv
    sys.argv = before[:1]
    try:
        yield
    finally:
        sys.argv = before


@contextmanager
def _in_parallel(jobs: int) -> Iterator[None]:
    """One extension module has hundreds of files, which setuptools compiles one after the other."""
    from setuptools._distutils import ccompiler

    kind: Any = ccompiler.CCompiler
    before: Callable[..., Any] = kind.compile

    def compile_all(self: Any, sources: Sequence[str], *args: Any, **options: Any) -> list[str]:
        each: list[Callable[[], list[str]]] = [_bound(before, self, source, args, options) for source in sources]
        with ThreadPoolExecutor(jobs) as pool:
            return [made for one in pool.map(lambda run: run(), each) for made in one]

    kind.compile = compile_all
    try:
        yield
    finally:
        kind.compile = before


def _bound(compiling: Callable[..., Any], compiler: Any, source: str, args: Any, options: Any) -> Callable[[], Any]:
    return lambda: compiling(compiler, [source], *args, **options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    place = HOUSE / "build" / "compiled"
    parser.add_argument("--to", type=Path, default=place, help="a new folder, or one that this has made")
    parser.add_argument("--jobs", type=int, help="how many files are compiled at the same time")
    arguments = parser.parse_args()
    if arguments.to.exists() and any(arguments.to.iterdir()) and not any(arguments.to.glob(f"{GROUP}__mypyc.*")):
        parser.error(f"{arguments.to} is not empty, and was not made by this")
    with tempfile.TemporaryDirectory() as scratch:
        try:
            made = build(Path(scratch), jobs=arguments.jobs)
        except RuntimeError as wrong:
            parser.error(str(wrong))
        shutil.rmtree(arguments.to, ignore_errors=True)
        shutil.copytree(HOUSE / "src", arguments.to, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        for file in made:
            shutil.copy(file, arguments.to / file.relative_to(scratch))
    print(f"{arguments.to}: {len(made) - 1} modules are compiled")


if __name__ == "__main__":
    main()
