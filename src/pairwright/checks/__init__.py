"""Candidate -> CheckedPair: findings with stable names; a pair with an error is rejected and kept with its reason."""

from pairwright.records import Stage

OPINIONS = Stage(name="opinions", version=1)
STAGE = Stage(name="checked", version=3)
