"""Which stores on a class are those on a class that is just being made."""

from __future__ import annotations

import ast
import textwrap

import pytest

from futamura.analysis.creating import stores_on_new_classes

NEW = [
    """
    class Meta(type):
        def __new__(mcs, name, bases, body):
            cls = super().__new__(mcs, name, bases, body)
            cls.mark = 1
            return cls
    """,
    """
    class Meta(type):
        def __init__(cls, name, bases, body):
            cls.mark = 1
    """,
    """
    class Base:
        def __init_subclass__(cls, **options):
            super().__init_subclass__(**options)
            cls.mark = 1
    """,
    """
    def register(cls):
        cls.mark = 1
        return cls

    @register
    class One: pass
    """,
]
OLD = [
    """
    class Base:
        mark = []
        def __init_subclass__(cls):
            cls.mark += [1]
    """,
    """
    class Meta(Remembering, type):
        def __new__(mcs, name, bases, body):
            cls = super().__new__(mcs, name, bases, body)
            cls.mark = 1
            return cls
    """,
    """
    class Meta(type):
        def __new__(mcs, name, bases, body):
            cls = known[name]
            cls.mark = 1
            return cls
    """,
    """
    class Meta(type):
        def __new__(mcs, name, bases, body):
            cls = super().__new__(mcs, name, bases, body)
            cls = bases[0]
            cls.mark = 1
            return cls
    """,
    """
    class Meta(type):
        def __new__(mcs, name, bases, body):
            cls = super().__new__(mcs, name, bases, body)
            bases[0].mark = 1
            def later():
                nonlocal cls
                cls = bases[0]
            return cls
    """,
    """
    class Plain:
        def __init__(cls):
            cls.mark = 1
    """,
    """
    class Base:
        def __init_subclass__(cls):
            cls.table.mark = 1
            for cls in cls.__subclasses__():
                cls.mark = 1
    """,
    """
    def register(cls):
        cls.mark = 1
        return cls

    @register
    class One: pass

    def again():
        register(One)
    """,
    """
    class Base:
        @classmethod
        def reset(cls):
            cls.mark = 1
    """,
]


def _marked(text: str) -> bool:
    tree = ast.parse(textwrap.dedent(text))
    new = stores_on_new_classes(tree)
    stores = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    assert [node.attr for node in stores].count("mark") >= 1
    return any(id(node) in new for node in stores)


@pytest.mark.parametrize("text", NEW)
def test_new_classes(text: str) -> None:
    assert _marked(text)


@pytest.mark.parametrize("text", OLD)
def test_classes_that_exist(text: str) -> None:
    assert not _marked(text)
