"""What reviewers answer."""

from typing import Annotated, Literal

from pydantic import Field

from pairwright.records.base import Record
from pairwright.records.pairs import Side

DecisionWord = Literal["approve", "fix", "reject", "unsure"]
Via = Literal["sheet", "file", "page"]
QueueKind = Literal["pairs", "choice", "likert"]
Role = Literal["item", "catch", "filler"]


class Decision(Record):
    """What one reviewer decided on one pair. `good` and `bad` are the corrected sentences of a fix, else None.

    decision  None where a comment alone was written, or where the decision before was taken back
    seconds   how long the reviewer had the pair before them, where that is known
    via       the way by which it came: the reviewer's own sheet, a file that was sent, or the review page
    """

    pair_id: str
    reviewer: str
    decision: DecisionWord | None
    good: str | None = None
    bad: str | None = None
    comment: str = ""
    at: str
    seconds: Annotated[float, Field(ge=0)] | None = None
    via: Via = "sheet"


class Judgement(Record):
    """What one reviewer answered to one item of a blind experiment.

    item_id  of the reviewer's own item: which sentences it showed, and where, stands in its assignment
    pair_id  the pair that it was made from; None for a filler
    prefers  in a forced choice: the member of the pair that was chosen
    side     in a rating: the member that was shown; None for a filler of unknown acceptability
    rating   in a rating: 1 (unacceptable) to 7; a judgement without `prefers` and `rating` is a comment alone, or one
             that was taken back
    """

    item_id: str
    pair_id: str | None
    reviewer: str
    role: Role = "item"
    prefers: Side | None = None
    side: Side | None = None
    rating: Annotated[int, Field(ge=1, le=7)] | None = None
    comment: str = ""
    at: str
    seconds: Annotated[float, Field(ge=0)] | None = None
    via: Via = "sheet"
