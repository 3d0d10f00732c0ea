"""The words in which models are asked: prompts as files, filled in with the words of a language file."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

from pydantic import ValidationError, model_validator

from pairwright.core.config import Settings
from pairwright.core.errors import ConfigError, one_line
from pairwright.core.ids import digest
from pairwright.languages import load_language
from pairwright.languages.locale import load_words
from pairwright.models.prompts.files import Prompt, load_prompt

OPTIONS, YES_OR_NO, ACCEPTABILITY, TRANSLATION = "ask_options", "ask_yes_or_no", "ask_acceptability", "ask_translation"
SEQUENCE = "ask_sequence"
PROMPTS = (OPTIONS, YES_OR_NO, ACCEPTABILITY, TRANSLATION, SEQUENCE)
# A question in one language about answers in another would be a task of its own.
_TOGETHER = (
    ("acceptability_prefix", "acceptability_example", "acceptability_question", "yes_or_no", "yes", "no"),
    ("all_letters", "none"),
)


class TaskWords(Settings):
    """The words in which models are asked, in the language itself. `{language}` in English ones is its English name.

    sentence_rules, rule_sentences, rule_sentence, sentences_rules, sentences_rule, minimal_pair, matrix
                            what each task asks, before its sentences and options; with `rule_sentence` of one
                            sentence and one rule, with `sentences_rule` of several and one
    all_letters             asks for the letters of all options that apply, or `none`; `one_letter` for one letter,
                            `yes_or_no` for `yes` or `no`; `join` may stand between the last two letters
    sentence, translation, rule, options, answer
                            the labels of these parts
    acceptability_prefix    stands before the examples; `acceptability_example` is an example, with {text} and {label}
    acceptability_question  asks of a {text} whether it is grammatical; the labels are `yes` and `no`
    from_english, to_english
                            ask for a translation; `by_rule` says to mind a rule
    """

    sentence_rules: str = ""
    rule_sentences: str = ""
    rule_sentence: str = ""
    sentences_rules: str = ""
    sentences_rule: str = ""
    minimal_pair: str = ""
    matrix: str = ""
    all_letters: str = ""
    one_letter: str = ""
    yes_or_no: str = ""
    yes: str = ""
    no: str = ""
    none: str = ""
    join: str = ""
    sentence: str = ""
    translation: str = ""
    rule: str = ""
    options: str = ""
    answer: str = ""
    acceptability_prefix: str = ""
    acceptability_example: str = ""
    acceptability_question: str = ""
    from_english: str = ""
    to_english: str = ""
    by_rule: str = ""

    @model_validator(mode="after")
    def _has_its_places(self) -> Self:
        if (example := self.acceptability_example) and not ("{text}" in example and example.endswith("{label}")):
            raise ValueError("acceptability_example: it has {text} in it and ends with {label}")
        if self.acceptability_question and "{text}" not in self.acceptability_question:
            raise ValueError("acceptability_question: it has {text} in it")
        if (self.yes or self.no) and self.yes.casefold() == self.no.casefold():
            raise ValueError("yes and no: two labels that differ")
        return self


@dataclass(frozen=True)
class Wording:
    """The prompts of the tasks, and the words that they are filled in with.

    labels  the words for yes and no here and, second, in English; likewise `none`, and `joins`, which stand in lists
    """

    prompts: dict[str, Prompt]
    words: TaskWords
    labels: tuple[tuple[str, str], ...]
    none: tuple[str, ...]
    joins: tuple[str, ...]

    @cached_property
    def names(self) -> dict[str, str]:
        """Each prompt's name and version, with a digest of its file and of the words."""
        words = self.words.model_dump()
        return {name: f"{prompt.label} {digest([prompt.sha256, words])}" for name, prompt in self.prompts.items()}


def load_wording(
    code: str, words: Literal["own", "english"] = "own", *, workspace: Path | None = None, thinking_tokens: int = 0
) -> Wording:
    """The words for the tasks in a language; English ones for those that its file lacks, or for all.

    thinking_tokens  more that an answer may have than its prompt's file allows; a model that thinks is then sampled at
                     the temperature that its server holds best, as such models refuse others

    Raises ConfigError and PromptError where a file has a fault.
    """
    language = load_language(code, workspace)
    english = load_words("tasks", "en", workspace).group("")
    texts = language.words("tasks")
    own = {name: text for name, text in texts.group("").items() if words == "own" and name in texts.places}
    for names in _TOGETHER:
        if not all(own.get(name) for name in names):
            own |= dict.fromkeys(names, "")
    filled = {
        name: (own.get(name) or default).replace("{language}", language.name) for name, default in english.items()
    }
    try:
        mixed = TaskWords.model_validate(filled)
    except ValidationError as fault:
        reason = one_line(fault.errors()[0]["msg"].removeprefix("Value error, "), 200)
        raise ConfigError(f"locale/{language.code}/tasks.ftl: {reason}") from None
    prompts = {name: load_prompt(name, workspace=workspace) for name in PROMPTS}
    if thinking_tokens:
        prompts = {name: _with_room(prompt, thinking_tokens) for name, prompt in prompts.items()}
    labels = (mixed.yes, mixed.no), (english["yes"], english["no"])
    joins = tuple(word.casefold() for word in (mixed.join, english["join"]))
    return Wording(prompts, mixed, labels, (mixed.none, english["none"]), joins)


def _with_room(prompt: Prompt, tokens: int) -> Prompt:
    hints = {"max_output_tokens": (prompt.hints.max_output_tokens or 0) + tokens, "temperature": None}
    return prompt.model_copy(update={"hints": prompt.hints.model_copy(update=hints)})
