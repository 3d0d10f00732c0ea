"""From the starred examples of grammar books to minimal pairs and rules, without a language model."""
