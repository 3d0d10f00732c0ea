"""Paradigms learned from the words of a treebank, for languages and words without a lexicon.

As in the baseline of the SIGMORPHON shared tasks (Cotterell et al. 2017, section 5.1), a rule exchanges the end of a
word: it holds for words with a certain ending and for a change of features. Unlike there, a rule counts only where it
is right on words held out: each tenth of the lexemes is inflected by the other nine, and a rule has to be right in 98 %
of them, and often enough.
"""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import takewhile
from typing import NamedTuple
from zlib import crc32

from pairwright.languages.features import Features, override
from pairwright.languages.morphology.lexicon import AnalysedForm

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


class Change(NamedTuple):
    """The end of a word that goes, and what comes in its place."""

    strip: str
    add: str


class Instance(NamedTuple):
    """Two forms of a lexeme that show a change. `part` is the tenth of the lexemes to which it belongs."""

    part: int
    source: str
    target: str


Lexeme = dict[Features, str]
"""The forms of a word by their features; a bundle with several forms is left out."""


class Rules:
    """The changes that instances show, by the context of the source."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        shown = list(instances)
        self._size = len(shown)
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

    def __len__(self) -> int:
        """How many words show a change."""
        return self._size

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
            if change != first or not source.endswith(change.strip):
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
        if len(shown) < TOGETHER or not self.tells_apart(lemma, upos, target):
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
                yield Instance(_part(lemma), lemma, lexeme[features])

    def _form_instances(self, upos: str, lost: Features, gained: Features) -> Iterator[Instance]:
        for lemma, lexeme in self._lexemes[upos].items():
            for features, form in lexeme.items():
                target = (features - lost) | gained
                if lost <= features and target in lexeme:
                    yield Instance(_part(lemma), form, lexeme[target])


def _part(lemma: str) -> int:
    return crc32(lemma.encode()) % _PARTS


def _change(source: str, target: str) -> Change:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(source, target, strict=False)))
    return Change(source[shared:], target[shared:])


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
