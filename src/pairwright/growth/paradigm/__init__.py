"""Seed -> Candidate: a pair in other word orders and in subordinate clauses, tied to its seed as a paradigm."""
