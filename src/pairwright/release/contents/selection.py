"""Which pairs a release holds; each pair that it leaves out gets a cause and a reason.

Nothing that is released says on which machine it was made or who voted. The random key from which the pseudonyms of
reviewers are made is never released: with it, whoever knows their names can find out how each of them voted.
"""

import re
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, TypeVar

from pairwright.core import store
from pairwright.core.config import ReleaseSettings, SamplingSettings
from pairwright.core.errors import ReleaseError
from pairwright.core.files import read_text
from pairwright.core.ids import keyed_pseudonym
from pairwright.core.records import (
    Augmentation,
    Block,
    Candidate,
    CheckedPair,
    DecisionWord,
    Derivation,
    Evidence,
    Lot,
    ParadigmVariant,
    Rule,
    Source,
    TreebankChange,
)
from pairwright.core.records.items import Item
from pairwright.core.records.release import ExcludedPair, Exclusion, PairOrigin, ReleasePair, ReleaseSource, Vote
from pairwright.core.text import comparison_key, sentence_key
from pairwright.core.workspace import Workspace
from pairwright.release.contents.contents import canary, pair_order
from pairwright.stats.acceptance import (
    DerivedPair,
    ReviewVerdict,
    Votes,
    derived_pair,
    draw_lots,
    people_needed,
    verdict,
    without_seed,
)

P = TypeVar("P", Block, Evidence)

_BRACKETED = re.compile(r"\([^()]*\)|\[[^][]*\]")


def is_published(good: str, bad: str, quote: str, url: str | None) -> bool:
    """Whether one of the sentences stands word by word in the quotation of a source on the web.

    Nothing but brackets may interrupt it, in which a list of errors prints the correction behind the wrong words.
    """
    if url is None:
        return False
    plain, n_removed = quote, 1
    while n_removed:  # nested ones too
        plain, n_removed = _BRACKETED.subn("", plain)
    texts = [f" {comparison_key(text)} " for text in {quote, plain}]
    return any(f" {comparison_key(sentence)} " in text for sentence in (good, bad) for text in texts)


@lru_cache(maxsize=4096)
def portable_path(path: str) -> str:
    """A relative path as it is; of an absolute one, the file's name."""
    windows = PureWindowsPath(path)
    return windows.name if windows.drive or windows.root or PurePosixPath(path).is_absolute() else path


def portable_rule(rule: Rule) -> Rule:
    """A rule whose examples and evidence give portable paths."""
    examples = (example.model_copy(update={"evidence": portable(example.evidence)}) for example in rule.examples)
    return rule.model_copy(update={"examples": tuple(examples), "evidence": tuple(map(portable, rule.evidence))})


def portable(record: P) -> P:
    """A block, or evidence, whose file is a portable path."""
    return record.model_copy(update={"file": portable_path(record.file)})


def _portable_derivation(derivation: Derivation | None) -> Derivation | None:
    """A derivation that names its lexicon, or a model in a folder, by a portable path."""
    if isinstance(derivation, TreebankChange):
        return derivation.model_copy(update={"lexicon": portable_path(derivation.lexicon)})
    if isinstance(derivation, Augmentation):
        return derivation.model_copy(update={"model": portable_path(derivation.model)})
    return derivation


def pair_origin(pair: ReleasePair, checked: CheckedPair, rule: Rule, source: Source) -> PairOrigin:
    """The way of a released pair from its place in the source to its votes."""
    candidate, evidence = checked.candidate, checked.candidate.evidence
    return PairOrigin(
        pair_id=pair.id,
        source_id=pair.source_id,
        rule_id=rule.id,
        rule_code=rule.code,
        rule_page=rule.page,
        rule_quote=rule.quote,
        rule_declared=rule.declaration,
        method=pair.method,
        parent_id=pair.parent_id,
        votes=pair.votes,
        file=portable_path(evidence.file),
        file_sha256=next((file.sha256 for file in source.files if file.path == evidence.file), None),
        page=evidence.page,
        line=evidence.line,
        block_id=evidence.block_id,
        quote=evidence.quote,
        derivation=_portable_derivation(candidate.derivation),
        prompts=tuple(f"{asked.prompt}@{asked.prompt_sha256} {asked.model_label}" for asked in candidate.asked),
        findings=tuple(f"{finding.level} {finding.check}: {finding.message}" for finding in checked.findings),
    )


