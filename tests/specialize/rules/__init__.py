"""For each soundness rule the program that breaks a specializer without it."""
