"""From the model that a user names to a scorer that is ready."""

from collections.abc import Callable
from typing import Any

from pairwright.core.config import ScoreSettings
from pairwright.core.files import user_path
from pairwright.core.ids import digest
from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.evaluate.scoring.inputs import Scorer
from pairwright.evaluate.scoring.scorers.causal import CausalScorer
from pairwright.evaluate.scoring.scorers.masked import MaskedScorer, Seq2SeqScorer
from pairwright.evaluate.scoring.scorers.served import ServedScorer
from pairwright.models.load.kernels import cpu_kernels
from pairwright.models.load.models import (
    EMBEDDED,
    LoadedModel,
    file_identity,
    files_identity,
    load_model,
    load_tokenizer,
)
from pairwright.models.load.settings import ModelKind, ModelSettings, cached_commit, delete

# Settings that change how a run is cut up and computed, and its results by rounding alone.
COMPUTATION = {"batch_size", "batch_tokens", "packing", "cpu_kernels", "shard_pairs"}
SCORERS: dict[ModelKind, Callable[[LoadedModel, ScoreSettings], Scorer]] = {
    "causal": CausalScorer,
    "masked": MaskedScorer,
    "seq2seq": Seq2SeqScorer,
}


def settings_for(model: ModelSettings, settings: ScoreSettings) -> ScoreSettings:
    """The settings of scoring, with those that a model sets for itself in their place."""
    shared = set(ModelSettings.model_fields) & set(ScoreSettings.model_fields)
    return settings.model_copy(update=model.model_dump(include=shared, exclude_none=True))


def open_scorer(model: ModelSettings, settings: ScoreSettings, concurrency: int = 8) -> Scorer:
    """Loads a model, or connects to its server. Raises ModelError, in one line, where it can't score so.

    concurrency  how many requests a server gets at a time
    """
    if model.is_served:
        return ServedScorer(model, settings, concurrency)
    loaded = load_for_scoring(model, settings)
    return SCORERS[loaded.kind](loaded, settings)


def load_for_scoring(model: ModelSettings, settings: ScoreSettings) -> LoadedModel:
    """A model that no server holds, with the kernels that `score.cpu_kernels` says. Raises ModelError."""
    own = model.model_dump(include={"revision", "quantisation", "trust_remote_code", "label"})
    loaded = load_model(model.name, dtype=settings.dtype, device=settings.device, **own)
    cpu_kernels(settings.cpu_kernels).speed_up(loaded.model)
    return loaded


def tokenizer_of(model: ModelSettings) -> Any | None:
    """The tokenizer of a model; None where a server keeps it. Raises ModelError where it can't be loaded."""
    if model.is_served:
        return None
    return load_tokenizer(model.name, revision=model.revision, trust_remote_code=model.trust_remote_code)


def request_key(model: ModelSettings, settings: ScoreSettings, release_sha256: str) -> str | None:
    """The hash of what is asked for, without loading the model: its files, its settings, the release; not its label.

    None where that can't be told: of a server's model, of one that has to be downloaded, of files that are not there.
    """
    files = None if model.is_served else files_identity(model.name, model.revision)
    unigrams = user_path(settings.unigrams or "")
    corpus = file_identity([unigrams]) if settings.unigrams and unigrams.is_file() else None
    asked = settings.model_dump(exclude=COMPUTATION)
    own = model.model_dump(include={"revision", "quantisation", "trust_remote_code"})
    version = ScoringPolicy.model_fields["version"].default
    return None if files is None else digest([release_sha256, files, own, asked, corpus, version])


class TemporaryDownload:
    """A hub model that is deleted after its use, where `keep` is false and the disk did not hold it before."""

    def __init__(self, model: ModelSettings) -> None:
        local = model.is_served or model.name == EMBEDDED or user_path(model.name).exists()
        self._is_temporary = not (model.keep or local or cached_commit(model.name, model.revision))
        self._name = model.name

    def delete(self, revision: str | None) -> None:
        """Deletes the commit that was downloaded; a model that was there before is kept."""
        if self._is_temporary and revision is not None:
            delete(self._name, revision)
