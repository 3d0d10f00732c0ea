"""Reads the pages of books, from their text layer or by their picture, and cuts them into pieces."""
