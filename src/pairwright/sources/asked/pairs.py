"""New minimal pairs from a language model: requested rule by rule in batches, accepted only if they are new and varied.

There are three ways: from sentences that the source attests (`ground_pairs`), for languages that models hardly know;
both sentences at once (`generate_pairs`); correct sentences (`instantiate_rule`) and then their smallest violations
(`violate_rule`). A pair that is not accepted is a Rejection with the reason; one that is more than wanted is kept as
the reserve, and takes the place of one that checks, the judge or reviewers refuse.

The docstrings of the models that answers must fit are part of the JSON schemas that servers get, so to change one is to
ask another question.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from pairwright.core.errors import one_line
from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, Evidence, LLMCall, Rejection, Rule
from pairwright.core.records.base import LLM_PAIRS
from pairwright.core.text import sentence_key, squeeze
from pairwright.languages.linguistics.edits import changes
from pairwright.models.chat import Answer, Completer, Request, ask_about
from pairwright.models.prompts.files import Value
from pairwright.models.prompts.rule_description import (
    demanded_features,
    describe_rule,
    examples_shown,
    show_example,
)
from pairwright.sources import said
from pairwright.sources.asked.attested import Attested
from pairwright.sources.asked.targets import AGREEING, PairTarget, PairTask, Shape, pair_targets

_LONGEST_QUOTE = 400
# How many words show a request both forms of its contrast.
_EXCHANGES = 8
_NONE = "(none)"


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
    """A pair made from the attested sentence whose number is `base`; `doubt` is what speaks against it, else null."""

    base: int
    good: str
    bad: str
    doubt: str | None
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


PROMPTS: dict[str, type[BaseModel]] = {
    "generate_pairs": GeneratedPairs,
    "ground_pairs": GroundedPairs,
    "instantiate_rule": Instances,
    "violate_rule": Violations,
}
_OF_DIRECTION = {"pairs": "generate_pairs", "violations": "instantiate_rule", "grounded": "ground_pairs"}


class _Job(NamedTuple):
    """A request for a target, and the sentences that it shows by their numbers, of which pairs are made.

    asked  the call whose answer these sentences are, where a model wrote them
    """

    target: PairTarget
    request: Request[Any]
    shown: tuple[Attested, ...] = ()
    asked: tuple[LLMCall, ...] = ()


def llm_candidates(task: PairTask, completer: Completer) -> Iterator[Candidate | Rejection]:
    """The pairs of each rule, the reserve marked, and a Rejection for everything in the answers that is no pair.

    In each round every rule that still lacks pairs is asked for a batch. The pairs do not depend on how many requests
    are sent at a time. Raises PromptError, and LLMError and BudgetError as the `completer` does.
    """
    targets = list(pair_targets(task))
    for target in targets:
        if target.ground_fault:
            yield _rejection(target, target.ground_fault, target.rule.title)
    while open_targets := [target for target in targets if target.is_open]:
        violations: list[_Job] = []
        for job, answer in ask_about(completer, ((job, job.request) for job in map(_first_job, open_targets))):
            if isinstance(answer.value, Instances):
                yield from _instances(job.target, answer, violations)
            else:
                yield from _pairs(job, answer)
        for job, answer in ask_about(completer, ((job, job.request) for job in violations)):
            yield from _violated(job, answer)
    accepted: list[Shape] = []
    for target in targets:
        for pair, fault in target.results(accepted):
            yield _rejection(target, fault, f"{pair.good} / {pair.bad}") if fault else pair


def pair_requests(task: PairTask) -> Iterator[Request[Any]]:
    """The requests that the pairs take where every answer is good, for an estimate; replacements come on top.

    In place of the model's own sentences, those of the rule are to be violated.
    """
    for target in pair_targets(task):
        goods = [example.good for example in target.rule.examples] or [target.rule.title]
        for _ in range(math.ceil(target.missing / target.quota)):
            if not target.is_open:
                break
            request = _first_job(target).request
            yield request
            if request.output is Instances:
                yield _violation(target, [goods[index % len(goods)] for index in range(target.quota)])


def _first_job(target: PairTarget) -> _Job:
    """The request that begins the target's next batch, which counts as made."""
    rule, corpus, settings, values = target.rule, target.task.corpus, target.task.settings, dict[str, Value]()
    shown, sample, reasons = list[Attested](), target.batches, target.task.standing.reasons
    way = target.direction or "grounded"
    if way == "grounded":
        sample, shown, made = target.attested()
        examples = (example for example in examples_shown(rule, settings.examples) if example.bad)
        given = [show_example(example.good, example.bad) for example in examples]
        given += [
            "\n".join(
                [show_example(pair.good, pair.bad), *([f"refused: {reasons[pair.id]}"] if pair.id in reasons else ())]
            )
            for pair in made
        ]
        starred = [f"bad: {sentence}" for block_id in rule.example_ids for sentence in corpus.starred.get(block_id, ())]
        is_agreement = any(name in AGREEING for name, _ in target.demand.good)
        pronouns = corpus.pronouns(_EXCHANGES) if is_agreement else []
        sentences, listed = list[str](), set[str]()
        for one in shown:
            # What the source says of an attested sentence, each line named.
            named = {
                "of": (one.variety or one.title) if corpus.is_other(one) else None,
                "segmentation": one.segmentation,
                "gloss": one.gloss,
                "translation": one.translation,
                "other forms": "; ".join(corpus.other_forms(one, rule, target.demand, listed)),
            }
            sentences.append("\n".join([one.sentence, *(f"{name}: {line}" for name, line in named.items() if line)]))
        values = {
            "count": str(len(shown)),
            "described": target.task.title or _NONE,
            "given": _joined([*given, *starred]),
            "sentences": _numbered(sentences),
            "exchanges": "\n".join([*corpus.exchanges(target.demand, _EXCHANGES), *pronouns]) or _NONE,
            "paradigms": _joined(corpus.paradigms(rule)),
        }
    else:
        values = {
            "count": str(target.quota),
            "words": "{} to {}".format(*target.task.lengths),
            "avoid": ", ".join(target.avoid()) or _NONE,
            "examples": _examples(target),
            "headwords": "\n".join(example.entry for example in target.shown() if example.entry) or "(any)",
        }
    request = _request(_OF_DIRECTION[way], target, values, sample)
    target.batches += 1
    return _Job(target, request, tuple(shown))


