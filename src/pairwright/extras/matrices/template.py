"""What a template file says: constituents, the rows of the context, the rows of the answers with their labels.

Blackbird Language Matrices: Merlo 2023; change of state and object drop: Samo, Nastase and Merlo.
"""

import re
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field, field_validator

from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError, at
from pairwright.core.records.documents import LanguageTag
from pairwright.core.toml import read_toml
from pairwright.languages import resource
from pairwright.languages.linguistics.sentences import END_MARKS

FOLDER = "matrix_templates"
PACKAGE = "pairwright.extras.matrices"
RIGHT = "right"
_PLACE = re.compile(r"\{(?P<slot>\w+)(?:\.(?P<form>[\w-]+))?(?:@(?P<agrees>\w+))?\}")
_BEFORE_COMMA = re.compile(r"\s+(?=[,;:])")


class Place(NamedTuple):
    """A place for a word: `{patient.acc}` is its form `acc`; `{verb.part@patient}` agrees with the patient."""

    slot: str
    form: str
    agrees: str


def _whole_places(text: str) -> str:
    if torn := re.search(r"[{}][^{}]*}?", _PLACE.sub("", text)):
        raise ValueError(f"'{torn[0]}' is no whole slot; write {{slot}}, {{slot.form}} or {{slot.form@other}}")
    return text


TextWithSlots = Annotated[str, AfterValidator(_whole_places)]


class Constituent(Settings):
    """A constituent of sentences. Two of one kind differ in quality alone, as an agent and a patient do.

    kind  NP, V, PP and the like, by the template's own names
    text  its words, with `{slot}`, `{slot.form}` or `{slot.form@other}`
    """

    kind: str
    text: TextWithSlots

    @property
    def places(self) -> tuple[Place, ...]:
        matches = _PLACE.finditer(self.text)
        return tuple(Place(match["slot"], match["form"] or "", match["agrees"] or "") for match in matches)

    def filled(self, words: tuple[str, ...]) -> str:
        """The text with a word in each of its places."""
        remaining = iter(words)
        return _PLACE.sub(lambda _: next(remaining), self.text)


class Part(NamedTuple):
    """A constituent in a row: `Base/2` takes the words of the problem's second lexical set; 0 is the row's own."""

    name: str
    set_number: int


Row = tuple[Part, ...]


def row_of(text: str) -> Row:
    """The parts of a row such as `Ag Akt Pat p-NP`."""
    parts = (part.partition("/") for part in text.split())
    return tuple(Part(name, int(number or 0)) for name, _, number in parts)


