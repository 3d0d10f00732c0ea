"""growth."""
