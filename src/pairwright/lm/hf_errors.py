"""What keeps transformers in check: silence while it loads, language models only, and its faults in one line."""

import contextlib
import io
import logging
import threading
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from pairwright.errors import ModelError
from pairwright.lm.memory import out_of_memory

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

Kind = Literal["causal", "masked", "seq2seq"]
LOADERS: dict[Kind, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
}

_OWN_CODE = "it needs code of its own, which is run only where models.toml says trust_remote_code = true"
_TOO_LARGE = 'give it a smaller dtype or a quantisation in models.toml, or spread it over all GPUs by device = "map"'
# Warning filters and standard error belong to the process: two threads must not save and put them back in turns.
_SILENCE = threading.RLock()


def one_line(fault: BaseException) -> str:
    """The first line of a library's message, at most 200 characters; the kind of fault where it has no message."""
    lines = str(fault).strip().splitlines()
    return lines[0][:200] if lines else type(fault).__name__


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No progress bars, warnings or log lines from transformers inside; its settings are put back afterwards.

    Some of its progress bars obey no setting and write to standard error, so that is held back too.
    """
    from transformers.utils import logging as transformers_logging

    with _SILENCE, warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        bars, level = transformers_logging.is_progress_bar_enabled(), transformers_logging.get_verbosity()
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        transformers_logging.set_verbosity(logging.ERROR)
        try:
            yield
        finally:
            transformers_logging.set_verbosity(level)
            if bars:
                transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def reading(problem: str, remedy: str) -> Iterator[None]:
    """Turns whatever a reader of untrusted files raises inside into a ModelError: problem, reason and remedy."""
    try:
        with quiet():
            yield
    except ModelError:
        raise
    except Exception as fault:
        own_code = "contains custom code" in str(fault)
        reason = _OWN_CODE if own_code else one_line(fault).rstrip(".")
        remedy = _TOO_LARGE if out_of_memory(fault) else remedy
        raise ModelError(f"{problem}: {reason}; {remedy}") from None


@contextlib.contextmanager
def failing(name: str) -> Iterator[None]:
    """Turns what a model raises while it scores into a ModelError in one line."""
    try:
        yield
    except (RuntimeError, ValueError, IndexError, TypeError) as fault:
        raise ModelError(
            f"{name}: the model failed while scoring: {one_line(fault)}; set another score.dtype or score.device"
        ) from None


def kind_of(config: "PreTrainedConfig", name: str) -> Kind:
    """How a model reads: left to right, with masks, or an encoder and a decoder.

    Raises ModelError where it has no output layer over words, as a classifier has none.
    """
    from transformers.models.auto import modeling_auto as auto

    known: dict[Kind, dict[str, str]] = {
        "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        "masked": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        "causal": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    }
    if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
        del known["seq2seq"], known["masked"]
    # What a repository's own class is stands in its auto_map.
    own = getattr(config, "auto_map", None) or {}
    for kind, names in known.items():
        usual = names.get(config.model_type)
        architectures = config.architectures or ([usual] if usual else [])
        trusted = str(own.get(LOADERS[kind], "")).rpartition(".")[2]
        if any(item in names.values() or item == trusted for item in architectures):
            return kind
    what = config.architectures[0] if config.architectures else config.model_type
    raise ModelError(
        f"{name}: {what} is no language model that scores words; give a causal, a fill-mask or an encoder-decoder model"
    )
