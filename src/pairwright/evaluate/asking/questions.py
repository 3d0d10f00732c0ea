"""Items as models see them: options in an order of the item's own, with letters, in the words of a language."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from pairwright.core.ids import digest
from pairwright.core.records.items import LABELS, SEVERAL, Item
from pairwright.evaluate.asking.reading import LETTERS, OptionWords
from pairwright.evaluate.asking.wording import ACCEPTABILITY, OPTIONS, SEQUENCE, TRANSLATION, YES_OR_NO, Wording
from pairwright.models.prompts.files import Message, Rendered

_PLACE = re.compile(r"\{(text|label)\}")


@dataclass(frozen=True)
class Question:
    """An item with its prompt.

    shown          the indices of the item's options in the order in which the prompt has them; none for labels
    continuations  what may follow the prompt: an answer for each option, in the item's order
    turns          the examples before the prompt, each a user's message and its answer
    """

    item: Item
    draw: int
    shown: tuple[int, ...]
    rendered: Rendered
    wording: Wording
    form: "Form"
    continuations: tuple[str, ...] = ()
    turns: tuple[tuple[str, str], ...] = ()

    @property
    def prompt(self) -> str:
        """The name of the prompt, with the hash of its file and words."""
        return self.wording.names[self.rendered.name]

    @property
    def text(self) -> str:
        """The prompt as one text, without the turns before it."""
        return "\n\n".join(message.content for message in self.rendered.messages)

    @property
    def conversation(self) -> Rendered:
        """The prompt with its turns as messages, after what the system is told."""
        system = tuple(takewhile(lambda message: message.role == "system", self.rendered.messages))
        shown = [
            Message.model_validate({"role": role, "content": content})
            for turn in self.turns
            for role, content in zip(("user", "assistant"), turn, strict=True)
        ]
        messages = (*system, *shown, *self.rendered.messages[len(system) :])
        return self.rendered.model_copy(update={"messages": messages})

    @property
    def several(self) -> bool:
        """Whether any number of options may be right."""
        return self.item.takes_several

    @property
    def option_words(self) -> OptionWords:
        """What an answer may name, in the order shown."""
        texts = tuple(self.item.options[index].text for index in self.shown)
        return OptionWords(texts, self.wording.none, self.several, self.wording.joins)


class Form(NamedTuple):
    """How questions are put.

    seed     of the orders of the options
    is_open  the prompt ends where the answer begins, for a base model that goes on with it; else it asks for an answer
    """

    seed: int = 0
    is_open: bool = False


class Examples(NamedTuple):
    """The examples of a draw, which stand before every item that is asked with them."""

    draw: int = 0
    items: tuple[Item, ...] = ()


def unaskable(item: Item) -> str | None:
    """Why an item can't be put to any model; None where it can."""
    if item.task == "translation":
        return None if "".join(item.context).strip() else "there is nothing to translate"
    if len(item.options) < (1 if item.task in SEVERAL else 2):
        return f"{len(item.options)} options, of which none can be told from the others"
    if item.task == "acceptability" and not item.is_labelled:
        return "its options are not yes and no"
    if len(item.options) > len(LETTERS):
        return f"{len(item.options)} options, and only {len(LETTERS)} letters"
    return None


