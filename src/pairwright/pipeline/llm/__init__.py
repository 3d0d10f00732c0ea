"""The steps' sessions with a language model, and what they would cost."""
