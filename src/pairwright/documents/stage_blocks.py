"""Finds the blocks that the ingest stage wrote, for the commands that show them."""

import re
from dataclasses import dataclass
from pathlib import Path

from pairwright.core.errors import SourceError, StoreError
from pairwright.core.files import read_text
from pairwright.core.records import Block, Rejection, Source, SourceFile
from pairwright.core.store import read_if_there, read_jsonl, read_manifest
from pairwright.core.workspace import Workspace
from pairwright.documents import STAGE
from pairwright.documents.source import document_path, load_source, registered_folder, slug
from pairwright.languages.conventions import FILE as conventions_file
from pairwright.languages.conventions import MAX_BYTES

# As in git: fewer digits of an id are no name that a person meant.
LEAST_DIGITS = 4
_ID = re.compile(r"(?:block-)?(?P<digits>[0-9a-f]{1,16})", re.IGNORECASE)


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
    hint = f"give its id, such as {slug(path.stem)}" if path.is_file() else "pairwright status lists the sources"
    raise SourceError(f"{source}: no source of this id under {workspace.sources}, and no source folder; {hint}")


def read_document(workspace: Workspace, source_name: str, file_name: str | None = None) -> Document:
    """A file of a source with its blocks. `file_name` is wanted where the source has several files.

    Raises SourceError for a missing or changed document, or one that is not the one that was read, and StoreError where
    the source has no blocks yet.
    """
    folder = source_folder(workspace, source_name)
    source = load_source(folder)
    work = workspace.work(source.id)
    path = work / f"{STAGE.name}.jsonl"
    there = "" if workspace.root == Path(".") else f" --workspace {workspace.root}"
    remedy = f"pairwright ingest {source_name}{there}"
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
    conventions = folder / conventions_file
    text = read_text(conventions, MAX_BYTES, SourceError) if conventions.exists() else ""
    return Document(source, file, document, blocks, own, text)


def _choose(source: Source, folder: Path, name: str | None) -> SourceFile:
    matching = [file for file in source.files if name is None or name in {file.path, Path(file.path).name}]
    if len(matching) == 1:
        return matching[0]
    names = ", ".join(file.path for file in source.files)
    if name is not None and not matching:
        raise SourceError(f"{folder / 'source.toml'}: no file '{name}'; its files: {names}")
    raise SourceError(f"{source.id}: several files ({names}); say which with --file")


def block_path(folder: Path, block: Block) -> Path:
    """The document of a block, in the folder of its source. Raises SourceError where it is missing or has changed."""
    source = load_source(folder)
    document = document_path(folder, block.file)
    if not any(_same(folder, block.file, document_path(folder, file.path)) for file in source.files):
        raise SourceError(f"{folder / 'source.toml'}: '{block.file}', where {block.id} stands, is not among its files")
    return document


def _same(folder: Path, name: str, document: Path) -> bool:
    return name == str(document) or document_path(folder, name).resolve() == document.resolve()


def find_block(workspace: Workspace, name: str, folder: Path | None = None) -> Block:
    """The block whose id is `name` or begins with it, as with git's commits; `block-` can be left out.

    `folder` is a source's, if only its blocks count. Raises StoreError where no block or more than one has such an id.
    """
    source_id = load_source(folder).id if folder else "*"
    match = _ID.fullmatch(name.strip())
    if not match or len(match["digits"]) < LEAST_DIGITS:
        raise StoreError(f"{name!r}: not the id of a block; it is block- and at least {LEAST_DIGITS} of its 16 digits")
    prefix = f"block-{match['digits'].lower()}"
    paths = sorted(workspace.work(".").glob(f"{source_id}/{STAGE.name}.jsonl"))
    blocks = (block for path in paths for block in read_jsonl(path, Block))
    # A stage file may have come from elsewhere, and an id becomes the name of a file.
    matching = [block for block in blocks if block.id.startswith(prefix) and _ID.fullmatch(block.id)]
    ids = {block.id for block in matching}
    if len(matching) == 1:
        return matching[0]
    if len(ids) > 1:
        some = ", ".join(f"{block.id} (page {block.page})" for block in matching[:3])
        more = f" and {len(matching) - 3} more" if len(matching) > 3 else ""
        raise StoreError(f"{name}: {len(ids)} blocks begin so: {some}{more}; give more digits")
    if matching:
        sources = " and ".join(block.source_id for block in matching)
        raise StoreError(f"{name}: the block stands in {sources}; say which with --source")
    searched = ", ".join(path.parent.name for path in paths) or "nothing was read yet"
    raise StoreError(f"{name}: no such block in {workspace.root} (searched: {searched}); pairwright preview shows ids")
