"""A seed: an approved pair with the words that both its sentences have, and the pairs that other words make of it."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from pairwright.core.records import Candidate, Replacement, Tree, TreebankChange
from pairwright.core.records import Word as TreeWord
from pairwright.core.text import comparison_key
from pairwright.languages import Language
from pairwright.languages.features import NO_FEATURES, Features, override, parse_features
from pairwright.languages.letters import capitalised, upper
from pairwright.languages.linguistics.forms import (
    IMPOSED,
    NOUNS,
    Token,
    concord,
    may_modify,
    named_words,
    one_lexeme,
    words_at,
)
from pairwright.languages.linguistics.sentences import replaced
from pairwright.languages.morphology import Analysis
from pairwright.languages.morphology.inflection import Inflected, Inflector, NotInflected

CONTENT = ("NOUN", "PROPN", "ADJ", "ADV", "VERB")

Choice = tuple[tuple[int, str], ...]
"""The numbers of slots with the lemmas that take them, in order."""


class MisalignedError(Exception):
    """The sentences of a seed have no words in common, or words of theirs moved."""


@dataclass(frozen=True)
class SharedWord:
    """A word of both sentences, the same in both or two forms of one lexeme.

    readings  all that the good form can be, for agreement; one with a tree
    lemma     "" where the readings don't tell lemma and part of speech, or no lexicon has the word
    bundles   of the good and of the bad form, for each reading; a word in its stead must have one form for all of them
    node      its word in the tree
    """

    good: Token
    bad: Token
    readings: tuple[Analysis, ...]
    lemma: str = ""
    upos: str = ""
    bundles: tuple[tuple[Features, Features], ...] = ()
    node: TreeWord | None = None

    @cached_property
    def changed(self) -> bool:
        return self.good.text.casefold() != self.bad.text.casefold()

    @cached_property
    def imposed(self) -> dict[str, str]:
        """The features that a noun gives to words that agree with it; only those that all its readings share."""
        shared = frozenset.intersection(*(good for good, _ in self.bundles)) if self.bundles else NO_FEATURES
        return {name: value for name, value in sorted(shared) if name in IMPOSED}

    @cached_property
    def contrasts(self) -> list[Features]:
        """What tells the good form from the bad one, for each reading in which something does."""
        sides = [(good, dict(bad)) for good, bad in self.bundles]
        both = (frozenset((n, v) for n, v in good if n in bad and bad[n] != v) for good, bad in sides)
        return list(filter(None, both))


class Variant(NamedTuple):
    """A pair that a choice of lemmas makes of a seed."""

    good: str
    bad: str
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class Seed:
    """A pair whose words in `slots`, by their numbers among its places, may be replaced.

    places   the words of both sentences, in the order of the good one
    heads    the noun that each agreeing word follows
    held     nouns with which a word may agree of which that can't be told: only words of their gender take their place
    slots    the places whose words may be replaced
    skipped  words that make no slot, with the reasons
    letters  of the language, for its capitals
    """

    pair: Candidate
    places: tuple[SharedWord, ...]
    heads: Mapping[int, int]
    held: frozenset[int]
    slots: tuple[int, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    letters: str = ""

    def realise(self, choice: Choice, inflector: Inflector) -> Variant | NotInflected:
        """The pair with these lemmas in its slots and with the words that agree with them; or why there is none."""
        forms: dict[int, tuple[str, str]] = {}
        given: dict[int, dict[str, str]] = {}
        chosen = dict(choice)
        staying = {place.lemma for number, place in enumerate(self.places) if number not in chosen}
        if twice := staying & set(chosen.values()):
            return NotInflected(f"the sentence has '{min(twice)}' already")
        # Nouns first: what they impose decides the forms of the others.
        for number in sorted(chosen, key=lambda number: (self.places[number].upos not in NOUNS, number)):
            made = self._form(number, chosen[number], given, inflector)
            if isinstance(made, NotInflected):
                return made
            forms[number] = made
            if kept := self.places[number].imposed:
                given[number] = _imposed_by(made[0], chosen[number], inflector)
                if given[number].keys() != kept.keys():
                    return NotInflected(f"the lexicons do not tell the {' and '.join(kept)} of '{chosen[number]}'")
                if given[number] != kept and number in self.held:
                    return NotInflected(f"'{chosen[number]}' has another gender, and what agrees with it can't be told")
        for number, head in self.heads.items():
            if number not in chosen and head in given and given[head] != self.places[head].imposed:
                made = self._form(number, self.places[number].lemma, given, inflector)
                if isinstance(made, NotInflected):
                    return made
                forms[number] = made
        return self._variant(forms, chosen, inflector)

    def are_linked(self, one: int, other: int) -> bool:
        """Whether one of two words depends on the other; without a tree, whether they are next to each other."""
        first, second = self.places[one].node, self.places[other].node
        return abs(one - other) == 1 if not first or not second else first.id == second.head or second.id == first.head

    def distance(self, number: int) -> int:
        """How many words a word is away from the nearest that differs."""
        return min((abs(number - at) for at, place in enumerate(self.places) if place.changed), default=0)

    def _form(
        self, number: int, lemma: str, given: Mapping[int, Mapping[str, str]], inflector: Inflector
    ) -> tuple[str, str] | NotInflected:
        """The forms of a lemma in a place of the good and of the bad sentence."""
        place = self.places[number]
        if not place.bundles:
            return NotInflected(f"'{place.good.text}' agrees with it, and what word it is can't be told")
        taken = frozenset(given.get(self.heads.get(number, -1), {}).items())
        sides: list[str] = []
        for side, token in ((0, place.good), (1, place.bad)):
            forms: set[str] = set()
            for bundles in place.bundles:
                features = override(bundles[side], taken)
                if place.upos in NOUNS:
                    features = frozenset(item for item in features if item[0] not in IMPOSED)
                made = inflector.inflect(lemma, place.upos, features) if features else Inflected(lemma, features, "")
                if isinstance(made, NotInflected):
                    return made
                forms.add(made.form)
            if len(forms) > 1:
                return NotInflected(f"'{token.text}' can be read in several ways, which differ in '{lemma}'")
            form, like = forms.pop(), token.text
            # The capitals that its place requires, not those of a name that stood there.
            if len(like) > 1 and like.isupper():
                form = upper(form, self.letters)
            elif like[:1].isupper() and not place.lemma[:1].isupper():
                form = capitalised(form, self.letters)
            sides.append(form)
        if place.changed == (sides[0].casefold() == sides[1].casefold()):
            return NotInflected(f"the two forms of '{lemma}' are the same in writing")
        return sides[0], sides[1]

    def _variant(
        self, forms: Mapping[int, tuple[str, str]], chosen: Mapping[int, str], inflector: Inflector
    ) -> Variant | NotInflected:
        # Whether each changed word of the bad sentence can be read with what tells the good form apart from it.
        can_be_good = [
            inflector.reads_as(forms[number][1] if number in forms else place.bad.text, place.upos, contrast)
            for number, place in enumerate(self.places)
            if place.changed
            for contrast in place.contrasts
        ]
        if can_be_good and all(can_be_good):
            return NotInflected("the bad sentence has a form that is also the good one")
        places = {number: self.places[number] for number in sorted(forms)}
        # Many forms of agreeing words are the same for several genders.
        new = {n: place for n, place in places.items() if forms[n] != (place.good.text, place.bad.text)}
        if same := sorted(chosen.keys() - new.keys()):
            return NotInflected(f"'{chosen[same[0]]}' has the form that stands there as well")
        replacements, goods, bads = [], [], []
        for n, place in new.items():
            of_word = {"seed": place.good.text, "new": forms[n][0], "lemma": chosen.get(n, place.lemma)}
            spot = {"good_at": place.good.at, "bad_at": place.bad.at, "agrees": n not in chosen}
            replacements.append(Replacement.model_validate(of_word | spot))
            goods.append((*place.good.span, forms[n][0]))
            bads.append((*place.bad.span, forms[n][1]))
        return Variant(replaced(self.pair.good, goods), replaced(self.pair.bad, bads), tuple(replacements))


def seed_of(
    pair: Candidate, language: Language, inflector: Inflector, tree: Tree | None = None, keep: Sequence[str] = ()
) -> Seed:
    """A pair as a seed. Raises MisalignedError.

    tree  of its good sentence, where it has one; without it the words are read by the lexicons alone
    keep  words and phrases that stay as they are
    """
    seed = _aligned(pair, inflector, tree)
    heads, held = _by_tree(seed, tree) if tree else _by_readings(seed, language)
    read = ((place, seed.places[heads[n]] if n in heads else None) for n, place in enumerate(seed.places))
    places = tuple(_read_by_head(place, head) if head else place for place, head in read)
    held_words = _held_words(pair, language, inflector, keep)
    governed = _governed(replace(seed, places=places, heads=heads))
    reasons = {n: _why_no_slot(place, held_words) for n, place in enumerate(places)}
    reasons |= {n: f"it governs '{noun}'" for n, noun in governed.items()}
    skipped = tuple((places[n].good.text, reason) for n, reason in reasons.items() if reason)
    slots = tuple(n for n, reason in reasons.items() if reason is None)
    return Seed(pair, places, heads, held, slots, skipped, language.letters)


def _aligned(pair: Candidate, inflector: Inflector, tree: Tree | None) -> Seed:
    """Equal words in the same order, and in the stretches between them forms of one lexeme, each with the next one."""
    good, bad = words_at(pair.good), words_at(pair.bad)
    left, right = ([token.text.casefold() for token in tokens] for tokens in (good, bad))
    nodes = {word.start: word for word in tree.words if len(word.form) == word.end - word.start} if tree else {}
    change = pair.derivation if isinstance(pair.derivation, TreebankChange) else None
    places: list[SharedWord] = []
    lost: tuple[set[str], set[str]] = set(), set()
    for tag, g0, g1, b0, b1 in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        rest = bad[b0:b1]
        for token in good[g0:g1]:
            same = (
                number
                for number, other in enumerate(rest)
                if tag == "equal" or one_lexeme(inflector.analyses(token.text), inflector.analyses(other.text))
            )
            found = next(same, None)
            if found is None:
                lost[0].add(token.text.casefold())
                continue
            lost[1].update(other.text.casefold() for other in rest[:found])
            node = nodes.get(token.at)
            both = token, rest[found]
            places.append(_place_in_tree(*both, node, change) if node else _place(*both, inflector))
            rest = rest[found + 1 :]
        lost[1].update(other.text.casefold() for other in rest)
    if moved := lost[0] & lost[1]:
        raise MisalignedError(f"'{min(moved)}' stands elsewhere in the bad sentence")
    if not places:
        raise MisalignedError("the two sentences have no word in common")
    return Seed(pair, tuple(places), {}, frozenset())


def _place_in_tree(good: Token, bad: Token, node: TreeWord, change: TreebankChange | None) -> SharedWord:
    features = parse_features(node.feats)
    other = parse_features(change.bad_features) if change and change.word == node.id else features
    place = SharedWord(good, bad, (Analysis(node.lemma, node.upos, features, "treebank", node.feats),), node=node)
    if place.changed and other == features:
        return place
    return replace(place, lemma=node.lemma, upos=node.upos, bundles=((features, other),))


def _place(good: Token, bad: Token, inflector: Inflector) -> SharedWord:
    """Two words by their readings as one lexeme, those that differ least, of the first lexicon that has them."""
    place = SharedWord(good, bad, inflector.analyses(good.text))
    both = one_lexeme(place.readings, inflector.analyses(bad.text))
    first = both[0][0].source if both else None
    pairs = [(left.features, right.features) for left, right in both if left.source == first]
    least = min((len(left ^ right) for left, right in pairs), default=0)
    # A word that is also a form of another one, such as of a verb, may be that one here.
    lexemes = {(reading.lemma, reading.upos) for reading in place.readings if reading.source == first}
    if not both or len(lexemes) != 1:
        return place
    ((lemma, upos),) = lexemes
    nearest = dict.fromkeys((left, right) for left, right in pairs if len(left ^ right) == least)
    return replace(place, lemma=lemma, upos=upos or "", bundles=tuple(nearest))


def _nouns(seed: Seed) -> dict[int, SharedWord]:
    return {number: place for number, place in enumerate(seed.places) if place.upos in NOUNS and place.imposed}


def _by_readings(seed: Seed, language: Language) -> tuple[dict[int, int], frozenset[int]]:
    """Heads and held nouns, see `Seed`: words beside a noun agree with it that show so in two features or more."""
    places, nouns = seed.places, _nouns(seed)
    heads, held = dict[int, int](), set[int]()
    for number, place in enumerate(places):
        agreeing = [noun for noun, head in nouns.items() if noun != number and _may_agree(place, head)]
        if len(agreeing) == 1 and _beside(seed, number, agreeing[0]):
            heads[number] = agreeing[0]
        else:
            held.update(agreeing)
    never = {*language.adpositions, *language.function_words, *language.negations}
    read = {place.good for place in places if place.readings}
    if any(word.text.casefold() not in never and word not in read for word in words_at(seed.pair.good)):
        held.update(nouns)
    return heads, frozenset(held)


def _agreeing_readings(place: SharedWord, head: SharedWord) -> list[Analysis]:
    """Its readings as a word that agrees with a noun."""
    modifying = (reading for reading in place.readings if may_modify(reading))
    return [it for it in modifying if any(concord(it.features, good) for good, _ in head.bundles)]


def _may_agree(place: SharedWord, head: SharedWord) -> bool:
    return any(name in IMPOSED for reading in _agreeing_readings(place, head) for name, _ in reading.features)


def _beside(seed: Seed, number: int, noun: int) -> bool:
    """Whether only white space and words that agree with a noun stand between a word and it."""
    first, last = sorted((number, noun))
    between = seed.places[first : last + 1]
    gaps = (seed.pair.good[a.good.end : b.good.at] for a, b in pairwise(between))
    return all(gap.isspace() for gap in gaps) and all(_may_agree(p, seed.places[noun]) for p in between[1:-1])


def _by_tree(seed: Seed, tree: Tree) -> tuple[dict[int, int], frozenset[int]]:
    """Heads and held nouns, see `Seed`, by the tree."""
    numbers = {place.node.id: number for number, place in enumerate(seed.places) if place.node}
    heads, held = dict[int, int](), set[int]()
    for noun, place in _nouns(seed).items():
        assert place.node is not None
        following = {word.id for word in _following(place.node, tree)}
        for word in tree.words:
            features = dict(parse_features(word.feats))
            if word.id == place.node.id or not any(features.get(key) == value for key, value in place.imposed.items()):
                continue
            same_number = all(features.get("Number") in (None, dict(good).get("Number")) for good, _ in place.bundles)
            if word.id in following and word.id in numbers:
                heads[numbers[word.id]] = noun
            elif word.id in following or (word.upos in ("PRON", "DET") and same_number):
                held.add(noun)
    return heads, frozenset(held)


def _following(noun: TreeWord, tree: Tree) -> Iterator[TreeWord]:
    """The words that take over a noun's gender: attributes, predicate, the pronoun of its relative clause."""
    predicate = noun.head if noun.deprel.startswith("nsubj") else None
    for word in tree.words:
        relation = word.deprel.split(":")[0]
        if word.head == noun.id and relation in ("amod", "det", "nummod", "acl", "advcl", "appos"):
            yield word
        if word.head == noun.id and word.deprel == "acl:relcl":
            below = tree.below(word)[1:]
            yield from (inner for inner in tree.words if inner.id in below and inner.upos in ("PRON", "DET"))
        if predicate is not None and (word.id == predicate or (word.head == predicate and relation in ("aux", "cop"))):
            yield word


