"""Minimal pairs from the sentences of treebanks: a word that a contrast names is exchanged for another of its forms."""
