"""New minimal pairs from a language model: asked for rule by rule, taken only where they are new, varied and whole.

Two directions: both sentences at once (`generate_pairs`), and a correct sentence first (`instantiate_rule`), whose
least violation is asked for then (`violate_rule`). What is still missing is asked for again in the next round, with the
words used so far as words to avoid. Nothing that a model says is taken on its word: what does not pass is a Rejection
with the reason, and what passes goes through the checks, the judge and the reviewers.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairwright.config import GenerateSettings
from pairwright.generate import LLM_PAIRS
from pairwright.generate.pair_targets import PairTarget, pair_targets
from pairwright.generate.schemas import GeneratedPairs, Instance, Instances, Violation
from pairwright.ids import pair_id
from pairwright.languages import Language
from pairwright.llm import Answer, Completer, Request, ask_about
from pairwright.llm.exchange import one_line
from pairwright.morphology import Analyser
from pairwright.prompts.files import Prompt, Rendered, load_prompt
from pairwright.prompts.rule_description import demanded_features, describe_rule, show_example
from pairwright.records import Candidate, Evidence, LLMCall, Rejection, Rule
from pairwright.text import changes, squeeze

LLM_STAGE = "generate"
"""The stage's name in `[llm.models]` and in the ledger."""

# More words to avoid than this crowd the rule out of a small model's context; they are enforced all the same.
_MOST_AVOIDED = 200
_LONGEST_QUOTE = 400


@dataclass(frozen=True)
class _Prompts:
    pairs: Prompt
    instances: Prompt
    violations: Prompt


@dataclass(frozen=True)
class _Job:
    """A request for one or several pairs of a target; `sentence` is the one that is to be violated, with its answer."""

    target: PairTarget
    count: int
    sentence: Instance | None = None
    asked: tuple[LLMCall, ...] = ()


_Jobs = list[tuple[_Job, Request[Any]]]


class _Requests:
    """Makes the requests of a stage."""

    def __init__(self, language: Language, settings: GenerateSettings, workspace: Path | None) -> None:
        self._language, self._settings = language, settings
        self._prompts = _load_prompts(workspace)
        self._cautions = [f"- {caution}" for caution in language.cautions] or ["(nothing)"]

    def first(self, target: PairTarget, number: int) -> _Jobs:
        """What is asked of a target at the beginning of a round: its missing pairs shared out among the directions."""
        directions = self._settings.directions
        made: _Jobs = []
        for place, direction in enumerate(directions):
            # The first directions take what can't be shared out evenly.
            count = (target.missing + len(directions) - 1 - place) // len(directions)
            if count:
                prompt, output = (
                    (self._prompts.pairs, GeneratedPairs)
                    if direction == "pairs"
                    else (self._prompts.instances, Instances)
                )
                rendered = prompt.render(self._common(target) | self._wanted(target, count))
                made.append((_Job(target, count), self._request(target, rendered, output, number)))
        return made

    def violation(self, job: _Job, sentence: Instance, number: int) -> Request[Violation]:
        rendered = self._prompts.violations.render(self._common(job.target) | {"sentence": sentence.sentence})
        return self._request(job.target, rendered, Violation, number)

    def _request(self, target: PairTarget, rendered: Rendered, output: type[Any], number: int) -> Request[Any]:
        rule = target.rule
        return Request(rendered, output, LLM_STAGE, rule.source_id, subject=f"rule {rule.code}", sample=number)

    def _common(self, target: PairTarget) -> dict[str, Any]:
        examples = [show_example(example.good, example.bad, example.translation) for example in target.shown]
        examples += [
            f"a pair of another rule\n{show_example(pair.good, pair.bad, pair.translation)}"
            for pair in target.model_pairs
        ]
        return {
            "language": self._language.name,
            "cautions": self._cautions,
            "rule": describe_rule(target.rule, target.exception),
            "examples": examples or ["(none)"],
        }

    def _wanted(self, target: PairTarget, count: int) -> dict[str, Any]:
        return {
            "count": count,
            "words": f"{self._settings.min_words} to {self._settings.max_words}",
            "avoid": ", ".join(target.avoid()[:_MOST_AVOIDED]) or "(none)",
        }


def _load_prompts(workspace: Path | None = None) -> _Prompts:
    """The newest versions of the three prompts. Raises PromptError."""
    names = ("generate_pairs", "instantiate_rule", "violate_rule")
    return _Prompts(*(load_prompt(name, workspace=workspace) for name in names))


def prompt_hashes(workspace: Path | None = None) -> dict[str, str]:
    """The prompts that are used, with the SHA-256 of their files: part of what decides whether a stage is fresh."""
    prompts = _load_prompts(workspace)
    used = (prompts.pairs, prompts.instances, prompts.violations)
    return {f"{prompt.name}/v{prompt.version}": prompt.sha256 for prompt in used}


