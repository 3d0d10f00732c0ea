"""Who is asked about what, and in which order."""
