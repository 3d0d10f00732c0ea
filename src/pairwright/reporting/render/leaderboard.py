"""The leaderboard: one page of accuracies over releases and models. Models of two conditionings share no table."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from pairwright.core import store
from pairwright.core.records.release import Release
from pairwright.core.templates import script_hash
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import clusters_of, make_groups
from pairwright.reporting.data.evaluations import (
    Evaluation,
    ReportFault,
    ScoredModel,
    conditioning_settings,
    read_evaluations,
)
from pairwright.reporting.render.methods_text import policy_sentences
from pairwright.reporting.render.narrative import way
from pairwright.reporting.render.page import TABLES, identity, page_templates, script_of, write_table
from pairwright.reporting.render.tables.columns import ReportTable, specified

PAGE = "index.html"


class RankedModels(NamedTuple):
    """The models of a release that compare, as a table, and how they were scored."""

    table: ReportTable
    policy: str


class Board(NamedTuple):
    """A release on the leaderboard.

    n_published  pairs with a sentence that stands word by word in a source on the web
    faults       what is wrong with evaluations; those of other pairs are left out
    """

    release: Release
    ranked: tuple[RankedModels, ...]
    n_published: int
    faults: tuple[ReportFault, ...]


def board(release: Release, evaluations: Iterable[Evaluation], words: Words) -> Board:
    """The models that were scored on a release, by the sentences that it has.

    Raises ModelError and ReleaseError as `read_evaluations` does.
    """
    models, faults = read_evaluations(release, evaluations)
    overall = make_groups(release.pairs, models, clusters_of(release.pairs))[0]
    published = np.array([pair.published_source for pair in release.pairs])
    rows = [
        SimpleNamespace(
            model=model,
            result=SimpleNamespace(sum=result.get("sum"), mean=result.get("mean")),
            identity=identity(model.run.model, words),
            scored=model.run.finished_at[:10],
            n_pairs=int(model.scored("sum").sum()),
            gap=_gap(model, published),
            test=_share(model, np.array([pair.split == "test" for pair in release.pairs])),
        )
        for model, result in zip(models, overall.results, strict=True)
    ]
    ranked = tuple(_ranked(release, rows, words))
    return Board(release, ranked, int(published.sum()), tuple(faults))


def _share(model: ScoredModel, chosen: Any) -> float | None:
    """The share of the chosen pairs that are right by the sum; None where none is scored."""
    kept = chosen & model.scored("sum")
    return float(model.right("sum")[kept].mean()) if kept.any() else None


def _gap(model: ScoredModel, published: Any) -> float | None:
    """How much better a model is on pairs of published sentences than on others; None without either."""
    shares = _share(model, published), _share(model, ~published)
    return None if None in shares else shares[0] - shares[1]  # type: ignore[operator]


def _ranked(release: Release, rows: Sequence[Any], words: Words) -> Iterable[RankedModels]:
    runs = [row.model.run for row in rows]
    for number, conditioning in enumerate(dict.fromkeys(run.conditioning for run in runs), start=1):
        own = [row for row in rows if row.model.run.conditioning == conditioning]
        table = specified(words, "leaderboard", own)
        if table is not None:
            settings = conditioning_settings(own[0].model.run, runs)
            title = f"{release.name} {release.version}"
            title = words("leaderboard.title", release=title, way=way(settings, words)) if settings else title
            yield RankedModels(
                replace(table, id=f"{release.name}-{release.version}-{number}", title=title),
                " ".join(policy_sentences(conditioning[0], words)),
            )


def write_leaderboard(directory: Path, boards: Sequence[Board], words: Words) -> Path:
    """Writes the page, which needs no other file and no network, and each of its tables as a file."""
    for table in (ranked.table for shown in boards for ranked in shown.ranked):
        write_table(directory / TABLES, table, words)
    script = script_of("page.js")
    view = {
        "boards": boards,
        "script": Markup(script),
        "script_hash": script_hash(script),
    }
    page = page_templates(words, html=True).get_template("leaderboard.html.j2").render(view)
    store.write_text(directory / PAGE, page)
    return directory / PAGE
