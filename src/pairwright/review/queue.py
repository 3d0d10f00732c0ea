"""Review queues: who is asked about which pair, written into a sheet a reviewer.

Assignment: pairs are taken in the order of their rules. Each goes to as many reviewers as the settings ask who do not
have it yet, those with the shortest sheets first; between sheets of one length a hash of pair and reviewer decides, as
in rendezvous hashing (Thaler & Ravishankar 1998), so that the same people do not always meet. What stands in a sheet
stays there: a later export only appends, and a reviewer who joins later gets the new pairs until the sheets are even.
"""

import codecs
from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.config import ReviewSettings
from pairwright.errors import ReviewError
from pairwright.ids import digest
from pairwright.languages import Language, load_language
from pairwright.records import Candidate, Change, CheckedPair, Record, Rule, Source
from pairwright.review.columns import FIELDS, QueueSheet, cell_matches, read_queue_sheet, titles
from pairwright.review.decisions import latest_decisions, votes
from pairwright.review.folder import QueueFolder, plain_name
from pairwright.review.spreadsheet import MARKS, write_sheet
from pairwright.store import atomic


class SheetExport(Record):
    """What became of a reviewer's sheet: rows appended, and rows that stood in it and were left as they are."""

    reviewer: str
    path: Path
    n_new: int
    n_kept: int


class QueueExport(Record):
    """The sheets of a queue after an export, and the file of instructions beside them."""

    queue: str
    sheets: tuple[SheetExport, ...]
    instructions: Path


def export_queue(
    annotations: Path,
    queue: str,
    pairs: Sequence[CheckedPair],
    rules: Mapping[str, Rule],
    source: Source,
    language: Language,
    settings: ReviewSettings,
) -> QueueExport:
    """Writes `annotations/<queue>/<reviewer>.csv` for each reviewer of the settings, or tops up those that exist.

    `rules` gives the rules by id, in the order in which reviewers shall see them. Only pairs that passed their checks
    are asked about and, unless the settings want alternatives, only default and corrected ones. Rows that stand in a
    sheet stay with all their cells. Nobody is asked about a pair that they made themselves by correcting another.
    Raises ReviewError, and writes nothing, where a name is not plain, the settings can't be met or a sheet is damaged.
    """
    folder = QueueFolder(annotations, queue)
    reviewers = _reviewers(settings)
    asked = _asked(pairs, rules, settings)
    named = titles(language)
    with folder.locked():
        sheets = {name: read_queue_sheet(folder.sheet(name), language) for name in folder.reviewers()}
        handed_out = folder.pairs() | {pair.id: pair for pair in asked}
        for sheet in sheets.values():
            _trust_letters(sheet, handed_out, language)
        holders = _holders(folder, sheets, reviewers, handed_out)
        new = _assign(
            asked, holders, reviewers, settings.per_pair, {name: len(_ids(sheets, name)) for name in reviewers}
        )
        folder.add_pairs(pair for assigned in new.values() for pair in assigned)
        exports = []
        for reviewer in reviewers:
            known = sheets.get(reviewer)
            rows = [_row(pair, reviewer, rules[pair.rule_id], source) for pair in new[reviewer]]
            if rows:
                _write(folder.sheet(reviewer), known, rows, named, settings.separator)
            n_kept = len(known.sheet.rows) if known else 0
            exports.append(SheetExport(reviewer=reviewer, path=folder.sheet(reviewer), n_new=len(rows), n_kept=n_kept))
        instructions = _write_instructions(folder, language)
    return QueueExport(queue=queue, sheets=tuple(exports), instructions=instructions)


def _reviewers(settings: ReviewSettings) -> tuple[str, ...]:
    names = tuple(plain_name("reviewer", name) for name in settings.reviewers)
    if len(set(names)) < len(names):
        raise ReviewError(f"a reviewer is named twice: {', '.join(names)}; name each once")
    if len(names) < settings.per_pair:
        raise ReviewError(
            f"{settings.per_pair} reviewers a pair are asked for, but {len(names)} named; name more or lower per_pair"
        )
    return names


def _asked(pairs: Sequence[CheckedPair], rules: Mapping[str, Rule], settings: ReviewSettings) -> list[Candidate]:
    found: dict[str, Candidate] = {}
    for checked in pairs:
        pair = checked.candidate
        if checked.verdict == "pass" and (settings.alternatives or pair.parent_id is None or pair.method == "manual"):
            found.setdefault(pair.id, pair)
    order = {rule_id: number for number, rule_id in enumerate(rules)}
    lost = next((pair for pair in found.values() if pair.rule_id not in order), None)
    if lost is not None:
        raise ReviewError(f"pair {lost.id} belongs to an unknown rule {lost.rule_id}; build the source anew")
    return sorted(found.values(), key=lambda pair: order[pair.rule_id])


