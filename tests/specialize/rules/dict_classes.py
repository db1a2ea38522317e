"""Instances of classes that extend `dict`: attributes and items, known and escaping, under all their names.

    env = Env(["a"], [x], outer); env.find("a")["a"]     ->    x
    env[x] = 1; return env                               ->    a real Env, with what was put into it before

An instance and what it holds as a dict are one object: views and iterators of it see what is stored later.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,type-arg"

from random import Random

from ..table import Case, Subject


class Env(dict):
    def __init__(self, names=(), values=(), outer=None):
        self.update(zip(names, values))
        self.outer = outer

    def find(self, name):
        if name in self:
            return self
        if self.outer is None:
            raise LookupError(name)
        return self.outer.find(name)


class Bag(dict):
    pass


class Counts(dict):
    def __missing__(self, key):
        self[key] = 0
        return 0


class Logged(dict):
    __slots__ = ("log",)

    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.log = []

    def __setitem__(self, key, value):
        self.log.append(key)
        super().__setitem__(key, value)


class Older(dict):
    def __init__(self, *args, **more):
        dict.__init__(self, *args, **more)
        self.count = len(self)

    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value)
        self.count = dict.get(self, "a", value)

    def __getitem__(self, key):
        return dict.__getitem__(self, key), dict.pop(self, "gone", 1), dict.setdefault(self, "b", key)


def older(n, x):
    made = Older({"a": x}, c=n)
    made["d"] = n
    try:
        made["none"]
    except KeyError as error:
        return (
            made,
            made.count,
            made["a"],
            error.args,
            dict.update(made, {"e": x}),
            list(dict.keys(made)),
            dict.copy(made),
        )
    return made


def scopes(names, x):
    outer = Env(names, [x, 2])
    inner = Env(["c"], (3,), outer)
    inner.find("b")["b"] = inner["c"] + 1
    found = inner.find("a")["a"], inner.find("b")["b"], len(outer), bool(inner), "a" in inner, "a" not in outer
    try:
        inner.find("zz")
    except LookupError as error:
        return found, str(error), outer is inner.outer, isinstance(inner, dict), type(inner) is Env
    return found


def escaping(names, x):
    env = Env(names, [1, 2])
    other = env
    env["self"] = env
    env[x] = 5
    other["late"] = x
    return env, other is env, env["self"] is other, list(env), dict(other), env == other, env != {}


def views(n, x):
    env = Bag(a=x, b=n)
    items, keys, values = env.items(), env.keys(), env.values()
    step = iter(env)
    first = next(step)
    env["a"] = n
    held = [first, list(items), len(keys), list(values), "a" in keys, next(step)]
    env["c"] = 1
    try:
        next(step)
    except RuntimeError as error:
        held.append(str(error))
    return held, env, keys if x == 1 else items, values


def methods(n, x):
    bag = Bag({"a": 1, "b": x}, c=n)
    found = [
        bag.get("a"),
        bag.get("z"),
        bag.get("z", x),
        bag.pop("b"),
        bag.setdefault("d", [x]),
        bag.setdefault("a", 9),
    ]
    copied = bag.copy()
    bag.update({"e": 1})
    del bag["a"]
    found.append(bag.pop("zz", 3))
    for wrong in ("pop", "get"):
        try:
            bag.pop("gone") if wrong == "pop" else bag["gone"]
        except KeyError as error:
            found.append(error.args)
    try:
        del bag["gone"]
    except KeyError as error:
        found.append(error.args)
    kept = sorted(bag), [*bag], {**bag}, max(bag), bag | {"f": 2}, type(copied)
    bag.clear()
    return found, kept, copied, bag, not bag, len(bag)


def missing(words, x):
    counts = Counts()
    for word in words:
        counts[word] += 1
    counts["x"] = counts["x"] + x
    return counts, counts["none"], "none" in counts, counts.get("other"), len(counts)


def overridden(n, x):
    logged = Logged({"a": n}, b=x)
    logged["c"] = x
    logged.update(d=1)
    logged.setdefault("e", 2)
    return logged, logged.log, logged["c"], len(logged)


def chosen(n, x):
    env = Bag(a=n)
    if x == 1:
        env["a"] = x
    elif x == "a":
        env["b"] = x
    env["c"] = n
    alias = env if x else Bag()
    alias["d"] = 1
    return env, alias is env, env.get("d"), alias


def looping(n, xs):
    env = Bag(total=0)
    env.name = n
    for x in xs:
        env["total"] = env["total"] + x
        if x == 3:
            env[str(x)] = x
    return env, env.name, env["total"]


def counting(env, x):
    if x <= 0:
        return env["n"]
    inner = Env(["n"], [env.find("n")["n"] + 1], env)
    return counting(inner, x - 1)


def recursive(n, x):
    return counting(Env(["n"], [n]), x if type(x) is int else 2)


def in_keys(n, x):
    bag = Bag(a=1)
    return x in bag, bag.get(x), bag.setdefault(x, n), bag, x in bag


def hidden(n, x):
    bag = Bag(a=x)
    try:
        bag.get = lambda key: n
        return bag.get("a"), bag["a"], vars(bag).keys()
    except AttributeError as error:
        return str(error)


def attributes(n, x):
    bag = Bag(a=x)
    bag.size = n
    bag.other = bag
    found = sorted(vars(bag)), hasattr(bag, "size"), getattr(bag, "none", n), bag.other is bag
    del bag.size
    return found, hasattr(bag, "size"), bag.__dict__ is bag.__dict__, bag.other["a"]


def compared(n, x):
    left, right = Bag(a=x), Bag(a=x)
    right.more = n
    return left == right, left == {"a": x}, left != {"a": n}, left is right, left == [], repr(left), str(right)


def _case(function, **static):
    shown = ", ".join(f"{name}={value!r}" for name, value in static.items())
    return [Case(shown, lambda: (function, static))]


def _any(r: Random):
    return (r.choice((1, "a", 3, None, 0, 2.5, "gone")),)


def _several(r: Random):
    return ([r.choice((1, 2, 3)) for _ in range(r.randint(0, 4))],)


SUBJECTS = [
    Subject("scopes that extend dict", _case(scopes, names=["a", "b"]), _any),
    Subject("a dict with a class that escapes", _case(escaping, names=["a", "b"]), _any),
    Subject("views of what an instance holds", _case(views, n=7), _any),
    Subject("methods that dict gives", _case(methods, n=7), _any),
    Subject("keys that are missing", _case(missing, words=("a", "b", "a")), lambda r: (r.choice((1, 2.5, -1)),)),
    Subject("methods in front of those of dict", _case(overridden, n=7), _any),
    Subject("methods of dict by their class", _case(older, n=7), _any),
    Subject("instances that are dicts where ways meet", _case(chosen, n=7), _any),
    Subject("instances that are dicts in loops", _case(looping, n=7), _several),
    Subject("instances that are dicts in recursion", _case(recursive, n=7), lambda r: (r.choice((0, 1, 4, "a")),)),
    Subject("open keys of instances that are dicts", _case(in_keys, n=7), _any),
    Subject("an attribute that hides a method of dict", _case(hidden, n=7), _any),
    Subject("attributes of instances that are dicts", _case(attributes, n=7), _any),
    Subject("equality of instances that are dicts", _case(compared, n=7), _any),
]
