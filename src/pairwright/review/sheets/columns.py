"""The columns of a review queue, their titles in the reviewer's language, and the digest of an answer."""

from collections.abc import Mapping, Sequence

from pairwright.core.errors import ConfigError
from pairwright.core.ids import digest
from pairwright.core.records import QueueKind
from pairwright.languages import Language
from pairwright.review.sheets.spreadsheet import title_key
from pairwright.review.sheets.words import squeeze_cell

# What the reviewer writes. The first of them is the answer itself.
ANSWERS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("decision", "fixed_good", "fixed_bad", "comment"),
    "choice": ("choice", "comment"),
    "likert": ("rating", "comment"),
}
# The sentences that the reviewer is shown.
SHOWN: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("good", "bad"),
    "choice": ("sentence_a", "sentence_b"),
    "likert": ("sentence",),
}
IDS: Mapping[QueueKind, str] = {"pairs": "pair_id", "choice": "item_id", "likert": "item_id"}
# A digest of the answer with which a row was written, by which what was written into it since is noticed.
EXPORTED = "exported"
_HELP = ("alternatives", "translation", "differs", "basis", "examples", "source", "findings", "votes", "reason")
# Columns that a sheet has only where one of its rows has something there.
WHERE_GIVEN = ("translation", "basis", "findings", "votes", "reason")
# All fields, in the order that a new sheet has them.
COLUMNS: Mapping[QueueKind, tuple[str, ...]] = {
    "pairs": ("pair_id", "reviewer", "rule", *SHOWN["pairs"], *ANSWERS["pairs"], *_HELP, EXPORTED),
    "choice": ("item_id", "reviewer", *SHOWN["choice"], *ANSWERS["choice"], EXPORTED),
    "likert": ("item_id", "reviewer", *SHOWN["likert"], *ANSWERS["likert"], EXPORTED),
}


def titles(language: Language, kind: QueueKind) -> dict[str, str]:
    """The titles by field, in order, else English. Raises ConfigError for two equal titles."""
    titles_of_all = language.words("review").group("columns")
    title_of = {field: titles_of_all[field] for field in COLUMNS[kind]}
    if len({title_key(title) for title in title_of.values()}) < len(title_of):
        raise ConfigError(f"language '{language.code}': two columns have the same title")
    return title_of


def state_of(answer: Sequence[str]) -> str:
    """A digest of an answer's cells, white space aside; empty for an empty answer."""
    cells = tuple(map(squeeze_cell, answer))
    return digest(cells)[:16] if any(cells) else ""
