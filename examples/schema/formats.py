"""Checks of formats: functions of a string that tell whether it is a date, an address of mail ...

    FORMATS["date"]("2024-02-30")    gives False

Invariant: none of them raises for a string.
"""

import datetime
import ipaddress
import re
import uuid


def quiet(parse):
    """A check: does `parse` accept the text?"""

    def check(text):
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return check


def is_mail(text):
    return re.fullmatch(r"[^@\s]+@[^@\s]+", text) is not None


def is_uri(text):
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:\S+$", text) is not None


FORMATS = {
    "date": quiet(datetime.date.fromisoformat),
    "date-time": quiet(datetime.datetime.fromisoformat),
    "email": is_mail,
    "ipv4": quiet(ipaddress.IPv4Address),
    "ipv6": quiet(ipaddress.IPv6Address),
    "regex": quiet(re.compile),
    "uri": is_uri,
    "uuid": quiet(uuid.UUID),
}
