"""The commands that run the steps of the pipeline; a flow has the options and the help of its command."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pairwright.cli.command import Language, Password
from pairwright.pipeline.options import (
    AugmentOptions,
    EvaluationOptions,
    LLMOptions,
    Option,
    PairOptions,
    ReadingOptions,
    SourceOptions,
    TaskOptions,
)

if TYPE_CHECKING:
    from pairwright.pipeline.context import Context

Models = Annotated[tuple[str, ...], Option("Model of --evaluate; else the embedded one.", "model")]


def build(
    context: "Context",
    source: Path,
    described: SourceOptions,
    reading: ReadingOptions,
    llm: LLMOptions,
    *,
    until: Annotated[Literal["blocks", "pairs"] | None, Option("Stop after this stage, before the sheets.")] = None,
    password: Password = None,
) -> None:
    """Build a source from its document to the reviewers' sheets.

    SOURCE is a source folder, the id of one under sources/, or a document file. Its documents become blocks, blocks
    rules, rules pairs, pairs go through the checks and to the reviewers. A stage whose inputs and settings have not
    changed is not run again. Grammar books are read page by page, by several processes; a run that was stopped goes on
    where it stopped.

    Without a language model, rules and pairs come from the source's own examples. With one, rules are also found in a
    grammar book's prose and tables, pairs are written for every rule that licenses them, and a judge looks at those.
    """
    from pairwright.pipeline import build as steps

    steps.build(context, source, described, reading, llm, until)


def words(context: "Context", source: Path, options: AugmentOptions, llm: LLMOptions) -> None:
    """Put other words into approved pairs.

    SOURCE is the id of a built source, or its folder. Words that both sentences share are replaced. The new words come
    from the slot lexicon of the workspace, ranked by a causal model (lexicon, which needs no network), from a fill-mask
    model (masked-lm) or from a chat model (cloze). They are inflected as the words that they replace, and what agrees
    with them follows. The pairs go through the checks; pairwright review sync asks reviewers about them.
    """
    from pairwright.pipeline.growth.augment import augment

    augment(context, source, options, llm)


def orders(
    context: "Context",
    source: Path,
    *,
    conditions: Annotated[
        tuple[str, ...], Option("Orders such as SVO, and clauses; else all.", metavar="NAME,...", kind="names")
    ] = (),
    undecided: Annotated[bool, Option("Also take treebank pairs on which nobody decided yet.")] = False,
) -> None:
    """Put pairs into other orders and subordinate clauses.

    The variants of a pair are tied together as a paradigm. Seeds are the approved pairs of a treebank, and those that
    you mark up in paradigms.txt beside source.toml: [S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı].
    """
    from pairwright.pipeline.growth.paradigms import paradigms

    paradigms(context, source, conditions, undecided=undecided)


def lexicon(context: "Context", sources: tuple[Path, ...], llm: LLMOptions, *, language: Language) -> None:
    """Make a slot lexicon of the words of built sources.

    It is lexicons/CODE.tsv; words are added to one that exists, and what a cell says stays. Treebanks are read as they
    are annotated, other sources by the language's dictionaries. Fill in the classes by hand, or have a chat model do it
    by --llm; words without a class take no part.
    """
    from pairwright.pipeline.growth.lexicon import make_lexicon

    make_lexicon(context, language, sources, llm)


def sync(
    context: "Context",
    source: Path,
    *,
    recheck: Annotated[
        Path | None,
        Option("A table with pair_id and reason: put these pairs before their reviewers again.", kind="file"),
    ] = None,
) -> None:
    """Take over what reviewers decided and top up their sheets.

    Reads the sheets under annotations/ that ask about pairs of SOURCE into the logs of decisions, turns corrections
    into new pairs, and adds pairs that nobody was asked about yet to the sheets of annotations/SOURCE. A row that can't
    be placed for certain is named and kept in quarantine; the others are taken over. --recheck puts pairs before their
    reviewers a second time, such as those of a report's tables/back-to-review.csv.
    """
    from pairwright.pipeline import review as steps

    steps.sync(context, source, recheck)


def create(
    context: "Context",
    *,
    name: Annotated[str, Option("Name of the release, such as lt-cases.")],
    version: Annotated[str, Option("Version of the release, such as 1.0.0.")],
    source_ids: Annotated[tuple[str, ...], Option("Id of a source to release; may be repeated.", "source")] = (),
    because: Annotated[str | None, Option("Reason for a bigger version bump than required.", metavar="TEXT")] = None,
    date: Annotated[str | None, Option("Date of the release, for its citation.", metavar="YYYY-MM-DD")] = None,
    score: Annotated[bool, Option("Score the release with the models, too.", "evaluate")] = False,
    models: Models = (),
    dry_run: Annotated[bool, Option("Only list problems; exit code 2 if one would stop it.")] = False,
) -> Iterator[str] | None:
    """Freeze the decided pairs as a release.

    Without --source, all sources of the workspace that are built and have reviewers' sheets are in it.
    """
    wanted: dict[str, Any] = {"source_ids": source_ids, "because": because, "date": date}
    if dry_run:
        from pairwright.cli.release import check_lines

        return check_lines(context, name, version, **wanted)
    from pairwright.pipeline import evaluate as scores
    from pairwright.pipeline import release as releases

    result = releases.create(context, name, version, **wanted)
    if score:
        scores.evaluate(context, result.path.name, EvaluationOptions(models))
    return None


def score(
    context: "Context", pairs: tuple[str, ...], described: PairOptions, given: EvaluationOptions, tasks: TaskOptions
) -> None:
    """Score a release or files of pairs, and write a report.

    PAIRS is the folder of a release or its name under output/releases; or files of minimal pairs (CSV, TSV, JSONL,
    JSON, Parquet), folders of them and patterns such as "blimp/*.jsonl". A model is `embedded` (Gemma 3 270M, which
    needs no network), a folder with safetensors, a GGUF file, a hub id, or the address of a server. Pairs are scored by
    log-probabilities, which a server must return for a prompt. With --tasks, a server is asked as a chat model; of any
    other model the log-probabilities of the options are compared. A models.toml lists many models, each with its own
    settings. Run again, it scores only what is new; the report has all models that were scored on the pairs so far, and
    what --judgements and the options after it name.
    """
    from pairwright.pipeline import evaluate as steps

    steps.evaluate(context, pairs, given, tasks, described)
