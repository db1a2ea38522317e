"""Corner programs about what static objects are reached by: each way to what lies in one, each place, each call.

    n = len(o[0]); w = [0, o[{i} & 1]][keep(1)]; w.append({i}); out.append((n, len(o[0])))       o static, i open

One write makes all of an object unknown, so that each statement has to stand in a program of its own to say anything.

Invariant: each read sees each write; nothing is handed to unknown code that is not meant to be.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

from tests.specialize.corner_tables import Part

__all__ = ["REACHED"]

_WAYS: Final = (
    "w = {X}", "w = [{X}][0]", "w = ({X},)[{i} & 0]", "[w] = [{X}]", "*rest, w = [0, {X}]",
    "w, *rest = keep([{X}, 0])", "*rest, w = keep((0, {X}))", "(w, rest), r = ({X}, 1), 2",
    "w = [q for q in [{X}]][0]", "w = [q for q in keep([{X}])][0]", "w = {{q: {X} for q in {s}}}.popitem()[1]",
    "w = {{'k': {X}}}['k']", "w = dict(a={X}).get('a', 0)", "w = [{X}].pop()",
    "w = keep({{'a': {X}}}).setdefault('a', 0)", "w = {{}}.setdefault({s}, {X})", "w = {{}}.get({s}, {X})",
    "w = keep({{}}).get(1, {X})", "w = keep({{}}).setdefault(1, {X})", "w = {{1: 2}}.pop({i}, {X})",
    "for w in [{X}]: pass", "for w in keep([{X}]): pass", "for k, w in enumerate(keep([{X}])): pass",
    "for w, k in zip([{X}], keep([1])): pass", "w = next(iter([{X}]))", "w = next(iter([]), {X})",
    "w = (lambda q: q)({X})", "w = (lambda q={X}: q)()", "w = call(lambda q: q, {X})",
    "def inner(*a): return a[0]\nw = inner({X})", "def inner(**k): return k['a']\nw = call(lambda: inner(a={X}))",
    "w = {X} or 0", "w = {X} if {c} else {X}", "w = max([{X}], key=len)", "w = sorted([{X}], key=str)[0]",
    "w = [*map(lambda q: q, [{X}])][0]", "w = next(q for q in keep([{X}]))", "w = [*[{X}]][0]", "w = [{X}][:][0]",
    "w = (keep([{X}]) + [1])[0]", "w = ([{X}] * 2)[1]", "w = (keep([{X}]) * 2)[1]", "w = keep([0, {X}])[-1:][0]",
    "w = functools.reduce(lambda a, b: a, [{X}, 1])", "w = operator.itemgetter(0)(keep([{X}]))", "w = keep({X})",
    "w = keep([{X}])[0]", "h = Box()\nh.a = {X}\nw = h.a", "h = keep(Box())\nh.a = {X}\nw = h.a",
    "h = Box()\nsetattr(h, 'a', {X})\nw = vars(h)['a']", "w = functools.partial(lambda q: q, {X})()",
    "w = collections.deque([{X}]).popleft()", "w = keep(collections.deque([{X}])).pop()",
    "match [{X}]:\n    case [w]: pass", "match {X}:\n    case w: pass", "with contextlib.nullcontext({X}) as w: pass",
    "try: raise KeyError({X})\nexcept KeyError as e: w = e.args[0]", "def gen():\n    yield {X}\nw = next(gen())",
    "def gen():\n    yield {X}\nw = [*gen()][0]",
    "def gen():\n    got = yield\n    yield got\ng = gen()\nnext(g)\nw = g.send({X})",
    "def gen():\n    return {X}\n    yield\ndef outer():\n    yield (yield from gen())\nw = next(outer())",
    "w = (q := {X})", "w = dict([(1, {X})])[1]", "w = ({{1: {X}}} | {{}})[1]", "w = keep([0])\nw += [{X}]\nw = w[1]",
    "w = keep([0])\nw.extend([{X}])\nw = w.pop()", "w = keep([0])\nw[0] = {X}\nw = w[0]",
    "w = keep([0])\nw[:] = [{X}]\nw = w[0]", "w = keep([0])\nw.insert(0, {X})\nw = w[0]",
    "w = keep({{}})\nw[1] = {X}\nw = w[1]", "w = keep({{}})\nw.update(a={X})\nw = w['a']",
    "w = keep({{}})\nw |= {{1: {X}}}\nw = w[1]", "w = 0\ndef put(q):\n    nonlocal w\n    w = q\nput({X})",
    "w = 0\ndef put(q):\n    nonlocal w\n    w = q\ncall(put, {X})", "w = copy.copy(keep([{X}]))[0]",
    "w = keep([{X}]).copy()[0]", "w = [*reversed(keep([{X}]))][0]", "w = tuple(keep([{X}]))[0]",
    "w = min(keep([{X}]), key=len)", "w = [*zip(keep([{X}]))][0][0]", "w = [*keep({{1: {X}}}).values()][0]",
    "w = [*keep({{1: {X}}}).items()][0][1]", "w = [{X} for q in keep((1,))][0]",
    "w = [*({X} for q in keep((1,)))][0]", "w = {{q: {X} for q in keep((1,))}}[1]",
    "w = 0\nfor q in keep((1,)): w = {X}", "w = []\nfor q in keep((1,)): w.append({X})\nw = w[0]",
    "w = {{}}\nfor q in keep('a'): w[q] = {X}\nw = w['a']", "w = ()\nfor q in keep((1,)): w = (*w, {X})\nw = w[0]",
    "w = [0]\nfor q in keep((1,)): w = [{X}]\nw = w[0]", "w = [0, {X}][keep(1)]", "w = {{1: {X}}}[keep(1)]",
    "w = [[0], [{X}]][keep(1)][0]", "if keep(1): w = {X}\nelse: w = [0]", "w = {X} if keep(1) else [0]",
    "w = keep(0) or {X}", "w = keep(1) and {X}", "q = [0, {X}][keep(0):]\n*rest, w = q",
    "w, *rest = [{X}, 0][keep(0):]", "w = [0]\nwhile keep(1):\n    w = [{X}]\n    break\nw = w[0]",
    "w = [0, 1]\nw[keep(1)] = {X}\nw = w[1]", "w = {{1: 0}}\nw[keep(1)] = {X}\nw = w[1]",
    "h = Box()\nh.a = {X}\nw = [*some({{h: 1}})][0].a",
    "h = Box()\nh.a = {X}\nw = [*{{**some({{h: 1}})}}][0].a",
    "h = Box()\nh.a = {X}\nw = some({{h: 1}}).popitem()[0].a",
    "h = Box()\nh.a = {X}\nw = [*dict(some({{h: 1}}))][0].a",
    "h = Box()\nh.a = {X}\nw = [*some({{h: 1}}).keys()][0].a",
    "h = Box()\nh.a = {X}\nw = [*some({{h: 1}}).copy()][0].a",
    "h = Box()\nh.a = {X}\nw = [*(some({{h: 1}}) | {{}})][0].a",
    "h = Box()\nh.a = {X}\nw = some({{h}}).pop().a",
    "h = Box()\nh.a = {X}\nw = [*(some({{h}}) | {{1}})][-1:]\nw = h.a",
)  # fmt: skip
"""What a value goes through before it is written to: {X} is the value.

