"""The words of a template's slots: heads, such as verbs, and the words that may go with each of them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from pydantic import Field, field_validator

from pairwright.config import Settings
from pairwright.errors import ConfigError, MorphologyError, at
from pairwright.items.matrices.template import TextWithSlots
from pairwright.languages import resource
from pairwright.languages.features import Features, parse_features
from pairwright.records.documents import LanguageTag
from pairwright.toml_files import read_toml

FOLDER = "matrix_lexicons"
EVERY_HEAD = "*"
AGREEMENT = "agree"
"""The form of a word that says by which form others agree with it: `agree = "Fem"` asks for forms as `past-Fem`."""


class Morphology(Protocol):
    """Knows the words of a language. Raises MorphologyError for a word without exactly one answer."""

    def inflect(self, lemma: str, upos: str, features: Features) -> str:
        """The form of a lemma with these features."""

    def value(self, lemma: str, upos: str, feature: str) -> str:
        """The value of a feature that the lemma has, such as its gender."""


class SlotWords(Settings):
    """The words of a slot.

    upos       their part of speech
    classes    of the slot lexicon, from which words are proposed
    relations  to the head in treebanks, for the same
    phrase     how a word without a form stands in a sentence
    agreement  the feature by which others agree with them, such as Gender, where no form `agree` is written out
    words      those that go with every head that names none of its own
    features   of each form that is made by the morphology of the language
    forms      those that are written out, by lemma and name of the form; they go before features
    """

    upos: str = "NOUN"
    classes: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    phrase: str = "{lemma}"
    agreement: str = ""
    words: tuple[str, ...] = ()
    features: dict[str, str] = Field(default_factory=dict)
    forms: dict[str, dict[str, str]] = Field(default_factory=dict)

    @field_validator("features")
    @classmethod
    def _bundles(cls, bundles: dict[str, str]) -> dict[str, str]:
        for bundle in bundles.values():
            parse_features(bundle)
        return bundles


class Head(Settings):
    """A word that decides which others go with it, by slot."""

    lemma: str
    forms: dict[str, str] = Field(default_factory=dict)
    takes: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class MatrixLexicon(Settings):
    """A lexicon of a template.

    head        the slot of its heads
    frame       a sentence in which words are proposed, such as `{agent} {verb.past} {patient}`
    classed_by  who decided which words go together
    """

    language: LanguageTag
    head: str = "verb"
    frame: TextWithSlots = ""
    classed_by: str = "hand"
    slots: dict[str, SlotWords] = Field(default_factory=dict)
    heads: tuple[Head, ...]


class Words:
    """The words of a lexicon, looked up by head and slot, and their forms.

    approved  heads, slots and words that reviewers let go together, after those of the file; `*` stands for the heads
              that name no words of their own for the slot
    refused   those that may not; `*` stands for every head
    """

    def __init__(
        self,
        lexicon: MatrixLexicon,
        path: Path,
        morphology: Morphology,
        approved: Iterable[tuple[str, str, str]] = (),
        refused: frozenset[tuple[str, str, str]] = frozenset(),
    ) -> None:
        self.lexicon, self.path = lexicon, path
        self.heads = {head.lemma: head for head in lexicon.heads}
        self._morphology, self._approved, self._refused = morphology, tuple(approved), refused
        self._forms: dict[tuple[str, str, str], str] = {}
        self._options: dict[tuple[str, str], tuple[str, ...]] = {}

    def options(self, head: str, slot: str) -> tuple[str, ...]:
        """The words that a slot takes beside a head. Raises ConfigError where the lexicon has no such slot."""
        if slot == self.lexicon.head:
            return (head,)
        if (head, slot) not in self._options:
            self._options[head, slot] = self._find_options(head, slot)
        return self._options[head, slot]

    def _find_options(self, head: str, slot: str) -> tuple[str, ...]:
        own = self.heads[head].takes.get(slot)
        if own is None and slot not in self.lexicon.slots:
            raise ConfigError(f"{self.path}: no slot '{slot}', which the template uses; write [slots.{slot}]")
        listed = list(own if own is not None else self.lexicon.slots[slot].words)
        beside = (head, EVERY_HEAD)
        wanted = (head,) if own is not None else beside
        listed += [word for other, own_slot, word in self._approved if other in wanted and own_slot == slot]
        refused = {word for other, own_slot, word in self._refused if other in beside and own_slot == slot}
        return tuple(word for word in dict.fromkeys(listed) if word not in refused)

    def form(self, slot: str, lemma: str, name: str = "", agreement: str = "") -> str:
        """A form of a word; with `agreement`, the one that agrees so. Raises ConfigError where there is none."""
        name = f"{name}-{agreement}" if agreement else name
        if (slot, lemma, name) not in self._forms:
            self._forms[slot, lemma, name] = self._find_form(slot, lemma, name)
        return self._forms[slot, lemma, name]

    def _find_form(self, slot: str, lemma: str, name: str) -> str:
        words = self.lexicon.slots.get(slot, SlotWords())
        is_head = slot == self.lexicon.head and lemma in self.heads
        written = self.heads[lemma].forms if is_head else words.forms.get(lemma, {})
        if name in written:
            return written[name]
        if not name:
            return words.phrase.replace("{lemma}", lemma)
        place = at(self.path, self.line(lemma))
        try:
            if name == AGREEMENT and words.agreement:
                return self._morphology.value(lemma, words.upos, words.agreement)
            if name in words.features:
                return self._morphology.inflect(lemma, words.upos, parse_features(words.features[name]))
        except MorphologyError as fault:
            raise ConfigError(f"{place}: {fault}; write the form '{name}' of '{lemma}' into the lexicon") from None
        raise ConfigError(
            f"{place}: '{lemma}' has no form '{name}'; write it with the word, or its features under [slots.{slot}]"
        )

    def line(self, word: str) -> int | None:
        """The first line of the lexicon's file that has a word in quotation marks or as a key."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        marks = (f'"{word}"', f"{word} = ")
        return next((number for number, line in enumerate(lines, 1) if any(mark in line for mark in marks)), None)


def load_matrix_lexicon(name: str, workspace: Path | None = None) -> tuple[MatrixLexicon, Path]:
    """A lexicon of the workspace's `matrix_lexicons/` or the package's, with its file. Raises ConfigError."""
    path = resource(FOLDER, name, workspace)
    lexicon = read_toml(path, MatrixLexicon)
    lemmas = [head.lemma for head in lexicon.heads]
    if not lemmas:
        raise ConfigError(f"{path}: no heads; write [[heads]] with a lemma for each")
    if double := next((lemma for lemma in lemmas if lemmas.count(lemma) > 1), None):
        raise ConfigError(f"{path}: '{double}' stands twice under heads; take one out")
    return lexicon, path
