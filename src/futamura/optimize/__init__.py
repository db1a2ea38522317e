"""Passes over functions of the IR: each maps a function to one that does the same."""
