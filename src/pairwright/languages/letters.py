"""Capital and small letters by a language's own rules, and the scripts of letters.

An alphabet with `ı` (Turkish, Azeri) has the pairs i/İ and ı/I. Lithuanian keeps the dot of a small i and j below an
accent as a character of its own (U+0307), which no capital has.
"""

import unicodedata
from functools import lru_cache


def without_dots(word: str) -> str:
    """A word without a combining dot on i and j, which Lithuanian prints below accents."""
    return word.replace("i\u0307", "i").replace("j\u0307", "j")


def lower(text: str, alphabet: str = "") -> str:
    """A text in small letters. `alphabet` is the language's small letters, as `Language.letters`."""
    if "ı" in alphabet:
        text = text.replace("I", "ı").replace("İ", "i")
    return without_dots(text.lower())


def upper(text: str, alphabet: str = "") -> str:
    """A text in capitals."""
    text = without_dots(text)
    return (text.replace("i", "İ") if "ı" in alphabet else text).upper()


def capitalised(text: str, alphabet: str = "") -> str:
    """A text with a capital first letter."""
    text = without_dots(text[:2]) + text[2:]
    return ("İ" if text[:1] == "i" and "ı" in alphabet else text[:1].title()) + text[1:]


def uncapitalised(text: str, alphabet: str = "", lemma: str = "") -> str:
    """A text with a small first letter: that of its `lemma` where this begins alike, as which i is small for I."""
    if lemma and text[:1] in (upper(lemma[0]), upper(lemma[0], "ı")):
        return lemma[0] + text[1:]
    return lower(text[:1], alphabet) + text[1:]


@lru_cache(4096)
def script(char: str) -> str:
    """The script of a letter by its name in Unicode, such as LATIN, GREEK or CJK; empty for what is no letter."""
    name = unicodedata.name(char, "").removeprefix("HALFWIDTH ").removeprefix("FULLWIDTH ")
    return name.partition(" ")[0] if unicodedata.category(char) in ("Lu", "Ll", "Lt", "Lo") else ""
