"""Source -> Block: documents become pieces with a place."""

from pairwright.records import Stage

STAGE = Stage(name="blocks", version=3)
