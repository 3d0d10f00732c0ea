"""Prompts as files with versions, and what they say of a rule."""
