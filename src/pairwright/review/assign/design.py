"""In which order pairs are asked, what blind experiments show, and which pairs are asked about again.

Nothing that an item of an experiment shows reveals which member of a pair it is: ids are hashes, and sides and orders
come from seeded draws that are balanced for each reviewer. Ratings come in versions that show the other member of each
pair, with as many acceptable as unacceptable sentences of every rule, give or take one (a Latin square; see Sprouse and
Almeida 2017, Design sensitivity and statistical power in acceptability judgment experiments, Glossa 2).
"""

import heapq
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pairwright.core.config import ReviewSettings
from pairwright.core.errors import ReviewError
from pairwright.core.ids import content_id, digest, pseudonyms
from pairwright.core.records import CheckedPair, ItemRole, Side
from pairwright.core.text import TOKEN
from pairwright.review.log import (
    Assignment,
    Pair,
    PairText,
    QueueFolder,
    QueueInfo,
    ReviewContext,
    Votes,
    VotesByReviewer,
    count_votes,
    latest_decisions,
    plain_name,
    source_votes,
)
from pairwright.review.results import Conflict, find_conflicts
from pairwright.review.sheets.contents import read_contents
from pairwright.review.sheets.exchange import QueueExport, SheetWriter
from pairwright.review.sheets.spreadsheet import DecisionVocabulary, read_table

_YES, _NO = ("yes", "good", "1", "true"), ("no", "bad", "0", "false")
_SIDES: dict[str, Side | None] = {"": None, **{word: "good" for word in _YES}, **{word: "bad" for word in _NO}}


class Filler(NamedTuple):
    """A sentence that hides what an experiment is about. `side` is good if it is acceptable, None if unknown."""

    sentence: str
    side: Side | None


class TrialItems(NamedTuple):
    """What is mixed with the items: pairs whose answer is certain, and fillers."""

    catch_pairs: Sequence[tuple[str, str]] = ()
    fillers: Sequence[Filler] = ()


def read_trial_items(root: Path, settings: ReviewSettings, legacy_encoding: str) -> TrialItems:
    """The catch pairs and fillers that the settings name. Raises ReviewError if a table can't be read or is unclear.

    legacy_encoding  of tables that are not in Unicode, as the sheets of the queue's language have it
    """
    catch_pairs = []
    if settings.catch_pairs:
        for place, cells in read_table(root / settings.catch_pairs, ("good", "bad"), legacy_encoding):
            if not cells["good"] or not cells["bad"]:
                raise ReviewError(f"{place}: a catch pair needs both sentences; fill the empty cell")
            catch_pairs.append((cells["good"], cells["bad"]))
    fillers = []
    if settings.fillers:
        for place, cells in read_table(root / settings.fillers, ("sentence", "acceptable"), legacy_encoding):
            word = cells["acceptable"].casefold()
            if not cells["sentence"] or word not in _SIDES:
                raise ReviewError(f"{place}: write a sentence, and yes, no or nothing into the column 'acceptable'")
            fillers.append(Filler(cells["sentence"], _SIDES[word]))
    return TrialItems(catch_pairs=tuple(catch_pairs), fillers=tuple(fillers))


def garbled(sentence: str) -> str:
    """The sentence with its longest word spelt backwards, so that no reader of the language can accept it."""
    words = [match for match in TOKEN.finditer(sentence) if match[0].casefold() != match[0].casefold()[::-1]]
    if not words:
        return sentence[::-1]
    longest = max(words, key=lambda match: len(match[0]))
    back = longest[0].casefold()[::-1]
    back = back.capitalize() if longest[0][:1].isupper() else back
    return sentence[: longest.start()] + back + sentence[longest.end() :]


