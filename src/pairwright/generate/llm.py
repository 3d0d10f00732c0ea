"""New minimal pairs from a language model: requested rule by rule, accepted only if they are new and varied.

There are two directions: both sentences at once (`generate_pairs`), or a correct sentence (`instantiate_rule`) and then
its smallest violation (`violate_rule`). The next round asks for the pairs that are still missing and lists the words
used so far as words to avoid. What a model says is never trusted: a pair that is not accepted is a Rejection with the
reason, and an accepted one goes through the checks, the judge and the reviewers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from pairwright.config import GenerateSettings
from pairwright.generate import LLM_PAIRS
from pairwright.generate.pair_targets import PairTarget, pair_targets
from pairwright.generate.schemas import GeneratedPairs, Instance, Instances, Violation
from pairwright.ids import pair_id
from pairwright.languages import Language
from pairwright.llm import Answer, Completer, Request, ask_about
from pairwright.llm.exchange import one_line
from pairwright.morphology import Analyser
from pairwright.prompts.files import Prompt, Value, load_prompt
from pairwright.prompts.rule_description import demanded_features, describe_rule, show_example
from pairwright.records import Candidate, Evidence, LLMCall, Rejection, Rule
from pairwright.text import changes, squeeze

T = TypeVar("T", bound=BaseModel)

LLM_STAGE = "generate"
"""The stage's name in `[llm.models]` and in the ledger."""

# More words than this crowd the rule out of a small model's context. All of them are enforced.
_MOST_AVOIDED = 200
_LONGEST_QUOTE = 400
_PROMPTS = ("generate_pairs", "instantiate_rule", "violate_rule")


@dataclass(frozen=True)
class _Job:
    """A request for so many pairs of a target, or for so many sentences to violate."""

    target: PairTarget
    count: int


@dataclass(frozen=True)
class _Written:
    """A correct sentence that a model wrote, with its translation, to be violated."""

    target: PairTarget
    sentence: Instance
    call: LLMCall


class _Requests:
    """Makes the requests of the stage."""

    def __init__(self, language: Language, settings: GenerateSettings, workspace: Path | None) -> None:
        self._language, self._settings = language, settings
        self._prompts = _load_prompts(workspace)

    def first(self, target: PairTarget, round_number: int) -> list[tuple[_Job, Request[Any]]]:
        """The requests that begin a round for a target. Its missing pairs are divided among the directions.

        This is a list because all requests for a target must be made before an answer changes it.
        """
        directions = self._settings.directions
        jobs = []
        for place, direction in enumerate(directions):
            # The first directions take the remainder.
            count = (target.missing + len(directions) - 1 - place) // len(directions)
            if count:
                by_pairs = direction == "pairs"
                name, output = ("generate_pairs", GeneratedPairs) if by_pairs else ("instantiate_rule", Instances)
                values: dict[str, Value] = {
                    "count": count,
                    "words": f"{self._settings.min_words} to {self._settings.max_words}",
                    "avoid": ", ".join(target.avoid()[:_MOST_AVOIDED]) or "(none)",
                }
                jobs.append((_Job(target, count), self._request(name, output, target, values, round_number)))
        return jobs

    def violation(self, target: PairTarget, sentence: str, round_number: int) -> Request[Violation]:
        return self._request("violate_rule", Violation, target, {"sentence": sentence}, round_number)

    def _request(
        self, name: str, output: type[T], target: PairTarget, values: dict[str, Value], round_number: int
    ) -> Request[T]:
        examples = [show_example(example.good, example.bad, example.translation) for example in target.shown]
        examples += [
            f"a pair of another rule\n{show_example(pair.good, pair.bad, pair.translation)}"
            for pair in target.model_pairs
        ]
        rule = target.rule
        common: dict[str, Value] = {
            "language": self._language.name,
            "cautions": [f"- {caution}" for caution in self._language.cautions] or ["(nothing)"],
            "rule": describe_rule(rule, target.exception),
            "examples": examples or ["(none)"],
        }
        rendered = self._prompts[name].render(common | values)
        return Request(rendered, output, LLM_STAGE, rule.source_id, f"rule {rule.code}", sample=round_number)


