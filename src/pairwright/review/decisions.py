"""Decisions of reviewers: taken over from their sheets into an append-only log, and read back from it as votes."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from pairwright.errors import ReviewError
from pairwright.ids import pair_id
from pairwright.languages import Language
from pairwright.records import Candidate, Decision, DecisionWord, Record
from pairwright.review.columns import read_queue_sheet
from pairwright.review.folder import QueueFolder
from pairwright.review.rows import DecisionVocabulary, SheetReading, read_rows
from pairwright.store import append_jsonl, read_log


class SheetImport(Record):
    """What was taken over from a reviewer's sheet.

    n_decided    rows with a decision; `n_undecided` rows without one, commented or not
    n_new        decisions on pairs on which the log had none of this reviewer
    n_changed    decisions, corrections or comments that differ from the reviewer's last ones in the log
    cleared      pairs that the reviewer had decided and that the sheet no longer decides; the logged decision stands
    """

    reviewer: str
    path: Path
    n_decided: int
    n_undecided: int
    n_new: int
    n_changed: int
    cleared: tuple[str, ...]


class ImportResult(Record):
    """What an import took over from each sheet of a queue into its log."""

    queue: str
    log: Path
    sheets: tuple[SheetImport, ...]


def import_decisions(
    annotations: Path, queue: str, known: Mapping[str, Candidate], language: Language, now: datetime
) -> ImportResult:
    """Appends what is new or changed in the sheets of a queue to `annotations/<queue>/decisions.jsonl`.

    `known` gives the current pairs by id; rows about pairs that were exported earlier and are no longer proposed count
    too. `now` becomes the time of the decisions, in UTC. A second import of the same sheets changes nothing.
    Raises ReviewError, and writes nothing, where a sheet has a fault; the message gives the first and counts the rest.
    """
    folder = QueueFolder(annotations, queue)
    if not folder.path.is_dir() or not folder.reviewers():
        raise ReviewError(f"{folder.path}: no sheet of a reviewer is here; export the queue first")
    at = now.astimezone(UTC).isoformat(timespec="seconds")
    with folder.locked():
        logged = latest_decisions(folder.log)
        readings = _read_sheets(folder, folder.pairs() | dict(known), language, at)
        results: list[SheetImport] = []
        appended: list[Decision] = []
        for reviewer, reading in readings.items():
            n_new = n_changed = 0
            for decision in reading.decisions:
                before = logged.get((decision.pair_id, reviewer))
                if before is None or not _same(before, decision):
                    appended.append(decision)
                    n_new, n_changed = n_new + (before is None), n_changed + (before is not None)
            results.append(_result(folder, reviewer, reading, logged, n_new, n_changed))
        if appended:
            append_jsonl(folder.log, appended)
    return ImportResult(queue=queue, log=folder.log, sheets=tuple(results))


def latest_decisions(log_path: Path) -> dict[tuple[str, str], Decision]:
    """The last decision of each reviewer on each pair, by (pair id, reviewer); none where there is no log yet."""
    return {(decision.pair_id, decision.reviewer): decision for decision in read_log(log_path, Decision)}


def votes(decisions: Iterable[Decision], candidates: Mapping[str, Candidate]) -> dict[str, dict[str, DecisionWord]]:
    """What each reviewer says of each pair, by pair id and reviewer; of several decisions on a pair the last counts.

    Who corrects a pair says `fix` of it and approves the pair that the correction makes, unless they decided on that
    one themselves. `candidates` gives the corrected pairs by id.
    """
    latest = {(decision.pair_id, decision.reviewer): decision for decision in decisions}
    found: dict[str, dict[str, DecisionWord]] = {}
    for (identity, reviewer), decision in latest.items():
        found.setdefault(identity, {})[reviewer] = decision.decision
    for decision in latest.values():
        parent = candidates.get(decision.pair_id)
        if decision.decision == "fix" and parent is not None:
            child = pair_id(parent.rule_id, decision.good or parent.good, decision.bad or parent.bad)
            found.setdefault(child, {}).setdefault(decision.reviewer, "approve")
    return found


def _read_sheets(
    folder: QueueFolder, pairs: Mapping[str, Candidate], language: Language, at: str
) -> dict[str, SheetReading]:
    words = DecisionVocabulary(language)
    readings, faults = {}, []
    for reviewer in folder.reviewers():
        try:
            sheet = read_queue_sheet(folder.sheet(reviewer), language)
        except ReviewError as fault:
            faults.append(str(fault))
            continue
        readings[reviewer] = read_rows(sheet, reviewer, pairs, words, at)
        faults += readings[reviewer].faults
    if faults:
        raise ReviewError(faults[0] + (f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""))
    return readings


def _same(before: Decision, now: Decision) -> bool:
    return before == now.model_copy(update={"at": before.at})


def _result(
    folder: QueueFolder,
    reviewer: str,
    reading: SheetReading,
    logged: Mapping[tuple[str, str], Decision],
    n_new: int,
    n_changed: int,
) -> SheetImport:
    decided = {decision.pair_id for decision in reading.decisions}
    before = [identity for identity, voice in logged if voice == reviewer]
    return SheetImport(
        reviewer=reviewer,
        path=folder.sheet(reviewer),
        n_decided=len(reading.decisions),
        n_undecided=reading.n_undecided,
        n_new=n_new,
        n_changed=n_changed,
        cleared=tuple(sorted(identity for identity in before if identity not in decided)),
    )
