"""Checks of a sentence's words and letters against what is known of its language."""

import re
import unicodedata
from collections.abc import Iterator

from pairwright.checks.check import Context, Fault, Flaw, in_each_sentence, shown
from pairwright.languages.spelling import dictionary_path, plain, speller
from pairwright.records import Candidate
from pairwright.text import TOKEN

# Capitals and small letters of Greek that look like Latin ones; μm and kΩ are no look-alikes.
_GREEK_LOOKALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο")


# Of so many words, a sentence of the language has more in its dictionary; of fewer, names and rare words may be most.
_ENOUGH_WORDS = 3
_MOST_UNKNOWN = 0.6


def spelling(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Words of the good sentence, or of both, that the dictionary doesn't have."""
    if any(other_language(candidate, context)):
        return
    good, bad = _unknown(candidate.good, context), _unknown(candidate.bad, context)
    for word, span in good.items():
        place = "both sentences" if word in bad else "good sentence"
        yield Fault(f"{place}: {shown(word)} is not in the dictionary", "good", span)


def spelling_of_bad(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Words of the bad sentence alone that the dictionary doesn't have; they may be the error that is meant."""
    if any(other_language(candidate, context)):
        return
    good = _unknown(candidate.good, context)
    for word, span in _unknown(candidate.bad, context).items():
        if word not in good:
            yield Fault(f"bad sentence: {shown(word)} is not in the dictionary", "bad", span)


def other_language(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Most words of the good sentence are not in the dictionary, so it is of another language, or of none."""
    looked_up = {word for word, _ in _looked_up(candidate.good, context)}
    unknown = _unknown(candidate.good, context)
    if len(looked_up) >= _ENOUGH_WORDS and len(unknown) / len(looked_up) > _MOST_UNKNOWN:
        yield Fault(
            f"{len(unknown)} of {len(looked_up)} words of the good sentence are not {context.language.name}",
            "good",
            (0, len(candidate.good)),
        )


def _unknown(sentence: str, context: Context) -> dict[str, tuple[int, int]]:
    dictionary = dictionary_path(context.language)
    unknown: dict[str, tuple[int, int]] = {}
    for word, span in _looked_up(sentence, context):
        if dictionary and not speller(dictionary).knows(word):
            unknown.setdefault(word, span)
    return unknown


def _looked_up(sentence: str, context: Context) -> Iterator[tuple[str, tuple[int, int]]]:
    """The words that are looked up, with their places; none where there is no dictionary."""
    if dictionary_path(context.language) is None or not context.settings.spelling:
        return
    for match, is_first in _words(sentence):
        word = match.group()
        if not _is_no_word(word, is_first) and not _foreign_letters(word, is_first, context.language.letters):
            yield word, match.span()


def _words(sentence: str) -> Iterator[tuple[re.Match[str], bool]]:
    """The words of a sentence, and whether each is the first."""
    matches = (match for match in TOKEN.finditer(sentence) if match.group()[0].isalnum())
    yield from ((match, number == 0) for number, match in enumerate(matches))


def _is_no_word(word: str, is_first: bool) -> bool:
    """Numbers, single letters, abbreviations in capitals, names and words of two scripts are not looked up."""
    is_name = word[0].isupper() and not is_first
    has_digit = any(char.isdigit() for char in word)
    return len(word) == 1 or has_digit or word.isupper() or is_name or bool(_look_alikes(word))


@in_each_sentence
def letters(sentence: str, context: Context) -> Iterator[Flaw]:
    """Letters and accents outside the alphabet; names within the sentence may have other Latin letters."""
    for match, is_first in _words(sentence):
        if odd := _foreign_letters(match.group(), is_first, context.language.letters):
            listed = ", ".join(f"{char} U+{ord(char):04X}" for char in odd)
            yield Flaw(
                f"{shown(match.group())} has letters outside the {context.language.name} alphabet: {listed}",
                match.span(),
            )


def _foreign_letters(word: str, is_first: bool, alphabet: str) -> list[str]:
    if not alphabet or _look_alikes(word):
        return []
    is_name = word[0].isupper() and not is_first
    return [
        char
        for char in dict.fromkeys(plain(word))
        if unicodedata.category(char)[0] in "LM"
        and not all(part in alphabet for part in char.lower())
        and not (is_name and _script(char) == "LATIN")
    ]


@in_each_sentence
def mixed_scripts(sentence: str, context: Context) -> Iterator[Flaw]:
    """Words with Latin letters beside Cyrillic or Greek ones that look like them."""
    for match in TOKEN.finditer(sentence):
        for word in match.group().replace("-", " ").split():
            if odd := _look_alikes(word):
                yield Flaw(f"{shown(word)} has letters of two scripts: {odd}", match.span())


def _look_alikes(word: str) -> str:
    by_script: dict[str, list[str]] = {}
    for char in word:
        by_script.setdefault(_script(char), []).append(char)
    greek = by_script.get("GREEK", [])
    odd = by_script.get("CYRILLIC", []) + (greek if len(greek) > 1 or _GREEK_LOOKALIKES.intersection(greek) else [])
    if "LATIN" not in by_script or not odd:
        return ""
    return ", ".join(dict.fromkeys(f"{char} U+{ord(char):04X}" for char in odd))


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0] if char.isalpha() else ""
