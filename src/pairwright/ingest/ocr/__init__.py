"""Reads page images."""
