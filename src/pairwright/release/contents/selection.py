"""Which pairs a release holds. Each pair that it leaves out gets a cause and a reason.

The pairs are read one by one, and of each only what the release says of it is kept.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pairwright.config import ReleaseSettings
from pairwright.errors import ReleaseError
from pairwright.ids import keyed_pseudonym
from pairwright.records import CheckedPair, DecisionWord, Rule, Source
from pairwright.records.release import ExcludedPair, Exclusion, ReleasePair, Vote
from pairwright.release.contents.contents import canary, is_published, provenance
from pairwright.text import sentence_key

Votes = Mapping[str, Mapping[str, DecisionWord]]
Fault = tuple[Exclusion, str]

# What the id of a pair is made of.
CONTENT = ("rule_id", "sentence_good", "sentence_bad")
# One set of field names for all pairs: a set for each would be half of its memory.
_FIELDS = set(ReleasePair.model_fields)


@dataclass
class Selection:
    """The pairs of a release and the ones left out, each in release order.

    provenance  where each released pair comes from, as a line of provenance.jsonl, by pair id
    """

    released: list[ReleasePair]
    excluded: list[ExcludedPair]
    provenance: dict[str, bytes]


@dataclass(slots=True)
class Draft:
    """A pair as it would be released, what keeps it out, and its line of provenance.jsonl."""

    pair: ReleasePair
    fault: Fault | None
    provenance: bytes


@dataclass(frozen=True)
class Given:
    """What decides on pairs: as `select` gets it, and the pseudonym of each reviewer."""

    rules: Mapping[str, Rule]
    sources: Mapping[str, Source]
    votes: Votes
    adjudicated: Votes
    settings: ReleaseSettings
    names: Mapping[str, str]
    canary: str


def select(
    name: str,
    pairs: Iterable[CheckedPair],
    rules: Mapping[str, Rule],
    sources: Mapping[str, Source],
    votes: Votes,
    settings: ReleaseSettings,
    adjudicated: Votes | None = None,
    *,
    key: bytes,
) -> Selection:
    """Parts the pairs into released and excluded ones. Splits and UIDs are given to the released ones later.

    A pair is released when the checks passed it, as many reviewers approve as the settings ask, none rejects or
    corrects it, and no other released pair has the same two sentences. Where reviewers who may decide alone say a word,
    theirs alone counts; else that of those who settled a conflict (`adjudicated`); both then need one approval only.
    `pairs` are read once. `votes` maps pair id to reviewer to decision; `name` is the release's, on which, with the
    workspace's `key`, the pseudonyms of the reviewers depend.

    Raises ReleaseError where two pairs share an id but not their content, where a pair's rule or source is unknown,
    where a source lacks its licence or citation, and where a vote is on no known pair.
    """
    people = {reviewer for given in votes.values() for reviewer in given}
    names = {person: keyed_pseudonym(key, name, person) for person in people}
    given = Given(rules, sources, votes, adjudicated or {}, settings, names, canary(name))
    drafts = list(_drafts(pairs, given))
    ids = Counter(draft.pair.id for draft in drafts)
    _refuse_strays(votes, ids.keys())
    drafts.sort(key=lambda draft: _release_order(draft, ids[draft.pair.id] > 1))
    _name_corrections(drafts)
    _add_faults_between(drafts)
    selection = Selection([], [], {})
    for draft in drafts:
        if draft.fault is None:
            selection.released.append(draft.pair)
            selection.provenance[draft.pair.id] = draft.provenance
        else:
            selection.excluded.append(excluded_pair(draft.pair, draft.fault))
    return selection


@lru_cache(maxsize=65_536)
def natural_order(code: str) -> tuple[tuple[int, str], ...]:
    """A sort key by which 3.10 follows 3.9."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", code))


def _release_order(draft: Draft, shares_id: bool) -> tuple[object, ...]:
    pair = draft.pair
    # What a release says of them settles the order of two pairs of one id.
    said = (pair.model_dump_json(), draft.provenance, str(draft.fault)) if shares_id else ()
    return pair.source_id, natural_order(pair.rule_code), pair.rule_code, pair.id, said


def _drafts(pairs: Iterable[CheckedPair], given: Given) -> Iterator[Draft]:
    contents: dict[str, ReleasePair] = {}
    licensed: set[str] = set()
    for checked in pairs:
        candidate = checked.candidate
        if candidate.rule_id not in given.rules:
            raise ReleaseError(f"{candidate.id}: its rule {candidate.rule_id} is not known; build the source again")
        if candidate.source_id not in given.sources:
            raise ReleaseError(f"{candidate.id}: its source '{candidate.source_id}' is not known; add its source.toml")
        if candidate.source_id not in licensed:
            _refuse_unlicensed(given.sources[candidate.source_id])
            licensed.add(candidate.source_id)
        draft = _draft(checked, given)
        first = contents.setdefault(candidate.id, draft.pair)
        if any(getattr(first, name) != getattr(draft.pair, name) for name in CONTENT):
            raise ReleaseError(f"{candidate.id}: two pairs with other sentences share this id; build the source again")
        yield draft


def _draft(checked: CheckedPair, given: Given) -> Draft:
    candidate = checked.candidate
    rule, source = given.rules[candidate.rule_id], given.sources[candidate.source_id]
    pair = _release_pair(checked, rule, source, given)
    line = provenance(pair, checked, rule, source).model_dump_json().encode()
    return Draft(pair, _own_fault(checked, *_deciding(candidate.id, given), given.settings.unsure), line)


