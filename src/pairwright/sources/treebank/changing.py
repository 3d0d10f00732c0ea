"""Makes the bad sentence of a match, or says why it would be none."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from pairwright.contrasts import DeclaredContrast
from pairwright.core.records import Block
from pairwright.core.records.documents import Word
from pairwright.languages.features import NO_FEATURES, Demand, Features, override, show_features
from pairwright.languages.linguistics.edits import replaced
from pairwright.languages.linguistics.forms import NOUNS
from pairwright.languages.morphology.inflection import TREEBANK, Inflected, Inflector, NotInflected, agree, is_near
from pairwright.sources.treebank.matching import Match, TreeWord, bundle, dependents

_AGREEING = ("ADJ", "DET", "NUM", "PRON", "VERB")


class Changed(NamedTuple):
    """A bad sentence, what the contrast demands of the changed word in either sentence, and its new features.

    The demand has only features that the lexicons give the word. `lexicon` has the new form.
    """

    bad: str
    demand: Demand
    features: Features
    lexicon: str


def change_match(
    contrast: DeclaredContrast, block: Block, words: Sequence[TreeWord], match: Match, to: str, inflector: Inflector
) -> Changed | str:
    """The sentence with the changed word of a match, and what follows it, in the bundle `to`."""
    target, wanted = match[contrast.change], bundle(to)
    names = {name for name, _ in wanted}
    before = frozenset(feature for feature in target.features if feature[0] in names)
    if contrast.from_ and not any(bundle(feats) <= target.features for feats in contrast.from_):
        return "the word is not as `from` says"
    if (own := contrast.agreement) and not _fit(target.features, _with_person(match[own.with_]), own.in_):
        return "the words do not agree in the treebank"
    agreeing = contrast.agreement.in_ if contrast.agreement else ()
    deciding = names.union(agreeing)
    if strange := next((word for word in match.values() if _read_otherwise(word, deciding, inflector)), None):
        return f"lexicons read '{strange.word.form}' otherwise than the treebank"
    forms: dict[Word, Inflected] = {}
    changing = [target, *_followers(contrast, target, words, before)]
    if contrast.follow and (left := _left_behind(target, words, changing)):
        return f"the attribute '{left.word.form}' agrees with '{target.word.form}' and would stay as it is"
    for item in changing:
        word = item.word
        if block.text[word.start : word.end] != word.form:
            return f"the word '{word.form}' is a part of a multiword token"
        form = inflector.change(word.form, word.lemma, word.upos, item.features, wanted)
        if isinstance(form, NotInflected):
            return form.reason
        forms[word] = form
    form = forms[target.word]
    if reason := _escape(contrast, target, match, form, before, inflector):
        return reason
    good = frozenset(feature for feature in target.features if feature[0] in deciding)
    after = override(target.features, wanted)
    demand = Demand(
        _in_lexicon(good, target.word.form, target.features, inflector),
        _in_lexicon(wanted, form.form, after, inflector),
    )
    return Changed(
        replaced(block.text, ((word.start, word.end, form.form) for word, form in forms.items())),
        demand,
        after,
        form.source,
    )


def swap_match(contrast: DeclaredContrast, block: Block, match: Match) -> Changed | str:
    """The sentence in which two words of a match change places, each with its phrase, unless the other is in it."""
    both, words = [match[name].word for name in contrast.swap], block.tree.words if block.tree else ()
    spans = list[tuple[int, int]]()
    for word, other in zip(both, reversed(both), strict=True):
        phrase = {*block.tree.below(word)} if block.tree else {word.id}
        if other.id in phrase:
            phrase = {word.id}
        start = min(it.start for it in words if it.id in phrase)
        end = max(it.end for it in words if it.id in phrase)
        inside = [it for it in words if it.start < end and it.end > start]
        if {it.id for it in inside} != phrase or any(it.upos == "PUNCT" for it in inside):
            return f"the phrase of '{word.form}' is not in one piece, or has a mark inside"
        if not any(map(str.isalnum, block.text[:start])):
            return f"the word '{word.form}' begins the sentence"
        spans.append((start, end))
    edits = ((*span, block.text[slice(*other)]) for span, other in zip(spans, reversed(spans), strict=True))
    return Changed(replaced(block.text, edits), Demand(NO_FEATURES, NO_FEATURES), match[contrast.moved].features, "")


def _read_otherwise(item: TreeWord, names: Iterable[str], inflector: Inflector) -> bool:
    """Whether no lexicon of the language that has a form gives it the treebank's features: one of the two is wrong."""
    features = frozenset(feature for feature in item.features if feature[0] in names)
    readings = [reading for reading in inflector.analyses(item.word.form) if reading.source != TREEBANK]
    fitting = (_fit(reading.features, features, names) for reading in readings if is_near(item.word.upos, reading.upos))
    return bool(readings) and not any(fitting)


