"""Numeric kernels in plain Python, with coefficients that are known long before the data.

    polynomial([2.0, 1.0], [3.0])    gives [7.0]: 2 * 3 + 1

Invariant: specializing them changes no bit of any result: no sum is reordered, no term dropped.
"""


def fir(coefficients, samples):
    """A filter: each output is a weighted sum of the last inputs, zeros before the start."""
    filtered = []
    for place in range(len(samples)):
        total = 0.0
        for lag in range(len(coefficients)):
            if place - lag >= 0:
                total += coefficients[lag] * samples[place - lag]
        filtered.append(total)
    return filtered


def horner(coefficients, x):
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def polynomial(coefficients, xs):
    """A polynomial at many places, the highest coefficient first."""
    return [horner(coefficients, x) for x in xs]


def sparse(size, entries, vector):
    """A sparse matrix, given as (row, column, value), times a vector."""
    product = [0.0] * size
    for row, column, value in entries:
        product[row] += value * vector[column]
    return product


def transform(a, b, size):
    """The product of two square matrices, each a list of its rows one after the other."""
    product = []
    for row in range(size):
        for column in range(size):
            total = 0.0
            for inner in range(size):
                total += a[row * size + inner] * b[inner * size + column]
            product.append(total)
    return product


def power(x, n):
    """x to the n-th by repeated squaring."""
    if n == 0:
        return 1.0
    if n % 2:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half


def convolve(kernel, width, picture):
    """A 3x3 kernel over a picture of rows of `width`; the border stays."""
    result = list(picture)
    for y in range(1, len(picture) // width - 1):
        for x in range(1, width - 1):
            total = 0.0
            for dy in range(3):
                for dx in range(3):
                    if kernel[dy * 3 + dx]:
                        total += kernel[dy * 3 + dx] * picture[(y + dy - 1) * width + x + dx - 1]
            result[y * width + x] = total
    return result
