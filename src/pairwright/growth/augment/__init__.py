"""Approved pairs -> Candidate: other words in the places that both sentences of a seed share."""
