"""What a report shows and in which order: sections of text, figures, tables and pairs. The words have the headings."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from pairwright.core.records.release import Release
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import GroupKind
from pairwright.reporting.analysis.pairs import ScoredPair
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.analysis.tasks.results import TaskResults
from pairwright.reporting.render import narrative
from pairwright.reporting.render.figures import plots
from pairwright.reporting.render.figures.drawing import Plot
from pairwright.reporting.render.tables import conditions
from pairwright.reporting.render.tables import summary as tables
from pairwright.reporting.render.tables.columns import ReportTable, specified
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


def sections(
    release: Release, summary: Summary, words: Words, more: Iterable[PageSection | None] = ()
) -> list[PageSection]:
    """All sections that have something to show for these models and this release; `more` come before single pairs."""
    parts = _tasks(summary.tasks, words) if summary.tasks else []
    if summary.models:
        parts = [*_accuracies(summary, words), *parts, *_others(summary, words)]
    last = [_pairs(release, summary, words)] if summary.models else []
    return list(filter(None, [*parts, *more, *last]))


def section(
    words: Words,
    id: str,
    paragraphs: Iterable[str] = (),
    plots: Iterable[Plot | None] = (),
    tables: Iterable[ReportTable | None] = (),
    folded: Iterable[ReportTable | None] = (),
    lists: Iterable[PairList] = (),
) -> PageSection | None:
    """A section of what there is to show; None where that is nothing."""
    parts: Any = [tuple(filter(None, items)) for items in (paragraphs, plots, tables, folded, lists)]
    heading = words(f"sections.{id}")
    return PageSection(id, heading, words.group("links").get(id, heading), *parts) if any(parts) else None


def _by_conditioning(
    draw: Callable[[Summary, Words], Plot | None], summary: Summary, words: Words
) -> Iterator[Plot | None]:
    """A figure for the models of each conditioning: those of another one do not belong in the same ranking."""
    parts = summary.comparable()
    for number, (settings, part) in enumerate(parts, start=1):
        figure = draw(part, words)
        if figure is not None and len(parts) > 1:
            name = figure.id if number == 1 else f"{figure.id}-{number}"
            way = narrative.way(settings, words)
            figure = replace(figure, id=name, title=words("figures.conditioned", title=figure.title, way=way))
        yield figure


def heat_maps(summary: Summary, words: Words) -> list[Plot]:
    """The heat maps of a report, which are files alone."""
    return list(filter(None, _by_conditioning(plots.heat_map, summary, words)))


def _accuracies(summary: Summary, words: Words) -> list[PageSection | None]:
    part = partial(section, words)
    several = len(summary.models) > 1
    many, compared = len(summary.comparisons) > MOST_ROWS, [tables.comparisons(summary, words)]
    in_full = [conditions.in_full(summary, words)]
    many_conditions = sum(len(group.results) for group in summary.conditions) > MOST_ROWS
    exceptions = [tables.groups_in_full(summary, words, "overall")]
    groups = list(filter(None, (tables.groups_in_full(summary, words, kind) for kind in GROUPS)))
    return [
        part(
            "overall",
            [
                *(narrative.results(summary, words) if len(summary.models) < 4 else ()),
                *narrative.overall(summary, words),
            ],
            _by_conditioning(plots.ranking, summary, words),
            [tables.ranking(summary, words), *([] if several else exceptions)],
            exceptions if several else (),
        ),
        part(
            "families",
            narrative.families(summary, words),
            [*_by_conditioning(plots.size, summary, words), plots.base_and_instruct(summary, words)],
            [tables.base_and_instruct(summary, words) if several else None, tables.families(summary, words)],
        ),
        part(
            "rules",
            narrative.rules(summary, words),
            [plots.rules(summary, words)],
            [tables.heat(summary, words, "sum")] if several else groups[:1],
            [tables.heat(summary, words, "mean"), *groups] if several else groups[1:],
        ),
        part(
            "conditions",
            tables=[*conditions.wide(summary, words), *([] if many_conditions else in_full)],
            folded=in_full if many_conditions else (),
        ),
        part("profiles", plots=[plots.radars(summary, words)]),
        part(
            "comparisons",
            narrative.comparisons(summary, words),
            tables=() if many else compared,
            folded=compared if many else (),
        ),
    ]


def _tasks(tasks: TaskResults, words: Words) -> list[PageSection | None]:
    part = partial(section, words)
    measures, sizes = (specified(words, f"task-{it}", getattr(tasks, it)) for it in ("measures", "sizes"))
    answers = [task_tables.outcomes(tasks, words), specified(words, "task-cost", tasks.outcomes)]
    many = len(tasks.outcomes) > MOST_ROWS
    return [
        part(
            "tasks",
            task_narrative.overall(tasks, words),
            [task_plots.radars(tasks, words)],
            [task_tables.models_by_tasks(tasks, words)],
            [
                task_tables.scores(tasks, words),
                measures,
                task_tables.runs(tasks, words),
            ],
        ),
        part("task-sizes", plots=[task_plots.sizes(tasks, words)], folded=[sizes]),
        part(
            "task-answers",
            task_narrative.answers(tasks, words),
            [task_plots.places(tasks, words)],
            () if many else answers,
            [*(answers if many else ()), task_tables.places(tasks, words)],
        ),
        part(
            "between-tasks",
            [task_narrative.correlations(tasks, words)],
            [task_plots.correlations(tasks, words, "pearson"), task_plots.correlations(tasks, words, "spearman")],
            folded=[task_tables.correlations(tasks, words)],
        ),
    ]


def _others(summary: Summary, words: Words) -> list[PageSection | None]:
    part = partial(section, words)
    flips = (words("text.flips_heading"), narrative.flips(summary, words), summary.flips)
    return [
        part(
            "measures",
            [words("text.measures")],
            _by_conditioning(plots.measures, summary, words),
            [specified(words, "measures", summary.models)],
            lists=[flips],
        ),
        part("difficulty", folded=[tables.difficulty(summary, words)]),
        part(
            "confounds",
            narrative.confounds(summary, words),
            [plots.confounds(summary, words)],
            folded=[tables.confounds(summary, words)],
        ),
        part(
            "people",
            narrative.people(summary, words),
            [plots.people(summary, words)],
            [tables.preferences(summary, words), tables.choices(summary, words)],
            [tables.alignments(summary, words)],
        ),
        part(
            "other-tools",
            narrative.external(summary, words),
            tables=[tables.other_tools(summary, words), tables.task_correlations(summary, words)],
            folded=[tables.tasks(summary, words)],
        ),
    ]


def _pairs(release: Release, summary: Summary, words: Words) -> PageSection | None:
    lists = [(words("text.hardest_heading"), narrative.hardest(summary, words), summary.hardest)]
    if summary.discriminating:
        lists.append((words("text.discriminating_heading"), words("text.discriminating"), summary.discriminating))
    return section(words, "pairs", folded=[tables.back_to_review(summary, words, release.pairs)], lists=lists)
