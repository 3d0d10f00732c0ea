"""What a source attests of its language: its sentences, the forms of their words, and its paradigms."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

from pairwright.generate.book.paradigms import show_table
from pairwright.generate.book.sentences import Attested, Varieties, attested_sentences
from pairwright.generate.book.word_forms import LEAST_LETTERS, WordForms, is_named
from pairwright.languages import BOUNDARIES
from pairwright.languages.features import Demand
from pairwright.languages.linguistics.attested import AttestedWords, attested_words
from pairwright.languages.linguistics.morphemes import join_morphemes
from pairwright.languages.tagset import Tagset
from pairwright.records import Block, Rule
from pairwright.text import comparison_key, words

# Of the cells in a request, in characters.
_LONGEST_CELLS = 2000
# What it counts that a sentence stands in the section of the rule.
_SAME_SECTION = 2.0
# Sentences with fewer features are not preferred any more.
_SHORT = 8
# An ending or a beginning that a rule names: `-jst`, `kə-`.
_AFFIX = re.compile(r"(?<!\w)[-=](\w+)|(\w+)[-=](?!\w)")


class _Fit(IntEnum):
    """Whether a word of a sentence has the good features of a demand, and elsewhere a form with the bad ones."""

    NONE = 0
    HAS_WORD = 1
    CONTRASTS = 2


class _Ranked(NamedTuple):
    """A sentence with what decides its place, the first field most."""

    is_other: bool  # of another language or dialect
    is_further: bool  # not the rule's own
    unfit: int  # less than 0 where it fits the demand
    is_unglossed: bool
    is_word: bool
    distance: float
    place: int
    one: Attested


class Corpus:
    """The attested sentences of a source in its order, by their comparison keys, and an index of its words.

    blocks      of the source; without any, the corpus is the good sentences of the rules' examples
    boundaries  the signs between morphemes, `Language.boundaries`
    tagset      the features of the labels in its glosses
    described   the title of the source and the language that it describes, from which labels of sentences are told
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        blocks: Iterable[Block] = (),
        boundaries: str = BOUNDARIES,
        tagset: Tagset | None = None,
        described: str = "",
    ) -> None:
        self._boundaries, self._tagset = boundaries, tagset
        listed = list(blocks)
        self._tables = [block for block in listed if block.kind == "table" and block.cells]
        sentences = [one for block in listed for one in attested_sentences(block, boundaries)]
        by_lines = {(one.block_id, one.gloss, one.translation): one for one in sentences}
        sentences += [_like(one, by_lines) for rule in rules for one in _own_sentences(rule)]
        self.sentences: dict[str, Attested] = {}
        for one in sentences:
            key = self._key(one.sentence)
            # Of two with the same words, the one that says more.
            if key not in self.sentences or _says(one) > _says(self.sentences[key]):
                self.sentences[key] = one
        self.words: AttestedWords = attested_words(listed, (one.sentence for one in sentences), boundaries)
        self._varieties = Varieties(sentences, described)
        self._fits: dict[tuple[str, Demand], _Fit] = {}
        self._features = {key: one.features for key, one in self.sentences.items()}
        counts = Counter(feature for features in self._features.values() for feature in features)
        self._weights = {feature: math.log(len(self.sentences) / count) for feature, count in counts.items()}

    @cached_property
    def word_forms(self) -> WordForms:
        """The forms of the words of its sentences."""
        described = (one for one in self.sentences.values() if not self.is_other(one) and self._is_written(one))
        return WordForms(described, self._tables, self._boundaries, self._tagset, self._varieties)

    def attests(self, sentence: str) -> bool:
        """Whether the source has this sentence, letter for letter but for case and punctuation, as a right one."""
        return self._key(sentence) in self.sentences

    def is_other(self, one: Attested) -> bool:
        """Whether a sentence is of another language or dialect than the one that the source describes."""
        return self._varieties.is_other(one)

    def _is_written(self, one: Attested) -> bool:
        """Whether it is written as sentences are; one without a gloss may be cut into morphemes."""
        cut = not one.gloss and join_morphemes(one.sentence, self._boundaries) != one.sentence
        return one.is_written and not cut

    def for_rule(self, rule: Rule, demand: Demand, shown: Mapping[str, int]) -> list[Attested]:
        """The sentences for a rule: its own examples, then those most like them, then others; none if none bears on it.

        Before the others of their kind come sentences in which a word has the good features of the demand and,
        elsewhere in the source, a form with the bad ones; those without a gloss and words alone come after others.
        Those of another language or dialect are left out, or last where they are the rule's own.

        shown  how many rules before this one were shown a sentence first, by its block; each makes it come later
        """
        own = self._own(rule)
        named = {form for word in _folded(f"{_about(rule)} {rule.quote}") if (form := self.word_forms.named_by(word))}
        # A rule that names words of the language, as one about a single paradigm does, is about these alone.
        names_words = any(len(form) >= LEAST_LETTERS for form in named)
        wanted = self._wanted(rule, demand) | named.union(*(self._features[key] for key in own))
        ranked, bears = [], False
        for index, (key, one) in enumerate(self.sentences.items()):
            # A sentence without gloss and translation tells nothing to a reader who does not know the language.
            tells = (one.gloss or one.translation) and not self.is_other(one)
            if not self._is_written(one) or not (key in own or tells):
                continue
            fit, features = self._fit(one, demand), self._features[key]
            # By the root of their number, as long sentences share something with every rule.
            score = sum(self._weights[feature] for feature in features & wanted) / math.sqrt(max(len(features), _SHORT))
            score += _SAME_SECTION * _is_within(one.section, rule)
            if score > 0 or key in own or not names_words:
                bears |= score > 0 or key in own or fit is _Fit.CONTRASTS
                nearness = (score + 1) / (1 + shown.get(one.block_id, 0))
                is_word = len(words(one.sentence)) == 1
                kind = self.is_other(one), key not in own, -fit, not one.gloss, is_word
                ranked.append(_Ranked(*kind, -nearness, index, one))
        # A sentence without a word that is known to have the good features can't be changed where others can.
        any_fits = any(it.unfit < 0 for it in ranked)
        kept = (it.one for it in sorted(ranked) if it.unfit < 0 or not (any_fits and it.is_further))
        return _without_repeats(kept) if bears else []

    def _wanted(self, rule: Rule, demand: Demand) -> set[str]:
        """The endings that a rule names and, where it demands no features, the labels that begin one of its terms."""
        terms = () if demand.good else _folded(_about(rule))
        labels = {label for label in self._weights if label.isupper() and is_named(label, terms)}
        return labels | _affixes(f"{_about(rule)} {rule.quote}")

    def _fit(self, one: Attested, demand: Demand) -> _Fit:
        # Many rules have one demand.
        key = one.sentence, demand
        if key not in self._fits:
            has_word = bool(demand.good and self.word_forms.with_features(one, demand.good))
            contrasts = bool(self.word_forms.contrasting(one, demand))
            self._fits[key] = _Fit.CONTRASTS if contrasts else _Fit.HAS_WORD if has_word else _Fit.NONE
        return self._fits[key]

    def other_forms(self, one: Attested, rule: Rule, demand: Demand, listed: set[str]) -> list[str]:
        """Other forms of a sentence's words, each with its gloss and its place, the most useful first.

        These are the forms that a bad sentence of the rule needs; after them, or without a demand, those whose labels
        the rule names, then any. Each word has a few, and so has the sentence.

        listed  the words whose forms were shown before, which are left out; those shown now are added
        """
        return self.word_forms.of_sentence(one, demand, _about(rule), listed)

    def paradigms(self, rule: Rule) -> list[str]:
        """The tables that a rule rests on and those of its section, as lines of cells behind their heads.

        What does not fit into a request is left out, the last first.
        """
        near = [table for table in self._tables if table.id in rule.block_ids or _is_within(table.section, rule)]
        texts, left = [], _LONGEST_CELLS
        for table in sorted(near, key=lambda table: table.id not in rule.block_ids):
            lines = []
            for line in show_table(table).splitlines():
                left -= len(line)
                lines += [line] if left >= 0 else []
            texts += ["\n".join(lines)] if lines else []
        return texts

    def _key(self, sentence: str) -> str:
        return comparison_key(join_morphemes(sentence, self._boundaries))

    def _own(self, rule: Rule) -> dict[str, Attested]:
        """The rule's own sentences by their keys: those of its example blocks, and the good ones of its examples."""
        keys = {self._key(example.good) for example in rule.examples}
        ids = frozenset(rule.example_ids)
        return {key: one for key, one in self.sentences.items() if key in keys or one.block_id in ids}


