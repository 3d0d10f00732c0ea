"""What the review page shows of an item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pairwright.records import Candidate, Change, Decision, Evidence, Example, Side
from pairwright.review.log.folder import Assignment, Entry, PairText
from pairwright.review.sheets.rows import N_EXAMPLES, place_of
from pairwright.review.web.session import Desk
from pairwright.text import stretches

Segment = tuple[str, bool]
"""A piece of a sentence, and whether it is one of those in which the two sentences differ."""


class Crops(Protocol):
    """Pictures of places in documents."""

    def has(self, evidence: Evidence) -> bool:
        """Whether the place is on a page that can be drawn."""
        ...

    def png(self, evidence: Evidence) -> bytes | None:
        """The place on its page as a PNG file; None where it can't be drawn after all."""
        ...


@dataclass(frozen=True)
class Sentence:
    """A sentence of an item. `name` is the name of the words above it, `field` of the correction of a pair's member."""

    name: str
    segments: Sequence[Segment]
    text: str
    field: str | None = None
    corrected: str = ""


@dataclass(frozen=True)
class ItemView:
    """An item as the page shows it. What a kind of queue does not show is empty."""

    item_id: str
    kind: str
    sentences: Sequence[Sentence]
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
    voices: str = ""
    reason: str = ""
    has_crop: bool = False


def item_view(
    desk: Desk,
    item: Assignment,
    words: Mapping[str, str],
    crops: Crops | None,
    show_findings: bool,
    voices: Mapping[str, str],
) -> ItemView:
    """What the page shows of an item: in a blind experiment the sentences alone."""
    entry = desk.entry(item.item_id)
    comment = entry.comment if entry else ""
    if desk.info.kind == "choice":
        names = ("sentence_a", "sentence_b")
        sentences = [Sentence(name, [(text, False)], text) for name, text in zip(names, item.texts, strict=True)]
        return ItemView(item.item_id, "choice", sentences, _choice(entry, item.side), comment)
    if desk.info.kind == "likert":
        sentence = Sentence("", [(item.texts[0], False)], item.texts[0])
        rating = str(entry.rating) if entry and not isinstance(entry, Decision) and entry.rating else ""
        return ItemView(item.item_id, "likert", [sentence], rating, comment)
    return _pair_view(desk, item, words, crops, show_findings, voices.get(item.item_id, ""))


def _pair_view(
    desk: Desk, item: Assignment, words: Mapping[str, str], crops: Crops | None, show_findings: bool, voices: str
) -> ItemView:
    entry, candidate = desk.entry(item.item_id), desk.candidate(item)
    decision = entry if isinstance(entry, Decision) else None
    view = ItemView(
        item.item_id,
        "pairs",
        _members(desk.contents.pairs[item.item_id], candidate, decision),
        answer=(decision.decision or "") if decision else "",
        comment=decision.comment if decision else "",
        voices=voices,
        reason=item.reason,
    )
    if candidate is None:
        return view
    rule = desk.rules.get(candidate.rule_id)
    return replace(
        view,
        rule=f"{rule.code} {rule.title}".strip() if rule else "",
        description=rule.description if rule and rule.description != rule.title else "",
        examples=[example for example in rule.examples if example.default][:N_EXAMPLES] if rule else [],
        differs=candidate.changes,
        alternatives=candidate.alternatives,
        source=f"{desk.source.title}, {place_of(candidate.evidence, words['page_short'])}",
        quote=candidate.evidence.quote,
        findings=[finding.message for finding in desk.pairs[item.item_id].findings] if show_findings else [],
        has_crop=crops is not None and crops.has(candidate.evidence),
    )


def _members(pair: PairText, candidate: Candidate | None, decision: Decision | None) -> list[Sentence]:
    changes = candidate.changes if candidate else ()
    good = stretches(pair.good, [(change.good_at, change.good_at + len(change.good)) for change in changes])
    bad = stretches(pair.bad, [(change.bad_at, change.bad_at + len(change.bad)) for change in changes])
    fixed = (decision.good, decision.bad) if decision else (None, None)
    return [
        Sentence("good", good, pair.good, "good", fixed[0] or ""),
        Sentence("bad", bad, pair.bad, "bad", fixed[1] or ""),
    ]


def _choice(entry: Entry | None, first: Side | None) -> str:
    if entry is None or isinstance(entry, Decision) or entry.prefers is None:
        return ""
    return "A" if entry.prefers == first else "B"
