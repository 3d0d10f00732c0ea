"""How a book numbers and lays out its examples, judges them and names its parts: data that its readers parse by.

The defaults come from the languages of books. What the whole book shows is learned from it, and a person may write one
line in `sources/<id>/conventions.toml`, which then holds.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationInfo, field_validator

from pairwright.core.config import Settings
from pairwright.core.errors import SourceError
from pairwright.core.files import read_text
from pairwright.core.ids import parse_toml, validate
from pairwright.core.records import MarkMeaning, Source
from pairwright.core.store import write_text
from pairwright.languages import BOUNDARIES, ExampleWords, Language, load_language, resource_names
from pairwright.languages.linguistics.sentences import MARKS, MEANINGS, SIGNS, WEAK, meaning, plain_mark, split_mark

FILE = "conventions.toml"
Line = Literal["surface", "segmentation", "gloss", "translation"]
MAX_BYTES = 100_000
Table = dict[str, dict[str, Any]]
# A value that a book showed, and by what.
Evidence = tuple[tuple[str, ...], str]

# What stands in the labels of examples, and where in them: a number such as 3, 3-12, 3.2a or iv, and a letter.
_PLACES = {r"\{n\}": r"[A-Z]?\d{1,4}(?:[.‑–-]\d{1,3})*[a-z]?|[ivxl]{1,5})['′]?", r"\{a\}": r"[a-z]|[ivx]{1,5})['′]?"}
# What behind a translation is no source: another reading with a label, such as "(lit.: ...)".
_LABELLED = re.compile(r"^[\[(]?[^\W\d_]+\.?:? ?[‘“\"'«„]|^[\[(]?[^\W\d_]*[a-zà-ž][^\W\d_]*\.?: ")
_INITIALS = re.compile(r"^[^\W\d_a-zà-ž]{1,3}[.:,]?$|^(?:[^\W\d_a-zà-ž]\.-?){1,4}[:,]?$")
MAX_SOURCE = 60
_MARKS = rf"[{MARKS}]{{0,2}}"


class ExampleConventions(Settings):
    """How examples are laid out.

    number       their labels; `{n}` stands for a number such as 3, 3-12 or 3.2a
    letter       the labels of their parts; `{a}` stands for a letter or a small Roman numeral
    lines        those of one example, in order
    translation  the quotation marks around translations, each opening one before its closing one
    source       what stands around the source behind a translation; `...` for a bare one, `— ...` for one behind a
                 dash where translations have no quotation marks
    boundaries   the signs between morphemes, as in `Language.boundaries`
    """

    number: tuple[str, ...] = ("({n})", "[{n}]")
    letter: tuple[str, ...] = ("{a}.", "{a})", "({a})")
    lines: tuple[Line, ...] = ("segmentation", "gloss", "translation")
    translation: tuple[str, ...] = (
        "‘", "’", "“", "”", '"', '"', "'", "'", "«", "»", "„", "“", "‹", "›", "‚", "‘", "`", "'", "「", "」",
    )  # fmt: skip
    source: tuple[str, ...] = ("(...)", "[...]")
    boundaries: str = BOUNDARIES

    @field_validator("number", "letter")
    @classmethod
    def _have_a_place(cls, labels: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        place = "{n}" if info.field_name == "number" else "{a}"
        if not labels or any(label.count(place) != 1 or len(label) > 40 for label in labels):
            raise ValueError(f'write labels in which {place} stands once, such as "({place})"')
        return labels

    @field_validator("translation")
    @classmethod
    def _in_pairs(cls, marks: tuple[str, ...]) -> tuple[str, ...]:
        if not marks or len(marks) % 2 or any(len(mark) != 1 for mark in marks):
            raise ValueError('write pairs of signs, an opening and a closing one, such as ["‘", "’"]')
        return marks


class JudgementConventions(Settings):
    """What the marks of acceptability say."""

    bad: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    other: tuple[str, ...] = ()

    @cached_property
    def meanings(self) -> dict[str, MarkMeaning]:
        return {mark: name for name in get_args(MarkMeaning) for mark in getattr(self, name)}


class BookWords(ExampleWords):
    """The book's own words beside those of the languages that it is written in, English where none is said.

    chapters       stand before the number of a chapter, part or section
    abbreviations  as in `Language`
    """

    chapters: tuple[str, ...] = ()
    abbreviations: tuple[str, ...] = ()


class _File(Settings):
    examples: ExampleConventions = ExampleConventions()
    judgements: JudgementConventions = JudgementConventions()
    words: BookWords = BookWords()


class Conventions(_File):
    """The conventions of a book, and the patterns that follow from them. `own` names those that a person wrote, such as
    `examples.number`, which stay."""

    own: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, own: Mapping[str, Mapping[str, Any]], written_in: Sequence[str] = (), workspace: Path | None = None
    ) -> "Conventions":
        """Those of a book: its `own`, with the words of the languages that it is written in and of all shipped ones.

        Raises ConfigError where the file of a language has a fault.
        """
        shipped = _words(tuple(written_in), workspace)
        words = {name: (*(own.get("words") or {}).get(name, ()), *shipped[name]) for name in shipped}
        names = tuple(f"{table}.{key}" for table, keys in own.items() for key in keys)
        return cls.model_validate({**own, "words": words, "own": names})

    @classmethod
    def of_source(cls, source: Source, workspace: Path | None = None, own: Table | None = None) -> "Conventions":
        """Those of a source: its `own`, the marks of its source.toml and the morpheme signs of its language.

        Raises ConfigError where the file of a language has a fault.
        """
        own = own or {}
        boundaries = load_language(source.language, workspace).boundaries
        examples = {"boundaries": boundaries, **own.get("examples", {})}
        said = dict(source.marks) | JudgementConventions.model_validate(own.get("judgements", {})).meanings
        marks = {name: [mark for mark in said if said[mark] == name] for name in get_args(MarkMeaning)}
        return cls.of({**own, "examples": examples, "judgements": marks}, source.written_in, workspace)

    def split_mark(self, text: str) -> tuple[str, str]:
        """The mark at the beginning of a text, empty where there is none, and the text after it."""
        own = ((mark, text.removeprefix(mark)) for mark in self._own_marks if text.startswith(mark))
        return next(((mark, rest) for mark, rest in own if rest[:1].strip()), None) or split_mark(text)

    def meaning(self, mark: str) -> MarkMeaning:
        """What a mark says of its form."""
        return meaning(mark, self.judgements.meanings)

    def why_no_pair(self, mark: str) -> str:
        """The reason for which a form with a mark that does not call it bad makes no pair by itself."""
        plain = plain_mark(mark)
        if plain in WEAK and plain not in self.judgements.meanings:
            return WEAK[plain]
        return f"marked '{plain}': {'doubtful' if self.meaning(mark) == 'doubtful' else 'not ungrammatical'}"

    def with_learned(self, learned: Mapping[str, Evidence]) -> "Conventions":
        """These conventions with what a book showed, but for its own."""
        values = self.model_dump()
        for name in learned.keys() - set(self.own):
            table, key = name.split(".")
            values[table][key] = learned[name][0]
        return Conventions.model_validate(values)

    def number(self, text: str) -> str | None:
        """The number in the label of an example, its parts joined by `-` or full stops; None in any other text."""
        match = self._number.match(text)
        return match[match.lastgroup or 0].translate(_DASHES) if match else None

    def label(self, words: Sequence[str]) -> tuple[str, int] | None:
        """The number with whose label words begin, and how many of them are the label; None without one."""
        numbers = ((self.number(" ".join(words[:size])), size) for size in range(1, self.label_words + 1))
        return next(((number, size) for number, size in numbers if number is not None), None)

    def letter(self, text: str) -> tuple[str, str] | None:
        """The mark of acceptability and the letter in the label of a part of an example; None in any other text."""
        match = self._letter.match(text)
        return (match["mark"], match[match.lastgroup or 0]) if match else None

    @cached_property
    def _own_marks(self) -> list[str]:
        """The marks that only this book has, the longest first."""
        return sorted(self.judgements.meanings.keys() - MEANINGS, key=len, reverse=True)

    @cached_property
    def judgement(self) -> re.Pattern[str]:
        """A mark of acceptability at the beginning of a line, the book's own as well."""
        return re.compile(rf"^(?P<mark>{'|'.join([*map(re.escape, self._own_marks), SIGNS])})(?=\S|$)")

    @cached_property
    def label_words(self) -> int:
        """The most words of a label."""
        return 1 + max(label.count(" ") for label in self.examples.number)

    @cached_property
    def _number(self) -> re.Pattern[str]:
        return re.compile(rf"^{_MARKS}(?:{_any_label(self.examples.number)}){_MARKS}[.:]?$")

    @cached_property
    def _letter(self) -> re.Pattern[str]:
        return re.compile(rf"^(?P<mark>{_MARKS})(?:{_any_label(self.examples.letter)})$")

    @cached_property
    def caption(self) -> re.Pattern[str]:
        """The beginning of a caption: `Table 3.2:`."""
        words = _any_word(self.words.captions)
        return re.compile(rf"^(?:{words})\s*[A-Z]?\d+(?:\.\d+)*(?:[:.](?=\s|$)|\s*$)", re.IGNORECASE)

    @cached_property
    def heading(self) -> re.Pattern[str]:
        """The number of a heading before its title, perhaps with a word: `3.2.1`, `§ 12`, `Chapter 4`, `IV`."""
        words = _any_word((*self.words.chapters, *map(str.upper, self.words.chapters)))
        return re.compile(
            rf"^(?:(?P<word>(?:{words})\s|§)\s*)?"
            r"(?P<number>\d{1,3}(?:\.\d{1,3})*|(?:[IVXLC]+|[A-Z])(?(word)(?:\.\d{1,3})*|(?=[.:]|\.\d))(?:\.\d{1,3})*)"
            r"(?P<dot>[.:]?)(?=\s+\S|$)"
        )

    @cached_property
    def continued(self) -> re.Pattern[str]:
        """A word that marks the caption of a table that goes on from the page before."""
        return re.compile(rf"(?<!\w)(?:{_any_word(self.words.continued)})(?!\w)", re.IGNORECASE)

    @cached_property
    def opening(self) -> str:
        """The marks that open a translation."""
        return "".join(dict.fromkeys(self.examples.translation[::2]))

    @cached_property
    def closing(self) -> str:
        """The marks that close a translation."""
        return "".join(dict.fromkeys(self.examples.translation[1::2]))

    @cached_property
    def closed(self) -> re.Pattern[str]:
        """The end of a translation: its mark, perhaps with a full stop, a footnote's mark or a bracket after it."""
        return re.compile(rf"{self._close}[.]?$")

    @property
    def _close(self) -> str:
        return rf"[{re.escape(self.closing)}][.,;]?[⁰¹²³⁴⁵⁶⁷⁸⁹]*[)\]]?"

    def ends_translation(self, text: str) -> bool:
        """Whether a text ends in the quotation mark of a translation, perhaps with a source behind it."""
        return bool(self.closed.search(text) or self.cut_behind(text)[1])

    def unquoted(self, text: str) -> str:
        """A translation without its quotation marks; what follows the closing mark is kept."""
        one, two = re.escape(self.opening), re.escape(self.closing)
        # Behind it may stand another wording: `‘I go’ (lit. ‘I walk’)`.
        reworded = rf"\s*[\[(][^\[\]()]*[{one}].*[{two}][)\]]"
        quoted = rf"^[{one}](?P<text>.*?)[{two}](?P<after>{reworded}|[^{two}]*)$"
        if match := re.match(quoted, text.strip(), re.DOTALL):
            return f"{match['text'].rstrip()}{match['after'].rstrip('.')}".strip()
        bare = text.strip().lstrip(self.opening).strip()
        return bare if any(mark in bare[:-1] for mark in self.opening) else bare.rstrip(self.closing).strip()

    def cut_behind(self, text: str) -> tuple[str, str | None]:
        """A translation in its marks, and what stands behind its closing mark: brackets, or a bare source."""
        behind = rf"(?:\s*(?P<source>[\[(][^\[\]()]+[\])]\S?)|\s+(?P<behind>[^{re.escape(self.closing)}]+))$"
        match = re.match(rf"^(?P<text>.*{self._close}){behind}", text, re.DOTALL)
        if match is None or not (match["source"] or self.is_source(match["behind"])):
            return text, None
        return match["text"], match["source"] or match["behind"]

    def is_source(self, text: str) -> bool:
        """Whether what stands behind a translation says where the sentence is from: set as the book sets its sources
        with a name, or any other way with initials or figures."""
        inside = re.sub(r"^[–—-]\s+|^[\[(]|[\])]\w?[.,]?$", "", text)
        words = inside.split()
        quoted = any(mark in text for mark in self.opening + self.closing)
        if not words or len(text) >= MAX_SOURCE or quoted or _LABELLED.match(text):
            return False
        named = all(word[0].isupper() or len(word) < 4 or any(map(str.isdigit, word)) for word in words)
        if source_shape(text) in self.examples.source:
            return inside[0].isupper() or any(map(str.isdigit, inside))
        return named and (any(map(str.isdigit, inside)) or all(_INITIALS.match(word) for word in words))

    def without_dashed_source(self, translation: str | None, source: str | None) -> tuple[str | None, str | None]:
        """A translation without the source after a dash at its end, if the book sets its sources so, and the source."""
        said, _, tail = (translation or "").rpartition(" — ")
        cut = said and source is None and "— ..." in self.examples.source and len(tail) < MAX_SOURCE
        return (said.rstrip(), tail) if cut else (translation, source)

    @cached_property
    def translated(self) -> re.Pattern[str]:
        """A sentence with its translation behind it, perhaps with a source in brackets."""
        one, two = re.escape(self.opening), re.escape(self.closing)
        behind = r"(?:\s*[\[(][^\[\]()]*[\])])?"
        return re.compile(rf"^(?P<text>.*?\S)\s+(?P<translation>[{one}]\S.*[{two}][.]?{behind})$", re.DOTALL)

    @cached_property
    def intended(self) -> re.Pattern[str]:
        """The label before what a starred sentence was meant to say; a bracket alone may say so."""
        words, opening = _any_word(self.words.intended), re.escape(self.opening)
        return re.compile(rf"^(?:\(?(?:{words})\s?[.:]*\s?|\()(?=[{opening}])", re.IGNORECASE)


