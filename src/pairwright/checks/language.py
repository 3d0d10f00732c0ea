"""Checks of a sentence's words and letters against the language's dictionary and alphabet."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from pairwright.checks.check import Context, Fault, Flaw, pair_check, sentence_check, shown
from pairwright.errors import counted
from pairwright.languages.letters import script
from pairwright.languages.linguistics.attested import AttestedWords
from pairwright.languages.spelling import dictionary_path, plain, speller
from pairwright.records import Candidate, Side
from pairwright.text import TOKEN

# Capitals and small letters of Greek that look like Latin ones; μm and kΩ are no look-alikes.
_GREEK_LOOKALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο")
# A single word may be a name or a rare word.
_ENOUGH_WORDS = 2
_MOST_UNKNOWN = 0.6
# What a grammar with fewer words does not attest may well be of its language.
_ENOUGH_ATTESTED = 100


@pair_check("language-spelling", "warning")
def spelling(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Neither the spelling dictionary nor the morphology has a word of the good sentence. Numbers, single letters,
    abbreviations in capitals and names within the sentence are not looked up."""
    if candidate.method != "source":
        yield from _misspelt(candidate, context)


@pair_check("language-spelling-source", "info")
def spelling_of_source(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The same of a good sentence of the source itself: more often the dictionary lacks a word than the source has a
    slip."""
    if candidate.method == "source":
        yield from _misspelt(candidate, context)


def _misspelt(candidate: Candidate, context: Context) -> Iterator[Fault]:
    if any(other_language.find(candidate, context)):
        return
    good, bad = _unknown(candidate.good, context), _unknown(candidate.bad, context)
    for word, span in good.items():
        place = "both sentences" if word in bad else "good sentence"
        yield Fault(f"{place}: {shown(word)} is not in the dictionary", "good", span)


@pair_check("language-spelling-bad", "warning")
def spelling_of_bad(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The spelling dictionary lacks a word that only the bad sentence has: a slip, or the error that is meant."""
    if any(other_language.find(candidate, context)):
        return
    good = _unknown(candidate.good, context)
    for word, span in _unknown(candidate.bad, context).items():
        if word not in good:
            yield Fault(f"bad sentence: {shown(word)} is not in the dictionary", "bad", span)


@pair_check("language-other", "error")
def other_language(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Most words of the good sentence are not in the spelling dictionary: it is of another language, or of none."""
    if not (looked_up := {word for word, _ in _looked_up(candidate.good, context)}):
        return
    foreign = {
        match[0]
        for match, is_first in _words(candidate.good)
        if _foreign_letters(match[0], is_first, context.language.letters)
    }
    total, unknown = len(looked_up | foreign), len(foreign | _unknown(candidate.good, context).keys())
    if total >= _ENOUGH_WORDS and unknown / total > _MOST_UNKNOWN:
        count = f"{unknown} of {counted(total, 'word')} of the good sentence"
        yield Fault(f"{count} are not {context.language.name}", "good", (0, len(candidate.good)))


@pair_check("language-unlike-source", "error")
def unlike_source(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """Most words of a newly written good sentence are neither in the grammar that the rule comes from nor made of its
    stems and affixes, or no word is in it: the sentence is of another language, or made up. Only without a
    dictionary."""
    attested = _attested(context)
    if attested is None or len(attested) < _ENOUGH_ATTESTED or candidate.method == "source" or candidate.parent_id:
        return
    words = [match[0] for match, _ in _words(candidate.good) if not any(char.isdigit() for char in match[0])]
    new = [word for word in words if not _attests(attested, word, context)]
    strange = [word for word in new if not attested.inflects(word)]
    none_attested = len(words) > 1 and new == words
    if words and (none_attested or len(strange) > len(words) / 2):
        listed = ", ".join(map(shown, strange or words))
        yield Fault(f"the good sentence is not like the source: {listed}", "good", (0, len(candidate.good)))


@pair_check("language-not-attested", "info")
def not_attested(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The grammar that the rule comes from does not have a word of the pair, which may still be one. Only without a
    dictionary."""
    attested = _attested(context)
    if attested is None or any(unlike_source.find(candidate, context)):
        return
    new: dict[str, Fault] = {}
    sides: tuple[tuple[Side, str], ...] = (("good", candidate.good), ("bad", candidate.bad))
    for side, sentence in sides:
        for match, _ in _words(sentence):
            if not _attests(attested, match[0], context) and not any(char.isdigit() for char in match[0]):
                made = "made of its stems and affixes" if attested.inflects(match[0]) else "nor is its stem"
                fault = Fault(f"{side} sentence: {shown(match[0])} is not in the source, {made}", side, match.span())
                new.setdefault(match[0].casefold(), fault)
    yield from new.values()


def _attested(context: Context) -> AttestedWords | None:
    """The words of the source; None if a spelling dictionary knows more than they do."""
    return None if context.settings.spelling and dictionary_path(context.language) else context.attested


def _attests(attested: AttestedWords, word: str, context: Context) -> bool:
    """Whether the source has a word, or a lexicon of the language."""
    return attested.attests(word) or (context.analyser is not None and bool(context.analyser.analyse(word)))


def _unknown(sentence: str, context: Context) -> dict[str, tuple[int, int]]:
    dictionary = dictionary_path(context.language)
    unknown: dict[str, tuple[int, int]] = {}
    for word, span in _looked_up(sentence, context):
        analysed = context.analyser is not None and context.analyser.analyse(word)
        if dictionary and not analysed and not speller(dictionary).knows(word):
            unknown.setdefault(word, span)
    return unknown


def _looked_up(sentence: str, context: Context) -> Iterator[tuple[str, tuple[int, int]]]:
    """The words that are looked up, with their spans; none if there is no dictionary. Words of two scripts are not."""
    if dictionary_path(context.language) is None or not context.settings.spelling:
        return
    for match, is_first in _words(sentence):
        word = match.group()
        is_name = word[0].isupper() and not is_first
        is_no_word = len(word) == 1 or any(char.isdigit() for char in word) or word.isupper() or _look_alikes(word)
        if not is_name and not is_no_word and not _foreign_letters(word, is_first, context.language.letters):
            yield word, match.span()


def _words(sentence: str) -> Iterator[tuple[re.Match[str], bool]]:
    """The words of a sentence, and whether each is the first."""
    matches = (match for match in TOKEN.finditer(sentence) if match.group()[0].isalnum())
    yield from ((match, number == 0) for number, match in enumerate(matches))


@sentence_check("language-letters", "warning")
def letters(sentence: str, context: Context) -> Iterator[Flaw]:
    """A letter or accent is not in the language's alphabet; names within a sentence may have other Latin letters."""
    for match, is_first in _words(sentence):
        if odd := _foreign_letters(match.group(), is_first, context.language.letters):
            listed = ", ".join(f"{char} U+{ord(char):04X}" for char in odd)
            yield (
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
        and not (is_name and script(char) == "LATIN")
    ]


@sentence_check("language-mixed-scripts", "error")
def mixed_scripts(sentence: str, context: Context) -> Iterator[Flaw]:
    """A word has Latin letters beside Cyrillic or Greek ones that look like them."""
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
