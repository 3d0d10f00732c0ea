"""The options of the steps, the same for flows, commands and Python. Nothing heavy is imported: `--help` needs them."""

from dataclasses import dataclass
from typing import Literal

LLMKind = Literal["none", "local", "server"]


@dataclass(frozen=True)
class SourceOptions:
    """What you say of a bare document file; a source folder says it in source.toml.

    kind      error-list, grammar-book or treebank; by default told from the file's ending
    language  its code, such as lt
    notation  how an error list marks errors; by default told from its text
    encoding  of a text that is not UTF-8, such as cp1257
    """

    kind: str | None = None
    language: str | None = None
    notation: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class ReadingOptions:
    """How a grammar book is read this time.

    reader  text or ocr for all pages; None to choose page by page
    strict  whether the first page that can't be read stops the run
    dask    the address of a Dask scheduler whose workers read the pages
    """

    reader: Literal["text", "ocr"] | None = None
    strict: bool = False
    dask: str | None = None


@dataclass(frozen=True)
class LLMOptions:
    """Which language model helps, and how.

    kind        none, the local model, or the server of pairwright.toml; None: as the source was last built, else none
    offline     only use answers that are in the cache
    estimate    say what the next stage would cost, ask nothing, and end there
    batch       hand the requests to the server's batch API and wait for it
    max_money   the most that this run may spend, in the currency of the settings
    max_tokens  the most tokens that this run may spend
    """

    kind: LLMKind | None = None
    offline: bool = False
    estimate: bool = False
    batch: bool = False
    max_money: float | None = None
    max_tokens: int | None = None
