"""One frozen configuration from `pairwright.toml` in the workspace.

The comment on the line of a setting, or above it, is its description in the documentation (`cli/docs.py`). Secrets are
no settings: they come from the environment.
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
    """How pages without a text layer are read, by PaddleOCR."""

    recognition: str = "PP-OCRv6_small_rec"  # PaddleOCR's name of the model that reads lines; the default is installed
    recognition_dir: Path | None = None  # folder with a model of your own: `inference.yml` and `inference.onnx`
    threads: Natural = 0  # threads of the engine; 0 shares the processors among the reader processes
    dpi: Annotated[int, Field(ge=72, le=600)] = 300  # resolution at which a page is drawn
    max_pixels: Annotated[int, Field(ge=250_000)] = 40_000_000  # a larger page is drawn at a lower resolution


class IngestSettings(Settings):
    """How documents are read. Seconds are limits of a page or document, memory (MiB of data) of a reader process."""

    max_bytes: Annotated[int, Field(gt=0)] = MAX_BYTES  # largest text document, packed or not
    workers: Natural = 0  # processes that read pages; 0: one for each processor
    page_seconds: PositiveFloat = 300  # seconds for a page, and for learning the book before the first
    document_seconds: PositiveFloat = Limits().seconds  # seconds for a document without pages
    page_memory_mb: Annotated[int, Field(ge=256)] = Limits().memory_mb  # memory of a reader process, in MiB
    ocr: OcrSettings = OcrSettings()


class SectionPatterns(Settings):
    """Sections by their headings: shell patterns such as `4*` or `*negation*`, without regard to case.

    A pattern is compared with each heading above a text and with all of them joined by ` > `. What `include` names is
    read, whatever else; then what `exclude` names is left out, whatever its headings say.
    """

    include: tuple[str, ...] = ()  # sections that are always read
    exclude: tuple[str, ...] = ()  # sections that are left out unless included


class RuleSettings(SectionPatterns):
    """How grammar books are cut into the passages that a language model is shown, and how error lists are read."""

    window_characters: Annotated[int, Field(ge=400)] = 4000  # the longest passage
    sources: dict[str, SectionPatterns] = Field(default_factory=dict)  # other include and exclude, by the source's id
    max_windows: Count | None = None  # most passages of one source
    # causal model that ranks the readings of a correction in an error list, such as `embedded`
    span_model: Annotated[str, Field(min_length=1)] | None = None

    def patterns(self, source_id: str) -> SectionPatterns:
        """The patterns for the sections of a source: its own where it has some, else the general ones."""
        return self.sources.get(source_id, self)


class PairLimits(Settings):
    """Limits of minimality for one source or rule. What a rule leaves unset is its source's, else the general limit."""

    max_spans: Count | None = None  # as in [checks]
    max_edit_share: Annotated[float, Field(gt=0, le=1)] | None = None  # as in [checks]


class CheckSettings(Settings):
    """Limits of the checks. A limit can be set for a source or for a rule (`source/code`) under `limits`."""

    max_spans: Count = 3  # most differing spans of a minimal pair
    max_edit_share: Annotated[float, Field(gt=0, le=1)] = 0.67  # most edits, as a share of the longer sentence's words
    spelling: bool = True  # look words up in the language's Hunspell dictionary
    morphology: bool = True  # analyse the changed words, where the language has word forms
    limits: dict[str, PairLimits] = Field(default_factory=dict)  # other limits for a source or a rule, `source/code`


class GenerateSettings(Settings):
    """How language models are asked for pairs."""

    pairs_per_rule: Annotated[int, Field(ge=1, le=100)] = 6  # pairs wanted for each rule that licenses one
    grounded: bool | None = None  # from attested sentences; by default in languages that models don't know well
    batch: Annotated[int, Field(ge=1, le=50)] = 10  # pairs of new sentences asked for in one request
    rounds: Annotated[int, Field(ge=1, le=20)] = 2  # most requests, as a multiple of those needed if all pairs are good
    examples: Natural = 5  # examples of the rule in a request
    sentences: Count = 12  # attested sentences in a request for grounded pairs, each for one pair


Method = Literal["source", "llm", "treebank", "corruption", "lexicon", "masked-lm", "cloze", "paradigm", "manual"]


class JudgeSettings(Settings):
    """How a language model judges pairs; [llm.models] may name another one for the stage `judge`."""

    methods: tuple[Method, ...] = ("llm", "masked-lm", "cloze")  # pairs that are judged, by how they were made
    accept_score: Grade = 6  # a lower score, 0 to 10, is a warning
    examples: Natural = 5  # examples of the rule that the judge sees
    pairs_per_request: Annotated[int, Field(ge=1, le=50)] = 10  # pairs that are judged together
    audit_share: Share = 0.1  # share of the rejected pairs that reviewers are asked about, unmarked


