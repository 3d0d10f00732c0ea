"""Sources: a folder with source.toml, or a bare file that is registered as one."""

import contextlib
import json
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

from pairwright.core.codes import check_language_code
from pairwright.core.errors import SourceError
from pairwright.core.files import open_file, read_file
from pairwright.core.ids import file_sha256
from pairwright.core.records import Source, SourceKind
from pairwright.core.store import write_text
from pairwright.core.text import marked_encoding
from pairwright.core.toml import load_toml, validate
from pairwright.core.workspace import Workspace
from pairwright.languages import load_language
from pairwright.languages.conventions import own_conventions

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
    source = _described(folder)
    path = folder / "source.toml"
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
            f"{folder}: the folder of source '{source_id}' has to be {place}; move it there, or mend its id"
        )
    if not os.path.samefile(place, folder):
        raise SourceError(f"{folder}: its id '{source_id}' belongs to {place}; give one of them another id")
    return folder


def _described(folder: Path) -> Source:
    path = folder / "source.toml"
    if not path.exists():
        raise SourceError(f"{folder}: no source.toml; give a source folder or a document file")
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
        _agree(folder, document, documents, options)
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
    if twin := _registered_content(workspace, kind, files[0]["sha256"]):
        raise SourceError(f"{document}: the same content is registered as source '{twin}'; use that: build {twin}")
    accept(folder, validate({**table, "files": files}, Source, document, SourceError))
    write_text(folder / "source.toml", _toml(table, files))
    return folder


def _checked(document: Path, kind: str | None, language: str | None) -> str:
    """The language of a document. Raises SourceError where it or the kind is unknown."""
    if kind not in get_args(SourceKind):
        kinds = ", ".join(get_args(SourceKind))
        raise SourceError(f"{document}: can't tell what kind of source this is; say --kind ({kinds})")
    if language is None:
        raise SourceError(f"{document}: say the language of the document, for example --language lt")
    try:
        check_language_code(language)
    except ValueError as fault:
        raise SourceError(f"{document}: --language: {fault}") from None
    return language


def _is_legacy(document: Path, max_bytes: int) -> bool:
    """Whether more letters of a text file are no UTF-8 than are. Where few are not, it is UTF-8 that is damaged.

    Raises SourceError over `max_bytes`.
    """
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


def _registered_content(workspace: Workspace, kind: str | None, sha256: str) -> str | None:
    """The id of a source of a kind that has a file of the same content. Sources with faults are passed over."""
    for path in sorted(workspace.sources.glob("*/source.toml")):
        with contextlib.suppress(SourceError):
            other = _described(path.parent)
            if other.kind == kind and any(file.sha256 == sha256 for file in other.files):
                return other.id
    return None


def slug(name: str) -> str:
    """A plain id from a file name: small ASCII letters, digits and hyphens."""
    ascii_name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-")[:60] or "source"


def _agree(folder: Path, document: Path, documents: list[Path], options: dict[str, Any]) -> None:
    path = folder / "source.toml"
    source = load_source(folder)
    own = [document_path(folder, file.path) for file in source.files]
    if not all(any(os.path.samefile(path, other) for other in own) for path in documents):
        raise SourceError(f"{document}: {path} already registers another file under this id; rename the file")
    for key, value in options.items():
        registered = getattr(source, key)
        if value is not None and value != registered:
            raise SourceError(
                f"{path}: {key} is '{registered}' there but '{value}' was asked for; change it in source.toml"
            )


def _toml(table: dict[str, Any], files: list[dict[str, str]]) -> str:
    """A source.toml with these keys and files."""
    lines = [_toml_line(*item) for item in table.items()]
    for described in files:
        lines += ["", "[[files]]", *(_toml_line(*item) for item in described.items())]
    return "\n".join(lines) + "\n"


def _toml_line(key: str, value: object) -> str:
    """A key with numbers or a string, whose escapes JSON and TOML share but for U+007F."""
    return f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")
