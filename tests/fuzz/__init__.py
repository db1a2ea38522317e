"""Random programs, and what must be equal about their runs."""
