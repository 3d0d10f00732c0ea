"""Who proposes the words for a slot, and the pairs that the words of all slots make of the seeds of a rule.

Texts and a slot lexicon, a masked model or a chat model propose; a model ranks them. Pairs come in turn from each seed,
with the words first that rank best and are near the contrast. No lemma comes too often, and the number of words of a
sentence never changes.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel

from pairwright.core.config import AugmentSettings
from pairwright.core.ids import pair_id
from pairwright.core.records import Augmentation, Candidate, Tree
from pairwright.core.text import TOKEN, sentence_key
from pairwright.growth.augment.lexicon import LLM_STAGE, Neighbours, SlotLexicon, SlotWord, alike, fits
from pairwright.growth.augment.seeds import Choice, MisalignedError, Seed, SharedWord, Variant, seed_of
from pairwright.languages import Language
from pairwright.languages.features import show_features
from pairwright.languages.linguistics.forms import NOUNS, concord
from pairwright.languages.linguistics.sentences import changes
from pairwright.languages.morphology.inflection import Inflector, NotInflected
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts import Prompt, Value, load_prompt

Rank = Callable[[Sequence[str]], list[float]]
"""How probable a causal model finds sentences: their log-probabilities in nats, in the order of the sentences."""
Fill = Callable[[str, str, int], list[str]]
"""The most probable words between two pieces of a sentence, so many at most, the best first."""

AugmentMethod = Literal["lexicon", "masked-lm", "cloze"]
CLOZE_WORDS = 20
# A chat model is asked about a place for each so many pairs that are wanted of a rule.
_PAIRS_A_SLOT = 2
PROMPTS = ("propose_words", "odd_sentences")
_FILLED_WORDS = 60
# The most frequent ones, where a slot could take more words.
_MOST_OPTIONS = 200
# Of a word's own log-probability, so much is taken off that of its sentence.
OWN_SHARE = 0.5
# Sentences that are ranked together: a run that is killed has the ranks of all before.
_RANKED_TOGETHER = 1500
_SHOWN_WORDS = 5
_ASKED_TOGETHER = 10
# A seed gives no more pairs where so many in a row are under a cap.
_MOST_TRIES = 2000


class ProposedWords(BaseModel):
    """The answer to `propose_words`: dictionary forms, the best first."""

    words: list[str]


class Slot(NamedTuple):
    """A place of a seed whose word may be replaced."""

    seed: Seed
    number: int

    @property
    def place(self) -> SharedWord:
        return self.seed.places[self.number]

    def taking(self, lemma: str, inflector: Inflector) -> Variant | NotInflected:
        """The pair with a lemma in the slot, or why there is none."""
        return self.seed.realise(((self.number, lemma),), inflector)


class Slots(NamedTuple):
    """A seed and, by the number of each slot, the lemmas that can take it, the best first."""

    seed: Seed
    lemmas: dict[int, list[str]]


Proposals = Iterator[tuple[Iterable[str], str]]
"""For each slot in turn its lemmas, the best first, whether or not they can be inflected; or why there are none."""
Words = Callable[[Slot], tuple[Iterable[str], str]]
"""The lemmas that may take a slot, and why there are none where none can."""
Refuse = Callable[[Candidate, str, str], None]
"""Keeps a seed or a word of it that can't be used, with the reason and the text that is meant."""


def by_sentence(slots: Iterable[Slot], words: Words, inflector: Inflector, rank: Rank) -> Proposals:
    """Words by the sentences that they make, the most probable first.

    A sentence with a long or rare word is less probable whatever it says. So a word's log-probability by itself is
    taken off: the whole would make it pointwise mutual information (Holtzman et al. 2021, Surface Form Competition),
    which prefers rare words; half is taken.
    """
    waiting: list[tuple[list[tuple[str, str, str]], str]] = []

    def ranked() -> Proposals:
        texts = list(dict.fromkeys(text for options, _ in waiting for _, *both in options for text in both))
        scores = dict(zip(texts, rank(texts), strict=True))
        for options, reason in waiting:
            costs = sorted((OWN_SHARE * scores[form] - scores[good], lemma) for lemma, good, form in options)
            yield [lemma for _, lemma in costs], "" if costs else reason
        waiting.clear()

    for slot in slots:
        lemmas, reason = words(slot)
        variants = ((lemma, slot.taking(lemma, inflector)) for lemma in lemmas)
        made = [(lemma, it) for lemma, it in variants if isinstance(it, Variant)]
        forms = (next(new.new for new in it.replacements if not new.agrees) for _, it in made)
        waiting.append(([(lemma, it.good, form) for (lemma, it), form in zip(made, forms, strict=True)], reason))
        if sum(len(options) for options, _ in waiting) >= _RANKED_TOGETHER:
            yield from ranked()
    yield from ranked()