def _governed(seed: Seed) -> dict[int, str]:
    """The words whose governed noun changes its case, with that noun: by the tree, else those right before it."""
    governed = dict[int, str]()
    for number, noun in enumerate(seed.places):
        cases = [name for contrast in noun.contrasts for name, _ in contrast if name == "Case"]
        if not cases or noun.upos not in (*NOUNS, "PRON") or number in seed.heads:
            continue
        before = (at for at in range(number - 1, -1, -1) if seed.heads.get(at) != number)
        if noun.node:
            before = (at for at, it in enumerate(seed.places) if it.node and it.node.id == noun.node.head)
        governor = next(before, -1)
        if governor >= 0 and not seed.places[governor].changed:
            governed[governor] = noun.good.text
    return governed


def _read_by_head(place: SharedWord, head: SharedWord) -> SharedWord:
    """An agreeing word with only those of its readings that agree with its noun's, which may tell what word it is."""
    fitting = tuple(both for both in place.bundles if any(concord(both[0], noun) for noun, _ in head.bundles))
    if fitting or place.changed or place.lemma:
        return replace(place, bundles=fitting or place.bundles)
    readings = _agreeing_readings(place, head)
    lexemes = {(reading.lemma, reading.upos) for reading in readings}
    if len(lexemes) != 1:
        return place
    ((lemma, upos),) = lexemes
    features = dict.fromkeys(reading.features for reading in readings)
    return replace(place, lemma=lemma, upos=upos or "", bundles=tuple((bundle, bundle) for bundle in features))


