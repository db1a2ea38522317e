"""Probes for effects at specialization time: one operation on one object that tells when it is touched.

    ("addition", "s + 1")  x  ("held in a list", "s = box[0]")    ->    a module whose target does `box[0] + 1`

Each probe is a `Program` for the oracle.  `Spy` counts every special method in the module's list `LOG`, which the
oracle compares right after specializing; so one effect too early is a difference.

Invariant: every operation of the table is performed by the program when it runs, so a probe is not empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.specialize.programs import Program

__all__ = ["AUDITED", "MARK", "Probe", "probes"]

MARK = "futamura_probe"
"""In every name that an audited probe touches: events with it come from the program, not from the machinery."""

_METHODS = """
add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod divmod pow rpow lshift rlshift rshift
and rand or ror xor rxor matmul iadd isub imul ior iand ixor neg pos invert abs int float complex round trunc
index eq ne lt le gt ge hash bool len contains getitem setitem delitem iter next reversed call enter exit str
repr format bytes
""".split()  # noqa: SIM905
_GIVES = {
    "__int__": "3", "__float__": "3.0", "__complex__": "3j", "__index__": "1", "__eq__": "True", "__ne__": "False",
    "__lt__": "True", "__le__": "True", "__gt__": "False", "__ge__": "False", "__hash__": "7", "__bool__": "True",
    "__len__": "2", "__contains__": "True", "__iter__": "iter((1, 2))", "__next__": "1", "__reversed__": "iter((2, 1))",
    "__str__": "'spy'", "__repr__": "'spy'", "__format__": "'spy'", "__bytes__": "b'spy'", "__exit__": "False",
    "__round__": "3", "__trunc__": "3",
}  # fmt: skip
_SPY = (
    "LOG = []\n"
    "class Field:\n"
    "    def __get__(self, instance, owner):\n        LOG.append('field get')\n        return 5\n"
    "    def __set__(self, instance, value):\n        LOG.append('field set')\n"
    "    def __delete__(self, instance):\n        LOG.append('field delete')\n"
    "class Meta(type):\n"
    "    def __instancecheck__(cls, instance):\n        LOG.append('instancecheck')\n        return True\n"
    "    def __subclasscheck__(cls, other):\n        LOG.append('subclasscheck')\n        return True\n"
    "    def __call__(cls, *args):\n        LOG.append('meta call')\n        return type.__call__(cls, *args)\n"
    "    def __contains__(cls, item):\n        LOG.append('meta contains')\n        return True\n"
    "    def __getattr__(cls, name):\n        LOG.append('meta ' + name)\n        return 1\n"
    "class Made(metaclass=Meta):\n"
    "    def __init__(self, *args):\n        LOG.append('init')\n"
    "class Spy:\n"
    "    field = Field()\n"
    "    __match_args__ = ('prop',)\n"
    "    @property\n    def prop(self):\n        LOG.append('prop')\n        return 5\n"
    "    @prop.setter\n    def prop(self, value):\n        LOG.append('prop set')\n"
    "    def __getattr__(self, name):\n        LOG.append('getattr ' + name)\n"
    "        if name.startswith('__'):\n            raise AttributeError(name)\n        return 5\n"
    "    def __setattr__(self, name, value):\n        LOG.append('setattr ' + name)\n"
    "        object.__setattr__(self, name, value)\n"
    "    def __delattr__(self, name):\n        LOG.append('delattr ' + name)\n"
    "    def method(self, *args):\n        LOG.append('method')\n        return 5\n"
    + "".join(
        f"    def __{name}__(self, *args):\n        LOG.append('{name}')\n"
        f"        return {_GIVES.get(f'__{name}__', '5')}\n"
        for name in _METHODS
    )
    + "class Missing(dict):\n"
    "    def __missing__(self, key):\n        LOG.append('missing')\n        return 5\n"
    "    def __getitem__(self, key):\n        LOG.append('getitem')\n        return dict.__getitem__(self, key)\n"
    "def started():\n    LOG.append('generator')\n    yield 1\n    yield 2\n"
    "def noted(value=1):\n    LOG.append('noted')\n    return value\n"
    "class Holder:\n    def __init__(self, value):\n        self.value = value\n"
)

_OPERATIONS: tuple[tuple[str, str], ...] = (
    ("addition", "r = s + 1"),
    ("reflected addition", "r = 1 + s"),
    ("subtraction", "r = s - 1"),
    ("multiplication", "r = s * 2"),
    ("reflected multiplication", "r = 2 * s"),
    ("division", "r = s / 2"),
    ("floor division", "r = s // 2"),
    ("remainder", "r = s % 2"),
    ("power", "r = s ** 2"),
    ("matrix product", "r = s @ 2"),
    ("shift", "r = s << 1"),
    ("reflected shift", "r = 1 << s"),
    ("and", "r = s & 1"),
    ("or", "r = s | 1"),
    ("xor", "r = 1 ^ s"),
    ("negation", "r = -s"),
    ("plus", "r = +s"),
    ("inversion", "r = ~s"),
    ("in-place addition", "s += 1; r = 1"),
    ("in-place multiplication", "s *= 2; r = 1"),
    ("in-place or", "s |= 2; r = 1"),
    ("equality", "r = s == 1"),
    ("reflected equality", "r = 1 == s"),
    ("inequality", "r = s != 1"),
    ("order", "r = s < 1"),
    ("reflected order", "r = 1 <= s"),
    ("chain", "r = 0 < s < 9"),
    ("truth", "r = 1 if s else 2"),
    ("not", "r = not s"),
    ("and operator", "r = s and 1"),
    ("or operator", "r = s or 1"),
    ("while", "while s:\n        r = 1\n        break"),
    ("membership", "r = 1 in s"),
    ("member of a list", "r = 5 in [s]"),
    ("member of a tuple", "r = (1, s) == (1, 5)"),
    ("list equality", "r = [s] == [5]"),
    ("dict equality", "r = {1: s} == {1: 5}"),
    ("tuple order", "r = (1, s) < (1, 5)"),
    ("item", "r = s[0]"),
    ("slice", "r = s[1:2]"),
    ("item assignment", "s[0] = 1; r = 1"),
    ("item deletion", "del s[0]; r = 1"),
    ("as index", "r = [1, 2, 3][s]"),
    ("as slice bound", "r = [1, 2, 3][s:]"),
    ("as text index", "r = 'abc'[s]"),
    ("as key", "r = {s: 1}"),
    ("set member", "r = len({s, 1})"),
    ("lookup", "r = {1: 2}.get(s)"),
    ("attribute", "r = s.other"),
    ("property", "r = s.prop"),
    ("property assignment", "s.prop = 1; r = 1"),
    ("descriptor", "r = s.field"),
    ("descriptor assignment", "s.field = 1; r = 1"),
    ("attribute assignment", "s.a = 1; r = 1"),
    ("attribute deletion", "del s.a; r = 1"),
    ("method", "r = s.method(1)"),
    ("call", "r = s(1)"),
    ("star call", "r = max(*s)"),
    ("iteration", "r = [q for q in s]"),
    ("for", "for r in s:\n        pass"),
    ("unpacking", "a, b = s; r = a"),
    ("star display", "r = [*s]"),
    ("generator expression", "r = sum(q for q in s)"),
    ("formatting", "r = f'{s}'"),
    ("formatting with repr", "r = f'{s!r:>9}'"),
    ("percent", "r = '%s' % s"),
    ("percent of a tuple", "r = '%s %r' % (s, s)"),
    ("format method", "r = '{}'.format(s)"),
    ("len", "r = len(s)"),
    ("str", "r = str(s)"),
    ("repr", "r = repr(s)"),
    ("repr of a list", "r = repr([s])"),
    ("int", "r = int(s)"),
    ("float", "r = float(s)"),
    ("bool", "r = bool(s)"),
    ("hash", "r = hash(s)"),
    ("abs", "r = abs(s)"),
    ("round", "r = round(s)"),
    ("divmod", "r = divmod(s, 2)"),
    ("pow", "r = pow(s, 2)"),
    ("iter", "r = iter(s) is None"),
    ("next", "r = next(s)"),
    ("reversed", "r = list(reversed(s))"),
    ("sorted", "r = len(sorted([s, s]))"),
    ("sum", "r = sum([s])"),
    ("min", "r = min(s, 1) is s"),
    ("max", "r = max([1, s]) is s"),
    ("any", "r = any([s])"),
    ("all", "r = all((s,))"),
    ("list", "r = list(s)"),
    ("tuple", "r = tuple(s)"),
    ("set", "r = set(s)"),
    ("enumerate", "r = list(enumerate(s))"),
    ("zip", "r = list(zip(s, (1, 2)))"),
    ("map", "r = list(map(abs, [s]))"),
    ("range", "r = range(s)"),
    ("bytes", "r = bytes(s)"),
    ("chr", "r = chr(s)"),
    ("bin", "r = bin(s)"),
    ("list repetition", "r = [1] * s"),
    ("text repetition", "r = 'a' * s"),
    ("list index", "r = [s].index(5)"),
    ("list count", "r = (s, 1).count(5)"),
    ("list remove", "t = [s]; t.remove(5); r = len(t)"),
    ("extend", "t = []; t.extend(s); r = t"),
    ("join", "r = ','.join(s)"),
    ("isinstance", "r = isinstance(s, Made)"),
    ("hasattr", "r = hasattr(s, 'zz')"),
    ("getattr", "r = getattr(s, 'zz', 1)"),
    ("with", "with s as r:\n        r = 1"),
    ("match value", "match s:\n        case 1:\n            r = 1\n        case _:\n            r = 2"),
    ("match class", "match s:\n        case Spy(r):\n            pass"),
    ("match keyword", "match s:\n        case Spy(prop=r):\n            pass"),
    ("match sequence", "match [s]:\n        case [1]:\n            r = 1\n        case _:\n            r = 2"),
    ("assert", "assert s; r = 1"),
    ("yield from", "def g():\n        yield from s\n    r = list(g())"),
    ("dict of pairs", "r = dict([(s, 1)]) and 1"),
    ("update", "t = {}; t[s] = 1; r = len(t)"),
    ("del item by key", "t = {7: 1}; t.pop(s, None); r = 1"),
    ("sort with key", "r = len(sorted([2, 1], key=lambda q: s)) "),
    ("comparison of nested", "r = [[s]] == [[5]]"),
)

_HOLDERS: tuple[tuple[str, str, str], ...] = (
    ("an argument", "Spy()", "s = box"),
    ("in a list", "[Spy()]", "s = box[0]"),
    ("in an instance", "Holder(Spy())", "s = box.value"),
)

_OTHERS: tuple[tuple[str, str, str], ...] = (
    ("missing key", "Missing()", "r = box['k']"),
    ("missing in a format", "Missing()", "r = '%(k)s' % box"),
    ("missing in format_map", "Missing()", "r = '{k}'.format_map(box)"),
    ("class call", "Made", "r = box(1) is None"),
    ("class test", "Made", "r = isinstance(1, box)"),
    ("subclass test", "Made", "r = issubclass(int, box)"),
    ("class membership", "Made", "r = 1 in box"),
    ("class attribute", "Made", "r = box.anything"),
    (
        "class in except",
        "Made",
        "try:\n        raise KeyError\n    except KeyError:\n        r = isinstance(2, (str, box))",
    ),
    ("generator next", "started()", "r = next(box, 0)"),
    ("generator in a list", "started()", "r = list(box)"),
    ("generator in a sum", "started()", "r = sum(box)"),
    ("generator for", "started()", "for r in box:\n        pass"),
    ("generator unpacked", "started()", "a, b = box; r = a"),
    ("generator membership", "started()", "r = 1 in box"),
    ("generator zip", "started()", "r = list(zip(box, (1, 2)))"),
    ("generator close", "started()", "r = next(box, 0); box.close()"),
    ("generator star", "started()", "r = max(*box)"),
    ("generator any", "started()", "r = any(box)"),
    ("generator made here", "3", "t = started(); r = next(t)"),
    ("generator made and dropped", "3", "t = started(); r = list(t)"),
    ("function with effect", "noted", "r = box(3)"),
    ("global function with effect", "3", "r = noted(box)"),
    ("function in map", "noted", "r = list(map(box, (1, 2)))"),
    ("function as key", "noted", "r = sorted((2, 1), key=box)"),
    ("function in filter", "noted", "r = list(filter(box, (1, 2)))"),
    ("function in max", "noted", "r = max((1, 2), key=box)"),
    ("function default", "noted", "r = (lambda q=box(): q)()"),
    ("function in reduce", "noted", "r = [box(q) for q in (1, 2)]"),
    ("print", "3", "print(box); r = 1"),
    ("print in a branch", "0", "r = box or print('p')"),
    ("global write", "3", "LOG.append(box); r = 1"),
    ("static list append", "[1]", "box.append(2); r = len(box)"),
    ("static dict write", "{}", "box['k'] = 1; r = len(box)"),
    ("static set add", "{1}", "box.add(2); r = len(box)"),
    ("static instance write", "Holder(1)", "box.value = 2; r = box.value"),
    ("static list sort", "[2, 1]", "box.sort(); r = box[0]"),
    ("static list pop", "[2, 1]", "r = box.pop()"),
    ("static list reverse", "[2, 1]", "box.reverse(); r = box[0]"),
    ("static list delete", "[2, 1]", "del box[0]; r = len(box)"),
    ("static dict pop", "{1: 2}", "r = box.pop(1, 0)"),
    ("static dict setdefault", "{1: 2}", "r = box.setdefault(5, [])"),
    ("static list iterator", "iter([1, 2, 3] * 9)", "r = next(box)"),
    ("static enumerate", "enumerate('abcabcabcabcabc')", "r = next(box)"),
    ("static zip", "zip('abcabcabcabcabc', range(20))", "r = next(box)"),
    ("static map", "map(noted, [1, 2, 3] * 9)", "r = next(box)"),
    ("static filter", "filter(noted, [1, 2, 3] * 9)", "r = next(box)"),
    ("static reversed", "reversed([1, 2, 3] * 9)", "r = next(box)"),
    ("static list iadd", "[1]", "box += [2]; r = len(box)"),
    ("static class write", "Holder", "box.count = 1; r = box.count"),
    ("static exception written", "KeyError(1)", "box.args = (2,); r = str(box)"),
    ("del of a global's item", "3", "LOG.append(box); r = LOG.pop(); LOG.append(2)"),
    ("bytearray write", "bytearray(b'ab')", "box[0] = 1; r = bytes(box)"),
    ("read of a text stream", "__import__('io').StringIO('a b c d e f g h i')", "r = box.read(2)"),
    ("write to a text stream", "__import__('io').StringIO()", "r = box.write('ab') + box.tell()"),
    ("random state", "__import__('random').Random(1)", "r = box.random()"),
    ("counter", "__import__('itertools').count()", "r = next(box)"),
    ("cycle", "__import__('itertools').cycle((1, 2, 3))", "r = next(box)"),
    ("deque", "__import__('collections').deque([1, 2])", "box.rotate(1); r = box[0]"),
    ("defaultdict", "__import__('collections').defaultdict(noted)", "r = box['k']"),
    ("Counter", "__import__('collections').Counter('ab')", "box['a'] += 1; r = box['a']"),
    ("cached function", "__import__('functools').lru_cache(noted)", "r = box(1), box.cache_info().hits"),
    ("partial", "__import__('functools').partial(noted, 2)", "r = box()"),
    ("super of a static", "Spy()", "r = type(box).prop.fget(box)"),
    ("open descriptor of a class", "Spy", "r = box.field"),
    ("vars write", "Holder(1)", "vars(box)['value'] = 3; r = box.value"),
    ("dunder write", "Holder(1)", "box.__dict__['value'] = 3; r = box.value"),
    ("setattr", "Holder(1)", "setattr(box, 'value', 4); r = box.value"),
    ("delattr", "Holder(1)", "try:\n        delattr(box, 'value'); r = 1\n    except AttributeError:\n        r = 2"),
)

AUDITED: tuple[tuple[str, str], ...] = (
    ("open for reading", "open('/tmp/futamura_probe')"),
    ("open for writing", "open('/nowhere/futamura_probe', 'w')"),
    ("os.open", "os.open('/nowhere/futamura_probe', 0)"),
    ("os.listdir", "os.listdir('/nowhere/futamura_probe')"),
    ("os.remove", "os.remove('/nowhere/futamura_probe')"),
    ("os.mkdir", "os.mkdir('/nowhere/futamura_probe')"),
    ("os.rename", "os.rename('/nowhere/futamura_probe', '/nowhere/futamura_probe2')"),
    ("os.system", "os.system('true # futamura_probe')"),
    ("os.putenv", "os.putenv('futamura_probe', '1')"),
    ("os.chmod", "os.chmod('/nowhere/futamura_probe', 0)"),
    ("os.scandir", "os.scandir('/nowhere/futamura_probe')"),
    ("os.truncate", "os.truncate('/nowhere/futamura_probe', 0)"),
    ("os.symlink", "os.symlink('futamura_probe', '/nowhere/futamura_probe')"),
    ("subprocess", "subprocess.Popen(['/nowhere/futamura_probe'])"),
    ("subprocess.run", "subprocess.run(['/nowhere/futamura_probe'])"),
    ("socket", "socket.socket(socket.AF_UNIX).connect('/nowhere/futamura_probe')"),
    ("socket bind", "socket.socket(socket.AF_UNIX).bind('/nowhere/futamura_probe')"),
    ("import", "__import__('futamura_probe')"),
    ("compile", "compile('futamura_probe', 'futamura_probe', 'eval')"),
    ("exec", "exec(compile('1', 'futamura_probe', 'exec'))"),
    ("shutil", "shutil.rmtree('/nowhere/futamura_probe')"),
    ("copyfile", "shutil.copyfile('/nowhere/futamura_probe', '/nowhere/b')"),
    ("glob", "glob.glob('/nowhere/futamura_probe/*')"),
    ("tempfile", "tempfile.mkdtemp(prefix='futamura_probe', dir='/nowhere')"),
    ("sqlite", "sqlite3.connect('/nowhere/futamura_probe')"),
    ("io.open", "io.open('/nowhere/futamura_probe')"),
    ("pathlib", "pathlib.Path('/nowhere/futamura_probe').read_text()"),
    ("pathlib exists", "pathlib.Path('/nowhere/futamura_probe').open('rb')"),
    ("sys.audit", "sys.audit('futamura_probe.event', 1)"),
    ("unraisable", "sys.audit('futamura_probe.other', 'x')"),
)
"""Expressions that raise an audit event with the mark when they run; most also raise an exception."""


@dataclass(frozen=True, slots=True)
class Probe:
    """`audited`: its effect shows in the audit hook rather than in `LOG`."""

    name: str
    program: Program
    audited: bool = False


def _program(number: int, source: str, static: tuple[tuple[str, str], ...]) -> Program:
    return Program(1_000_000 + number, source, "target", ("box", "d"), (), static, ("{'d': 1}", "{'d': 'a'}"))


def _spy(number: int, name: str, value: str, lines: str) -> Probe:
    source = f"{_SPY}def target(box, d):\n    r = None\n    {lines}\n    return r, d\n"
    return Probe(name, _program(number, source, (("box", value),)))


def probes() -> list[Probe]:
    """Every operation on a spy in each place, the operations on other things, the audited ones."""
    found: list[Probe] = []
    for operation, text in _OPERATIONS:
        for place, value, take in _HOLDERS:
            found.append(_spy(len(found), f"{operation} of {place}", value, f"{take}\n    {text}"))
    for operation, value, text in _OTHERS:
        found.append(_spy(len(found), operation, value, text))
    for operation, text in AUDITED:
        module = text.partition(".")[0]
        head = f"import {module}\n" if module.isidentifier() and "." in text.partition("(")[0] else ""
        for form in ("r = {}", "r = [{} for q in (1,)]", "r = (lambda: {})()"):
            lines = f"try:\n        {form.format(text)}\n    except Exception as err:\n        r = type(err).__name__"
            source = f"{head}def target(box, d):\n    {lines}\n    return type(r).__name__, d\n"
            title = f"{operation}, {'here' if '[' not in form and 'lambda' not in form else form.split()[-1]}"
            found.append(Probe(title, _program(len(found), source, (("box", "1"),)), audited=True))
    return found
