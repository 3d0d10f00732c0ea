"""Checks of newly written pairs against the grammar that their rule comes from: by its words, sentences and glosses.

They stop what needs no judge, so they reject; where the grammar does not know a word, they say nothing about it.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache, wraps
from itertools import islice, product

from rapidfuzz import fuzz
from rapidfuzz.distance import Postfix, Prefix

from pairwright.checks.check import Check, Checker, Context, Fault, FindFaults, pair_check, shown, sides
from pairwright.core.records import Candidate, Change, Finding, Side
from pairwright.core.text import comparison_key, words
from pairwright.languages import load_tagset
from pairwright.languages.features import Features
from pairwright.languages.letters import dictionary_path, script
from pairwright.languages.linguistics.forms import Token, words_at
from pairwright.languages.linguistics.glosses import OUTER, GlossedBook, GlossedSentence, GlossedWord

# What a grammar with fewer words does not attest may well be of its language; likewise for its glossed words.
_ENOUGH_ATTESTED, _ENOUGH_GLOSSED = 100, 100
# A word of so many letters that the translation has, too, is there by no chance.
_LONG_WORD = 4
_ALIKE = 3
# Words of a gloss and of a translation are as like as `give` and `gave`, 0-100.
_ONE_WORD = 70
# Where more of a grammar's sentences have no finite verb, clauses of its language may lack one.
_MOST_VERBLESS = 0.1
_SIGNS = re.compile(r"[-=~+<>\\|](?=\w)|(?<=\w)[-=~+\\|]|∅")
_QUOTED = re.compile(r"[‘'\"“](?:[^\W\d_]+[ ,.?!]+)+[^\W\d_]+[.?!]?[’'\"”]\s*$")
# Rules are described in English.
_OF_ORDER = re.compile(
    r"\b(order|preced|follow|before|after|initial|final|position|between|immediate|adjac|first|last)"
)
_OF_AGREEMENT = re.compile(r"\b(agree|concord|person|number|gender|class|conjugat|inflect)")
_AGREEING = {"Person", "Number", "Gender"}
_FINITE = {"Mood", "Tense"}

_UNLIKE = Check(
    "language-unlike-source",
    "error",
    "A word of a newly written good sentence is neither in the grammar that the rule comes from nor made of its stems "
    "and affixes, or no part of a word of the bad one is. Only without a dictionary.",
)
_NOT_ATTESTED = Check(
    "language-not-attested",
    "info",
    "The grammar that the rule comes from does not have a word of the pair, which may still be one. Only without a "
    "dictionary.",
)


def _is_written(candidate: Candidate) -> bool:
    return candidate.method != "source" and not candidate.parent_id


def _book_check(name: str) -> Callable[[FindFaults], Checker]:
    """Makes a check of newly written pairs as `pair_check` does; the first fault is enough to reject."""

    def decorate(find: FindFaults) -> Checker:
        @wraps(find)
        def first(candidate: Candidate, context: Context) -> Iterator[Fault]:
            if _is_written(candidate) and context.attested.book.sentences:
                yield from islice(find(candidate, context), 1)

        return pair_check(name, "error")(first)

    return decorate


def _base(candidate: Candidate, context: Context) -> GlossedSentence | None:
    """The grammar's sentence that a pair was made from: of its examples, the one that shares most words with it."""
    book = context.attested.book
    own = Counter(map(str.casefold, words(candidate.good)))
    made_from = [one for identity in candidate.attested_ids for one in book.by_block.get(identity, ())]
    shared = {one: (own & Counter(map(str.casefold, words(one.sentence)))).total() for one in dict.fromkeys(made_from)}
    return max(shared, key=lambda one: shared[one], default=None)


