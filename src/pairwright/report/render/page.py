"""Writes a report: one self-contained HTML page, Markdown, and every figure and table as a file.

Every text from a release, a model or a person is escaped.
"""

import base64
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pairwright import store
from pairwright.languages import load_language
from pairwright.records import Side
from pairwright.records.release import Release, ReleasePair
from pairwright.report.analysis.pairs import JudgedPair
from pairwright.report.analysis.summary import ModelSummary, Summary
from pairwright.report.data.model_family import parameters
from pairwright.report.render import other_tables, tables
from pairwright.report.render.figures import render
from pairwright.report.render.methods_text import limit_words, method_words
from pairwright.report.render.more_plots import heat_map
from pairwright.report.render.narrative import result_words
from pairwright.report.render.sections import Section, all_tables, sections
from pairwright.report.render.tables import Cell, Column, range_of, shown, signed
from pairwright.text import escape_markdown

PAGE, MARKDOWN, SUMMARY = "index.html", "report.md", "summary.json"
FIGURES, TABLES = "figures", "tables"
_HERE = Path(__file__).parent


def write_report(
    directory: Path, release: Release, summary: Summary, pictures: Mapping[str, bytes] | None = None
) -> Path:
    """Writes a report into a directory, each file replaced as a whole. Returns the path of the page.

    pictures  by pair id, a PNG of the place of the pair in its source; shown beside the pairs that the page lists

    The page needs no other file and no network. Beside it lie `report.md`, `summary.json` (what `pairwright compare`
    reads), `figures/` (SVG, PDF) and `tables/` (CSV, LaTeX, Markdown).
    """
    made = sections(release, summary)
    drawn = {plot.id: render(plot) for section in made for plot in section.plots}
    extra = heat_map(summary)
    files = [*drawn.values(), *([render(extra)] if extra is not None else [])]
    for figure in files:
        for ending, data in (("svg", figure.svg), ("pdf", figure.pdf)):
            with store.atomic(directory / FIGURES / f"{figure.plot.id}.{ending}", "wb") as handle:
                handle.write(data)
    _write_tables(directory / TABLES, release, summary, made)
    view = _view(release, summary, made) | {"drawn": drawn, "pictures": _data_uris(pictures or {})}
    store.write_text(directory / SUMMARY, summary.model_dump_json() + "\n")
    store.write_text(directory / MARKDOWN, _environment(html=False).get_template("page.md.j2").render(view))
    store.write_text(directory / PAGE, _environment(html=True).get_template("page.html.j2").render(view))
    return directory / PAGE


def _write_tables(directory: Path, release: Release, summary: Summary, made: list[Section]) -> None:
    found = [*all_tables(made), *filter(None, [other_tables.faults(summary)])]
    for table in found:
        store.write_text(directory / f"{table.id}.csv", tables.as_csv(table))
        store.write_text(directory / f"{table.id}.tex", tables.as_latex(table))
        store.write_text(directory / f"{table.id}.md", tables.as_markdown(table))
    pairs = other_tables.all_pairs(summary, release.pairs)
    store.write_text(directory / f"{pairs.id}.csv", tables.as_csv(pairs))


def marked(pair: ReleasePair, side: Side) -> list[tuple[str, bool]]:
    """A sentence of a pair in stretches, each with whether it is one of the differing words; together the sentence."""
    sentence = pair.sentence_good if side == "good" else pair.sentence_bad
    spans = [
        (change.good_at, len(change.good)) if side == "good" else (change.bad_at, len(change.bad))
        for change in pair.changes
    ]
    stretches, done = [], 0
    for start, length in sorted(spans):
        first, last = max(start, done), max(start + length, done)
        stretches += [(sentence[done:first], False), (sentence[first:last], True)]
        done = last
    return [(text, differs) for text, differs in [*stretches, (sentence[done:], False)] if text]


def _view(release: Release, summary: Summary, made: list[Section]) -> dict[str, Any]:
    """What both templates show."""
    info = release.info
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    return {
        "title": f"{info.name} {info.version}".strip(),
        "release": release,
        "languages": ", ".join(sorted({load_language(source.language).name for source in info.sources})),
        "language_of": {source.id: source.language for source in info.sources},
        "summary": summary,
        "sections": made,
        "results": result_words(summary),
        "methods": method_words(summary),
        "limits": limit_words(release, summary),
        "packages": sorted(
            {f"{name} {version}" for model in summary.models for name, version in model.run.model.packages.items()}
        ),
        "script": Markup(script),
        "script_hash": base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    }


def _data_uris(pictures: Mapping[str, bytes]) -> dict[str, str]:
    return {key: f"data:image/png;base64,{base64.b64encode(data).decode()}" for key, data in pictures.items()}


def _environment(html: bool) -> Environment:
    """Templates in which every text that is put in is escaped, for HTML or for Markdown, unless it is Markup."""
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=None if html else _markdown,
    )
    environment.filters.update(
        parameters=parameters,
        margins=_margins,
        identity=_identity,
        marked=marked,
        cells=_cells,
        as_markdown=lambda table: Markup(tables.as_markdown(table)),
        svg=Markup,
        number=lambda value: signed(value, 2),
    )
    return environment


def _markdown(value: Any) -> Any:
    return escape_markdown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _identity(model: ModelSummary) -> str:
    """What tells one state of a model from another: the commit of a hub model or the hash of its weights."""
    info = model.run.model
    if info.revision is not None:
        return f"commit {info.revision[:12]}"
    return f"weights SHA-256 {info.weights_sha256[:12]}" if info.weights_sha256 is not None else "not recorded"


def _cells(row: tuple[Cell, ...], columns: tuple[Column, ...]) -> list[dict[str, Any]]:
    """The cells of a row as the page shows them: text, interval, what they are sorted by, and their heat."""
    cells = []
    for cell, column in zip(row, columns, strict=True):
        value = cell.value if isinstance(cell, tables.Between) else cell
        number = value if isinstance(value, int | float) and value == value else None
        cells.append(
            {
                "text": shown(cell, column.kind),
                "range": range_of(cell, column.kind),
                "sort": number if column.numeric else None,
                "numeric": column.numeric,
                "heat": None if number is None or not column.heat else number,
            }
        )
    return cells


def _margins(judged: JudgedPair, summary: Summary) -> list[dict[str, Any]]:
    """Per model that scored the pair: its label, whether it is right by the sum, both margins, and the tokens."""
    return [
        {
            "label": model.label,
            "right": margin.by_sum > 0,
            "sum": signed(margin.by_sum, 2),
            "mean": signed(margin.by_mean, 2),
            "tokens": f"{margin.n_tokens[0]} and {margin.n_tokens[1]}",
        }
        for model, margin in zip(summary.models, judged.margins, strict=True)
        if margin is not None
    ]
