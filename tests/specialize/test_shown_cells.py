"""Cells of closures that code gets at by `f.__closure__`: the variables of the source are those of the residual.

    def f(x, call):
        n = 4
        def get(): return n
        def above(): return n + 1
        call(get)                   may be `get.__closure__[0].cell_contents = 7`: then `above` gives 8

Invariant: modules in whose text neither `__closure__` nor `cell_contents` stands pay nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import futamura
from tests.specialize.twins import outcome, twin

WRITING = """
def write(f): f.__closure__[0].cell_contents = 7
"""
FUNCTIONS = {
    "a sibling": "def run(n, x, act):\n    def get(): return n\n    def above(): return n + x\n"
    "    before = above()\n    act(get)\n    return before, above(), get()",
    "a constant": "def run(k, x, act):\n    n = 4\n    def get(): return n\n    act(get)\n    return get() + x, n",
    "an open value": "def run(k, x, act):\n    n = x + k\n    def get(): return n\n    def above(): return n + k\n"
    "    before = above()\n    act(get)\n    return before, above()",
    "in the function itself": "def run(k, x, act):\n    n = k\n    def get(): return n\n    def above(): return n + 1\n"
    "    get.__closure__[0].cell_contents = x\n    return above(), get(), n",
    "how many": "def run(k, x, act):\n    n, m = k, x\n    def get(): return n + m\n    act(get)\n"
    "    return len(get.__closure__), get.__code__.co_freevars",
    "a lambda in a loop": "def run(k, x, act):\n    made = [lambda: i for i in range(k)]\n    act(made[0])\n"
    "    return [one() for one in made]",
    "a generator": "def run(k, x, act):\n    n = k\n    def get(): return n\n    def items():\n        yield n\n"
    "        act(get)\n        yield n\n    return [x + one for one in items()]",
    "a closure that exists": "def make(n):\n    def get(): return n\n    def above(x): return n + x\n"
    "    return get, above\nGET, ABOVE = make(3)\ndef run(k, x, act):\n    before = ABOVE(x)\n    act(GET)\n"
    "    return before, ABOVE(x)",
}


@pytest.mark.usefixtures("assuming")
@pytest.mark.parametrize("text", FUNCTIONS.values(), ids=FUNCTIONS)
def test_what_is_written_in_a_cell_is_read(text: str, tmp_path: Path) -> None:
    text = WRITING + text
    one, other = twin(tmp_path, text), twin(tmp_path, text)
    residual = futamura.specialize(one.run, 2)
    for module, call in ((one, residual), (other, lambda *given: other.run(2, *given))):
        acts = (id, module.write, id)
        module.seen = [outcome(call, 5, act) for act in acts]
    assert one.seen == other.seen, residual.source


@pytest.mark.parametrize("name", ["a sibling", "a constant", "a generator"])
def test_elsewhere_closures_have_variables_of_their_own(name: str, tmp_path: Path) -> None:
    one = twin(tmp_path, FUNCTIONS[name])
    source = futamura.specialize(one.run, 2).source
    assert "above" not in source and "items" not in source and "n = " not in source, source
