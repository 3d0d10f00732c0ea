"""What a check is: a stable name, a level, what it means, and a function that finds faults in a pair."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pairwright.checks.index import PairIndex
from pairwright.config import CheckSettings, JudgeSettings
from pairwright.languages import Language
from pairwright.morphology import Analyser
from pairwright.records import Candidate, Finding, Level, Opinion, Rule, Side

_SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Context:
    """What a check may look at beside the pair: `rules` by id, and the `index` of the pairs that passed before it.

    `analyser` is that of the language; None where it has none or morphology is turned off. `opinions` are what a
    language model says of pairs, by the pair's id; `judge` says from which score on they are trusted.
    """

    language: Language
    settings: CheckSettings
    rules: Mapping[str, Rule]
    index: PairIndex
    analyser: Analyser | None = None
    opinions: Mapping[str, Opinion] = field(default_factory=dict)
    judge: JudgeSettings = field(default_factory=JudgeSettings)


class Fault(NamedTuple):
    """What a check found in a pair: `span` is (start, end) in characters of the `side`, None where both are meant."""

    message: str
    side: Side | None = None
    span: tuple[int, int] | None = None


class Flaw(NamedTuple):
    """What a check found in one sentence."""

    what: str
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Check:
    """A check. Its name and level never change; `find` yields nothing for a pair that is in order."""

    name: str
    level: Level
    meaning: str
    find: Callable[[Candidate, Context], Iterator[Fault]]

    def findings(self, candidate: Candidate, context: Context) -> Iterator[Finding]:
        """The faults of a pair as findings under this check's name and level."""
        for fault in self.find(candidate, context):
            yield Finding(check=self.name, level=self.level, message=fault.message, side=fault.side, span=fault.span)


def in_each_sentence(
    flaws: Callable[[str, Context], Iterator[Flaw]],
) -> Callable[[Candidate, Context], Iterator[Fault]]:
    """A check of pairs from a check of sentences: a flaw that both have, or that one has twice, is reported once."""

    def find(candidate: Candidate, context: Context) -> Iterator[Fault]:
        good = _first_of_each(flaws(candidate.good, context))
        bad = _first_of_each(flaws(candidate.bad, context))
        for what, span in good.items():
            yield Fault(f"both sentences: {what}") if what in bad else Fault(f"good sentence: {what}", "good", span)
        for what, span in bad.items():
            if what not in good:
                yield Fault(f"bad sentence: {what}", "bad", span)

    return find


def _first_of_each(flaws: Iterator[Flaw]) -> dict[str, tuple[int, int] | None]:
    found: dict[str, tuple[int, int] | None] = {}
    for flaw in flaws:
        found.setdefault(flaw.what, flaw.span)
    return found


def shown(text: str) -> str:
    """Text of unknown origin as a message quotes it: short, in one line, invisible characters as escapes."""
    short = text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…"
    return repr(short)
