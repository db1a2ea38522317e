"""Subject programs for the speed measurement: ordinary Python loops, one function (and its parts) each.

    BENCHMARKS["sieve"] = (sieve, (20000,))      sieve(20000) -> the number of primes below 20000

Invariant: each gives a result that depends on the whole computation, has no state outside of its call, prints nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import Any


def find_triple(limit: int, wanted: int) -> tuple[int, int, int] | None:
    """Nested loops that are left over several levels."""
    found = None
    for a in range(1, limit):
        for b in range(a, limit):
            for c in range(b, limit):
                if a * a + b * b < c * c:
                    break
                if a * a + b * b == c * c and a + b + c == wanted:
                    found = (a, b, c)
                    break
            else:
                continue
            if found is not None:
                break
        if found is not None:
            break
    else:
        return None
    return found


def tokenize(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    i, n = 0, len(text)
    while i < n:
        c = text[i]
        if c.isspace():
            i += 1
            continue
        start = i
        if c.isalpha() or c == "_":
            while i < n and (text[i].isalnum() or text[i] == "_"):
                i += 1
            tokens.append(("name", text[start:i]))
        elif c.isdigit():
            while i < n and text[i].isdigit():
                i += 1
            if i < n and text[i] == ".":
                i += 1
                while i < n and text[i].isdigit():
                    i += 1
            tokens.append(("number", text[start:i]))
        elif c == '"':
            i += 1
            while i < n and text[i] != '"':
                if text[i] == "\\":
                    i += 1
                i += 1
            i += 1
            tokens.append(("string", text[start:i]))
        elif c == "#":
            while i < n and text[i] != "\n":
                i += 1
        elif text[i : i + 2] in ("==", "!=", "<=", ">=", "->"):
            tokens.append(("operator", text[i : i + 2]))
            i += 2
        else:
            tokens.append(("operator", c))
            i += 1
    return tokens


def queens(n: int) -> int:
    def place(row: int, columns: int, left: int, right: int) -> int:
        if row == n:
            return 1
        count = 0
        for column in range(n):
            bit = 1 << column
            if columns & bit or left & (1 << (row + column)) or right & (1 << (row - column + n)):
                continue
            count += place(row + 1, columns | bit, left | (1 << (row + column)), right | (1 << (row - column + n)))
        return count

    return place(0, 0, 0, 0)


def queens_iterative(n: int) -> int:
    board = [-1] * n
    row = solutions = 0
    while row >= 0:
        column = board[row] + 1
        while column < n:
            for other in range(row):
                taken = board[other]
                if taken == column or taken - column == other - row or taken - column == row - other:
                    break
            else:
                break
            column += 1
        if column == n:
            board[row] = -1
            row -= 1
            continue
        board[row] = column
        if row == n - 1:
            solutions += 1
        else:
            row += 1
    return solutions


def scan_json(text: str) -> Any:
    position = 0
    end = len(text)

    def skip() -> None:
        nonlocal position
        while position < end and text[position] in " \t\r\n":
            position += 1

    def value() -> Any:
        nonlocal position
        skip()
        c = text[position]
        if c == "{":
            position += 1
            result: dict[str, Any] = {}
            skip()
            if text[position] == "}":
                position += 1
                return result
            while True:
                key = value()
                skip()
                if text[position] != ":":
                    raise ValueError(f"expected ':' at {position}")
                position += 1
                result[key] = value()
                skip()
                c = text[position]
                position += 1
                if c == "}":
                    return result
                if c != ",":
                    raise ValueError(f"expected ',' at {position}")
        if c == "[":
            position += 1
            items: list[Any] = []
            skip()
            if text[position] == "]":
                position += 1
                return items
            while True:
                items.append(value())
                skip()
                c = text[position]
                position += 1
                if c == "]":
                    return items
                if c != ",":
                    raise ValueError(f"expected ',' at {position}")
        if c == '"':
            start = position + 1
            position = text.index('"', start) + 1
            return text[start : position - 1]
        for word, meaning in (("true", True), ("false", False), ("null", None)):
            if text.startswith(word, position):
                position += len(word)
                return meaning
        start = position
        while position < end and text[position] in "+-0123456789.eE":
            position += 1
        number = text[start:position]
        return float(number) if "." in number or "e" in number else int(number)

    return value()


def matrix_product(n: int) -> int:
    a = [[(i * j) % 7 for j in range(n)] for i in range(n)]
    b = [[(i + j) % 5 for j in range(n)] for i in range(n)]
    c = [[0] * n for _ in range(n)]
    for i in range(n):
        row, out = a[i], c[i]
        for j in range(n):
            total = 0
            for k in range(n):
                total += row[k] * b[k][j]
            out[j] = total
    return sum(sum(row) for row in c)


def spectral_norm(n: int) -> float:
    def entry(i: int, j: int) -> float:
        return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)

    def times(u: list[float]) -> list[float]:
        result = []
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += entry(i, j) * u[j]
            result.append(total)
        return result

    def transposed(u: list[float]) -> list[float]:
        return [sum(entry(j, i) * u[j] for j in range(n)) for i in range(n)]

    u = [1.0] * n
    v = u
    for _ in range(2):
        v = transposed(times(u))
        u = transposed(times(v))
    over = under = 0.0
    for x, y in zip(u, v):
        over += x * y
        under += y * y
    return over / under


def fannkuch(n: int) -> tuple[int, int]:
    permutation = list(range(n))
    count = list(range(1, n + 1))
    checksum = longest = 0
    sign = 1
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        first = permutation[0]
        if first != 0:
            copy = permutation[:]
            flips = 0
            while first:
                copy[: first + 1] = copy[first::-1]
                flips += 1
                first = copy[0]
            if flips > longest:
                longest = flips
            checksum += sign * flips
        sign = -sign
        while True:
            if r == n:
                return checksum, longest
            permutation.insert(r, permutation.pop(0))
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


def build_strings(n: int) -> str:
    lines = []
    for i in range(n):
        text = ""
        for j in range(i % 11):
            text += chr(97 + (i * j) % 26)
        if i % 3 == 0:
            text = f"{i:04d}: {text!r:>14}"
        elif i % 3 == 1:
            text = text.upper() + "-" * (i % 5)
        lines.append(text)
    return "\n".join(lines)


def sieve(n: int) -> int:
    flags = [True] * (n + 1)
    flags[0] = flags[1] = False
    i = 2
    while i * i <= n:
        if flags[i]:
            for j in range(i * i, n + 1, i):
                flags[j] = False
        i += 1
    count = 0
    for flag in flags:
        if flag:
            count += 1
    return count


def mandelbrot(size: int) -> int:
    inside = 0
    for row in range(size):
        ci = 2.0 * row / size - 1.0
        for column in range(size):
            cr = 2.0 * column / size - 1.5
            zr = zi = 0.0
            for _ in range(50):
                zr2, zi2 = zr * zr, zi * zi
                if zr2 + zi2 > 4.0:
                    break
                zr, zi = zr2 - zi2 + cr, 2.0 * zr * zi + ci
            else:
                inside += 1
    return inside


def brainfuck(program: str, text: str) -> str:
    jumps: dict[int, int] = {}
    stack: list[int] = []
    for place, op in enumerate(program):
        if op == "[":
            stack.append(place)
        elif op == "]":
            other = stack.pop()
            jumps[other], jumps[place] = place, other
    tape = [0] * 300
    out: list[str] = []
    pc = pointer = given = 0
    while pc < len(program):
        op = program[pc]
        if op == ">":
            pointer += 1
        elif op == "<":
            pointer -= 1
        elif op == "+":
            tape[pointer] = (tape[pointer] + 1) & 255
        elif op == "-":
            tape[pointer] = (tape[pointer] - 1) & 255
        elif op == ".":
            out.append(chr(tape[pointer]))
        elif op == ",":
            tape[pointer] = ord(text[given]) if given < len(text) else 0
            given += 1
        elif op == "[":
            if not tape[pointer]:
                pc = jumps[pc]
        elif op == "]" and tape[pointer]:
            pc = jumps[pc]
        pc += 1
    return "".join(out)


def count_words(text: str) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for line in text.splitlines():
        for word in line.lower().split():
            word = word.strip('.,;:!?"()')
            if not word:
                continue
            if word in counts:
                counts[word] += 1
            else:
                counts[word] = 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]


def dijkstra(size: int) -> int:
    graph: dict[int, list[tuple[int, int]]] = {}
    for node in range(size):
        graph[node] = [((node * k + 7) % size, (node * k) % 13 + 1) for k in (2, 3, 5)]
    distance = {0: 0}
    queue = [(0, 0)]
    done: set[int] = set()
    while queue:
        far, node = heapq.heappop(queue)
        if node in done:
            continue
        done.add(node)
        for other, weight in graph[node]:
            through = far + weight
            if other not in distance or through < distance[other]:
                distance[other] = through
                heapq.heappush(queue, (through, other))
    return sum(distance.values())


def levenshtein(a: str, b: str) -> int:
    previous = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        current = [i]
        for j, y in enumerate(b, 1):
            cost = 0 if x == y else 1
            current.append(min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + cost))
        previous = current
    return previous[-1]


def pipeline(n: int) -> int:
    def numbers() -> Iterator[int]:
        i = 0
        while i < n:
            yield i
            i += 1

    def kept(source: Iterator[int]) -> Iterator[int]:
        for item in source:
            if item % 3 and item % 5:
                yield item

    def pairs(source: Iterator[int]) -> Iterator[tuple[int, int]]:
        last = 0
        for item in source:
            yield last, item
            last = item

    return sum(a * b for a, b in pairs(kept(numbers())) if a < b)


class Machine:
    """A stack machine whose instructions are methods."""

    def __init__(self, code: list[tuple[str, int]]) -> None:
        self.code = code
        self.stack: list[int] = []
        self.pc = 0
        self.variables = [0] * 8
        self.table: dict[str, Callable[[int], None]] = {
            "push": self.push,
            "load": self.load,
            "store": self.store,
            "add": self.add,
            "less": self.less,
            "jump": self.jump,
            "unless": self.unless,
        }

    def push(self, operand: int) -> None:
        self.stack.append(operand)

    def load(self, operand: int) -> None:
        self.stack.append(self.variables[operand])

    def store(self, operand: int) -> None:
        self.variables[operand] = self.stack.pop()

    def add(self, operand: int) -> None:
        right = self.stack.pop()
        self.stack[-1] += right

    def less(self, operand: int) -> None:
        right, left = self.stack.pop(), self.stack.pop()
        self.stack.append(1 if left < right else 0)

    def jump(self, operand: int) -> None:
        self.pc = operand

    def unless(self, operand: int) -> None:
        if not self.stack.pop():
            self.pc = operand

    def run(self) -> int:
        while True:
            name, operand = self.code[self.pc]
            self.pc += 1
            if name == "halt":
                return self.variables[operand]
            self.table[name](operand)


def machine(limit: int) -> int:
    code = [
        ("push", 0), ("store", 0), ("push", 0), ("store", 1),
        ("load", 0), ("push", limit), ("less", 0), ("unless", 17),
        ("load", 1), ("load", 0), ("add", 0), ("store", 1),
        ("load", 0), ("push", 1), ("add", 0), ("store", 0), ("jump", 4),
        ("halt", 1),
    ]  # fmt: skip
    return Machine(code).run()


def binary_trees(depth: int) -> int:
    def build(level: int) -> Any:
        if level == 0:
            return (None, None)
        return (build(level - 1), build(level - 1))

    def check(tree: Any) -> int:
        left, right = tree
        return 1 if left is None else 1 + check(left) + check(right)

    return check(build(depth))


def collatz(limit: int) -> tuple[int, int]:
    best = longest = 0
    for start in range(1, limit):
        n, steps = start, 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        if steps > longest:
            best, longest = start, steps
    return best, longest


def parse_or_skip(items: list[str]) -> tuple[int, int, int]:
    total = bad = cleaned = 0
    for item in items:
        try:
            number = int(item)
            if number < 0:
                continue
            total += number
        except ValueError:
            bad += 1
            if bad > 100000:
                break
        finally:
            cleaned += 1
    return total, bad, cleaned


def classify(shapes: list[Any]) -> int:
    total = 0
    for shape in shapes:
        match shape:
            case ("circle", r) if r > 0:
                total += 3 * r * r
            case ("rectangle", width, height):
                total += width * height
            case {"kind": "square", "side": side}:
                total += side * side
            case [first, *rest]:
                total += len(rest) + (first == 1)
            case int(n) | (n,):
                total += n
            case _:
                total -= 1
    return total


def binary_search(items: list[int], wanted: list[int]) -> int:
    hits = 0
    for value in wanted:
        low, high = 0, len(items) - 1
        while low <= high:
            middle = (low + high) // 2
            found = items[middle]
            if found == value:
                hits += 1
                break
            if found < value:
                low = middle + 1
            else:
                high = middle - 1
    return hits


def partitions(n: int) -> int:
    ways = [1] + [0] * n
    for part in range(1, n + 1):
        for total in range(part, n + 1):
            ways[total] = (ways[total] + ways[total - part]) % 1000003
    return ways[n]


PROGRAM = """def walk(tree, depth=0):  # a comment
    if tree is not None and depth <= 12.5:
        print("node \\\\" quoted", tree.value) -> walk(tree.left, depth + 1)
    return depth != 3
"""
RECORD = '{"name": "widget", "sizes": [1, 2.5, -3, 4e2], "ok": true, "none": null, "deep": {"a": {"b": [[], {}]}}}'
HELLO = "++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++."
PROSE = "The quick brown fox jumps over the lazy dog; the dog (who is lazy) sleeps.\nA fox, a dog: two animals!\n" * 60

BENCHMARKS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "find_triple": (find_triple, (90, 208)),
    "tokenize": (tokenize, (PROGRAM * 40,)),
    "queens": (queens, (7,)),
    "queens_iterative": (queens_iterative, (7,)),
    "scan_json": (scan_json, ("[" + ", ".join([RECORD] * 90) + "]",)),
    "matrix_product": (matrix_product, (40,)),
    "spectral_norm": (spectral_norm, (50,)),
    "fannkuch": (fannkuch, (7,)),
    "build_strings": (build_strings, (1500,)),
    "sieve": (sieve, (30000,)),
    "mandelbrot": (mandelbrot, (28,)),
    "brainfuck": (brainfuck, (HELLO * 4, "")),
    "count_words": (count_words, (PROSE,)),
    "dijkstra": (dijkstra, (900,)),
    "levenshtein": (
        levenshtein,
        ("the way of the data from top to bottom" * 2, "a tour of the architecture for newcomers" * 2),
    ),
    "pipeline": (pipeline, (8000,)),
    "machine": (machine, (700,)),
    "binary_trees": (binary_trees, (11,)),
    "collatz": (collatz, (500,)),
    "parse_or_skip": (parse_or_skip, (["12", "x", "-4", "77", "", "5"] * 700,)),
    "classify": (
        classify,
        (
            [
                ("circle", 2),
                ("rectangle", 3, 4),
                {"kind": "square", "side": 5},
                [1, 2, 3],
                7,
                (8,),
                None,
                ("circle", -1),
            ]
            * 250,
        ),
    ),
    "binary_search": (binary_search, (list(range(0, 6000, 3)), list(range(0, 3000, 2)))),
    "partitions": (partitions, (140,)),
}
"""Each with arguments that let one call take about one to five milliseconds."""
