"""The input of a report besides scores: the contents of the files that a user names."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from pairwright.core.errors import ReleaseError
from pairwright.core.records import Record
from pairwright.core.records.release import Release
from pairwright.models.load.settings import ModelSettings
from pairwright.reporting.data import lineages
from pairwright.reporting.external import (
    HumanJudgement,
    PairResults,
    TaskResult,
    read_euroeval,
    read_frequencies,
    read_judgements,
    read_lm_eval,
    read_minicons,
)


class ReportInputs(Record):
    """The contents of the files that a report takes besides scores. `frequencies` are log10 of the counts of words."""

    lineages: dict[str, dict[str, str]] = Field(default_factory=dict)
    judgements: tuple[HumanJudgement, ...] = ()
    frequencies: dict[str, float] = Field(default_factory=dict)
    pair_results: tuple[PairResults, ...] = ()
    task_results: tuple[TaskResult, ...] = ()


def read_inputs(
    release: Release,
    *,
    models: Iterable[ModelSettings] = (),
    judgements: Path | None = None,
    frequencies: Path | None = None,
    lm_eval: Iterable[str] = (),
    euroeval: Iterable[Path] = (),
    minicons: Iterable[str] = (),
) -> ReportInputs:
    """Reads files that a report takes besides scores.

    models       of models.toml, for the families, sizes and variants that it states
    judgements   ratings or choices of people
    frequencies  words and their counts
    lm_eval      samples of lm-evaluation-harness: files, or the folder that it writes for a model, as MODEL=PATH or,
                 where the folder has the model's name, as PATH
    euroeval     EuroEval's euroeval_benchmark_results.jsonl
    minicons     CSV files of minicons as MODEL=PATH

    Raises ModelError, ReviewError or ReleaseError with the file and the line at fault.
    """
    languages = {source.language for source in release.info.sources}
    language = languages.pop() if len(languages) == 1 else None
    pair_results = [read_lm_eval(path, model, release.pairs) for model, path in map(_model_and_path, lm_eval)]
    for model, path in map(_model_and_path, minicons):
        if not model:
            raise ReleaseError(f"{path}: say whose scores they are, as MODEL={path}")
        pair_results += read_minicons(path, model, release.pairs)
    return ReportInputs(
        lineages=lineages(models),
        judgements=tuple(read_judgements(judgements)) if judgements else (),
        frequencies=read_frequencies(frequencies) if frequencies else {},
        pair_results=tuple(pair_results),
        task_results=tuple(item for path in euroeval for item in read_euroeval(path, language)),
    )


def _model_and_path(text: str) -> tuple[str, Path]:
    """Splits MODEL=PATH; a PATH alone comes with an empty model."""
    model, _, path = text.rpartition("=")
    return (model, Path(path)) if not Path(text).exists() else ("", Path(text))