def _ids(sheets: Mapping[str, QueueSheet], reviewer: str) -> list[str]:
    sheet = sheets.get(reviewer)
    return [sheet.cell(row, "pair_id").strip() for row in sheet.sheet.rows] if sheet else []


def _trust_letters(sheet: QueueSheet, pairs: Mapping[str, Candidate], language: Language) -> None:
    """Refuses to rewrite a sheet in a legacy encoding whose known sentences come out wrong: it may be in another."""
    if sheet.sheet.encoding in {encoding for _, encoding in MARKS}:
        return
    for row in sheet.sheet.rows:
        pair = pairs.get(sheet.cell(row, "pair_id").strip())
        for field in ("good", "bad"):
            if pair and not cell_matches(sheet.cell(row, field), getattr(pair, field)):
                raise ReviewError(
                    sheet.fault(
                        row,
                        field,
                        "the sentence is not the one that was exported, so the file may not be in "
                        f"{language.legacy_encoding}; save the sheet as 'CSV UTF-8' with this cell as it was",
                    )
                )


def _holders(
    folder: QueueFolder,
    sheets: Mapping[str, QueueSheet],
    reviewers: Sequence[str],
    pairs: Mapping[str, Candidate],
) -> dict[str, set[str]]:
    """Who has or had each pair. Of people who are no longer asked only what they decided counts."""
    holders: dict[str, set[str]] = {}
    for reviewer in reviewers:
        for pair_id in _ids(sheets, reviewer):
            holders.setdefault(pair_id, set()).add(reviewer)
    for pair_id, voices in votes(latest_decisions(folder.log).values(), pairs).items():
        holders.setdefault(pair_id, set()).update(voices)
    return holders


def _assign(
    pairs: Sequence[Candidate],
    holders: Mapping[str, set[str]],
    reviewers: Sequence[str],
    per_pair: int,
    load: dict[str, int],
) -> dict[str, list[Candidate]]:
    new: dict[str, list[Candidate]] = {reviewer: [] for reviewer in reviewers}
    for pair in pairs:
        has = holders.get(pair.id, set())
        free = {reviewer: digest([pair.id, reviewer]) for reviewer in reviewers if reviewer not in has}
        ranks = sorted((load[reviewer], chance, reviewer) for reviewer, chance in free.items())
        for _, _, reviewer in ranks[: max(0, per_pair - len(has))]:
            new[reviewer].append(pair)
            load[reviewer] += 1
    return new


def _row(pair: Candidate, reviewer: str, rule: Rule, source: Source) -> dict[str, str]:
    place, name = pair.evidence, Path(pair.evidence.file).name
    spot = f"{name}:{place.line}" if place.line is not None else f"{name}, p. {place.page}"
    return {
        "pair_id": pair.id,
        "reviewer": reviewer,
        "rule": f"{rule.code} {rule.title}".strip(),
        "good": pair.good,
        "bad": pair.bad,
        "differs": "; ".join(_arrow(change) for change in pair.changes),
        "alternatives": " | ".join(pair.alternatives),
        "source": f"{source.title}, {spot}",
    }


def _arrow(change: Change) -> str:
    return f"{change.bad or '∅'} → {change.good or '∅'}"


def _write(
    path: Path, known: QueueSheet | None, rows: Sequence[Mapping[str, str]], named: Mapping[str, str], separator: str
) -> None:
    columns = known.columns if known else {field: index for index, field in enumerate(FIELDS)}
    header = known.sheet.header.cells if known else tuple(named.values())
    kept = [row.cells for row in known.sheet.rows] if known else []
    fields = {index: field for field, index in columns.items()}
    new = [tuple(row.get(fields.get(index, ""), "") for index in range(len(header))) for row in rows]
    write_sheet(path, [header, *kept, *new], separator)


def _write_instructions(folder: QueueFolder, language: Language) -> Path:
    """Writes what the reviewers read beside their sheets, where it is not there letter by letter already."""
    text = (language.instructions or load_language("en").instructions).strip()
    words = "\n".join("- " + " / ".join(spellings) for _, spellings in language.decisions)
    lines = f"{text}\n\n{titles(language)['decision']}:\n{words}\n"
    content = codecs.BOM_UTF8 + lines.replace("\n", "\r\n").encode()
    path = folder.path / f"INSTRUCTIONS.{language.code}.txt"
    if not path.exists() or path.read_bytes() != content:
        with atomic(path, "wb") as handle:
            handle.write(content)
    return path
