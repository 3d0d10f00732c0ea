"""Block -> Rule: grammar points, each with the words that state it and the source's own examples."""

from pairwright.core.records import Block, Rejection, Stage
from pairwright.core.text import squeeze

# In the reason of a Rejection, before the pair that a doubtful form would make: `GOOD | BAD`.
AS_A_PAIR = "; as a pair: "
# In a note of a rule, before the contrast that a language model proposed and that licenses no pair.
PROPOSED = "proposed as a pair: "
STAGE = Stage(name="rules", version=50)

# What models write in a field that they should leave empty.
_NOTHING = frozenset({"none", "null", "no", "nothing", "empty", "n/a", "-", "–", "—"})


def said(field: str | None) -> str:
    """What a model says in a field that it may leave empty; "" for nothing."""
    text = squeeze(field or "")
    return "" if text.casefold().strip(".() ") in _NOTHING else text


def rejection(block: Block, reason: str, text: str, line: int | None = None) -> Rejection:
    """A text that could not be made a rule, with the reason. Pass `line` where it is not the block's first line."""
    return block.rejection(STAGE.name, reason, text, line)
