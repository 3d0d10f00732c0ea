"""Language models for scoring: the embedded one, a directory with safetensors, a GGUF file or a hub id.

No code of a model's repository is run and no pickle is read: only safetensors and architectures of transformers.
"""

import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairwright.errors import ModelError
from pairwright.ids import digest, file_sha256
from pairwright.runs import ModelInfo
from pairwright.score.embedded import embedded_model, gguf_model
from pairwright.score.guards import one_line, reading, require_causal
from pairwright.store import package_versions

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

EMBEDDED = "embedded"
DTYPES = ("float32", "float64", "bfloat16", "float16")
DEVICES = ("cpu", "cuda", "mps", "xpu")
AGAIN = "save or download the model again"
STAMPED_PACKAGES = ("pairwright", "torch", "transformers", "tokenizers", "safetensors")
WEIGHT_FILES = "*.safetensors"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "*.model",
)


@dataclass(frozen=True)
class LoadedModel:
    """A causal language model in memory, its tokenizer, and what is known of both."""

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"
    info: ModelInfo


@dataclass(frozen=True)
class _Weights:
    """Where a model's files lie and what identifies them: a hub commit or the hash of the weights."""

    requested: str
    directory: Path
    name: str
    revision: str | None = None
    sha256: str | None = None


def load_model(name: str, *, dtype: str = "auto", device: str = "auto", cache: Path | None = None) -> LoadedModel:
    """Loads a causal language model for scoring.

    name    `embedded`, a directory with safetensors, a .gguf file, or an id of the Hugging Face hub
    dtype   auto (float32 on a CPU, bfloat16 on a GPU) or one of `DTYPES`
    device  auto (a CUDA GPU where there is one), or what torch calls it: cpu, cuda, cuda:1
    cache   the folder of converted GGUF models, instead of PAIRWRIGHT_CACHE and the user's cache

    Raises ModelError, in one line, where the model is missing, damaged, not causal, or does not fit the device.
    """
    place = _device(device)
    number = _dtype(dtype, place)
    weights = _find(name, cache)
    config = _config(weights)
    tokenizer = _tokenizer(weights)
    model = _model(weights, config, number, place)
    return LoadedModel(model=model, tokenizer=tokenizer, info=_info(weights, model, tokenizer))


def _device(device: str) -> "torch.device":
    import torch

    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    place: torch.device | None
    try:
        place = torch.device(device)
        torch.empty(0, device=place)
    except (RuntimeError, AssertionError):
        place = None
    if place is None or place.type not in DEVICES:
        raise ModelError(f"device '{device}' can't be used here; use auto, cpu, or a GPU that torch sees")
    return place


def _dtype(dtype: str, place: "torch.device") -> "torch.dtype":
    import torch

    if dtype == "auto":
        return torch.bfloat16 if place.type == "cuda" else torch.float32
    if dtype not in DTYPES:
        raise ModelError(f"dtype '{dtype}' is unknown; use auto, {', '.join(DTYPES)}")
    found = getattr(torch, dtype)
    assert isinstance(found, torch.dtype)
    return found


def _find(name: str, cache: Path | None) -> _Weights:
    if not name.strip():
        raise ModelError("no model is named; give a local directory, a .gguf file, a hub id or embedded")
    path = Path(name).expanduser()
    if name == EMBEDDED:
        converted = embedded_model(cache)
    elif path.is_dir():
        return _local(name, path)
    elif path.is_file() or path.suffix == ".gguf":
        converted = gguf_model(path, cache)
    elif path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise ModelError(f"{name}: no such file or directory; give a local directory or a hub id")
    else:
        return _from_hub(name)
    return _Weights(requested=name, directory=converted.directory, name=converted.name, sha256=converted.sha256)


def _local(requested: str, directory: Path) -> _Weights:
    _require_files(directory, requested)
    sha256 = _files_sha256(_matching(directory, ("config.json", WEIGHT_FILES)))
    return _Weights(requested=requested, directory=directory, name=directory.resolve().name, sha256=sha256)


def _from_hub(name: str) -> _Weights:
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError

    wanted = ["config.json", "generation_config.json", WEIGHT_FILES, f"{WEIGHT_FILES}.index.json", *TOKENIZER_FILES]
    try:
        found = huggingface_hub.snapshot_download(name, allow_patterns=wanted, ignore_patterns=["*/*", "consolidated*"])
    except HFValidationError:
        raise ModelError(f"{name}: no such directory, and not a hub id; give a local directory") from None
    except (OSError, HfHubHTTPError) as fault:
        raise ModelError(
            f"{name}: not on this machine, and the hub can't give it ({_hub_reason(fault)}); "
            "give a local directory, or download it where there is network"
        ) from None
    directory = Path(found)
    _require_files(directory, name)
    return _Weights(requested=name, directory=directory, name=name, revision=directory.name)


