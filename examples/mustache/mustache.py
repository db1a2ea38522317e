"""Templates in the manner of mustache: `{{name}}`, `{{{raw}}}`, `{{#list}}...{{/list}}`, `{{^list}}`.

    render(parse("Hi {{name}}!"), {"name": "<Ann>"})    gives "Hi &lt;Ann&gt;!"

Invariant: sections that do not nest raise SyntaxError in `parse`.
"""

import re

TAG = re.compile(r"\{\{(\{[^}]*\}|[#^/!&]?[^}]*)\}\}")


def parse(text):
    """A list of (kind, name or text, children)."""
    root = []
    open_sections = [("", root)]
    place = 0
    for found in TAG.finditer(text):
        _, children = open_sections[-1]
        if found.start() > place:
            children.append(("text", text[place : found.start()], None))
        place = found.end()
        tag = found[1]
        name = tag.strip("{}#^/!& ")
        if tag[:1] in "{&" and tag:
            children.append(("raw", name, None))
        elif tag[:1] == "#" or tag[:1] == "^":
            inside = []
            children.append(("section" if tag[0] == "#" else "inverted", name, inside))
            open_sections.append((name, inside))
        elif tag[:1] == "/":
            if open_sections[-1][0] != name or len(open_sections) == 1:
                raise SyntaxError(f"{name!r} is closed, but not open")
            open_sections.pop()
        elif tag[:1] != "!":
            children.append(("variable", name, None))
    if len(open_sections) > 1:
        raise SyntaxError(f"{open_sections[-1][0]!r} is not closed")
    if place < len(text):
        root.append(("text", text[place:], None))
    return root


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


def lookup(name, scopes):
    """The value of a name in the innermost scope that has it."""
    if name == ".":
        return scopes[-1]
    first, *rest = name.split(".")
    for scope in reversed(scopes):
        if isinstance(scope, dict) and first in scope:
            value = scope[first]
            for part in rest:
                value = value[part]
            return value
    return ""


def write(nodes, scopes, out):
    for kind, name, children in nodes:
        if kind == "text":
            out.append(name)
        elif kind == "raw":
            out.append(str(lookup(name, scopes)))
        elif kind == "variable":
            out.append(escape(str(lookup(name, scopes))))
        else:
            value = lookup(name, scopes)
            if kind == "inverted":
                if not value:
                    write(children, scopes, out)
            elif isinstance(value, list):
                for item in value:
                    write(children, [*scopes, item], out)
            elif value:
                write(children, [*scopes, value], out)


def render(template, data):
    """The text of a template for `data`."""
    out = []
    write(template, [data], out)
    return "".join(out)


PAGE = """<html><head><title>{{title}}</title></head>
<body>{{! a comment }}
<h1>{{title}}</h1>
{{#user}}<p>Hello {{name}} of {{address.town}}</p>{{/user}}
{{^user}}<p>Please log in.</p>{{/user}}
<table>
{{#rows}}<tr><td>{{article}}</td><td>{{count}}</td>{{#rebate}}<td>{{rebate}}</td>{{/rebate}}</tr>
{{/rows}}
</table>
{{{footer}}}
</body></html>
"""


def page(number, rows=10):
    """Data for `PAGE`."""
    return {
        "title": f"Order <{number}>",
        "user": {"name": "Ann & Bob", "address": {"town": "Gent"}} if number % 3 else None,
        "rows": [{"article": f"A{row}", "count": row, "rebate": "5%" if row % 2 else ""} for row in range(rows)],
        "footer": "<hr>",
    }
