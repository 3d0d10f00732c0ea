"""How much of a model's score differences follows from length, tokenization and word frequency instead of grammar."""

from collections.abc import Mapping, Sequence

import numpy as np

from pairwright.core.records import Record
from pairwright.core.records.release import ReleasePair
from pairwright.core.text import nfc, words
from pairwright.reporting.analysis.comparisons import COMPARED
from pairwright.reporting.analysis.groups import Clusters
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.data.score_differences import Measure
from pairwright.stats.bootstrap import Floats
from pairwright.stats.confounds import Regression, standardised_regression

LENGTH, TOKENS, FREQUENCY, UNIGRAM = "length in characters", "number of tokens", "word frequency", "unigram probability"


class Confound(Record):
    """The regression of a model's score differences on differences between the two sentences, good minus bad."""

    model: str
    measure: Measure
    regression: Regression


def confounds(
    pairs: Sequence[ReleasePair],
    models: Sequence[ScoredModel],
    clusters: Clusters,
    frequencies: Mapping[str, float] | None = None,
) -> tuple[Confound, ...]:
    """A regression for each model and measure; none where too few pairs were scored or no property varies.

    frequencies  log10 of the frequency of words; a word that is not in it counts as the least frequent one
    """
    length = np.array([float(len(pair.sentence_good) - len(pair.sentence_bad)) for pair in pairs])
    frequency = _frequency_differences(pairs, frequencies) if frequencies else None
    compared, results = clusters.compared, []
    for model in models:
        n_tokens = model.n_tokens.astype(np.float64)
        properties: dict[str, Floats] = {LENGTH: length, TOKENS: n_tokens[:, 0] - n_tokens[:, 1]}
        if frequency is not None:
            properties[FREQUENCY] = frequency
        scored = model.scored("sum")
        if "slor" in model.differences:
            scored = scored & np.isfinite(model.unigram)
            properties[UNIGRAM] = model.unigram
        usable = {name: values[scored] for name, values in properties.items()}
        for measure in COMPARED:
            outcome = model.differences[measure][scored]
            regression = standardised_regression(outcome, usable, compared[scored])
            if regression is not None:
                results.append(Confound(model=model.label, measure=measure, regression=regression))
    return tuple(results)


def _frequency_differences(pairs: Sequence[ReleasePair], frequencies: Mapping[str, float]) -> Floats:
    """Per pair the mean log-frequency of the differing words of the good sentence minus that of the bad one."""
    least = min(frequencies.values())

    def mean(texts: Sequence[str]) -> float:
        logs = [frequencies.get(word.lower(), least) for text in texts for word in words(nfc(text))]
        return float(np.mean(logs)) if logs else least

    return np.array(
        [mean([change.good for change in p.changes]) - mean([change.bad for change in p.changes]) for p in pairs]
    )
