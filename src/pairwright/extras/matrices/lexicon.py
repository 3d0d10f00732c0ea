"""The words of a template's slots: heads, such as verbs, the words that go with them, and what reviewers decide."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

from pydantic import Field, field_validator

from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError, MorphologyError, at
from pairwright.core.files import read_text
from pairwright.core.ids import read_toml
from pairwright.core.records.documents import LanguageTag, Record
from pairwright.core.store import write_text
from pairwright.core.tables import read_table, table_text
from pairwright.core.text import nfc, unescape_csv_formula
from pairwright.core.workspace import Workspace, template
from pairwright.extras.matrices.template import PACKAGE, TextWithSlots
from pairwright.languages import load_language, resource
from pairwright.languages.features import Features, parse_features
from pairwright.languages.locale import decision_words, load_words
from pairwright.languages.morphology.inflection import Inflector, NotInflected
from pairwright.pipeline.growth import with_own_forms

FOLDER = "matrix_lexicons"
EVERY_HEAD = "*"
COLUMNS = ("head", "slot", "word", "sentence", "decision", "decided_by", "proposed_by")
AGREEMENT = "agree"
"""The form of a word that says by which form others agree with it: `agree = "Fem"` asks for forms as `past-Fem`."""
Key = tuple[str, str, str]
"""A head, a slot and a word; `*` stands for every head."""


class MatrixMorphology:
    """The morphology of a language, which is read when it is first asked. Forms that come with pairwright come last."""

    def __init__(self, workspace: Workspace, language: str) -> None:
        self._workspace, self._language = workspace, language

    @cached_property
    def inflector(self) -> Inflector:
        """Raises ConfigError for a language without a file, MorphologyError for a damaged lexicon."""
        language = load_language(self._language, self._workspace.root)
        for own in (self._workspace, Workspace(template())):
            language = with_own_forms(language, own)
        return Inflector.of(language)

    def inflect(self, lemma: str, upos: str, features: Features) -> str:
        """The form of a lemma. Raises MorphologyError where there is not exactly one."""
        made = self.inflector.inflect(lemma, upos, features)
        if isinstance(made, NotInflected):
            raise MorphologyError(made.reason)
        return made.form

    def value(self, lemma: str, upos: str, feature: str) -> str:
        """The value of a feature that a lemma has. Raises MorphologyError where there is not exactly one."""
        own = [reading for reading in self.inflector.analyses(lemma) if (reading.lemma, reading.upos) == (lemma, upos)]
        values = {value for reading in own for name, value in reading.features if name == feature}
        if len(values) != 1:
            raise MorphologyError(f"no lexicon tells the {feature} of '{lemma}'")
        return values.pop()


class SlotWords(Settings):
    """The words of a slot.

    upos       their part of speech
    classes    of the slot lexicon, from which words are proposed
    phrase     how a word without a form stands in a sentence
    agreement  the feature by which others agree with them, such as Gender, where no form `agree` is written out
    words      those that go with every head that names none of its own
    features   of each form that is made by the morphology of the language
    forms      those that are written out, by lemma and name of the form; they go before features
    """

    upos: str = "NOUN"
    classes: tuple[str, ...] = ()
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

    head   the slot of its heads
    frame  a sentence in which words are proposed, such as `{agent} {verb.past} {patient}`
    """

    language: LanguageTag
    head: str = "verb"
    frame: TextWithSlots = ""
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
        morphology: MatrixMorphology,
        approved: Iterable[Key] = (),
        refused: frozenset[Key] = frozenset(),
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
    path = resource(FOLDER, name, workspace, PACKAGE)
    lexicon = read_toml(path, MatrixLexicon)
    lemmas = [head.lemma for head in lexicon.heads]
    if not lemmas:
        raise ConfigError(f"{path}: no heads; write [[heads]] with a lemma for each")
    if double := next((lemma for lemma in lemmas if lemmas.count(lemma) > 1), None):
        raise ConfigError(f"{path}: '{double}' stands twice under heads; take one out")
    return lexicon, path


class Combination(Record):
    """A word that may stand in a slot beside a head, or beside every one (`*`).

    sentence     in which reviewers see it
    decision     in the reviewers' own words; empty while nobody decided
    proposed_by  who proposed it: a model, a treebank
    """

    head: str
    slot: str
    word: str
    sentence: str
    decision: str = ""
    decided_by: str = ""
    proposed_by: str = ""

    @property
    def key(self) -> Key:
        return self.head, self.slot, self.word


def read_combinations(path: Path, words: Mapping[str, tuple[str, ...]]) -> dict[Key, tuple[Combination, str]]:
    """The combinations of a table with what was decided: approve, fix, reject, unsure or nothing. None without a file.

    Raises ConfigError, with file and line, for other columns, a word that is no decision, and a row that comes twice.
    """
    if not path.exists():
        return {}
    titles, rows = read_table(path, nfc(read_text(path, error=ConfigError)), "\t", ConfigError)
    if titles != COLUMNS:
        raise ConfigError(
            f"{at(path, 1)}: the columns are {', '.join(COLUMNS)}, separated by tabs; correct the first line"
        )
    meanings = {word.casefold(): decision for decision, own in words.items() for word in (*own, decision)}
    read: dict[Key, tuple[Combination, str]] = {}
    for row in rows:
        place = at(path, row.line)
        one = Combination.model_validate({name: unescape_csv_formula(cell).strip() for name, cell in row.cells.items()})
        if not all(one.key):
            raise ConfigError(f"{place}: head, slot or word is empty; fill the cell, or take the line out")
        decision = meanings.get(one.decision.casefold().rstrip("."), "" if not one.decision else None)
        if decision is None:
            known = ", ".join(own[0] for own in words.values())
            raise ConfigError(f"{place}: '{one.decision}' is no decision; write {known}, or leave the cell empty")
        if one.key in read:
            raise ConfigError(f"{place}: '{one.word}' stands twice beside '{one.head}'; take one line out")
        read[one.key] = one, decision
    return read


def write_combinations(path: Path, combinations: Iterable[Combination]) -> None:
    """Writes the table, in the given order."""
    rows = ([getattr(one, column) for column in COLUMNS] for one in combinations)
    write_text(path, table_text([COLUMNS, *rows], "\t"))


def combinations_file(workspace: Workspace, name: str) -> Path:
    """What native speakers decided on the words of a lexicon, or of a template of treebanks, that go together."""
    return workspace.lexicons / f"matrices-{name}.tsv"


def decided_combinations(workspace: Workspace, name: str, language: str) -> tuple[list[Key], frozenset[Key]]:
    """The combinations that reviewers approved, and those that they refused."""
    decided = read_combinations(
        combinations_file(workspace, name), decision_words(load_words("review", language, workspace.root))
    )
    approved = [key for key, (_, decision) in decided.items() if decision == "approve"]
    return approved, frozenset(key for key, (_, decision) in decided.items() if decision == "reject")


def open_lexicon(workspace: Workspace, name: str) -> Words:
    """The words of a lexicon, with those that reviewers approved and without those that they refused."""
    entries, path = load_matrix_lexicon(name, workspace.root)
    decided = decided_combinations(workspace, name, entries.language)
    return Words(entries, path, MatrixMorphology(workspace, entries.language), *decided)
