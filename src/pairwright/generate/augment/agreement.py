"""Which words follow a noun when another one takes its place, and which nouns must keep their gender."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pairwright.generate.augment.places import Place
from pairwright.languages import Language
from pairwright.languages.features import Features, parse_features
from pairwright.languages.linguistics.concord import IMPOSED, NOUNS, concord, may_modify
from pairwright.languages.linguistics.forms import Token, words_at
from pairwright.records import Tree
from pairwright.records import Word as TreeWord


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
