"""A language model's drafts of rules about a passage, each verified against the book: a rule, or why it is none.

A ban needs words that rule a form out, or a marked example. Failing that, a rule that the book states without words
that permit or weaken it is obligatory; exceptions that it names narrow it. All else licenses no pair, and says why.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from pairwright.core.ids import content_id
from pairwright.core.records import Block, Contrast, Evidence, Example, Licence, LLMCall, Rejection, Rule, Source
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import Language
from pairwright.languages.features import parse_demand, show_demand
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.languages.linguistics.glosses import join_morphemes, labels_of, wordings
from pairwright.languages.linguistics.sentences import STARRED, STARS, meaning
from pairwright.sources import PROPOSED
from pairwright.sources.grammar.rules.passages import (
    EXAMPLE_KINDS,
    SHOWN_NAME,
    ExampleRef,
    Window,
    leaves,
    named_lines,
    shortened,
)

# Hyphens and dashes, quotation marks and primes, the bar between table cells, and invisible characters.
_PASSED_OVER = frozenset("-\u00ad‐‑‒–—―−'\"`´‘’‚‛“”„‟‹›«»′″|\u200b\u200c\u200d\u2060\ufeff")
_FOOTNOTE_MARKS = frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹")
# What may stand between two parts of a sentence.
_ASIDE = frozenset({"gloss", "example", "table", "caption", "footnote", "figure"})
# A quotation has so many words or letters, and a rule no longer texts.
_LEAST_WORDS, _LEAST_LETTERS = 3, 15
_LONGEST_TITLE, _LONGEST_TEXT = 160, 1500
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


class TextSpan(NamedTuple):
    """A stretch of a block's text: the block's id, and its offsets from `start` up to `end`."""

    block_id: str
    start: int
    end: int


def quotable(block: Block) -> str:
    """The words of a block that can be quoted: its text and, behind it, the notes of a table."""
    return "\n".join([block.text, *(note.printed for note in block.notes)])


def says_enough(quotation: str) -> bool:
    """Whether a quotation is long enough to support a rule: a word or two stand on every page."""
    return len(words(quotation)) >= _LEAST_WORDS or sum(map(str.isalnum, quotation)) >= _LEAST_LETTERS


def find_quotation(quotation: str, blocks: Sequence[Block]) -> tuple[TextSpan, ...]:
    """Where a quotation stands in consecutive blocks: one span for each block it runs through, or none.

    It may differ from the book in white space, hyphens, the form of quotation marks and ligatures, and may leave out
    footnote marks; it must begin and end where words do. Examples and tables may stand between two parts of a sentence.
    For a line of an example that the page breaks, the span is the whole of that part of the example.
    """
    needle, _ = _fold([quotation])
    if not needle:
        return ()
    prose = [block for block in blocks if block.kind not in _ASIDE]
    others = [block for block in blocks if block.kind in _ASIDE]
    searches = chain(
        (_find(needle, quotation.strip(), group) for group in (prose, *([block] for block in others))),
        (_find_in_example(needle, block) for block in others),
    )
    return next(filter(None, searches), ())


def _find_in_example(needle: str, block: Block) -> tuple[TextSpan, ...]:
    """The part of an example in whose lines, without page breaks and columns, a quotation stands."""
    for label, leaf in leaves(block.gloss) if block.gloss else ():
        lines, raw = [line for _, line in named_lines(label, leaf)], leaf.raw
        if next(_whole_matches(needle, lines), None):
            at = block.text.find(raw)
            # Parts that are set side by side can't be cut apart.
            start, end = (at, at + len(raw)) if raw and at >= 0 else (0, len(block.text))
            return (TextSpan(block.id, start, end),)
    return ()


def evidence(spans: Sequence[TextSpan], blocks: Sequence[Block]) -> tuple[Evidence, ...]:
    """The words at some spans as the blocks have them, with their places."""
    by_id = {block.id: block for block in blocks}
    quoted = []
    for block_id, start, end in spans:
        block = by_id[block_id]
        row_lines = block.row_lines[block.text.count("\n", 0, start) :]
        quoted.append(Evidence.at(block, quotable(block)[start:end], row_lines[0] if row_lines else None))
    return tuple(quoted)


def _fold(texts: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The letters of several texts that are compared, and for each the index of its text and its offset there."""
    letters, places = [], []
    for index, text in enumerate(texts):
        for offset, char in enumerate(text):
            if not (char.isspace() or char in _PASSED_OVER or char in _FOOTNOTE_MARKS):
                plain = unicodedata.normalize("NFKD", char)
                letters.append(plain)
                places += [(index, offset)] * len(plain)
    return "".join(letters), places


