"""Approved pairs become more: other words, other orders, and the lexicon that this takes."""
