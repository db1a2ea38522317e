"""Interpreters, emulators, validators and templates in the styles that people write them in: subjects of a test."""
