"""Tests of the flow-graph and the functional language."""
