"""Which sentences of a treebank make pairs, which words of them a contrast names, and the bad sentence of a match."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple
from unicodedata import normalize

from pairwright.contrasts import DeclaredContrast, WordConditions, WordPattern
from pairwright.core.config import TreebankSettings
from pairwright.core.errors import counted
from pairwright.core.records import Block
from pairwright.core.records.documents import Word
from pairwright.core.text import words as words_of
from pairwright.languages.features import NO_FEATURES, Demand, Features, override, parse_features, show_features
from pairwright.languages.linguistics.forms import NOUNS
from pairwright.languages.linguistics.sentences import replaced, why_no_sentence
from pairwright.languages.morphology.inflection import TREEBANK, Inflected, Inflector, NotInflected, agree, is_near

Match = Mapping[str, "TreeWord"]
"""The words of a sentence by the names that a contrast gives them."""

_AGREEING = ("ADJ", "DET", "NUM", "PRON", "VERB")
_SHOWN = 3  # values of a condition in a message
_LONGER = 3  # letters by which one of two lemmas that begin alike is longer, as klausytis than klausyti

bundle = lru_cache(100_000)(parse_features)
"""The features of a bundle as CoNLL-U writes it."""


class TreeWord(NamedTuple):
    """A word of a tree with its features, and its relation to its head without the subtype."""

    word: Word
    features: Features
    relation: str


def tree_words(block: Block) -> tuple[TreeWord, ...]:
    """The words of a treebank's sentence."""
    words = block.tree.words if block.tree else ()
    return tuple(TreeWord(word, bundle(word.feats), word.deprel.partition(":")[0]) for word in words)


def matches(contrast: DeclaredContrast, words: Sequence[TreeWord]) -> Iterator[Match]:
    """All ways in which the words of a sentence are those of a contrast, in the order of the sentence."""
    choices: dict[str, list[TreeWord]] = {}
    for name, pattern in contrast.words.items():
        choices[name] = [word for word in words if _fits(pattern, word)]
        if not choices[name]:
            return
    for match in _assignments(contrast, choices, {}):
        if not any(_is_there(pattern, words, match) for pattern in contrast.without):
            yield match


def near_miss(contrast: DeclaredContrast, sentences: Iterable[Sequence[TreeWord]]) -> tuple[str, list[str]]:
    """Why a contrast has no match, in short, and how many words have what it asks of each."""
    listed = list(sentences)
    fitting: dict[str, list[bool]] = {}
    parts = list[str]()
    for name, pattern in contrast.words.items():
        keys = [key for key in WordConditions.model_fields if getattr(pattern, key)]
        held = Counter(
            key
            for words in listed
            for word in words
            for key, holds in zip(keys, _conditions(pattern, word), strict=True)
            if holds
        )
        fitting[name] = [any(_fits(pattern, word) for word in words) for words in listed]
        asked = (f"{key} {'/'.join(getattr(pattern, key)[:_SHOWN])} {counted(held[key], 'word')}" for key in keys)
        parts.append(f"{name} fits in {counted(sum(fitting[name]), 'sentence')} ({', '.join(asked)})")
    if missing := [name for name, fits in fitting.items() if not any(fits)]:
        return f"no word fits {' or '.join(missing)}", parts
    together = [words for words, *fits in zip(listed, *fitting.values(), strict=True) if all(fits)]
    bare = contrast.model_copy(update={"without": ()})
    if n_barred := sum(1 for words in together for _ in matches(bare, words)):
        return f"{counted(n_barred, 'match')}, all barred by `without`", parts
    return f"its words are in {counted(len(together), 'sentence')}, never connected as the contrast requires", parts


def near_lemmas(contrast: DeclaredContrast, sentences: Iterable[Sequence[TreeWord]]) -> Iterator[str]:
    """The lemmas of a contrast that no word of the treebank has, where other words have one that is written alike."""
    listed = [word for words in sentences for word in words]
    for name, pattern in contrast.words.items():
        bare = pattern.model_copy(update={"lemma": ()})
        found = Counter(word.word.lemma.casefold() for word in listed if _fits(bare, word)) if pattern.lemma else {}
        others = [lemma for lemma in found if lemma not in _folded(pattern.lemma)]
        for lemma in sorted(_folded(pattern.lemma) - found.keys()):
            for other in others:
                # The same letters without their accents, but for a few at the end of one.
                bare_letters = ("".join(filter(str.isalpha, normalize("NFD", it))) for it in (lemma, other))
                short, long = sorted(bare_letters, key=len)
                if len(short) >= _LONGER and long.startswith(short) and len(long) - len(short) <= _LONGER:
                    times = counted(found[other], "word")
                    yield f"no word has the lemma '{lemma}' of {name}; the treebank has '{other}' ({times})"


