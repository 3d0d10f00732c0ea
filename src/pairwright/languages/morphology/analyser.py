"""Analyses and inflects the words of a language with all its lexicons together."""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path

from pairwright.core.errors import ConfigError
from pairwright.languages import Language, LexiconFile
from pairwright.languages.features import NO_FEATURES, Features
from pairwright.languages.letters import capitalised, lower, uncapitalised, upper
from pairwright.languages.morphology.hunspell import HunspellLexicon
from pairwright.languages.morphology.lexicon import (
    Analysis,
    Lexicon,
    TableLexicon,
    plain,
    treebank_forms,
    unimorph_forms,
)
from pairwright.languages.morphology.transducer import TransducerLexicon

_REMEMBERED = 50_000


class Analyser:
    """Analyses and inflects words with lexicons, asked in order. Texts do not print the accents in `stress`."""

    def __init__(self, lexicons: tuple[Lexicon, ...], stress: str = "") -> None:
        self._lexicons = lexicons
        self._stress = stress
        self.analyse = lru_cache(_REMEMBERED)(self._analyse)

    def _analyse(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form, as written and without the capitals that its place in a text may require.

        Empty where no lexicon has the form. A reading that two lexicons share names the first one.
        """
        analyses: dict[tuple[str, str | None, Features], Analysis] = {}
        for spelling, _ in spellings(plain(form.replace("’", "'"), self._stress)):
            for lexicon in self._lexicons:
                for analysis in lexicon.readings(spelling):
                    analyses.setdefault(analysis[:3], analysis)
        return tuple(analyses.values())


def analyser_of(language: Language) -> Analyser | None:
    """The analyser of a language; None where none of its lexicons exists. Each lexicon is loaded once in a process.

    Raises ConfigError where a UniMorph table or a transducer has no tagset, MorphologyError where a file can't be read.
    """
    lexicons = lexicons_of(language)
    return Analyser(lexicons, language.stress) if lexicons else None


def lexicons_of(language: Language) -> tuple[Lexicon, ...]:
    """Those of a language's lexicons whose files exist, in order. Raises as `analyser_of`."""
    files = [file for file in language.lexicons if file.sha256]
    return tuple(_lexicon(file.model_dump_json(), language.stress) for file in files)


@cache
def _lexicon(file: str, stress: str) -> Lexicon:
    """The lexicon of a LexiconFile in JSON, which has the hashes of the files: other content is another lexicon."""
    resource = LexiconFile.model_validate_json(file)
    path, tagset = Path(resource.path), resource.tagset
    if resource.kind == "conllu":
        return TableLexicon(treebank_forms(path, stress))
    if resource.kind == "hunspell":
        return HunspellLexicon(path, tagset.meaning if tagset else lambda morph: (None, NO_FEATURES))
    if tagset is None:
        raise ConfigError(f'{path}: a {resource.kind} file needs a tagset; write it beside its path: tagset = "NAME"')
    if resource.kind == "transducer":
        return TransducerLexicon(path, tagset)
    return TableLexicon(unimorph_forms(path, tagset, stress))


def spellings(form: str) -> Iterator[tuple[str, Callable[[str], str]]]:
    """The spellings under which a lexicon may have a form, each with what restores the form's capitals."""
    yield form, str
    if len(form) > 1 and form.isupper():
        # Where i has a capital with a dot, I is that of the i without one.
        for alphabet in ("", "ı") if {"I", "İ"} & set(form) else ("",):
            small, restored = lower(form, alphabet), partial(upper, alphabet=alphabet)
            yield from ((capitalised(small, alphabet), restored), (small, restored))
    elif form[:1].isupper():
        for small in dict.fromkeys((uncapitalised(form), uncapitalised(form, "ı"))):
            yield small, partial(_capitalised, form[0], small[0])


def _capitalised(capital: str, small: str, word: str) -> str:
    return capital + word[1:] if word[:1] == small else capitalised(word)
