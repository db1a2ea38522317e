"""By hand: the schema of an order, and an order from plain data and back.

    errors(order)    gives the problems that `Validator(SCHEMA).errors` finds
    structure(data) and unstructure(order)    do what `records` does for the class Order

Invariant: all that happens only on failure is left to the generic program, which is asked again then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

__all__ = ["schema", "structuring", "unstructure"]


class _Damaged(Exception):
    """Something does not fit: the generic program says what."""


_is_id = re.compile("^ord-[0-9]{6}$").search
_is_mail = re.compile("^[^@ ]+@[^@ ]+$").search
_is_code = re.compile("^[0-9]{4}$").search
_day = date.fromisoformat
_TOP = frozenset({"id", "state", "currency", "placed", "buyer", "lines", "invoice", "gift", "card"})
_LINE = frozenset({"article", "count", "price", "labels", "rebate"})


def schema(validator: Any) -> Callable[..., Any]:
    """The problems of an order: an empty list, or what `validator` says."""

    def errors(value: Any) -> Any:
        return [] if _fits(value) else validator.errors(value)

    return errors


def _is_date(text: str) -> bool:
    try:
        _day(text)
    except ValueError:
        return False
    return True


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return _number(value) and (isinstance(value, int) or value.is_integer())


def _address(value: Any) -> bool:
    if not isinstance(value, dict) or "street" not in value or "town" not in value or "code" not in value:
        return False
    code = value["code"]
    if not (isinstance(value["street"], str) and isinstance(value["town"], str) and isinstance(code, str)):
        return False
    if not _is_code(code):
        return False
    if "country" in value:
        country = value["country"]
        return isinstance(country, str) and len(country) == 2
    return True


def _buyer(value: Any) -> bool:
    if not isinstance(value, dict) or "name" not in value or "mail" not in value:
        return False
    name, mail = value["name"], value["mail"]
    if not (isinstance(name, str) and 1 <= len(name) <= 80 and isinstance(mail, str) and _is_mail(mail)):
        return False
    if "age" in value:
        age = value["age"]
        if age is not None and not (_whole(age) and 0 <= age <= 130):
            return False
    return "address" not in value or _address(value["address"])


def _line(item: Any) -> bool:
    if not isinstance(item, dict) or "article" not in item or "count" not in item or "price" not in item:
        return False
    article, count, price = item["article"], item["count"], item["price"]
    if not (isinstance(article, str) and len(article) >= 3 and _whole(count) and count >= 1):
        return False
    if not (_number(price) and price > 0):
        return False
    if "labels" in item:
        labels = item["labels"]
        if not isinstance(labels, list):
            return False
        for label in labels:
            if not isinstance(label, str):
                return False
    if "rebate" in item:
        rebate = item["rebate"]
        if rebate is not None and not (_number(rebate) and 0 <= rebate <= 1):
            return False
    return item.keys() <= _LINE


def _fits(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if not ("id" in value and "buyer" in value and "lines" in value and "currency" in value and "state" in value):
        return False
    if "card" in value and "gift" not in value:
        return False
    ident, currency, lines = value["id"], value["currency"], value["lines"]
    if not (isinstance(ident, str) and _is_id(ident) and value["state"] in ("open", "paid", "sent")):
        return False
    if not (isinstance(currency, str) and len(currency) == 3):
        return False
    if "placed" in value and not (isinstance(value["placed"], str) and _is_date(value["placed"])):
        return False
    if not _buyer(value["buyer"]) or not isinstance(lines, list) or not 1 <= len(lines) <= 200:
        return False
    for item in lines:
        if not _line(item):
            return False
    if "invoice" in value and not _address(value["invoice"]):
        return False
    if "gift" in value and not isinstance(value["gift"], bool):
        return False
    if "card" in value and not (isinstance(value["card"], str) and len(value["card"]) <= 200):
        return False
    if not value.keys() <= _TOP:
        return False
    return not (value.get("gift") is True and "card" not in value)


def structuring(model: Any, records: Any) -> Callable[..., Any]:
    """An order of plain data; what does not fit is structured by the generic program, which says why."""
    Address, Customer, Item, Order = model.Address, model.Customer, model.Item, model.Order
    states = {state.value: state for state in model.Status}
    moment = datetime.fromisoformat

    def address(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _Damaged
        street, town, code = value["street"], value["town"], value["code"]
        country = value.get("country", "NL")
        if type(street) is type(town) is type(code) is type(country) is str:
            return Address(street, town, code, country)
        raise _Damaged

    def customer(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _Damaged
        name, mail = value["name"], value["mail"]
        born, home = value.get("born"), value.get("address")
        if type(name) is not str or type(mail) is not str or (born is not None and type(born) is not int):
            raise _Damaged
        return Customer(name, mail, born, None if home is None else address(home))

    def item(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _Damaged
        article, count, price = value["article"], value["count"], real(value["price"])
        labels, rebate = value.get("labels"), value.get("rebate")
        if type(article) is not str or type(count) is not int:
            raise _Damaged
        if labels is None:
            if "labels" in value:
                raise _Damaged
            labels = []
        elif isinstance(labels, list):
            for label in labels:
                if type(label) is not str:
                    raise _Damaged
            labels = labels[:]
        else:
            raise _Damaged
        return Item(article, count, price, labels, None if rebate is None else real(rebate))

    def real(value: Any) -> Any:
        if type(value) is float:
            return value
        if type(value) is int:
            return float(value)
        raise _Damaged

    def order(value: Any) -> Any:
        number, made, items, sums, place = (
            value["number"], value["made"], value["items"], value["sums"], value["place"],
        )  # fmt: skip
        remark = value.get("remark")
        if type(number) is not int or not isinstance(items, list) or not isinstance(sums, dict):
            raise _Damaged
        if not isinstance(place, (list, tuple)) or len(place) != 2 or (remark is not None and type(remark) is not str):
            raise _Damaged
        totals = {}
        for name, total in sums.items():
            if type(name) is not str:
                raise _Damaged
            totals[name] = real(total)
        here, there = place
        return Order(
            number, states[value["status"]], moment(made), customer(value["customer"]), [item(one) for one in items],
            totals, (real(here), real(there)), remark,
        )  # fmt: skip

    def structure(value: Any) -> Any:
        try:
            return order(value)
        except (_Damaged, KeyError, TypeError, ValueError):
            return records.structure(Order, value)

    return structure


def unstructure(order: Any) -> Any:
    customer = order.customer
    home = customer.address
    here, there = order.place
    return {
        "number": order.number,
        "status": order.status.value,
        "made": order.made.isoformat(),
        "customer": {
            "name": customer.name,
            "mail": customer.mail,
            "born": customer.born,
            "address": None
            if home is None
            else {"street": home.street, "town": home.town, "code": home.code, "country": home.country},
        },
        "items": [
            {
                "article": item.article,
                "count": item.count,
                "price": item.price,
                "labels": item.labels[:],
                "rebate": item.rebate,
            }
            for item in order.items
        ],
        "sums": dict(order.sums),
        "place": [here, there],
        "remark": order.remark,
    }
