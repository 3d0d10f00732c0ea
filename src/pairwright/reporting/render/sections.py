"""What a report shows and in which order: sections of text, figures, tables and pairs. The words have the headings."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pairwright.core.records.release import Release, ReleasePair
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import FEWEST_CLUSTERS
from pairwright.reporting.analysis.pairs import listed
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.data.score_differences import BAD, GOOD
from pairwright.reporting.render import figures, sentences, tables
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
    tables: Iterable[Table | None] = (),
    plots: Iterable[Plot | None] = (),
    lists: Iterable[PairList] = (),
) -> PageSection | None:
    """A section of what there is to show; None where that is nothing."""
    texts, pairs = tuple(paragraphs), tuple(lists)
    drawn, shown = tuple(it for it in plots if it), tuple(it for it in tables if it)
    if not (texts or drawn or shown or pairs):
        return None
    is_long = id != "overall" and any(it.n_rows > _MOST_OPEN for it in shown[:1])
    heading = words(f"sections.{id}")
    return PageSection(id, heading, texts, drawn, shown, pairs, is_folded=id not in _OPEN, n_open=0 if is_long else 1)


def sections(
    release: Release, summary: Summary, words: Words, more: Iterable[PageSection | None] = ()
) -> list[PageSection]:
    """All sections that have something to show, first those that a reader needs first; `more` come after them."""
    cited = [dict(it) | {"source": it.title} for it in release.info.sources if release.info.version]
    parts = [
        *(_of_pairs(release, summary, words) if summary.runs else ()),
        _of_tasks(summary, words) if summary.task_runs else None,
        *(_further(summary, words) if summary.runs else ()),
        *more,
        section(
            words,
            "measured",
            [measured(release, summary, words)],
            [table(words, "cited-sources", cited), tables.models(summary, words)],
        ),
        section(words, "methods", methods(summary, words)),
        section(words, "limits", limits(release, summary, words)),
    ]
    first, *others = filter(None, parts)
    return [replace(first, is_folded=False), *others]


def _of_pairs(release: Release, summary: Summary, words: Words) -> Iterator[PageSection | None]:
    """Who wins, on what, and examples."""
    in_all = [tables.ranking(summary, words), table(words, "rule-means", summary["rule_means"])]
    in_all.append(tables.in_full(summary, words, "overall"))
    yield section(
        words, "overall", sentences.power(summary, words), in_all, by_conditioning(figures.ranking, summary, words)
    )
    groups, rules = ("phenomenon", "rule", "construction", "source"), list(summary.groups("rule"))
    yield section(
        words,
        "rules",
        [words("text.one_rule", rule=rules[0])] if len(rules) == 1 else [],
        [
            *(tables.heat(summary, words, kind) for kind in groups[:2]),
            *(tables.in_full(summary, words, kind) for kind in groups),
        ],
        [figures.rules(summary, words)],
    )
    back = tables.back_to_review(summary, words, release.pairs)
    yield section(words, "pairs", tables=[back], lists=_lists(release, summary, words))


def _further(summary: Summary, words: Words) -> Iterator[PageSection | None]:
    """What else the numbers show, folded."""

    def frame(id: str, name: str) -> Table | None:
        return table(words, id, summary[name])

    in_full = table(words, "conditions", summary["conditions"], fewest=FEWEST_CLUSTERS)
    yield section(words, "conditions", tables=[tables.conditions(summary, words), in_full])
    yield section(
        words,
        "comparisons",
        sentences.comparisons(summary, words),
        [frame("comparisons", "comparisons")],
        by_conditioning(figures.size, summary, words),
    )
    yield section(words, "measures", [words("text.measures")], [frame("measures", "models")])
    yield section(words, "confounds", sentences.confounds(summary, words), [frame("confounds", "confounds")])
    preferences, alignment = frame("human-preferences", "preferences"), frame("human-alignment", "alignment")
    of_people = [preferences, tables.choices(summary, words), alignment]
    yield section(words, "people", sentences.people(summary, words), of_people)
    others = [frame("other-tools", "tools"), frame("other-tasks", "other_tasks")]
    yield section(words, "other-tools", sentences.other_tools(summary, words), others)


def _of_tasks(summary: Summary, words: Words) -> PageSection | None:
    frames = {"task-scores": "task_scores", "task-outcomes": "task_outcomes", "task-cost": "task_outcomes"}
    shown = [table(words, id, summary[name]) for id, name in frames.items()]
    shown = [tables.models_by_tasks(summary, words), *shown, tables.task_runs(summary, words)]
    return section(words, "tasks", [*sentences.asked(summary, words), *sentences.tasks(summary, words)], shown)


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


def _lists(release: Release, summary: Summary, words: Words) -> Iterator[PairList]:
    """The hardest pairs, and those that tell models apart where there are any."""
    found = listed(summary["pairs"])
    for name, text in (
        ("hardest", sentences.hardest(summary, len(found["hardest"]), words)),
        ("discriminating", words("text.discriminating")),
    ):
        pairs = [_shown(release, summary, words, row) for row in found[name]]
        if pairs or name == "hardest":
            yield PairList(words(f"text.{name}_heading"), text, pairs)


def _shown(release: Release, summary: Summary, words: Words, row: int) -> ShownPair:
    lines = []
    for model in summary.scored:
        if model.scored("sum_logprob")[row]:
            leads = (words.signed(float(model.differences[it][row]), 2) for it in ("sum_logprob", "mean_nll"))
            values = {"model": model.label, **dict(zip(("sum", "mean"), leads, strict=True))}
            good, bad = (int(model.n_tokens[row, side]) for side in (GOOD, BAD))
            lines.append((bool(model.right("sum_logprob")[row]), words("page.line", good=good, bad=bad, **values)))
    telling = float(summary["pairs"]["discrimination"][row])
    return ShownPair(release.pairs[row], None if math.isnan(telling) else telling, lines)
