"""Questions put to models: which ones a task makes, what a model says or finds probable, and its responses on disk.

A model that compares options is asked about each by itself, with yes or no, where several may be right, so that neither
their order nor their number decides. A base model likes some words better than others whatever it is asked. So each
question is also asked without its content, and what the model says to that is taken off (contextual calibration: Zhao
and others 2021, Calibrate Before Use: Improving Few-Shot Performance of Language Models, ICML 2021, PMLR 139).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from pairwright.core.config import AskSettings, Price
from pairwright.core.errors import StoreError
from pairwright.core.files import read_file
from pairwright.core.ids import digest, file_sha256
from pairwright.core.records.items import (
    LABELS,
    Item,
    Option,
    OptionScore,
    Response,
    ResponseOutcome,
    TaskName,
    TaskPart,
    TaskRun,
)
from pairwright.core.store import read_jsonl, write_jsonl, write_text
from pairwright.evaluate.asking.questions import (
    Examples,
    Form,
    Question,
    UnreadableAnswerError,
    Wording,
    make_question,
    read_label,
    read_letters,
    read_options,
    unaskable,
)
from pairwright.models.chat import Answer, Completer, PlainText, Request, ask_about
from pairwright.models.chat.ledger import cost_of

FOLDER, RESPONSES, RUN = "tasks", "responses.jsonl", "tasks.json"
STAGE = "tasks"
# What stands in place of each text: the third is no text, so that its label stands alone.
CONTENT_FREE = ("N/A", "[MASK]", " ")
_YES_NO = tuple(Option(text=label) for label in LABELS)

OptionScorer = Callable[[Question], Sequence[OptionScore] | str]
"""The scores of a question's continuations, or why there are none."""


@dataclass(frozen=True)
class TaskPlan:
    """The questions of a task, and its items that can't be asked, with the reason.

    shots  the examples that each question has at most; fewer where the release holds fewer
    """

    questions: tuple[Question, ...]
    unaskable: tuple[tuple[Item, str], ...]
    shots: int
    draws: int

    @property
    def prompts(self) -> tuple[str, ...]:
        """The names of the prompts of all questions."""
        return tuple(sorted({question.prompt for question in self.questions}))


def plan_task(
    items: Sequence[Item], wordings: Mapping[str, Wording], settings: AskSettings, *, is_open: bool = False
) -> TaskPlan:
    """The questions of a task, draw by draw. Only acceptability has examples, so it alone is asked in several draws.

    wordings  by the items' languages
    """
    reasons = [(item, reason) for item in items if (reason := unaskable(item))]
    excluded = {item.id for item, _ in reasons}
    asked = [item for item in items if item.split == "test" and item.id not in excluded]
    pool = [item for item in items if item.split == "few_shot" and item.id not in excluded]
    is_shown = any(item.task == "acceptability" for item in asked) and bool(pool) and settings.shots > 0
    draws = range(1, settings.draws + 1) if is_shown else (0,)
    form = Form(settings.seed, is_open)
    questions = []
    for draw in draws:
        for code in sorted({item.language for item in asked}):
            of_language = [item for item in pool if item.language == code] if is_shown else []
            examples = Examples(draw, draw_examples(of_language, settings.shots, draw, settings.seed))
            own = (item for item in asked if item.language == code)
            questions += [make_question(item, wordings[code], examples, form) for item in own]
    shots = min(settings.shots, len(pool)) if is_shown else 0
    return TaskPlan(tuple(questions), tuple(reasons), shots, len(draws))


