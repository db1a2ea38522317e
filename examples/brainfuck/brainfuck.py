"""An interpreter for Brainfuck: eight instructions, a tape, a pointer.

    run(parse("++[>+++<-]>."))    gives b"\\x06"

Invariant: brackets that do not match raise SyntaxError in `parse`, before anything runs.
"""


def parse(text):
    """The instructions, and for each bracket the place of the other one."""
    code = "".join(char for char in text if char in "<>+-.,[]")
    other, waiting = {}, []
    for place, op in enumerate(code):
        if op == "[":
            waiting.append(place)
        elif op == "]":
            if not waiting:
                raise SyntaxError(f"nothing opens the bracket at {place}")
            start = waiting.pop()
            other[start], other[place] = place, start
    if waiting:
        raise SyntaxError(f"nothing closes the bracket at {waiting[-1]}")
    return code, other


def run(program, text=b"", cells=30000):
    """What `program` prints when it reads `text`."""
    code, other = program
    tape = [0] * cells
    out = []
    pc = pointer = given = 0
    while pc < len(code):
        op = code[pc]
        if op == ">":
            pointer += 1
        elif op == "<":
            pointer -= 1
        elif op == "+":
            tape[pointer] = (tape[pointer] + 1) & 255
        elif op == "-":
            tape[pointer] = (tape[pointer] - 1) & 255
        elif op == ".":
            out.append(tape[pointer])
        elif op == ",":
            tape[pointer] = text[given] if given < len(text) else 0
            given += 1
        elif (op == "[" and tape[pointer] == 0) or (op == "]" and tape[pointer] != 0):
            pc = other[pc]
        pc += 1
    return bytes(out)
