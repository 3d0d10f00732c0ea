"""Models at work on a release: scored, asked, trained to solve."""
