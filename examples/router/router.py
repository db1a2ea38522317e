"""A router for requests: a table of (method, '/notes/<int:id>', endpoint), tried rule by rule.

    Router([("GET", "/notes/<int:id>", "note")]).match("GET", "/notes/7")    gives ("note", {"id": 7})

Invariant: the first rule of the table that fits wins.
"""

import re


class Int:
    def convert(self, text):
        if not (text.isascii() and text.isdigit()):
            raise ValueError(text)
        return int(text)


class Text:
    def convert(self, text):
        if not text:
            raise ValueError(text)
        return text


class Slug:
    shape = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

    def convert(self, text):
        if self.shape.fullmatch(text) is None:
            raise ValueError(text)
        return text


CONVERTERS = {"int": Int(), "text": Text(), "slug": Slug()}


class NotFound(Exception):
    """No rule fits the path."""


class MethodNotAllowed(Exception):
    """Rules fit the path, but for other methods."""


class Rule:
    def __init__(self, method, pattern, endpoint):
        self.method = method
        self.endpoint = endpoint
        self.parts = []
        for part in pattern.strip("/").split("/"):
            if part[:1] == "<":
                kind, _, name = part[1:-1].rpartition(":")
                self.parts.append((CONVERTERS[kind or "text"], name))
            else:
                self.parts.append((None, part))

    def match(self, segments):
        """The values of the variables, or None."""
        if len(segments) != len(self.parts):
            return None
        values = {}
        for (converter, name), segment in zip(self.parts, segments):
            if converter is None:
                if segment != name:
                    return None
            else:
                try:
                    values[name] = converter.convert(segment)
                except ValueError:
                    return None
        return values


class Router:
    def __init__(self, table):
        self.rules = [Rule(*row) for row in table]

    def match(self, method, path):
        """(endpoint, values) of the first rule that fits."""
        segments = path.strip("/").split("/")
        fits = False
        for rule in self.rules:
            values = rule.match(segments)
            if values is not None:
                if rule.method == method:
                    return rule.endpoint, values
                fits = True
        raise MethodNotAllowed(path) if fits else NotFound(path)


TABLE = [
    ("GET", "/", "home"),
    ("GET", "/status", "status"),
    *(
        row
        for name in ("notes", "people", "groups", "files", "tags", "events")
        for row in (
            ("GET", f"/v1/{name}", f"{name}.all"),
            ("POST", f"/v1/{name}", f"{name}.make"),
            ("GET", f"/v1/{name}/<int:id>", f"{name}.one"),
            ("PUT", f"/v1/{name}/<int:id>", f"{name}.change"),
            ("DELETE", f"/v1/{name}/<int:id>", f"{name}.drop"),
            ("GET", f"/v1/{name}/<int:id>/versions/<int:version>", f"{name}.version"),
        )
    ),
    ("GET", "/pages/<slug:title>", "page"),
    ("POST", "/pages/<slug:title>/comments", "comment"),
    ("GET", "/media/<text:folder>/<text:file>", "media"),
]

REQUESTS = [
    ("GET", "/"), ("GET", "/status"), ("GET", "/v1/notes"), ("POST", "/v1/events"), ("GET", "/v1/people/42"),
    ("PUT", "/v1/tags/7"), ("DELETE", "/v1/files/1001"), ("GET", "/v1/groups/3/versions/12"),
    ("GET", "/pages/hello-there"), ("POST", "/pages/hello-there/comments"), ("GET", "/media/css/site.css"),
    ("GET", "/nothing"), ("GET", "/v1/notes/x"), ("DELETE", "/status"), ("PUT", "/v1/events"),
    ("GET", "/pages/No_Slug"), ("GET", "/v1/notes/1/2/3/4"),
]  # fmt: skip
