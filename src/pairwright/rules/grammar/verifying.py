"""What a language model says of a passage, held against the book: a finding, or the reason why it is none."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pairwright.languages import Language
from pairwright.languages.features import parse_demand, show_demand
from pairwright.records import Block, Contrast, Evidence, Example, LLMCall, Rejection, Source
from pairwright.rules.grammar.book_examples import EXAMPLE_KINDS, Reference, examples_of, leaves
from pairwright.rules.grammar.quotations import Span, evidence, find_quotation, says_enough
from pairwright.rules.grammar.schemas import RuleDraft
from pairwright.rules.grammar.sections import Section
from pairwright.rules.grammar.windows import Window
from pairwright.text import squeeze, words

LONGEST_TITLE = 160
LONGEST_TEXT = 1500
_SHOWN = 300
# A hash marks what is well formed and odd in its context or its meaning.
_ODD_ONLY = frozenset({"#"})


@dataclass(frozen=True)
class Grammar:
    """What is known of the grammar that is read.

    prose   the languages it is written in
    pairs   the pairs that its marked examples give, by the ids of the example blocks
    order   the place of each block in the book
    """

    source: Source
    language: Language
    prose: tuple[Language, ...]
    pairs: Mapping[str, Sequence[Example]]
    order: Mapping[str, int]


@dataclass(frozen=True)
class Finding:
    """A rule as one answer states it, with all its words of the book verified. Several may be one rule of the book."""

    section: Section
    title: str
    description: str
    original: str | None
    category: str
    phenomenon: str
    spans: tuple[Span, ...]
    evidence: tuple[Evidence, ...]
    example_ids: tuple[str, ...]
    examples: tuple[Example, ...]
    exceptions: tuple[str, ...]
    contrast: Contrast
    notes: tuple[str, ...]
    asked: LLMCall
    place: tuple[int, int]


def verify(draft: RuleDraft, window: Window, grammar: Grammar, asked: LLMCall) -> Finding | Rejection:
    """A draft as a finding; a Rejection where its quotation does not stand in the passage, or where it says nothing."""
    spans = find_quotation(draft.quotation, window.blocks)
    reason = _fault(draft, spans)
    if reason:
        return rejection(window, grammar.source, reason, draft.quotation or draft.title)
    stands = evidence(spans, window.blocks)
    references, unknown = _references(draft, window, grammar, " ".join(found.quote for found in stands))
    examples, notes = examples_of(references, grammar.pairs, grammar.language)
    exceptions, untrue = _exceptions(draft, window)
    contrast, doubts = _contrast(draft, window, grammar)
    original = squeeze(draft.original)
    return Finding(
        section=window.section,
        title=squeeze(draft.title),
        description=squeeze(draft.description),
        original=original if original and grammar.source.written_in[0] != "en" else None,
        category=draft.category,
        phenomenon=squeeze(draft.phenomenon) or draft.category,
        spans=spans,
        evidence=stands,
        example_ids=tuple(dict.fromkeys(reference.block.id for reference in references)),
        examples=tuple(examples),
        exceptions=exceptions,
        contrast=contrast,
        notes=(*notes, *unknown, *untrue, *doubts, *window.remarks),
        asked=asked,
        place=(grammar.order[spans[0].block_id], spans[0].start),
    )


def rejection(window: Window, source: Source, reason: str, text: str) -> Rejection:
    """What could not be made a rule, with the place of its passage."""
    first = window.first
    line = first.row_lines[window.rows[0]] if window.rows and window.rows[0] < len(first.row_lines) else first.line
    return Rejection(
        stage="rules",
        source_id=source.id,
        reason=reason,
        text=_cut(text),
        file=first.file,
        page=first.page,
        line=line,
    )


def _cut(text: str) -> str:
    line = squeeze(text)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"


def _fault(draft: RuleDraft, spans: Sequence[Span]) -> str:
    if not says_enough(draft.quotation):
        return "the quotation is too short for a rule to rest on"
    if not spans:
        return "the quotation does not stand in the passage"
    if not words(draft.title) or not words(draft.description):
        return "the rule has no title or no description"
    if len(draft.title) > LONGEST_TITLE or max(len(draft.description), len(draft.original)) > LONGEST_TEXT:
        return f"the title is longer than {LONGEST_TITLE} characters, or the description than {LONGEST_TEXT:,}"
    return ""


def _references(
    draft: RuleDraft, window: Window, grammar: Grammar, quotation: str
) -> tuple[list[Reference], list[str]]:
    """The examples that the draft names and that the quoted words refer to; notes on names that are none."""
    found: dict[tuple[str, str], Reference] = {}
    notes = []
    for name in dict.fromkeys(draft.examples):
        reference = window.names.find(name)
        if reference:
            found.setdefault((reference.block.id, reference.label), reference)
        else:
            notes.append(f"an example was named that the passage does not have: {_cut(name)}")
    for reference in window.names.printed_in(quotation):
        found.setdefault((reference.block.id, reference.label), reference)
    return sorted(found.values(), key=lambda reference: grammar.order[reference.block.id]), notes


def _exceptions(draft: RuleDraft, window: Window) -> tuple[tuple[str, ...], list[str]]:
    """The exceptions in the book's letters; notes on those that the book does not state."""
    stated: dict[str, None] = {}
    notes = []
    for quoted in filter(words, draft.exceptions):
        found = evidence(find_quotation(quoted, window.blocks), window.blocks)
        if found:
            stated.setdefault(" ".join(squeeze(part.quote) for part in found))
        else:
            notes.append(f"an exception was named that the passage does not state: {_cut(quoted)}")
    return tuple(stated), notes


