"""The requests for pairs: prompts filled in for a target, and the models that the answers must fit.

The prompts' files name the models. Their docstrings are part of the JSON schemas that servers get, so to change one is
to ask another question. A `reading` comes before the sentences, so that a model looks for one before it commits itself.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from pairwright.models.chat import Request
from pairwright.models.prompts.files import Value, load_prompt
from pairwright.models.prompts.rule_description import describe_rule, show_example
from pairwright.sources.asked.attested import Attested, Corpus
from pairwright.sources.asked.targets import PairTarget, PairTask


class GeneratedPair(BaseModel):
    """A pair; `reading` is the most natural reading in which the bad sentence would be right, null without any."""

    reading: str | None
    good: str
    bad: str
    translation: str


class GeneratedPairs(BaseModel):
    """The answer to `generate_pairs`."""

    pairs: list[GeneratedPair]


class GroundedPair(BaseModel):
    """A pair made from the attested sentence whose number is `base`; `reading` as the prompt explains it."""

    reading: str | None
    base: int
    good: str
    bad: str
    translation: str


class GroundedPairs(BaseModel):
    """The answer to `ground_pairs`."""

    pairs: list[GroundedPair]


class Instance(BaseModel):
    """A correct sentence in which a rule decides a form."""

    sentence: str
    translation: str


class Instances(BaseModel):
    """The answer to `instantiate_rule`."""

    sentences: list[Instance]


class Violation(BaseModel):
    """The numbered sentence with the rule broken, empty where it can't be; `reading` as the prompt explains it."""

    sentence: int
    reading: str | None
    bad: str


class Violations(BaseModel):
    """The answer to `violate_rule`."""

    violations: list[Violation]


LLM_STAGE = "generate"
"""The stage's name in `[llm.models]` and in the ledger."""

PROMPTS: dict[str, type[BaseModel]] = {
    "generate_pairs": GeneratedPairs,
    "ground_pairs": GroundedPairs,
    "instantiate_rule": Instances,
    "violate_rule": Violations,
}
_OF_DIRECTION = {"pairs": "generate_pairs", "violations": "instantiate_rule", "grounded": "ground_pairs"}
_NONE = "(none)"
# How many words show a request both forms of its contrast.
_EXCHANGES = 8


class Job(NamedTuple):
    """A request that begins a batch of a target, with the attested sentences that it shows, by their numbers."""

    target: PairTarget
    shown: tuple[Attested, ...]
    request: Request[Any]


class PairRequests:
    """Makes the requests of the stage. Raises PromptError."""

    def __init__(self, task: PairTask) -> None:
        self._task = task
        self._prompts = {name: load_prompt(name, workspace=task.workspace) for name in PROMPTS}

    def first(self, target: PairTarget) -> Job:
        """The request that begins the target's next batch, which counts as made."""
        shown = tuple(target.attested()) if target.direction == "grounded" else ()
        values = self._of_grounded(target, shown) if target.direction == "grounded" else _of_free(target)
        job = Job(target, shown, self._request(_OF_DIRECTION[target.direction], target, values))
        target.batches += 1
        return job

    def violation(self, target: PairTarget, sentences: Sequence[str]) -> Request[Violations]:
        """The request to break the rule in each of some correct sentences, which are numbered from 1."""
        return self._request("violate_rule", target, {"examples": _examples(target), "sentences": _numbered(sentences)})

    def foreseen(self, target: PairTarget) -> Iterator[Request[Any]]:
        """What a target takes where every answer is good, with the rule's own sentences in place of the model's."""
        goods = [example.good for example in target.rule.examples] or [target.rule.title]
        for _ in range(math.ceil(target.missing / target.quota) if target.is_open else 0):
            request = self.first(target).request
            yield request
            if request.output is Instances:
                yield self.violation(target, [goods[index % len(goods)] for index in range(target.quota)])

    def _of_grounded(self, target: PairTarget, shown: Sequence[Attested]) -> dict[str, Value]:
        corpus, listed, rule, demand = self._task.corpus, set[str](), target.rule, target.demand
        given = [show_example(example.good, example.bad) for example in rule.examples if example.bad]
        made = [show_example(pair.good, pair.bad) for pair in target.pairs]
        sentences = [_shown(one, corpus, corpus.other_forms(one, rule, demand, listed)) for one in shown]
        return {
            "count": target.quota,
            "described": self._task.title or _NONE,
            "given": _joined([*given[: self._task.settings.examples], *made]),
            "sentences": _numbered(sentences),
            "exchanges": "\n".join(corpus.exchanges(demand, _EXCHANGES)) or _NONE,
            "paradigms": _joined(corpus.paradigms(rule)),
        }

    def _request(self, name: str, target: PairTarget, values: dict[str, Value]) -> Request[Any]:
        language, rule = self._task.language, target.rule
        common: dict[str, Value] = {
            "language": language.name,
            "cautions": [f"- {caution}" for caution in language.cautions] or [_NONE],
            "rule": describe_rule(rule, target.exception),
        }
        prompt = self._prompts[name].render(common | values)
        # The number tells requests apart that say the same because the one before gave nothing.
        return Request(prompt, PROMPTS[name], LLM_STAGE, rule.source_id, f"rule {rule.code}", sample=target.batches)


def _of_free(target: PairTarget) -> dict[str, Value]:
    return {
        "count": target.quota,
        "words": "{} to {}".format(*target.task.lengths),
        "avoid": ", ".join(target.avoid()) or _NONE,
        "examples": _examples(target),
        "headwords": "\n".join(example.entry for example in target.shown() if example.entry) or "(any)",
    }


def _examples(target: PairTarget) -> str:
    shown = [show_example(example.good, example.bad, example.translation) for example in target.shown()]
    models = [show_example(pair.good, pair.bad, pair.translation) for pair in target.model_pairs]
    return _joined([*shown, *(f"a pair of another rule\n{pair}" for pair in models)])


def _shown(one: Attested, corpus: Corpus, forms: Sequence[str]) -> str:
    """An attested sentence with what the source says of it, each line named."""
    named = {
        "of": (one.variety or one.title) if corpus.is_other(one) else None,
        "segmentation": one.segmentation,
        "gloss": one.gloss,
        "translation": one.translation,
        "other forms": "; ".join(forms),
    }
    return "\n".join([one.sentence, *(f"{name}: {line}" for name, line in named.items() if line)])


def _numbered(sentences: Sequence[str]) -> str:
    return _joined([f"{number}. {sentence}" for number, sentence in enumerate(sentences, start=1)])


def _joined(texts: Sequence[str]) -> str:
    """Texts as one document: tags around each of them would be most of it."""
    return "\n\n".join(texts) or _NONE
