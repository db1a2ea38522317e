"""Texts made and read by descriptions: a template of classes, a format string, columns, rules of access.

    shown(FORMAT, {"name": "Ann", "sum": 3.5})    gives "Ann       3.50"

Invariant: each function takes what is static first and gives the same for the same inputs.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Literal:
    def __init__(self, text: str) -> None:
        self.text = text

    def render(self, data: dict[str, Any], out: list[str]) -> None:
        out.append(self.text)


class Slot:
    def __init__(self, name: str, upper: bool = False) -> None:
        self.name, self.upper = name, upper

    def render(self, data: dict[str, Any], out: list[str]) -> None:
        value = str(data[self.name])
        out.append(value.upper() if self.upper else value)


class Loop:
    def __init__(self, name: str, *body: Any) -> None:
        self.name, self.body = name, body

    def render(self, data: dict[str, Any], out: list[str]) -> None:
        for item in data[self.name]:
            for part in self.body:
                part.render(item, out)


class When:
    def __init__(self, name: str, *body: Any) -> None:
        self.name, self.body = name, body

    def render(self, data: dict[str, Any], out: list[str]) -> None:
        if data.get(self.name):
            for part in self.body:
                part.render(data, out)


LETTER = (
    Literal("Dear "), Slot("name", True), Literal(",\n"), Loop("items", Literal("- "), Slot("title"), Literal("\n")),
    When("note", Literal("Note: "), Slot("note")),
)  # fmt: skip


def letter(template: tuple[Any, ...], data: dict[str, Any]) -> str:
    out: list[str] = []
    for part in template:
        part.render(data, out)
    return "".join(out)


FORMAT = "%name:10|%sum:.2|"


def shown(format: str, data: dict[str, Any]) -> str:
    """A format string of its own kind, read from left to right."""
    out = ""
    at = 0
    while at < len(format):
        char = format[at]
        at += 1
        if char != "%":
            if char != "|":
                out += char
            continue
        end = format.index("|", at)
        name, _, spec = format[at:end].partition(":")
        value = data[name]
        if spec.startswith("."):
            out += f"{value:.2f}" if spec == ".2" else str(value)
        else:
            out += str(value).ljust(int(spec))
        at = end
    return out


class Column(NamedTuple):
    name: str
    kind: str
    optional: bool = False


COLUMNS = (Column("id", "int"), Column("name", "str"), Column("price", "float", True), Column("active", "bool"))


def parse_row(columns: tuple[Column, ...], line: str) -> dict[str, Any]:
    """One line of a table by the description of its columns."""
    cells = line.split(";")
    if len(cells) != len(columns):
        raise ValueError(f"{len(cells)} cells instead of {len(columns)}")
    row: dict[str, Any] = {}
    for column, cell in zip(columns, cells):
        if column.optional and not cell:
            row[column.name] = None
        elif column.kind == "int":
            row[column.name] = int(cell)
        elif column.kind == "float":
            row[column.name] = float(cell)
        elif column.kind == "bool":
            row[column.name] = cell == "yes"
        else:
            row[column.name] = cell
    return row


RULES = [
    {"role": "admin", "allow": {"read", "write", "drop"}},
    {"role": "author", "allow": {"read", "write"}, "owner": True},
    {"role": "guest", "allow": {"read"}},
]


def allowed(rules: list[dict[str, Any]], role: str, action: str, owner: bool) -> bool:
    """Rules of access, tried one after the other."""
    for rule in rules:
        if rule["role"] == role and action in rule["allow"]:
            if rule.get("owner", False) and not owner:
                continue
            return True
    return False
