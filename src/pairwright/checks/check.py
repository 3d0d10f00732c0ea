"""What a check is: a stable name, a level, a meaning, and the function that finds faults in a pair."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import NamedTuple

from pairwright.checks.index import PairIndex
from pairwright.config import CheckSettings, JudgeSettings
from pairwright.languages import Language
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.morphology import Analyser
from pairwright.records import Candidate, Finding, Level, LLMJudgment, Rule, Side

_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Context:
    """What a check may look at beside the pair.

    rules      by id
    index      the pairs that passed before this one, and the rules' examples
    analyser   of the language; None if it has none or morphology is turned off
    attested   the words of the source, where it is a grammar
    judgments  of a language model, by the pair's id; `judge` sets the scores from which they are trusted
    """

    language: Language
    settings: CheckSettings
    rules: Mapping[str, Rule]
    index: PairIndex
    analyser: Analyser | None = None
    attested: AttestedWords | None = None
    judgments: Mapping[str, LLMJudgment] = field(default_factory=dict)
    judge: JudgeSettings = field(default_factory=JudgeSettings)


Span = tuple[int, int]
"""Start and end in characters of a sentence."""
Flaw = tuple[str, Span | None]
"""What is wrong with one sentence, and where."""


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
