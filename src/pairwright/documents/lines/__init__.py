"""Typed page data, and the rows that its words make."""
