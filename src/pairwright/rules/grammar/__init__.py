"""Grammar books to rules, with a language model whose words are held against the book."""
