"""Blackbird Language Matrices: problems whose sentences follow a hidden pattern, made from templates and lexicons."""
