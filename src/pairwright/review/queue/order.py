"""The order in which pairs are worth a reviewer's time.

Rules that lack approved pairs come first, the poorest of them at the head, so that none starves. Within a rule, the
pairs that the checks or a judging model doubt come first once the rule has its approved pairs; before that every third
place is theirs, because they are approved less often and a rule needs its pairs.
"""

import heapq
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pairwright.records import Candidate, CheckedPair
from pairwright.review.log.votes import Votes

Order = Literal["active", "source", "random"]
DOUBTFUL_EVERY = 3
_WEIGHT = {"error": 4, "warning": 2, "info": 0}


class Open(NamedTuple):
    """A pair that waits for a decision: its rule, how far checks and models doubt it, and the approvals that it has."""

    id: str
    rule_id: str
    doubt: int
    approvals: int = 0


def doubt_of(pair: CheckedPair) -> int:
    """How far checks and judging models doubt a pair; 0 where they find nothing to warn of."""
    return sum(_WEIGHT[finding.level] for finding in pair.findings)


def approved_by_rule(pairs: Mapping[str, Candidate], votes: Votes, needed: int) -> dict[str, int]:
    """How many pairs of each rule have the approvals that a release needs, and no vote against them."""
    found: dict[str, int] = {}
    for pair_id, voices in votes.items():
        pair = pairs.get(pair_id)
        words = list(voices.values())
        if pair is not None and words.count("approve") >= needed and not {"reject", "fix"} & set(words):
            found[pair.rule_id] = found.get(pair.rule_id, 0) + 1
    return found


def active_order(
    pairs: Sequence[Open], approved: Mapping[str, int], target: int, rates: Mapping[str, float] | None = None
) -> list[str]:
    """The ids of pairs, those that teach most first.

    Each pair that is placed counts as so much of an approved pair as its rule's pairs are approved (`rates`, 0.7 where
    unknown), so that the next one goes to the rule that will then be poorest. Rules that reached `target` come last.
    """
    waiting: dict[str, Iterator[Open]] = {}
    groups: dict[str, list[Open]] = {}
    for pair in pairs:
        groups.setdefault(pair.rule_id, []).append(pair)
    heap: list[tuple[bool, float, int, str]] = []
    for number, (rule_id, group) in enumerate(groups.items()):
        have = float(approved.get(rule_id, 0))
        waiting[rule_id] = _within(group, have, target)
        heap.append((have >= target, have, number, rule_id))
    heapq.heapify(heap)
    placed: list[str] = []
    while heap:
        _, have, number, rule_id = heapq.heappop(heap)
        following = next(waiting[rule_id], None)
        if following is None:
            continue
        placed.append(following.id)
        have += (rates or {}).get(rule_id, 0.7)
        heapq.heappush(heap, (have >= target, have, number, rule_id))
    return placed


def random_order(pairs: Sequence[Open], seed: int) -> list[str]:
    """The ids of pairs in a random order of their own: a pair that comes later moves none of the others."""
    return [pair.id for pair in sorted(pairs, key=lambda pair: random.Random(f"{seed} {pair.id}").random())]


def _within(group: Sequence[Open], have: float, target: int) -> Iterator[Open]:
    """A rule's pairs: those that others approved before the rest, and then by turns plain and doubtful ones."""
    if have >= target:
        yield from sorted(group, key=lambda pair: (-pair.approvals, -pair.doubt))
        return
    yield from (pair for pair in group if pair.approvals)
    plain = [pair for pair in group if not pair.approvals and not pair.doubt]
    doubtful = sorted((pair for pair in group if not pair.approvals and pair.doubt), key=lambda pair: pair.doubt)
    # The least doubtful first: the worst are asked about when the rule has what it needs.
    while plain or doubtful:
        for _ in range(DOUBTFUL_EVERY - 1):
            if plain:
                yield plain.pop(0)
        if doubtful:
            yield doubtful.pop(0)
