"""`futamura doctor`: what futamura finds on this machine, and whether a small specialization works.

    $ futamura doctor
    ok    futamura 0.1.0, CPython 3.11.7
    ok    click 8.3.1, rich 14.2.0, lark 1.3.1

Exit code 1 if something needed is missing or broken.  Invariant: nothing is changed.
"""

from __future__ import annotations

import importlib.metadata
import platform
import re
import sys
from collections.abc import Iterator

import click

import futamura
from futamura.api import specialize
from futamura.cli.commands import FORMAT, as_json
from futamura.specializer import online

__all__ = ["doctor", "is_compiled"]

OPTIONAL = ("hypothesis",)


def is_compiled() -> bool:
    """Is the core that is used an extension module?"""
    return not str(online.__file__).endswith(".py")


def _power(x: int, n: int) -> int:
    result = 1
    while n > 0:
        result *= x
        n -= 1
    return result


@click.command(short_help="Look at the installation.")
@FORMAT
def doctor(form: str) -> int:
    """Look at the installation: versions, what is missing, and whether a small specialization works."""
    findings = list(_findings())
    if form == "json":
        click.echo(as_json(findings=[{"ok": good, "text": text} for good, text in findings]))
    for good, text in findings if form != "json" else ():
        click.echo(f"{'ok   ' if good else 'wrong'}  {text}")
    return 0 if all(good for good, _ in findings) else 1


def _findings() -> Iterator[tuple[bool, str]]:
    implementation, version = platform.python_implementation(), platform.python_version()
    supported = implementation == "CPython" and (3, 11) <= sys.version_info[:2] <= (3, 13)
    advice = "" if supported else ": only CPython 3.11 to 3.13 is supported"
    yield supported, f"futamura {futamura.__version__}, {implementation} {version}{advice}"
    if _version("futamura") is None:
        yield True, "futamura is used from its source and not installed as a package: what it needs is not known"
    for requirement in _requirements():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        if "extra ==" in requirement:
            continue
        found = _version(name)
        yield found is not None, f"{name} {found or 'is missing: install ' + requirement}"
    for name in OPTIONAL:
        found = _version(name)
        yield True, f"{name} {found}" if found else f"{name} is not installed: `futamura check --hypothesis` needs it"
    yield True, "the core is compiled" if is_compiled() else "the core is not compiled: a compiled one is faster"
    cube = specialize(_power, n=3)
    works = cube.stats["specialized"] and cube(5) == 125 and "while" not in cube.source
    yield works, "a small function is specialized" if works else f"a small function is not specialized: {cube.events}"


def _requirements() -> list[str]:
    try:
        return importlib.metadata.requires("futamura") or []
    except importlib.metadata.PackageNotFoundError:
        return []


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
