"""Typed page data to pieces in reading order: headings, tables, notes, running heads."""
