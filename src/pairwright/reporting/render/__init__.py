"""The numbers of a report as a page, figures and tables."""
