"""The words in which models are asked: prompts as files, filled in with the words of a language file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pairwright.ids import digest
from pairwright.languages import TaskWords, load_language
from pairwright.prompts.files import Prompt, load_prompt
from pairwright.records.items import TaskName

PROMPTS: dict[TaskName, str] = {
    "sentence-rules": "ask_options",
    "rule-sentences": "ask_options",
    "sentences-rules": "ask_options",
    "minimal-pair": "ask_options",
    "acceptability": "ask_acceptability",
    "translation": "ask_translation",
}
# A question in one language about labels of another would be a task of its own.
_TOGETHER = (
    ("acceptability_prefix", "acceptability_example", "acceptability_question", "acceptable", "unacceptable"),
    ("all_letters", "none"),
)


@dataclass(frozen=True)
class Wording:
    """The prompt of a task, and the words that it is filled in with.

    labels  what stands for acceptable and unacceptable here and, second, in English
    """

    prompt: Prompt
    words: TaskWords
    labels: tuple[tuple[str, str], ...]
    none: tuple[str, ...]

    @property
    def name(self) -> str:
        """The prompt's name and version, with the SHA-256 of its file's hash and all words."""
        return f"{self.prompt.label} {digest([self.prompt.sha256, self.words.model_dump()])}"


def load_wording(task: TaskName, code: str, words: Literal["own", "english"], workspace: Path | None = None) -> Wording:
    """The words for a task in a language; English ones for those that its file lacks, or for all.

    Raises ConfigError and PromptError where a file has a fault.
    """
    language = load_language(code, workspace)
    english = load_language("en", workspace).tasks
    own = language.tasks.model_dump() if words == "own" else {}
    for names in _TOGETHER:
        if not all(own.get(name) for name in names):
            own |= dict.fromkeys(names, "")
    chosen = {
        name: own.get(name) or default.replace("{language}", language.name) for name, default in english
    }
    mixed = TaskWords.model_validate(chosen)
    return Wording(
        prompt=load_prompt(PROMPTS[task], workspace=workspace),
        words=mixed,
        labels=((mixed.acceptable, mixed.unacceptable), (english.acceptable, english.unacceptable)),
        none=(mixed.none, english.none),
    )
