"""Text made by description: templates, printf-like formats, markup, number words, serializers, query builders.

    render("Dear {{ name }}!", {"name": "Ann"})    ->    "Dear Ann!"

The format is static, what fills it is dynamic.
"""

from ..table import Case, Subject, integers, mostly

# --- Templates ---


def parse_template(text):
    root = []
    opened = [root]
    while text:
        start = text.find("{")
        if start < 0 or start + 1 >= len(text):
            opened[-1].append(("text", text))
            break
        if start:
            opened[-1].append(("text", text[:start]))
        if text[start + 1] == "{":
            end = text.index("}}", start)
            name, *filters = [part.strip() for part in text[start + 2 : end].split("|")]
            opened[-1].append(("value", name.split("."), filters))
        else:
            end = text.index("%}", start)
            words = text[start + 2 : end].split()
            if words[0] == "for":
                body = []
                opened[-1].append(("for", words[1], words[3].split("."), body))
                opened.append(body)
            elif words[0] == "if":
                body = []
                opened[-1].append(("if", words[1].split("."), body))
                opened.append(body)
            else:
                opened.pop()
        text = text[end + 2 :]
    return root


FILTERS = {"upper": str.upper, "title": str.title, "length": len, "text": str}


def look_up(names, scope):
    value = scope[names[0]]
    for name in names[1:]:
        value = value[name]
    return value


def render_nodes(nodes, scope, out):
    for node in nodes:
        if node[0] == "text":
            out.append(node[1])
        elif node[0] == "value":
            value = look_up(node[1], scope)
            for name in node[2]:
                value = FILTERS[name](value)
            out.append(str(value))
        elif node[0] == "if":
            if look_up(node[1], scope):
                render_nodes(node[2], scope, out)
        elif node[0] == "for":
            for item in look_up(node[2], scope):
                render_nodes(node[3], {**scope, node[1]: item}, out)


def render(template, context):
    out = []
    render_nodes(parse_template(template), context, out)
    return "".join(out)


T_PLAIN = "Dear {{ name|upper }}, you owe {{ debt }} crowns."
T_LOOP = "<ul>{% for item in items %}<li>{{ item.name|title }}: {{ item.count }}</li>{% end %}</ul>"
T_NESTED = (
    "{% if name %}{{ name }} has {{ items|length }}: "
    "{% for i in items %}{% if i.count %}{{ i.name }};{% end %}{% end %}{% end %}"
)


def context_input(random):
    context = {
        "name": random.choice(["ann", "bob", ""]),
        "debt": random.choice([0, 12, 2.5]),
        "items": [{"name": random.choice("abc"), "count": random.randint(0, 3)} for _ in range(random.randint(0, 3))],
    }
    if random.random() < 0.15:
        del context[random.choice(list(context))]
    return (context,)


# --- printf ---


def sprintf(pattern, *values):
    out = []
    used = 0
    i = 0
    while i < len(pattern):
        c = pattern[i]
        i += 1
        if c != "%":
            out.append(c)
            continue
        left = zero = False
        width = 0
        while pattern[i] in "-0":
            if pattern[i] == "-":
                left = True
            else:
                zero = True
            i += 1
        while pattern[i].isdigit():
            width = width * 10 + int(pattern[i])
            i += 1
        kind = pattern[i]
        i += 1
        if kind == "%":
            out.append("%")
            continue
        value = values[used]
        used += 1
        if kind == "d":
            text = str(int(value))
        elif kind == "x":
            text = f"{value:x}"
        elif kind == "s":
            text = str(value)
        else:
            raise ValueError("unsupported format character " + kind)
        if len(text) < width:
            padding = ("0" if zero and not left else " ") * (width - len(text))
            text = text + padding if left else padding + text
        out.append(text)
    return "".join(out)


# --- Markup from a layout ---


def element(tag, attributes, *children):
    return tag, attributes, children


def html(node, data):
    if isinstance(node, str):
        return escape(str(data[node[1:]])) if node.startswith("$") else escape(node)
    tag, attributes, children = node
    opening = tag + "".join(f' {key}="{html(value, data)}"' for key, value in attributes.items())
    if not children:
        return f"<{opening}/>"
    return f"<{opening}>" + "".join(html(child, data) for child in children) + f"</{tag}>"


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;")


H_CARD = element(
    "div", {"class": "card", "id": "$id"}, element("h1", {}, "$name"), element("p", {}, "a < b: ", "$note")
)
H_RULE = element("hr", {"width": "$id"})
H_TEXT = "plain & simple"


def data_input(random):
    data = {
        "id": random.randint(1, 99),
        "name": random.choice(["ann", "b&b"]),
        "note": random.choice(["", "<i>", "ok"]),
    }
    if random.random() < 0.1:
        del data["note"]
    return (data,)


# --- Numbers in words ---


def positional(table, number):
    if not 0 < number < 4000:
        raise ValueError("out of range")
    text = ""
    for value, letters in table:
        while number >= value:
            text += letters
            number -= value
    return text


ROMAN = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
]
COINS = [(25, "q"), (10, "d"), (5, "n"), (1, "p")]
TALLY = [(5, "#"), (1, "/")]

# --- Serializing by a description ---


def serialize(shape, value):
    if shape == "int":
        return str(value)
    if shape == "text":
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if shape == "flag":
        return "true" if value else "false"
    if shape[0] == "list":
        return "[" + ",".join([serialize(shape[1], item) for item in value]) + "]"
    if shape[0] == "record":
        parts = []
        for name, inner in shape[1]:
            parts.append(f'"{name}":{serialize(inner, value[name])}')
        return "{" + ",".join(parts) + "}"
    if shape[0] == "maybe":
        return "null" if value is None else serialize(shape[1], value)
    raise TypeError(shape)


