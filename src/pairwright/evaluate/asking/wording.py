"""The words in which models are asked: prompts as files, filled in with the words of a language file."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from pairwright.core.errors import ConfigError
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


@dataclass(frozen=True)
class Wording:
    """The prompts of the tasks, and the words that they are filled in with, by their names in locale/en/tasks.ftl.

    labels  the words for yes and no here and, second, in English; likewise `none`, and `joins`, which stand in lists
    """

    prompts: dict[str, Prompt]
    words: Mapping[str, str]
    labels: tuple[tuple[str, str], ...]
    none: tuple[str, ...]
    joins: tuple[str, ...]

    @cached_property
    def names(self) -> dict[str, str]:
        """Each prompt's name and version, with a digest of its file and of the words."""
        return {name: f"{prompt.label} {digest([prompt.sha256, self.words])}" for name, prompt in self.prompts.items()}


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
    example = filled["acceptability_example"]
    for sound, fault in (
        (
            "{text}" in example and example.endswith("{label}"),
            "acceptability_example: it has {text} and ends with {label}",
        ),
        ("{text}" in filled["acceptability_question"], "acceptability_question: it has {text} in it"),
        (filled["yes"].casefold() != filled["no"].casefold(), "yes and no: two labels that differ"),
    ):
        if not sound:
            raise ConfigError(f"locale/{language.code}/tasks.ftl: {fault}")
    prompts = {name: load_prompt(name, workspace=workspace) for name in PROMPTS}
    if thinking_tokens:
        prompts = {name: _with_room(prompt, thinking_tokens) for name, prompt in prompts.items()}
    labels = (filled["yes"], filled["no"]), (english["yes"], english["no"])
    joins = tuple(word.casefold() for word in (filled["join"], english["join"]))
    return Wording(prompts, filled, labels, (filled["none"], english["none"]), joins)


def _with_room(prompt: Prompt, tokens: int) -> Prompt:
    hints = {"max_output_tokens": (prompt.hints.max_output_tokens or 0) + tokens, "temperature": None}
    return prompt.model_copy(update={"hints": prompt.hints.model_copy(update=hints)})
