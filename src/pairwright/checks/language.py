"""Checks of what a reader made of its source, of what tells the two sentences of a pair apart, and of their words.

Words and letters are looked up in the language's dictionary and alphabet.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from pairwright.checks.check import (
    Check,
    Checker,
    Context,
    Fault,
    Flaw,
    IndexedPair,
    Span,
    pair_check,
    pair_sentence_key,
    place_of,
    sentence_check,
    shown,
    sides,
)
from pairwright.core.config import CheckSettings
from pairwright.core.errors import ConfigError, counted
from pairwright.core.records import Candidate, Finding, Rule, Side
from pairwright.core.text import TOKEN, nfc, words
from pairwright.languages.letters import dictionary_path, plain, script, speller, upper
from pairwright.languages.linguistics.forms import words_at
from pairwright.languages.linguistics.sentences import changes, sentence_ends

# A side with one word beside one with so many is a rest of a sentence.
_MANY_WORDS = 3
_AFTER_COMMA = re.compile(r",\s+(\w+)")
_OPENING, _CLOSING = "„‚", "”’"
_MISPLACED = re.compile(rf"(?<=\w)[{_OPENING}]|[{_OPENING}](?=\s)|(?<=\s)[{_CLOSING}](?=\s|$)|”(?=\w)")
# “ closes a quotation that „ opened, and opens any other.
_CLOSES_BADLY = re.compile(r"(?<=\s)“|“(?=\w)")
# Capitals and small letters of Greek that look like Latin ones; μm and kΩ are no look-alikes.
_GREEK_LOOKALIKES = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο")
# A single word may be a name or a rare word.
_ENOUGH_WORDS = 2
_MOST_UNKNOWN = 0.6


@pair_check("source-uncertain-span", "warning")
def uncertain_span(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The source does not mark which words its correction replaces, or which right wording belongs to the wrong one,
    and the evidence does not tell: the good sentence is the best guess, and the others are its alternatives."""
    if candidate.uncertain:
        others = "; ".join(map(shown, candidate.alternatives))
        yield Fault("a guess at what the source corrects here" + f"; else: {others}" * bool(others), "good")


