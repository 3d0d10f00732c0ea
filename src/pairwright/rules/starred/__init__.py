"""Starred examples of grammars to minimal pairs, without a language model."""
