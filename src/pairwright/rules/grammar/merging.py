"""One rule for what several answers say of one rule of the book, with all the evidence.

Two answers state one rule where their quotations overlap and they say similar things. Where nothing overlaps, as in
the introduction of a chapter and its sections, they must have one title and one example, or say the same: a single
different word, such as the verb in `laukti governs the genitive`, makes another rule. What they say is compared by the
stems of their content words (Dice's coefficient). The order of the answers has no influence.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from pairwright.errors import counted
from pairwright.ids import content_id
from pairwright.languages import Language
from pairwright.languages.features import parse_demand
from pairwright.records import Contrast, Evidence, Rule, Source
from pairwright.rules.grammar.book_examples import distinct
from pairwright.rules.grammar.quotations import Span
from pairwright.rules.grammar.sections import section_number
from pairwright.rules.grammar.verification import VerifiedRule
from pairwright.text import comparison_key, words

T = TypeVar("T")

# The least overlap of two quotations of one rule, and how similar the rules must then be.
LEAST_SIMILARITY = ((0.5, 0.35), (0.1, 0.6), (0.0, 0.95))
# How similar two rules of one title must be, with an example in common and without.
LEAST_WITH_TITLE = {True: 0.35, False: 0.75}
# The same for contradictory answers about the same words, and for rules that one answer repeats.
_LEAST_CONTRARY, _REPEATED = 0.6, 0.95
_STEM = 6


class MergedRule(NamedTuple):
    """A rule, and the words of the passages whose answers state it, as `Window.words`."""

    rule: Rule
    shown: frozenset[str]


class _Cluster(NamedTuple):
    """Statements of one rule, and the stems of the first one, which represents it."""

    members: list[VerifiedRule]
    stems: frozenset[str]
    title: frozenset[str]


def merge(statements: Iterable[VerifiedRule], source: Source, english: Language) -> Iterator[MergedRule]:
    """The rules that the answers about a book state, in the order of the book."""
    function_words = frozenset({*english.function_words, *english.adpositions})
    clusters: list[_Cluster] = []
    near: dict[Hashable, list[int]] = defaultdict(list)
    for rule in sorted(statements, key=_order):
        title = _stems(rule.title, function_words)
        stems = title | _stems(f"{rule.description} {rule.phenomenon}", function_words)
        # Only rules that share a block or a title can be one, and those of which all the stems are the same.
        keys: set[Hashable] = {*(span.block_id for span in rule.spans), title, stems}
        compared = sorted({index for key in keys for index in near[key]})
        fits = {index: _fit(clusters[index], rule, stems, title) for index in compared}
        best = max(fits, key=lambda index: fits[index], default=None)
        if best is None or fits[best] <= 0:
            best = len(clusters)
            clusters.append(_Cluster([], stems, title))
        clusters[best].members.append(rule)
        for key in keys:
            near[key].append(best)
    used: set[str] = set()
    for cluster in clusters:
        shown = frozenset(member.shown for member in cluster.members)
        yield MergedRule(_rule(cluster.members, source, used), shown)


def _stems(text: str, function_words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in words(text.casefold()) if word not in function_words)


def _order(rule: VerifiedRule) -> tuple[object, ...]:
    """By the place in the book; at one place, the longest quotation first."""
    unlicensed = not rule.contrast.licensed
    return (rule.place, -_length(rule.spans), unlicensed, rule.title, rule.description, rule.asked.reply)


def _length(spans: Sequence[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def _fit(cluster: _Cluster, rule: VerifiedRule, stems: frozenset[str], title: frozenset[str]) -> float:
    """How well a rule fits a cluster; 0 where it is another rule."""
    shared = max(overlap(other.spans, rule.spans) for other in cluster.members)
    similarity = 2 * len(cluster.stems & stems) / max(len(cluster.stems) + len(stems), 1)
    contrary = any(_exclude(other.contrast, rule.contrast) for other in cluster.members)
    siblings = [other for other in cluster.members if other.asked == rule.asked]
    if siblings:
        # One answer tells its own rules apart, unless it repeats itself.
        repeated = not contrary and all(other.spans == rule.spans for other in siblings)
        return similarity if repeated and similarity >= _REPEATED else 0.0
    needed = next(least for share, least in LEAST_SIMILARITY if shared >= share)
    if cluster.title == title:
        together = any(set(other.example_ids) & set(rule.example_ids) for other in cluster.members)
        needed = min(needed, LEAST_WITH_TITLE[together])
    if contrary:
        needed = max(needed, _LEAST_CONTRARY) if shared >= LEAST_SIMILARITY[0][0] else 2.0
    if similarity < needed:
        return 0.0
    # Answers that contradict each other about the same words are one rule in doubt, where no other fits better.
    return (shared + similarity) / (10 if contrary else 1)


def overlap(one: Sequence[Span], other: Sequence[Span]) -> float:
    """The share of the shorter of two quotations that both have, 0-1."""
    pairs = ((a, b) for a in one for b in other if a.block_id == b.block_id)
    common = sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a, b in pairs)
    shorter = min(_length(one), _length(other))
    return common / shorter if shorter else 0.0


def _exclude(one: Contrast, other: Contrast) -> bool:
    """Whether two contrasts demand different values of a feature on the same side."""
    sides = [(dict(a), dict(b)) for a, b in zip(parse_demand(one.features), parse_demand(other.features), strict=True)]
    return any(a[name] != b[name] for a, b in sides for name in a.keys() & b.keys())


def _rule(members: Sequence[VerifiedRule], source: Source, used: set[str]) -> Rule:
    first = members[0]
    evidence = _unique(member.evidence for member in members)
    example_ids = _unique(member.example_ids for member in members)
    contrast, doubt = _contrast(members)
    rule_id = _rule_id(first, source, used)
    number = section_number(first.section)
    return Rule(
        id=rule_id,
        source_id=source.id,
        code=f"{number}-{rule_id[-4:]}" if number else rule_id[-8:],
        title=first.title,
        description=first.description,
        category=first.category,
        phenomenon=first.phenomenon,
        section=first.section,
        block_ids=_unique([[item.block_id for item in evidence], example_ids]),
        quote=" ".join(part.quote for part in first.evidence),
        page=evidence[0].page,
        line=evidence[0].line,
        examples=distinct(example for member in members for example in member.examples),
        notes=_unique([*(member.notes for member in members), doubt]),
        extracted_by=first.asked.prompt,
        evidence=evidence,
        example_ids=example_ids,
        exceptions=_unique(member.exceptions for member in members),
        contrast=contrast,
        asked=_unique([member.asked] for member in members),
    )


def _contrast(members: Sequence[VerifiedRule]) -> tuple[Contrast, list[str]]:
    """The best founded contrast on which the answers agree; where they contradict each other, none. And a note on it.

    An answer whose passage was cut before the words that license pairs rightly sees no pair; one that had these words
    before it and still sees none contradicts the others.
    """
    licensed = sorted((m for m in members if m.contrast.licensed), key=lambda m: m.contrast.licence != "banned")
    if not licensed:
        return members[0].contrast, []
    first = licensed[0].contrast
    grounds = [member.contrast.evidence for member in licensed]
    others = [member for member in members if not member.contrast.licensed]
    contrary = [member for member in others if _saw(member, grounds)]
    if contrary:
        against = _unique([member.contrast.evidence or member.evidence[0]] for member in contrary)
        what = f"the answers contradict each other: {contrary[0].contrast.what}"
        return Contrast(licence="none", what=what, evidence=first.evidence, against=against), []
    if any(_exclude(first, member.contrast) for member in licensed):
        what = "the answers contradict each other: they demand different features"
        against = _unique([member.contrast.evidence or member.evidence[0]] for member in licensed[1:])
        return Contrast(licence="none", what=what, evidence=first.evidence, against=against), []
    features = next((member.contrast.features for member in licensed if member.contrast.features), ())
    doubt = (
        [f"of {counted(len(members), 'answer')} {len(others)} saw no pair in it: {others[0].contrast.what}"]
        if others
        else []
    )
    return first.model_copy(update={"features": features}), doubt


def _saw(member: VerifiedRule, grounds: Iterable[Evidence | None]) -> bool:
    return any(ground and comparison_key(ground.quote) in member.shown for ground in grounds)


def _rule_id(first: VerifiedRule, source: Source, used: set[str]) -> str:
    """An id from the section and the words quoted; where two rules quote the same words, also from what they say."""
    parts = [source.id, list(first.section), comparison_key(" ".join(part.quote for part in first.evidence))]
    for text in ("", first.title, first.description, *first.contrast.features, first.contrast.what, first.asked.reply):
        parts += [comparison_key(text)] if text else []
        rule_id = content_id("rule", *parts)
        if rule_id not in used:
            break
    used.add(rule_id)
    return rule_id


def _unique(parts: Iterable[Iterable[T]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(parts)))
