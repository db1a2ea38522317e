"""Sends a function to the intermediate representation and back, shows both, runs both, compares.

    $ make demo            shows `matching` of bf.py;  python examples/demo.py run  shows `run`

Invariant: exits with 1 if the original and the round trip ever differ.
"""

import sys

import bf

from futamura.driver import roundtrip, roundtrip_source
from futamura.frontend.python import lower
from futamura.ir.text import print_program

INPUTS = {
    "matching": [("",), ("[]",), ("+[[-]>]<",), ("]",), ("[[]",), ("[]]",)],
    "run": [
        ("++[>+++<-]>.",),
        (",[.,]", "echo"),
        ("++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.>++.",),
        ("]",),
        ("+[<+]",),
    ],
}


def outcome(function, arguments):
    """The result, or the exception as text."""
    try:
        return repr(function(*arguments))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main(name):
    function = getattr(bf, name)
    print(f"# The intermediate representation of examples/bf.py:{name}\n")
    print(print_program(lower(function).program))
    print("\n# The source that comes back\n")
    print(roundtrip_source(function))
    print("\n# Both, run\n")
    result = roundtrip(function)
    for arguments in INPUTS[name]:
        before, after = outcome(function, arguments), outcome(result, arguments)
        shown = ", ".join(repr(argument if len(argument) < 32 else argument[:29] + "...") for argument in arguments)
        print(f"{name}({shown}) -> {after}")
        if before != after:
            print(f"DIFFERENT: the original gives {before}")
            raise SystemExit(1)
    print("\nequal results, equal exceptions")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "matching")
