"""Numbered and glossed examples: where they stand on a page, and what their lines are."""
