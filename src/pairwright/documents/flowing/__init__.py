"""Reads documents without pages of their own: Markdown, HTML, plain text, CSV, DOCX and EPUB."""
