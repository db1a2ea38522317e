"""Senioria's examples: a branch whose two sides meet again, and a loop that cannot be unrolled.

    f(1)    prints "ge" and returns 8;    with n known the residual is exactly that

The loop writes to a global array, as in the text.
"""


def f(n):
    i = 5
    if i < n:
        print("lt")
        i1 = i + 1
    else:
        print("ge")
        i1 = i + 2
    return i1 + n


gv = [7] * 20


def clear(n):
    i = 0
    while i < n:
        gv[i] = 0
        i += 1


def clear_argument(values, n):
    for i in range(n):
        values[i] = 0


def clear_from(values, start, n):
    """The same loop with a static start: the first trip must not be peeled off for it."""
    i = start
    while i < n:
        values[i] = 0
        i += 1
    return i


def constant_loop(values):
    """A loop that can be unrolled inside of one that cannot."""
    total = 0
    for value in values:
        for factor in (1, 2, 3):
            total += value * factor
    return total
