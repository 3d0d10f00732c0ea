"""A language model's answer about a passage, verified against the book: rules, or the reasons why they are none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.languages import Language
from pairwright.languages.features import parse_demand, show_demand
from pairwright.records import Block, Contrast, Evidence, Example, LLMCall, Rejection, Source
from pairwright.rules.grammar.book_examples import EXAMPLE_KINDS, Reference, examples_of
from pairwright.rules.grammar.quotations import Span, evidence, find_quotation, says_enough
from pairwright.rules.grammar.schemas import RuleDraft
from pairwright.rules.grammar.sections import GrammarSection
from pairwright.rules.grammar.windows import Window, shortened
from pairwright.text import squeeze, word_pattern, words

LONGEST_TITLE = 160
LONGEST_TEXT = 1500


class Grammar(NamedTuple):
    """The grammar that is read.

    prose  the languages it is written in
    pairs  the pairs in its marked examples, by the ids of the example blocks
    order  the index of each block in the book
    """

    source: Source
    language: Language
    prose: tuple[Language, ...]
    pairs: Mapping[str, Sequence[Example]]
    order: Mapping[str, int]


@dataclass(frozen=True)
class VerifiedRule:
    """A rule as one answer states it, with all its words of the book verified. Several may be one rule of the book."""

    section: GrammarSection
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


def verify(draft: RuleDraft, window: Window, grammar: Grammar, asked: LLMCall) -> VerifiedRule | Rejection:
    """A draft as a rule; a Rejection where its quotation does not stand in the passage, or where it is empty."""
    spans = find_quotation(draft.quotation, window.blocks)
    if reason := _fault(draft, spans):
        return window.rejection(reason, draft.quotation or draft.title)
    quoted = evidence(spans, window.blocks)
    references, unknown = _references(draft, window, grammar, quoted)
    examples, notes = examples_of(references, grammar.pairs, grammar.language)
    exceptions, unstated = _exceptions(draft, window)
    contrast, doubts = _contrast(draft, window, grammar)
    original = squeeze(draft.original)
    return VerifiedRule(
        section=window.section,
        title=squeeze(draft.title),
        description=squeeze(draft.description),
        original=original if original and grammar.source.written_in[0] != "en" else None,
        category=draft.category,
        phenomenon=squeeze(draft.phenomenon) or draft.category,
        spans=spans,
        evidence=quoted,
        example_ids=tuple(dict.fromkeys(reference.block.id for reference in references)),
        examples=examples,
        exceptions=exceptions,
        contrast=contrast,
        notes=(*notes, *unknown, *unstated, *doubts, *window.remarks),
        asked=asked,
        place=(grammar.order[spans[0].block_id], spans[0].start),
    )


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
    draft: RuleDraft, window: Window, grammar: Grammar, quoted: Sequence[Evidence]
) -> tuple[list[Reference], list[str]]:
    """The examples that the draft names and that the quoted words refer to, and notes on unknown names."""
    named = {name: window.names.find(name) for name in draft.examples}
    unknown = [shortened(name) for name, reference in named.items() if reference is None]
    printed = window.names.printed_in(" ".join(item.quote for item in quoted))
    references = filter(None, (*named.values(), *printed))
    different = {(reference.block.id, reference.label): reference for reference in references}
    notes = [f"an example was named that the passage does not have: {name}" for name in unknown]
    return sorted(different.values(), key=lambda reference: grammar.order[reference.block.id]), notes


def _exceptions(draft: RuleDraft, window: Window) -> tuple[tuple[str, ...], list[str]]:
    """The exceptions in the book's letters, and notes on those that the book does not state."""
    stated: dict[str, None] = {}
    notes = []
    for exception in filter(words, draft.exceptions):
        if quoted := evidence(find_quotation(exception, window.blocks), window.blocks):
            stated.setdefault(" ".join(squeeze(item.quote) for item in quoted))
        else:
            notes.append(f"an exception was named that the passage does not state: {shortened(exception)}")
    return tuple(stated), notes


def _contrast(draft: RuleDraft, window: Window, grammar: Grammar) -> tuple[Contrast, list[str]]:
    """What pair the rule licenses, with notes. Where the book's words don't support a licence, there is none."""
    difference = shortened(draft.contrast)
    spans = find_quotation(draft.bans, window.blocks) if words(draft.bans) else ()
    ban = next(iter(evidence(spans, window.blocks)), None)
    features, notes = _features(draft)
    if not draft.licenses_pair:
        return Contrast(licence="none", what=difference or "the book rules nothing out", evidence=ban), notes
    reason = _no_licence(draft, ban, window.blocks, grammar.prose)
    if not words(difference):
        reason = "no contrast was named"
    if features is None:
        reason = "the good and the bad form were given the same features"
    if reason:
        notes.append(f"proposed as a pair: {difference or '(nothing)'}")
        return Contrast(licence="none", what=reason, evidence=ban), notes
    return Contrast(licence="banned", what=difference, features=features or (), evidence=ban), notes


def _no_licence(draft: RuleDraft, ban: Evidence | None, blocks: Sequence[Block], prose: Sequence[Language]) -> str:
    """Why the words that the draft names don't rule a form out; empty where they may."""
    if not words(draft.bans):
        return "no words of the book were named that rule a form out"
    if ban is None:
        return f"the words that should rule a form out do not stand in the passage: {shortened(draft.bans)}"
    block = next(block for block in blocks if block.id == ban.block_id)
    if block.kind in EXAMPLE_KINDS:
        marks = {leaf.judgement for _, leaf in block.gloss.leaves() if leaf.judgement} if block.gloss else set()
        # A hash marks what is well formed, but odd in its context or its meaning.
        return "its examples are marked # alone: odd, not ungrammatical" if marks == {"#"} else ""
    permissions = (word_pattern(word).search(ban.quote) for language in prose for word in language.permissions)
    permission = next(filter(None, permissions), None)
    forbids = any(word_pattern(word).search(ban.quote) for language in prose for word in language.bans)
    return f"the book permits: {permission[0]}" if permission and not forbids else ""


def _features(draft: RuleDraft) -> tuple[tuple[str, ...] | None, list[str]]:
    """The well-formed demands, None where both sides are the same; notes on those that are not well formed."""
    kept: list[str] = []
    notes = []
    for line in map(squeeze, draft.features):
        try:
            parse_demand([*kept, line])
        except ValueError as fault:
            notes.append(f"a demand of features was left out: {shortened(str(fault))}")
        else:
            kept.append(line)
    demand = parse_demand(kept)
    return (None if kept and demand.good == demand.bad else show_demand(demand)), notes
