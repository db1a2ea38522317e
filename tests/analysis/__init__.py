"""Tests of the analyses against their definitions."""
