"""Language models for scoring: the embedded one, a directory with safetensors, a GGUF file or a hub id.

No pickle is read, only safetensors, and no code of a model's repository is run unless it is trusted by name.
"""

import json
import logging
import platform
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairwright.errors import ModelError
from pairwright.ids import digest, file_sha256
from pairwright.lm.embedded import embedded_model, gguf_model
from pairwright.lm.hf_errors import LOADERS, Kind, kind_of, reading
from pairwright.lm.hub import fetch
from pairwright.records.evaluation import ModelInfo
from pairwright.store import package_versions

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

EMBEDDED = "embedded"
DTYPES = ("float32", "float64", "bfloat16", "float16")
MAP = "map"
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
    """A language model in memory, its tokenizer, how it reads, and what is known of it."""

    model: "PreTrainedModel"
    tokenizer: "PreTrainedTokenizerBase"
    info: ModelInfo
    kind: Kind = "causal"


@dataclass(frozen=True)
class _Weights:
    """Where a model's files lie and what identifies them: a hub commit or the hash of the weights."""

    requested: str
    directory: Path
    name: str
    revision: str | None = None
    sha256: str | None = None


@dataclass(frozen=True)
class Loading:
    """How a model is loaded.

    dtype              auto (bfloat16 on a GPU that computes in it, else float32) or one of `DTYPES`
    device             auto (a CUDA GPU where there is one), map (spread over all GPUs), or what torch calls it: cpu,
                       cuda, cuda:1
    cache              the folder of converted GGUF models, instead of PAIRWRIGHT_CACHE and the user's cache
    revision           branch, tag or commit of a hub model
    quantisation       8bit or 4bit, by bitsandbytes
    trust_remote_code  whether the code in the model's repository is run
    label              the name for people, where the model's own does not do
    """

    dtype: str = "auto"
    device: str = "auto"
    cache: Path | None = None
    revision: str | None = None
    quantisation: str | None = None
    trust_remote_code: bool = False
    label: str | None = None


def load_model(name: str, **options: Any) -> LoadedModel:
    """Loads a language model for scoring; the options are those of `Loading`.

    name    `embedded`, a directory with safetensors, a .gguf file, or an id of the Hugging Face hub

    Raises ModelError, in one line, where the model is missing, damaged, no language model, or does not fit the device.
    """
    how = Loading(**options)
    place = _device("auto" if how.device == MAP else how.device)
    _settle_on(place)
    number = _dtype(how.dtype, place)
    weights = _find(name, how)
    config = _config(weights, how)
    kind = kind_of(config, weights.requested)
    tokenizer = _tokenizer(weights, how)
    model = _model(weights, config, kind, number, place, how)
    return LoadedModel(model=model, tokenizer=tokenizer, info=_info(weights, model, tokenizer, how), kind=kind)


def load_tokenizer(name: str, **options: Any) -> "PreTrainedTokenizerBase":
    """The tokenizer of a model alone; `options` are the fields of Loading. Raises ModelError as `load_model` does."""
    how = Loading(**options)
    return _tokenizer(_find(name, how), how)


def _device(device: str) -> "torch.device":
    import torch

    if device in ("auto", "cuda") and torch.cuda.is_available():
        return torch.device("cuda", 0)
    if device == "auto":
        return torch.device("cpu")
    place: torch.device | None
    try:
        place = torch.device(device)
        torch.empty(0, device=place)
    except (RuntimeError, AssertionError):
        place = None
    if place is None or place.type not in DEVICES:
        raise ModelError(f"device '{device}' can't be used here; use auto, cpu, or a GPU that torch sees")
    return place


def _settle_on(place: "torch.device") -> None:
    """Makes a GPU the current one, which some kernels take without asking, and leaves cuDNN's attention out.

    cuDNN makes a plan for every new shape of a batch, which takes longer than the attention itself.
    """
    import torch

    if place.type == "cuda":
        torch.cuda.set_device(place)
        torch.backends.cuda.enable_cudnn_sdp(False)


def _dtype(dtype: str, place: "torch.device") -> "torch.dtype":
    import torch

    if dtype == "auto":
        fast = place.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        return torch.bfloat16 if fast else torch.float32
    if dtype not in DTYPES:
        raise ModelError(f"dtype '{dtype}' is unknown; use auto, {', '.join(DTYPES)}")
    found = getattr(torch, dtype)
    assert isinstance(found, torch.dtype)
    return found


