"""From a document to the reviewers' sheets: ingest, generate, review. A stage is only run where something changed."""

from pathlib import Path
from typing import Literal

from pairwright.core.store import StageRun
from pairwright.pipeline.context import Context
from pairwright.pipeline.ingest import ingest
from pairwright.pipeline.options import LLMOptions, ReadingOptions, SourceOptions
from pairwright.pipeline.pairs import generate
from pairwright.pipeline.review import fill_sheets
from pairwright.pipeline.sources import find_source
from pairwright.review.log.queue import pair_queues


def build(
    context: Context,
    source: Path,
    described: SourceOptions | None = None,
    reading: ReadingOptions | None = None,
    llm: LLMOptions | None = None,
    until: Literal["blocks", "pairs"] | None = None,
) -> list[StageRun]:
    """Builds a source that is named by its folder, its id, or a document file, which is then registered.

    until  the last stage; None to go on to the sheets
    """
    workspace = context.workspace
    if not workspace.config_file.exists() and not workspace.sources.is_dir():
        context.say("workspace", f"{workspace.root.absolute()} becomes one; pairwright init makes one elsewhere")
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
