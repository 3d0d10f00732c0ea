"""The words that both sentences of a seed have: where they stand, and as which forms of which lemma they are read."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pairwright.core.records import Candidate, Tree, TreebankChange
from pairwright.core.records import Word as TreeWord
from pairwright.languages import Language
from pairwright.languages.features import Features, parse_features
from pairwright.languages.linguistics.concord import IMPOSED, NOUNS, concord, may_modify
from pairwright.languages.linguistics.forms import Token, one_lexeme, words_at
from pairwright.languages.morphology import Analysis
from pairwright.languages.morphology.inflection import Inflector

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


class SeedAgreement(NamedTuple):
    """The agreement in a seed, by the numbers of its places.

    heads  the noun that each agreeing word follows
    held   nouns with which a word may agree of which that can't be told: only words of their gender take their place
    """

    heads: dict[int, int]
    held: frozenset[int]


def agreement_of(sentence: str, places: Sequence[Place], language: Language, tree: Tree | None) -> SeedAgreement:
    """By the tree where there is one; else words beside a noun agree with it that show so in two features or more."""
    nouns = {number: place for number, place in enumerate(places) if place.upos in NOUNS and imposed(place)}
    if tree is not None:
        return _by_tree(places, nouns, tree)
    heads, held = dict[int, int](), set[int]()
    for number, place in enumerate(places):
        agreeing = [noun for noun, head in nouns.items() if noun != number and _may_agree(place, head)]
        if len(agreeing) == 1 and _beside(sentence, places, number, agreeing[0]):
            heads[number] = agreeing[0]
        else:
            held.update(agreeing)
    if any(_is_unread(word, places, language) for word in words_at(sentence)):
        held.update(nouns)
    return SeedAgreement(heads, frozenset(held))


def imposed(place: Place) -> dict[str, str]:
    """The features that a noun gives to the words that agree with it; only those that all its readings share."""
    bundles = [dict(good) for good, _ in place.bundles]
    first = bundles[0] if bundles else {}
    return {name: first[name] for name in IMPOSED if name in first and all(b.get(name) == first[name] for b in bundles)}


def _may_agree(place: Place, head: Place) -> bool:
    return any(
        concord(reading.features, good)
        for reading in place.readings
        if may_modify(reading) and any(name in dict(reading.features) for name in IMPOSED)
        for good, _ in head.bundles
    )


def _beside(sentence: str, places: Sequence[Place], number: int, noun: int) -> bool:
    """Whether only white space and words that agree with a noun stand between a word and it."""
    first, last = sorted((number, noun))
    run = range(first, last)
    return all(sentence[places[i].good.end : places[i + 1].good.at].isspace() for i in run) and all(
        _may_agree(places[i], places[noun]) for i in range(first + 1, last)
    )


def _is_unread(word: Token, places: Sequence[Place], language: Language) -> bool:
    """Whether a word is none that is known never to agree, and no lexicon says how to read it."""
    text = word.text.casefold()
    if text in language.adpositions or text in language.function_words or text in language.negations:
        return False
    return not any(place.good == word and place.readings for place in places)


def _by_tree(places: Sequence[Place], nouns: dict[int, Place], tree: Tree) -> SeedAgreement:
    numbers = {place.node.id: number for number, place in enumerate(places) if place.node}
    heads, held = dict[int, int](), set[int]()
    for noun, place in nouns.items():
        assert place.node is not None
        following = {word.id for word in _following(place.node, tree)}
        for word in tree.words:
            features = dict(parse_features(word.feats))
            if word.id == place.node.id or not any(features.get(key) == value for key, value in imposed(place).items()):
                continue
            if word.id in following and word.id in numbers:
                heads[numbers[word.id]] = noun
            elif word.id in following or (word.upos in ("PRON", "DET") and _same_number(features, place)):
                held.add(noun)
    return SeedAgreement(heads, frozenset(held))


def _following(noun: TreeWord, tree: Tree) -> Iterator[TreeWord]:
    """The words that take over a noun's gender: attributes, predicate, the pronoun of its relative clause."""
    words = {word.id: word for word in tree.words}
    for word in tree.words:
        relation = word.deprel.split(":")[0]
        if word.head == noun.id and relation in ("amod", "det", "nummod", "acl", "advcl", "appos"):
            yield word
        if word.deprel == "acl:relcl" and word.head == noun.id:
            yield from (
                inner for inner in tree.words if inner.upos in ("PRON", "DET") and _is_below(inner, word, words)
            )
    if noun.deprel.startswith("nsubj") and noun.head in words:
        yield words[noun.head]
        yield from (
            word for word in tree.words if word.head == noun.head and word.deprel.split(":")[0] in ("aux", "cop")
        )


def _is_below(word: TreeWord, top: TreeWord, words: dict[int, TreeWord]) -> bool:
    seen: set[int] = set()
    while word.head in words and word.id not in seen:
        seen.add(word.id)
        word = words[word.head]
        if word.id == top.id:
            return True
    return False


def _same_number(features: dict[str, str], place: Place) -> bool:
    return all(features.get("Number") in (None, dict(good).get("Number")) for good, _ in place.bundles)


def of_head(place: Place, bundles: Iterable[Features]) -> Place:
    """An agreeing word with only those of its readings that agree with its noun's, which may tell what word it is."""
    nouns = tuple(bundles)
    fitting = tuple(both for both in place.bundles if any(concord(both[0], noun) for noun in nouns))
    if fitting or place.changed or place.lemma:
        return replace(place, bundles=fitting or place.bundles)
    readings = [
        reading
        for reading in place.readings
        if may_modify(reading) and any(concord(reading.features, noun) for noun in nouns)
    ]
    lexemes = {(reading.lemma, reading.upos) for reading in readings}
    if len(lexemes) != 1:
        return place
    ((lemma, upos),) = lexemes
    features = dict.fromkeys(reading.features for reading in readings)
    return replace(place, lemma=lemma, upos=upos or "", bundles=tuple((bundle, bundle) for bundle in features))
