"""Prompts as files with versions, and how they describe a rule."""
