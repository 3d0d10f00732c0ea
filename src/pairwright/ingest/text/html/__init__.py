"""HTML and XHTML documents."""
