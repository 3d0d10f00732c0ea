"""What a report shows and in which order: sections of text, figures, tables and pairs. The words have the headings."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from pairwright.core.records.release import Release, ReleasePair
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.pairs import listed
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data.score_differences import BAD, GOOD
from pairwright.reporting.render import plots, sentences, tables
from pairwright.reporting.render.figures import Plot
from pairwright.reporting.render.methods import limits, measured, methods
from pairwright.reporting.render.tables import Table, table

_OPEN = ("overall", "rules", "pairs")
# Longer tables are folded, except in the first section.
_MOST_OPEN = 25


class ShownPair(NamedTuple):
    """A pair with a line a model that scored it: whether it is right by sum_logprob, and its score differences."""

    pair: ReleasePair
    discrimination: float | None
    lines: Sequence[tuple[bool, str]]


class PairList(NamedTuple):
    """A heading, a sentence and the pairs below it."""

    heading: str
    text: str
    pairs: Sequence[ShownPair]


@dataclass(frozen=True)
class PageSection:
    """A part of a report.

    is_folded  whether the whole section stays closed until someone opens it
    n_open     how many tables stand open, the others open by their titles
    """

    id: str
    heading: str
    paragraphs: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()
    lists: tuple[PairList, ...] = ()
    is_folded: bool = True
    n_open: int = 1


def section(
    words: Words,
    id: str,
    paragraphs: Iterable[str] = (),
    plots: Iterable[Plot | None] = (),
    tables: Iterable[Table | None] = (),
    lists: Iterable[PairList] = (),
) -> PageSection | None:
    """A section of what there is to show; None where that is nothing."""
    given = {"paragraphs": paragraphs, "plots": plots, "tables": tables, "lists": lists}
    parts: dict[str, Any] = {name: tuple(filter(None, items)) for name, items in given.items()}
    if not any(parts.values()):
        return None
    is_long = id != "overall" and any(it.n_rows > _MOST_OPEN for it in parts["tables"][:1])
    return PageSection(id, words(f"sections.{id}"), **parts, is_folded=id not in _OPEN, n_open=0 if is_long else 1)


def sections(
    release: Release, summary: Summary, words: Words, more: Iterable[PageSection | None] = ()
) -> list[PageSection]:
    """All sections that have something to show, first those that a reader needs first; `more` come after them."""
    parts = [
        *(_of_pairs(release, summary, words) if summary.runs else ()),
        _of_tasks(summary, words) if summary.task_runs else None,
        *(_further(release, summary, words) if summary.runs else ()),
        *more,
        section(
            words,
            "measured",
            [measured(release, summary, words)],
            tables=[
                table(
                    words,
                    "cited-sources",
                    [dict(it) | {"source": it.title} for it in release.info.sources if release.info.version],
                ),
                tables.models(summary, words),
            ],
        ),
        section(words, "methods", methods(summary, words)),
        section(words, "limits", limits(release, summary, words)),
    ]
    first, *others = filter(None, parts)
    return [replace(first, is_folded=False), *others]


def _of_pairs(release: Release, summary: Summary, words: Words) -> Iterator[PageSection | None]:
    several = len(summary.runs) > 1
    groups = ("phenomenon", "rule", "construction", "source")
    heats = [tables.heat(summary, words, kind) for kind in groups[:2]] if several else []
    heats += [tables.heat(summary, words, "rule", "mean_nll")] if several else []
    results = sentences.results(summary, words) if len(summary.runs) < 4 else []
    yield section(
        words,
        "overall",
        [*results, *sentences.power(summary, words)],
        by_conditioning(plots.ranking, summary, words),
        [
            tables.ranking(summary, words),
            table(words, "rule-means", summary["rule_means"]),
            tables.in_full(summary, words, "overall"),
        ],
    )
    yield section(
        words,
        "rules",
        sentences.rules(summary, words),
        [plots.rules(summary, words)],
        [*heats, *(tables.in_full(summary, words, kind) for kind in groups)],
    )
    yield section(
        words,
        "pairs",
        tables=[tables.back_to_review(summary, words, release.pairs)],
        lists=[it for name in ("hardest", "discriminating") if (it := _listed(release, summary, words, name))],
    )


def _further(release: Release, summary: Summary, words: Words) -> Iterator[PageSection | None]:
    part: Callable[..., PageSection | None] = partial(section, words)
    several, flips = len(summary.runs) > 1, _listed(release, summary, words, "flips")
    yield part("conditions", tables=[*tables.conditions(summary, words), tables.conditions_in_full(summary, words)])
    yield part(
        "comparisons",
        [*sentences.families(summary, words), *sentences.comparisons(summary, words)],
        [
            *by_conditioning(plots.size, summary, words),
        ],
        [
            tables.base_and_instruct(summary, words) if several else None,
            tables.comparisons(summary, words),
        ],
    )
    yield part(
        "measures",
        [words("text.measures")],
        by_conditioning(plots.measures, summary, words),
        [table(words, "measures", summary["models"])],
        [flips] if flips else [],
    )
    yield part(
        "confounds",
        sentences.confounds(summary, words),
        [],
        [table(words, "confounds", summary["confounds"])],
    )
    yield part(
        "people",
        sentences.people(summary, words),
        [],
        [
            table(words, "human-preferences", summary["preferences"]),
            tables.choices(summary, words),
            table(words, "human-alignment", summary["alignment"]),
        ],
    )
    own = [table(words, "other-tools", summary["tools"]), table(words, "other-tasks", summary["other_tasks"])]
    yield part("other-tools", sentences.other_tools(summary, words), tables=own)


def _of_tasks(summary: Summary, words: Words) -> PageSection | None:
    texts = (sentences.tasks, sentences.answers)
    frames = {it: f"task_{it}" for it in ("scores", "sizes", "outcomes", "places")} | {"cost": "task_outcomes"}
    return section(
        words,
        "tasks",
        [it for text in texts for it in text(summary, words)],
        (),
        [
            tables.models_by_tasks(summary, words),
            *(table(words, f"task-{id}", summary[name]) for id, name in frames.items()),
            tables.task_runs(summary, words),
        ],
    )


def by_conditioning(
    draw: Callable[[Summary, Words, Sequence[str]], Plot | None], summary: Summary, words: Words
) -> Iterator[Plot | None]:
    """A figure for the models of each conditioning: those of another one do not belong in the same ranking."""
    parts = summary.comparable()
    for number, (settings, labels) in enumerate(parts.items(), start=1):
        figure = draw(summary, words, labels)
        if figure is not None and len(parts) > 1:
            name = figure.id if number == 1 else f"{figure.id}-{number}"
            title = words("figures.conditioned", title=figure.title, way=tables.way(settings, words))
            figure = replace(figure, id=name, title=title)
        yield figure


def _listed(release: Release, summary: Summary, words: Words, name: str) -> PairList | None:
    rows, results = listed(summary["pairs"])[name], summary["pairs"]
    if name == "discriminating" and not rows:
        return None
    pairs = []
    for row in rows:
        lines = [
            (
                bool(model.right("sum_logprob")[row]),
                words(
                    "page.line",
                    model=model.label,
                    sum=words.signed(float(model.differences["sum_logprob"][row]), 2),
                    mean=words.signed(float(model.differences["mean_nll"][row]), 2),
                    good=int(model.n_tokens[row, GOOD]),
                    bad=int(model.n_tokens[row, BAD]),
                ),
            )
            for model in summary.scored
            if model.scored("sum_logprob")[row]
        ]
        telling = float(results["discrimination"][row])
        pairs.append(ShownPair(release.pairs[row], None if math.isnan(telling) else telling, lines))
    counted = name != "discriminating"
    text = sentences.listed_pairs(summary, name, len(rows), words) if counted else words("text.discriminating")
    return PairList(words(f"text.{name}_heading"), text, pairs)
