"""What was done and what it can't show, in sentences that follow from the run records."""

from pairwright.records.evaluation import ScoringPolicy
from pairwright.records.release import Release
from pairwright.report.analysis.groups import FEW, FEWEST_CLUSTERS, GROUP_RESAMPLES
from pairwright.report.analysis.summary import ModelSummary, Summary
from pairwright.stats.bootstrap import RESAMPLES, SEED

# How each kind of model was scored, and what happened to a sentence first; a setting that changes nothing says nothing.
_KINDS: dict[str, str] = {
    "causal": "Each token was scored given those before it.",
    "masked-pll": "Each token was hidden and scored given all others (Salazar and others 2020, ACL, 2699-2712).",
    "masked-pll-within-word": "Each token was hidden with those to its right in the same word, and scored given the "
    "others (Kauf and Ivanova 2023, ACL, 925-935).",
    "seq2seq": "The decoder scored each token given those before it.",
}
_SETTINGS: dict[tuple[str, object], str] = {
    ("final_period", "as-is"): "",
    ("final_period", "removed"): "A period at the end of a sentence was removed first.",
    ("final_period", "added"): "A period was added where a sentence ends without punctuation.",
    ("case", "as-is"): "",
    ("case", "lower"): "Sentences were lower-cased first.",
    ("eos", "unscored"): "No end-of-sequence token was scored.",
    ("eos", "scored"): "An end-of-sequence token was put after each sentence and scored with it.",
    ("normalisation", "none"): "Sentences were not brought into a Unicode normal form.",
    ("specials", "text"): "The name of a special token inside a sentence was read as plain text.",
}

MEASURES = (
    "sum_logprob is the sum of the natural logarithms of the probabilities of a sentence's scored tokens, in nats; a "
    "model is right on a pair if the good sentence has the higher sum. mean_nll is minus that sum divided by the "
    "number of scored tokens, in nats per token; a model is right if the good sentence has the lower mean.",
    "The two can disagree only where the sentences of a pair have different numbers of tokens: the sum then favours "
    "the shorter sentence, the mean the one whose additional tokens are easy to predict.",
    "A tie, two equal scores, does not count as right; ties are listed. Choosing at random is right on 50% of pairs.",
)
SLOR = (
    "SLOR is the sum minus the log-probability of the same tokens by their frequency alone, per token (Pauls and Klein "
    "2012, ACL, 959-968): it takes out how rare the words are."
)
INTERVALS = (
    f"Intervals are 95%. Pairs of one rule resemble each other, so where a row has at least {FEWEST_CLUSTERS} rules, "
    "whole rules are resampled (cluster bootstrap; Davison and Hinkley 1997, section 3.8), and the interval is the "
    "expanded percentile interval (Hesterberg 2015, The American Statistician 69, 371-386). Otherwise families of "
    f"sentences are resampled, if some have several pairs and there are at least {FEWEST_CLUSTERS}; if not, the "
    "interval is Wilson's (Wilson 1927, JASA 22, 209-212), which takes pairs as independent. "
    f"{RESAMPLES:,} resamples for all pairs and for differences, {GROUP_RESAMPLES:,} for each group; seed {SEED}."
)
PAIRED = (
    "Two models are compared on the pairs that both scored, by the exact McNemar test (McNemar 1947, Psychometrika 12, "
    "153-157). Its p-values are adjusted over all comparisons of a measure by Holm (1979) and by Benjamini and "
    "Hochberg (1995). The test takes pairs as independent; the interval of the difference, from the cluster bootstrap, "
    "does not."
)
POWER = (
    "The smallest difference that can be shown follows Connor (1987, Biometrics 43, 207-211), with the number of pairs "
    "divided by the design effect of the comparisons (Kish 1965)."
)
DIFFICULTY = (
    "Difficulty and ability come from a logistic mixed model with an effect of each model and random effects of rules "
    "and pairs (a Rasch model; De Boeck and Wilson 2004), fitted by variational Bayes, whose standard deviations tend "
    "to be too small."
)
CONFOUNDS = (
    "Confounds are a least-squares regression of score differences on other differences between the two sentences, all "
    "standardised, with cluster-robust errors (Liang and Zeger 1986)."
)
HUMAN = (
    "Ratings are z-scored within each rater (Schütze and Sprouse 2013), with the standard deviation of a sample. "
    "Correlations have Fisher's interval; Spearman's takes the variance of Bonett and Wright (2000)."
)


