"""Which kinds of language models there are, and of which kind a model is.

Loading with transformers: quiet, its errors as one line, and what to do where memory runs out.

Models of the Hugging Face hub: downloaded, and deleted again on request.

models.toml: the language models that a user names, each with settings of its own.

What a model's weight files hold, against what its configuration says: no weight is made up, and none is left out.
"""

import contextlib
import gc
import io
import json
import logging
import re
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from pairwright.core.config import Count, DtypeName, Natural, Settings, VariableName
from pairwright.core.errors import ModelError, UnknownModel, nearest, one_line
from pairwright.core.ids import digest, read_toml

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedConfig, PreTrainedModel


ModelKind = Literal["causal", "masked", "seq2seq", "encoder"]
LOADERS: dict[ModelKind, str] = {
    "causal": "AutoModelForCausalLM",
    "masked": "AutoModelForMaskedLM",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "encoder": "AutoModel",
}


def model_kind(config: "PreTrainedConfig", name: str) -> ModelKind:
    """The kind of a model. Raises ModelError where it has no output layer over the vocabulary, like a classifier."""
    from transformers.models.auto import modeling_auto as auto

    classes: dict[ModelKind, dict[str, str]] = {
        "seq2seq": auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
        "masked": auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
        "causal": auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    }
    if getattr(config, "is_decoder", False) and not config.is_encoder_decoder:
        del classes["seq2seq"], classes["masked"]
    # A class that comes with the model itself stands in its auto_map.
    auto_map = getattr(config, "auto_map", None) or {}
    for kind, class_names in classes.items():
        default = class_names.get(config.model_type)
        architectures = config.architectures or ([default] if default else [])
        own_class = str(auto_map.get(LOADERS[kind], "")).rpartition(".")[2]
        if any(name in class_names.values() or name == own_class for name in architectures):
            return kind
    architecture = config.architectures[0] if config.architectures else config.model_type
    raise ModelError(
        f"{name}: {architecture} is no language model that scores words; give a causal, a fill-mask or an "
        "encoder-decoder model"
    )


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


def download(name: str, revision: str | None, patterns: Sequence[str]) -> Path:
    """The folder of a hub model, from the cache or the network; its name is the commit.

    Raises UnknownModel where neither gives it.
    """
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError

    near = nearest(name, ("embedded",))
    try:
        folder = huggingface_hub.snapshot_download(
            name, revision=revision, allow_patterns=list(patterns), ignore_patterns=["*/*", "consolidated*"]
        )
    except HFValidationError:
        raise UnknownModel(f"{name}: no such directory, and not a hub id; give a local directory{near}") from None
    # The network's errors are those of requests, httpx or httpx2, by the version of huggingface_hub.
    except Exception as error:
        raise UnknownModel(
            f"{name}: not on this machine, and the hub can't give it ({_reason(error)}); "
            f"give a local directory, or download it where there is network{near}"
        ) from None
    return Path(folder)


def delete(name: str, revision: str) -> None:
    """Deletes a commit of a model from the hub's cache."""
    import huggingface_hub

    cache = huggingface_hub.scan_cache_dir(_cache_folder())
    commits = {commit.commit_hash for model in cache.repos if model.repo_id == name for commit in model.revisions}
    cache.delete_revisions(*commits & {revision}).execute()


def cached_commit(name: str, revision: str | None) -> str | None:
    """The commit of a model that the cache holds; None where it holds none, or this is no name of a model."""
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError

    folder = _cache_folder()
    try:
        config = huggingface_hub.try_to_load_from_cache(name, "config.json", cache_dir=folder, revision=revision)
    except HFValidationError:
        return None
    return Path(config).parent.name if isinstance(config, str) else None


def _cache_folder() -> Path:
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def _reason(error: Exception) -> str:
    from huggingface_hub.errors import GatedRepoError, LocalEntryNotFoundError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        return "gated: accept its licence on the hub and log in"
    if isinstance(error, RepositoryNotFoundError):
        return "no such model, or private"
    return "no network" if isinstance(error, LocalEntryNotFoundError) else one_line(error)


# The environment variable that holds a server's key where neither models.toml nor [llm] names one.
KEY = "PAIRWRIGHT_API_KEY"


