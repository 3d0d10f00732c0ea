"""Rule -> Candidate: minimal pairs from the source's examples, a language model and reviewers' corrections."""

from pairwright.records import Stage

WRITTEN = Stage(name="written", version=1)
STAGE = Stage(name="candidates", version=2)