S_POINT = ("record", (("x", "int"), ("y", "int"), ("name", "text")))
S_LIST = ("list", ("maybe", "int"))
S_NESTED = ("record", (("points", ("list", ("record", (("x", "int"), ("ok", "flag"))))), ("x", ("maybe", "int"))))


def value_input(random):
    value = {
        "x": random.choice([1, 7, None, 2.5]),
        "y": random.randint(-5, 5),
        "name": random.choice(["a", 'say "x"', ""]),
        "points": [{"x": i, "ok": random.choice([True, False, 0])} for i in range(random.randint(0, 3))],
    }
    if random.random() < 0.1:
        del value["y"]
    return (value,)


def list_input(random):
    return ([random.choice([1, 2, None, 2.5]) for _ in range(random.randint(0, 4))],)


# --- A query builder ---


class Query:
    def __init__(self, table):
        self.table = table
        self.columns = []
        self.conditions = []
        self.limit_to = None

    def select(self, *columns):
        self.columns.extend(columns)
        return self

    def where(self, column, value):
        self.conditions.append((column, value))
        return self

    def limit(self, count):
        self.limit_to = count
        return self

    def text(self):
        query = f"SELECT {', '.join(self.columns) or '*'} FROM {self.table}"
        if self.conditions:
            query += " WHERE " + " AND ".join(f"{column} = {value!r}" for column, value in self.conditions)
        if self.limit_to is not None:
            query += f" LIMIT {self.limit_to}"
        return query


def build_query(table, columns, by, value, count):
    query = Query(table).select(*columns)
    for name in by:
        query = query.where(name, value)
    if count:
        query = query.limit(count)
    return query.text()


# --- Plurals ---


def plural(language, forms, count):
    if language == "ru":
        if count % 10 == 1 and count % 100 != 11:
            form = 0
        elif 2 <= count % 10 <= 4 and not 12 <= count % 100 <= 14:
            form = 1
        else:
            form = 2
    elif language == "ja":
        form = 0
    else:
        form = 0 if count == 1 else 1
    return f"{count} {forms[form]}"


SUBJECTS = [
    Subject(
        "template",
        [
            Case("plain", lambda: (render, {"template": T_PLAIN})),
            Case("loop", lambda: (render, {"template": T_LOOP})),
            Case("nested", lambda: (render, {"template": T_NESTED})),
        ],
        inputs=context_input,
        gone=("template", "nodes", "node", "FILTERS", "look_up", "opened", "find", "{{", "%}"),
    ),
    Subject(
        "printf",
        [
            Case("pair", lambda: (sprintf, {"pattern": "%s has %5d!"})),
            Case("hex", lambda: (sprintf, {"pattern": "<%-4d|%04x>"})),
            Case("percent", lambda: (sprintf, {"pattern": "100%% of %s%s"})),
            Case("wrong", lambda: (sprintf, {"pattern": "%s %q"})),
        ],
        inputs=mostly(integers(2, -50, 500), "ab", 2.5, None),
        gone=("pattern", "zero", "left", "isdigit", "kind"),
    ),
    Subject(
        "markup",
        [
            Case("card", lambda: (html, {"node": H_CARD})),
            Case("rule", lambda: (html, {"node": H_RULE})),
            Case("text", lambda: (html, {"node": H_TEXT})),
        ],
        inputs=data_input,
        gone=("node", "attributes", "children", "tag", "startswith", "isinstance"),
    ),
    Subject(
        "positional_numbers",
        [
            Case("roman", lambda: (positional, {"table": list(ROMAN)}), inputs=integers(1, -5, 400)),
            Case("coins", lambda: (positional, {"table": list(COINS)})),
            Case("tally", lambda: (positional, {"table": list(TALLY)})),
        ],
        inputs=mostly(integers(1, 0, 60), 7.5, "q"),
        gone=("table", "letters"),
    ),
    Subject(
        "serializer",
        [
            Case("point", lambda: (serialize, {"shape": S_POINT})),
            Case("list", lambda: (serialize, {"shape": S_LIST}), inputs=list_input),
            Case("nested", lambda: (serialize, {"shape": S_NESTED})),
        ],
        inputs=value_input,
        gone=("shape", "record", "flag", "maybe", "inner"),
    ),
    Subject(
        "query_builder",
        [
            Case("one", lambda: (build_query, {"table": "t", "columns": ["a", "b"], "by": ["id"], "count": 5})),
            Case("all", lambda: (build_query, {"table": "people", "columns": [], "by": [], "count": 0})),
            Case("two", lambda: (build_query, {"table": "t", "columns": ["x"], "by": ["p", "q"], "count": 0})),
        ],
        inputs=lambda r: (r.choice([1, "it's", None, 2.5, (1, "a")]),),
        gone=("table", "columns", "by", "conditions", "Query", "limit_to", "extend"),
    ),
    Subject(
        "plurals",
        [
            Case("en", lambda: (plural, {"language": "en", "forms": ["file", "files"]})),
            Case("ru", lambda: (plural, {"language": "ru", "forms": ["fail", "faila", "failov"]})),
            Case("ja", lambda: (plural, {"language": "ja", "forms": ["fairu"]})),
        ],
        inputs=mostly(integers(1, 0, 130), 2.5, "q"),
        gone=("language", "ru", "ja"),
    ),
]
