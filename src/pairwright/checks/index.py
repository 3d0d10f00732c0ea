"""An index by sentence of the pairs that have passed so far and of the rules' examples."""

from collections import Counter
from typing import NamedTuple

from pairwright.languages.linguistics.sentences import END_MARKS
from pairwright.prompts.rule_description import example_sentences
from pairwright.records import Candidate, Evidence, Rule
from pairwright.text import sentence_key

# With fewer examples, a source does not show how it writes sentences.
_ENOUGH = 5


def pair_sentence_key(sentence: str) -> str:
    """A key that ignores white space, the case of the first letter and the end punctuation of a sentence."""
    return sentence_key(sentence).rstrip(END_MARKS + " ")


class IndexedPair(NamedTuple):
    """A pair that passed, and its place. `family` is the id of the pair that it goes back to, or its own."""

    id: str
    source_id: str
    file: str
    place: str
    family: str

    def as_seen_from(self, candidate: Candidate) -> str:
        """The pair as a message names it: with file and source only if they are not those of the candidate."""
        place = self.place if self.file == candidate.evidence.file else f"{self.file}, {self.place}"
        source = "" if self.source_id == candidate.source_id else f" of source {self.source_id}"
        return f"{self.id}{source} ({place})"


def place_of(evidence: Evidence) -> str:
    """The place of a record in its file, for people."""
    return f"line {evidence.line}" if evidence.line else f"page {evidence.page}"


class PairIndex:
    """Passing pairs by good sentence, by bad sentence and by both, and examples. The first one under a key stays.

    capitals, marks  whether sentences begin with a capital and end with a mark: not in a grammar that writes none
    """

    def __init__(self) -> None:
        self._written = Counter[str]()
        self._pairs: dict[tuple[str | None, str | None], IndexedPair] = {}
        self._examples: dict[str, Evidence] = {}
        self._families: dict[str, str] = {}

    def add_examples(self, rule: Rule) -> None:
        """Adds the sentences that the source itself gives for a rule."""
        for example in rule.examples:
            self._written["examples"] += 1
            self._written["small"] += example.good[:1].islower()
            self._written["unmarked"] += example.good.rstrip("\"'’”» ")[-1:].isalnum()
            for sentence in example_sentences([example]):
                self._examples.setdefault(pair_sentence_key(sentence), example.evidence)

    @property
    def capitals(self) -> bool:
        return self._written["examples"] < _ENOUGH or 2 * self._written["small"] <= self._written["examples"]

    @property
    def marks(self) -> bool:
        return self._written["examples"] < _ENOUGH or 2 * self._written["unmarked"] <= self._written["examples"]

    def example(self, sentence: str) -> Evidence | None:
        """Where a source gives this sentence as an example of a rule."""
        return self._examples.get(pair_sentence_key(sentence))

    def family(self, candidate: Candidate) -> str:
        """The id that a pair shares with the pairs derived from it, and with those derived from these."""
        parent = candidate.parent_id
        return candidate.id if parent is None else self._families.get(parent, parent)

    def add(self, candidate: Candidate) -> None:
        evidence, family = candidate.evidence, self.family(candidate)
        pair = IndexedPair(candidate.id, candidate.source_id, evidence.file, place_of(evidence), family)
        if candidate.parent_id is not None:
            self._families[candidate.id] = family
        good, bad = pair_sentence_key(candidate.good), pair_sentence_key(candidate.bad)
        for key in ((good, bad), (good, None), (None, bad)):
            self._pairs.setdefault(key, pair)

    def pair(self, good: str | None = None, bad: str | None = None) -> IndexedPair | None:
        """The first pair that has these two sentences, or this one."""
        good_key, bad_key = (None if side is None else pair_sentence_key(side) for side in (good, bad))
        return self._pairs.get((good_key, bad_key))
