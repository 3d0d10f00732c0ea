"""What every source of word forms offers, whatever its format."""

from typing import NamedTuple, Protocol

from pairwright.languages.features import Features


class Analysis(NamedTuple):
    """One reading of a word form.

    lemma     as the source writes it
    upos      the part of speech in the names of Universal Dependencies; None where the source gives none
    features  the feature bundle; empty where the source has no tags
    source    the file that says so
    tag       what that file says, in its own words
    """

    lemma: str
    upos: str | None
    features: Features
    source: str
    tag: str


class Cell(NamedTuple):
    """A cell of a paradigm: the form and what it is."""

    form: str
    analysis: Analysis


class Lexicon(Protocol):
    """A dictionary, an inflection table or the words of a treebank. Forms and lemmas are looked up letter by letter."""

    def readings(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form, without repetition."""
        ...

    def paradigm(self, lemma: str) -> tuple[Cell, ...]:
        """All forms of all words that have this lemma."""
        ...
