"""Review queues: who is asked about which pair, written into a sheet a reviewer.

Assignment: pairs are taken in their order. Each goes to as many reviewers as the settings ask who do not have it yet,
those with the least to do first; between those who have as much a hash of pair and reviewer decides, as in rendezvous
hashing (Thaler & Ravishankar 1998), so that the same people do not always meet. What was given stays given: a later
export only adds, and a reviewer who joins later gets the new pairs until all have as much.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pairwright.config import ReviewSettings
from pairwright.errors import ReviewError
from pairwright.ids import digest
from pairwright.languages import Language, load_language
from pairwright.records import Candidate, CheckedPair, QueueKind, Record, Rule, Source
from pairwright.review.log.folder import Assignment, PairText, QueueFolder, QueueInfo, plain_name
from pairwright.review.log.votes import Votes, corrections, latest_decisions, source_decisions, votes
from pairwright.review.queue.design import Extras, choice_items, design_index, rating_items, versions_of
from pairwright.review.queue.order import Open, active_order, approved_by_rule, doubt_of, random_order
from pairwright.review.queue.sheet_writer import HandingOut, SheetExport, write_instructions
from pairwright.review.sheets.columns import titles
from pairwright.review.sheets.rows import RowMaker


class QueueExport(Record):
    """The sheets of a queue after an export, and the file of instructions beside them.

    n_short  pairs that fewer reviewers have than the settings ask, because the others have them or their quota is full
    """

    queue: str
    kind: QueueKind
    sheets: tuple[SheetExport, ...]
    instructions: Path
    n_short: int


def export_queue(
    annotations: Path,
    queue: str,
    pairs: Sequence[CheckedPair],
    rules: Mapping[str, Rule],
    source: Source,
    language: Language,
    settings: ReviewSettings,
    kind: QueueKind = "pairs",
    extras: Extras | None = None,
    votes_needed: int = 2,
) -> QueueExport:
    """Writes `annotations/<queue>/<reviewer>.csv` for each reviewer of the settings, or tops up those that exist.

    `rules` gives the rules by id, in the order of the source; `language` is that of the reviewers' words. Only pairs
    that passed their checks are asked about and, unless the settings want alternatives, only default and corrected
    ones. Rows that stand in a sheet stay with all their cells; a sheet that is gone is written again from the logs.
    Nobody is asked about a pair that they made themselves by correcting another, in whichever queue of the source.
    `votes_needed` are the approvals of a release, by which active order knows which rules lack pairs.
    Raises ReviewError, and writes nothing, where a name is not plain, the settings can't be met, the queue is of
    another kind or source, or a sheet is damaged.
    """
    folder = QueueFolder(annotations, queue)
    reviewers = _reviewers(settings, kind)
    asked = _asked(pairs, rules, settings)
    titles(language, kind)
    with folder.locked():
        info = _info(folder, kind, source, language, settings)
        given = folder.assignments()
        known = folder.pair_texts()
        cast = votes(latest_decisions(folder.log).values(), known | _texts(asked)) if kind == "pairs" else {}
        ordered = _ordered(asked, pairs, cast, settings, votes_needed)
        spoken = _spoken(cast, annotations, pairs, source) if kind == "pairs" else {}
        new, n_short = _assign(ordered, given, spoken, reviewers, settings, kind)
        added = _items(info, new, list(known.values()), given, extras or Extras(), settings)
        maker = RowMaker(source, rules, {pair.candidate.id: pair for pair in pairs}, language, settings.show_findings)
        requested = frozenset({"findings"}) if settings.show_findings else frozenset()
        desk = HandingOut(folder, info, [*given, *added], known | _texts(asked), maker, language, settings.separator)
        exports = desk.hand_out(added, [pair for assigned in new.values() for pair in assigned], reviewers, requested)
        instructions = write_instructions(folder, language, kind)
    return QueueExport(queue=queue, kind=kind, sheets=exports, instructions=instructions, n_short=n_short)


def reviewers_language(annotations: Path, queue: str, source: Source, settings: ReviewSettings, root: Path) -> Language:
    """The language of the words that a queue's reviewers read: as the queue was made, as set, or the source's own.

    `root` is the workspace, which may have language files of its own.
    """
    info = QueueFolder(annotations, queue).info()
    code = info.language if info else settings.language or source.language
    return load_language(code, root)


def _reviewers(settings: ReviewSettings, kind: QueueKind) -> tuple[str, ...]:
    names = tuple(plain_name("reviewer", name) for name in settings.reviewers)
    if len(set(names)) < len(names):
        raise ReviewError(f"a reviewer is named twice: {', '.join(names)}; name each once")
    if not names or (kind != "likert" and len(names) < settings.per_pair):
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


def _info(
    folder: QueueFolder, kind: QueueKind, source: Source, language: Language, settings: ReviewSettings
) -> QueueInfo:
    info = folder.info()
    if info is None:
        versions = settings.versions if kind == "likert" else 1
        return QueueInfo(
            queue=folder.queue,
            kind=kind,
            source=source.id,
            language=language.code,
            seed=settings.seed,
            versions=versions,
        )
    if (info.kind, info.source) != (kind, source.id) or info.of is not None:
        what = f"settles the conflicts of {info.of}" if info.of else f"is of {info.kind} from {info.source}"
        raise ReviewError(f"{folder.path}: this queue {what}; give the new one another name")
    return info


def _texts(pairs: Sequence[Candidate]) -> dict[str, PairText]:
    return {pair.id: PairText(pair.id, pair.rule_id, pair.good, pair.bad) for pair in pairs}


def _ordered(
    asked: Sequence[Candidate],
    pairs: Sequence[CheckedPair],
    cast: Votes,
    settings: ReviewSettings,
    votes_needed: int,
) -> list[Candidate]:
    if settings.order == "source":
        return list(asked)
    by_id = {pair.id: pair for pair in asked}
    doubts = {pair.candidate.id: doubt_of(pair) for pair in pairs}
    waiting = [Open(pair.id, pair.rule_id, doubts[pair.id]) for pair in asked]
    if settings.order == "random":
        return [by_id[pair_id] for pair_id in random_order(waiting, settings.seed)]
    approved = approved_by_rule({pair.candidate.id: pair.candidate for pair in pairs}, cast, votes_needed)
    return [by_id[pair_id] for pair_id in active_order(waiting, approved, settings.target)]


def _spoken(cast: Votes, annotations: Path, pairs: Sequence[CheckedPair], source: Source) -> dict[str, set[str]]:
    """Who has said of a pair in the queue what they think of it, or made it in any queue of the source."""
    found = {pair_id: set(voices) for pair_id, voices in cast.items()}
    known = {pair.candidate.id: pair.candidate for pair in pairs}
    for pair_id, author in corrections(source_decisions(annotations, source.id), known):
        found.setdefault(pair_id, set()).add(author)
    return found


def _assign(
    pairs: Sequence[Candidate],
    given: Sequence[Assignment],
    spoken: Mapping[str, set[str]],
    reviewers: Sequence[str],
    settings: ReviewSettings,
    kind: QueueKind,
) -> tuple[dict[str, list[Candidate]], int]:
    """The new pairs of each reviewer, and how many pairs got fewer reviewers than asked.

    Of people who are no longer asked only what they decided counts.
    """
    holders = {pair_id: set(voices) for pair_id, voices in spoken.items()}
    load = dict.fromkeys(reviewers, 0)
    for assignment in given:
        if assignment.reviewer in load:
            load[assignment.reviewer] += 1
            if assignment.pair_id is not None and assignment.role == "item":
                holders.setdefault(assignment.pair_id, set()).add(assignment.reviewer)
    wanted = len(reviewers) if kind == "likert" else settings.per_pair
    new: dict[str, list[Candidate]] = {reviewer: [] for reviewer in reviewers}
    n_short = 0
    for pair in pairs:
        has = holders.get(pair.id, set())
        if len(has) >= wanted:
            continue
        free = [name for name in reviewers if name not in has]
        if settings.quota is not None:
            free = [name for name in free if load[name] < settings.quota]
        lacking = wanted - len(has)
        if len(free) > lacking:
            ranks = sorted((load[name], digest([pair.id, name]), name) for name in free)
            free = [name for _, _, name in ranks[:lacking]]
        for reviewer in free:
            new[reviewer].append(pair)
            load[reviewer] += 1
        n_short += len(free) < lacking
    return new, n_short


def _items(
    info: QueueInfo,
    new: Mapping[str, Sequence[Candidate]],
    known: Sequence[PairText],
    given: Sequence[Assignment],
    extras: Extras,
    settings: ReviewSettings,
) -> list[Assignment]:
    if info.kind == "pairs":
        return [
            Assignment(item_id=pair.id, reviewer=reviewer, pair_id=pair.id)
            for reviewer, assigned in new.items()
            for pair in assigned
        ]
    before = dict.fromkeys(new, 0)
    for assignment in given:
        before[assignment.reviewer] = before.get(assignment.reviewer, 0) + 1
    every = {pair.id: pair for pair in known} | _texts([pair for assigned in new.values() for pair in assigned])
    index = design_index(list(every.values()))
    versions = versions_of(given, list(new), info.versions)
    found: list[Assignment] = []
    for reviewer, assigned in new.items():
        texts = [every[pair.id] for pair in assigned]
        if not texts:
            continue
        common = (extras, settings.catch_share, info.seed, before[reviewer])
        if info.kind == "choice":
            found += choice_items(info.queue, reviewer, texts, *common)
        else:
            found += rating_items(info.queue, reviewer, texts, versions[reviewer], index, *common)
    return found
