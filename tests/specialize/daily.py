"""Productions of what each program does with text, bytes, numbers and containers: conversions that fail, specifiers of
formats, numbers beyond 64 bits, deques and counters, folds, slices that are deleted, clean-up that returns.

    "conversion that may fail"    ->    try:
                                            i3 = int(s1, 16)
                                        except (ValueError, TypeError) as err4:
                                            print(err4)

Invariant: as everywhere, each statement ends and makes values longer by bounded amounts only; the module imports what
`ordinary.LIBRARY` names.
"""

from __future__ import annotations

from tests.specialize.draft import Draft, expression, statement

__all__: list[str] = []


@statement("conversion that may fail", 4, 4)
def conversion(p: Draft) -> None:
    name, error = p.target("any"), p.fresh("err")
    p.line("try:")
    p.line(
        f"    {name} = "
        + p.pick(
            f"int({p.s()})",
            f"int({p.s()}, {p.pick('16', '2', '0', '40')})",
            f"float({p.s()})",
            f"int({p.expr('float')})",
            f"complex({p.s()})",
            f"bytes([{p.i()}])",
            f"chr({p.i()})",
            f"ord({p.s()})",
            f"{p.s()}.encode({p.pick(repr('ascii'), repr('utf-8'), repr('nope'))})",
            f"'%d %s' % {p.leaf('tuple')}",
            f"'{{}} {{x}}'.format({p.some()})",
            f"format({p.some()}, {p.pick(repr('d'), repr('>6'), repr('.2f'), repr('x'), repr('q'))})",
            f"round({p.expr('float')}, {p.i()})",
            f"dict({p.leaf('list')})",
            f"{p.leaf('list')}.index({p.some()})",
            f"{p.s()}.index({p.s()})",
            f"range(3)[{p.i()}]",
            f"max({p.leaf('list')})",
            f"sum({p.leaf('tuple')})",
            f"hash({p.leaf('any')}) and {p.leaf('tuple')}[{p.i()}]",
            f"iter({p.i()})",
            f"[*{p.leaf('any')}]",
            f"{p.leaf('any')}.n",
        )
    )
    p.line(f"except {p.pick('(ValueError, TypeError)', 'Exception', 'ArithmeticError', 'LookupError')} as {error}:")
    p.line(f"    {p.pick(f'print({error})', f'print(type({error}), {error}.args)', f'{name} = str({error})')}")
    p.add("any", name)


def number_of(p: Draft) -> str:
    return p.pick(
        f"({p.i()} << {p.pick('70', '64', '31')})",
        f"(2 ** {p.pick('63', '64', '100')} + {p.i()})",
        f"(10 ** 20 // ({p.i()} or 3))",
        f"(-(2 ** 65) % ({p.i()} or 7))",
        f"({p.i()} * 12345678901234567890 >> 40)",
        f"pow({p.i()}, -1, 7)",
        f"pow(3, {p.i()}, 1000)",
        f"({p.i()}).bit_length()",
        f"int.from_bytes(({p.i()} & 0xffff).to_bytes(3, {p.pick(repr('big'), repr('little'))}), 'big')",
        f"math.gcd({p.i()}, {p.pick('12', p.i())})",
        f"math.isqrt(abs({p.i()}))",
        f"(~{p.i()} & 0xff ^ {p.i()})",
        f"divmod(-{p.i()}, {p.pick('3', '-3')})[0]",
        f"operator.sub({p.i()}, {p.i()})",
        f"functools.reduce(lambda q, w: q * 2 + w, {p.xs()}[:5], {p.i()})",
        f"int(hex({p.i()}), 16)",
        f"({p.i()}).__add__({p.i()})",
        f"int({p.cond()}) + True",
    )


