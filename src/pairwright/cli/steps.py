"""The commands that run the steps of the pipeline; a flow has the options and the help of its command."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pairwright.cli.command import Language, Password
from pairwright.core.errors import counted
from pairwright.pipeline.options import (
    AugmentOptions,
    EvaluationOptions,
    LLMOptions,
    Option,
    PairOptions,
    ReadingOptions,
    ReleaseOptions,
    SourceOptions,
    TaskOptions,
)

if TYPE_CHECKING:
    from pairwright.pipeline.context import Context

Models = Annotated[tuple[str, ...], Option("Model to score with --evaluate (default: embedded).", "model")]


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

    SOURCE is a document, a source folder, or its id under sources/. The document becomes blocks, rules and pairs; the
    pairs are checked and go to the reviewers. Stages that are up to date don't run again, and a run that you stopped
    continues where it was.

    Without a language model, rules and pairs come from the source's own examples. With one, pairwright also finds rules
    in a grammar book's prose and tables, writes pairs for them, and has a judge look at these.
    """
    from pairwright.pipeline import build as steps

    steps.build(context, source, described, reading, llm, until)


def words(context: "Context", source: Path, options: AugmentOptions, llm: LLMOptions) -> None:
    """Put other words into approved pairs.

    SOURCE is a built source: its id or folder. Words that both sentences share are replaced. The new words come
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
        tuple[str, ...], Option("Orders, such as SVO, and clauses (default: all).", metavar="NAME,...", kind="names")
    ] = (),
    undecided: Annotated[bool, Option("Also use treebank pairs without decisions.")] = False,
) -> None:
    """Put pairs into other orders and subordinate clauses.

    The variants of a pair form a paradigm. Seeds are the approved pairs of a treebank, and sentences that you mark up
    in paradigms.txt next to source.toml: [S Eda] [O hediyesine/*hediyesini] resmen [V bayıldı].
    """
    from pairwright.pipeline.growth.paradigms import paradigms

    paradigms(context, source, conditions, undecided=undecided)


def lexicon(context: "Context", sources: tuple[Path, ...], llm: LLMOptions, *, language: Language) -> None:
    """Make a slot lexicon from the words of built sources.

    Writes lexicons/CODE.tsv, or adds words to it; filled cells stay. Words come from a treebank's annotation, or from
    other sources by the language's dictionaries. Fill in the classes by hand or with a chat model (--llm); words
    without a class are not used.
    """
    from pairwright.pipeline.growth.lexicon import make_lexicon

    make_lexicon(context, language, sources, llm)


def sync(
    context: "Context",
    source: Path,
    *,
    recheck: Annotated[
        Path | None,
        Option("Ask again about these pairs: a table with pair_id and reason.", kind="file"),
    ] = None,
) -> None:
    """Read the reviewers' sheets and add new pairs to them.

    Reads the sheets that ask about pairs of SOURCE, logs the decisions, makes new pairs from corrections, and adds
    open pairs to the sheets. A row that can't be read with certainty is named and kept in quarantine; the rest is
    read. With --recheck, asks again about pairs such as those in a report's tables/back-to-review.csv.
    """
    from pairwright.pipeline import review as steps

    steps.sync(context, source, recheck)


def create(
    context: "Context",
    wanted: ReleaseOptions,
    *,
    score: Annotated[bool, Option("Also score the release.", "evaluate")] = False,
    models: Models = (),
    dry_run: Annotated[bool, Option("Only list problems; the exit code is 2 if one stops the release.")] = False,
) -> Iterator[str]:
    """Freeze the decided pairs as a release.

    Without --source, the release has all built sources with sheets.
    """
    if dry_run:
        from pairwright.pipeline.release import check

        findings = check(context, wanted)
        n_errors = sum(finding.level == "error" for finding in findings)
        state = "can't be frozen" if n_errors else "can be frozen"
        counts = f"{counted(n_errors, 'error')}, {counted(len(findings) - n_errors, 'warning')}"
        yield from map(str, findings)
        yield f"{wanted.name} {wanted.version}: {state} ({counts})"
        if n_errors:
            sys.exit(2)
        return
    from pairwright.pipeline import evaluate as scores
    from pairwright.pipeline import release as releases

    result = releases.create(context, wanted)
    if score:
        scores.evaluate(context, result.path.name, EvaluationOptions(models))


def score(
    context: "Context", pairs: tuple[str, ...], described: PairOptions, given: EvaluationOptions, tasks: TaskOptions
) -> None:
    """Score a release or files of pairs, and write a report.

    PAIRS is a release (its folder, or its name under output/releases), or files of minimal pairs (CSV, TSV, JSONL,
    JSON, Parquet), folders of them or patterns such as "blimp/*.jsonl". A model is `embedded` (Gemma 3 270M, which
    needs no network), a folder with safetensors, a GGUF file, a hub id, or the address of a server that returns
    log-probabilities for a prompt. A models.toml lists several models with their settings. With --tasks, a server is
    asked as a chat model; for other models, the log-probabilities of the options are compared. Run the command again
    to add models: it scores only new ones, and the report has all of them.
    """
    from pairwright.pipeline import evaluate as steps

    steps.evaluate(context, pairs, given, tasks, described)
