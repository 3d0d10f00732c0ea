"""Block -> Rule: grammar points with the words they rest on and the source's own examples."""

from pairwright.records import Stage

STAGE = Stage(name="rules", version=2)
