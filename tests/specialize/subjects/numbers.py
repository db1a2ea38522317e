"""Numbers: power, products, filters, sparse matrices, polynomials, Ackermann, transforms, tables of thresholds.

    power(2.0, 5)    ->    32.0

Sizes and coefficients are static, vectors are dynamic; floats keep their exact results, so no sum is reassociated.
"""

from ..table import Case, Subject, integers, mostly


def power_for(x, n):
    result = 1
    for _ in range(n):
        result *= x
    return result


def power_while(x, n):
    result = 1
    while n > 0:
        result *= x
        n -= 1
    return result


def power(x, n):
    if n == 0:
        return 1
    if n % 2 == 1:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half


def dot(weights, vector):
    total = 0
    for i in range(len(weights)):
        total += weights[i] * vector[i]
    return total


def dot_zip(weights, vector):
    return sum(w * v for w, v in zip(weights, vector, strict=True))


def dot_recursive(weights, vector, i=0):
    if i == len(weights):
        return 0
    return weights[i] * vector[i] + dot_recursive(weights, vector, i + 1)


def matrix_product(a, b, n):
    c = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            total = 0
            for k in range(n):
                if a[i][k] != 0:
                    total += a[i][k] * b[k][j]
            c[i][j] = total
    return c


def fir(coefficients, signal):
    out = []
    for i in range(len(signal)):
        value = 0.0
        for j, c in enumerate(coefficients):
            if i >= j:
                value += c * signal[i - j]
        out.append(value)
    return out


def sparse_product(starts, columns, values, x):
    y = []
    for row in range(len(starts) - 1):
        total = 0
        for at in range(starts[row], starts[row + 1]):
            total += values[at] * x[columns[at]]
        y.append(total)
    return y


