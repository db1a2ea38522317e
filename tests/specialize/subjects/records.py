"""Data by description: validators, structurers, binary layouts, routes, filters, paths, delimited rows, documents.

    validate({"type": "object", "required": ["id"]}, {})    ->    ["$: id is missing"]

The description is static and the data is dynamic.
"""

import dataclasses
import struct
import typing
from dataclasses import dataclass

from ..table import Case, Subject, mostly

# --- A recursive schema validator ---

TYPES = {"string": str, "integer": int, "number": (int, float), "array": list, "object": dict, "null": type(None)}


def validate(schema, value):
    errors = []
    check(schema, value, "$", errors)
    return errors


def check(schema, value, path, errors):
    expected = schema.get("type")
    if expected is not None:
        if not isinstance(value, TYPES[expected]) or (expected == "integer" and isinstance(value, bool)):
            errors.append(f"{path}: not of type {expected}")
            return
    if "enum" in schema and value not in schema["enum"]:
        errors.append(f"{path}: {value!r} is not allowed")
    if "minimum" in schema and value < schema["minimum"]:
        errors.append(f"{path}: less than {schema['minimum']}")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        errors.append(f"{path}: too long")
    for name in schema.get("required", ()):
        if name not in value:
            errors.append(f"{path}: {name} is missing")
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            check(inner, value[name], f"{path}.{name}", errors)
    if "items" in schema:
        for index, item in enumerate(value):
            check(schema["items"], item, f"{path}[{index}]", errors)


SCHEMA_USER = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "name": {"type": "string", "maxLength": 4},
        "role": {"enum": ["admin", "guest"]},
    },
}
SCHEMA_LIST = {"type": "array", "items": {"type": "number", "minimum": 0}}
SCHEMA_DEEP = {
    "type": "object",
    "properties": {"tags": {"type": "array", "items": {"type": "string"}}, "home": SCHEMA_USER},
    "required": ["home"],
}
SCHEMA_ANY = {}


def some_value(random, depth=2):
    choices = [1, 0, -3, 2.5, True, None, "abc", "too long", "", "admin"]
    if depth and random.random() < 0.7:
        if random.random() < 0.3:
            return [some_value(random, depth - 1) for _ in range(random.randint(0, 3))]
        names = random.sample(["id", "name", "role", "tags", "home"], random.randint(0, 5))
        return {name: some_value(random, depth - 1) for name in names}
    return random.choice(choices)


# --- Dataclasses from and to dictionaries ---


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Segment:
    start: Point
    end: Point
    label: str = "none"


@dataclass
class Path:
    points: list[Point]
    closed: bool = False
    weight: float | None = None


def structure(cls, value):
    if dataclasses.is_dataclass(cls):
        if not isinstance(value, dict):
            raise TypeError(f"{cls.__name__} needs a dictionary")
        hints = typing.get_type_hints(cls)
        arguments = {}
        for field in dataclasses.fields(cls):
            if field.name in value:
                arguments[field.name] = structure(hints[field.name], value[field.name])
            elif field.default is dataclasses.MISSING:
                raise KeyError(field.name)
        return cls(**arguments)
    if typing.get_origin(cls) is list:
        [item] = typing.get_args(cls)
        return [structure(item, element) for element in value]
    if isinstance(cls, type):
        if type(value) is not cls:
            raise TypeError(f"not a {cls.__name__}: {value!r}")
        return value
    return value


def destructure(cls, value):
    result = {}
    for field in dataclasses.fields(cls):
        inner = getattr(value, field.name)
        result[field.name] = destructure(field.type, inner) if dataclasses.is_dataclass(field.type) else inner
    return result


def structure_input(random):
    def point():
        keys = random.choice(["xy", "xy", "x", "y"])
        return {key: random.choice([random.randint(0, 9)] * 5 + ["q"]) for key in keys}

    kind = random.randrange(4)
    if kind == 0:
        return (point(),)
    if kind == 1:
        return ({"start": point(), "end": point(), "label": random.choice(["a", "b", 3])},)
    if kind == 2:
        return ({"points": [point() for _ in range(random.randint(0, 3))], "closed": True},)
    return (random.choice([None, [], {}, "xy"]),)