expression("int", "large and exact numbers", 4, number_of)
expression(
    "float",
    "edges of floats",
    3,
    lambda p: p.pick(
        f"({p.expr('float')} * 1e308 * 10)",
        f"({p.expr('float')} % {p.pick('-1.5', '0.1', 'math.inf')})",
        f"(0.1 * {p.i()} + 0.2)",
        f"math.fmod({p.expr('float')}, 2)",
        f"-abs({p.expr('float')})",
        f"float({p.cond()})",
        f"({p.expr('float')} ** {p.pick('2', '0.5', '-1')})",
        f"round({p.expr('float')} + 0.5)",
        f"(1e16 + {p.expr('float')} - 1e16)",
        f"max({p.expr('float')}, math.nan, 0)",
        f"math.copysign(1, {p.expr('float')})",
        f"sum([0.1] * 3, {p.expr('float')})",
        f"({p.i()} / 3).real",
    ),
)
expression(
    "cond",
    "comparison with nan and mixed numbers",
    1,
    lambda p: f"{p.expr('float')} {p.pick('<', '==', '!=', '>=')} {p.pick('math.nan', p.i(), 'True', p.expr('float'))}",
)
expression(
    "cond",
    "long chain",
    2,
    lambda p: f"{p.i()} < {p.i()} {p.pick('<=', 'is not', 'in', '!=')} {p.pick(p.xs(), p.i(), '(1, 2)')} != {p.some()}",
)
expression(
    "str",
    "methods of text",
    6,
    lambda p: p.pick(
        f"{p.s()}.center(9, '*')",
        f"{p.s()}.ljust({p.i()} & 7)",
        f"{p.s()}.removeprefix({p.s()})",
        f"{p.s()}.removesuffix('b')",
        f"{p.s()}.swapcase().casefold()",
        f"{p.s()}.expandtabs(2)[:9]",
        f"{p.s()}.translate({{97: 'x', 98: None}})",
        f"{p.s()}.translate(str.maketrans('ab', 'ba'))",
        f"{p.s()}.rpartition('a')[2]",
        f"'{{0}}{{0!r:>5}}'.format({p.s()})",
        f"'{{k[0]}}'.format(k={p.leaf('list')})",
        f"'{{a}}-{{b:>{{w}}}}'.format(a={p.i()}, b={p.s()}, w=4)",
        f"'%(a)s' % {{'a': {p.some()}}}",
        f"'%5.1f|%-4d|%05d|%%' % ({p.expr('float')}, {p.i()}, {p.i()})",
        f"', '.join(sorted({p.s()}))",
        f"''.join(reversed({p.s()}))",
        f"''.join(c for c in {p.s()} if c.isalnum())",
        f"' '.join(f'{{k}}={{v!r}}' for k, v in {p.var('dict')}.items())[:20]",
        f"str({p.s()}.encode(), 'utf-8')",
        f"ascii({p.s()})",
        f"{p.s()}.join('ab')[:12]",
        f"({p.s()} * 2)[:8]",
        f"bin({p.i()})",
    ),
)


def specifier(p: Draft) -> str:
    whole = p.pick(*p.have("int")) if p.have("int") else "3"
    part = p.pick(*p.have("float")) if p.have("float") else "0.5"
    text = p.pick(*p.have("str")) if p.have("str") else "math.pi"
    return p.pick(
        f"f'{{{whole}=}}'",
        f"f'{{{whole}:+d}}|{{{whole}:#x}}|{{{whole}:,}}'",
        f"f'{{{part}:.3e}} {{{part}:g}} {{{part}:08.2f}}'",
        f"f'{{{text}!r:^{{{whole}}}}}'",
        f"f'{{{part}:{{{whole}}}.{{2}}f}}'",
        f"f'{{{text}!s}}{{{text}!a:.3}}{{{{}}}}'",
        f"f'{{{whole}:b}}' f'{{{part} + {whole}}}'",
        f"f'{{[{whole}, {text}]}}{{{{1: {whole}}}[1]}}'",
    )


expression("str", "specifiers of f-strings", 4, specifier)
expression(
    "any",
    "bytes",
    4,
    lambda p: p.pick(
        f"b'abc'[{p.i()}]",
        f"b'abcdef'[{p.i()}:4]",
        f"bytes({p.s()}, 'utf-8')",
        f"bytearray(b'ab') + {p.s()}.encode()",
        f"b'%d-%s' % ({p.i()}, b'x')",
        f"list(b'az')[{p.pick('0', p.i())}]",
        "b'ab'.hex()",
        f"{p.i()} in b'a'",
        f"b','.join([b'a', {p.s()}.encode()])",
        f"memoryview(b'abc')[{p.pick('1', '0')}]",
        f"b'a' == {p.s()}",
    ),
)
expression(
    "any",
    "containers of the library",
    9,
    lambda p: p.pick(
        f"collections.Counter({p.s()})",
        f"collections.Counter({p.xs()}).most_common(2)",
        f"collections.deque({p.xs()}, maxlen=3)",
        f"collections.OrderedDict(a={p.i()}, b={p.some()})",
        f"collections.ChainMap({p.var('dict')}, {{'a': {p.i()}}}).get({p.s()})",
        f"collections.defaultdict(list, {p.leaf('dict')})",
        f"functools.partial(max, {p.i()})({p.i()})",
        f"operator.itemgetter(0)({p.xs()})",
        f"operator.attrgetter('real')({p.i()})",
        f"list(itertools.chain({p.xs()}, {p.leaf('tuple')}))",
        f"list(itertools.islice(itertools.count({p.i()}), 3))",
        f"list(itertools.accumulate({p.xs()}))",
        f"[(k, list(g)) for k, g in itertools.groupby({p.xs()})]",
        f"list(itertools.product((0, 1), {p.xs()}[:2]))",
        f"list(zip(*{p.leaf('rows')}))",
        f"list(itertools.zip_longest({p.xs()}, {p.s()}, fillvalue={p.some()}))[:6]",
        f"list(map(operator.add, {p.xs()}, {p.xs()}))",
        f"sorted({p.var('dict')}.items(), key=lambda kv: str(kv))",
        f"min({p.leaf('list')}, key=lambda q: -q, default={p.some()})",
        f"dict.fromkeys({p.s()}, {p.i()})",
        f"{{**{p.leaf('dict')}, **{{'a': {p.i()}}}}}",
        f"[*{p.leaf('list')}, *{p.s()}][{p.i()}:]",
        f"slice({p.i()}, None)",
        f"range({p.i()} % 9)[::2]",
        "enumerate",
        f"isinstance({p.some()}, (int, str)) and {p.some()}",
        f"(lambda *a, k={p.i()}, **r: (a, k, r))({p.i()}, *{p.leaf('list')}[:2], z={p.some()})",
        f"(lambda a, b={p.i()}, /, c=3: [a, b, c])({p.i()}, {p.pick('c=4', 'b=1', '2, 3', '')})",
    ),
)


