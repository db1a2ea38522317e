"""Ordinary programs to be specialized: each module has the programs first and the table `SUBJECTS` last."""
