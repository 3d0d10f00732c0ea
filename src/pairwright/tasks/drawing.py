"""Draws sentences, rules and orders by hashes, so that a new pair changes no item that was made before it.

What is drawn of several is what has the lowest hash of the seed, of what it is drawn for and of its own id (rendezvous
hashing, Thaler and Ravishankar 1998): the others don't matter, and who is added wins a place or changes nothing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from pairwright.core.ids import content_id
from pairwright.core.records import Rejection
from pairwright.core.records.items import Item, Option, TaskName
from pairwright.core.records.release import SPLITS, ReleasePair, Split
from pairwright.core.text import sentence_key, squeeze
from pairwright.tasks.instances import DISTANCES, STAGE, Distance, Instances, Material, RuleText, rule_texts

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
        self._reject_rules_without_sentences()

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

    def _reject_rules_without_sentences(self) -> None:
        for text in self.texts:
            if text.id not in self.of_rule:
                pair = next(pair for pair in self.material.pairs if pair.rule_id in text.rule_ids)
                self.reject(pair, f"rule {text.id} {text.rule.code} has no sentence for a question about rules")

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
