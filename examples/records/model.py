"""The classes of an order, with type hints, and orders as JSON has them.

    Order(...), Item(...), Customer(...), Address(...), Status.PAID;  raw(3) is a dict that structures to an Order

Invariant: raw(n) is the same for the same n.
"""

import datetime
import enum
from dataclasses import dataclass, field
from typing import Optional


class Status(enum.Enum):
    OPEN = "open"
    PAID = "paid"
    SENT = "sent"


@dataclass
class Address:
    street: str
    town: str
    code: str
    country: str = "NL"


@dataclass
class Customer:
    name: str
    mail: str
    born: Optional[int] = None  # noqa: UP045
    address: Optional[Address] = None  # noqa: UP045


@dataclass
class Item:
    article: str
    count: int
    price: float
    labels: list[str] = field(default_factory=list)
    rebate: Optional[float] = None  # noqa: UP045


@dataclass
class Order:
    number: int
    status: Status
    made: datetime.datetime
    customer: Customer
    items: list[Item]
    sums: dict[str, float]
    place: tuple[float, float]
    remark: Optional[str] = None  # noqa: UP045


def raw(number, items=6):
    """Order `number` as a parser of JSON gives it."""
    return {
        "number": number,
        "status": ("open", "paid", "sent")[number % 3],
        "made": f"2024-05-{number % 27 + 1:02d}T09:15:00",
        "customer": {
            "name": f"Ada {number}",
            "mail": f"ada{number}@example.org",
            "born": 1980 + number % 20,
            "address": {"street": "Long Lane", "town": "Delft", "code": "2611", "country": "NL"},
        },
        "items": [
            {
                "article": f"A-{place}",
                "count": place + 1,
                "price": 1.25 * place,
                "labels": ["new", "red"],
                "rebate": 0.2 if place % 2 else None,
            }
            for place in range(items)
        ],
        "sums": {"net": 20.5, "tax": 4.25, "total": 24.75},
        "place": [52.01, 4.36],
        "remark": "by bike" if number % 2 else None,
    }


def damaged():
    """Orders with one thing wrong each."""
    changes = [
        lambda order: order.pop("number"),
        lambda order: order.update(number="7"),
        lambda order: order.update(status="gone"),
        lambda order: order.update(made="soon"),
        lambda order: order["customer"].update(born="old"),
        lambda order: order["items"][1].update(count=0.5),
        lambda order: order["items"][2].pop("article"),
        lambda order: order["items"][3].update(labels=["x", 1]),
        lambda order: order.update(items="none"),
        lambda order: order["sums"].update(tax="much"),
        lambda order: order.update(place=[1.0]),
        lambda order: order.update(customer=None),
        lambda order: order["customer"]["address"].pop("code"),
        lambda order: order["items"][0].update(rebate="half"),
    ]
    orders = []
    for number, change in enumerate(changes):
        order = raw(number)
        change(order)
        orders.append(order)
    return orders
