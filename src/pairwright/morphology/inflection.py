"""The one form of a word with a wanted feature bundle, or the reason why there is none.

Nothing is guessed. A form comes from a lexicon of the language, from the words of a treebank, or from a paradigm that
was learned from them and is right on words held out; and only where exactly one form fits.

Lexicons and treebanks give a word different features: a treebank may have Polarity where a lexicon has none. So bundles
are compared on the names that both have: they agree where they share a name at least and no shared name differs.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple, Self

from pairwright.languages import Language
from pairwright.languages.features import Features, override, show_features
from pairwright.morphology.analyser import Analyser, lexicons_of, spellings
from pairwright.morphology.lexicon import AnalysedForm, Analysis, Lexicon
from pairwright.morphology.paradigms import Paradigms
from pairwright.morphology.table import TableLexicon, plain, tree_tokens
from pairwright.records import Tree

TREEBANK = "treebank"
LEARNED = "paradigms of the treebank"
"""The sources of forms that come from the treebank itself, and of those that rules make which were learned from it."""

_REMEMBERED = 100_000
# Parts of speech that one tradition parts and another does not.
_NEAR = ({"NOUN", "PROPN"}, {"VERB", "AUX"}, {"DET", "PRON", "NUM", "ADJ"})


class Inflected(NamedTuple):
    """A form, the bundle that was asked for, and the name of the file that the form comes from."""

    form: str
    features: Features
    source: str


class NotInflected(NamedTuple):
    """Why there is no form, such as "2 forms: namui, namams"."""

    reason: str


class Inflector:
    """Inflects with lexicons in their order, then with a treebank's words, then with paradigms learned from these."""

    def __init__(self, lexicons: tuple[Lexicon, ...], words: Iterable[AnalysedForm] = (), stress: str = "") -> None:
        words = tuple(dict.fromkeys(words))
        self._treebank = TableLexicon(words)
        self._lexicons = (*lexicons, self._treebank)
        self._paradigms = Paradigms(words)
        self._stress = stress
        self._analyser = Analyser(self._lexicons, stress)
        self._changed = lru_cache(_REMEMBERED)(self._change)
        self._inflected = lru_cache(_REMEMBERED)(self._inflect)

    @classmethod
    def of(cls, language: Language, trees: Iterable[Tree] = ()) -> Self:
        """The inflector of a language and of a treebank. Raises as `analyser_of`."""
        return cls(lexicons_of(language), tree_tokens(trees, TREEBANK, language.stress), language.stress)

    def change(
        self, form: str, lemma: str, upos: str, features: Features, wanted: Features
    ) -> Inflected | NotInflected:
        """The form of the same word with the wanted features and otherwise those of `form`; it keeps the capitals.

        It differs from `form` in writing. `lemma`, `upos` and `features` are those of a treebank.
        """
        return self._changed(form, lemma, upos, features, wanted)

    def inflect(self, lemma: str, upos: str, features: Features) -> Inflected | NotInflected:
        """The form of a lemma with these features."""
        return self._inflected(lemma, upos, features)

    def analyses(self, form: str) -> tuple[Analysis, ...]:
        """All readings of a form."""
        return self._analyser.analyse(form)

    def reads_as(self, form: str, upos: str, features: Features) -> bool:
        """Whether a form, of any lemma with this part of speech, is read with these features: so it is no bad form."""
        return any(
            analysis.upos in (None, *_near(upos)) and _agree(analysis.features, features)
            for analysis in self.analyses(form)
        )

    def _change(
        self, form: str, lemma: str, upos: str, features: Features, wanted: Features
    ) -> Inflected | NotInflected:
        goal = override(features, wanted)
        reason = f"no lexicon has '{form}' as a form of '{lemma}' with {show_features(features)}"
        for lexicon in self._lexicons:
            other: Analysis | None = None
            for spelling, capitalise in spellings(plain(form, self._stress)):
                readings = [it for it in lexicon.readings(spelling) if it.upos in (None, *_near(upos))]
                models = _models(lexicon, readings, spelling, lemma, upos, features)
                cells = [cell for model in models for cell in self._cells_like(lexicon, model, features, wanted)]
                if cells:
                    return self._only([(capitalise(cell.form), cell) for cell in cells], form, goal)
                if models:
                    reason, other = f"no form of '{lemma}' with {show_features(wanted)}", None
                    break
                other = other or next(iter(readings), None)
            if other and lexicon is not self._treebank:
                reading = f"'{other.lemma}', {show_features(other.features)}"
                return NotInflected(f"{other.source} reads '{form}' otherwise: {reading}")
        return self._changed_by_rule(form, lemma, upos, features, wanted) or NotInflected(reason)

    def _inflect(self, lemma: str, upos: str, features: Features) -> Inflected | NotInflected:
        for lexicon in self._lexicons:
            cells = _of_speech(lexicon.paradigm(lemma), upos)
            fitting = self._fitting(lexicon, cells, features, features)
            if fitting:
                return self._only([(cell.form, cell) for cell in fitting], None, features)
        if form := self._paradigms.inflect(lemma, upos, features):
            return Inflected(form, features, LEARNED)
        return NotInflected(f"no lexicon has a form of '{lemma}' with {show_features(features)}")

    def _changed_by_rule(
        self, form: str, lemma: str, upos: str, features: Features, wanted: Features
    ) -> Inflected | NotInflected | None:
        for spelling, capitalise in spellings(plain(form, self._stress)):
            if spelling[:1].isupper() == lemma[:1].isupper():
                changed = self._paradigms.change(spelling, lemma, upos, features, wanted)
                if changed == spelling:
                    return NotInflected("same in writing")
                if changed:
                    return Inflected(capitalise(changed), override(features, wanted), LEARNED)
        return None

    def _cells_like(
        self, lexicon: Lexicon, model: Analysis, features: Features, wanted: Features
    ) -> list[AnalysedForm]:
        cells = [cell for cell in lexicon.paradigm(model.lemma) if cell.analysis.upos == model.upos]
        return self._fitting(lexicon, cells, override(override(features, model.features), wanted), wanted)

    def _fitting(
        self, lexicon: Lexicon, cells: list[AnalysedForm], goal: Features, wanted: Features
    ) -> list[AnalysedForm]:
        """The cells that fit a bundle best: with most of its features, then with the fewest others.

        The bundles of a treebank's own words have to be equal to it: it uses the same names for all.
        """
        if lexicon is self._treebank:
            return [cell for cell in cells if cell.analysis.features == goal]
        fitting = [
            cell
            for cell in cells
            if _agree(cell.analysis.features, goal) and not wanted.isdisjoint(cell.analysis.features)
        ]
        best = min((_distance(cell, goal) for cell in fitting), default=None)
        return [cell for cell in fitting if _distance(cell, goal) == best]

    def _only(
        self, forms: list[tuple[str, AnalysedForm]], given: str | None, goal: Features
    ) -> Inflected | NotInflected:
        """The one form; of several, the one that the treebank has."""
        cells = {form: cell for form, cell in reversed(forms)}
        if len(cells) > 1:
            attested = {form: cell for form, cell in cells.items() if self._is_attested(cell)}
            if len(attested) != 1:
                return NotInflected(f"{len(cells)} forms: {', '.join(sorted(cells))}")
            cells = attested
        ((form, cell),) = cells.items()
        if form == given:
            return NotInflected("same in writing")
        return Inflected(form, goal, cell.analysis.source)

    def _is_attested(self, cell: AnalysedForm) -> bool:
        return any(_agree(reading.features, cell.analysis.features) for reading in self._treebank.readings(cell.form))


