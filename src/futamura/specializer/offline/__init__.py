"""The offline specializer: it obeys a division, and decides nothing itself."""
