"""The input of a report besides scores: the files that a user names, and their contents."""

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


class ReportFiles(Record):
    """Paths of files that a report takes besides scores, and what it looks like.

    models        of models.toml, for the families, sizes and variants that it states
    judgements    ratings or choices of people
    frequencies   words and their counts
    lm_eval       samples of lm-evaluation-harness: files, or the folder that it writes for a model, as MODEL=PATH or,
                  where the folder has the model's name, as PATH
    euroeval      EuroEval's euroeval_benchmark_results.jsonl
    minicons      CSV files of minicons as MODEL=PATH
    page_language the code of the language of its page; None for the one that the workspace sets
    extras        files of extras, by the name of the extra
    page_tokens   the most tokens that its page shows with their surprisals; None for 5,000,000
    """

    models: tuple[ModelSettings, ...] = ()
    judgements: Path | None = None
    frequencies: Path | None = None
    lm_eval: tuple[str, ...] = ()
    euroeval: tuple[Path, ...] = ()
    minicons: tuple[str, ...] = ()
    page_language: str | None = None
    page_tokens: int | None = None
    extras: dict[str, Path] = Field(default_factory=dict)


class ReportInputs(Record):
    """The contents of the files that a report takes besides scores. `frequencies` are log10 of the counts of words."""

    lineages: dict[str, dict[str, str]] = Field(default_factory=dict)
    judgements: tuple[HumanJudgement, ...] = ()
    frequencies: dict[str, float] = Field(default_factory=dict)
    pair_results: tuple[PairResults, ...] = ()
    task_results: tuple[TaskResult, ...] = ()


def read_inputs(files: ReportFiles, release: Release) -> ReportInputs:
    """Reads the files. Raises ModelError, ReviewError or ReleaseError with the file and the line at fault."""
    languages = {source.language for source in release.info.sources}
    language = languages.pop() if len(languages) == 1 else None
    pair_results = [read_lm_eval(path, model, release.pairs) for model, path in map(_model_and_path, files.lm_eval)]
    for model, path in map(_model_and_path, files.minicons):
        if not model:
            raise ReleaseError(f"{path}: say whose scores they are, as MODEL={path}")
        pair_results += read_minicons(path, model, release.pairs)
    return ReportInputs(
        lineages={name: dict(stated) for name, stated in lineages(files.models).items()},
        judgements=tuple(read_judgements(files.judgements)) if files.judgements else (),
        frequencies=read_frequencies(files.frequencies) if files.frequencies else {},
        pair_results=tuple(pair_results),
        task_results=tuple(item for path in files.euroeval for item in read_euroeval(path, language)),
    )


def _model_and_path(text: str) -> tuple[str, Path]:
    """Splits MODEL=PATH; a PATH alone comes with an empty model."""
    model, _, path = text.rpartition("=")
    return (model, Path(path)) if not Path(text).exists() else ("", Path(text))
