"""Reviewers' answers."""

from typing import Annotated, Literal

from pydantic import Field

from pairwright.core.config import Method
from pairwright.core.errors import counted
from pairwright.core.records.documents import Record
from pairwright.core.records.pairs import Side

DecisionWord = Literal["approve", "fix", "reject", "unsure"]
Via = Literal["sheet", "file", "page"]
QueueKind = Literal["pairs", "choice", "likert"]
ItemRole = Literal["item", "catch", "filler"]
LotOutcome = Literal["open", "complete", "passes", "fails"]
"""open: wait for answers; complete: every pair is reviewed; passes: those that nobody saw may be released, too."""


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


class Lot(Record):
    """The pairs that one method derived for a rule, and the random sample of them that people are asked about.

    rule_code  with the number of the other rules, as `4.1.2 +3`
    pooled     the ids of other rules of its phenomenon whose pairs are in it, since each has few
    size       pairs that passed the checks and whose seeds stand
    sample     the ids of the sample, in the order in which they were drawn; all of the lot where it is small
    n_errors   pairs of the sample that people reject or correct
    n_open     pairs of the sample that are not decided yet
    bound      the upper limit of the share of wrong pairs in the lot, 0-1; None until the sample is decided
    extension  by how many pairs, none of them wrong, the sample is too small for its errors
    """

    rule_id: str
    rule_code: str
    method: Method
    pooled: tuple[str, ...] = ()
    size: Annotated[int, Field(ge=1)]
    sample: tuple[str, ...]
    n_errors: int
    n_open: int
    bound: float | None
    extension: int

    @property
    def keys(self) -> tuple[tuple[str, Method], ...]:
        """The rules and the method of its pairs."""
        return tuple((rule_id, self.method) for rule_id in (self.rule_id, *self.pooled))

    @property
    def outcome(self) -> LotOutcome:
        """What the answers so far come to."""
        if self.extension:
            return "fails"
        if self.n_open:
            return "open"
        return "complete" if len(self.sample) == self.size else "passes"

    @property
    def state(self) -> str:
        """The outcome in words, with what the lot needs."""
        if self.outcome == "open":
            whole = f"{counted(self.size, 'pair')} can be released if none is wrong"
            return f"review {counted(self.n_open, 'more pair')}; then {whole}"
        if self.outcome == "fails":
            errors = f"{counted(self.n_errors, 'error')} in the sample: only approved pairs are released"
            return f"{errors}; or allow them (allowed_errors = {self.n_errors}) and review {self.extension:,} more"
        return "reviewed pair by pair" if self.outcome == "complete" else "passes"
