"""Tests of the structurer: shapes, a small renderer, a fuzzer."""
