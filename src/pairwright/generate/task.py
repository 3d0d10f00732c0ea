"""What the stage of pairs by language models is given, and what is already settled about earlier ones."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pairwright.config import Direction, GenerateSettings
from pairwright.generate.corpus import Corpus
from pairwright.languages import Language
from pairwright.morphology import Analyser
from pairwright.records import Candidate, Rule
from pairwright.text import words

# The lengths of a source's sentences between these quantiles are those of new ones, if it has so many sentences.
_QUANTILES, _ENOUGH_SENTENCES = (0.02, 0.98), 20
# With fewer sentences, or where they are all longer or shorter than this, lengths in words from here to there.
_USUAL_LENGTHS = (4, 15)


class Standing(NamedTuple):
    """What is settled about earlier pairs.

    refused  the ids of those that checks, the judge or reviewers rejected: others replace them
    kept     those that people decided on and did not reject: they count, whatever the model says now
    """

    refused: frozenset[str] = frozenset()
    kept: tuple[Candidate, ...] = ()


NOTHING_SETTLED = Standing()


@dataclass(frozen=True)
class PairTask:
    """The rules of a source for which a language model writes pairs, and by what.

    lemmas     `lemmatiser_of(language)`, by which vocabularies are compared
    corpus     what the source attests of its language
    title      of the source, which names the variety that it describes
    workspace  a folder whose `prompts/` come before those of pairwright
    """

    rules: tuple[Rule, ...]
    language: Language
    settings: GenerateSettings
    lemmas: Analyser
    corpus: Corpus
    standing: Standing = NOTHING_SETTLED
    workspace: Path | None = None
    title: str = ""

    @property
    def directions(self) -> tuple[Direction, ...]:
        """In which ways pairs are written, in turn: the setting's, else by how well models know the language."""
        by_language: tuple[Direction, ...] = ("pairs", "violations") if self.language.well_known else ("grounded",)
        return self.settings.directions or by_language


def lengths(sentences: Iterable[str], settings: GenerateSettings) -> tuple[int, int]:
    """The least and the most words of a new sentence: the setting's, else as the source's own sentences have."""
    counts = sorted(len(words(sentence)) for sentence in sentences)
    least, most = _USUAL_LENGTHS
    if len(counts) >= _ENOUGH_SENTENCES:
        low, most = (counts[math.floor(share * (len(counts) - 1))] for share in _QUANTILES)
        least = min(least, low)
    elif counts:
        least, most = min(least, counts[0]), max(most, counts[-1])
    least = settings.min_words or min(least, settings.max_words or least)
    return max(1, least), max(least, settings.max_words or most)
