"""What all records share, the stages, and sources: the pieces of their pages, and trees as Universal Dependencies."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pairwright.core.codes import LanguageCode


class Record(BaseModel):
    """Base of all records: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Stage(Record):
    """A stage's name, which names its files, and its version, raised whenever its code gives other results."""

    name: str
    version: int


class Rejection(Record):
    """Something that a stage could not turn into a record: kept with its place and the reason, never guessed."""

    stage: str
    source_id: str
    reason: str
    text: str
    file: str
    page: int | None = None
    line: int | None = None
    column: int | None = None


# The stages that make pairs: of language models, treebanks and seeds; and all candidates, also of a source's examples.
LLM_PAIRS = Stage(name="llm_pairs", version=15)
TREEBANK_PAIRS = Stage(name="treebank_pairs", version=5)
NO_MATCH = "no match: "
"""Begins the reason of a Rejection for a contrast that fits no words of a treebank; its text names the contrast."""
PROPOSED = Stage(name="proposed", version=3)
AUGMENTED = Stage(name="augmented", version=4)
PARADIGMS = Stage(name="paradigms", version=3)
DERIVED = (TREEBANK_PAIRS, PROPOSED, AUGMENTED, PARADIGMS)
"""The stages of pairs that carry a `derivation`."""
CANDIDATES = Stage(name="candidates", version=6)


BlockKind = Literal[
    "heading", "paragraph", "list_item", "table", "example", "gloss", "footnote", "caption", "figure", "sentence"
]
SourceKind = Literal["error-list", "grammar-book", "treebank"]
# Both become names of files and folders.
SourceId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
# What a source means by an acceptability mark: bad, the sentence is ungrammatical; doubtful, a person has to decide;
# other, it is well formed for the grammar: odd in its context, regional, obsolete.
MarkMeaning = Literal["bad", "doubtful", "other"]
LanguageTag = Annotated[str, Field(pattern=r"^([a-z]{2,3}|x-[A-Za-z0-9]+)(-[A-Za-z0-9]+)*$")]
_INHERITED = ("judgement", "language", "title")


class SourceFile(Record):
    """A file of a source: its path (relative to the source's folder, or absolute) and the SHA-256 of its bytes."""

    path: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Source(Record):
    """What source.toml says of a source."""

    id: SourceId
    title: str
    language: LanguageCode
    kind: SourceKind
    licence: str
    citation: str
    files: Annotated[tuple[SourceFile, ...], Field(min_length=1)]
    pages: tuple[int, int] | None = None  # an inclusive range counted from 1; all pages where it is left out
    # The languages of a grammar book's prose; its examples are in `language`.
    written_in: tuple[LanguageCode, ...] = ("en",)
    marks: tuple[tuple[str, MarkMeaning], ...] = ()  # where a book's marks have an unusual meaning; a table in TOML
    notation: str | None = None
    phrases: bool = False  # phrases and forms of an error list make pairs without a sentence
    encoding: str = "utf-8"
    url: str | None = None  # where it was found
    rules_of: tuple[SourceId, ...] = ()  # sources whose rules are run over the sentences of a treebank

    @field_validator("marks", mode="before")
    @classmethod
    def _from_table(cls, marks: Any) -> Any:
        if not isinstance(marks, dict):
            return marks
        for mark, meaning in marks.items():
            if not re.fullmatch(r"[^\w\s]{1,4}", mark):
                raise ValueError(f"'{mark}' is no mark; a mark is one to four signs, such as '?'")
            if meaning not in get_args(MarkMeaning):
                raise ValueError(f"'{mark}' can mean {', '.join(get_args(MarkMeaning))}, not {meaning!r}")
        return tuple(marks.items())


