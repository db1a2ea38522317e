"""The examples of the texts that the specializer comes from, as Python programs: one module a text."""
