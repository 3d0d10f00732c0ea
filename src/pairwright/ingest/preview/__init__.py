"""What was read, shown to people beside the pages."""
