"""Candidate -> CheckedPair: findings with stable names; a pair with an error is rejected and kept with its reason."""

from pairwright.core.records import Stage

LLM_JUDGMENTS = Stage(name="llm_judgments", version=12)
STAGE = Stage(name="checked", version=18)
