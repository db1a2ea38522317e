"""Hostile programs, by kind.  Each must end soon, in little memory, with the right answer or a diagnostic.

    loops, recursion, keys, data, objects, callables     each a plain module with a table `CASES`

Invariant: nothing here imports futamura, and every case is rebuilt from its factory before each use.
"""