def _refuse_unlicensed(source: Source) -> None:
    for field, value in (("licence", source.licence), ("citation", source.citation)):
        if value.strip().casefold() in ("", "unknown"):
            raise ReleaseError(f"source '{source.id}': no {field}; a release needs one: write it into its source.toml")


def _refuse_strays(votes: Votes, known: Set[str]) -> None:
    strays = sorted(votes.keys() - known)
    if strays:
        raise ReleaseError(
            f"{strays[0]}: votes on a pair that is not among the {len(known)} checked ones"
            f"{f' (and {len(strays) - 1} more such)' if len(strays) > 1 else ''}; build its source again"
        )


def _deciding(pair_id: str, given: Given) -> tuple[Mapping[str, DecisionWord], int]:
    """The votes that decide on a pair, and the approvals that it needs of them."""
    cast = given.votes.get(pair_id, {})
    alone = {reviewer: word for reviewer, word in cast.items() if reviewer in given.settings.decide_alone}
    settling = alone or given.adjudicated.get(pair_id)
    return (settling, 1) if settling else (cast, given.settings.votes)


def _own_fault(pair: CheckedPair, given: Mapping[str, DecisionWord], needed: int, unsure: str) -> Fault | None:
    """What keeps a pair out of a release whatever the other pairs are; None where nothing does."""
    if pair.verdict == "reject":
        error = next((finding for finding in pair.findings if finding.level == "error"), None)
        return "checks", f"check {error.check}: {error.message}" if error else "rejected by the checks"
    counts = Counter("reject" if word == "unsure" and unsure == "reject" else word for word in given.values())
    if counts["approve"] and counts["reject"]:
        return "conflict", f"conflict: {counts['approve']} approve, {counts['reject']} reject"
    if counts["fix"]:
        return "fixed", "fix asked for, none written"
    if counts["reject"]:
        return "rejected", f"rejected: {counts['reject']} of {len(given)} votes"
    if counts["unsure"] and unsure == "block":
        return "undecided", f"votes: {counts['unsure']} unsure of {len(given)}"
    if counts["approve"] < needed:
        return "undecided", f"votes: {counts['approve']} of {needed}"
    if sentence_key(pair.candidate.good) == sentence_key(pair.candidate.bad):
        return "identical", "identical: the two sentences differ in nothing but white space or the first capital"
    return None


def _name_corrections(drafts: Iterable[Draft]) -> None:
    """Names, where a fix was asked for, the pairs that reviewers wrote in place of it."""
    found: dict[str, list[str]] = defaultdict(list)
    for pair in (draft.pair for draft in drafts):
        if pair.parent_id is not None and pair.method == "manual" and pair.id != pair.parent_id:
            found[pair.parent_id].append(pair.id)
    for draft in drafts:
        if draft.fault is not None and draft.fault[0] == "fixed" and draft.pair.id in found:
            draft.fault = "fixed", f"replaced by {', '.join(found[draft.pair.id])}"


def _add_faults_between(drafts: Sequence[Draft]) -> None:
    """Excludes pairs that contradict each other and, of pairs with the same two sentences, all but the first."""
    first: dict[tuple[str, str], str] = {}
    standing = [
        (draft, sentence_key(draft.pair.sentence_good), sentence_key(draft.pair.sentence_bad))
        for draft in drafts
        if draft.fault is None
    ]
    for draft, good, bad in standing:
        first.setdefault((good, bad), draft.pair.id)
    taken = set()
    for draft, good, bad in standing:
        if (bad, good) in first:
            draft.fault = "contradiction", f"contradicts {first[bad, good]}: the same sentences the other way round"
        elif (good, bad) in taken:
            draft.fault = "duplicate", f"duplicate of {first[good, bad]}"
        taken.add((good, bad))


def _shown_votes(given: Mapping[str, DecisionWord], names: Mapping[str, str]) -> tuple[Vote, ...]:
    return _votes(tuple(sorted((names[reviewer], decision) for reviewer, decision in given.items())))


@lru_cache(maxsize=4096)
def _votes(shown: tuple[tuple[str, DecisionWord], ...]) -> tuple[Vote, ...]:
    """One record for all equal votes: they would be much of the memory of a large release."""
    return tuple(Vote(reviewer=reviewer, decision=decision) for reviewer, decision in shown)


def _release_pair(checked: CheckedPair, rule: Rule, source: Source, given: Given) -> ReleasePair:
    candidate = checked.candidate
    votes = _shown_votes(given.votes.get(candidate.id, {}), given.names)
    approvals = sum(vote.decision == "approve" for vote in votes)
    return ReleasePair.model_construct(
        _FIELDS,
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
        agreement=round(approvals / len(votes), 4) if votes else 0.0,
        citation=source.citation,
        licence=source.licence,
        split="test",
        uid="",
        language=source.language,
        parent_id=candidate.parent_id,
        translation=candidate.translation,
        features=candidate.features,
        published_source=is_published(candidate, source),
        canary=given.canary,
    )


def with_columns(pair: ReleasePair, **columns: Any) -> ReleasePair:
    """The same pair with other cells. They are taken as they are."""
    return ReleasePair.model_construct(_FIELDS, **dict(pair) | columns)


def excluded_pair(pair: ReleasePair, fault: Fault) -> ExcludedPair:
    """A pair that is left out, for its cause and reason."""
    cause, reason = fault
    return ExcludedPair(
        id=pair.id,
        source_id=pair.source_id,
        rule_id=pair.rule_id,
        rule_code=pair.rule_code,
        sentence_good=pair.sentence_good,
        sentence_bad=pair.sentence_bad,
        method=pair.method,
        exception=pair.exception,
        votes=pair.votes,
        cause=cause,
        reason=reason,
    )
