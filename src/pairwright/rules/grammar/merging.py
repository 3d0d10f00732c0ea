"""Findings of overlapping passages to rules: one for each rule of the book, with all its evidence.

Two findings are one rule where their quotations overlap and they say similar things. Where nothing overlaps, they have
to say the same: a single other word, such as the verb in `laukti governs the genitive`, makes another rule. What they
say is compared by the stems of their content words (Dice's coefficient). The order of the findings changes nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pairwright.ids import content_id
from pairwright.languages import Language
from pairwright.languages.features import parse_demand
from pairwright.records import Contrast, Example, Rule, Source
from pairwright.rules.grammar.quotations import Span
from pairwright.rules.grammar.verifying import Finding
from pairwright.text import comparison_key, words

T = TypeVar("T")

# How alike two findings of one rule are, where their quotations share so much of the shorter one at the least.
LEAST_ALIKE = ((0.5, 0.35), (0.1, 0.6), (0.0, 0.95))
_STEM = 6


@dataclass
class _Cluster:
    """Findings of one rule; the first one, in the order of the book, speaks for it."""

    members: list[Finding]
    stems: frozenset[str] = field(default_factory=frozenset)


def merge(findings: Iterable[Finding], source: Source, english: Language, used: set[str]) -> Iterator[Rule]:
    """The rules of the findings of one section, in the order of the book.

    used  the ids of the rules of earlier sections; those of this one are added
    """
    function_words = frozenset({*english.function_words, *english.adpositions})
    clusters: list[_Cluster] = []
    for finding in sorted(findings, key=_order):
        stems = _stems(finding, function_words)
        best = max(
            ((_likeness(cluster, finding, stems), -index) for index, cluster in enumerate(clusters)), default=(0.0, 0)
        )
        if best[0] > 0:
            clusters[-best[1]].members.append(finding)
        else:
            clusters.append(_Cluster([finding], stems))
    for cluster in clusters:
        yield _rule(cluster.members, source, used)


def _order(finding: Finding) -> tuple[object, ...]:
    """By the place in the book; of those that begin at one place the one with the longest quotation first."""
    length = sum(span.end - span.start for span in finding.spans)
    return (
        finding.place,
        -length,
        not finding.contrast.licensed,
        finding.title,
        finding.description,
        finding.asked.reply,
    )


def _stems(finding: Finding, function_words: frozenset[str]) -> frozenset[str]:
    said = words(f"{finding.title} {finding.description} {finding.phenomenon}".casefold())
    return frozenset(word[:_STEM] for word in said if word not in function_words)


def _likeness(cluster: _Cluster, finding: Finding, stems: frozenset[str]) -> float:
    """How well a finding fits a cluster; 0 where it states another rule."""
    first = cluster.members[0]
    for other in cluster.members:
        if other.asked == finding.asked and other.spans != finding.spans:
            return 0.0  # One answer tells its own rules apart.
    if _contradict(first.contrast, finding.contrast):
        return 0.0
    shared = max(overlap(other.spans, finding.spans) for other in cluster.members)
    alike = 2 * len(cluster.stems & stems) / max(len(cluster.stems) + len(stems), 1)
    needed = next(least for share, least in LEAST_ALIKE if shared >= share)
    return shared + alike if alike >= needed else 0.0


def overlap(one: Sequence[Span], other: Sequence[Span]) -> float:
    """The share of the shorter of two quotations that both have, 0-1."""
    common = sum(
        max(0, min(a.end, b.end) - max(a.start, b.start)) for a in one for b in other if a.block_id == b.block_id
    )
    shorter = min(sum(span.end - span.start for span in spans) for spans in (one, other))
    return common / shorter if shorter else 0.0


def _contradict(one: Contrast, other: Contrast) -> bool:
    """Whether two contrasts demand different values of a feature on the same side."""
    for a, b in zip(parse_demand(one.features), parse_demand(other.features), strict=True):
        first, second = dict(a), dict(b)
        if any(first[name] != second[name] for name in first.keys() & second.keys()):
            return True
    return False


def _rule(members: Sequence[Finding], source: Source, used: set[str]) -> Rule:
    first = members[0]
    evidence = _unique(evidence for member in members for evidence in member.evidence)
    examples: dict[tuple[str, str | None], Example] = {}
    for example in (example for member in members for example in member.examples):
        examples.setdefault((example.good, example.bad), example)
    goods = {good for good, bad in examples if bad is not None}
    example_ids = _unique(block for member in members for block in member.example_ids)
    contrast, doubt = _contrast(members)
    rule_id = _rule_id(first, source, used)
    quoted = _unique(item.block_id for item in evidence)
    number = first.section.number
    return Rule(
        id=rule_id,
        source_id=source.id,
        code=f"{number}-{rule_id[-4:]}" if number else rule_id[-8:],
        title=first.title,
        description=first.description,
        original=next((member.original for member in members if member.original), None),
        category=first.category,
        phenomenon=first.phenomenon,
        section=first.section.path,
        block_ids=_unique([*quoted, *example_ids]),
        quote=first.evidence[0].quote,
        page=first.evidence[0].page,
        line=first.evidence[0].line,
        examples=tuple(item for (good, bad), item in examples.items() if bad is not None or good not in goods),
        notes=_unique([*(note for member in members for note in member.notes), *doubt]),
        extracted_by=first.asked.prompt,
        evidence=evidence,
        example_ids=example_ids,
        exceptions=_unique(text for member in members for text in member.exceptions),
        contrast=contrast,
        asked=_unique(member.asked for member in members),
    )


def _contrast(members: Sequence[Finding]) -> tuple[Contrast, list[str]]:
    """The contrast of a rule: of the first finding whose licence stood the test, with the features that any names.

    A passage that was cut before the ban says rightly that there is none; so one licence that rests on words of the
    book is enough, and the others are told.
    """
    licensed = [member.contrast for member in members if member.contrast.licensed]
    if not licensed:
        return members[0].contrast, []
    features = next((contrast.features for contrast in licensed if contrast.features), ())
    others = [member.contrast.what for member in members if not member.contrast.licensed]
    doubt = [f"of {len(members)} answers {len(others)} saw no pair in it: {others[0]}"] if others else []
    return licensed[0].model_copy(update={"features": features}), doubt


def _rule_id(first: Finding, source: Source, used: set[str]) -> str:
    """An id of the section and the words quoted; where two rules rest on the same words, also of what they say."""
    quote = " ".join(part.quote for part in first.evidence)
    parts = [source.id, list(first.section.path), comparison_key(quote)]
    for said in ("", first.title, first.description, *first.contrast.features, first.contrast.what, first.asked.reply):
        parts += [comparison_key(said)] if said else []
        rule_id = content_id("rule", *parts)
        if rule_id not in used:
            break
    used.add(rule_id)
    return rule_id


def _unique(items: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(items))
