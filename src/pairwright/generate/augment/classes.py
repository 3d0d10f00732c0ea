"""Classes for the words of a slot lexicon, by a chat model."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import get_args

from pydantic import BaseModel

from pairwright.generate.augment.proposers import LLM_STAGE
from pairwright.languages import Language
from pairwright.llm import Completer, Request, ask_about
from pairwright.morphology.slot_lexicon import CLASSES, Countability, SlotWord
from pairwright.prompts.files import load_prompt

_WORDS_PER_REQUEST = 40


class ClassifiedWord(BaseModel):
    """The classes of the numbered word; `countability` is count, mass, plural or empty."""

    number: int
    classes: list[str]
    countability: str


class ClassifiedWords(BaseModel):
    """The answer to `classify_words`."""

    words: list[ClassifiedWord]


def class_requests(
    words: Sequence[SlotWord], language: Language, source_id: str, workspace: Path | None
) -> Iterator[tuple[tuple[SlotWord, ...], Request[ClassifiedWords]]]:
    """Words of one part of speech each, with the request for their classes. Raises PromptError."""
    prompt = load_prompt("classify_words", workspace=workspace)
    for upos, group in groupby(sorted(words, key=lambda word: word.key[::-1]), key=lambda word: word.upos):
        listed = [word for word in group if upos in CLASSES]
        for start in range(0, len(listed), _WORDS_PER_REQUEST):
            batch = tuple(listed[start : start + _WORDS_PER_REQUEST])
            rendered = prompt.render(
                {
                    "language": language.name,
                    "part_of_speech": upos,
                    "classes": ", ".join(CLASSES[upos]),
                    "words": "\n".join(f"{number}. {word.lemma}" for number, word in enumerate(batch, start=1)),
                }
            )
            yield batch, Request(rendered, ClassifiedWords, LLM_STAGE, source_id, f"{upos} from {batch[0].lemma}")


def classified(
    words: Sequence[SlotWord], language: Language, source_id: str, completer: Completer, workspace: Path | None
) -> Iterator[SlotWord]:
    """The words that the model puts into classes that there are. Cells that say something already stay as they are.

    Raises PromptError, LLMError, BudgetError.
    """
    for batch, answer in ask_about(completer, class_requests(words, language, source_id, workspace)):
        for item in answer.value.words if answer.value else ():
            if not 1 <= item.number <= len(batch):
                continue
            word = batch[item.number - 1]
            classes = tuple(dict.fromkeys(name for name in item.classes if name in CLASSES[word.upos]))
            countability = item.countability if item.countability in get_args(Countability) else ""
            if classes and not word.classes:
                new = {"classes": classes, "classed_by": answer.call.model}
                yield word.model_copy(update={**new, "countability": word.countability or countability})
