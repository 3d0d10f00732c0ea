"""Pages read by their picture."""
