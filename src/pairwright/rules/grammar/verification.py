"""A language model's answer about a passage, verified against the book: rules, or the reasons why they are none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.languages import Language
from pairwright.records import Contrast, Evidence, Example, LLMCall, Rejection, Source
from pairwright.rules.grammar.book_examples import Reference, examples_of, without_shown_names
from pairwright.rules.grammar.licences import verified_contrast
from pairwright.rules.grammar.quotations import Span, evidence, find_quotation, says_enough
from pairwright.rules.grammar.schemas import RuleDraft
from pairwright.rules.grammar.windows import Window, shortened
from pairwright.text import squeeze, words

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

    section: tuple[str, ...]
    title: str
    description: str
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
    shown: str  # the words of the passage that the answer is about, as `Window.words`
    place: tuple[int, int]


def verify(draft: RuleDraft, window: Window, grammar: Grammar, asked: LLMCall) -> VerifiedRule | Rejection:
    """A draft as a rule; a Rejection where its quotation does not stand in the passage, or where it is empty."""
    spans = find_quotation(draft.quotation, window.blocks)
    spans = spans or find_quotation(without_shown_names(draft.quotation), window.blocks)
    if reason := _fault(draft, spans, window):
        return window.rejection(reason, draft.quotation or draft.title)
    quoted = evidence(spans, window.blocks)
    references, unknown = _references(draft, window, grammar, quoted)
    examples, notes = examples_of(references, grammar.pairs, grammar.language)
    exceptions, unstated = _exceptions(draft, window)
    contrast, doubts = verified_contrast(draft, spans, exceptions, window, grammar.prose)
    return VerifiedRule(
        section=next(block.section for block in window.blocks if block.id == spans[0].block_id),
        title=squeeze(draft.title),
        description=squeeze(draft.description),
        category=draft.category,
        phenomenon=squeeze(draft.phenomenon) or draft.category,
        spans=spans,
        evidence=quoted,
        example_ids=tuple(dict.fromkeys(reference.block.id for reference in references)),
        examples=examples,
        exceptions=exceptions,
        contrast=contrast,
        notes=(*notes, *unknown, *unstated, *doubts),
        asked=asked,
        shown=window.words,
        place=(grammar.order[spans[0].block_id], spans[0].start),
    )


def _fault(draft: RuleDraft, spans: Sequence[Span], window: Window) -> str:
    tables = {block.id for block in window.blocks if block.kind == "table"}
    # A row of a table may be short: `ESS | -n`.
    is_row = any(span.block_id in tables for span in spans) and len(words(draft.quotation)) > 1
    if not (is_row or says_enough(draft.quotation)):
        return "the quotation is too short for a rule to rest on"
    if not spans:
        return "the quotation does not stand in the passage"
    if not words(draft.title) or not words(draft.description):
        return "the rule has no title or no description"
    if len(draft.title) > LONGEST_TITLE or len(draft.description) > LONGEST_TEXT:
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
