"""Starred words and bracketed phrases of the prose, with what the same passage gives in their place."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from rapidfuzz import fuzz

from pairwright.languages.linguistics.likeness import sentence_similarity
from pairwright.languages.linguistics.marks import STARS
from pairwright.languages.linguistics.morphemes import join_morphemes
from pairwright.languages.linguistics.sentences import sentence_ends
from pairwright.records import Block
from pairwright.rules.starred.conventions import ProseWords
from pairwright.text import words

# How far before a starred word its counterpart may stand, in characters.
_REACH = 300
# The least similarity (0-100) of the two words, whose first letter is the same.
_LEAST_SIMILARITY = 50
# The least similarity (0-1) of a phrase to the one in the bracket behind it.
_LEAST_PHRASE = 0.75
_BRACKET = re.compile(r"(?P<phrase>[^\s()*,;:‘“„«]+\s[^()*,;:‘“„«]+)\)")
_TOKEN = re.compile(r"\S+")
_OUTER = "[](){}/⟨⟩.,;:!?‘’‚“”„«»‹›\"'"
_GIVEN_AFTER = re.compile(r"^\s?(?:[\]/⟩]|[‘‚“„«‹\"'(])|^\s?\]")
_TRANSLATION = re.compile(r"[‘“„][^‘’“”„]*[’”]|[‚„][^‚„‘“]*[‘“]|[«‹][^«»‹›]*[»›]")


class Counterpart(NamedTuple):
    """The accepted word beside a starred one, and the starred word itself, both as printed."""

    good: str
    bad: str


def counterpart(block: Block, start: int, prose: ProseWords) -> Counterpart | None:
    """The word that a passage accepts where it refuses the one behind a star at `start`; None where it gives none.

    The passage must contrast the two: in words such as `not` or `instead of`, or by brackets, `kenot (*kenor)`. The
    word must be mentioned: in brackets, slashes or italics, before its translation, or right before the star's bracket.
    """
    bad = _bare(block.text[start:].split(maxsplit=1)[0])
    letters = join_morphemes(bad)
    bracketed = block.text[:start].rstrip(STARS).endswith("(")
    before = max(0, start - _REACH)
    ends = list(sentence_ends(block.text, prose.abbreviations))
    first = max((end for end in ends if end <= start), default=0)
    last = min((end for end in ends if end > start), default=len(block.text))
    a_word = letters[:1].isalpha() and bad[-1:] not in "-=" and block.text.startswith(bad, start)
    if not a_word or not (bracketed or prose.contrasts.search(block.text, first, last)):
        return None
    nearest: tuple[bool, int, str] | None = None
    for place, word in _mentioned(block, before, last, start, first, prose):
        other = join_morphemes(word)
        if other == letters:
            return None
        alike = other[:1] == letters[:1] and fuzz.ratio(letters, other) >= _LEAST_SIMILARITY
        # A word of the same sentence comes before a nearer one of the sentence before.
        option = place < first, abs(place - start), word
        if alike and (nearest is None or option < nearest):
            nearest = option
    return Counterpart(nearest[2], bad) if nearest else None


def bracketed_phrase(block: Block, start: int) -> str | None:
    """The several words behind a star at `start` that fill its bracket: `gero draugo (*gerą draugą)`; else None."""
    before, bracket = block.text[:start].rstrip(STARS), _BRACKET.match(block.text, start)
    return bracket["phrase"].strip() if bracket and before.endswith("(") else None


def phrase_counterpart(block: Block, start: int, phrase: str) -> Counterpart | None:
    """The words right before the bracket of a starred phrase, or before their translation, that are most like it."""
    before = block.text[:start].rstrip(STARS)[:-1].rstrip()
    translation = next((match for match in _TRANSLATION.finditer(before) if match.end() == len(before)), None)
    tokens = (before[: translation.start()] if translation else before).split()
    length = len(phrase.split())
    options = [" ".join(tokens[-count:]) for count in (length, length - 1, length + 1) if count <= len(tokens)]
    scored = [(sentence_similarity(phrase, option), option) for option in options]
    similarity, good = max(scored, key=lambda item: item[0], default=(0.0, ""))
    return Counterpart(good, phrase) if similarity >= _LEAST_PHRASE else None


def _mentioned(block: Block, start: int, end: int, star: int, own: int, prose: ProseWords) -> Iterator[tuple[int, str]]:
    """The words of a stretch that the text mentions, with the places of their first letters.

    Before the star's `own` sentence, bold or italics alone do not: a book sets all that it cites so."""
    text = block.text
    introduced = {match.end() for match in prose.accepted_before.finditer(text)}
    translations = [match.span() for match in _TRANSLATION.finditer(text, start, end)]
    for match in _TOKEN.finditer(text, start, end):
        word = _bare(match[0])
        place = match.start() + match[0].find(word)
        after = place + len(word)
        starred = "*" in match[0] or match.start() <= star < match.end()
        contrasts = prose.contrasts.fullmatch(word)
        if starred or contrasts or not words(word) or word[0] in "-=" or any(a <= place < b for a, b in translations):
            continue
        emphasised = place >= own and any(a <= place < b for a, b in block.emphasis)
        before = text[:place]
        introducing = len(before.rstrip()) in introduced or before.endswith(("[", "/", "⟨"))
        given = introducing or _GIVEN_AFTER.match(text[after:])
        if emphasised or given:
            yield place, word


def _bare(token: str) -> str:
    return token.strip(_OUTER)
