"""Questions with options, made from a release: such as which of two sentences is acceptable."""
