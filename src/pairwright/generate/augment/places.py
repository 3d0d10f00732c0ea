"""The words that both sentences of a seed have: where they stand, and as which forms of which lemma they are read."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from pairwright.languages.features import Features, parse_features
from pairwright.languages.linguistics.forms import Token, one_lexeme, words_at
from pairwright.morphology import Analysis
from pairwright.morphology.inflection import Inflector
from pairwright.records import Candidate, Tree, TreebankChange
from pairwright.records import Word as TreeWord

Bundles = tuple[Features, Features]
"""The feature bundle of a word in the good and in the bad sentence."""


@dataclass(frozen=True)
class Place:
    """A word of both sentences, the same in both or two forms of one lexeme.

    readings  all that the good form can be, for agreement; one with a tree
    lemma     "" where the readings don't tell lemma and part of speech, or no lexicon has the word
    bundles   how it can be read; a word in its stead must have one form for all of them
    node      its word in the tree
    """

    good: Token
    bad: Token
    readings: tuple[Analysis, ...]
    lemma: str = ""
    upos: str = ""
    bundles: tuple[Bundles, ...] = ()
    node: TreeWord | None = None

    @property
    def changed(self) -> bool:
        return self.good.text.casefold() != self.bad.text.casefold()


class MisalignedError(Exception):
    """The sentences of a seed have no words in common, or words of theirs moved."""


def places_of(seed: Candidate, inflector: Inflector, tree: Tree | None = None) -> tuple[Place, ...]:
    """The words of a seed in the order of the good sentence. Raises MisalignedError.

    tree  of the good sentence; without it the words are read by the lexicons alone
    """
    good, bad = words_at(seed.good), words_at(seed.bad)
    nodes = {word.start: word for word in tree.words if len(word.form) == word.end - word.start} if tree else {}
    pairs = _aligned(good, bad, inflector)
    if not pairs:
        raise MisalignedError("the two sentences have no word in common")
    change = seed.derivation if isinstance(seed.derivation, TreebankChange) else None
    return tuple(_place(left, right, inflector, nodes.get(left.at), change) for left, right in pairs)


def _aligned(good: Sequence[Token], bad: Sequence[Token], inflector: Inflector) -> list[tuple[Token, Token]]:
    """Equal words in the same order, and in the stretches between them forms of one lexeme, each with the next one."""
    left, right = ([token.text.casefold() for token in tokens] for tokens in (good, bad))
    pairs: list[tuple[Token, Token]] = []
    lost: list[set[str]] = [set(), set()]
    for tag, g0, g1, b0, b1 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            pairs += zip(good[g0:g1], bad[b0:b1], strict=True)
            continue
        rest = list(bad[b0:b1])
        for token in good[g0:g1]:
            match = next(
                (other for other in rest if one_lexeme(inflector.analyses(token.text), inflector.analyses(other.text))),
                None,
            )
            if match is None:
                lost[0].add(token.text.casefold())
            else:
                lost[1].update(other.text.casefold() for other in rest[: rest.index(match)])
                del rest[: rest.index(match) + 1]
                pairs.append((token, match))
        lost[1].update(other.text.casefold() for other in rest)
    if moved := lost[0] & lost[1]:
        raise MisalignedError(f"'{min(moved)}' stands elsewhere in the bad sentence")
    return pairs


def _shared_readings(good: Sequence[Analysis], bad: Sequence[Analysis]) -> list[tuple[Analysis, Analysis]]:
    """The readings of two forms as one lexeme, those that differ least, of the first lexicon that has them."""
    both = one_lexeme(good, bad)
    both = tuple(pair for pair in both if pair[0].source == both[0][0].source)
    least = min((len(left.features ^ right.features) for left, right in both), default=0)
    return [(left, right) for left, right in both if len(left.features ^ right.features) == least]


def _place(
    good: Token, bad: Token, inflector: Inflector, node: TreeWord | None, change: TreebankChange | None
) -> Place:
    if node is not None:
        features = parse_features(node.feats)
        other = parse_features(change.bad_features) if change and change.word == node.id else features
        reading = Analysis(node.lemma, node.upos, features, "treebank", node.feats)
        if good.text.casefold() != bad.text.casefold() and other == features:
            return Place(good, bad, (reading,), node=node)
        return Place(good, bad, (reading,), node.lemma, node.upos, ((features, other),), node)
    readings = inflector.analyses(good.text)
    both = _shared_readings(readings, inflector.analyses(bad.text))
    lexemes = {(left.lemma, left.upos) for left, _ in both}
    # A word that is also a form of another one, such as of a verb, may be that one here.
    others = (
        {(reading.lemma, reading.upos) for reading in readings if reading.source == both[0][0].source} if both else ()
    )
    if len(lexemes) != 1 or len(set(others)) != 1:
        return Place(good, bad, readings)
    ((lemma, upos),) = lexemes
    bundles = tuple(dict.fromkeys((left.features, right.features) for left, right in both))
    return Place(good, bad, readings, lemma, upos or "", bundles)
