"""The records of a release: pairs with their votes, excluded pairs with the reason, origins, sources, description."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pairwright.core.config import SamplingSettings
from pairwright.core.errors import printable
from pairwright.core.ids import digest
from pairwright.core.records import Change, DecisionWord, Derivation, Method, Record, SourceFile
from pairwright.core.records.documents import LanguageTag, SourceId

Exclusion = Literal[
    "checks",
    "gone",
    "seed",
    "conflict",
    "fixed",
    "rejected",
    "undecided",
    "reading",
    "lot",
    "identical",
    "contradiction",
    "duplicate",
    "across-splits",
]
Split = Literal["few_shot", "validation", "test"]
SPLITS: tuple[Split, ...] = ("few_shot", "validation", "test")

# Names and versions become folders and files, so nothing in them may lead elsewhere or mean a device on Windows.
NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*", re.ASCII)
MAX_NAME = 64
RESERVED = frozenset({"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))})
VERSION = re.compile(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})", re.ASCII)
Version = Annotated[str, Field(pattern=f"^{VERSION.pattern}$")]
UID = Annotated[str, Field(pattern=r"^[a-z0-9_]*$", max_length=100)]


def is_release_name(name: str) -> bool:
    """Whether a release may have this name, which stands in the names of its folders, files and tasks."""
    plain = len(name) <= MAX_NAME and NAME.fullmatch(name) is not None
    return plain and name.split(".")[0] not in RESERVED


class Vote(Record):
    """A decision as a release shows it: the reviewer is a pseudonym.

    basis  `shown`: the reviewer saw the pair, but no vote on it. `written`: the pair is the reviewer's own correction
           of another one. `settling`: made to settle a conflict, with the others' votes in sight. Agreement counts
           `shown` alone
    """

    reviewer: str
    decision: DecisionWord
    basis: Literal["shown", "written", "settling"] = "shown"


class ReleasePair(Record):
    """A pair of a frozen release."""

    id: str
    sentence_good: str
    sentence_bad: str
    phenomenon: str
    rule_code: str
    rule: str
    rule_id: str
    source_id: SourceId
    method: Method
    exception: bool
    changes: tuple[Change, ...]
    votes: tuple[Vote, ...]
    agreement: float | None  # the share of votes that approve, 0-1; None without votes
    citation: str
    licence: str
    split: Split
    uid: UID = ""  # the rule as a name for files and tasks: BLiMP's UID; small letters a-z, digits and `_`
    language: LanguageTag | Literal[""] = ""
    parent_id: str | None = None
    translation: str | None = None
    features: tuple[str, ...] = ()
    published_source: bool = False  # the good or the bad sentence stands word by word in a source on the web
    canary: str = ""  # the release's canary string: data in which it is found holds the release
    # sampled: nobody was asked about the pair, but a random sample of its lot was good enough; see lots.jsonl
    review: Literal["reviewed", "sampled"] = "reviewed"
    paradigm_id: str | None = None  # the id of the baseline pair of its paradigm; None outside of paradigms
    condition: str | None = None  # in the paradigm: `baseline`, an order such as `OVS`, a kind of clause
    phrase: bool = False  # the two are phrases or forms, and no sentences


def pairs_sha256(pairs: Iterable[ReleasePair]) -> str:
    """The hash of the ids and sentences of pairs."""
    return digest([[pair.id, pair.sentence_good, pair.sentence_bad] for pair in pairs])


class ExcludedPair(Record):
    """A pair that was left out of a release, with its votes: `cause` is for programs, `reason` for people."""

    id: str
    source_id: SourceId
    rule_id: str
    rule_code: str
    sentence_good: str
    sentence_bad: str
    method: Method
    exception: bool
    votes: tuple[Vote, ...]
    cause: Exclusion
    reason: str


class ReleaseSource(Record):
    """A source as a release names it. The paths of its files say nothing of the machine on which it was read."""

    id: SourceId
    title: str
    language: str
    licence: str
    citation: str
    url: str | None
    files: tuple[SourceFile, ...]


FORMAT: Literal[9] = 9


class ReleaseInfo(Record):
    """The description of a release, in release.json. `format` is raised when files or columns change; no other is read.

    Pairs that were never released have no version, and any title as their name.
    """

    format: Literal[9] = FORMAT
    name: str
    version: Version | Literal[""]
    votes_needed: int  # the approvals that a released pair has at least
    n_pairs: int  # released pairs; `n_exceptions` of them are exceptions to their rule
    n_exceptions: int
    n_rules: int
    n_reviewers: int
    n_excluded: int  # pairs in excluded.jsonl; `n_conflicts` of them have an approving and a rejecting vote
    n_conflicts: int
    sources: tuple[ReleaseSource, ...]
    title: str = ""
    previous: Version | None = None  # the version that this one follows; `date` is YYYY-MM-DD
    date: str | None = None
    authors: tuple[str, ...] = ()
    repository: str | None = None
    splits: dict[str, int] = Field(default_factory=dict)
    columns: tuple[str, ...] = ()  # the columns of pairs.csv and pairs.parquet, in order
    canary: str = ""  # a string that stands in every record of a pair and in no other text
    left_out: dict[str, str] = Field(default_factory=dict)  # by export, why it could not be made
    packages: dict[str, str] = Field(default_factory=dict)  # the versions of the packages that the bytes depend on
    unsure: Literal["abstain", "block", "reject"] = "abstain"
    pseudonyms: str = ""  # a digest of their key
    because: str | None = None  # why the version makes a larger step than the change asks for
    sampling: SamplingSettings | None = None  # how lots of derived pairs were sampled; None where there is none
    items: int = 0  # the most items of each task under tasks/
    n_sampled: int = 0  # released pairs that nobody was asked about, as the samples of their lots were good enough

    @model_validator(mode="after")
    def _is_named(self) -> Self:
        if self.version and not is_release_name(self.name):
            raise ValueError(f"name: {self.name!r} can't be the name of a release")
        return self


class PairOrigin(Record):
    """Where a pair comes from: a line of provenance.jsonl, from the page of the source to the votes."""

    pair_id: str
    source_id: str
    file: str  # of the source, with the SHA-256 of its bytes; None where source.toml doesn't list it
    file_sha256: str | None
    page: int  # counts from 1, as `line`, which is None in a PDF
    line: int | None
    block_id: str
    quote: str  # the words of the source that the pair rests on; `rule_quote` those that state the rule
    rule_id: str
    rule_code: str
    rule_page: int
    rule_quote: str
    rule_declared: str | None = None  # the contrast file and the line in which a treebank's rule is declared
    method: Method
    parent_id: str | None
    derivation: Derivation | None  # how a program made it of a treebank's sentence or of another pair
    prompts: tuple[str, ...]  # `prompt@sha256 model` of each language model's answer behind the pair
    findings: tuple[str, ...]  # what the checks said of the pair, as `level check: message`
    votes: tuple[Vote, ...]


class ReleaseFinding(Record):
    """What is wrong with a release that is about to be frozen. An error stops it. `place` is empty in some errors."""

    level: Literal["error", "warning"]
    place: str
    message: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        # One line that any terminal shows, whatever a source.toml says.
        return printable(f"{self.level}: {place}{self.message}{f'; {self.remedy}' if self.remedy else ''}")


class ReleaseResult(Record):
    """A release that was just frozen: its directory and the SHA-256 of its MANIFEST.sha256."""

    path: Path
    sha256: str
    info: ReleaseInfo
    conflicts: tuple[str, ...]  # the ids of the excluded pairs that reviewers disagree on
    findings: tuple[ReleaseFinding, ...] = ()  # warnings, as the release was frozen


class FrozenRelease(Record):
    """A release whose files were verified. `sha256` is that of MANIFEST.sha256, which stands for all of them."""

    path: Path
    sha256: str
    info: ReleaseInfo

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def version(self) -> str:
        return self.info.version


class Release(FrozenRelease):
    """A verified release with its pairs in memory."""

    pairs: tuple[ReleasePair, ...]
