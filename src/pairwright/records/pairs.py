"""Minimal pairs, from a proposal through the checks."""

from typing import Annotated, Literal

from pydantic import Field

from pairwright.records.base import Record
from pairwright.records.rules import Change, Evidence, LLMCall

Method = Literal["source", "llm", "masked-lm", "treebank", "paradigm", "manual"]
Level = Literal["error", "warning", "info"]
Verdict = Literal["pass", "reject"]
Side = Literal["good", "bad"]


class Candidate(Record):
    """A proposed minimal pair: `good` is acceptable, `bad` is not. The id comes from the rule and the two sentences."""

    id: str
    rule_id: str
    source_id: str
    good: str
    bad: str
    changes: tuple[Change, ...]
    method: Method
    alternatives: tuple[str, ...] = ()
    parent_id: str | None = None  # the pair that it was derived from: the default of its bracket, or a corrected one
    translation: str | None = None
    segmentation: str | None = None  # of the attested sentence behind the good one, as its gloss
    gloss: str | None = None
    attested_ids: tuple[str, ...] = ()  # the source's examples that the good sentence is, or was made from
    new_words: tuple[str, ...] = ()  # words of a grounded pair that no example of the source attests
    features: tuple[str, ...] = ()  # the feature bundles that the contrast rests on, such as "good: Case=Gen"
    exception: bool = False
    entry: str | None = None
    note: str | None = None
    evidence: Evidence
    reserve: bool = False  # a language model gave more pairs than wanted: it waits until others are refused
    asked: tuple[LLMCall, ...] = ()  # the calls of language models that proposed it; the last one wrote the sentences


class LLMJudgment(Record):
    """What a language model says of a pair, whose sentences it saw in random order. Scores are 0-10."""

    pair_id: str
    good_shown_as: Literal["A", "B"]  # the letter under which it saw the good sentence
    exchanged: bool  # it took the bad sentence for the good one
    instance: bool  # the good sentence is an instance of the rule
    good_grammatical: bool  # nothing is wrong with the good sentence
    bad_breaks_rule: bool  # the bad sentence is ungrammatical, and for this very reason
    score: Annotated[int, Field(ge=0, le=10)]  # how good a minimal pair of the rule it is
    translation_score: Annotated[int, Field(ge=0, le=10)] | None = None  # None for a pair without translation
    verdict: Verdict  # pass if it accepts the pair and says nothing above against it
    reason: str
    asked: LLMCall


class Finding(Record):
    """What a check says of a pair. `check` is a stable name; `span` is (start, end) in characters of the `side`."""

    check: str
    level: Level
    message: str
    side: Side | None = None
    span: tuple[int, int] | None = None


class CheckedPair(Record):
    """A candidate with its findings. A pair with an error is rejected and kept, with its reason."""

    candidate: Candidate
    findings: tuple[Finding, ...]
    verdict: Verdict
