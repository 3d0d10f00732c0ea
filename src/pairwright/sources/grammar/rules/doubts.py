"""Whether a rule's licence stands, as a language model says that sees how and where the book states it.

It sees the sentence that states the rule with its neighbours, examples with the rule's gloss labels, and a few
sentences from elsewhere: those that are about the rule's section or page, or name a gloss label of it, and of those
that permit something or make exceptions, those that stand in its section or have its words. A licence falls where the
book only reports, permits or prefers, or where words of the book speak against it. An exception that pairs can keep
clear of is added to the rule.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from pairwright.core.config import SectionPatterns
from pairwright.core.errors import one_line
from pairwright.core.records import Block, Contrast, Rule
from pairwright.core.text import comparison_key, squeeze, word_pattern, words
from pairwright.languages import Language
from pairwright.languages.linguistics.glosses import SURE_LABEL
from pairwright.sources import PROPOSED, said
from pairwright.sources.grammar.rules.drafts import BRACKETS, StatedRule, refers_only
from pairwright.sources.grammar.rules.passages import Item, paragraphs, sentences, shortened
from pairwright.sources.grammar.rules.quotations import evidence, find_quotation, says_enough
from pairwright.sources.grammar.rules.sections import sections_left_out

# How many licences one question is about, how many sentences from elsewhere and how many examples with its labels it
# shows for each, and how many characters of a passage.
LICENCES_AT_ONCE, _MOST, _EXAMPLES, _LONGEST = 16, 2, 3, 600
# Labels that more examples have tell little of a rule.
_COMMON = 40
_STEM = 6
# A sentence elsewhere must share so many content words with a rule; where nothing else ties it to the rule, more, and
# this much of their weight.
_LEAST_STEMS, _LEAST_BY_WORDS, _LEAST_SHARE = 2, 3, 0.3
_SECTION_NUMBER = re.compile(r"\d+(?:\.\d+)+")

# Why the words of the book license no pair, by how it puts the rule.
_UNLICENSED = {
    "forms": "the book says which forms there are and what they mean",
    "report": "the book reports what its data have",
    "tendency": "the book calls it a tendency",
    "option": "the book gives other forms for the same",
}


class Doubt(NamedTuple):
    """A rule with a licence.

    own        the sentences that state it, with those before and after them
    elsewhere  sentences that may speak against it
    examples   of the book that have all its gloss labels, beside those that it refers to
    stems      of its content words
    """

    rule: Rule
    own: list[Item]
    elsewhere: list[Item]
    examples: list[str]
    stems: set[str]


class LicenceCheck(BaseModel):
    """Whether the licence of one rule, by its number, stands; the fields in the order in which to think."""

    rule: int
    same_as: int
    basis: Literal["requirement", "forms", "report", "tendency", "option"]
    good_as: str
    against: str
    exception: str


class LicenceChecks(BaseModel):
    """One check for every rule that was asked about."""

    checks: list[LicenceCheck] = Field(json_schema_extra={"maxItems": LICENCES_AT_ONCE})


def doubts_of(rules: Iterable[StatedRule], blocks: Iterable[Block], prose: Sequence[Language]) -> Iterator[Doubt]:
    """The licensed rules, each with what the book says where it states it, and what bears most on it elsewhere.

    prose  the languages it is written in, with their words of permission and exception

    Sentences elsewhere are of other passages than those from which the rule was taken.
    """
    common = frozenset(word for it in prose for word in (*it.function_words, *it.adpositions, *it.common_words))
    abbreviations = frozenset(word.casefold() for it in prose for word in it.abbreviations)
    weakening = word_pattern(*(word for it in prose for word in (*it.permissions, *it.concessions)))

    def stems_of(text: str) -> set[str]:
        return {word[:_STEM] for word in words(text.casefold()) if word not in common and not word.isdigit()}

    kinds = {"paragraph", "list_item", "footnote", "caption"}
    listed = list(blocks)
    unread = sections_left_out(listed, SectionPatterns(), prose)
    bearing = (block for block in listed if block.kind in kinds and block.section not in unread)
    chains = [list(sentences(chain, abbreviations)) for chain in paragraphs(bearing)]
    chain_of = {block.id: chain for chain in chains for item in chain for block in item.blocks}
    known = [(item, stems_of(item.text)) for chain in chains for item in chain]
    counts = Counter(stem for _, stems in known for stem in stems)
    # The inverse document frequency.
    rarity = {stem: math.log(1 + len(known) / count) for stem, count in counts.items()}
    for rule, shown in ((stated.rule, stated.shown) for stated in rules if stated.contrast.licensed):
        text = " ".join([rule.title, rule.description, rule.phenomenon, *(item.quote for item in rule.evidence)])
        own, refers, names = stems_of(text), _references(rule), word_pattern(*rule.words)
        labelled = word_pattern(*sorted(_labels(text)))
        whole, ranked = sum(rarity.get(stem, 0) for stem in own), []
        for item, stems in known:
            weakens, n_shared = bool(weakening.search(item.text)), len(stems & own)
            # A reference in brackets only says where more is said.
            sure = 2 * bool(refers.search(BRACKETS.sub("", item.text))) + bool(labelled.search(item.text))
            weight = math.fsum(rarity[stem] for stem in stems & own)
            tied = item.blocks[0].section == rule.section or names.search(item.text) or refers.search(item.text)
            by_words = n_shared >= _LEAST_BY_WORDS and weight >= _LEAST_SHARE * whole
            bears = sure or (weakens and (by_words or (tied and n_shared >= _LEAST_STEMS)))
            if bears and not any(comparison_key(item.text) in passage for passage in shown):
                ranked.append((weakens, sure, weight, item))
        ranked.sort(key=lambda option: option[:-1], reverse=True)
        elsewhere = [option[-1] for option in ranked[:_MOST]]
        yield Doubt(rule, _stating(rule, chain_of), elsewhere, _labelled(rule, listed), own)


def grouped(doubts: Iterable[Doubt]) -> Iterator[list[Doubt]]:
    """The doubts that one question is about: rules that say similar things, as two of them may make the same point.

    Each group begins with the first rule that is left and takes those that are most like one in it.
    """
    left = dict(enumerate(doubts))

    def likeness(one: Doubt, other: Doubt) -> float:
        return 2 * len(one.stems & other.stems) / max(len(one.stems) + len(other.stems), 1)

    while left:
        likest = dict.fromkeys(left, 0.0)
        group: dict[int, Doubt] = {}
        while left and len(group) < LICENCES_AT_ONCE:
            at = max(left, key=lambda number: (likest[number], -number))
            group[at] = left.pop(at)
            likest |= {number: max(likest[number], likeness(group[at], left[number])) for number in left}
        yield [group[at] for at in sorted(group)]


def _stating(rule: Rule, chain_of: Mapping[str, list[Item]]) -> list[Item]:
    """The sentences with the words that a rule rests on, and those next to them."""
    shown: dict[Item, None] = {}
    ground = rule.contrast.evidence if rule.contrast else None
    for place in (ground, *rule.evidence) if ground else rule.evidence:
        chain, quoted = chain_of.get(place.block_id, []), comparison_key(place.quote)
        keys = [comparison_key(item.text) for item in chain]
        at = [number for number, key in enumerate(keys) if key and (quoted in key or key in quoted)]
        shown |= dict.fromkeys(chain[max(0, at[0] - 1) : at[-1] + 2] if at else ())
    return list(shown)


def _labelled(rule: Rule, blocks: Iterable[Block]) -> list[str]:
    """Examples with all gloss labels that a rule names, beside its own; none where the labels are common."""
    wanted, found = set[str]().union(*map(_labels, rule.labels)), list[str]()
    for block in (it for it in blocks if wanted and it.gloss and it.id not in rule.example_ids):
        for _, leaf in block.gloss.leaves() if block.gloss else ():
            gloss = " ".join(leaf.glosses[0]) if leaf.glosses else ""
            if wanted <= _labels(gloss) and not leaf.judgement:
                found.append(f"{leaf.object_line} = {gloss} ‘{leaf.translation or ''}’")
    return found[:_EXAMPLES] if len(found) <= _COMMON else []


def _references(rule: Rule) -> re.Pattern[str]:
    """Finds references to the section of a rule, by its number, and to its page."""
    number = next((match[0] for title in reversed(rule.section) if (match := _SECTION_NUMBER.match(title))), None)
    section = rf"(?<![\d.]){re.escape(number)}(?!\.?\d)" if number else r"(?!)"
    return re.compile(rf"{section}|\b(?:page|p\.)\s*{rule.page}\b")


def _labels(text: str) -> set[str]:
    return set(SURE_LABEL.findall(text))


def show_doubts(doubts: Sequence[Doubt]) -> str:
    """Rules with a number, what they say, and the letters of the passages below them that may bear on them."""
    passages = list(dict.fromkeys(item for doubt in doubts for item in doubt.elsewhere))
    lines = []
    for number, doubt in enumerate(doubts, start=1):
        rule, what = doubt.rule, doubt.rule.contrast.what if doubt.rule.contrast else ""
        own = " ".join(item.text for item in doubt.own) or rule.quote
        lines += [f"{number}. {rule.title}: {shortened(rule.description)}", f"   pair: {what}"]
        lines.append(f"   page {rule.page}, {_headings(rule.section)}: {one_line(squeeze(own), 2 * _LONGEST)}")
        lines += [f"   example: {shortened(example)}" for example in doubt.examples]
        if compared := [f"P{passages.index(item) + 1}" for item in doubt.elsewhere]:
            lines.append(f"   compare {', '.join(compared)}")
    for number, item in enumerate(passages, start=1):
        block = item.blocks[0]
        text = one_line(squeeze(item.text), _LONGEST)
        lines.append(f"P{number}. page {block.page}, {_headings(block.section)}: {text}")
    return "\n".join(lines)


def _headings(section: Sequence[str]) -> str:
    """The last two headings over a passage: those of a chapter and a section tell more than a long path."""
    return " > ".join(map(squeeze, section[-2:])) or "without a heading"


def checked(doubt: Doubt, check: LicenceCheck | None, reason: str) -> Rule:
    """The rule as a check leaves it: without its licence, or with an exception.

    Without a usable check, or where its words do not stand in the book, the rule stays, with a note that says why.
    """
    rule = doubt.rule
    if rule.contrast is None or check is None:
        return _with(rule, f"its licence was not compared with what the book says: {reason}")
    blocks = list({block.id: block for item in (*doubt.own, *doubt.elsewhere) for block in item.blocks}.values())
    against, narrowing = (
        evidence(find_quotation(quote, blocks), blocks) if says_enough(quote) else ()
        for quote in (check.against, "" if refers_only(check.exception) else check.exception)
    )
    if check.basis != "requirement":
        what = _UNLICENSED[check.basis]
    elif good_as := said(check.good_as):
        what = f"the bad sentence is a good one as well: {shortened(good_as)}"
    elif against:
        what = f"the book says otherwise on page {against[0].page}: {shortened(against[0].quote)}"
    else:
        strange = f"words were named against it that do not stand in the book: {shortened(check.against)}"
        exceptions = tuple(dict.fromkeys((*rule.exceptions, *(squeeze(it.quote) for it in narrowing))))
        return _with(rule, *([strange] if said(check.against) else ()), exceptions=exceptions)
    fallen = Contrast(licence="none", what=what, evidence=rule.contrast.evidence, against=against)
    return _with(rule, f"{PROPOSED}{rule.contrast.what}", contrast=fallen)


def _with(rule: Rule, *notes: str, **fields: object) -> Rule:
    return rule.model_copy(update={"notes": (*rule.notes, *notes), **fields})
