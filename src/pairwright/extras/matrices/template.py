"""What a template file says: constituents, the rows of the context, and of the answers with labels; published tables.

Source: Merlo (2023), Blackbird Language Matrices; of change of state and object drop: Samo, Nastase and Merlo.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field, ValidationError, field_validator

from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError, SourceError, at, counted
from pairwright.core.files import read_text
from pairwright.core.ids import content_id, digest, read_toml
from pairwright.core.records.documents import LanguageTag
from pairwright.core.records.items import Item, Option
from pairwright.core.tables import read_table
from pairwright.languages import resource
from pairwright.languages.linguistics.sentences import END_MARKS

FOLDER = "matrix_templates"
PACKAGE = "pairwright.extras.matrices"
RIGHT = "right"
_PLACE = re.compile(r"\{(?P<slot>\w+)(?:\.(?P<form>[\w-]+))?(?:@(?P<agrees>\w+))?\}")
_BEFORE_COMMA = re.compile(r"\s+(?=[,;:])")
# Of published tables.
_MOST_BYTES = 200_000_000
_SENTENCE, _ANSWER = re.compile(r"Sent_(\d{1,3})"), re.compile(r"Answer_(\d{1,3})")
_SET_NUMBER = re.compile(r"\d+(?!\S)")
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


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


class Published(NamedTuple):
    """The problems of a published table, and in a line each what of the table is not as it was published."""

    items: list[Item]
    notes: list[str]


def read_published(path: Path, language: str, test_share: float = 0.1, seed: int = 0) -> Published:
    """The problems of a published table, TAB-separated with a problem a row. The condition of each is the file's name.

    The columns are ID, Sent_1 to Sent_N, and of each answer its text (Answer_1), why it is wrong (Answer_label_1),
    whether it is right (Answer_value_1, True or False) and the pattern that it fills (Answer_template_1). Wrong answers
    that are equal in all rows are one; rows in which others are equal are left out.

    Source: Samo, Nastase, Jiang and Merlo (2023), BLM-s/lE: A structured dataset of English spray-load verb
    alternations.

    test_share  how many of the problems are for testing, at least; problems with one right answer stay together

    Raises SourceError with file and line where an answer is missing, not exactly one is right, or a wrong one is equal
    to it.
    """
    problems, notes = _problems(path, language)
    if not problems:
        raise SourceError(f"{path}: no problem in it; give a table with one a row")
    by_right: dict[str, list[Item]] = defaultdict(list)
    for item in problems:
        by_right[item.options[item.answers[0]].text].append(item)
    held_out: set[str] = set()
    for right in sorted(by_right, key=lambda text: digest([seed, text])):
        if len(held_out) < test_share * len(problems):
            held_out |= {item.id for item in by_right[right]}
    splits = ("test" if item.id in held_out else "train" for item in problems)
    items = [item.model_copy(update={"split": split}) for item, split in zip(problems, splits, strict=True)]
    return Published(items, notes)


def _problems(path: Path, language: str) -> tuple[list[Item], list[str]]:
    header, rows = read_table(path, read_text(path, _MOST_BYTES, SourceError), "\t", SourceError)
    sentences = sorted((name for name in header if _SENTENCE.fullmatch(name)), key=_number)
    numbers = sorted(_number(name) for name in header if _ANSWER.fullmatch(name))
    wanted = {f"Answer_{part}_{number}" for part in ("label", "value") for number in numbers}
    if not sentences or len(numbers) < 2 or (missing := sorted(wanted - set(header))):
        lacking = "Sent_1" if not sentences else "Answer_1 and Answer_2" if len(numbers) < 2 else missing[0]
        raise SourceError(f"{at(path, 1)}: no column {lacking}; matrices are TAB-separated tables with a problem a row")
    read = [(at(path, row.line), row.cells) for row in rows]
    columns: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number in numbers:
        columns[tuple(row[f"Answer_{number}"].strip() for _, row in read)].append(number)
    answers = list(columns.values())
    notes = [f"answers {', '.join(map(str, own))} are equal in all rows: one answer" for own in answers if own[1:]]
    seen: dict[str, str] = {}
    items, left_out = [], []
    for place, row in read:
        item = _problem(place, row, sentences, answers, (language, path.stem))
        if item is None:
            left_out.append(place)
        elif seen.setdefault(item.id, place) != place:
            raise SourceError(f"{place}: the same problem as {seen[item.id]}; take one of them out")
        else:
            items.append(item)
    if left_out:
        notes.append(f"{counted(len(left_out), 'row')} left out, as two wrong answers are equal: first {left_out[0]}")
    return items, notes


def _problem(
    place: str,
    row: Mapping[str, str],
    sentences: Sequence[str],
    answers: Sequence[Sequence[int]],
    names: tuple[str, str],
) -> Item | None:
    """A problem with its answers shuffled: in published tables the right one comes first. None with equal wrong ones.

    answers  the numbers of each answer's columns, several where they are equal in all rows
    """
    numbers = sorted(number for own in answers for number in own)
    for column in (*sentences, *(f"Answer_{number}" for number in numbers)):
        if not row[column].strip():
            raise SourceError(f"{place}: {column} is empty; fill it in, or take the line out")
    right = [number for number in numbers if _truth(place, row, number)]
    if len(right) != 1:
        raise SourceError(f"{place}: {len(right)} answers are right by Answer_value; exactly one has to be")
    said = [row[f"Answer_{number}"].strip() for number in numbers]
    if said.count(row[f"Answer_{right[0]}"].strip()) > 1:
        raise SourceError(f"{place}: the right answer stands there twice, as a wrong one too; tell them apart")
    texts = {own[0]: row[f"Answer_{own[0]}"].strip() for own in answers}
    if len(set(texts.values())) < len(texts):
        return None
    label_of = {own[0]: "/".join(dict.fromkeys(_label(row, number, right[0]) for number in own)) for own in answers}
    context = tuple(row[column].strip() for column in sentences)
    shown = sorted(texts, key=lambda number: digest([context, texts[number]]))
    options = tuple(Option(text=texts[number], label=label_of[number]) for number in shown)
    language, condition = names
    content = {"task": "matrix", "language": language, "context": context, "condition": condition}
    made = {
        "id": content_id("item", content, [option.text for option in options]),
        "options": options,
        "answers": (shown.index(right[0]),),
    }
    try:
        return Item.model_validate(content | made)
    except ValidationError as fault:
        raise SourceError(f"{place}: {fault.errors(include_url=False)[0]['msg']}; correct the line") from None


def _label(row: Mapping[str, str], number: int, right: int) -> str:
    """As of problems that are made of templates: nothing where right, else the kind of error and the pattern.

    The numbers in a pattern only tell lexical sets apart.
    """
    label = "_".join(row[f"Answer_label_{number}"].split()) or "wrong"
    pattern = _SET_NUMBER.sub("", row.get(f"Answer_template_{number}", ""))
    return "" if number == right else " ".join([label, *pattern.split()])


def _truth(place: str, row: Mapping[str, str], number: int) -> bool:
    name = f"Answer_value_{number}"
    try:
        return _TRUTHS[row[name].strip().casefold()]
    except KeyError:
        raise SourceError(f"{place}: {name} is '{row[name]}', not True or False; correct the cell") from None


def _number(column: str) -> int:
    return int(column.rpartition("_")[2])
