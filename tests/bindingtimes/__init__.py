"""Binding-time analysis: divisions, their congruence, and the examples of the field."""
