"""The files that a report can be given beside scores, read into what it shows."""

from pathlib import Path

from pairwright.errors import ReleaseError
from pairwright.lm.settings import ModelSettings
from pairwright.records import Record
from pairwright.records.release import Release
from pairwright.report.analysis.confounds import read_frequencies
from pairwright.report.analysis.summary import Extras
from pairwright.report.data.model_family import lineages
from pairwright.report.external.euroeval import read_euroeval
from pairwright.report.external.judgements import read_judgements
from pairwright.report.external.lm_eval import model_of, read_lm_eval
from pairwright.report.external.minicons import read_minicons
from pairwright.report.external.results import PairResults
from pairwright.report.external.segmentation import read_segmentation


class Given(Record):
    """Paths of files beside the scores.

    models        of models.toml, for what it says of families, sizes and tuning
    judgements    ratings or choices of people
    frequencies   words and their counts
    segmentation  words cut into morphemes
    lm_eval       samples of lm-evaluation-harness: files, or the folder that it writes for a model, as MODEL=PATH or,
                  where the folder is named after the model, as PATH
    euroeval      EuroEval's euroeval_benchmark_results.jsonl
    minicons      CSV files of minicons as MODEL=PATH
    """

    models: tuple[ModelSettings, ...] = ()
    judgements: Path | None = None
    frequencies: Path | None = None
    segmentation: Path | None = None
    lm_eval: tuple[str, ...] = ()
    euroeval: tuple[Path, ...] = ()
    minicons: tuple[str, ...] = ()


def read_extras(given: Given, release: Release) -> Extras:
    """What stands in the files. Raises ModelError, ReviewError or ReleaseError with the file and the line at fault."""
    languages = {source.language for source in release.info.sources}
    language = languages.pop() if len(languages) == 1 else None
    return Extras(
        lineages={name: dict(kin) for name, kin in lineages(given.models).items()},
        judgements=tuple(read_judgements(given.judgements)) if given.judgements else (),
        frequencies=read_frequencies(given.frequencies) if given.frequencies else {},
        pair_results=tuple(_pair_results(given, release)),
        task_results=tuple(item for path in given.euroeval for item in read_euroeval(path, language)),
        words=tuple(read_segmentation(given.segmentation)) if given.segmentation else (),
    )


def _pair_results(given: Given, release: Release) -> list[PairResults]:
    found = []
    for text in given.lm_eval:
        model, path = _named(text)
        files = sorted(path.glob("samples_*.jsonl")) if path.is_dir() else [path]
        if not files:
            raise ReleaseError(f"{path}: no samples_*.jsonl in it; run lm_eval with --log_samples")
        found.append(read_lm_eval(files, model or model_of(files[0]), release.pairs))
    for text in given.minicons:
        model, path = _named(text)
        if not model:
            raise ReleaseError(f"{text}: say whose scores they are, as MODEL={text}")
        found.append(read_minicons(path, model, release.pairs))
    return found


def _named(text: str) -> tuple[str, Path]:
    """MODEL=PATH as both, PATH alone with an empty name."""
    model, _, path = text.rpartition("=")
    return (model, Path(path)) if not Path(text).exists() else ("", Path(text))
