"""What a report shows and in which order: sections of text, figures, tables and pairs. The words have the headings."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from pairwright.core.records.release import Release, ReleasePair
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import GroupKind
from pairwright.reporting.analysis.pairs import listed
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data.score_differences import BAD, GOOD
from pairwright.reporting.render import plots, sentences, tables
from pairwright.reporting.render.figures import Plot
from pairwright.reporting.render.methods import limits, measured, methods
from pairwright.reporting.render.tables import Table, table

# A longer table of comparisons, or of tasks, is folded.
MOST_ROWS = 12


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

    folded     tables that stay closed on the page until someone opens them
    is_folded  whether the whole section does
    """

    id: str
    heading: str
    paragraphs: tuple[str, ...]
    plots: tuple[Plot, ...]
    tables: tuple[Table, ...]
    folded: tuple[Table, ...]
    lists: tuple[PairList, ...]
    is_folded: bool


def section(
    words: Words,
    id: str,
    paragraphs: Iterable[str] = (),
    plots: Iterable[Plot | None] = (),
    tables: Iterable[Table | None] = (),
    folded: Iterable[Table | None] = (),
    lists: Iterable[PairList] = (),
    is_folded: bool = True,
) -> PageSection | None:
    """A section of what there is to show; None where that is nothing."""
    given = {"paragraphs": paragraphs, "plots": plots, "tables": tables, "folded": folded, "lists": lists}
    parts: dict[str, Any] = {name: tuple(filter(None, items)) for name, items in given.items()}
    return PageSection(id, words(f"sections.{id}"), **parts, is_folded=is_folded) if any(parts.values()) else None


def sections(
    release: Release, summary: Summary, words: Words, more: Iterable[PageSection | None] = ()
) -> list[PageSection]:
    """All sections that have something to show, first those that a reader needs first; `more` come last."""
    part: Callable[..., PageSection | None] = partial(section, words)
    pair_list = partial(_listed, release, summary, words)
    several = len(summary.runs) > 1
    in_full = {kind: tables.in_full(summary, words, kind) for kind in ("overall", *_KINDS)}
    compared, conditions = tables.comparisons(summary, words), tables.conditions_in_full(summary, words)
    answers = [table(words, f"task-{it}", summary["task_outcomes"]) for it in ("outcomes", "cost")]
    by_phenomenon, by_rule = (
        tables.heat(summary, words, kind) if several else in_full.pop(kind) for kind in ("phenomenon", "rule")
    )
    short = by_phenomenon is None or by_rule is None or by_rule.n_rows <= MOST_ROWS
    first = [
        part(
            "overall",
            [*(sentences.results(summary, words) if len(summary.runs) < 4 else ()), *sentences.power(summary, words)],
            _by_conditioning(plots.ranking, summary, words),
            [tables.ranking(summary, words)],
            [in_full.pop("overall")],
            is_folded=False,
        ),
        part(
            "rules",
            sentences.rules(summary, words),
            [plots.rules(summary, words)],
            [by_phenomenon, by_rule if short else None],
            [
                None if short else by_rule,
                tables.heat(summary, words, "rule", "mean_nll") if several else None,
                *in_full.values(),
            ],
            is_folded=False,
        ),
        part(
            "pairs",
            lists=[pair_list("hardest"), *filter(lambda it: it.pairs, [pair_list("discriminating")])],
            folded=[tables.back_to_review(summary, words, release.pairs)],
            is_folded=False,
        ),
    ]
    others = [
        part(
            "conditions",
            tables=[*tables.conditions(summary, words), *_short(conditions)],
            folded=_long(conditions),
        ),
        part(
            "families",
            sentences.families(summary, words),
            [*_by_conditioning(plots.size, summary, words), plots.base_and_instruct(summary, words)],
            [tables.base_and_instruct(summary, words) if several else None, tables.families(summary, words)],
        ),
        part("profiles", plots=[plots.radars(summary, words)]),
        part("comparisons", sentences.comparisons(summary, words), tables=_short(compared), folded=_long(compared)),
        part(
            "measures",
            [words("text.measures")],
            _by_conditioning(plots.measures, summary, words),
            [table(words, "measures", summary["models"])],
            lists=[pair_list("flips")],
        ),
        part("difficulty", tables=[tables.difficulty(summary, words)]),
        part(
            "confounds",
            sentences.confounds(summary, words),
            [plots.confounds(summary, words)],
            folded=[table(words, "confounds", summary["confounds"])],
        ),
        part(
            "people",
            sentences.people(summary, words),
            [plots.people(summary, words)],
            [table(words, "human-preferences", summary["preferences"]), tables.choices(summary, words)],
            [table(words, "human-alignment", summary["alignment"])],
        ),
        part(
            "other-tools",
            sentences.other_tools(summary, words),
            tables=[
                table(words, "other-tools", summary["tools"]),
                table(words, "task-correlations", summary["task_correlations"]),
            ],
            folded=[table(words, "other-tasks", summary["other_tasks"])],
        ),
    ]
    of_tasks = [
        part(
            "tasks",
            sentences.tasks(summary, words),
            [plots.task_radars(summary, words)],
            [tables.models_by_tasks(summary, words)],
            [
                *(table(words, f"task-{it}", summary[f"task_{it}"]) for it in ("scores", "measures")),
                tables.task_runs(summary, words),
            ],
            is_folded=bool(summary.runs),
        ),
        part(
            "task-sizes",
            plots=[plots.task_sizes(summary, words)],
            folded=[table(words, "task-sizes", summary["task_sizes"])],
        ),
        part(
            "task-answers",
            sentences.answers(summary, words),
            [plots.task_places(summary, words)],
            [it for one in answers for it in _short(one)],
            [*(it for one in answers for it in _long(one)), table(words, "task-places", summary["task_places"])],
        ),
        part(
            "between-tasks",
            sentences.between_tasks(summary, words),
            [plots.task_correlations(summary, words, method) for method in ("pearson", "spearman")],
            folded=[tables.between_tasks(summary, words)],
        ),
    ]
    sources = [dict(source) for source in release.info.sources if release.info.version]
    last = [
        part(
            "measured",
            [measured(release, summary, words)],
            tables=[table(words, "sources", sources), tables.models(summary, words)],
        ),
        part("methods", methods(summary, words)),
        part("limits", limits(release, summary, words)),
    ]
    scored = bool(summary.runs)
    parts = [*(first if scored else ()), *(of_tasks if summary.task_runs else ()), *(others if scored else ())]
    return list(filter(None, [*parts, *more, *last]))


_KINDS: tuple[GroupKind, ...] = ("phenomenon", "rule", "construction", "source")


def _short(shown: Table | None) -> list[Table]:
    return [shown] if shown and shown.n_rows <= MOST_ROWS else []


def _long(shown: Table | None) -> list[Table]:
    return [shown] if shown and shown.n_rows > MOST_ROWS else []


def _by_conditioning(
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


def heat_maps(summary: Summary, words: Words) -> list[Plot]:
    """The heat maps of a report, which are files alone."""
    return list(filter(None, _by_conditioning(plots.heat_map, summary, words)))


def _listed(release: Release, summary: Summary, words: Words, name: str) -> PairList:
    rows, results = listed(summary["pairs"])[name], summary["pairs"]
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
        pairs.append(ShownPair(release.pairs[row], telling if telling == telling else None, lines))
    if name == "discriminating":
        text = words("text.discriminating")
    else:
        text = sentences.listed_pairs(summary, name, len(rows), words) if summary.runs else ""
    return PairList(words(f"text.{name}_heading"), text, pairs)
