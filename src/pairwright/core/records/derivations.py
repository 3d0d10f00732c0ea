"""How pairs that no document holds and no person wrote came about."""

from typing import Annotated, Literal

from pydantic import Field

from pairwright.core.records.base import Record

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
