"""What the judge's prompts ask for. Their fields stand in the order in which a model should think of them."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

_Score = Annotated[int, Field(ge=0, le=10)]


class PairJudgement(BaseModel):
    """What a model says of one pair; `id` is its number in the request."""

    id: str
    change: str
    only_change: bool
    a_grammatical: bool
    b_grammatical: bool
    breaks_rule: Literal["A", "B", "both", "neither"]
    instance: bool
    reading: str
    reading_natural: bool
    score: _Score
    reason: str


class PairJudgements(BaseModel):
    """The answer to `judge_pair`."""

    language_known: bool
    judgements: list[PairJudgement]


class TranslationJudgement(BaseModel):
    """What a model says of one translation; `id` is its number in the request."""

    id: str
    fault: str
    score: _Score


class TranslationJudgements(BaseModel):
    """The answer to `judge_translation`."""

    language_known: bool
    judgements: list[TranslationJudgement]
