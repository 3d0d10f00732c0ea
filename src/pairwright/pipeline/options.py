"""The options of the steps, the same for flows, commands and Python. Nothing heavy is imported: `--help` needs them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

LLMKind = Literal["none", "local", "server"]


@dataclass(frozen=True)
class SourceOptions:
    """What you say of a bare document file; a source folder says it in source.toml."""

    kind: str | None = None  # error-list, grammar-book or treebank; by default told from the file's ending
    language: str | None = None  # its code, such as lt
    notation: str | None = None  # how an error list marks errors; by default told from its text
    encoding: str | None = None  # of a text that is not UTF-8, such as cp1257
    pages: tuple[int, int] | None = None  # of a book: the first and the last that are read, from 1; all where left out


@dataclass(frozen=True)
class ReadingOptions:
    """How a grammar book is read this time."""

    reader: Literal["text", "ocr"] | None = None  # text or ocr for all pages; None to choose page by page
    strict: bool = False  # whether the first page that can't be read stops the run
    dask: str | None = None  # the address of a Dask scheduler whose workers read the pages


@dataclass(frozen=True)
class LLMOptions:
    """Which language model helps, and how."""

    kind: LLMKind | None = None  # None: as the source was last built, else none
    offline: bool = False  # only use answers that are in the cache
    estimate: bool = False  # say what the build would still cost to its end, ask nothing, and end there
    batch: bool = False  # hand the requests to the server's batch API and wait for it
    max_money: float | None = None  # the most that this run may spend, in the currency of the settings
    max_tokens: int | None = None  # the most tokens that this run may spend


@dataclass(frozen=True)
class TaskOptions:
    """Which tasks of a release models are asked, and what asking a server may cost."""

    names: tuple[str, ...] = ()  # of tasks, or all; none to score pairs alone
    items: Path | None = None  # a folder with items, in place of those that were frozen with the release
    llm: LLMOptions = LLMOptions("server")


@dataclass(frozen=True)
class AugmentOptions:
    """How approved pairs grow."""

    method: Literal["lexicon", "masked-lm", "cloze"] = "lexicon"  # who proposes words
    model: str | None = None  # that ranks or fills; None: the embedded one for lexicon
    per_rule: int | None = None  # pairs wanted of each rule; None: 1,000, or 100 proposals
    propose: bool = False  # pairs with one new word each, which reviewers are asked about one by one
    seeds: Literal["approved", "checked"] = "approved"  # what grows: approved by people, or all that passed the checks
    rules: tuple[str, ...] = ()  # the codes of the rules to grow; all where none is named
