"""What pairwright does besides its own way from a source to a report. Only `pairwright.cli` imports it."""
