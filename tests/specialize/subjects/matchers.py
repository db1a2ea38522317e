"""Matchers of text: closures, Kernighan and Pike, derivatives, backtracking globs, tries, naive search, edit distance.

    kernighan_pike("^ab*c", "abbc")    ->    True

The pattern is static, the text is dynamic; a residual is a recognizer without the pattern.
"""

from ..table import Case, Subject, mostly, text

# --- Combinators with continuations ---


def char(c):
    return lambda s, i, k: i < len(s) and s[i] == c and k(i + 1)


def anything():
    return lambda s, i, k: i < len(s) and k(i + 1)


def sequence(first, second):
    return lambda s, i, k: first(s, i, lambda j: second(s, j, k))


def either(first, second):
    return lambda s, i, k: first(s, i, k) or second(s, i, k)


def star(inner):
    def match(s, i, k):
        return inner(s, i, lambda j: j > i and match(s, j, k)) or k(i)

    return match


def empty(s, i, k):
    return k(i)


def build(node):
    kind = node[0]
    if kind == "char":
        return char(node[1])
    if kind == "any":
        return anything()
    if kind == "seq":
        matcher = empty
        for child in reversed(node[1:]):
            matcher = sequence(build(child), matcher)
        return matcher
    if kind == "alt":
        return either(build(node[1]), build(node[2]))
    if kind == "star":
        return star(build(node[1]))
    raise ValueError(kind)


def closure_match(pattern, string):
    return build(pattern)(string, 0, lambda i: i == len(string))


C_LITERAL = ("seq", ("char", "a"), ("char", "b"), ("char", "c"))
C_CHOICE = ("seq", ("alt", ("char", "a"), ("char", "b")), ("any",), ("char", "c"))
C_STAR = ("seq", ("char", "a"), ("star", ("char", "b")), ("char", "c"))
C_NESTED = ("seq", ("star", ("alt", ("char", "a"), ("seq", ("char", "b"), ("char", "a")))), ("char", "c"))

# --- Kernighan and Pike ---


def kernighan_pike(regexp, string):
    if regexp[:1] == "^":
        return match_here(regexp[1:], string)
    while True:
        if match_here(regexp, string):
            return True
        if not string:
            return False
        string = string[1:]


def match_here(regexp, string):
    if not regexp:
        return True
    if regexp[1:2] == "*":
        return match_star(regexp[0], regexp[2:], string)
    if regexp == "$":
        return not string
    if string and (regexp[0] == "." or regexp[0] == string[0]):
        return match_here(regexp[1:], string[1:])
    return False


def match_star(c, regexp, string):
    while True:
        if match_here(regexp, string):
            return True
        if not (string and (c == "." or c == string[0])):
            return False
        string = string[1:]


# --- Derivatives ---

NOTHING = ("nothing",)
EMPTY = ("empty",)


def nullable(r):
    kind = r[0]
    if kind in ("empty", "star"):
        return True
    if kind == "seq":
        return nullable(r[1]) and nullable(r[2])
    if kind == "alt":
        return nullable(r[1]) or nullable(r[2])
    return False


def join(first, second):
    if NOTHING in (first, second):
        return NOTHING
    if first == EMPTY:
        return second
    return ("seq", first, second)


def union(first, second):
    if first in (NOTHING, second):
        return second
    if second == NOTHING:
        return first
    return ("alt", first, second)


def derive(r, c):
    kind = r[0]
    if kind == "char":
        return EMPTY if c == r[1] else NOTHING
    if kind == "seq":
        taken = join(derive(r[1], c), r[2])
        return union(taken, derive(r[2], c)) if nullable(r[1]) else taken
    if kind == "alt":
        return union(derive(r[1], c), derive(r[2], c))
    if kind == "star":
        return join(derive(r[1], c), r)
    return NOTHING


def derivative_match(regex, string):
    for c in string:
        regex = derive(regex, c)
        if regex == NOTHING:
            return False
    return nullable(regex)


def chars(s):
    if len(s) == 1:
        return ("char", s)
    return ("seq", ("char", s[0]), chars(s[1:]))


D_STAR = ("seq", ("star", chars("ab")), ("char", "c"))
D_CHOICE = ("alt", chars("abc"), ("alt", chars("abd"), chars("b")))
D_LOOP = ("star", ("alt", ("char", "a"), ("seq", ("char", "b"), ("star", ("char", "c")))))

# --- Globs ---


def glob_match(pattern, name):
    p = n = 0
    star_at = None
    resume = 0
    while n < len(name):
        if p < len(pattern) and pattern[p] == "*":
            star_at = p
            resume = n
            p += 1
        elif p < len(pattern) and pattern[p] in ("?", name[n]):
            p += 1
            n += 1
        elif star_at is not None:
            p = star_at + 1
            resume += 1
            n = resume
        else:
            return False
    while p < len(pattern) and pattern[p] == "*":
        p += 1
    return p == len(pattern)


# --- Naive search ---


def naive_search(needle, hay):
    for start in range(len(hay) - len(needle) + 1):
        j = 0
        while j < len(needle) and hay[start + j] == needle[j]:
            j += 1
        if j == len(needle):
            return start
    return -1


# --- A trie of words ---


def make_trie(words):
    root = {}
    for word in words:
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node["end"] = True
    return root


def longest_word(words, string):
    node = make_trie(words)
    length = 0
    best = None
    for letter in string:
        if letter not in node:
            break
        node = node[letter]
        length += 1  # noqa: SIM113
        if "end" in node:
            best = length
    return best