`keep` gives what it gets to code that nobody looks into; in most programs `some` stands there, of which only the index
is not known."""
_KEPT: Final = (
    "stash(q := Box())\nq.a = {X}", "q = Box()\nq.b = q\nstash(q)\nq.a = [{X}]", "q = []\nstash(q)\nq.append({X})",
    "q = [0]\nstash(q)\nq[0] = {X}", "q = {{}}\nstash(q)\nq[1] = {X}", "q = []\nstash(q)\nq += [{X}]",
    "q = []\nstash(q)\nq.extend(({X},))", "q = {{}}\nstash(q)\nq.update(a={X})", "q = [0]\nstash(q)\nq[:] = [{X}]",
    "q = [[]]\nstash(q)\nq[0].append({X})", "q = Box()\nstash([q])\nsetattr(q, 'a', {X})",
    "q = {{}}\nstash(q)\nq.setdefault(1, {X})", "q = collections.deque()\nstash(q)\nq.append({X})",
    "q = 0\ndef told(): return q\nstash(told)\nq = {X}", "q = []\nstash(lambda: q)\nq.append({X})",
    "q = Box()\nstash(q)\nq.__dict__['a'] = {X}", "q = Box()\nstash(vars(q))\nq.a = {X}",
    "q = []\nstash(q)\nfor r in keep((1,)): q.append({X})", "stash({X})", "stash([{X}])", "stash(lambda: {X})",
    "def gen():\n    yield {X}\nstash(gen())", "q = iter([{X}])\nstash(q)", "stash((0, {X}))", "stash({X}.append)",
    "stash(functools.partial(len, {X}))", "stash(map(list, [{X}]))", "q = Box()\nq.a = {X}\nstash(q)",
)  # fmt: skip
"""What leads code that nobody looks into to a value, before it writes to all that it was ever given."""
_WRITES: Final = (
    "w.append({i})", "w.pop()", "w[0] = {i}", "w += [{i}]", "del w[0]", "w.sort(key=str)",
    "call(list.append, w, {i})", "w[:] = {ys}", "w.insert(0, 1)", "w.clear()", "operator.setitem(w, 0, 5)", "w *= 2",
    "keep(w).append(3)", "w.reverse()", "w.extend({xs})", "w[{j} & 0] = 8", "w[1:] = [w]", "list.insert(w, 0, {i})",
    "w.remove(w[0])", "w.__setitem__(0, 6)", "keep(w.append)({i})",
)  # fmt: skip
_READS: Final = (
    "([*o[0]], [*o[1]])", "([*o[0]], len(o[1]), [*o[1]])", "(o[1][0], [*o[0]], [*o[1]])",
    "([*o[0]], bool(o[1]), [*o[1]], 1 in o[0])", "[(len(q), [*q]) for q in o]",
)  # fmt: skip
"""Each sees every change."""
_HELPERS: Final = """
def some(q):
    return (q, q)[keep(1)]
