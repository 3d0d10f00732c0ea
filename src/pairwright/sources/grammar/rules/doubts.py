"""Words elsewhere in a grammar that may speak against a rule's licence, and what a language model makes of them.

A rule that one page states without exception may have exceptions on another. Of the sentences with words that permit
or make exceptions, those are shown that share most with the rule: rare words, the forms and labels that it names, the
numbers of its examples. A licence falls where the model names words of such a sentence that speak against it, and the
book has them. An exception that pairs can keep clear of is added to the rule.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import BaseModel, Field

from pairwright.core.records import Block, Contrast, Rule
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import BOUNDARIES, Language
from pairwright.languages.linguistics.attested import attested_words
from pairwright.sources.grammar.rules.drafts import StatedRule
from pairwright.sources.grammar.rules.passages import Item, paragraphs, sentences, shortened
from pairwright.sources.grammar.rules.quotations import evidence, find_quotation, says_enough

# How many licences one question is about, and how many sentences it shows for each.
LICENCES_AT_ONCE, _MOST = 12, 2
_NUMBER = re.compile(r"\((\d{1,4})[a-z]{0,3}\)")
# A grammatical label: `ACC`, `3SG`.
_LABEL = re.compile(r"\d?[A-Z]{2,}\d?")
_STEM = 6
# A sentence must share this much of a rule's weight of words, and so many of them.
_LEAST_SHARE, _LEAST_TERMS = 0.2, 3
# How many headings over a passage are shown.
_HEADINGS = 2


class LicenceCheck(BaseModel):
    """Whether the licence of one rule, by its number, stands beside other passages of the book."""

    rule: int
    stands: bool
    against: str = Field(description="the words that speak against it or except something, letter by letter")


class LicenceChecks(BaseModel):
    """One check for every rule that was asked about."""

    checks: list[LicenceCheck] = Field(json_schema_extra={"maxItems": LICENCES_AT_ONCE})


class DoubtfulRule(NamedTuple):
    """A rule with a licence, and the sentences that may speak against it."""

    rule: Rule
    passages: tuple[Item, ...]


class CounterPassages:
    """The sentences of a book that permit something or make an exception, by what they are about.

    blocks      of the whole document
    prose       the languages it is written in, with their words of permission and exception
    boundaries  the signs between morphemes of the language that it describes
    """

    def __init__(self, blocks: Sequence[Block], prose: Sequence[Language], boundaries: str = BOUNDARIES) -> None:
        self._common = frozenset(
            word for item in prose for word in (*item.function_words, *item.adpositions, *item.common_words)
        )
        weakening = word_pattern(*(word for item in prose for word in (*item.permissions, *item.concessions)))
        self._attested = attested_words(blocks, boundaries=boundaries)
        self._numbers = {block.id: block.gloss.number for block in blocks if block.gloss and block.gloss.number}
        abbreviations = frozenset(word.casefold() for item in prose for word in item.abbreviations)
        kinds = {"paragraph", "list_item", "footnote", "caption"}
        chains = paragraphs(block for block in blocks if block.kind in kinds)
        everything = [item for chain in chains for item in sentences(chain, abbreviations)]
        terms = [self._terms(item.text, item.blocks[0]) for item in everything]
        self._frequency = Counter(term for known in terms for term in known)
        self._count = len(everything)
        known = zip(everything, terms, strict=True)
        self._entries = [(item, found) for item, found in known if weakening.search(item.text)]

    def doubts(self, stated: StatedRule) -> DoubtfulRule | None:
        """The sentences that say most of what a licensed rule is about; None without a licence, or such sentences.

        Sentences of the passages from which the rule was taken are left out: the model had them before it.
        """
        rule = stated.rule
        if not stated.contrast.licensed:
            return None
        text = " ".join([rule.title, rule.phenomenon, *(item.quote for item in rule.evidence)])
        own = [self._numbers[block_id] for block_id in rule.example_ids if block_id in self._numbers]
        numbers = {f"{rule.section[:1]} {number}" for number in (*_NUMBER.findall(text), *own)}
        specific = " ".join(word for word in words(text) if self._attested.attests(word) or _LABEL.fullmatch(word))
        special = numbers | self._stems(specific)
        stems = self._stems(text)
        weights = {term: self._rarity(term) * (1 + (term in special)) for term in sorted(stems | numbers)}
        least = _LEAST_SHARE * sum(weights[stem] for stem in stems)
        ranked = []
        for item, terms in self._entries:
            shared = terms & weights.keys()
            alike = len(shared) >= _LEAST_TERMS and sum(weights[term] for term in shared) >= least
            same_example = len(shared) > 1 and not numbers.isdisjoint(shared)
            if (alike or same_example) and not any(comparison_key(item.text) in shown for shown in stated.shown):
                ranked.append((sum(weights[term] for term in sorted(shared)), item))
        best = sorted(ranked, key=lambda option: -option[0])[:_MOST]
        return DoubtfulRule(rule, tuple(item for _, item in best)) if best else None

    def _stems(self, text: str) -> set[str]:
        return {word[:_STEM] for word in words(text.casefold()) if word not in self._common and not word.isdigit()}

    def _terms(self, text: str, block: Block) -> set[str]:
        return self._stems(text) | {f"{block.section[:1]} {number}" for number in _NUMBER.findall(text)}

    def _rarity(self, term: str) -> float:
        """The inverse document frequency; 0 for a term that the prose does not have."""
        return math.log(1 + self._count / self._frequency[term]) if self._frequency[term] else 0.0


def show_doubts(doubtful: Iterable[DoubtfulRule]) -> str:
    """Rules with a number, what they say, and the sentences from elsewhere."""
    lines = []
    for number, (rule, passages) in enumerate(doubtful, start=1):
        what = rule.contrast.what if rule.contrast else ""
        lines += [f"{number}. {rule.title}: {shortened(rule.description)}", f"   pair: {what}"]
        lines.append(f"   page {rule.page}, {_headings(rule.section)}: {shortened(rule.quote)}")
        for item in passages:
            block = item.blocks[0]
            lines.append(f"   elsewhere, page {block.page}, {_headings(block.section)}: {shortened(item.text)}")
    return "\n".join(lines)


def _headings(section: Sequence[str]) -> str:
    """The last headings over a passage: those of a chapter and a section tell more than a long path."""
    return " > ".join(map(squeeze, section[-_HEADINGS:])) or "without a heading"


def checked(doubtful: DoubtfulRule, check: LicenceCheck | None, reason: str) -> Rule:
    """The rule as a check leaves it: without its licence, or with an exception from elsewhere.

    Without a usable check, or where its words do not stand in the book, the rule stays, with a note that says why.
    """
    rule, passages = doubtful
    blocks = list({block.id: block for item in passages for block in item.blocks}.values())
    pages = ", ".join(str(page) for page in sorted({item.blocks[0].page for item in passages}))
    if rule.contrast is None or check is None:
        return _with_note(rule, f"not compared with what the book says elsewhere, on page {pages}: {reason}")
    against = evidence(find_quotation(check.against, blocks), blocks) if says_enough(check.against) else ()
    if not against:
        note = f"words were named against it that do not stand on page {pages}: {shortened(check.against)}"
        return rule if check.stands else _with_note(rule, note)
    if check.stands:
        exceptions = dict.fromkeys((*rule.exceptions, *(squeeze(item.quote) for item in against)))
        return rule.model_copy(update={"exceptions": tuple(exceptions)})
    what = f"the book says otherwise on page {against[0].page}: {shortened(against[0].quote)}"
    fallen = Contrast(licence="none", what=what, evidence=rule.contrast.evidence, against=against)
    return _with_note(rule.model_copy(update={"contrast": fallen}), f"proposed as a pair: {rule.contrast.what}")


def _with_note(rule: Rule, note: str) -> Rule:
    return rule.model_copy(update={"notes": (*rule.notes, note)})
