"""Tests of the passes over residual programs."""
