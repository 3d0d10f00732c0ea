"""Checks of a sentence's words and letters against the language's dictionary and alphabet."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from pairwright.checks.check import Check, Checker, Context, Fault, Flaw, Span, sentence_check, shown
from pairwright.core.errors import counted
from pairwright.core.records import Candidate, Finding
from pairwright.core.text import TOKEN
from pairwright.languages.letters import script, upper
from pairwright.languages.linguistics.forms import words_at
from pairwright.languages.spelling import Speller, dictionary_path, plain, speller

# Capitals and small letters of Greek that look like Latin ones; μm and kΩ are no look-alikes.
_GREEK_LOOKALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο")
# A single word may be a name or a rare word.
_ENOUGH_WORDS = 2
_MOST_UNKNOWN = 0.6


_SPELLING = Check(
    "language-spelling",
    "warning",
    "Neither the spelling dictionary nor the morphology has a word of the good sentence. Numbers, single letters, "
    "abbreviations in capitals and names within the sentence are not looked up.",
)
_SPELLING_OF_SOURCE = Check(
    "language-spelling-source",
    "info",
    "The same of a good sentence of the source itself: more often the dictionary lacks a word than the source has a "
    "slip.",
)
_SPELLING_OF_BAD = Check(
    "language-spelling-bad",
    "warning",
    "The spelling dictionary lacks a word that only the bad sentence has: a slip, or the error that is meant.",
)
_OTHER = Check(
    "language-other",
    "error",
    "Most words of the good sentence are not in the spelling dictionary: it is of another language, or of none.",
)


def _find(candidate: Candidate, context: Context) -> Iterator[Finding]:
    dictionary = dictionary_path(context.language) if context.settings.spelling else None
    return _by_dictionary(candidate, context, speller(dictionary)) if dictionary else iter(())


WORDS = Checker((_SPELLING, _SPELLING_OF_SOURCE, _SPELLING_OF_BAD, _OTHER), _find)


class _Word(NamedTuple):
    """A word of a sentence, its letters outside the alphabet, and whether a dictionary should have it."""

    text: str
    span: Span
    foreign: tuple[str, ...]
    common: bool


@lru_cache(1024)
def _words(sentence: str, alphabet: str) -> tuple[_Word, ...]:
    """The words of a sentence. Numbers, single letters, abbreviations in capitals and names are not common."""
    read, capitals = [], upper(alphabet, alphabet)
    for word in words_at(sentence):
        text, mixed = word.text, bool(_look_alikes(word.text))
        is_name = text[0].isupper() and any(map(str.isalnum, sentence[: word.at]))
        foreign = tuple(
            char
            for char in dict.fromkeys(plain(text) if alphabet and not mixed else "")
            if unicodedata.category(char)[0] in "LM"
            and not (char.lower() in alphabet or char in capitals)
            and not (is_name and script(char) == "LATIN")
        )
        common = not (len(text) == 1 or _has_digit(text) or text.isupper() or mixed or is_name or foreign)
        read.append(_Word(text, word.span, foreign, common))
    return tuple(read)


def _by_dictionary(candidate: Candidate, context: Context, dictionary: Speller) -> Iterator[Finding]:
    alphabet = context.language.letters
    both = [_words(sentence, alphabet) for sentence in (candidate.good, candidate.bad)]
    # Of a word that comes twice, the first.
    good, bad = ({word.text: word.span for word in reversed(words) if word.common} for words in both)
    unknown = {text for text in good | bad if not (context.analysed(text) or dictionary.knows(text))}
    foreign = {word.text for word in both[0] if word.foreign}
    total, lacking = len(good.keys() | foreign), len(foreign | (good.keys() & unknown))
    if good and total >= _ENOUGH_WORDS and lacking / total > _MOST_UNKNOWN:
        count = f"{lacking} of {counted(total, 'word')} of the good sentence"
        yield _OTHER.finding(Fault(f"{count} are not {context.language.name}", "good", (0, len(candidate.good))))
        return
    of_good = _SPELLING_OF_SOURCE if candidate.method == "source" else _SPELLING
    for word in sorted(good.keys() & unknown, key=lambda word: good[word]):
        place = "both sentences" if word in bad else "good sentence"
        yield of_good.finding(Fault(f"{place}: {shown(word)} is not in the dictionary", "good", good[word]))
    for word in sorted(bad.keys() & unknown - good.keys(), key=lambda word: bad[word]):
        message = f"bad sentence: {shown(word)} is not in the dictionary"
        yield _SPELLING_OF_BAD.finding(Fault(message, "bad", bad[word]))


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


@sentence_check("language-letters", "warning")
def letters(sentence: str, context: Context) -> Iterator[Flaw]:
    """A letter or accent is not in the language's alphabet; names within a sentence may have other Latin letters."""
    for word in _words(sentence, context.language.letters):
        if word.foreign:
            listed = ", ".join(f"{char} U+{ord(char):04X}" for char in word.foreign)
            yield f"{shown(word.text)} has letters outside the {context.language.name} alphabet: {listed}", word.span


@sentence_check("language-mixed-scripts", "error")
def mixed_scripts(sentence: str, context: Context) -> Iterator[Flaw]:
    """A word mixes Latin letters with Cyrillic or Greek ones that look like them."""
    for match in TOKEN.finditer(sentence):
        for word in match.group().replace("-", " ").split():
            if odd := _look_alikes(word):
                yield f"{shown(word)} has letters of two scripts: {odd}", match.span()


def _look_alikes(word: str) -> str:
    """The Cyrillic and Greek letters of a word that has Latin ones too; none if no mistake is likely."""
    by_script: defaultdict[str, list[str]] = defaultdict(list)
    for char in word:
        by_script[script(char)].append(char)
    greek = by_script["GREEK"]
    odd = by_script["CYRILLIC"] + (greek if len(greek) > 1 or _GREEK_LOOKALIKES.intersection(greek) else [])
    return ", ".join(dict.fromkeys(f"{char} U+{ord(char):04X}" for char in odd)) if by_script["LATIN"] else ""