def _find(name: str, how: Loading) -> _Weights:
    if not name.strip():
        raise ModelError("no model is named; give a local directory, a .gguf file, a hub id or embedded")
    path = Path(name).expanduser()
    if name == EMBEDDED:
        converted = embedded_model(how.cache)
    elif path.is_dir():
        return _local(name, path)
    elif path.is_file() or path.suffix == ".gguf":
        converted = gguf_model(path, how.cache)
    elif path.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise ModelError(f"{name}: no such file or directory; give a local directory or a hub id")
    else:
        return _from_hub(name, how.revision, how.trust_remote_code)
    return _Weights(requested=name, directory=converted.directory, name=converted.name, sha256=converted.sha256)


def _local(requested: str, directory: Path) -> _Weights:
    _require_files(directory, requested)
    sha256 = _files_sha256(_matching(directory, ("config.json", WEIGHT_FILES)))
    return _Weights(requested=requested, directory=directory, name=directory.resolve().name, sha256=sha256)


def _from_hub(name: str, revision: str | None, own_code: bool) -> _Weights:
    wanted = ["config.json", "generation_config.json", WEIGHT_FILES, f"{WEIGHT_FILES}.index.json", *TOKENIZER_FILES]
    directory = fetch(name, revision, [*wanted, "*.py"] if own_code else wanted)
    _require_files(directory, name)
    return _Weights(requested=name, directory=directory, name=name, revision=directory.name)


def _require_files(directory: Path, name: str) -> None:
    if not (directory / "config.json").is_file():
        raise ModelError(f"{name}: no config.json there; give the directory that save_pretrained wrote")
    if not _matching(directory, (WEIGHT_FILES,)):
        pickled = ", as pickle files may run code" if _matching(directory, PICKLES) else ""
        raise ModelError(f"{name}: no safetensors weights there; convert the model to safetensors{pickled}")
    for index in directory.glob(f"{WEIGHT_FILES}.index.json"):
        with reading(f"{name}: its {index.name} can't be used", AGAIN):
            parts = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        lacking = sorted(part for part in parts if not (directory / part).is_file())
        if lacking:
            raise ModelError(f"{name}: {lacking[0]} is missing, as after an interrupted download; {AGAIN}")


