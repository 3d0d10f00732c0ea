"""`pairwright review` and its commands."""
