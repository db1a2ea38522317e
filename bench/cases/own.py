"""The cases made of our own examples: the programs of `examples/`, and the experts of `experts`.

    own()    gives a list of makers: ("power", a function that gives the Case), ...

Invariant: a maker loads only what its case needs, so that one case can be measured alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from bench.cases import peers
from bench.cases.case import Case
from bench.cases.experts import machines, numeric, orders, rows
from bench.cases.loading import EXAMPLES, modules
from futamura import Dyn

__all__ = ["Maker", "own"]

Maker = tuple[str, Callable[[], Case]]

COEFFICIENTS = [0.0078125, 0.03125, 0.109375, 0.21875, 0.265625, 0.21875, 0.109375, 0.03125, 0.0078125]
SERIES = [1 / 5040, 0.0, -1 / 120, 0.125, -1 / 6, 0.5, 1.0, -2.0]
MATRIX = [0.8, -0.6, 0.0, 3.0, 0.6, 0.8, 0.0, -1.0, 0.0, 0.0, 2.0, 0.5, 0.0, 0.0, 0.0, 1.0]


def own() -> list[Maker]:
    """All cases by name."""
    return [
        ("squares", lambda: brainfuck("squares.b", machines.squares, 1.6)),
        ("mandelbrot", lambda: brainfuck("mandelbrot.b", None, None)),
        ("sieve", lambda: sieve("Machine")),
        ("sieve by methods", lambda: sieve("TableMachine")),
        ("condition", lambda: condition("select")),
        ("condition by visitor", lambda: condition("select_by_visitor")),
        ("schema", schema),
        ("structure", structure),
        ("unstructure", unstructure),
        ("fir", lambda: kernel("fir", 1.4)),
        ("polynomial", lambda: kernel("polynomial", 1.15)),
        ("sparse", sparse),
        ("transform", transform),
        ("power", power),
        ("router", router),
        ("decoder", decoder),
        ("templates", templates),
        ("regex", regex),
        ("connection by rows", lambda: connection("by_rows")),
        ("connection by pairs", lambda: connection("by_pairs")),
        ("connection by members", lambda: connection("by_members")),
    ]


def brainfuck(name: str, expert: Callable[..., Any] | None, aim: float | None) -> Case:
    (program,) = modules(EXAMPLES / "brainfuck", "brainfuck")
    code = program.parse((EXAMPLES / "brainfuck" / name).read_text(encoding="utf-8"))
    return Case(
        name.partition(".")[0], program.run, [(b"",)], {"program": code, "cells": 30000}, expert, {"text": Dyn(bytes)},
        aim=aim, once=expert is None,
    )  # fmt: skip


def sieve(style: str) -> Case:
    (program,) = modules(EXAMPLES / "stackvm", "stackvm")
    machine = getattr(program, style)(program.assemble(program.SIEVE))
    return Case(
        "sieve", machine.run, [(10000,)], expert=machines.sieve, declared={"args": Dyn(tuple[int])}, aim=1.15
    )


def condition(name: str) -> Case:
    (program,) = modules(EXAMPLES / "rowfilter", "rowfilter")
    tree = program.parse(rows.CONDITION)
    return Case(
        name, getattr(program, name), [(rows.rows(2000),)], {"tree": tree}, rows.select, {"rows": Dyn(list)},
        options={"bool_comparisons": True}, aim=1.15,
    )  # fmt: skip


def schema() -> Case:
    program, data = modules(EXAMPLES / "schema", "validator", "order")
    validator = program.Validator(data.SCHEMA)
    values = [data.order(number) for number in range(20)]
    return Case(
        "schema", validator.errors, [(value,) for value in [*values, *data.damaged()]], expert=orders.schema(validator),
        peers=peers.validators(data.SCHEMA), aim=1.25,
    )  # fmt: skip


def structure() -> Case:
    program, model = modules(EXAMPLES / "records", "records", "model")
    values = [model.raw(number) for number in range(20)]
    return Case(
        "structure", program.structure, [(value,) for value in [*values, *model.damaged()]],
        {"hint": model.Order, "path": ()}, orders.structuring(model, program), {"value": Dyn(dict)},
        peers.structurers(model.Order), aim=1.25,
    )  # fmt: skip


def unstructure() -> Case:
    program, model = modules(EXAMPLES / "records", "records", "model")
    values = [program.structure(model.Order, model.raw(number)) for number in range(20)]
    return Case(
        "unstructure", program.unstructure, [(value,) for value in values], {"hint": model.Order}, orders.unstructure,
        {"value": Dyn(model.Order)}, peers.unstructurers(model.Order), aim=1.25,
    )  # fmt: skip


def _floats(count: int, seed: int) -> list[float]:
    choose = random.Random(seed)
    return [choose.uniform(-1, 1) for _ in range(count)]


def kernel(name: str, aim: float) -> Case:
    (program,) = modules(EXAMPLES / "kernels", "kernels")
    known = COEFFICIENTS if name == "fir" else SERIES
    expert = getattr(numeric, name)(known)
    parameter = "samples" if name == "fir" else "xs"
    return Case(
        name, getattr(program, name), [(_floats(4000, 3),)], {"coefficients": known}, expert, {parameter: Dyn(list)},
        aim=aim,
    )  # fmt: skip


def sparse() -> Case:
    (program,) = modules(EXAMPLES / "kernels", "kernels")
    choose = random.Random(4)
    places = sorted({(choose.randrange(12), choose.randrange(12)) for _ in range(30)})
    entries = [(row, column, choose.choice([1.0, -1.0, 0.5, choose.random()])) for row, column in places]
    vectors: Sequence[tuple[list[float]]] = [(_floats(12, seed),) for seed in range(200)]
    return Case(
        "sparse", program.sparse, vectors, {"size": 12, "entries": entries}, numeric.sparse(12, entries),
        {"vector": Dyn(list[float], length=12)}, aim=1.15,
    )  # fmt: skip


def transform() -> Case:
    (program,) = modules(EXAMPLES / "kernels", "kernels")
    return Case(
        "transform", program.transform, [(_floats(16, seed),) for seed in range(200)], {"a": MATRIX, "size": 4},
        numeric.transform(MATRIX, 4), {"b": Dyn(list[float], length=16)}, aim=1.15,
    )  # fmt: skip


def power() -> Case:
    (program,) = modules(EXAMPLES / "kernels", "kernels")
    return Case(
        "power", program.power, [(x,) for x in _floats(200, 9)], {"n": 13}, numeric.power13, {"x": Dyn(float)},
        peers.powers(program.power), aim=1.15,
    )  # fmt: skip


def router() -> Case:
    (program,) = modules(EXAMPLES / "router", "router")
    return Case(
        "router", program.Router(program.TABLE).match, program.REQUESTS, expert=rows.router(program.TABLE, program),
        declared={"method": Dyn(str), "path": Dyn(str)}, peers=peers.routers(program), aim=2.0,
    )  # fmt: skip


def decoder() -> Case:
    (program,) = modules(EXAMPLES / "decoder", "decoder")
    data = program.sample()
    return Case(
        "decoder", program.decode, [(data,), (program.sample(1),), (data[:30],), (data + b"x",)],
        {"layout": program.SENSOR}, declared={"data": Dyn(bytes)}, peers=peers.decoders(), raising_peers=False,
    )  # fmt: skip


def templates() -> Case:
    (program,) = modules(EXAMPLES / "mustache", "mustache")
    return Case(
        "templates", program.render, [(program.page(number),) for number in range(6)],
        {"template": program.parse(program.PAGE)}, declared={"data": Dyn(dict)}, peers=peers.templates(),
    )  # fmt: skip


def regex() -> Case:
    (program,) = modules(EXAMPLES / "regex", "regex")
    tree = program.parse("(a|b)*c[0-9]+x?")
    texts = ["abac123x", "abbabac7", "c1x", "abab", "", "abc12xx", "ab" * 20 + "c" + "7" * 30 + "x"]
    return Case(
        "regex", program.matches, [(text,) for text in texts], {"tree": tree}, declared={"text": Dyn(str)}
    )


def connection(name: str) -> Case:
    (program,) = modules(EXAMPLES / "connection", "connection")
    rows = program.MEMBERS if name == "by_members" else program.ROWS
    start = program.State.CLOSED if name == "by_members" else "closed"
    table = program.PAIRS if name == "by_pairs" else rows
    inputs = [(program.sample(400, seed),) for seed in range(5)]
    return Case(
        name, getattr(program, name), inputs, {"table": table, "start": start}, machines.connection(rows, start),
        {"events": Dyn(list)}, aim=1.5 if name == "by_pairs" else 1.25,
    )  # fmt: skip
