"""What builtins, methods, operators and library functions do to values that are known in part."""