def segment_input(random):
    return (Segment(Point(random.randint(0, 9)), Point(random.randint(0, 9), 1), random.choice("ab")),)


# --- Binary records ---

SIZES = {"u8": 1, "u16": 2, "i16": 2, "u32": 4}


def decode_record(layout, data):
    record = {}
    offset = 0
    for name, kind, *options in layout:
        if kind in SIZES:
            size = SIZES[kind]
            if offset + size > len(data):
                raise EOFError(name)
            record[name] = int.from_bytes(data[offset : offset + size], "big", signed=kind == "i16")
            offset += size
        elif kind == "bytes":
            [size] = options
            record[name] = data[offset : offset + size]
            offset += size
        elif kind == "text":
            length = data[offset]
            record[name] = data[offset + 1 : offset + 1 + length].decode("latin-1")
            offset += 1 + length
        elif kind == "flags":
            bits = data[offset]
            offset += 1
            for position, flag in enumerate(options):
                record[flag] = bool(bits >> position & 1)
        else:
            raise ValueError(kind)
    return record


def unpack_rows(fields, data):
    layout = "<" + "".join(code for _, code in fields)
    names = [name for name, _ in fields]
    size = struct.calcsize(layout)
    return [dict(zip(names, struct.unpack_from(layout, data, at))) for at in range(0, len(data) - size + 1, size)]


def bytes_input(random):
    return (bytes(random.randrange(256) for _ in range(random.randint(0, 14))),)


# --- Routes ---


def route(routes, method, path):
    parts = path.strip("/").split("/")
    for verb, template, endpoint in routes:
        if verb != method:
            continue
        wanted = template.strip("/").split("/")
        if len(wanted) != len(parts):
            continue
        arguments = {}
        for expected, part in zip(wanted, parts):
            if expected.startswith("<int:"):
                if not part.isdigit():
                    break
                arguments[expected[5:-1]] = int(part)
            elif expected.startswith("<"):
                arguments[expected[1:-1]] = part
            elif expected != part:
                break
        else:
            return endpoint, arguments
    return "not found", {}


ROUTES_SHOP = [
    ("GET", "/", "home"),
    ("GET", "/items/<int:id>", "item"),
    ("POST", "/items", "add"),
    ("GET", "/items/<name>", "named"),
    ("GET", "/users/<user>/orders/<int:order>", "order"),
]
ROUTES_ONE = [("GET", "/a/b/c", "abc")]


def request_input(random):
    path = random.choice(
        ["/", "/items/7", "/items/pear", "/items", "/users/ann/orders/12", "/users/ann/orders/x", "/a/b/c", "a/b"]
    )
    return random.choice(["GET", "GET", "POST"]), path


# --- Filters over rows ---

COMPARISONS = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "like": lambda a, b: b in a,
}


def matches(condition, row):
    if condition[0] == "and":
        return all(matches(part, row) for part in condition[1:])
    if condition[0] == "or":
        return any(matches(part, row) for part in condition[1:])
    if condition[0] == "not":
        return not matches(condition[1], row)
    column, comparison, value = condition
    return COMPARISONS[comparison](row[column], value)


def select(columns, condition, rows):
    result = []
    for row in rows:
        if matches(condition, row):
            result.append(tuple(row[column] for column in columns))
    return result


def rows_input(random):
    rows = []
    for _ in range(random.randint(0, 5)):
        row = {
            "name": random.choice(["ann", "bob", "cid"]),
            "age": random.randint(10, 70),
            "city": random.choice(["oslo", "rome"]),
        }
        if random.random() < 0.05:
            del row["age"]
        rows.append(row)
    return (rows,)


# --- Paths into documents ---


def parse_path(path):
    steps = []
    for part in path.removeprefix("$").replace("[", ".[").split("."):
        if part.startswith("["):
            inside = part[1:-1]
            steps.append("*" if inside == "*" else int(inside))
        elif part:
            steps.append(part)
    return steps


