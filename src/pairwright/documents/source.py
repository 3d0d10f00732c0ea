"""Sources: a folder with source.toml, or a bare file that is registered as one; and the blocks that were read."""

import os
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pairwright.core.codes import check_language_code
from pairwright.core.errors import SourceError, StoreError, nearest
from pairwright.core.files import open_file, read_file, read_text
from pairwright.core.ids import file_sha256, load_toml, validate
from pairwright.core.records import Block, Rejection, Source, SourceFile, SourceKind
from pairwright.core.store import read_if_there, read_jsonl, read_manifest, write_text
from pairwright.core.text import marked_encoding
from pairwright.core.workspace import Workspace
from pairwright.documents import STAGE
from pairwright.languages import load_language
from pairwright.languages.conventions import FILE as CONVENTIONS
from pairwright.languages.conventions import MAX_BYTES, own_conventions

# The kind of a document where neither source.toml nor the user says it: by the ending of its name.
KIND_BY_SUFFIX: dict[str, SourceKind] = {
    ".md": "error-list", ".txt": "error-list", ".html": "error-list", ".htm": "error-list", ".csv": "error-list",
    ".tsv": "error-list", ".pdf": "grammar-book", ".docx": "grammar-book", ".odt": "grammar-book",
    ".epub": "grammar-book", ".rtf": "grammar-book", ".tex": "grammar-book",
    ".conllu": "treebank",
}  # fmt: skip


def load_source(folder: Path) -> Source:
    """The source of a folder.

    Raises SourceError for an unknown key, and for a file that is missing, changed, outside the folder or named twice.
    """
    source, path = _described(folder), folder / "source.toml"
    names: dict[str, str] = {}
    for file in source.files:
        document = document_path(folder, file.path)
        if not document.exists():
            raise SourceError(f"{path}: file '{file.path}' is missing; put it into {folder}")
        sha256 = file_sha256(document, SourceError)
        if sha256 != file.sha256:
            raise SourceError(
                f"{document}: the file has changed: its sha256 is {sha256}, source.toml says {file.sha256}; "
                "restore the file, or write the new sha256 into source.toml"
            )
        if twin := names.get(file.sha256):
            raise SourceError(f"{path}: '{file.path}' has the same content as '{twin}'; name one of them")
        names[file.sha256] = file.path
    judgements = own_conventions(folder).get("judgements", {})
    own = {mark: meaning for meaning, marks in judgements.items() for mark in marks}
    return source.model_copy(update={"marks": tuple({**dict(source.marks), **own}.items())}) if own else source


def registered_folder(workspace: Workspace, folder: Path) -> Path:
    """The folder of a source, if it is `sources/<id>` of the workspace, by its own name or by a link.

    So an id belongs to one folder, as do the stage files and queues that are named by it. Raises SourceError otherwise.
    """
    source_id = _described(folder).id
    place = workspace.sources / source_id
    if not place.exists():
        raise SourceError(
            f"{folder}: the folder of source '{source_id}' has to be {place}; move it there, or correct its id"
        )
    if not os.path.samefile(place, folder):
        raise SourceError(f"{folder}: its id '{source_id}' belongs to {place}; give one of them another id")
    return folder


def _described(folder: Path) -> Source:
    path = folder / "source.toml"
    if not path.exists():
        raise SourceError(f"{folder}: no source.toml; give a source folder, a document or a folder of .conllu files")
    return validate(load_toml(path, SourceError), Source, path, SourceError)


def document_path(folder: Path, name: str) -> Path:
    """The place of a source's file. Raises SourceError for a relative path that leaves the folder."""
    if ".." in Path(name).parts:
        raise SourceError(f"{folder / 'source.toml'}: file '{name}' leaves the folder of the source")
    return folder / name