def _contrast(draft: RuleDraft, window: Window, grammar: Grammar) -> tuple[Contrast, list[str]]:
    """What pair the rule licenses. Where the book's words don't carry a licence, there is none, with the reason."""
    what = _cut(draft.contrast)
    spans = find_quotation(draft.bans, window.blocks) if words(draft.bans) else ()
    rests_on = next(iter(evidence(spans, window.blocks)), None)
    features, notes = _features(draft)
    if not draft.licenses_pair:
        return Contrast(licensed=False, what=what or "the book rules nothing out", evidence=rests_on), notes
    reason = _no_licence(draft, rests_on, window.blocks, grammar.prose)
    if not words(what):
        reason = "no contrast was named"
    if features is None:
        reason = "the good and the bad form were given the same features"
    if reason:
        notes.append(f"proposed as a pair: {what or '(nothing)'}")
        return Contrast(licensed=False, what=reason, evidence=rests_on), notes
    return Contrast(licensed=True, what=what, features=features or (), evidence=rests_on), notes


def _no_licence(draft: RuleDraft, rests_on: Evidence | None, blocks: Sequence[Block], prose: Iterable[Language]) -> str:
    """Why the words of the book that were named don't rule a form out; empty where they may."""
    if not words(draft.bans):
        return "no words of the book were named that rule a form out"
    if rests_on is None:
        return f"the words that should rule a form out do not stand in the passage: {_cut(draft.bans)}"
    block = next(block for block in blocks if block.id == rests_on.block_id)
    if block.kind in EXAMPLE_KINDS:
        marks = {leaf.gloss.judgement for leaf in leaves(block.gloss) if leaf.gloss.judgement} if block.gloss else set()
        return "its examples are marked # alone: odd, not ungrammatical" if marks == _ODD_ONLY else ""
    languages = list(prose)
    permits = _listed(rests_on.quote, [word for language in languages for word in language.permissions])
    bans = _listed(rests_on.quote, [word for language in languages for word in language.bans])
    return f"the book permits: {permits}" if permits and not bans else ""


def _listed(text: str, listed: Iterable[str]) -> str | None:
    for word in listed:
        end = r"\w*" if word.endswith("*") else ""
        if match := re.search(rf"(?<!\w){re.escape(word.removesuffix('*'))}{end}(?!\w)", text, re.IGNORECASE):
            return match[0]
    return None


def _features(draft: RuleDraft) -> tuple[tuple[str, ...] | None, list[str]]:
    """The well-formed demands, None where both sides are the same; notes on those that are not well formed."""
    kept: list[str] = []
    notes = []
    for line in draft.features:
        try:
            demand = parse_demand([*kept, squeeze(line)])
        except ValueError as fault:
            notes.append(f"a demand of features was left out: {_cut(str(fault))}")
            continue
        kept.append(squeeze(line))
    if not kept:
        return (), notes
    demand = parse_demand(kept)
    return (None if demand.good == demand.bad else show_demand(demand)), notes