_KEY_FILE = "pseudonyms.key"


@dataclass(frozen=True, kw_only=True)
class ReleaseRequest:
    """The reviewed pairs to freeze, and all that decides which of them are released and how.

    pairs        are read once, so they may come from files one by one
    key          the workspace's, from which the pseudonyms of reviewers are made
    gone         pairs on which people voted and that are no longer made, as they were handed out, by id
    corrections  the ids of the pairs that corrections make, by the id of the corrected one
    adjudicated  the votes that were cast to settle a conflict
    written      the votes of reviewers on their own corrections: pair and reviewer
    blocks       the glossed examples of the sources, by id
    shown        the ids of the pairs that somebody was asked about
    doubts       what could not be taken over from reviewers' sheets, in words, by the folder of the queue
    workspace    the one that commands in messages are for
    because      the reason for a larger version step than the change asks for
    date         YYYY-MM-DD
    """

    name: str
    version: str
    pairs: Iterable[CheckedPair]
    rules: Mapping[str, Rule]
    sources: Mapping[str, Source]
    votes: Votes
    settings: ReleaseSettings
    key: bytes
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    gone: Mapping[str, Candidate] = field(default_factory=dict)
    corrections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    adjudicated: Votes = field(default_factory=dict)
    written: Set[tuple[str, str]] = frozenset()
    blocks: Mapping[str, Block] = field(default_factory=dict)
    shown: Set[str] = frozenset()
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    workspace: Workspace = field(default_factory=lambda: Workspace(Path()))
    matrices: Sequence[Item] = ()
    because: str | None = None
    date: str | None = None

    @cached_property
    def pseudonyms(self) -> dict[str, str]:
        """The pseudonym of each reviewer in releases of this name."""
        reviewers = {reviewer for votes in self.votes.values() for reviewer in votes}
        return {reviewer: keyed_pseudonym(self.key, self.name, reviewer) for reviewer in reviewers}


def pseudonym_key(annotations: Path) -> bytes:
    """The key of a workspace, 32 bytes; it is made where there is none yet. Raises ReleaseError where it is damaged."""
    path = annotations / _KEY_FILE
    if not path.exists():
        store.write_text(path, f"{secrets.token_hex(32)}\n")
    text = read_text(path, 1_000, ReleaseError).strip()
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise ReleaseError(
            f"{path}: not 64 hexadecimal digits; get the file back from a copy of the workspace, for with another key "
            "all reviewers get other pseudonyms"
        )
    return bytes.fromhex(text)


Fault = tuple[Exclusion, str]
# What keeps the pairs out that were made of a pair, in words.
_SEED_FAULTS: dict[Exclusion, str] = {
    "checks": "is refused by the checks",
    "fixed": "was corrected",
    "rejected": "was rejected",
}

# What the id of a pair is made of.
ID_FIELDS = ("rule_id", "sentence_good", "sentence_bad")
# One set of field names for all pairs: a set for each would be half of its memory.
_PAIR_FIELDS = set(ReleasePair.model_fields)
_CANDIDATE_FIELDS = (ReleasePair.model_fields.keys() & Candidate.model_fields.keys()) - {"source_id"}
_SHARED_FIELDS = ReleasePair.model_fields.keys() & ExcludedPair.model_fields.keys()


@dataclass
class Selection:
    """A release's pairs and the ones left out, in order.

    origins  the released pairs' lines of provenance.jsonl by id
    lots     of derived pairs, released whole or not
    parents  the pair that each one was made from, released or not, by id
    """

    released: list[ReleasePair] = field(default_factory=list)
    excluded: list[ExcludedPair] = field(default_factory=list)
    origins: dict[str, bytes] = field(default_factory=dict)
    lots: list[Lot] = field(default_factory=list)
    parents: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Draft:
    """A pair as it would be released, what keeps it out, what its votes come to, its line of provenance.jsonl."""

    pair: ReleasePair
    fault: Fault | None
    verdict: ReviewVerdict
    derived: DerivedPair | None
    origin: bytes


