"""Scores of models as the report reads them."""
