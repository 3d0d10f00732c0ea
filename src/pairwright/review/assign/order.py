"""The order in which pairs are worth a reviewer's time.

By default a first pass goes rule by rule, so that people stay with one rule, and takes as many pairs of each as should
give it the approved pairs that it needs. The rest comes in active order.

In active order rules that lack approved pairs come first, the poorest first of all, so that none starves. Within a
rule, pairs that the checks or a judging model doubt come first once the rule has its approved pairs. Until then only
every third place is theirs, because they are approved less often and the rule needs pairs.
"""

import heapq
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from pairwright.core.records import CheckedPair
from pairwright.review.log.queue import Pair
from pairwright.review.log.votes import Votes, VotesByReviewer

DOUBTFUL_EVERY = 3
# The share of a rule's pairs that reviewers approve, as a guess.
APPROVAL_RATE = 0.7
_WEIGHT = {"error": 4, "warning": 2, "info": 0}


class PendingPair(NamedTuple):
    """A pair that waits for a decision: its rule, how far checks and models doubt it, and its approvals so far."""

    id: str
    rule_id: str
    doubt: int
    approvals: int = 0


def pending_pairs(
    pair_ids: Iterable[str], texts: Mapping[str, Pair], checked: Mapping[str, CheckedPair], votes: Votes
) -> list[PendingPair]:
    """Pairs with what their order depends on: their rules, the findings of their checks, and the votes on them."""
    pending = []
    for pair_id in pair_ids:
        doubt = sum(_WEIGHT[finding.level] for finding in checked[pair_id].findings) if pair_id in checked else 0
        pending.append(PendingPair(pair_id, texts[pair_id].rule_id, doubt, _approvals(votes.get(pair_id, {}))))
    return pending


def approved_by_rule(texts: Mapping[str, Pair], votes: Votes, needed: int) -> Counter[str]:
    """How many pairs of each rule have the approvals that a release needs, and no vote against them."""
    approved = (pair_id for pair_id, votes_by_reviewer in votes.items() if _approvals(votes_by_reviewer) >= needed)
    return Counter(texts[pair_id].rule_id for pair_id in approved if pair_id in texts)


def _approvals(votes_by_reviewer: VotesByReviewer) -> int:
    """How many reviewers approve a pair; 0 if anybody rejects or corrects it."""
    words = list(votes_by_reviewer.values())
    return 0 if {"reject", "fix"}.intersection(words) else words.count("approve")


def first_pass(pairs: Sequence[PendingPair], target: int) -> list[str]:
    """The ids of the pairs with which reviewers begin: rule by rule, of each about as many as give `target` approved.

    It depends on no votes, so that nobody is sent back to an earlier rule by what others decide.
    """
    size = math.ceil(target / APPROVAL_RATE)
    groups = _by_rule(pair._replace(approvals=0) for pair in pairs).values()
    return [pair.id for group in groups for pair in islice(_within(group, 0, math.inf), size)]


def rules_order(pairs: Sequence[PendingPair], approved: Mapping[str, int], target: int) -> list[str]:
    """The ids of pairs: the first pass, then the others in active order."""
    first = first_pass(pairs, target)
    placed = set(first)
    return first + active_order([pair for pair in pairs if pair.id not in placed], approved, target)


def active_order(pairs: Sequence[PendingPair], approved: Mapping[str, int], target: int) -> list[str]:
    """The ids of pairs, those that teach most first.

    A pair that is placed counts as APPROVAL_RATE approved pairs of its rule, so that the next place goes to the rule
    that will then be poorest. Rules with `target` approved pairs come last.
    """
    heap: list[tuple[bool, float, int, Iterator[PendingPair]]] = []
    for number, (rule_id, group) in enumerate(_by_rule(pairs).items()):
        have = float(approved.get(rule_id, 0))
        heap.append((have >= target, have, number, _within(group, have, target)))
    heapq.heapify(heap)
    placed: list[str] = []
    while heap:
        _, have, number, waiting = heapq.heappop(heap)
        if following := next(waiting, None):
            placed.append(following.id)
            have += APPROVAL_RATE
            heapq.heappush(heap, (have >= target, have, number, waiting))
    return placed


def random_order(pairs: Sequence[PendingPair], seed: int) -> list[str]:
    """The ids of pairs in random order. Each pair's place is its own, so a further pair moves none of the others."""
    return [pair.id for pair in sorted(pairs, key=lambda pair: random.Random(f"{seed} {pair.id}").random())]


def _by_rule(pairs: Iterable[PendingPair]) -> dict[str, list[PendingPair]]:
    groups: dict[str, list[PendingPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.rule_id].append(pair)
    return groups


def _within(group: Sequence[PendingPair], have: float, target: float) -> Iterator[PendingPair]:
    """A rule's pairs: first those that others approved, then plain and doubtful ones by turns."""
    if have >= target:
        yield from sorted(group, key=lambda pair: (-pair.approvals, -pair.doubt))
        return
    yield from (pair for pair in group if pair.approvals)
    plain = (pair for pair in group if not pair.approvals and not pair.doubt)
    # The least doubtful come first; the worst can wait until the rule has the pairs that it needs.
    doubtful = sorted((pair for pair in group if not pair.approvals and pair.doubt), key=lambda pair: pair.doubt)
    for pair in doubtful:
        yield from islice(plain, DOUBTFUL_EVERY - 1)
        yield pair
    yield from plain
