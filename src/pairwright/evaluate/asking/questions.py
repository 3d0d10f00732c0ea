"""Items as models see them, in the words of a language file, and what a model's words say of them.

Options stand in an order of the item's own, with letters. Nothing is guessed: words that could mean two answers, or
that name an option in passing, are unreadable with a reason.
"""

import re
import string
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Literal, NamedTuple

from pairwright.core.errors import ConfigError, PairwrightError, one_line
from pairwright.core.ids import digest
from pairwright.core.records.items import LABELS, SEVERAL, Item
from pairwright.languages import load_language
from pairwright.languages.locale import load_words
from pairwright.models.prompts import Message, Prompt, Rendered, load_prompt

OPTIONS, YES_OR_NO, ACCEPTABILITY, TRANSLATION = "ask_options", "ask_yes_or_no", "ask_acceptability", "ask_translation"
SEQUENCE = "ask_sequence"
PROMPTS = (OPTIONS, YES_OR_NO, ACCEPTABILITY, TRANSLATION, SEQUENCE)
# A question in one language about answers in another would be a task of its own.
_TOGETHER = (
    ("acceptability_prefix", "acceptability_example", "acceptability_question", "yes_or_no", "yes", "no"),
    ("all_letters", "none"),
)
_PLACE = re.compile(r"\{(text|label)\}")
LETTERS = string.ascii_uppercase
# Letters of other scripts that look like the first two, and can be no other option.
_LOOKALIKES = str.maketrans({"А": "A", "Α": "A", "Β": "B"})
_LONGEST = 20_000
# Marks around an answer, and between letters.
_MARKS = " \t\n\r*_`\"'“”„‚‘’«»()[]{}$<>"
_BETWEEN = ".:,;/&+\\"
_FILLING = f"[{re.escape(_MARKS)}]*"


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
        for name, prompt in prompts.items():
            room = (prompt.hints.max_output_tokens or 0) + thinking_tokens
            hints = prompt.hints.model_copy(update={"max_output_tokens": room, "temperature": None})
            prompts[name] = prompt.model_copy(update={"hints": hints})
    labels = (filled["yes"], filled["no"]), (english["yes"], english["no"])
    joins = tuple(word.casefold() for word in (filled["join"], english["join"]))
    return Wording(prompts, filled, labels, (filled["none"], english["none"]), joins)


class UnreadableAnswerError(PairwrightError):
    """An answer that says nothing, or that may say two things."""


class OptionWords(NamedTuple):
    """What an answer may name: the options' texts in the order shown, or `none`; whether several may be right.

    joins  words that stand between listed letters, as `and` does, in small letters
    """

    texts: tuple[str, ...]
    none: tuple[str, ...]
    several: bool
    joins: tuple[str, ...] = ()


def read_letters(names: Sequence[str], options: OptionWords) -> tuple[int, ...]:
    """The places of the options that a list names by letter, words or `none`. Raises UnreadableAnswerError."""
    if not names and options.several:
        return ()
    places: set[int] = set()
    for name in names:
        if (named := _named(_plain(name), options)) is None:
            raise UnreadableAnswerError(f"no option is called so: {one_line(name, 80)}")
        places |= named
    return _checked(places, options)