def _held_words(pair: Candidate, language: Language, inflector: Inflector, keep: Iterable[str]) -> frozenset[str]:
    """Words that stay, as written in the seed: of its headword, closed classes, and phrases to keep."""

    def lemmas(word: str) -> set[str]:
        return {word.casefold(), *(reading.lemma.casefold() for reading in inflector.analyses(word))}

    headwords = set[str]().union(*map(lemmas, named_words(pair.entry or "")))
    closed = {*language.adpositions, *language.function_words, *language.common_words, *language.negations}
    sentence = f" {comparison_key(pair.good)} "
    for phrase in map(comparison_key, keep):
        closed.update(phrase.split() if f" {phrase} " in sentence else ())
    tokens = {token.text for token in words_at(pair.good)}
    return frozenset(token for token in tokens if token.casefold() in closed or lemmas(token) & headwords)


def _why_no_slot(place: SharedWord, held_words: frozenset[str]) -> str | None:
    """None for a slot; "" for a word of a closed class, which needs no reason."""
    if place.good.text in held_words:
        return ""
    if not place.lemma:
        return "its readings have several lemmas or parts of speech" if place.readings else "no lexicon has it"
    if place.upos not in CONTENT:
        return ""
    if place.good.at and place.good.text[:1].isupper() and not place.lemma[:1].isupper():
        return "it is a part of a name"
    if place.upos == "VERB":
        return "a verb decides on the forms around it"
    return None


def _imposed_by(form: str, lemma: str, inflector: Inflector) -> dict[str, str]:
    """What a noun imposes, by the readings of one of its forms; nothing where they differ."""
    readings = [dict(reading.features) for reading in inflector.analyses(form) if reading.lemma == lemma]
    values = {name: {reading[name] for reading in readings if name in reading} for name in IMPOSED}
    return {name: min(several) for name, several in values.items() if len(several) == 1}
