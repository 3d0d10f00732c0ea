"""Words elsewhere in a grammar that may speak against a rule's licence, and what a language model makes of them.

A rule that one page states without exception may have exceptions on another. Shown are sentences that refer to the
rule's section or page, that have a gloss label which the rule names, and, of those with words that permit or make
exceptions, those on the next two pages and those that share most rare words with the rule. A licence falls where the
model names words of such a sentence that speak against it, and the book has them. An exception that pairs can keep
clear of is added to the rule.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pydantic import BaseModel, Field

from pairwright.core.records import Block, Contrast, Rule
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import Language
from pairwright.languages.linguistics.glosses import SURE_LABEL
from pairwright.sources.grammar.rules.drafts import StatedRule
from pairwright.sources.grammar.rules.overruled import PROPOSED
from pairwright.sources.grammar.rules.passages import Item, paragraphs, sentences, shortened
from pairwright.sources.grammar.rules.quotations import evidence, find_quotation, says_enough

# How many licences one question is about, and how many sentences it shows for each: by words alone, and in all.
LICENCES_AT_ONCE, _MOST_BY_WORDS, _MOST = 10, 2, 5
_STEM = 6
# A sentence must share this much of a rule's weight of words, and so many of them; fewer on so many pages behind it.
_LEAST_SHARE, _LEAST_STEMS, _LEAST_NEAR, _NEAR = 0.2, 3, 2, 2
_SECTION_NUMBER = re.compile(r"\d+(?:\.\d+)+")

Doubt = tuple[Rule, list[Item]]
"""A rule with a licence, and the sentences that may speak against it."""


class LicenceCheck(BaseModel):
    """Whether the licence of one rule, by its number, stands beside other passages of the book."""

    rule: int
    stands: bool
    against: str = Field(description="the words that speak against it or except something, letter by letter")


class LicenceChecks(BaseModel):
    """One check for every rule that was asked about."""

    checks: list[LicenceCheck] = Field(json_schema_extra={"maxItems": LICENCES_AT_ONCE})


def doubts_of(rules: Iterable[StatedRule], blocks: Iterable[Block], prose: Sequence[Language]) -> Iterator[Doubt]:
    """The licensed rules against which sentences elsewhere in the book may speak, with those that bear most on them.

    prose  the languages it is written in, with their words of permission and exception

    Sentences of the passages from which a rule was taken are left out: the model had them before it.
    """
    common = frozenset(word for it in prose for word in (*it.function_words, *it.adpositions, *it.common_words))
    abbreviations = frozenset(word.casefold() for it in prose for word in it.abbreviations)
    weakening = word_pattern(*(word for it in prose for word in (*it.permissions, *it.concessions)))

    def stems_of(text: str) -> set[str]:
        return {word[:_STEM] for word in words(text.casefold()) if word not in common and not word.isdigit()}

    kinds = {"paragraph", "list_item", "footnote", "caption"}
    chains = paragraphs(block for block in blocks if block.kind in kinds)
    known = [(item, stems_of(item.text)) for chain in chains for item in sentences(chain, abbreviations)]
    counts = Counter(stem for _, stems in known for stem in stems)
    # The inverse document frequency.
    rarity = {stem: math.log(1 + len(known) / count) for stem, count in counts.items()}
    for rule, shown in ((stated.rule, stated.shown) for stated in rules if stated.contrast.licensed):
        text = " ".join([rule.title, rule.description, rule.phenomenon, *(item.quote for item in rule.evidence)])
        own, refers, labelled = stems_of(text), _references(rule), word_pattern(*sorted(_labels(text)))
        least, ranked = _LEAST_SHARE * sum(rarity.get(stem, 0) for stem in own), []
        for item, stems in known:
            weight = sum(rarity[stem] for stem in sorted(stems & own))
            n_shared, weakens = len(stems & own), bool(weakening.search(item.text))
            near = weakens and 0 <= item.blocks[0].page - rule.page <= _NEAR and n_shared >= _LEAST_NEAR
            sure = 2 * bool(refers.search(item.text)) + bool(_labels(item.text) and labelled.search(item.text))
            by_words = weakens and n_shared >= _LEAST_STEMS and weight >= least
            if (sure or near or by_words) and not any(comparison_key(item.text) in passage for passage in shown):
                ranked.append((sure, weakens and bool(sure), near, weight, item))
        ranked.sort(key=lambda option: option[:-1], reverse=True)
        by_words_alone = [option for option in ranked if not option[0] and not option[2]]
        left_out = {id(option[-1]) for option in by_words_alone[_MOST_BY_WORDS:]}
        if kept := [option[-1] for option in ranked if id(option[-1]) not in left_out][:_MOST]:
            yield rule, kept


def _references(rule: Rule) -> re.Pattern[str]:
    """Finds references to the section of a rule, by its number, and to its page."""
    number = next((match[0] for title in reversed(rule.section) if (match := _SECTION_NUMBER.match(title))), None)
    section = rf"(?<![\d.]){re.escape(number)}(?!\.?\d)" if number else r"(?!)"
    return re.compile(rf"{section}|\b(?:page|p\.)\s*{rule.page}\b")


def _labels(text: str) -> set[str]:
    return set(SURE_LABEL.findall(text))


def show_doubts(doubts: Iterable[Doubt]) -> str:
    """Rules with a number, what they say, and the sentences from elsewhere."""
    lines = []
    for number, (rule, passages) in enumerate(doubts, start=1):
        what = rule.contrast.what if rule.contrast else ""
        lines += [f"{number}. {rule.title}: {shortened(rule.description)}", f"   pair: {what}"]
        lines.append(f"   page {rule.page}, {_headings(rule.section)}: {shortened(rule.quote)}")
        for item in passages:
            block = item.blocks[0]
            lines.append(f"   elsewhere, page {block.page}, {_headings(block.section)}: {shortened(item.text)}")
    return "\n".join(lines)


def _headings(section: Sequence[str]) -> str:
    """The last two headings over a passage: those of a chapter and a section tell more than a long path."""
    return " > ".join(map(squeeze, section[-2:])) or "without a heading"


def checked(doubt: Doubt, check: LicenceCheck | None, reason: str) -> Rule:
    """The rule as a check leaves it: without its licence, or with an exception from elsewhere.

    Without a usable check, or where its words do not stand in the book, the rule stays, with a note that says why.
    """
    rule, passages = doubt
    blocks = list({block.id: block for item in passages for block in item.blocks}.values())
    pages = ", ".join(str(page) for page in sorted({item.blocks[0].page for item in passages}))
    if rule.contrast is None or check is None:
        return _with(rule, f"not compared with what the book says elsewhere, on page {pages}: {reason}")
    against = evidence(find_quotation(check.against, blocks), blocks) if says_enough(check.against) else ()
    if check.stands:
        return _with(rule, exceptions=tuple(dict.fromkeys((*rule.exceptions, *(squeeze(it.quote) for it in against)))))
    if not against:
        return _with(rule, f"words were named against it that do not stand on page {pages}: {shortened(check.against)}")
    what = f"the book says otherwise on page {against[0].page}: {shortened(against[0].quote)}"
    fallen = Contrast(licence="none", what=what, evidence=rule.contrast.evidence, against=against)
    return _with(rule, f"{PROPOSED}{rule.contrast.what}", contrast=fallen)


def _with(rule: Rule, *notes: str, **fields: object) -> Rule:
    return rule.model_copy(update={"notes": (*rule.notes, *notes), **fields})
