"""What the review page shows of an item."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from pairwright.languages import Language, load_language
from pairwright.records import Change, Decision, Evidence, Example
from pairwright.review.log.folder import Assignment
from pairwright.review.sheets.rows import N_EXAMPLES, place_of
from pairwright.review.web.session import ReviewSession

Segment = tuple[str, bool]
"""A piece of a sentence, and whether it differs from the other sentence."""


class Crops(Protocol):
    """Pictures of places in documents."""

    def has(self, evidence: Evidence) -> bool:
        """Whether the place is on a page that can be drawn."""
        ...

    def png(self, evidence: Evidence) -> bytes | None:
        """The place on its page as a PNG file; None if it can't be drawn after all."""
        ...


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
        """The words of the page by name; those that the language lacks are English."""
        return load_language("en").interface | self.language.interface


@dataclass(frozen=True)
class ShownSentence:
    """A sentence of an item. `name` names the words above it, and the field of its correction."""

    name: str
    segments: Sequence[Segment]
    text: str
    corrected: str = ""


@dataclass(frozen=True)
class ItemView:
    """An item as the page shows it. What a kind of queue does not show is empty."""

    item_id: str
    sentences: Sequence[ShownSentence]
    answer: str
    comment: str
    rule: str = ""
    description: str = ""
    examples: Sequence[Example] = ()
    differs: Sequence[Change] = ()
    alternatives: Sequence[str] = ()
    source: str = ""
    quote: str = ""
    findings: Sequence[str] = ()
    votes: str = ""
    reason: str = ""
    has_crop: bool = False


def item_view(session: ReviewSession, item: Assignment, page: PageSettings) -> ItemView:
    """What the page shows of an item; in a blind experiment only the sentences."""
    if session.info.kind == "pairs":
        return _pair_view(session, item, page)
    entry = session.entry(item.item_id)
    names = ("sentence_a", "sentence_b") if session.info.kind == "choice" else ("",)
    sentences = [ShownSentence(name, [(text, False)], text) for name, text in zip(names, item.texts, strict=True)]
    answer = ""
    if entry is not None and not isinstance(entry, Decision):
        answer = str(entry.rating or "")
        if entry.prefers is not None:
            answer = "A" if entry.prefers == item.side else "B"
    return ItemView(item.item_id, sentences, answer, entry.comment if entry else "")


def _pair_view(session: ReviewSession, item: Assignment, page: PageSettings) -> ItemView:
    entry, candidate = session.entry(item.item_id), session.candidate(item)
    decision = entry if isinstance(entry, Decision) else None
    pair = session.contents.pairs[item.item_id]
    changes = candidate.changes if candidate else ()
    good = segments(pair.good, [(change.good_at, change.good) for change in changes])
    bad = segments(pair.bad, [(change.bad_at, change.bad) for change in changes])
    view = ItemView(
        item.item_id,
        (
            ShownSentence("good", list(good), pair.good, (decision and decision.good) or ""),
            ShownSentence("bad", list(bad), pair.bad, (decision and decision.bad) or ""),
        ),
        answer=(decision and decision.decision) or "",
        comment=decision.comment if decision else "",
        votes=page.votes.get(item.item_id, ""),
        reason=item.reason,
    )
    if candidate is None:
        return view
    context = session.context
    rule = context.rules.get(candidate.rule_id)
    findings = context.pairs[item.item_id].findings if page.show_findings else ()
    return replace(
        view,
        rule=f"{rule.code} {rule.title}".strip() if rule else "",
        description=rule.description if rule and rule.description != rule.title else "",
        examples=[example for example in rule.examples if example.default][:N_EXAMPLES] if rule else [],
        differs=changes,
        alternatives=candidate.alternatives,
        source=f"{context.source.title}, {place_of(candidate.evidence, page.words['page_short'])}",
        quote=candidate.evidence.quote,
        findings=[finding.message for finding in findings],
        has_crop=page.crops is not None and page.crops.has(candidate.evidence),
    )


def segments(sentence: str, spans: Sequence[tuple[int, str]]) -> Iterator[Segment]:
    """A sentence cut at the spans that differ from the other sentence, given by their offsets and words."""
    at = 0
    for start, words in sorted(spans):
        if start < at or sentence[start : start + len(words)] != words or not words:
            continue
        if start > at:
            yield sentence[at:start], False
        yield words, True
        at = start + len(words)
    if at < len(sentence):
        yield sentence[at:], False