@pair_check("form-one-word", "warning")
def one_word(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """One sentence is a single word, and the other one is not nearly as short."""
    counts = sorted((len(words(candidate.good)), len(words(candidate.bad))))
    if counts[0] == 1 and counts[1] >= _MANY_WORDS:
        yield Fault(f"one sentence has one word, the other {counts[1]}")


@sentence_check("form-quotation-side", "warning")
def quotation_side(sentence: str, context: Context) -> Iterator[Flaw]:
    """A quotation mark is joined to the wrong side: a space after the opening or before the closing one, or none where
    one belongs."""
    patterns = [_MISPLACED, *([_CLOSES_BADLY] if "„" in sentence else [])]
    for match in (match for pattern in patterns for match in pattern.finditer(sentence)):
        yield f"{match.group()} is joined to the wrong side", match.span()


@pair_check("form-several-sentences", "warning")
def several_sentences(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """One side has more sentences than the other."""
    abbreviations = context.language.abbreviations
    good, bad = (1 + sum(1 for _ in sentence_ends(text, abbreviations)) for text in (candidate.good, candidate.bad))
    if good != bad:
        yield Fault(f"the good side has {counted(good, 'sentence')}, the bad one {bad}")


@pair_check("language-comma-before-coordinator", "warning")
def comma_before_coordinator(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The good sentence alone has a comma before a word such as `and` that stands in it once (`coordinators` in the
    language's file)."""
    tokens = [match[0].casefold() for match in TOKEN.finditer(candidate.good)]
    bad = {match[1].casefold() for match in _AFTER_COMMA.finditer(candidate.bad)}
    for match in _AFTER_COMMA.finditer(candidate.good):
        word = match[1].casefold()
        if word in context.language.coordinators and tokens.count(word) == 1 and word not in bad:
            yield Fault(f"good sentence: a comma before {shown(match[1])}", "good", match.span())


@pair_check("language-clause-without-comma", "warning")
def clause_without_comma(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A word that begins a clause (`subordinators` in the language's file) is new in the good sentence, and has no
    comma before it."""
    for change in candidate.changes:
        for token in words_at(change.good, change.good_at):
            at, word = token.at, token.text.casefold()
            before = candidate.good[:at].rstrip()
            last = words(before)[-1:]
            joined = not last or last[0].casefold() in (*context.language.coordinators, *context.language.adpositions)
            fixed = " ".join([*(w.casefold() for w in last), word]) in context.language.fixed_phrases
            new = word in context.language.subordinators and word not in map(str.casefold, words(change.bad))
            if new and before[-1:].isalnum() and not joined and not fixed:
                yield Fault(f"good sentence: no comma before {shown(word)}", "good", token.span)


@pair_check("contrast-identical", "error")
def identical(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The two sentences are the same but for white space, the case of the first letter and the end punctuation."""
    if pair_sentence_key(candidate.good) == pair_sentence_key(candidate.bad):
        yield Fault("the good and the bad sentence are the same")


@pair_check("contrast-not-minimal", "warning")
def not_minimal(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The pair has more differing spans, or a larger share of changed words, than its rule, its source or the general
    setting allows."""
    rule, settings = context.rules.get(candidate.rule_id), context.settings
    code = rule.code if rule else candidate.rule_id
    max_spans, max_share = settings.max_spans, settings.max_edit_share
    for key in (candidate.source_id, f"{candidate.source_id}/{code}"):
        if own := settings.limits.get(key):
            max_spans = own.max_spans or max_spans
            max_share = own.max_edit_share or max_share
    good, bad = nfc(candidate.good), nfc(candidate.bad)
    if words(good) and words(bad):
        spans = len(changes(good, bad))
        # Levenshtein distance in words by the longer sentence's words.
        share = word_distance(good, bad) / max(len(words(good)), len(words(bad)))
        reasons = [f"{spans} differing spans (limit {max_spans})"] if spans > max_spans else []
        reasons += [f"{share:.2f} of the words changed (limit {max_share:.2f})"] if share > max_share else []
        if reasons:
            yield Fault(" and ".join(reasons))


@pair_check("contrast-wider", "warning")
def wider_than_examples(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """More words differ than in any pair that the source itself gives for the rule."""
    rule = context.rules.get(candidate.rule_id)
    if rule is None or candidate.method == "source":
        return
    widest = max((word_distance(item.good, item.bad) for item in rule.examples if item.bad), default=None)
    differing = word_distance(candidate.good, candidate.bad)
    if widest is not None and differing > widest:
        yield Fault(f"{counted(differing, 'word')} differ, and at most {widest} in the examples of the rule")


@lru_cache(10_000)
def word_distance(good: str, bad: str) -> int:
    """How many words differ: the Levenshtein distance in words, case ignored."""
    left, right = ([word.casefold() for word in words(nfc(sentence))] for sentence in (good, bad))
    return int(Levenshtein.distance(left, right))


def verify_limits(rules: Mapping[str, Rule], settings: CheckSettings) -> None:
    """Raises ConfigError if a limit is set for a rule that one of these sources doesn't have."""
    codes = {(rule.source_id, rule.code) for rule in rules.values()}
    sources = {source for source, _ in codes}
    for key in settings.limits:
        source, slash, code = key.partition("/")
        if slash and source in sources and (source, code) not in codes:
            raise ConfigError(
                f"pairwright.toml: checks.limits: '{key}': source '{source}' has no rule with the code '{code}'; "
                f"write {source}/CODE with a code of its rules.jsonl, or '{source}' alone for all its rules"
            )


@pair_check("duplicate-pair", "error")
def same_pair(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair has the same two sentences; a reviewer's correction is no duplicate of what it corrects."""
    earlier = context.index.pair(candidate.good, candidate.bad)
    if earlier and not _corrects(candidate, earlier, context):
        yield Fault(f"the same pair is {earlier.as_seen_from(candidate)}")


@pair_check("duplicate-swapped", "error")
def swapped_pair(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair has the same two sentences the other way round."""
    earlier = context.index.pair(candidate.bad, candidate.good)
    if earlier and not context.index.pair(candidate.good, candidate.bad) and not _corrects(candidate, earlier, context):
        yield Fault(f"good and bad are exchanged in {earlier.as_seen_from(candidate)}; one of the two is wrong")


@pair_check("contradiction", "warning")
def contradiction(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A sentence is good in this pair and bad in an earlier one, or the other way round."""
    if not _same_sentences(candidate, context):
        if earlier := context.index.pair(bad=candidate.good):
            yield _fault(candidate, "good", f"is the bad one of {earlier.as_seen_from(candidate)}")
        if earlier := context.index.pair(good=candidate.bad):
            yield _fault(candidate, "bad", f"is the good one of {earlier.as_seen_from(candidate)}")


@pair_check("duplicate-bad-sentence", "info")
def same_bad_sentence(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """An earlier pair that this one was not derived from corrects the same bad sentence in another way."""
    earlier = context.index.pair(bad=candidate.bad)
    if earlier and earlier.family != context.index.family(candidate) and not _same_sentences(candidate, context):
        yield _fault(candidate, "bad", f"is also that of {earlier.as_seen_from(candidate)}, with another good one")


@pair_check("duplicate-example", "error")
def copied_example(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A sentence of a newly written pair is one of the source's own examples, or in a pair of another source."""
    # Pairs that come from the source's examples may have their sentences, and so may reviewers' corrections.
    if candidate.method not in ("llm", "manual") or candidate.parent_id is not None:
        return
    # The good sentence of a grounded pair is meant to be attested, and the bad one may be what the source stars.
    is_grounded = bool(candidate.attested_ids)
    for side, sentence in sides(candidate)[is_grounded:]:
        if example := context.index.example(sentence, starred=not is_grounded):
            place = f"{example.file or 'the source'} ({place_of(example)})"
            yield _fault(candidate, side, f"is in {place} as an example")
        elif (earlier := context.index.pair(good=sentence) or context.index.pair(bad=sentence)) and (
            earlier.source_id != candidate.source_id and not _same_sentences(candidate, context)
        ):
            yield _fault(candidate, side, f"is in {earlier.as_seen_from(candidate)}")


def _corrects(candidate: Candidate, earlier: IndexedPair, context: Context) -> bool:
    """Whether a reviewer made the pair by correcting the earlier one, or another of the same family."""
    is_correction = candidate.method == "manual" and candidate.parent_id is not None
    return is_correction and earlier.family == context.index.family(candidate)


def _fault(candidate: Candidate, side: Side, message: str) -> Fault:
    sentence = candidate.good if side == "good" else candidate.bad
    return Fault(f"the {side} sentence {message}", side, (0, len(sentence)))


def _same_sentences(candidate: Candidate, context: Context) -> IndexedPair | None:
    """An earlier pair with the same two sentences, either way round."""
    good, bad = candidate.good, candidate.bad
    return context.index.pair(good, bad) or context.index.pair(bad, good)


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
        is_number = any(map(str.isdigit, text))
        common = not (len(text) == 1 or is_number or text.isupper() or mixed or is_name or foreign)
        read.append(_Word(text, word.span, foreign, common))
    return tuple(read)


def _find(candidate: Candidate, context: Context) -> Iterator[Finding]:
    path = dictionary_path(context.language) if context.settings.spelling else None
    if path is None:
        return
    dictionary, alphabet = speller(path), context.language.letters
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


WORDS = Checker((_SPELLING, _SPELLING_OF_SOURCE, _SPELLING_OF_BAD, _OTHER), _find)


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
