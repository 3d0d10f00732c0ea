"""What a reviewer's sheet says, row by row: decisions, or every fault with its place. No filled cell is passed over."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

from pairwright.languages import Language
from pairwright.records import Candidate, Decision, DecisionWord
from pairwright.review.columns import QueueSheet, cell_matches, excerpt, letters_lost
from pairwright.review.spreadsheet import REMEDY, Row
from pairwright.text import squeeze

WORDS: tuple[DecisionWord, ...] = ("approve", "fix", "reject", "unsure")


class DecisionVocabulary:
    """The words for decisions in a language; the English names are understood too unless they mean something there."""

    def __init__(self, language: Language) -> None:
        self.meaning: dict[str, DecisionWord] = {word: word for word in WORDS}
        self.best: dict[DecisionWord, str] = {}
        for decision in WORDS:
            spellings: tuple[str, ...] = getattr(language.decisions, decision)
            self.best[decision] = spellings[0]
            self.meaning |= {_word_key(spelling): decision for spelling in spellings}

    def read(self, cell: str) -> DecisionWord | None:
        """The decision that a cell names; None where the word is unknown."""
        return self.meaning.get(_word_key(cell))

    def fault(self, cell: str) -> str:
        """What to say of an unknown word: the nearest known one, if any is near."""
        near = process.extractOne(_word_key(cell), list(self.meaning), scorer=fuzz.ratio, score_cutoff=55)
        hint = f"did you mean '{near[0]}'? " if near else ""
        return f"unknown decision '{excerpt(cell)}'; {hint}write one of: {', '.join(self.best.values())}"


def _word_key(cell: str) -> str:
    return squeeze(cell).casefold().rstrip(".!").rstrip()


@dataclass
class SheetReading:
    """What a sheet says. `faults` are messages with their places, in the order of the rows."""

    decisions: list[Decision] = field(default_factory=list)
    n_undecided: int = 0
    faults: list[str] = field(default_factory=list)


def read_rows(
    sheet: QueueSheet, reviewer: str, pairs: Mapping[str, Candidate], words: DecisionVocabulary, at: str
) -> SheetReading:
    """Reads a reviewer's sheet against the known pairs, by id. `at` is the time that its decisions get."""
    reading = SheetReading()
    seen: dict[str, Row] = {}
    for row in sheet.sheet.rows:
        pair_id = sheet.cell(row, "pair_id").strip()
        pair = pairs.get(pair_id)
        faults = list(_row_faults(sheet, row, reviewer, pair, seen))
        decision = words.read(sheet.cell(row, "decision"))
        if pair is not None:
            faults += _decision_faults(sheet, row, pair, decision, words)
        seen.setdefault(pair_id, row)
        reading.faults += faults
        if decision is None:
            reading.n_undecided += 1
        elif not faults:
            reading.decisions.append(_decision(sheet, row, pair_id, reviewer, decision, at))
    return reading


def _decision(sheet: QueueSheet, row: Row, pair_id: str, reviewer: str, decision: DecisionWord, at: str) -> Decision:
    return Decision(
        pair_id=pair_id,
        reviewer=reviewer,
        decision=decision,
        good=squeeze(sheet.cell(row, "fixed_good")) or None,
        bad=squeeze(sheet.cell(row, "fixed_bad")) or None,
        comment=sheet.cell(row, "comment"),
        at=at,
    )


def _row_faults(
    sheet: QueueSheet, row: Row, reviewer: str, pair: Candidate | None, seen: Mapping[str, Row]
) -> Iterator[str]:
    """Faults of what the reviewer was given: a row that was moved, doubled, taken from another's sheet or edited."""
    pair_id = sheet.cell(row, "pair_id").strip()
    if not pair_id:
        yield sheet.fault(row, "pair_id", "the row has no pair; put the id back, or move your notes into a pair's row")
    elif pair_id in seen:
        first = sheet.sheet.place(seen[pair_id])[0]
        same = all(
            squeeze(sheet.cell(row, name)) == squeeze(sheet.cell(seen[pair_id], name))
            for name in ("decision", "fixed_good", "fixed_bad", "comment")
        )
        kind = "with the same answer" if same else "with another answer"
        yield sheet.fault(row, "pair_id", f"{pair_id} stands in line {first} already, {kind}; keep one of the rows")
    elif pair is None:
        yield sheet.fault(
            row,
            "pair_id",
            f"unknown pair '{excerpt(pair_id)}'; put the id back as it was exported, or move the row away",
        )
    owner = sheet.cell(row, "reviewer").strip()
    if owner and owner != reviewer:
        yield sheet.fault(
            row,
            "reviewer",
            f"the row is of '{excerpt(owner)}', the file of '{reviewer}'; keep one reviewer a file",
        )
    for index in range(len(sheet.sheet.header.cells), len(row.cells)):
        if row.cells[index].strip():
            yield (
                f"{sheet.sheet.at(row, index)}: '{excerpt(row.cells[index])}' stands to the right of the last column; "
                "give the column a title, or put quotation marks around a cell that contains "
                f"{'a tab' if sheet.sheet.separator == chr(9) else repr(sheet.sheet.separator)}"
            )
            return


def _decision_faults(
    sheet: QueueSheet, row: Row, pair: Candidate, decision: DecisionWord | None, words: DecisionVocabulary
) -> Iterator[str]:
    """Faults of what the reviewer wrote: a sentence edited in place, an unknown word, a correction that is none."""
    for name, text, corrected in (("good", pair.good, "fixed_good"), ("bad", pair.bad, "fixed_bad")):
        shown = sheet.cell(row, name)
        if not cell_matches(shown, text):
            if letters_lost(shown, text):
                yield sheet.fault(
                    row, name, f"letters were lost when the file was saved; {REMEDY} and check your cells"
                )
            else:
                yield sheet.fault(
                    row, name, f"the sentence was changed; put it back and write into '{sheet.titles[corrected]}'"
                )
    word = sheet.cell(row, "decision")
    if word.strip() and decision is None:
        yield sheet.fault(row, "decision", words.fault(word))
        return
    fixed = {name: squeeze(sheet.cell(row, name)) for name in ("fixed_good", "fixed_bad")}
    if decision != "fix":
        filled = next((name for name, sentence in fixed.items() if sentence), None)
        if filled:
            yield sheet.fault(
                row,
                filled,
                f"a corrected sentence needs the decision '{words.best['fix']}'; write it, or empty this cell",
            )
        return
    good, bad = fixed["fixed_good"] or squeeze(pair.good), fixed["fixed_bad"] or squeeze(pair.bad)
    if not any(fixed.values()):
        yield sheet.fault(
            row,
            "decision",
            f"'{excerpt(word)}' needs a corrected sentence; write it into '{sheet.titles['fixed_good']}' "
            f"or '{sheet.titles['fixed_bad']}'",
        )
    elif good == bad:
        yield sheet.fault(row, "decision", "both sentences are the same after the correction; a pair must differ")
    elif (good, bad) == (squeeze(pair.good), squeeze(pair.bad)):
        yield sheet.fault(
            row,
            "decision",
            f"the corrected sentences are those of the pair; correct one, or write '{words.best['approve']}'",
        )
