"""A realistic schema, that of an order in a shop, with orders that fit and orders that do not.

    order(3) is a dict that fits; damaged() is a list of orders with one thing wrong each

Invariant: order(n) is the same for the same n.
"""

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["id", "buyer", "lines", "currency", "state"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string", "pattern": "^ord-[0-9]{6}$"},
        "state": {"enum": ["open", "paid", "sent"]},
        "currency": {"type": "string", "minLength": 3, "maxLength": 3},
        "placed": {"type": "string", "format": "date"},
        "buyer": {
            "type": "object",
            "required": ["name", "mail"],
            "properties": {
                "name": {"type": "string", "minLength": 1, "maxLength": 80},
                "mail": {"type": "string", "pattern": "^[^@ ]+@[^@ ]+$"},
                "age": {"type": ["integer", "null"], "minimum": 0, "maximum": 130},
                "address": {"$ref": "#/$defs/address"},
            },
        },
        "lines": {
            "type": "array",
            "minItems": 1,
            "maxItems": 200,
            "items": {
                "type": "object",
                "required": ["article", "count", "price"],
                "additionalProperties": False,
                "properties": {
                    "article": {"type": "string", "minLength": 3},
                    "count": {"type": "integer", "minimum": 1},
                    "price": {"type": "number", "exclusiveMinimum": 0},
                    "labels": {"type": "array", "items": {"type": "string"}},
                    "rebate": {"anyOf": [{"type": "null"}, {"type": "number", "minimum": 0, "maximum": 1}]},
                },
            },
        },
        "invoice": {"$ref": "#/$defs/address"},
        "gift": {"type": "boolean"},
        "card": {"type": "string", "maxLength": 200},
    },
    "if": {"properties": {"gift": {"const": True}}, "required": ["gift"]},
    "then": {"required": ["card"]},
    "dependentRequired": {"card": ["gift"]},
    "$defs": {
        "address": {
            "type": "object",
            "required": ["street", "town", "code"],
            "properties": {
                "street": {"type": "string"},
                "town": {"type": "string"},
                "code": {"type": "string", "pattern": "^[0-9]{4}$"},
                "country": {"type": "string", "minLength": 2, "maxLength": 2},
            },
        },
    },
}


def order(number, lines=8):
    """Order `number`."""
    return {
        "id": f"ord-{number:06d}",
        "state": ("open", "paid", "sent")[number % 3],
        "currency": "EUR",
        "placed": f"2024-06-{number % 28 + 1:02d}",
        "buyer": {
            "name": f"Ann {number}",
            "mail": f"ann{number}@example.org",
            "age": 20 + number % 60 if number % 4 else None,
            "address": {"street": "Long Lane", "town": "Delft", "code": "2611", "country": "NL"},
        },
        "lines": [
            {
                "article": f"ART-{place}",
                "count": 1 + place,
                "price": 2.5 * (place + 1),
                "labels": ["new", "red"],
                "rebate": 0.25 if place % 2 else None,
            }
            for place in range(lines)
        ],
        "invoice": {"street": "Short Lane", "town": "Gouda", "code": "2801"},
        "gift": True,
        "card": "with love",
    }


def damaged():
    """Orders with one thing wrong each."""
    changes = [
        lambda order: order.pop("id"),
        lambda order: order.update(id="7"),
        lambda order: order.update(state="lost"),
        lambda order: order.update(currency="EURO"),
        lambda order: order["buyer"].update(age=-1),
        lambda order: order["buyer"].update(age="old"),
        lambda order: order["buyer"]["address"].pop("town"),
        lambda order: order["lines"][2].update(count=0),
        lambda order: order["lines"][3].update(color="red"),
        lambda order: order["lines"][1].update(rebate=7),
        lambda order: order["lines"][4].update(labels=["x", 1]),
        lambda order: order.update(lines=[]),
        lambda order: order.pop("card"),
        lambda order: order.pop("gift"),
        lambda order: order["invoice"].update(code="x"),
        lambda order: order.update(more=1),
        lambda order: order.update(lines=3),
    ]
    orders = []
    for number, change in enumerate(changes):
        one = order(number)
        change(one)
        orders.append(one)
    return orders
