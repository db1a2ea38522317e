"""The standard modules that serve as subjects, and every function in them.

    functions_of(load("heapq"))      heappush, heappop, ..., merge: the Python versions, with their places

Some modules replace Python functions by C ones at their end (`from _heapq import *`); `load_pure` imports a second
copy of the module in which the C module seems to be missing, so that these functions are seen too.
Invariant: functions come in the order of the source, each once; only those written in the module's own file count.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = [
    "ACCELERATORS",
    "MODULES",
    "MORE",
    "TESTS",
    "Member",
    "functions_of",
    "load",
    "load_pure",
    "members",
    "own_functions",
]

MODULES = (
    "argparse", "ast", "base64", "bisect", "calendar", "collections", "colorsys", "configparser", "copy", "csv",
    "dataclasses", "difflib", "fnmatch", "fractions", "functools", "heapq", "html", "html.parser", "ipaddress",
    "json.decoder", "json.encoder", "json.scanner", "numbers", "operator", "pprint", "random", "re._parser",
    "re._compiler", "reprlib", "shlex", "statistics", "string", "tabnanny", "textwrap", "tokenize",
    "urllib.parse", "uuid",
)  # fmt: skip

ACCELERATORS = {
    "bisect": ("_bisect",),
    "collections": ("_collections",),
    "functools": ("_functools",),
    "heapq": ("_heapq",),
    "json.decoder": ("_json",),
    "json.encoder": ("_json",),
    "json.scanner": ("_json",),
    "operator": ("_operator",),
    "statistics": ("_statistics",),
}
"""The C modules that replace functions of a Python module."""

TESTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "textwrap": (("textwrap",), ("test_textwrap",)),
    "heapq": (("heapq",), ("test_heapq",)),
    "bisect": (("bisect",), ("test_bisect",)),
    "fractions": (("fractions",), ("test_fractions",)),
    "statistics": (("statistics",), ("test_statistics",)),
    "difflib": (("difflib",), ("test_difflib",)),
    "json": (("json.decoder", "json.encoder", "json.scanner"), ("test_json",)),
    "shlex": (("shlex",), ("test_shlex",)),
    "string": (("string",), ("test_string",)),
    "configparser": (("configparser",), ("test_configparser",)),
    "calendar": (("calendar",), ("test_calendar",)),
    "ipaddress": (("ipaddress",), ("test_ipaddress",)),
    "urllib.parse": (("urllib.parse",), ("test_urlparse",)),
    "colorsys": (("colorsys",), ("test_colorsys",)),
    "dataclasses": (("dataclasses",), ("test_dataclasses",)),
    "argparse": (("argparse",), ("test_argparse",)),
    "csv": (("csv",), ("test_csv",)),
    "html": (("html",), ("test_html",)),
    "html.parser": (("html.parser",), ("test_htmlparser",)),
    "base64": (("base64",), ("test_base64",)),
    "copy": (("copy",), ("test_copy",)),
    "pprint": (("pprint",), ("test_pprint",)),
    "random": (("random",), ("test_random",)),
    "functools": (("functools",), ("test_functools",)),
    "collections": (
        ("collections",),
        ("test_collections", "test_ordered_dict", "test_userdict", "test_userlist", "test_userstring"),
    ),
    "operator": (("operator",), ("test_operator",)),
    "numbers": (("numbers",), ("test_abstract_numbers",)),
    "reprlib": (("reprlib",), ("test_reprlib",)),
    "fnmatch": (("fnmatch",), ("test_fnmatch",)),
    "tabnanny": (("tabnanny",), ("test_tabnanny",)),
    "tokenize": (("tokenize",), ("test_tokenize",)),
    "uuid": (("uuid",), ("test_uuid",)),
    "ast": (("ast",), ("test_ast", "test_unparse")),
    "re": (("re._parser", "re._compiler"), ("test_re",)),
}
"""For each subject: its modules, and the tests in CPython's `test` package that exercise them."""