class TreebankSettings(Settings):
    """Which pairs are made of a treebank's sentences."""

    pairs_per_contrast: Count = 200  # pairs of a contrast, drawn from all matches
    pairs_per_sentence: Count = 3  # most pairs of a sentence, each of another contrast
    min_words: Count = 3  # fewest words of a sentence
    max_words: Count = 30  # most words of a sentence
    corruptions: bool = False  # also make pairs whose bad sentence lacks a word or has two words exchanged (ScaLA)

    @model_validator(mode="after")
    def _some_length(self) -> Self:
        if self.min_words > self.max_words:
            raise ValueError(f"min_words is {self.min_words} and max_words only {self.max_words}")
        return self


class SamplingSettings(Settings):
    """How many of the pairs that programs derived are reviewed, by rule and method (a lot)."""

    sample: Literal["random", "all"] = "random"  # a random sample of each lot, or every pair
    per_pair: Count = 1  # reviewers of a pair of a random sample, and approvals that it needs
    max_error: Annotated[float, Field(gt=0, lt=1)] = 0.05  # share of wrong pairs in a lot that the sample rules out
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95  # how surely, one-sided
    allowed_errors: Natural = 0  # wrong pairs in a sample before the lot fails; each makes the sample larger
    seed: int = 0  # another seed draws other samples


class ReviewSettings(Settings):
    """How reviewers are asked."""

    reviewers: tuple[str, ...] = ("reviewer-1", "reviewer-2")  # who gets a sheet: small letters, digits, - and _
    per_pair: Count = 2  # reviewers of each pair; in a queue of ratings everyone rates
    quota: Count | None = None  # most rows of one reviewer
    separator: Annotated[str, Field(pattern="^[;,\t]$")] = ";"  # of CSV sheets: what the spreadsheet program expects
    language: LanguageCode | None = None  # of sheets and pages; by default the source's own
    alternatives: bool = False  # ask about every reading of a correction, not only the first
    # by rules until each has `target` approved pairs; active: most informative first; source: as in the source; random
    order: Literal["rules", "active", "source", "random"] = "rules"
    target: Count = 10  # approved pairs that each rule should get first
    show_findings: bool = False  # show reviewers what checks and models found
    catch_share: Share = 0.05  # catch trials for each item of a blind experiment
    catch_pairs: str | None = None  # table of your own catch trials, with the columns good and bad
    fillers: str | None = None  # table of fillers with the columns sentence and acceptable (yes, no or empty)
    versions: Annotated[int, Field(ge=2, multiple_of=2)] = 2  # of a queue of ratings; nobody sees both sides of a pair
    seed: int = 0  # of all random orders
    sampling: SamplingSettings = SamplingSettings()


class ReleaseSettings(Settings):
    """Which pairs are released, and how the release is described. Approving and rejecting votes are a conflict."""

    votes: Count = 2  # approvals that a pair needs
    decide_alone: tuple[str, ...] = ()  # reviewers whose vote alone settles a pair
    unsure: Literal["abstain", "block", "reject"] = "abstain"  # an unsure vote: doesn't count, holds the pair, rejects
    title: str | None = None  # for readers; by default the name of the release
    authors: tuple[str, ...] = ()  # for the citation: "Family, Given"; a name without a comma is an organisation
    # web address of the release, where readers dispute pairs
    repository: Annotated[str, Field(pattern=r"^https?://[^\s<>\"']+$")] | None = None
    few_shot: Annotated[float, Field(ge=0, le=0.5)] = 0.1  # share of the pairs for examples in prompts
    validation: Annotated[float, Field(ge=0, le=0.5)] = 0.1  # share for choosing models and prompts; the rest is test
    items: Annotated[int, Field(ge=0, le=100_000)] = 500  # most questions of each task; 0 makes none
    matrices: tuple[Path, ...] = ()  # folders of `extras matrices make` whose problems are frozen with the release


class PolicySettings(Settings):
    """How a sentence becomes the tokens that are scored. Two scores compare only where these settings are equal."""

    # auto: one BOS where the tokenizer has one; always: an error without one; never; or-eos: EOS where there is no BOS
    bos: Literal["auto", "always", "never", "or-eos"] = "auto"
    # given-bos: the first token is scored where anything precedes it; unscored: never
    first_token: Literal["given-bos", "unscored"] = "given-bos"
    prefix: str = ""  # text put before every sentence
    prefix_scored: bool = False  # whether that text counts
    chat: str | None = None  # user's message that the sentence answers, by the model's chat template
    final_period: Literal["as-is", "removed", "added"] = "as-is"  # added only where no punctuation ends the sentence
    case: Literal["as-is", "lower"] = "as-is"  # of the sentence's letters
    eos: Literal["unscored", "scored"] = "unscored"  # whether EOS after the sentence counts
    normalisation: Literal["NFC", "NFD", "NFKC", "NFKD", "none"] = "NFC"  # Unicode form of the sentence


