"""Puts conflicts before adjudicators, in a queue of the pairs on which reviewers contradict each other.

Its rows show both votes, under pseudonyms that change from pair to pair, so that nobody is recognised by other answers.
"""

from collections.abc import Sequence
from dataclasses import replace

from pairwright.core.errors import ReviewError
from pairwright.core.ids import pseudonyms
from pairwright.review.log.context import ReviewContext
from pairwright.review.log.folder import Assignment, QueueFolder
from pairwright.review.log.votes import count_votes, latest_decisions, source_votes
from pairwright.review.queue.sheet_writer import QueueExport, export_selected, plain_names
from pairwright.review.results.status import Conflict, find_conflicts
from pairwright.review.sheets.vocabulary import DecisionVocabulary


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
    names = plain_names(adjudicators)
    if not names:
        raise ReviewError("nobody is named to settle the conflicts; give --adjudicators")
    items = [Assignment(item_id=pair_id, reviewer=name, pair_id=pair_id) for name in names for pair_id in conflicts]
    settling = replace(context, queue=f"{context.queue}-conflicts")
    votes = shown_votes(context, context.queue)
    return export_selected(settling, items, names, frozenset({"findings", "votes"}), of=context.queue, votes=votes)


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
