"""What a reviewer's sheet says, row by row: an entry of the log, or the doubt that keeps it out, with its place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pairwright.ids import digest
from pairwright.records import Decision, Judgement, QueueKind, Side
from pairwright.review.log.folder import Assignment, Entry, PairText
from pairwright.review.sheets.columns import ANSWERS, IDS, SHOWN, QueueSheet, excerpt
from pairwright.review.sheets.decoding import REMEDY
from pairwright.review.sheets.spreadsheet import Row
from pairwright.review.sheets.typography import as_typed, cell_matches, letters_lost, plain, squeeze_cell
from pairwright.review.sheets.vocabulary import DecisionVocabulary, read_choice, read_rating

Key = tuple[str, str]
"""An item and a reviewer."""


@dataclass(frozen=True)
class QueueContents:
    """What a queue asks of whom, to read sheets against: assignments by item and reviewer, pairs by id."""

    kind: QueueKind
    assignments: Mapping[Key, Assignment]
    pairs: Mapping[str, PairText]
    words: DecisionVocabulary

    @cached_property
    def reviewers(self) -> frozenset[str]:
        return frozenset(reviewer for _, reviewer in self.assignments)

    def shown(self, assignment: Assignment) -> tuple[str, ...]:
        """The sentences that the reviewer was shown, in the order of the columns."""
        if self.kind != "pairs":
            return assignment.texts
        pair = self.pairs[assignment.item_id]
        return pair.good, pair.bad

    @cached_property
    def by_text(self) -> dict[tuple[str, ...], list[Assignment]]:
        """A reviewer's items by the sentences that they show."""
        found: dict[tuple[str, ...], list[Assignment]] = {}
        for assignment in self.assignments.values():
            key = (assignment.reviewer, *map(plain, self.shown(assignment)))
            found.setdefault(key, []).append(assignment)
        return found


@dataclass
class RowReading:
    """What a row says. `entry` is None where it can't be placed; `doubts` are messages with their places.

    state  the answer's digest, empty where nothing was written, by which a change of the row is known
    """

    row: Row
    state: str
    assignment: Assignment | None = None
    entry: Entry | None = None
    reviewer: str | None = None
    doubts: list[str] = field(default_factory=list)


def state_of(answer: tuple[str, ...]) -> str:
    """What stands for a row's answer when rows are compared; empty for an empty one."""
    return digest(answer)[:16] if any(answer) else ""


def read_row(sheet: QueueSheet, row: Row, owner: str | None, contents: QueueContents, at: str) -> RowReading:
    """Reads a row against what the queue asks. `owner` is whose sheet it is, where that is known; `at` the time."""
    reading = RowReading(row, state_of(sheet.answer(row)))
    if row.fault:
        reading.doubts.append(f"{sheet.sheet.at(row)}: {row.fault}; mend it, or {REMEDY}")
        return reading
    reading.reviewer = _reviewer(sheet, row, owner, contents, reading.doubts)
    if reading.reviewer is not None:
        reading.assignment = _item(sheet, row, reading.reviewer, contents, reading.doubts)
    if reading.assignment is not None:
        entry, kept = _entry(sheet, row, reading.assignment, contents, at)
        reading.entry = entry
        reading.doubts += kept
    return reading


def _reviewer(sheet: QueueSheet, row: Row, owner: str | None, contents: QueueContents, doubts: list[str]) -> str | None:
    named = squeeze_cell(sheet.cell(row, "reviewer")).casefold()
    if named and owner is not None and named != owner:
        doubts.append(
            sheet.fault(row, "reviewer", f"the row is of '{excerpt(named)}', the file of '{owner}'; keep them apart")
        )
        return None
    reviewer = named or owner
    if reviewer is None:
        doubts.append(sheet.fault(row, "reviewer", "the row names no reviewer; write the name, or give --reviewer"))
        return None
    if reviewer not in contents.reviewers:
        known = ", ".join(sorted(contents.reviewers))
        doubts.append(sheet.fault(row, "reviewer", f"unknown reviewer '{excerpt(reviewer)}'; known: {known}"))
        return None
    return reviewer