def draw_examples(pool: Sequence[Item], shots: int, draw: int, seed: int) -> tuple[Item, ...]:
    """At most `shots` items of the pool, with as many of each answer as there are, in an order of the draw's own.

    Another item in the pool changes a draw by that item at the most.

    Source: EuroEval draws other examples for each of its ten iterations, with the labels in turn (Nielsen 2023,
    "ScandEval: A Benchmark for Scandinavian Natural Language Processing", NoDaLiDa).
    """

    def place(item: Item) -> str:
        return digest([seed, draw, item.id])

    by_answer: dict[tuple[int, ...], list[Item]] = defaultdict(list)
    for item in sorted(pool, key=place):
        by_answer[item.answers].append(item)
    in_turn = chain.from_iterable(zip_longest(*(by_answer[answers] for answers in sorted(by_answer))))
    return tuple(sorted([item for item in in_turn if item is not None][:shots], key=place))


class TaskFolder:
    """Where the responses of a model go, task by task, each whole or not at all.

    What an earlier run of the same model and release left there is kept.

    plan     the record of the run, without tasks
    task_of  the task of each item of the release

    `replaces` says that responses to other items, or by another policy, are about to be lost.
    """

    def __init__(self, folder: Path, plan: TaskRun, task_of: Mapping[str, TaskName]) -> None:
        self._folder = folder
        self._task_of = task_of
        self._responses: dict[TaskName, list[Response]] = {}
        earlier = self._earlier()
        self.run = plan
        self.replaces = False
        if earlier is not None and _identity(earlier) == _identity(plan):
            for response in read_jsonl(folder / RESPONSES, Response):
                if task := task_of.get(response.item_id):
                    self._responses.setdefault(task, []).append(response)
            whole = {name: part for name, part in earlier.tasks.items() if len(self._of(name)) == part.n_responses}
            self.run = plan.model_copy(update={"tasks": whole})
        self.replaces = earlier is not None and self.run.tasks.keys() != earlier.tasks.keys()

    def finished(self, task: TaskName, key: str) -> TaskPart | None:
        """The part of a task that was asked before, where all that decides the responses is the same."""
        part = self.run.tasks.get(task)
        return part if part and part.key == key else None

    def keep(self, task: TaskName, part: TaskPart, responses: Sequence[Response]) -> None:
        """Writes the responses of a task beside those of the others: all of them sorted, then the record."""
        self._responses[task] = list(responses)
        tasks = self.run.tasks | {task: part}
        chosen = [response for name in tasks for response in self._of(name)]
        chosen.sort(key=lambda response: (response.item_id, response.draw))
        write_jsonl(self._folder / RESPONSES, chosen)
        sha256 = file_sha256(self._folder / RESPONSES)
        self.run = self.run.model_copy(update={"tasks": dict(sorted(tasks.items())), "responses_sha256": sha256})
        write_text(self._folder / RUN, self.run.model_dump_json(indent=2) + "\n")

    def _of(self, task: TaskName) -> Sequence[Response]:
        return self._responses.get(task, ())

    def _earlier(self) -> TaskRun | None:
        """The record of an earlier run; None where there is none, or one that a kill left between its two files."""
        if not (self._folder / RUN).is_file() or not (self._folder / RESPONSES).is_file():
            return None
        try:
            run = TaskRun.model_validate_json(read_file(self._folder / RUN, error=StoreError))
        except ValidationError:
            return None
        return run if run.responses_sha256 == file_sha256(self._folder / RESPONSES) else None


def _identity(run: TaskRun) -> tuple[object, ...]:
    return run.release_sha256, run.requested, run.policy, run.template


class ChosenOptions(BaseModel):
    """What models answer where a server holds them to a form: the letters of all options that apply."""

    letters: list[str]


_FORMS: dict[str, type[BaseModel]] = {form.__name__: form for form in (ChosenOptions, PlainText)}


def chat_requests(questions: Iterable[Question], release: str) -> Iterator[Request[Any]]:
    """The request of each question. Raises PromptError where a prompt's file asks for another form of answers."""
    for question in questions:
        prompt = question.conversation
        output = _FORMS.get(prompt.output, ChosenOptions)
        yield Request(prompt, output, STAGE, release, subject=f"item {question.item.id}")


