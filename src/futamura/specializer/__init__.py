"""Specialization: values, states, the abstract interpreter, residual code."""
