"""From a document to the reviewers' sheets: ingest, generate, review. A stage is only run where something changed."""

from pathlib import Path
from typing import Annotated, Literal

from pairwright.core.store import StageRun
from pairwright.pipeline.context import Context
from pairwright.pipeline.ingest import find_source, ingest
from pairwright.pipeline.options import LLMOptions, Option, ReadingOptions, SourceOptions
from pairwright.pipeline.pairs import generate
from pairwright.pipeline.review import fill_sheets
from pairwright.review.log.queue import pair_queues


def build(
    context: Context,
    source: Path,
    described: SourceOptions = SourceOptions(),
    reading: ReadingOptions = ReadingOptions(),
    llm: LLMOptions = LLMOptions(),
    *,
    until: Annotated[Literal["blocks", "pairs"] | None, Option("Stop after this stage, before the sheets.")] = None,
) -> list[StageRun]:
    """Build a source from its document to the reviewers' sheets.

    SOURCE is a document, a source folder, or its id under sources/. The document becomes blocks, rules and pairs; the
    pairs are checked and go to the reviewers. Stages that are up to date don't run again, and a run that you stopped
    continues where it was.

    Without a language model, rules and pairs come from the source's own examples. With one, pairwright also finds rules
    in a grammar book's prose and tables, writes pairs for them, and has a judge look at these.
    """
    workspace = context.workspace
    if not workspace.config_file.exists() and not workspace.sources.is_dir():
        context.say("workspace", f"new: sources, annotations and output go into {workspace.root.absolute()}")
    loaded = find_source(workspace, source, described)
    runs = [ingest(context, loaded, reading)]
    if until == "blocks":
        return runs
    runs += generate(context, loaded, llm)
    if until == "pairs":
        return runs
    if runs[-1].n_out or any(pair_queues(workspace.annotations, loaded.id)):
        fill_sheets(context, loaded)
    return runs
