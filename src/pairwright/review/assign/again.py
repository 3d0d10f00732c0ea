"""Pairs that are put before people again, in queues of their own: with a reason each, or as conflicts to settle.

No earlier answer changes. What a reviewer says when asked again is their latest word on the pair and counts from then
on. The rows of a conflict show both votes, under pseudonyms that change from pair to pair, so that nobody is recognised
by other answers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pairwright.core.errors import ReviewError
from pairwright.core.ids import pseudonyms
from pairwright.review.log.queue import Assignment, QueueFolder, QueueInfo, ReviewContext, plain_name
from pairwright.review.log.votes import count_votes, latest_decisions, source_votes
from pairwright.review.results.status import Conflict, find_conflicts
from pairwright.review.sheets.contents import read_contents
from pairwright.review.sheets.spreadsheet import read_table
from pairwright.review.sheets.words import DecisionVocabulary
from pairwright.review.sheets.writing import QueueExport, SheetWriter


def read_reasons(path: Path, legacy_encoding: str) -> dict[str, str]:
    """The reason for each pair id, from the columns pair_id and reason.

    Raises ReviewError for a table without them, an empty cell, and a pair that stands twice.
    """
    reasons: dict[str, str] = {}
    for place, cells in read_table(path, ("pair_id", "reason"), legacy_encoding):
        if not cells["pair_id"] or not cells["reason"]:
            raise ReviewError(f"{place}: a pair needs its id and a reason; fill the empty cell")
        if reasons.setdefault(cells["pair_id"], cells["reason"]) != cells["reason"]:
            raise ReviewError(f"{place}: a second reason for {cells['pair_id']}; write both into one row")
    return reasons


def export_recheck(context: ReviewContext, reasons: Mapping[str, str]) -> QueueExport:
    """Writes or tops up the sheets of the queue `<source>-recheck`. `reasons` says why each pair is reviewed again.

    Pairs that the source does not have, or no longer has, are left out. A pair goes to those of the configured
    reviewers who have voted on it, or to all of them if nobody has. Nobody gets a pair twice, and no row of a sheet
    changes. Raises ReviewError if no reviewer is named.
    """
    nobody = "nobody is named to look again; name reviewers under [review] in pairwright.toml"
    reviewers = _plain_names(context.settings.reviewers, nobody)
    votes = source_votes(context.annotations, context.source.id, context.candidates).cast
    items = [
        Assignment(item_id=pair_id, reviewer=reviewer, pair_id=pair_id, reason=reason)
        for pair_id, reason in reasons.items()
        if pair_id in context.pairs
        for reviewer in ([name for name in reviewers if name in votes.get(pair_id, {})] or reviewers)
    ]
    recheck = replace(context, queue=f"{context.source.id}-recheck")
    return _export(recheck, items, reviewers)


def open_conflicts(context: ReviewContext) -> list[Conflict]:
    """The open conflicts of a queue. Raises ReviewError if it is no queue of pairs, or settles conflicts itself."""
    folder = context.folder
    info = folder.info()
    if info.kind != "pairs" or info.of is not None:
        raise ReviewError(f"{folder.path}: this queue has no conflicts to settle; name a queue of pairs")
    texts = folder.pair_texts() | context.candidates
    voted = count_votes(latest_decisions(folder.log()).values(), texts)
    votes = source_votes(context.annotations, info.source, texts)
    judged = {pair_id: texts[pair_id] for pair_id in texts if pair_id in voted}
    return list(find_conflicts(context, judged, votes.cast, votes.adjudicated))


def export_conflicts(context: ReviewContext, adjudicators: Sequence[str]) -> QueueExport:
    """Puts the open conflicts before each adjudicator, in `<queue>-conflicts`. Raises ReviewError if none is named."""
    conflicts = [conflict.pair_id for conflict in open_conflicts(context) if conflict.pair_id in context.pairs]
    names = _plain_names(adjudicators, "nobody is named to settle the conflicts; give --adjudicators")
    items = [Assignment(item_id=pair_id, reviewer=name, pair_id=pair_id) for name in names for pair_id in conflicts]
    settling = replace(context, queue=f"{context.queue}-conflicts")
    votes = shown_votes(context, context.queue)
    return _export(settling, items, names, context.queue, votes)


def shown_votes(context: ReviewContext, queue: str) -> dict[str, str]:
    """What reviewers said of each pair of a queue of the context's source, as adjudicators see it, by pair id."""
    decisions = latest_decisions(QueueFolder(context.annotations, queue).log())
    words = DecisionVocabulary(context.language).best
    shown = {}
    for pair_id, votes_by_reviewer in count_votes(decisions.values(), context.candidates).items():
        votes = []
        for reviewer, name in pseudonyms(pair_id, votes_by_reviewer).items():
            parts: list[str | None] = [words[votes_by_reviewer[reviewer]]]
            # Whoever made the pair by correcting another one has a vote but no decision.
            if decision := decisions.get((pair_id, reviewer)):
                parts += [decision.good, decision.bad, " ".join(decision.comment.split())]
            votes.append(f"{name}: {' – '.join(filter(None, parts))}")
        shown[pair_id] = "; ".join(votes)
    return shown


def _export(
    context: ReviewContext,
    items: Iterable[Assignment],
    reviewers: Sequence[str],
    of: str | None = None,
    votes: Mapping[str, str] | None = None,
) -> QueueExport:
    """Puts chosen pairs before chosen reviewers, in the queue of pairs named by the context.

    Nobody gets a pair twice. `of` is the queue whose conflicts this one settles, with the findings in sight, and
    `votes`, by pair, what its reviewers said.
    """
    folder = context.folder
    with folder.locked():
        info = folder.find_info() or QueueInfo(
            queue=context.queue, kind="pairs", source=context.source.id, language=context.language.code, of=of
        )
        contents = read_contents(folder, context.language, info)
        added = [item for item in items if (item.item_id, item.reviewer) not in contents.assignments]
        writer = SheetWriter(context, info, contents, reviewers, of is not None, votes or {})
        return writer.hand_out(added, (item.item_id for item in added))


def _plain_names(names: Iterable[str], lacking: str) -> tuple[str, ...]:
    """The names, each once. Raises ReviewError unless they are plain, and with what is `lacking` if there is none."""
    plain = tuple(plain_name("reviewer", name) for name in dict.fromkeys(names))
    if not plain:
        raise ReviewError(lacking)
    return plain