@statement("container of the library", 3, 4)
def library_container(p: Draft) -> None:
    name, got = p.fresh("store"), p.target("any")
    form = p.number(0, 3)
    if form == 0:
        p.line(f"{name} = collections.defaultdict({p.pick('list', 'int', 'lambda: 5')})")
        p.line(f"{got} = {name}[{p.s()}], {name}.get({p.s()})")
        p.line(p.pick(f"{name}[{p.i()}] = {p.some()}", f"{name}['a'] += {p.i()}", f"{name}[{p.s()}].append({p.i()})"))
    elif form == 1:
        p.line(f"{name} = collections.deque({p.xs()}[:4]{p.pick('', ', 3')})")
        p.line(p.pick(f"{name}.appendleft({p.i()})", f"{name}.rotate({p.i()} & 3)", f"{name}.extend({p.s()}[:2])"))
        p.line(f"{got} = {name}.{p.pick('popleft()', 'pop()', 'copy()', 'count(1)')}, len({name}), {name}[0]")
    elif form == 2:
        p.line(f"{name} = collections.Counter({p.s()})")
        p.line(f"{name}.{p.pick(f'update({p.s()})', f'subtract({p.s()})')}")
        p.line(f"{got} = {name}['a'], sorted({name}.elements()), {name} + {name}")
    else:
        p.line(f"{name} = collections.OrderedDict({p.leaf('dict')})")
        p.line(f"{name}.{p.pick('move_to_end(' + p.s() + ')', 'popitem(last=False)', 'setdefault(1, 2)')}")
        p.line(f"{got} = list({name}.items())")
    p.add("any", got)
    p.add("any", name)


@statement("nested clean-up that returns", 2, 9)
def returning_cleanup(p: Draft) -> None:
    if p.nested or p.loops > 1:
        return
    function, name, got = p.fresh("func"), p.fresh("int"), p.target("any")
    p.line(f"def {function}({name}, log):")
    p.line(f"    for turn in {p.pick('range(3)', '(0, 1)', 'log[:2]')}:")
    p.line("        try:")
    p.line(f"            {p.pick('return', 'log.append', 'print')} ({name}, 10 // {name})")
    p.line("        except ZeroDivisionError as error:")
    p.line(f"            {p.pick('return error.args', 'continue', 'log.append(turn)', 'raise KeyError(turn)')}")
    p.line("        finally:")
    last = p.pick("log.append(turn)", f"{name} -= 1", f"if {name} > 2: return turn", "if turn: break", "print(turn)")
    p.line(f"            {last}")
    p.line("    else:")
    p.line(f"        return {p.pick('log', name, 'turn')}")
    p.line("    return 'end', log")
    p.line(f"{got} = {function}({p.i()}, {p.pick('[]', '[3, 4]', p.leaf('list') + '[:3]')})")
    p.add("any", got)


@statement("deleted slices and keys", 3, 2)
def deletions(p: Draft) -> None:
    if p.have("list") and p.chance(0.5):
        name = p.pick(*p.have("list"))
        p.line(
            p.pick(
                f"del {name}[::2]",
                f"del {name}[1:{p.leaf('int')}]",
                f"del {name}[-1:], {name}[:1]",
                f"{name}[::2] = {p.xs()}[:2]",
                f"{name}[1:1] = {p.s()}[:2]",
                f"{name}[-1:] = ()",
            )
        )
    elif p.have("dict"):
        name = p.pick(*p.have("dict"))
        p.line(
            p.pick(
                f"{name}.clear()",
                f"{name} |= {{'z': {p.i()}}}" if name in p.writable("dict") else "pass",
                f"{name}.pop('a')",
                f"{name}.update(a={p.i()}, **{{'b': 1}})",
                f"{name}.update([('q', {p.i()})])",
                f"del {name}['a'], {name}['b']",
            )
        )


