"""Back ends: IR to structured Python source."""
