"""New minimal pairs from a language model: requested rule by rule in batches, accepted only if they are new and varied.

They are made from sentences that the source attests (`ground_pairs`) for languages that models hardly know, else
written anew (`generate_pairs`). A pair that is not accepted is a Rejection with the reason; one that is more than
wanted is kept as the reserve, and takes the place of one that checks, the judge or reviewers refuse.

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
from pairwright.core.text import comparison_key, squeeze
from pairwright.languages.linguistics.edits import changes
from pairwright.languages.linguistics.glosses import GlossedSentence
from pairwright.models.chat import Answer, Completer, Request, ask_about
from pairwright.models.prompts.files import Value
from pairwright.models.prompts.rule_description import demanded_features, describe_rule, rules_beside, show_example
from pairwright.sources import said
from pairwright.sources.asked.targets import AGREEING, PairTarget, PairTask, Shape, pair_targets

_LONGEST_QUOTE = 400
# How many words show a request both forms of its contrast; how many earlier pairs a request for new sentences shows.
_EXCHANGES, _MOST_GIVEN = 8, 40


class GeneratedPair(BaseModel):
    """A pair; `doubt` is what speaks against it, else null."""

    good: str
    bad: str
    doubt: str | None
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


PROMPTS: dict[str, type[BaseModel]] = {"generate_pairs": GeneratedPairs, "ground_pairs": GroundedPairs}


class _Job(NamedTuple):
    """A request for a target, and the attested sentences that it shows."""

    target: PairTarget
    request: Request[Any]
    shown: Sequence[GlossedSentence] = ()


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
        for job, answer in ask_about(completer, ((job, job.request) for job in map(_next_job, open_targets))):
            yield from _take(job, answer)
        # What a rule lacks also depends on the pairs of the rules before it.
        accepted: list[Shape] = []
        for target in targets:
            target.others = tuple(accepted)
            accepted += target.accepted()
    for target in targets:
        for pair, fault in target.results():
            yield _rejection(target, fault, f"{pair.good} / {pair.bad}") if fault else pair


def pair_requests(task: PairTask) -> Iterator[Request[Any]]:
    """The requests that the pairs take where every answer is good, for an estimate; replacements come on top."""
    for target in pair_targets(task):
        for _ in range(math.ceil(target.missing / target.quota)):
            if target.is_open:
                yield _next_job(target).request


def _next_job(target: PairTarget) -> _Job:
    """The request for the target's next batch, which counts as made."""
    rule, task, shown, sample = target.rule, target.task, list[GlossedSentence](), target.batches
    if task.is_grounded:
        sample, shown, made = target.attested()
        name, values = "ground_pairs", _grounded_values(target, shown, made)
    else:
        given = [f"{pair.good} / {pair.bad}" for pair, _ in target.offered]
        examples = [show_example(it.good, it.bad, it.translation) for it in target.shown()]
        name = "generate_pairs"
        values = {
            "count": str(target.quota),
            "examples": "\n\n".join(examples),
            "headwords": "\n".join(example.entry for example in target.shown() if example.entry),
            "given": "\n".join(given[-_MOST_GIVEN:]),
        }
    values |= {
        "language": task.language.name,
        "cautions": [f"- {caution}" for caution in task.language.cautions],
        "rule": describe_rule(rule),
    }
    target.batches += 1
    # The number tells requests apart that say the same because the one before gave nothing.
    prompt, subject = task.prompt(name).render(values), f"rule {rule.code}"
    return _Job(target, Request(prompt, PROMPTS[name], "generate", rule.source_id, subject, sample=sample), shown)


def _grounded_values(
    target: PairTarget, shown: Sequence[GlossedSentence], made: Sequence[Candidate]
) -> dict[str, Value]:
    """What a request for grounded pairs shows beside its rule; `made` are the pairs of its sentences."""
    rule, corpus, reasons = target.rule, target.task.corpus, target.task.standing.reasons
    given = [show_example(example.good, example.bad) for example in target.examples if example.bad]
    for pair in made:
        refused = f"\nrefused: {reasons[pair.id]}" if pair.id in reasons else ""
        given.append(show_example(pair.good, pair.bad) + refused)
    marked = (one for one in corpus.book.sentences if one.judgement is not None and one.block_id in rule.example_ids)
    given += [f"bad: {one.judgement}{one.sentence}" for one in marked]
    # Phrases of the book, of which no sentence is made, show what is meant.
    printed = {one.sentence for one in target.bearing}
    phrases = [it for it in target.examples if it.gloss and it.good not in printed]
    is_agreement = any(name in AGREEING for name, _ in target.demand.good)
    pronouns = corpus.pronouns(_EXCHANGES) if is_agreement else []
    sentences, listed = list[str](), set[str]()
    for number, one in enumerate(shown, start=1):
        # What the source says of an attested sentence, each line named.
        named = {
            "of": (one.variety or one.title) if corpus.is_other(one) else None,
            "segmentation": one.segmentation,
            "gloss": one.gloss,
            "translation": one.translation,
            "other forms": "; ".join(corpus.other_forms(one, rule, target.demand, listed)),
        }
        lines = (f"{name}: {line}" for name, line in named.items() if line)
        sentences.append("\n".join([f"{number}. {one.sentence}", *lines]))
    return {
        "count": str(len(shown)),
        "described": target.task.title,
        "examples": "\n".join(f"{it.good} = {it.gloss} ‘{it.translation or ''}’" for it in phrases),
        "beside": rules_beside([rule], target.task.rules),
        "given": "\n\n".join(given),
        "sentences": "\n\n".join(sentences),
        "exchanges": "\n".join([*corpus.exchanges(target.demand, _EXCHANGES), *pronouns]),
        "paradigms": "\n\n".join(corpus.paradigms(rule)),
    }


def _take(job: _Job, answer: Answer[Any]) -> Iterator[Rejection]:
    """What is no pair in an answer; its pairs are with the target."""
    target, value = job.target, answer.value
    if value is None:
        reason = f"no usable answer, {answer.outcome}: {answer.request.prompt.label}: {answer.reason}"
        yield _rejection(target, reason, answer.text)
        return
    if not value.pairs:
        target.is_exhausted = target.task.is_grounded
        yield _rejection(target, "no pair in the answer", answer.text)
    by_number = dict(enumerate(job.shown, start=1))
    for pair in value.pairs:
        good, bad = squeeze(pair.good), squeeze(pair.bad)
        if target.task.is_grounded:
            good, bad = map(target.task.corpus.written, (good, bad))
        base = by_number.get(pair.base) if isinstance(pair, GroundedPair) else None
        doubt = one_line(said(pair.doubt))
        if fault := f"the model doubts its pair: {doubt}" if doubt else target.fault_of(good, bad, base):
            yield _rejection(target, fault, f"{good} / {bad}")
        else:
            target.offered.append((_candidate(target, good, bad, pair.translation, answer.call, base), base))


def _candidate(
    target: PairTarget, good: str, bad: str, translation: str, asked: LLMCall, base: GlossedSentence | None
) -> Candidate:
    """A pair; `base` is the attested sentence that it was made from."""
    rule = target.rule
    verbatim = base is not None and comparison_key(base.sentence) == comparison_key(good)
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
        features=demanded_features(rule),
        evidence=_evidence(rule),
        asked=(asked,),
    )


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
