"""Which words were seen beside which, counted from trees and from plain text: what may stand in a place."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from pairwright.core.records import Tree, Word
from pairwright.core.text import TOKEN
from pairwright.growth.augment.seeds import CONTENT, Seed
from pairwright.languages.features import parse_features
from pairwright.languages.morphology.inflection import Inflector

Place = tuple[str, str, str]
"""A part of speech, how it stands to a neighbour, and the neighbour's lemma."""


class _Spoken(NamedTuple):
    """A word or mark of a text; `lemma` is "" unless it is surely a content word, `case` "" where it has none."""

    form: str
    at: int
    lemma: str = ""
    upos: str = ""
    case: str = ""


class Neighbours:
    """The lemmas that were seen in each place.

    Neighbours of a word are its head and its dependents in a tree, and the content words before and after it, with at
    most one other word between them. A place has the word's own case, and the adposition that a tree gives it.
    """

    def __init__(self, trees: Iterable[Tree], texts: Iterable[str], inflector: Inflector) -> None:
        self._seen: dict[Place, set[str]] = defaultdict(set)
        self._inflector = inflector
        for tree in trees:
            self._count((word.lemma, place) for word, place, _ in _linked(tree))
            self._count((token.lemma, place) for token, place, _ in _adjacent(list(_of_tree(tree))))
        for text in texts:
            self._count((token.lemma, place) for token, place, _ in _adjacent(list(self._read(text))))

    def fitting(self, seed: Seed, number: int, tree: Tree | None) -> Set[str] | None:
        """The lemmas that were seen with all neighbours of a word of a seed.

        None where nothing is known of one of its neighbours, or it has none.
        """
        word = seed.places[number]
        places = dict[int, list[Place]]()
        if tree and word.node:
            for linked, place, neighbour in _linked(tree):
                if linked.id == word.node.id:
                    places.setdefault(neighbour.start, []).append(place)
        for spoken, place, near in _adjacent(list(_of_tree(tree) if tree else self._read(seed.pair.good))):
            if spoken.at == word.good.at and (not tree or near.at in places):
                places.setdefault(near.at, []).append(place)
        seen = [{lemma for place in several for lemma in self._seen.get(place, ())} for several in places.values()]
        return set.intersection(*seen) if seen and all(seen) else None

    def _count(self, found: Iterable[tuple[str, Place]]) -> None:
        for lemma, place in found:
            self._seen[place].add(lemma)

    def _read(self, text: str) -> Iterator[_Spoken]:
        for match in TOKEN.finditer(text):
            readings = self._inflector.analyses(match[0])
            lexemes = {(reading.lemma, reading.upos or "") for reading in readings}
            cases = {dict(reading.features).get("Case", "") for reading in readings}
            known = len(lexemes) == 1 and min(lexemes)[1] in CONTENT
            lexeme = (*min(lexemes), min(cases) if len(cases) == 1 else "?") if known else ()
            yield _Spoken(match[0].casefold(), match.start(), *lexeme)


def _of_tree(tree: Tree) -> Iterator[_Spoken]:
    for word in tree.words:
        known = (word.lemma, word.upos, _case(word)) if word.upos in CONTENT else ()
        yield _Spoken(word.form.casefold(), word.start, *known)


def _case(word: Word) -> str:
    return dict(parse_features(word.feats)).get("Case", "")


def _linked(tree: Tree) -> Iterator[tuple[Word, Place, Word]]:
    """The content words of a tree that depend on content words, and these, each with its place and its neighbour."""
    words: Mapping[int, Word] = {word.id: word for word in tree.words if word.upos in CONTENT}
    adpositions = {word.head: word.lemma for word in tree.words if word.deprel.startswith("case")}
    for word in words.values():
        if head := words.get(word.head):
            case = _case(word) if word.upos in ("NOUN", "PROPN") else ""
            relation = f"{word.deprel.partition(':')[0]} {adpositions.get(word.id, '')} {case}"
            yield word, (word.upos, f"of {relation}", head.lemma), head
            yield head, (head.upos, f"with {relation}", word.lemma), word


def _adjacent(tokens: Sequence[_Spoken]) -> Iterator[tuple[_Spoken, Place, _Spoken]]:
    """Content words with each content word next to them, or behind one other word."""
    for number, token in enumerate(tokens):
        for side, step in (("after", -1), ("before", 1)):
            near = [tokens[at] for at in (number + step, number + 2 * step) if 0 <= at < len(tokens)]
            neighbour = next((other for other in near if other.lemma), None)
            if token.lemma and neighbour:
                between = near[0].form if neighbour is not near[0] else ""
                yield token, (token.upos, f"{side} {between} {token.case}", neighbour.lemma), neighbour
