"""From what a user names to a model that is ready to score."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pairwright.config import ScoreSettings, read_toml
from pairwright.errors import ModelError
from pairwright.lm.hf_errors import Kind
from pairwright.lm.hub import forget, is_cached
from pairwright.lm.models import LoadedModel, load_model, load_tokenizer
from pairwright.lm.settings import ModelList, ModelSettings
from pairwright.score.cpu.kernels import speed_up
from pairwright.score.inputs.outcomes import Scorer
from pairwright.score.scorers.causal import CausalScorer
from pairwright.score.scorers.masked import MaskedScorer
from pairwright.score.scorers.seq2seq import Seq2SeqScorer
from pairwright.score.scorers.served import ServedScorer

SCORERS: dict[Kind, Callable[[LoadedModel, ScoreSettings], Scorer]] = {
    "causal": CausalScorer,
    "masked": MaskedScorer,
    "seq2seq": Seq2SeqScorer,
}
ADDRESSES = ("http://", "https://")


def read_models(path: Path) -> tuple[ModelSettings, ...]:
    """The models of a models.toml. Raises ModelError that names file, line and key."""
    return read_toml(path, ModelList, ModelError).model


def settings_for(model: ModelSettings, settings: ScoreSettings) -> ScoreSettings:
    """The settings of scoring with what a model sets for itself."""
    shared = set(ModelSettings.model_fields) & set(ScoreSettings.model_fields)
    return settings.model_copy(update=model.model_dump(include=shared, exclude_none=True))


def open_scorer(model: ModelSettings, settings: ScoreSettings) -> Scorer:
    """Loads a model, or reaches its server, and makes it ready to score; `settings` are those that hold for it.

    Raises ModelError, in one line, where that can't be done.
    """
    if model.name.startswith(ADDRESSES):
        return ServedScorer(model, settings)
    loaded = load_model(
        model.name,
        dtype=settings.dtype,
        device=settings.device,
        revision=model.revision,
        quantisation=model.quantisation,
        trust_remote_code=model.trust_remote_code,
        label=model.label,
    )
    speed_up(loaded.model)
    return SCORERS[loaded.kind](loaded, settings)


def tokenizer_of(model: ModelSettings) -> Any | None:
    """The tokenizer of a model; None where a server keeps it. Raises ModelError where it can't be loaded."""
    if model.name.startswith(ADDRESSES):
        return None
    return load_tokenizer(model.name, revision=model.revision, trust_remote_code=model.trust_remote_code)


class Borrowed:
    """A model that is taken off the disk again after its use, where `keep` is false and it was not there before."""

    def __init__(self, model: ModelSettings) -> None:
        here = model.name.startswith(ADDRESSES) or Path(model.name).expanduser().exists() or model.name == "embedded"
        self._leaves = not model.keep and not here and not is_cached(model.name, model.revision)
        self._name = model.name

    def give_back(self, revision: str | None) -> None:
        """Removes the commit that was downloaded."""
        if self._leaves and revision is not None:
            forget(self._name, revision)