def read_options(text: str, options: OptionWords) -> tuple[int, ...]:
    """The places of the options that an answer in words names. Raises UnreadableAnswerError.

    In turn: the whole answer, its last and its first line, what stands after a colon, in bold or in a box.
    """
    text = _plain(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise UnreadableAnswerError("the answer is empty")
    for part in (text, lines[-1], lines[0]):
        places = _named(part, options)
        if places is not None:
            return _checked(places, options)
    readings = {frozenset(places) for part in _marked(lines) if (places := _named(part, options)) is not None}
    if len(readings) != 1:
        problem = "it names more than one answer" if readings else "no option is named in it"
        raise UnreadableAnswerError(f"{problem}: {one_line(text, 80)}")
    return _checked(readings.pop(), options)


def read_label(text: str, labels: Iterable[Sequence[str]]) -> int:
    """The place of the label that an answer names. Raises UnreadableAnswerError.

    In turn: the whole answer, its last line, what it begins with and sets apart (after a colon, in bold), the only
    label in it.

    labels  in the language of the prompt, then in others; the first ones go before
    """
    text = _plain(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    words = re.findall(r"\w+", text.casefold())
    for one_language in labels:
        plain = [_bare(label) for label in one_language]
        for part in (text, *lines[-1:]):
            if _bare(part) in plain:
                return plain.index(_bare(part))
        named = {plain.index(word) for word in words if word in plain}
        apart = {plain.index(_bare(part)) for part in _marked(lines) if _bare(part) in plain}
        # `yes or no` repeats the question.
        if words and words[0] in plain and not set(words[1:3]) & set(plain) - {words[0]}:
            apart.add(plain.index(words[0]))
        if len(apart or named) == 1:
            return (apart or named).pop()
        if named:
            raise UnreadableAnswerError(f"it names both labels: {one_line(text, 80)}")
    raise UnreadableAnswerError(f"neither label is in it: {one_line(text, 80)}" if words else "the answer is empty")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text[:_LONGEST])


def _bare(text: str) -> str:
    """Words without case, and without marks around them."""
    return _plain(text).casefold().strip(_MARKS + ".!:")


def _named(part: str, options: OptionWords) -> set[int] | None:
    """The options that a text names and says nothing else: letters, `none`, the words of one; None where it names none.

    After a letter with its mark, the option's words or an explanation may follow.
    """
    bare = _bare(part)
    if bare in {_bare(text) for text in options.none}:
        return set()
    if len(whole := [index for index, text in enumerate(options.texts) if _bare(text) == bare]) == 1:
        return set(whole)
    latin = part.translate(_LOOKALIKES)
    letters = LETTERS[: len(options.texts)]
    if listed := _listed(latin.upper(), letters, options.joins):
        return listed
    explained = re.match(rf"{_FILLING}([{letters}])[*_`\s]*(?:[.):]|\s[-–—])[*_`]*\s", latin)
    if explained and not (
        options.several and re.search(rf"(?m)(?<![\w'])[{letters}](?![\w'])", latin[explained.end() :])
    ):
        return {letters.index(explained[1])}
    return None


def _listed(latin: str, letters: str, joins: Sequence[str]) -> set[int]:
    """The places of letters that a text lists, with nothing but marks and joining words between them; else none."""
    names = [name for name in re.findall(r"[^\W_]+", latin) if name.casefold() not in joins]
    is_list = all(len(name) == 1 and name in letters for name in names)
    rest = {sign for sign in latin if not sign.isalnum() and not sign.isspace()}
    return {letters.index(name) for name in names} if is_list and rest <= set(_MARKS + _BETWEEN) else set()


def _marked(lines: Sequence[str]) -> Iterable[str]:
    """What an answer sets apart: after a colon at the end of a line, in bold, in a box."""
    for line in lines:
        yield from (bold or box for bold, box in re.findall(r"\*\*([^*]+)\*\*|\\boxed\{([^{}]+)\}", line))
        if ":" in line:
            yield line.rsplit(":", 1)[1].strip()


def _checked(places: Iterable[int], options: OptionWords) -> tuple[int, ...]:
    chosen = tuple(sorted(places))
    if options.several or len(chosen) == 1:
        return chosen
    raise UnreadableAnswerError(f"it names {len(chosen) or 'none'} of the options, and one is asked for")


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
        words = wording.words
        task = words["to_english"] if item.condition.startswith("from") else words["from_english"]
        task += f" {words['by_rule']}: {item.question}" if item.question else ""
        values = {"task": task, "material": "\n".join([*item.context, *ending])}
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
        shots = () if form.is_open else (make_question(it, wording, Examples(), Form()) for it in examples.items)
        turns = tuple((shot.text, wording.labels[0][_label(shot.item)]) for shot in shots)
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
