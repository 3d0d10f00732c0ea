"""Questions put to a chat model, whose answers are read."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import BaseModel

from pairwright.core.config import Price
from pairwright.core.records.items import Response
from pairwright.evaluate.asking.questions import Question
from pairwright.evaluate.asking.responses import ChosenOptions, said
from pairwright.models.chat import Completer, PlainText, Request, ask_about

STAGE = "tasks"
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