def _item(sheet: QueueSheet, row: Row, reviewer: str, contents: QueueContents, doubts: list[str]) -> Assignment | None:
    """The item of a row by its id or, where that was lost, by its sentences."""
    column, item_id = IDS[sheet.kind], sheet.item_id(row)
    found = contents.assignments.get((item_id, reviewer))
    if found is not None:
        return found
    texts = tuple(plain(sheet.cell(row, name)) for name in SHOWN[sheet.kind])
    same = contents.by_text.get((reviewer, *texts), []) if all(texts) else []
    if len(same) == 1:
        return same[0]
    if not item_id:
        doubts.append(
            sheet.fault(row, column, "the row has no pair; put the id back, or move your notes into a pair's row")
        )
    elif item_id in contents.pairs or any(key[0] == item_id for key in contents.assignments):
        doubts.append(sheet.fault(row, column, f"{item_id} was not given to '{reviewer}'; leave it to whose it is"))
    else:
        doubts.append(
            sheet.fault(
                row,
                column,
                f"unknown pair '{excerpt(item_id)}'; put the id back as it was exported, or move the row away",
            )
        )
    return None


def _entry(
    sheet: QueueSheet, row: Row, assignment: Assignment, contents: QueueContents, at: str
) -> tuple[Entry | None, list[str]]:
    doubts = list(_shown_faults(sheet, row, assignment, contents))
    if sheet.kind == "pairs":
        return _decision(sheet, row, assignment, contents, at, doubts)
    if doubts:
        return None, doubts
    return _judgement(sheet, row, assignment, at, doubts)


def _shown_faults(sheet: QueueSheet, row: Row, assignment: Assignment, contents: QueueContents) -> Iterator[str]:
    """Sentences that are not those that the reviewer was given."""
    for name, text in zip(SHOWN[sheet.kind], contents.shown(assignment), strict=True):
        if name not in sheet.columns:
            continue
        shown = sheet.cell(row, name)
        if cell_matches(shown, text):
            continue
        if letters_lost(shown, text):
            yield sheet.fault(row, name, f"letters were lost when the file was saved; {REMEDY} and check your cells")
        else:
            column = {"good": "fixed_good", "bad": "fixed_bad"}.get(name, "comment")
            yield sheet.fault(
                row, name, f"the sentence was changed; put it back and write into '{sheet.titles[column]}'"
            )


def _decision(
    sheet: QueueSheet, row: Row, assignment: Assignment, contents: QueueContents, at: str, doubts: list[str]
) -> tuple[Decision | None, list[str]]:
    pair, words = contents.pairs[assignment.item_id], contents.words
    word = sheet.cell(row, "decision")
    decision = words.read(word)
    if squeeze_cell(word) and decision is None:
        return None, [*doubts, sheet.fault(row, "decision", words.fault(word))]
    fixed = {
        "good": as_typed(sheet.cell(row, "fixed_good"), pair.good),
        "bad": as_typed(sheet.cell(row, "fixed_bad"), pair.bad),
    }
    if decision == "fix" and doubts and not any(fixed.values()):
        fixed, doubts = _written_over(sheet, row, assignment, contents, doubts), []
    lost = [doubt for doubt in doubts if "letters were lost" in doubt]
    if len(lost) < len(doubts) or (lost and decision == "fix"):
        return None, doubts
    fault = _correction_fault(sheet, row, pair, decision is not None and decision == "fix", fixed, words)
    if fault:
        return None, [*doubts, fault]
    return (
        Decision(
            pair_id=pair.id,
            reviewer=assignment.reviewer,
            decision=decision,
            good=fixed["good"] or None,
            bad=fixed["bad"] or None,
            comment=sheet.cell(row, "comment") if squeeze_cell(sheet.cell(row, "comment")) else "",
            at=at,
        ),
        doubts,
    )