# --- Edit distance to a known word ---


def distance(word, other):
    row = list(range(len(word) + 1))
    for i, letter in enumerate(other, 1):
        previous = row
        row = [i]
        for j, expected in enumerate(word, 1):
            row.append(min(row[-1] + 1, previous[j] + 1, previous[j - 1] + (letter != expected)))
    return row[-1]


# --- A recursive-descent recognizer driven by a grammar ---


def recognize(grammar, start, string):
    return len(string) in parse_symbol(grammar, start, string, 0)


def parse_symbol(grammar, symbol, string, at):
    if symbol not in grammar:
        return [at + 1] if at < len(string) and string[at] == symbol else []
    ends = []
    for production in grammar[symbol]:
        for end in parse_all(grammar, production, string, at):
            if end not in ends:
                ends.append(end)
    return ends


def parse_all(grammar, production, string, at):
    if not production:
        return [at]
    ends = []
    for middle in parse_symbol(grammar, production[0], string, at):
        for end in parse_all(grammar, production[1:], string, middle):
            if end not in ends:
                ends.append(end)
    return ends


G_BALANCED = {"S": [("(", "S", ")", "S"), ()]}
G_LIST = {"L": [("a", "R")], "R": [(",", "a", "R"), ()]}
G_FLAT = {"S": [("a", "b"), ("a", "c", "c"), ("b",)]}

SUBJECTS = [
    Subject(
        "closure_regex",
        [
            Case("literal", lambda: (closure_match, {"pattern": C_LITERAL})),
            Case("choice", lambda: (closure_match, {"pattern": C_CHOICE})),
            Case("star", lambda: (closure_match, {"pattern": C_STAR})),
            Case("nested", lambda: (closure_match, {"pattern": C_NESTED})),
        ],
        inputs=mostly(text("aabbc", 6), ["a", "b", "c"], 7),
        gone=("pattern", "node", "kind", "build", "char", "seq", "alt", "star"),
    ),
    Subject(
        "kernighan_pike",
        [
            Case("literal", lambda: (kernighan_pike, {"regexp": "^abc"})),
            Case("dot_star", lambda: (kernighan_pike, {"regexp": "a.*c$"})),
            Case("star", lambda: (kernighan_pike, {"regexp": "ab*c"})),
            Case("empty", lambda: (kernighan_pike, {"regexp": "^$"})),
        ],
        inputs=mostly(text("abc", 8), None, 7),
        gone=("regexp", "^", "$", "*", "."),
    ),
    Subject(
        "derivative_regex",
        [
            Case("star", lambda: (derivative_match, {"regex": D_STAR})),
            Case("choice", lambda: (derivative_match, {"regex": D_CHOICE})),
            Case("loop", lambda: (derivative_match, {"regex": D_LOOP})),
        ],
        inputs=mostly(text("aabbccd", 8), 5, ["a", 1, "c"]),
        gone=(
            "regex",
            "derive",
            "nullable",
            "NOTHING",
            "EMPTY",
            "nothing",
            "empty",
            "char",
            "seq",
            "alt",
            "star",
            "kind",
        ),
    ),
    Subject(
        "glob",
        [
            Case("suffix", lambda: (glob_match, {"pattern": "*.c"})),
            Case("middle", lambda: (glob_match, {"pattern": "a*b?c"})),
            Case("plain", lambda: (glob_match, {"pattern": "abc"})),
            Case("two", lambda: (glob_match, {"pattern": "*ab*ba*"})),
        ],
        inputs=text("aabbc.", 9),
        gone=("pattern", "*"),
    ),
    Subject(
        "naive_search",
        [
            Case("aab", lambda: (naive_search, {"needle": "aab"})),
            Case("abab", lambda: (naive_search, {"needle": "abab"})),
            Case("one", lambda: (naive_search, {"needle": "c"})),
            Case("empty", lambda: (naive_search, {"needle": ""})),
        ],
        inputs=mostly(text("aaabc", 12), list("aabab"), 3),
        gone=("needle",),
    ),
    Subject(
        "trie",
        [
            Case("http", lambda: (longest_word, {"words": ["get", "put", "post", "patch"]})),
            Case("prefixes", lambda: (longest_word, {"words": ["a", "ab", "abc", "b"]})),
            Case("none", lambda: (longest_word, {"words": []})),
        ],
        inputs=lambda r: (
            r.choice(["get", "pat", "patch", "post", "abcd", "ab", "a", "", "b", "po", "getter", "xyz"]),
        ),
        gone=("words", "make_trie", "root", "setdefault"),
    ),
    Subject(
        "edit_distance",
        [
            Case("cat", lambda: (distance, {"word": "cat"})),
            Case("a", lambda: (distance, {"word": "a"})),
            Case("empty", lambda: (distance, {"word": ""})),
        ],
        inputs=mostly(text("catx", 6), ["c", "at"], None),
        gone=("word",),
    ),
    Subject(
        "grammar",
        [
            Case("balanced", lambda: (recognize, {"grammar": dict(G_BALANCED), "start": "S"})),
            Case("list", lambda: (recognize, {"grammar": dict(G_LIST), "start": "L"})),
            Case("flat", lambda: (recognize, {"grammar": dict(G_FLAT), "start": "S"})),
        ],
        inputs=lambda r: ("".join(r.choices(r.choice(["()", "a,", "abc"]), k=r.randint(0, 7))),),
        gone=("grammar", "production", "symbol"),
    ),
]
