"""The data's life from a piece of a page to a reviewer's decision. One record a stage; all are frozen."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

BlockKind = Literal["heading", "paragraph", "list_item", "table", "example", "gloss", "footnote", "caption"]
Method = Literal["source", "llm", "masked-lm", "treebank", "paradigm", "manual"]
Level = Literal["error", "warning", "info"]
Verdict = Literal["pass", "reject"]
DecisionWord = Literal["approve", "fix", "reject", "unsure"]
SourceKind = Literal["error-list", "grammar-book", "treebank"]
Side = Literal["good", "bad"]
Via = Literal["sheet", "file", "page"]
QueueKind = Literal["pairs", "choice", "likert"]
Role = Literal["item", "catch", "filler"]


class Record(BaseModel):
    """Base of all records: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Stage(Record):
    """A stage's name, which names its files, and its version, raised whenever its code gives other results."""

    name: str
    version: int


class SourceFile(Record):
    """A file of a source: its path (relative to the source's folder, or absolute) and the SHA-256 of its bytes."""

    path: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Source(Record):
    """What source.toml says of a source.

    pages       the pages that are read: an inclusive range counted from 1; all where it is left out
    written_in  the languages of a grammar book's prose, where its examples are in `language`
    url         where it was found
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    title: str
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")]
    kind: SourceKind
    licence: str
    citation: str
    files: Annotated[tuple[SourceFile, ...], Field(min_length=1)]
    pages: tuple[int, int] | None = None
    written_in: tuple[str, ...] = ("en",)
    notation: str | None = None
    encoding: str = "utf-8"
    url: str | None = None


class Gloss(Record):
    """A numbered or interlinear glossed example, after the Leipzig Glossing Rules.

    number       as printed, without brackets; of a part its letter, `a` or `i`; None where none is printed
    language     the language's name where it is printed; `title` is any other heading of the example
    judgement    the mark of ungrammaticality before the object line: `*`, `??`, `#`
    objects      the object line in words, or two: as written, and cut into morphemes
    glosses      the gloss lines in words; all lines of `objects` and `glosses` have the same number of entries, and
                 entries of one index belong together
    translation  without its quotation marks; `source` is where the example comes from, without brackets
    notes        the other lines, such as the sentence in another script
    parts        the sub-examples; a gloss with parts has no lines of its own
    raw          the lines as they stand in the document
    """

    number: str | None = None
    language: str | None = None
    title: str | None = None
    judgement: str | None = None
    objects: tuple[tuple[str, ...], ...] = ()
    glosses: tuple[tuple[str, ...], ...] = ()
    translation: str | None = None
    source: str | None = None
    notes: tuple[str, ...] = ()
    parts: tuple["Gloss", ...] = ()
    raw: str = ""


class Block(Record):
    """A piece of a page. `page` and `line` count from 1; `bbox` is (x0, y0, x1, y1) in PDF points, origin top left.

    `line` is the line of a text file (None in a PDF); `bbox` is None where there is no page image. `section` is the
    path of headings above the block, outermost first. `cells` holds a table's rows, `row_lines` their lines in a text
    file; `cell_boxes` the place of each cell, None where a merged cell to its left or above covers it; `header_rows`
    how many rows are its head. `emphasis` gives the character spans of `text` that the page sets in bold or italics.
    `gloss` is the structure of an example. `continues` is the id of the block, on a page before, that this one goes on
    from. `confidence` is the reader's, 0-1, None where the text is certain; `word_confidence` gives it for each word as
    it stands on the page.
    """

    id: str
    source_id: str
    kind: BlockKind
    text: str
    file: str
    page: Annotated[int, Field(ge=1)]
    line: Annotated[int, Field(ge=1)] | None = None
    bbox: tuple[float, float, float, float] | None = None
    level: int | None = None
    section: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] | None = None
    row_lines: tuple[int, ...] = ()
    emphasis: tuple[tuple[int, int], ...] = ()
    cell_boxes: tuple[tuple[tuple[float, float, float, float] | None, ...], ...] | None = None
    header_rows: int = 0
    gloss: Gloss | None = None
    continues: str | None = None
    reader: str
    confidence: float | None = None
    word_confidence: tuple[tuple[str, float], ...] = ()


class Change(Record):
    """A span in which the good and the bad sentence differ; `good_at` and `bad_at` are character offsets."""

    good: str
    bad: str
    good_at: int
    bad_at: int


class Evidence(Record):
    """The place in the source that a record rests on, with the words that stand there."""

    block_id: str
    file: str
    page: int
    line: int | None = None
    quote: str


class Asked(Record):
    """The answer of a language model that a record comes from. `reply` is its key in the cache of replies."""

    prompt: str
    prompt_sha256: str
    server: str
    model: str
    reply: str


class Example(Record):
    """An example that the source itself gives for a rule.

    good          the acceptable sentence
    bad           the unacceptable one; None where the source gives only an acceptable one
    mark          the sign of ungrammaticality that the source puts before the bad sentence: `*`, `??`, `#`
    alternatives  the other acceptable sentences that the source gives for the same bad one, in its order
    default       True for the source's first choice; the other readings of the same bracket are False
    exception     True where the source says that the rule does not hold
    entry         the headword under which the source lists the example
    """

    good: str
    bad: str | None
    evidence: Evidence
    changes: tuple[Change, ...] = ()
    alternatives: tuple[str, ...] = ()
    default: bool = True
    exception: bool = False
    entry: str | None = None
    note: str | None = None
    gloss: str | None = None
    translation: str | None = None
    mark: str | None = None


class Contrast(Record):
    """Whether a rule licenses a minimal pair, and which one.

    licensed  False for what permits, defines or describes: breaking it makes no sentence bad
    what      what the good sentence has and the bad one has not; of an unlicensed rule, why it licenses no pair
    features  the feature bundles demanded of the changed words, such as "good: Case=Gen" and "bad: Case=Nom"
    evidence  the words of the source on which this rests
    """

    licensed: bool
    what: str
    features: tuple[str, ...] = ()
    evidence: Evidence | None = None


class Rule(Record):
    """One grammar point. `quote` stands in the source letter by letter; `page` is where it begins.

    description  in English, or in the source's own words where no language model was asked
    original     the description in the language of the source's prose, where that is not English
    evidence     all passages of the source that state the rule, that of `quote` first
    example_ids  the blocks of the source's own examples, as printed; `examples` are the sentences taken from them
    exceptions   where the rule does not hold, in the source's words
    contrast     None where the source itself gives the pairs, as error lists do
    asked        the answers of language models that state the rule
    """

    id: str
    source_id: str
    code: str
    title: str
    description: str
    category: str
    phenomenon: str
    section: tuple[str, ...] = ()
    block_ids: tuple[str, ...]
    quote: str
    page: int
    line: int | None = None
    examples: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()
    extracted_by: str
    original: str | None = None
    evidence: tuple[Evidence, ...] = ()
    example_ids: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    contrast: Contrast | None = None
    asked: tuple[Asked, ...] = ()


class Candidate(Record):
    """A proposed minimal pair: `good` is acceptable, `bad` is not. The id comes from the rule and the two sentences.

    parent_id  the pair that this one was derived from: the default pair of the same bracket, or the pair that a
               reviewer corrected
    features   the feature bundles that the contrast rests on, such as "good: Case=Gen"
    asked      the answers of language models that proposed it; the last one wrote the sentences
    """

    id: str
    rule_id: str
    source_id: str
    good: str
    bad: str
    changes: tuple[Change, ...]
    method: Method
    alternatives: tuple[str, ...] = ()
    parent_id: str | None = None
    translation: str | None = None
    features: tuple[str, ...] = ()
    exception: bool = False
    entry: str | None = None
    note: str | None = None
    evidence: Evidence
    asked: tuple[Asked, ...] = ()


class Opinion(Record):
    """What a language model says of a pair, whose sentences it was shown in random order. Scores are 0-10.

    good_shown_as      the letter under which it saw the good sentence
    exchanged          it took the bad sentence for the good one
    instance           the good sentence is an instance of the rule
    good_grammatical   nothing is wrong with the good sentence
    bad_breaks_rule    the bad sentence is ungrammatical, and for this very reason
    score              how good a minimal pair of the rule it is
    translation_score  how well the translation renders the good sentence; None where the pair has none
    verdict            pass where it accepts the pair and says nothing above against it
    """

    pair_id: str
    good_shown_as: Literal["A", "B"]
    exchanged: bool
    instance: bool
    good_grammatical: bool
    bad_breaks_rule: bool
    score: Annotated[int, Field(ge=0, le=10)]
    translation_score: Annotated[int, Field(ge=0, le=10)] | None = None
    verdict: Verdict
    reason: str
    asked: Asked


class Finding(Record):
    """What a check says of a pair. `check` is a stable name; `span` is (start, end) in characters of the `side`."""

    check: str
    level: Level
    message: str
    side: Side | None = None
    span: tuple[int, int] | None = None


class CheckedPair(Record):
    """A candidate with its findings. A pair with an error is rejected and kept, with its reason."""

    candidate: Candidate
    findings: tuple[Finding, ...]
    verdict: Verdict


class Decision(Record):
    """What one reviewer decided on one pair. `good` and `bad` are the corrected sentences of a fix, else None.

    decision  None where a comment alone was written, or where the decision before was taken back
    seconds   how long the reviewer had the pair before them, where that is known
    via       the way by which it came: the reviewer's own sheet, a file that was sent, or the review page
    """

    pair_id: str
    reviewer: str
    decision: DecisionWord | None
    good: str | None = None
    bad: str | None = None
    comment: str = ""
    at: str
    seconds: Annotated[float, Field(ge=0)] | None = None
    via: Via = "sheet"


class Judgement(Record):
    """What one reviewer answered to one item of a blind experiment.

    item_id  of the reviewer's own item: which sentences it showed, and where, stands in its assignment
    pair_id  the pair that it was made from; None for a filler
    prefers  in a forced choice: the member of the pair that was chosen
    side     in a rating: the member that was shown; None for a filler of unknown acceptability
    rating   in a rating: 1 (unacceptable) to 7; a judgement without `prefers` and `rating` is a comment alone, or one
             that was taken back
    """

    item_id: str
    pair_id: str | None
    reviewer: str
    role: Role = "item"
    prefers: Side | None = None
    side: Side | None = None
    rating: Annotated[int, Field(ge=1, le=7)] | None = None
    comment: str = ""
    at: str
    seconds: Annotated[float, Field(ge=0)] | None = None
    via: Via = "sheet"


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
