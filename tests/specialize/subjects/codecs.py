"""Codecs: run lengths, Lempel-Ziv, Huffman, ciphers, bit fields, checksums, variable-length integers, Morse.

    huffman_decode({"0": "a", "10": "b", "11": "c"}, "01011")    ->    "abc"

The code book is static, the message is dynamic.
"""

from ..table import Case, Subject, mostly, text


def decode_runs(encoded, ink, paper):
    """`3.2#` -> three times paper, twice ink; `/` ends a line."""
    lines = []
    line = ""
    count = 0
    for c in encoded:
        if c.isdigit():
            count = count * 10 + int(c)
        elif c == "/":
            lines.append(line)
            line = ""
        else:
            line += (ink if c == "#" else paper) * (count or 1)
            count = 0
    lines.append(line)
    return lines


def decode_lz(tokens, dictionary):
    """(distance, length, literal) triples after a preset dictionary."""
    out = list(dictionary)
    for distance, length, literal in tokens:
        for _ in range(length):
            out.append(out[-distance])
        if literal is not None:
            out.append(literal)
    return "".join(out[len(dictionary) :])


def build_huffman(book):
    root = [None, None]
    for bits, symbol in book.items():
        node = root
        for bit in bits[:-1]:
            index = int(bit)
            if node[index] is None:
                node[index] = [None, None]
            node = node[index]
        node[int(bits[-1])] = symbol
    return root


def huffman_decode(book, bits):
    root = build_huffman(book)
    node = root
    out = []
    for bit in bits:
        node = node[1 if bit == "1" else 0]
        if node is None:
            raise ValueError("bad code")
        if isinstance(node, str):
            out.append(node)
            node = root
    if node is not root:
        raise EOFError("message ends inside a code")
    return "".join(out)


def vigenere(key, message):
    out = []
    for i, c in enumerate(message):
        if "a" <= c <= "z":
            shift = ord(key[i % len(key)]) - 97
            out.append(chr((ord(c) - 97 + shift) % 26 + 97))
        else:
            out.append(c)
    return "".join(out)


def substitute(table, message):
    return "".join(table.get(c, c) for c in message)


def unpack_bits(fields, word):
    values = {}
    for name, width in fields:
        values[name] = word & ((1 << width) - 1)
        word >>= width
    if word:
        raise OverflowError(f"{word} left")
    return values


def pack_bits(fields, values):
    word = 0
    for name, width in reversed(fields):
        value = values[name]
        if not 0 <= value < 1 << width:
            raise ValueError(f"{name} does not fit {width} bits")
        word = word << width | value
    return word


def crc_table(polynomial):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ polynomial if byte & 1 else byte >> 1
        table.append(byte)
    return table


def crc(polynomial, initial, data):
    value = initial
    for byte in data:
        value ^= byte
        for _ in range(8):
            if value & 1:
                value = value >> 1 ^ polynomial
            else:
                value >>= 1
    return value


def crc_by_table(polynomial, data):
    table = crc_table(polynomial)
    value = 0
    for byte in data:
        value = table[(value ^ byte) & 255] ^ value >> 8
    return value


def checksum(weights, modulus, digits):
    total = 0
    for weight, digit in zip(weights, digits):
        product = weight * int(digit)
        total += product if product < 10 else product - 9
    return total % modulus == 0


def read_varints(signed, most, data):
    values = []
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            if signed:
                value = value >> 1 ^ -(value & 1)
            values.append(value)
            value = shift = 0
        elif shift >= 7 * most:
            raise ValueError("too long")
    return values


def morse(alphabet, pause, message):
    backwards = {code: letter for letter, code in alphabet.items()}
    return "".join(backwards.get(code, "?") for code in message.split(pause))


def dispatch_messages(codec, stream):
    """A decoder of tagged messages, each tag by its own small function."""

    def number(at):
        return int(stream[at]), at + 1

    def pair(at):
        first, at = number(at)
        second, at = number(at)
        return (first, second), at

    def word(at):
        length, at = number(at)
        return stream[at : at + length], at + length

    readers = {"number": number, "pair": pair, "word": word}
    out = []
    at = 0
    while at < len(stream):
        kind = codec.get(stream[at])
        if kind is None:
            out.append("?")
            break
        value, at = readers[kind](at + 1)
        out.append(value)
    return out


BOOK_THREE = {"0": "a", "10": "b", "11": "c"}
BOOK_TWO = {"0": "x", "1": "y"}
BOOK_FIVE = {"00": "e", "01": "t", "100": "a", "101": "o", "11": "n"}
MORSE = {"e": ".", "t": "-", "a": ".-", "n": "-.", "s": "...", "o": "---"}


def data_input(random):
    return (bytes(random.randrange(256) for _ in range(random.randint(0, 5))),)


def fields_input(random):
    values = {name: random.choice([0, 1, 3, 7, 9]) for name in "abc"}
    if random.random() < 0.1:
        values["a"] = random.choice([2.5, "q"])
    return (values,)


