"""The one form of a word with a wanted feature bundle, or the reason why there is none.

Nothing is guessed. A form comes from a lexicon of the language, from the words of a treebank, or from a paradigm that
was learned from them and is right on words held out; and only where exactly one form fits.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple, Self

from pairwright.core.records import Tree
from pairwright.languages import Language
from pairwright.languages.features import Features, override, show_features
from pairwright.languages.morphology.analyser import Analyser, lexicons_of, spellings
from pairwright.languages.morphology.lexicon import AnalysedForm, Analysis, Lexicon, TableLexicon, plain, tree_tokens
from pairwright.languages.morphology.paradigms import Paradigms

_REMEMBERED = 100_000
# Parts of speech that one tradition parts and another does not.
_NEAR = ({"NOUN", "PROPN"}, {"VERB", "AUX"}, {"DET", "PRON", "NUM", "ADJ"})


def is_near(upos: str, other: str | None) -> bool:
    """Whether two parts of speech are one to some lexicons, as NOUN and PROPN are; None is any."""
    return other in (None, upos) or any(upos in group and other in group for group in _NEAR)


def agree(one: Features, other: Features) -> bool:
    """Whether two bundles share a name and no shared name differs; of `Int,Rel` one value is enough."""
    others = dict(other)
    shared = [(value, others[name]) for name, value in one if name in others]
    return bool(shared) and all(
        mine == theirs or not set(mine.split(",")).isdisjoint(theirs.split(",")) for mine, theirs in shared
    )


def has_names(bundles: frozenset[Features], wanted: Features) -> bool:
    """Whether a paradigm has all features that are wanted, with whatever values; nouns have no Person."""
    names = _names(bundles)
    return all(name in names for name, _ in wanted)


@lru_cache(_REMEMBERED)
def _names(bundles: frozenset[Features]) -> frozenset[str]:
    return frozenset(name for bundle in bundles for name, _ in bundle)


@lru_cache(_REMEMBERED)
def fitting(bundles: frozenset[Features], goal: Features, wanted: Features) -> tuple[Features, ...]:
    """The bundles of a paradigm that agree with `goal` and have something wanted: those that fit best.

    They share most of `goal`, then have the fewest features besides; an equal one fits best of all.
    """
    if goal in bundles:
        return (goal,)
    agreeing = [bundle for bundle in bundles if not wanted.isdisjoint(bundle) and agree(bundle, goal)]
    best = min((_distance(bundle, goal) for bundle in agreeing), default=None)
    return tuple(bundle for bundle in agreeing if _distance(bundle, goal) == best)


def _distance(bundle: Features, goal: Features) -> tuple[int, int]:
    shared = len(bundle & goal)
    return -shared, len(bundle) - shared


TREEBANK = "treebank"
LEARNED = "paradigms of the treebank"
"""The sources of forms that come from the treebank itself, and of those that rules make which were learned from it."""

_PARADIGMS = 2048


class Inflected(NamedTuple):
    """A form, the bundle that was asked for, and the name of the file that the form comes from."""

    form: str
    features: Features
    source: str


class NotInflected(NamedTuple):
    """Why there is no form, such as "2 forms: namui, namams"."""

    reason: str


class Cell(NamedTuple):
    """A form with the features that its lexicon gives it."""

    form: str
    features: Features


class Inflector:
    """Inflects with lexicons in their order, then with a treebank's words, then with paradigms learned from these."""

    def __init__(self, lexicons: tuple[Lexicon, ...], words: Iterable[AnalysedForm] = (), stress: str = "") -> None:
        words = tuple(dict.fromkeys(words))
        self._paradigms = Paradigms(words)
        self._treebank = TableLexicon(words)
        self._sources = (*(_Source(lexicon) for lexicon in lexicons), _Source(self._treebank, self._paradigms))
        self._analyser = Analyser((*lexicons, self._treebank), stress)
        self._stress = stress
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
            is_near(upos, analysis.upos) and agree(analysis.features, features) for analysis in self.analyses(form)
        )

    def _change(
        self, form: str, lemma: str, upos: str, features: Features, wanted: Features
    ) -> Inflected | NotInflected:
        reason = f"no lexicon has '{form}' as a form of '{lemma}' with {show_features(features)}"
        for source in self._sources:
            other: Analysis | None = None
            for spelling, capitalise in spellings(plain(form, self._stress)):
                readings = source.readings(spelling, upos)
                models = source.models(readings, spelling, Cell(lemma, features), upos)
                cells = [cell for model in models for cell in source.cells_like(model, features, wanted)]
                if cells:
                    changed = [cell._replace(form=capitalise(cell.form)) for cell in cells]
                    return self._only(changed, override(features, wanted), models[0].source, form)
                if models:
                    reason, other = f"no form of '{lemma}' with {show_features(wanted)}", None
                    break
                other = other or next(iter(readings), None)
            if other and source.is_lexicon:
                reading = f"'{other.lemma}', {show_features(other.features)}"
                return NotInflected(f"{other.source} reads '{form}' otherwise: {reading}")
        return self._changed_by_rule(form, lemma, upos, features, wanted) or NotInflected(reason)

    def _inflect(self, lemma: str, upos: str, features: Features) -> Inflected | NotInflected:
        for source in self._sources:
            cells, name = source.cells(lemma, upos, features)
            if cells:
                return self._only(cells, features, name)
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

    def _only(
        self, cells: list[Cell], features: Features, source: str, given: str | None = None
    ) -> Inflected | NotInflected:
        """The one form, which is not the given one; of several, the one that the treebank has."""
        forms = list(dict.fromkeys(cell.form for cell in cells))
        if len(forms) > 1:
            forms = list(dict.fromkeys(cell.form for cell in cells if self._is_attested(cell)))
        if len(forms) != 1:
            several = sorted({cell.form for cell in cells})
            return NotInflected(f"{len(several)} forms: {', '.join(several)}")
        return NotInflected("same in writing") if forms[0] == given else Inflected(forms[0], features, source)

    def _is_attested(self, cell: Cell) -> bool:
        return any(
            agree(reading.features, cell.features)
            for spelling, _ in spellings(cell.form)
            for reading in self._treebank.readings(spelling)
        )


