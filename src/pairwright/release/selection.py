"""Which pairs a release holds. Each pair that it leaves out gets a cause and a reason."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from pairwright.config import ReleaseSettings
from pairwright.errors import ReleaseError
from pairwright.ids import pseudonyms
from pairwright.records import CheckedPair, DecisionWord, Record, Rule, Source
from pairwright.releases import ExcludedPair, Exclusion, ReleasePair, Vote
from pairwright.text import sentence_key

Votes = Mapping[str, Mapping[str, DecisionWord]]
Fault = tuple[Exclusion, str]


class Selection(Record):
    """The pairs of a release and the ones left out, each in release order."""

    released: tuple[ReleasePair, ...]
    excluded: tuple[ExcludedPair, ...]


def select(
    name: str,
    pairs: Sequence[CheckedPair],
    rules: Mapping[str, Rule],
    sources: Mapping[str, Source],
    votes: Votes,
    settings: ReleaseSettings,
    adjudicated: Votes | None = None,
) -> Selection:
    """Parts the pairs into released and excluded ones. Splits are given to the released ones later.

    A pair is released when the checks passed it, as many reviewers approve as the settings ask, none rejects or
    corrects it, and no other released pair has the same two sentences. Where reviewers who may decide alone say a word,
    theirs alone counts; else that of those who settled a conflict (`adjudicated`); both then need one approval only.
    `votes` maps pair id to reviewer to decision; `name` is the release's, which the pseudonyms of the reviewers depend
    on.

    Raises ReleaseError where two pairs share an id but not their content, where a pair's rule or source is unknown,
    where a source lacks its licence or citation, and where a vote is on no known pair.
    """
    _refuse_broken_references(pairs, rules, sources, votes)
    ids = Counter(pair.candidate.id for pair in pairs)
    ordered = sorted(pairs, key=lambda pair: _release_order(pair, rules, ids[pair.candidate.id] > 1))
    corrections = _corrections(ordered)
    names = pseudonyms(name, {reviewer for given in votes.values() for reviewer in given})
    faults: list[Fault | None] = [
        _own_fault(
            pair,
            *_deciding(pair.candidate.id, votes, adjudicated or {}, settings),
            corrections.get(pair.candidate.id, []),
            settings.unsure,
        )
        for pair in ordered
    ]
    _add_faults_between(ordered, faults)
    released, excluded = [], []
    for pair, fault in zip(ordered, faults, strict=True):
        shown = _shown_votes(votes.get(pair.candidate.id, {}), names)
        rule = rules[pair.candidate.rule_id]
        if fault is None:
            released.append(_release_pair(pair, rule, sources[pair.candidate.source_id], shown))
        else:
            excluded.append(_excluded_pair(pair, rule, shown, fault))
    return Selection(released=tuple(released), excluded=tuple(excluded))


@lru_cache(maxsize=65_536)
def natural_order(code: str) -> tuple[tuple[int, str], ...]:
    """A sort key by which 3.10 follows 3.9."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", code))


def _release_order(pair: CheckedPair, rules: Mapping[str, Rule], shares_id: bool) -> tuple[object, ...]:
    candidate = pair.candidate
    code = rules[candidate.rule_id].code
    # The dump settles the order of two pairs of one id, which differ in their evidence alone.
    return candidate.source_id, natural_order(code), code, candidate.id, pair.model_dump_json() if shares_id else ""


def _refuse_broken_references(
    pairs: Sequence[CheckedPair], rules: Mapping[str, Rule], sources: Mapping[str, Source], votes: Votes
) -> None:
    contents: dict[str, tuple[str, str, str]] = {}
    for candidate in (pair.candidate for pair in pairs):
        content = (candidate.rule_id, candidate.good, candidate.bad)
        if contents.setdefault(candidate.id, content) != content:
            raise ReleaseError(f"{candidate.id}: two pairs with other sentences share this id; build the source again")
        if candidate.rule_id not in rules:
            raise ReleaseError(f"{candidate.id}: its rule {candidate.rule_id} is not known; build the source again")
        if candidate.source_id not in sources:
            raise ReleaseError(f"{candidate.id}: its source '{candidate.source_id}' is not known; add its source.toml")
    for source_id in sorted({pair.candidate.source_id for pair in pairs}):
        _refuse_unlicensed(sources[source_id])
    strays = sorted(set(votes) - set(contents))
    if strays:
        raise ReleaseError(
            f"{strays[0]}: votes on a pair that is not among the {len(contents)} checked ones"
            f"{f' (and {len(strays) - 1} more such)' if len(strays) > 1 else ''}; build its source again"
        )


def _refuse_unlicensed(source: Source) -> None:
    for field, value in (("licence", source.licence), ("citation", source.citation)):
        if value.strip().casefold() in ("", "unknown"):
            raise ReleaseError(f"source '{source.id}': no {field}; a release needs one: write it into its source.toml")