def _own_sentences(rule: Rule) -> Iterator[Attested]:
    for example in rule.examples:
        given = (example.segmentation, example.gloss, example.translation)
        yield Attested(
            example.evidence.block_id, example.good, *given, rule.section, place=f"p. {example.evidence.page}"
        )


def _like(one: Attested, by_lines: Mapping[tuple[str, str | None, str | None], Attested]) -> Attested:
    """A rule's sentence with the label of the one that the source prints with the same gloss and translation."""
    printed = by_lines.get((one.block_id, one.gloss, one.translation), one)
    return one._replace(variety=printed.variety, title=printed.title, place=printed.place)


def _says(one: Attested) -> int:
    """How much the source says of a sentence: the gloss counts most."""
    return 2 * bool(one.gloss) + bool(one.translation)


def _without_repeats(sentences: Iterable[Attested]) -> list[Attested]:
    """The sentences without those that only their spelling tells from one before: gloss and translation are one."""
    kept: dict[object, Attested] = {}
    for one in sentences:
        kept.setdefault((one.gloss, one.translation) if one.gloss and one.translation else one.sentence, one)
    return list(kept.values())


def _affixes(text: str) -> set[str]:
    """The endings and beginnings that a text names."""
    return {piece.casefold() for match in _AFFIX.finditer(text) for piece in match.groups() if piece}


def _about(rule: Rule) -> str:
    return f"{rule.title} {rule.contrast.what if rule.contrast else ''}"


def _is_within(section: tuple[str, ...], rule: Rule) -> bool:
    """Whether a section is that of a rule, or below it."""
    return bool(rule.section) and section[: len(rule.section)] == rule.section


def _folded(text: str) -> list[str]:
    return [word.casefold() for word in words(text)]
