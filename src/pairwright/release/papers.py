"""What a release says of itself in words: its card and data sheet, changes, licence, citation, metadata of the Hub."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from markupsafe import Markup

from pairwright.core.config import SamplingSettings
from pairwright.core.errors import ReleaseError, counted
from pairwright.core.files import read_text
from pairwright.core.records.release import SPLITS, ExcludedPair, Exclusion, ReleaseInfo, ReleasePair
from pairwright.core.templates import markdown_templates
from pairwright.core.text import escape_markdown
from pairwright.languages import load_language
from pairwright.release.contents.contents import ReleaseContents, licence
from pairwright.release.difference import Difference
from pairwright.release.exports.tasks import EXCEPTIONS, group_name
from pairwright.release.verify import CHANGES
from pairwright.stats.acceptance import chance_of_acceptance, first_above
from pairwright.stats.agreement import FEWEST_UNITS, NominalAgreement, nominal_agreement

# The size categories of the Hugging Face Hub; each is ten times the one before, from 1,000 pairs on.
_HUB_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M")
_SEVERAL_LICENCES = """\
The pairs are under several licences. Each pair has that of its source, in its column `licence`; whoever
uses all pairs together keeps the terms of all of them:"""
_QUOTATIONS = "The quotations in rules.jsonl, provenance.jsonl and cldf are their sources', under the same licences."


def _yaml(value: object) -> str:
    # Long lines stay whole: a folded one would be read back the same, but shows as a change.
    return str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=10_000))


def citation(contents: ReleaseContents) -> str:
    """CITATION.cff, in the Citation File Format 1.2.0. An author is `Family, Given` or the name of a body."""
    info = contents.info
    sources = " ".join(source.citation for source in contents.released_sources)
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "Cite this dataset by its version, and the sources that its abstract names.",
        "type": "dataset",
        "title": info.title,
        "version": info.version,
        "authors": list(map(_author, info.authors)) or [{"name": f"The makers of {info.name}"}],
        "abstract": f"Minimal pairs of acceptable and unacceptable sentences, from: {sources}",
        "keywords": ["minimal pairs", "linguistic acceptability", "language model evaluation", *contents.languages],
    }
    # Several licences in a CITATION.cff mean a choice, which a mixed release doesn't give.
    spdx = contents.licences[0].spdx if len(contents.licences) == 1 else None
    optional = {"date-released": info.date, "repository": info.repository, "license": spdx}
    return _yaml(fields | {name: value for name, value in optional.items() if value})


def _author(name: str) -> dict[str, str]:
    family, comma, given = name.partition(",")
    return {"family-names": family.strip(), "given-names": given.strip()} if comma else {"name": name}


def licence_text(contents: ReleaseContents) -> str:
    """LICENSE: which licence each pair has, and which terms hold for the whole."""
    counts = Counter((pair.source_id, pair.licence) for pair in contents.pairs)
    terms = _SEVERAL_LICENCES
    if len(contents.licences) == 1:
        terms = f"The pairs are under the licence {_with_address(contents.licences[0].words)}."
    lines = [f"{contents.info.title} {contents.info.version}\n", f"{terms}\n"]
    for source in contents.released_sources:
        n = counts[source.id, source.licence]
        lines.append(f"- {source.id}: {_with_address(source.licence)}, {counted(n, 'pair')}")
        lines.append(f"  {source.citation}")
    return "\n".join([*lines, "", f"{_QUOTATIONS}\n"])


def _with_address(words: str) -> str:
    url = licence(words).url
    return f"{words} ({url})" if url else words


def hub_metadata(contents: ReleaseContents) -> str:
    """The metadata of the card on the Hugging Face Hub: YAML between lines of three hyphens."""
    info = contents.info
    hub = [one.hub or "other" for one in contents.licences]
    splits = [{"split": split, "path": f"data/{split}.parquet"} for split in SPLITS if info.splits.get(split)]
    own_words = {"license_name": "see-license-file", "license_link": "LICENSE"}
    fields = {
        "pretty_name": info.title,
        "language": list(contents.languages),
        "license": hub[0] if len(hub) == 1 else sorted(set(hub)),
        **(own_words if "other" in hub else {}),
        "size_categories": [_HUB_SIZES[max(0, len(str(info.n_pairs)) - 3)]],
        "task_categories": ["text-classification"],
        "task_ids": ["acceptability-classification"],
        "tags": ["minimal-pairs", "linguistic-acceptability"],
        # The Hub reads the columns from the Parquet files.
        "configs": [{"config_name": "default", "data_files": splits}],
    }
    return f"---\n{_yaml(fields)}---\n\n"


_CHANGES_TITLE = "# Changes\n"
# Beyond this, a list of pairs helps nobody; `pairwright release diff` shows all of them.
_MOST_LISTED = 200


def changelog(info: ReleaseInfo, change: Difference | None, earlier: str, excluded: Iterable[ExcludedPair]) -> str:
    """CHANGELOG.md: the entry of this version above those of the last release's CHANGELOG.md, `earlier`.

    excluded  the pairs that this version leaves out, whose reasons the entry gives
    """
    lines = [changelog_head(info)]
    if change is None:
        lines.append(f"The first release: {counted(info.n_pairs, 'pair')} of {counted(info.n_rules, 'rule')}.\n")
    else:
        reasons = escape_markdown("; ".join(change.reasons()[:3]))
        left_out = {pair.id: pair for pair in excluded}
        lines += [f"A {change.step} version after {info.previous}: {reasons}.\n", *_changes_entry(change, left_out)]
    past = earlier.removeprefix(_CHANGES_TITLE).lstrip("\n")
    return "\n".join([*lines, past] if past else lines)


def changelog_head(info: ReleaseInfo) -> str:
    """How CHANGELOG.md begins, whatever has changed: the title, the version and the reason for a larger step."""
    lines = [_CHANGES_TITLE, f"## {info.version} ({info.date})\n" if info.date else f"## {info.version}\n"]
    return "\n".join([*lines, f"{escape_markdown(info.because)}\n"] if info.because else lines)


def earlier_changes(release: Path) -> str:
    """The CHANGELOG.md of a release. Raises ReleaseError."""
    return read_text(release / CHANGES, error=ReleaseError)


def _changes_entry(change: Difference, excluded: Mapping[str, ExcludedPair]) -> Iterator[str]:
    sections: dict[str, Sequence[tuple[ReleasePair, ...]]] = {
        "Added": [(pair,) for pair in change.added],
        "Withdrawn": [(pair,) for pair in change.removed],
        "Wording corrected": change.reworded,
        "Good and bad exchanged": change.turned,
    }
    for heading, rows in sections.items():
        if rows:
            yield f"### {heading}: {len(rows)}\n"
            lines: Iterable[str] = (" became ".join(map(_listed_pair, pairs)) for pairs in rows)
            if len(rows) > _MOST_LISTED:
                lines = (f"{n} of {uid}" for uid, n in sorted(Counter(pairs[-1].uid for pairs in rows).items()))
            elif heading == "Withdrawn":
                reasons = ((pair, escape_markdown(_reason(pair, excluded.get(pair.id)))) for pair in change.removed)
                lines = (f"{_listed_pair(pair)}: {reason}" for pair, reason in reasons)
            yield "".join(f"- {line}\n" for line in lines)
    if change.described:
        yield f"### Other fields: {len(change.described)}\n"
        counts = Counter(name for described in change.described for name in described.fields)
        yield "".join(f"- `{name}` of {counted(n, 'pair')}\n" for name, n in sorted(counts.items()))
    for words in (*change.columns, *change.terms):
        yield f"- {escape_markdown(words)}\n"


def _reason(pair: ReleasePair, left: ExcludedPair | None) -> str:
    """Why a pair of the last release is not in this one; its rule by the code and the title that it had there."""
    if left is None:
        return f"no longer made of its rule {_rule(pair)}"
    # Of a rule that is gone, this version has no code.
    return left.reason.replace(pair.rule_id, _rule(pair)) if left.cause == "gone" else left.reason


def _rule(pair: ReleasePair) -> str:
    return f"{pair.rule_code} “{pair.rule}”"


def _listed_pair(pair: ReleasePair) -> str:
    return f"`{pair.id}` {escape_markdown(pair.sentence_good)} / {escape_markdown(pair.sentence_bad)}"


def difference_lines(change: Difference) -> Iterator[str]:
    """Every difference as a line of text: `+` added, `-` withdrawn, `~` changed."""
    yield from (f"+ {pair.id}  {_compared_pair(pair)}" for pair in change.added)
    yield from (f"- {pair.id}  {_compared_pair(pair)}" for pair in change.removed)
    for sign, couples in (("wording", change.reworded), ("good and bad exchanged", change.turned)):
        for old, new in couples:
            yield f"~ {old.id} -> {new.id}  {sign}"
            yield f"    was  {_compared_pair(old)}"
            yield f"    is   {_compared_pair(new)}"
    for old, new, names in change.described:
        yield f"~ {old.id}  {_compared_pair(old)}"
        yield from (f"    {name}: {_value(old, name)} -> {_value(new, name)}" for name in names)
    yield from (f"~ {words}" for words in (*change.columns, *change.terms))


def _compared_pair(pair: ReleasePair) -> str:
    return f"{pair.rule_code}  {pair.sentence_good} | {pair.sentence_bad}"


def _value(pair: ReleasePair, name: str) -> str:
    if name == "votes":
        return ", ".join(f"{vote.reviewer} {vote.decision}" for vote in pair.votes) or "none"
    return str(getattr(pair, name))


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
_VOTE_VALUES = {"approve": 0.0, "fix": 1.0, "reject": 2.0}
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
    by_rule = _group_counts(
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
        "phenomena": _group_counts(released, lambda pair: pair.phenomenon),
        "by_rule": by_rule,
        "methods": _group_counts(released, lambda pair: pair.method),
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
        "split_table": _count_table("Split", _group_counts(released, lambda pair: pair.split, SPLITS)),
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
        values = {vote.reviewer: _VOTE_VALUES[vote.decision] for vote in own}
        if len(values) >= 2:
            votes["all"].append(values)
            votes[f"{pair.source_id} {pair.rule_code}"].append(values)
    return [
        (label, nominal_agreement(units, len(_VOTE_VALUES), n_boot=0))
        for label, units in votes.items()
        if label == "all" or len(units) >= FEWEST_UNITS
    ]


def _group_counts(
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
