"""A treebank's sentences corrupted as ScaLA does: pairs for the checks and reviewers, or data of EuroEval's form."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pairwright.errors import SourceError, counted
from pairwright.generate import CORRUPTIONS
from pairwright.ingest.source import load_source
from pairwright.pipeline.context import Context
from pairwright.pipeline.gaps import no_treebank_pairs
from pairwright.pipeline.ingest import ingest
from pairwright.pipeline.options import SourceOptions
from pairwright.pipeline.sources import find_source
from pairwright.records import Block, Record, Rejection, Source
from pairwright.store import StageRun, file_input, read_jsonl, run_stage, whole_folder, write_json, write_jsonl

if TYPE_CHECKING:
    from pairwright.generate.scala.corruption import Behaviour
    from pairwright.generate.scala.dataset import Pair

# The order in which EuroEval takes the files of a treebank; their names say which is which.
_FILES = ("train", "dev", "test")


def make_corruptions(context: Context, source: Source) -> StageRun:
    """The stage of a treebank's corrupted sentences, which is empty unless `treebank.corruptions` is set."""
    from pairwright.rules.corruptions import corruption_rules

    work, language = context.workspace.work(source.id), context.language(source)
    settings = context.workspace.config().treebank

    def produce() -> Iterator[Record]:
        from pairwright.generate.scala.candidates import corruption_candidates

        blocks = [block for block in read_jsonl(work / "blocks.jsonl", Block) if block.tree]
        if settings.corruptions:
            yield from corruption_candidates(blocks, corruption_rules(source), settings, language.letters)

    deciding = {"treebank": settings.model_dump(), "letters": language.letters}
    run = run_stage(work, CORRUPTIONS, [file_input(work / "blocks.jsonl")], deciding, produce)
    if settings.corruptions:
        context.say_stage(run, "corrupted pair", lambda: no_treebank_pairs(context.workspace, source))
    return run


def write_scala(
    context: Context, source: Path, described: SourceOptions, out: Path, behaviour: "Behaviour", seed: int
) -> None:
    """Reads a treebank and writes ScaLA's splits as JSON Lines and CSV into a new folder `out`.

    Beside them: `rejected.jsonl` with the sentences left out and why, `scala.json` with how the data came about.
    Raises SourceError where the source is no treebank or too small, or `out` is there already.
    """
    from pairwright.generate.scala.corruption import Corrupter
    from pairwright.generate.scala.dataset import Pair, scala_pairs, splits
    from pairwright.generate.scala.sentences import Sentence, eligible

    if out.exists():
        raise SourceError(f"{out}: is there already; name another folder, or remove it")
    loaded = load_source(find_source(context.workspace, source, described))
    if loaded.kind != "treebank":
        raise SourceError(
            f"{loaded.id}: ScaLA corrupts the sentences of a treebank, not those of a source of kind {loaded.kind}"
        )
    run = ingest(context, source, described)
    blocks = sorted((block for block in read_jsonl(run.path, Block) if block.tree), key=_file_order)
    judged = list(eligible(blocks))
    letters = context.language(loaded).letters
    corrupter = Corrupter({block.text for block in blocks}, behaviour, seed, letters)
    made = list(scala_pairs((item for item in judged if isinstance(item, Sentence)), corrupter))
    pairs = [item for item in made if isinstance(item, Pair)]
    rejected = [item for item in (*judged, *made) if isinstance(item, Rejection)]
    for reason, count in Counter(item.reason for item in rejected).most_common():
        context.say("left out", f"{counted(count, 'sentence')}: {reason}")
    by_split = splits(pairs, seed)
    with whole_folder(out) as folder:
        for name, members in by_split.items():
            _write_split(folder, name, members, seed)
        write_jsonl(folder / "rejected.jsonl", rejected)
        write_json(folder / "scala.json", _about(loaded, behaviour, seed, by_split, rejected))
    sizes = ", ".join(f"{name} {2 * len(members):,}" for name, members in by_split.items())
    context.say("scala", f"{out}: {sizes} rows of {counted(len(pairs), 'sentence')}")


def _file_order(block: Block) -> int:
    name = Path(block.file).stem
    return next((index for index, part in enumerate(_FILES) if name.endswith(part)), len(_FILES))


def _write_split(folder: Path, name: str, pairs: "list[Pair]", seed: int) -> None:
    from pairwright.generate.scala.dataset import rows
    from pairwright.release.exports.files import write_csv

    written = rows(pairs, seed)
    write_jsonl(folder / f"{name}.jsonl", written)
    cells = [(row.text, row.corruption_type or "", row.label) for row in written]
    write_csv(folder / f"{name}.csv", ("text", "corruption_type", "label"), cells)


def _about(
    source: Source, behaviour: "Behaviour", seed: int, by_split: "dict[str, list[Pair]]", rejected: list[Rejection]
) -> dict[str, object]:
    return {
        "source": source.id,
        "licence": source.licence,
        "files": {file.path: file.sha256 for file in source.files},
        "behaviour": behaviour,
        "seed": seed,
        "rows": {name: 2 * len(pairs) for name, pairs in by_split.items()},
        "left_out": dict(Counter(item.reason for item in rejected).most_common()),
    }
