"""Questions with options that are put to models, and what models answered."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pairwright.core.records.documents import Record

TaskName = Literal[
    "sentence-rules", "rule-sentences", "sentences-rules", "minimal-pair", "acceptability", "translation", "matrix"
]
# Of these tasks any number of options may be right, unless the options are labels.
SEVERAL: tuple[TaskName, ...] = ("sentence-rules", "rule-sentences", "sentences-rules")
LABELS = ("yes", "no")
ItemSplit = Literal["train", "few_shot", "validation", "test"]
"""The splits of a release, and train for problems that a model is trained on."""
ResponseOutcome = Literal["answered", "refused", "unreadable", "cut", "failed"]
"""cut: the server ended the answer before the model did; failed: there is none."""


class Option(Record):
    """One of the answers that a model may give. `label` says why a wrong one is wrong, in a word or two.

    rule_id   the rule that the option states
    """

    text: str
    label: str = ""
    rule_id: str = ""


class Item(Record):
    """A question. Its id comes from the task, the language, what is asked, the answer and the condition.

    context       the sentences or texts that it is about, in order
    translations  of the context, in its order, empty where one has none; no entry where none has one
    question      what is asked, where the task's own question does not say it all: a rule's description
    options       in an order that says nothing; models see them in an order of the item's own. `yes` and `no` stand for
                  the words of the language in which is asked
    answers       the indices of the right options; none where no option is; a translation has a reference
    unknown       the indices of options of which the data does not say whether they are right; they count for nothing
    rule_ids      the rule that it was made for first, then others of its sentences and the one that is asked about
    condition     what of the task's design the item has, such as `n=4 far`
    split         test where one of its pairs is for testing, few_shot only where all are for examples; problems of
                  matrices are train or test
    canary        of its release: data in which it is found holds the release
    """

    id: str
    task: TaskName
    language: str
    context: tuple[str, ...]
    translations: tuple[str, ...] = ()
    question: str = ""
    options: tuple[Option, ...] = ()
    answers: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    reference: str | None = None
    rule_ids: tuple[str, ...] = ()
    pair_ids: tuple[str, ...] = ()
    condition: str = ""
    seed: int = 0
    split: ItemSplit = "test"
    canary: str = ""

    @model_validator(mode="after")
    def _has_its_options(self) -> Self:
        indices = (*self.answers, *self.unknown)
        if len(set(indices)) < len(indices) or any(not 0 <= index < len(self.options) for index in indices):
            raise ValueError("answers: each names one of the options, and none is named twice")
        return self

    @property
    def is_labelled(self) -> bool:
        """Whether the options are yes and no, which stand for words of the prompt's language and in no order."""
        return sorted(option.text for option in self.options) == sorted(LABELS)

    @property
    def takes_several(self) -> bool:
        """Whether any number of options may be right."""
        return self.task in SEVERAL and not self.is_labelled


class ItemsInfo(Record):
    """What a folder of items holds, in items.json; `items` is the most of each task, with a sweep of each of its sizes.

    counts    how many items there are of each condition of each task
    not_made  how often what was drawn for a task gave no item
    """

    release: str  # its name and version
    items: int
    sweep: bool
    seed: int
    canary: str
    counts: dict[TaskName, dict[str, int]]
    not_made: dict[TaskName, int]


class OptionScore(Record):
    """How probable a local model finds an option after its prompt. `sum_logprob` is in nats, over `n_tokens` tokens.

    free_logprob  of the same words after the same prompt without content, in nats; None where that was not asked
    """

    sum_logprob: float
    free_logprob: float | None = None
    n_tokens: Annotated[int, Field(ge=1)]
    n_chars: Annotated[int, Field(ge=1)]


class Response(Record):
    """What a model answered to an item.

    draw        which drawing of few-shot examples stood before the item; 0 where there are none. Of a network the seed
    prompt      name and version of the prompt, with the SHA-256 of its file; `baseline` and its settings' of a network
    shown       the indices of the options in the order in which the model saw them
    raw         its words, without its `thinking`; empty where options were compared by log-probability
    chosen      the indices of the options that it names; empty where it says none, and where nothing could be read
    scores      of each option, in the order of the item's options, where log-probabilities were asked for. Where
                several may be right, each option is judged by itself: `scores` are of yes and `denials` of no
    """

    item_id: str
    model: str
    draw: int = 0
    prompt: str
    shown: tuple[int, ...] = ()
    outcome: ResponseOutcome
    raw: str = ""
    thinking: str = ""
    chosen: tuple[int, ...] = ()
    scores: tuple[OptionScore, ...] = ()
    denials: tuple[OptionScore, ...] = ()
    reason: str = ""  # why there is no answer, or none that could be read
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    cost: float | None = None  # in the currency of the settings


class TaskPart(Record):
    """One task as a model was asked it. `key` is the hash of all that decides the responses; seconds are by the clock.

    prompts  the names of the prompts, as in the responses
    words    the language of the prompts: the items' own, or English
    shots    the examples before each item
    seed     of the drawn examples and the order of options
    """

    key: str
    prompts: tuple[str, ...]
    words: Literal["own", "english"]
    n_items: int
    n_responses: int
    outcomes: dict[ResponseOutcome, int]
    shots: int = 0
    draws: int = 1
    seed: int = 0
    seconds: float = 0.0


class TaskRun(Record):
    """How a model's responses to the items of a release came about.

    model     its name in reports; `requested` is what the user asked for
    policy    chat: it answered in words; logprob: the options were compared by log-probability, and translations
              were written greedily; trained: a network chose by the sentence vectors of an encoder, the model, after
              training on other items
    template  whether the prompts went through the model's chat template; a server decides that by itself
    responses_sha256  of responses.jsonl beside this record
    """

    release: str
    release_sha256: str
    model: str
    requested: str
    policy: Literal["chat", "logprob", "trained"]
    template: bool = False
    tasks: dict[TaskName, TaskPart] = Field(default_factory=dict)
    responses_sha256: str = ""
