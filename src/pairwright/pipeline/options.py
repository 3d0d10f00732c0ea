"""The options of the steps, the same for flows, commands and Python. Nothing heavy is imported: `--help` needs them."""

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

LLMKind = Literal["none", "local", "server"]


class Option(NamedTuple):
    """What the command line says of a parameter: `words: Annotated[int, Option("Words of each category.", least=1)]`.

    name         without the dashes, where it is not that of the parameter
    kind         what text stands for: language, pages, names, password, file (one that exists), folder, target (a
                 folder, or an address of fsspec or of the Hub)
    least, most  the range of a number; a share is above `least`, and has a `most`
    """

    help: str = ""
    name: str = ""
    metavar: str | None = None
    kind: str = ""
    least: float | None = None
    most: float | None = None


# Parameters that several commands have.
Language = Annotated[str, Option("Language code, such as lt (default: the only one).", kind="language")]
PageLanguage = Annotated[
    str | None, Option("Language of the page, such as lt (default: as under [report], else English).", metavar="CODE")
]
# It is kept for this process alone: no function gets it.
Password = Annotated[
    str | None,
    Option(
        "Password of an encrypted PDF, or set PAIRWRIGHT_PDF_PASSWORD. Without a value, you are asked.", kind="password"
    ),
]


@dataclass(frozen=True)
class SourceOptions:
    """What you say of a bare document file; a source folder says it in source.toml."""

    kind: Annotated[str | None, Option("error-list, grammar-book or treebank (default: by the file's ending).")] = None
    language: Annotated[str | None, Option("Language of the document, such as lt.", kind="language")] = None
    notation: Annotated[str | None, Option("How the list marks errors (default: the notation that finds most).")] = None
    encoding: Annotated[str | None, Option("Encoding of a text that is not UTF-8, such as cp1257.")] = None
    pages: Annotated[
        tuple[int, int] | None,
        Option("Pages of a book, such as 17-31 (default: all).", metavar="FIRST-LAST", kind="pages"),
    ] = None


@dataclass(frozen=True)
class ReadingOptions:
    """How a grammar book is read this time."""

    reader: Annotated[Literal["text", "ocr"] | None, Option("Reader for all pages (default: chosen per page).")] = None
    strict: Annotated[bool, Option("Stop at the first page that can't be read.")] = False
    password: Password = None


@dataclass(frozen=True)
class AskingOptions:
    """How a server is asked, and what it may cost."""

    offline: Annotated[bool, Option("Only use answers that are in the cache.")] = False
    estimate: Annotated[bool, Option("Estimate the cost; ask nothing.")] = False
    batch: Annotated[bool, Option("Use the server's Batch API, at half the price.")] = False
    max_money: Annotated[float | None, Option("The most money that this run may spend.", least=0)] = None
    max_tokens: Annotated[int | None, Option("The most tokens that this run may spend.", least=0)] = None


@dataclass(frozen=True)
class LLMOptions(AskingOptions):
    """Which language model helps, and what it may cost."""

    kind: Annotated[
        LLMKind | None,
        Option("Language model that is asked (default: as in the last build).", "llm"),
    ] = field(default=None, kw_only=True)


@dataclass(frozen=True)
class TaskOptions(AskingOptions):
    """Which tasks of a release models are asked, and what asking a server may cost."""

    names: Annotated[
        tuple[str, ...],
        Option("Also ask these tasks, such as minimal-pair,acceptability, or all.", "tasks", "NAMES", kind="names"),
    ] = field(default=(), kw_only=True)
    items: Annotated[
        Path | None, Option("Ask the questions in this folder, made by `pairwright tasks`.", kind="folder")
    ] = field(default=None, kw_only=True)

    @property
    def llm(self) -> LLMOptions:
        """The same for a server."""
        return LLMOptions(**{item.name: getattr(self, item.name) for item in fields(AskingOptions)}, kind="server")


