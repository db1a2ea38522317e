"""From IR to Python source: folding, nesting, naming, printing."""
