"""What models come to on matrices, and which wrong answers they choose: a section, and a page of its own."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from pairwright.core import store
from pairwright.core.text import escape_markdown
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import Row
from pairwright.reporting.analysis.tasks import answered_accuracy, is_right
from pairwright.reporting.data.responses import AnsweredItem, AskedModel
from pairwright.reporting.render.page import MARKDOWN, TABLES, write_table
from pairwright.reporting.render.sections import PageSection, section
from pairwright.reporting.render.tables import Column, Table, across, table

RIGHT = "right"


def matrix_results(models: Sequence[AskedModel]) -> Iterator[Row]:
    """A row for each model and condition (`problems`) of its matrices.

    f1        of choosing the right answer: twice the right ones by the problems and the answers to them; where every
              problem has an answer it is the share of right ones. The mean over `n_runs` seeds; None without answers.
              Its 95% interval (`f1_low`, `f1_high`), had other problems been drawn, is of the answers that there are
    reason    why there is no answer at all: the most frequent of the reasons that the responses give
    sd        the standard deviation over seeds; None for a single one
    chosen    the rows of the answers by what was chosen, the most frequent first: its label, the pattern that it fills,
              its share
    """
    for model in models:
        rows = [row for row in model.rows if row.item.task == "matrix"]
        for condition in sorted({row.item.condition for row in rows}):
            named = {"model": model.label, "problems": condition}
            yield named | _result(named, [row for row in rows if row.item.condition == condition])


def _result(named: Row, rows: Sequence[AnsweredItem]) -> Row:
    answered = [row for row in rows if row.response.outcome == "answered" and row.response.chosen]
    draws = sorted({row.response.draw for row in rows})
    by_run = [_f1([row for row in rows if row.response.draw == draw]) for draw in draws]
    score = answered_accuracy(answered) if answered else {}
    reasons = Counter(row.response.reason or row.response.outcome for row in rows)
    counts = sorted(Counter(map(_named, answered)).items(), key=lambda count: (-count[1], count[0]))
    return {
        "n_problems": len({row.item.id for row in rows}),
        "n_runs": len(draws),
        "f1": float(np.mean(by_run)) if answered else None,
        "f1_low": score.get("value_low"),
        "f1_high": score.get("value_high"),
        "sd": float(np.std(by_run, ddof=1)) if answered and len(by_run) > 1 else None,
        "reason": "" if answered else reasons.most_common(1)[0][0],
        "chance": score.get("chance"),
        "chosen": [
            {**named, "label": label, "pattern": pattern or None, "n": n, "share": n / len(answered)}
            for (label, pattern), n in counts
        ],
    }


def _f1(rows: Sequence[AnsweredItem]) -> float:
    answered = [row for row in rows if row.response.outcome == "answered"]
    right = sum(is_right(row.item, row.response.chosen) for row in answered)
    return 2 * right / (len(rows) + len(answered))


def _named(row: AnsweredItem) -> tuple[str, str]:
    """The label of the chosen answer and its pattern."""
    label, _, pattern = row.item.options[row.response.chosen[0]].label.partition(" ")
    return (RIGHT, "") if is_right(row.item, row.response.chosen) else (label, pattern)


def matrix_section(models: Sequence[AskedModel], words: Words) -> PageSection | None:
    """The section of models' answers to matrices; None where no model was asked any."""
    results = list(matrix_results(models))
    chosen = [answer for result in results for answer in result["chosen"]]
    mute = [result for result in results if result["f1"] is None]
    scores = "model problems n_problems n_runs f1 sd:percent chance"
    return section(
        words,
        "matrices",
        tables=[
            _f1_table(results, words),
            table(words, "matrix-unanswered", mute, "model problems reason n_problems"),
            table(words, "matrix-scores", results, scores),
            table(words, "matrix-answers", chosen, "model problems label pattern n share"),
        ],
    )


def _f1_table(results: Sequence[Row], words: Words) -> Table | None:
    """Conditions down and models across, F1 with its standard deviation over seeds, and chance."""
    chances = {it["problems"]: it["chance"] for it in results if it["chance"] is not None}
    found = sorted(results, key=lambda it: it["problems"])
    models = dict.fromkeys(it["model"] for it in results)
    rows, columns = across(found, ["problems"], "model", models, "f1")
    columns.append(Column(words("columns.chance"), [chances.get(row["problems"]) for row in rows], "percent"))
    return table(words, "matrix-f1", rows, "problems", *columns)


def write_matrix_report(directory: Path, name: str, models: Sequence[AskedModel], words: Words) -> Path:
    """Writes the section as a page of Markdown of its own, in place of an earlier one; returns the path of the page."""
    parts = [f"# {words('matrices.title', name=escape_markdown(name))}"]
    shown = matrix_section(models, words)
    with store.replaced_folder(directory / TABLES) as folder:
        for it in shown.tables if shown else ():
            write_table(folder, it, words)
            parts += [f"## {it.title}", it.as_markdown(words).strip()]
    store.write_text(directory / MARKDOWN, "\n\n".join(parts) + "\n")
    return directory / MARKDOWN
