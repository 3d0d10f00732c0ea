"""Pairs that a language model writes for rules."""
