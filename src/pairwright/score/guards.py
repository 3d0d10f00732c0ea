"""What keeps transformers in check: silence while it loads, causal models only, and its faults in one line."""

import contextlib
import io
import logging
import threading
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pairwright.errors import ModelError

if TYPE_CHECKING:
    from transformers import PreTrainedConfig

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
        reason = "it needs code of its own, and such code is never run" if own_code else one_line(fault).rstrip(".")
        raise ModelError(f"{problem}: {reason}; {remedy}") from None


def require_causal(config: "PreTrainedConfig", name: str) -> None:
    """Raises ModelError unless a configuration is that of a decoder-only language model with its output layer."""
    from transformers.models.auto import modeling_auto as auto

    causal = auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    masked = config.model_type in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES and not getattr(config, "is_decoder", False)
    architectures = config.architectures or [causal.get(config.model_type, "")]
    if config.is_encoder_decoder or masked or not any(item in causal.values() for item in architectures):
        what = config.architectures[0] if config.architectures else config.model_type
        raise ModelError(f"{name}: {what} is not a causal LM (yet); give a decoder-only language model")
