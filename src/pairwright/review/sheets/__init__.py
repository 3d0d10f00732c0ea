"""Reviewers' sheets, written and read back from whatever a spreadsheet program made of them."""
