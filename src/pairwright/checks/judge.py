"""Checks that read what a language model said of pairs, if one was asked."""

from collections.abc import Iterator

from pairwright.checks.check import Context, Fault, pair_check
from pairwright.core.errors import one_line
from pairwright.core.records import Candidate, LLMJudgment


@pair_check("judge-reject", "error")
def rejected(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The language model that judges pairs rejects this one, or takes the bad sentence for the good one, in both orders
    of the sentences."""
    judgment = context.judgments.get(candidate.id)
    if judgment and judgment.verdict == "reject" and not judgment.audited:
        yield Fault(f"{_judge(judgment)} {_objections(judgment)}: {judgment.reason}")


@pair_check("judge-held", "error")
def held(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge finds a forced reading in which the bad sentence is good, and the rule has a better pair."""
    judgment = context.judgments.get(candidate.id)
    if judgment and judgment.held and not judgment.audited:
        yield Fault(f"{_judge(judgment)} finds the bad sentence good in a forced reading: {judgment.reading}", "bad")


@pair_check("judge-doubt", "warning")
def doubted(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge rejects the pair in one order of its sentences alone, or accepts it with a low score, or with a reading
    in which the bad sentence may be good."""
    judgment, least = context.judgments.get(candidate.id), context.judge.accept_score
    if judgment is None or judgment.decided_by == "nothing" or (judgment.held and not judgment.audited):
        return
    if judgment.verdict == "doubt":
        second = "contradicts that with the sentences exchanged" if judgment.asked_again else "gave no second answer"
        yield Fault(f"{_judge(judgment)} {_objections(judgment)} and {second}: {judgment.reason}")
    elif judgment.verdict == "pass" and judgment.score < least:
        yield Fault(f"{_judge(judgment)} gives it {judgment.score} of 10 (limit {least}): {judgment.reason}")
    elif judgment.verdict == "pass" and judgment.reading:
        yield Fault(f"{_judge(judgment)} finds the bad sentence good in a forced reading: {judgment.reading}", "bad")


@pair_check("judge-unknown-language", "warning")
def unknown_language(candidate: Candidate, context: Context) -> Iterator[Fault]:
    """The judge can't tell: it does not know the language well enough, and nothing in the source decides."""
    judgment = context.judgments.get(candidate.id)
    if judgment and judgment.decided_by == "nothing":
        yield Fault(f"{_judge(judgment)} can't tell in {context.language.name}: people alone decide")


def _judge(judgment: LLMJudgment) -> str:
    return f"the judge {one_line(judgment.asked.model_label, 60)}"


def _objections(judgment: LLMJudgment) -> str:
    """Everything that a judgment says against a pair."""
    if judgment.exchanged:
        return "takes the bad sentence for the good one"
    objections = {
        "the sentences are no instances of the rule": not judgment.instance,
        "the good sentence is not acceptable": not judgment.good_grammatical,
        "the bad sentence does not break this rule": not judgment.bad_breaks_rule,
        "more than one thing differs": not judgment.only_change,
        f"the bad sentence is right in another reading ({judgment.reading})": judgment.reading_natural,
    }
    return f"says that {' and that '.join(words for words, applies in objections.items() if applies)}"
