"""Texts in cells: how programs spell what people write, and which answer a word, letter or number means."""

import re
import unicodedata

from pairwright.core.errors import nearest, one_line
from pairwright.core.records import DecisionWord
from pairwright.core.text import squeeze
from pairwright.languages import Language
from pairwright.languages.locale import decision_words, load_words

DECISIONS: tuple[DecisionWord, ...] = ("approve", "fix", "reject", "unsure")
_EDGES = " .!,;:'\"()…"
_NUMBER = re.compile(r"0*(\d{1,2})(?:[.,]0+)?")
_LETTERS = str.maketrans("АВ12", "ABAB")  # the first two are Cyrillic
# Signs that programs put in place of a typewriter's.
_SIGNS = {'"': "„“”‟«»″‶＂", "'": "‘’‚‛‹›ʼʻ´`′", "-": "–—‐‑‒―−", "...": "…"}
_TYPED = str.maketrans({sign: typed for typed, signs in _SIGNS.items() for sign in signs})
# Invisible characters that programs insert: soft hyphens, zero-width spaces, joiners, direction and byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


class Doubt(Exception):
    """Why a row is not taken over, and what to do. `field` is the column that it is about, if it is about one."""

    def __init__(self, field: str | None, message: str) -> None:
        super().__init__(message)
        self.field = field


def squeeze_cell(text: str) -> str:
    """A cell's text in NFC and one line, without doubled or outer white space and invisible characters."""
    return squeeze(_INVISIBLE.sub("", text) if not text.isascii() else text)


def excerpt(text: str) -> str:
    """A cell's text for a message: one short line without control characters."""
    return one_line(squeeze_cell(text), 50)


def cell_matches(cell: str, text: str) -> bool:
    """Whether a cell still shows a text, apart from white space, Unicode form and typography."""
    return cell == text or _plain(cell) == _plain(text)


def letters_lost(cell: str, text: str) -> bool:
    """Whether a cell is the text saved in an encoding that lacks its letters, with `?` or the bare letter instead."""
    shown, whole = _plain(cell), _plain(text)
    return len(shown) == len(whole) and all(
        char in (letter, "?", _bare(letter)) for char, letter in zip(shown, whole, strict=True)
    )


def as_typed(text: str, original: str) -> str:
    """A correction without the typography that a program added while it was typed.

    For each class of signs (double quotes, single quotes, dashes, dots): if the original has only the typewriter sign,
    so does the result. Otherwise the two sentences of the corrected pair would differ in typography by accident.
    """
    fixed = squeeze_cell(text)
    for typed, signs in _SIGNS.items():
        if typed in original and not any(sign in original for sign in signs):
            fixed = fixed.translate({ord(sign): typed for sign in signs})
    return fixed


def _plain(text: str) -> str:
    """A text with typewriter quotation marks, dashes and dots."""
    return squeeze_cell(text).translate(_TYPED)


def _bare(text: str) -> str:
    """A text without the diacritics of its letters."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


class DecisionVocabulary:
    """A language's words for decisions. English words are understood too, unless they mean something else there."""

    def __init__(self, language: Language) -> None:
        english, own = (decision_words(words) for words in (load_words("review"), language.words("review")))
        self.best: dict[DecisionWord, str] = {decision: own[decision][0] for decision in DECISIONS}
        # English letters alone would make other abbreviations ambiguous.
        whole = {word: decision for decision in DECISIONS for word in english[decision] if len(word) > 1}
        self.meaning: dict[str, DecisionWord] = {word: word for word in DECISIONS} | whole
        self.meaning |= {_word_key(word): decision for decision in DECISIONS for word in own[decision]}

    def read(self, cell: str) -> DecisionWord | None:
        """The decision that a cell names; None for an empty one. Words may be cut short and lack their diacritics.

        Raises Doubt if the word is unknown, or the beginning of words that differ in meaning.
        """
        word, shown = _word_key(cell), excerpt(cell)
        if not word or word in self.meaning:
            return self.meaning.get(word)
        meant = {key: decision for key, decision in self.meaning.items() if _bare(key).startswith(_bare(word))}
        if len(set(meant.values())) > 1:
            raise Doubt("decision", f"decision '{shown}' may mean {' or '.join(meant)}; write more of the word")
        if not meant:
            choices = ", ".join(self.best.values())
            near = nearest(word[:50], self.meaning)
            raise Doubt("decision", f"unknown decision '{shown}'; write one of: {choices}{near}")
        return next(iter(meant.values()))


def read_choice(cell: str) -> int | None:
    """The index, 0 or 1, of the sentence that a cell names by A or B, 1 or 2; None if it names none."""
    word = str(read_number(cell) or _plain(cell)).strip(_EDGES).upper().translate(_LETTERS)
    return {"A": 0, "B": 1}.get(word)


def read_rating(cell: str) -> int | None:
    """The rating in a cell, 1 to 7, even as `5,0`; None if there is none."""
    number = read_number(cell)
    return number if number in range(1, 8) else None


def read_number(cell: str) -> int | None:
    """The number of one or two digits that stands alone in a cell, even as `5,0` or `5)`."""
    match = _NUMBER.fullmatch(_plain(cell).strip(_EDGES))
    return int(match[1]) if match else None


def _word_key(cell: str) -> str:
    word = _plain(cell).casefold()
    return word.strip(_EDGES) or word
