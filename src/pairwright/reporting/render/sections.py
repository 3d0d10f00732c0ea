"""What a report shows and in which order: sections of text, figures, tables and pairs. page.toml has the headings."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pairwright.records.release import Release
from pairwright.reporting.analysis.groups import GroupKind
from pairwright.reporting.analysis.pairs import ScoredPair
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.analysis.tasks.results import TaskResults
from pairwright.reporting.render import condition_tables, narrative, plots
from pairwright.reporting.render import summary_tables as tables
from pairwright.reporting.render.figures import Plot
from pairwright.reporting.render.tables import ReportTable, texts
from pairwright.reporting.render.tasks import matrix_tables
from pairwright.reporting.render.tasks import narrative as task_narrative
from pairwright.reporting.render.tasks import plots as task_plots
from pairwright.reporting.render.tasks import tables as task_tables

GROUPS: tuple[GroupKind, ...] = ("phenomenon", "rule", "construction", "source")
# A longer table of comparisons, or of tasks, is folded.
MOST_ROWS = 12
PairList = tuple[str, str, tuple[ScoredPair, ...]]
"""A heading, a sentence and the pairs below it."""


@dataclass(frozen=True)
class PageSection:
    """A part of a report.

    link    its name in the contents
    folded  tables that stay closed on the page until someone opens them
    """

    id: str
    heading: str
    link: str
    paragraphs: tuple[str, ...]
    plots: tuple[Plot, ...]
    tables: tuple[ReportTable, ...]
    folded: tuple[ReportTable, ...]
    lists: tuple[PairList, ...]


def sections(release: Release, summary: Summary) -> list[PageSection]:
    """All sections that have something to show for these models and this release."""
    of_tasks = _tasks(summary.tasks) if summary.tasks else ()
    if not summary.models:
        return list(filter(None, of_tasks))
    return list(filter(None, (*_accuracies(summary), *of_tasks, *_others(summary), _pairs(release, summary))))


def _section(
    id: str,
    paragraphs: Iterable[str] = (),
    plots: Iterable[Plot | None] = (),
    tables: Iterable[ReportTable | None] = (),
    folded: Iterable[ReportTable | None] = (),
    lists: Iterable[PairList] = (),
) -> PageSection | None:
    """A section of what there is to show; None where that is nothing."""
    heading, *link = texts("sections")[id]
    parts: Any = [tuple(filter(None, items)) for items in (paragraphs, plots, tables, folded, lists)]
    return PageSection(id, heading, link[0] if link else heading, *parts) if any(parts) else None


def _by_conditioning(draw: Callable[[Summary], Plot | None], summary: Summary) -> Iterator[Plot | None]:
    """A figure for the models of each conditioning: those of another one do not belong in the same ranking."""
    parts = summary.comparable()
    for number, (label, part) in enumerate(parts, start=1):
        figure = draw(part)
        if figure is not None and len(parts) > 1:
            name = figure.id if number == 1 else f"{figure.id}-{number}"
            figure = replace(figure, id=name, title=f"{figure.title}; {label}")
        yield figure


def heat_maps(summary: Summary) -> list[Plot]:
    """The heat maps of a report, which are files alone."""
    return list(filter(None, _by_conditioning(plots.heat_map, summary)))


def _accuracies(summary: Summary) -> list[PageSection | None]:
    several = len(summary.models) > 1
    many, compared = len(summary.comparisons) > MOST_ROWS, [tables.comparisons(summary)]
    exceptions = [tables.groups_in_full(summary, "overall")]
    groups = list(filter(None, (tables.groups_in_full(summary, kind) for kind in GROUPS)))
    return [
        _section(
            "overall",
            [*narrative.results(summary), *narrative.overall(summary)],
            _by_conditioning(plots.ranking, summary),
            [tables.ranking(summary), *([] if several else exceptions)],
            exceptions if several else (),
        ),
        _section(
            "families",
            narrative.families(summary),
            [*_by_conditioning(plots.size, summary), plots.base_and_instruct(summary)],
            [tables.base_and_instruct(summary) if several else None, tables.families(summary)],
        ),
        _section(
            "rules",
            narrative.rules(summary),
            [plots.rules(summary)],
            [tables.heat(summary, "sum")] if several else groups[:1],
            [tables.heat(summary, "mean"), *groups] if several else groups[1:],
        ),
        _section("conditions", tables=condition_tables.wide(summary), folded=[condition_tables.in_full(summary)]),
        _section("profiles", plots=[plots.radars(summary)]),
        _section(
            "comparisons",
            narrative.comparisons(summary),
            tables=() if many else compared,
            folded=compared if many else (),
        ),
    ]


def _tasks(tasks: TaskResults) -> list[PageSection | None]:
    answers = [task_tables.outcomes(tasks), task_tables.cost(tasks)]
    many = len(tasks.outcomes) > MOST_ROWS
    return [
        _section(
            "tasks",
            task_narrative.overall(tasks),
            [task_plots.radars(tasks)],
            [task_tables.models_by_tasks(tasks)],
            [task_tables.scores(tasks), task_tables.measures(tasks), task_tables.runs(tasks)],
        ),
        _section(
            "matrices",
            plots=[matrix_tables.labels(tasks.matrices)],
            tables=[matrix_tables.f1(tasks.matrices), matrix_tables.unanswered(tasks.matrices)],
            folded=[matrix_tables.scores(tasks.matrices), matrix_tables.errors(tasks.matrices)],
        ),
        _section("task-sizes", plots=[task_plots.sizes(tasks)], folded=[task_tables.sizes(tasks)]),
        _section(
            "task-answers",
            task_narrative.answers(tasks),
            [task_plots.places(tasks)],
            () if many else answers,
            [*(answers if many else ()), task_tables.places(tasks)],
        ),
        _section(
            "between-tasks",
            [task_narrative.correlations(tasks)],
            [task_plots.correlations(tasks, "pearson"), task_plots.correlations(tasks, "spearman")],
            folded=[task_tables.correlations(tasks)],
        ),
    ]


def _others(summary: Summary) -> list[PageSection | None]:
    flips = ("Pairs that flip", narrative.flips(summary), summary.flips)
    return [
        _section(
            "measures",
            [narrative.MEASURES_DIFFER],
            _by_conditioning(plots.measures, summary),
            [tables.measures(summary)],
            lists=[flips],
        ),
        _section("difficulty", folded=[tables.difficulty(summary)]),
        _section(
            "confounds", narrative.confounds(summary), [plots.confounds(summary)], folded=[tables.confounds(summary)]
        ),
        _section(
            "people",
            narrative.people(summary),
            [plots.people(summary)],
            [tables.preferences(summary), tables.choices(summary)],
            [tables.alignments(summary)],
        ),
        _section(
            "other-tools",
            narrative.external(summary),
            tables=[tables.other_tools(summary), tables.task_correlations(summary)],
            folded=[tables.tasks(summary)],
        ),
        _section("morphology", tables=[tables.morphology(summary)]),
    ]


def _pairs(release: Release, summary: Summary) -> PageSection | None:
    lists = [("Hardest pairs", narrative.hardest(summary), summary.hardest)]
    if summary.discriminating:
        lists.append(("Pairs that tell models apart", narrative.DISCRIMINATING, summary.discriminating))
    return _section("pairs", folded=[tables.back_to_review(summary, release.pairs)], lists=lists)
