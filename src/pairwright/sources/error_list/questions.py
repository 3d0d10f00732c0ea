"""Where nothing tells which words a correction replaces, a language model is asked before people are.

It gets the readings as numbered options, in an order that their content decides, so that the program's own guess has no
better place. What it chooses stays a guess, and comes first where people decide.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, Field

from pairwright.core.errors import counted
from pairwright.core.ids import digest
from pairwright.core.records import Rejection, Rule, Source
from pairwright.core.text import squeeze, words
from pairwright.languages import Language
from pairwright.models.chat import Completer, Request, ask_about
from pairwright.models.prompts.files import load_prompt
from pairwright.sources import STAGE

PROMPT = "choose_reading"
PROMPTS = (PROMPT,)
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


Choose = Callable[[Question], str | None]
"""What somebody chose of a question's readings, or wrote in their place; None where nobody did."""


class Questions:
    """The uncertain brackets of a list as questions. `read` reads it by what is chosen: once to ask, and again after.

    Raises PromptError, and what `read` raises.
    """

    def __init__(
        self,
        read: Callable[[Choose], Iterable[Rule | Rejection]],
        source: Source,
        language: Language,
        workspace: Path | None = None,
    ) -> None:
        self._read, self._source, self._language = read, source, language
        self._prompt = load_prompt(PROMPT, workspace=workspace)
        asked: dict[Question, None] = {}
        for _ in read(lambda question: asked.setdefault(question)):
            pass
        self._groups = [list(asked)[start : start + _AT_ONCE] for start in range(0, len(asked), _AT_ONCE)]

    def requests(self) -> Iterator[Request[Choices]]:
        """What `answered` asks."""
        return map(self._request, self._groups)

    def answered(self, completer: Completer) -> Iterator[Rule | Rejection]:
        """The list by the answers. Raises LLMError and BudgetError as the `completer` does.

        A question that an answer leaves out, names twice or answers by a number without an option stays open.
        """
        chosen: dict[Question, str] = {}
        for group, answer in ask_about(completer, ((group, self._request(group)) for group in self._groups)):
            said = answer.value.choices if answer.value else []
            once = Counter(choice.question for choice in said)
            for choice in said:
                if once[choice.question] != 1 or not 1 <= choice.question <= len(group):
                    continue
                question = group[choice.question - 1]
                options, written = question.shown(), squeeze(choice.written)
                if 1 <= choice.option <= len(options):
                    chosen[question] = options[choice.option - 1]
                elif choice.option == 0 and _is_of(written, question.passage):
                    chosen[question] = written
        yield from self._read(chosen.get)

    def _request(self, group: Sequence[Question]) -> Request[Choices]:
        shown = "\n\n".join(_shown(number, question) for number, question in enumerate(group, start=1))
        rendered = self._prompt.render({"language": self._language.name, "questions": shown})
        subject = f"{counted(len(group), 'reading')} from '{squeeze(group[0].passage)[:40]}'"
        return Request(rendered, Choices, STAGE.name, self._source.id, subject)


def _shown(number: int, question: Question) -> str:
    options = "\n".join(f"  {place}. {option}" for place, option in enumerate(question.shown(), start=1))
    return f"question {number}: {squeeze(question.passage)}\n  heading: {squeeze(question.heading)}\n{options}"


def _is_of(written: str, passage: str) -> bool:
    """Whether all words of a written reading stand in the passage, and it has some."""
    own = {word.casefold() for word in words(passage)}
    return bool(written) and own.issuperset(word.casefold() for word in words(written))