MORE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "abc": (("abc", "_py_abc"), ("test_abc",)),
    "cmd": (("cmd",), ("test_cmd",)),
    "codecs": (("codecs", "encodings", "encodings.idna", "encodings.punycode"), ("test_codecs",)),
    "contextlib": (("contextlib",), ("test_contextlib",)),
    "datetime": (("datetime", "_pydatetime"), ("test_datetime",)),
    "decimal": (("_pydecimal",), ("test_decimal",)),
    "dis": (("dis", "opcode"), ("test_dis",)),
    "email": (
        (
            "email.message",
            "email.header",
            "email.utils",
            "email.feedparser",
            "email.generator",
            "email._header_value_parser",
            "email.charset",
            "email.headerregistry",
            "email.policy",
            "email._parseaddr",
            "email._policybase",
        ),
        ("test_email",),
    ),
    "enum": (("enum",), ("test_enum",)),
    "filecmp": (("filecmp",), ("test_filecmp",)),
    "getopt": (("getopt",), ("test_getopt",)),
    "gettext": (("gettext",), ("test_gettext",)),
    "glob": (("glob",), ("test_glob",)),
    "graphlib": (("graphlib",), ("test_graphlib",)),
    "http": (("http.cookies", "http.cookiejar"), ("test_http_cookies", "test_http_cookiejar")),
    "inspect": (("inspect",), ("test_inspect",)),
    "linecache": (("linecache",), ("test_linecache",)),
    "locale": (("locale",), ("test_locale",)),
    "logging": (("logging", "logging.config", "logging.handlers"), ("test_logging",)),
    "mimetypes": (("mimetypes",), ("test_mimetypes",)),
    "optparse": (("optparse",), ("test_optparse",)),
    "pathlib": (("pathlib",), ("test_pathlib",)),
    "pickle": (("pickle", "pickletools"), ("test_pickle", "test_pickletools")),
    "plistlib": (("plistlib",), ("test_plistlib",)),
    "queue": (("queue",), ("test_queue",)),
    "sched": (("sched",), ("test_sched",)),
    "shutil": (("shutil",), ("test_shutil",)),
    "stat": (("stat",), ("test_stat",)),
    "tarfile": (("tarfile",), ("test_tarfile",)),
    "tempfile": (("tempfile",), ("test_tempfile",)),
    "traceback": (("traceback",), ("test_traceback",)),
    "typing": (("typing",), ("test_typing",)),
    "unittest.mock": (("unittest.mock",), ("test_unittest",)),
    "weakref": (("weakref", "_weakrefset"), ("test_weakref", "test_weakset")),
    "xml": (
        ("xml.etree.ElementTree", "xml.dom.minidom", "xml.sax.expatreader"),
        ("test_xml_etree", "test_minidom", "test_sax"),
    ),
    "zipfile": (("zipfile",), ("test_zipfile",)),
    "zoneinfo": (("zoneinfo._zoneinfo", "zoneinfo._common"), ("test_zoneinfo",)),
}
"""Subjects beyond the list of MODULES: `tools.stdlib_meaning --more`."""

Wrap: TypeAlias = Callable[[Any, types.FunctionType], object]
"""From the present attribute and the new function to the new attribute."""


@dataclass(frozen=True)
class Member:
    """A function, its place in the module, and how to put another function there."""

    path: str
    function: types.FunctionType
    replace: Callable[[types.FunctionType], None]

    @property
    def key(self) -> tuple[str, int]:
        return self.function.__code__.co_qualname, self.function.__code__.co_firstlineno


def load(name: str) -> types.ModuleType:
    """The module as everyone gets it."""
    return importlib.import_module(name)


def load_pure(name: str) -> types.ModuleType | None:
    """A second copy of a module without its C accelerators; None if it has none, or cannot do without."""
    blocked = ACCELERATORS.get(name)
    if blocked is None:
        return None
    load(name)
    saved = {key: sys.modules.get(key) for key in (name, *blocked)}
    try:
        for key in blocked:
            sys.modules[key] = None  # type: ignore[assignment]
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        return None
    finally:
        for key, old in saved.items():
            if old is None:
                sys.modules.pop(key, None)
            else:
                sys.modules[key] = old
    return module


