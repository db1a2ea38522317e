"""The grammars of the two small languages, for an LALR parser, and readable names for what may come next.

    res = res * x          assign: NAME "=" expression
    int f(int n) { ... }   the C-like spelling of the flow-graph language, told from the others by its first two words

Expressions are common to both languages.  Invariant: no alternative needs more than one token of lookahead, so line
breaks never matter and the place of an error is the first token that cannot go on.
"""

from __future__ import annotations

from typing import Final

__all__ = ["FLOW", "FUNCTIONAL", "RESERVED", "SPOKEN", "VALUE"]

RESERVED: Final = frozenset(
    {
        "else", "false", "for", "goto", "if", "in", "let", "not", "print", "print_and_stop", "println", "read",
        "return", "then", "true", "while",
    }
)  # fmt: skip
"""No variable, label or function may be called so."""

_NAME: Final = rf"NAME: /(?!(?:{'|'.join(sorted(RESERVED))})\b)[A-Za-z_][A-Za-z_0-9]*/"

_EXPRESSIONS: Final = (
    r"""
?expression: "not" expression -> not_
           | comparison
?comparison: sum
           | sum COMPARE sum -> binary
?sum: product
    | sum (PLUS | MINUS) product -> binary
?product: unary
        | product (STAR | TIMES) unary -> binary
?unary: postfix
      | MINUS unary -> negative
?postfix: atom
        | postfix "[" expression "]" -> index
?atom: NUMBER -> number
     | STRING -> string
     | "true" -> true
     | "false" -> false
     | NAME -> variable
     | NAME "(" [expression ("," expression)*] ")" -> apply
     | "[" [expression ("," expression)* ","?] "]" -> list
     | "(" expression ")"

NUMBER: /0[xX][0-9a-fA-F]+|[0-9]+/
STRING: /"(\\.|[^"\\\n])*"/
COMPARE: "==" | "!=" | "<=" | ">=" | "<" | ">"
PLUS: "+"
MINUS: "-"
STAR: "*"
TIMES: "//" | "%"
COMMENT: /#[^\n]*/
%ignore COMMENT
%ignore /[ \t\r\n\f]+/
"""
    + _NAME
    + "\n"
)

FLOW: Final = (
    r"""
start: c_item+ | line*

?line: DEFINED ":" -> label_line
     | item
?label: NAME | LABEL
?item: "read" NAME ";"? -> read
     | "read" "(" NAME ")" ";"? -> read
     | simple ";"?
     | "print_and_stop" "(" expression ")" ";"? -> print_and_stop
     | "goto" label ";"? -> goto
     | "if" expression "then"? "goto" label "else" "goto" label ";"? -> branch
     | "return" ";"? -> stop
     | "return" expression ";"? -> return_
?simple: NAME "=" expression -> assign
       | NAME "[" expression "]" "=" expression -> store
       | "print" expression -> print

c_item: NAME STAR? NAME ";" -> global
      | NAME STAR? NAME "(" [parameter ("," parameter)*] ")" "{" c_line* "}" -> function
parameter: NAME STAR? NAME
?c_line: c_statement
       | DEFINED ":" -> label_line
?c_statement: NAME STAR? NAME "=" expression ";"? -> declare
            | NAME STAR? NAME ("," NAME)* ";" -> name_only
            | NAME "=" expression ";"? -> assign
            | NAME STEP ";"? -> step
            | STEP NAME ";"? -> step_before
            | NAME "[" expression "]" "=" expression ";"? -> store
            | "println" "(" expression ")" ";"? -> print
            | "goto" label ";"? -> goto
            | "return" ";" -> stop
            | "return" expression ";" -> return_
            | "if" expression c_statement ["else" c_statement] -> c_if
            | "while" "(" expression ")" c_statement -> c_while
            | "for" "(" [c_simple] ";" [expression] ";" [c_simple] ")" c_statement -> c_for
            | "{" c_line* "}" -> c_block
?c_simple: NAME STAR? NAME "=" expression -> declare
         | NAME "=" expression -> assign
         | NAME STEP -> step
         | STEP NAME -> step_before

STEP: "++" | "--"
LABEL: /<[^<>\n]*>/
DEFINED.2: /([A-Za-z_][A-Za-z_0-9]*|<[^<>\n]*>)(?=[ \t\r\n]*:)/
"""
    + _EXPRESSIONS
)

FUNCTIONAL: Final = r"""
start: definition*
definition: NAME "(" [NAME ("," NAME)*] ")" "=" body -> function
          | NAME "=" body -> value
?body: "if" body "then" body "else" body -> if_
     | "let" NAME "=" body "in" body -> let
     | expression
""" + _EXPRESSIONS.replace('     | "(" expression ")"', '     | "(" body ")"').replace(
    'NAME "(" [expression ("," expression)*] ")"', 'NAME "(" [body ("," body)*] ")"'
).replace('"[" [expression ("," expression)* ","?] "]"', '"[" [body ("," body)* ","?] "]"')

VALUE: Final = "start: expression\n" + _EXPRESSIONS

SPOKEN: Final = {
    "NAME": "a name",
    "NUMBER": "a number",
    "STRING": "a text",
    "LABEL": "a label",
    "DEFINED": "a label",
    "COMPARE": "a comparison",
    "STEP": "'++' or '--'",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "STAR": "'*'",
    "TIMES": "'//' or '%'",
    "LPAR": "'('",
    "RPAR": "')'",
    "LSQB": "'['",
    "RSQB": "']'",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "COLON": "':'",
    "SEMICOLON": "';'",
    "COMMA": "','",
    "EQUAL": "'='",
    "$END": "the end of the program",
}
"""What a terminal is called in a message; keywords are called by themselves."""
