"""Writes what models come to on a set of matrices: tables, the figure, and a page of Markdown."""

from collections.abc import Sequence
from pathlib import Path

from pairwright import store
from pairwright.reporting.analysis.tasks.matrices import MatrixResult, matrix_results
from pairwright.reporting.data.responses import AskedModel
from pairwright.reporting.data.words import Words
from pairwright.reporting.render.figures.drawing import render
from pairwright.reporting.render.page import FIGURES, MARKDOWN, TABLES, write_figure, write_table
from pairwright.reporting.render.tables.columns import as_markdown
from pairwright.reporting.render.tasks import matrix_tables
from pairwright.text import escape_markdown


def write_matrix_report(
    directory: Path, name: str, models: Sequence[AskedModel], words: Words
) -> tuple[Path, tuple[MatrixResult, ...]]:
    """Writes the report on a set of problems in place of an earlier one.

    Returns the path of `report.md`, and all results.
    """
    results = tuple(matrix_results(models))
    made = (matrix_tables.f1, matrix_tables.unanswered, matrix_tables.scores, matrix_tables.errors)
    shown = [table(results, words) for table in made]
    parts = [f"# {words('matrices.title', name=escape_markdown(name))}"]
    with store.replaced_folder(directory / TABLES) as folder:
        for table in filter(None, shown):
            write_table(folder, table, words)
            parts += [f"## {table.title}", as_markdown(table, words).strip()]
    with store.replaced_folder(directory / FIGURES) as folder:
        if (figure := matrix_tables.labels(results, words)) is not None:
            write_figure(folder, render(figure))
            parts += [f"## {figure.title}", f"![{figure.description}]({FIGURES}/{figure.id}.svg)"]
    store.write_text(directory / MARKDOWN, "\n\n".join(parts) + "\n")
    return directory / MARKDOWN, results
