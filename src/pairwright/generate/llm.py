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
from pairwright.generate import WRITTEN
from pairwright.generate.pair_targets import Wish, wishes_of
from pairwright.generate.schemas import GeneratedPairs, Instance, Instances, Violation
from pairwright.ids import pair_id
from pairwright.languages import Language
from pairwright.llm import Answer, Asks, Request, ask_about
from pairwright.llm.exchange import one_line
from pairwright.morphology import Analyser
from pairwright.prompts.files import Prompt, Rendered, load_prompt
from pairwright.prompts.rule_description import demanded_features, describe_rule, show_example
from pairwright.records import Asked, Candidate, Evidence, Rejection, Rule
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
    """A request for one or several pairs of a wish; `sentence` is the one that is to be violated, with its answer."""

    wish: Wish
    count: int
    sentence: Instance | None = None
    asked: tuple[Asked, ...] = ()


_Jobs = list[tuple[_Job, Request[Any]]]


class _Requests:
    """Makes the requests of a stage."""

    def __init__(self, language: Language, settings: GenerateSettings, workspace: Path | None) -> None:
        self._language, self._settings = language, settings
        self._prompts = _load_prompts(workspace)
        self._cautions = [f"- {caution}" for caution in language.cautions] or ["(nothing)"]

    def first(self, wish: Wish, number: int) -> _Jobs:
        """What is asked of a wish at the beginning of a round: its missing pairs shared out among the directions."""
        directions = self._settings.directions
        made: _Jobs = []
        for place, direction in enumerate(directions):
            # The first directions take what can't be shared out evenly.
            count = (wish.missing + len(directions) - 1 - place) // len(directions)
            if count:
                prompt, output = (
                    (self._prompts.pairs, GeneratedPairs)
                    if direction == "pairs"
                    else (self._prompts.instances, Instances)
                )
                rendered = prompt.render(self._common(wish) | self._wanted(wish, count))
                made.append((_Job(wish, count), self._request(wish, rendered, output, number)))
        return made

    def violation(self, job: _Job, sentence: Instance, number: int) -> Request[Violation]:
        rendered = self._prompts.violations.render(self._common(job.wish) | {"sentence": sentence.sentence})
        return self._request(job.wish, rendered, Violation, number)

    def _request(self, wish: Wish, rendered: Rendered, output: type[Any], number: int) -> Request[Any]:
        rule = wish.rule
        return Request(rendered, output, LLM_STAGE, rule.source_id, subject=f"rule {rule.code}", sample=number)

    def _common(self, wish: Wish) -> dict[str, Any]:
        examples = [show_example(example.good, example.bad, example.translation) for example in wish.shown]
        examples += [
            f"a pair of another rule\n{show_example(pair.good, pair.bad, pair.translation)}"
            for pair in wish.model_pairs
        ]
        return {
            "language": self._language.name,
            "cautions": self._cautions,
            "rule": describe_rule(wish.rule, wish.exception),
            "examples": examples or ["(none)"],
        }

    def _wanted(self, wish: Wish, count: int) -> dict[str, Any]:
        return {
            "count": count,
            "words": f"{self._settings.min_words} to {self._settings.max_words}",
            "avoid": ", ".join(wish.avoid()[:_MOST_AVOIDED]) or "(none)",
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
    asks: Asks,
    lemmas: Analyser,
    workspace: Path | None = None,
) -> Iterator[Candidate | Rejection]:
    """Pairs for every rule that licenses one, and a Rejection for everything else that a model answered.

    lemmas     `lemmatiser_of(language)`: vocabularies are compared by it
    workspace  where prompts of its own may stand

    Which pairs come does not depend on how many requests are sent at a time. Raises PromptError, LLMError and
    BudgetError as `asks` does.
    """
    wishes = list(wishes_of(rules, language, settings, lemmas))
    requests = _Requests(language, settings, workspace)
    for number in range(settings.rounds):
        still = [wish for wish in wishes if wish.missing > 0]
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
    for wish in wishes_of(rules, language, settings, lemmas):
        for job, request in requests.first(wish, 0):
            yield request
            if foreseen and request.output is Instances:
                good = next((example.good for example in wish.rule.examples), wish.rule.title)
                stand_in = Instance(sentence=good, translation="")
                yield from (requests.violation(job, stand_in, sample) for sample in range(job.count))