def walk(document, steps):
    if not steps:
        yield document
        return
    step, *rest = steps
    if step == "*":
        for item in document:
            yield from walk(item, rest)
    else:
        try:
            inner = document[step]
        except (KeyError, IndexError):
            return
        yield from walk(inner, rest)


def query(path, document):
    return list(walk(document, parse_path(path)))


def document_input(random):
    books = [{"title": random.choice("abc"), "price": random.randint(1, 9)} for _ in range(random.randint(0, 3))]
    if books and random.random() < 0.3:
        del books[0]["price"]
    return ({"store": {"books": books, "name": "s"}} if random.random() < 0.9 else random.choice([[], {}, 5]),)


# --- Delimited rows ---


def split_row(delimiter, quote, line):
    fields = []
    current = []
    quoted = False
    for c in line:
        if quoted:
            if c == quote:
                quoted = False
            else:
                current.append(c)
        elif c == quote and quote:
            quoted = True
        elif c == delimiter:
            fields.append("".join(current))
            current = []
        else:
            current.append(c)
    fields.append("".join(current))
    return fields


CONVERTERS = {"int": int, "text": str.strip, "yes": lambda s: s in ("y", "yes"), "skip": None}


def parse_row(columns, separator, line):
    cells = line.split(separator)
    row = {}
    for index, (name, kind) in enumerate(columns):
        convert = CONVERTERS[kind]
        if convert is None:
            continue
        try:
            row[name] = convert(cells[index])
        except ValueError:
            row[name] = None
    return row


def line_input(random):
    cells = [random.choice(["1", "-5", "y", "yes", " pad ", "x", "", '"a,b"']) for _ in range(random.randint(1, 4))]
    return (random.choice(",,;").join(cells),)


# --- Permissions ---


def allowed(policy, user, action, resource):
    decision = False
    for rule in policy:
        if rule["role"] not in ("*", user["role"]):
            continue
        if action not in rule["actions"]:
            continue
        if not resource.startswith(rule["prefix"]):
            continue
        if rule.get("owner") and not resource.endswith(user["name"]):
            continue
        if rule["effect"] == "deny":
            return False
        decision = True
    return decision


POLICY_OWN = [
    {"role": "*", "actions": ["read"], "prefix": "/public", "effect": "allow"},
    {"role": "editor", "actions": ["read", "write"], "prefix": "/docs", "owner": True, "effect": "allow"},
    {"role": "guest", "actions": ["write"], "prefix": "/", "effect": "deny"},
]


def permission_input(random):
    user = {"role": random.choice(["guest", "editor", "admin"]), "name": random.choice(["ann", "bob"])}
    return user, random.choice(["read", "write"]), random.choice(["/public/a", "/docs/ann", "/docs/bob", "/x"])


