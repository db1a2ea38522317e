"""Tests of the IR: forms, verifier, interpreter, operators, continuations."""