def _in_lexicon(features: Features, form: str, bundle: Features, inflector: Inflector) -> Features:
    """The features that a form with a bundle has in all lexicons of the language that have it; all without any."""
    readings = [reading.features for reading in inflector.analyses(form) if reading.source != TREEBANK]
    fitting = [reading for reading in readings if agree(reading, bundle)]
    return frozenset(feature for feature in features if all(feature in reading for reading in fitting))


def _followers(
    contrast: DeclaredContrast, head: TreeWord, words: Sequence[TreeWord], before: Features
) -> Iterator[TreeWord]:
    """The dependents, and words coordinated with them, that have the features to be changed in common with the word."""
    for item in dependents(words, head.word):
        relation = item.relation in contrast.follow or item.word.deprel in contrast.follow
        if relation and before <= item.features:
            yield item
            yield from (
                other for other in dependents(words, item.word) if other.relation == "conj" and before <= other.features
            )


def _left_behind(noun: TreeWord, words: Sequence[TreeWord], changing: Sequence[TreeWord]) -> TreeWord | None:
    """A word right before a noun, or before one that changes with it, that agrees with it by whatever relation."""
    for item in reversed([word for word in words if word.word.id < noun.word.id]):
        agrees = item.word.upos in _AGREEING and _fit(item.features, noun.features, ("Case", "Gender", "Number"))
        if item not in changing and not (agrees and any(name == "Case" for name, _ in item.features)):
            return None
        if item not in changing and ("PronType", "Prs") not in item.features:
            return item
    return None


def _fit(one: Features, other: Features, names: Iterable[str]) -> bool:
    left, right = dict(one), dict(other)
    return all(left[name] == right[name] for name in names if name in left and name in right)


def _with_person(item: TreeWord) -> Features:
    """A noun is of the third person, also where that is not said."""
    third = frozenset({("Person", "3")}) if item.word.upos in NOUNS else frozenset()
    return override(third, item.features)


def _escape(
    contrast: DeclaredContrast,
    target: TreeWord,
    match: Match,
    form: Inflected,
    before: Features,
    inflector: Inflector,
) -> str | None:
    """A reading of the new form by which the sentence would be right after all."""
    word = target.word
    readings = inflector.analyses(form.form)
    if upos := next((item.upos for item in readings if item.upos and not is_near(item.upos, word.upos)), None):
        return f"the new form '{form.form}' may be of another part of speech: {upos}"
    for name, pattern in contrast.words.items():
        item, shown = match[name], form.form if name == contrast.change else match[name].word.form
        for other in map(bundle, pattern.not_read_as):
            if not other <= item.features and inflector.reads_as(shown, item.word.upos, other):
                return f"the word '{shown}' may be {show_features(other)}, which would be right"
    if contrast.agreement is None:
        if inflector.reads_as(form.form, word.upos, before):
            return f"the new form '{form.form}' is {show_features(before)} too"
        return None
    partner = match[contrast.agreement.with_]
    changed = [form.features, *(reading.features for reading in readings)]
    others = [_with_person(partner)]
    for reading in inflector.analyses(partner.word.form):
        if reading.upos is None or is_near(reading.upos, partner.word.upos):
            others.append(_with_person(partner._replace(features=reading.features)))
    if any(_fit(one, other, contrast.agreement.in_) for one, other in product(changed, others)):
        return f"the new form '{form.form}' agrees with '{partner.word.form}' too"
    return None
