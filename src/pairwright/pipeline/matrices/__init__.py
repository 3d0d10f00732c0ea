"""Matrices: problems made, words proposed."""
