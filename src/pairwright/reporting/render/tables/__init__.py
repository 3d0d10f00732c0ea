"""The tables of a report: how they are built and written, and each table."""
