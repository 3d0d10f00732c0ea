"""The leaderboard: one page of accuracies over releases and models. Models of two conditionings share no table."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairwright.core import store
from pairwright.core.records.release import Release
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import clusters_of, group_accuracies
from pairwright.reporting.data.evaluations import (
    Evaluation,
    ReportFault,
    ScoredModel,
    conditioning_settings,
    read_evaluations,
)
from pairwright.reporting.render.methods import policy_sentences
from pairwright.reporting.render.page import TABLES, page_templates, page_view, write_table
from pairwright.reporting.render.sections import PageSection
from pairwright.reporting.render.tables import Table, identity, table, way

PAGE = "index.html"


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
