"""Which rules a sentence instantiates as far as a release says, and how far one rule is from another.

A sentence instantiates a rule when the rule decides something in it and it obeys the rule. A release says so of the
good sentences of the rule's pairs and examples. That a sentence does not instantiate a rule stands nowhere but for bad
sentences; it is taken for granted where nothing speaks against it.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from pairwright.core.records import Rejection, Rule
from pairwright.core.records.release import ExcludedPair, ReleasePair
from pairwright.core.text import comparison_key, sentence_key

Standing = Literal["instance", "broken", "perhaps", "none"]
Distance = Literal["section", "phenomenon", "far"]
DISTANCES: tuple[Distance, ...] = ("section", "phenomenon", "far")
STAGE = "items"
# Changed words of more words than these are whole clauses, which no other sentence shares.
LONGEST_FORM = 4


class Material(NamedTuple):
    """What items are made from: the records of a release."""

    pairs: Sequence[ReleasePair]
    rules: Sequence[Rule]
    excluded: Sequence[ExcludedPair] = ()


@dataclass(frozen=True)
class RuleText:
    """A rule as an option shows it. Rules with the same words can't be told apart, so they are one."""

    rule: Rule  # that of the lowest id
    rule_ids: tuple[str, ...]
    language: str
    text: str

    @property
    def id(self) -> str:
        return self.rule.id

    @cached_property
    def key(self) -> str:
        """The words of the text alone, to see what stands in it."""
        return f" {comparison_key(self.text)} "

    def quotes(self, sentence: str) -> bool:
        """Whether the sentence stands in the text, which would give an answer away."""
        return f" {' '.join(_words(sentence))} " in self.key

    def distance(self, other: "RuleText") -> Distance:
        """section: next to it in one source, by its headings or the beginning of its code; else by phenomenon."""
        own, its = self.rule, other.rule
        sections = bool(own.section) and own.section == its.section
        codes = own.code.strip(".").rpartition(".")[0], its.code.strip(".").rpartition(".")[0]
        if own.source_id == its.source_id and (sections or codes[0] == codes[1] != ""):
            return "section"
        return "phenomenon" if own.phenomenon == its.phenomenon else "far"


def rule_text(rule: Rule) -> str:
    """A rule for a model: its title and its description, and once what stands in both."""
    parts = [" ".join(part.split()) for part in (rule.title, rule.description)]
    title, description = parts
    if title and description and comparison_key(title) not in comparison_key(description):
        return f"{title.rstrip('.:')}: {description}"
    return description or title


def rule_texts(material: Material) -> tuple[list[RuleText], list[Rejection]]:
    """The rules that have pairs, each text once, by id; and the rules that can't be shown, or not by themselves."""
    languages = {pair.rule_id: pair.language for pair in material.pairs}
    by_text: dict[tuple[str, str], list[Rule]] = defaultdict(list)
    rejected: list[Rejection] = []
    for rule in material.rules:
        text = rule_text(rule)
        if rule.id not in languages:
            rejected.append(_rejection(rule, "no pair of the release belongs to it"))
        elif not text:
            rejected.append(_rejection(rule, "neither a title nor a description, so no question can show it"))
        else:
            by_text[languages[rule.id], text.casefold()].append(rule)
    texts = []
    for (language, _), rules in by_text.items():
        first, *others = sorted(rules, key=lambda rule: rule.id)
        texts.append(RuleText(first, tuple(rule.id for rule in (first, *others)), language, rule_text(first)))
        rejected += [_rejection(rule, f"the same words as {first.id} {first.code}: taken as one") for rule in others]
    return sorted(texts, key=lambda text: text.id), rejected


def _rejection(rule: Rule, reason: str) -> Rejection:
    name = " ".join(f"{rule.code} {rule.title}".split())
    return Rejection(
        stage=STAGE, source_id=rule.source_id, reason=f"rule {rule.id}: {reason}", text=name, file="rules.jsonl"
    )


# What several statements about one sentence and one rule come to; the rest is "perhaps".
_SURE: dict[frozenset[Standing], Standing] = {
    frozenset({"instance"}): "instance",
    frozenset({"instance", "perhaps"}): "instance",
    frozenset({"broken"}): "broken",
}


class Instances:
    """What a release says of sentences and rules: see `standing`."""

    def __init__(self, material: Material, texts: Sequence[RuleText]) -> None:
        text_of = {rule_id: text.id for text in texts for rule_id in text.rule_ids}
        self._texts = [text.id for text in texts]
        self._stated: dict[tuple[str, str], frozenset[Standing]] = {}
        self._forms: dict[str, set[str]] = defaultdict(set)
        for rule_id, sentence, standing in _statements(material):
            if text_id := text_of.get(rule_id):
                place = sentence_key(sentence), text_id
                self._stated[place] = self._stated.get(place, frozenset()) | {standing}
        for pair in material.pairs:
            if text_id := text_of.get(pair.rule_id):
                self._forms[text_id] |= {comparison_key(change.good) for change in pair.changes}

    def standing(self, sentence: str, text: RuleText) -> Standing:
        """What is known of a sentence and a rule.

        instance  the sentence is a good one of the rule's pairs or examples
        broken    it is a bad one of them: the rule decides something in it, and it does not obey
        perhaps   something says that it may instantiate the rule: it is a good sentence of a pair that was left out, or
                  one of an exception, or both good and bad, the rule's words quote it, or it has words on which a pair
                  of the rule turns
        none      nothing speaks for it
        """
        if stated := self._stated.get((sentence_key(sentence), text.id)):
            return _SURE.get(stated, "perhaps")
        touched = text.quotes(sentence) or not _forms(sentence).isdisjoint(self._forms[text.id])
        return "perhaps" if touched else "none"

    def instantiated(self, sentence: str) -> list[str]:
        """The ids of the rule texts that a sentence instantiates, sorted."""
        key = sentence_key(sentence)
        stated = ((text_id, self._stated.get((key, text_id))) for text_id in self._texts)
        return [text_id for text_id, standings in stated if standings and _SURE.get(standings) == "instance"]


def _statements(material: Material) -> Iterator[tuple[str, str, Standing]]:
    """Rule, sentence and what the release says of them. A pair that repeats a released one is as good as that."""
    for pair in material.pairs:
        yield pair.rule_id, pair.sentence_good, "perhaps" if pair.exception else "instance"
        yield pair.rule_id, pair.sentence_bad, "perhaps" if pair.exception else "broken"
    for left_out in material.excluded:
        sure = left_out.cause == "duplicate" and not left_out.exception
        yield left_out.rule_id, left_out.sentence_good, "instance" if sure else "perhaps"
    for rule in material.rules:
        for example in rule.examples:
            standing: Standing = "perhaps" if example.exception else "instance"
            yield from ((rule.id, good, standing) for good in (example.good, *example.alternatives))
            if example.bad:
                yield rule.id, example.bad, "perhaps" if example.exception else "broken"


@lru_cache(maxsize=4096)
def _words(sentence: str) -> tuple[str, ...]:
    return tuple(comparison_key(sentence).split())


@lru_cache(maxsize=4096)
def _forms(sentence: str) -> frozenset[str]:
    """The words of a sentence, and those that stand side by side in it, as keys."""
    words = _words(sentence)
    lengths, starts = range(1, LONGEST_FORM + 1), range(len(words))
    return frozenset(" ".join(words[at : at + n]) for n in lengths for at in starts if at + n <= len(words))
