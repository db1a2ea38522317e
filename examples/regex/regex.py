"""A matcher for regular expressions: characters, `.`, classes, `*`, `+`, `?`, `|`, groups; with continuations.

    matches(parse("(a|b)*c"), "abac")    gives True

Invariant: `matches` tells whether the whole text matches.
"""


def parse(pattern):
    """The tree of a pattern: tuples whose first item says what they are."""
    tree, place = alternatives(pattern, 0)
    if place != len(pattern):
        raise ValueError(f"unexpected {pattern[place]!r} at {place}")
    return tree


def alternatives(pattern, place):
    tree, place = sequence(pattern, place)
    while place < len(pattern) and pattern[place] == "|":
        other, place = sequence(pattern, place + 1)
        tree = ("either", tree, other)
    return tree, place


def sequence(pattern, place):
    tree = ("empty",)
    while place < len(pattern) and pattern[place] not in "|)":
        item, place = repeated(pattern, place)
        tree = item if tree == ("empty",) else ("then", tree, item)
    return tree, place


def repeated(pattern, place):
    tree, place = atom(pattern, place)
    while place < len(pattern) and pattern[place] in "*+?":
        mark = pattern[place]
        if mark == "*":
            tree = ("many", tree)
        elif mark == "+":
            tree = ("then", tree, ("many", tree))
        else:
            tree = ("either", tree, ("empty",))
        place += 1
    return tree, place


def atom(pattern, place):
    char = pattern[place]
    if char == "(":
        tree, place = alternatives(pattern, place + 1)
        if place == len(pattern):
            raise ValueError("a group is not closed")
        return tree, place + 1
    if char == "[":
        end = pattern.index("]", place + 1)
        return ("class", spelled_out(pattern[place + 1 : end])), end + 1
    if char == ".":
        return ("any",), place + 1
    return ("char", char), place + 1


def spelled_out(text):
    """`a-cx` is abcx."""
    chars, place = "", 0
    while place < len(text):
        if text[place + 1 : place + 2] == "-" and place + 2 < len(text):
            chars += "".join(map(chr, range(ord(text[place]), ord(text[place + 2]) + 1)))
            place += 3
        else:
            chars += text[place]
            place += 1
    return chars


def walk(tree, text, place, then):
    """Does `text` match `tree` from `place` on, and what is after it `then`?"""
    kind = tree[0]
    if kind == "empty":
        return then(place)
    if kind == "char":
        return place < len(text) and text[place] == tree[1] and then(place + 1)
    if kind == "any":
        return place < len(text) and then(place + 1)
    if kind == "class":
        return place < len(text) and text[place] in tree[1] and then(place + 1)
    if kind == "then":
        return walk(tree[1], text, place, lambda after: walk(tree[2], text, after, then))
    if kind == "either":
        return walk(tree[1], text, place, then) or walk(tree[2], text, place, then)
    return walk(tree[1], text, place, lambda after: after > place and walk(tree, text, after, then)) or then(place)


def matches(tree, text):
    """Does the whole text match?"""
    return walk(tree, text, 0, lambda place: place == len(text))
