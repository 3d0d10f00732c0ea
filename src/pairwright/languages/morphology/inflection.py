"""The one form of a word with a wanted feature bundle, or the reason why there is none. Nothing is guessed.

A form comes from a lexicon, from the words of a treebank, or from a paradigm learned from these. As in the baseline of
the SIGMORPHON shared tasks (Cotterell et al. 2017, section 5.1), a rule exchanges the end of a word, for words with a
certain ending and a change of features; but it counts only where it is right on 98 % of words held out, tenth by tenth.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple, Self
from zlib import crc32

from rapidfuzz.distance import Prefix

from pairwright.core.records import Tree
from pairwright.languages import Language
from pairwright.languages.features import Features, override, show_features
from pairwright.languages.morphology.analyser import Analyser, lexicons_of, spellings
from pairwright.languages.morphology.lexicon import AnalysedForm, Analysis, Lexicon, TableLexicon, plain, tree_tokens

PRECISION = 0.98
# The share of words that may have two forms with one bundle, such as spelling variants.
_VARIANTS = 0.02
# The share of its bundles with which one word may have two forms.
_UNSTEADY = 0.2
# How often a rule has to be right on words held out: where two rules say the same, and where one speaks alone.
TOGETHER = 5
ALONE = 12
_PARTS = 10
_LONGEST_ENDING = 6
_REMEMBERED = 4096
_VOWELS = frozenset("aeiouyıæøœəаеиоуыэюяієαεηιουω")


Change = tuple[str, str]
"""The end of a word that goes, and what comes in its place."""
Instance = tuple[int, str, str]
"""The tenth of the lexemes to which a lexeme belongs, and two forms of it that show a change."""
Lexeme = dict[Features, str]
"""The forms of a word by their features; a bundle with several forms is left out."""


class Rules:
    """The changes that instances show, by the context of the source; `size` is how many words show one."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        shown = list(instances)
        self.size = len(shown)
        self._counts: defaultdict[str, Counter[tuple[Change, int]]] = defaultdict(Counter)
        for part, source, target in shown:
            for context in _contexts(source):
                self._counts[context][_change(source, target), part] += 1
        self._most_common = cache(self._count)
        trials: Counter[str] = Counter()
        successes: Counter[str] = Counter()
        for part, source, target in shown:
            for context, change in self._agreeing(source, held_out=part):
                trials[context] += 1
                successes[context] += change == _change(source, target)
        self._supports = {
            context: right for context, right in successes.items() if right >= PRECISION * trials[context]
        }

    def apply(self, source: str, support: int) -> str | None:
        """The changed form; None where no rule is right so often, or where a narrower context speaks against it."""
        for context, (strip, add) in self._agreeing(source):
            if f"^{source}"[-len(strip) - 1 :] not in self._counts:
                return None  # no word that changes so has this letter before the change
            if self._supports.get(context, 0) >= support:
                return source.removesuffix(strip) + add
        return None

    def _agreeing(self, source: str, held_out: int | None = None) -> Iterator[tuple[str, Change]]:
        """The contexts of a word, the narrowest first, as long as all have the same change as most common one."""
        first: Change | None = None
        for context in _contexts(source):
            change = self._most_common(context, held_out)
            if change is None:
                continue
            first = first or change
            if change != first or not source.endswith(change[0]):
                return
            yield context, change

    def _count(self, context: str, held_out: int | None) -> Change | None:
        totals: Counter[Change] = Counter()
        for (change, part), count in self._counts.get(context, Counter()).items():
            if part != held_out:
                totals[change] += count
        return max(totals, key=lambda change: (totals[change], change), default=None)


