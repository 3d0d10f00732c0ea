"""New minimal pairs from a language model: requested rule by rule in batches, accepted only if they are new and varied.

There are three ways: from sentences that the source attests (`ground_pairs`), for languages that models hardly know;
both sentences at once (`generate_pairs`); correct sentences (`instantiate_rule`) and then their smallest violations
(`violate_rule`). A pair that is not accepted is a Rejection with the reason; one that is more than wanted is kept as
the reserve, and takes the place of one that checks, the judge or reviewers refuse.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pairwright.errors import one_line
from pairwright.generate import LLM_PAIRS
from pairwright.generate.book.sentences import Attested
from pairwright.generate.pair_targets import PairTarget, pair_targets
from pairwright.generate.requests import PROMPTS, Job, PairRequests
from pairwright.generate.schemas import GeneratedPairs, GroundedPairs, Instances, Violation, Violations
from pairwright.generate.task import PairTask
from pairwright.ids import pair_id
from pairwright.languages.linguistics.edits import changes
from pairwright.llm import Answer, Completer, Request, ask_about
from pairwright.prompts.files import load_prompt
from pairwright.prompts.rule_description import demanded_features
from pairwright.records import Candidate, Evidence, LLMCall, Rejection, Rule
from pairwright.text import sentence_key, squeeze

_LONGEST_QUOTE = 400
# What models write in a field that they should leave empty.
_NO_READING = frozenset({"", "none", "null", "no", "n/a", "-", "–", "—"})


class _Written(NamedTuple):
    """Correct sentences of one answer, with their translations, to be violated."""

    target: PairTarget
    sentences: tuple[tuple[str, str], ...]
    call: LLMCall


class _Proposed(NamedTuple):
    """A pair as a model proposes it. `base` is the attested sentence that it was made from."""

    good: str
    bad: str
    translation: str
    reading: str | None
    base: Attested | None = None


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
            for result in _results(job, answer, task):
                if isinstance(result, _Written):
                    written.append(result)
                else:
                    yield result
        violations = ((item, requests.violation(item.target, [good for good, _ in item.sentences])) for item in written)
        for item, answer in ask_about(completer, violations):
            yield from _violated(item, answer, task)
    for target in targets:
        yield from target.with_reserve()


def pair_requests(task: PairTask) -> Iterator[Request[Any]]:
    """The requests that the pairs take where every answer is good, for an estimate; replacements come on top."""
    requests = PairRequests(task)
    for target in pair_targets(task):
        yield from requests.foreseen(target)


def _results(job: Job, answer: Answer[Any], task: PairTask) -> Iterator[Rejection | _Written]:
    """What an answer comes to: sentences to violate and Rejections; its pairs are with the target."""
    target, value = job.target, answer.value
    if isinstance(value, Instances):
        yield from _instances(target, value, answer)
        return
    if isinstance(value, GroundedPairs):
        bases = dict(enumerate(job.shown, start=1))
        pairs = [_Proposed(it.good, it.bad, it.translation, it.reading, bases.get(it.base)) for it in value.pairs]
    elif isinstance(value, GeneratedPairs):
        pairs = [_Proposed(it.good, it.bad, it.translation, it.reading) for it in value.pairs]
    else:
        yield _unanswered(target, answer)
        return
    if not pairs:
        target.is_exhausted = isinstance(value, GroundedPairs) and len(target.bearing) <= task.settings.sentences
        yield _rejection(target, "no pair in the answer", answer.text)
    for pair in pairs:
        yield from _accepted(target, pair, (answer.call,), task, grounded=isinstance(value, GroundedPairs))


def _instances(target: PairTarget, value: Instances, answer: Answer[Any]) -> Iterator[_Written | Rejection]:
    """The sentences of an answer whose violation is worth asking for, and the rejected rest."""
    taken: list[tuple[str, str]] = []
    if not value.sentences:
        yield _rejection(target, "no sentence in the answer", answer.text)
    for sentence in value.sentences:
        good = squeeze(sentence.sentence)
        fault = target.fault_of(good) if target.is_new(good) else "given twice"
        if fault is None and len(taken) == target.quota:
            fault = f"more than the sentences asked for: {target.quota}"
        if fault:
            yield _rejection(target, fault, good)
        else:
            taken.append((good, squeeze(sentence.translation)))
    if taken:
        yield _Written(target, tuple(taken), answer.call)


def _violated(written: _Written, answer: Answer[Violations], task: PairTask) -> Iterator[Rejection]:
    """The Rejections of an answer with violations: those that make a pair are with the target."""
    if answer.value is None:
        yield _unanswered(written.target, answer)
        return
    by_number: dict[int, Violation] = {}
    for violation in answer.value.violations:
        by_number.setdefault(violation.sentence, violation)
    for number, (good, translation) in enumerate(written.sentences, start=1):
        said = by_number.get(number)
        if said is None or not said.bad.strip():
            yield _rejection(written.target, "the model finds no violation of this sentence", good)
            continue
        pair = _Proposed(good, said.bad, translation, said.reading)
        yield from _accepted(written.target, pair, (written.call, answer.call), task, grounded=False)


def _accepted(
    target: PairTarget, pair: _Proposed, asked: tuple[LLMCall, ...], task: PairTask, *, grounded: bool
) -> Iterator[Rejection]:
    """Gives a pair to its target, or says why not."""
    good, bad, reading = squeeze(pair.good), squeeze(pair.bad), squeeze(pair.reading or "")
    if reading.casefold().rstrip(".") not in _NO_READING:
        fault: str | None = f"the model sees a reading in which the bad sentence is right: {one_line(reading)}"
    elif grounded:
        fault = target.fault_of_grounded(pair.base, good, bad)
    else:
        fault = target.fault_of_free(good, bad)
    if fault:
        yield _rejection(target, fault, f"{good} / {bad}")
    else:
        cleaned = pair._replace(good=good, bad=bad, translation=squeeze(pair.translation))
        target.take(_candidate(target, cleaned, asked, task))


def _candidate(target: PairTarget, pair: _Proposed, asked: tuple[LLMCall, ...], task: PairTask) -> Candidate:
    rule, base = target.rule, pair.base
    verbatim = base is not None and sentence_key(base.sentence) == sentence_key(pair.good)
    translation = base.translation if base and verbatim else None
    return Candidate(
        id=pair_id(rule.id, pair.good, pair.bad),
        rule_id=rule.id,
        source_id=rule.source_id,
        good=pair.good,
        bad=pair.bad,
        changes=changes(pair.good, pair.bad),
        method="llm",
        translation=translation or pair.translation or None,
        segmentation=base.segmentation if base else None,
        gloss=base.gloss if base else None,
        attested_ids=(base.block_id,) if base else (),
        new_words=task.corpus.words.unattested(pair.good, pair.bad) if base else (),
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
