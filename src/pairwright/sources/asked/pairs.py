"""New minimal pairs from a language model: requested in batches, accepted only if they are new and varied.

They are made from sentences that the source attests (`ground_pairs`) for languages that models hardly know, else
written anew (`generate_pairs`). A pair that is not accepted is a Rejection with the reason; one that is more than
wanted is kept as the reserve, and takes the place of one that checks, the judge or reviewers refuse.

The docstrings of the models that answers must fit are part of the JSON schemas that servers get, so to change one is to
ask another question.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from pairwright.core.errors import one_line
from pairwright.core.ids import pair_id
from pairwright.core.records import Candidate, Evidence, LLMCall, Rejection, Rule
from pairwright.core.records.documents import LLM_PAIRS
from pairwright.core.text import comparison_key, squeeze
from pairwright.languages.linguistics.glosses import GlossedSentence
from pairwright.languages.linguistics.sentences import changes
from pairwright.models.chat import Answer, Completer, Request, ask_about
from pairwright.models.prompts import Value, demanded_features, describe_rule, load_prompt, rules_beside, show_example
from pairwright.sources import said
from pairwright.sources.asked.targets import PairTarget, PairTask, Shape, pair_targets

_LONGEST_QUOTE = 400
# How many earlier pairs a request for new sentences shows.
_MOST_GIVEN = 40
# Rules that share a request, and the attested sentences that it shows for all of them.
_RULES_AT_ONCE, _SENTENCES_AT_ONCE = 6, 24


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


_Parts = list[tuple[PairTarget, list[GlossedSentence]]]
"""What a request asks for: of each target pairs of the sentences that are shown for it, or of one target new ones."""


def llm_candidates(task: PairTask, completer: Completer) -> Iterator[Candidate | Rejection]:
    """The pairs of each rule, the reserve marked, and a Rejection for everything in the answers that is no pair.

    In each round every rule that still lacks pairs is asked for a batch. The pairs do not depend on how many requests
    are sent at a time. Raises PromptError, and LLMError and BudgetError as the `completer` does.
    """
    targets = list(pair_targets(task))
    for target in targets:
        if target.ground_fault:
            yield _rejection(target, target.ground_fault, target.rule.title)
    groups = _first_groups(targets)
    while groups:
        for parts, answer in ask_about(completer, map(_next_request, groups)):
            yield from _take(parts, answer)
        # What a rule lacks also depends on the pairs of the rules before it.
        accepted: list[Shape] = []
        for target in targets:
            target.others = tuple(accepted)
            accepted += target.accepted()
        groups = [[target] for target in targets if target.is_open]
    for target in targets:
        for pair, fault in target.results():
            yield _rejection(target, fault, f"{pair.good} / {pair.bad}") if fault else pair


def pair_requests(task: PairTask) -> Iterator[Request[Any]]:
    """The requests that the pairs take where every answer is good, for an estimate; replacements come on top."""
    targets = list(pair_targets(task))
    yield from (_next_request(group)[1] for group in _first_groups(targets))
    for target in targets:
        for _ in range(1, math.ceil(target.missing / target.quota)):
            if target.is_open:
                yield _next_request([target])[1]


def _first_groups(targets: Iterable[PairTarget]) -> list[list[PairTarget]]:
    """The targets that each request of the first round is for: where it shows attested sentences, several.

    They do not depend on which rules still lack pairs, so that a stage that goes on repeats its requests.
    """
    groups: list[list[PairTarget]] = []
    left = 0
    for target in (it for it in targets if it.ground_fault is None):
        left -= len(target.sentences(0))
        if not (groups and target.task.is_grounded and left >= 0 and len(groups[-1]) < _RULES_AT_ONCE):
            groups.append([])
            left = _SENTENCES_AT_ONCE - len(target.sentences(0))
        groups[-1].append(target)
    return [group for group in groups if any(target.is_open for target in group)]


def _next_request(targets: Sequence[PairTarget]) -> tuple[_Parts, Request[Any]]:
    """The request for the next batch of some targets, which counts as made; for new sentences, there is one target."""
    (task, rule), sample = (targets[0].task, targets[0].rule), targets[0].batches
    if task.is_grounded:
        name, (sample, parts, values) = "ground_pairs", _grounded(targets)
    else:
        (target,) = targets
        name, parts = "generate_pairs", [(target, [])]
        given = [f"{pair.good} / {pair.bad}" for pair, _ in target.offered]
        examples = [show_example(it.good, it.bad, it.translation) for it in target.shown()]
        values = {
            "count": str(target.quota),
            "rule": describe_rule(rule),
            "examples": "\n\n".join(examples),
            "headwords": "\n".join(example.entry for example in target.shown() if example.entry),
            "given": "\n".join(given[-_MOST_GIVEN:]),
        }
    values |= {"language": task.language.name, "cautions": [f"- {caution}" for caution in task.language.cautions]}
    for target in targets:
        target.batches += 1
    subject = f"rule {rule.code}" if len(targets) == 1 else f"{len(targets)} rules from {rule.code}"
    # The number tells requests apart that say the same because the one before gave nothing.
    prompt = load_prompt(name, workspace=task.workspace).render(values)
    return parts, Request(prompt, PROMPTS[name], "generate", rule.source_id, subject, sample=sample)


def _grounded(targets: Sequence[PairTarget]) -> tuple[int, _Parts, dict[str, Value]]:
    """The number of a request for grounded pairs, its parts, and what it shows: sentences are numbered through."""
    corpus, rules = targets[0].task.corpus, [target.rule for target in targets]
    parts, shown_rules, listed, sample, first = _Parts(), list[str](), set[str](), 0, 1
    for number, target in enumerate(targets, start=1):
        sample, shown, made = target.attested()
        # Phrases of the book show what is meant, but no sentence is made of them.
        printed = {one.sentence for one in target.bearing}
        phrases = (it for it in target.examples if it.gloss and it.good not in printed)
        parts.append((target, shown))
        lines = {
            "phrases that show it, which are no bases": "\n".join(
                f"{it.good} = {it.gloss} ‘{it.translation or ''}’" for it in phrases
            ),
            "pairs that there are already, some refused": "\n\n".join(_given(target, made)),
            "attested sentences": "\n\n".join(
                f"{at}. {_attested(one, target, listed)}" for at, one in enumerate(shown, start=first)
            ),
        }
        first += len(shown)
        described = [f"rule {number}\n{describe_rule(target.rule)}"]
        shown_rules.append("\n\n".join([*described, *(f"{name}:\n{text}" for name, text in lines.items() if text)]))
    values: dict[str, Value] = {
        "described": targets[0].task.title,
        "rules": "\n\n".join(shown_rules),
        "beside": rules_beside(rules, targets[0].task.rules),
        "paradigms": "\n\n".join(corpus.paradigms(*rules)),
    }
    return sample, parts, values


def _given(target: PairTarget, made: Sequence[Candidate]) -> list[str]:
    """The pairs that the source gives, those that were `made` of the sentences shown, and what the source stars."""
    rule, reasons = target.rule, target.task.standing.reasons
    given = [show_example(example.good, example.bad) for example in target.examples if example.bad]
    for pair in made:
        refused = f"\nrefused: {reasons[pair.id]}" if pair.id in reasons else ""
        given.append(show_example(pair.good, pair.bad) + refused)
    starred = (it for it in target.task.corpus.book.sentences if it.judgement is not None)
    return given + [f"bad: {it.judgement}{it.sentence}" for it in starred if it.block_id in rule.example_ids]


def _attested(one: GlossedSentence, target: PairTarget, listed: set[str]) -> str:
    """What the source says of an attested sentence, each line named."""
    corpus = target.task.corpus
    named = {
        "of": (one.variety or one.title) if corpus.is_other(one) else None,
        "segmentation": one.segmentation,
        "gloss": one.gloss,
        "translation": one.translation,
        "other forms": "; ".join(corpus.other_forms(one, target.rule, target.demand, listed)),
    }
    return "\n".join([one.sentence, *(f"{name}: {line}" for name, line in named.items() if line)])


def _take(parts: _Parts, answer: Answer[Any]) -> Iterator[Rejection]:
    """What is no pair in an answer; its pairs are with the targets."""
    if answer.value is None:
        reason = f"no usable answer, {answer.outcome}: {answer.request.prompt.label}: {answer.reason}"
        yield from (_rejection(target, reason, answer.text) for target, _ in parts)
        return
    # Of new sentences, all are for the one target; of attested ones, each is for the target that it was shown for.
    bases = dict(enumerate(((target, one) for target, shown in parts for one in shown), start=1))
    used = set[int]()
    for pair in answer.value.pairs:
        target, base = bases.get(pair.base, (parts[0][0], None)) if bases else (parts[0][0], None)
        used.add(id(target))
        good, bad = squeeze(pair.good), squeeze(pair.bad)
        if base:
            good, bad = map(target.task.corpus.written, (good, bad))
        doubt = one_line(said(pair.doubt))
        if fault := f"the model doubts its pair: {doubt}" if doubt else target.fault_of(good, bad, base):
            yield _rejection(target, fault, f"{good} / {bad}")
        else:
            target.offered.append((_candidate(target, good, bad, pair.translation, answer.call, base), base))
    for target in (target for target, _ in parts if id(target) not in used):
        target.is_exhausted = target.task.is_grounded
        yield _rejection(target, "no pair in the answer", answer.text if len(parts) == 1 else "")


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
