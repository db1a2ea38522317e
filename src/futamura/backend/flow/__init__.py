"""Printing functions of the IR as programs of the flow-graph language."""
