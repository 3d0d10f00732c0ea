"""What a report shows and in which order: sections of text, figures, tables and pairs. The words have the headings."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pairwright.core.records.evaluation import EvaluationRun, ScoringPolicy
from pairwright.core.records.release import Release, ReleasePair
from pairwright.languages import load_language
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.comparisons import listed
from pairwright.reporting.analysis.groups import FEW, FEWEST_CLUSTERS
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.analysis.tasks import TASK_RESAMPLES, TRANSLATION_RESAMPLES
from pairwright.reporting.data import BAD, GOOD
from pairwright.reporting.render import figures, sentences, tables
from pairwright.reporting.render.figures import Plot
from pairwright.reporting.render.tables import Table, table
from pairwright.stats.bootstrap import SEED

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


# What was done and what it can't show, in sentences that follow from the run records


def policy_sentences(policy: ScoringPolicy, words: Words) -> list[str]:
    """How a sentence became numbers, sentence by sentence; for what stood before its first token see `first_token`."""
    keys = [policy.kind, _prefix(policy), "chat" if policy.chat is not None else ""]
    keys += [f"period_{policy.final_period}", f"case_{policy.case}", f"eos_{policy.eos}"]
    keys += ["no_normalisation" if policy.normalisation == "none" else "normalisation"]
    keys += [f"specials_{policy.specials}", "version"]
    # A setting that changes nothing says nothing.
    said = words.group("policy").keys() & set(keys)
    values = {"text": policy.chat or "", "form": policy.normalisation, "version": str(policy.version)}
    return [
        words(f"policy.{key}", **(values | {"text": policy.prefix} if "prefix" in key else values))
        for key in keys
        if key in said
    ]


def _prefix(policy: ScoringPolicy) -> str:
    if not policy.prefix:
        return "" if policy.chat is not None else "alone"
    return f"prefix{'_read' if policy.kind == 'seq2seq' else ''}{'_scored' if policy.prefix_scored else ''}"


def first_token(run: EvaluationRun, words: Words) -> str:
    """What stood before the first token of a sentence, and whether that token was scored."""
    before = words(f"first_token.{_before(run)}", id=str(run.model.bos_token_id))
    unscored = "not_asked" if run.policy.first_token == "unscored" else "not_scored"
    return words(f"first_token.{'scored' if run.first_token_scored else unscored}", before=before)


def _before(run: EvaluationRun) -> str:
    policy, info = run.policy, run.model
    if info.dtype == "server":
        return "server"
    if policy.kind.startswith("masked"):
        return "masked"
    if policy.kind == "seq2seq":
        return "decoder"
    if policy.chat is not None:
        return "chat"
    if policy.bos == "never":
        return "never"
    if info.bos_token_id is not None:
        return "bos"
    return "eos" if policy.bos == "or-eos" else "none"


def methods(summary: Summary, words: Words) -> list[str]:
    """The methods of a report, a paragraph each; only those that were used."""
    by_policy: dict[str, list[str]] = {}
    by_start: dict[str, list[str]] = {}
    for label, run in summary.runs.items():
        by_policy.setdefault(" ".join(policy_sentences(run.policy, words)), []).append(label)
        by_start.setdefault(f"{first_token(run, words)}.", []).append(label)
    ways = [
        words("policy.of_models", models=", ".join(labels), text=text)
        if len(by_policy) > 1 or own is by_start
        else text
        for own in (by_policy, by_start)
        for text, labels in own.items()
    ]
    intervals = "intervals" if summary.groups("rule") else "intervals_families"
    used = ["measures", "lengths", "ties", intervals] if summary.runs else []
    used += ["slor"] if "slor" in summary.measures else []
    used += [name for name in ("comparisons", "power", "confounds", "people") if len(summary[name])]
    metrics = {row["metric"] for row in summary.rows("task_headline")}
    names = {"MCC": "acceptability", "chrF++": "translation"}
    used += ["tasks"] if summary.task_runs else []
    used += [f"task_{name}" for metric, name in names.items() if metric in metrics]
    used += ["task_logprob"] if any(run.policy == "logprob" for run in summary.task_runs.values()) else []
    numbers = {"task_resamples": TASK_RESAMPLES, "translation_resamples": TRANSLATION_RESAMPLES, "seed": str(SEED)}
    packages = sorted({" ".join(it) for run in summary.runs.values() for it in run.model.packages.items()})
    software = [words("page.software", packages=", ".join(packages))] if packages else []
    sentences = (words(f"methods.{name}", fewest_clusters=FEWEST_CLUSTERS, **numbers) for name in used)
    return [*ways, *sentences, *software]


def limits(release: Release, summary: Summary, words: Words) -> list[str]:
    """What a reader has to keep in mind, a sentence each; only what is true of these runs."""
    runs, info, rules = list(summary.runs.values()), release.info, summary.groups("rule")
    few = sum(n < FEW for n in rules.values())
    conditions = {
        "policies": len({run.policy for run in runs}) > 1,
        "first_tokens": len({run.first_token_scored for run in runs}) > 1,
        "dtypes": len({run.model.dtype for run in runs}) > 1,
        "few": few,
        "few_rules": info.n_rules and len(rules) < FEWEST_CLUSTERS,
        "exceptions": info.n_exceptions,
        "unreviewed": not info.version,
    }
    true = [name for name, holds in conditions.items() if holds] if runs else []
    counts = {"few": few, "n_rules": len(rules), "fewest": FEW}
    counts |= {"n_exceptions": info.n_exceptions, "n_pairs": info.n_pairs}
    sentences = [words(f"limits.{name}", **counts) for name in (*true, "coverage", "memorised", "judging")]
    return [*(f"{fault.text(words)}." for fault in summary.faults), *sentences]


def measured(release: Release, summary: Summary, words: Words) -> str:
    """What was measured, in one line."""
    info = release.info
    languages = [load_language(source.language) for source in info.sources]
    pairs = words.cell(info.n_pairs, "count")
    facts = {
        "release": f"{info.name} {info.version}" if info.version else "",
        "language": ", ".join(sorted({it.name if words.code == "en" else it.autonym for it in languages})),
        "pairs": f"{pairs} ({words('page.n_exceptions', n=info.n_exceptions)})" if info.n_exceptions else pairs,
        "left_out": words.cell(info.n_excluded, "count") if info.n_excluded and not info.version else "",
        "rules": words.cell(info.n_rules, "count") if info.n_rules else "",
        "approvals": words("page.at_least", n=info.votes_needed) if info.version else "",
        "sampled": words("page.n_sampled", n=info.n_sampled) if info.n_sampled else "",
        "models": str(len(summary.runs)),
    }
    shown = [f"{words(f'page.{name}')}: {value}" for name, value in facts.items() if value]
    asked = [words("page.n_asked", n=len(summary.task_runs))] if summary.task_runs else []
    sha256 = f"{words('page.release_hash' if info.version else 'page.unreviewed_hash')} {release.sha256}"
    return " · ".join([*shown, *asked, sha256])
