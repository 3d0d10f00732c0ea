"""What every source of word forms offers; those that list their forms: UniMorph tables, and treebanks in CoNLL-U
(https://universaldependencies.org/format.html)."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

from pairwright.core.errors import MorphologyError, at, one_line
from pairwright.core.files import read_lines
from pairwright.core.records import Tree
from pairwright.languages.features import NO_FEATURES, UPOS, Features, Tagset, parse_features
from pairwright.languages.letters import lower, uncapitalised, without_dots

_ID = re.compile(r"(?P<first>\d{1,6})(?:(?P<sign>[-.])(?P<last>\d{1,6}))?")


class ConlluError(ValueError):
    """Why a line can't be read. `line` is its number in the file."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class Row(NamedTuple):
    """A line of a sentence, its columns as they are written.

    first, last  the numbers of the words that it stands for: one for a word, several for a multiword token
    is_word      it is a word, and neither a multiword token nor an empty node
    spaced       a space follows in the text
    """

    line: int
    first: int
    last: int
    is_word: bool
    form: str
    lemma: str
    upos: str
    feats: str
    head: str
    deprel: str
    spaced: bool


class ConlluSentence(NamedTuple):
    """A sentence: its comments by key, the first of each, and the texts of its lines with their numbers."""

    comments: dict[str, str]
    lines: list[tuple[int, str]]

    def rows(self) -> Iterator[Row]:
        """Its words and multiword tokens, without empty nodes. Raises ConlluError."""
        return (row for number, line in self.lines if (row := read_row(number, line)))


def sentences(lines: Iterable[tuple[int, str]]) -> Iterator[ConlluSentence]:
    """The sentences of a file's numbered lines: blank lines separate them."""
    comments: dict[str, str] = {}
    rows: list[tuple[int, str]] = []
    for number, line in lines:
        if line.startswith("#"):
            key, _, value = line[1:].partition("=")
            comments.setdefault(key.strip(), value.strip())
        elif line.strip():
            rows.append((number, line))
        else:
            if rows:
                yield ConlluSentence(comments, rows)
            comments, rows = {}, []
    if rows:
        yield ConlluSentence(comments, rows)


def read_row(number: int, line: str) -> Row | None:
    """Read a line; None for an empty node. Raises ConlluError."""
    columns = line.split("\t")
    if len(columns) != 10:
        raise ConlluError(number, f"{len(columns)} columns and not the ten of CoNLL-U, separated by tabs")
    place = _ID.fullmatch(columns[0])
    if place is None:
        raise ConlluError(number, f"'{one_line(columns[0], 40)}' is not a valid ID")
    if place["sign"] == ".":
        return None
    _, form, lemma, upos, _, feats, head, deprel, _, misc = columns
    if not form.strip():
        raise ConlluError(number, "no form")
    first, is_word, spaced = int(place["first"]), place["sign"] is None, "SpaceAfter=No" not in misc.split("|")
    return Row(number, first, int(place["last"] or first), is_word, form, lemma, upos, feats, head, deprel, spaced)


_MARKED_AS_FAULTY = {("Typo", "Yes"), ("Foreign", "Yes")}


class Analysis(NamedTuple):
    """One reading of a word form.

    lemma     as the source writes it
    upos      the part of speech of Universal Dependencies; None where the source gives none
    features  the feature bundle; empty where the source has no tags
    source    the name of the file
    tag       the file's own tag
    """

    lemma: str
    upos: str | None
    features: Features
    source: str
    tag: str


class AnalysedForm(NamedTuple):
    """A word form with one reading: a cell of a paradigm, or a word of a treebank."""

    form: str
    analysis: Analysis


