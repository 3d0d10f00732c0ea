"""Which rules a sentence instantiates as far as a release says, how far rules are apart, and how items are drawn.

A release says that the good sentences of a rule's pairs and examples instantiate it. That a sentence does not stands
nowhere but for bad ones; it is taken for granted where nothing speaks against it. What is drawn of several is what has
the lowest hash of the seed, of what it is drawn for and of its own id (rendezvous hashing, Thaler and Ravishankar
1998): who is added wins a place or changes nothing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, TypeVar

from pairwright.core.ids import content_id
from pairwright.core.records import Rejection, Rule
from pairwright.core.records.items import Item, Option, TaskName
from pairwright.core.records.release import SPLITS, ExcludedPair, ReleasePair, Split
from pairwright.core.text import comparison_key, sentence_key, squeeze

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


T = TypeVar("T")
# At most so many sentences of a rule are put together with others: all of them would make a million couples.
COMBINED = 16


def lowest_split(pairs: Iterable[ReleasePair]) -> Split:
    """The split of what holds these pairs: test where one is for testing, few_shot only where all are for examples."""
    return SPLITS[max(SPLITS.index(pair.split) for pair in pairs)]


class Instance(NamedTuple):
    """A sentence that instantiates a rule, with the pairs of that rule whose good sentence it is."""

    text: RuleText
    sentence: str
    pairs: tuple[ReleasePair, ...]

    @property
    def key(self) -> str:
        return f"{self.text.id} {sentence_key(self.sentence)}"

    @property
    def translation(self) -> str:
        return next((squeeze(pair.translation) for pair in self.pairs if pair.translation), "")


class WrongRules(NamedTuple):
    """Rules that sentences don't instantiate, in the order in which they are drawn, and those that they may."""

    sure: tuple[RuleText, ...]
    unknown: tuple[RuleText, ...]


class ItemMaker:
    """The material of a release, and how items are drawn from it.

    rejected  what no item could be made from, with the reason
    """

    def __init__(self, material: Material, seed: int, canary: str) -> None:
        self.material, self.seed, self.canary = material, seed, canary
        self.texts, rejected = rule_texts(material)
        self.rejected = dict.fromkeys(rejected)
        self.known = Instances(material, self.texts)
        self.text_of = {rule_id: text for text in self.texts for rule_id in text.rule_ids}
        self.instances = self.in_turn(self._instances(), lambda one: one.text.id, lambda one: one.key)
        self.of_rule: dict[str, list[Instance]] = defaultdict(list)
        for instance in self.instances:
            self.of_rule[instance.text.id].append(instance)
        self._near: dict[str, dict[Distance, list[RuleText]]] = {}
        self._wrong: dict[tuple[str, tuple[str, ...], Distance], WrongRules] = {}
        for text in self.texts:
            if text.id not in self.of_rule:
                pair = next(pair for pair in material.pairs if pair.rule_id in text.rule_ids)
                self.reject(pair, f"rule {text.id} {text.rule.code} has no sentence for a question about rules")

    def draw(self, *parts: str) -> bytes:
        """A number that only the seed and these texts decide."""
        return hashlib.sha256("\n".join((str(self.seed), *parts)).encode()).digest()

    def in_turn(self, items: Iterable[T], group: Callable[[T], str], key: Callable[[T], str]) -> list[T]:
        """The first drawn of each group, then the second of each, and so on."""
        groups: dict[str, list[tuple[bytes, T]]] = defaultdict(list)
        for item in items:
            groups[group(item)].append((self.draw("in turn", key(item)), item))
        ranked = []
        for members in groups.values():
            members.sort(key=lambda member: member[0])
            ranked += [(rank, drawn, item) for rank, (drawn, item) in enumerate(members)]
        return [item for *_, item in sorted(ranked, key=lambda row: row[:2])]

    def _instances(self) -> Iterator[Instance]:
        """The good sentences of the rules' pairs, except where their rule's own words quote them."""
        by_key: dict[tuple[str, str], list[ReleasePair]] = defaultdict(list)
        for pair in self.material.pairs:
            if pair.rule_id in self.text_of and not pair.exception:
                by_key[self.text_of[pair.rule_id].id, sentence_key(pair.sentence_good)].append(pair)
        for pairs in by_key.values():
            pairs.sort(key=lambda pair: pair.id)
            text, sentence = self.text_of[pairs[0].rule_id], squeeze(pairs[0].sentence_good)
            if self.known.standing(sentence, text) != "instance":
                self.reject(pairs[0], "good in one pair of its rule and bad in another, so it shows no rule")
            elif text.quotes(sentence):
                self.reject(pairs[0], "the words of its rule quote it, which would give the answer away")
            else:
                yield Instance(text, sentence, tuple(pairs))

    def reject(self, pair: ReleasePair, reason: str) -> None:
        """Keeps a pair that some task can't use, with the reason."""
        place = {"stage": STAGE, "source_id": pair.source_id, "file": "pairs.jsonl", "text": pair.sentence_good}
        self.rejected[Rejection.model_validate(place | {"reason": f"pair {pair.id}: {reason}"})] = None

    def at_distance(self, text: RuleText, distance: Distance) -> list[RuleText]:
        """The other rules of a rule's language at a distance from it."""
        if text.id not in self._near:
            near: dict[Distance, list[RuleText]] = {name: [] for name in DISTANCES}
            for other in self.texts:
                if other.id != text.id and other.language == text.language:
                    near[text.distance(other)].append(other)
            self._near[text.id] = near
        return self._near[text.id][distance]

    def wrong_rules(self, text: RuleText, sentences: Sequence[str], distance: Distance) -> WrongRules:
        """The rules at a distance from one that none of the sentences instantiates, as far as the release knows."""
        keys = tuple(sentence_key(sentence) for sentence in sentences)
        if drawn := self._wrong.get((text.id, keys, distance)):
            return drawn
        sure: list[RuleText] = []
        unknown: list[RuleText] = []
        for other in sorted(self.at_distance(text, distance), key=lambda one: self.draw("wrong rule", *keys, one.id)):
            standings = {self.known.standing(sentence, other) for sentence in sentences}
            if "instance" not in standings:
                (unknown if "perhaps" in standings else sure).append(other)
        drawn = self._wrong[text.id, keys, distance] = WrongRules(tuple(sure), tuple(unknown))
        return drawn

    def item(
        self,
        task: TaskName,
        pairs: Sequence[ReleasePair],
        options: Sequence[Option] = (),
        right: Iterable[str] = (),
        unknown: Iterable[str] = (),
        asked: RuleText | None = None,
        **fields: object,
    ) -> Item:
        """An item with its options in a drawn order. `right` and `unknown` are texts of options, `asked` its rule."""
        content = {"task": task, "language": pairs[0].language, "context": (), "condition": ""} | fields
        content["question"] = asked.text if asked else ""
        shown = sorted(options, key=lambda option: self.draw("order", *map(str, content.values()), option.text))
        texts = [option.text for option in shown]
        answers = sorted(map(texts.index, right))
        rule_ids = [*(pair.rule_id for pair in pairs), *(asked.rule_ids[:1] if asked else ())]
        made = {
            "id": content_id("item", content, texts, answers),
            "options": shown,
            "answers": answers,
            "unknown": sorted(map(texts.index, unknown)),
            "rule_ids": tuple(dict.fromkeys(rule_ids)),
            "pair_ids": tuple(dict.fromkeys(pair.id for pair in pairs)),
            "seed": self.seed,
            "split": lowest_split(pairs),
            "canary": self.canary,
        }
        return Item.model_validate(content | made)
