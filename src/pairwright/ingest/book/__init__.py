"""A grammar book, page by page: which reader each page needs, and many pages at once."""
