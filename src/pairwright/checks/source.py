"""Checks of what a reader made of its source: guesses, and remains of the source's own layout in the sentences."""

import re
from collections.abc import Iterator

from pairwright.checks.check import Context, Fault, Flaw, pair_check, sentence_check, shown
from pairwright.core.errors import counted
from pairwright.core.records import Candidate, Change
from pairwright.core.text import TOKEN, words
from pairwright.languages.linguistics.sentences import sentence_ends

# A side with one word beside one with so many is a rest of a sentence.
_MANY_WORDS = 3
_AFTER_COMMA = re.compile(r",\s+(\w+)")
_OPENING, _CLOSING = "„‚", "”’"
_MISPLACED = re.compile(rf"(?<=\w)[{_OPENING}]|[{_OPENING}](?=\s)|(?<=\s)[{_CLOSING}](?=\s|$)|”(?=\w)")
# “ closes a quotation that „ opened, and opens any other.
_CLOSES_BADLY = re.compile(r"(?<=\s)“|“(?=\w)")


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
        for at, word in _new_words(change):
            before = candidate.good[:at].rstrip()
            last = words(before)[-1:]
            joined = not last or last[0].casefold() in (*context.language.coordinators, *context.language.adpositions)
            fixed = " ".join([*(w.casefold() for w in last), word]) in context.language.fixed_phrases
            if word in context.language.subordinators and before[-1:].isalnum() and not joined and not fixed:
                yield Fault(f"good sentence: no comma before {shown(word)}", "good", (at, at + len(word)))


def _new_words(change: Change) -> Iterator[tuple[int, str]]:
    """The words of the good side that the bad side lacks, in small letters, and where they stand."""
    bad = {word.casefold() for word in words(change.bad)}
    for match in TOKEN.finditer(change.good):
        if match[0].casefold() not in bad:
            yield change.good_at + match.start(), match[0].casefold()
