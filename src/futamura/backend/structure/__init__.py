"""From a control-flow graph with protected extents to nested Python statements."""
