"""Candidate -> CheckedPair: findings with stable names; a pair with an error is rejected and kept with its reason."""

from pairwright.records import Stage

STAGE = Stage(name="checked", version=3)
