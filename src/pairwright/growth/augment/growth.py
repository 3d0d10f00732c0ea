"""From seeds with the words that fit their slots to the pairs of a rule, balanced as they are chosen.

Pairs are taken in turn from each seed, those first whose new words rank best and are near the contrast. Among the next
few of a seed the one is taken that keeps the pairs most like the seeds in what confounds a model's scores: how many
subwords more the bad sentence has than the good one, and how many the good one has. The number of words never changes.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, product
from statistics import fmean
from typing import Literal, NamedTuple

from pairwright.core.config import AugmentSettings
from pairwright.core.errors import counted
from pairwright.core.ids import pair_id
from pairwright.core.records import Augmentation, Candidate
from pairwright.core.text import sentence_key, words
from pairwright.growth.augment.proposers import Slots
from pairwright.growth.augment.seeds import Choice, Variant
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.morphology.inflection import Inflector, NotInflected

AugmentMethod = Literal["lexicon", "masked-lm", "cloze"]
CountSubwords = Callable[[Sequence[str]], list[int]]
"""How many subwords a tokenizer makes of sentences."""

# So many pairs of a seed compete for a place.
_WINDOW = 10
# A seed gives no more pairs where so many in a row are under a cap.
_MOST_TRIES = 2000


class Grown(NamedTuple):
    """A pair that a choice of words makes; `rank` is the worst rank of its words."""

    variant: Variant
    choice: Choice
    rank: int
    subwords: tuple[int, int]  # of the good and of the bad sentence


@dataclass
class _Growing:
    """A seed while its rule grows: what it can still give, and what it gave."""

    slots: Slots
    source: Iterator[tuple[Variant, Choice, int]]
    subwords: tuple[int, int]
    window: list[Grown] = field(default_factory=list)
    given: int = 0


def grow(
    seeds: Sequence[Slots],
    wanted: int,
    settings: AugmentSettings,
    inflector: Inflector,
    subwords: CountSubwords,
    new_words: int,
) -> tuple[list[tuple[Slots, Grown]], Counter[str]]:
    """The pairs of one rule, at most `wanted`, each with its seed, in the order in which they were taken.

    new_words  most replaced words of a pair
    Returns too how many seeds gave no more, by the reason.
    """
    lemma_cap = max(1, math.ceil(wanted * settings.lemma_share))
    growing = [_Growing(slots, _variants(slots, inflector, new_words), _sizes(slots, subwords)) for slots in seeds]
    lemmas, ended = Counter[str](), Counter[str]()
    said = {sentence_key(slots.seed.pair.good) for slots in seeds}
    taken: list[tuple[Slots, Grown]] = []
    drift = [0, 0]
    while growing and len(taken) < wanted:
        for seed in list(growing):
            _refill(seed, said, subwords, lambda choice: all(lemmas[lemma] < lemma_cap for _, lemma in choice))
            if not seed.window or len(taken) == wanted or seed.given == settings.pairs_per_seed:
                growing.remove(seed)
                capped = any(lemmas[lemma] >= lemma_cap for of_slot in seed.slots.lemmas.values() for lemma in of_slot)
                used_up = "augment.lemma_share reached" if capped else "no further word fits"
                ended["augment.pairs_per_seed reached" if seed.window else used_up] += 1
                continue
            best = min(seed.window, key=lambda pair: (*_imbalance(pair, seed, drift), pair.rank, pair.choice))
            seed.window.remove(best)
            drift = [drift[i] + shift for i, shift in enumerate(_shifts(best, seed))]
            said.add(sentence_key(best.variant.good))
            lemmas.update(lemma for _, lemma in best.choice)
            seed.given += 1
            taken.append((seed.slots, best))
    return taken, ended


def candidate_of(slots: Slots, pair: Grown, method: AugmentMethod, model: str, *, proposed: bool) -> Candidate:
    """The pair as a candidate, with its seed as its parent."""
    seed, variant = slots.seed.pair, pair.variant
    return Candidate(
        id=pair_id(seed.rule_id, variant.good, variant.bad),
        rule_id=seed.rule_id,
        source_id=seed.source_id,
        good=variant.good,
        bad=variant.bad,
        changes=changes(variant.good, variant.bad),
        method=method,
        parent_id=seed.id,
        features=seed.features,
        exception=seed.exception,
        entry=seed.entry,
        evidence=seed.evidence,
        derivation=Augmentation(
            method=method,
            seed_id=seed.id,
            replacements=variant.replacements,
            model=model,
            rank=pair.rank,
            proposed=proposed,
        ),
    )


def _variants(slots: Slots, inflector: Inflector, new_words: int) -> Iterator[tuple[Variant, Choice, int]]:
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
            yield variant, choice, max(rank for _, rank, _ in chosen)


def _refill(seed: _Growing, said: set[str], subwords: CountSubwords, is_open: Callable[[Choice], bool]) -> None:
    """Fills the window of a seed with pairs that are new and under no cap."""
    seed.window = [pair for pair in seed.window if is_open(pair.choice) and sentence_key(pair.variant.good) not in said]
    fresh = []
    for variant, choice, rank in islice(seed.source, _MOST_TRIES):
        if is_open(choice) and sentence_key(variant.good) not in said:
            fresh.append((variant, choice, rank))
        if len(seed.window) + len(fresh) >= _WINDOW:
            break
    counts = subwords([text for variant, *_ in fresh for text in (variant.good, variant.bad)])
    seed.window += [
        Grown(variant, choice, rank, (counts[2 * number], counts[2 * number + 1]))
        for number, (variant, choice, rank) in enumerate(fresh)
    ]


def _sizes(slots: Slots, subwords: CountSubwords) -> tuple[int, int]:
    good, bad = subwords([slots.seed.pair.good, slots.seed.pair.bad])
    return good, bad


def _shifts(pair: Grown, seed: _Growing) -> tuple[int, int]:
    """By how many subwords a pair differs from its seed: in the difference of its sentences, in the good sentence."""
    (good, bad), (seed_good, seed_bad) = pair.subwords, seed.subwords
    return (bad - good) - (seed_bad - seed_good), good - seed_good


def _imbalance(pair: Grown, seed: _Growing, drift: Sequence[int]) -> tuple[int, int]:
    difference, length = _shifts(pair, seed)
    return abs(drift[0] + difference) + abs(drift[1] + length), abs(difference)


def rule_figures(seeds: Mapping[str, Candidate], pairs: Sequence[Candidate], subwords: CountSubwords) -> str:
    """The numbers of a rule's pairs, at least one, beside those of their seeds, which `seeds` has by id."""
    parents = [seeds[pair.parent_id] for pair in pairs if pair.parent_id is not None and pair.parent_id in seeds]
    grown = [pair.derivation for pair in pairs if isinstance(pair.derivation, Augmentation)]
    lemmas = {item.lemma for derivation in grown for item in derivation.replacements if not item.agrees}
    listed = [word.casefold() for pair in pairs for word in words(pair.good)]
    (good, more), (seed_good, seed_more) = _subwords(pairs, subwords), _subwords(parents, subwords)
    return (
        f"{counted(len({parent.id for parent in parents}), 'seed')} to {counted(len(pairs), 'pair')}; "
        f"{counted(len(lemmas), 'new lemma')}, type-token ratio {len(set(listed)) / len(listed):.3f}; subwords of a "
        f"good sentence: {good:.1f} (seeds {seed_good:.1f}), more in the bad one: {more:+.2f} (seeds {seed_more:+.2f})"
    )


def _subwords(pairs: Sequence[Candidate], subwords: CountSubwords) -> tuple[float, float]:
    """The mean subwords of the good sentences, and how many more the bad ones have."""
    counts = subwords([text for pair in pairs for text in (pair.good, pair.bad)])
    return fmean(counts[::2]), fmean(counts[1::2]) - fmean(counts[::2])
