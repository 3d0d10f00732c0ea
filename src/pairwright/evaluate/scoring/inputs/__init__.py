"""Sentences as token ids, and log-probabilities of tokens as scores of sentences and words."""
