"""A validator for JSON Schema, draft 2020-12, as far as schemas of data formats go: it walks schema and value together.

    Validator({"type": "integer"}).errors("x")    gives [Problem(path=(), message="'x' is not of type 'integer'")]

Not there: `unevaluatedProperties`, `unevaluatedItems`, `$dynamicRef`, references to other documents.
Invariant: `errors` lists every problem, in the order in which schema and value are walked; it never raises for a value.
"""

import re
from typing import NamedTuple

from formats import FORMATS


class Problem(NamedTuple):
    """What is wrong, and where: the names and indexes that lead there."""

    path: tuple
    message: str


class ValidationError(ValueError):
    """The first problem."""

    def __init__(self, problem):
        where = "".join(f"[{step!r}]" for step in problem.path)
        super().__init__(f"$%s: {problem.message}" % where)
        self.problem = problem


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_type(value, name):
    if name == "object":
        return isinstance(value, dict)
    if name == "array":
        return isinstance(value, list)
    if name == "string":
        return isinstance(value, str)
    if name == "boolean":
        return isinstance(value, bool)
    if name == "null":
        return value is None
    if name == "number":
        return is_number(value)
    if name == "integer":
        return is_number(value) and (isinstance(value, int) or value.is_integer())
    raise ValueError(f"unknown type {name!r}")


