"""The words before a bracket, and how the words of a correction take the place of some of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pairwright.core.text import squeeze
from pairwright.languages.letters import capitalised
from pairwright.languages.linguistics.edits import replaced
from pairwright.languages.linguistics.likeness import ClosedClasses, same_ending
from pairwright.sources.error_list.alternatives import bare, bare_words, has_form
from pairwright.sources.error_list.bracketed import Bracket, BracketedSentence

_WORD = re.compile(r"[^\s()\[\]]+")
# What opens a quotation, in which a sentence may begin.
_QUOTES = '„«‚‹“"'
_OPENING = re.compile(f"[{_QUOTES}]")

# What stands before a bracket behind the end of a sentence.
_ENDED = re.compile(r"[.!?…][\"”“»’')\s]*$")


class Edit(NamedTuple):
    """A text in place of the sentence from `start` to `end`; `is_certain` that a bracket means these words."""

    start: int
    end: int
    text: str
    is_certain: bool = True


@dataclass(frozen=True)
class BracketSite:
    """A bracket in its sentence, and the words before it, from the last correction on.

    starts, ends  the words' offsets in the sentence
    commas        the words with a comma before them
    openings      the words that begin the sentence or a quotation in it
    marked        the words that the page emphasises, up to the bracket or alone before it; None without any
    """

    sentence: BracketedSentence
    bracket: Bracket
    words: list[str]
    starts: list[int]
    ends: list[int]
    commas: frozenset[int]
    openings: frozenset[int]
    marked: tuple[int, int] | None

    @property
    def is_whole(self) -> bool:
        """Whether the bracket corrects the whole sentence: it follows its mark, and begins with a capital."""
        before = self.sentence.text[: self.bracket.start].rstrip("\"'”“»’ ")
        return before.endswith(("!", "?", ".", "…")) and self.bracket.content.lstrip("„“\"'»«")[:1].isupper()

    @classmethod
    def of(cls, sentence: BracketedSentence, bracket: Bracket) -> "BracketSite":
        """The site of a bracket in a sentence."""
        text = sentence.text
        after = max((b.end for b in sentence.corrections() if b.end <= bracket.start), default=0)
        words, starts, ends = words_between(sentence, after, bracket.start)
        gaps = [text[left:right] for left, right in zip([after, *ends], starts, strict=False)]
        first = starts[0] if starts else 0
        openings = {k for k, gap in enumerate(gaps) if k and _OPENING.search(gap) and words[k][0].isupper()}
        if not re.search(r"\w", text[:first]):
            openings.add(0)
        runs = [
            (min(inside), max(inside) + 1)
            for start, end in sentence.emphasis
            if (inside := [place for place, at in enumerate(starts) if start <= at < end])
        ]
        marked = runs[-1] if runs and (len(runs) == 1 or runs[-1][1] == len(words)) else None
        commas = frozenset(place for place, gap in enumerate(gaps) if place and re.search("[,;]", gap))
        return cls(sentence, bracket, words, starts, ends, commas, frozenset(openings), marked)

    def edit(self, span: tuple[int, int], words: list[str], closed: ClosedClasses, alphabet: str = "") -> Edit:
        """Puts the words of a correction in the place of a span: with its capital, and the comma of a clause."""
        text, joined, last = self.sentence.text, " ".join(words), span[1]
        start = [*self.starts, self.bracket.start][span[0]]
        end = self.bracket.end if last == len(self.words) else self.ends[last - 1]
        if start and text[start - 1] in _QUOTES and joined[0] in _QUOTES:
            start -= 1
        left, old = text[:start].rstrip(), self.words[span[0] : last]
        if not re.search(r"\w", left) or _OPENING.search(left[-1:]):
            begins = text[start:].lstrip("„“\"'»«")[:1].isupper()
            if (
                "," not in joined
                and self.gains_clause(span, words, closed)
                and not re.search(r"[,)]|^\W*$", text[end:])
            ):
                joined += ","
            return Edit(start, end, capitalised(joined, alphabet) if begins else joined)
        is_open = bool(words) and bare(words[0]).casefold() not in closed.functions
        if left[-1] == "," and not self.marked and is_open and _opens_clause(old, closed):
            start = len(left) - 1
        is_joined = (
            left[-1] in ",;:–—(" or bare(left.split()[-1]).casefold() in closed.coordinators | closed.adpositions
        )
        # A refused wording stands in the very place of the right one.
        takes_comma = _opens_clause(words, closed) and not is_joined and self.bracket.kind != "right-first"
        return Edit(start, end, f", {joined}" if takes_comma else joined)

    def gains_clause(self, span: tuple[int, int], words: list[str], closed: ClosedClasses) -> bool:
        """Whether a correction makes a clause of the words up to the bracket, which were none."""
        is_new = _opens_clause(words, closed) and not _opens_clause(self.words[span[0] : span[1]], closed)
        return is_new and len(words) > 1 and span[1] == len(self.words)


def _opens_clause(words: Iterable[str], closed: ClosedClasses) -> bool:
    """Whether words begin with a subordinator, or an adposition and one."""
    opening = next((word for word in small_words(words)[:2] if word not in closed.adpositions), "")
    return opening in closed.subordinators


def small_words(words: Iterable[str]) -> list[str]:
    """The words in small letters."""
    return [word.casefold() for word in words]


def words_between(sentence: BracketedSentence, start: int, end: int) -> tuple[list[str], list[int], list[int]]:
    """The words between two offsets that stand in no bracket, without punctuation, and their offsets and ends."""
    words, starts, ends = [], [], []
    for match in _WORD.finditer(sentence.text, start, end):
        word = bare(match[0])
        if word and not any(b.start <= match.start() < b.end for b in sentence.brackets):
            words.append(word)
            starts.append(match.start() + match[0].index(word))
            ends.append(starts[-1] + len(word))
    return words, starts, ends


def fill(sentence: BracketedSentence, edits: Iterable[Edit | None]) -> str:
    """The sentence with the edit of each bracket, if any, and without its corrections.

    Other brackets stay, but for those behind its end and other wordings of what is before them.
    """
    gone = [it for it in sentence.brackets if it.kind != "plain" or _is_apart(sentence.text[: it.start], it.content)]
    every = [*filter(None, edits), *(Edit(bracket.start, bracket.end, "") for bracket in gone)]
    kept, first = list[tuple[int, int, str]](), len(sentence.text)
    for edit in sorted(every, key=lambda edit: (-edit.end, edit.start)):
        if edit.end <= first:
            kept.append((edit.start, edit.end, f" {edit.text} "))
            first = edit.start
    return tidy(replaced(sentence.text, kept))


def _is_apart(before: str, content: str) -> bool:
    """Whether a bracket is no part of its sentence: behind its end, or a variant of the words before it."""
    inside, earlier = bare_words(content.split()), bare_words(before.split())
    repeated = sum(has_form(word, earlier) for word in inside)
    is_variant = same_ending(content, before.strip()) if len(inside) == 1 else 2 * repeated >= max(len(inside) - 1, 3)
    return is_variant or _ENDED.search(before) is not None


def tidy(text: str) -> str:
    """A sentence with normal spacing and a full stop at its end."""
    text = squeeze(text)
    text = re.sub(r"\s+([.,;:!?…])", r"\1", text)
    text = re.sub(r"([(„«])\s+|\s+([)”»])", r"\1\2", text)
    # The same mark closes „…“ and opens “…”.
    text = re.sub(r"(„[^„“]*?)\s+“", r"\1“", text) if "„" in text else re.sub(r"“\s+", "“", text)
    text = re.sub(r",([,.;!?])", r"\1", text).rstrip(" ;,:–—")
    text = re.sub(r"([.!?…][\"”“»’'])\.$", r"\1", text)
    return text if re.search(r"[.!?…][\"”“»’')]*$", text) else text + "."
