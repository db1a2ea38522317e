"""What `World` asks about the modules of a program: what their texts say of globals, attributes and closures.

    def bump(): LIMITS["n"] += 1        contents_are_constant(namespace, "LIMITS", LIMITS)    ->    False

Invariant: who answers (`futamura.frontend.contents`) runs no code of the program.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Protocol

__all__ = ["Changes", "Entries", "Modules", "Writer"]


class Entries(Protocol):
    """What functions do with what some of them keep in a dict."""

    @property
    def changed(self) -> bool:
        """Do they change an entry, or hand it on?"""

    @property
    def inside(self) -> bool:
        """Do they so with what is in an entry?"""

    @property
    def texts(self) -> bool:
        """Has the module classes of texts, or of tuples?"""


class Changes(Protocol):
    """What functions do to what an attribute of objects holds (`futamura.frontend.contents.Contents`)."""

    @property
    def line(self) -> int: ...
    @property
    def itself(self) -> bool: ...
    def inside(self, held: object, /) -> bool: ...


class Writer(Protocol):
    """Where a function may change what a name stands for."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int:
        """0 if it is not known which."""

    @property
    def function(self) -> str:
        """What it is called; "" if it is none."""

    @property
    def name(self) -> str:
        """The name that what is changed has there, if it is another one."""


class Modules(Protocol):
    """What the text of a module says about its globals (`futamura.frontend.contents`)."""

    def is_rebound(self, namespace: Mapping[str, object], name: str, /) -> bool: ...

    def may_delete(self, namespace: Mapping[str, object], name: str, /) -> bool: ...

    def mentions(self, namespace: Mapping[str, object], name: str, /) -> bool: ...

    def contents_are_constant(
        self, namespace: Mapping[str, object], name: str, container: object, /, *, whole: bool = True
    ) -> bool: ...

    def memo(self, namespace: Mapping[str, object], name: str, /) -> Entries | None: ...

    def lazy(self, cls: type, name: str, /) -> Entries | None: ...

    def results_are_constant(self, function: types.FunctionType, whole: bool, /) -> bool: ...

    def has_texts(self, namespace: Mapping[str, object], /) -> bool: ...

    def writer(self, namespace: Mapping[str, object], name: str, value: object, /) -> Writer | None: ...

    def object_contents(
        self, owner: Mapping[str, object], user: Mapping[str, object], name: str, /
    ) -> Changes | None: ...

    def changing(self, namespace: Mapping[str, object], /) -> Mapping[int, object]: ...

    def registered(self, namespace: Mapping[str, object], /) -> Mapping[int, object]: ...

    def filled_around(self, function: types.FunctionType, /) -> Mapping[int, object]: ...