def select(request: ReleaseRequest) -> Selection:
    """Parts the pairs into released and excluded ones. Released pairs get their splits and UIDs later.

    A pair is released when the checks passed it, enough of the deciding votes approve it (`acceptance.verdict`), none
    of them rejects or corrects it, and no other released pair has the same two sentences. So is a derived pair on which
    nobody voted, if the sample of its lot was good enough. A pair whose seed was refused is not.

    Raises ReleaseError where two pairs share an id but not their content, where a pair's rule or source is unknown, and
    where a vote is on no known pair.
    """
    seed_conditions: dict[str, str] = {}
    drafts = list(_drafts(request, seed_conditions))
    ids = Counter(draft.pair.id for draft in drafts)
    if strays := sorted(request.votes.keys() - ids.keys() - request.gone.keys()):
        more = f" (and {len(strays) - 1} more such)" if len(strays) > 1 else ""
        raise ReleaseError(
            f"{strays[0]}: votes on a pair that is not among the {len(ids)} checked ones{more}; build its source again"
        )
    for draft in drafts:
        if draft.pair.id in seed_conditions:
            draft.pair = with_columns(draft.pair, paradigm_id=draft.pair.id, condition=seed_conditions[draft.pair.id])
    drafts.sort(key=lambda draft: _release_order(draft, ids[draft.pair.id] > 1))
    selection = Selection(lots=_settle_derived(drafts, request))
    _add_faults_between(drafts)
    _name_corrections(drafts, request.corrections)
    selection.parents = {draft.pair.id: draft.pair.parent_id for draft in drafts if draft.pair.parent_id is not None}
    for draft in drafts:
        if draft.fault is None:
            selection.released.append(draft.pair)
            selection.origins[draft.pair.id] = draft.origin
        else:
            selection.excluded.append(excluded_pair(draft.pair, draft.fault))
    gone = (request.gone[pair_id] for pair_id in sorted(request.votes.keys() & request.gone.keys() - ids.keys()))
    selection.excluded += (_gone_pair(pair, request) for pair in gone)
    return selection


def _release_order(draft: Draft, shares_id: bool) -> tuple[object, ...]:
    pair = draft.pair
    # Two pairs of one id are ordered by what a release says of them.
    content = (pair.model_dump_json(), draft.origin, str(draft.fault)) if shares_id else ()
    return *pair_order(pair), content


def _drafts(request: ReleaseRequest, seed_conditions: dict[str, str]) -> Iterator[Draft]:
    """The pairs of a request. `seed_conditions` gets the condition of each seed of a paradigm, by the seed's id."""
    first_of_id: dict[str, ReleasePair] = {}
    canary_string = canary(request.name)
    for checked in request.pairs:
        candidate = checked.candidate
        rule, source = request.rules.get(candidate.rule_id), request.sources.get(candidate.source_id)
        if rule is None:
            raise ReleaseError(f"{candidate.id}: its rule {candidate.rule_id} is not known; build the source again")
        if source is None:
            raise ReleaseError(f"{candidate.id}: its source '{candidate.source_id}' is not known; add its source.toml")
        votes = request.votes.get(candidate.id, {})
        shown = _shown_votes(candidate.id, request)
        pair = _release_pair(checked, rule, source, shown, canary_string)
        if isinstance(candidate.derivation, ParadigmVariant):
            seed_conditions[candidate.derivation.paradigm_id] = candidate.derivation.seed_condition
        first = first_of_id.setdefault(candidate.id, pair)
        if any(getattr(first, name) != getattr(pair, name) for name in ID_FIELDS):
            raise ReleaseError(f"{candidate.id}: two pairs with other sentences share this id; build the source again")
        needed = people_needed(candidate, request.settings.votes, request.sampling)
        decided = verdict(votes, request.adjudicated.get(candidate.id, {}), request.settings, needed)
        origin = pair_origin(pair, checked, rule, source).model_dump_json().encode()
        fault = _own_fault(checked, decided, is_reading=_is_reading(candidate, request))
        yield Draft(pair, fault, decided, derived_pair(checked), origin)


