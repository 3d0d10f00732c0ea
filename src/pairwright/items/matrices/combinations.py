"""Which words go together, as native speakers decide: a table with a row for each proposed combination."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from pairwright.errors import ConfigError, at
from pairwright.files import read_file
from pairwright.languages.words import DecisionWords
from pairwright.records.base import Record
from pairwright.store import write_text
from pairwright.text import escape_csv_formula, nfc, unescape_csv_formula

COLUMNS = ("head", "slot", "word", "sentence", "decision", "decided_by", "proposed_by")
_MAX_BYTES = 50_000_000


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
    try:
        text = nfc(read_file(path, _MAX_BYTES, ConfigError).decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        raise ConfigError(f"{path}: not UTF-8 near byte {fault.start}; save the file as UTF-8") from None
    rows = csv.reader(io.StringIO(text), delimiter="\t")
    if tuple(next(rows, ())) != COLUMNS:
        raise ConfigError(f"{at(path, 1)}: the columns are {', '.join(COLUMNS)}, parted by tabs; mend the first line")
    meanings = {word.casefold(): decision for decision, own in words for word in (*own, decision)}
    read: dict[tuple[str, str, str], tuple[Combination, str]] = {}
    for row in rows:
        place = at(path, rows.line_num)
        if len(row) != len(COLUMNS):
            raise ConfigError(f"{place}: {len(row)} cells and not {len(COLUMNS)}; mend the line")
        cells = dict(zip(COLUMNS, (unescape_csv_formula(cell).strip() for cell in row), strict=True))
        one = Combination.model_validate(cells)
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
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in combinations:
        writer.writerow([escape_csv_formula(str(getattr(one, column))) for column in COLUMNS])
    write_text(path, out.getvalue())
