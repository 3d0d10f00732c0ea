"""A language model's drafts of rules about a passage, each verified against the book: a rule, or why it is none.

A ban needs words that rule a form out, or a marked example. Failing that, a rule that the book states without words
that permit or weaken it is obligatory; exceptions that it names narrow it. All else licenses no pair, and says why.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from pairwright.core.ids import content_id
from pairwright.core.records import Block, Contrast, Evidence, Example, Licence, LLMCall, Rejection, Rule, Source
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import Language
from pairwright.languages.features import parse_demand, show_demand
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.languages.linguistics.glosses import labels_of
from pairwright.languages.linguistics.marks import STARRED, STARS, meaning
from pairwright.languages.linguistics.morphemes import join_morphemes, wordings
from pairwright.sources import PROPOSED
from pairwright.sources.grammar.rules.passages import (
    EXAMPLE_KINDS,
    ExampleRef,
    Window,
    shortened,
    without_shown_names,
)
from pairwright.sources.grammar.rules.quotations import TextSpan, evidence, find_quotation, quotable, says_enough

LONGEST_TITLE, LONGEST_TEXT = 160, 1500

_SIGNS = re.compile(rf"[{STARS}†#]|\?\?|^\?")
_NUMBER = re.compile(r"^\(?(?P<number>\d+(?:\.\d+)*|[ivx]+)\)\s*")
_PART_END = re.compile(r"[.;:!?](?=\s|$)")
# The most words of a phrase that introduces quoted ones.
_PHRASE = 4
# Two forms in one cell: `-jn ~ -jna`, `kam/kan`, `ranka(h)`.
_TWO_FORMS = re.compile(r"\S\s*[~∼]\s*\S+|[^\W\d_]/-?[^\W\d_]|\w\(-?\w{1,4}\)")
# The number of a section, and what stands in brackets: outside of them, it is where a sentence sends its readers.
_SECTION, BRACKETS = re.compile(r"§|\b\d+\.\d"), re.compile(r"[(\[][^()\[\]]*[)\]]")
_TRANSLATION = re.compile(r"‘[^‘’]*’|“[^“”]*”")

# A model is sent the schema with its docstrings and descriptions. The lengths of lists stand only there: they stop a
# model that repeats itself, and a longer list is still read.

Category = Literal[
    "agreement",
    "aspect, tense and mood",
    "case and government",
    "clause linkage",
    "determination and quantity",
    "negation",
    "pronouns and reference",
    "questions",
    "voice and valency",
    "word formation and inflection",
    "word order",
    "other",
]


class RuleDraft(BaseModel):
    """A rule as a language model proposes it, field by field in the order in which it should think."""

    quotation: str
    title: str = Field(description="a name for the rule of at most ten words, in English")
    description: str = Field(description="the rule in one to three sentences, in English")
    category: Category
    phenomenon: str = Field(description="the grammarians' name of the phenomenon, such as genitive of negation")
    examples: list[str]
    exceptions: list[str]
    licence: Licence
    ground: str
    contrast: str
    features: list[str]
    words: list[str] = []
    labels: list[str] = []


class ExtractedRules(BaseModel):
    """The rules of one passage; none is a good answer too."""

    rules: list[RuleDraft] = Field(json_schema_extra={"maxItems": 24})


@dataclass(frozen=True)
class Grammar:
    """The grammar that is read.

    prose   the languages it is written in
    pairs   the pairs in its marked examples, by the ids of the example blocks
    blocks  of the whole book
    """

    source: Source
    language: Language
    prose: tuple[Language, ...]
    pairs: Mapping[str, Sequence[Example]]
    blocks: Sequence[Block]

    @cached_property
    def order(self) -> dict[str, int]:
        """The index of each block in the book."""
        return {block.id: index for index, block in enumerate(self.blocks)}

    @cached_property
    def attested(self) -> AttestedWords:
        return attested_words(self.blocks, boundaries=self.language.boundaries)

    @cached_property
    def labels(self) -> frozenset[str]:
        """The parts of the labels in its glosses."""
        leaves = (leaf for block in self.blocks if block.gloss for _, leaf in block.gloss.leaves())
        return frozenset(part for leaf in leaves for line in leaf.glosses for part in labels_of(" ".join(line)))

    @cached_property
    def permits(self) -> re.Pattern[str]:
        return word_pattern(*(phrase for language in self.prose for phrase in language.permissions))

    def bans(self, item: Evidence, block: Block) -> bool:
        """Whether words of a block, or its marks, rule a form out; not words that permit, such as `need not`."""
        if _calls_bad(_marks(block)) or STARRED.search(item.quote):
            return True
        words_of_bans = word_pattern(*(word for language in self.prose for word in language.bans))
        return block.kind not in EXAMPLE_KINDS and bool(words_of_bans.search(self.permits.sub(" ", item.quote)))


class StatedRule(NamedTuple):
    """A rule as an answer states it, with all its words of the book verified. Several may be one rule of the book.

    spans  of its quotation
    place  where that begins: the index of the block in the book, and the offset in it
    shown  the words of the passages that the answers are about, as `Window.words`
    """

    rule: Rule
    spans: tuple[TextSpan, ...]
    place: tuple[int, int]
    shown: frozenset[str]

    @property
    def contrast(self) -> Contrast:
        assert self.rule.contrast is not None
        return self.rule.contrast


def verify(draft: RuleDraft, window: Window, grammar: Grammar, asked: LLMCall) -> StatedRule | Rejection:
    """A draft as a rule; a Rejection where its quotation does not stand in the passage, or where it is empty."""
    spans = find_quotation(draft.quotation, window.blocks)
    spans = spans or find_quotation(without_shown_names(draft.quotation), window.blocks)
    if reason := _why_not_grounded(draft, spans, window):
        return window.rejection(reason, draft.quotation or draft.title)
    quoted, notes = evidence(spans, window.blocks), list[str]()
    quote = " ".join(item.quote for item in quoted)
    refs = {name: window.names.find(name) for name in draft.examples}
    different = {(ref.block.id, ref.label): ref for ref in (*refs.values(), *window.names.printed_in(quote)) if ref}
    named = sorted(different.values(), key=lambda ref: grammar.order[ref.block.id])
    examples = _examples(named, grammar, notes)
    unknown = (shortened(name) for name, ref in refs.items() if ref is None)
    notes += [f"an example was named that the passage does not have: {name}" for name in unknown]
    exceptions: dict[str, None] = {}
    for exception in filter(words, draft.exceptions):
        if refers_only(exception):
            continue
        if stated := evidence(find_quotation(exception, window.blocks), window.blocks):
            exceptions.setdefault(" ".join(squeeze(item.quote) for item in stated))
        else:
            notes.append(f"an exception was named that the passage does not state: {shortened(exception)}")
    contrast = _contrast(draft, quoted, window, grammar, notes)
    terms = _found(draft.words, notes, lambda term: _has_word(term, window, grammar))
    labels = _found(draft.labels, notes, lambda label: bool(parts := labels_of(label)) and parts <= grammar.labels)
    section = window.block(spans[0].block_id).section
    rule = Rule(
        id=content_id("rule", grammar.source.id, list(section), comparison_key(quote)),
        source_id=grammar.source.id,
        code="",
        title=squeeze(draft.title),
        description=squeeze(draft.description),
        category=draft.category,
        phenomenon=squeeze(draft.phenomenon) or draft.category,
        section=section,
        block_ids=tuple(span.block_id for span in spans),
        quote=quote,
        page=quoted[0].page,
        line=quoted[0].line,
        examples=examples,
        notes=tuple(notes),
        extracted_by=asked.prompt,
        evidence=quoted,
        example_ids=tuple(dict.fromkeys(ref.block.id for ref in named)),
        exceptions=tuple(exceptions),
        words=terms,
        labels=labels,
        contrast=contrast,
        asked=(asked,),
    )
    place = grammar.order[spans[0].block_id], spans[0].start
    return StatedRule(rule, spans, place, frozenset({window.words}))


def _why_not_grounded(draft: RuleDraft, spans: Sequence[TextSpan], window: Window) -> str:
    # A row of a table may be short: `ESS | -n`.
    in_table = any(window.block(span.block_id).kind == "table" for span in spans)
    if not (says_enough(draft.quotation) or (in_table and len(words(draft.quotation)) > 1)):
        return "the quotation is too short for a rule to rest on"
    if not spans:
        return "the quotation does not stand in the passage"
    if not words(draft.title) or not words(draft.description):
        return "the rule has no title or no description"
    if len(draft.title) > LONGEST_TITLE or len(draft.description) > LONGEST_TEXT:
        return f"the title is longer than {LONGEST_TITLE} characters, or the description than {LONGEST_TEXT:,}"
    return ""


def refers_only(words_of_book: str) -> bool:
    """Whether words named as an exception send to another section, as `for the order of clitics see §6.2`."""
    return bool(_SECTION.search(BRACKETS.sub("", words_of_book)))


def _has_word(term: str, window: Window, grammar: Grammar) -> bool:
    """Whether the passage, or an example elsewhere in the book, has a word or an affix of the language."""
    plain = comparison_key(join_morphemes(term, grammar.language.boundaries))
    return bool(plain) and (f" {plain} " in f" {window.words} " or all(map(grammar.attested.attests, plain.split())))


def _found(named: Iterable[str], notes: list[str], is_there: Callable[[str], bool]) -> tuple[str, ...]:
    """Those words or labels that the book has; the others are noted."""
    kept: dict[str, None] = {}
    for term in map(squeeze, named):
        if is_there(term):
            kept.setdefault(term)
        else:
            notes.append(f"a word or label was named that the book does not have: {shortened(term)}")
    return tuple(kept)


def distinct(examples: Iterable[Example]) -> tuple[Example, ...]:
    """The first of the examples with the same sentences; one without a bad sentence only where no pair has its good."""
    first: dict[tuple[str, str | None], Example] = {}
    for example in examples:
        first.setdefault((example.good, example.bad), example)
    in_pairs = {good for good, bad in first if bad is not None}
    return tuple(example for (good, bad), example in first.items() if bad is not None or good not in in_pairs)


def _examples(refs: Sequence[ExampleRef], grammar: Grammar, notes: list[str]) -> tuple[Example, ...]:
    """The pairs and the unmarked sentences of the examples that a rule refers to; why others are not taken is noted.

    For a reference to a whole block all its pairs are taken, for a part those with a sentence of the part.
    """
    taken = [pair for ref in refs for pair in grammar.pairs.get(ref.block.id, ()) if _belongs(pair, ref)]
    for ref in refs:
        for item in _good_sentences(ref, grammar.language):
            if isinstance(item, Example):
                taken.append(item)
            elif item not in notes:
                notes.append(item)
    return distinct(taken)


def _belongs(pair: Example, ref: ExampleRef) -> bool:
    """Whether a pair has a sentence of the part that a reference names."""
    sides = {comparison_key(join_morphemes(side)) for side in (pair.good, pair.bad or "")}
    part = (comparison_key(join_morphemes(leaf.object_line)) for leaf in ref.leaves)
    return not ref.label or ref.block.gloss is None or any(line in sides for line in part)


def _good_sentences(ref: ExampleRef, language: Language) -> Iterator[Example | str]:
    block, gloss = ref.block, ref.block.gloss
    if gloss is None:
        text = _NUMBER.sub("", " ".join(block.text.split()))
        if not _SIGNS.search(text):
            yield Example(good=text, bad=None, evidence=Evidence.at(block, block.text))
        return
    number = f"({gloss.number})" if gloss.number else f"on page {block.page}"
    # Grammars also name varieties, such as `Iranian Armenian`. A language without a file has no name to compare.
    names = () if language.name == language.code else (language.name.casefold(), language.autonym.casefold())
    if gloss.language and names and not any(name in gloss.language.casefold() for name in names):
        yield f"example {number} is in another language: {gloss.language}"
        return
    for leaf in ref.leaves:
        sentence = wordings(leaf, language.boundaries)[0]
        segmentation = " ".join(filter(None, leaf.segmentation))
        if _SIGNS.search(sentence) and not leaf.judgement:
            yield f"example {number} marks a part of its sentence; it is not taken for a good one"
        elif sentence and not leaf.judgement:
            yield Example(
                good=sentence,
                bad=None,
                segmentation=segmentation if segmentation not in ("", sentence) else None,
                gloss=" ".join(leaf.glosses[0]) if leaf.glosses else None,
                translation=leaf.translation,
                evidence=Evidence.at(block, leaf.raw if leaf.raw in block.text else block.text),
            )


def _contrast(
    draft: RuleDraft,
    quoted: Sequence[Evidence],
    window: Window,
    grammar: Grammar,
    notes: list[str],
) -> Contrast:
    """The contrast of a draft, with the licence that the book bears out; what it does not is noted.

    quoted  the draft's quotation
    """
    difference, features = shortened(draft.contrast), _features(draft, notes)
    named = find_quotation(without_shown_names(draft.ground), window.blocks) if words(draft.ground) else ()
    ground = evidence(named, window.blocks)
    if draft.licence == "none":
        what = difference or "the book rules nothing out"
        return Contrast(licence="none", what=what, evidence=next(iter(ground), None))
    example = window.names.find(draft.ground)
    marks = {mark for item in ground for mark in _marks(window.block(item.block_id))}
    reason = ""
    if not words(draft.contrast):
        reason = "no contrast was named"
    elif features is None:
        reason = "the good and the bad form were given the same features"
    elif words(draft.ground) and not ground and not example:
        reason = f"the words that should license it do not stand in the passage: {shortened(draft.ground)}"
    elif marks and not _calls_bad(marks):
        reason = f"its examples are marked {' '.join(sorted(marks))} alone: odd, not ungrammatical"
    elif draft.licence == "banned":
        ban = next((item for item in ground if grammar.bans(item, window.block(item.block_id))), None)
        if ban is None and example and _calls_bad(_marks(example.block)):
            ban = Evidence.at(example.block, example.block.text)
        if ban:
            return Contrast(licence="banned", what=difference, features=features, evidence=ban)
        notes.append(f"the book rules nothing out in the words that were named: {shortened(draft.ground) or '(none)'}")
    stated = _statement(ground, window) or _statement(quoted, window)
    if reason := reason or _why_not_obligatory(stated, window, grammar):
        notes.append(f"{PROPOSED}{difference or '(nothing)'}")
        return Contrast(licence="none", what=reason, evidence=next(iter(stated), None))
    return Contrast(licence="obligatory", what=difference, features=features or (), evidence=stated[0])


def _marks(block: Block) -> set[str]:
    return {leaf.judgement for _, leaf in block.gloss.leaves() if leaf.judgement} if block.gloss else set()


def _calls_bad(marks: Iterable[str]) -> bool:
    return any(meaning(mark) == "bad" for mark in marks)


def _statement(quoted: Sequence[Evidence], window: Window) -> tuple[Evidence, ...]:
    """The quoted words, where they are long enough and more than an example; else nothing."""
    kinds = {item: window.block(item.block_id).kind for item in quoted}
    stated = tuple(item for item in quoted if kinds[item] not in EXAMPLE_KINDS)
    in_table = any(kinds[item] == "table" for item in stated)
    return stated if in_table or says_enough(" ".join(item.quote for item in stated)) else ()


def _why_not_obligatory(stated: Sequence[Evidence], window: Window, grammar: Grammar) -> str:
    """Why the words that state a rule don't make it obligatory; empty where they do."""
    if not stated:
        return "the book shows it in examples and does not state it"
    for item in stated:
        if window.block(item.block_id).kind == "table":
            two = _TWO_FORMS.finditer(_TRANSLATION.sub(" ", item.quote))
            if both := next((match[0] for match in two if not match[0].isupper()), None):
                return f"the table gives two forms for one cell: {shortened(both)}"
        elif permission := grammar.permits.search(_introduced(quotable(window.block(item.block_id)), item.quote)):
            return f"the book permits: {permission[0]}"
    return ""


def _introduced(text: str, quote: str) -> str:
    """Quoted words with a short phrase that introduces them, as in `In most cases, the verb ...`."""
    before = _PART_END.split(text[: text.index(quote)])[-1].strip()
    return f"{before} {quote}" if before.endswith(",") and len(words(before)) <= _PHRASE else quote


def _features(draft: RuleDraft, notes: list[str]) -> tuple[str, ...] | None:
    """The well-formed demands, None where both sides are the same; those that are not well formed are noted."""
    kept: list[str] = []
    for line in map(squeeze, draft.features):
        try:
            parse_demand([*kept, line])
        except ValueError as fault:
            notes.append(f"a demand of features was left out: {shortened(str(fault))}")
        else:
            kept.append(line)
    demand = parse_demand(kept)
    return None if kept and demand.good == demand.bad else show_demand(demand)
