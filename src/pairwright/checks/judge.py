"""The back-check: a language model says which of two sentences breaks a rule, without knowing which one should.

It sees the sentences as A and B, in an order that the pair's id decides, because models prefer a place (Zheng et al.,
2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena). Its answer becomes an `LLMJudgment`, which checks read
and which decides nothing: reviewers judge what passes, and `calibration` measures how far the two agree.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pairwright.checks.check import Context, Fault, pair_check
from pairwright.config import JudgeSettings
from pairwright.ids import digest
from pairwright.languages import Language
from pairwright.llm import Answer, Completer, Request
from pairwright.llm.exchange import one_line
from pairwright.prompts.files import Prompt, Value, load_prompt
from pairwright.prompts.rule_description import describe_rule, examples_shown, show_example
from pairwright.records import Candidate, LLMJudgment, Rejection, Rule
from pairwright.text import comparison_key, squeeze

LLM_STAGE = "judge"
"""The stage's name in `[llm.models]`, in the ledger and of its rejections."""

_LONGEST_REASON = 400
_Score = Annotated[int, Field(ge=0, le=10)]


class Judgement(BaseModel):
    """The answer to `judge_pair`."""

    reason: str
    a_grammatical: bool
    b_grammatical: bool
    breaks_rule: Literal["A", "B", "both", "neither"]
    instance: bool
    score: _Score
    translation_score: _Score | None
    verdict: Literal["accept", "reject"]


def judge_prompt(workspace: Path | None = None) -> Prompt:
    """The newest version of the judge's prompt, whose hash decides whether judgments are fresh. Raises PromptError."""
    return load_prompt("judge_pair", workspace=workspace)


def judge_requests(
    candidates: Iterable[Candidate],
    rules: Mapping[str, Rule],
    language: Language,
    settings: JudgeSettings,
    workspace: Path | None = None,
) -> Iterator[Request[Judgement]]:
    """What `judge_pairs` asks, for a batch or an estimate."""
    prompt = judge_prompt(workspace)
    for pair in candidates:
        if pair.method in settings.methods and pair.rule_id in rules:
            rendered = prompt.render(_values(pair, rules[pair.rule_id], language, settings))
            yield Request(rendered, Judgement, LLM_STAGE, pair.source_id, subject=pair.id)


def judge_pairs(
    candidates: Iterable[Candidate],
    rules: Mapping[str, Rule],
    language: Language,
    settings: JudgeSettings,
    completer: Completer,
    workspace: Path | None = None,
) -> Iterator[LLMJudgment | Rejection]:
    """A judgment on every pair whose method is to be judged, in order; a Rejection if the model gave none.

    The Rejection is of the judgment, not of the pair. Raises PromptError, and LLMError and BudgetError as the
    `completer` does.
    """
    judged = []
    for pair in candidates:
        if pair.method in settings.methods and pair.rule_id in rules:
            judged.append(pair)
        elif pair.method in settings.methods:
            yield _rejection(pair, "no judgment, no rule: its rule is not among the rules; run the rules stage")
    requests = judge_requests(judged, rules, language, settings, workspace)
    for pair, answer in zip(judged, completer.run(requests), strict=True):
        yield _judgment(pair, answer)


def shown_as(identity: str) -> Literal["A", "B"]:
    """The letter under which the judge sees the good sentence of a pair. The id fixes it, and half of many get A."""
    return "A" if int(digest(["order of the judge", identity])[:8], 16) % 2 == 0 else "B"


def _values(candidate: Candidate, rule: Rule, language: Language, settings: JudgeSettings) -> dict[str, Value]:
    """The variables of the prompt. A source's own pair is not shown among the examples of its rule."""
    own = {comparison_key(sentence) for sentence in (candidate.good, candidate.bad)}
    examples = examples_shown(rule, settings.examples, without=own)
    first, second = candidate.good, candidate.bad
    if shown_as(candidate.id) == "B":
        first, second = second, first
    return {
        "language": language.name,
        "cautions": [f"- {caution}" for caution in language.cautions] or "(nothing)",
        "rule": describe_rule(rule, _exception(candidate, rule)),
        "examples": [show_example(example.good, example.bad) for example in examples] or ["(none)"],
        "sentence_a": first,
        "sentence_b": second,
        "translation": candidate.translation or "(none)",
    }


