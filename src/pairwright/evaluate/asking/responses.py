"""Questions put to a chat model, and what a model said as responses."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from pairwright.core.config import Price
from pairwright.core.records.items import LABELS, Item, Response, ResponseOutcome
from pairwright.evaluate.asking.questions import Question
from pairwright.evaluate.asking.reading import UnreadableAnswerError, read_label, read_letters, read_options
from pairwright.models.chat import Answer, Completer, PlainText, Request, ask_about
from pairwright.models.chat.ledger import cost_of

STAGE = "tasks"


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