def _corrections(pairs: Iterable[CheckedPair]) -> dict[str, list[str]]:
    """The ids of the pairs that reviewers wrote in place of another, by the id of the other."""
    found: dict[str, list[str]] = defaultdict(list)
    for candidate in (pair.candidate for pair in pairs):
        if candidate.parent_id is not None and candidate.method == "manual" and candidate.id != candidate.parent_id:
            found[candidate.parent_id].append(candidate.id)
    return found


def _deciding(
    pair_id: str, votes: Votes, adjudicated: Votes, settings: ReleaseSettings
) -> tuple[Mapping[str, DecisionWord], int]:
    """The votes that decide on a pair, and the approvals that it needs of them."""
    given = votes.get(pair_id, {})
    alone = {reviewer: word for reviewer, word in given.items() if reviewer in settings.decide_alone}
    settling = alone or adjudicated.get(pair_id)
    return (settling, 1) if settling else (given, settings.votes)


def _own_fault(
    pair: CheckedPair, given: Mapping[str, DecisionWord], needed: int, corrections: Sequence[str], unsure: str
) -> Fault | None:
    """What keeps a pair out of a release whatever the other pairs are; None where nothing does."""
    if pair.verdict == "reject":
        error = next((finding for finding in pair.findings if finding.level == "error"), None)
        return "checks", f"check {error.check}: {error.message}" if error else "rejected by the checks"
    counts = Counter("reject" if word == "unsure" and unsure == "reject" else word for word in given.values())
    if counts["approve"] and counts["reject"]:
        return "conflict", f"conflict: {counts['approve']} approve, {counts['reject']} reject"
    if counts["fix"]:
        return "fixed", f"replaced by {', '.join(corrections)}" if corrections else "fix asked for, none written"
    if counts["reject"]:
        return "rejected", f"rejected: {counts['reject']} of {len(given)} votes"
    if counts["unsure"] and unsure == "block":
        return "undecided", f"votes: {counts['unsure']} unsure of {len(given)}"
    if counts["approve"] < needed:
        return "undecided", f"votes: {counts['approve']} of {needed}"
    if sentence_key(pair.candidate.good) == sentence_key(pair.candidate.bad):
        return "identical", "identical: the two sentences differ in nothing but white space or the first capital"
    return None


def _add_faults_between(pairs: Sequence[CheckedPair], faults: list[Fault | None]) -> None:
    """Excludes pairs that contradict each other and, of pairs with the same two sentences, all but the first."""
    first: dict[tuple[str, str], str] = {}
    keys = [(sentence_key(pair.candidate.good), sentence_key(pair.candidate.bad)) for pair in pairs]
    for pair, key, fault in zip(pairs, keys, faults, strict=True):
        if fault is None:
            first.setdefault(key, pair.candidate.id)
    taken = set()
    for index, (good, bad) in enumerate(keys):
        if faults[index] is not None:
            continue
        if (bad, good) in first:
            faults[index] = "contradiction", f"contradicts {first[bad, good]}: the same sentences the other way round"
        elif (good, bad) in taken:
            faults[index] = "duplicate", f"duplicate of {first[good, bad]}"
        taken.add((good, bad))


def _shown_votes(given: Mapping[str, DecisionWord], names: Mapping[str, str]) -> tuple[Vote, ...]:
    votes = [_vote(names[reviewer], decision) for reviewer, decision in given.items()]
    return tuple(sorted(votes, key=lambda vote: natural_order(vote.reviewer)))


@lru_cache(maxsize=4096)
def _vote(reviewer: str, decision: DecisionWord) -> Vote:
    """One record for all equal votes: they are most of the memory of a large release."""
    return Vote(reviewer=reviewer, decision=decision)


def _release_pair(pair: CheckedPair, rule: Rule, source: Source, votes: tuple[Vote, ...]) -> ReleasePair:
    candidate = pair.candidate
    approvals = sum(vote.decision == "approve" for vote in votes)
    return ReleasePair(
        id=candidate.id,
        sentence_good=candidate.good,
        sentence_bad=candidate.bad,
        phenomenon=rule.phenomenon,
        rule_code=rule.code,
        rule=rule.title,
        rule_id=rule.id,
        source_id=source.id,
        method=candidate.method,
        exception=candidate.exception,
        changes=candidate.changes,
        votes=votes,
        agreement=round(approvals / len(votes), 4),
        citation=source.citation,
        licence=source.licence,
        split="test",
        language=source.language,
        parent_id=candidate.parent_id,
        translation=candidate.translation,
        features=candidate.features,
    )


def _excluded_pair(pair: CheckedPair, rule: Rule, votes: tuple[Vote, ...], fault: Fault) -> ExcludedPair:
    candidate = pair.candidate
    cause, reason = fault
    return ExcludedPair(
        id=candidate.id,
        source_id=candidate.source_id,
        rule_id=rule.id,
        rule_code=rule.code,
        sentence_good=candidate.good,
        sentence_bad=candidate.bad,
        method=candidate.method,
        exception=candidate.exception,
        votes=votes,
        cause=cause,
        reason=reason,
    )
