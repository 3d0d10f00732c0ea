"""What a report shows and in which order: sections of text, figures, tables and pairs."""

from dataclasses import dataclass
from typing import TypeVar

from pairwright.records.release import Release
from pairwright.report.analysis.groups import GroupKind
from pairwright.report.analysis.pairs import ScoredPair
from pairwright.report.analysis.summary import Summary
from pairwright.report.render import narrative, plots
from pairwright.report.render import summary_tables as tables
from pairwright.report.render.figures import Plot
from pairwright.report.render.tables import ReportTable

GROUPS: tuple[GroupKind, ...] = ("phenomenon", "rule", "construction", "source")
# A longer table of comparisons is folded.
MOST_COMPARISONS = 12
Item = TypeVar("Item")


@dataclass(frozen=True)
class PageSection:
    """A part of a report.

    folded  tables that stay closed on the page until someone opens them
    lists   headings, sentences and the pairs below them
    link    its name in the contents, where that is not the heading
    """

    id: str
    heading: str
    paragraphs: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    folded: tuple[ReportTable, ...] = ()
    lists: tuple[tuple[str, str, tuple[ScoredPair, ...]], ...] = ()
    link: str = ""

    @property
    def empty(self) -> bool:
        return not (self.paragraphs or self.plots or self.tables or self.folded or self.lists)


def sections(release: Release, summary: Summary) -> list[PageSection]:
    """All sections that have something to show for these models and this release."""
    made = [*_accuracies(summary), *_measures(summary), *_others(summary), _pairs(release, summary)]
    return [section for section in made if not section.empty]


def _shown(*items: Item | None) -> tuple[Item, ...]:
    """The figures or tables that have something to show."""
    return tuple(item for item in items if item is not None)


def _accuracies(summary: Summary) -> list[PageSection]:
    several = len(summary.models) > 1
    exceptions = _shown(tables.groups_in_full(summary, "overall"))
    groups = _shown(*(tables.groups_in_full(summary, kind) for kind in GROUPS))
    compared = _shown(tables.comparisons(summary))
    many = len(summary.comparisons) > MOST_COMPARISONS
    return [
        PageSection(
            "overall",
            "Overall",
            narrative.overall(summary),
            (plots.ranking(summary),),
            (*_shown(tables.ranking(summary)), *(() if several else exceptions)),
            exceptions if several else (),
        ),
        PageSection(
            "families",
            "Size, family and instruction tuning",
            narrative.families(summary),
            _shown(plots.size(summary), plots.base_and_instruct(summary)),
            _shown(tables.base_and_instruct(summary) if several else None, tables.families(summary)),
            link="Size and tuning",
        ),
        PageSection(
            "rules",
            "By rule and phenomenon",
            narrative.rules(summary),
            _shown(plots.rules(summary)),
            _shown(tables.heat(summary, "sum")) if several else groups[:1],
            (*_shown(tables.heat(summary, "mean")), *groups) if several else groups[1:],
            link="By rule",
        ),
        PageSection("profiles", "Profiles", plots=_shown(plots.radars(summary))),
        PageSection(
            "comparisons",
            "Model against model",
            narrative.comparisons(summary),
            link="Comparisons",
            tables=() if many else compared,
            folded=compared if many else (),
        ),
    ]


def _measures(summary: Summary) -> list[PageSection]:
    return [
        PageSection(
            "measures",
            "Sum against mean",
            (narrative.MEASURES_DIFFER,),
            (plots.measures(summary),),
            _shown(tables.measures(summary)),
            lists=(("Pairs that flip", narrative.flips(summary), summary.flips),),
        ),
        PageSection(
            "difficulty", "Hard rules, able models", folded=_shown(tables.difficulty(summary)), link="Difficulty"
        ),
        PageSection(
            "confounds",
            "Length, tokens and frequency",
            narrative.confounds(summary),
            _shown(plots.confounds(summary)),
            folded=_shown(tables.confounds(summary)),
            link="Confounds",
        ),
    ]


def _others(summary: Summary) -> list[PageSection]:
    return [
        PageSection(
            "people",
            "People and models",
            narrative.people(summary),
            _shown(plots.people(summary)),
            _shown(tables.preferences(summary), tables.choices(summary)),
            _shown(tables.alignments(summary)),
            link="People",
        ),
        PageSection(
            "other-tools",
            "Other tools and tasks",
            narrative.external(summary),
            tables=_shown(tables.other_tools(summary), tables.task_correlations(summary)),
            folded=_shown(tables.tasks(summary)),
            link="Other tools",
        ),
        PageSection(
            "morphology", "Tokenizers and morphemes", tables=_shown(tables.morphology(summary)), link="Morphemes"
        ),
    ]


def _pairs(release: Release, summary: Summary) -> PageSection:
    lists = [("Hardest pairs", narrative.hardest(summary), summary.hardest)]
    if summary.discriminating:
        lists.append(("Pairs that tell models apart", narrative.DISCRIMINATING, summary.discriminating))
    returned = _shown(tables.back_to_review(summary, release.pairs))
    return PageSection("pairs", "Single pairs", folded=returned, lists=tuple(lists))
