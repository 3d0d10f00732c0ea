"""Every error that a user can cause, on one screen. Each message is one line: what, where, and what to do."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

# Line ends, controls, the soft hyphen, signs that turn the direction of writing, halves of surrogate pairs and letters
# of one font alone: a terminal obeys them or shows nothing.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u00ad\u2028-\u202e\u2066-\u2069\ud800-\uf8ff]")


class PairwrightError(Exception):
    """A fault that the user can fix. The command line prints the message alone and exits with 2.

    The message is one line that any terminal shows: controls in it, as names of files may have, are written as escapes.
    """

    def __str__(self) -> str:
        return printable(super().__str__())


class EstimateOnly(PairwrightError):
    """The end of a run whose user asked for no more, as with --estimate. Its message is shown; it is no failure."""


class ConfigError(PairwrightError):
    """pairwright.toml, a language or a notation file can't be used."""


class SourceError(PairwrightError):
    """A source document or its source.toml can't be read."""


class MorphologyError(PairwrightError):
    """A dictionary, an inflection table or a treebank can't be read for its word forms."""


class StoreError(PairwrightError):
    """A stage file is damaged or missing."""


class PromptError(PairwrightError):
    """A prompt file can't be used, or a variable of a prompt is missing or unknown."""


class LLMError(PairwrightError):
    """A language model's server can't be used: no key, no model, no answer, or an answer that offline work lacks."""


class BudgetError(PairwrightError):
    """The cap on money or tokens is reached, or a cap on money is set for a model without a price."""


class ReviewError(PairwrightError):
    """An annotation file can't be taken over."""


class ReleaseError(PairwrightError):
    """A release can't be frozen, or a frozen one has changed."""


class ModelError(PairwrightError):
    """A language model can't be loaded or can't score what was asked."""


class UnknownModel(ModelError):
    """No model can be had by a name, or none on a device: a slip, of which reports say nothing."""


class Nothing(NamedTuple):
    """Why a step made nothing, and the next step: a command line, or what a person has to do before one."""

    reason: str
    next: str

    def __str__(self) -> str:
        return f"{self.reason}; next: {self.next}"


def counted(n: int, noun: str) -> str:
    """A number with its noun in English, such as `1 pair` and `2,000 pairs`."""
    plural = re.sub(r"(?<![aeiou])y$", "ie", noun)
    plural += "es" if plural.endswith(("ch", "s", "x")) else "s"
    return f"{n:,} {noun if n == 1 else plural}"


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message on an unknown name: `; did you mean lt-sample?`, or nothing where no known name is near."""
    return "".join(f"; did you mean {other}?" for other in get_close_matches(name, list(known), 1))


def one_line(text: object, limit: int = 200) -> str:
    """Text of unknown origin, or the message of an exception, for a message: one line of at most `limit` characters.

    An exception without a message gives the name of its class.
    """
    line = " ".join(_UNPRINTABLE.sub(" ", str(text)).split())
    line = line or (type(text).__name__ if isinstance(text, BaseException) else "")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def printable(text: str) -> str:
    """Text of unknown origin as one line that any terminal shows; line ends and controls in it are escapes."""
    return _UNPRINTABLE.sub(lambda match: repr(match[0])[1:-1], text)


def at(path: Path | str, line: int | None = None, column: int | None = None) -> str:
    """The place of a fault as `file:line:column`, the form that editors and terminals open."""
    return ":".join(str(part) for part in (path, line, column) if part is not None)
