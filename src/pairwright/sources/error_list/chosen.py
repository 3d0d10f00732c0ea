"""An error list read twice: the second time with what a language model said of the brackets that were uncertain."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pairwright.core.records import Rejection, Rule, Source
from pairwright.core.text import squeeze
from pairwright.languages import Language
from pairwright.models.chat import Completer, Request
from pairwright.sources import STAGE
from pairwright.sources.choices import MOST_OPTIONS, Asker, Choices, Question
from pairwright.sources.error_list.corrections import Rank

_TASK = (
    "Each passage is a sentence of a list of errors with a correction in brackets: the words in brackets replace wrong "
    "words of the sentence, which mostly stand before them. The readings are the corrected sentence, and differ in "
    "which words are replaced."
)
# More than any other thing that speaks for a reading.
_CHOSEN = 1000.0


class ChosenReadings:
    """The uncertain brackets of a list as questions, and its rules by the answers.

    read  reads the list with what ranks the readings of a bracket
    rank  what ranks them without a language model, if anything does
    """

    def __init__(
        self,
        read: Callable[[Rank], Iterator[Rule | Rejection]],
        source: Source,
        language: Language,
        workspace: Path | None = None,
        rank: Rank | None = None,
    ) -> None:
        self._read, self._rank = read, rank
        self._asker = Asker(language.name, _TASK, STAGE.name, source.id, workspace)
        self._questions: dict[tuple[str, tuple[str, ...]], Question] = {}
        self._chosen: dict[Question, str] = {}
        rules = [item for item in read(self._collect) if isinstance(item, Rule)]
        headings = {squeeze(example.evidence.quote): rule.title for rule in rules for example in rule.examples}
        for key, question in self._questions.items():
            self._questions[key] = question._replace(heading=headings.get(squeeze(question.passage), ""))

    def requests(self) -> Iterator[Request[Choices]]:
        """What `rules` asks."""
        return (request for _, request in self._asker.requests(list(self._questions.values())))

    def rules(self, completer: Completer) -> Iterator[Rule | Rejection]:
        """The rules and rejections of the list; what the model chose stays uncertain, and comes first.

        A reading that it wrote itself is the first alternative. Raises LLMError and BudgetError.
        """
        self._chosen = self._asker.chosen(list(self._questions.values()), completer)
        written = {
            squeeze(question.passage): reading
            for question, reading in self._chosen.items()
            if reading not in question.options
        }
        for item in self._read(self._by_choice):
            if isinstance(item, Rule):
                examples = list(item.examples)
                for place, example in enumerate(examples):
                    own = written.get(squeeze(example.evidence.quote))
                    if own and example.default and example.uncertain and own not in (example.good, example.bad):
                        others = tuple(other for other in example.alternatives if other != own)
                        examples[place] = example.model_copy(update={"alternatives": (own, *others)})
                item = item.model_copy(update={"examples": tuple(examples)})
            yield item

    def _collect(self, printed: str, options: Sequence[str]) -> Sequence[float]:
        shown = tuple(dict.fromkeys(options))[:MOST_OPTIONS]
        self._questions.setdefault((printed, tuple(options)), Question(printed, "", shown))
        return self._before(printed, options)

    def _by_choice(self, printed: str, options: Sequence[str]) -> Sequence[float]:
        question = self._questions.get((printed, tuple(options)))
        chosen = self._chosen.get(question) if question else None
        before = self._before(printed, options)
        return [value + _CHOSEN * (option == chosen) for option, value in zip(options, before, strict=True)]

    def _before(self, printed: str, options: Sequence[str]) -> Sequence[float]:
        return self._rank(printed, options) if self._rank else [0.0] * len(options)
