"""Translations against their references: chrF++, spBLEU with a tokenizer of the user's, COMET where it is installed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pairwright.core.errors import ReleaseError
from pairwright.reporting.data.responses import AnsweredItem
from pairwright.stats.bootstrap import Floats, cluster_sums, percentile_interval, resampled_sums
from pairwright.stats.intervals import Interval

# Each resample is computed in Python.
RESAMPLES = 1_000
MetricName = Literal["chrF++", "spBLEU", "COMET"]


@dataclass(frozen=True)
class Measured:
    """A metric of a corpus of translations, 0-1 (COMET: about that).

    statistics  a row a segment; the metric of any segments is `score` of the sums of their rows
    shuffled    the metric of the same translations, each set beside the next one's reference
    """

    metric: MetricName
    statistics: Floats
    score: Callable[[Floats], float]
    interval: Interval | None
    shuffled: float | None

    @property
    def value(self) -> float:
        return self.score(self.statistics.sum(axis=0))

    def value_of(self, rows: Sequence[int]) -> float:
        """The metric of some of the segments."""
        return self.score(self.statistics[list(rows)].sum(axis=0))


class Segments(NamedTuple):
    """Sources, translations and references, segment by segment."""

    sources: list[str]
    translations: list[str]
    references: list[str]

    def shifted(self) -> "Segments":
        """Each translation beside the next segment's reference."""
        return self._replace(translations=[*self.translations[1:], *self.translations[:1]])


@dataclass(frozen=True)
class TranslationMetrics:
    """The metrics that translations are measured by: chrF++, and those for which a file is given.

    tokenizer  a SentencePiece model, such as that of FLORES-200; then spBLEU
    comet      a checkpoint of COMET; then COMET. Raises ReleaseError in `measure` where the package is not installed
    """

    tokenizer: Path | None = None
    comet: Path | None = None

    def measure(self, rows: Sequence[AnsweredItem], clusters: NDArray[Any]) -> Iterator[Measured]:
        """All metrics of some translations, with the interval of the bootstrap over clusters; none without a row.

        Source: Popović (2017), chrF++: words helping character n-grams, WMT 2017, 612-618; Goyal and others (2022), The
        FLORES-101 Evaluation Benchmark, TACL 10, 522-538 (spBLEU); Post (2018), A Call for Clarity in Reporting BLEU
        Scores, WMT 2018, 186-191 (sacrebleu); Rei and others (2020), COMET, EMNLP 2020, 2685-2702.
        """
        if not rows:
            return
        segments = Segments(
            ["\n".join(row.item.context) for row in rows],
            [row.response.raw.strip() for row in rows],
            [row.item.reference or "" for row in rows],
        )
        yield _measured("chrF++", *self._chrf, segments, clusters)
        if self.tokenizer is not None:
            yield _measured("spBLEU", *self._spbleu, segments, clusters)
        if self.comet is not None:
            yield _measured("COMET", self._comet_statistics, _mean, segments, clusters, shuffle=False)

    @cached_property
    def _chrf(self) -> "_Functions":
        from sacrebleu.metrics.chrf import CHRF

        return _of_sacrebleu(CHRF(word_order=2), lambda text: text)

    @cached_property
    def _spbleu(self) -> "_Functions":
        from sacrebleu.metrics.bleu import BLEU

        return _of_sacrebleu(BLEU(tokenize="none", force=True), _pieces(self.tokenizer))

    @cached_property
    def _comet_model(self) -> Any:
        try:
            from comet import load_from_checkpoint
        except ImportError:
            raise ReleaseError(f"{self.comet}: COMET is not installed; run: pip install unbabel-comet") from None
        return load_from_checkpoint(str(self.comet))

    def _comet_statistics(self, segments: Segments) -> Floats:
        rows = [{"src": source, "mt": ours, "ref": theirs} for source, ours, theirs in zip(*segments, strict=True)]
        scores = self._comet_model.predict(rows, gpus=0, progress_bar=False).scores
        return np.array([(score, 1.0) for score in scores])


_Statistics = Callable[[Segments], Floats]
_Functions = tuple[_Statistics, Callable[[Floats], float]]


def _mean(sums: Floats) -> float:
    return float(sums[0] / sums[1])


def _of_sacrebleu(metric: Any, tokenize: Callable[[str], str]) -> _Functions:
    """The statistics and the score of a metric of sacrebleu, whose bootstrap adds up the same rows."""

    def statistics(segments: Segments) -> Floats:
        ours, theirs = ([tokenize(text) for text in texts] for texts in segments[1:])
        return np.array(metric._extract_corpus_statistics(ours, [theirs]), dtype=np.float64)

    def score(sums: Floats) -> float:
        return float(metric._compute_score_from_stats([int(number) for number in sums]).score) / 100

    return statistics, score


def _pieces(path: Path | None) -> Callable[[str], str]:
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


def _measured(
    metric: MetricName,
    statistics_of: _Statistics,
    score: Callable[[Floats], float],
    segments: Segments,
    clusters: NDArray[Any],
    shuffle: bool = True,
) -> Measured:
    statistics = statistics_of(segments)
    sums = cluster_sums(statistics, clusters)
    resampled = resampled_sums(sums, n_resamples=RESAMPLES)
    drawn = np.array([score(row) for row in resampled])
    several = shuffle and len(statistics) > 1
    return Measured(
        metric=metric,
        statistics=statistics,
        score=score,
        interval=percentile_interval(drawn, len(sums)),
        shuffled=score(statistics_of(segments.shifted()).sum(axis=0)) if several else None,
    )