def ask_chat(
    completer: Completer, questions: Iterable[Question], release: str, model: str, price: Price | None
) -> Iterator[Response]:
    """The response to each question, in order. Raises LLMError and BudgetError as the completer does."""
    held = list(questions)
    subjects = zip(held, chat_requests(held, release), strict=True)
    for question, answer in ask_about(completer, subjects):
        yield said(question, answer, model, price)


def failed_response(item: Item, model: str, reason: str, question: Question | None = None) -> Response:
    """The response to an item that was not asked, or to whose question no answer came."""
    if question:
        return response_to(question, model, "failed", reason=reason)
    return Response(item_id=item.id, model=model, draw=0, prompt="", outcome="failed", reason=reason)


def response_to(question: Question, model: str, outcome: ResponseOutcome, **fields: Any) -> Response:
    """A model's response to a question; `fields` are those of what it said."""
    asked = {"item_id": question.item.id, "draw": question.draw, "prompt": question.prompt}
    return Response(model=model, outcome=outcome, **asked, **fields)


def said(
    question: Question, answer: Answer[ChosenOptions] | Answer[PlainText], model: str, price: Price | None
) -> Response:
    """The response that a model gave in words.

    A refusal is one by the server's own fields, or an answer without any words; whether words decline to answer is not
    guessed. `cost` is at the list price, as the reply may have been paid for by an earlier run.
    """
    outcome, chosen, reason = _outcome(question, answer)
    usage = answer.usage if answer.keys else None
    return response_to(
        question,
        model,
        outcome,
        shown=question.shown,
        raw=answer.text,
        thinking=answer.thinking,
        chosen=chosen,
        reason=reason,
        input_tokens=usage and usage.input_tokens,
        output_tokens=usage and usage.output_tokens,
        thinking_tokens=usage and usage.thinking,
        cost=cost_of(usage, price) if usage and price else None,
    )


def _outcome(
    question: Question, answer: Answer[ChosenOptions] | Answer[PlainText]
) -> tuple[ResponseOutcome, tuple[int, ...], str]:
    if answer.outcome in ("failed", "refused"):
        return "failed" if answer.outcome == "failed" else "refused", (), answer.reason
    cut = answer.outcome == "truncated"
    if not answer.text.strip():
        empty = "nothing but thinking" if answer.thinking else "the answer is empty"
        return ("cut", (), answer.reason) if cut else ("refused", (), empty)
    if question.item.task == "translation":
        return ("cut", (), answer.reason) if cut else ("answered", (), "")
    if cut and question.several:
        # The rest may have named further options.
        return "cut", (), answer.reason
    try:
        return "answered", _chosen(question, answer), ""
    except UnreadableAnswerError as fault:
        return ("cut", (), answer.reason) if cut else ("unreadable", (), str(fault))


def _chosen(question: Question, answer: Answer[ChosenOptions] | Answer[PlainText]) -> tuple[int, ...]:
    """The indices of the item's options that an answer names. Raises UnreadableAnswerError."""
    item = question.item
    if item.is_labelled:
        label = LABELS[read_label(answer.text, question.wording.labels)]
        return tuple(index for index, option in enumerate(item.options) if option.text == label)
    value, words = answer.value, question.option_words
    places = (
        read_letters(value.letters, words) if isinstance(value, ChosenOptions) else read_options(answer.text, words)
    )
    return tuple(sorted(question.shown[place] for place in places))


def written(question: Question, text: str, is_cut: bool, model: str, tokens: tuple[int, int]) -> Response:
    """The response that a loaded model wrote; `tokens` are how many it read and how many it wrote."""
    thinking, _, words = text.rpartition("</think>")
    words, (read, said) = words.strip(), tokens
    outcome: ResponseOutcome = "cut" if is_cut else "answered" if words else "refused"
    return response_to(
        question,
        model,
        outcome,
        raw=words,
        thinking=thinking.strip().removeprefix("<think>"),
        reason={"cut": f"no end within {said} tokens", "refused": "the answer is empty"}.get(outcome, ""),
        input_tokens=read,
        output_tokens=said,
    )


