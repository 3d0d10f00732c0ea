"""Prompted tasks and matrices in the report: sentences, tables, plots."""