def _matching(directory: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted({path for pattern in patterns for path in directory.glob(pattern) if path.is_file()})


def _files_sha256(files: Iterable[Path]) -> str:
    """The digest of file names with the SHA-256 of their bytes."""
    return digest({path.name: file_sha256(path) for path in files})


def _config(weights: _Weights, how: Loading) -> "PreTrainedConfig":
    from transformers import AutoConfig

    with reading(f"{weights.requested}: its config.json can't be used", "give a model that transformers knows"):
        config: PreTrainedConfig = AutoConfig.from_pretrained(
            weights.directory, trust_remote_code=how.trust_remote_code, local_files_only=True
        )
    return config


def _tokenizer(weights: _Weights, how: Loading) -> "PreTrainedTokenizerBase":
    from transformers import AutoTokenizer

    if not _matching(weights.directory, TOKENIZER_FILES):
        raise ModelError(f"{weights.requested}: no tokenizer there; save it beside the weights")
    with reading(f"{weights.requested}: its tokenizer can't be loaded", AGAIN):
        return AutoTokenizer.from_pretrained(
            weights.directory, trust_remote_code=how.trust_remote_code, local_files_only=True
        )


def _model(
    weights: _Weights,
    config: "PreTrainedConfig",
    kind: Kind,
    number: "torch.dtype",
    place: "torch.device",
    how: Loading,
) -> "PreTrainedModel":
    import transformers

    loader: Any = getattr(transformers, LOADERS[kind])
    # The other implementations leave out the soft cap that some models put on their attention scores.
    capped = getattr(config.get_text_config(), "attn_logit_softcapping", None)
    with reading(f"{weights.requested}: its weights can't be loaded", AGAIN):
        model, report = loader.from_pretrained(
            weights.directory,
            config=config,
            dtype=number,
            attn_implementation="eager" if capped else None,
            use_safetensors=True,
            # Weights of another shape are refused below, by name.
            ignore_mismatched_sizes=True,
            trust_remote_code=how.trust_remote_code,
            local_files_only=True,
            output_loading_info=True,
            device_map=_device_map(config, place, how),
            quantization_config=_quantisation(weights, number, how),
        )
        loaded: PreTrainedModel = (model if hasattr(model, "hf_device_map") else model.to(place)).eval()
    lacking = sorted({*report["missing_keys"], *(key for key, *_ in report["mismatched_keys"])})
    if lacking:
        named = ", ".join(lacking[:3])
        raise ModelError(f"{weights.requested}: weights are missing or of another shape: {named}; {AGAIN}")
    return loaded


def _device_map(config: "PreTrainedConfig", place: "torch.device", how: Loading) -> str | dict[str, str] | None:
    """Where the parts of a model are put as they are read; None where it is moved as a whole afterwards."""
    if how.device == MAP:
        return "auto"
    quantised = how.quantisation is not None or getattr(config, "quantization_config", None) is not None
    # What is quantised can't be moved any more, and without a word goes to the first GPU.
    return {"": str(place)} if quantised or place.type == "cuda" else None


def _quantisation(weights: _Weights, number: "torch.dtype", how: Loading) -> Any:
    if how.quantisation is None:
        return None
    if find_spec("bitsandbytes") is None:
        raise ModelError(f"{weights.requested}: quantisation needs bitsandbytes; run: pip install bitsandbytes")
    from transformers import BitsAndBytesConfig

    # It says at every product that it rounds what it multiplies.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    config: Any = BitsAndBytesConfig
    # Unless told, 4 bits are multiplied in float32.
    return config(**{f"load_in_{how.quantisation}": True}, bnb_4bit_compute_dtype=number)


def _info(weights: _Weights, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", how: Loading) -> ModelInfo:
    import torch

    dtype = str(model.dtype).removeprefix("torch.")
    return ModelInfo(
        name=how.label or weights.name,
        requested=weights.requested,
        slug=_slug(weights, dtype, how),
        architecture=type(model).__name__,
        n_parameters=model.num_parameters(),
        revision=weights.revision,
        weights_sha256=weights.sha256,
        tokenizer_sha256=_files_sha256(_matching(weights.directory, TOKENIZER_FILES)),
        dtype=dtype,
        device=str(model.device),
        context_length=_context_length(model, tokenizer),
        vocabulary_size=model.get_input_embeddings().num_embeddings,
        bos_token_id=tokenizer.bos_token_id,
        quantisation=how.quantisation,
        packages=package_versions(STAMPED_PACKAGES),
        torch_threads=torch.get_num_threads(),
        hardware=_hardware(model.device),
    )


def _context_length(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> int | None:
    """The longest input in tokens; RoBERTa and its kin count positions from after their padding token's number."""
    config = model.config.get_text_config()
    length: int | None = getattr(config, "max_position_embeddings", None)
    embeddings = [layer for name, layer in model.named_modules() if name.endswith("embeddings.position_embeddings")]
    padding = getattr(embeddings[0], "padding_idx", None) if embeddings else None
    return length if length is None or padding is None else length - int(padding) - 1


def _slug(weights: _Weights, dtype: str, how: Loading) -> str:
    """A folder name. Local models that share a name differ in their hash; dtypes other than float32 are named."""
    parts = [(how.label or weights.name).replace("/", "--")]
    if weights.sha256 and weights.requested != EMBEDDED:
        parts.append(weights.sha256[:8])
    if weights.revision and how.revision:
        parts.append(weights.revision[:8])
    if how.quantisation:
        parts.append(how.quantisation)
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


def wrap_model(model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase") -> LoadedModel:
    """A model that is in memory already, with its tokenizer. Nothing says which weights it has: it may be in training.

    Raises ModelError where it is no language model.
    """
    name = str(getattr(model.config, "name_or_path", "")) or type(model).__name__
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        weights = _Weights(requested=name, directory=Path(folder), name=Path(name).name)
        info = _info(weights, model, tokenizer, Loading())
    return LoadedModel(model=model, tokenizer=tokenizer, info=info, kind=kind_of(model.config, name))