def known_words(
    slot: Slot, lexicon: SlotLexicon, neighbours: Neighbours, trees: Mapping[str, Tree]
) -> tuple[list[str], str]:
    """The words of a slot's class that were seen beside its neighbours; all of its class where no text tells."""
    if not (entry := entry_of(lexicon, slot.place)) or not entry.classes:
        return [], "the slot lexicon has no class for it"
    words = [word.lemma for word in alike(lexicon, entry)]
    tree = trees.get(slot.seed.pair.evidence.block_id) if slot.place.node else None
    seen = neighbours.fitting(slot.seed, slot.number, tree)
    if tree or seen is not None:
        fitting = [word for word in words if word in (seen or ())]
        return fitting[:_MOST_OPTIONS], "no word of its class was seen beside its neighbours"
    return words[:_MOST_OPTIONS], "no word of the slot lexicon fits"


def masked_words(slot: Slot, fill: Fill, inflector: Inflector) -> tuple[Iterable[str], str]:
    """The words that a masked model puts into a slot, in whatever form, by their lemmas."""
    place, good = slot.place, slot.seed.pair.good
    lemmas = dict.fromkeys(
        reading.lemma
        for word in fill(good[: place.good.at], good[place.good.end :], _FILLED_WORDS)
        for reading in inflector.analyses(word)
        if (reading.upos == place.upos or {reading.upos, place.upos} <= NOUNS)
        and any(concord(reading.features, bundle) or not bundle for bundle, _ in place.bundles)
    )
    return lemmas, "the model proposes no word whose form fits"


def seeds_to_ask_about(seeds: Sequence[Seed], wanted: int) -> list[Seed]:
    """The seeds with as many slots as `wanted` pairs of each rule take: of each seed first those near the contrast."""
    of_rule = dict[str, list[tuple[int, int, int]]]()
    for at, seed in enumerate(seeds):
        nearest = sorted(seed.slots, key=lambda number: (seed.distance(number), number))
        of_rule.setdefault(seed.pair.rule_id, []).extend((turn, at, it) for turn, it in enumerate(nearest))
    most = math.ceil(wanted / _PAIRS_A_SLOT)
    asked = {(at, number) for slots in of_rule.values() for _, at, number in sorted(slots)[:most]}
    kept = (replace(seed, slots=tuple(it for it in seed.slots if (at, it) in asked)) for at, seed in enumerate(seeds))
    return [seed for seed in kept if seed.slots]


def cloze_words(requests: Iterable[Request[ProposedWords]], completer: Completer) -> Proposals:
    """A chat model's words: one request a slot asks for twenty lemmas that fit. Raises LLMError, BudgetError."""
    for answer in completer.run(requests):
        words = answer.value.words if answer.value else []
        lemmas = dict.fromkeys(word.strip() for word in words if TOKEN.fullmatch(word.strip()))
        yield lemmas, answer.reason or ("" if lemmas else "the model proposes no word")


def cloze_request(slot: Slot, prompt: Prompt, language: Language) -> Request[ProposedWords]:
    """The request for the words of a slot; `prompt` is `propose_words`."""
    place, pair = slot.place, slot.seed.pair
    marked = f"{pair.good[: place.good.at]}[[{place.good.text}]]{pair.good[place.good.end :]}"
    kind = f"{place.upos} {show_features(place.bundles[0][0])}"
    values: dict[str, Value] = {"language": language.name, "count": CLOZE_WORDS, "kind": kind, "sentence": marked}
    rendered = prompt.render({**values, "word": place.good.text, "lemma": place.lemma})
    return Request(rendered, ProposedWords, LLM_STAGE, pair.source_id, f"pair {pair.id}")


class OddSentences(BaseModel):
    """The answer to `odd_sentences`: the numbers of those that a reader stumbles over."""

    odd: list[int]


