"""What makes scoring fast on a processor."""
