"""What becomes of a seed, by condition."""

from pairwright.core.records import ParadigmVariant, Rejection
from pairwright.growth.paradigm.seeds import ParsedSeed, variants
from pairwright.languages.morphology.inflection import Inflector


def made(seed: ParsedSeed, inflector: Inflector, *conditions: str) -> dict[str, tuple[str, str] | str]:
    """By condition the two sentences, or the reason why there are none."""
    results: dict[str, tuple[str, str] | str] = {}
    for item in variants(seed, conditions or seed.frames.conditions, inflector):
        if isinstance(item, Rejection):
            condition, _, reason = item.reason.partition(": ")
            results[condition] = reason
        else:
            assert isinstance(item.derivation, ParadigmVariant)
            results[item.derivation.condition] = item.good, item.bad
    return results