def source_shape(text: str) -> str:
    """What stands around a source, as in `ExampleConventions.source`."""
    return {"(": "(...)", "[": "[...]"}.get(text[0], "...")


def own_conventions(folder: Path) -> Table:
    """The conventions that a person wrote into the file of a source, by table and key; none without the file.

    What pairwright learned and nobody edited is not among them. Raises SourceError for a faulty file.
    """
    path = folder / FILE
    if not path.exists():
        return {}
    text = read_text(path, MAX_BYTES, SourceError)
    validate(parse_toml(text, path, SourceError), _File, path, SourceError)
    own = parse_toml(_LEARNED.sub(_without_learned, text), path, SourceError)
    return {table: keys for table, keys in own.items() if keys}


def write_conventions(folder: Path, learned: Mapping[str, Evidence]) -> None:
    """Writes what a book showed, by names such as `examples.number`, into the file of its source.

    A line that a person edited or added stays; only lines that are as they were written before are replaced. A new file
    shows every key, commented out.
    """
    path = folder / FILE
    before = read_text(path, MAX_BYTES, SourceError) if path.exists() else ""
    text = _LEARNED.sub(_without_learned, before) or HEAD
    own = parse_toml(text, path, SourceError)
    for name, (value, why) in reversed(list(learned.items())):
        table, key = name.split(".")
        if key in own.get(table, {}):
            continue
        shown = json.dumps(value, ensure_ascii=False)
        if not re.search(rf"^\[{table}\]", text, re.MULTILINE):
            text += f"\n[{table}]\n"
        line = f"# learned {shown}: {why}\n{key} = {shown}\n"
        text = re.sub(rf"^\[{table}\].*\n", lambda match: match.group() + line, text, count=1, flags=re.MULTILINE)  # noqa: B023
    if text != before:
        write_text(path, text)


