"""From the prose and the tables of grammar books to rules, by a language model whose answers the book verifies."""