class _Paradigm(NamedTuple):
    """The forms of a lemma with one part of speech."""

    forms: dict[Features, tuple[str, ...]]
    bundles: frozenset[Features]
    source: str


class _Source:
    """A lexicon, or a treebank's words with what they show: these have to have a bundle as it is asked for."""

    def __init__(self, lexicon: Lexicon, treebank: Paradigms | None = None) -> None:
        self._lexicon = lexicon
        self._treebank = treebank
        self._bundles: dict[frozenset[Features], frozenset[Features]] = {}
        self._paradigms = lru_cache(_PARADIGMS)(self._paradigms_of)
        self.is_lexicon = treebank is None

    def readings(self, form: str, upos: str) -> list[Analysis]:
        """The readings of a form with this part of speech or with one near to it."""
        return [reading for reading in self._lexicon.readings(form) if is_near(upos, reading.upos)]

    def models(self, readings: list[Analysis], form: str, given: Cell, upos: str) -> list[Analysis]:
        """Those of a form's readings that a treebank's lemma and features allow; none where their lemmas differ."""
        lemma, features = given
        readings = [reading for reading in readings if agree(reading.features, features)]
        same = [reading for reading in readings if reading.lemma == lemma]
        if not same:
            same = [reading for reading in readings if self._names_the_same(reading, form, lemma)]
        same = [reading for reading in same if reading.upos == upos] or same
        return same if len({reading.lemma for reading in same}) == 1 else []

    def cells_like(self, model: Analysis, features: Features, wanted: Features) -> Iterator[Cell]:
        """The cells of a form's paradigm that have the wanted features in place of its own."""
        paradigm = self._paradigms(model.lemma)[model.upos]
        goal = override(model.features, wanted)
        if goal not in paradigm.bundles:
            if not has_names(paradigm.bundles, wanted):
                return iter(())
            goal = override(override(features, model.features), wanted)
        return self._fitting(paradigm, (model.lemma, model.upos), goal, wanted)

    def cells(self, lemma: str, upos: str, features: Features) -> tuple[list[Cell], str]:
        """The cells of a lemma that fit a bundle, and the name of their file."""
        by_upos = self._paradigms(lemma)
        names = [upos] if upos in by_upos else [name for name in by_upos if is_near(upos, name)]
        cells = [cell for name in names for cell in self._fitting(by_upos[name], (lemma, name), features, features)]
        return cells, by_upos[names[0]].source if names else ""

    def _fitting(
        self, paradigm: _Paradigm, lexeme: tuple[str, str | None], goal: Features, wanted: Features
    ) -> Iterator[Cell]:
        bundles: tuple[Features, ...]
        if self._treebank:
            bundles = (goal,) if goal in paradigm.bundles and self._treebank.tells_apart(*lexeme, goal) else ()
        else:
            bundles = fitting(paradigm.bundles, goal, wanted)
        for bundle in bundles:
            yield from (Cell(form, bundle) for form in paradigm.forms[bundle])

    def _paradigms_of(self, lemma: str) -> dict[str | None, _Paradigm]:
        by_upos: dict[str | None, dict[Features, list[str]]] = {}
        source = ""
        for form, analysis in self._lexicon.paradigm(lemma):
            by_upos.setdefault(analysis.upos, {}).setdefault(analysis.features, []).append(form)
            source = analysis.source
        paradigms = {}
        for upos, forms in by_upos.items():
            bundles = frozenset(forms)
            # Equal sets are one object, which makes them quick to compare.
            bundles = self._bundles.setdefault(bundles, bundles)
            paradigms[upos] = _Paradigm({bundle: tuple(same) for bundle, same in forms.items()}, bundles, source)
        return paradigms

    def _names_the_same(self, reading: Analysis, form: str, lemma: str) -> bool:
        """Whether a treebank and a lexicon have two names for the word of a form.

        The treebank names it by another form of it, such as the plural; or the lexicon counts a prefix into the lemma.
        """
        prefix = reading.lemma.removesuffix(lemma)
        if prefix != reading.lemma:
            return form.startswith(prefix)
        return any(
            other.lemma == reading.lemma and other.upos == reading.upos
            for spelling, _ in spellings(lemma)
            for other in self._lexicon.readings(spelling)
        )
