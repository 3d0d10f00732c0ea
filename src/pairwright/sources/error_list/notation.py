"""The notation of an error list, as `notations/<name>.toml` declares it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError
from pairwright.core.toml import read_toml
from pairwright.languages import resource, resource_names

Sign = Annotated[str, Field(min_length=1)]
Column = Annotated[int, Field(ge=1)]


class Notation(Settings):
    """How an error list marks what is wrong and what is right.

    layout        brackets: `wrong words (= right words)` inside a sentence; marks: a sign before whole wordings, or an
                  arrow between them; phrases: `not wrong but right` on a line; columns: a table with a wrong and a
                  right column
    example       a line in the notation, which messages show
    doubtful      its signs also stand for other things: it is tried last, and the sides of a pair must share something
    guess         which of its labels is that of the wrong wording is a guess, and so are its pairs
    wrong_first   marks of a bracket that corrects the words before it
    right_first   marks of a bracket that names the wording to avoid, behind the right words
    deletions     what a bracket holds that deletes the words before it
    unmarked      a bracket without a mark corrects, too, unless a number or one of the references opens it
    separators    signs between alternative corrections, the strongest first
    code          pattern of a rule's code at the start of a heading, list item or paragraph
    entry_arrows  signs between a headword and its examples
    intros        words that introduce examples
    notes         words that open a note whose examples are acceptable: an exception
    references    words that open a cross reference
    labels        patterns of labels between examples, such as `vietoj vardininko:`
    wrong_marks   signs before a wrong wording, words too; an arrow without any takes the whole line before it
    right_marks   the same before a right wording
    wrong_columns titles of the column of wrong wordings, from clear to vague; likewise the other columns
    wrong_column  its number, counted from 1, where a table has no such titles; likewise right_column
    """

    name: str
    title: str
    layout: Literal["brackets", "marks", "phrases", "columns"]
    example: str = ""
    doubtful: bool = False
    guess: bool = False
    wrong_first: tuple[Sign, ...] = ()
    right_first: tuple[Sign, ...] = ()
    deletions: tuple[Sign, ...] = ()
    unmarked: bool = False
    separators: tuple[Sign, ...] = ()
    code: str = r"\d+(?:\.\d+)+"
    entry_arrows: tuple[Sign, ...] = ()
    intros: tuple[Sign, ...] = ()
    notes: tuple[Sign, ...] = ()
    references: tuple[Sign, ...] = ()
    labels: tuple[str, ...] = ()
    wrong_marks: tuple[Sign, ...] = ()
    right_marks: tuple[Sign, ...] = ()
    arrows: tuple[Sign, ...] = ()
    wrong_columns: tuple[Sign, ...] = ()
    right_columns: tuple[Sign, ...] = ()
    code_columns: tuple[Sign, ...] = ()
    rule_columns: tuple[Sign, ...] = ()
    note_columns: tuple[Sign, ...] = ()
    wrong_column: Column | None = None
    right_column: Column | None = None

    @property
    def clear_refusals(self) -> tuple[Sign, ...]:
        """The marks of a bracket with the wording to avoid that mean nothing else: with a colon or of several words."""
        return tuple(mark for mark in self.right_first if mark.endswith(":") or " " in mark)


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


def load_notations(workspace: Path | None = None) -> list[Notation]:
    """All notations, by name, including those of the workspace. Raises ConfigError as `load_notation` does."""
    return [load_notation(name, workspace) for name in resource_names("notations", workspace)]


def any_of(signs: Iterable[str]) -> str:
    """A pattern for any of the signs or whole words, the longest first; it matches nothing where there are none."""
    patterns = [re.escape(sign) + r"\b" * sign[-1].isalnum() for sign in sorted(signs, key=len, reverse=True)]
    return f"(?:{'|'.join(patterns) or '(?!)'})"
