"""What a model's words say: letters of options, the options' own words, or labels; read where only one reading is left.

Nothing is guessed. Words that could mean two answers, or that name an option in passing, are unreadable with a reason.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pairwright.core.errors import PairwrightError, one_line

LETTERS = string.ascii_uppercase
# Letters of other scripts that look like the first two, and can be no other option.
_LOOKALIKES = str.maketrans({"А": "A", "Α": "A", "Β": "B"})
_LONGEST = 20_000
# Marks around an answer, and between letters.
_MARKS = " \t\n\r*_`\"'“”„‚‘’«»()[]{}$<>"
_BETWEEN = ".:,;/&+\\"
_FILLING = f"[{re.escape(_MARKS)}]*"


class UnreadableAnswerError(PairwrightError):
    """An answer that says nothing, or that may say two things."""


class OptionWords(NamedTuple):
    """What an answer may name: the options' texts in the order shown, or `none`; whether several may be right.

    joins  words that stand between listed letters, as `and` does, in small letters
    """

    texts: tuple[str, ...]
    none: tuple[str, ...]
    several: bool
    joins: tuple[str, ...] = ()


def read_letters(names: Sequence[str], options: OptionWords) -> tuple[int, ...]:
    """The places of the options that a list names by letter, words or `none`. Raises UnreadableAnswerError."""
    if not names and options.several:
        return ()
    places: set[int] = set()
    for name in names:
        places.update(_read_one(name, options))
    return _checked(places, options)


def read_options(text: str, options: OptionWords) -> tuple[int, ...]:
    """The places of the options that an answer in words names. Raises UnreadableAnswerError.

    In turn: the whole answer, its last and its first line, what stands after a colon, in bold or in a box.
    """
    text = _plain(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise UnreadableAnswerError("the answer is empty")
    for part in (text, lines[-1], lines[0]):
        places = _named(part, options)
        if places is not None:
            return _checked(places, options)
    readings = {frozenset(places) for part in _marked(lines) if (places := _named(part, options)) is not None}
    if len(readings) != 1:
        problem = "it names more than one answer" if readings else "no option is named in it"
        raise UnreadableAnswerError(f"{problem}: {one_line(text, 80)}")
    return _checked(readings.pop(), options)


def read_label(text: str, labels: Iterable[Sequence[str]]) -> int:
    """The place of the label that an answer names. Raises UnreadableAnswerError.

    In turn: the whole answer, its last line, what it begins with and sets apart (after a colon, in bold), the only
    label in it.

    labels  in the language of the prompt, then in others; the first ones go before
    """
    text = _plain(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    words = re.findall(r"\w+", text.casefold())
    for one_language in labels:
        plain = [_bare(label) for label in one_language]
        for part in (text, *lines[-1:]):
            if _bare(part) in plain:
                return plain.index(_bare(part))
        named = {plain.index(word) for word in words if word in plain}
        apart = {plain.index(_bare(part)) for part in _marked(lines) if _bare(part) in plain}
        # `yes or no` repeats the question.
        if words and words[0] in plain and not set(words[1:3]) & set(plain) - {words[0]}:
            apart.add(plain.index(words[0]))
        if len(apart or named) == 1:
            return (apart or named).pop()
        if named:
            raise UnreadableAnswerError(f"it names both labels: {one_line(text, 80)}")
    raise UnreadableAnswerError(f"neither label is in it: {one_line(text, 80)}" if words else "the answer is empty")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:_LONGEST])


def _bare(text: str) -> str:
    """Words without case, and without marks around them."""
    return _plain(text).casefold().strip(_MARKS + ".!:")


def _read_one(name: str, options: OptionWords) -> set[int]:
    places = _named(_plain(name), options)
    if places is None:
        raise UnreadableAnswerError(f"no option is called so: {one_line(name, 80)}")
    return places


def _named(part: str, options: OptionWords) -> set[int] | None:
    """The options that a text names and says nothing else: letters, `none`, the words of one; None where it names none.

    After a letter with its mark, the option's words or an explanation may follow.
    """
    bare = _bare(part)
    if bare in {_bare(text) for text in options.none}:
        return set()
    if len(whole := [index for index, text in enumerate(options.texts) if _bare(text) == bare]) == 1:
        return set(whole)
    latin = part.translate(_LOOKALIKES)
    letters = LETTERS[: len(options.texts)]
    if listed := _listed(latin.upper(), letters, options.joins):
        return listed
    explained = re.match(rf"{_FILLING}([{letters}])[*_`\s]*(?:[.):]|\s[-–—])[*_`]*\s", latin)
    if explained and not (
        options.several and re.search(rf"(?m)(?<![\w'])[{letters}](?![\w'])", latin[explained.end() :])
    ):
        return {letters.index(explained[1])}
    return None


def _listed(latin: str, letters: str, joins: Sequence[str]) -> set[int]:
    """The places of letters that a text lists, with nothing but marks and joining words between them; else none."""
    names = [name for name in re.findall(r"[^\W_]+", latin) if name.casefold() not in joins]
    is_list = all(len(name) == 1 and name in letters for name in names)
    rest = {sign for sign in latin if not sign.isalnum() and not sign.isspace()}
    return {letters.index(name) for name in names} if is_list and rest <= set(_MARKS + _BETWEEN) else set()


def _marked(lines: Sequence[str]) -> Iterable[str]:
    """What an answer sets apart: after a colon at the end of a line, in bold, in a box."""
    for line in lines:
        yield from (bold or box for bold, box in re.findall(r"\*\*([^*]+)\*\*|\\boxed\{([^{}]+)\}", line))
        if ":" in line:
            yield line.rsplit(":", 1)[1].strip()


def _checked(places: Iterable[int], options: OptionWords) -> tuple[int, ...]:
    chosen = tuple(sorted(places))
    if options.several or len(chosen) == 1:
        return chosen
    raise UnreadableAnswerError(f"it names {len(chosen) or 'none'} of the options, and one is asked for")
