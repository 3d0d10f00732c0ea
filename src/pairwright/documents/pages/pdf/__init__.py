"""Reads PDF files with PyMuPDF: text layers and page images."""
