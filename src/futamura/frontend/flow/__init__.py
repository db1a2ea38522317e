"""The flow-graph language: labelled blocks, assignments and jumps, in three spellings; see `docs/flow.md`."""
