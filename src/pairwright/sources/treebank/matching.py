"""Which sentences of a treebank make pairs, and the words of them that a contrast names."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize

from pairwright.contrasts import DeclaredContrast, WordConditions, WordPattern
from pairwright.core.config import TreebankSettings
from pairwright.core.errors import counted
from pairwright.core.records import Block
from pairwright.core.records.documents import Tree, Word
from pairwright.core.text import words as words_of
from pairwright.languages.features import Features, parse_features
from pairwright.languages.linguistics.sentences import why_no_sentence

Match = Mapping[str, "TreeWord"]
"""The words of a sentence by the names that a contrast gives them."""

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
                if _written_alike(lemma, other):
                    times = counted(found[other], "word")
                    yield f"no word has the lemma '{lemma}' of {name}; the treebank has '{other}' ({times})"


def _written_alike(one: str, other: str) -> bool:
    """Whether two lemmas have the same letters without their accents, but for a few at the end of one."""
    short, long = sorted(("".join(filter(str.isalpha, normalize("NFD", it))) for it in (one, other)), key=len)
    return len(short) >= _LONGER and long.startswith(short) and len(long) - len(short) <= _LONGER


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
    for word in choices[name]:
        together = {**chosen, name: word}
        if word not in chosen.values() and all(
            _stands(contrast.words[other], together[other].word, together) for other in together
        ):
            yield from _assignments(contrast, choices, together)


def _is_there(pattern: WordPattern, words: Sequence[TreeWord], match: Match) -> bool:
    named = {word.word.id for word in match.values()}
    return any(
        word.word.id not in named and _stands(pattern, word.word, match) and _fits(pattern, word) for word in words
    )


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
    if block.tree is None or not _has_predicate(block.tree):
        return "no finite verb, subject or copula, as in a heading"
    if _is_subordinate(block.tree) and not block.text.endswith("?"):
        return "a subordinate clause alone"
    if any("Typo=Yes" in word.feats.split("|") for word in block.tree.words):
        return "the treebank marks a misspelling"
    return None


def _is_subordinate(tree: Tree) -> bool:
    """Whether a conjunction or a relative pronoun subordinates the root itself, at the beginning of the sentence."""
    root = next((word.id for word in tree.words if word.head == 0), 0)
    first = next((word for word in tree.words if word.upos not in ("PUNCT", "SYM", "CCONJ", "ADV", "PART")), None)
    return bool(
        first
        and first.head == root
        and (
            (first.upos == "SCONJ" and first.deprel == "mark")
            or (first.upos == "PRON" and "PronType=Rel" in first.feats.split("|"))
        )
    )


def _is_finite(word: Word) -> bool:
    names = dict(feature.split("=", 1) for feature in word.feats.split("|") if "=" in feature)
    # Some treebanks have VerbForm on other forms alone.
    return word.upos in ("VERB", "AUX") and names.get("VerbForm", "Fin" if "Person" in names else "") == "Fin"


def _has_predicate(tree: Tree) -> bool:
    """Whether a sentence has a finite verb, or a root with a subject or copula; an infinitive alone is a heading."""
    if any(_is_finite(word) for word in tree.words):
        return True
    roots = [word for word in tree.words if word.head == 0]
    below = {word.deprel.partition(":")[0] for word in tree.words if any(word.head == root.id for root in roots)}
    is_verb = any(root.upos in ("VERB", "AUX") and "VerbForm=Inf" not in root.feats.split("|") for root in roots)
    return is_verb or bool(below & {"cop", "nsubj", "csubj"})
