"""The first-order functional language: functions, `if`, `let`, lists; see `docs/functional.md`."""
