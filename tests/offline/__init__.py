"""The offline specializer: random programs against the interpreter, and the examples of the field."""