def members(module: types.ModuleType) -> list[Member]:
    """Every function and method written in the file of `module`, in the order of its source."""
    file = module.__file__
    found: dict[int, tuple[str, types.FunctionType, list[Callable[[types.FunctionType], None]]]] = {}
    classes: set[int] = set()

    def visit(owner: types.ModuleType | type, prefix: str) -> None:
        for name, raw in list(vars(owner).items()):
            if isinstance(raw, type):
                if raw.__module__ == module.__name__ and id(raw) not in classes:
                    classes.add(id(raw))
                    visit(raw, f"{prefix}{name}.")
                continue
            for function, wrap in _unwrapped(raw):
                if function.__code__.co_filename == file:
                    entry = found.setdefault(id(function), (prefix + name, function, []))
                    entry[2].append(_setter(owner, name, wrap))

    visit(module, "")
    result = [Member(path, function, _everywhere(places)) for path, function, places in found.values()]
    return sorted(result, key=lambda member: (member.function.__code__.co_firstlineno, member.path))


def _everywhere(places: list[Callable[[types.FunctionType], None]]) -> Callable[[types.FunctionType], None]:
    """Put a function under all names that the old one has."""

    def replace(function: types.FunctionType) -> None:
        for put in places:
            put(function)

    return replace


def _setter(owner: type | types.ModuleType, name: str, wrap: Wrap) -> Callable[[types.FunctionType], None]:
    return lambda function: setattr(owner, name, wrap(vars(owner)[name], function))


def _rewrapped(raw: Any, function: types.FunctionType) -> object:
    return type(raw)(function)


def _with_getter(raw: Any, function: types.FunctionType) -> object:
    return property(function, raw.fset, raw.fdel, raw.__doc__)


def _with_setter(raw: Any, function: types.FunctionType) -> object:
    return property(raw.fget, function, raw.fdel, raw.__doc__)


def _with_deleter(raw: Any, function: types.FunctionType) -> object:
    return property(raw.fget, raw.fset, function, raw.__doc__)


def _unwrapped(raw: object) -> Iterator[tuple[types.FunctionType, Wrap]]:
    """The functions inside an attribute, each with how to rebuild the attribute around another function.

    What a decorator wrapped can be replaced only in place (by its code); rebuilding it raises TypeError."""

    def fixed(_raw: object, _function: types.FunctionType) -> object:
        raise TypeError("the function is wrapped by a decorator")

    if isinstance(raw, staticmethod | classmethod):
        for function, _wrap in _unwrapped(raw.__func__):
            yield function, (_rewrapped if function is raw.__func__ else fixed)
    elif isinstance(raw, property):
        for part, wrap in ((raw.fget, _with_getter), (raw.fset, _with_setter), (raw.fdel, _with_deleter)):
            if isinstance(part, types.FunctionType):
                yield part, wrap
    elif isinstance(raw, functools.cached_property | functools.partialmethod | functools.singledispatchmethod):
        yield from ((function, fixed) for function, _ in _unwrapped(raw.func))
    elif isinstance(raw, types.FunctionType):
        yield raw, lambda _raw, function: function
    descriptor = isinstance(raw, type | staticmethod | classmethod)
    # Looked up without `__getattr__`: a mock has every attribute.
    wrapped = None if descriptor else inspect.getattr_static(raw, "__wrapped__", None)
    if wrapped is not None:
        yield from ((function, fixed) for function, _ in _unwrapped(wrapped))


def own_functions(name: str) -> list[Member]:
    """The functions of a module and of its copy without accelerators, each place once."""
    result: dict[tuple[str, int], Member] = {}
    for module in (load(name), load_pure(name)):
        if module is not None:
            for member in members(module):
                result.setdefault(member.key, member)
    return sorted(result.values(), key=lambda member: member.key[1])


def functions_of(module: types.ModuleType) -> list[types.FunctionType]:
    """The functions alone."""
    return [member.function for member in members(module)]