def odd_pairs(pairs: Sequence[Candidate], completer: Completer, language: Language, workspace: Path) -> frozenset[str]:
    """The ids of the pairs whose good sentences a chat model finds odd, of which it is shown ten at a time.

    Raises PromptError, LLMError, BudgetError.
    """
    prompt = load_prompt("odd_sentences", workspace=workspace)

    def requests() -> Iterator[tuple[Sequence[Candidate], Request[OddSentences]]]:
        for batch in (pairs[start : start + _ASKED_TOGETHER] for start in range(0, len(pairs), _ASKED_TOGETHER)):
            listed = "\n".join(f"{number}. {pair.good}" for number, pair in enumerate(batch, start=1))
            rendered = prompt.render({"language": language.name, "sentences": listed})
            yield batch, Request(rendered, OddSentences, LLM_STAGE, batch[0].source_id, f"odd from {batch[0].id}")

    answered = [(batch, answer.value.odd) for batch, answer in ask_about(completer, requests()) if answer.value]
    return frozenset(pair.id for batch, odd in answered for at, pair in enumerate(batch, start=1) if at in odd)


def entry_of(lexicon: SlotLexicon, place: SharedWord) -> SlotWord | None:
    """The entry of a word; lexicons do not agree on what is a proper noun."""
    kinds = (place.upos, *(upos for upos in ("NOUN", "PROPN") if place.upos in NOUNS and upos != place.upos))
    return next(filter(None, (lexicon.get((place.lemma, upos)) for upos in kinds)), None)


def fitting(
    slot: Slot, lemmas: Iterable[str], lexicon: SlotLexicon | None, inflector: Inflector, settings: AugmentSettings
) -> tuple[list[str], dict[str, str]]:
    """The first lemmas that a slot can take, and those before them that it can't, with the reasons.

    A lemma that the slot lexicon puts into another class than the replaced word does not fit.
    """
    entry = entry_of(lexicon, slot.place) if lexicon else None
    taken: list[str] = []
    refused: dict[str, str] = {}
    for lemma in lemmas:
        if len(taken) == settings.proposals:
            break
        if lemma == slot.place.lemma:
            continue
        other = lexicon.get((lemma, entry.upos)) if lexicon and entry else None
        if entry and other and entry.classes and other.classes and not fits(other, entry):
            refused[lemma] = f"its class is {' '.join(other.classes)}, not {' '.join(entry.classes)}"
        elif lemma in settings.never:
            refused[lemma] = "augment.never has it"
        elif isinstance(variant := slot.taking(lemma, inflector), NotInflected):
            refused[lemma] = variant.reason
        else:
            taken.append(lemma)
    return taken, refused


def seeds_of(
    pairs: Iterable[Candidate],
    language: Language,
    inflector: Inflector,
    trees: Mapping[str, Tree],
    keep: Sequence[str],
    refuse: Refuse,
) -> list[Seed]:
    """A seed for each pair whose sentences align; words that are no slots are refused.

    trees  of the good sentences of treebank pairs, by their blocks
    """
    seeds: list[Seed] = []
    for pair in pairs:
        tree = trees.get(pair.evidence.block_id) if pair.method == "treebank" else None
        try:
            seeds.append(seed := seed_of(pair, language, inflector, tree, keep))
        except MisalignedError as fault:
            refuse(pair, f"the sentences do not align: {fault}", f"{pair.good} / {pair.bad}")
            continue
        for word, reason in seed.skipped:
            refuse(pair, f"no slot: {reason}", f"{word}: {pair.good}")
    return seeds


def filled(
    seeds: Sequence[Seed],
    propose: Callable[[Sequence[Slot]], Proposals],
    lexicon: SlotLexicon | None,
    inflector: Inflector,
    settings: AugmentSettings,
    refuse: Refuse,
) -> list[Slots]:
    """The seeds with the words for their slots, in order; what was proposed and does not fit is refused.

    lexicon  whose classes the words must have, as far as it knows them
    """
    slots = [Slot(seed, number) for seed in seeds for number in seed.slots]
    words: dict[str, dict[int, list[str]]] = {seed.pair.id: {} for seed in seeds}
    for slot, (lemmas, why_none) in zip(slots, propose(slots), strict=True):
        pair, word = slot.seed.pair, slot.place.good.text
        taken, refused = fitting(slot, lemmas, lexicon, inflector, settings)
        if taken:
            words[pair.id][slot.number] = taken
        elif not refused:
            refuse(pair, f"no words: {why_none or 'no word is proposed'}", f"{word}: {pair.good}")
        for reason, count in Counter(refused.values()).items():
            shown = ", ".join([lemma for lemma, why in refused.items() if why == reason][:_SHOWN_WORDS])
            refuse(pair, f"words refused: {reason}", f"{word}: {shown}{', …' if count > _SHOWN_WORDS else ''}")
    return [Slots(seed, words[seed.pair.id]) for seed in seeds if words[seed.pair.id]]