@dataclass(frozen=True)
class PairOptions:
    """How files of pairs are read, and where their scores go; a release says all this itself."""

    good: Annotated[str | None, Option("Column of the good sentence, such as pair.good.", metavar="COLUMN")] = None
    bad: Annotated[str | None, Option("Column of the bad sentence.", metavar="COLUMN")] = None
    by: Annotated[tuple[str, ...], Option("Column that groups the pairs (default: columns with known names).")] = ()
    language: Annotated[str | None, Option("Language of the sentences, such as lt.", metavar="CODE")] = None
    conditions: Annotated[
        tuple[str, ...],
        Option("The same pairs in another condition, row by row; PAIRS is the baseline.", "condition", "NAME=FILE"),
    ] = ()
    strict: Annotated[bool, Option("Stop at a row that can't be used (default: leave it out).")] = False
    out: Annotated[Path | None, Option("Folder for the results of files (default: NAME-scores).", kind="folder")] = None


@dataclass(frozen=True)
class EvaluationOptions:
    """The models to score, and what is set beside their scores in the report."""

    models: Annotated[tuple[str, ...], Option("Model to score (default: embedded).", "model")] = ()
    lists: Annotated[tuple[Path, ...], Option("A models.toml with several models.", "models", kind="file")] = ()
    like: Annotated[Literal["lm-eval"] | None, Option("Score as the task blimp of lm-evaluation-harness does.")] = None
    report_only: Annotated[bool, Option("Only write the report again, from existing scores.")] = False
    judgements: Annotated[Path | None, Option("People's ratings or choices: CSV or JSONL.", kind="file")] = None
    frequencies: Annotated[Path | None, Option("Word counts, to test for confounds.", kind="file")] = None
    extras: Annotated[
        tuple[str, ...], Option("File for an extra, such as segmentation=words.tsv.", "extra", "NAME=FILE")
    ] = ()
    lm_eval: Annotated[
        tuple[str, ...], Option("Samples of lm-evaluation-harness to compare.", metavar="[MODEL=]PATH")
    ] = ()
    euroeval: Annotated[tuple[Path, ...], Option("EuroEval's results to compare.", kind="file")] = ()
    minicons: Annotated[tuple[str, ...], Option("Scores of minicons (CSV) to compare.", metavar="MODEL=PATH")] = ()
    page_language: PageLanguage = None
    page_tokens: Annotated[int | None, Option("Most tokens that the page shows (default: 5000000).", least=0)] = None


@dataclass(frozen=True)
class ReleaseOptions:
    """Which release is frozen, of which sources: of all that are built and have reviewers' sheets where none is named.

    because  why the version makes a larger step than the change asks for
    date     as YYYY-MM-DD
    """

    name: Annotated[str, Option("Name of the release, such as lt-cases.")]
    version: Annotated[str, Option("Version of the release, such as 1.0.0.")]
    source_ids: Annotated[tuple[str, ...], Option("Id of a source to release; may be repeated.", "source")] = ()
    because: Annotated[str | None, Option("Reason for a bigger version bump than required.", metavar="TEXT")] = None
    date: Annotated[str | None, Option("Date of the release, for its citation.", metavar="YYYY-MM-DD")] = None


@dataclass(frozen=True)
class AugmentOptions:
    """How approved pairs grow."""

    method: Annotated[Literal["lexicon", "masked-lm", "cloze"], Option("Who proposes words.")] = "lexicon"
    model: Annotated[
        str | None, Option("Causal model that ranks words (default: embedded), or fill-mask model that proposes them.")
    ] = None
    per_rule: Annotated[int | None, Option("Pairs per rule (default: 1,000; 100 with --propose).", least=1)] = None
    propose: Annotated[bool, Option("Change one word per pair; reviewers see every pair.")] = False
    seeds: Annotated[
        Literal["approved", "checked"], Option("Pairs that grow: approved by people, or all that passed the checks.")
    ] = "approved"
    rules: Annotated[tuple[str, ...], Option("Only this rule; may be repeated.", "rule", "CODE")] = ()
    text: Annotated[
        tuple[Path, ...], Option("Plain text or built source that shows which words go together.", metavar="FILE")
    ] = ()