def register_file(
    workspace: Workspace,
    document: Path,
    *,
    kind: str | None = None,
    language: str | None = None,
    notation: str | None = None,
    encoding: str | None = None,
    pages: tuple[int, int] | None = None,
    accept: Callable[[Path, Source], None],
) -> Path:
    """Makes a bare file, or a folder of `.conllu` files, a source of the workspace and returns the source's folder.

    The first time, `accept` is called with the folder and the source, and may raise; then `sources/<id>/source.toml` is
    written, with the licence left open; so is the language's encoding of texts that are not in Unicode, where the
    document is one and no other is named. The document stays where it is. Later calls find the source again. Raises
    SourceError where the kind or language is unknown, or the document or an option no longer agrees with source.toml.
    """
    documents = treebank_files(document) or [document]
    for file in documents:
        open_file(file, SourceError).close()
    folder = workspace.sources / slug(document.stem)
    options = {"kind": kind, "language": language, "notation": notation, "encoding": encoding, "pages": pages}
    if (folder / "source.toml").exists():
        registered = load_source(folder)
        own = [document_path(folder, file.path) for file in registered.files]
        if not all(any(os.path.samefile(path, other) for other in own) for path in documents):
            raise SourceError(
                f"{document}: {folder}/source.toml already registers another file under this id; rename the file"
            )
        check_options(folder, registered, options)
        return folder
    kind = kind or KIND_BY_SUFFIX.get(documents[0].suffix.lower())
    language = _checked(document, kind, language)
    if encoding is None and _is_legacy(documents[0], workspace.config().ingest.max_bytes):
        encoding = load_language(language, workspace.root).legacy_encoding
    table: dict[str, Any] = {
        "id": slug(document.stem),
        "title": document.stem,
        "language": language,
        "kind": kind,
        "licence": "unknown",
        "citation": document.name,
        **{key: value for key, value in (("notation", notation), ("encoding", encoding), ("pages", pages)) if value},
    }
    files = [{"path": str(path.resolve()), "sha256": file_sha256(path, SourceError)} for path in documents]
    import tomlkit

    accept(folder, validate({**table, "files": files}, Source, document, SourceError))
    write_text(folder / "source.toml", tomlkit.dumps({**table, "files": files}))
    return folder


def _checked(document: Path, kind: str | None, language: str | None) -> str:
    """The language of a document. Raises SourceError where it or the kind is unknown."""
    if kind not in get_args(SourceKind):
        kinds = get_args(SourceKind)
        why = f"there is no kind '{kind}'{nearest(kind, kinds)}" if kind else "can't tell what kind of source this is"
        raise SourceError(f"{document}: {why}; say --kind ({', '.join(kinds)})")
    if language is None:
        raise SourceError(f"{document}: say the language of the document, for example --language lt")
    try:
        check_language_code(language)
    except ValueError as fault:
        raise SourceError(f"{document}: --language: {fault}") from None
    return language


def _is_legacy(document: Path, max_bytes: int) -> bool:
    """Whether more letters of a text file are no UTF-8 than are. Where few are not, it is UTF-8 that is damaged."""
    # Imported here: the readers take longer than most sources need.
    from pairwright.documents.flowing.reader import TEXT_READERS

    if document.suffix.lower() not in TEXT_READERS:
        return False
    data = read_file(document, max_bytes, SourceError)
    text = "" if marked_encoding(data) or b"\0" in data else data.decode("utf-8", "replace")
    n_bad = text.count("\ufffd")
    return n_bad > sum(letter > "\x7f" for letter in text) - n_bad


def treebank_files(folder: Path) -> list[Path]:
    """The `.conllu` files of a folder without a source.toml, as a treebank is released; none of anything else."""
    return [] if (folder / "source.toml").exists() else sorted(folder.glob("*.conllu"))


