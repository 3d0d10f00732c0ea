"""What an evaluation says: the scores of a release's sentences, and of the model and the policy behind them."""

from typing import Annotated, Literal

from pydantic import Field

from pairwright.records import Record, Side


class Score(Record):
    """How probable a model finds one sentence of a pair.

    sum_logprob  the sum of the log-probabilities of the scored tokens, in nats
    mean_nll     minus sum_logprob per scored token, in nats per token
    n_tokens     the scored tokens; `n_bytes` the bytes of the sentence in UTF-8
    unigram_sum_logprob  the sum of the log-probabilities of the same tokens by their frequency alone, in nats
    slor         the syntactic log-odds ratio: what the model finds a sentence more probable than its words, per token
    """

    pair_id: str
    side: Side
    sentence: str
    n_tokens: Annotated[int, Field(ge=1)]
    n_bytes: int
    sum_logprob: float
    token_logprobs: tuple[float, ...] | None = None
    unigram_sum_logprob: float | None = None

    @property
    def mean_nll(self) -> float:
        return -self.sum_logprob / self.n_tokens

    @property
    def slor(self) -> float | None:
        if self.unigram_sum_logprob is None:
            return None
        return (self.sum_logprob - self.unigram_sum_logprob) / self.n_tokens


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

    release_sha256      the SHA-256 of the release's MANIFEST.sha256, which stands for all its files
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
