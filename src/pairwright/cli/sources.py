"""Commands that look at one file: `notation`, `contrast` and `check`; and `tasks`, questions made of a release."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pairwright.api.sources import read_source
from pairwright.checks.registry import check_pairs
from pairwright.contrasts import read_contrasts
from pairwright.core.config import TreebankSettings
from pairwright.core.errors import ConfigError, at, counted
from pairwright.core.records import Candidate, Example, Rejection, Rule
from pairwright.core.store import write_text
from pairwright.core.workspace import Workspace
from pairwright.languages import find_resource, load_language
from pairwright.languages.morphology.inflection import Inflector
from pairwright.pairfiles import read_pairs
from pairwright.pipeline.context import frequent_reasons
from pairwright.pipeline.options import Language, Option
from pairwright.pipeline.release import find_release
from pairwright.release.exports.tasks import make_tasks
from pairwright.sources.error_list.notation import load_notation
from pairwright.sources.error_list.reader import notations_of, read_error_list
from pairwright.sources.treebank.candidates import RuleContrast, declared_rules, treebank_candidates
from pairwright.sources.treebank.matching import matches, near_lemmas, near_miss, tree_words
from pairwright.tasks.make import REJECTED, ItemSettings
from pairwright.tasks.questions import TextFile

_SHOWN = 5


def try_contrasts(workspace: Workspace, file: Path, treebank: Path, *, language: Language) -> Iterator[str]:
    """Show what the contrasts of a file find in a treebank.

    TREEBANK is a CoNLL-U file, or the id or folder of a source. Changes nothing.
    """
    contrasts, _ = read_contrasts(file)
    own = workspace.sources / treebank
    blocks = read_source(own if own.is_dir() else treebank, language=language, kind="treebank")
    sentences = [tree_words(block) for block in blocks]
    spoken = load_language(blocks.source.language, workspace.root)
    inflector = Inflector.of(spoken, [block.tree for block in blocks if block.tree])
    for rule, contrast in zip(declared_rules(contrasts, blocks.source), contrasts, strict=True):
        n_matches = sum(1 for words in sentences for _ in matches(contrast, words))
        item, settings = RuleContrast(rule, contrast), TreebankSettings(pairs_per_contrast=n_matches or 1)
        made = list(treebank_candidates(blocks, [item], inflector, settings))
        pairs = [record for record in made if isinstance(record, Candidate)]
        yield f"{file}:{contrast.line}: {contrast.name}: {counted(n_matches, 'match')}, {counted(len(pairs), 'pair')}"
        yield from (f"    {pair.good} -> {pair.bad}" for pair in sorted(pairs, key=lambda pair: pair.id)[:_SHOWN])
        if not n_matches:
            reason, counts = near_miss(contrast, sentences)
            yield from (f"    no match: {line}" for line in (reason, *counts))
        yield from (f"    {line}" for line in near_lemmas(contrast, sentences))
        mark = f"{contrast.name}: "
        left = (item for item in made if isinstance(item, Rejection) and item.reason.startswith(mark))
        for reason, n in frequent_reasons(left, _SHOWN):
            yield f"    no pair from {counted(n, 'match')}: {reason.removeprefix(mark)}"


def try_notation(
    workspace: Workspace,
    file: Path,
    *,
    notation: Annotated[
        str | None, Option("Notation of the list (default: the one that finds most corrections).")
    ] = None,
    language: Language,
    encoding: Annotated[str, Option("Encoding of the text, such as cp1257.")] = "utf-8",
) -> Iterator[str]:
    """Show how an error list is read, line by line.

    Changes nothing: the list doesn't become a source.
    """
    blocks = read_source(file, language=language, kind="error-list", notation=notation, encoding=encoding)
    chosen = notations_of(blocks, blocks.source, workspace.root).main
    yield f"notation {chosen.name}: {chosen.title}"
    items = list(read_error_list(blocks, blocks.source, load_language(language, workspace.root), workspace.root))
    lines = [
        (item.line or 0, 1, f"nothing: {item.reason}: {item.text}") for item in items if isinstance(item, Rejection)
    ]
    rules = [item for item in items if isinstance(item, Rule)]
    for rule in rules:
        lines.append((rule.line or 0, 0, f"rule {rule.code} {rule.title}".replace("  ", " ")))
        lines += [(example.evidence.line or 0, 1, _read_as(example)) for example in rule.examples]
    for line, _, text in sorted(lines, key=lambda line: line[:2]):
        yield f"{file}:{line}: {text}" if line else f"{file}: {text}"
    pairs = [example for rule in rules for example in rule.examples if example.bad]
    guesses = sum(example.uncertain for example in pairs)
    counts = f"{counted(len(rules), 'rule')}, {counted(len(pairs), 'pair')}"
    yield f"{counts}, {guesses} of them guesses, {len(items) - len(rules)} rejected"


def add_notation(
    workspace: Workspace,
    name: str,
    *,
    like: Annotated[str, Option("Similar known notation, such as not-but.", metavar="NOTATION")],
    wrong_marks: Annotated[tuple[str, ...], Option("Sign before the wrong words.", "wrong", "SIGN")] = (),
    right_marks: Annotated[tuple[str, ...], Option("Sign before the right words.", "right", "SIGN")] = (),
    arrows: Annotated[tuple[str, ...], Option("Sign between the wrong and the right words.", "arrow", "SIGN")] = (),
) -> Iterator[str]:
    """Add a notation: a known one with your own signs.

    Writes notations/NAME.toml, which is tried on every error list from then on. A sign may be a word. You can give each
    option several times.
    """
    given = {"wrong_marks": wrong_marks, "right_marks": right_marks, "arrows": arrows}
    signs = {key: own for key, own in given.items() if own}
    if taken := find_resource("notations", name, workspace.root):
        raise ConfigError(f"{taken}: this notation exists; edit it, or choose another name")
    if not signs:
        raise ConfigError(f"{name}: no signs; give --wrong and --right, or --arrow")
    shape = " ".join(f"{sign[0]} …" for sign in signs.values())
    described = {"name": name, "title": f"Like {like}: {shape}", "example": shape}
    known = load_notation(like, workspace.root)
    if known.layout == "brackets":
        # What a bracket begins with, beside what is known.
        signs = {"right_first": known.right_first + wrong_marks, "wrong_first": known.wrong_first + right_marks}
    made = known.model_copy(update={**described, **signs})
    values = made.model_dump(mode="json", exclude_defaults=True).items()
    path = workspace.root / "notations" / f"{name}.toml"
    write_text(path, "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in values))
    yield f"{path}: `{shape}`"
    yield f"next: {workspace.command('notation', 'try', 'FILE', '--language', 'CODE', '--notation', name)}"


def _read_as(example: Example) -> str:
    if example.bad is None:
        return f"acceptable: {' | '.join((example.good, *example.alternatives))}"
    others = f" (else: {' | '.join(example.alternatives)})" if example.uncertain and example.alternatives else ""
    return f"{'guess' if example.uncertain else 'pair'}: {example.bad} -> {example.good}{others}"


def check(
    workspace: Workspace,
    file: Path,
    *,
    language: Language,
    good: Annotated[
        str | None, Option("Column of the acceptable sentence (default: known names).", metavar="COLUMN")
    ] = None,
    bad: Annotated[str | None, Option("Column of the wrong sentence (default: known names).", metavar="COLUMN")] = None,
) -> Iterator[str]:
    """Check the pairs of a file.

    FILE is CSV, TSV, JSONL, JSON or Parquet. The exit code is 1 if a pair has an error.
    """
    settings, loaded = workspace.config().checks, load_language(language, workspace.root)
    counts: Counter[str] = Counter()
    n_pairs = n_rejected = 0
    for checked in check_pairs(
        read_pairs(file, good=good, bad=bad, encoding=loaded.legacy_encoding), {}, loaded, settings
    ):
        n_pairs += 1
        n_rejected += checked.verdict == "reject"
        counts.update(finding.check for finding in checked.findings)
        for finding in checked.findings:
            if finding.level != "info":
                side = f" ({finding.side} sentence)" if finding.side else ""
                place = at(file, checked.candidate.evidence.line)
                yield f"{place}: {finding.level}: {finding.check}: {finding.message}{side}"
    yield f"{counted(n_pairs, 'pair')}, {n_rejected} with errors"
    yield from (f"  {name} {count}" for name, count in counts.most_common())
    if n_rejected:
        sys.exit(1)


def tasks(
    workspace: Workspace,
    release: str,
    *,
    out: Annotated[Path, Option("Folder to make.", kind="folder")],
    items: Annotated[int, Option("Most questions per task.", least=1)] = 500,
    sweep: Annotated[
        bool, Option("Also vary the number of rules and sentences from 2 to 10, with --items questions per size.")
    ] = False,
    seed: Annotated[int, Option("Random seed.")] = 0,
    texts: Annotated[Path | None, Option("Table of other texts to translate.")] = None,
    text_column: Annotated[str, Option("Column of --texts in the release's language.")] = "text",
    english_column: Annotated[str, Option("Column of --texts in English.")] = "english",
) -> Iterator[str]:
    """Make questions for language models from a release.

    RELEASE is its folder, or its name with its version, such as lt-cases-1.0.0. Releases already have questions:
    this makes other numbers of them, or questions for a release without any.
    """
    file = TextFile(texts, text_column, english_column) if texts else None
    info = make_tasks(find_release(workspace, release), out, ItemSettings(items, sweep, seed), file)
    for task, counts in info.counts.items():
        conditions = ", ".join(f"{condition} {n}" for condition, n in counts.items() if condition) or "one condition"
        yield f"{task:<16} {sum(counts.values()):>6,}  {conditions if counts else 'the release has no material for it'}"
    with (out / REJECTED).open(encoding="utf-8") as lines:
        n_rejected = sum(1 for _ in lines)
    if n_rejected:
        yield f"rejected         {n_rejected:>6,}  {REJECTED} says why"
    yield f"items of {info.release}: {out}"
