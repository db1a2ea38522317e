"""The registry of diagnostics: what each code means, apart from the place where it came up.

    CODES["FT103"].name     "frame-access"        CODES["FT103"].kind     "fundamental"

FT1xx unsupported, FT2xx binding time, FT3xx effects and mutability, FT4xx termination and size, FT5xx other
languages, FT9xx a fault of ours.
`docs/codes/` has a page for each, with an example and what it says.

Invariant: a code means one thing for ever: entries are added, never renumbered.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["CODES", "Code", "Kind", "Level", "is_fallback"]

Kind: TypeAlias = Literal["yours", "fundamental", "not-yet", "bug", "follow-on"]
"""Whose turn it is: the program's, nobody's, ours later, ours now, or another diagnostic's."""

Level: TypeAlias = "Literal['error', 'warning', 'note']"
"""An error is asked for or a refusal, a warning means that general code runs, a note that all is well."""


class Code(NamedTuple):
    """One entry of the registry: what a code means, apart from the place where it came up."""

    name: str
    explanation: str
    hint: str
    kind: Kind
    level: Level = "error"


CODES: Final[dict[str, Code]] = {
    "FT101": Code(
        "not-a-function",
        "only functions that are written in Python can be looked into",
        "pass a plain function, method, lambda, static method, class method or property, "
        "an object whose `__call__` is one, or the `__wrapped__` of a decorated one",
        "yours",
    ),
    "FT102": Code(
        "no-source",
        "the source text of the function cannot be found",
        "define the function in a file, in a notebook cell, or register its text with `linecache`",
        "yours",
    ),
    "FT103": Code(
        "frame-access",
        "the function reads its own frame, which another form of the function cannot reproduce",
        "move the call out of this function and pass it the values that it needs",
        "fundamental",
    ),
    "FT104": Code(
        "source-changed",
        "the source text does not compile to the code that the function runs",
        "reload the module, or switch off what rewrites its code while it is imported",
        "yours",
    ),
    "FT105": Code(
        "async",
        "asynchronous generators are not supported (`await`, `async with` and `async for` are)",
        "keep what gives the items in a function of its own, and iterate over that",
        "not-yet",
    ),
    "FT106": Code(
        "except-star",
        "`except*` is not supported",
        "use `except ExceptionGroup` and split the group by hand",
        "not-yet",
    ),
    "FT107": Code(
        "class-expression",
        "this expression in the head of a nested class or generic definition is not supported",
        "bind the value to a variable before the definition",
        "not-yet",
    ),
    "FT108": Code(
        "ambiguous-lambda",
        "several lambdas begin on this line and nothing tells them apart",
        "put each lambda on a line of its own, or use `def`",
        "yours",
    ),
    "FT109": Code(
        "unknown-syntax",
        "this syntax is newer than this version of futamura",
        "rewrite the construct in an older syntax",
        "not-yet",
    ),
    "FT110": Code(
        "super-without-argument",
        "`super()` reads the first parameter, which this function deletes",
        "write `super(Class, object)` with both arguments",
        "not-yet",
    ),
    "FT204": Code(
        "static-required",
        "the value depends on an input that was left open, or on an effect",
        "give the input that it depends on, or take `static(...)` away to accept general code here",
        "yours",
    ),
    "FT205": Code(
        "unroll-needs-known",
        "a loop can only be unrolled over something whose length is known",
        "give the input that the iterable depends on, or take `unroll(...)` away",
        "yours",
    ),
    "FT206": Code(
        "peek",
        "`peek` reports what is known of a value at this place",
        "take the call away when you have seen enough",
        "yours",
        "note",
    ),
    "FT207": Code(
        "missing-global",
        "a global that does not exist yet when the residual is made is looked up, and called, at run time",
        "specialize after the last definition that the function needs, not in a decorator above it",
        "yours",
        "note",
    ),
    "FT301": Code(
        "general-code",
        "this part of the program cannot be specialized yet, so general code stands in its place",
        "move the construct out of the function that is specialized, or mark the function around it `@opaque`",
        "not-yet",
        "warning",
    ),
    "FT302": Code(
        "call-kept",
        "the function that is called here cannot be specialized yet, so it is called as it is",
        "move the construct out of that function, or mark the function `@opaque` if the call may stay",
        "not-yet",
        "warning",
    ),
    "FT305": Code(
        "static-written",
        "a location that had been used as static is written: it counts as dynamic state from there on",
        "keep what changes apart from what is given, or leave the input open; if it is filled once, when it is first"
        ' needed, declare it: `Specializer(caches=["module.Class.attribute"])` or `--caches module.Class.attribute`',
        "yours",
        "note",
    ),
    "FT306": Code(
        "unknown-contents",
        "the contents of a global list or dict, and the attributes of a global object, count as known only if no"
        " function of its module may write to them, constructors aside",
        'if nobody writes to it while the residual is in use, declare it: `Specializer(frozen=["module.TABLE"])` or'
        " `--frozen module.TABLE`; if it keeps what was computed, and an entry never changes, `caches` and `--caches`",
        "yours",
        "note",
    ),
    "FT307": Code(
        "cache-kept",
        "what a cache keeps between calls is not known: it may hold what was computed when something was different",
        'if an entry may be there or not, and never changes, declare it: `Specializer(caches=["module.function"])` or'
        " `--caches module.function`",
        "yours",
        "note",
    ),
    "FT308": Code(
        "static-given",
        "code whose source is not known, or that is only known at run time, may change what it gets: nothing that the"
        " object holds or reaches counts as known any more",
        "hand on what that code needs of the object instead of the object; or declare that nobody writes to it:"
        ' `Specializer(frozen=["module.NAME"])` or `--frozen module.NAME`',
        "yours",
        "note",
    ),
    "FT401": Code(
        "generalized",
        "a value takes so many different known values at one place that code is not copied for each of them",
        "nothing is wrong; raise the budget to unroll further, or write `dynamic(...)` where the value may be general",
        "yours",
        "note",
    ),
    "FT402": Code(
        "growing-container",
        "a container grows from trip to trip around a loop whose end is not known, or ways meet on which a dict has "
        "many sets of keys, or many of which only some make an object, so it is built at run time",
        "nothing is wrong; bound the container if it should be known",
        "yours",
        "note",
    ),
    "FT403": Code(
        "many-versions",
        "one block has many versions: only the value that varies most tells them apart from now on",
        "nothing is wrong; write `dynamic(...)` around a value that need not be known",
        "yours",
        "note",
    ),
    "FT404": Code(
        "deep-calls",
        "known calls nest deeper than the budget allows, so the innermost one stays a call",
        "raise `Budget.depth`, or write the recursion as a loop",
        "yours",
        "warning",
    ),
    "FT405": Code(
        "deep-nesting",
        "data, calls or residual code nest deeper than Python allows",
        "flatten the data, or raise the recursion limit",
        "yours",
        "warning",
    ),
    "FT406": Code(
        "call-stays",
        "a call that brings nothing static would have been copied into very many versions, so it stays a call",
        "nothing is wrong; give the call something static, or leave it",
        "yours",
        "note",
    ),
    "FT407": Code(
        "separate-functions",
        "the residual got long although less folded than was left, so functions that are called with nothing to fold "
        "were not copied to each place that calls them: the residual calls functions of its own",
        "nothing is wrong; mark a function with `@futamura.inline`, or raise `Budget.long`, to have it unfolded",
        "yours",
        "note",
    ),
    "FT408": Code(
        "nothing-to-fold",
        "a function that is called with open values alone, and in which next to nothing folded, is called as it is: "
        "its copy would have been longer and no faster, for what it uses is tested whenever the residual is called",
        "nothing is wrong; mark the function with `@futamura.inline` to have it unfolded",
        "yours",
        "note",
    ),
    "FT409": Code(
        "input-guessed",
        "an operation on this open input could run code that changes a static object, or that has to run each time it "
        "is compared; with the usual class it cannot, so calls with that class run this residual, and all others one "
        "that is made without the test",
        "nothing is wrong; `Dyn(...)` in place of the value says which class it has",
        "yours",
        "note",
    ),
    "FT410": Code(
        "out-of-budget",
        "specialization did not settle within its budget, even when it told nothing apart",
        "leave an input open, write `dynamic(...)` around what varies, or raise the budget",
        "yours",
        "warning",
    ),
    "FT411": Code(
        "out-of-time",
        "the time that was set for the specialization is over",
        "raise `Budget.seconds` (`--time-limit`), or leave an input open",
        "yours",
        "warning",
    ),
    "FT412": Code(
        "tests-cost-more",
        "whatever was found in globals, closures and the classes of static objects is tested at each call of the "
        "residual, as is that no open input is a static object which the residual knows; that would have taken longer "
        "than what folds saves: nothing of it is believed, all is read where it is used",
        "nothing is wrong; if these stay what they are, say so: `Specializer(assume=\"trust\")`; or make more of the "
        "inputs static",
        "yours",
        "note",
    ),
    "FT413": Code(
        "static-object-given",
        "on a rare way a static object is handed to code that may keep and change it: behind this call nothing is "
        "believed of static objects, and later calls of the residual run one in which nothing is believed of this one",
        "nothing is wrong; if that code changes nothing, name the object in `Specializer(frozen=[...])`",
        "yours",
        "note",
    ),
    "FT414": Code(
        "default-taken",
        "this parameter was not mentioned, and control, or what comes out of something known, depends on what it is by "
        "default: calls that leave it out run this residual, all others one that is made when it is first needed",
        "nothing is wrong; to have the parameter open in this residual, say so: `specialize(f, name=DYN)`",
        "yours",
        "note",
    ),
    "FT501": Code(
        "program-syntax",
        "the program does not follow the grammar of its language",
        "compare with docs/flow.md and docs/functional.md",
        "yours",
    ),
    "FT502": Code(
        "unknown-label", "a jump leads to a label that no block has", "write a block with this label", "yours"
    ),
    "FT503": Code(
        "unbound-variable",
        "a variable is read where it may have no value",
        "assign it on every way that leads here, or make it an input",
        "yours",
    ),
    "FT504": Code(
        "program-error",
        "an operator of the program does not take these values",
        "the place says which operator; look at the classes of its operands",
        "yours",
    ),
    "FT505": Code(
        "wrong-inputs", "the inputs given are not those of the program", "write name=value for each input", "yours"
    ),
    "FT506": Code("empty-program", "there is nothing to run", "write at least one block or function", "yours"),
    "FT507": Code("defined-twice", "the same name is defined twice", "rename one of them", "yours"),
    "FT508": Code("out-of-fuel", "the program did not end within its fuel", "give more with --fuel", "yours"),
    "FT509": Code(
        "cyclic-definition", "a value is defined by itself", "make it a function, or break the cycle", "yours"
    ),
    "FT510": Code(
        "unknown-function",
        "a call of something that is not defined like this",
        "define it, or call it as it is defined",
        "yours",
    ),
    "FT901": Code(
        "internal",
        "futamura broke one of its own invariants",
        "please report this with the function that caused it",
        "bug",
    ),
}


def is_fallback(code: str) -> bool:
    """Does an event of this code mean that something was not specialized?  (A code that is not registered does.)"""
    return code not in CODES or CODES[code].level != "note"
