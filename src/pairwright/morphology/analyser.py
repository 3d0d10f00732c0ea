"""Words of a language analysed and inflected, from all its lexicons together."""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path

from pairwright.errors import ConfigError
from pairwright.languages import Language, LexiconFile
from pairwright.languages.features import NO_FEATURES, Features, override
from pairwright.languages.spelling import dictionary_path
from pairwright.morphology.hunspell import HunspellLexicon
from pairwright.morphology.lexicon import Analysis, Cell, Lexicon
from pairwright.morphology.table import TableLexicon, plain, treebank_cells, unimorph_cells

_REMEMBERED = 50_000
_Case = Callable[[str], str]


class Analyser:
    """Analyses and inflects the words of a language.

    lexicons  asked in this order; `stress` are the combining accents that running text does not print
    """

    def __init__(self, lexicons: tuple[Lexicon, ...], stress: str = "") -> None:
        self._lexicons = lexicons
        self._stress = stress
        self._remembered = lru_cache(_REMEMBERED)(self._look_up)

    def analyse(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form, as it is written and without the capitals that its place in a text may give it.

        Empty where no lexicon has the form. Where two sources say the same, the first one is named.
        """
        return self._remembered(form)

    def inflect(self, lemma: str, features: Features, like: str | None = None) -> tuple[str, ...]:
        """The forms of a lemma that have all the given features; the plainest first, variants and rare ones after.

        With `like`, a form of the same lemma: the forms of its very word that have the given features and for the rest
        those of `like`, capitals included. So `inflect("kalnas", {Case=Gen}, like="kalnams")` is `("kalnų",)`.
        Empty where there is no such form.
        """
        if like is not None:
            return tuple(dict.fromkeys(self._forms_like(lemma, features, like)))
        cells = [cell for lexicon in self._lexicons for cell in lexicon.paradigm(lemma)]
        fitting = sorted((cell for cell in cells if features <= cell.analysis.features), key=_marks)
        return tuple(dict.fromkeys(cell.form for cell in fitting))

    def lemmas(self, form: str) -> frozenset[str]:
        """The lemmas that a form may belong to, in small letters, to compare vocabularies.

        A hyphenated word that no lexicon has gives the lemmas of its parts; any other such word is its own lemma.
        """
        found = frozenset(analysis.lemma.casefold() for analysis in self.analyse(form))
        parts = [part for part in form.split("-") if part]
        if found or len(parts) < 2:
            return found or frozenset({plain(form, self._stress).casefold()})
        return frozenset().union(*map(self.lemmas, parts))

    def _look_up(self, form: str) -> tuple[Analysis, ...]:
        known: dict[tuple[str, str | None, Features], Analysis] = {}
        for spelling, _ in _spellings(plain(form.replace("’", "'"), self._stress)):
            for lexicon in self._lexicons:
                for analysis in lexicon.readings(spelling):
                    known.setdefault(analysis[:3], analysis)
        return tuple(known.values())

    def _forms_like(self, lemma: str, features: Features, like: str) -> Iterator[str]:
        for spelling, case in _spellings(plain(like, self._stress)):
            for lexicon in self._lexicons:
                models = [reading for reading in lexicon.readings(spelling) if reading.lemma == lemma]
                cells = lexicon.paradigm(lemma) if models else ()
                for model in models:
                    wanted = override(model.features, features)
                    for cell in cells:
                        if cell.analysis.upos == model.upos and cell.analysis.features == wanted:
                            yield case(cell.form)


def analyser_of(language: Language) -> Analyser | None:
    """The analyser of a language, loaded once in a process; None where none of its lexicons is there.

    Raises ConfigError where a UniMorph table has no tagset, MorphologyError where a lexicon can't be read.
    """
    there = tuple(lexicon for lexicon in language.lexicons if lexicon.sha256)
    if not there:
        return None
    return Analyser(tuple(_lexicon(file.model_dump_json(), language.stress) for file in there), language.stress)


def lemmatiser_of(language: Language) -> Analyser:
    """An analyser that always has `lemmas`: the language's own, else its spelling dictionary, else none but the words.

    A spelling dictionary gives the stems from which it makes a form, which are mostly lemmas, and no features.
    """
    own = analyser_of(language)
    if own is not None:
        return own
    spelling = dictionary_path(language)
    return Analyser((_stems(spelling),) if spelling else (), language.stress)


@cache
def _lexicon(file: str, stress: str) -> Lexicon:
    """The lexicon of a file as found, which is named with its hashes: another content is another lexicon."""
    found = LexiconFile.model_validate_json(file)
    path = Path(found.path)
    if found.kind == "conllu":
        return TableLexicon(treebank_cells(path, stress))
    if found.kind == "hunspell":
        return HunspellLexicon(path, found.tagset.meaning) if found.tagset else _stems(path)
    if found.tagset is None:
        raise ConfigError(f'{path}: a UniMorph table needs a tagset; write tagset = "unimorph" beside its path')
    return TableLexicon(unimorph_cells(path, found.tagset, stress))


@cache
def _stems(path: Path) -> Lexicon:
    return HunspellLexicon(path, lambda morph: (None, NO_FEATURES))


def _spellings(form: str) -> Iterator[tuple[str, _Case]]:
    """The spellings under which a form may stand in a lexicon, and what gives such a word the form's capitals."""
    yield form, str
    if len(form) > 1 and form.isupper():
        yield form.capitalize(), str.upper
        yield form.lower(), str.upper
    elif form[:1].isupper():
        yield form[0].lower() + form[1:], lambda word: word[:1].upper() + word[1:]


def _marks(cell: Cell) -> int:
    return len(cell.analysis.features)
