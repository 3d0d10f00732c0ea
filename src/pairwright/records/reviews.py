"""Reviewers' answers."""

from typing import Annotated, Literal

from pydantic import Field

from pairwright.records.base import Record
from pairwright.records.pairs import Side

DecisionWord = Literal["approve", "fix", "reject", "unsure"]
Via = Literal["sheet", "file", "page"]
QueueKind = Literal["pairs", "choice", "likert"]
ItemRole = Literal["item", "catch", "filler"]


class Decision(Record):
    """What one reviewer decided on one pair. `good` and `bad` are the corrected sentences of a fix, else None."""

    pair_id: str
    reviewer: str
    decision: DecisionWord | None  # None for a comment alone, and for the withdrawal of an earlier decision
    good: str | None = None
    bad: str | None = None
    comment: str = ""
    at: str
    seconds: Annotated[float, Field(ge=0)] | None = None  # how long the reviewer looked at the pair, if known
    via: Via = "sheet"  # the reviewer's own sheet, a file that was sent, or the review page


class Judgement(Record):
    """One reviewer's answer to one item of a blind experiment.

    rating   in a rating: 1 (unacceptable) to 7; a judgement with neither `prefers` nor `rating` is a comment alone, or
             the withdrawal of an earlier answer
    """

    item_id: str  # the reviewer's own item; its assignment says which sentences it shows, and in which order
    pair_id: str | None  # the pair that the item was made from; None for a filler
    reviewer: str
    role: ItemRole = "item"
    prefers: Side | None = None  # in a forced choice: the member of the pair that was chosen
    side: Side | None = None  # in a rating: the member that was shown; None for a filler of unknown acceptability
    rating: Annotated[int, Field(ge=1, le=7)] | None = None
    comment: str = ""
    at: str
    seconds: Annotated[float, Field(ge=0)] | None = None
    via: Via = "sheet"