SUBJECTS = [
    Subject(
        "run_lengths",
        [
            Case("two lines", lambda: (decode_runs, {"encoded": "3.2#/5#"})),
            Case("long", lambda: (decode_runs, {"encoded": "12#.#.12#"})),
            Case("empty", lambda: (decode_runs, {"encoded": ""})),
        ],
        inputs=mostly(lambda r: (r.choice("#@"), r.choice(" .")), 1, None, ""),
        gone=("encoded", "count", "isdigit", "/"),
    ),
    Subject(
        "lempel_ziv",
        [
            Case("repeat", lambda: (decode_lz, {"tokens": [(0, 0, "a"), (1, 3, "b")]})),
            Case("dictionary", lambda: (decode_lz, {"tokens": [(3, 2, None), (1, 1, "z")]})),
            Case("empty", lambda: (decode_lz, {"tokens": []})),
        ],
        inputs=text("abc", 5),
        gone=("tokens", "distance", "length", "literal"),
    ),
    Subject(
        "huffman",
        [
            Case("three", lambda: (huffman_decode, {"book": dict(BOOK_THREE)})),
            Case("two", lambda: (huffman_decode, {"book": dict(BOOK_TWO)})),
            Case("five", lambda: (huffman_decode, {"book": dict(BOOK_FIVE)})),
        ],
        inputs=mostly(text("01", 9), ["1", 0, "1"], None),
        gone=("book", "root", "node", "isinstance", "build_huffman"),
    ),
    Subject(
        "vigenere",
        [Case(key, lambda key=key: (vigenere, {"key": key})) for key in ("a", "lemon", "zebra")],
        inputs=text("abcxyz !", 9),
        gone=("key",),
    ),
    Subject(
        "substitution",
        [
            Case("leet", lambda: (substitute, {"table": {"a": "4", "e": "3"}})),
            Case("html", lambda: (substitute, {"table": {"<": "&lt;", "&": "&amp;"}})),
            Case("none", lambda: (substitute, {"table": {}})),
        ],
        inputs=mostly(text("ae<&z", 8), ["a", [1]], 5),
    ),
    Subject(
        "unpack_bits",
        [
            Case("rgb", lambda: (unpack_bits, {"fields": [("blue", 5), ("green", 6), ("red", 5)]})),
            Case("flag", lambda: (unpack_bits, {"fields": [("flag", 1)]})),
            Case("none", lambda: (unpack_bits, {"fields": []})),
        ],
        inputs=lambda r: (r.choice([0, 1, 2, 65535, 70000, 33333, True, -1, 2.5]),),
        gone=("fields", "width"),
    ),
    Subject(
        "pack_bits",
        [
            Case("three", lambda: (pack_bits, {"fields": [("a", 1), ("b", 4), ("c", 3)]})),
            Case("one", lambda: (pack_bits, {"fields": [("b", 2)]})),
            Case("none", lambda: (pack_bits, {"fields": []})),
        ],
        inputs=fields_input,
        gone=("fields", "width", "reversed"),
    ),
    Subject(
        "crc_bitwise",
        [
            Case("crc8", lambda: (crc, {"polynomial": 0x8C, "initial": 0})),
            Case("crc16", lambda: (crc, {"polynomial": 0xA001, "initial": 0xFFFF})),
            Case("zero", lambda: (crc, {"polynomial": 0, "initial": 1})),
        ],
        inputs=mostly(data_input, [1, "q"], None),
        gone=("polynomial", "initial"),
    ),
    Subject(
        "crc_table",
        [Case(hex(p), lambda p=p: (crc_by_table, {"polynomial": p})) for p in (0x8C, 0xA001, 0xEDB88320)],
        inputs=mostly(data_input, [1, 2.5], None),
        gone=("polynomial", "crc_table"),
    ),
    Subject(
        "checksum",
        [
            Case("card", lambda: (checksum, {"weights": (2, 1, 2, 1, 2, 1), "modulus": 10})),
            Case("book", lambda: (checksum, {"weights": (1, 3, 1, 3), "modulus": 10})),
            Case("none", lambda: (checksum, {"weights": (), "modulus": 7})),
        ],
        inputs=mostly(text("0123456789", 7), "12x4", [1, 2, 3], None),
        gone=("weights", "modulus"),
    ),
    Subject(
        "varint",
        [
            Case("plain", lambda: (read_varints, {"signed": False, "most": 4})),
            Case("zigzag", lambda: (read_varints, {"signed": True, "most": 2})),
            Case("one", lambda: (read_varints, {"signed": False, "most": 1})),
        ],
        inputs=data_input,
        gone=("signed", "most"),
    ),
    Subject(
        "morse",
        [
            Case("usual", lambda: (morse, {"alphabet": dict(MORSE), "pause": " "})),
            Case("two", lambda: (morse, {"alphabet": {"e": ".", "t": "-"}, "pause": "/"})),
            Case("none", lambda: (morse, {"alphabet": {}, "pause": " "})),
        ],
        inputs=text("..-- /", 9),
        gone=("alphabet", "pause", "items"),
    ),
    Subject(
        "tagged_messages",
        [
            Case("all", lambda: (dispatch_messages, {"codec": {"n": "number", "p": "pair", "w": "word"}})),
            Case("one", lambda: (dispatch_messages, {"codec": {"n": "number"}})),
            Case("none", lambda: (dispatch_messages, {"codec": {}})),
        ],
        inputs=lambda r: ("".join(r.choice(["n5", "p12", "w2ab", "w0", "n", "q"]) for _ in range(r.randint(0, 4))),),
    ),
]
