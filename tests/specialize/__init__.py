"""Tests of the specializer: subjects, the seeds' examples, small trials, bad input, soundness rules."""