def make_question(item: Item, wording: Wording, examples: Examples, form: Form) -> Question:
    """The question that an item is."""
    if item.task == "matrix" and form.is_open:
        # A base model goes on with the sentences themselves.
        rendered = wording.prompts[SEQUENCE].render({"sentences": "\n".join(item.context)})
        goes_on = tuple(f"\n{option.text}" for option in item.options)
        return Question(item, examples.draw, tuple(range(len(goes_on))), rendered, wording, form, goes_on)
    if item.task == "translation":
        ending = [f"\n{wording.words['translation']}:"] if form.is_open else []
        values = {"task": _translation_task(item, wording), "material": "\n".join([*item.context, *ending])}
        return Question(item, examples.draw, (), wording.prompts[TRANSLATION].render(values), wording, form)
    if item.is_labelled:
        shown: tuple[int, ...] = ()
        answers = [wording.labels[0][LABELS.index(option.text)] for option in item.options]
    else:
        shown = tuple(sorted(range(len(item.options)), key=lambda index: digest([form.seed, item.id, index])))
        answers = [LETTERS[shown.index(index)] for index in range(len(shown))]
    space = " " if form.is_open else ""
    continuations = tuple(space + answer for answer in answers)
    if item.task == "acceptability":
        rendered = wording.prompts[ACCEPTABILITY].render({"question": _acceptability(item, wording, examples, form)})
        turns = () if form.is_open else _turns(examples, wording)
        return Question(item, examples.draw, shown, rendered, wording, form, continuations, turns)
    name, values = YES_OR_NO if item.is_labelled else OPTIONS, _about_options(item, wording, shown, form)
    rendered = _without_gaps(wording.prompts[name].render(values))
    return Question(item, examples.draw, shown, rendered, wording, form, continuations)


def _about_options(item: Item, wording: Wording, shown: Sequence[int], form: Form) -> dict[str, str]:
    """The values of the prompt's variables for an item whose options have letters, or are yes and no."""
    words = wording.words
    task, asked = item.task.replace("-", "_"), words["one_letter"]
    if item.is_labelled:
        task, asked = "sentences_rule" if len(item.context) > 1 else "rule_sentence", words["yes_or_no"]
    elif item.task in SEVERAL:
        asked = words["all_letters"]
    values = {
        "task": words[task],
        "material": _material(item, wording),
        "form": f"{asked}\n\n{words['answer']}:" if form.is_open else asked,
    }
    if shown:
        options = [f"{LETTERS[place]}. {item.options[index].text}".rstrip() for place, index in enumerate(shown)]
        values["options"] = "\n".join([f"{words['options']}:", *options])
    return values


def _acceptability(item: Item, wording: Wording, examples: Examples, form: Form) -> str:
    words, (text,) = wording.words, item.context
    if not form.is_open:
        return _PLACE.sub(lambda place: text, words["acceptability_question"])
    shots = [_labelled(it.context[0], wording.labels[0][_label(it)], wording) for it in examples.items]
    return "\n\n".join([words["acceptability_prefix"], *shots, _labelled(text, "", wording).rstrip()])


def _turns(examples: Examples, wording: Wording) -> tuple[tuple[str, str], ...]:
    """Examples as a chat model is asked, with their answers."""
    asked = (make_question(item, wording, Examples(), Form()) for item in examples.items)
    return tuple((question.text, wording.labels[0][_label(question.item)]) for question in asked)


def _material(item: Item, wording: Wording) -> str:
    """What a question is about, each part with its label."""
    words = wording.words
    lines = [f"{words['rule']}: {item.question}"] if item.question else []
    translations = item.translations or ("",) * len(item.context)
    for number, (text, translation) in enumerate(zip(item.context, translations, strict=True), 1):
        count = f" {number}" if len(item.context) > 1 else ""
        lines.append(f"{words['sentence']}{count}: {text}")
        lines += [f"{words['translation']}{count}: {translation}"] if translation else []
    return "\n".join(line.rstrip() for line in lines)


def _translation_task(item: Item, wording: Wording) -> str:
    words = wording.words
    task = words["to_english"] if item.condition.startswith("from") else words["from_english"]
    return f"{task} {words['by_rule']}: {item.question}" if item.question else task


def _label(item: Item) -> int:
    """The place in `LABELS` of a labelled item's answer."""
    return LABELS.index(item.options[item.answers[0]].text)


def _labelled(text: str, label: str, wording: Wording) -> str:
    values = {"text": text, "label": label}
    return _PLACE.sub(lambda place: values[place[1]], wording.words["acceptability_example"])


def _without_gaps(rendered: Rendered) -> Rendered:
    """A prompt without the empty lines of parts that an item lacks."""
    messages = [
        message.model_copy(update={"content": re.sub(r"\n{3,}", "\n\n", message.content)})
        for message in rendered.messages
    ]
    return rendered.model_copy(update={"messages": tuple(messages)})
