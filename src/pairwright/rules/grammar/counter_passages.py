"""Words elsewhere in a grammar that may speak against a rule's licence, and what a language model makes of them.

A rule that one page states without exception may have exceptions on another. Sentences with words that permit or make
exceptions are ranked by what they share with the rule (BM25): its words and, with more weight, the forms and labels
that it names and the numbers of its examples. A licence falls where the model names words of such a sentence that speak
against it, and these stand in the book. An exception that pairs can keep clear of is added to the rule.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pairwright.languages import BOUNDARIES, Language
from pairwright.languages.linguistics.attested import attested_words
from pairwright.records import Block, Contrast, Rule
from pairwright.rules.grammar.merging import MergedRule
from pairwright.rules.grammar.quotations import evidence, find_quotation, says_enough
from pairwright.rules.grammar.schemas import LICENCES_AT_ONCE, LicenceCheck
from pairwright.rules.grammar.sentences import ProseSentence, paragraphs, sentences
from pairwright.rules.grammar.windows import shortened
from pairwright.text import comparison_key, squeeze, word_pattern, words

_KINDS = frozenset({"paragraph", "list_item", "footnote", "caption"})
_NUMBER = re.compile(r"\((\d{1,4})[a-z]{0,3}\)")
_STEM = 6
# BM25's usual constants.
_K1, _B = 1.2, 0.75
# A sentence must share this much of a rule's weight of words, and so many of them.
_LEAST_SHARE, _LEAST_TERMS = 0.2, 3
# How much more than other words the forms, labels and examples of a rule count.
_SPECIFIC = 2.0
# A grammatical label: `ACC`, `3SG`.
_LABEL = re.compile(r"\d?[A-Z]{2,}\d?")
# How many headings over a passage are shown.
_HEADINGS = 2


class DoubtfulRule(NamedTuple):
    """A rule with a licence, and the sentences that may speak against it."""

    rule: Rule
    passages: tuple[ProseSentence, ...]


class _Entry(NamedTuple):
    sentence: ProseSentence
    terms: Counter[str]
    words: str


class CounterPassages:
    """The sentences of a book that permit something or make an exception, by what they are about.

    blocks      of the whole document
    prose       the languages it is written in, with their words of permission and exception
    boundaries  the signs between morphemes of the language that it describes
    """

    def __init__(self, blocks: Iterable[Block], prose: Sequence[Language], boundaries: str = BOUNDARIES) -> None:
        self._common = frozenset(
            word for item in prose for word in (*item.function_words, *item.adpositions, *item.common_words)
        )
        abbreviations = frozenset(word.casefold() for item in prose for word in item.abbreviations)
        weakening = {word: None for item in prose for word in (*item.permissions, *item.concessions)}
        patterns = [word_pattern(word) for word in weakening]
        blocks = list(blocks)
        self._attested = attested_words(blocks, boundaries=boundaries)
        self._numbers = {block.id: block.gloss.number for block in blocks if block.gloss and block.gloss.number}
        self._entries: list[_Entry] = []
        self._by_term: dict[str, list[int]] = defaultdict(list)
        self._frequency: Counter[str] = Counter()
        self._count = 0
        prosaic = paragraphs(block for block in blocks if block.kind in _KINDS)
        for sentence in (item for chain in prosaic for item in sentences(chain, abbreviations)):
            terms = self._terms(sentence.text, sentence.blocks[0])
            self._frequency.update(terms.keys())
            self._count += 1
            if any(pattern.search(sentence.text) for pattern in patterns):
                for term in terms:
                    self._by_term[term].append(len(self._entries))
                self._entries.append(_Entry(sentence, terms, comparison_key(sentence.text)))
        self._mean_length = sum(entry.terms.total() for entry in self._entries) / max(len(self._entries), 1)

    def doubts(self, merged: MergedRule, most: int = 2) -> DoubtfulRule | None:
        """The sentences that say most of what a licensed rule is about; None without a licence, or such sentences.

        Sentences of the passages from which the rule was taken are left out: the model had them before it.
        """
        rule = merged.rule
        if not rule.contrast or not rule.contrast.licensed:
            return None
        stems, numbers = self._query(rule)
        whole, query = sum(stems.values()), stems | numbers
        scores: dict[int, float] = {}
        for index in {index for term in query for index in self._by_term.get(term, ())}:
            entry = self._entries[index]
            shared = query.keys() & entry.terms.keys()
            alike = len(shared) >= _LEAST_TERMS and sum(query[term] for term in shared) >= _LEAST_SHARE * whole
            same_example = len(shared) > 1 and not numbers.keys().isdisjoint(shared)
            if (alike or same_example) and not any(entry.words in shown for shown in merged.shown):
                scores[index] = self._score(shared, query, entry.terms)
        best = sorted(scores, key=lambda index: (-scores[index], index))[:most]
        return DoubtfulRule(rule, tuple(self._entries[index].sentence for index in best)) if best else None

    def _stems(self, text: str) -> list[str]:
        return [word[:_STEM] for word in words(text.casefold()) if word not in self._common and not word.isdigit()]

    def _terms(self, text: str, block: Block) -> Counter[str]:
        """The stems of a text's content words, and the numbers of examples in it with their chapter."""
        return Counter([*self._stems(text), *(f"{block.section[:1]} {number}" for number in _NUMBER.findall(text))])

    def _query(self, rule: Rule) -> tuple[dict[str, float], dict[str, float]]:
        """The stems of a rule and the numbers of its examples that the book repeats, weighted by their rarity.

        Forms of the described language and labels count more than other words.
        """
        text = " ".join([rule.title, rule.phenomenon, *(item.quote for item in rule.evidence)])
        own = (number for block_id in rule.example_ids if (number := self._numbers.get(block_id)))
        numbers = {f"{rule.section[:1]} {number}" for number in (*_NUMBER.findall(text), *own)}
        specific = [word for word in words(text) if self._attested.attests(word) or _LABEL.fullmatch(word)]
        stems = self._weighed(self._stems(text))
        stems |= {stem: _SPECIFIC * stems[stem] for stem in set(self._stems(" ".join(specific))) & stems.keys()}
        return stems, {number: _SPECIFIC * weight for number, weight in self._weighed(numbers).items()}

    def _weighed(self, terms: Iterable[str]) -> dict[str, float]:
        return {term: self._rarity(term) for term in sorted({*terms}) if self._frequency[term]}

    def _rarity(self, term: str) -> float:
        return math.log(1 + (self._count - self._frequency[term] + 0.5) / (self._frequency[term] + 0.5))

    def _score(self, shared: Iterable[str], query: dict[str, float], terms: Counter[str]) -> float:
        length = _K1 * (1 - _B + _B * terms.total() / self._mean_length)
        return sum(query[term] * terms[term] * (_K1 + 1) / (terms[term] + length) for term in shared)