def policy_sentences(policy: ScoringPolicy) -> list[str]:
    """How a sentence became numbers, sentence by sentence; for what stood before its first token see `first_token`."""
    sentences = [_KINDS[policy.kind], _prefix(policy)]
    if policy.chat is not None:
        sentences.append(f"Each sentence was the answer to the message “{policy.chat}” in the model's chat template.")
    sentences += [_SETTINGS[name, getattr(policy, name)] for name in ("final_period", "case", "eos")]
    normalised = f"Sentences were brought into Unicode normal form {policy.normalisation} first."
    sentences.append(_SETTINGS.get(("normalisation", policy.normalisation), normalised))
    sentences += [_SETTINGS["specials", policy.specials], f"Scoring policy version {policy.version}."]
    return [text for text in sentences if text]


def _prefix(policy: ScoringPolicy) -> str:
    if not policy.prefix:
        return "" if policy.chat is not None else "Each sentence was scored on its own, with no text before it."
    start = "The encoder read" if policy.kind == "seq2seq" else "Each sentence followed"
    return f"{start} the text “{policy.prefix}”, which was {'' if policy.prefix_scored else 'not '}scored."


def first_token(model: ModelSummary) -> str:
    """What stood before the first token of a sentence, and whether that token was scored."""
    run = model.run
    scored = "the first token is scored" if run.first_token_scored else "the first token is not scored"
    if run.policy.first_token == "unscored":
        scored += ", as was asked"
    return f"{_before(model)}; {scored}"


def _before(model: ModelSummary) -> str:
    policy, info = model.run.policy, model.run.model
    if info.dtype == "server":
        return "what stands before a sentence is decided by the server's tokenizer"
    if policy.kind.startswith("masked"):
        return "the special tokens of the model's tokenizer around the sentence, which are not scored"
    if policy.kind == "seq2seq":
        return "the decoder's start token"
    if policy.chat is not None:
        return "the beginning of the answer in the model's chat template"
    if policy.bos == "never":
        return "no beginning-of-sequence token, as was asked"
    if info.bos_token_id is not None:
        return f"exactly one beginning-of-sequence token (id {info.bos_token_id})"
    if policy.bos == "or-eos":
        return "one end-of-sequence token, since the model has no beginning-of-sequence token"
    return "no beginning-of-sequence token, since the model has none"


def methods(summary: Summary) -> list[str]:
    """The methods of a report, a paragraph each; only those that were used."""
    by_policy: dict[ScoringPolicy, list[str]] = {}
    by_start: dict[str, list[str]] = {}
    for model in summary.models:
        by_policy.setdefault(model.run.policy, []).append(model.label)
        by_start.setdefault(first_token(model), []).append(model.label)
    policies = [
        (f"{', '.join(labels)}: " if len(by_policy) > 1 else "") + " ".join(policy_sentences(policy))
        for policy, labels in by_policy.items()
    ]
    starts = [f"{', '.join(labels)}: {text}." for text, labels in by_start.items()]
    optional = (
        (SLOR, "slor" in summary.measures),
        (PAIRED, bool(summary.comparisons)),
        (POWER, summary.power is not None),
        (DIFFICULTY, summary.difficulty is not None),
        (CONFOUNDS, bool(summary.confounds)),
        (HUMAN, summary.human is not None),
    )
    return [*policies, *starts, *MEASURES, INTERVALS, *(text for text, used in optional if used)]


def limits(release: Release, summary: Summary) -> list[str]:
    """What a reader has to keep in mind, a sentence each; only what is true of these runs."""
    sentences = [*(f"{fault.message}." for fault in summary.faults), *_comparability(summary)]
    rules = summary.of_kind("rule")
    few = sum(group.few for group in rules)
    if few:
        sentences.append(
            f"{few} of {len(rules)} rules have fewer than {FEW} pairs: "
            "their rows show where to look, not what a model knows."
        )
    if release.info.n_rules and len(rules) < FEWEST_CLUSTERS:
        sentences.append(f"There are only {len(rules)} rules, too few to tell how results would change with others.")
    if release.info.n_exceptions:
        sentences.append(
            f"{release.info.n_exceptions} of {release.info.n_pairs} pairs are exceptions, to which the rule of the "
            "source does not apply; all tables count them unless a row says otherwise."
        )
    return [
        *sentences,
        "The pairs show what the sources describe, not all of a language.",
        "Sentences of a published source may have been in a model's training data.",
        "Finding the good sentence more probable is not the same as judging it acceptable.",
    ]


def _comparability(summary: Summary) -> list[str]:
    """Why the numbers of these models may not compare."""
    sentences = []
    if len({model.run.policy for model in summary.models}) > 1:
        sentences.append(
            "The models were scored under different policies. Their numbers do not compare, and no test is made across "
            "policies."
        )
    if len({model.run.first_token_scored for model in summary.models}) > 1:
        sentences.append(
            "The first token is scored for some models only, so sums compare within a model, not between them."
        )
    if len({model.run.model.dtype for model in summary.models}) > 1:
        sentences.append("The models ran in different number formats, which can flip pairs with almost equal scores.")
    return sentences