class Paradigms:
    """Paradigms of the lexemes that `cells` show. What is asked for is learned when it is first asked for."""

    def __init__(self, cells: Iterable[AnalysedForm]) -> None:
        self._lexemes: defaultdict[str, dict[str, Lexeme]] = defaultdict(dict)
        shown: Counter[tuple[str, Features]] = Counter()
        several: set[tuple[str, Features, str]] = set()
        for form, (lemma, upos, features, *_) in cells:
            lexeme = self._lexemes[upos or ""].setdefault(lemma, {})
            shown[upos or "", features] += features not in lexeme
            if lexeme.setdefault(features, form) != form:
                several.add((upos or "", features, lemma))
        for upos, features, lemma in several:
            del self._lexemes[upos][lemma][features]
        varying = Counter(key[:2] for key in several)
        self._vague = {key for key, count in varying.items() if count > max(1, _VARIANTS * shown[key])}
        unsteady = Counter((lemma, upos) for upos, _, lemma in several)
        self._unsteady = {
            (lemma, upos)
            for (lemma, upos), count in unsteady.items()
            if count > max(1, _UNSTEADY * len(self._lexemes[upos][lemma]))
        }
        self._from_lemma = lru_cache(_REMEMBERED)(lambda *asked: Rules(self._lemma_instances(*asked)))
        self._from_form = lru_cache(_REMEMBERED)(lambda *asked: Rules(self._form_instances(*asked)))

    def tells_apart(self, lemma: str, upos: str | None, features: Features) -> bool:
        """Whether a bundle of a word says enough for one form.

        It doesn't where many words have several forms with it, or this word with many bundles, as clitics have.
        """
        return (upos or "", features) not in self._vague and (lemma, upos or "") not in self._unsteady

    def inflect(self, lemma: str, upos: str, features: Features) -> str | None:
        """The form of a lemma with exactly these features; None without a reliable rule."""
        if not self.tells_apart(lemma, upos, features):
            return None
        return self._from_lemma(upos, features).apply(lemma, ALONE)

    def change(self, form: str, lemma: str, upos: str, features: Features, wanted: Features) -> str | None:
        """The form with the wanted features beside a form with other ones; None without a reliable rule.

        Two rules have a say: one for the lemma, one for the form. They must not disagree.
        """
        target = override(features, wanted)
        shown = self._from_form(upos, features - target, target - features)
        if shown.size < TOGETHER or not self.tells_apart(lemma, upos, target):
            return None  # a feature may not change within a word, such as the gender of nouns
        from_lemma = self._from_lemma(upos, target)
        several = {from_lemma.apply(lemma, TOGETHER), shown.apply(form, TOGETHER)}
        if len(several) == 1:
            return several.pop()
        alone = {from_lemma.apply(lemma, ALONE), shown.apply(form, ALONE)} - {None}
        return alone.pop() if len(several - {None}) == 1 and alone else None

    def _lemma_instances(self, upos: str, features: Features) -> Iterator[Instance]:
        for lemma, lexeme in self._lexemes[upos].items():
            if features in lexeme:
                yield _part(lemma), lemma, lexeme[features]

    def _form_instances(self, upos: str, lost: Features, gained: Features) -> Iterator[Instance]:
        for lemma, lexeme in self._lexemes[upos].items():
            for features, form in lexeme.items():
                target = (features - lost) | gained
                if lost <= features and target in lexeme:
                    yield _part(lemma), form, lexeme[target]


def _part(lemma: str) -> int:
    return crc32(lemma.encode()) % _PARTS


def _change(source: str, target: str) -> Change:
    shared = Prefix.similarity(source, target)
    return source[shared:], target[shared:]


def _contexts(word: str) -> Iterator[str]:
    """The contexts of a change from the narrowest: the word, its endings, its last vowel and letter, any word."""
    marked = f"^{word}"
    for size in range(min(_LONGEST_ENDING, len(marked)), 0, -1):
        yield marked[len(marked) - size :]
    vowels = [letter for letter in word if unicodedata.normalize("NFD", letter)[0].casefold() in _VOWELS]
    if vowels:
        last = word[-1] if word[-1] != vowels[-1] else ""
        two = "".join(vowels[-2:])
        yield f"{two}…{last}"
        yield f"{vowels[-1]}…{last}"
        yield f"{two}…{last and 'C'}"
        yield f"{vowels[-1]}…{last and 'C'}"
    yield ""


_FORMS_REMEMBERED = 100_000
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


