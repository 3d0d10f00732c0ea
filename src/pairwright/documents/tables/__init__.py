"""Finds tables, ruled or not, with their cells, merged cells, heads of several rows and notes."""
