"""What else explains score differences: length, tokens and word frequency."""

from collections.abc import Mapping, Sequence

import numpy as np
from pandas import DataFrame

from pairwright.core.records.release import ReleasePair
from pairwright.core.text import nfc, words
from pairwright.reporting.analysis.comparisons import COMPARED
from pairwright.reporting.analysis.groups import Clusters, Row, ends
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.stats.bootstrap import Floats
from pairwright.stats.confounds import standardised_regression

LENGTH, TOKENS, FREQUENCY, UNIGRAM = "length in characters", "number of tokens", "word frequency", "unigram probability"


def confounds(
    pairs: Sequence[ReleasePair],
    models: Sequence[ScoredModel],
    clusters: Clusters,
    frequencies: Mapping[str, float] | None = None,
) -> DataFrame:
    """By model and measure the regression of score differences on properties of both sentences, good minus bad: a row
    for each standardised coefficient, with the regression's R² and number of pairs.

    No row where too few pairs were scored or no property varies.

    frequencies  log10 of the frequency of words; a word that is not in it counts as the least frequent one
    """
    length = np.array([float(len(pair.sentence_good) - len(pair.sentence_bad)) for pair in pairs])
    frequency = _frequency_differences(pairs, frequencies) if frequencies else None
    rows: list[Row] = []
    for model in models:
        n_tokens = model.n_tokens.astype(np.float64)
        properties: dict[str, Floats] = {LENGTH: length, TOKENS: n_tokens[:, 0] - n_tokens[:, 1]}
        if frequency is not None:
            properties[FREQUENCY] = frequency
        scored = model.scored("sum_logprob")
        if "slor" in model.differences:
            scored = scored & np.isfinite(model.unigram)
            properties[UNIGRAM] = model.unigram
        usable = {name: values[scored] for name, values in properties.items()}
        for measure in COMPARED:
            fit = standardised_regression(model.differences[measure][scored], usable, clusters.compared[scored])
            for it in fit.coefficients if fit else ():
                named = {"model": model.label, "measure": measure, "property": it.name, "coefficient": it.value}
                numbers = {"p": it.p, "r2": fit.r2, "n": fit.n, "n_clusters": fit.n_clusters} if fit else {}
                rows.append({**named, **ends("coefficient", it.interval), **numbers})
    return DataFrame(rows)


def _frequency_differences(pairs: Sequence[ReleasePair], frequencies: Mapping[str, float]) -> Floats:
    """Per pair the mean log-frequency of the differing words of the good sentence minus that of the bad one."""
    least = min(frequencies.values())

    def mean(texts: Sequence[str]) -> float:
        logs = [frequencies.get(word.lower(), least) for text in texts for word in words(nfc(text))]
        return float(np.mean(logs)) if logs else least

    return np.array(
        [mean([change.good for change in p.changes]) - mean([change.bad for change in p.changes]) for p in pairs]
    )
