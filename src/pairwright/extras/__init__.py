"""What pairwright does besides its own way from a source to a report. Only `pairwright.plug` imports it."""