def _is_reading(pair: Candidate, request: ReleaseRequest) -> bool:
    """Whether reviewers were asked about another reading of a pair's example, and not about this one."""

    def is_asked(pair_id: str) -> bool:
        return pair_id in request.shown or bool(request.votes.get(pair_id))

    asked_first = pair.parent_id is not None and is_asked(pair.parent_id)
    return pair.derivation is None and asked_first and not is_asked(pair.id)


def _own_fault(pair: CheckedPair, decided: ReviewVerdict, *, is_reading: bool) -> Fault | None:
    """What keeps a pair out of a release whatever the other pairs are; None where nothing does."""
    if pair.verdict == "reject":
        error = next((finding for finding in pair.findings if finding.level == "error"), None)
        return "checks", f"check {error.check}: {error.message}" if error else "rejected by the checks"
    if decided.outcome != "approved" and is_reading:
        return "reading", f"another reading of {pair.candidate.parent_id}; reviewers were asked about that one"
    if decided.outcome != "approved":
        return decided.outcome, decided.reason
    return _identity_fault(pair.candidate.good, pair.candidate.bad)


def _identity_fault(good: str, bad: str) -> Fault | None:
    if sentence_key(good) != sentence_key(bad):
        return None
    return "identical", "identical: the two sentences differ in nothing but white space or the first capital"


def _settle_derived(drafts: Sequence[Draft], request: ReleaseRequest) -> list[Lot]:
    """Leaves out the pairs of refused seeds, and takes in those that nobody was asked about where their lots pass."""
    refused = {draft.pair.id: draft.fault[0] for draft in drafts if draft.fault and draft.fault[0] in _SEED_FAULTS}
    derived = {draft.pair.id: draft.derived for draft in drafts if draft.derived is not None}
    withdrawn = without_seed(derived.values(), refused)
    standing = [pair for pair in derived.values() if pair.id not in withdrawn]
    outcomes = {draft.pair.id: draft.verdict.outcome for draft in drafts if draft.derived is not None}
    lots = draw_lots(standing, outcomes, request.sampling, request.rules)
    lot_of = {key: lot for lot in lots for key in lot.keys}
    in_samples = {pair_id for lot in lots for pair_id in lot.sample}
    for draft in drafts:
        pair = draft.pair
        if draft.derived is None or (draft.fault and draft.fault[0] == "checks"):
            continue
        if seed := withdrawn.get(pair.id):
            draft.fault = "seed", f"its seed {seed} {_SEED_FAULTS[refused[seed]]}"
        elif draft.derived.in_lot and not pair.votes and pair.id not in in_samples:
            lot = lot_of[pair.rule_id, pair.method]
            draft.fault = "lot", f"nobody reviewed it, and its lot is not released whole: {lot.state}"
            if lot.outcome == "passes":
                draft.fault = _identity_fault(pair.sentence_good, pair.sentence_bad)
                draft.pair = with_columns(pair, review="sampled")
    return lots


def _gone_pair(pair: Candidate, request: ReleaseRequest) -> ExcludedPair:
    """A pair that people voted on and that is no longer made, with the reason: its rule went, or the pair alone."""
    rule = request.rules.get(pair.rule_id)
    reason = f"its rule {rule.code or rule.title} no longer gives it" if rule else f"its rule {pair.rule_id} is gone"
    return ExcludedPair(
        **{name: getattr(pair, name) for name in ("id", "source_id", "rule_id", "method", "exception")},
        rule_code=rule.code if rule else pair.rule_id,
        sentence_good=pair.good,
        sentence_bad=pair.bad,
        votes=_shown_votes(pair.id, request),
        cause="gone",
        reason=reason,
    )


def _name_corrections(drafts: Sequence[Draft], corrections: Mapping[str, Sequence[str]]) -> None:
    """Where a reviewer asked for a fix, names the pairs that reviewers wrote instead, and what keeps these out."""
    faults = {draft.pair.id: draft.fault for draft in drafts}
    for draft in drafts:
        ids = [pair_id for pair_id in corrections.get(draft.pair.id, ()) if pair_id in faults]
        if draft.fault is None or draft.fault[0] != "fixed" or not ids:
            continue
        parts = []
        for pair_id in ids:
            fault = faults[pair_id]
            parts.append(f"{pair_id} (left out: {fault[1]})" if fault else pair_id)
        draft.fault = "fixed", f"corrected into {', '.join(parts)}"


