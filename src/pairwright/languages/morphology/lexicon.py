"""What every source of word forms offers, in whatever format."""

from typing import NamedTuple, Protocol

from pairwright.languages.features import Features


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
