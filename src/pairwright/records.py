"""The data's whole life, from a piece of a page to the score of a sentence. One record a stage; all are frozen."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

BlockKind = Literal["heading", "paragraph", "list_item", "table", "example", "gloss", "footnote", "caption"]
Method = Literal["source", "llm", "masked-lm", "treebank", "paradigm", "manual"]
Level = Literal["error", "warning", "info"]
Verdict = Literal["pass", "reject"]
DecisionWord = Literal["approve", "fix", "reject", "unsure"]
SourceKind = Literal["error-list", "grammar-book", "treebank"]
Side = Literal["good", "bad"]
Exclusion = Literal["checks", "conflict", "fixed", "rejected", "undecided", "identical", "contradiction", "duplicate"]


class Record(BaseModel):
    """Base of all records: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Stage(Record):
    """A stage's name, which names its files, and its version, raised whenever its code gives other results."""

    name: str
    version: int


class SourceFile(Record):
    """A file of a source: its path (relative to the source's folder, or absolute) and the SHA-256 of its bytes."""

    path: str
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Source(Record):
    """What source.toml says of a source. `pages` is an inclusive range counted from 1; `url` is where it was found."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
    title: str
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")]
    kind: SourceKind
    licence: str
    citation: str
    files: Annotated[tuple[SourceFile, ...], Field(min_length=1)]
    pages: tuple[int, int] | None = None
    notation: str | None = None
    encoding: str = "utf-8"
    url: str | None = None


class Block(Record):
    """A piece of a page. `page` and `line` count from 1; `bbox` is (x0, y0, x1, y1) in PDF points, origin top left.

    `line` is the line of a text file (None in a PDF); `bbox` is None where there is no page image. `section` is the
    path of headings above the block, outermost first. `cells` holds a table's rows, `row_lines` their lines. `emphasis`
    gives the character spans of `text` that the page sets in bold or italics. `confidence` is the reader's, 0-1.
    """

    id: str
    source_id: str
    kind: BlockKind
    text: str
    file: str
    page: Annotated[int, Field(ge=1)]
    line: Annotated[int, Field(ge=1)] | None = None
    bbox: tuple[float, float, float, float] | None = None
    level: int | None = None
    section: tuple[str, ...] = ()
    cells: tuple[tuple[str, ...], ...] | None = None
    row_lines: tuple[int, ...] = ()
    emphasis: tuple[tuple[int, int], ...] = ()
    reader: str
    confidence: float | None = None


class Change(Record):
    """A span in which the good and the bad sentence differ; `good_at` and `bad_at` are character offsets."""

    good: str
    bad: str
    good_at: int
    bad_at: int


class Evidence(Record):
    """The place in the source that a record rests on, with the words that stand there."""

    block_id: str
    file: str
    page: int
    line: int | None = None
    quote: str


class Example(Record):
    """An example that the source itself gives for a rule.

    good          the acceptable sentence
    bad           the unacceptable one; None where the source gives only an acceptable one (an exception)
    alternatives  the other acceptable sentences that the source gives for the same bad one, in its order
    default       True for the source's first choice; the other readings of the same bracket are False
    exception     True where the source says that the rule does not hold
    entry         the headword under which the source lists the example
    """

    good: str
    bad: str | None
    evidence: Evidence
    changes: tuple[Change, ...] = ()
    alternatives: tuple[str, ...] = ()
    default: bool = True
    exception: bool = False
    entry: str | None = None
    note: str | None = None
    gloss: str | None = None
    translation: str | None = None


class Rule(Record):
    """One grammar point. `quote` stands in the source letter by letter; `page` is where it begins."""

    id: str
    source_id: str
    code: str
    title: str
    description: str
    category: str
    phenomenon: str
    section: tuple[str, ...] = ()
    block_ids: tuple[str, ...]
    quote: str
    page: int
    line: int | None = None
    examples: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()
    extracted_by: str


class Candidate(Record):
    """A proposed minimal pair: `good` is acceptable, `bad` is not. The id comes from the rule and the two sentences.

    parent_id  the pair that this one was derived from: the default pair of the same bracket, or the pair that a
               reviewer corrected
    features   the feature bundles that the contrast rests on, such as "good: Case=Gen"
    """

    id: str
    rule_id: str
    source_id: str
    good: str
    bad: str
    changes: tuple[Change, ...]
    method: Method
    alternatives: tuple[str, ...] = ()
    parent_id: str | None = None
    translation: str | None = None
    features: tuple[str, ...] = ()
    exception: bool = False
    entry: str | None = None
    note: str | None = None
    evidence: Evidence


class Finding(Record):
    """What a check says of a pair. `check` is a stable name; `span` is (start, end) in characters of the `side`."""

    check: str
    level: Level
    message: str
    side: Side | None = None
    span: tuple[int, int] | None = None


class CheckedPair(Record):
    """A candidate with its findings. A pair with an error is rejected and kept, with its reason."""

    candidate: Candidate
    findings: tuple[Finding, ...]
    verdict: Verdict


class Decision(Record):
    """What one reviewer decided on one pair. `good` and `bad` are the corrected sentences of a fix, else None."""

    pair_id: str
    reviewer: str
    decision: DecisionWord
    good: str | None = None
    bad: str | None = None
    comment: str = ""
    at: str


class Vote(Record):
    """A decision as a release shows it: the reviewer is a pseudonym."""

    reviewer: str
    decision: DecisionWord


class ReleasePair(Record):
    """A pair of a frozen release. `agreement` is the share of votes that approve, 0-1."""

    id: str
    sentence_good: str
    sentence_bad: str
    phenomenon: str
    rule_code: str
    rule: str
    rule_id: str
    source_id: str
    method: Method
    exception: bool
    changes: tuple[Change, ...]
    votes: tuple[Vote, ...]
    agreement: float
    citation: str
    licence: str
    split: str


class ExcludedPair(Record):
    """A pair that was left out of a release: `cause` for programs, `reason` for people, and the votes that it got."""

    id: str
    source_id: str
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
    """A source as a release names it; the paths of its files say nothing of the machine that it was built on."""

    id: str
    title: str
    language: str
    licence: str
    citation: str
    url: str | None
    files: tuple[SourceFile, ...]


class ReleaseInfo(Record):
    """What release.json says of a release. `format` is raised when files or columns change.

    votes_needed  the approvals that a released pair has at least
    n_pairs       released pairs; `n_exceptions` of them are exceptions to their rule
    n_excluded    pairs in excluded.jsonl; `n_conflicts` of them have an approving and a rejecting vote
    """

    format: Literal[1] = 1
    name: str
    version: str
    votes_needed: int
    n_pairs: int
    n_exceptions: int
    n_rules: int
    n_reviewers: int
    n_excluded: int
    n_conflicts: int
    sources: tuple[ReleaseSource, ...]


class ReleaseResult(Record):
    """What freezing made: the directory of the release and the SHA-256 of its MANIFEST.sha256.

    conflicts  the ids of the excluded pairs with an approving and a rejecting vote, for the reviewers to settle
    """

    path: Path
    sha256: str
    info: ReleaseInfo
    conflicts: tuple[str, ...]


class Release(Record):
    """A frozen release as it was read and verified. `sha256` is that of MANIFEST.sha256 and stands for all files."""

    path: Path
    sha256: str
    info: ReleaseInfo
    pairs: tuple[ReleasePair, ...]

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def version(self) -> str:
        return self.info.version


class Score(Record):
    """How probable a model finds one sentence of a pair.

    sum_logprob  the sum of the log-probabilities of the scored tokens, in nats
    mean_nll     minus sum_logprob per scored token, in nats per token
    n_tokens     the scored tokens; `n_bytes` the bytes of the sentence in UTF-8
    """

    pair_id: str
    side: Side
    sentence: str
    n_tokens: Annotated[int, Field(ge=1)]
    n_bytes: int
    sum_logprob: float
    token_logprobs: tuple[float, ...] | None = None

    @property
    def mean_nll(self) -> float:
        return -self.sum_logprob / self.n_tokens


class ScoringPolicy(Record):
    """How a sentence becomes numbers. Two scores compare only where their policies are equal.

    bos            auto: exactly one BOS before the sentence where the tokenizer defines one, else none
    first_token    the first token is scored given BOS; a model without BOS can't score it, and leaves it out
    prefix         the text put before every sentence
    eos            whether an end-of-sequence token is scored after the sentence
    normalisation  the Unicode normal form of the sentence
    specials       text: the name of a special token inside a sentence is read as plain text
    version        raised whenever the scoring code gives other numbers
    """

    bos: Literal["auto"] = "auto"
    first_token: Literal["given-bos"] = "given-bos"
    prefix: Literal[""] = ""
    eos: Literal["unscored"] = "unscored"
    normalisation: Literal["NFC"] = "NFC"
    specials: Literal["text"] = "text"
    version: int = 1


class ModelInfo(Record):
    """A language model as it was loaded for scoring.

    name            for people: the hub id, or the name of the folder or file
    requested       what the user asked for: embedded, a path or a hub id
    slug            the name as a folder name; it tells models and dtypes apart
    revision        the commit of a hub model, else None
    weights_sha256  SHA-256 of the GGUF file, or the digest of the hashes of config.json and all weight files; None
                    for a hub model, which its commit identifies
    bos_token_id    the token put before every sentence; None where the tokenizer defines none, and then the first
                    token of a sentence is not scored
    context_length  the longest input in tokens, BOS included; None where the architecture sets no limit
    hardware        the processor's or the GPU's name
    """

    name: str
    requested: str
    slug: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    architecture: str
    n_parameters: int
    revision: str | None
    weights_sha256: str | None
    tokenizer_sha256: str
    dtype: str
    device: str
    context_length: int | None
    vocabulary_size: int
    bos_token_id: int | None
    packages: dict[str, str]
    torch_threads: int
    hardware: str


class EvaluationRun(Record):
    """One release scored by one model. Times are UTC; `files` gives the SHA-256 of each file beside run.json.

    release_sha256      the hash of the release's pairs
    first_token_scored  False where the model has no BOS; `n_tokens` of a score then lacks the first token
    n_pairs             pairs of the release; `n_scored` got both scores, `n_rejected` stand in the rejected file
    n_sentences         distinct sentences that were scored; identical ones are scored once
    seconds             time spent scoring, without loading; sentences_per_second is n_sentences by seconds
    """

    release: str
    release_sha256: str
    model: ModelInfo
    policy: ScoringPolicy
    first_token_scored: bool
    batch_size: int
    n_pairs: int
    n_scored: int
    n_rejected: int
    n_sentences: int
    seconds: float
    sentences_per_second: float
    started_at: str
    finished_at: str
    files: dict[str, str]


class Rejection(Record):
    """Something that a stage could not turn into a record: kept with its place and the reason, never guessed."""

    stage: str
    source_id: str
    reason: str
    text: str
    file: str
    page: int | None = None
    line: int | None = None
    column: int | None = None