def _find(needle: str, quotation: str, blocks: Sequence[Block]) -> tuple[TextSpan, ...]:
    texts = [quotable(block) for block in blocks]
    for first, last in _whole_matches(needle, texts):
        spans = []
        for index in range(first[0], last[0] + 1):
            text = texts[index]
            begin = first[1] if index == first[0] else len(text) - len(text.lstrip())
            end = last[1] + 1 if index == last[0] else len(text.rstrip())
            # Hyphens and quotation marks at its ends, where the quotation has some too.
            while quotation[:1] in _PASSED_OVER and begin > 0 and text[begin - 1] in _PASSED_OVER:
                begin -= 1
            while quotation[-1:] in _PASSED_OVER and end < len(text) and text[end] in _PASSED_OVER:
                end += 1
            if begin < end:
                spans.append(TextSpan(blocks[index].id, begin, end))
        return tuple(spans)
    return ()


def _whole_matches(needle: str, texts: Sequence[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where folded letters stand in texts as whole words: the places of the first and the last letter."""
    letters, places = _fold(texts)
    start = letters.find(needle)
    while start >= 0:
        end = start + len(needle)
        first, last = places[start], places[end - 1]
        before, after = texts[first[0]][: first[1]][-1:], texts[last[0]][last[1] + 1 :][:1]
        cut = before.isalnum() and texts[first[0]][first[1]].isalnum()
        cut |= after.isalnum() and after not in _FOOTNOTE_MARKS and texts[last[0]][last[1]].isalnum()
        # A letter and its accent, or the letters of a ligature, have one place.
        cut |= first in places[max(0, start - 1) : start] or last in places[end : end + 1]
        if not (cut or (after and unicodedata.combining(after))):
            yield first, last
        start = letters.find(needle, start + 1)


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

    def has_word(self, term: str, window: Window) -> bool:
        """Whether the passage, or an example elsewhere in the book, has a word or an affix of the language."""
        plain = comparison_key(join_morphemes(term, self.language.boundaries))
        return bool(plain) and (f" {plain} " in f" {window.words} " or all(map(self.attested.attests, plain.split())))

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
    spans = spans or find_quotation(SHOWN_NAME.sub("", draft.quotation), window.blocks)
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
    terms = _found(draft.words, notes, lambda term: grammar.has_word(term, window))
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
        notes=tuple(dict.fromkeys(notes)),
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
    if len(draft.title) > _LONGEST_TITLE or len(draft.description) > _LONGEST_TEXT:
        return f"the title is longer than {_LONGEST_TITLE} characters, or the description than {_LONGEST_TEXT:,}"
    return ""


def refers_only(words_of_book: str) -> bool:
    """Whether words named as an exception send to another section, as `for the order of clitics see §6.2`."""
    return bool(_SECTION.search(BRACKETS.sub("", words_of_book)))


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
    taken = list[Example]()
    for ref in refs:
        part = {comparison_key(join_morphemes(leaf.object_line)) for leaf in ref.leaves}
        for pair in grammar.pairs.get(ref.block.id, ()):
            sides = (comparison_key(join_morphemes(side)) for side in (pair.good, pair.bad or ""))
            if not ref.label or ref.block.gloss is None or not part.isdisjoint(sides):
                taken.append(pair)
    return distinct([*taken, *(example for ref in refs for example in _unmarked(ref, grammar.language, notes))])


def _unmarked(ref: ExampleRef, language: Language, notes: list[str]) -> Iterator[Example]:
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
        notes.append(f"example {number} is in another language: {gloss.language}")
        return
    for leaf in (leaf for leaf in ref.leaves if not leaf.judgement):
        sentence, segmentation = wordings(leaf, language.boundaries)[0], " ".join(filter(None, leaf.segmentation))
        if _SIGNS.search(sentence):
            notes.append(f"example {number} marks a part of its sentence; it is not taken for a good one")
        elif sentence:
            yield Example(
                good=sentence,
                bad=None,
                segmentation=segmentation if segmentation not in ("", sentence) else None,
                gloss=" ".join(leaf.glosses[0]) if leaf.glosses else None,
                translation=leaf.translation,
                evidence=Evidence.at(block, leaf.raw if leaf.raw in block.text else block.text),
            )


def _contrast(
    draft: RuleDraft, quoted: Sequence[Evidence], window: Window, grammar: Grammar, notes: list[str]
) -> Contrast:
    """The contrast of a draft, with the licence that the book bears out; what it does not is noted.

    quoted  the draft's quotation
    """
    difference, features = shortened(draft.contrast), _features(draft, notes)
    named = find_quotation(SHOWN_NAME.sub("", draft.ground), window.blocks) if words(draft.ground) else ()
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
            continue
        # With a short phrase that introduces them, as in `In most cases, the verb ...`.
        before = _PART_END.split(quotable(window.block(item.block_id)).partition(item.quote)[0])[-1].strip()
        introduction = before if before.endswith(",") and len(words(before)) <= _PHRASE else ""
        if permission := grammar.permits.search(f"{introduction} {item.quote}"):
            return f"the book permits: {permission[0]}"
    return ""


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
