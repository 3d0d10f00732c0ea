"""Words and sentences ranked by a causal model."""