class Grown(NamedTuple):
    """A pair that a choice of words makes; `rank` is the worst rank of its words."""

    variant: Variant
    choice: Choice
    rank: int


def grow(
    seeds: Sequence[Slots], wanted: int, settings: AugmentSettings, inflector: Inflector, new_words: int
) -> tuple[list[tuple[Slots, Grown]], Counter[str]]:
    """The pairs of one rule, at most `wanted`, each with its seed, in the order in which they were taken.

    new_words  most replaced words of a pair
    Returns too how many seeds gave no more, by the reason.
    """
    lemma_cap = max(1, math.ceil(wanted * settings.lemma_share))
    growing = [(slots, _variants(slots, inflector, new_words)) for slots in seeds]
    lemmas, given, ended = Counter[str](), Counter[str](), Counter[str]()
    said = {sentence_key(slots.seed.pair.good) for slots in seeds}
    taken: list[tuple[Slots, Grown]] = []

    def is_open(pair: Grown) -> bool:
        new = sentence_key(pair.variant.good) not in said
        return new and all(lemmas[lemma] < lemma_cap for _, lemma in pair.choice)

    while growing and len(taken) < wanted:
        for slots, source in growing[: wanted - len(taken)]:
            is_full = given[slots.seed.pair.id] == settings.pairs_per_seed
            pair = None if is_full else next(filter(is_open, islice(source, _MOST_TRIES)), None)
            if pair is None:
                growing.remove((slots, source))
                capped = any(lemmas[lemma] >= lemma_cap for of_slot in slots.lemmas.values() for lemma in of_slot)
                used_up = "augment.lemma_share reached" if capped else "no further word fits"
                ended["augment.pairs_per_seed reached" if is_full else used_up] += 1
                continue
            said.add(sentence_key(pair.variant.good))
            lemmas.update(lemma for _, lemma in pair.choice)
            given[slots.seed.pair.id] += 1
            taken.append((slots, pair))
    return taken, ended


def candidate_of(slots: Slots, pair: Grown, method: AugmentMethod, model: str, *, proposed: bool) -> Candidate:
    """The pair as a candidate, with its seed as its parent."""
    seed, variant = slots.seed.pair, pair.variant
    of_words = {"replacements": variant.replacements, "model": model, "rank": pair.rank, "proposed": proposed}
    return Candidate(
        **seed.model_dump(include={"rule_id", "source_id", "features", "exception", "entry", "evidence"}),
        id=pair_id(seed.rule_id, variant.good, variant.bad),
        good=variant.good,
        bad=variant.bad,
        changes=changes(variant.good, variant.bad),
        method=method,
        parent_id=seed.id,
        derivation=Augmentation.model_validate({"method": method, "seed_id": seed.id} | of_words),
    )


def _variants(slots: Slots, inflector: Inflector, new_words: int) -> Iterator[Grown]:
    """The pairs of a seed that can be made: those first whose new words rank best and are near the contrast.

    Of two words that belong together one stays.
    """
    seed = slots.seed
    ranked = {
        number: [(rank + seed.distance(number), rank, (number, lemma)) for rank, lemma in enumerate(lemmas, start=1)]
        for number, lemmas in slots.lemmas.items()
    }
    several = (
        choice
        for size in range(1, new_words + 1)
        for numbers in combinations(ranked, size)
        if not any(seed.are_linked(*both) for both in combinations(numbers, 2))
        for choice in product(*(ranked[number] for number in numbers))
    )
    for chosen in sorted(several, key=lambda words: (sum(cost for cost, *_ in words), words)):
        choice = tuple(item for *_, item in chosen)
        variant = seed.realise(choice, inflector)
        if not isinstance(variant, NotInflected) and len({lemma for _, lemma in choice}) == len(choice):
            yield Grown(variant, choice, max(rank for _, rank, _ in chosen))
