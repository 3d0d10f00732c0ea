"""What the review page shows of an item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from pairwright.languages import Language
from pairwright.records import Change, Decision, Evidence, Judgement
from pairwright.review.log.folder import Assignment, Pair
from pairwright.review.sheets.pair_facts import PairFacts, interface_words, pair_facts
from pairwright.review.sheets.updating import chosen_letter
from pairwright.review.web.session import ReviewSession
from pairwright.text import stretches


class Crops(Protocol):
    """Pictures of places in documents."""

    def has(self, evidence: Evidence) -> bool:
        """Whether the place is on a page that can be drawn."""

    def png(self, evidence: Evidence) -> bytes | None:
        """The place on its page as a PNG file; None if it can't be drawn after all."""


@dataclass(frozen=True)
class PageSettings:
    """What the page shows beside the items.

    language       of the words of the page
    show_findings  whether reviewers see what the checks say
    votes          by pair, what reviewers said whose conflict is to be settled
    """

    language: Language
    crops: Crops | None = None
    show_findings: bool = False
    votes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def words(self) -> dict[str, str]:
        return interface_words(self.language)


@dataclass(frozen=True)
class ShownSentence:
    """A sentence in pieces that differ from the other one or don't. `name` is that of its correction's field."""

    name: str
    segments: Sequence[tuple[str, bool]]
    text: str
    corrected: str = ""


@dataclass(frozen=True)
class ItemView:
    """An item as the page shows it. What a kind of queue does not show is empty."""

    item_id: str
    sentences: Sequence[ShownSentence]
    answer: str
    comment: str
    votes: str = ""
    reason: str = ""
    facts: PairFacts | None = None
    has_crop: bool = False
    alternatives: Sequence[str] = ()


def item_view(session: ReviewSession, item: Assignment, page: PageSettings) -> ItemView:
    """What the page shows of an item; in a blind experiment only the sentences."""
    entry = session.entry(item.item_id)
    comment = entry.comment if entry else ""
    if session.info.kind == "pairs":
        decision = entry if isinstance(entry, Decision) else None
        facts = pair_facts(session.context, item.item_id, page.words, show_findings=page.show_findings)
        return ItemView(
            item.item_id,
            _members(session.contents.pairs[item.item_id], facts.differs if facts else (), decision),
            answer=(decision and decision.decision) or "",
            comment=comment,
            votes=page.votes.get(item.item_id, ""),
            reason=item.reason,
            facts=facts,
            alternatives=session.contents.pairs[item.item_id].alternatives,
            has_crop=facts is not None and page.crops is not None and page.crops.has(facts.evidence),
        )
    names = ("sentence_a", "sentence_b") if session.info.kind == "choice" else ("",)
    sentences = [ShownSentence(name, [(text, False)], text) for name, text in zip(names, item.texts, strict=True)]
    answer = ""
    if isinstance(entry, Judgement):
        answer = str(entry.rating or "") or chosen_letter(entry, item.side)
    return ItemView(item.item_id, sentences, answer, comment)


def _members(pair: Pair, changes: Sequence[Change], decision: Decision | None) -> list[ShownSentence]:
    good = stretches(pair.good, [(change.good_at, change.good_at + len(change.good)) for change in changes])
    bad = stretches(pair.bad, [(change.bad_at, change.bad_at + len(change.bad)) for change in changes])
    return [
        ShownSentence("good", good, pair.good, (decision and decision.good) or ""),
        ShownSentence("bad", bad, pair.bad, (decision and decision.bad) or ""),
    ]
