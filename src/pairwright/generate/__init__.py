"""Rule -> Candidate: proposed minimal pairs: the source's own, a language model's, reviewers' corrections."""

from pairwright.records import Stage

STAGE = Stage(name="candidates", version=1)
