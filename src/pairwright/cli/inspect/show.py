"""`pairwright show SOURCE`: the rules of a source as a short list or as a page for linguists, or its pages."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated

from pairwright.core.errors import ConfigError, StoreError, counted, one_line
from pairwright.core.records import LLMJudgment, Rejection, Rule, Source
from pairwright.core.store import read_if_there, read_jsonl
from pairwright.core.workspace import Workspace
from pairwright.documents.source import load_source, source_folder
from pairwright.pipeline.gaps import gap
from pairwright.pipeline.options import Option, Password
from pairwright.sources import AS_A_PAIR, STAGE

_TITLE_WIDTH, _ABOUT_WIDTH = 56, 60


def show(
    workspace: Workspace,
    source: str,
    *,
    pages: Annotated[str | None, Option("Show these pages, such as 10-14,20, and what was read there.")] = None,
    html: Annotated[bool, Option("Write the rules as a page, with quotations, places and pairs.")] = False,
    file: Annotated[str | None, Option("File of the source, if it has several.")] = None,
    out: Annotated[Path | None, Option("File or folder to write (default: under output).")] = None,
    password: Password = None,
) -> Iterator[str]:
    """Show a source's rules or its pages.

    SOURCE is its id or folder. You see the rules and which of them give pairs; with --pages, pictures of its pages and
    how each part was read.
    """
    if pages is not None and html:
        raise ConfigError("--html is a page of rules, --pages one of what was read; give one of them")
    if pages is not None:
        # Draws with PyMuPDF and OpenCV, which lists do without.
        from pairwright.cli.inspect.pages import preview_lines

        return preview_lines(workspace, source, pages, file, out)
    return rules_lines(workspace, source, html, out)


def rules_lines(workspace: Workspace, source_name: str, html: bool, out: Path | None) -> Iterator[str]:
    """The lines of the list; with `html`, the page is written and the line says where.

    Raises SourceError where there is no such source, StoreError where it has no rules yet.
    """
    folder = source_folder(workspace, source_name)
    source = load_source(folder)
    rules, rejected = read_rules(workspace, source)
    if html:
        # The page draws with PyMuPDF and OpenCV, which the list does without.
        from pairwright.cli.inspect.pages import page_path, write_rules_page

        path = page_path(workspace, out, f"{source.id}-rules.html")
        write_rules_page(path, workspace, folder, source, rules, rejected, list(reasons(rejected)))
        yield f"{path}: {_counts(rules)}"
        return
    for section, group in groupby(rules, key=lambda rule: rule.section):
        yield " > ".join(section) or source.title
        yield from map(_rule_line, group)
    yield ""
    yield f"{source.id}: {_counts(rules)}"
    if rejected:
        yield f"{counted(len(rejected), 'passage')} left out:"
    yield from reasons(rejected)
    yield from _doubtful(rejected)
    if not rules:
        yield f"{source.id}: {gap(workspace, source)}"


def read_rules(workspace: Workspace, source: Source) -> tuple[list[Rule], list[Rejection]]:
    """The rules of a source and what was rejected. Raises StoreError where the stage has not run."""
    path = workspace.work(source.id) / f"{STAGE.name}.jsonl"
    if not path.exists():
        raise StoreError(f"{source.id}: no rules yet; run pairwright build {source.id}")
    rejected = path.with_name(f"{STAGE.name}.rejected.jsonl")
    return list(read_jsonl(path, Rule)), list(read_if_there(rejected, Rejection))


def reasons(rejected: Sequence[Rejection]) -> Iterator[str]:
    """How often each reason stands among rejections, the most frequent first; what differs in a reason is left out."""
    counts = Counter(re.split(r"[:;,]| \(", item.reason.removeprefix("starred: "))[0] for item in rejected)
    for reason, count in counts.most_common():
        yield f"{count:>6,}  {reason}"


def judgment_lines(judgment: LLMJudgment) -> Iterator[str]:
    """What a judge said of a pair, in words."""
    if judgment.decided_by != "nothing":
        audited = ", and people are asked all the same" if judgment.audited else ""
        yield f"{judgment.verdict}, score {judgment.score} of 10{audited}: {judgment.reason}"
    else:
        yield f"it can't tell: {judgment.reason}"


def _doubtful(rejected: Sequence[Rejection]) -> Iterator[str]:
    """The forms whose marks leave them in doubt, each as the pair that it would make."""
    guesses = [(item, item.reason.partition(AS_A_PAIR)[2]) for item in rejected if AS_A_PAIR in item.reason]
    if guesses:
        yield "In doubt, for a person to decide; [marks] in source.toml says what a mark means in this book:"
    for item, guess in guesses:
        yield f"  {f'line {item.line}' if item.line else f'page {item.page}'}  {guess}"


def _counts(rules: Sequence[Rule]) -> str:
    licences = Counter(rule.contrast.licence for rule in rules if rule.contrast)
    counts = ((licences["banned"], "ruled out by the source"), (licences["obligatory"], "inferred"))
    classes = ", ".join(f"{n:,} {said}" for n, said in counts if n)
    n_licensed = sum(n for n, _ in counts)
    which = f" ({classes})" if classes else ""
    new = f", {n_licensed:,} of them with a contrast for new pairs{which}" if licences else ""
    return f"{counted(len(rules), 'rule')}{new}; {counted(sum(map(_n_pairs, rules)), 'pair')} of the source"


def _n_pairs(rule: Rule) -> int:
    return sum(example.bad is not None for example in rule.examples)


def _rule_line(rule: Rule) -> str:
    about = [rule.declaration or (f"line {rule.line}" if rule.line else f"page {rule.page}")]
    if n_pairs := _n_pairs(rule):
        about.append(counted(n_pairs, "pair"))
    if contrast := rule.contrast:
        sides = "; ".join(contrast.features) or one_line(contrast.what, _ABOUT_WIDTH)
        about.append(sides if contrast.licensed else "no contrast")
    title = one_line(rule.title, _TITLE_WIDTH)
    return f"  {rule.code:<14} {title:<{_TITLE_WIDTH}}  {', '.join(about)}"
