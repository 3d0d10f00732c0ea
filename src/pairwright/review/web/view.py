"""What the review page shows of an item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from pairwright.core.records import Decision, Evidence, Judgement
from pairwright.languages import Language
from pairwright.languages.linguistics.sentences import stretches
from pairwright.review.log import Assignment, Entry, key_of
from pairwright.review.sheets.answers import chosen_letter
from pairwright.review.sheets.contents import PairFacts, interface_words, pair_facts
from pairwright.review.web.session import ReviewSession


class Crops(Protocol):
    """Pictures of places in documents."""

    def has(self, evidence: Evidence) -> bool:
        """Whether the place is on a page that can be drawn."""

    def png(self, evidence: Evidence) -> bytes | None:
        """The place on its page as a PNG file; None if it can't be drawn after all."""


@dataclass(frozen=True)
class PageSettings:
    """What the page shows beside the items; `votes`, by pair, is what those said whose conflict is to be settled."""

    language: Language
    crops: Crops | None = None
    show_findings: bool = False
    votes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def words(self) -> dict[str, str]:
        return interface_words(self.language)


@dataclass(frozen=True)
class ShownSentence:
    """A sentence in pieces that differ from the other one or don't. `name` is that of its correction's field.

    corrected  the correction that stands in that field
    """

    name: str
    segments: Sequence[tuple[str, bool]]
    text: str
    corrected: str = ""


@dataclass(frozen=True)
class ItemView:
    """An item as the page shows it. What a kind of queue does not show is empty.

    undone  the answer of it that was undone last
    rule    the number of its rule, how many there are, and whether the answer before was on another rule
    """

    item_id: str
    sentences: Sequence[ShownSentence]
    answer: str
    comment: str
    undone: str = ""
    rule: tuple[int, int, bool] = (0, 0, False)
    votes: str = ""
    reason: str = ""
    facts: PairFacts | None = None
    has_crop: bool = False
    alternatives: Sequence[str] = ()

    @property
    def is_corrected(self) -> bool:
        """Whether a field holds anything but the sentence itself."""
        return any(sentence.corrected not in ("", sentence.text) for sentence in self.sentences)


def item_view(session: ReviewSession, item: Assignment, page: PageSettings) -> ItemView:
    """What the page shows of an item; in a blind experiment only the sentences."""
    entry = session.entry(item.item_id)
    undone = session.undone if session.undone and key_of(session.undone)[0] == item.item_id else None
    names = ("sentence_a", "sentence_b") if session.info.kind == "choice" else ("",)
    sentences = [ShownSentence(name, [(text, False)], text) for name, text in zip(names, item.texts, strict=False)]
    comment = entry.comment if entry else ""
    view = ItemView(item.item_id, sentences, _answer(entry, item), comment, _answer(undone, item))
    if session.info.kind == "pairs":
        # Somebody who undid a correction goes on from it.
        answer = entry if isinstance(entry, Decision) and entry.decision else undone
        written = answer if isinstance(answer, Decision) else None
        facts = pair_facts(session.context, item.item_id, page.words, show_findings=page.show_findings)
        pair, changes = session.contents.pairs[item.item_id], facts.differs if facts else ()
        good = [(change.good_at, change.good_at + len(change.good)) for change in changes]
        bad = [(change.bad_at, change.bad_at + len(change.bad)) for change in changes]
        members = [
            ShownSentence("good", stretches(pair.good, good), pair.good, (written and written.good) or ""),
            ShownSentence("bad", stretches(pair.bad, bad), pair.bad, (written and written.bad) or ""),
        ]
        return replace(
            view,
            sentences=members,
            rule=session.rule_place(item.item_id),
            votes=page.votes.get(item.item_id, ""),
            reason=item.reason,
            facts=facts,
            alternatives=pair.alternatives,
            has_crop=facts is not None and page.crops is not None and page.crops.has(facts.evidence),
        )
    return view


def _answer(entry: Entry | None, item: Assignment) -> str:
    """The decision, the letter of the chosen sentence, or the rating; empty for a comment alone."""
    if isinstance(entry, Judgement):
        return str(entry.rating or "") or chosen_letter(entry, item.side)
    return (entry and entry.decision) or ""
