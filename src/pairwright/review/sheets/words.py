"""What reviewers write as an answer: words of their language, abbreviations, numbers that a program took for dates."""

import re

from rapidfuzz import fuzz, process

from pairwright.core.records import DecisionWord
from pairwright.languages import Language
from pairwright.languages.locale import decision_words, load_words
from pairwright.review.sheets.columns import excerpt
from pairwright.review.sheets.spreadsheet import plain, without_marks

DECISIONS: tuple[DecisionWord, ...] = ("approve", "fix", "reject", "unsure")
_EDGES = " .!,;:'\"()…"
_NUMBER = re.compile(r"([0-9]{1,2})(?:[.,]0+)?")
# Day 1 of a spreadsheet's calendar is 1 January 1900, so a rating that became a date is one of the first seven days.
_DATE = re.compile(r"1900-0?1-(\d\d?)|(\d\d?)[./]0?1[./]1900")
_CYRILLIC = str.maketrans("АВ", "AB")


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
        word = _word_key(cell)
        near = {self.meaning[word]} if word in self.meaning else set(self._abbreviated(word).values())
        return near.pop() if len(near) == 1 else None

    def doubt(self, cell: str) -> str:
        """What is wrong with a cell that names no decision, and what to write."""
        word, choices = excerpt(cell), ", ".join(self.best.values())
        if meant := self._abbreviated(_word_key(cell)):
            return f"decision '{word}' may mean {' or '.join(meant)}; write more of the word"
        near = process.extractOne(_word_key(cell), list(self.meaning), scorer=fuzz.ratio, score_cutoff=55)
        suggestion = f"did you mean '{near[0]}'? " if near else ""
        return f"unknown decision '{word}'; {suggestion}write one of: {choices}"

    def _abbreviated(self, word: str) -> dict[str, DecisionWord]:
        """The decisions, by their words, of which a word is the beginning, or shows `?` in place of letters."""
        bare = without_marks(word)
        near = {key: it for key, it in self.meaning.items() if bare and without_marks(key).startswith(bare)}
        if not near and "?" in word and len(word) > 3:
            pattern = re.compile(".".join(map(re.escape, word.split("?"))))
            near = {key: it for key, it in self.meaning.items() if pattern.fullmatch(key)}
        return near


def read_choice(cell: str) -> int | None:
    """The index, 0 or 1, of the sentence that a cell names by A or B, 1 or 2; None if it names none."""
    word = plain(cell).strip(_EDGES).upper().translate(_CYRILLIC)
    return {"A": 0, "1": 0, "B": 1, "2": 1}.get(whole_number(word))


def read_rating(cell: str) -> int | None:
    """The rating in a cell, 1 to 7, even as `5,0` or as the date that a program made of it; None if there is none."""
    text = plain(cell).strip(_EDGES)
    number, date = whole_number(text), _DATE.match(text)
    rating = int(number) if number.isdecimal() else int(date[1] or date[2]) if date else 0
    return rating if 1 <= rating <= 7 else None


def whole_number(text: str) -> str:
    """A number of one or two digits without its fraction of zeros; any other text as it is."""
    match = _NUMBER.fullmatch(text)
    return str(int(match[1])) if match else text


def _word_key(cell: str) -> str:
    word = plain(cell).casefold()
    return word.strip(_EDGES) or word
