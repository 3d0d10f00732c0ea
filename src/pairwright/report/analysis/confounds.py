"""How much of a model's margins follows from length, cutting into tokens and word frequency instead of grammar."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pairwright.errors import ReviewError, at
from pairwright.records import Record
from pairwright.records.release import ReleasePair
from pairwright.report.analysis.groups import Clusters
from pairwright.report.data.evaluations import Scored
from pairwright.report.data.score_differences import Floats, Measure
from pairwright.stats.confounds import Regression, standardised_regression
from pairwright.text import nfc

LENGTH, TOKENS, FREQUENCY, UNIGRAM = "length in characters", "number of tokens", "word frequency", "unigram probability"
MEASURES: tuple[Measure, ...] = ("sum", "mean")


class Confound(Record):
    """The regression of a model's margins by one measure on differences between the two sentences, good minus bad."""

    model: str
    measure: Measure
    regression: Regression


def confounds(
    pairs: Sequence[ReleasePair],
    models: Sequence[Scored],
    clusters: Clusters,
    frequencies: Mapping[str, float] | None = None,
) -> tuple[Confound, ...]:
    """A regression a model and measure; none where too few pairs were scored or no property varies.

    frequencies  log10 of the frequency of words; a word that it lacks counts as its least frequent one
    """
    length = np.array([float(len(pair.sentence_good) - len(pair.sentence_bad)) for pair in pairs])
    words = _frequency_differences(pairs, frequencies) if frequencies else None
    names = clusters.drawn
    found = []
    for model in models:
        properties: dict[str, Floats] = {LENGTH: length, TOKENS: _token_differences(model)}
        if words is not None:
            properties[FREQUENCY] = words
        known = model.known("sum")
        if "slor" in model.margins:
            known = known & np.isfinite(model.unigram)
            properties[UNIGRAM] = model.unigram
        for measure in MEASURES:
            regression = standardised_regression(
                model.margins[measure][known],
                {name: values[known] for name, values in properties.items()},
                names[known],
            )
            if regression is not None:
                found.append(Confound(model=model.label, measure=measure, regression=regression))
    return tuple(found)


def _token_differences(model: Scored) -> Floats:
    difference: Floats = (model.n_tokens[:, 0] - model.n_tokens[:, 1]).astype(np.float64)
    return difference


def _frequency_differences(pairs: Sequence[ReleasePair], frequencies: Mapping[str, float]) -> Floats:
    """Per pair the mean log-frequency of the differing words of the good sentence minus that of the bad one."""
    least = min(frequencies.values())

    def mean(texts: Sequence[str]) -> float:
        words = [nfc(word).lower().strip(".,;:!?„“\"'()") for text in texts for word in text.split()]
        return float(np.mean([frequencies.get(word, least) for word in words])) if words else least

    return np.array(
        [mean([change.good for change in p.changes]) - mean([change.bad for change in p.changes]) for p in pairs]
    )


def read_frequencies(path: Path) -> dict[str, float]:
    """log10 of the counts of words, from a text file with a word, a tab or space, and its count on each line.

    Raises ReviewError with the line that can't be read.
    """
    frequencies: dict[str, float] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise ReviewError(f"{path}: can't be read as UTF-8 text: {fault}") from None
    for number, line in enumerate(lines, start=1):
        word, _, count = line.strip().rpartition("\t" if "\t" in line else " ")
        if not line.strip():
            continue
        try:
            value = float(count)
        except ValueError:
            value = 0.0
        if not word or not 0 < value < float("inf"):
            raise ReviewError(f"{at(path, number)}: not a word and its count, such as `namas\t1200`")
        frequencies[nfc(word).lower()] = float(np.log10(value))
    if not frequencies:
        raise ReviewError(f"{path}: no word in it; it needs a word, a tab and its count on each line")
    return frequencies
