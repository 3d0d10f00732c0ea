"""New minimal pairs from a language model: requested rule by rule, accepted only if they are new and varied.

There are two directions: both sentences at once (`generate_pairs`), or a correct sentence (`instantiate_rule`) and then
its smallest violation (`violate_rule`). The next round asks for the pairs that are still missing and lists the words
used so far as words to avoid. A pair that is not accepted is a Rejection with the reason.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from pairwright.config import GenerateSettings
from pairwright.generate import LLM_PAIRS
from pairwright.generate.pair_targets import PairTarget, pair_targets
from pairwright.generate.schemas import GeneratedPairs, Instances, Violation
from pairwright.ids import pair_id
from pairwright.languages import Language
from pairwright.llm import Answer, Completer, Request, ask_about
from pairwright.llm.exchange import one_line
from pairwright.morphology import Analyser
from pairwright.prompts.files import Value, load_prompt
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


class _Job(NamedTuple):
    """A request for so many pairs of a target, or for so many sentences to violate."""

    target: PairTarget
    quota: int


class _Written(NamedTuple):
    """A correct sentence that a model wrote, with its translation, to be violated."""

    target: PairTarget
    good: str
    translation: str
    call: LLMCall


class _Requests:
    """Makes the requests of the stage."""

    def __init__(self, language: Language, settings: GenerateSettings, workspace: Path | None) -> None:
        self._language, self._settings = language, settings
        self._prompts = {name: load_prompt(name, workspace=workspace) for name in _PROMPTS}

    def first(self, targets: Iterable[PairTarget], round_number: int) -> Iterator[tuple[_Job, Request[Any]]]:
        """The requests that begin a round. The missing pairs of a target are divided among the directions.

        All requests for a target are made before an answer can change it.
        """
        for target in targets:
            share, rest = divmod(target.missing, len(self._settings.directions))
            counts = [(way, share + (place < rest)) for place, way in enumerate(self._settings.directions)]
            yield from [self._first_of(_Job(target, count), way, round_number) for way, count in counts if count]

    def _first_of(self, job: _Job, direction: str, round_number: int) -> tuple[_Job, Request[Any]]:
        by_pairs = direction == "pairs"
        name, output = ("generate_pairs", GeneratedPairs) if by_pairs else ("instantiate_rule", Instances)
        values: dict[str, Value] = {
            "count": job.quota,
            "words": f"{self._settings.min_words} to {self._settings.max_words}",
            "avoid": ", ".join(job.target.avoid()[:_MOST_AVOIDED]) or "(none)",
        }
        return job, self._request(name, output, job.target, values, round_number)

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


def prompt_hashes(workspace: Path | None = None) -> dict[str, str]:
    """The prompts in use by their labels, with the SHA-256 of their files, on which freshness depends.

    Raises PromptError.
    """
    prompts = [load_prompt(name, workspace=workspace) for name in _PROMPTS]
    return {prompt.label: prompt.sha256 for prompt in prompts}


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
        for result in _first_results(completer, requests.first(open_targets, number)):
            if isinstance(result, _Written):
                written.append(result)
            else:
                yield result
        violations = ((item, requests.violation(item.target, item.good, number)) for item in written)
        yield from (_violated(item, answer) for item, answer in ask_about(completer, violations))


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
    for job, request in requests.first(pair_targets(rules, language, settings, lemmas), 0):
        yield request
        if foreseen and request.output is Instances:
            rule = job.target.rule
            good = next((example.good for example in rule.examples), rule.title)
            yield from (requests.violation(job.target, good, sample) for sample in range(job.quota))


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
    requests = _Requests(language, settings, workspace)
    first = requests.first(pair_targets(rules, language, settings, lemmas), 0)
    # The pairs among the results count too: those that are accepted decide which sentences are worth a violation.
    results = _first_results(completer, first)
    return [requests.violation(item.target, item.good, 0) for item in results if isinstance(item, _Written)]


def _first_results(
    completer: Completer, jobs: Iterable[tuple[_Job, Request[Any]]]
) -> Iterator[Candidate | Rejection | _Written]:
    """What the answers to the first requests of a round come to: pairs, sentences to violate, and the rejected rest."""
    for job, answer in ask_about(completer, jobs):
        if isinstance(answer.value, Instances):
            yield from _instances(job, answer.value, answer)
        elif isinstance(answer.value, GeneratedPairs):
            yield from _pairs(job, answer.value, answer)
        else:
            yield _unanswered(job.target, answer)


def _pairs(job: _Job, value: GeneratedPairs, answer: Answer[Any]) -> Iterator[Candidate | Rejection]:
    """The pairs of an answer. Surplus pairs stay out, so that the other direction gets its share."""
    if not value.pairs:
        yield _rejection(job.target, "no pair in the answer", answer.text)
    left = job.quota
    for pair in value.pairs:
        if left:
            result = _candidate(job.target, pair.good, pair.bad, pair.translation, (answer.call,))
            left -= isinstance(result, Candidate)
            yield result
        else:
            surplus = f"more than the pairs asked for: {job.quota}"
            yield _rejection(job.target, surplus, f"{pair.good} / {pair.bad}")


def _instances(job: _Job, value: Instances, answer: Answer[Any]) -> Iterator[_Written | Rejection]:
    """The sentences of an answer whose violation is worth asking for, and the rejected rest."""
    target, left = job.target, job.quota
    if not value.sentences:
        yield _rejection(target, "no sentence in the answer", answer.text)
    for sentence in value.sentences:
        good = squeeze(sentence.sentence)
        fault = target.fault_of(good) or (None if target.is_new(good) else "given twice")
        if fault is None and not left:
            fault = f"more than the sentences asked for: {job.quota}"
        if fault:
            yield _rejection(target, fault, good)
        else:
            left -= 1
            yield _Written(target, good, squeeze(sentence.translation), answer.call)


def _violated(written: _Written, answer: Answer[Violation]) -> Candidate | Rejection:
    if answer.value is None:
        return _unanswered(written.target, answer, f"{written.good} ")
    if not answer.value.bad.strip():
        return _rejection(written.target, "the model finds no violation of this sentence", written.good)
    calls = (written.call, answer.call)
    return _candidate(written.target, written.good, answer.value.bad, written.translation, calls)


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