class Gloss(Record):
    """A numbered or interlinear glossed example, after the Leipzig Glossing Rules.

    number       as printed, without brackets; of a part its letter, `a` or `i`; None where none is printed
    title        a heading or caption of its own, such as `Accusative with negation`
    judgement    the mark of ungrammaticality before the sentence: `*`, `??`, `#`
    surface      the sentence as it is written, where the book has a line for it; without its mark
    segmentation the words that stand over the glosses, cut into morphemes where the book cuts them; without the mark
    glosses      the gloss lines in words; `segmentation` and every line of `glosses` have the same number of entries,
                 and entries of one index belong together
    translation  without its quotation marks; `source` is where the example comes from, without brackets
    """

    number: str | None = None
    language: str | None = None  # the language's name where it is printed; `title` is any other heading of the example
    title: str | None = None
    judgement: str | None = None
    surface: str | None = None
    segmentation: tuple[str, ...] = ()
    glosses: tuple[tuple[str, ...], ...] = ()
    translation: str | None = None
    source: str | None = None
    notes: tuple[str, ...] = ()  # the other lines, such as the sentence in another script
    parts: tuple["Gloss", ...] = ()  # the sub-examples; a gloss with parts has no lines of its own
    raw: str = ""  # the lines as they stand in the document

    @property
    def object_line(self) -> str:
        """The sentence as the book prints it: the surface line, else the words over the glosses; empty without any."""
        return self.surface or " ".join(filter(None, self.segmentation))

    def leaves(self, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], "Gloss"]]:
        """The examples that have lines of their own, each with the numbers that lead to it, its own last.

        A part takes over the mark, the language and the title of the whole where it has none of its own. `path` are
        the numbers that lead to this example.
        """
        here = (*path, self.number) if self.number else path
        if not self.parts:
            yield here, self
        for part in self.parts:
            inherited = {name: getattr(part, name) or getattr(self, name) for name in _INHERITED}
            yield from part.model_copy(update=inherited).leaves(here)


class TableNote(Record):
    """A note below a table: its mark, empty where none is printed, and the rows and columns of the cells that carry it.

    Rows and columns count from 0. The mark stands neither in `text` nor in the cells.
    """

    mark: str = ""
    text: str
    cells: tuple[tuple[int, int], ...] = ()

    @property
    def printed(self) -> str:
        """The note with its mark before it."""
        return f"{self.mark} {self.text}".strip()


class Word(Record):
    """A syntactic word of a sentence.

    head        the `id` of the word that it depends on; 0 for the root
    feats       the feature bundle as CoNLL-U writes it, `_` where it is empty
    start, end  its character offsets in the sentence; the words of one multiword token share those of the token
    """

    id: Annotated[int, Field(ge=1)]
    form: str
    lemma: str
    upos: str
    feats: str
    head: Annotated[int, Field(ge=0)]
    deprel: str
    start: int
    end: int


class Tree(Record):
    """The words of a sentence in order. `sent_id` is the treebank's own name for it."""

    sent_id: str
    words: tuple[Word, ...]

    def below(self, word: Word) -> list[int]:
        """The ids of a word and of all words below it."""
        found = [word.id]
        # A damaged tree may have a circle.
        for head in found:
            found += [other.id for other in self.words if other.head == head and other.id not in found]
        return found


class Block(Record):
    """A piece of a page. `page` and `line` count from 1; a PDF has no lines, a text file no boxes.

    cell_boxes  the place of each cell, as `bbox`, also of a blank one; None where a merged cell to its left or above
                covers it
    """

    id: str
    source_id: str
    kind: BlockKind
    text: str
    file: str
    page: Annotated[int, Field(ge=1)]
    line: Annotated[int, Field(ge=1)] | None = None
    bbox: tuple[float, float, float, float] | None = None  # (x0, y0, x1, y1) in PDF points, origin top left
    level: int | None = None
    section: tuple[str, ...] = ()  # the headings above the block, outermost first
    cells: tuple[tuple[str, ...], ...] | None = None  # the rows of a table
    row_lines: tuple[int, ...] = ()  # the lines of a table's rows in a text file
    emphasis: tuple[tuple[int, int], ...] = ()  # the character spans of `text` in bold or italics
    cell_boxes: tuple[tuple[tuple[float, float, float, float] | None, ...], ...] | None = None
    header_rows: int = 0
    notes: tuple[TableNote, ...] = ()  # those below a table
    gloss: Gloss | None = None  # the structure of an example
    tree: Tree | None = None  # of a treebank's sentence, which is the block's text
    continues: str | None = None  # the id of the block, on a page before, that this one goes on from
    reader: str
    confidence: float | None = None  # the reader's, 0-1; None where the text is certain

    def rejection(self, stage: str, reason: str, text: str | None = None, line: int | None = None) -> Rejection:
        """The block, or a text of it, as what a stage can't use. Pass `line` where it is not the block's first."""
        place = {"file": self.file, "page": self.page, "line": self.line if line is None else line}
        said = self.text if text is None else text
        return Rejection(stage=stage, source_id=self.source_id, reason=reason, text=said, **place)
