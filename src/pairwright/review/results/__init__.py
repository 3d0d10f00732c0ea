"""How far a queue is, and how well its reviewers agree."""
