"""The lots of a source's derived pairs: whom of them people are asked about, and what their answers say of the rest."""

from pairwright.acceptance import REFUSED, derived_pair, draw_lots, verdict, without_seed
from pairwright.records import Lot
from pairwright.review.log.context import ReviewContext
from pairwright.review.log.votes import source_votes


def source_lots(context: ReviewContext) -> tuple[Lot, ...]:
    """The lots of the context's source by rule and method, with all votes that were cast in any of its queues.

    Pairs whose seeds people or checks refused are in none.
    """
    derived = [pair for pair in map(derived_pair, context.pairs.values()) if pair is not None]
    if not derived:
        return ()
    votes = source_votes(context.annotations, context.source.id, context.candidates)
    outcomes = {
        pair_id: verdict(cast, votes.adjudicated.get(pair_id, {}), context.deciding).outcome
        for pair_id, cast in votes.cast.items()
    }
    refused = {pair_id for pair_id, outcome in outcomes.items() if outcome in REFUSED}
    refused |= {pair_id for pair_id, checked in context.pairs.items() if checked.verdict == "reject"}
    withdrawn = without_seed(derived, refused)
    places = {rule_id: place for place, rule_id in enumerate(context.rules)}
    standing = [pair for pair in derived if pair.id not in withdrawn]
    standing.sort(key=lambda pair: (places.get(pair.rule_id, len(places)), pair.method))
    codes = {rule_id: rule.code for rule_id, rule in context.rules.items()}
    return tuple(draw_lots(standing, outcomes, context.settings.sampling, codes))