class Box: pass
STASH = []
@futamura.opaque
def stash(x):
    STASH.append(x)
@futamura.opaque
def poke():
    seen = []
    work = [STASH.pop()] if STASH else []
    while work:
        x = work.pop()
        if any(x is y for y in seen): continue
        seen.append(x)
        if type(x) is list: x.append(9)
        if type(x) is dict: work += x.values()
        elif type(x) in (list, tuple, collections.deque): work += x
        elif type(x) is Box: work += vars(x).values()
        elif type(x) is functools.partial: work += x.args
        elif type(x) is type([].append): x(8)
        elif callable(x): work.append(x())
        elif hasattr(x, '__next__'): work += x
"""
_PLACES: Final = {
    "[[1, 2], [3, 4]]": (
        "o[{i} & 1]", "o[{i} & 1:][0]", "next(iter(o[{i} & 1:]))", "o[-1 - ({i} & 1)]", "some(o)[0]", "[*o][{i} & 1]",
        "o.copy()[{i} & 1]", "(o + [])[{i} & 1]", "dict(enumerate(o))[{i} & 1]", "max(o[{i} & 1:], key=len)",
        "(lambda q: o[q & 1])({i})", "[q for q in o][{i} & 1]", "[q for q in some(o)][0]", "[*some(o)][0]",
        "tuple(some(o))[0]", "sorted(some(o))[0]", "[*reversed(some(o))][-1]", "operator.getitem(o, {i} & 1)",
        "o.__getitem__({i} & 1)", "some(o).copy()[0]", "[*zip(some(o))][0][0]", "[*map(some, o)][0]",
        "list.__getitem__(o, {i} & 1)", "some([o, o])[0][0]",
    ),
    "{'a': [1, 2], 'b': [3]}": (
        "o[keep('a')]", "o.get(keep('a'))", "o.get(keep('a'), 0)", "o.setdefault(keep('a'), 0)",
        "[*o.values()][{i} & 1]", "some(o)['a']", "[*o.items()][{i} & 1][1]", "{{**o}}[keep('a')]",
        "dict(o)[keep('a')]", "o.copy()[keep('a')]", "(o | {{}})[keep('a')]", "some(o).get('a')",
        "next(iter(some(o).values()))", "some(o).setdefault('a', 0)", "dict.get(o, keep('a'))",
        "[q for q in some(o).values()][0]", "[r for q, r in some(o).items()][0]", "operator.itemgetter('a')(some(o))",
        "some(o).copy()['a']", "o.__getitem__(keep('a'))",
    ),
    "made(a=[1, 2], b=[3])": (
        "some(o).a", "getattr(o, keep('a'))", "vars(some(o))['a']", "operator.attrgetter('a')(some(o))",
        "some([o])[0].a", "getattr(some(o), 'a', 0)", "some({{1: o}})[1].a", "[q.a for q in some([o])][0]",
        "some((o, 1))[0].a", "(lambda q: q.a)(some(o))", "some(o).__dict__['a']", "some(o).me().a", "some(o).held()",
        "some(o).by()()", "some(o).kept[0]", "o.rows.pop()", "o.rows.pop(keep(1))", "o.rows.__getitem__(keep(1))",
        "[*reversed(o.rows)][keep(0)]", "o.rows[::-1][keep(0)]", "o.table.get(keep('a'))", "o.table.pop(keep('a'))",
        "o.table.pop(keep('a'), 0)", "o.table.setdefault(keep('a'), 0)", "o.table.popitem()[1]",
        "[*o.table.values()][keep(1)]", "o.table.copy()[keep('a')]", "[*o.table.items()][keep(1)][1]",
        "o.queue.pop()", "o.queue[keep(1)]", "o.queue.popleft() and o.queue.popleft()", "o.pair[keep(1)]",
        "next(iter(o.rows[keep(1):]))", "[*o.queue][keep(1)]", "o.queue.copy().pop()", "max(o.rows[keep(1):])",
        "some(o.table)['a']", "next(iter(o.pair[keep(1):]))", "o.table['z' if keep(0) else 'a']", "some(o.rows)[-1]",
    ),
}  # fmt: skip
"""Static objects, and the places of what lies in them that lead there where the residual runs alone."""
_OF_PLACES: Final = {
    "[[1, 2], [3, 4]]": _READS,
    "{'a': [1, 2], 'b': [3]}": (
        "([*o['a']], [*o['b']])", "[(k, len(q), [*q]) for k, q in o.items()]", "([*o.get('a')], o['b'], len(o['b']))",
    ),
    "made(a=[1, 2], b=[3])": ("([*o.a], [*o.b])", "([*o.a], len(o.b), [*o.b])", "([*o.kept[0]], [*o.b])"),
}  # fmt: skip
_OWN: Final = """
class Own:
    def __init__(self, **named):
        vars(self).update(named)
        self.kept = [self.a]
        self.rows = [self.b, self.a]
        self.table = {'b': self.b, 'a': self.a}
        self.queue = collections.deque((self.b, self.a))
        self.pair = (self.b, self.a)
    def me(self): return self
    def held(self): return self.a
    def by(self): return lambda: self.a