def batches(doubtful: Sequence[DoubtfulRule]) -> Iterator[Sequence[DoubtfulRule]]:
    """The rules that are asked about together."""
    for start in range(0, len(doubtful), LICENCES_AT_ONCE):
        yield doubtful[start : start + LICENCES_AT_ONCE]


def show_doubts(doubtful: Sequence[DoubtfulRule]) -> str:
    """Rules with a number, what they say, and the sentences from elsewhere."""
    lines = []
    for number, (rule, passages) in enumerate(doubtful, start=1):
        what = rule.contrast.what if rule.contrast else ""
        lines += [f"{number}. {rule.title}: {shortened(rule.description)}", f"   pair: {what}"]
        lines.append(f"   page {rule.page}, {_headings(rule.section)}: {shortened(rule.quote)}")
        lines += [f"   elsewhere, {_place(item)}: {shortened(item.text)}" for item in passages]
    return "\n".join(lines)


def _place(passage: ProseSentence) -> str:
    block = passage.blocks[0]
    return f"page {block.page}, {_headings(block.section)}"


def _headings(section: Sequence[str]) -> str:
    """The last headings over a passage: those of a chapter and a section tell more than a long path."""
    return " > ".join(map(squeeze, section[-_HEADINGS:])) or "without a heading"


def checked(doubtful: DoubtfulRule, check: LicenceCheck | None, reason: str) -> Rule:
    """The rule as a check leaves it: without its licence, or with an exception from elsewhere.

    Without a usable check, or where its words do not stand in the book, the rule stays, with a note that says why.
    """
    rule, passages = doubtful
    contrast = rule.contrast
    pages = ", ".join(str(page) for page in sorted({item.blocks[0].page for item in passages}))
    if contrast is None or check is None:
        return _with_note(rule, f"not compared with what the book says elsewhere, on page {pages}: {reason}")
    blocks = list({block.id: block for item in passages for block in item.blocks}.values())
    against = evidence(find_quotation(check.against, blocks), blocks) if says_enough(check.against) else ()
    if not against:
        named = f"words were named against it that do not stand on page {pages}: {shortened(check.against)}"
        return rule if check.stands else _with_note(rule, named)
    if check.stands:
        exceptions = dict.fromkeys((*rule.exceptions, *(squeeze(item.quote) for item in against)))
        return rule.model_copy(update={"exceptions": tuple(exceptions)})
    what = f"the book says otherwise on page {against[0].page}: {shortened(against[0].quote)}"
    fallen = Contrast(licence="none", what=what, evidence=contrast.evidence, against=against)
    return _with_note(rule.model_copy(update={"contrast": fallen}), f"proposed as a pair: {contrast.what}")


def _with_note(rule: Rule, note: str) -> Rule:
    return rule.model_copy(update={"notes": (*rule.notes, note)})
