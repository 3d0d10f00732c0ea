"""Rule -> Candidate: minimal pairs from the source's examples, a language model and reviewers' corrections."""

from pairwright.records import Stage

LLM_PAIRS = Stage(name="llm_pairs", version=3)
STAGE = Stage(name="candidates", version=4)