def same(left, right):
    """Equality of JSON: 1 is 1.0, but True is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[name], right[name]) for name in left)
    return left == right


class Validator:
    """The schema is checked as far as its references exist; `formats` maps names to functions of a string."""

    def __init__(self, schema, formats=FORMATS):
        self.root = schema
        self.formats = formats

    def validate(self, value):
        """Raise `ValidationError` for the first problem."""
        problems = self.errors(value)
        if problems:
            raise ValidationError(problems[0])

    def is_valid(self, value):
        return not self.errors(value)

    def errors(self, value):
        """All problems of `value`."""
        problems = []
        self.check(self.root, value, (), problems)
        return problems

    def resolve(self, reference):
        """The schema that `#/a/b` or `#anchor` stands for."""
        if not reference.startswith("#"):
            raise ValueError(f"{reference!r} lies in another document")
        if reference == "#":
            return self.root
        if reference[1] != "/":
            for schema in self.root.get("$defs", {}).values():
                if schema.get("$anchor") == reference[1:]:
                    return schema
            raise KeyError(reference)
        schema = self.root
        for step in reference[2:].split("/"):
            schema = schema[step.replace("~1", "/").replace("~0", "~")]
        return schema

    def fits(self, schema, value, path):
        problems = []
        self.check(schema, value, path, problems)
        return not problems

    def check(self, schema, value, path, problems):
        if schema is True:
            return
        if schema is False:
            problems.append(Problem(path, "nothing is allowed here"))
            return
        if "$ref" in schema:
            self.check(self.resolve(schema["$ref"]), value, path, problems)
        if "type" in schema:
            names = schema["type"]
            if isinstance(names, str):
                names = [names]
            if not any(is_type(value, name) for name in names):
                wanted = ", ".join(map(repr, names))
                problems.append(Problem(path, f"{value!r} is not of type {wanted}"))
        if "enum" in schema and not any(same(value, one) for one in schema["enum"]):
            problems.append(Problem(path, f"{value!r} is not one of {schema['enum']!r}"))
        if "const" in schema and not same(value, schema["const"]):
            problems.append(Problem(path, f"{schema['const']!r} was expected"))
        if isinstance(value, str):
            self.check_string(schema, value, path, problems)
        elif is_number(value):
            self.check_number(schema, value, path, problems)
        elif isinstance(value, list):
            self.check_array(schema, value, path, problems)
        elif isinstance(value, dict):
            self.check_object(schema, value, path, problems)
        self.check_combinations(schema, value, path, problems)

    def check_string(self, schema, value, path, problems):
        if "minLength" in schema and len(value) < schema["minLength"]:
            problems.append(Problem(path, f"{value!r} is too short"))
        if "maxLength" in schema and len(value) > schema["maxLength"]:
            problems.append(Problem(path, f"{value!r} is too long"))
        if "pattern" in schema and not re.search(schema["pattern"], value):
            problems.append(Problem(path, f"{value!r} does not match {schema['pattern']!r}"))
        if "format" in schema and schema["format"] in self.formats and not self.formats[schema["format"]](value):
            problems.append(Problem(path, f"{value!r} is not a {schema['format']!r}"))

    def check_number(self, schema, value, path, problems):
        if "minimum" in schema and value < schema["minimum"]:
            problems.append(Problem(path, f"{value!r} is less than the minimum of {schema['minimum']!r}"))
        if "maximum" in schema and value > schema["maximum"]:
            problems.append(Problem(path, f"{value!r} is greater than the maximum of {schema['maximum']!r}"))
        if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
            problems.append(Problem(path, f"{value!r} is not greater than {schema['exclusiveMinimum']!r}"))
        if "exclusiveMaximum" in schema and value >= schema["exclusiveMaximum"]:
            problems.append(Problem(path, f"{value!r} is not less than {schema['exclusiveMaximum']!r}"))
        if "multipleOf" in schema and value % schema["multipleOf"]:
            problems.append(Problem(path, f"{value!r} is not a multiple of {schema['multipleOf']!r}"))

    def check_array(self, schema, value, path, problems):
        if "minItems" in schema and len(value) < schema["minItems"]:
            problems.append(Problem(path, "there are too few items"))
        if "maxItems" in schema and len(value) > schema["maxItems"]:
            problems.append(Problem(path, "there are too many items"))
        if schema.get("uniqueItems") and has_repeated(value):
            problems.append(Problem(path, "an item is repeated"))
        first = schema.get("prefixItems", ())
        for place, item in enumerate(first):
            if place < len(value):
                self.check(item, value[place], (*path, place), problems)
        if "items" in schema:
            for place in range(len(first), len(value)):
                self.check(schema["items"], value[place], (*path, place), problems)
        if "contains" in schema:
            self.check_contains(schema, value, path, problems)

    def check_contains(self, schema, value, path, problems):
        found = 0
        for place, item in enumerate(value):
            if self.fits(schema["contains"], item, (*path, place)):
                found += 1
        if found < schema.get("minContains", 1):
            problems.append(Problem(path, "too few items are as `contains` says"))
        if "maxContains" in schema and found > schema["maxContains"]:
            problems.append(Problem(path, "too many items are as `contains` says"))

    def check_object(self, schema, value, path, problems):
        for name in schema.get("required", ()):
            if name not in value:
                problems.append(Problem(path, f"{name!r} is a required property"))
        if "minProperties" in schema and len(value) < schema["minProperties"]:
            problems.append(Problem(path, "there are too few properties"))
        if "maxProperties" in schema and len(value) > schema["maxProperties"]:
            problems.append(Problem(path, "there are too many properties"))
        for name, needed in schema.get("dependentRequired", {}).items():
            if name in value:
                for other in needed:
                    if other not in value:
                        problems.append(Problem(path, f"{other!r} is needed by {name!r}"))
        for name, sub in schema.get("dependentSchemas", {}).items():
            if name in value:
                self.check(sub, value, path, problems)
        properties = schema.get("properties", {})
        for name, sub in properties.items():
            if name in value:
                self.check(sub, value[name], (*path, name), problems)
        patterns = schema.get("patternProperties", {})
        for pattern, sub in patterns.items():
            for name in value:
                if re.search(pattern, name):
                    self.check(sub, value[name], (*path, name), problems)
        if "propertyNames" in schema:
            for name in value:
                self.check(schema["propertyNames"], name, path, problems)
        others = schema.get("additionalProperties", True)
        if others is not True:
            for name in value:
                if name not in properties and not any(re.search(pattern, name) for pattern in patterns):
                    if others is False:
                        problems.append(Problem(path, f"{name!r} is not expected"))
                    else:
                        self.check(others, value[name], (*path, name), problems)

    def check_combinations(self, schema, value, path, problems):
        for sub in schema.get("allOf", ()):
            self.check(sub, value, path, problems)
        if "anyOf" in schema and not any(self.fits(sub, value, path) for sub in schema["anyOf"]):
            problems.append(Problem(path, f"{value!r} fits none of the schemas of `anyOf`"))
        if "oneOf" in schema:
            count = 0
            for sub in schema["oneOf"]:
                if self.fits(sub, value, path):
                    count += 1
            if count != 1:
                problems.append(Problem(path, f"{value!r} fits {count} of the schemas of `oneOf`"))
        if "not" in schema and self.fits(schema["not"], value, path):
            problems.append(Problem(path, f"{value!r} should not be valid"))
        if "if" in schema:
            if self.fits(schema["if"], value, path):
                if "then" in schema:
                    self.check(schema["then"], value, path, problems)
            elif "else" in schema:
                self.check(schema["else"], value, path, problems)


def has_repeated(items):
    for place, item in enumerate(items):
        for earlier in range(place):
            if same(items[earlier], item):
                return True
    return False
