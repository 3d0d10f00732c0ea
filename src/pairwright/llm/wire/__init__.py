"""HTTP exchanges with servers of language models: what comes in is bounded, untrusted and free of keys."""