@dataclass(frozen=True)
class ItemDraw:
    """How the items of a reviewer are drawn.

    catch_share  catch trials for each item, 0-1
    n_before     how many items the reviewer already has, so that each further draw is another one
    """

    queue: str
    reviewer: str
    seed: int
    trial_items: TrialItems
    catch_share: float
    n_before: int

    def items(self, pairs: Sequence[Pair], sides: Mapping[str, Side] | None = None) -> list[Assignment]:
        """Items in random order, with catch trials and, the first time, the fillers of ratings.

        `sides` are those to rate, by pair; without them each item is a forced choice, and the acceptable sentence comes
        first in half of them, give or take one. A catch trial made from one of the reviewer's pairs comes after that
        pair, so that it does not prime the answer.
        """
        draw = random.Random(digest([self.queue, self.reviewer, self.seed, self.n_before]))
        order = draw.sample(pairs, len(pairs))
        shown = [sides[pair.id] for pair in order] if sides else _balanced(len(order), draw)
        items = [self._of_pair(pair, side, "item", both=not sides) for pair, side in zip(order, shown, strict=True)]
        catches = self._catch_pairs(order, draw)
        shown = ["bad"] * len(catches) if sides else _balanced(len(catches), draw)
        for pair, side in zip(catches, shown, strict=True):
            _insert_after(items, self._of_pair(pair, side, "catch", both=not sides), draw)
        for filler in self.trial_items.fillers if sides and self.n_before == 0 else ():
            filling = self._item((filler.sentence, "filler"), "", "filler", filler.side, filler.sentence)
            _insert_after(items, filling, draw)
        return items

    def _catch_pairs(self, order: Sequence[Pair], draw: random.Random) -> list[Pair]:
        """Pairs whose answer is certain: the prepared ones, the first time, or the reviewer's own, garbled."""
        count, prepared = round(self.catch_share * len(order)), self.trial_items.catch_pairs
        if prepared:
            drawn = draw.sample(prepared, len(prepared)) if self.n_before == 0 else []
            return [PairText(id="", rule_id="", good=good, bad=bad) for good, bad in drawn[:count]]
        own = draw.sample(order, min(count, len(order)))
        return [PairText(id=pair.id, rule_id=pair.rule_id, good=pair.good, bad=garbled(pair.good)) for pair in own]

    def _of_pair(self, pair: Pair, side: Side, role: ItemRole, *, both: bool) -> Assignment:
        """Both sentences, that of the side first, or the one of the side alone."""
        texts = (pair.good, pair.bad) if side == "good" else (pair.bad, pair.good)
        if both:
            return self._item((sorted(texts), pair.id, role), pair.id, role, side, *texts)
        return self._item((texts[0], pair.id, role), pair.id, role, side, texts[0])

    def _item(
        self, key: tuple[object, ...], pair_id: str, role: ItemRole, side: Side | None, *texts: str
    ) -> Assignment:
        """An item whose id is made from `key`."""
        item_id, me = content_id("item", self.queue, self.reviewer, *key), self.reviewer
        return Assignment(item_id=item_id, reviewer=me, pair_id=pair_id or None, role=role, side=side, texts=texts)


def sides_to_rate(pairs: Sequence[Pair], version: int) -> dict[str, Side]:
    """The member of each pair that a version shows, by the pair's id: the good one of every other pair of a rule.

    Every other rule starts the other way.
    """
    by_rule: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        by_rule[pair.rule_id].append(pair.id)
    places = ((pair_id, number + at) for number, ids in enumerate(by_rule.values()) for at, pair_id in enumerate(ids))
    return {pair_id: "bad" if (place + version) % 2 else "good" for pair_id, place in places}


def _balanced(n: int, draw: random.Random) -> list[Side]:
    """`n` sides in random order, half of them good; if `n` is odd, the remaining one is drawn."""
    both: tuple[Side, Side] = ("good", "bad")
    sides: list[Side] = [*both * (n // 2), *([draw.choice(both)] if n % 2 else [])]
    draw.shuffle(sides)
    return sides


def _insert_after(items: list[Assignment], item: Assignment, draw: random.Random) -> None:
    """Puts an item at a random place, after the item of the pair that it was made from, if there is one."""
    own = (number for number, other in enumerate(items) if item.pair_id is not None and other.pair_id == item.pair_id)
    items.insert(draw.randint(next(own, -1) + 1, len(items)), item)


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
