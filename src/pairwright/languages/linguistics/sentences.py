"""Where sentences end, and whether a text is one whole sentence. Offsets are in characters."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence

from pairwright.core.text import words
from pairwright.languages.linguistics.brackets import unpaired

# They end sentences, in the scripts that have such a mark.
END_MARKS = ".!?…。！？؟۔।॥։።"
CLOSING_MARKS = "\"'“”’»›)]"
_OPENING = "\"'“„«‘(["
# Footnote signs and closing marks may follow; East Asian marks need no space behind them.
_END = re.compile(rf"[{re.escape(END_MARKS)}]+[{re.escape(CLOSING_MARKS)}⁰¹²³⁴-⁹]*(?=\s|$)|[。！？]+[」』）]*")
_LAST_WORD = re.compile(r"[^\s(]+$")
# How far around a full stop the word before it and the one behind it are looked for.
_NEAR = 100

_ENUMERATED = re.compile(r"\W*\d+(\.\d+)*[.)]\s")
# „ and « open in all languages that have them at the beginning of a word.
_MISPLACED = re.compile(r"[„(\[{]\s|\s[)\]}]|„[^“”]*\s[“”]|[“”»]\s[“”»]")
# French writes a space before other marks. A text that has one before its last mark is written token by token.
_BY_TOKENS = re.compile(r"\s[.!?]$")
_SPACED = re.compile(r"\s(?:[,.…](?!\w)|[!?]+\.)")
# Inside words, as in abbreviations, quotation marks are letters.
_INNER_QUOTE = re.compile(r"(?<=\w)\"(?=\w)")


def ends_sentence(text: str) -> bool:
    """Whether a mark ends a text as a sentence; closing quotation marks and brackets may follow it."""
    return text.rstrip(CLOSING_MARKS + " ").endswith(tuple(END_MARKS))


def sentence_ends(
    text: str, abbreviations: Collection[str] = (), brackets: Sequence[tuple[int, int]] = ()
) -> Iterator[int]:
    """The offsets where the sentences of a text end, but for the last one.

    abbreviations  words in small letters whose full stop ends no sentence, as `Language.abbreviations`
    brackets       their (start, end) offsets, in order; no sentence ends inside

    A sentence ends with a mark, unless a small letter or a mark follows. The full stop of an initial ends none, nor
    that of the number with which a sentence begins.
    """
    begin = 0
    for match in _END.finditer(text):
        following = text[match.end() : match.end() + _NEAR].lstrip()
        first = next(filter(str.isalnum, following), "")
        continues = (first.islower() and following[0] not in "([") or following.startswith(tuple(",;:)]"))
        before = bisect_left(brackets, (match.start(), 0))
        inside = before > 0 and match.start() < brackets[before - 1][1]
        if not following or continues or inside:
            continue
        last = _LAST_WORD.search(text, max(begin, match.start() - _NEAR), match.start())
        word = last[0].lstrip(_OPENING).casefold() if last else ""
        initial = len(word) == 1 and word.isalpha()
        numbers = not word.strip("0123456789.") and text[begin : match.start()].strip(_OPENING + " \n\t") == word
        # A closing mark ends a sentence after an abbreviation too: `and so on (Smith et al.)`.
        if match[0] == "." and (initial or numbers or word in abbreviations):
            continue
        begin = match.end()
        yield begin


def is_sentence(text: str) -> bool:
    """Whether a text looks like a sentence: several words with a capital before them or a mark after them."""
    return len(words(text)) > 1 and (text.strip()[:1].isupper() or ends_sentence(text))


def why_no_sentence(text: str) -> str | None:
    """Why a text of a treebank can't be shown as a sentence by itself; None where it can."""
    if not ends_sentence(text):
        return "no mark ends it, as in a heading"
    if next((char for char in text if char.isalnum()), "").islower():
        return "it begins with a small letter"
    if _ENUMERATED.match(text):
        return "it begins with the number of a list"
    if any(unpaired(_INNER_QUOTE.sub("", text))) or _MISPLACED.search(text):
        return "a bracket or quotation mark without its partner, or with a space on the wrong side"
    if _SPACED.search(text) and not _BY_TOKENS.search(text):
        return "a space before a mark that follows its word"
    return None
