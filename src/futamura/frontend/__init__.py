"""The front end: from a Python function object to the IR."""
