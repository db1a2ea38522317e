"""The command line: `futamura specialize`, `explain`, `check` ...  `main.py` is the entry, one file a group behind it.

    $ futamura roundtrip examples/sieve.py:sieve        prints the emitted source

Invariant: this folder only finds targets, calls `futamura.driver`, and prints; it decides nothing about programs.
"""