def made(**named): return Own(**named)
"""
_NOTICED: Final = (
    "call(o.hit)", "sorted([2, 1], key=o.hit)", "[*map(o.hit, {xs})]", "max({xs}, key=o.hit, default=0)",
    "re.sub('a', o.text, {s})", "functools.reduce(o.hit, {xs}, 0)", "[*filter(o.hit, {xs})]",
    "[*itertools.starmap(o.hit, [(1, {i})])]", "[*itertools.takewhile(o.hit, {xs})]",
    "[*itertools.accumulate({xs}, o.hit)]", "json.dumps([call], default=o.text)", "operator.methodcaller('hit')(o)",
    "functools.partial(o.hit, 1)()", "keep(o).hit()", "keep([o])[0].hit()", "getattr(o, {s}, 0)", "type(o).hit(o)",
    "next(iter(o.hit, {i}), 0)", "str(o)", "[o] == [keep(5)]", "[keep(5)] == [o]", "{{o: 1}}", "f'{{o}}'",
    "o in [keep(1)]", "keep(1) in [o]", "[keep(1), 2].count(o)", "o + {i}", "{i} + o", "-o", "o[{i}]", "o < {v}",
    "{v} < o", "o()", "print(o)", "'%s' % o", "'%s %s' % ({v}, o)", "sum([o, 1])", "sum([{i}, o])", "{v} in o",
    "[*keep([o])]", "(o, 1) < (keep(o), 2)", "max(o, {i})", "'ab'[o]", "{xs}[o]", "{xs}[o:]", "range(o)", "round(o)",
    "abs(o)", "int(o)", "[*o]", "[*reversed(o)]", "{{1: o}} == {{1: keep(2)}}", "hash((1, o))", "repr([o])",
    "keep(o.hit)()", "keep({{'f': o.hit}})['f']()", "(lambda: o.hit())()", "call(lambda: o.hit())",
    "[*(o.hit(q) for q in {xs})]", "keep(lambda: o.seen)()", "call(setattr, o, 'seen', [0])", "o.prop",
    "keep(o).prop", "keep(o).seen.append({i})", "call(o.seen.append, 1)", "vars(keep(o))",
    "o.__dict__.update(seen=[])", "keep(o).__dict__.clear()", "o != {v}", "{v} == o", "o.other.hit()",
    "keep(o.other)", "collections.Counter([o])", "itertools.chain(o)", "copy.copy(o).hit()", "copy.deepcopy(o).hit()",
    "print({i}, o, sep='-')", "bisect.bisect([1, 2], {i}, key=o.hit)", "json.dumps({{1: keep(o)}}, default=o.text)",
    "string.Template('$a').substitute(a=o)", "'{{}}'.format(o)", "'{{:>3}}'.format(o)", "'-'.join([o.text()])",
    "isinstance(o, keep(int))", "dict.fromkeys([o])", "set([o, 1])",
)  # fmt: skip
"""What is asked of an object that notes it, called, or handed over."""
_SPECIAL: Final = (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "mod", "rmod", "floordiv", "pow", "lshift",
    "and", "or", "xor", "rand", "ror", "matmul", "neg", "pos", "invert", "abs", "eq", "ne", "lt", "le", "gt", "ge",
    "contains", "getitem", "call", "iadd", "isub", "ior", "enter", "exit", "str", "repr", "format", "index", "int",
    "float", "round", "reversed", "iter",
)  # fmt: skip
_GIVES: Final = {
    "str": "'s'", "repr": "'r'", "format": "'f'", "index": "1", "int": "2", "float": "1.5", "iter": "iter((1,))",
    "reversed": "iter((2,))",
}  # fmt: skip
_BODY: Final = """
    def __init__(self):
        self.seen = []
        self.other = None
        self.calls = [self.hit, self.text]
        self.both = [self, self]
    def hit(self, *given):
        self.seen.append(len(given))
        return len(self.seen)
    def text(self, *given):
        self.seen.append('t')
        return 'x'