def horner(coefficients, x):
    value = 0
    for c in reversed(coefficients):
        value = value * x + c
    return value


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def fourier(n, values):
    if n == 1:
        return [values[0]]
    even = fourier(n // 2, values[0::2])
    odd = fourier(n // 2, values[1::2])
    roots = {
        2: (1,),
        4: (1, -1j),
        8: (1, 0.7071067811865476 - 0.7071067811865476j, -1j, -0.7071067811865476 - 0.7071067811865476j),
    }[n]
    twisted = [r * o for r, o in zip(roots, odd)]
    return [e + t for e, t in zip(even, twisted)] + [e - t for e, t in zip(even, twisted)]


def interpolate(table, x):
    for (x0, y0), (x1, y1) in zip(table, table[1:]):  # noqa: RUF007
        if x0 <= x < x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def grade(limits, letters, score):
    low = 0
    high = len(limits)
    while low < high:
        middle = (low + high) // 2
        if score < limits[middle]:
            high = middle
        else:
            low = middle + 1
    return letters[low]


def convert_base(digits, base, number):
    if number == 0:
        return digits[0]
    out = ""
    negative = number < 0
    number = abs(number)
    while number:
        number, digit = divmod(number, base)
        out = digits[digit] + out
    return "-" + out if negative else out


def convolve(kernel, image):
    height, width = len(kernel), len(kernel[0])
    result = []
    for row in range(len(image) - height + 1):
        line = []
        for column in range(len(image[0]) - width + 1):
            total = 0
            for i in range(height):
                for j in range(width):
                    weight = kernel[i][j]
                    if weight:
                        total += weight * image[row + i][column + j]
            line.append(total)
        result.append(line)
    return result


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    def __eq__(self, other):
        return isinstance(other, Vector) and (self.x, self.y) == (other.x, other.y)

    __hash__ = None


def bezier(points, t):
    points = [Vector(*point) for point in points]
    while len(points) > 1:
        points = [first * (1 - t) + second * t for first, second in zip(points, points[1:])]  # noqa: RUF007
    return points[0].x, points[0].y


def vector_input(length):
    def inputs(random):
        size = length if random.random() < 0.85 else random.randint(0, length + 1)
        return ([random.choice([random.randint(-5, 5), random.random()]) for _ in range(size)],)

    return inputs


def square_input(n):
    return lambda random: ([[random.randint(-3, 3) for _ in range(n)] for _ in range(n)],)


def float_input(random):
    return (random.choice([0.0, -0.0, 1.5, -2.25, 3, -1, 1e200, float("inf"), True]),)


SPARSE = {"starts": [0, 2, 2, 3], "columns": [0, 2, 1], "values": [5, -1, 2.5]}

SUBJECTS = [
    Subject(
        "power_for",
        [Case(f"n={n}", lambda n=n: (power_for, {"n": n})) for n in (0, 1, 5, 13)],
        inputs=mostly(float_input, "q", None),
        gone=("n", "range"),
    ),
    Subject(
        "power_while",
        [Case(f"n={n}", lambda n=n: (power_while, {"n": n})) for n in (0, 1, 5, -2)],
        inputs=mostly(float_input, "q", None),
        gone=("n",),
    ),
    Subject(
        "power_squaring",
        [Case(f"n={n}", lambda n=n: (power, {"n": n})) for n in (0, 1, 10, 13)],
        inputs=mostly(float_input, "q", None),
        gone=("n", "power"),
    ),
    Subject(
        "dot",
        [Case(str(w), lambda w=w: (dot, {"weights": list(w)})) for w in ((), (2, 3), (1, 0, 2.5))],
        inputs=vector_input(3),
        gone=("weights", "range", "len"),
    ),
    Subject(
        "dot_zip",
        [Case(str(w), lambda w=w: (dot_zip, {"weights": list(w)})) for w in ((), (2, 3), (1, 0, 2.5))],
        inputs=vector_input(3),
        gone=("weights",),
    ),
    Subject(
        "dot_recursive",
        [Case(str(w), lambda w=w: (dot_recursive, {"weights": list(w), "i": 0})) for w in ((), (2, 3), (1, 0, 2.5))],
        inputs=vector_input(3),
        gone=("weights", "i", "dot_recursive", "len"),
    ),
    Subject(
        "matrix_product",
        [
            Case("identity", lambda: (matrix_product, {"a": [[1, 0], [0, 1]], "n": 2}), inputs=square_input(2)),
            Case(
                "three",
                lambda: (matrix_product, {"a": [[1, 2, 0], [0, 0, 3], [4, 0, -1]], "n": 3}),
                inputs=square_input(3),
            ),
            Case("zero", lambda: (matrix_product, {"a": [], "n": 0}), inputs=square_input(1)),
        ],
        inputs=square_input(2),
        gone=("a", "n", "range"),
    ),
    Subject(
        "fir",
        [Case(str(c), lambda c=c: (fir, {"coefficients": list(c)})) for c in ((0.5,), (0.25, 0.5, 0.25), ())],
        inputs=vector_input(5),
        gone=("coefficients", "enumerate"),
    ),
    Subject(
        "sparse_product",
        [
            Case("three", lambda: (sparse_product, {k: list(v) for k, v in SPARSE.items()})),
            Case("empty", lambda: (sparse_product, {"starts": [0], "columns": [], "values": []})),
            Case("one", lambda: (sparse_product, {"starts": [0, 1], "columns": [1], "values": [-2]})),
        ],
        inputs=vector_input(3),
        gone=("starts", "columns", "values", "range"),
    ),
    Subject(
        "horner",
        [Case(str(c), lambda c=c: (horner, {"coefficients": list(c)})) for c in ((), (7,), (1, -2, 0, 3.5))],
        inputs=mostly(float_input, "q"),
        gone=("coefficients", "reversed"),
    ),
    Subject(
        "ackermann",
        [Case(f"m={m}", lambda m=m: (ackermann, {"m": m})) for m in (0, 1, 2)],
        inputs=integers(1, 0, 8),
        gone=("m",),
    ),
    Subject(
        "fourier",
        [Case(f"n={n}", lambda n=n: (fourier, {"n": n})) for n in (1, 2, 4)],
        inputs=vector_input(4),
        gone=("n", "roots", "twisted"),
    ),
    Subject(
        "interpolation",
        [
            Case("two", lambda: (interpolate, {"table": [(0, 0), (10, 5)]})),
            Case("four", lambda: (interpolate, {"table": [(-5, 1.0), (0, 0.0), (2, 8.0), (9, 8.0)]})),
            Case("none", lambda: (interpolate, {"table": []})),
        ],
        inputs=mostly(integers(1, -9, 12), 2.5, float("nan"), "q"),
        gone=("table", "zip"),
    ),
    Subject(
        "grade",
        [
            Case("school", lambda: (grade, {"limits": [40, 55, 70, 85], "letters": "FDCBA"})),
            Case("pass", lambda: (grade, {"limits": [50], "letters": ["fail", "pass"]})),
            Case("one", lambda: (grade, {"limits": [], "letters": "X"})),
        ],
        inputs=mostly(integers(1, 0, 100), 69.5, "q", None),
        gone=("limits", "letters", "low", "high", "middle"),
    ),
    Subject(
        "number_bases",
        [
            Case("two", lambda: (convert_base, {"digits": "01", "base": 2})),
            Case("hex", lambda: (convert_base, {"digits": "0123456789abcdef", "base": 16})),
            Case("letters", lambda: (convert_base, {"digits": "abc", "base": 3})),
        ],
        inputs=mostly(integers(1, -300, 3000), "q"),
        gone=("base",),
    ),
    Subject(
        "convolution",
        [
            Case("edge", lambda: (convolve, {"kernel": [[1, -1]]})),
            Case("blur", lambda: (convolve, {"kernel": [[0, 1, 0], [1, 4, 1], [0, 1, 0]]})),
            Case("same", lambda: (convolve, {"kernel": [[1]]})),
        ],
        inputs=square_input(4),
        gone=("kernel", "weight"),
    ),
    Subject(
        "bezier",
        [
            Case("line", lambda: (bezier, {"points": [(0, 0), (4, 2)]})),
            Case("curve", lambda: (bezier, {"points": [(0, 0), (1, 3), (4, -1)]})),
            Case("point", lambda: (bezier, {"points": [(5, 6)]})),
        ],
        inputs=mostly(float_input, "q", None),
        gone=("points", "Vector", "first", "second"),
    ),
]
