"""What may stand in a place: words that were seen beside others in trees and texts, and those of the slot lexicon.

The slot lexicon, `lexicons/<code>.tsv` of a workspace, belongs to people: what a cell says is never overwritten.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from pydantic import BaseModel, ValidationError, ValidationInfo, field_validator

from pairwright.core.errors import MorphologyError, at
from pairwright.core.files import read_text
from pairwright.core.records import Record, Tree, Word
from pairwright.core.store import write_text
from pairwright.core.tables import read_table, table_text
from pairwright.core.text import TOKEN, nfc, unescape_csv_formula
from pairwright.growth.augment.seeds import CONTENT, Seed
from pairwright.languages import Language
from pairwright.languages.features import UPOS, parse_features
from pairwright.languages.morphology.inflection import Inflector
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts import load_prompt

Place = tuple[str, str, str]
"""A part of speech, how it stands to a neighbour, and the neighbour's lemma."""
LLM_STAGE = "augment"
"""The stage's name in `[llm.models]` and in the ledger."""
_WORDS_PER_REQUEST = 40


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


CLASSES = {
    upos: tuple(names.split())
    for upos, names in {
        "NOUN": "person group animal plant body food drink substance clothing thing vehicle building place text "
        "possession measure event activity time phenomenon subject abstract",
        "ADJ": "age character colour evaluation material origin relation size state taste temperature",
        "ADV": "degree frequency manner place time",
        "VERB": "body change cognition communication competition consumption contact creation emotion motion "
        "perception possession social stative weather",
    }.items()
}
"""By part of speech. Verbs of one class are taken to govern the same cases; theirs are WordNet's (Fellbaum 1998).

A workspace divides a class as it likes, `person:worker`: words of two divisions do not fit each other's slots.
"""
CLASSES["PROPN"] = CLASSES["NOUN"]

Countability = Literal["", "count", "mass", "plural"]
COLUMNS = ("lemma", "upos", "class", "countability", "band", "classed_by")
BY_HAND = "hand"