@statement("loop with walrus", 2, 4)
def walrus_loop(p: Draft) -> None:
    if p.trips < 5 or any(name.startswith("q") for name in p.frozen):
        return
    source, item, got = p.fresh("it"), p.fresh("int"), p.target("list")
    p.line(f"{source} = iter({p.expr('iter')})")
    p.line(f"{got} = []")
    p.line(f"while ({item} := next({source}, None)) is not None:")
    p.line(f"    {got}.append({item})")
    p.line(f"    if len({got}) > {p.pick('3', '5')} {p.pick('and', 'or')} {p.cond()}: break")
    p.add("list", got)


@statement("recursive closure", 2, 6)
def recursive_closure(p: Draft) -> None:
    if p.nested or p.loops:
        return
    function, name = p.fresh("walk"), p.target("any")
    p.line(f"def {function}(node, depth=0):")
    p.line(f"    if depth > {p.pick('2', '3')} or not isinstance(node, (list, tuple)):")
    p.line(f"        return {p.pick('[node]', '[depth]', f'[{p.var(chr(105) + chr(110) + chr(116))}]')}")
    p.line(f"    return [found for part in node[:3] for found in {function}(part, depth + 1)]")
    p.line(f"{name} = {function}({p.pick(p.leaf('rows'), p.expr('tuple'), '[1, [2, (3, 4)]]')})")
    p.add("any", name)


@statement("nested generators", 2, 7)
def nested_generators(p: Draft) -> None:
    if p.nested or p.kind_of == "generator":
        return
    one, two, name = p.fresh("gen"), p.fresh("gen"), p.target("any")
    p.line(f"def {one}(n):")
    p.line(f"    for k in range(n % 5 if isinstance(n, int) else 2): yield k * {p.leaf('int')}")
    p.line(f"def {two}(source):")
    p.line(f"    {p.pick('yield -1', 'print(1)', 'last = 0')}")
    p.line(f"    for k in source: yield from (k, {p.leaf('int')}) if {p.pick('k', 'True', 'k != 2')} else ()")
    p.line(f"{name} = {p.pick('list', 'sum', 'tuple', 'max', 'dict.fromkeys')}({two}({one}({p.i()})))")
    p.add("any", name)


@statement("unusual targets", 2, 2)
def targets(p: Draft) -> None:
    lists, objects = p.have("list"), p.have("obj")
    if lists and objects:
        p.line(
            p.pick(
                f"{p.pick(*lists)}[0], {p.pick(*objects)}.n = {p.i()}, {p.i()}",
                f"{p.pick(*objects)}.n, ({p.pick(*lists)}[-1], *_) = {p.leaf('tuple')}, [{p.i()}, 2]",
            )
        )
    elif lists:
        name = p.pick(*lists)
        p.line(
            p.pick(
                f"for {name}[0] in range(3): pass",
                f"{name}[0], {name}[-1] = {name}[-1], {name}[0]",
                f"{name}[0] = {name}[-1] = {p.i()}",
                f"[{name}[0]] = {p.leaf('list')}[:1]",
            )
        )


@statement("attribute of a function", 1, 3)
def function_attribute(p: Draft) -> None:
    if p.functions:
        name = p.functions[p.number(0, len(p.functions) - 1)].name
        p.line(f"{name}.calls = getattr({name}, 'calls', 0) + {p.pick('1', p.i())}")
        p.line(f"print({name}.calls)")


@statement("class attribute written", 2)
def class_attribute(p: Draft) -> None:
    if p.classes:
        name = p.pick(*(c.name for c in p.classes))
        p.line(
            p.pick(
                f"{name}.bonus {p.pick('=', '+=', '-=')} {p.i()}",
                f"{name}.extra = {p.some()}",
                f"type({p.var('obj')}).bonus += 1",
            )
        )


@statement("attributes by name", 2)
def by_name(p: Draft) -> None:
    if p.have("obj"):
        holder = p.pick(*p.have("obj"))
        p.line(
            p.pick(
                f"setattr({holder}, {p.pick(repr('n'), p.s())}, {p.i()})",
                f"print(getattr({holder}, {p.s()}, None), hasattr({holder}, {p.s()}))",
                f"delattr({holder}, {p.pick(repr('n'), p.s())})",
                f"print(sorted(vars({holder})))",
                f"{holder}.__dict__['n'] = {p.i()}",
                f"{holder}.__dict__.update(bonus={p.i()})",
                f"print({holder}.__class__.__name__)",
            )
        )
