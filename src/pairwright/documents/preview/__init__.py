"""Shows people the blocks beside the pages that they were read from."""