"""
_MORE: Final = """
    @property
    def prop(self):
        self.seen.append('p')
        return self.seen[-1]
    def __hash__(self):
        self.seen.append('h')
        return 5
"""
_TWICE: Final = """
class Twice(Note):
    def __init__(self):
        super().__init__()
        self.other = Note()
"""


def _ways() -> tuple[Part, ...]:
    """A list that lies in a static one is written to, by each way that leads to it."""
    parts = []
    writes, reads = itertools.cycle(_WRITES), itertools.cycle(_READS)
    for title, source in (("an open place", "o[{i} & 1]"), ("another name", "v[{j} & 1]"), ("a name", "v[0]")):
        statements = []
        for number, way in enumerate(_WAYS):
            read = next(reads)
            write = next(writes) if number % 2 else "w.append({i})"
            way = way if number % 7 == 6 or "{X}" not in way.partition("keep(")[2] else way.replace("keep(", "some(")
            lines = (f"n = {read}", way.replace("{X}", source), write, f"out.append((n, {read}))")
            statements.append("\n".join(lines))
        objects = ("[[1, 2], [3, 4]]", "[[5, 6, 7], [1, 2]]")
        parts.append(Part(f"ways to {title}", _HELPERS + "import contextlib, copy\n", tuple(statements), (), objects))
    return tuple(parts)


def _places() -> tuple[Part, ...]:
    """What lies in a static object is taken out of it in each way that there is, and written to."""
    parts = []
    writes = itertools.cycle(_WRITES)
    for (made, places), title in zip(_PLACES.items(), ("lists", "dicts", "objects")):
        reads = itertools.cycle(_OF_PLACES[made])
        statements = []
        more = [place.replace("o.", "some(o).") for place in places] if title == "objects" else []
        for number, place in enumerate((*places, *more)):
            write, read = "w.append({i})" if number % 2 else next(writes), next(reads)
            statements.append(f"n = {read}\nw = {place}\n{write}\nout.append((n, {read}))")
        for way in _KEPT if title == "lists" else ():
            read = next(reads)
            statements.append(f"n = {read}\n{way.replace('{X}', 'o[{i} & 1]')}\npoke()\nout.append((n, {read}))")
        parts.append(Part(f"places in {title}", _HELPERS + _OWN, tuple(statements), (), (made,)))
    return tuple(parts)


def _noticing() -> Part:
    """A static object that notes each call of each of its methods, asked and called in each way that there is."""
    special = []
    for name in _SPECIAL:
        gives = _GIVES.get(name, "len(self.seen) & 1")
        special.append(
            f"    def __{name}__(self, *given):\n        self.seen.append({name!r})\n        return {gives}\n"
        )
    imports = "import bisect, contextlib, copy, itertools, json, string\n"
    classes = f"class Quiet:{_BODY}class Note:{_BODY}{_MORE.lstrip(chr(10))}{''.join(special)}{_TWICE.lstrip(chr(10))}"
    reads = itertools.cycle(("len(o.seen)", "[*o.seen]", "o.seen[-1:]"))
    statements = []
    for act in _NOTICED:
        read = next(reads)
        unknown = act.replace("o.hit", "o.calls[keep(0)]").replace("o.text", "o.calls[keep(1)]")
        unknown = re.sub(r"\bo\b(?!\.)", "o.both[keep(0)]", unknown)
        for one in (act, unknown):
            statements.append(f"n = {read}\nr = {one}\nout.append((n, {read}, type(r).__name__))")
    objects = ("Note()", "Twice()", "Quiet()", "Quiet()")
    return Part("objects that notice", imports + classes, tuple(statements), (), objects)


_ON_CLASSES: Final = """
class Top:
    k = 1
    rows = (1, 2)
    def go(self): return 'top'
    def up(self): return self.go()
    @property
    def p(self): return 'p'
    @classmethod
    def c(cls): return ('c', cls.k)
    @staticmethod
    def s(): return 's'
