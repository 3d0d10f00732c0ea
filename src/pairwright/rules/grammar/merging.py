"""One rule for what several answers about overlapping passages say of one rule of the book, with all the evidence.

Two answers state one rule where their quotations overlap and they say similar things. Where nothing overlaps, they must
say the same: a single different word, such as the verb in `laukti governs the genitive`, makes another rule. What they
say is compared by the stems of their content words (Dice's coefficient). The order of the answers has no influence.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

from pairwright.ids import content_id
from pairwright.languages import Language
from pairwright.languages.features import parse_demand
from pairwright.records import Contrast, Rule, Source
from pairwright.rules.grammar.book_examples import distinct
from pairwright.rules.grammar.quotations import Span
from pairwright.rules.grammar.verification import VerifiedRule
from pairwright.text import comparison_key, words

T = TypeVar("T")

# The least overlap of two quotations of one rule, and how similar the rules must then be.
LEAST_SIMILARITY = ((0.5, 0.35), (0.1, 0.6), (0.0, 0.95))
_STEM = 6


class _Cluster(NamedTuple):
    """Statements of one rule, and the stems of the first one, which represents it."""

    members: list[VerifiedRule]
    stems: frozenset[str]


def merge(statements: Iterable[VerifiedRule], source: Source, english: Language, used: set[str]) -> Iterator[Rule]:
    """The rules that the answers about one section state, in the order of the book; their ids are added to `used`."""
    function_words = frozenset({*english.function_words, *english.adpositions})
    clusters: list[_Cluster] = []
    for rule in sorted(statements, key=_order):
        text = words(f"{rule.title} {rule.description} {rule.phenomenon}".casefold())
        stems = frozenset(word[:_STEM] for word in text if word not in function_words)
        fits = [_fit(cluster, rule, stems) for cluster in clusters]
        best = max(fits, default=0.0)
        if best > 0:
            clusters[fits.index(best)].members.append(rule)
        else:
            clusters.append(_Cluster([rule], stems))
    for cluster in clusters:
        yield _rule(cluster.members, source, used)


def _order(rule: VerifiedRule) -> tuple[object, ...]:
    """By the place in the book; at one place, the longest quotation first."""
    unlicensed = not rule.contrast.licensed
    return (rule.place, -_length(rule.spans), unlicensed, rule.title, rule.description, rule.asked.reply)


def _length(spans: Sequence[Span]) -> int:
    return sum(span.end - span.start for span in spans)


def _fit(cluster: _Cluster, rule: VerifiedRule, stems: frozenset[str]) -> float:
    """How well a rule fits a cluster; 0 where it is another rule."""
    if any(other.asked == rule.asked and other.spans != rule.spans for other in cluster.members):
        return 0.0  # One answer tells its own rules apart.
    if _contradict(cluster.members[0].contrast, rule.contrast):
        return 0.0
    shared = max(overlap(other.spans, rule.spans) for other in cluster.members)
    similarity = 2 * len(cluster.stems & stems) / max(len(cluster.stems) + len(stems), 1)
    needed = next(least for share, least in LEAST_SIMILARITY if shared >= share)
    return shared + similarity if similarity >= needed else 0.0


def overlap(one: Sequence[Span], other: Sequence[Span]) -> float:
    """The share of the shorter of two quotations that both have, 0-1."""
    pairs = ((a, b) for a in one for b in other if a.block_id == b.block_id)
    common = sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a, b in pairs)
    shorter = min(_length(one), _length(other))
    return common / shorter if shorter else 0.0


def _contradict(one: Contrast, other: Contrast) -> bool:
    """Whether two contrasts demand different values of a feature on the same side."""
    sides = [(dict(a), dict(b)) for a, b in zip(parse_demand(one.features), parse_demand(other.features), strict=True)]
    return any(a[name] != b[name] for a, b in sides for name in a.keys() & b.keys())


def _rule(members: Sequence[VerifiedRule], source: Source, used: set[str]) -> Rule:
    first = members[0]
    evidence = _unique(member.evidence for member in members)
    example_ids = _unique(member.example_ids for member in members)
    contrast, doubt = _contrast(members)
    rule_id = _rule_id(first, source, used)
    return Rule(
        id=rule_id,
        source_id=source.id,
        code=f"{first.section.number}-{rule_id[-4:]}" if first.section.number else rule_id[-8:],
        title=first.title,
        description=first.description,
        original=next((member.original for member in members if member.original), None),
        category=first.category,
        phenomenon=first.phenomenon,
        section=first.section.path,
        block_ids=_unique([[item.block_id for item in evidence], example_ids]),
        quote=evidence[0].quote,
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
    """The first licensed contrast with the first features that any names, and a note on answers that disagree.

    A passage that was cut before the ban rightly has none, so one licence that the book's words support is enough.
    """
    licensed = [member.contrast for member in members if member.contrast.licensed]
    if not licensed:
        return members[0].contrast, []
    features = next((contrast.features for contrast in licensed if contrast.features), ())
    others = [member.contrast.what for member in members if not member.contrast.licensed]
    doubt = [f"of {len(members)} answers {len(others)} saw no pair in it: {others[0]}"] if others else []
    return licensed[0].model_copy(update={"features": features}), doubt


def _rule_id(first: VerifiedRule, source: Source, used: set[str]) -> str:
    """An id from the section and the words quoted; where two rules quote the same words, also from what they say."""
    parts = [source.id, list(first.section.path), comparison_key(" ".join(part.quote for part in first.evidence))]
    for text in ("", first.title, first.description, *first.contrast.features, first.contrast.what, first.asked.reply):
        parts += [comparison_key(text)] if text else []
        rule_id = content_id("rule", *parts)
        if rule_id not in used:
            break
    used.add(rule_id)
    return rule_id


def _unique(parts: Iterable[Iterable[T]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(parts)))
