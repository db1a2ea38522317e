"""Faults planted in the specializer, to see that the tests and the fuzzer find them."""
