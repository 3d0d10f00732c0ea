"""Writes a report: one self-contained HTML page, Markdown, and every figure and table as a file.

Every text from a release, a model or a person is escaped.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from pairwright.core import store
from pairwright.core.records import Side
from pairwright.core.records.release import Release, ReleasePair
from pairwright.core.templates import html_templates, markdown_templates, script_hash
from pairwright.languages.linguistics.edits import stretches
from pairwright.languages.locale import Words, load_words
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.render import sentences
from pairwright.reporting.render.figures import certainty, render, svg_element
from pairwright.reporting.render.pair_data import MOST_TOKENS, packed_pairs, pairs_csv
from pairwright.reporting.render.sections import PageSection, sections
from pairwright.reporting.render.tables import Table, faults

PAGE, MARKDOWN, SUMMARY = "index.html", "report.md", "summary.json"
FIGURES, TABLES = "figures", "tables"
_WEB = Path(__file__).with_name("web")


def write_report(
    directory: Path,
    release: Release,
    summary: Summary,
    words: Words | None = None,
    most_tokens: int | None = None,
    more: Iterable[PageSection | None] = (),
) -> Path:
    """Writes a report into a directory, each file and folder replaced as a whole. Returns the path of the page.

    words     of the language of the page; English where it is left out
    more      sections besides the report's own
    most_tokens  so many tokens the page shows with their surprisals, `MOST_TOKENS` where it is left out

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
