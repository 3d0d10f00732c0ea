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


@dataclass(frozen=True)
class SourceOptions:
    """What you say of a bare document file; a source folder says it in source.toml."""

    kind: Annotated[str | None, Option("error-list, grammar-book or treebank; by default by the file's ending.")] = None
    language: Annotated[str | None, Option("Language of the document, such as lt.", kind="language")] = None
    notation: Annotated[str | None, Option("How the list marks errors; by default read off the text.")] = None
    encoding: Annotated[str | None, Option("Encoding of a text that is not UTF-8, such as cp1257.")] = None
    pages: Annotated[
        tuple[int, int] | None, Option("Of a book, as 17-31; else all are read.", metavar="FIRST-LAST", kind="pages")
    ] = None


@dataclass(frozen=True)
class ReadingOptions:
    """How a grammar book is read this time."""

    reader: Annotated[Literal["text", "ocr"] | None, Option("Reader for all pages (default: chosen per page).")] = None
    strict: Annotated[bool, Option("Stop at the first page that can't be read.")] = False


@dataclass(frozen=True)
class AskingOptions:
    """How a server is asked, and what it may cost."""

    offline: Annotated[bool, Option("Only use answers that are in the cache.")] = False
    estimate: Annotated[bool, Option("Estimate the cost of all stages; ask nothing.")] = False
    batch: Annotated[bool, Option("Use the server's Batch API, at half the price.")] = False
    max_money: Annotated[float | None, Option("The most money that this run may spend.", least=0)] = None
    max_tokens: Annotated[int | None, Option("The most tokens that this run may spend.", least=0)] = None


@dataclass(frozen=True)
class LLMOptions(AskingOptions):
    """Which language model helps, and what it may cost."""

    kind: Annotated[
        LLMKind | None,
        Option("Language model that finds rules and writes pairs (default: as in the last build).", "llm"),
    ] = field(default=None, kw_only=True)


@dataclass(frozen=True)
class TaskOptions(AskingOptions):
    """Which tasks of a release models are asked, and what asking a server may cost."""

    names: Annotated[
        tuple[str, ...], Option("Also ask these tasks, by commas; all asks each.", "tasks", "NAMES", kind="names")
    ] = field(default=(), kw_only=True)
    items: Annotated[Path | None, Option("Items of `tasks make`, in place of those in the release.", kind="folder")] = (
        field(default=None, kw_only=True)
    )

    @property
    def llm(self) -> LLMOptions:
        """The same for a server."""
        return LLMOptions(**{item.name: getattr(self, item.name) for item in fields(AskingOptions)}, kind="server")


@dataclass(frozen=True)
class PairOptions:
    """How files of pairs are read, and where their scores go; a release says all this itself."""

    good: Annotated[str | None, Option("Column of the good sentence, such as pair.good.", metavar="COLUMN")] = None
    bad: Annotated[str | None, Option("Column of the bad sentence.", metavar="COLUMN")] = None
    by: Annotated[tuple[str, ...], Option("Column that groups the pairs; else those of usual names.")] = ()
    language: Annotated[str | None, Option("Language of the sentences, such as lt.", metavar="CODE")] = None
    conditions: Annotated[
        tuple[str, ...],
        Option("The same pairs in another condition, row by row; PAIRS is the baseline.", "condition", "NAME=FILE"),
    ] = ()
    strict: Annotated[bool, Option("Stop where a row of a file can't be used, in place of leaving it out.")] = False
    out: Annotated[Path | None, Option("Folder of the results of files; else NAME-scores.", kind="folder")] = None


@dataclass(frozen=True)
class EvaluationOptions:
    """The models to score, and what is set beside their scores in the report."""

    models: Annotated[tuple[str, ...], Option("Model to score; embedded where none is given.", "model")] = ()
    lists: Annotated[tuple[Path, ...], Option("A models.toml with many.", "models", kind="file")] = ()
    like: Annotated[Literal["lm-eval"] | None, Option("Score as lm-evaluation-harness's task blimp.")] = None
    report_only: Annotated[bool, Option("Score nothing; write the report of what was scored before.")] = False
    judgements: Annotated[Path | None, Option("Ratings or choices of people: CSV or JSONL.", kind="file")] = None
    frequencies: Annotated[Path | None, Option("Words and their counts, for the confounds.", kind="file")] = None
    extras: Annotated[
        tuple[str, ...], Option("A file for an extra, such as segmentation=words.tsv.", "extra", "NAME=FILE")
    ] = ()
    lm_eval: Annotated[
        tuple[str, ...], Option("Samples of lm-evaluation-harness to set beside.", metavar="[MODEL=]PATH")
    ] = ()
    euroeval: Annotated[tuple[Path, ...], Option("EuroEval's results to set beside.", kind="file")] = ()
    minicons: Annotated[tuple[str, ...], Option("A CSV of minicons's scores to compare.", metavar="MODEL=PATH")] = ()
    spbleu: Annotated[
        Path | None, Option("A SentencePiece model, such as FLORES-200's: spBLEU of translations.", kind="file")
    ] = None
    comet: Annotated[
        Path | None, Option("A checkpoint of COMET, where it is installed: COMET of translations.", kind="file")
    ] = None
    page_language: Annotated[
        str | None,
        Option("Language of the page, such as lt; else as set under [report], or English.", metavar="CODE"),
    ] = None
    page_tokens: Annotated[int | None, Option("The most tokens that the page shows; else 5000000.", least=0)] = None


@dataclass(frozen=True)
class AugmentOptions:
    """How approved pairs grow."""

    method: Annotated[Literal["lexicon", "masked-lm", "cloze"], Option("Who proposes words.")] = "lexicon"
    model: Annotated[
        str | None, Option("Ranks words (a causal model; else embedded) or fills gaps (a fill-mask model).")
    ] = None
    per_rule: Annotated[int | None, Option("Pairs of each rule; else 1,000, or 100 proposals.", least=1)] = None
    propose: Annotated[bool, Option("One new word a pair; reviewers are asked about each such pair.")] = False
    seeds: Annotated[
        Literal["approved", "checked"], Option("What grows: approved by people, or all that passed the checks.")
    ] = "approved"
    rules: Annotated[tuple[str, ...], Option("Only this rule; may be repeated.", "rule", "CODE")] = ()
    text: Annotated[
        tuple[Path, ...], Option("Plain text, or a built source, that shows which words go together.", metavar="FILE")
    ] = ()
