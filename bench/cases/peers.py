"""Libraries that do the same work: each a function of the open inputs, or absent if it is not installed.

    structurers(Order)["cattrs"]({"number": 7, ...})    gives an Order

Invariant: making a peer may fail for any reason of its own; then it is left out, and the table says so by its absence.
"""

from __future__ import annotations

import ast
import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

from bench.cases.loading import home

__all__ = ["decoders", "powers", "routers", "structurers", "templates", "unstructurers", "validators"]

Peer = Callable[..., Any]


def _present(**makers: Callable[[], Peer]) -> dict[str, Peer]:
    found: dict[str, Peer] = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except Exception:
            continue
    return found


def validators(schema: Any) -> dict[str, Peer]:
    def fast() -> Peer:
        made: Peer = importlib.import_module("fastjsonschema").compile(schema)
        return made

    def plain() -> Peer:
        library = importlib.import_module("jsonschema")
        made = library.validators.validator_for(schema)(schema)
        return lambda value: next(made.iter_errors(value), None)

    return _present(fastjsonschema=fast, jsonschema=plain)


def structurers(cls: type) -> dict[str, Peer]:
    def cattrs() -> Peer:
        converter = importlib.import_module("cattrs.preconf.json").make_converter(detailed_validation=False)
        return lambda value: converter.structure(value, cls)

    def mashumaro() -> Peer:
        made: Peer = _mashumaro(cls)[0].decode
        return made

    def adaptix() -> Peer:
        library = importlib.import_module("adaptix")
        made: Peer = library.Retort(strict_coercion=True, debug_trail=library.DebugTrail.FIRST).get_loader(cls)
        return made

    def dacite() -> Peer:
        library, moment = importlib.import_module("dacite"), importlib.import_module("datetime")
        config = library.Config(
            cast=[importlib.import_module("enum").Enum, tuple],
            type_hooks={moment.datetime: moment.datetime.fromisoformat},
        )
        return lambda value: library.from_dict(cls, value, config=config)

    return _present(cattrs=cattrs, mashumaro=mashumaro, adaptix=adaptix, dacite=dacite)


def unstructurers(cls: type) -> dict[str, Peer]:
    def cattrs() -> Peer:
        converter = importlib.import_module("cattrs.preconf.json").make_converter(detailed_validation=False)
        return lambda value: converter.unstructure(value, cls)

    def mashumaro() -> Peer:
        made: Peer = _mashumaro(cls)[1].encode
        return made

    def adaptix() -> Peer:
        library = importlib.import_module("adaptix")
        made: Peer = library.Retort(debug_trail=library.DebugTrail.FIRST).get_dumper(cls)
        return made

    return _present(cattrs=cattrs, mashumaro=mashumaro, adaptix=adaptix)


def _mashumaro(cls: type) -> tuple[Any, Any]:
    library = importlib.import_module("mashumaro.codecs")
    with home(cls):
        return library.BasicDecoder(cls), library.BasicEncoder(cls)


def powers(power: Callable[..., Any]) -> dict[str, Peer]:
    """peval 0.1.0 is older than `type_ignores`, and does not end where `inline` meets this recursion."""

    def peval() -> Peer:
        library = importlib.import_module("peval")
        module = functools.partial(ast.Module, type_ignores=[])
        newer = types.SimpleNamespace(**{**vars(ast), "Module": module})
        vars(importlib.import_module("peval.core.function"))["ast"] = newer
        made: Peer = library.partial_apply(power, n=13)
        return made

    return _present(peval=peval)


def routers(data: Any) -> dict[str, Peer]:
    def werkzeug() -> Peer:
        routing = importlib.import_module("werkzeug.routing")

        class Slug(routing.BaseConverter):  # type: ignore[misc, name-defined]
            regex = r"[a-z0-9]+(?:-[a-z0-9]+)*"

        rules = [
            routing.Rule(
                pattern.replace("<text:", "<string:").replace("<str:", "<string:"), methods=[method], endpoint=endpoint
            )
            for method, pattern, endpoint in data.TABLE
        ]
        adapter = routing.Map(rules, converters={"slug": Slug}, strict_slashes=False).bind("example.org")
        return lambda method, path: adapter.match(path, method=method)

    return _present(werkzeug=werkzeug)


def decoders() -> dict[str, Peer]:
    def construct(compiled: bool) -> Peer:
        c = importlib.import_module("construct")
        layout = c.Struct(
            "version" / c.Int8ub,
            "bits" / c.BitStruct("charging" / c.Bit, "alarm" / c.Bit, "mode" / c.BitsInteger(3),
                                 "channel" / c.BitsInteger(3)),
            "serial" / c.Int32ub,
            "offset" / c.Int16sb,
            "name" / c.PascalString(c.Int8ub, "utf8"),
            "active" / c.Flag,
            "samples" / c.PrefixedArray(c.Int8ub, c.Struct("time" / c.Int16ub, "value" / c.Float64b)),
        )  # fmt: skip
        made: Peer = layout.compile().parse if compiled else layout.parse
        return made

    return _present(construct=lambda: construct(False), construct_compiled=lambda: construct(True))


def templates() -> dict[str, Peer]:
    def jinja2() -> Peer:
        text = (
            "<html><head><title>{{title}}</title></head>\n<body>\n<h1>{{title}}</h1>\n"
            "{% if user %}<p>Hello {{user.name}} of {{user.address.town}}</p>{% else %}<p>Please log in.</p>"
            "{% endif %}\n"
            "<table>\n{% for row in rows %}<tr><td>{{row.article}}</td><td>{{row.count}}</td>"
            "{% if row.rebate %}<td>{{row.rebate}}</td>{% endif %}</tr>\n{% endfor %}\n</table>\n{{footer|safe}}\n"
            "</body></html>\n"
        )
        template = importlib.import_module("jinja2").Environment(autoescape=True).from_string(text)
        return lambda data: template.render(data)

    return _present(jinja2=jinja2)