def _load_prompts(workspace: Path | None = None) -> dict[str, Prompt]:
    return {name: load_prompt(name, workspace=workspace) for name in _PROMPTS}


def prompt_hashes(workspace: Path | None = None) -> dict[str, str]:
    """The prompts in use by their labels, with the SHA-256 of their files, on which freshness depends.

    Raises PromptError.
    """
    return {prompt.label: prompt.sha256 for prompt in _load_prompts(workspace).values()}


def llm_candidates(
    rules: Iterable[Rule],
    language: Language,
    settings: GenerateSettings,
    completer: Completer,
    lemmas: Analyser,
    workspace: Path | None = None,
) -> Iterator[Candidate | Rejection]:
    """Pairs for every rule that licenses one, and a Rejection for everything else that a model answered.

    lemmas     `lemmatiser_of(language)`, by which vocabularies are compared
    workspace  a folder whose `prompts/` come before those of pairwright

    The pairs do not depend on how many requests are sent at a time. Raises PromptError, and LLMError and BudgetError
    as the `completer` does.
    """
    targets = list(pair_targets(rules, language, settings, lemmas))
    requests = _Requests(language, settings, workspace)
    for number in range(settings.rounds):
        written: list[_Written] = []
        open_targets = [target for target in targets if target.missing > 0]
        for job, answer in ask_about(completer, _first_of(open_targets, requests, number)):
            if isinstance(answer.value, Instances):
                accepted, rejected = _instances(job, answer.value, answer)
                written += accepted
                yield from rejected
            else:
                yield from _pairs(job, answer)
        violations = [requests.violation(item.target, item.sentence.sentence, number) for item in written]
        for item, violation in zip(written, completer.run(violations), strict=True):
            yield _violated(item, violation)


def pair_requests(
    rules: Iterable[Rule],
    language: Language,
    settings: GenerateSettings,
    lemmas: Analyser,
    workspace: Path | None = None,
    *,
    foreseen: bool = False,
) -> Iterator[Request[Any]]:
    """What `llm_candidates` asks before it has any answer, for a batch or an estimate.

    foreseen  add stand-ins for the violations to which the answers of the first round will lead, with a sentence of
              the rule's examples in place of the model's: for an estimate. Later rounds come on top
    """
    requests = _Requests(language, settings, workspace)
    for target in pair_targets(rules, language, settings, lemmas):
        for job, request in requests.first(target, 0):
            yield request
            if foreseen and request.output is Instances:
                good = next((example.good for example in target.rule.examples), target.rule.title)
                yield from (requests.violation(target, good, sample) for sample in range(job.count))


def violation_requests(
    rules: Iterable[Rule],
    language: Language,
    settings: GenerateSettings,
    completer: Completer,
    lemmas: Analyser,
    workspace: Path | None = None,
) -> list[Request[Any]]:
    """The violations of the first round, for a second batch, once the answers to `pair_requests` are in the cache.

    This is a list because a client can't answer while it reads the requests of a batch.
    """
    violations: list[Request[Any]] = []
    requests = _Requests(language, settings, workspace)
    targets = pair_targets(rules, language, settings, lemmas)
    for job, answer in ask_about(completer, _first_of(targets, requests, 0)):
        if isinstance(answer.value, Instances):
            accepted, _ = _instances(job, answer.value, answer)
            violations += [requests.violation(item.target, item.sentence.sentence, 0) for item in accepted]
        else:
            # The pairs that are accepted decide which sentences are worth a violation.
            list(_pairs(job, answer))
    return violations


def _first_of(targets: Iterable[PairTarget], requests: _Requests, number: int) -> Iterator[tuple[_Job, Request[Any]]]:
    for target in targets:
        yield from requests.first(target, number)


