"""From seeds with the words that fit their slots to the pairs of a rule: in turn from each seed, its best words first.

The words that rank best and are near the contrast come first. No lemma comes too often, and the number of words of a
sentence never changes.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice, product
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
# A seed gives no more pairs where so many in a row are under a cap.
_MOST_TRIES = 2000


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


def rule_figures(pairs: Sequence[Candidate]) -> str:
    """How varied a rule's pairs are, at least one."""
    grown = [pair.derivation for pair in pairs if isinstance(pair.derivation, Augmentation)]
    lemmas = {item.lemma for derivation in grown for item in derivation.replacements if not item.agrees}
    listed = [word.casefold() for pair in pairs for word in words(pair.good)]
    return (
        f"{counted(len({it.seed_id for it in grown}), 'seed')} to {counted(len(pairs), 'pair')}; "
        f"{counted(len(lemmas), 'new lemma')}, type-token ratio {len(set(listed)) / len(listed):.3f}"
    )
