"""The records of an evaluation: the model and the policy behind the scores of a release's sentences."""

from typing import Annotated, Literal

from pydantic import Field

from pairwright.core.config import PolicySettings
from pairwright.core.records import Record

ScoringMethod = Literal["causal", "masked-pll", "masked-pll-within-word", "seq2seq"]


class ScoringPolicy(PolicySettings):
    """How a sentence became numbers: the settings, and what no setting decides.

    kind      causal: the chain rule, left to right. masked-pll: each token given all others; masked-pll-within-word:
              the tokens to its right in the same word are hidden too. seq2seq: the decoder's chain rule
    """

    kind: ScoringMethod = "causal"
    specials: Literal["text"] = "text"  # text: the name of a special token inside a sentence is read as plain text
    version: int = 2  # raised whenever the scoring code gives other numbers


class ModelInfo(Record):
    """A language model as it was loaded for scoring.

    slug            the name as a folder name; it tells models and dtypes apart
    weights_sha256  SHA-256 of the GGUF file, or the digest of the hashes of config.json and all weight files; None
                    for a hub model, which its commit identifies, and for a server's model, which nothing does
    bos_token_id    the token put before every sentence; None where the tokenizer defines none, and then the first
                    token of a sentence is not scored
    """

    name: str  # for people; `requested` is what the user asked for: embedded, a path, a hub id or a server's address
    requested: str
    slug: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    architecture: str
    n_parameters: int  # 0 where a server does not say; likewise vocabulary_size
    revision: str | None  # the commit of a hub model, else None
    weights_sha256: str | None
    tokenizer_sha256: str
    dtype: str  # of the weights; `server` where a server holds them
    device: str
    context_length: int | None  # the longest input in tokens, BOS included; None where the architecture sets no limit
    vocabulary_size: int
    bos_token_id: int | None
    quantisation: str | None = None
    packages: dict[str, str]
    torch_threads: int
    hardware: str

    @property
    def weights(self) -> tuple[str | None, ...]:
        """What tells weights apart, whatever their label, dtype or quantisation; the address of a server's model."""
        served = self.requested if self.revision is None and self.weights_sha256 is None else None
        return self.revision, self.weights_sha256, served

    @property
    def variant(self) -> tuple[str | None, ...]:
        """The same with dtype and quantisation: of one variant, scores under one policy are the same."""
        return *self.weights, self.dtype, self.quantisation

    @property
    def number_format(self) -> str:
        """The dtype of the weights, with how they were rounded before: when they were loaded, or in a GGUF file."""
        is_gguf = self.requested == "embedded" or self.requested.endswith(".gguf")
        rounded = self.quantisation or ("GGUF" if is_gguf else "")
        return f"{self.dtype} ({rounded})" if rounded else self.dtype


class RunPlan(Record):
    """One release that one model scores, as far as it is known beforehand."""

    release: str
    release_sha256: str  # the SHA-256 of the release's MANIFEST.sha256, which stands for all its files
    key: str = ""  # the hash of what decides the results: release, weights, dtype, policy, unigrams
    request: str = ""  # the hash of what was asked for, as known before the model is loaded; empty for a server's
    config_key: str = ""  # the hash of what decides each digit: also the device, libraries and batches
    model: ModelInfo
    policy: ScoringPolicy
    first_token_scored: bool  # False where nothing stands before the first token; `n_tokens` of a score then lacks it
    unigrams: str | None = None  # what the unigram model of SLOR was counted from; None without one
    batch_size: int

    @property
    def conditioning(self) -> tuple[ScoringPolicy, bool]:
        """What decides over which tokens sums are, given which context; models that differ in it don't compare."""
        return self.policy, self.first_token_scored


class EvaluationRun(RunPlan):
    """One release scored by one model. Times are UTC; `files` gives the SHA-256 of each file beside run.json."""

    route: str = ""  # how the sentences went through the model, such as `packed` or `padded`
    batch_tokens: int = 0  # the most tokens in one forward pass
    n_pairs: int  # pairs of the release; `n_scored` got both scores, `n_rejected` are in the rejected file
    n_scored: int
    n_rejected: int
    n_ties: int = 0  # pairs of `n_scored` whose two sums are equal
    n_sentences: int  # distinct sentences that were scored; identical ones of a shard are scored once
    seconds: float  # spent scoring, without loading; by several processes their mean
    sentences_per_second: float
    started_at: str
    finished_at: str
    files: dict[str, str]
