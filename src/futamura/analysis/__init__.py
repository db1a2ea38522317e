"""Analyses of one sealed function: control flow, dominators, loops, liveness.  A result never outlives its function."""
