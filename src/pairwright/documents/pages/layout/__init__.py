"""Cuts typed pages into pieces in reading order: headings, paragraphs, tables, notes."""
