"""`python -m futamura` is the command `futamura`.

    $ python -m futamura ir examples/sieve.py:sieve

Invariant: nothing happens when this module is imported under another name.
"""

from __future__ import annotations

from futamura.cli.main import main

if __name__ == "__main__":
    main()
