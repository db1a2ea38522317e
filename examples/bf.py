"""An interpreter for a small language: eight instructions, a tape, a pointer.

    run("++[>+++<-]>.", "")    gives "\\x06"

The subject of `make demo`.  Invariant: brackets that do not match raise SyntaxError before anything runs.
"""


def matching(program):
    """The other bracket of each bracket, by place."""
    jumps, open_brackets = {}, []
    for place, op in enumerate(program):
        if op == "[":
            open_brackets.append(place)
        elif op == "]":
            if not open_brackets:
                raise SyntaxError(f"nothing opens the bracket at {place}")
            start = open_brackets.pop()
            jumps[start], jumps[place] = place, start
    if open_brackets:
        raise SyntaxError(f"nothing closes the bracket at {open_brackets[-1]}")
    return jumps


def run(program, text=""):
    """What `program` prints when it reads `text`."""
    jumps = matching(program)
    tape, out = [0] * 300, []
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
        elif (op == "[" and not tape[pointer]) or (op == "]" and tape[pointer]):
            pc = jumps[pc]
        pc += 1
    return "".join(out)