def _models(
    lexicon: Lexicon, readings: list[Analysis], form: str, lemma: str, upos: str, features: Features
) -> list[Analysis]:
    """Those of a form's readings that a treebank's lemma and features allow; none where they are of several lemmas."""
    readings = [reading for reading in readings if _agree(reading.features, features)]
    same = [reading for reading in readings if reading.lemma == lemma]
    if not same:
        same = [reading for reading in readings if _names_the_same(lexicon, reading, form, lemma)]
    same = [reading for reading in same if reading.upos == upos] or same
    return same if len({reading.lemma for reading in same}) == 1 else []


def _names_the_same(lexicon: Lexicon, reading: Analysis, form: str, lemma: str) -> bool:
    """Whether a treebank and a lexicon have two names for the word of a form.

    The treebank names it by another form of it, such as the plural; or the lexicon counts a prefix into the lemma.
    """
    prefix = reading.lemma.removesuffix(lemma)
    if prefix != reading.lemma:
        return form.startswith(prefix)
    return any(
        other.lemma == reading.lemma and other.upos == reading.upos
        for spelling, _ in spellings(lemma)
        for other in lexicon.readings(spelling)
    )


def is_near(upos: str, other: str) -> bool:
    """Whether two parts of speech are one to some lexicons, as NOUN and PROPN are."""
    return other in _near(upos)


def _near(upos: str) -> set[str]:
    return next((group for group in _NEAR if upos in group), {upos})


def _of_speech(cells: Iterable[AnalysedForm], upos: str) -> list[AnalysedForm]:
    """The cells of a part of speech; where there are none, of those near to it."""
    near = [cell for cell in cells if cell.analysis.upos in (None, *_near(upos))]
    return [cell for cell in near if cell.analysis.upos == upos] or near


def _agree(one: Features, other: Features) -> bool:
    """Whether two bundles share a name and no shared name differs; of `Int,Rel` one value is enough."""
    others = dict(other)
    shared = [(value, others[name]) for name, value in one if name in others]
    return bool(shared) and all(
        mine == theirs or not set(mine.split(",")).isdisjoint(theirs.split(",")) for mine, theirs in shared
    )


def _distance(cell: AnalysedForm, goal: Features) -> tuple[int, int]:
    shared = len(cell.analysis.features & goal)
    return -shared, len(cell.analysis.features) - shared
