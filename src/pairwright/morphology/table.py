"""Lexicons that list their forms: UniMorph tables and the words of CoNLL-U treebanks."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pairwright.errors import MorphologyError, at
from pairwright.languages.features import parse_features
from pairwright.languages.tagset import UPOS, Tagset
from pairwright.morphology.lexicon import Analysis, Cell


class TableLexicon:
    """Forms with their readings, found from either side. Cells keep the order in which they come."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self._readings: dict[str, tuple[Analysis, ...]] = {}
        self._cells: dict[str, tuple[Cell, ...]] = {}
        for cell in dict.fromkeys(cells):
            form, analysis = cell
            self._readings[form] = (*self._readings.get(form, ()), analysis)
            self._cells[analysis.lemma] = (*self._cells.get(analysis.lemma, ()), cell)

    def readings(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form, without repetition."""
        return self._readings.get(form, ())

    def paradigm(self, lemma: str) -> tuple[Cell, ...]:
        """All forms of all words that have this lemma."""
        return self._cells.get(lemma, ())


def unimorph_cells(path: Path, tagset: Tagset, stress: str = "") -> Iterator[Cell]:
    """The cells of a UniMorph table: lemma, form and tags in three columns, parted by tabs.

    `stress` are the combining accents that the table prints and running text does not. Raises MorphologyError with file
    and line where a line has other columns.
    """
    for number, line in _lines(path):
        # A fourth column, in some tables, cuts the form into morphemes.
        columns = line.split("\t")
        if len(columns) not in (3, 4):
            raise MorphologyError(f"{at(path, number)}: not lemma, form and tags, parted by tabs; get the table again")
        lemma, form, tag = columns[:3]
        if any(char.isalpha() for char in form):
            upos, features = tagset.meaning(tag)
            yield Cell(plain(form, stress), Analysis(plain(lemma, stress), upos, features, path.name, tag))


def treebank_cells(path: Path, stress: str = "") -> Iterator[Cell]:
    """The words of a CoNLL-U treebank, each once; the readings that it has most often come first.

    Raises MorphologyError as `treebank_tokens` does.
    """
    yield from (cell for cell, _ in Counter(treebank_tokens(path, stress)).most_common())


def treebank_tokens(path: Path, stress: str = "") -> Iterator[Cell]:
    """The words of a CoNLL-U treebank, in its order.

    A capital that only the sentence asks for is taken away. Words marked as misspelt and foreign ones are left out.
    Raises MorphologyError with file and line where a line has other columns or features can't be read.
    """
    for number, line in _lines(path):
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise MorphologyError(f"{at(path, number)}: not the ten columns of CoNLL-U; get the treebank again")
        identifier, form, lemma, upos, _, feats = columns[:6]
        if not identifier.isdigit() or upos == "PUNCT" or lemma == "_":
            continue
        try:
            features = parse_features(feats)
        except ValueError as fault:
            raise MorphologyError(f"{at(path, number)}: {fault}; mend the treebank") from None
        if not {("Typo", "Yes"), ("Foreign", "Yes")} & features:
            known = upos if upos in UPOS else None
            word, base = _uncapitalised(plain(form, stress), lemma), plain(lemma, stress)
            yield Cell(word, Analysis(base, known, features, path.name, f"{upos} {feats}"))


def plain(word: str, stress: str) -> str:
    """A word as running text writes it: NFC, without the given combining accents and the dot that they bring with i."""
    apart = unicodedata.normalize("NFD", word)
    if any(char in stress for char in apart):
        bare = "".join(char for char in apart if char not in stress)
        # Lithuanian keeps the dot of i below an accent as a character of its own.
        apart = bare.replace("i\u0307", "i").replace("j\u0307", "j")
    return unicodedata.normalize("NFC", apart)


def _uncapitalised(form: str, lemma: str) -> str:
    if lemma == lemma.lower() and form != form.lower():
        return form.lower()
    if len(form) > 1 and form.isupper() and not lemma.isupper():
        return form.capitalize()
    return form


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file that have words, with their numbers."""
    try:
        with path.open(encoding="utf-8-sig") as handle:
            for number, line in enumerate(handle, start=1):
                if line.strip():
                    yield number, line.rstrip("\r\n")
    except OSError as fault:
        raise MorphologyError(f"{path}: {fault.strerror}; mend the path in pairwright.toml") from None
    except UnicodeDecodeError as fault:
        raise MorphologyError(f"{path}: not UTF-8 near byte {fault.start}; save the file as UTF-8") from None
