"""The typed data of a page, whatever read it, and the rows that its words make."""
