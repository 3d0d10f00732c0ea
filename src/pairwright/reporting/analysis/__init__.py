"""What a report says, as numbers."""
