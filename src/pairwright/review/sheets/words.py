"""Texts in cells: how programs spell what people write, and which answer a word, letter or number means."""

import re
import unicodedata

from rapidfuzz import fuzz, process

from pairwright.core.errors import one_line
from pairwright.core.records import DecisionWord
from pairwright.core.text import squeeze
from pairwright.languages import Language
from pairwright.languages.locale import decision_words, load_words

DECISIONS: tuple[DecisionWord, ...] = ("approve", "fix", "reject", "unsure")
_EDGES = " .!,;:'\"()…"
_NUMBER = re.compile(r"([0-9]{1,2})(?:[.,]0+)?")
_CYRILLIC = str.maketrans("АВ", "AB")
# Signs that programs put in place of a typewriter's.
_SIGNS = {'"': "„“”‟«»″‶＂", "'": "‘’‚‛‹›ʼʻ´`′", "-": "–—‐‑‒―−", "...": "…"}
_TYPED = str.maketrans({sign: typed for typed, signs in _SIGNS.items() for sign in signs})
# Invisible characters that programs insert: soft hyphens, zero-width spaces, joiners, direction and byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")


def squeeze_cell(text: str) -> str:
    """A cell's text in NFC and one line, without doubled or outer white space and invisible characters."""
    return squeeze(_INVISIBLE.sub("", text) if not text.isascii() else text)


def excerpt(text: str) -> str:
    """A cell's text for a message: one short line without control characters."""
    return one_line(squeeze_cell(text), 50)


def plain(text: str) -> str:
    """A text with typewriter quotation marks, dashes and dots."""
    return squeeze_cell(text).translate(_TYPED)


def cell_matches(cell: str, text: str) -> bool:
    """Whether a cell still shows a text, apart from white space, Unicode form and typography."""
    return cell == text or plain(cell) == plain(text)


def letters_lost(cell: str, text: str) -> bool:
    """Whether a cell is the text saved in an encoding that lacks its letters, with `?` or the bare letter instead."""
    shown, whole = plain(cell), plain(text)
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
        """The decision that a cell names; None if the word is unknown or ambiguous.

        A word may be abbreviated, lack its diacritics, or show `?` in place of letters.
        """
        near = set(self._meant(_word_key(cell)).values())
        return near.pop() if len(near) == 1 else None

    def doubt(self, cell: str) -> str:
        """What is wrong with a cell that names no decision, and what to write."""
        word, choices = excerpt(cell), ", ".join(self.best.values())
        if meant := self._meant(_word_key(cell)):
            return f"decision '{word}' may mean {' or '.join(meant)}; write more of the word"
        near = process.extractOne(_word_key(cell), list(self.meaning), scorer=fuzz.ratio, score_cutoff=55)
        suggestion = f"did you mean '{near[0]}'? " if near else ""
        return f"unknown decision '{word}'; {suggestion}write one of: {choices}"

    def _meant(self, word: str) -> dict[str, DecisionWord]:
        """The decisions, by their words, that are written so, begin so, or show `?` in place of letters."""
        if word in self.meaning:
            return {word: self.meaning[word]}
        bare, shows_lost = re.escape(_bare(word)).replace(r"\?", "."), "?" in word
        if not word or (shows_lost and len(word) < 4):
            return {}
        matches = re.fullmatch if shows_lost else re.match
        return {key: decision for key, decision in self.meaning.items() if matches(bare, _bare(key))}


def read_choice(cell: str) -> int | None:
    """The index, 0 or 1, of the sentence that a cell names by A or B, 1 or 2; None if it names none."""
    word = plain(cell).strip(_EDGES).upper().translate(_CYRILLIC)
    return {"A": 0, "1": 0, "B": 1, "2": 1}.get(_whole_number(word))


def read_rating(cell: str) -> int | None:
    """The rating in a cell, 1 to 7, even as `5,0`; None if there is none."""
    number = _whole_number(plain(cell).strip(_EDGES))
    return int(number) if len(number) == 1 and number.isdecimal() and 1 <= int(number) <= 7 else None


def read_number(cell: str) -> int | None:
    """The number of one or two digits that stands alone in a cell."""
    number = _whole_number(squeeze_cell(cell).strip(" .)"))
    return int(number) if _NUMBER.fullmatch(number) else None


def _whole_number(text: str) -> str:
    """A number of one or two digits without its fraction of zeros; any other text as it is."""
    match = _NUMBER.fullmatch(text)
    return str(int(match[1])) if match else text


def _word_key(cell: str) -> str:
    word = plain(cell).casefold()
    return word.strip(_EDGES) or word