@_book_check("book-notation")
def notation(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """A sentence has gloss labels, signs between morphemes that the grammar writes in no sentence, or words of the
    translation."""
    attested, book, base = context.attested, context.attested.book, _base(candidate, context)
    translations = (candidate.translation, base.translation if base else None)
    rendered = {word for text in translations for word in words((text or "").casefold())}
    for side, sentence in sides(candidate):
        for token in sentence.split():
            bare = token.strip(OUTER)
            at = sentence.index(token)
            pieces = set(re.split(r"[\W_]+", bare))
            # Small capitals may come as small letters.
            small = {it for it in pieces if it.upper() in book.labels and not attested.attests(it)}
            labels = {it for it in pieces & book.labels | small if it.casefold() not in book.printed}
            if labels or not pieces.isdisjoint(book.gloss_words):
                yield Fault(f"{shown(bare)} is a gloss, and no word of a sentence", side, (at, at + len(token)))
            elif _SIGNS.search(token.strip(".,;:!?")) and bare.casefold() not in book.printed:
                yield Fault(f"{shown(token)} has a sign between morphemes", side, (at, at + len(token)))
        if (match := _QUOTED.search(sentence)) and not (base and match[0].strip() in base.sentence):
            yield Fault(f"the sentence contains a translation: {shown(match[0])}", side, match.span())
        given = [it for it in words(sentence) if it.casefold() not in book.printed or not attested.attests(it)]
        # A name may be the same in both languages.
        new = [token for token in given if len(token) >= _LONG_WORD and not token[0].isupper()]
        if rendered and not rendered.isdisjoint(map(str.casefold, new)):
            yield Fault(f"words of the translation: {shown(' '.join(new))}", side)


@_book_check("book-bad-attested")
def both_good(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The grammar has the bad sentence as a good one, or stars the good one, or glosses the word of the bad one as it
    does that of the good one."""
    book, base = context.attested.book, _base(candidate, context)
    good, bad = book.key(candidate.good), book.key(candidate.bad)
    # A word alone may be an entry of a list; where both sides are one, it is a sentence.
    if bad in book.good and (" " in bad or " " not in good):
        yield Fault("the grammar has the bad sentence as a good one", "bad", (0, len(candidate.bad)))
    if good in book.starred and good not in book.good:
        yield Fault("the grammar stars the good sentence", "good", (0, len(candidate.good)))
    places = _places(candidate.changes)
    if base and len(places) == 1 and all(len(side) == 1 for side in places[0]):
        mine, other = (side[0].casefold() for side in places[0])
        own = [word.casefold() for word in words(base.sentence)]
        if other in own and mine not in own and not Counter(words(bad)) - Counter(own):
            yield Fault(f"the grammar has {shown(other)} in this sentence: {shown(base.sentence)}", "bad")
    stated = _named_by(candidate, context)
    for a, b in (both for place in places for both in _readings(*place, book)):
        parts = set(a.parts(book.boundaries)) ^ set(b.parts(book.boundaries))
        of_base = base is not None and any(a.gloss == it.gloss and a.form == it.form for it in base.words)
        if of_base and a.gloss == b.gloss and not any(part.morph in stated for part in parts):
            yield Fault(f"the grammar glosses {shown(b.form)} as {shown(b.gloss)}, too", "bad")


@_book_check("book-fragment")
def fragment(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The good sentence has lost the finite verb of the grammar's sentence that it was made from."""
    book, base = context.attested.book, _base(candidate, context)
    left = Counter(map(str.casefold, words(candidate.good)))
    if base is None or left.total() >= len(words(base.sentence)):
        return
    verbs = [word for word in base.words if _is_finite(word)]
    known = [book.of(word) for word in left]
    # Every word has to be known, so that none may be a verb, and the sentences of the grammar have to have one.
    lacks = all(known) and not any(_is_finite(it) for analyses in known for it in analyses)
    if verbs and lacks and _verbless(book) <= _MOST_VERBLESS:
        listed = ", ".join(shown(word.form) for word in verbs)
        yield Fault(f"without the finite verb of {shown(base.sentence)}: {listed}", "good", (0, len(candidate.good)))


@lru_cache(1)
def _verbless(book: GlossedBook) -> float:
    """The share of the grammar's sentences, of those with a gloss for each word, that have no finite verb."""
    whole = [one.words for one in book.good.values() if one.is_sentence and len(one.words) == len(words(one.sentence))]
    return sum(not any(map(_is_finite, line)) for line in whole) / max(1, len(whole))


def _is_finite(word: GlossedWord) -> bool:
    names = {name: value for label in word.labels for name, value in _meaning(label)}
    is_verb = "Person" in names and bool(word.lemma or "AUX" in word.labels) and not names.keys() & {"Case", "Poss"}
    return (is_verb or not _FINITE.isdisjoint(names)) and names.get("VerbForm", "Fin") == "Fin"


@cache
def _meaning(label: str) -> Features:
    return load_tagset("leipzig").meaning(label)[1]


def _moved(candidate: Candidate) -> tuple[list[str], list[str]] | None:
    """The words between the first and the last place that differ, where both sides have the same ones."""
    good, bad = ([word.casefold() for word in words(sentence)] for _, sentence in sides(candidate))
    if Counter(good) != Counter(bad) or good == bad:
        return None
    first, last = Prefix.similarity(good, bad), Postfix.similarity(good, bad)
    return good[first : len(good) - last], bad[first : len(bad) - last]


@_book_check("book-several-changes")
def several(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """More than one place differs, and by the grammar's glosses it is not one change: words that agree, or a word that
    has moved."""
    book, rule = context.attested.book, context.rules.get(candidate.rule_id)
    if moved := _moved(candidate):
        good, bad = moved
        # Two stretches have changed places.
        exchanged = any(
            good[-right:] + good[left : len(good) - right] + good[:left] == bad
            for left, right in product(range(1, len(good)), repeat=2)
            if left + right <= len(good)
        )
        if not exchanged:
            yield Fault("more than one word has moved", "bad")
        return
    places = _places(candidate.changes)
    most = max((len(example.changes) for example in rule.examples if example.bad) if rule else (), default=1)
    if len(places) > max(1, most):
        # The labels that two words do not share, in the readings that differ least.
        both = ((a.labels ^ b.labels for a, b in _readings(*place, book)) for place in places)
        known = [labels for of_place in both if (labels := min(of_place, key=len, default=frozenset()))]
        # Of words side by side that the glosses do not know, one may agree with the other.
        apart = len(candidate.changes) > 1 and len(known) < len(places)
        least = min(known, key=len, default=frozenset())
        if known and (apart or not all(least <= labels for labels in known)):
            listed = "; ".join(f"{shown(' '.join(good))} and {shown(' '.join(bad))}" for good, bad in places)
            yield Fault(f"{len(places)} places differ: {listed}", "bad")


def _places(changes: Iterable[Change]) -> list[tuple[list[str], list[str]]]:
    """What differs in stretches: word by word where both sides have as many, else the stretch."""
    places: list[tuple[list[str], list[str]]] = []
    for good, bad in ((words(change.good), words(change.bad)) for change in changes):
        if len(good) == len(bad):
            places += [([a], [b]) for a, b in zip(good, bad, strict=True) if a.casefold() != b.casefold()]
        else:
            places.append((good, bad))
    return places


def _readings(good: list[str], bad: list[str], book: GlossedBook) -> list[tuple[GlossedWord, GlossedWord]]:
    """What two words may be, by the glosses; none where a side has not one word."""
    return list(product(book.of(good[0]), book.of(bad[0]))) if len(good) == len(bad) == 1 else []


@_book_check("book-other-word")
def other_word(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """By the grammar's glosses, the bad sentence has another word, not another form, and the rule names neither."""
    stated = _named_by(candidate, context)
    for good, bad in _places(candidate.changes) if not _moved(candidate) else ():
        readings = _readings(good, bad, context.attested.book)
        lemmas = {piece for both in readings for it in both for piece in it.lemma.split(".")}
        alike = any(not a.lemma or not b.lemma or _same_lexeme(a, b) for a, b in readings)
        if readings and not alike and not _are_named({good[0].casefold(), bad[0].casefold(), *lemmas}, stated):
            a, b = readings[0]
            yield Fault(f"{shown(a.form)} is {shown(a.gloss)}, and {shown(b.form)} {shown(b.gloss)}", "bad")


def _same_lexeme(a: GlossedWord, b: GlossedWord) -> bool:
    """Whether two glosses share a word, or a beginning of one: `child` and `children`."""
    mine, other = ({piece[:_ALIKE] for piece in word.lemma.split(".")} for word in (a, b))
    return not mine.isdisjoint(other)


def _named_by(candidate: Candidate, context: Context) -> tuple[str, ...]:
    """The words with which the rule of a pair is stated, in small letters."""
    rule = context.rules.get(candidate.rule_id)
    if rule is None:
        return ()
    what = rule.contrast.what if rule.contrast else ""
    return tuple(dict.fromkeys(words(" ".join([rule.title, rule.description, rule.quote, what]).casefold())))


def _are_named(names: Iterable[str], stated: tuple[str, ...]) -> bool:
    """Whether some words of a rule are these names, or begin as a longer one of them does."""
    return any(word == name or (len(name) >= _ALIKE and word.startswith(name)) for name in names for word in stated)


def _label_names(label: str) -> set[str]:
    """What a rule may call a label: as it is, and the values that it stands for."""
    values = {value.casefold() for _, value in _meaning(label)}
    return {label.casefold(), *values, *({"person"} if any(name == "Person" for name, _ in _meaning(label)) else ())}


@_book_check("book-other-feature")
def other_feature(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """By the grammar's glosses, the rule names nothing that differs, and something that is the same on both sides."""
    book, stated, changed = context.attested.book, _named_by(candidate, context), candidate.changes
    text, moved = " ".join(stated), _moved(candidate)
    forms = {word.casefold() for change in changed for side in (change.good, change.bad) for word in words(side)}
    differing = [] if moved else [_differing(change, book) for change in changed]
    # Whether a word that is added or left out is what a rule is about, the labels of it don't tell.
    if any(not words(it.good) or not words(it.bad) for it in changed) and not moved:
        return
    if not stated or _are_named(forms, stated) or not all(differing) or (moved and _OF_ORDER.search(text)):
        return
    labels = {label for of_place in differing for label in of_place}
    # Nobody knows what a book's own labels stand for.
    if any(label.isupper() and not _meaning(label) for label in labels):
        return
    agreeing = any(name in _AGREEING for label in labels for name, _ in _meaning(label))
    if any(_are_named(_label_names(label), stated) for label in labels) or (agreeing and _OF_AGREEMENT.search(text)):
        return
    kept = [it for word in words(candidate.good) if word.casefold() not in forms or moved for it in book.of(word)]
    named = {label for it in kept for label in it.labels if _are_named(_label_names(label), stated)}
    if named:
        what = f"{shown(', '.join(sorted(labels)))} differs" if labels else "a word has moved"
        yield Fault(f"{what}, and {shown(', '.join(sorted(named)))}, which the rule names, does not differ", "bad")


def _differing(change: Change, book: GlossedBook) -> set[str]:
    """The labels and the lexical words in which a place may differ; none where the glosses don't tell."""
    found = set[str]()
    for good, bad in _places([change]):
        readings = _readings(good, bad, book)
        given = [book.of(word) for word in (*good, *bad)]
        if not (readings if len(good) == len(bad) == 1 else all(given)):
            return set()
        for a, b in readings:
            found |= (a.labels ^ b.labels) | (set() if _same_lexeme(a, b) else {a.lemma, b.lemma})
        if not readings:
            found |= {name for it in given for word in it for name in (*word.labels, word.lemma)}
    return found - {""}


@_book_check("book-translation")
def translation(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """No word of the translation renders a word of the good sentence, by the grammar's glosses."""
    book, base, text = context.attested.book, _base(candidate, context), candidate.translation
    if not text or (base and base.translation and comparison_key(base.translation) == comparison_key(text)):
        return
    rendered = [word for word in words(text.casefold()) if len(word) >= _ALIKE]
    if base and base.translation and not {*rendered}.isdisjoint(words(base.translation.casefold())):
        return
    lemmas = ({piece for it in book.of(word) for piece in it.lemma.split(".")} for word in words(candidate.good))
    known = [pieces for of_word in lemmas if (pieces := {piece for piece in of_word if len(piece) >= _ALIKE})]

    def is_rendered(pieces: set[str]) -> bool:
        both = product(pieces, rendered)
        return any(a[:_ALIKE] == b[:_ALIKE] or fuzz.ratio(a, b) >= _ONE_WORD for a, b in both)

    if len(known) > 1 and not any(map(is_rendered, known)):
        yield Fault(f"{shown(text)} renders no word of the good sentence", "good")


def _find(candidate: Candidate, context: Context) -> Iterator[Finding]:
    attested, morphs = context.attested, context.attested.book.morphs
    spelt = context.settings.spelling and dictionary_path(context.language)
    # What the source gives itself it has.
    if not attested or candidate.method == "source" or spelt:
        return
    asked = list[tuple[Side, str, Token]]()
    for side, sentence in sides(candidate):
        asked += [(side, sentence, word) for word in words_at(sentence) if not any(map(str.isdigit, word.text))]
    new = [it for it in asked if not (attested.attests(it[2].text) or context.analysed(it[2].text))]
    by_gloss = morphs.counted >= _ENOUGH_GLOSSED
    exchanged = {bad[0]: good[0] for good, bad in _places(candidate.changes) if len(good) == len(bad) == 1}

    def is_strange(side: Side, text: str) -> bool:
        if not by_gloss:
            return not attested.inflects(text)
        # Of a bad form, what tells it from the good one may be any morph, whatever it goes with.
        by_change = side == "bad" and text in exchanged and morphs.tells_apart(exchanged[text], text)
        remade = side == "bad" and any(morphs.remake(text, other) for other in words(candidate.good))
        # Books that cut no words tell no morphs: there the endings of their words count.
        likely = side == "bad" and attested.inflects(text)
        whole = morphs.make(text) or (attested.inflects(text) and morphs.covers(text))
        return not (by_change or remade or likely or whole)

    strict = _is_written(candidate) and len(attested) >= _ENOUGH_ATTESTED
    good, lacking = ([word.text for side, _, word in given if side == "good"] for given in (asked, new))
    odd = [text for text in lacking if is_strange("good", text)]
    # Without enough glosses, only a sentence most of whose words are strange is not of the source's language.
    if strict and not by_gloss and good and ((len(good) > 1 and lacking == good) or len(odd) > len(good) / 2):
        listed = ", ".join(map(shown, odd or good))
        fault = Fault(f"the good sentence is not like the source: {listed}", "good", (0, len(candidate.good)))
        yield _UNLIKE.finding(fault)
        return
    first = {it[2].text.casefold(): it for it in reversed(new)}
    for side, sentence, word in reversed(first.values()):
        strange = is_strange(side, word.text)
        is_name = word.text[0].isupper() and any(map(str.isalnum, sentence[: word.at]))
        # In a script in which the book glosses nothing, it has no morphs.
        glossed = morphs.scripts.issuperset(map(script, filter(str.isalpha, word.text)))
        made = "nor made of its stems and affixes" if strange else "but made of its stems and affixes"
        fault = Fault(f"{side} sentence: {shown(word.text)} is not in the source, {made}", side, word.span)
        yield (_UNLIKE if strict and by_gloss and strange and glossed and not is_name else _NOT_ATTESTED).finding(fault)


WORDS = Checker((_UNLIKE, _NOT_ATTESTED), _find)
