"""Loading with transformers: quiet, its errors as one line, and what to do where memory runs out."""

import contextlib
import gc
import io
import logging
import sys
import threading
import warnings
from collections.abc import Iterator

from pairwright.core.errors import ModelError, one_line

# What torch's allocators say, or a GPU library that could not get its share. They have no class of their own.
_NO_MEMORY = ("out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED")
_OWN_CODE = "it needs code of its own, which is run only where models.toml says trust_remote_code = true"
_TOO_LARGE = 'give it a smaller dtype or a quantisation in models.toml, or spread it over all GPUs by device = "map"'
# Warning filters and standard error belong to the process: two threads must not save and restore them in turns.
_SILENCE = threading.RLock()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silences transformers' progress bars, some of which ignore its settings, warnings and log lines inside."""
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
def load_errors(problem: str, remedy: str) -> Iterator[None]:
    """Turns whatever a reader of untrusted files raises inside into a ModelError: problem, reason and remedy."""
    try:
        with quiet():
            yield
    except ModelError:
        raise
    except Exception as error:
        reason = _OWN_CODE if "contains custom code" in str(error) else one_line(error).rstrip(".")
        raise ModelError(f"{problem}: {reason}; {_TOO_LARGE if out_of_memory(error) else remedy}") from None


def out_of_memory(error: BaseException) -> bool:
    """Whether an error says that a GPU or the machine ran out of memory."""
    import torch

    return isinstance(error, MemoryError | torch.OutOfMemoryError) or any(text in str(error) for text in _NO_MEMORY)


def release_memory() -> None:
    """Frees what the GPU's allocator keeps for later, where torch was imported already."""
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
