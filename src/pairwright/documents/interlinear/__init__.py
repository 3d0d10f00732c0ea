"""Finds and structures numbered and glossed examples."""