class ScoreSettings(PolicySettings):
    """How sentences are scored: the policy's settings, and those that decide how the scores are computed."""

    batch_size: Count = 4096  # most sentences in one forward pass
    batch_tokens: Natural = 0  # most tokens in one; 0 takes what suits the device, halved where memory runs out
    packing: Literal["auto", "never"] = "auto"  # share beginnings of sentences where that changes no number
    cpu_kernels: Literal["auto", "off"] = "auto"  # faster products on a processor; off: torch's public operators
    dtype: DtypeName = "auto"  # float32, float64, bfloat16, float16; auto: bfloat16 on a GPU that has it, else float32
    device: str = "auto"  # cpu, cuda, cuda:0; all: one process a GPU; map: one model over all GPUs
    shard_pairs: Count = 1000  # pairs that are written together; an interrupted run continues after the last shard
    masked: Literal["pll", "within-word"] = "pll"  # pseudo-log-likelihood, also hiding the rest of the word
    tokens: bool = False  # also keep the log-probability of each token
    unigrams: str | None = None  # counts for SLOR: a UTF-8 text file


class MorphologyResource(Settings):
    """A file that says which forms a word has, and what they are."""

    # hunspell: a `.dic` with its `.aff`; unimorph: lemma, form, tags; conllu: a treebank; transducer: `.hfstol`, `.att`
    kind: LexiconKind
    path: Annotated[str, Field(min_length=1)]  # absolute, or relative to the workspace
    tagset: str | None = None  # meaning of the tags, `tagsets/<name>.toml`; Hunspell without one gives only lemmas


class Price(Settings):
    """What a model costs, in the currency of the settings for a million tokens. Batches cost half of it."""

    input: Amount  # a million tokens of a request
    output: Amount  # a million tokens of an answer
    cached_input: Amount | None = None  # a million tokens that the server had in its own cache


class LLMSettings(Settings):
    """The server of language models and the limits that its use keeps. What is None is not sent, or not limited."""

    # any OpenAI-compatible server: vLLM, llama.cpp, Ollama, LM Studio
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s@?#]+$")] = "https://api.openai.com/v1"
    model: str | None = None  # the server's name for the model; `--llm local` needs none
    models: dict[str, str] = Field(default_factory=dict)  # other models by stage: rules, generate, judge, augment
    key_env: VariableName = "OPENAI_API_KEY"  # environment variable with the key; servers on this machine need none
    # how answers are made to fit: schema, json, text; auto tries them in turn
    structured: Annotated[str, Field(pattern="^(auto|schema|json|text)$")] = "auto"
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None  # in place of the prompt's own
    seed: int | None = None  # sent to the server; another seed asks anew
    max_output_tokens: Count | None = None  # in place of the prompt's own; 1024 where neither is set
    repairs: Annotated[int, Field(ge=0, le=10)] = 2  # how often an unusable answer is asked for again
    concurrency: Annotated[int, Field(ge=1, le=1000)] = 8  # requests at a time
    timeout: PositiveFloat = 120  # seconds from sending to the whole answer
    answer_bytes: Count = 4_000_000  # largest answer
    retries: Annotated[int, Field(ge=0, le=20)] = 5  # after a fault of the server or the network
    backoff_seconds: PositiveFloat = 1  # first pause after a fault; it doubles, with jitter
    max_wait_seconds: PositiveFloat = 300  # a longer pause that the server asks for ends the run
    poll_seconds: PositiveFloat = 30  # between two looks at a batch
    budget_money: Amount | None = None  # most that this workspace may spend over all runs; needs prices
    budget_tokens: Natural | None = None  # most tokens over all runs
    currency: str = "USD"  # of prices and budgets
    prices: dict[str, Price] = Field(default_factory=dict)  # by model
    local_model: str = "gemma"  # of `--llm local`: gemma, or a GGUF file
    local_threads: Natural = 0  # 0: all processors but one
    local_context: Annotated[int, Field(ge=512)] = 4096  # tokens


class AskSettings(Settings):
    """How models are asked the tasks of a release."""

    words: Literal["own", "english"] = "own"  # prompts in the release's language, where it has words, or in English
    shots: Natural = 12  # examples before a sentence of the acceptability task
    draws: Count = 10  # how often these examples are drawn
    thinking_tokens: Natural = 0  # room for a model's thinking, in addition to its answer
    seed: int = 0  # of the examples and of the order of options


class ReportSettings(Settings):
    """How reports and the leaderboard look."""

    language: LanguageCode = "en"  # of the page; `--page-language` overrides it


class AugmentSettings(Settings):
    """How approved pairs grow."""

    keep: tuple[str, ...] = ()  # words and phrases that stay, such as fixed expressions
    never: tuple[str, ...] = ()  # words that are never put in, in their dictionary forms
    proposals: Count = 40  # most words that a slot takes
    lemma_share: Annotated[float, Field(gt=0, le=1)] = 0.1  # most pairs of a rule with the same new lemma
    pairs_per_seed: Count = 10  # most pairs of a seed
    new_words: Count = 2  # most replaced words of a pair


class Config(Settings):
    """Everything that a workspace can set, with its defaults."""

    language: LanguageCode | None = None  # used where `--language` is left out
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