class TreebankQuery(Settings):
    """Which words of a treebank make lexical sets, and what of their sentences fills the slots.

    head       the slot of their roots
    upos, relations, feature
               which words: by part of speech, relation to their head, and a feature that they have
    without    features of words that are not asked for, such as `VerbForm=Inf`
    slots      the value of the feature that a slot asks for
    roots      by value, patterns for the whole lemma, each with the root that it shows: `\\1` is its first group; the
               first one that fits tells
    text       a slot takes the whole sentence, or the word alone
    """

    head: str
    upos: str
    relations: tuple[str, ...]
    feature: str
    without: tuple[str, ...] = ()
    slots: dict[str, str]
    roots: dict[str, dict[str, str]]
    text: Literal["sentence", "word"] = "sentence"

    @field_validator("roots")
    @classmethod
    def _patterns(cls, roots: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
        for pattern, root in ((pattern, root) for own in roots.values() for pattern, root in own.items()):
            try:
                re.sub(pattern, root, "")
            except re.error as fault:
                raise ValueError(f"'{pattern}' with '{root}' is no pattern: {fault}") from None
        return roots

    def root(self, value: str, lemma: str) -> str:
        """The root of a lemma with a value of the feature; empty where none is named."""
        for pattern, root in self.roots.get(value, {}).items():
            if match := re.fullmatch(pattern, lemma):
                return match.expand(root)
        return ""


class Template(Settings):
    """A template of problems.

    type       A: operators around the phenomenon alternate; B: diagnostics, such as relative clauses; C: both
    lexicon    the name of its lexicon
    treebank   how treebanks give the words, where there is no lexicon
    held_out   the slots of a lexical set: no combination of their words stands both in train and in test
    labels     what each label of a wrong answer says: its kinds of constituents are others than those of the right
               answer, in order or number (`sequence`), or they are the same and one has another quality (`quality`)
    context    the rows before the missing one, such as `Ag Akt Pat p-NP`
    answers    the rows of the answer set, with their labels; one is `right`
    capitals   capital letters that are not those of other languages, by their small ones
    end        the mark after each sentence
    """

    title: str
    language: LanguageTag
    type: Literal["A", "B", "C"]
    lexicon: str = ""
    treebank: TreebankQuery | None = None
    held_out: Annotated[tuple[str, ...], Field(min_length=1)]
    labels: dict[str, Literal["sequence", "quality"]]
    context: Annotated[tuple[str, ...], Field(min_length=2)]
    capitals: dict[str, str] = Field(default_factory=dict)
    end: str = "."
    constituents: dict[str, Constituent]
    answers: Annotated[dict[str, str], Field(min_length=2)]

    @field_validator("context", "answers")
    @classmethod
    def _rows(cls, rows: tuple[str, ...] | dict[str, str]) -> tuple[str, ...] | dict[str, str]:
        if bad := next((row for row in rows if not re.fullmatch(r"[^\s/]+(/\d+)?( [^\s/]+(/\d+)?)*", row)), None):
            raise ValueError(f"'{bad}' is no row; write names of constituents, such as Ag Akt Pat")
        return rows

    @property
    def right(self) -> str:
        """The row of the right answer."""
        return next(row for row, label in self.answers.items() if label == RIGHT)

    @property
    def rows(self) -> dict[str, Row]:
        """All rows, of the context and of the answers, by their text."""
        return {row: row_of(row) for row in (*self.context, *self.answers)}

    @property
    def set_numbers(self) -> tuple[int, ...]:
        """The numbers of the lexical sets that a problem takes, where it takes several."""
        return tuple(sorted({part.set_number for row in self.rows.values() for part in row} - {0}))

    @property
    def slots(self) -> tuple[str, ...]:
        """The lexical slots that the rows use."""
        parts = [part for row in self.rows.values() for part in row]
        places = [place for part in parts for place in self.constituents[part.name].places]
        return tuple(dict.fromkeys(place.slot for place in places))

    def kinds(self, row: str) -> tuple[str, ...]:
        """The kinds of a row's constituents, in order."""
        return tuple(self.constituents[part.name].kind for part in row_of(row))

    def sentence(self, parts: tuple[str, ...]) -> str:
        """The sentence of constituents in order: with a capital, and with the mark at its end."""
        text = _BEFORE_COMMA.sub("", " ".join(parts))
        text = self.capitals.get(text[:1], text[:1].upper()) + text[1:]
        return text if text.endswith(tuple(END_MARKS)) else text + self.end


def load_template(name: str, workspace: Path | None = None) -> tuple[Template, Path]:
    """A template of the workspace's `matrix_templates/` or the package's, with its file.

    Raises ConfigError for an unknown name and, with file and line, for a fault such as a label that its row belies.
    """
    path = resource(FOLDER, name, workspace, PACKAGE)
    template = read_toml(path, Template)
    if bool(template.lexicon) == bool(template.treebank):
        raise ConfigError(f"{path}: words come from a lexicon or from a treebank; write `lexicon` or [treebank]")
    for row in (*template.context, *template.answers):
        if unknown := next((part.name for part in row_of(row) if part.name not in template.constituents), None):
            raise ConfigError(f"{at(path, row_line(path, row))}: '{unknown}' is no constituent; write it there")
    _check_labels(template, path)
    return template, path


def _check_labels(template: Template, path: Path) -> None:
    rights = [row for row, label in template.answers.items() if label == RIGHT]
    if len(rights) != 1:
        line = row_line(path, rights[1] if rights else next(iter(template.answers)))
        raise ConfigError(f"{at(path, line)}: {len(rights)} answers are '{RIGHT}'; mark exactly one so")
    for row, label in template.answers.items():
        place = at(path, row_line(path, row))
        if row in template.context:
            raise ConfigError(f"{place}: '{row}' is in the context too, so an answer would repeat it; remove it")
        if label == RIGHT:
            continue
        if label not in template.labels:
            raise ConfigError(f"{place}: label '{label}' does not stand under labels; write what it says there")
        differs = template.kinds(row) != template.kinds(rights[0])
        if differs != (template.labels[label] == "sequence"):
            kinds = "others than" if differs else "the same as"
            raise ConfigError(f"{place}: label '{label}', but its kinds of constituents are {kinds} the right answer's")


def row_line(path: Path, row: str) -> int | None:
    """The line of a template file in which a row stands last, as those of answers come after the context's."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((number for number in range(len(lines), 0, -1) if f'"{row}"' in lines[number - 1]), None)
