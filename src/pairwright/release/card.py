"""The card of a release: what it holds, under which licence, how it was reviewed, its limits and how to verify it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pairwright.core.config import SamplingSettings
from pairwright.core.records.release import SPLITS, ExcludedPair, Exclusion, ReleasePair
from pairwright.core.templates import markdown_templates
from pairwright.core.text import escape_markdown
from pairwright.languages import load_language
from pairwright.release.contents.contents import ReleaseContents
from pairwright.release.exports.lm_eval import EXCEPTIONS, group_name
from pairwright.release.papers import hub_metadata
from pairwright.stats.agreement import FEWEST_UNITS, NominalAgreement, nominal_agreement
from pairwright.stats.sampling import chance_of_acceptance, first_above

CAUSES: dict[Exclusion, str] = {
    "checks": "a check found an error",
    "gone": "its source or its rule no longer gives it",
    "seed": "the pair that it was made from was rejected or corrected",
    "conflict": "one reviewer approves and another rejects",
    "fixed": "a reviewer corrected it",
    "rejected": "rejected by the votes",
    "undecided": "too few approving votes",
    "reading": "another reading of a pair; reviewers were asked about that one",
    "lot": "nobody reviewed it, and the sample of its lot was not good enough",
    "identical": "the two sentences are the same",
    "contradiction": "another pair has the same sentences the other way round",
    "duplicate": "another released pair has the same sentences",
    "across-splits": "it resembles pairs of two splits",
}
# The exports whose tools read CSV alone, as it is.
PLAIN_CSV = ("euroeval", "cldf")
# The votes that are compared, as numbers that name them.
VALUES = {"approve": 0.0, "fix": 1.0, "reject": 2.0}
UNSURE = {
    "abstain": "An unsure vote is ignored.",
    "block": "An unsure vote excludes it.",
    "reject": "An unsure vote counts as a rejection.",
}
_TEMPLATES = markdown_templates(Path(__file__).parent, trim=False)
# Names, versions and canaries are made of plain letters, and stand in code, where nothing may be escaped.
_TEMPLATES.filters["safe_text"] = Markup


def release_card(contents: ReleaseContents, marked_cells: int) -> str:
    """README.md of a release. `marked_cells` counts the cells of pairs.csv with an apostrophe added."""
    return _rendered("card.md.j2", contents, metadata=Markup(hub_metadata(contents)), marked=marked_cells)


def datasheet(contents: ReleaseContents) -> str:
    """DATASHEET.md: the questions of "Datasheets for Datasets" (Gebru et al. 2021), answered from the release."""
    return _rendered("datasheet.md.j2", contents)


def _rendered(template: str, contents: ReleaseContents, **values: object) -> str:
    return _TEMPLATES.get_template(template).render(**_facts(contents), **values)


def _facts(contents: ReleaseContents) -> dict[str, Any]:
    info, released, excluded = contents.info, contents.pairs, contents.excluded
    per_source = Counter(pair.source_id for pair in released)
    per_cause = Counter(pair.cause for pair in excluded)
    by_rule = _counted(
        released, lambda pair: f"{pair.rule_code} {pair.rule}{f' ({pair.source_id})' if len(per_source) > 1 else ''}"
    )
    decided: list[ReleasePair | ExcludedPair] = [*released, *excluded]
    sampled = {pair_id for lot in contents.lots for pair_id in lot.sample}
    of_sample = info.votes_needed
    if info.sampling and info.sampling.sample == "random":
        of_sample = min(of_sample, info.sampling.per_pair)
    names = {code: load_language(code).name for code in contents.languages}
    return {
        "info": info,
        "languages": sorted(name if name == code else f"{name} ({code})" for code, name in names.items()),
        "phenomena": _counted(released, lambda pair: pair.phenomenon),
        "by_rule": by_rule,
        "methods": _counted(released, lambda pair: pair.method),
        "small": sum(n < 10 for n in Counter(pair.rule_id for pair in released).values()),
        "sources": [(source, per_source[source.id]) for source in info.sources],
        "published": Counter(pair.source_id for pair in released if pair.published_source),
        "causes": [(words, per_cause[cause]) for cause, words in CAUSES.items() if per_cause[cause]],
        "settled": sum(
            _is_settled(pair, of_sample if pair.id in sampled else info.votes_needed)
            for pair in released
            if pair.review == "reviewed"
        ),
        "of_sample": of_sample,
        "sampling": info.sampling,
        "n_sampled": info.n_sampled,
        "n_phrases": sum(pair.phrase for pair in released),
        "lots": contents.lots,
        "mistaken": _chance_of_mistake(contents),
        # A rule of which no pair is released has no title here.
        "rule_titles": defaultdict(str, {rule.id: rule.title for rule in contents.rules}),
        "unsure": UNSURE[info.unsure],
        "agreement": _agreement_rows(decided),
        "fewest": FEWEST_UNITS,
        "bases": Counter(vote.basis for pair in decided for vote in pair.votes),
        "counts": _count_table,
        "split_table": _count_table("Split", _counted(released, lambda pair: pair.split, SPLITS)),
        "group": group_name(info.name),
        "licences": contents.licences,
        "plain": " and ".join(f"`{name}/`" for name in PLAIN_CSV if name not in info.left_out),
        "exceptions": EXCEPTIONS,
    }


def _agreement_rows(decided: Iterable[ReleasePair | ExcludedPair]) -> list[tuple[str, NominalAgreement]]:
    """How far votes agree, on all pairs, then by rule: of reviewers who were shown the pair, without unsure ones."""
    votes: dict[str, list[dict[str, float]]] = defaultdict(list)
    for pair in decided:
        own = [vote for vote in pair.votes if vote.decision != "unsure" and vote.basis == "shown"]
        values = {vote.reviewer: VALUES[vote.decision] for vote in own}
        if len(values) >= 2:
            votes["all"].append(values)
            votes[f"{pair.source_id} {pair.rule_code}"].append(values)
    return [
        (label, nominal_agreement(units, len(VALUES), n_boot=0))
        for label, units in votes.items()
        if label == "all" or len(units) >= FEWEST_UNITS
    ]


def _counted(
    pairs: Iterable[ReleasePair], label: Callable[[ReleasePair], str], labels: Iterable[str] = ()
) -> list[tuple[str, int, int]]:
    """Label, regular pairs and exceptions of each group: first of `labels`, then in the order of the pairs."""
    counts = {key: [0, 0] for key in labels}
    for pair in pairs:
        counts.setdefault(label(pair), [0, 0])[pair.exception] += 1
    return [(key, regular, exceptions) for key, (regular, exceptions) in counts.items()]


def _count_table(heading: str, rows: Iterable[tuple[str, int, int]]) -> Markup:
    lines = [f"| {heading} | regular pairs | exceptions |", "|---|---:|---:|"]
    # Names of splits are code, in which nothing may be escaped.
    names: dict[str, str] = {name: f"`{name}`" for name in SPLITS}
    lines += [
        f"| {names.get(label) or escape_markdown(label)} | {regular} | {exceptions} |"
        for label, regular, exceptions in rows
    ]
    return Markup("\n".join(lines) + "\n")


def _chance_of_mistake(contents: ReleaseContents) -> float:
    """How probable it is, at most, that a lot passes in which just more pairs are wrong than may be."""
    sampling = contents.info.sampling or SamplingSettings()
    limits = sampling.max_error, sampling.confidence
    sizes = {lot.size for lot in contents.lots if len(lot.sample) < lot.size}
    chances = (
        chance_of_acceptance(size, first_above(size, sampling.max_error), *limits, sampling.allowed_errors)
        for size in sizes
    )
    return max(chances, default=0.0)


def _is_settled(pair: ReleasePair, needed: int) -> bool:
    """Whether the word of one reviewer settled a pair that the votes alone would not have released."""
    decisions = Counter(vote.decision for vote in pair.votes)
    return decisions["approve"] < needed or decisions["reject"] + decisions["fix"] > 0
