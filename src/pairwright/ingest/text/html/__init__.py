"""Reads HTML and XHTML."""
