"""Token sequences through a model and out as log-probabilities of tokens."""
