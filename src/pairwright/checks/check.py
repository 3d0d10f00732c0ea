"""What a check is: a stable name, a level, a meaning, and the function that finds faults in a pair."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import Literal, NamedTuple

from pairwright.core.config import CheckSettings, JudgeSettings
from pairwright.core.records import Candidate, Evidence, Finding, Level, LLMJudgment, Rule, Side
from pairwright.core.text import sentence_key
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.languages.linguistics.sentences import END_MARKS
from pairwright.languages.morphology import Analyser
from pairwright.models.prompts import example_sentences

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


def sides(candidate: Candidate) -> tuple[tuple[Side, str], tuple[Side, str]]:
    """The sentences of a pair by their sides."""
    return ("good", candidate.good), ("bad", candidate.bad)


def place_of(evidence: Evidence) -> str:
    """The place of a record in its file, for people."""
    return f"line {evidence.line}" if evidence.line else f"page {evidence.page}"


class PairIndex:
    """Passing pairs by good sentence, by bad sentence and by both, and examples. The first one under a key stays."""

    def __init__(self) -> None:
        self._written = Counter[str]()
        self._pairs: dict[tuple[str | None, str | None], IndexedPair] = {}
        self._examples: dict[str, Evidence] = {}
        self._starred: dict[str, Evidence] = {}
        self._families: dict[str, str] = {}

    def add_examples(self, rule: Rule) -> None:
        """Adds the sentences that the source itself gives for a rule."""
        for example in rule.examples:
            self._written["examples"] += 1
            self._written["capitals"] += not example.good[:1].islower()
            self._written["marks"] += not example.good.rstrip("\"'’”» ")[-1:].isalnum()
            for sentence in example_sentences([example]):
                examples = self._starred if sentence == example.bad else self._examples
                examples.setdefault(pair_sentence_key(sentence), example.evidence)

    def writes(self, name: Literal["capitals", "marks"]) -> bool:
        """Whether most sentences begin with a capital, or end with a mark: not in a grammar that writes none."""
        return self._written["examples"] < _ENOUGH or 2 * self._written[name] >= self._written["examples"]

    def example(self, sentence: str, *, starred: bool) -> Evidence | None:
        """Where a source gives this sentence as an example of a rule, or with `starred` as one that breaks it."""
        key = pair_sentence_key(sentence)
        return self._examples.get(key) or (self._starred.get(key) if starred else None)

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


_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Context:
    """What a check may look at beside the pair.

    rules      by id
    index      the pairs that passed before this one, and the rules' examples
    analyser   of the language; None if it has none or morphology is turned off
    attested   the words of the source; none where it is no grammar
    judgments  of a language model, by the pair's id; `judge` sets the scores from which they are trusted
    """

    language: Language
    settings: CheckSettings
    rules: Mapping[str, Rule]
    index: PairIndex
    analyser: Analyser | None = None
    attested: AttestedWords = field(default_factory=lambda: AttestedWords(()))
    judgments: Mapping[str, LLMJudgment] = field(default_factory=dict)
    judge: JudgeSettings = field(default_factory=JudgeSettings)

    def analysed(self, word: str) -> bool:
        """Whether the morphology knows a word."""
        return self.analyser is not None and bool(self.analyser.analyse(word))


Span = tuple[int, int]  # start and end in characters of a sentence
Flaw = tuple[str, Span | None]  # what is wrong with one sentence, and where


class Fault(NamedTuple):
    """A fault of a pair; without a `side`, of both sentences."""

    message: str
    side: Side | None = None
    span: Span | None = None


FindFaults = Callable[[Candidate, Context], Iterator[Fault]]
FindFlaws = Callable[[str, Context], Iterator[Flaw]]


@dataclass(frozen=True)
class Check:
    """The name, the level and the meaning of a check. Name and level never change."""

    name: str
    level: Level
    meaning: str

    def finding(self, fault: Fault) -> Finding:
        """A fault as a finding under this check's name and level."""
        return Finding(check=self.name, level=self.level, **fault._asdict())


@dataclass(frozen=True)
class Checker:
    """A function that reports the findings of one check, or of several that exclude each other."""

    checks: tuple[Check, ...]
    find: Callable[[Candidate, Context], Iterator[Finding]]


def pair_check(name: str, level: Level) -> Callable[[FindFaults], Checker]:
    """Makes a check of a function that yields the faults of a pair; its docstring says what the check means."""

    def decorate(find: FindFaults) -> Checker:
        check = Check(name, level, " ".join((find.__doc__ or "").split()))
        return Checker((check,), lambda candidate, context: map(check.finding, find(candidate, context)))

    return decorate


def sentence_check(name: str, level: Level) -> Callable[[FindFlaws], Checker]:
    """Makes a check of a function that yields the flaws of a sentence; its docstring says what the check means.

    A flaw that both sentences have, or that one has twice, is reported once.
    """

    def decorate(find: FindFlaws) -> Checker:
        @wraps(find)
        def faults(candidate: Candidate, context: Context) -> Iterator[Fault]:
            good, bad = (_first_of_each(find(sentence, context)) for sentence in (candidate.good, candidate.bad))
            for flaw, span in good.items():
                yield Fault(f"both sentences: {flaw}") if flaw in bad else Fault(f"good sentence: {flaw}", "good", span)
            for flaw, span in bad.items():
                if flaw not in good:
                    yield Fault(f"bad sentence: {flaw}", "bad", span)

        return pair_check(name, level)(faults)

    return decorate


def _first_of_each(flaws: Iterator[Flaw]) -> dict[str, Span | None]:
    first: dict[str, Span | None] = {}
    for message, span in flaws:
        first.setdefault(message, span)
    return first


def shown(text: str) -> str:
    """Text of unknown origin as a message quotes it: short, on one line, invisible characters as escapes."""
    return repr(text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…")