def _violation(target: PairTarget, sentences: Sequence[str]) -> Request[Violations]:
    """The request to break the rule in each of some correct sentences, which are numbered from 1."""
    values: dict[str, Value] = {"examples": _examples(target), "sentences": _numbered(sentences)}
    return _request("violate_rule", target, values, target.batches)


def _request(name: str, target: PairTarget, values: dict[str, Value], sample: int) -> Request[Any]:
    language, rule = target.task.language, target.rule
    common: dict[str, Value] = {
        "language": language.name,
        "cautions": [f"- {caution}" for caution in language.cautions] or [_NONE],
        "rule": describe_rule(rule, target.exception),
    }
    prompt = target.task.prompt(name).render(common | values)
    # The number tells requests apart that say the same because the one before gave nothing.
    return Request(prompt, PROMPTS[name], "generate", rule.source_id, f"rule {rule.code}", sample=sample)


def _examples(target: PairTarget) -> str:
    shown = [show_example(example.good, example.bad, example.translation) for example in target.shown()]
    models = [show_example(pair.good, pair.bad, pair.translation) for pair in target.model_pairs]
    return _joined([*shown, *(f"a pair of another rule\n{pair}" for pair in models)])


def _numbered(sentences: Sequence[str]) -> str:
    return _joined([f"{number}. {sentence}" for number, sentence in enumerate(sentences, start=1)])


def _joined(texts: Sequence[str]) -> str:
    """Texts as one document: tags around each of them would be most of it."""
    return "\n\n".join(texts) or _NONE


def _pairs(job: _Job, answer: Answer[Any]) -> Iterator[Rejection]:
    """What is no pair in an answer; its pairs are with the target."""
    target, value = job.target, answer.value
    if value is None:
        yield _unanswered(target, answer)
        return
    grounded = isinstance(value, GroundedPairs)
    if not value.pairs:
        target.is_exhausted |= grounded
        yield _rejection(target, "no pair in the answer", answer.text)
    for pair in value.pairs:
        good, bad = squeeze(pair.good), squeeze(pair.bad)
        base = dict(enumerate(job.shown, start=1)).get(pair.base) if grounded else None
        fault = _doubt(pair.doubt if grounded else pair.reading)
        if not fault:
            fault = target.fault_of_grounded(base, good, bad) if grounded else target.fault_of_free(good, bad)
        if fault:
            yield _rejection(target, fault, f"{good} / {bad}")
        else:
            target.offer(_candidate(target, good, bad, pair.translation, (answer.call,), base), base)


