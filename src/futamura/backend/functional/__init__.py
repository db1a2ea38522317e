"""Printing programs of the IR as programs of the functional language."""
