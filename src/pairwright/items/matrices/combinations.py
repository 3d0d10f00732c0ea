"""Which words go together, as native speakers decide: a table with a row for each proposed combination."""

from collections.abc import Iterable
from pathlib import Path

from pairwright.errors import ConfigError, at
from pairwright.files import read_text
from pairwright.languages.words import DecisionWords
from pairwright.records.base import Record
from pairwright.store import write_text
from pairwright.tables import read_table, table_text
from pairwright.text import nfc, unescape_csv_formula

COLUMNS = ("head", "slot", "word", "sentence", "decision", "decided_by", "proposed_by")


class Combination(Record):
    """A word that may stand in a slot beside a head, or beside every one (`*`).

    sentence     in which reviewers see it
    decision     in the reviewers' own words; empty while nobody decided
    proposed_by  who proposed it: a model, a treebank
    """

    head: str
    slot: str
    word: str
    sentence: str
    decision: str = ""
    decided_by: str = ""
    proposed_by: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.head, self.slot, self.word


def read_combinations(path: Path, words: DecisionWords) -> dict[tuple[str, str, str], tuple[Combination, str]]:
    """The combinations of a table with what was decided: approve, fix, reject, unsure or nothing. None without a file.

    Raises ConfigError, with file and line, for other columns, a word that is no decision, and a row that comes twice.
    """
    if not path.exists():
        return {}
    titles, rows = read_table(path, nfc(read_text(path, error=ConfigError)), "\t", ConfigError)
    if titles != COLUMNS:
        raise ConfigError(f"{at(path, 1)}: the columns are {', '.join(COLUMNS)}, parted by tabs; mend the first line")
    meanings = {word.casefold(): decision for decision, own in words for word in (*own, decision)}
    read: dict[tuple[str, str, str], tuple[Combination, str]] = {}
    for row in rows:
        place = at(path, row.line)
        one = Combination.model_validate({name: unescape_csv_formula(cell).strip() for name, cell in row.cells.items()})
        if not all(one.key):
            raise ConfigError(f"{place}: head, slot or word is empty; fill the cell, or take the line out")
        decision = meanings.get(one.decision.casefold().rstrip("."), "" if not one.decision else None)
        if decision is None:
            known = ", ".join(next(iter(own)) for _, own in words)
            raise ConfigError(f"{place}: '{one.decision}' is no decision; write {known}, or leave the cell empty")
        if one.key in read:
            raise ConfigError(f"{place}: '{one.word}' stands twice beside '{one.head}'; take one line out")
        read[one.key] = one, decision
    return read


def write_combinations(path: Path, combinations: Iterable[Combination]) -> None:
    """Writes the table, in the given order."""
    rows = ([getattr(one, column) for column in COLUMNS] for one in combinations)
    write_text(path, table_text([COLUMNS, *rows], "\t"))