def llm_candidates(
    rules: Iterable[Rule],
    language: Language,
    settings: GenerateSettings,
    asks: Completer,
    lemmas: Analyser,
    workspace: Path | None = None,
) -> Iterator[Candidate | Rejection]:
    """Pairs for every rule that licenses one, and a Rejection for everything else that a model answered.

    lemmas     `lemmatiser_of(language)`: vocabularies are compared by it
    workspace  where prompts of its own may stand

    Which pairs come does not depend on how many requests are sent at a time. Raises PromptError, LLMError and
    BudgetError as `asks` does.
    """
    targets = list(pair_targets(rules, language, settings, lemmas))
    requests = _Requests(language, settings, workspace)
    for number in range(settings.rounds):
        still = [target for target in targets if target.missing > 0]
        sentences: _Jobs = []
        for job, answer in ask_about(asks, _first_of(still, requests, number)):
            if isinstance(answer.value, Instances):
                good, rejected = _instances(job, answer.value, answer)
                sentences += [(item, requests.violation(item, item.sentence, number)) for item in good if item.sentence]
                yield from rejected
            else:
                yield from _pairs(job, answer)
        for job, answer in ask_about(asks, sentences):
            yield _violated(job, answer)


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

    foreseen  also stand-ins for the violations that the answers of the first round will lead to, with a sentence of the
              rule's examples in place of theirs: for an estimate. Later rounds come on top
    """
    requests = _Requests(language, settings, workspace)
    for target in pair_targets(rules, language, settings, lemmas):
        for job, request in requests.first(target, 0):
            yield request
            if foreseen and request.output is Instances:
                good = next((example.good for example in target.rule.examples), target.rule.title)
                stand_in = Instance(sentence=good, translation="")
                yield from (requests.violation(job, stand_in, sample) for sample in range(job.count))


def violation_requests(
    rules: Iterable[Rule],
    language: Language,
    settings: GenerateSettings,
    asks: Completer,
    lemmas: Analyser,
    workspace: Path | None = None,
) -> list[Request[Any]]:
    """The violations of the first round, for a second batch, once the answers to `pair_requests` are in the cache.

    A list, because the same client can't ask while it reads the requests of a batch.
    """
    made: list[Request[Any]] = []
    requests = _Requests(language, settings, workspace)
    targets = list(pair_targets(rules, language, settings, lemmas))
    for job, answer in ask_about(asks, _first_of(targets, requests, 0)):
        if not isinstance(answer.value, Instances):
            # Taken, because what is taken decides which sentences are worth a violation.
            list(_pairs(job, answer))
        else:
            good, _ = _instances(job, answer.value, answer)
            made += [requests.violation(item, item.sentence, 0) for item in good if item.sentence]
    return made


def _first_of(targets: Sequence[PairTarget], requests: _Requests, number: int) -> Iterator[tuple[_Job, Request[Any]]]:
    """The requests of a target are all made before any of its answers comes, so that no answer changes them."""
    for target in targets:
        yield from requests.first(target, number)


def _pairs(job: _Job, answer: Answer[Any]) -> Iterator[Candidate | Rejection]:
    """What becomes of the pairs of an answer. What is over stays out, so that the other direction has its share."""
    if not isinstance(answer.value, GeneratedPairs):
        yield _unanswered(job.target, answer)
        return
    if not answer.value.pairs:
        yield _rejection(job.target, "no pair in the answer", answer.text)
    left = job.count
    for pair in answer.value.pairs:
        if left:
            result = _taken(job.target, pair.good, pair.bad, pair.translation, (answer.call,))
            left -= isinstance(result, Candidate)
        else:
            result = _rejection(job.target, f"more than the pairs asked for: {job.count}", _shown(pair.good, pair.bad))
        yield result


def _instances(job: _Job, value: Instances, answer: Answer[Any]) -> tuple[list[_Job], list[Rejection]]:
    """The sentences that are worth asking for their violation, and what else was answered."""
    target = job.target
    good: list[_Job] = []
    rejected: list[Rejection] = []
    if not value.sentences:
        rejected.append(_rejection(target, "no sentence in the answer", answer.text))
    for said in value.sentences:
        sentence = Instance(sentence=squeeze(said.sentence), translation=squeeze(said.translation))
        fault = target.fault_of_sentence(sentence.sentence)
        if fault is None and not target.is_new(sentence.sentence):
            fault = "given twice"
        if fault is None and len(good) >= job.count:
            fault = f"more than the sentences asked for: {job.count}"
        if fault:
            rejected.append(_rejection(target, fault, sentence.sentence))
        else:
            good.append(_Job(target, 1, sentence, (answer.call,)))
    return good, rejected


def _violated(job: _Job, answer: Answer[Any]) -> Candidate | Rejection:
    assert job.sentence is not None
    if not isinstance(answer.value, Violation):
        return _unanswered(job.target, answer, job.sentence.sentence)
    if not answer.value.bad.strip():
        return _rejection(job.target, "the model finds no violation of this sentence", job.sentence.sentence)
    asked = (*job.asked, answer.call)
    return _taken(job.target, job.sentence.sentence, answer.value.bad, job.sentence.translation, asked)


def _taken(
    target: PairTarget, good: str, bad: str, translation: str, asked: tuple[LLMCall, ...]
) -> Candidate | Rejection:
    good, bad, translation = squeeze(good), squeeze(bad), squeeze(translation)
    fault = target.take(good, bad)
    if fault:
        return _rejection(target, fault, _shown(good, bad))
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


def _unanswered(target: PairTarget, answer: Answer[Any], about: str = "") -> Rejection:
    said = f"no usable answer, {answer.outcome}: {answer.request.prompt.label}: {answer.reason}"
    return _rejection(target, said, f"{about} {answer.text}" if about else answer.text)


def _shown(good: str, bad: str) -> str:
    return f"{good} / {bad}"


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
    """The passage on which the rule rests; the first one where several state it."""
    if rule.evidence:
        return rule.evidence[0]
    file = next((example.evidence.file for example in rule.examples), "")
    return Evidence(
        block_id=next(iter(rule.block_ids), ""), file=file, page=rule.page, line=rule.line, quote=rule.quote
    )
