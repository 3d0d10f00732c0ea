"""What a release is written from: its pairs with all their columns, rules, provenance, votes and glossed examples."""

import re
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath, PureWindowsPath

from pairwright.records import Block, Candidate, CheckedPair, Evidence, Rule, Source
from pairwright.records.release import ExcludedPair, Provenance, ReleaseInfo, ReleasePair
from pairwright.text import comparison_key

# Rule codes that can stand in a file name as they are, but for their points.
PLAIN_CODE = re.compile(r"[a-z0-9]+(?:\.[a-z0-9]+)*", re.ASCII)
# The namespace of the canaries of all releases; a random UUID, made once.
CANARIES = uuid.UUID("5f9df3a3-1d5e-4f53-8a3f-0f6a4f2a5c11")


@dataclass(frozen=True)
class Material:
    """Everything that the files of a release say.

    provenance  where each pair comes from, as a line of provenance.jsonl, by pair id
    glosses     the glossed examples of the rules, by rule id
    """

    info: ReleaseInfo
    pairs: Sequence[ReleasePair]
    rules: tuple[Rule, ...]
    excluded: Sequence[ExcludedPair]
    provenance: Mapping[str, bytes]
    glosses: Mapping[str, tuple[Block, ...]]

    @property
    def uids(self) -> dict[str, str]:
        """The UID of each released rule by its id, in the order of the pairs."""
        return {pair.rule_id: pair.uid for pair in self.pairs}

    def by_uid(self, *, exceptions: bool | None = None) -> dict[str, list[ReleasePair]]:
        """The pairs of each rule by UID, in order; only the regular ones or only the exceptions where asked for."""
        found: dict[str, list[ReleasePair]] = {}
        for pair in self.pairs:
            if exceptions is None or pair.exception == exceptions:
                found.setdefault(pair.uid, []).append(pair)
        return found

    def of(self, info: ReleaseInfo) -> "Material":
        """The same with another description."""
        return replace(self, info=info)


def canary(name: str) -> str:
    """A string that stands in every version of a release and nowhere else, after BIG-bench's canaries."""
    return f"pairwright {name} canary GUID {uuid.uuid5(CANARIES, name)} test data must never be in training corpora"


def uids(rules: Iterable[Rule]) -> dict[str, str]:
    """BLiMP's UID of each rule by its id: source and code in small letters, digits and `_`.

    Codes that can't be told apart so, or that two rules share, get the first digits of the rule's id as well.
    """
    known = list({rule.id: rule for rule in rules}.values())
    shared = Counter((rule.source_id, rule.code) for rule in known)
    found = {}
    for rule in known:
        name = _slug(f"{rule.source_id}_{rule.code}")
        if shared[rule.source_id, rule.code] > 1 or not PLAIN_CODE.fullmatch(rule.code) or len(name) > 80:
            name = f"{name[:80].rstrip('_')}_{rule.id.rsplit('-', 1)[-1][:8]}"
        found[rule.id] = name
    return found


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")


def is_published(candidate: Candidate, source: Source) -> bool:
    """Whether one of the sentences stands, word by word, in the source, and the source has an address on the web.

    A sentence that the source interrupts, as by a bracket, does not stand there so: nobody would find it on the page.
    """
    if source.url is None:
        return False
    quote = f" {comparison_key(candidate.evidence.quote)} "
    return any(f" {comparison_key(sentence)} " in quote for sentence in (candidate.good, candidate.bad))


@lru_cache(maxsize=4096)
def portable_path(path: str) -> str:
    """A path that says nothing of the machine: an absolute one is cut down to the file's name."""
    windows = PureWindowsPath(path)
    return windows.name if windows.drive or windows.root or PurePosixPath(path).is_absolute() else path


def portable(rule: Rule) -> Rule:
    """A rule whose examples and evidence name their files so."""
    return rule.model_copy(
        update={
            "examples": tuple(
                example.model_copy(update={"evidence": _portable(example.evidence)}) for example in rule.examples
            ),
            "evidence": tuple(_portable(evidence) for evidence in rule.evidence),
        }
    )


def _portable(evidence: Evidence) -> Evidence:
    return evidence.model_copy(update={"file": portable_path(evidence.file)})


def provenance(pair: ReleasePair, checked: CheckedPair, rule: Rule, source: Source) -> Provenance:
    """From a pair over its place in the source to its votes."""
    candidate, evidence = checked.candidate, checked.candidate.evidence
    sha256 = next((file.sha256 for file in source.files if file.path == evidence.file), None)
    return Provenance(
        pair_id=pair.id,
        source_id=pair.source_id,
        file=portable_path(evidence.file),
        file_sha256=sha256,
        page=evidence.page,
        line=evidence.line,
        block_id=evidence.block_id,
        quote=evidence.quote,
        rule_id=rule.id,
        rule_code=rule.code,
        rule_page=rule.page,
        rule_quote=rule.quote,
        method=pair.method,
        parent_id=candidate.parent_id,
        prompts=tuple(f"{call.prompt}@{call.prompt_sha256} {call.model_label}" for call in candidate.asked),
        findings=tuple(f"{found.level} {found.check}: {found.message}" for found in checked.findings),
        votes=pair.votes,
    )
