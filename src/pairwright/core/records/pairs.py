"""Minimal pairs, from a proposal through the checks, and how those that programs derived came about."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pairwright.core.config import Method
from pairwright.core.records.documents import Record, Rejection
from pairwright.core.records.rules import Change, Evidence, LLMCall

Level = Literal["error", "warning", "info"]
Verdict = Literal["pass", "reject"]
Side = Literal["good", "bad"]
JudgeVerdict = Literal["pass", "doubt", "reject"]
"""pass: nothing that the judge says speaks against the pair; doubt: its two looks disagree, or it can't judge."""
Letter = Literal["A", "B"]
Broken = Literal["A", "B", "both", "neither"]
DecidedBy = Literal["language", "book", "nothing"]
Grade = Annotated[int, Field(ge=0, le=10)]


BASELINE = "baseline"
"""The condition of a pair that no order and no clause of a paradigm changed."""


class TreebankChange(Record):
    """A sentence of a treebank in which one word was exchanged for another form of its lemma, or moved.

    contrast       the name of the contrast, see `pairwright.contrasts`
    good_features  the bundle of the word in the treebank's sentence, as CoNLL-U writes it; `bad_features` after it
    lexicon        the file that has the form; empty where it only changed places with another word
    agreement      the contrast is one of agreement, which the change breaks
    """

    method: Literal["treebank"] = "treebank"
    sent_id: str
    contrast: str
    word: int  # the changed word's number in its tree
    lemma: str
    good_features: str
    bad_features: str
    lexicon: str
    agreement: bool = False


class Corruption(Record):
    """A sentence of a treebank that lost a word, or in which two neighbouring words changed places (ScaLA)."""

    method: Literal["corruption"] = "corruption"
    sent_id: str
    kind: Literal["delete", "flip_neighbours"]
    words: tuple[int, ...]  # the numbers of the words in their tree


class Replacement(Record):
    """A word of a seed and what stands in its place. The offsets are those of the seed's sentences, in characters."""

    seed: str
    new: str
    lemma: str  # of the new word
    good_at: int
    bad_at: int
    agrees: bool = False  # it only follows another replacement, as an adjective its noun


class Augmentation(Record):
    """A pair made of an approved one, its seed, with other words in places that both of its sentences share.

    method  lexicon: lemmas of a slot lexicon, ranked by a causal model; masked-lm: of a masked model; cloze: of a chat
            model
    model     which one
    rank      of the replacement among the proposals for its slot, from 1; with several slots, the worst
    proposed  whether it was made to be put before reviewers one by one, and not as one of many
    """

    method: Literal["lexicon", "masked-lm", "cloze"]
    seed_id: str
    replacements: Annotated[tuple[Replacement, ...], Field(min_length=1)]
    model: str
    rank: Annotated[int, Field(ge=1)]
    proposed: bool = False


class ParadigmVariant(Record):
    """A variant of a seed under a condition, such as the order `OVS`; the variants of one seed share `paradigm_id`.

    paradigm_id     the id of the paradigm's baseline, which is the seed
    seed_condition  the condition that the seed itself stands in: an order, or `baseline`
    """

    method: Literal["paradigm"] = "paradigm"
    seed_id: str
    paradigm_id: str
    condition: str
    seed_condition: str = BASELINE


DERIVED_METHODS = frozenset({"treebank", "corruption", "lexicon", "masked-lm", "cloze", "paradigm"})
Derivation = Annotated[TreebankChange | Corruption | Augmentation | ParadigmVariant, Field(discriminator="method")]


class Candidate(Record):
    """A proposed minimal pair: `good` is acceptable, `bad` is not. The id comes from the rule and the two sentences.

    A pair with a `derivation` has the method that this names.
    """

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
    uncertain: bool = False  # the source's reader guessed which words its correction replaces
    exception: bool = False
    phrase: bool = False  # the two are phrases or forms, and no sentences
    entry: str | None = None
    note: str | None = None
    evidence: Evidence
    reserve: bool = False  # a language model gave more pairs than wanted: it waits until others are refused
    asked: tuple[LLMCall, ...] = ()  # the calls of language models that proposed it; the last one wrote the sentences
    derivation: Derivation | None = None  # None for pairs of a source, a language model or a person
    kept: bool = False  # no stage makes it any more: it stays as people decided on it, and is no part of a sample

    @model_validator(mode="after")
    def _has_method(self) -> Self:
        if self.derivation and self.derivation.method != self.method:
            raise ValueError(f"method: {self.method!r}, but the derivation is of a {self.derivation.method!r} pair")
        return self

    def rejection(self, stage: str, reason: str, text: str) -> Rejection:
        """What a stage can't use of the pair, with the pair's place in its source."""
        place = self.evidence.model_dump(include={"file", "page", "line"})
        return Rejection(stage=stage, source_id=self.source_id, reason=reason, text=text, **place)


class LLMJudgment(Record):
    """What a language model says of a pair, whose sentences it saw in an order that the pair's id decides.

    A rejection is one of two looks, the second with the sentences in the other order, that name the same sentence.
    Where neither what the model knows of the language nor what it is shown decides, people do.
    """

    pair_id: str
    good_shown_as: Letter  # the letter under which it first saw the good sentence
    decided_by: DecidedBy = "language"  # what the model knows, or what the source shows
    exchanged: bool = False  # it took the bad sentence for the good one
    instance: bool = False  # the rule decides something in the sentences
    good_grammatical: bool = False  # nothing is wrong with the good sentence
    bad_breaks_rule: bool = False  # the bad sentence is ungrammatical, and for this very reason
    only_change: bool = False  # nothing else tells the two apart
    change: str = ""  # what does, in its words
    reading: str = ""  # the most natural reading in which the sentence that it calls wrong would be right
    reading_natural: bool = False  # a speaker would come upon that reading unprompted
    score: Grade = 0  # how good a minimal pair of the rule it is
    named: tuple[Broken, ...] = ()  # which sentence breaks the rule, by its letter in the first and in the second look
    verdict: JudgeVerdict
    held: bool = False  # accepted with a reading, while it accepts a better pair of the rule
    audited: bool = False  # rejected or held, and people are asked about it all the same, to count false rejections
    reason: str
    basis: str = ""  # a digest of the rule as it was shown, the prompts and what decides answers of the model
    asked: LLMCall
    asked_again: LLMCall | None = None  # in the other order


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