def _add_faults_between(drafts: Sequence[Draft]) -> None:
    """Excludes pairs that contradict each other and, of pairs with the same two sentences, all but the first."""
    same_sentences: dict[tuple[str, str], list[Draft]] = defaultdict(list)
    for draft in drafts:
        if draft.fault is None:
            pair = draft.pair
            same_sentences[sentence_key(pair.sentence_good), sentence_key(pair.sentence_bad)].append(draft)
    for (good, bad), (first, *others) in same_sentences.items():
        if turned := same_sentences.get((bad, good)):
            reason = f"contradicts {turned[0].pair.id}: the same sentences the other way round"
            first.fault = "contradiction", reason
        else:
            reason = f"duplicate of {first.pair.id}"
        for draft in others:
            draft.fault = "contradiction" if turned else "duplicate", reason


def _shown_votes(pair_id: str, request: ReleaseRequest) -> tuple[Vote, ...]:
    settling = request.adjudicated.get(pair_id, {})
    shown = []
    for name, word in request.votes.get(pair_id, {}).items():
        basis = "written" if (pair_id, name) in request.written else "settling" if name in settling else "shown"
        shown.append((request.pseudonyms[name], word, basis))
    return _vote_records(tuple(sorted(shown)))


@lru_cache(maxsize=4096)
def _vote_records(shown: tuple[tuple[str, DecisionWord, str], ...]) -> tuple[Vote, ...]:
    """One tuple for all pairs with equal votes: separate ones would be much of the memory of a large release."""
    return tuple(
        Vote.model_validate({"reviewer": name, "decision": word, "basis": basis}) for name, word, basis in shown
    )


def _release_pair(
    checked: CheckedPair, rule: Rule, source: Source, votes: tuple[Vote, ...], canary_string: str
) -> ReleasePair:
    candidate = checked.candidate
    variant = candidate.derivation if isinstance(candidate.derivation, ParadigmVariant) else None
    return ReleasePair.model_construct(
        _PAIR_FIELDS,
        **{name: getattr(candidate, name) for name in _CANDIDATE_FIELDS},
        **rule_columns(rule, source),
        sentence_good=candidate.good,
        sentence_bad=candidate.bad,
        votes=votes,
        agreement=agreement(votes),
        split="test",
        uid="",
        published_source=is_published(candidate.good, candidate.bad, candidate.evidence.quote, source.url),
        canary=canary_string,
        review="reviewed",
        paradigm_id=variant.paradigm_id if variant else None,
        condition=variant.condition if variant else None,
    )


def rule_columns(rule: Rule, source: Source | ReleaseSource) -> dict[str, Any]:
    """The columns of a pair that its rule and its source decide on."""
    return {
        "source_id": rule.source_id,
        "phenomenon": rule.phenomenon,
        "rule_code": rule.code,
        "rule": rule.title,
        "citation": source.citation,
        "licence": source.licence,
        "language": source.language,
    }


def agreement(votes: Sequence[Vote]) -> float | None:
    """The share of votes that approve, 0-1: of reviewers to whom the pair was shown where there are any; else None."""
    votes = [vote for vote in votes if vote.basis == "shown"] or votes
    return round(sum(vote.decision == "approve" for vote in votes) / len(votes), 4) if votes else None


def with_columns(pair: ReleasePair, **columns: Any) -> ReleasePair:
    """The same pair with other values in these columns, which are not validated."""
    return ReleasePair.model_construct(_PAIR_FIELDS, **dict(pair) | columns)


def excluded_pair(pair: ReleasePair, fault: Fault) -> ExcludedPair:
    """The record of a pair that is left out, with the cause and the reason."""
    cause, reason = fault
    shared = {name: value for name, value in pair if name in _SHARED_FIELDS}
    return ExcludedPair(**shared, cause=cause, reason=reason)