@dataclass(frozen=True)
class Comparison:
    """The questions that a model is asked for one: itself or one for each option, each with those without content."""

    question: Question
    parts: tuple[tuple[Question, tuple[Question, ...]], ...]

    @property
    def asked(self) -> tuple[Question, ...]:
        return tuple(question for part, free in self.parts for question in (*free, part))


def comparison(question: Question) -> Comparison:
    """What a model is asked for a question."""
    item = question.item
    parts = [question]
    if question.several:
        parts = [_instead(question, _judged(item, option)) for option in item.options]
    return Comparison(question, tuple((part, _without_content(part)) for part in parts))


def compared(comparison: Comparison, scores: OptionScorer, model: str) -> Response:
    """The response by the scores of all that was asked; failed where one of them has none.

    By the calibrated sum an option is chosen that is the most probable one, or where several may be right, each for
    which yes is more probable than no.
    """
    question, rows = comparison.question, []
    for part, free in comparison.parts:
        own = scores(part)
        if isinstance(own, str):
            return failed_response(question.item, model, own, question)
        emptied = [found for asked in free if not isinstance(found := scores(asked), str)]
        if free and not emptied:
            return failed_response(question.item, model, f"without content: {scores(free[0])}", question)
        rows.append([_with_free(score, [row[at] for row in emptied]) for at, score in enumerate(own)])
    options, denials = (tuple(rows[0]), ()) if not question.several else tuple(zip(*rows, strict=True))
    return response_to(
        comparison.parts[0][0],
        model,
        "answered",
        shown=() if question.several else question.shown,
        chosen=choose(options, denials),
        scores=options,
        denials=denials,
    )


def choose(options: Sequence[OptionScore], denials: Sequence[OptionScore]) -> tuple[int, ...]:
    """The indices of the options that are chosen: the highest one, or with denials each that exceeds its denial."""
    values, denied = ([one.sum_logprob - (one.free_logprob or 0.0) for one in scores] for scores in (options, denials))
    if denials:
        return tuple(index for index, (value, other) in enumerate(zip(values, denied, strict=True)) if value > other)
    return (max(range(len(values)), key=values.__getitem__),)


def _with_free(score: OptionScore, free: Sequence[OptionScore]) -> OptionScore:
    """A score with the logarithm of the mean probability without content."""
    if not free:
        return score
    highest = max(one.sum_logprob for one in free)
    mean = math.fsum(math.exp(one.sum_logprob - highest) for one in free) / len(free)
    return score.model_copy(update={"free_logprob": highest + math.log(mean)})


def _judged(item: Item, option: Option) -> Item:
    """An option of an item as an item of its own, to be answered with yes or no."""
    is_sentence = item.task == "rule-sentences"
    about = {"context": (option.text,), "translations": ()} if is_sentence else {"question": option.text}
    return item.model_copy(update={"options": _YES_NO, "answers": (), "unknown": ()} | about)


def _without_content(question: Question) -> tuple[Question, ...]:
    """None for acceptability, which keeps EuroEval's form, and a matrix whose sentences are their own answers."""
    item = question.item
    if item.task == "acceptability" or (item.task == "matrix" and question.form.is_open):
        return ()
    return tuple(
        _instead(
            question,
            item.model_copy(
                update={
                    "context": (text,) * len(item.context),
                    "translations": tuple(text if translation else "" for translation in item.translations),
                    "question": text if item.question else "",
                    "options": item.options if item.is_labelled else (Option(text=text),) * len(item.options),
                }
            ),
        )
        for text in CONTENT_FREE
    )


def _instead(question: Question, item: Item) -> Question:
    """The question that is asked of another item in the same way."""
    return make_question(item, question.wording, Examples(question.draw), question.form)
