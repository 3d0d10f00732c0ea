"""What stands in a report and in which order: sections of words, figures, tables and pairs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from pairwright.records.release import Release
from pairwright.report.analysis.groups import GroupKind
from pairwright.report.analysis.pairs import JudgedPair
from pairwright.report.analysis.summary import Summary
from pairwright.report.render import more_plots, other_tables, page_tables, plots
from pairwright.report.render import narrative as words
from pairwright.report.render.figures import Plot
from pairwright.report.render.tables import Table

_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Section:
    """A part of a report. `folded` tables are closed on the page until someone opens them; `link` is for the contents.

    lists  headings, words and the pairs under them
    """

    id: str
    heading: str
    link: str
    words: tuple[str, ...] = ()
    plots: tuple[Plot, ...] = ()
    tables: tuple[Table, ...] = ()
    folded: tuple[Table, ...] = ()
    lists: tuple[tuple[str, str, tuple[JudgedPair, ...]], ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.words or self.plots or self.tables or self.folded or self.lists)


def sections(release: Release, summary: Summary) -> list[Section]:
    """All sections that have something to show for these models and this release."""
    makers: tuple[Callable[[Summary], Section], ...] = (
        _overall,
        _kin,
        _rules,
        _profiles,
        _comparisons,
        _measures,
        _difficulty,
        _confounds,
        _human,
        _outside,
        _morphology,
    )
    made = [maker(summary) for maker in makers]
    return [section for section in [*made, _pairs(release, summary)] if not section.empty]


def _overall(summary: Summary) -> Section:
    exceptions = (page_tables.groups_in_full(summary, "overall"),) if len(summary.of_kind("overall")) > 1 else ()
    single = len(summary.models) == 1
    return Section(
        "overall",
        "Overall",
        "Overall",
        words=tuple(words.overall_words(summary)),
        plots=(plots.ranking(summary),),
        tables=(page_tables.ranking(summary), *(exceptions if single else ())),
        folded=() if single else exceptions,
    )


def _kin(summary: Summary) -> Section:
    """Size, and base against tuned models; empty for a single model."""
    if len(summary.models) < 2:
        return Section("kin", "", "")
    return Section(
        "kin",
        "Size, family and instruction tuning",
        "Size and tuning",
        words=tuple(words.lineage_words(summary)),
        plots=_there(plots.size(summary), plots.base_and_instruct(summary)),
        tables=(page_tables.base_and_instruct(summary), *([page_tables.families(summary)] if summary.families else [])),
    )


def _rules(summary: Summary) -> Section:
    several = len(summary.models) > 1
    kinds: tuple[GroupKind, ...] = ("phenomenon", "rule", "construction", "source")
    full = [page_tables.groups_in_full(summary, kind) for kind in kinds if len(summary.of_kind(kind)) > 1]
    return Section(
        "rules",
        "By rule and phenomenon",
        "By rule",
        words=tuple(words.rule_words(summary)),
        plots=_there(plots.rules(summary)),
        tables=(page_tables.heat(summary, "rule", "sum"),) if several else tuple(full[:1]),
        folded=(page_tables.heat(summary, "rule", "mean"), *full) if several else tuple(full[1:]),
    )


def _profiles(summary: Summary) -> Section:
    return Section("profiles", "Profiles", "Profiles", plots=_there(more_plots.radars(summary)))


def _comparisons(summary: Summary) -> Section:
    shown = (page_tables.comparisons(summary),) if summary.comparisons else ()
    many = len(summary.comparisons) > 12
    return Section(
        "comparisons",
        "Model against model",
        "Comparisons",
        words=tuple(words.comparison_words(summary)),
        tables=() if many else shown,
        folded=shown if many else (),
    )


def _measures(summary: Summary) -> Section:
    return Section(
        "measures",
        "Sum against mean",
        "Sum against mean",
        words=(words.MEASURES_DIFFER,),
        plots=(plots.dumbbell(summary),),
        tables=(page_tables.measures(summary),),
        lists=(("Pairs that turn", words.flip_words(summary), summary.flips),),
    )


def _difficulty(summary: Summary) -> Section:
    found = page_tables.difficulty(summary)
    return Section("difficulty", "Hard rules, able models", "Difficulty", folded=_there(found))


def _confounds(summary: Summary) -> Section:
    return Section(
        "confounds",
        "Length, tokens and frequency",
        "Confounds",
        words=tuple(words.confound_words(summary)),
        plots=_there(more_plots.confounds(summary)),
        folded=_there(page_tables.confounds(summary)),
    )


def _human(summary: Summary) -> Section:
    return Section(
        "people",
        "People and models",
        "People",
        words=tuple(words.human_words(summary)),
        plots=_there(more_plots.people(summary)),
        tables=_there(other_tables.preferences(summary), other_tables.choices(summary)),
        folded=_there(other_tables.alignments(summary)),
    )


def _outside(summary: Summary) -> Section:
    return Section(
        "outside",
        "Beside other tools and tasks",
        "Other tools",
        words=tuple(words.outside_words(summary)),
        tables=_there(other_tables.beside(summary), other_tables.task_correlations(summary)),
        folded=_there(other_tables.tasks(summary)),
    )


def _morphology(summary: Summary) -> Section:
    return Section(
        "morphology", "Tokenizers and morphemes", "Morphemes", tables=_there(other_tables.morphology(summary))
    )


def _pairs(release: Release, summary: Summary) -> Section:
    lists = [("Hardest pairs", words.hardest_words(summary), summary.hardest)]
    if summary.discriminating:
        lists.append(("Pairs that tell models apart", words.DISCRIMINATING, summary.discriminating))
    return Section(
        "pairs",
        "Single pairs",
        "Single pairs",
        lists=tuple(lists),
        folded=_there(other_tables.back_to_review(summary, release.pairs)),
    )


def _there(*items: _Item | None) -> tuple[_Item, ...]:
    return tuple(item for item in items if item is not None)


def all_tables(made: Iterable[Section]) -> list[Table]:
    """Every table of some sections, once."""
    return [table for section in made for table in (*section.tables, *section.folded)]
