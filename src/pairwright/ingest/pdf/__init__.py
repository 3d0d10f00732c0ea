"""PDF files by PyMuPDF: text layers and pictures of pages."""
