"""Rule -> Candidate: proposed minimal pairs from the source's own examples and from reviewers' corrections."""

from pairwright.records import Stage

STAGE = Stage(name="candidates", version=1)
