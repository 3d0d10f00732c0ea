"""`pairwright segmentation SOURCE`: words of a source cut into morphemes, to measure tokenizers by."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.errors import SourceError, counted
from pairwright.ids import file_sha256
from pairwright.ingest.source import load_source
from pairwright.languages import load_language
from pairwright.morphology.morphemes import gold_segmentation, segmenter_of
from pairwright.pipeline.sources import find_source
from pairwright.records import Block
from pairwright.store import read_jsonl, write_text
from pairwright.text import words
from pairwright.workspace import Workspace


def segmentation_lines(workspace: Workspace, source: Path, per_category: int, out: Path | None) -> Iterator[str]:
    """Writes a segmentation file of a source's words, and yields lines that say what is in it.

    Raises MorphologyError where the source's language has no dictionary that could cut words, StoreError where the
    source was not ingested, SourceError where none of its words is cut.
    """
    loaded = load_source(find_source(workspace, source))
    segmenter = segmenter_of(load_language(loaded.language, workspace.root))
    blocks = read_jsonl(workspace.stage_file(loaded.id, "blocks"), Block)
    cut = gold_segmentation(segmenter, (word for block in blocks for word in words(block.text)), per_category)
    if not cut:
        raise SourceError(f"{loaded.id}: the dictionary of language {loaded.language} cuts none of its words")
    path = out or workspace.segmentation(loaded.id)
    lines = (line for name, own in cut.items() for line in (f"# {name}", *map("+".join, own)))
    write_text(path, "".join(f"{line}\n" for line in lines))
    for name, own in cut.items():
        few = "" if len(own) == per_category else f", fewer than {per_category}: the source has no more"
        yield f"{name:<10} {counted(len(own), 'word')}, {sum(map(len, own)) / len(own):.2f} morphemes a word{few}"
    yield f"{path}  sha256 {file_sha256(path)[:12]}"
    yield "next: pairwright evaluate RELEASE --segmentation FILE, which sets tokenizers against it"