def _without_learned(match: re.Match[str]) -> str:
    return "" if match["learned"] == match["now"] else match.group()


HEAD = """\
# How this book gives its examples, as pairwright counted it. Edit or add a line and build again: your line holds.
# A line behind a # shows what else you can say; the keys: File formats in `pairwright docs`, under conventions.toml.

[examples]
# number = ["({n})", "[{n}]"]
# letter = ["{a}.", "{a})", "({a})"]
# lines = ["segmentation", "gloss", "translation"]
# translation = ["‘", "’", "“", "”"]
# source = ["(...)", "[...]"]
# boundaries = "-=~<>"

[judgements]
# bad = ["*"]
# doubtful = ["?"]
# other = ["%"]

[words]
# intended = ["Intended:"]
# continued = ["continued"]
# captions = ["Table"]
# chapters = ["Chapter"]
"""
_LEARNED = re.compile(r"^# learned (?P<learned>\[.*\]): .*\n\w+ = (?P<now>\[.*\])\n", re.MULTILINE)
_DASHES = str.maketrans("‑–", "--")


def _any_label(labels: Iterable[str]) -> str:
    """A pattern of labels, with a group of its own for the number or letter of each."""
    patterns = []
    for at, label in enumerate(labels):
        pattern = re.escape(label)
        for place, inside in _PLACES.items():
            pattern = pattern.replace(place, f"(?P<place{at}>{inside}")
        patterns.append(pattern)
    return "|".join(patterns)


def _any_word(words: Iterable[str]) -> str:
    longest_first = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first) or r"(?!)"


@lru_cache(maxsize=8)
def _words(written_in: tuple[str, ...], workspace: Path | None) -> dict[str, tuple[str, ...]]:
    written = [load_language(code, workspace) for code in written_in or ("en",)]
    every = [*map(load_language, resource_names("languages")), *written]

    def words(languages: Sequence[Language], table: str, name: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(word for language in languages for word in getattr(getattr(language, table), name)))

    return {
        "chapters": words(every, "sections", "chapters"),
        **{name: words(every, "examples", name) for name in ("intended", "continued", "captions")},
        **{name: words(written, "examples", name) for name in ("refusals", "references", "comparisons", "history")},
        "abbreviations": tuple(word.casefold() for language in written for word in language.abbreviations),
    }


@lru_cache(maxsize=1)
def usual_conventions() -> Conventions:
    """Those of a book of which nothing more is known."""
    return Conventions.of({})
