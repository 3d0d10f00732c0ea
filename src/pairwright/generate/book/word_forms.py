"""The forms that a book has of the words of its sentences, by their glosses and in its tables."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pairwright.generate.book.paradigms import Cell, cells_with_heads
from pairwright.generate.book.sentences import Attested, Varieties, lemma_of
from pairwright.languages.features import NO_FEATURES, Demand, Features
from pairwright.languages.linguistics.morphemes import boundary_pattern, join_morphemes
from pairwright.languages.tagset import Tagset
from pairwright.records import Block
from pairwright.text import words

# A person stands before its number: `1SG`.
_LABEL = re.compile(r"[123](?=[A-Z])|[^\W_]+")
# How many other forms of a word and of a sentence are shown.
_OF_A_WORD, _OF_A_SENTENCE = 3, 6
# Forms of one word begin alike, and shorter stems recur by chance.
_SHORTEST_STEM = 3
LEAST_LETTERS = 4
"""Shorter words of the prose are endings, or words of two languages."""
# Shorter labels begin too many words.
_SHORTEST_LABEL = 3


class WordForm(NamedTuple):
    """A form with its gloss, or the heads of its cell in a table, the labels in these, and where it stands."""

    form: str
    gloss: str
    labels: frozenset[str]
    place: str


class WordForms:
    """An index of the forms of a book's words.

    sentences   with glosses
    tables      the tables of the book
    boundaries  the signs between morphemes
    tagset      the features of labels; one that it lacks counts for each feature whose value it begins with, as
                `INESS` and `SINGULAR` do for `Case=Ine` and `Number=Sing`
    varieties   tell the cells of other languages and dialects, by their heads
    """

    def __init__(
        self,
        sentences: Iterable[Attested],
        tables: Iterable[Block],
        boundaries: str,
        tagset: Tagset | None,
        varieties: Varieties,
    ) -> None:
        self._boundaries, self._tagset = boundaries, tagset
        self._meanings: dict[str, Features] = {}
        self._words: dict[str, list[tuple[str, str, frozenset[str]]]] = {}
        self._by_lemma: defaultdict[str, dict[tuple[str, str], WordForm]] = defaultdict(dict)
        self._stems: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._rows: defaultdict[str, dict[tuple[str, int], None]] = defaultdict(dict)
        self._cells: defaultdict[tuple[str, int], list[tuple[Cell, str]]] = defaultdict(list)
        for one in sentences:
            for form, cut, gloss in one.glossed_words(boundaries):
                lemma = lemma_of(gloss)
                listed = WordForm(form, gloss, _labels(gloss), one.place)
                self._by_lemma[lemma].setdefault((form.casefold(), gloss), listed)
                self._stems[lemma].update(dict.fromkeys([form.casefold(), *self._stem(cut, gloss)]))
        for table in tables:
            for cell in (cell for cell in cells_with_heads(table) if not varieties.names_other(cell.heads)):
                key = (table.id, cell.row)
                self._cells[key].append((cell, f"table, p. {table.page}"))
                for word in (join_morphemes(cell.text, boundaries).casefold(), *self._morphemes(cell.text)):
                    self._rows[word][key] = None
        self._glossed = {form for forms in self._by_lemma.values() for form, _ in forms}
        self._of_lemma: dict[str, list[WordForm]] = {}

    def named_by(self, word: str) -> str | None:
        """The form that a word of the prose is, or the longest one that it begins with and that has enough letters."""
        key = word.casefold()
        beginnings = (key[:end] for end in range(len(key), LEAST_LETTERS - 1, -1))
        return next((form for form in (key, *beginnings) if form in self._glossed), None)

    def others(self, form: str, gloss: str) -> list[WordForm]:
        """The other forms of a word, first those of examples, then those of tables."""
        key, labels = form.casefold(), _labels(gloss)
        return [it for it in self._all(lemma_of(gloss)) if it.form.casefold() != key and it.labels != labels]

    def _all(self, lemma: str) -> list[WordForm]:
        if lemma not in self._of_lemma:
            listed: dict[tuple[str, frozenset[str]], WordForm] = {}
            for form in (*self._by_lemma[lemma].values(), *self._of_tables(lemma)):
                listed.setdefault((form.form.casefold(), form.labels), form)
            self._of_lemma[lemma] = list(listed.values())
        return self._of_lemma[lemma]

    def with_features(self, one: Attested, features: Features) -> list[tuple[str, str]]:
        """The words of a sentence that have some features, each with its gloss."""
        return [(form, gloss) for form, gloss, labels in self._glossed_words(one) if self._have(labels, features)]

    def _glossed_words(self, one: Attested) -> list[tuple[str, str, frozenset[str]]]:
        # Every demand asks about every sentence.
        if one.sentence not in self._words:
            glossed = one.glossed_words(self._boundaries)
            self._words[one.sentence] = [(form, gloss, _labels(gloss)) for form, _, gloss in glossed if form]
        return self._words[one.sentence]

    def contrasting(self, one: Attested, demand: Demand) -> dict[str, list[WordForm]]:
        """The words of a sentence that have the features of the good side, with their forms that have the bad side's.

        Of a word's forms, those whose other labels are the same come first. There are none without features on the
        bad side.
        """
        contrasts = {}
        for form, gloss in self.with_features(one, demand.good) if demand.bad else ():
            labels = _labels(gloss)
            if forms := [other for other in self.others(form, gloss) if self._have(other.labels, demand.bad)]:
                contrasts[form] = sorted(forms, key=lambda other: len(labels ^ other.labels))
        return contrasts

    def exchanges(self, demand: Demand, most: int) -> list[str]:
        """Words of which the book has both the form of the good side and that of the bad one, in lines.

        Each word comes once before any comes again, and forms that differ in nothing else come first.
        """
        if not (demand.good and demand.bad):
            return []
        lines: dict[str, tuple[int, int]] = {}
        for forms in map(self._all, list(self._by_lemma)):
            sides = [[form for form in forms if self._have(form.labels, side)] for side in demand]
            pairs = [
                (good, bad) for good in sides[0] for bad in sides[1] if good.form.casefold() != bad.form.casefold()
            ]
            pairs.sort(key=lambda pair: len(pair[0].labels ^ pair[1].labels))
            for rank, (good, bad) in enumerate(pairs):
                line = f"{good.form} {good.gloss} | {bad.form} {bad.gloss}"
                lines.setdefault(line, (rank, len(good.labels ^ bad.labels)))
        return sorted(lines, key=lambda line: lines[line])[:most]

    def of_sentence(self, one: Attested, demand: Demand, about: str, listed: set[str]) -> list[str]:
        """Other forms of the words of a sentence in lines such as `taron: taro dog.ABS ((3), p. 5), taroso dog.PL`.

        With a demand, these are the words with the features of its good side, and first their forms with those of its
        bad side.

        about   the words of the rule, whose grammatical terms say which forms it is about
        listed  the words whose forms were shown before, which are left out; those shown now are added
        """
        terms = words(about.casefold())
        contrasts = self.contrasting(one, demand)
        by_use: list[tuple[bool, int, str, list[WordForm]]] = []
        for form, gloss in self.with_features(one, demand.good):
            others = sorted(self.others(form, gloss), key=lambda other: -_named(other.labels, terms))
            chosen = list(dict.fromkeys([*contrasts.get(form, ()), *others]))[:_OF_A_WORD]
            if chosen and form.casefold() not in listed:
                use = max(_named(other.labels, terms) for other in chosen)
                by_use.append((form not in contrasts, -use, form, chosen))
        lines, left = [], _OF_A_SENTENCE
        for *_, form, chosen in sorted(by_use, key=lambda item: item[:2]):
            shown = [f"{other.form} {other.gloss} ({other.place})" for other in chosen[:left]]
            left -= len(shown)
            if shown and form.casefold() not in listed:
                lines.append(f"{form}: {', '.join(shown)}")
                listed.add(form.casefold())
        return lines

    def _have(self, labels: frozenset[str], features: Features) -> bool:
        return all(any(self._means(label, *feature) for label in labels) for feature in features)

    def _means(self, label: str, name: str, value: str) -> bool:
        if label not in self._meanings:
            self._meanings[label] = self._tagset.meaning(label)[1] if self._tagset else NO_FEATURES
        meaning = self._meanings[label]
        return (name, value) in meaning if meaning else label.casefold().startswith(value.casefold())

    def _morphemes(self, cut: str) -> list[str]:
        return words(boundary_pattern(self._boundaries).sub(" ", cut).casefold())

    def _stem(self, cut: str, gloss: str) -> list[str]:
        """The morphemes of a word that carry its meaning; the first one where its gloss is cut otherwise."""
        morphemes, glosses = self._morphemes(cut), boundary_pattern().sub(" ", gloss).split()
        if len(morphemes) != len(glosses):
            return morphemes[:1]
        return [morpheme for morpheme, meaning in zip(morphemes, glosses, strict=True) if meaning != meaning.upper()]

    def _of_tables(self, lemma: str) -> Iterator[WordForm]:
        """The cells that begin as the word does, of rows that hold one of its forms or stems."""
        stems = [stem for stem in self._stems[lemma] if len(stem) >= _SHORTEST_STEM]
        for key in dict.fromkeys(key for stem in stems for key in self._rows.get(stem, ())):
            for cell, place in self._cells[key]:
                form = join_morphemes(cell.text, self._boundaries)
                alike = form.casefold().startswith(tuple(stem[:_SHORTEST_STEM] for stem in stems))
                if alike and words(form) == [form]:
                    yield WordForm(form, cell.heads, _labels(cell.heads.upper()), place)


def _labels(gloss: str) -> frozenset[str]:
    """The grammatical labels of a gloss, which are printed in capitals."""
    return frozenset(label for label in _LABEL.findall(gloss) if label == label.upper())


def is_named(label: str, terms: Iterable[str]) -> bool:
    """Whether a label is a term, or begins one, as `COM` does `comitative`."""
    key = label.casefold()
    return any(term == key or (len(key) >= _SHORTEST_LABEL and term.startswith(key)) for term in terms)


def _named(labels: frozenset[str], terms: Sequence[str]) -> int:
    return sum(is_named(label, terms) for label in labels)
