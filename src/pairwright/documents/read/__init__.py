"""Reads grammar books page by page, many pages at once."""
