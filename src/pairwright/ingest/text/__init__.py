"""Documents without pages of their own: Markdown, HTML, plain text, DOCX and EPUB."""
