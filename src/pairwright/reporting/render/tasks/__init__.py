"""Prompted tasks in the report: sentences, tables, plots."""
