"""Commands that measure and check the evaluator from outside.  Each runs as `python -m tools.NAME --help`."""
