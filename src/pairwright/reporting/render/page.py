"""Writes a report as one self-contained HTML page, Markdown and files; the leaderboard of all; and compares two.

Every text from a release, a model or a person is escaped.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment
from markupsafe import Markup
from pandas import DataFrame

from pairwright.core import store
from pairwright.core.errors import ReleaseError
from pairwright.core.records import Side
from pairwright.core.records.release import Release, ReleasePair
from pairwright.core.store import read_record
from pairwright.core.templates import html_templates, markdown_templates, script_hash
from pairwright.languages.linguistics.sentences import stretches
from pairwright.languages.locale import Words, load_words
from pairwright.reporting.analysis.comparisons import tested
from pairwright.reporting.analysis.groups import Row, clusters_of, group_accuracies
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data import (
    Evaluation,
    ReportFault,
    ScoredModel,
    conditioning_settings,
    read_evaluations,
)
from pairwright.reporting.render import sentences
from pairwright.reporting.render.figures import certainty, render, svg_element
from pairwright.reporting.render.sections import PageSection, policy_sentences, sections
from pairwright.reporting.render.tables import MOST_TOKENS, Table, faults, identity, packed_pairs, pairs_csv, table, way
from pairwright.stats.paired import paired_test

PAGE, MARKDOWN, SUMMARY = "index.html", "report.md", "summary.json"
FIGURES, TABLES = "figures", "tables"
_WEB = Path(__file__).with_name("web")

# The report


def write_report(
    directory: Path,
    release: Release,
    summary: Summary,
    words: Words | None = None,
    most_tokens: int | None = None,
    more: Iterable[PageSection | None] = (),
) -> Path:
    """Writes a report into a directory, each file and folder replaced as a whole. Returns the path of the page.

    words        of the language of the page; English where it is left out
    most_tokens  so many tokens the page shows with their surprisals, `MOST_TOKENS` where it is left out
    more         sections besides the report's own

    The page needs no other file and no network. Beside it are `report.md`, `summary.json` (for `pairwright report
    compare`), `figures/` (SVG, PDF) and `tables/` (CSV, LaTeX, Markdown).
    """
    words = words or load_words("report")
    parts = sections(release, summary, words, more)
    figures = {plot.id: render(plot) for part in parts for plot in part.plots}
    with store.replaced_folder(directory / FIGURES) as folder:
        for id, figure in figures.items():
            for ending, data in figure.items():
                with store.atomic(folder / f"{id}.{ending}", "wb") as handle:
                    handle.write(data)
    with store.replaced_folder(directory / TABLES) as folder:
        for table in (*(it for part in parts for it in part.tables), faults(summary, words)):
            if table is not None:
                write_table(folder, table, words)
        if summary.scored:
            with store.atomic(folder / "pairs.csv", "wb") as handle:
                handle.write(pairs_csv(release, summary))
    unreviewed = "" if release.info.version else "_unreviewed"
    title = f"{release.info.name} {release.info.version}".strip()
    view = page_view(words, title, sentences.finding(summary, words), parts, "page.js", "pairs.js") | {
        "kind": words(f"page.kind{unreviewed}"),
        "page_title": words("page_title", title=title),
        "release": release,
        "language_of": {source.id: source.language for source in release.info.sources},
        "faults": [fault.text(words) for fault in summary.faults],
        "lead": next((part for part in parts if part.id == "overall"), None),
        "figures": figures,
        "packed": packed_pairs(release, summary, MOST_TOKENS if most_tokens is None else most_tokens),
    }
    store.write_text(directory / SUMMARY, summary.model_dump_json() + "\n")
    store.write_text(directory / MARKDOWN, page_templates(words, html=False).get_template("page.md.j2").render(view))
    store.write_text(directory / PAGE, page_templates(words, html=True).get_template("page.html.j2").render(view))
    return directory / PAGE


def page_view(
    words: Words, title: str, finding: Sequence[str], parts: Sequence[PageSection], *scripts: str
) -> dict[str, Any]:
    """What the template shows of any page: a title, sentences below it, and sections; one hash allows the scripts."""
    script = "".join((_WEB / name).read_text(encoding="utf-8") for name in scripts)
    view = {"kind": words("page.kind"), "title": title, "page_title": title, "finding": finding, "sections": parts}
    empty: dict[str, Any] = {"faults": [], "lead": None, "packed": None}
    return {**view, **empty, "script": Markup(script), "script_hash": script_hash(script)}


def write_table(directory: Path, table: Table, words: Words) -> None:
    """Writes a table as CSV, LaTeX and Markdown."""
    texts = {"csv": table.as_csv(words), "tex": table.as_latex(words), "md": table.as_markdown(words)}
    for ending, text in texts.items():
        store.write_text(directory / f"{table.id}.{ending}", text)


def marked(pair: ReleasePair, side: Side) -> list[tuple[str, bool]]:
    """Splits a sentence of a pair into stretches, each with whether its words differ from the other sentence."""
    changed = [(item.good_at, item.good) if side == "good" else (item.bad_at, item.bad) for item in pair.changes]
    spans = [(start, start + len(words)) for start, words in changed]
    return stretches(pair.sentence_good if side == "good" else pair.sentence_bad, spans)


@lru_cache(maxsize=8)
def page_templates(words: Words, *, html: bool) -> Environment:
    """Templates in which every text that is put in is escaped, for HTML or for Markdown, unless it is Markup."""
    environment = html_templates(_WEB) if html else markdown_templates(_WEB)
    environment.filters.update(
        marked=marked,
        certainty=certainty,
        as_markdown=lambda table: Markup(table.as_markdown(words)),
        drawing=lambda figure: Markup(svg_element(figure["svg"])),
    )
    environment.globals.update(words=words)
    return environment


# The leaderboard. Models of two conditionings share no table


class Board(NamedTuple):
    """A release on the leaderboard, and what is wrong with evaluations; those of other pairs are left out."""

    section: PageSection
    faults: tuple[ReportFault, ...]


def board(release: Release, evaluations: Iterable[Evaluation], words: Words) -> Board:
    """The models that were scored on a release, by the sentences that it has.

    Raises ModelError and ReleaseError as `read_evaluations` does.
    """
    models, faults = read_evaluations(release, evaluations)
    info, name = release.info, f"{release.name} {release.version}"
    facts = {
        "page.pairs": words.cell(info.n_pairs, "count"),
        "page.rules": words.cell(info.n_rules, "count"),
        "leaderboard.published": words.cell(sum(pair.published_source for pair in release.pairs), "count"),
        "leaderboard.canary": words("leaderboard.yes" if info.canary else "leaderboard.no"),
        "leaderboard.date": str(info.date or ""),
    }
    lines = [" · ".join(f"{words(key)}: {value}" for key, value in facts.items() if value)]
    lines += [f"{fault.text(words)}." for fault in faults]
    lines.append(f"{words('page.release_hash')} {release.sha256}")
    ranked = tuple(_ranked(release, models, words))
    id = f"{release.name}-{release.version}"
    return Board(PageSection(id, name, tuple(lines), tables=ranked, is_folded=False, n_open=len(ranked)), tuple(faults))


def _ranked(release: Release, models: Sequence[ScoredModel], words: Words) -> Iterator[Table]:
    accuracies = group_accuracies(release.pairs, models, clusters_of(release.pairs), {}).to_dict("records")
    found = {(it["model"], it["measure"]): it for it in accuracies if it["group"] == "all pairs"}
    published = np.array([pair.published_source for pair in release.pairs])
    test = np.array([pair.split == "test" for pair in release.pairs])
    runs = [model.run for model in models]
    for number, conditioning in enumerate(dict.fromkeys(run.conditioning for run in runs), start=1):
        own = [model for model in models if model.run.conditioning == conditioning]
        rows = []
        for model in own:
            info, shares = model.run.model, [_share(model, chosen) for chosen in (published, ~published)]
            row: dict[str, Any] = {
                "model": model.label,
                "n": int(model.scored("sum_logprob").sum()),
                "test": _share(model, test),
                "gap": shares[0] - shares[1],
                "size": model.lineage.size,
                "number_format": info.number_format,
                "state": identity(info, words),
                "scored": model.run.finished_at[:10],
            }
            for measure in ("sum_logprob", "mean_nll"):
                estimate = found.get((model.label, measure), {})
                row |= {f"{measure}{end}": estimate.get(f"accuracy{end}") for end in ("", "_low", "_high")}
            rows.append(row)
        if shown := table(words, "leaderboard", rows):
            title, settings = f"{release.name} {release.version}", conditioning_settings(own[0].run, runs)
            title = words("leaderboard.title", release=title, way=way(settings, words)) if settings else title
            id = f"{release.name}-{release.version}-{number}"
            note = " ".join([shown.note, *policy_sentences(conditioning[0], words)])
            yield replace(shown, id=id, title=title, note=note)


def _share(model: ScoredModel, chosen: Any) -> float:
    """The share of the chosen pairs that are right by sum_logprob; NaN where none is scored."""
    kept = chosen & model.scored("sum_logprob")
    return float(model.right("sum_logprob")[kept].mean()) if kept.any() else float("nan")


def write_leaderboard(directory: Path, boards: Sequence[Board], words: Words) -> Path:
    """Writes the page, which needs no other file and no network, and each of its tables as a file."""
    parts = [own.section for own in boards]
    for shown in (shown for part in parts for shown in part.tables):
        write_table(directory / TABLES, shown, words)
    view = page_view(words, words("leaderboard.heading"), [words("leaderboard.lead")], parts, "page.js")
    page = page_templates(words, html=True).get_template("page.html.j2").render(view)
    store.write_text(directory / PAGE, page)
    return directory / PAGE


# Two reports: which models changed, on which pairs, and whether by more than chance


class ReportComparison(NamedTuple):
    """Two reports. `shared` counts the pairs that are in both releases, `only_first` those that only the first has.

    models  by model and measure, on the `n` pairs that it scored in both reports: the accuracies `before` and `after`,
            the ids of pairs with another verdict (`changed`), and the test of the second against the first: `only_a`
            pairs are right in the second alone. No test without a pair, and where the model was scored under another
            conditioning or number format (`tested`)
    tasks   by model and column, on tasks of both: the scores, of `n_before` and `n_after` answers. A report does not
            hold single answers, so no test is made; `same_way`: asked about the same release, by chat or by
            log-probabilities in both
    """

    shared: int
    only_first: int
    only_second: int
    models: DataFrame
    tasks: DataFrame


def read_summary(report: Path) -> Summary:
    """The numbers of a report, from its folder or the one that `score` wrote, its page or its summary.json.

    Raises ReleaseError.
    """
    folder = report if report.is_dir() else report.parent
    path = next((own for own in (folder / SUMMARY, folder / "report" / SUMMARY) if own.is_file()), folder / SUMMARY)
    if not path.exists():
        raise ReleaseError(f"{report}: no report there; give the folder of a report, with its {SUMMARY}")
    remedy = "write it again with pairwright evaluate RELEASE --report-only"
    return read_record(path, Summary, "the numbers of a report", remedy, ReleaseError)


def compare_reports(first: Summary, second: Summary) -> ReportComparison:
    """What changed from the first report to the second, on the pairs that both releases hold."""
    ids = [list(summary["pairs"]["pair_id"]) for summary in (first, second)]
    place = {pair_id: number for number, pair_id in enumerate(ids[1])}
    shared = [(number, place[pair_id]) for number, pair_id in enumerate(ids[0]) if pair_id in place]
    return ReportComparison(
        shared=len(shared),
        only_first=len(ids[0]) - len(shared),
        only_second=len(ids[1]) - len(shared),
        models=DataFrame(list(_changes(first, second, np.array(shared, dtype=np.intp).reshape(-1, 2)))),
        tasks=DataFrame(list(_task_changes(first, second))),
    )


def _changes(first: Summary, second: Summary, shared: np.ndarray) -> Iterator[Row]:
    for label, measure in ((label, measure) for label, own in first.verdicts.items() for measure in own):
        if measure not in second.verdicts.get(label, {}):
            continue
        before, after = (
            np.array(list(it.verdicts[label][measure]))[shared[:, side]] for side, it in enumerate((first, second))
        )
        both = (before != "-") & (after != "-")
        old, new, rows = before[both] == "1", after[both] == "1", shared[both, 0]
        a, b = first.runs[label], second.runs[label]
        same_way = (a.conditioning, a.model.dtype) == (b.conditioning, b.model.dtype)
        row: Row = {"model": label, "measure": measure, "n": len(rows), "tested": same_way and len(rows) > 0}
        row["changed"] = list(first["pairs"]["pair_id"].iloc[rows[old != new]])
        if len(rows):
            row |= {"before": float(old.mean()), "after": float(new.mean())}
        if row["tested"]:
            row |= tested(paired_test(new, old, first["pairs"]["cluster"].to_numpy()[rows]))
        yield row


def _task_changes(first: Summary, second: Summary) -> Iterator[Row]:
    """The scores that stand in the first table on tasks of both reports."""
    later = {(row["model"], row["column"]): row for row in second.rows("task_headline")}
    for row in first.rows("task_headline"):
        if other := later.get((row["model"], row["column"])):
            a, b = (it.task_runs[row["model"]] for it in (first, second))
            same_way = (a.release_sha256, a.policy, a.template) == (b.release_sha256, b.policy, b.template)
            named = {"model": row["model"], "column": row["column"], "same_way": same_way}
            values = {"before": row["value"], "after": other["value"]}
            yield {**named, **values, "n_before": row["n"], "n_after": other["n"]}