def violation_requests(
    rules: Iterable[Rule],
    language: Language,
    settings: GenerateSettings,
    asks: Asks,
    lemmas: Analyser,
    workspace: Path | None = None,
) -> list[Request[Any]]:
    """The violations of the first round, for a second batch, once the answers to `pair_requests` are in the cache.

    A list, because the same client can't ask while it reads the requests of a batch.
    """
    made: list[Request[Any]] = []
    requests = _Requests(language, settings, workspace)
    wishes = list(wishes_of(rules, language, settings, lemmas))
    for job, answer in ask_about(asks, _first_of(wishes, requests, 0)):
        if not isinstance(answer.value, Instances):
            # Taken, because what is taken decides which sentences are worth a violation.
            list(_pairs(job, answer))
        else:
            good, _ = _instances(job, answer.value, answer)
            made += [requests.violation(item, item.sentence, 0) for item in good if item.sentence]
    return made


def _first_of(wishes: Sequence[Wish], requests: _Requests, number: int) -> Iterator[tuple[_Job, Request[Any]]]:
    """The requests of a wish are all made before any of its answers comes, so that no answer changes them."""
    for wish in wishes:
        yield from requests.first(wish, number)


def _pairs(job: _Job, answer: Answer[Any]) -> Iterator[Candidate | Rejection]:
    """What becomes of the pairs of an answer. What is over stays out, so that the other direction has its share."""
    if not isinstance(answer.value, GeneratedPairs):
        yield _unanswered(job.wish, answer)
        return
    if not answer.value.pairs:
        yield _rejection(job.wish, "no pair in the answer", answer.text)
    left = job.count
    for pair in answer.value.pairs:
        if left:
            result = _taken(job.wish, pair.good, pair.bad, pair.translation, (answer.provenance.asked,))
            left -= isinstance(result, Candidate)
        else:
            result = _rejection(job.wish, f"more than the pairs asked for: {job.count}", _shown(pair.good, pair.bad))
        yield result


def _instances(job: _Job, value: Instances, answer: Answer[Any]) -> tuple[list[_Job], list[Rejection]]:
    """The sentences that are worth asking for their violation, and what else was answered."""
    wish = job.wish
    good: list[_Job] = []
    rejected: list[Rejection] = []
    if not value.sentences:
        rejected.append(_rejection(wish, "no sentence in the answer", answer.text))
    for said in value.sentences:
        sentence = Instance(sentence=squeeze(said.sentence), translation=squeeze(said.translation))
        fault = wish.fault_of_sentence(sentence.sentence)
        if fault is None and not wish.is_new(sentence.sentence):
            fault = "given twice"
        if fault is None and len(good) >= job.count:
            fault = f"more than the sentences asked for: {job.count}"
        if fault:
            rejected.append(_rejection(wish, fault, sentence.sentence))
        else:
            good.append(_Job(wish, 1, sentence, (answer.provenance.asked,)))
    return good, rejected


def _violated(job: _Job, answer: Answer[Any]) -> Candidate | Rejection:
    assert job.sentence is not None
    if not isinstance(answer.value, Violation):
        return _unanswered(job.wish, answer, job.sentence.sentence)
    if not answer.value.bad.strip():
        return _rejection(job.wish, "the model finds no violation of this sentence", job.sentence.sentence)
    asked = (*job.asked, answer.provenance.asked)
    return _taken(job.wish, job.sentence.sentence, answer.value.bad, job.sentence.translation, asked)


def _taken(wish: Wish, good: str, bad: str, translation: str, asked: tuple[Asked, ...]) -> Candidate | Rejection:
    good, bad, translation = squeeze(good), squeeze(bad), squeeze(translation)
    fault = wish.take(good, bad)
    if fault:
        return _rejection(wish, fault, _shown(good, bad))
    rule = wish.rule
    return Candidate(
        id=pair_id(rule.id, good, bad),
        rule_id=rule.id,
        source_id=rule.source_id,
        good=good,
        bad=bad,
        changes=changes(good, bad),
        method="llm",
        translation=translation or None,
        features=demanded_features(rule, wish.exception),
        exception=wish.exception is not None,
        note=wish.exception,
        evidence=_evidence(rule),
        asked=asked,
    )


def _unanswered(wish: Wish, answer: Answer[Any], about: str = "") -> Rejection:
    said = f"no usable answer, {answer.outcome}: {answer.request.prompt.label}: {answer.reason}"
    return _rejection(wish, said, f"{about} {answer.text}" if about else answer.text)


def _shown(good: str, bad: str) -> str:
    return f"{good} / {bad}"


def _rejection(wish: Wish, reason: str, text: str) -> Rejection:
    evidence = _evidence(wish.rule)
    return Rejection(
        stage=WRITTEN.name,
        source_id=wish.rule.source_id,
        reason=reason,
        text=one_line(f"{wish.rule.code}: {text}", _LONGEST_QUOTE),
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
