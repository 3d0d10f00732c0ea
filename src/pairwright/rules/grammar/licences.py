"""What pairs a rule licenses, as far as the words of the book bear it out.

A ban needs words that rule a form out, or a marked example. Failing that, a rule that the book states without
exceptions, and without words that permit or weaken it, is obligatory. All else licenses no pair, and keeps the reason.
"""

import re
from collections.abc import Iterable, Sequence

from pairwright.languages import Language
from pairwright.languages.features import parse_demand, show_demand
from pairwright.languages.linguistics.marks import STARRED, meaning
from pairwright.records import Block, Contrast, Evidence
from pairwright.rules.grammar.book_examples import EXAMPLE_KINDS, leaves, without_shown_names
from pairwright.rules.grammar.quotations import Span, evidence, find_quotation, quotable, says_enough
from pairwright.rules.grammar.schemas import RuleDraft
from pairwright.rules.grammar.windows import Window, shortened
from pairwright.text import squeeze, word_pattern, words

_PART_END = re.compile(r"[.;:!?](?=\s|$)")
_CLAUSE_END = re.compile(r"[,()\[\]–—]")
# Two forms in one cell: `-jn ~ -jna`, `kam/kan`, `ranka(h)`.
_TWO_FORMS = re.compile(r"\S\s*[~∼]\s*\S+|[^\W\d_]/-?[^\W\d_]|\w\(-?\w{1,4}\)")
_TRANSLATION = re.compile(r"‘[^‘’]*’|“[^“”]*”")
# How many words a phrase before a clause may have that still belongs to it, as in `In most cases, the verb ...`.
_PHRASE = 4


def verified_contrast(
    draft: RuleDraft,
    spans: Sequence[Span],
    exceptions: Sequence[str],
    window: Window,
    prose: Sequence[Language],
) -> tuple[Contrast, list[str]]:
    """The contrast of a draft, with the licence that the book bears out, and notes on what it does not.

    spans       of the draft's quotation
    exceptions  that the passage states
    """
    difference = shortened(draft.contrast)
    features, notes = _features(draft)
    ground = evidence(_ground(draft, window), window.blocks)
    if draft.licence == "none":
        what = difference or "the book rules nothing out"
        return Contrast(licence="none", what=what, evidence=next(iter(ground), None)), notes
    reason = _fault(draft, features, ground, window)
    if not reason and draft.licence == "banned":
        ban = _ban(draft.ground, ground, window, prose)
        if ban:
            return Contrast(licence="banned", what=difference, features=features or (), evidence=ban), notes
        notes.append(f"the book rules nothing out in the words that were named: {shortened(draft.ground) or '(none)'}")
    stated = _statement(ground, window) or _statement(evidence(spans, window.blocks), window)
    reason = reason or _not_obligatory(stated, exceptions, window, prose)
    if reason:
        notes.append(f"proposed as a pair: {difference or '(nothing)'}")
        return Contrast(licence="none", what=reason, evidence=next(iter(stated), None)), notes
    return Contrast(licence="obligatory", what=difference, features=features or (), evidence=stated[0]), notes


def _fault(draft: RuleDraft, features: tuple[str, ...] | None, ground: Sequence[Evidence], window: Window) -> str:
    """Why a draft licenses no pair, whatever the book says; empty where it may."""
    if not words(draft.contrast):
        return "no contrast was named"
    if features is None:
        return "the good and the bad form were given the same features"
    if words(draft.ground) and not ground and not window.names.find(draft.ground):
        return f"the words that should license it do not stand in the passage: {shortened(draft.ground)}"
    return _only_odd(ground, window)


def _ground(draft: RuleDraft, window: Window) -> tuple[Span, ...]:
    """Where the words stand that a draft names as the ground of its licence."""
    return find_quotation(without_shown_names(draft.ground), window.blocks) if words(draft.ground) else ()


def _block(item: Evidence, window: Window) -> Block:
    return next(block for block in window.blocks if block.id == item.block_id)


def _marks(block: Block) -> set[str]:
    return {leaf.gloss.judgement for leaf in leaves(block.gloss) if leaf.gloss.judgement} if block.gloss else set()


def _only_odd(ground: Sequence[Evidence], window: Window) -> str:
    """Why the marks of the example that is the ground mean no ungrammaticality; empty where they may."""
    marks = {mark for item in ground for mark in _marks(_block(item, window))}
    if not marks or any(meaning(mark) == "bad" for mark in marks):
        return ""
    return f"its examples are marked {' '.join(sorted(marks))} alone: odd, not ungrammatical"


def _ban(named: str, ground: Sequence[Evidence], window: Window, prose: Sequence[Language]) -> Evidence | None:
    """The words or the marked example that rule a form out; None where nothing in the ground does."""
    for item in ground:
        block = _block(item, window)
        marked = any(meaning(mark) == "bad" for mark in _marks(block)) or STARRED.search(item.quote)
        if marked or (block.kind not in EXAMPLE_KINDS and _bans(item.quote, prose)):
            return item
    example = window.names.find(named)
    if example and any(meaning(mark) == "bad" for mark in _marks(example.block)):
        return Evidence.at(example.block, example.block.text)
    return None


def _statement(quoted: Sequence[Evidence], window: Window) -> tuple[Evidence, ...]:
    """The quoted words, where they are long enough and more than an example; else nothing."""
    stated = tuple(item for item in quoted if _block(item, window).kind not in EXAMPLE_KINDS)
    in_table = any(_block(item, window).kind == "table" for item in stated)
    return stated if in_table or says_enough(" ".join(item.quote for item in stated)) else ()


def permission_in(text: str, prose: Iterable[Language]) -> str:
    """The first word of a text that permits or weakens, in the letters of the text; empty without one."""
    found = (word_pattern(word).search(text) for language in prose for word in language.permissions)
    return next((match[0] for match in found if match), "")


def _bans(text: str, prose: Sequence[Language]) -> bool:
    """Whether a text has a word that rules something out, other than in words that permit, such as `need not`."""
    for phrase in (phrase for language in prose for phrase in language.permissions):
        text = word_pattern(phrase).sub(" ", text)
    return any(word_pattern(word).search(text) for language in prose for word in language.bans)


def _not_obligatory(
    stated: Sequence[Evidence], exceptions: Sequence[str], window: Window, prose: Sequence[Language]
) -> str:
    """Why the words that state a rule don't make it obligatory; empty where they do."""
    if not stated:
        return "the book shows it in examples and does not state it"
    for item in stated:
        block = _block(item, window)
        if block.kind == "table":
            forms = _TRANSLATION.sub(" ", item.quote)
            two = next((match[0] for match in _TWO_FORMS.finditer(forms) if not match[0].isupper()), None)
            if two:
                return f"the table gives two forms for one cell: {shortened(two)}"
        else:
            permission = permission_in(_clause(quotable(block), item.quote), prose)
            if permission:
                return f"the book permits: {permission}"
    return f"the book states an exception: {shortened(exceptions[0])}" if exceptions else ""


def _clause(text: str, quote: str) -> str:
    """Quoted words with the beginning of their clause, and with a phrase before it, such as `In most cases,`.

    What stands behind them, as in `stands in the accusative and is typically the patient`, is about something else.
    """
    start = text.index(quote)
    begin = max((match.end() for match in _PART_END.finditer(text, 0, start)), default=0)
    *before, own = _CLAUSE_END.split(text[begin:start])
    phrase = before[-1] if before and len(words(before[-1])) <= _PHRASE else ""
    return f"{phrase} {own}{quote}"


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