def _written_over(
    sheet: QueueSheet, row: Row, assignment: Assignment, contents: QueueContents, doubts: list[str]
) -> dict[str, str]:
    """The correction of a reviewer who wrote it over the sentence instead of beside it.

    None where letters were lost, or where the sentences are those of another item: then the rows were mixed up.
    """
    texts = tuple(plain(sheet.cell(row, name)) for name in SHOWN["pairs"])
    if any("letters were lost" in doubt for doubt in doubts) or not all(texts):
        return {"good": "", "bad": ""}
    if any(text in key[1:] for key in contents.by_text for text in texts if key[0] == assignment.reviewer) and not any(
        cell_matches(sheet.cell(row, name), getattr(contents.pairs[assignment.item_id], name))
        for name in SHOWN["pairs"]
    ):
        return {"good": "", "bad": ""}
    pair = contents.pairs[assignment.item_id]
    return {
        name: "" if cell_matches(sheet.cell(row, name), text) else as_typed(sheet.cell(row, name), text)
        for name, text in (("good", pair.good), ("bad", pair.bad))
    }


def _correction_fault(
    sheet: QueueSheet,
    row: Row,
    pair: PairText,
    is_fix: bool,
    fixed: Mapping[str, str],
    words: DecisionVocabulary,
) -> str | None:
    if not is_fix:
        filled = next((name for name, sentence in fixed.items() if sentence), None)
        if filled is None:
            return None
        return sheet.fault(
            row,
            f"fixed_{filled}",
            f"a corrected sentence needs the decision '{words.best['fix']}'; write it, or empty this cell",
        )
    good, bad = fixed["good"] or squeeze_cell(pair.good), fixed["bad"] or squeeze_cell(pair.bad)
    fault = None
    if not any(fixed.values()):
        fault = (
            f"'{excerpt(sheet.cell(row, 'decision'))}' needs a corrected sentence; write it into "
            f"'{sheet.titles['fixed_good']}' or '{sheet.titles['fixed_bad']}'"
        )
    elif good == bad:
        fault = "both sentences are the same after the correction; a pair must differ"
    elif (good, bad) == (squeeze_cell(pair.good), squeeze_cell(pair.bad)):
        fault = f"the corrected sentences are those of the pair; correct one, or write '{words.best['approve']}'"
    return sheet.fault(row, "decision", fault) if fault else None


def _judgement(
    sheet: QueueSheet, row: Row, assignment: Assignment, at: str, doubts: list[str]
) -> tuple[Judgement | None, list[str]]:
    column = ANSWERS[sheet.kind][0]
    cell = sheet.cell(row, column)
    value = read_choice(cell) if sheet.kind == "choice" else read_rating(cell)
    if squeeze_cell(cell) and value is None:
        wanted = "write A or B" if sheet.kind == "choice" else "write a whole number from 1 to 7"
        return None, [*doubts, sheet.fault(row, column, f"'{excerpt(cell)}' is no answer; {wanted}")]
    comment = sheet.cell(row, "comment") if squeeze_cell(sheet.cell(row, "comment")) else ""
    return judgement(sheet.kind, assignment, value, comment, at), doubts


def judgement(kind: QueueKind, assignment: Assignment, value: int | None, comment: str, at: str) -> Judgement:
    """An answer to an item of an experiment: the place of the chosen sentence, 0 or 1, or the rating, 1 to 7."""
    other: dict[Side, Side] = {"good": "bad", "bad": "good"}
    prefers: Side | None = None
    if kind == "choice" and value is not None:
        assert assignment.side is not None
        prefers = assignment.side if value == 0 else other[assignment.side]
    return Judgement(
        item_id=assignment.item_id,
        pair_id=assignment.pair_id,
        reviewer=assignment.reviewer,
        role=assignment.role,
        prefers=prefers,
        side=assignment.side if kind == "likert" else None,
        rating=value if kind == "likert" else None,
        comment=comment,
        at=at,
    )
