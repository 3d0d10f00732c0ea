"""The back-check: a language model says which of two sentences breaks a rule, without being told which is meant to.

It sees the sentences as A and B, in an order that the pair's id decides, because models prefer a place (Zheng et al.,
2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena). Its answer is an `Opinion` that checks read, and never a
decision: reviewers judge what passes, and `calibration` says how far the two agree.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pairwright.checks.check import Context, Fault
from pairwright.config import JudgeSettings
from pairwright.ids import digest
from pairwright.languages import Language
from pairwright.llm import Answer, Asks, Request, ask_about
from pairwright.llm.exchange import one_line
from pairwright.prompts.files import Prompt, load_prompt
from pairwright.prompts.rule_description import describe_rule, examples_shown, show_example
from pairwright.records import Candidate, Opinion, Rejection, Rule
from pairwright.text import comparison_key, squeeze

LLM_STAGE = "judge"
"""The stage's name in `[llm.models]`, in the ledger and of its rejections."""

_LONGEST_REASON = 400
_Letter = Literal["A", "B"]
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
    """The newest version of the judge's prompt, whose hash decides whether opinions are fresh. Raises PromptError."""
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
    for candidate in candidates:
        if candidate.method in settings.methods and candidate.rule_id in rules:
            yield _request(candidate, rules[candidate.rule_id], language, settings, prompt)


def judge_pairs(
    candidates: Iterable[Candidate],
    rules: Mapping[str, Rule],
    language: Language,
    settings: JudgeSettings,
    asks: Asks,
    workspace: Path | None = None,
) -> Iterator[Opinion | Rejection]:
    """An opinion on every pair whose method is to be judged, in order; a Rejection where the model gave none.

    A pair without an opinion is not rejected by that: the Rejection is of the opinion. Raises PromptError, LLMError and
    BudgetError as `asks` does.
    """
    prompt = judge_prompt(workspace)
    judged = [candidate for candidate in candidates if candidate.method in settings.methods]
    known = [candidate for candidate in judged if candidate.rule_id in rules]
    for candidate in judged:
        if candidate.rule_id not in rules:
            yield _rejection(candidate, "no opinion, no rule: its rule is not among the rules; run the rules stage", "")
    requests = ((pair, _request(pair, rules[pair.rule_id], language, settings, prompt)) for pair in known)
    for candidate, answer in ask_about(asks, requests):
        yield _opinion(candidate, answer)


def shown_as(identity: str) -> _Letter:
    """The letter under which the judge sees the good sentence of a pair: it is fixed by the id, and even over many."""
    return "A" if int(digest(["order of the judge", identity])[:8], 16) % 2 == 0 else "B"


def _request(
    candidate: Candidate, rule: Rule, language: Language, settings: JudgeSettings, prompt: Prompt
) -> Request[Judgement]:
    """The pair itself is never among the examples, as it is where a source's own pairs are judged."""
    exception = _exception(candidate, rule)
    own = {comparison_key(sentence) for sentence in (candidate.good, candidate.bad)}
    examples = examples_shown(rule, settings.examples, without=own)
    first, second = candidate.good, candidate.bad
    if shown_as(candidate.id) == "B":
        first, second = second, first
    rendered = prompt.render(
        {
            "language": language.name,
            "cautions": [f"- {caution}" for caution in language.cautions] or "(nothing)",
            "rule": describe_rule(rule, exception),
            "examples": [show_example(example.good, example.bad) for example in examples] or ["(none)"],
            "sentence_a": first,
            "sentence_b": second,
            "translation": candidate.translation or "(none)",
        }
    )
    return Request(rendered, Judgement, LLM_STAGE, candidate.source_id, subject=candidate.id)


def _exception(candidate: Candidate, rule: Rule) -> str | None:
    """The exception that a pair is about: its note where this is one of the rule's, else all of them."""
    if not candidate.exception:
        return None
    return candidate.note if candidate.note in rule.exceptions else "; ".join((*rule.exceptions, *rule.notes))


def _opinion(candidate: Candidate, answer: Answer[Judgement]) -> Opinion | Rejection:
    said = answer.value
    if said is None:
        return _rejection(candidate, f"no opinion, {answer.outcome}: {answer.reason}", answer.text)
    good, bad = ("A", "B") if shown_as(candidate.id) == "A" else ("B", "A")
    grammatical = {"A": said.a_grammatical, "B": said.b_grammatical}
    bad_breaks_rule = said.breaks_rule == bad and not grammatical[bad]
    exchanged = said.breaks_rule == good
    accepted = said.verdict == "accept" and bad_breaks_rule and grammatical[good] and said.instance
    return Opinion(
        pair_id=candidate.id,
        good_shown_as="A" if good == "A" else "B",
        exchanged=exchanged,
        instance=said.instance and not exchanged,
        good_grammatical=grammatical[good],
        bad_breaks_rule=bad_breaks_rule,
        score=said.score,
        # The judge was asked about the sentence that it takes for the right one.
        translation_score=said.translation_score if candidate.translation and not exchanged else None,
        verdict="pass" if accepted else "reject",
        reason=one_line(_named(squeeze(said.reason), good), _LONGEST_REASON),
        asked=answer.provenance.asked,
    )


def _named(reason: str, good: str) -> str:
    """A reason that speaks of A and B, with a word on which of them was the good sentence."""
    return f"{reason} (A is the {'good' if good == 'A' else 'bad'} sentence)"


def _rejection(candidate: Candidate, reason: str, text: str) -> Rejection:
    evidence = candidate.evidence
    return Rejection(
        stage=LLM_STAGE,
        source_id=candidate.source_id,
        reason=reason,
        text=one_line(f"{candidate.id}: {candidate.good} / {candidate.bad} {text}", _LONGEST_REASON),
        file=evidence.file,
        page=evidence.page,
        line=evidence.line,
    )


def rejected(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge rejects the pair, or takes the bad sentence for the good one."""
    opinion = context.opinions.get(candidate.id)
    if opinion and opinion.verdict == "reject":
        yield Fault(f"{_who(opinion)} {_against(opinion)}: {opinion.reason}")


def doubted(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge accepts the pair with a low score."""
    opinion, least = context.opinions.get(candidate.id), context.judge.accept_score
    if opinion and opinion.verdict == "pass" and opinion.score < least:
        yield Fault(f"{_who(opinion)} gives it {opinion.score} of 10 (limit {least}): {opinion.reason}")


def badly_translated(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge finds that the translation renders the good sentence badly."""
    opinion, least = context.opinions.get(candidate.id), context.judge.translation_score
    if opinion and opinion.translation_score is not None and opinion.translation_score < least:
        yield Fault(f"{_who(opinion)} gives the translation {opinion.translation_score} of 10 (limit {least})", "good")


def _who(opinion: Opinion) -> str:
    return f"the judge {one_line(opinion.asked.model, 60)}"


def _against(opinion: Opinion) -> str:
    """All that an opinion says against a pair."""
    if opinion.exchanged:
        return "takes the bad sentence for the good one"
    told = {
        "the good sentence is no instance of the rule": not opinion.instance,
        "the good sentence is not acceptable": not opinion.good_grammatical,
        "the bad sentence does not break this rule": not opinion.bad_breaks_rule,
    }
    faults = [words for words, said in told.items() if said]
    return f"says that {' and that '.join(faults)}" if faults else "rejects it"