def slug(name: str) -> str:
    """A plain id from a file name: small ASCII letters, digits and hyphens."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-")[:60] or "source"


def check_options(folder: Path, source: Source, options: Mapping[str, Any]) -> None:
    """Raises SourceError where an option of `register_file` differs from what source.toml says."""
    for key, value in options.items():
        if value not in (None, registered := getattr(source, key)):
            own, asked = ("-".join(map(str, it)) if isinstance(it, tuple) else it for it in (registered, value))
            there = "isn't set there" if own is None else f"is '{own}' there"
            raise SourceError(
                f"{folder / 'source.toml'}: {key} {there} but '{asked}' was asked for; change it in source.toml"
            )


@dataclass(frozen=True)
class Document:
    """A file of a source, with what the ingest stage made of it, in reading order."""

    source: Source
    file: SourceFile
    path: Path
    blocks: tuple[Block, ...]
    rejections: tuple[Rejection, ...]
    conventions: str = ""  # the text of its conventions.toml

    @property
    def is_text(self) -> bool:
        """Whether the document has lines and no page images."""
        return bool(self.blocks) and all(block.bbox is None for block in self.blocks)


def source_folder(workspace: Workspace, source: str) -> Path:
    """The folder of a source that is given as a folder or as an id. Raises SourceError where there is none."""
    registered, path = workspace.sources / source, Path(source)
    if (registered / "source.toml").exists():
        return registered_folder(workspace, registered)
    if path.is_dir():
        return registered_folder(workspace, path)
    if address := re.match(r"(https?):/+(.*)", source):  # a path has one slash where an address has two
        raise SourceError(
            f"{address[1]}://{address[2]}: an address, not a file; download the document and give its path"
        )
    if path.is_file():
        raise SourceError(f"{source}: no source of this id; give the source's id, such as {slug(path.stem)}")
    ids = (path.parent.name for path in workspace.sources.glob("*/source.toml"))
    reason = f"no source of this id in {workspace.sources}, and no such file or folder"
    raise SourceError(f"{source}: {reason}; pairwright status lists the sources{nearest(source, ids)}")


def blocks_of_source(workspace: Workspace, source_name: str, file_name: str | None = None) -> Document:
    """A file of a source with its blocks. `file_name` is wanted where the source has several files.

    Raises SourceError for a missing or changed document, or one that is not the one that was read, and StoreError where
    the source has no blocks yet.
    """
    folder = source_folder(workspace, source_name)
    source = load_source(folder)
    work = workspace.work(source.id)
    path = work / f"{STAGE.name}.jsonl"
    remedy = workspace.command("build", source_name)
    if not path.exists():
        raise StoreError(f"{source.id}: no blocks yet; run {remedy}")
    file = _choose(source, folder, file_name)
    manifest = read_manifest(work, STAGE.name)
    if manifest and any(item.name == file.path and item.sha256 != file.sha256 for item in manifest.inputs):
        raise SourceError(f"{source.id}: {file.path} is not the file that was read; run {remedy}")
    document = document_path(folder, file.path)
    blocks = tuple(block for block in read_jsonl(path, Block) if _same(folder, block.file, document))
    rejections = read_if_there(work / f"{STAGE.name}.rejected.jsonl", Rejection)
    own = tuple(item for item in rejections if _same(folder, item.file, document))
    conventions = folder / CONVENTIONS
    text = read_text(conventions, MAX_BYTES, SourceError) if conventions.exists() else ""
    return Document(source, file, document, blocks, own, text)


def _choose(source: Source, folder: Path, name: str | None) -> SourceFile:
    matching = [file for file in source.files if name is None or name in {file.path, Path(file.path).name}]
    names = ", ".join(file.path for file in source.files)
    if not matching:
        raise SourceError(f"{folder / 'source.toml'}: no file '{name}'; its files: {names}")
    if len(matching) > 1:
        raise SourceError(f"{source.id}: several files ({names}); say which with --file")
    return matching[0]


def block_path(folder: Path, block: Block) -> Path:
    """The document of a block, in the folder of its source. Raises SourceError where it is missing or has changed."""
    source = load_source(folder)
    document = document_path(folder, block.file)
    if not any(_same(folder, block.file, document_path(folder, file.path)) for file in source.files):
        raise SourceError(f"{folder / 'source.toml'}: '{block.file}', where {block.id} stands, is not among its files")
    return document


def _same(folder: Path, name: str, document: Path) -> bool:
    return name == str(document) or document_path(folder, name).resolve() == document.resolve()
