"""Words cut into morphemes by the rules of a dictionary, and how well the tokenizers of models cut them there."""

from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pairwright.core.errors import SourceError, StoreError, counted
from pairwright.pipeline.extra import Extra, Reported
from pairwright.pipeline.options import Option

if TYPE_CHECKING:
    from pairwright.pipeline.context import Context
    from pairwright.reporting.render.sections import PageSection

NAME = "segmentation"


def cut_words(
    context: "Context",
    source: Path,
    *,
    words: Annotated[int, Option("Words per part of speech.", least=1)] = 100,
    out: Annotated[Path | None, Option("File to write (default: under output/segmentations).")] = None,
) -> Iterator[str]:
    """Cut words of a source into morphemes, by a dictionary.

    Draws nouns, verbs, adjectives and other words at random; a report compares tokenizers with them.
    """
    from pairwright.core import text
    from pairwright.core.ids import file_sha256
    from pairwright.core.records import Block
    from pairwright.core.store import read_jsonl
    from pairwright.extras.segmentation.gold import Segmenter, gold_segmentation, write_segmentation
    from pairwright.pipeline.ingest import find_source

    loaded = find_source(context.workspace, source)
    segmenter = Segmenter.of(context.language(loaded))
    blocks = read_jsonl(context.workspace.stage_file(loaded.id, "blocks"), Block)
    cut = gold_segmentation(segmenter, (word for block in blocks for word in text.words(block.text)), words)
    if not cut:
        raise SourceError(f"{loaded.id}: the dictionary of language {loaded.language} segments none of its words")
    path = out or context.workspace.output / "segmentations" / f"{loaded.id}.tsv"
    write_segmentation(path, cut)
    for name, own in cut.items():
        few = "" if len(own) == words else f", fewer than {words}: the source has no more"
        yield f"{name:<10} {counted(len(own), 'word')}, {sum(map(len, own)) / len(own):.2f} morphemes a word{few}"
    yield f"{path}  sha256 {file_sha256(path)[:12]}"
    yield "next: pairwright evaluate RELEASE --extra segmentation=FILE, which sets tokenizers against it"


def _keep_cuts(file: Path, folder: Path, load_tokenizer: Callable[[], Any]) -> None:
    """Keeps how the tokenizer of a scored model cuts the words of a segmentation file."""
    from pairwright.extras.segmentation.gold import read_segmentation, write_cuts

    words = read_segmentation(file)
    if (tokenizer := load_tokenizer()) is not None:
        write_cuts(folder, tokenizer, words)


def _sections(report: Reported) -> "Iterator[PageSection | None]":
    from pairwright.extras.segmentation.gold import aligned, read_cuts, read_segmentation
    from pairwright.reporting.render.sections import section
    from pairwright.reporting.render.tables import table

    if NAME not in report.files:
        return
    words, found = read_segmentation(report.files[NAME]), []
    for label, run in report.summary.runs.items():
        try:
            pieces_of = read_cuts(report.folder / run.model.slug)
        except StoreError as fault:
            report.context.say("left out", str(fault))
            continue
        found += list(aligned(words, label, pieces_of)) if pieces_of else []
    rows = [{**asdict(it), "category": it.category or report.words("terms.category.all")} for it in found]
    columns = "model category exact over under precision recall distance n n_unusable"
    yield section(report.words, "morphology", tables=[table(report.words, "morphology", rows, columns)])


EXTRA = Extra(
    NAME,
    commands=(cut_words,),
    file="Words cut into morphemes, against which tokenizers are measured.",
    beside_scores=_keep_cuts,
    sections=_sections,
)