class SlotWord(Record):
    """A lemma that may be put into a slot.

    classes       of its meanings, from `CLASSES`, as they are or divided; empty where nobody classified it
    countability  plural: it has no singular; empty where unknown
    band          its frequency: 1 for the most frequent words, each further band is ten times rarer; None: unknown
    classed_by    `hand`, or the name of the chat model that chose the classes
    """

    lemma: str
    upos: str
    classes: tuple[str, ...] = ()
    countability: Countability = ""
    band: int | None = None
    classed_by: str = ""

    @field_validator("upos")
    @classmethod
    def _is_upos(cls, upos: str) -> str:
        if upos not in UPOS:
            raise ValueError(f"'{upos}' is no part of speech of Universal Dependencies; write NOUN, ADJ or the like")
        return upos

    @field_validator("classes")
    @classmethod
    def _are_classes(cls, classes: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        allowed = CLASSES.get(info.data.get("upos", ""), ())
        if unknown := next((name for name in classes if name.partition(":")[0] not in allowed), None):
            upos, known = info.data.get("upos"), ", ".join(allowed) or "none"
            raise ValueError(f"class '{unknown}' is unknown for {upos}; leave the cell empty, or take {known}")
        return classes

    @property
    def key(self) -> tuple[str, str]:
        return self.lemma, self.upos


SlotLexicon = Mapping[tuple[str, str], SlotWord]
"""The words of a slot lexicon by lemma and part of speech."""


def alike(lexicon: SlotLexicon, own: SlotWord) -> list[SlotWord]:
    """The other words of a class of a word, and of its countability, the most frequent first."""
    words = (word for word in lexicon.values() if word.upos == own.upos and word.lemma != own.lemma and fits(word, own))
    return sorted(words, key=lambda word: (word.band or 99, word.lemma))


def fits(word: SlotWord, other: SlotWord) -> bool:
    """Whether a word may stand in the place of another: a class in common, and both, or neither, are mass nouns.

    A class that is not divided stands for all of its divisions.
    """
    pairs = ((one, two, one.partition(":")[0], two.partition(":")[0]) for one in word.classes for two in other.classes)
    shared = any(one in (two, undivided) or two == whole for one, two, whole, undivided in pairs)
    return shared and (word.countability == "mass") == (other.countability == "mass")


def read_slot_lexicon(path: Path) -> dict[tuple[str, str], SlotWord]:
    """Reads `lexicons/<code>.tsv`. Raises MorphologyError with file and line for what it can't be."""
    titles, rows = read_table(path, nfc(read_text(path, error=MorphologyError)), "\t", MorphologyError)
    # Writing gives back no other column.
    if titles[:3] != COLUMNS[:3] or not set(titles) <= set(COLUMNS):
        columns = ", ".join(COLUMNS)
        raise MorphologyError(f"{at(path, 1)}: the columns are {columns}, separated by tabs; fix the first line")
    entries: dict[tuple[str, str], SlotWord] = {}
    for row in rows:
        place = at(path, row.line)
        cells: dict[str, Any] = {title: unescape_csv_formula(cell).strip() for title, cell in row.cells.items()}
        known = {title: cell for title, cell in cells.items() if cell and title != "class"}
        if classes := tuple(cells.get("class", "").split()):
            known = {"classed_by": BY_HAND, **known, "classes": classes}
        try:
            entry = SlotWord.model_validate(known)
        except ValidationError as fault:
            first = fault.errors(include_url=False)[0]
            reason = f"{first['loc'][0]}: {first['msg']}"
            raise MorphologyError(f"{place}: {first.get('ctx', {}).get('error', reason)}") from None
        if entry.key in entries:
            raise MorphologyError(f"{place}: '{entry.lemma}' {entry.upos} stands twice; take one out")
        entries[entry.key] = entry
    return entries


def write_slot_lexicon(path: Path, entries: Iterable[SlotWord]) -> None:
    """Writes a slot lexicon, ordered by part of speech, frequency band and lemma."""
    ordered = sorted(entries, key=lambda entry: (entry.upos, entry.band or 99, entry.lemma))
    rows = ((it.lemma, it.upos, " ".join(it.classes), it.countability, it.band, it.classed_by) for it in ordered)
    write_text(path, table_text([COLUMNS, *rows], "\t"))


class ClassifiedWord(BaseModel):
    """The classes of the numbered word; `countability` is count, mass, plural or empty."""

    number: int
    classes: list[str]
    countability: str


class ClassifiedWords(BaseModel):
    """The answer to `classify_words`."""

    words: list[ClassifiedWord]


def class_requests(
    words: Sequence[SlotWord], language: Language, source_id: str, workspace: Path | None
) -> Iterator[tuple[tuple[SlotWord, ...], Request[ClassifiedWords]]]:
    """Words of one part of speech each, with the request for their classes. Raises PromptError."""
    prompt = load_prompt("classify_words", workspace=workspace)
    for upos, group in groupby(sorted(words, key=lambda word: word.key[::-1]), key=lambda word: word.upos):
        listed = [word for word in group if upos in CLASSES]
        for start in range(0, len(listed), _WORDS_PER_REQUEST):
            batch = tuple(listed[start : start + _WORDS_PER_REQUEST])
            numbered = "\n".join(f"{number}. {word.lemma}" for number, word in enumerate(batch, start=1))
            values = {"language": language.name, "part_of_speech": upos, "classes": ", ".join(CLASSES[upos])}
            rendered = prompt.render({**values, "words": numbered})
            yield batch, Request(rendered, ClassifiedWords, LLM_STAGE, source_id, f"{upos} from {batch[0].lemma}")


def classified(
    words: Sequence[SlotWord], language: Language, source_id: str, completer: Completer, workspace: Path | None
) -> Iterator[SlotWord]:
    """The words that the model puts into classes that there are. Cells that say something already stay as they are.

    Raises PromptError, LLMError, BudgetError.
    """
    for batch, answer in ask_about(completer, class_requests(words, language, source_id, workspace)):
        for item in answer.value.words if answer.value else ():
            if not 1 <= item.number <= len(batch):
                continue
            word = batch[item.number - 1]
            classes = tuple(dict.fromkeys(name for name in item.classes if name in CLASSES[word.upos]))
            countability = item.countability if item.countability in get_args(Countability) else ""
            if classes and not word.classes:
                new = {"classes": classes, "classed_by": answer.call.model}
                yield word.model_copy(update={**new, "countability": word.countability or countability})
