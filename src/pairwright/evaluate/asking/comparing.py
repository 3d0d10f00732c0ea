"""Questions put to a model that compares options: what it is asked for each, and which options it chooses.

Where several options may be right, each is judged by itself, with yes or no, so that neither their order nor their
number decides. A base model likes some words better than others whatever it is asked, so that it says yes to
everything, or A. So each question is also asked without its content, and what the model says to that is taken off
(contextual calibration: Zhao and others 2021, Calibrate Before Use: Improving Few-Shot Performance of Language Models,
ICML 2021, PMLR 139). Acceptability is not, as it keeps EuroEval's form, nor a matrix that a base model goes on with, as
its sentences are their own answers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pairwright.core.records.items import LABELS, Item, Option, OptionScore, Response
from pairwright.evaluate.asking.questions import Examples, Question, make_question
from pairwright.evaluate.asking.responses import failed_response, response_to

# What stands in place of each text: the third is no text, so that its label stands alone.
CONTENT_FREE = ("N/A", "[MASK]", " ")
_YES_NO = tuple(Option(text=label) for label in LABELS)

OptionScorer = Callable[[Question], Sequence[OptionScore] | str]
"""The scores of a question's continuations, or why there are none."""


@dataclass(frozen=True)
class Comparison:
    """The questions that a model is asked for one: itself or one for each option, each with those without content."""

    question: Question
    parts: tuple[tuple[Question, tuple[Question, ...]], ...]

    @property
    def asked(self) -> tuple[Question, ...]:
        return tuple(question for part, free in self.parts for question in (*free, part))


def comparison(question: Question) -> Comparison:
    """What a model is asked for a question."""
    item = question.item
    parts = [question]
    if question.several:
        parts = [_instead(question, _judged(item, option)) for option in item.options]
    return Comparison(question, tuple((part, _without_content(part)) for part in parts))


def compared(comparison: Comparison, scores: OptionScorer, model: str) -> Response:
    """The response by the scores of all that was asked; failed where one of them has none.

    By the calibrated sum an option is chosen that is the most probable one, or where several may be right, each for
    which yes is more probable than no.
    """
    question, rows = comparison.question, []
    for part, free in comparison.parts:
        own = scores(part)
        if isinstance(own, str):
            return failed_response(question.item, model, own, question)
        emptied = [found for asked in free if not isinstance(found := scores(asked), str)]
        if free and not emptied:
            return failed_response(question.item, model, f"without content: {scores(free[0])}", question)
        rows.append([_with_free(score, [row[at] for row in emptied]) for at, score in enumerate(own)])
    options, denials = (tuple(rows[0]), ()) if not question.several else tuple(zip(*rows, strict=True))
    return response_to(
        comparison.parts[0][0],
        model,
        "answered",
        shown=() if question.several else question.shown,
        chosen=choose(options, denials),
        scores=options,
        denials=denials,
    )


def choose(options: Sequence[OptionScore], denials: Sequence[OptionScore]) -> tuple[int, ...]:
    """The indices of the options that are chosen: the highest one, or with denials each that exceeds its denial."""
    values, denied = ([one.sum_logprob - (one.free_logprob or 0.0) for one in scores] for scores in (options, denials))
    if denials:
        return tuple(index for index, (value, other) in enumerate(zip(values, denied, strict=True)) if value > other)
    return (max(range(len(values)), key=values.__getitem__),)


def _with_free(score: OptionScore, free: Sequence[OptionScore]) -> OptionScore:
    """A score with the logarithm of the mean probability without content."""
    if not free:
        return score
    highest = max(one.sum_logprob for one in free)
    mean = math.fsum(math.exp(one.sum_logprob - highest) for one in free) / len(free)
    return score.model_copy(update={"free_logprob": highest + math.log(mean)})


def _judged(item: Item, option: Option) -> Item:
    """An option of an item as an item of its own, to be answered with yes or no."""
    is_sentence = item.task == "rule-sentences"
    about = {"context": (option.text,), "translations": ()} if is_sentence else {"question": option.text}
    return item.model_copy(update={"options": _YES_NO, "answers": (), "unknown": ()} | about)


def _without_content(question: Question) -> tuple[Question, ...]:
    item = question.item
    if item.task == "acceptability" or (item.task == "matrix" and question.form.is_open):
        return ()
    return tuple(
        _instead(
            question,
            item.model_copy(
                update={
                    "context": (text,) * len(item.context),
                    "translations": tuple(text if translation else "" for translation in item.translations),
                    "question": text if item.question else "",
                    "options": item.options if item.is_labelled else (Option(text=text),) * len(item.options),
                }
            ),
        )
        for text in CONTENT_FREE
    )


def _instead(question: Question, item: Item) -> Question:
    """The question that is asked of another item in the same way."""
    return make_question(item, question.wording, Examples(question.draw), question.form)
