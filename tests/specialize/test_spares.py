"""A list that a handler would get is the one that is used where no exception comes.

    path = [key]
    try: check(key)                       one list, where each operation that may raise had made one of its own
    except Invalid: return path
    return Error("wrong", path)
"""

from __future__ import annotations

from typing import Any

import pytest

from futamura import specialize
from tests.outcomes import outcome


class Error(Exception):
    def __init__(self, text: str, path: Any) -> None:
        super().__init__(text)
        self.path = path


def held(key: Any, check: Any) -> Any:
    path = [key]
    try:
        if check(key):
            return Error("wrong", path)
    except ValueError:
        return path
    return path


def in_a_loop(keys: Any, check: Any) -> Any:
    found: list[Any] = []
    for key in keys:
        path = [key]
        try:
            if check(key):
                raise Error("wrong", path)
        except Error as e:
            e.path.append(1)
            found.append((e.path, path, e.path is path))
        except ValueError:
            found.append(path)
        else:
            found.append([key])
            found.append(path)
    return found, len({id(one) for one in found})


def changed_meanwhile(key: Any, check: Any, out: Any) -> Any:
    path = {"key": key}
    try:
        check(key)
        out.append(path)
        check(out)
    except ValueError:
        return path, out
    other = {"key": key}
    out.append(other)
    return path is other, out


def check(key: Any) -> Any:
    if key == "value":
        raise ValueError(key)
    if isinstance(key, list):
        key[-1]["more"] = 1
        raise ValueError(key)
    return key


@pytest.mark.parametrize("key", ["value", "", "x", 0])
def test_what_is_used_is_right(key: Any) -> None:
    residual = specialize(held)
    assert str(outcome(residual, key, check)) == str(outcome(held, key, check))
    if key == "x":
        assert residual(key, check).path == ["x"]
    residual = specialize(changed_meanwhile)
    assert outcome(residual, key, check, []) == outcome(changed_meanwhile, key, check, [])
    assert outcome(residual, key, repr, []) == outcome(changed_meanwhile, key, repr, [])


def test_each_trip_has_its_own() -> None:
    residual = specialize(in_a_loop)
    keys = ["value", "", "x", 0, "value", "y", None]
    assert residual(keys, check) == in_a_loop(keys, check)


def test_one_list_is_made() -> None:
    assert specialize(held).source.count("[key]") == 1