class ModelSettings(Settings):
    """A model of models.toml. What is left out is as `[score]` of pairwright.toml says, or as auto does.

    name               a folder, a GGUF file, a hub id, `embedded`, or the address of a server with its `/v1`
    thinking_tokens    as in [ask]
    family             for reports, which else read it from the name; likewise `size` such as 1.7B, and `variant`
    """

    name: Annotated[str, Field(min_length=1)]
    label: str | None = None  # the name in reports, instead of the model's own
    revision: str | None = None  # branch, tag or commit of a hub model
    dtype: DtypeName | None = None
    device: str | None = None
    quantisation: Literal["8bit", "4bit"] | None = None  # by bitsandbytes
    batch_size: Count | None = None
    batch_tokens: Natural | None = None
    masked: Literal["pll", "within-word"] | None = None
    chat: str | None = None
    trust_remote_code: bool = False  # whether Python code that comes with the model is run; it can do whatever you can
    keep: bool = True  # whether a hub model that had to be downloaded stays on disk after it was scored
    model: str | None = None  # what the server calls the model; `key_env` the environment variable with its key
    key_env: VariableName | None = None
    thinking_tokens: Natural | None = None
    family: str | None = None
    size: str | None = None
    variant: Literal["base", "instruct"] | None = None

    @field_validator("name")
    @classmethod
    def _no_password(cls, name: str) -> str:
        address = urlsplit(name) if name.startswith(("http://", "https://")) else urlsplit("")
        if "@" in address.netloc or address.query or address.fragment:
            host = address.netloc.rsplit("@", 1)[-1]
            remedy = "put the key into an environment variable, and its name under key_env in models.toml"
            # Not a ValueError, which would show the password.
            raise ModelError(f"{address.scheme}://{host}: an address has no user name, password or query; {remedy}")
        return name

    def served_slug(self, model: str) -> str:
        """The folder name of a model of this server, by what the server calls it."""
        slug = f"{self.label or model}-{digest([self.name, model])[:8]}-server"
        return re.sub(r"[^A-Za-z0-9._-]+", "-", slug).lstrip("-._")

    @property
    def is_served(self) -> bool:
        """Whether a server holds the model."""
        return self.name.startswith(("http://", "https://"))


class ModelList(Settings):
    """The content of models.toml: a table `[[model]]` for each model, in the order in which they are scored."""

    model: Annotated[tuple[ModelSettings, ...], Field(min_length=1)]


def read_models(path: Path) -> tuple[ModelSettings, ...]:
    """The models of a models.toml. Raises ModelError that names file, line and key."""
    return read_toml(path, ModelList, ModelError).model


DAMAGED = "save or download the model again"
# Transformers makes a list of so many before it builds anything; the deepest networks have some hundred layers.
MOST_COUNTED = 100_000
_COUNTED = re.compile("layer|label")
# Embeddings are built up to four times and tied afterwards; tables of positions need not be stored.
_TIMES, _NOT_STORED = 4, 4_000_000
# Up to so many weights are packed in an integer.
_PACKED = 16
# A constant that GPT-2 and its kin stored until transformers 4.28.
_CONSTANT = re.compile(r"\.masked_bias$")


def check_counts(config: Path, name: str) -> None:
    """Raises ModelError where a configuration counts more layers or labels than any model has."""
    for key, value in _numbers(json.loads(config.read_text(encoding="utf-8"))):
        if _COUNTED.search(key) and value > MOST_COUNTED:
            raise ModelError(f"{name}: its config.json says {key} = {value:,}, which no model has; {DAMAGED}")


def _numbers(value: Any, key: str = "") -> Iterator[tuple[str, int]]:
    if isinstance(value, Mapping):
        for inner, part in value.items():
            yield from _numbers(part, str(inner))
    elif isinstance(value, list):
        for part in value:
            yield from _numbers(part, key)
    elif isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1:
        yield key, int(value)


@contextmanager
def no_larger_than(files: Iterable[Path], name: str) -> Iterator[None]:
    """Raises ModelError as soon as a network that is built inside has far more weights than safetensors files hold."""
    from torch.nn.modules.module import register_module_parameter_registration_hook

    most = _TIMES * sum(map(_stored, files)) + _NOT_STORED
    sizes: dict[tuple[int, str], int] = {}
    built, thread = 0, threading.get_ident()

    def count(module: "nn.Module", key: str, weight: "nn.Parameter | None") -> None:
        nonlocal built
        if weight is None or threading.get_ident() != thread:
            return
        # Weights that are read take the place of those that were only laid out.
        place = id(module), key
        built += weight.numel() - sizes.get(place, 0)
        sizes[place] = weight.numel()
        if built > most:
            raise ModelError(
                f"{name}: its config.json asks for over {most:,} weights, far more than its files hold; {DAMAGED}"
            )

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        hook.remove()


def _stored(path: Path) -> int:
    """How many weights a file may hold, by its header alone."""
    from safetensors import safe_open

    with safe_open(path, "pt") as file:
        tensors = [file.get_slice(key) for key in file.keys()]  # noqa: SIM118
        return sum(prod(it.get_shape()) * (_PACKED if it.get_dtype()[0] in "IU" else 1) for it in tensors)


def check_report(model: "PreTrainedModel", report: Mapping[str, Any], name: str, *, encoder: bool) -> None:
    """Raises ModelError where weights are missing, of another shape, or of the network and not used by it.

    report   transformers' loading info, without the keys that the model's class says it does without
    encoder  a model of hidden states, which don't pass through a pooler

    What stands beside the network's body, as the output layer of another task, may be left over.
    """
    missing = sorted({*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])})
    if encoder:
        # A model that was trained to fill masks has none.
        missing = [key for key in missing if not key.startswith("pooler.")]
    if missing:
        raise ModelError(f"{name}: weights are missing or of another shape: {', '.join(missing[:3])}; {DAMAGED}")
    body = {key.partition(".")[0] for key in model.base_model.state_dict()}
    before = f"{model.base_model_prefix}."
    unused = sorted(
        key
        for key in report["unexpected_keys"]
        if key.removeprefix(before).partition(".")[0] in body and not _CONSTANT.search(key)
    )
    if unused:
        raise ModelError(
            f"{name}: its config.json does not use {len(unused)} of its weights, such as {', '.join(unused[:3])}; "
            "repair it, or save or download the model again"
        )
