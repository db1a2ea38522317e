"""A calculator that reads its formula, forms whose fields a metaclass collects, options: subjects of a test."""

import abc
import dataclasses
import enum
import re
import string

# -- a calculator: tokens by a regular expression, operators by precedence, evaluation by match


class Token(enum.Enum):
    NUMBER = 1
    NAME = 2
    SIGN = 3
    END = 4


TOKEN = re.compile(r"\s*(?:(\d+\.?\d*)|([A-Za-z_]\w*)|(.))")


def tokenize(text):
    for found in TOKEN.finditer(text):
        number, name, sign = found.groups()
        if number:
            yield Token.NUMBER, float(number)
        elif name:
            yield Token.NAME, name
        elif sign:
            yield Token.SIGN, sign
    yield Token.END, ""


@dataclasses.dataclass(frozen=True)
class Number:
    value: float


@dataclasses.dataclass(frozen=True)
class Name:
    name: str


@dataclasses.dataclass(frozen=True)
class Binary:
    sign: str
    left: object
    right: object


@dataclasses.dataclass(frozen=True)
class Called:
    name: str
    args: tuple


PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
FUNCTIONS = {"max": max, "min": min, "abs": abs}


class Parser:
    def __init__(self, text):
        self.tokens = list(tokenize(text))
        self.at = 0

    def peek(self):
        return self.tokens[self.at]

    def next(self):
        token = self.tokens[self.at]
        self.at += 1
        return token

    def expect(self, sign):
        _, found = self.next()
        if found != sign:
            raise SyntaxError(f"expected {sign!r}, got {found!r}")

    def expression(self, least=0):
        left = self.atom()
        while True:
            kind, sign = self.peek()
            if kind is not Token.SIGN or PRECEDENCE.get(sign, 0) <= least:
                return left
            self.next()
            left = Binary(sign, left, self.expression(PRECEDENCE[sign]))

    def atom(self):
        match self.next():
            case (Token.NUMBER, value):
                return Number(value)
            case (Token.NAME, name):
                if self.peek() == (Token.SIGN, "("):
                    self.next()
                    args = [self.expression()]
                    while self.peek()[1] == ",":
                        self.next()
                        args.append(self.expression())
                    self.expect(")")
                    return Called(name, tuple(args))
                return Name(name)
            case (Token.SIGN, "("):
                inner = self.expression()
                self.expect(")")
                return inner
            case (_, found):
                raise SyntaxError(f"unexpected {found!r}")


def evaluate(node, values):
    match node:
        case Number(value):
            return value
        case Name(name):
            try:
                return values[name]
            except KeyError:
                raise NameError(name) from None
        case Binary(sign, left, right):
            first = evaluate(left, values)
            second = evaluate(right, values)
            match sign:
                case "+":
                    return first + second
                case "-":
                    return first - second
                case "*":
                    return first * second
                case "/":
                    return first / second
                case "^":
                    return first**second
        case Called(name, args):
            return FUNCTIONS[name](*[evaluate(arg, values) for arg in args])


def calculate(text, values):
    return evaluate(Parser(text).expression(), values)


# -- forms: fields that a metaclass collects, errors that are collected by field


class Invalid(Exception):
    def __init__(self, errors):
        super().__init__(errors)
        self.errors = errors


class Field(abc.ABC):
    def __init__(self, required=True, default=None, validators=()):
        self.name = None
        self.required = required
        self.default = default
        self.validators = validators

    @abc.abstractmethod
    def load(self, value): ...

    def read(self, value):
        value = self.load(value)
        for validator in self.validators:
            validator(value)
        return value


class Whole(Field):
    def load(self, value):
        if isinstance(value, bool) or not isinstance(value, int):
            raise Invalid(["not a whole number"])
        return value


class Text(Field):
    def load(self, value):
        if not isinstance(value, str):
            raise Invalid(["not a text"])
        return value


class Many(Field):
    def __init__(self, inner, **options):
        super().__init__(**options)
        self.inner = inner

    def load(self, value):
        if not isinstance(value, list):
            raise Invalid(["not a list"])
        found = []
        errors = {}
        for at, item in enumerate(value):
            try:
                found.append(self.inner.read(item))
            except Invalid as error:
                errors[at] = error.errors
        if errors:
            raise Invalid(errors)
        return found


class Nested(Field):
    def __init__(self, form, **options):
        super().__init__(**options)
        self.form = form

    def load(self, value):
        return self.form.load(value)


def between(least, most):
    def check(value):
        if not least <= value <= most:
            raise Invalid([f"must be between {least} and {most}"])

    return check


class Collecting(type):
    def __new__(mcs, name, bases, body):
        fields = {key: value for key, value in body.items() if isinstance(value, Field)}
        cls = super().__new__(mcs, name, bases, {key: value for key, value in body.items() if key not in fields})
        cls.fields = fields
        for key, field in fields.items():
            field.name = field.name or key
        return cls


class Form(metaclass=Collecting):
    def load(self, data):
        if not isinstance(data, dict):
            raise Invalid(["not a mapping"])
        found = {}
        errors = {}
        for name, field in self.fields.items():
            if field.name not in data:
                if field.required:
                    errors[field.name] = ["missing"]
                else:
                    found[name] = field.default
                continue
            try:
                found[name] = field.read(data[field.name])
            except Invalid as error:
                errors[field.name] = error.errors
        for key in data:
            if key not in {field.name for field in self.fields.values()}:
                errors[key] = ["unknown"]
        if errors:
            raise Invalid(errors)
        return found


class Home(Form):
    street = Text()
    code = Whole(validators=[between(1, 99999)])


class User(Form):
    name = Text()
    age = Whole(required=False, default=0, validators=[between(0, 150)])
    tags = Many(Text(), required=False)
    home = Nested(Home())


USER = User()


def loaded(form, data):
    try:
        return form.load(data)
    except Invalid as error:
        return error.errors


# -- options of a command


class Option:
    def __init__(self, *names, kind=str, default=None, flag=False, required=False, choices=None):
        self.names = names
        self.kind = kind
        self.default = default
        self.flag = flag
        self.required = required
        self.choices = choices
        self.place = max(names, key=len).lstrip("-").replace("-", "_")


OPTIONS = (
    Option("-n", "--count", kind=int, default=1),
    Option("--name", required=True),
    Option("-v", "--verbose", flag=True),
    Option("--mode", choices=("fast", "slow")),
)


def options_of(options, words):
    found = {option.place: option.default for option in options}
    seen = set()
    rest = []
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("-"):
            rest.append(word)
            continue
        value = None
        if "=" in word:
            word, value = word.split("=", 1)
        for option in options:
            if word in option.names:
                break
        else:
            return f"unknown option {word}"
        seen.add(option.place)
        if option.flag:
            found[option.place] = True
            continue
        if value is None:
            if at >= len(words):
                return f"{word} needs a value"
            value = words[at]
            at += 1
        try:
            made = option.kind(value)
        except ValueError:
            return f"{word}: invalid {option.kind.__name__} value: {value!r}"
        if option.choices and made not in option.choices:
            return f"{word}: {made!r} is none of {option.choices}"
        found[option.place] = made
    for option in options:
        if option.required and option.place not in seen:
            return f"missing {option.names[0]}"
    return found, rest


# -- the standard library's own template

LETTER = string.Template("Dear $name, you owe us $$${sum} since ${month}.")


def letter(template, **values):
    try:
        return template.substitute(values)
    except KeyError as error:
        return f"no {error}"