@lru_cache(_FORMS_REMEMBERED)
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
    """A form, the bundle that was asked for or that a lexicon gives it, and the name of the file that it comes from."""

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
        self._paradigms = Paradigms(words)
        self._treebank = TableLexicon(words)
        self._sources = (*(_Source(lexicon) for lexicon in lexicons), _Source(self._treebank, self._paradigms))
        self._analyser = Analyser((*lexicons, self._treebank), stress)
        self._stress = stress
        self.change = lru_cache(_FORMS_REMEMBERED)(self._change)
        self.inflect = lru_cache(_FORMS_REMEMBERED)(self._inflect)

    @classmethod
    def of(cls, language: Language, trees: Iterable[Tree] = ()) -> Self:
        """The inflector of a language and of a treebank. Raises as `analyser_of`."""
        return cls(lexicons_of(language), tree_tokens(trees, TREEBANK, language.stress), language.stress)

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
        """The form of the same word with the wanted features and otherwise those of `form`; it keeps the capitals.

        It differs from `form` in writing. `lemma`, `upos` and `features` are those of a treebank.
        """
        reason = f"no lexicon has '{form}' as a form of '{lemma}' with {show_features(features)}"
        for source in self._sources:
            other: Analysis | None = None
            for spelling, capitalise in spellings(plain(form, self._stress)):
                readings = source.readings(spelling, upos)
                models = source.models(readings, spelling, lemma, upos, features)
                cells = [cell for model in models for cell in source.cells_like(model, features, wanted)]
                if cells:
                    changed = [cell._replace(form=capitalise(cell.form)) for cell in cells]
                    return self._only(changed, override(features, wanted), form)
                if models:
                    reason, other = f"no form of '{lemma}' with {show_features(wanted)}", None
                    break
                other = other or next(iter(readings), None)
            if other and source.is_lexicon:
                reading = f"'{other.lemma}', {show_features(other.features)}"
                return NotInflected(f"{other.source} reads '{form}' otherwise: {reading}")
        for spelling, capitalise in spellings(plain(form, self._stress)):
            if spelling[:1].isupper() == lemma[:1].isupper():
                by_rule = self._paradigms.change(spelling, lemma, upos, features, wanted)
                if by_rule == spelling:
                    return NotInflected("same in writing")
                if by_rule:
                    return Inflected(capitalise(by_rule), override(features, wanted), LEARNED)
        return NotInflected(reason)

    def _inflect(self, lemma: str, upos: str, features: Features) -> Inflected | NotInflected:
        """The form of a lemma with these features."""
        for source in self._sources:
            if cells := source.cells(lemma, upos, features):
                return self._only(cells, features)
        if form := self._paradigms.inflect(lemma, upos, features):
            return Inflected(form, features, LEARNED)
        return NotInflected(f"no lexicon has a form of '{lemma}' with {show_features(features)}")

    def _only(self, cells: list[Inflected], features: Features, given: str | None = None) -> Inflected | NotInflected:
        """The one form, which is not the given one; of several, the one that the treebank has."""
        forms = {cell.form for cell in cells}
        if len(forms) > 1:
            several = NotInflected(f"{len(forms)} forms: {', '.join(sorted(forms))}")
            forms = {
                cell.form
                for cell in cells
                for spelling, _ in spellings(cell.form)
                for reading in self._treebank.readings(spelling)
                if agree(reading.features, cell.features)
            }
            if len(forms) != 1:
                return several
        form = forms.pop()
        return NotInflected("same in writing") if form == given else Inflected(form, features, cells[0].source)


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

    def models(self, readings: list[Analysis], form: str, lemma: str, upos: str, features: Features) -> list[Analysis]:
        """Those of a form's readings that a treebank's lemma and features allow; none where their lemmas differ."""
        readings = [reading for reading in readings if agree(reading.features, features)]
        same = [reading for reading in readings if reading.lemma == lemma]
        if not same:
            same = [reading for reading in readings if self._names_the_same(reading, form, lemma)]
        same = [reading for reading in same if reading.upos == upos] or same
        return same if len({reading.lemma for reading in same}) == 1 else []

    def cells_like(self, model: Analysis, features: Features, wanted: Features) -> Iterator[Inflected]:
        """The cells of a form's paradigm that have the wanted features in place of its own."""
        paradigm = self._paradigms(model.lemma)[model.upos]
        goal = override(model.features, wanted)
        if goal not in paradigm.bundles:
            # Nouns have no Person, whatever is wanted.
            if not {name for name, _ in wanted} <= {name for bundle in paradigm.bundles for name, _ in bundle}:
                return iter(())
            goal = override(override(features, model.features), wanted)
        return self._fitting(paradigm, (model.lemma, model.upos), goal, wanted)

    def cells(self, lemma: str, upos: str, features: Features) -> list[Inflected]:
        """The cells of a lemma that fit a bundle."""
        by_upos = self._paradigms(lemma)
        names = [upos] if upos in by_upos else [name for name in by_upos if is_near(upos, name)]
        return [cell for name in names for cell in self._fitting(by_upos[name], (lemma, name), features, features)]

    def _fitting(
        self, paradigm: _Paradigm, lexeme: tuple[str, str | None], goal: Features, wanted: Features
    ) -> Iterator[Inflected]:
        bundles: tuple[Features, ...]
        if self._treebank:
            bundles = (goal,) if goal in paradigm.bundles and self._treebank.tells_apart(*lexeme, goal) else ()
        else:
            bundles = fitting(paradigm.bundles, goal, wanted)
        for bundle in bundles:
            yield from (Inflected(form, bundle, paradigm.source) for form in paradigm.forms[bundle])

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