class Mid(Top):
    def up(self): return ('mid', super().go())
class Low(Mid):
    k2 = 5
    def go(self): return ('low', super().go())
class Apart:
    k = 7
    def go(self): return 'apart'
"""
_ASKED_OF_CLASSES: Final = (
    "Low.k",
    "Low().k",
    "Mid().go()",
    "Low().go()",
    "Low().p",
    "o.k",
    "o.go()",
    "hasattr(Mid, 'k')",
    "Low.go(o)",
    "getattr(Low, 'k')",
    "o.up()",
    "Mid().up()",
    "Low.k2",
    "o.c()",
    "Low.c()",
    "Mid.s()",
    "o.s()",
    "o.rows",
    "isinstance(o, Apart)",
    "bool(o)",
    "o == 1",
    "'k' in vars(Top)",
    "issubclass(Low, Top)",
    "Low.p is Top.p",
    "o.p",
)
_CHANGED_CLASSES: Final = (
    "Top.k = {i}", "Mid.k = {i}", "del Low.k2", "delattr(Low, 'go')", "setattr(Top, 'go', lambda self: {i})",
    "del Top.k", "Top.p = {i}", "type(o).k = {i}", "keep(Top).k = {i}", "setattr(keep(Low), 'k', {i})",
    "del keep(Top).k",
    "Top.__bool__ = lambda self: False", "Mid.__eq__ = lambda self, other: True", "Apart.k = {i}",
    "Low.__bases__ = (Mid, Apart)",
    "Mid.go = lambda self: {i}", "del Mid.up", "Top.c = classmethod(lambda cls: {i})",
    "Top.s = staticmethod(lambda: {i})",
    "Mid.p = property(lambda self: {i})", "del Top.go", "Low.rows = {i}", "delattr(keep(Top), 'rows')",
    "Top.go = Apart.go", "o.k = {i}", "o.go = lambda: {i}",
    "Mid.__len__ = lambda self: 0", "Top.__getattr__ = lambda self, name: {i}",
    "delattr(type(o), 'k')", "setattr(type(o), 'rows', {i})",
)  # fmt: skip


def _on_classes() -> Part:
    """An attribute of a class is stored or deleted between two reads of it, by way of classes above and below."""
    statements = []
    for number, change in enumerate(_CHANGED_CLASSES):
        for step in range(6):
            asked = _ASKED_OF_CLASSES[(number * 4 + step * 5) % len(_ASKED_OF_CLASSES)]
            statements.append(f"n = {asked}\n{change}\nout.append((n, {asked}))")
            again = f"try: out.append({asked})\nexcept AttributeError as e: out.append(str(e))"
            branch = f"if {{c}}:\n    {change}\n{again}\nout.append(o.go())"
            loop = f"for q in keep((1, 2)):\n    out.append({asked})\n    {change}"  # what is read stands before it
            statements.append(loop if step % 2 else branch)
    return Part("classes that change", _ON_CLASSES, tuple(statements), (), ("Low()", "Mid()", "Top()"))


REACHED: Final = (*_ways(), *_places(), _noticing(), _on_classes())
