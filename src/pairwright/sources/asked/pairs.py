"""New minimal pairs from a language model: requested rule by rule in batches, accepted only if they are new and varied.

There are three ways: from sentences that the source attests (`ground_pairs`), for languages that models hardly know;
both sentences at once (`generate_pairs`); correct sentences (`instantiate_rule`) and then their smallest violations
(`violate_rule`). A pair that is not accepted is a Rejection with the reason; one that is more than wanted is kept as
the reserve, and takes the place of one that checks, the judge or reviewers refuse.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.core.errors import one_line
from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, Evidence, LLMCall, Rejection, Rule
from pairwright.core.stages import LLM_PAIRS
from pairwright.core.text import sentence_key, squeeze
from pairwright.languages.linguistics.edits import changes
from pairwright.models.chat import Answer, Completer, Request, ask_about
from pairwright.models.prompts.files import load_prompt
from pairwright.models.prompts.rule_description import demanded_features
from pairwright.sources.asked.attested import Attested
from pairwright.sources.asked.requests import PROMPTS, GroundedPairs, Instances, Job, PairRequests, Violations
from pairwright.sources.asked.targets import PairTarget, PairTask, pair_targets

_LONGEST_QUOTE = 400
# What models write in a field that they should leave empty.
_NO_READING = frozenset({"", "none", "null", "no", "n/a", "-", "–", "—"})


class _Written(NamedTuple):
    """Correct sentences of one answer, with their translations, to be violated."""

    target: PairTarget
    sentences: tuple[tuple[str, str], ...]
    call: LLMCall


def prompt_hashes(workspace: Path | None = None) -> dict[str, str]:
    """The prompts in use by their labels, with the SHA-256 of their files, on which freshness depends.

    Raises PromptError.
    """
    prompts = [load_prompt(name, workspace=workspace) for name in PROMPTS]
    return {prompt.label: prompt.sha256 for prompt in prompts}


def llm_candidates(task: PairTask, completer: Completer) -> Iterator[Candidate | Rejection]:
    """A Rejection for everything in the answers that is no pair, then the pairs of each rule, the reserve marked.

    In each round every rule that still lacks pairs is asked for a batch. The pairs do not depend on how many requests
    are sent at a time. Raises PromptError, and LLMError and BudgetError as the `completer` does.
    """
    targets, requests = list(pair_targets(task)), PairRequests(task)
    for target in targets:
        if target.ground_fault:
            yield _rejection(target, target.ground_fault, target.rule.title)
    while open_targets := [target for target in targets if target.is_open]:
        written: list[_Written] = []
        jobs = ((job, job.request) for job in map(requests.first, open_targets))
        for job, answer in ask_about(completer, jobs):
            if isinstance(answer.value, Instances):
                yield from _instances(job.target, answer, written)
            else:
                yield from _pairs(job, answer)
        violations = ((item, requests.violation(item.target, [good for good, _ in item.sentences])) for item in written)
        for item, answer in ask_about(completer, violations):
            yield from _violated(item, answer)
    for target in targets:
        yield from target.with_reserve()


def pair_requests(task: PairTask) -> Iterator[Request[Any]]:
    """The requests that the pairs take where every answer is good, for an estimate; replacements come on top."""
    requests = PairRequests(task)
    for target in pair_targets(task):
        yield from requests.foreseen(target)


def _pairs(job: Job, answer: Answer[Any]) -> Iterator[Rejection]:
    """What is no pair in an answer; its pairs are with the target."""
    target, value = job.target, answer.value
    if value is None:
        yield _unanswered(target, answer)
        return
    grounded = isinstance(value, GroundedPairs)
    if not value.pairs:
        target.is_exhausted = grounded and len(target.bearing) <= target.task.settings.sentences
        yield _rejection(target, "no pair in the answer", answer.text)
    for pair in value.pairs:
        good, bad = squeeze(pair.good), squeeze(pair.bad)
        base = dict(enumerate(job.shown, start=1)).get(pair.base) if grounded else None
        fault = _doubt(pair.reading)
        if not fault:
            fault = target.fault_of_grounded(base, good, bad) if grounded else target.fault_of_free(good, bad)
        if fault:
            yield _rejection(target, fault, f"{good} / {bad}")
        else:
            target.take(_candidate(target, good, bad, pair.translation, (answer.call,), base))


def _instances(target: PairTarget, answer: Answer[Instances], written: list[_Written]) -> Iterator[Rejection]:
    """Adds the sentences of an answer whose violation is worth asking for to `written`; the rejected rest."""
    taken: list[tuple[str, str]] = []
    sentences = answer.value.sentences if answer.value else []
    if not sentences:
        yield _rejection(target, "no sentence in the answer", answer.text)
    for sentence in sentences:
        good = squeeze(sentence.sentence)
        fault = target.fault_of(good) if target.is_new(good) else "given twice"
        if fault is None and len(taken) == target.quota:
            fault = f"more than the sentences asked for: {target.quota}"
        if fault:
            yield _rejection(target, fault, good)
        else:
            taken.append((good, sentence.translation))
    if taken:
        written.append(_Written(target, tuple(taken), answer.call))


def _violated(written: _Written, answer: Answer[Violations]) -> Iterator[Rejection]:
    """The Rejections of an answer with violations: those that make a pair are with the target."""
    target = written.target
    if answer.value is None:
        yield _unanswered(target, answer)
        return
    # The first violation of each sentence.
    by_number = {violation.sentence: violation for violation in reversed(answer.value.violations)}
    for number, (good, translation) in enumerate(written.sentences, start=1):
        said = by_number.get(number)
        bad = squeeze(said.bad) if said else ""
        if said is None or not bad:
            yield _rejection(target, "the model finds no violation of this sentence", good)
        elif fault := _doubt(said.reading) or target.fault_of_free(good, bad):
            yield _rejection(target, fault, f"{good} / {bad}")
        else:
            target.take(_candidate(target, good, bad, translation, (written.call, answer.call)))


def _doubt(reading: str | None) -> str | None:
    """What a model says against a pair of its own."""
    said = squeeze(reading or "")
    if said.casefold().rstrip(".") in _NO_READING:
        return None
    return f"the model sees a reading in which the bad sentence is right: {one_line(said)}"


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
