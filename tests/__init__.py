"""The tests.  A package, so that tests share modules as `from tests.golden import ...`."""