def _hub_reason(fault: Exception) -> str:
    from huggingface_hub.errors import GatedRepoError, LocalEntryNotFoundError, RepositoryNotFoundError

    if isinstance(fault, GatedRepoError):
        return "gated: accept its licence on the hub and log in"
    if isinstance(fault, RepositoryNotFoundError):
        return "no such model, or private"
    if isinstance(fault, LocalEntryNotFoundError):
        return "no network"
    return one_line(fault)


def _require_files(directory: Path, name: str) -> None:
    if not (directory / "config.json").is_file():
        raise ModelError(f"{name}: no config.json there; give the directory that save_pretrained wrote")
    if not _matching(directory, (WEIGHT_FILES,)):
        pickled = ", as pickle files may run code" if _matching(directory, PICKLES) else ""
        raise ModelError(f"{name}: no safetensors weights there; convert the model to safetensors{pickled}")


def _matching(directory: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted({path for pattern in patterns for path in directory.glob(pattern) if path.is_file()})


def _files_sha256(files: Iterable[Path]) -> str:
    """The digest of file names with the SHA-256 of their bytes."""
    return digest({path.name: file_sha256(path) for path in files})


def _config(weights: _Weights) -> "PreTrainedConfig":
    from transformers import AutoConfig

    with reading(f"{weights.requested}: its config.json can't be used", "give a model that transformers knows"):
        config: PreTrainedConfig = AutoConfig.from_pretrained(
            weights.directory, trust_remote_code=False, local_files_only=True
        )
    require_causal(config, weights.requested)
    return config


def _tokenizer(weights: _Weights) -> "PreTrainedTokenizerBase":
    from transformers import AutoTokenizer

    if not _matching(weights.directory, TOKENIZER_FILES):
        raise ModelError(f"{weights.requested}: no tokenizer there; save it beside the weights")
    with reading(f"{weights.requested}: its tokenizer can't be loaded", AGAIN):
        return AutoTokenizer.from_pretrained(weights.directory, trust_remote_code=False, local_files_only=True)


def _model(
    weights: _Weights, config: "PreTrainedConfig", number: "torch.dtype", place: "torch.device"
) -> "PreTrainedModel":
    from transformers import AutoModelForCausalLM

    loader: Any = AutoModelForCausalLM
    with reading(f"{weights.requested}: its weights can't be loaded", AGAIN):
        model, report = loader.from_pretrained(
            weights.directory,
            config=config,
            dtype=number,
            # The other implementations leave out the soft cap that some models put on their attention scores.
            attn_implementation="eager",
            use_safetensors=True,
            # Weights of another shape are refused below, by name.
            ignore_mismatched_sizes=True,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
        )
        loaded: PreTrainedModel = model.to(place).eval()
    lacking = sorted({*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])})
    if lacking:
        named = ", ".join(lacking[:3])
        raise ModelError(f"{weights.requested}: weights are missing or of another shape: {named}; {AGAIN}")
    return loaded


def _info(weights: _Weights, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> ModelInfo:
    import torch

    text = model.config.get_text_config()
    dtype = str(model.dtype).removeprefix("torch.")
    return ModelInfo(
        name=weights.name,
        requested=weights.requested,
        slug=_slug(weights, dtype),
        architecture=type(model).__name__,
        n_parameters=model.num_parameters(),
        revision=weights.revision,
        weights_sha256=weights.sha256,
        tokenizer_sha256=_files_sha256(_matching(weights.directory, TOKENIZER_FILES)),
        dtype=dtype,
        device=str(model.device),
        context_length=getattr(text, "max_position_embeddings", None),
        vocabulary_size=model.get_input_embeddings().num_embeddings,
        bos_token_id=tokenizer.bos_token_id,
        packages=package_versions(STAMPED_PACKAGES),
        torch_threads=torch.get_num_threads(),
        hardware=_hardware(model.device),
    )


def _slug(weights: _Weights, dtype: str) -> str:
    """A folder name. Local models that share a name differ in their hash; dtypes other than float32 are named."""
    parts = [weights.name.replace("/", "--")]
    if weights.sha256 and weights.requested != EMBEDDED:
        parts.append(weights.sha256[:8])
    if dtype != "float32":
        parts.append(dtype)
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "-".join(parts)).lstrip("-._") or "model"


def _hardware(place: "torch.device") -> str:
    import torch

    if place.type == "cuda":
        return torch.cuda.get_device_name(place)
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
