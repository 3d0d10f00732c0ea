"""Scores of models, checked against a release and made into score differences."""
