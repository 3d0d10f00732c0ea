"""The notation of an error list, as `notations/<name>.toml` declares it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pairwright.config import Settings, read_toml
from pairwright.errors import ConfigError
from pairwright.languages import resource


class Notation(Settings):
    """How an error list marks what is wrong and what is right.

    layout        brackets: `wrong words (= right words)` inside a sentence; marks: a sign before whole wordings, or an
                  arrow between them; columns: a table with a wrong and a right column
    wrong_first   marks of a bracket that corrects the words before it
    right_first   marks of a bracket that names the wording to avoid, behind the right words
    separators    signs between alternative corrections, the strongest first
    code          pattern of a rule's code at the start of a heading, list item or paragraph
    entry_arrows  signs between a headword and its examples
    intros        words that introduce examples
    notes         words that open a note whose examples are acceptable: an exception
    references    words that open a cross reference
    labels        patterns of labels between examples, such as `vietoj vardininko:`
    """

    name: str
    title: str
    layout: Literal["brackets", "marks", "columns"]
    wrong_first: tuple[str, ...] = ()
    right_first: tuple[str, ...] = ()
    separators: tuple[str, ...] = ()
    code: str = r"\d+(?:\.\d+)+"
    entry_arrows: tuple[str, ...] = ()
    intros: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    wrong_marks: tuple[str, ...] = ()
    right_marks: tuple[str, ...] = ()
    arrows: tuple[str, ...] = ()
    wrong_columns: tuple[str, ...] = ()
    right_columns: tuple[str, ...] = ()
    code_columns: tuple[str, ...] = ()
    rule_columns: tuple[str, ...] = ()
    note_columns: tuple[str, ...] = ()


def load_notation(name: str, workspace: Path | None = None) -> Notation:
    """Load a notation by name. Raises ConfigError for an unknown name, a faulty file or an invalid pattern."""
    path = resource("notations", name, workspace)
    notation = read_toml(path, Notation)
    for pattern in (notation.code, *notation.labels):
        try:
            re.compile(pattern)
        except re.error as fault:
            raise ConfigError(f"{path}: '{pattern}' is not a regular expression: {fault}") from None
    return notation


def any_of(signs: Iterable[str]) -> str:
    """A pattern for any of the signs or whole words, the longest first; it matches nothing where there are none."""
    patterns = [re.escape(sign) + r"\b" * sign[-1].isalnum() for sign in sorted(signs, key=len, reverse=True)]
    return f"(?:{'|'.join(patterns) or '(?!)'})"