def _instances(target: PairTarget, answer: Answer[Instances], violations: list[_Job]) -> Iterator[Rejection]:
    """Adds the request to violate the sentences of an answer for which that is worth asking; the rejected rest."""
    taken: list[Attested] = []
    sentences = answer.value.sentences if answer.value else []
    if not sentences:
        yield _rejection(target, "no sentence in the answer", answer.text)
    for sentence in sentences:
        good = squeeze(sentence.sentence)
        fault = target.fault_of(good)
        if fault is None and len(taken) == target.quota:
            fault = f"more than the sentences asked for: {target.quota}"
        if fault:
            yield _rejection(target, fault, good)
        else:
            taken.append(Attested("", good, translation=sentence.translation))
    if taken:
        request = _violation(target, [one.sentence for one in taken])
        violations.append(_Job(target, request, tuple(taken), (answer.call,)))


def _violated(job: _Job, answer: Answer[Violations]) -> Iterator[Rejection]:
    """The Rejections of an answer with violations: those that make a pair are with the target."""
    target = job.target
    if answer.value is None:
        yield _unanswered(target, answer)
        return
    # The first violation of each sentence.
    by_number = {violation.sentence: violation for violation in reversed(answer.value.violations)}
    for number, one in enumerate(job.shown, start=1):
        violation, good = by_number.get(number), one.sentence
        bad = squeeze(violation.bad) if violation else ""
        if violation is None or not bad:
            yield _rejection(target, "the model finds no violation of this sentence", good)
        elif fault := _doubt(violation.reading) or target.fault_of_free(good, bad):
            yield _rejection(target, fault, f"{good} / {bad}")
        else:
            target.offer(_candidate(target, good, bad, one.translation or "", (*job.asked, answer.call)), None)


def _doubt(field: str | None) -> str | None:
    """What a model says against a pair of its own."""
    doubt = said(field)
    return f"the model doubts its pair: {one_line(doubt)}" if doubt else None


def _candidate(
    target: PairTarget, good: str, bad: str, translation: str, asked: tuple[LLMCall, ...], base: Attested | None = None
) -> Candidate:
    """A pair; `base` is the attested sentence that it was made from."""
    rule = target.rule
    verbatim = base is not None and sentence_key(base.sentence) == sentence_key(good)
    return Candidate(
        id=pair_id(rule.id, good, bad),
        rule_id=rule.id,
        source_id=rule.source_id,
        good=good,
        bad=bad,
        changes=changes(good, bad),
        method="llm",
        translation=(base.translation if base and verbatim else None) or squeeze(translation) or None,
        segmentation=base.segmentation if base else None,
        gloss=base.gloss if base else None,
        attested_ids=(base.block_id,) if base else (),
        new_words=target.task.corpus.words.unattested(good, bad) if base else (),
        features=demanded_features(rule, target.exception),
        exception=target.exception is not None,
        note=target.exception,
        evidence=_evidence(rule),
        asked=asked,
    )


def _unanswered(target: PairTarget, answer: Answer[Any]) -> Rejection:
    reason = f"no usable answer, {answer.outcome}: {answer.request.prompt.label}: {answer.reason}"
    return _rejection(target, reason, answer.text)


def _rejection(target: PairTarget, reason: str, text: str) -> Rejection:
    place = _evidence(target.rule).model_dump(include={"file", "page", "line"})
    shown = one_line(f"{target.rule.code}: {text}", _LONGEST_QUOTE)
    return Rejection(stage=LLM_PAIRS.name, source_id=target.rule.source_id, reason=reason, text=shown, **place)


def _evidence(rule: Rule) -> Evidence:
    """The passage on which the rule rests; the first one if several state it."""
    if rule.evidence:
        return rule.evidence[0]
    file = next((example.evidence.file for example in rule.examples), "")
    block = next(iter(rule.block_ids), "")
    return Evidence(block_id=block, file=file, page=rule.page, line=rule.line, quote=rule.quote)
