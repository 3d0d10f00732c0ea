"""One rule for what several answers say of one rule of the book, with all the evidence.

Two answers state one rule where their quotations overlap by half and they say similar things, or where they demand the
same features of the same words in similar words, as the introduction of a chapter and its sections do. What they say is
compared by the stems of their content words (Dice's coefficient). The order of the answers has no influence.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

from pairwright.core.ids import content_id
from pairwright.core.records import Contrast, Rule
from pairwright.core.text import comparison_key, words
from pairwright.languages import Language
from pairwright.sources.grammar.rules.drafts import StatedRule, distinct
from pairwright.sources.grammar.rules.quotations import TextSpan
from pairwright.sources.grammar.rules.sections import section_number

T = TypeVar("T")

# How much of the shorter quotation both have, and how similar two such rules must be; those that demand the same.
_OVERLAP, _SIMILAR, _SIMILAR_IN_DEMAND = 0.5, 0.35, 0.7
_STEM = 6


def merge(statements: Iterable[StatedRule], english: Language) -> Iterator[StatedRule]:
    """The rules that the answers about a book state, in the order of the book."""
    function_words = frozenset({*english.function_words, *english.adpositions})
    clusters: list[tuple[list[StatedRule], frozenset[str]]] = []
    near: dict[Hashable, list[int]] = defaultdict(list)
    for stated in sorted(statements, key=_order):
        rule = stated.rule
        text = f"{rule.title} {rule.description} {rule.phenomenon}".casefold()
        stems = frozenset(word[:_STEM] for word in words(text) if word not in function_words)
        # Only rules that share a block or a demand can be one.
        keys: set[Hashable] = {*rule.block_ids, *filter(None, [stated.contrast.features])}
        fits = {index: _fit(*clusters[index], stated, stems) for key in keys for index in near[key]}
        best = max(sorted(fits), key=lambda index: fits[index], default=None)
        if best is None or fits[best] <= 0:
            best = len(clusters)
            clusters.append(([], stems))
        clusters[best][0].append(stated)
        for key in keys:
            near[key].append(best)
    used: set[str] = set()
    for members, _ in clusters:
        yield _one(members, used)


def _order(stated: StatedRule) -> tuple[object, ...]:
    """By the place in the book; at one place, the longest quotation first."""
    rule = stated.rule
    unlicensed = not stated.contrast.licensed
    return (stated.place, -_length(stated.spans), unlicensed, rule.title, rule.description, rule.asked[0].reply)


def _length(spans: Sequence[TextSpan]) -> int:
    return sum(span.end - span.start for span in spans)


def _fit(members: Sequence[StatedRule], of_first: frozenset[str], stated: StatedRule, stems: frozenset[str]) -> float:
    """How well a rule fits others, with the stems of the first one; 0 where it is another rule."""
    shared = max(_overlap(other.spans, stated.spans) for other in members)
    similarity = 2 * len(of_first & stems) / max(len(of_first) + len(stems), 1)
    needed = _SIMILAR if shared >= _OVERLAP else _SIMILAR_IN_DEMAND
    alike = shared >= _OVERLAP or any(_same_demand(other, stated) for other in members)
    # One answer tells its own rules apart.
    told_apart = any(other.rule.asked == stated.rule.asked for other in members)
    return shared + similarity if alike and similarity >= needed and not told_apart else 0.0


def _same_demand(one: StatedRule, other: StatedRule) -> bool:
    """Whether two rules demand the same of words that may be the same; one of them names its words."""
    named, others = set(one.rule.words), set(other.rule.words)
    alike = bool(named | others) and (not (named and others) or not named.isdisjoint(others))
    return alike and bool(one.contrast.features) and one.contrast.features == other.contrast.features


def _overlap(one: Sequence[TextSpan], other: Sequence[TextSpan]) -> float:
    """The share of the shorter of two quotations that both have, 0-1."""
    pairs = ((a, b) for a in one for b in other if a.block_id == b.block_id)
    common = sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a, b in pairs)
    return common / max(1, min(_length(one), _length(other)))


def _one(members: Sequence[StatedRule], used: set[str]) -> StatedRule:
    """The first of several statements of a rule, with the evidence, examples and answers of all."""
    joined = join_rules([member.rule for member in members])
    rule_id, number = _rule_id(members[0], used), section_number(joined.section)
    merged = {
        "id": rule_id,
        "code": f"{number}-{rule_id[-4:]}" if number else rule_id[-8:],
        "contrast": _contrast(members),
    }
    shown = frozenset(_unique(member.shown for member in members))
    return members[0]._replace(rule=joined.model_copy(update=merged), shown=shown)


def join_rules(rules: Sequence[Rule]) -> Rule:
    """The first of some rules with the evidence, the examples and the words of all."""
    gathered = ("evidence", "example_ids", "notes", "exceptions", "words", "labels", "asked")
    of_all: dict[str, Any] = {name: _unique(getattr(rule, name) for rule in rules) for name in gathered}
    of_all["block_ids"] = _unique([[item.block_id for item in of_all["evidence"]], of_all["example_ids"]])
    of_all["examples"] = distinct(example for rule in rules for example in rule.examples)
    return rules[0].model_copy(update=of_all)


def _contrast(members: Sequence[StatedRule]) -> Contrast:
    """The best founded contrast of the answers: a passage may be cut before the words that license pairs."""
    licensed = [member.contrast for member in members if member.contrast.licensed]
    best = min(licensed, key=lambda contrast: contrast.licence != "banned", default=members[0].contrast)
    features = next((contrast.features for contrast in licensed if contrast.features), best.features)
    return best.model_copy(update={"features": features})


def _rule_id(first: StatedRule, used: set[str]) -> str:
    """An id from the section and the words quoted; where two rules quote the same words, also from what they say."""
    rule, contrast = first.rule, first.contrast
    parts = [rule.source_id, list(rule.section), comparison_key(rule.quote)]
    for text in ("", rule.title, rule.description, *contrast.features, contrast.what, rule.asked[0].reply):
        parts += [comparison_key(text)] if text else []
        rule_id = content_id("rule", *parts)
        if rule_id not in used:
            break
    used.add(rule_id)
    return rule_id


def _unique(parts: Iterable[Iterable[T]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(parts)))
