"""The public cases of a folder that has a `cases.toml`: its modules are loaded and used unchanged.

    given(Path("folder"))    gives the makers of the cases that the file names

Invariant: nothing of the folder is copied or stored; what the prose of the file says about inputs is written here.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.cases import peers
from bench.cases.case import Case
from bench.cases.loading import modules
from bench.cases.own import Maker
from futamura import Dyn

__all__ = ["given"]


def given(folder: Path) -> list[Maker]:
    """The cases that `cases.toml` names and that are known here, in its order; both styles where it names two."""
    with (folder / "cases.toml").open("rb") as file:
        named = tomllib.load(file)
    makers: dict[str, list[tuple[str, Callable[[Path], Case]]]] = {
        "brainfuck_squares": [("squares", lambda place: _brainfuck(place, "squares.b"))],
        "brainfuck_mandelbrot": [("mandelbrot", lambda place: _brainfuck(place, "mandelbrot.b"))],
        "vm_sieve": [
            ("sieve", lambda place: _sieve(place, "VM")),
            ("sieve by methods", lambda place: _sieve(place, "MethodVM")),
        ],
        "predicate": [
            ("predicate", lambda place: _predicate(place, "select")),
            ("predicate by visitor", lambda place: _predicate(place, "select_visitor")),
        ],
        "json_schema": [("json schema", _schema)],
        "dataclass_from_dict": [("structure", _structure)],
        "dataclass_to_dict": [("unstructure", _unstructure)],
        "fir": [("fir", _fir)],
        "polynomial": [("polynomial", _polynomial)],
        "sparse_matvec": [("sparse", _sparse)],
        "matmul_4x4": [("4x4", _matmul)],
        "power_13": [("power", _power)],
        "router": [("router", _router)],
    }
    found: list[Maker] = []
    for key, row in named.items():
        for name, make in makers.get(key, ()):
            found.append((name, _bound(make, folder / row["folder"])))
    return found


def _bound(make: Callable[[Path], Case], place: Path) -> Callable[[], Case]:
    return lambda: make(place)


def _brainfuck(place: Path, name: str) -> Case:
    generic, residual = modules(place, "generic", "residual")
    program = generic.parse((place / name).read_text(encoding="utf-8"))
    expert, aim = (residual.squares, 1.6) if name == "squares.b" else (None, None)
    return Case(
        name, generic.run, [(b"",)], {"program": program, "size": 30000}, expert, {"data": Dyn(bytes)}, aim=aim,
        once=expert is None,
    )  # fmt: skip


def _sieve(place: Path, style: str) -> Case:
    generic, programs, residual = modules(place, "generic", "programs", "residual")
    machine = getattr(generic, style)(generic.assemble(programs.SIEVE))
    return Case(
        "sieve", machine.run, [(10000,)], expert=residual.sieve, declared={"args": Dyn(tuple[int])}, aim=1.15
    )


def _predicate(place: Path, name: str) -> Case:
    generic, residual = modules(place, "generic", "residual")
    choose = random.Random(1)
    rows = [
        {
            "age": choose.randrange(10, 70),
            "country": choose.choice(["US", "CA", "MX", "DE", "FR"]),
            "tier": choose.choice(["gold", "none"]),
            "banned": choose.randrange(2) * choose.randrange(2),
            "score": choose.uniform(0, 50),
            "bonus": choose.uniform(0, 10),
            "visits": choose.randrange(20),
            "days": choose.randrange(10),
        }
        for _ in range(2000)
    ]
    tree = generic.Parser(residual.PREDICATE).parse()
    return Case(
        name, getattr(generic, name), [(rows,)], {"node": tree}, residual.select, {"rows": Dyn(list)},
        options={"bool_comparisons": True}, aim=1.15,
    )  # fmt: skip


def _schema(place: Path) -> Case:
    generic, data, residual = modules(place, "generic", "data", "residual")
    return Case(
        "json schema", generic.Validator(data.SCHEMA).validate, [(value,) for value in [*data.VALID, *data.BROKEN]],
        {"schema": None, "path": ("$",)}, residual.validate, {"value": Dyn(dict)}, peers.validators(data.SCHEMA),
        aim=1.25,
    )  # fmt: skip


def _structure(place: Path) -> Case:
    generic, model, residual = modules(place, "generic", "model", "residual")
    return Case(
        "structure", generic.structure, [(value,) for value in [*model.RAW, *model.BROKEN]],
        {"tp": model.Order, "path": ()}, residual.structure, {"value": Dyn(dict)}, peers.structurers(model.Order),
        aim=1.25,
    )  # fmt: skip


def _unstructure(place: Path) -> Case:
    generic, model, residual = modules(place, "generic", "model", "residual")
    values = [generic.structure(model.Order, value) for value in model.RAW]
    return Case(
        "unstructure", generic.unstructure_typed, [(value,) for value in values], {"tp": model.Order},
        residual.unstructure, {"value": Dyn(model.Order)}, peers.unstructurers(model.Order),
        options={"annotated": [model.Order, model.Customer, model.Address, model.Item]},
        aim=1.25,
    )  # fmt: skip


def _numeric(place: Path) -> list[Any]:
    return modules(place, "generic", "data", "residual")


def _fir(place: Path) -> Case:
    generic, data, residual = _numeric(place)
    return Case(
        "fir", generic.fir, [(data.XS,)], {"coeffs": data.COEFFS}, residual.fir, {"xs": Dyn(list[float])}, aim=1.4
    )


def _polynomial(place: Path) -> Case:
    generic, data, residual = _numeric(place)
    return Case("poly", generic.poly, [(data.XS,)], {"coeffs": data.POLY}, residual.poly, {"xs": Dyn(list)}, aim=1.15)


def _sparse(place: Path) -> Case:
    generic, data, residual = _numeric(place)
    static = {"n": data.N, "rows": data.ROWS, "cols": data.COLS, "vals": data.VALS}
    return Case(
        "sparse", generic.matvec, [(x,) for x in data.VECS], static, residual.matvec,
        {"x": Dyn(list[float], length=12)}, aim=1.15,
    )


def _matmul(place: Path) -> Case:
    generic, data, residual = _numeric(place)
    return Case(
        "4x4", generic.matmul, [(b,) for b in data.MATS], {"a": data.A4, "n": 4}, residual.matmul4,
        {"b": Dyn(list[float], length=16)}, aim=1.15,
    )  # fmt: skip


def _power(place: Path) -> Case:
    generic, data, residual = _numeric(place)
    return Case(
        "power", generic.power, [(x,) for x in data.XS[:200]], {"n": 13}, residual.power13, {"x": Dyn(float)},
        peers.powers(generic.power), aim=1.15,
    )  # fmt: skip


def _router(place: Path) -> Case:
    generic, data, residual = modules(place, "generic", "data", "residual")
    return Case(
        "router", generic.Router(data.TABLE).match, data.REQUESTS, expert=residual.match,
        declared={"method": Dyn(str), "path": Dyn(str)}, peers=peers.routers(data), aim=2.0,
    )  # fmt: skip
