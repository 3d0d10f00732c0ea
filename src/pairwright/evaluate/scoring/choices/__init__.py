"""Options compared by the log-probabilities that a causal model gives them after a prompt."""
