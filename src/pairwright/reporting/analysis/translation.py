"""Translations against their references: chrF++, spBLEU with a tokenizer of the user's, COMET where it is installed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pairwright.core.errors import ReleaseError
from pairwright.reporting.data.responses import AnsweredItem
from pairwright.stats.bootstrap import Floats, cluster_sums, percentile_interval, resampled_sums
from pairwright.stats.intervals import Interval

# Each resample is computed in Python.
RESAMPLES = 1_000
Segments = tuple[list[str], list[str], list[str]]
"""Sources, translations and references, segment by segment."""
_Statistics = Callable[[Segments], Floats]
_Score = Callable[[Floats], float]


@dataclass(frozen=True)
class TranslationMetrics:
    """The metrics that translations are measured by: chrF++, and those for which a file is given.

    tokenizer  a SentencePiece model, such as that of FLORES-200; then spBLEU
    comet      a checkpoint of COMET; then COMET. Raises ReleaseError in `measure` where the package is not installed
    """

    tokenizer: Path | None = None
    comet: Path | None = None

    def measure(
        self, rows: Sequence[AnsweredItem], clusters: NDArray[Any], runs: Sequence[Sequence[int]]
    ) -> Iterator[tuple[str, float, Interval | None, list[float], float | None]]:
        """Each metric of some translations, 0-1 (COMET: about that), with the interval of the bootstrap over clusters,
        the metric of each run, and that of the same translations, each set beside the next one's reference.

        Source: Popović (2017), chrF++: words helping character n-grams, WMT 2017, 612-618; Goyal and others (2022), The
        FLORES-101 Evaluation Benchmark, TACL 10, 522-538 (spBLEU); Post (2018), A Call for Clarity in Reporting BLEU
        Scores, WMT 2018, 186-191 (sacrebleu); Rei and others (2020), COMET, EMNLP 2020, 2685-2702.
        """
        ours = [row.response.raw.strip() for row in rows]
        segments = ["\n".join(row.item.context) for row in rows], ours, [row.item.reference or "" for row in rows]
        shifted = segments[0], [*ours[1:], *ours[:1]], segments[2]
        for metric, (statistics_of, score) in self._metrics.items():
            statistics = statistics_of(segments)
            sums = cluster_sums(statistics, clusters)
            drawn = np.array([score(row) for row in resampled_sums(sums, n_resamples=RESAMPLES)])
            # COMET takes too long to be measured once more.
            several = metric != "COMET" and len(rows) > 1
            shuffled = score(statistics_of(shifted).sum(axis=0)) if several else None
            by_run = [score(statistics[run].sum(axis=0)) for run in runs]
            yield metric, score(statistics.sum(axis=0)), percentile_interval(drawn, len(sums)), by_run, shuffled

    @cached_property
    def _metrics(self) -> dict[str, tuple[_Statistics, _Score]]:
        from sacrebleu.metrics.bleu import BLEU
        from sacrebleu.metrics.chrf import CHRF

        metrics = {"chrF++": _of_sacrebleu(CHRF(word_order=2), lambda text: text)}
        if self.tokenizer is not None:
            metrics["spBLEU"] = _of_sacrebleu(BLEU(tokenize="none", force=True), _pieces(self.tokenizer))
        if self.comet is not None:
            metrics["COMET"] = _comet(self.comet), lambda sums: float(sums[0] / sums[1])
        return metrics


def _of_sacrebleu(metric: Any, tokenize: Callable[[str], str]) -> tuple[_Statistics, _Score]:
    """The statistics and the score of a metric of sacrebleu, whose bootstrap adds up the same rows."""

    def statistics(segments: Segments) -> Floats:
        ours, theirs = ([tokenize(text) for text in texts] for texts in segments[1:])
        return np.array(metric._extract_corpus_statistics(ours, [theirs]), dtype=np.float64)

    def score(sums: Floats) -> float:
        return float(metric._compute_score_from_stats([int(number) for number in sums]).score) / 100

    return statistics, score


def _pieces(path: Path) -> Callable[[str], str]:
    """What cuts a text into the pieces of a SentencePiece model, with spaces between them. Raises ReleaseError."""
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise ReleaseError(f"{path}: spBLEU needs sentencepiece; run: pip install pairwright[spbleu]") from None
    try:
        processor = SentencePieceProcessor(model_file=str(path))
    except (OSError, RuntimeError):
        raise ReleaseError(f"{path}: not a SentencePiece model; give that of FLORES-200, for one") from None
    return lambda text: " ".join(processor.encode(text, out_type=str))


def _comet(path: Path) -> _Statistics:
    try:
        from comet import load_from_checkpoint
    except ImportError:
        raise ReleaseError(f"{path}: COMET is not installed; run: pip install unbabel-comet") from None
    model = load_from_checkpoint(str(path))

    def statistics(segments: Segments) -> Floats:
        rows = [{"src": source, "mt": ours, "ref": theirs} for source, ours, theirs in zip(*segments, strict=True)]
        scores = model.predict(rows, gpus=0, progress_bar=False).scores
        return np.array([(score, 1.0) for score in scores])

    return statistics
