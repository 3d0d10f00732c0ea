"""The derived pairs of a source: which of them people are asked about, and what the answers say of the others."""

from collections.abc import Mapping
from typing import NamedTuple

from pairwright.core.records import Lot
from pairwright.review.log.queue import ReviewContext
from pairwright.review.log.votes import source_votes
from pairwright.stats.acceptance import REFUSED, derived_pair, draw_lots, verdict, without_seed


class DerivedPairs(NamedTuple):
    """The lots of a source by rule and method, and the pairs that are in none as people or checks refused their seeds.

    withdrawn  the id of the refused seed by pair id
    """

    lots: tuple[Lot, ...] = ()
    withdrawn: Mapping[str, str] = {}


def derived_pairs(context: ReviewContext) -> DerivedPairs:
    """The derived pairs of the context's source, by all votes that were cast in any of its queues."""
    derived = [pair for pair in map(derived_pair, context.pairs.values()) if pair is not None]
    if not derived:
        return DerivedPairs()
    votes = source_votes(context.annotations, context.source.id, context.candidates)
    outcomes = {
        pair_id: verdict(cast, votes.adjudicated.get(pair_id, {}), context.deciding).outcome
        for pair_id, cast in votes.cast.items()
    }
    refused = {pair_id for pair_id, outcome in outcomes.items() if outcome in REFUSED}
    refused |= {pair_id for pair_id, checked in context.pairs.items() if checked.verdict == "reject"}
    withdrawn = without_seed(derived, refused)
    places = {rule_id: index for index, rule_id in enumerate(context.rules)}
    standing = [pair for pair in derived if pair.id not in withdrawn]
    standing.sort(key=lambda pair: (places.get(pair.rule_id, len(places)), pair.method))
    codes = {rule_id: rule.code for rule_id, rule in context.rules.items()}
    lots = draw_lots(standing, outcomes, context.settings.sampling, codes)
    return DerivedPairs(tuple(lots), withdrawn)