SUBJECTS = [
    Subject(
        "schema_validator",
        [
            Case("user", lambda: (validate, {"schema": dict(SCHEMA_USER)})),
            Case("list", lambda: (validate, {"schema": dict(SCHEMA_LIST)})),
            Case("deep", lambda: (validate, {"schema": dict(SCHEMA_DEEP)})),
            Case("any", lambda: (validate, {"schema": dict(SCHEMA_ANY)})),
        ],
        inputs=lambda r: (some_value(r),),
        gone=("schema", "expected", "TYPES", "properties", "required", "maxLength", "minimum", "enum", "items", "get"),
    ),
    Subject(
        "dataclass_structurer",
        [
            Case("point", lambda: (structure, {"cls": Point})),
            Case("segment", lambda: (structure, {"cls": Segment})),
            Case("path", lambda: (structure, {"cls": Path})),
        ],
        inputs=structure_input,
        gone=("cls", "hints", "fields", "is_dataclass", "get_type_hints", "get_origin", "MISSING"),
    ),
    Subject(
        "dataclass_destructurer",
        [
            Case("point", lambda: (destructure, {"cls": Point}), inputs=lambda r: (Point(r.randint(0, 9)),)),
            Case("segment", lambda: (destructure, {"cls": Segment})),
            Case("path", lambda: (destructure, {"cls": Path}), inputs=lambda r: (Path([Point(1)], r.random() < 0.5),)),
        ],
        inputs=mostly(segment_input, 5, Point(1)),
        gone=("cls", "fields", "field", "is_dataclass", "getattr"),
    ),
    Subject(
        "binary_record",
        [
            Case("header", lambda: (decode_record, {"layout": [("kind", "u8"), ("size", "u16"), ("name", "text")]})),
            Case("flags", lambda: (decode_record, {"layout": [("flags", "flags", "a", "b", "c"), ("delta", "i16")]})),
            Case("blob", lambda: (decode_record, {"layout": [("magic", "bytes", 2), ("crc", "u32")]})),
            Case("empty", lambda: (decode_record, {"layout": []})),
        ],
        inputs=bytes_input,
        gone=("layout", "options", "SIZES", "u8", "u16", "i16"),
    ),
    Subject(
        "struct_rows",
        [
            Case("pair", lambda: (unpack_rows, {"fields": [("a", "B"), ("b", "h")]})),
            Case("one", lambda: (unpack_rows, {"fields": [("n", "I")]})),
            Case("three", lambda: (unpack_rows, {"fields": [("x", "b"), ("y", "b"), ("z", "B")]})),
        ],
        inputs=bytes_input,
        gone=("fields", "calcsize", "code", "join"),
    ),
    Subject(
        "router",
        [
            Case("shop", lambda: (route, {"routes": list(ROUTES_SHOP)})),
            Case("one", lambda: (route, {"routes": list(ROUTES_ONE)})),
            Case("none", lambda: (route, {"routes": []})),
        ],
        inputs=request_input,
        gone=("routes", "template", "wanted", "expected", "<int:", "startswith"),
    ),
    Subject(
        "row_filter",
        [
            Case("adults", lambda: (select, {"columns": ["name"], "condition": ("age", ">=", 18)})),
            Case(
                "mixed",
                lambda: (
                    select,
                    {
                        "columns": ["name", "city"],
                        "condition": (
                            "and",
                            ("or", ("city", "=", "oslo"), ("age", "<", 30)),
                            ("not", ("name", "=", "bob")),
                        ),
                    },
                ),
            ),
            Case("like", lambda: (select, {"columns": ["age", "name"], "condition": ("name", "like", "i")})),
        ],
        inputs=rows_input,
        gone=("columns", "condition", "comparison", "COMPARISONS", "matches", "column", "like", "and", "or"),
    ),
    Subject(
        "document_path",
        [
            Case("title", lambda: (query, {"path": "$.store.books[0].title"})),
            Case("all", lambda: (query, {"path": "$.store.books[*].price"})),
            Case("whole", lambda: (query, {"path": "$"})),
        ],
        inputs=document_input,
        gone=("path", "steps", "step", "rest", "*", "parse_path", "removeprefix"),
    ),
    Subject(
        "split_row",
        [
            Case("quoted", lambda: (split_row, {"delimiter": ",", "quote": '"'})),
            Case("plain", lambda: (split_row, {"delimiter": ";", "quote": ""})),
            Case("tabs", lambda: (split_row, {"delimiter": "\t", "quote": "'"})),
        ],
        inputs=line_input,
        gone=("delimiter", "quote"),
    ),
    Subject(
        "typed_row",
        [
            Case("two", lambda: (parse_row, {"columns": [("id", "int"), ("name", "text")], "separator": ","})),
            Case("skip", lambda: (parse_row, {"columns": [("a", "skip"), ("ok", "yes")], "separator": ";"})),
            Case("none", lambda: (parse_row, {"columns": [], "separator": ","})),
        ],
        inputs=line_input,
        gone=("columns", "separator", "kind", "convert", "CONVERTERS", "skip", "enumerate"),
    ),
    Subject(
        "permissions",
        [
            Case("own", lambda: (allowed, {"policy": list(POLICY_OWN)})),
            Case("public", lambda: (allowed, {"policy": POLICY_OWN[:1]})),
            Case("nobody", lambda: (allowed, {"policy": []})),
        ],
        inputs=permission_input,
        gone=("policy", "rule", "actions", "prefix", "owner", "effect", "deny"),
    ),
]