def _pairs(job: _Job, answer: Answer[Any]) -> Iterator[Candidate | Rejection]:
    """The pairs of an answer. Surplus pairs stay out, so that the other direction gets its share."""
    if not isinstance(answer.value, GeneratedPairs):
        yield _unanswered(job.target, answer)
        return
    if not answer.value.pairs:
        yield _rejection(job.target, "no pair in the answer", answer.text)
    left = job.count
    for pair in answer.value.pairs:
        if left:
            result = _candidate(job.target, pair.good, pair.bad, pair.translation, (answer.call,))
            left -= isinstance(result, Candidate)
        else:
            surplus = f"more than the pairs asked for: {job.count}"
            result = _rejection(job.target, surplus, f"{pair.good} / {pair.bad}")
        yield result


def _instances(job: _Job, value: Instances, answer: Answer[Any]) -> tuple[list[_Written], list[Rejection]]:
    """The sentences of an answer whose violation is worth asking for, and the rejected rest."""
    target = job.target
    accepted: list[_Written] = []
    rejected: list[Rejection] = []
    if not value.sentences:
        rejected.append(_rejection(target, "no sentence in the answer", answer.text))
    for written in value.sentences:
        sentence = Instance(sentence=squeeze(written.sentence), translation=squeeze(written.translation))
        fault = target.fault_of_sentence(sentence.sentence)
        if fault is None and not target.is_new(sentence.sentence):
            fault = "given twice"
        if fault is None and len(accepted) >= job.count:
            fault = f"more than the sentences asked for: {job.count}"
        if fault:
            rejected.append(_rejection(target, fault, sentence.sentence))
        else:
            accepted.append(_Written(target, sentence, answer.call))
    return accepted, rejected


def _violated(written: _Written, answer: Answer[Violation]) -> Candidate | Rejection:
    target, good = written.target, written.sentence.sentence
    if answer.value is None:
        return _unanswered(target, answer, f"{good} ")
    if not answer.value.bad.strip():
        return _rejection(target, "the model finds no violation of this sentence", good)
    return _candidate(target, good, answer.value.bad, written.sentence.translation, (written.call, answer.call))


def _candidate(
    target: PairTarget, good: str, bad: str, translation: str, asked: tuple[LLMCall, ...]
) -> Candidate | Rejection:
    good, bad, translation = squeeze(good), squeeze(bad), squeeze(translation)
    if fault := target.take(good, bad):
        return _rejection(target, fault, f"{good} / {bad}")
    rule = target.rule
    return Candidate(
        id=pair_id(rule.id, good, bad),
        rule_id=rule.id,
        source_id=rule.source_id,
        good=good,
        bad=bad,
        changes=changes(good, bad),
        method="llm",
        translation=translation or None,
        features=demanded_features(rule, target.exception),
        exception=target.exception is not None,
        note=target.exception,
        evidence=_evidence(rule),
        asked=asked,
    )


def _unanswered(target: PairTarget, answer: Answer[Any], sentence: str = "") -> Rejection:
    reason = f"no usable answer, {answer.outcome}: {answer.request.prompt.label}: {answer.reason}"
    return _rejection(target, reason, sentence + answer.text)


def _rejection(target: PairTarget, reason: str, text: str) -> Rejection:
    evidence = _evidence(target.rule)
    return Rejection(
        stage=LLM_PAIRS.name,
        source_id=target.rule.source_id,
        reason=reason,
        text=one_line(f"{target.rule.code}: {text}", _LONGEST_QUOTE),
        file=evidence.file,
        page=evidence.page,
        line=evidence.line,
    )


def _evidence(rule: Rule) -> Evidence:
    """The passage on which the rule rests; the first one if several state it."""
    if rule.evidence:
        return rule.evidence[0]
    file = next((example.evidence.file for example in rule.examples), "")
    return Evidence(
        block_id=next(iter(rule.block_ids), ""), file=file, page=rule.page, line=rule.line, quote=rule.quote
    )