def _exception(candidate: Candidate, rule: Rule) -> str | None:
    """The exception that a pair is about: its note if this is one of the rule's exceptions, else all of them."""
    if not candidate.exception:
        return None
    return candidate.note if candidate.note in rule.exceptions else "; ".join((*rule.exceptions, *rule.notes))


def _judgment(candidate: Candidate, answer: Answer[Judgement]) -> LLMJudgment | Rejection:
    said = answer.value
    if said is None:
        return _rejection(candidate, f"no judgment, {answer.outcome}: {answer.reason}", answer.text)
    good = shown_as(candidate.id)
    bad = "B" if good == "A" else "A"
    grammatical = {"A": said.a_grammatical, "B": said.b_grammatical}
    bad_breaks_rule = said.breaks_rule == bad and not grammatical[bad]
    exchanged = said.breaks_rule == good
    accepted = said.verdict == "accept" and bad_breaks_rule and grammatical[good] and said.instance
    reason = f"{squeeze(said.reason)} (A is the {'good' if good == 'A' else 'bad'} sentence)"
    return LLMJudgment(
        pair_id=candidate.id,
        good_shown_as=good,
        exchanged=exchanged,
        instance=said.instance and not exchanged,
        good_grammatical=grammatical[good],
        bad_breaks_rule=bad_breaks_rule,
        score=said.score,
        # The judge was asked about the sentence that it takes for the right one.
        translation_score=said.translation_score if candidate.translation and not exchanged else None,
        verdict="pass" if accepted else "reject",
        reason=one_line(reason, _LONGEST_REASON),
        asked=answer.call,
    )


def _rejection(candidate: Candidate, reason: str, answer: str = "") -> Rejection:
    place = candidate.evidence.model_dump(include={"file", "page", "line"})
    text = one_line(f"{candidate.id}: {candidate.good} / {candidate.bad} {answer}", _LONGEST_REASON)
    return Rejection(stage=LLM_STAGE, source_id=candidate.source_id, reason=reason, text=text, **place)


@pair_check("judge-reject", "error")
def rejected(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The language model that judges pairs rejects this one, or takes the bad sentence for the good one."""
    if (judgment := context.judgments.get(candidate.id)) and judgment.verdict == "reject":
        yield Fault(f"{_judge(judgment)} {_objections(judgment)}: {judgment.reason}")


@pair_check("judge-doubt", "warning")
def doubted(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge accepts the pair with a low score."""
    judgment, least = context.judgments.get(candidate.id), context.judge.accept_score
    if judgment and judgment.verdict == "pass" and judgment.score < least:
        yield Fault(f"{_judge(judgment)} gives it {judgment.score} of 10 (limit {least}): {judgment.reason}")


@pair_check("judge-translation", "warning")
def badly_translated(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge finds that the translation renders the good sentence badly."""
    judgment, least = context.judgments.get(candidate.id), context.judge.translation_score
    if judgment and judgment.translation_score is not None and judgment.translation_score < least:
        score = f"{judgment.translation_score} of 10 (limit {least})"
        yield Fault(f"{_judge(judgment)} gives the translation {score}", "good")


def _judge(judgment: LLMJudgment) -> str:
    return f"the judge {one_line(judgment.asked.model_label, 60)}"


def _objections(judgment: LLMJudgment) -> str:
    """Everything that a judgment says against a pair."""
    if judgment.exchanged:
        return "takes the bad sentence for the good one"
    objections = {
        "the good sentence is no instance of the rule": not judgment.instance,
        "the good sentence is not acceptable": not judgment.good_grammatical,
        "the bad sentence does not break this rule": not judgment.bad_breaks_rule,
    }
    raised = [words for words, applies in objections.items() if applies]
    return f"says that {' and that '.join(raised)}" if raised else "rejects it"