def dependents(words: Sequence[TreeWord], head: Word) -> Iterator[TreeWord]:
    """The words that depend on a word."""
    return (word for word in words if word.word.head == head.id)


def _assignments(
    contrast: DeclaredContrast, choices: Mapping[str, list[TreeWord]], chosen: dict[str, TreeWord]
) -> Iterator[Match]:
    name = next((name for name in choices if name not in chosen), None)
    if name is None:
        yield chosen
        return
    for word in (it for it in choices[name] if it not in chosen.values()):
        together = {**chosen, name: word}
        if all(_stands(contrast.words[other], it.word, together) for other, it in together.items()):
            yield from _assignments(contrast, choices, together)


def _is_there(pattern: WordPattern, words: Sequence[TreeWord], match: Match) -> bool:
    others = [word for word in words if word not in match.values()]
    return any(_stands(pattern, word.word, match) and _fits(pattern, word) for word in others)


def _stands(pattern: WordPattern, word: Word, match: Match) -> bool:
    """Whether a word stands to the others as a pattern wants; those that are not found yet count as fitting."""
    ids = {name: match[name].word.id for name in pattern.named() if name in match}
    return (
        (pattern.head not in ids or word.head == ids[pattern.head])
        and (pattern.before not in ids or word.id < ids[pattern.before])
        and (pattern.after not in ids or word.id > ids[pattern.after])
        and (pattern.next_to not in ids or abs(word.id - ids[pattern.next_to]) == 1)
    )


def _fits(pattern: WordPattern, word: TreeWord) -> bool:
    return all(_conditions(pattern, word)) and not any(_conditions(pattern.not_, word))


def _conditions(pattern: WordConditions, item: TreeWord) -> Iterator[bool]:
    """For each key that is given, whether the word has one of its values."""
    if pattern.upos:
        yield item.word.upos in pattern.upos
    if pattern.deprel:
        yield item.word.deprel in pattern.deprel or item.relation in pattern.deprel
    if pattern.feats:
        yield any(bundle(feats) <= item.features for feats in pattern.feats)
    if pattern.lemma:
        yield item.word.lemma.casefold() in _folded(pattern.lemma)
    if pattern.form:
        yield item.word.form.casefold() in _folded(pattern.form)


@lru_cache(1000)
def _folded(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(map(str.casefold, words))


def unfit_sentence(block: Block, settings: TreebankSettings) -> str | None:
    """Why a sentence makes no pairs; None where it may."""
    count = len(words_of(block.text))
    if not settings.min_words <= count <= settings.max_words:
        return f"not {settings.min_words} to {settings.max_words} words (treebank.min_words, treebank.max_words)"
    if reason := why_no_sentence(block.text):
        return reason
    words = tree_words(block)
    if not _has_predicate(words):
        return "no finite verb, subject or copula, as in a heading"
    # A conjunction or a relative pronoun subordinates the root itself, at the beginning of the sentence.
    root = next((it.word.id for it in words if it.word.head == 0), 0)
    first = next((it for it in words if it.word.upos not in ("PUNCT", "SYM", "CCONJ", "ADV", "PART")), None)
    if first and first.word.head == root and not block.text.endswith("?"):
        is_relative = first.word.upos == "PRON" and ("PronType", "Rel") in first.features
        if is_relative or (first.word.upos == "SCONJ" and first.word.deprel == "mark"):
            return "a subordinate clause alone"
    if any(("Typo", "Yes") in it.features for it in words):
        return "the treebank marks a misspelling"
    return None


def _has_predicate(words: Sequence[TreeWord]) -> bool:
    """Whether a sentence has a finite verb, or a root with a subject or copula; an infinitive alone is a heading."""
    for item in (it for it in words if it.word.upos in ("VERB", "AUX")):
        features = dict(item.features)
        # Some treebanks have VerbForm on other forms alone.
        if features.get("VerbForm", "Fin" if "Person" in features else "") == "Fin":
            return True
        if item.word.head == 0 and features.get("VerbForm") != "Inf":
            return True
    roots = {it.word.id for it in words if it.word.head == 0}
    return any(it.word.head in roots and it.relation in ("cop", "nsubj", "csubj") for it in words)


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
    following = {*contrast.follow}
    alike = [item for item in words if before <= item.features]
    for item in dependents(alike, head.word):
        if not following.isdisjoint((item.relation, item.word.deprel)):
            yield item
            yield from (other for other in dependents(alike, item.word) if other.relation == "conj")


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
    contrast: DeclaredContrast, target: TreeWord, match: Match, form: Inflected, before: Features, inflector: Inflector
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