class Lexicon(Protocol):
    """A dictionary, an inflection table, a transducer or the words of a treebank.

    Forms and lemmas must match letter for letter.
    """

    def readings(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form, without repetition."""

    def paradigm(self, lemma: str) -> tuple[AnalysedForm, ...]:
        """All forms of all words with this lemma."""


class TableLexicon:
    """Forms with their readings, found from either side. They keep the order in which they come."""

    def __init__(self, forms: Iterable[AnalysedForm]) -> None:
        self._readings: dict[str, tuple[Analysis, ...]] = {}
        self._paradigms: dict[str, tuple[AnalysedForm, ...]] = {}
        for item in dict.fromkeys(forms):
            form, analysis = item
            self._readings[form] = (*self._readings.get(form, ()), analysis)
            self._paradigms[analysis.lemma] = (*self._paradigms.get(analysis.lemma, ()), item)

    def readings(self, form: str) -> tuple[Analysis, ...]:
        return self._readings.get(form, ())

    def paradigm(self, lemma: str) -> tuple[AnalysedForm, ...]:
        return self._paradigms.get(lemma, ())


def unimorph_forms(path: Path, tagset: Tagset, stress: str = "") -> Iterator[AnalysedForm]:
    """The forms of a UniMorph table, whose columns are lemma, form and tags.

    `stress` is the combining accents that the table prints and running text does not. Raises MorphologyError, with file
    and line, where a line has other columns.
    """
    for number, line in read_lines(path, MorphologyError):
        # Some tables have a fourth column with the morphemes.
        columns = line.split("\t")
        if len(columns) not in (3, 4):
            raise MorphologyError(
                f"{at(path, number)}: not lemma, form and tags, separated by tabs; get the table again"
            )
        lemma, form, tag = columns[:3]
        if any(char.isalpha() for char in form):
            upos, features = tagset.meaning(tag)
            yield AnalysedForm(plain(form, stress), Analysis(plain(lemma, stress), upos, features, path.name, tag))


def treebank_forms(path: Path, stress: str = "") -> Iterator[AnalysedForm]:
    """The words of a CoNLL-U treebank, each once, the most frequent readings first. Raises as `treebank_tokens`."""
    yield from (item for item, _ in Counter(treebank_tokens(path, stress)).most_common())


def treebank_tokens(path: Path, stress: str = "") -> Iterator[AnalysedForm]:
    """The words of a CoNLL-U treebank in order, without those marked as misspelt or foreign.

    A capital that only the place in the sentence requires becomes a small letter. Raises MorphologyError, with file and
    line, where a line has other columns or unreadable features.
    """
    for number, line in read_lines(path, MorphologyError):
        if line.startswith("#"):
            continue
        try:
            row = read_row(number, line)
            features = parse_features(row.feats) if row and row.is_word else NO_FEATURES
        except ValueError as fault:
            raise MorphologyError(f"{at(path, number)}: {fault}; fix the treebank or get it again") from None
        if row and row.is_word:
            upos = row.upos if row.upos in UPOS else None
            reading = Analysis(row.lemma, upos, features, path.name, f"{row.upos} {row.feats}")
            yield from _attested(row.form, reading, stress)


def tree_tokens(trees: Iterable[Tree], source: str, stress: str = "") -> Iterator[AnalysedForm]:
    """As `treebank_tokens`, of trees that were read already; their analyses name `source`."""
    for word in (word for tree in trees for word in tree.words):
        features = parse_features(word.feats)
        reading = Analysis(word.lemma, word.upos, features, source, f"{word.upos} {word.feats}")
        yield from _attested(word.form, reading, stress)


def _attested(form: str, reading: Analysis, stress: str) -> Iterator[AnalysedForm]:
    """A word of a treebank as dictionaries have it; nothing for what is no word, or marked as misspelt or foreign."""
    is_word = reading.upos != "PUNCT" and reading.lemma != "_" and any(map(str.isalnum, form))
    if is_word and not _MARKED_AS_FAULTY & reading.features:
        lemma = plain(reading.lemma, stress)
        yield AnalysedForm(_uncapitalised(plain(form, stress), lemma), reading._replace(lemma=lemma))


def plain(word: str, stress: str) -> str:
    """A word as running text writes it: in NFC, without the given combining accents and the dots that they add to i."""
    apart = unicodedata.normalize("NFD", word)
    bare = "".join(char for char in apart if char not in stress)
    # Below an accent, Lithuanian keeps the dot of i as a character of its own.
    return unicodedata.normalize("NFC", apart if bare == apart else without_dots(bare))


def _uncapitalised(form: str, lemma: str) -> str:
    if lemma == lower(lemma) and form != lower(form):
        return uncapitalised(form[:1], lemma=lemma) + lower(form[1:])
    if len(form) > 1 and form.isupper() and not lemma.isupper():
        return form[:1] + lower(form[1:], lemma)
    return form
