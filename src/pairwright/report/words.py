"""What was done and what it can't show, in sentences that come from the run records and never from habit."""

from collections.abc import Sequence

from pairwright.releases import Release
from pairwright.report.summary import Measured, ModelSummary, Summary
from pairwright.runs import ScoringPolicy
from pairwright.stats.intervals import Accuracy

FEW = 10

POLICY_WORDS = {
    ("prefix", ""): "Each sentence was scored on its own, with no text before it.",
    ("normalisation", "NFC"): "Letters were brought into Unicode normal form C first.",
    ("specials", "text"): "The name of a special token inside a sentence was read as plain text.",
    ("eos", "unscored"): "No end-of-sequence token was scored.",
}

MEASURES = (
    "sum_logprob is the sum of the natural logarithms of the probabilities of a sentence's scored tokens, in nats; "
    "a model is right on a pair when the good sentence has the higher sum. "
    "mean_nll is minus that sum by the number of scored tokens, in nats per token; a model is right when the good "
    "sentence has the lower mean.",
    "The two can disagree only where the sentences of a pair have different numbers of tokens: the sum then favours "
    "the shorter sentence, the mean the one whose additional tokens are easy to predict.",
    "A tie, two equal scores, counts as not right and is named. Choosing at random is right on 50% of pairs.",
)

INTERVALS = (
    "Intervals are 95% Wilson score intervals (Wilson 1927, Journal of the American Statistical Association 22, "
    "209-212). They take pairs as independent; pairs of one rule resemble each other, so the true uncertainty is wider."
)


def result_words(summary: Summary) -> list[str]:
    """The main result, a sentence a model; of more than three models the first and the last alone."""
    everything, models = summary.overall[0], summary.models
    told = range(len(models)) if len(models) <= 3 else (0, len(models) - 1)
    words = [_result(models[index], everything.results[index]) for index in told]
    if len(models) > 3:
        words.insert(0, f"{len(models)} models were measured; these are the best and the last by sum_logprob.")
    return words


def percent(accuracy: Accuracy) -> str:
    return f"{100 * accuracy.value:.1f}%"


def interval(accuracy: Accuracy) -> str:
    """The ends of the interval in percent, without the sign."""
    return f"{100 * accuracy.interval.low:.1f}–{100 * accuracy.interval.high:.1f}"


def _result(model: ModelSummary, measured: Measured) -> str:
    if measured.by_sum is None or measured.by_mean is None:
        return f"{model.label} has usable scores for no pair."
    by_sum, by_mean = measured.by_sum, measured.by_mean
    return (
        f"{model.label} finds the good sentence more probable in {by_sum.correct} of {by_sum.n} pairs "
        f"({percent(by_sum)}, 95% interval {interval(by_sum)}) by the sum of log-probabilities, and in "
        f"{by_mean.correct} ({percent(by_mean)}, {interval(by_mean)}) by the mean per token."
    )


def policy_words(policy: ScoringPolicy) -> list[str]:
    """How a sentence became numbers, one sentence a setting; a setting without words is given by name and value."""
    settings = policy.model_dump(exclude={"bos", "first_token", "version"})
    told = [POLICY_WORDS.get((name, value), f"Setting {name}: {value}.") for name, value in settings.items()]
    return [*told, f"Scoring policy version {policy.version}."]


def first_token_words(model: ModelSummary) -> str:
    """What stood before the first token of a sentence, and whether that token was scored."""
    run = model.run
    before = (
        "no beginning-of-sequence token, since the model has none"
        if run.model.bos_token_id is None
        else f"exactly one beginning-of-sequence token (id {run.model.bos_token_id})"
    )
    scored = "the first token is scored" if run.first_token_scored else "the first token is not scored"
    return f"{before}; {scored}"


def method_words(summary: Summary) -> list[str]:
    """The methods of a report, a paragraph each."""
    policies = list(dict.fromkeys(model.run.policy for model in summary.models))
    how = [
        (f"{_names(summary.models, policy)}: " if len(policies) > 1 else "") + " ".join(policy_words(policy))
        for policy in policies
    ]
    tokens = [f"{model.label}: {first_token_words(model)}." for model in summary.models]
    return [*how, *tokens, *MEASURES, INTERVALS]


def limit_words(release: Release, summary: Summary) -> list[str]:
    """What a reader has to keep in mind, a sentence each; only what is true of these runs."""
    words = [*_unscored_words(summary), *_comparison_words(summary)]
    small = [group for group in summary.by_rule if group.n_pairs < FEW]
    if small:
        words.append(
            f"{len(small)} of {len(summary.by_rule)} rules have fewer than {FEW} pairs: "
            "their rows show where to look, not what a model knows."
        )
    if release.info.n_exceptions:
        words.append(
            f"{release.info.n_exceptions} of {release.info.n_pairs} pairs are exceptions, in which the rule of the "
            "source does not hold; they are counted in all tables unless a row says otherwise."
        )
    words += [
        "The pairs show what the sources describe, not all of a language.",
        "Sentences of a published source may have been in a model's training data.",
        "Finding the good sentence more probable is not the same as judging it acceptable.",
    ]
    return words


def _unscored_words(summary: Summary) -> list[str]:
    words = []
    for model in summary.models:
        for ids, fault in ((model.missing, "no score"), (model.unusable, "a score that is not a finite number")):
            if ids:
                more = f" and {len(ids) - FEW} more" if len(ids) > FEW else ""
                words.append(
                    f"{model.label} has {fault} for {len(ids)} of {model.run.n_pairs} pairs, which are in none of its "
                    f"numbers: {', '.join(ids[:FEW])}{more}."
                )
    return words


def _comparison_words(summary: Summary) -> list[str]:
    words = []
    if len({model.run.policy for model in summary.models}) > 1:
        words.append("The models were scored under different policies, so their numbers do not compare.")
    if len({model.run.first_token_scored for model in summary.models}) > 1:
        words.append(
            "The first token is scored for some models only, so sums compare within a model, not between them."
        )
    if len({model.run.model.dtype for model in summary.models}) > 1:
        words.append("The models ran in different number formats, which can turn pairs with narrow margins.")
    return words


def _names(models: Sequence[ModelSummary], policy: ScoringPolicy) -> str:
    return ", ".join(model.label for model in models if model.run.policy == policy)
