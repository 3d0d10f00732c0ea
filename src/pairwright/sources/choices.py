"""Where a program can't tell which of several readings a source means, a language model is asked before people are.

It gets the readings as numbered options, in an order that their content decides, so that the program's own guess has no
better place. What it chooses is a guess as well: it comes first where people decide.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, Field

from pairwright.core.ids import digest
from pairwright.core.text import squeeze, words
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts.files import load_prompt

PROMPT = "choose_option"
# How many questions one request has, and the most options that one question shows.
_AT_ONCE, MOST_OPTIONS = 12, 6


class Question(NamedTuple):
    """What is to be chosen: the passage as printed, the heading over it, and its readings."""

    passage: str
    heading: str
    options: tuple[str, ...]

    def shown(self) -> list[str]:
        """The options in the order in which they are asked about."""
        return sorted(self.options, key=lambda option: digest([self.passage, option]))


class Choice(BaseModel):
    """The answer to one question; option 0 is none of them."""

    question: int
    option: int
    written: str


class Choices(BaseModel):
    """One choice for every question that was asked."""

    choices: list[Choice] = Field(json_schema_extra={"maxItems": _AT_ONCE})


class Asker(NamedTuple):
    """Who asks, in which words: `task` says what a passage is and what its readings differ in."""

    language: str
    task: str
    stage: str
    source_id: str
    workspace: Path | None = None

    def requests(self, questions: Sequence[Question]) -> Iterator[tuple[Sequence[Question], Request[Choices]]]:
        """The questions of each request, and the request. Raises PromptError."""
        prompt = load_prompt(PROMPT, workspace=self.workspace)
        for start in range(0, len(questions), _AT_ONCE):
            group = questions[start : start + _AT_ONCE]
            shown = [_shown(number, question) for number, question in enumerate(group, start=1)]
            values = {"language": self.language, "task": self.task, "questions": "\n\n".join(shown)}
            subject = f"{len(group)} readings from '{squeeze(group[0].passage)[:40]}'"
            yield group, Request(prompt.render(values), Choices, self.stage, self.source_id, subject)

    def chosen(self, questions: Sequence[Question], completer: Completer) -> dict[Question, str]:
        """The reading that the model chose, or wrote itself with words of the passage, for each question that has one.

        A question that an answer leaves out, names twice or answers by a number without an option has none.
        """
        readings: dict[Question, str] = {}
        for group, answer in ask_about(completer, self.requests(questions)):
            said = answer.value.choices if answer.value else []
            once = Counter(choice.question for choice in said)
            for choice in said:
                if once[choice.question] != 1 or not 1 <= choice.question <= len(group):
                    continue
                question = group[choice.question - 1]
                options, written = question.shown(), squeeze(choice.written)
                if 1 <= choice.option <= len(options):
                    readings[question] = options[choice.option - 1]
                elif choice.option == 0 and _is_of(written, question.passage):
                    readings[question] = written
        return readings


def _shown(number: int, question: Question) -> str:
    options = "\n".join(f"  {place}. {option}" for place, option in enumerate(question.shown(), start=1))
    return f"question {number}: {squeeze(question.passage)}\n  heading: {squeeze(question.heading)}\n{options}"


def _is_of(written: str, passage: str) -> bool:
    """Whether all words of a written reading stand in the passage, and it has some."""
    own = {word.casefold() for word in words(passage)}
    return bool(written) and own.issuperset(word.casefold() for word in words(written))
