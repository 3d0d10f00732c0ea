"""What was done and what it can't show, in sentences that follow from the run records."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from pairwright.core.records.evaluation import ScoringPolicy
from pairwright.core.records.release import Release
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import FEW, FEWEST_CLUSTERS
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.analysis.tasks.scores import TASK_RESAMPLES
from pairwright.reporting.analysis.tasks.translation import RESAMPLES as TRANSLATION_RESAMPLES
from pairwright.stats.bootstrap import SEED


def policy_sentences(policy: ScoringPolicy, words: Words) -> list[str]:
    """How a sentence became numbers, sentence by sentence; for what stood before its first token see `first_token`."""
    keys = [policy.kind, _prefix(policy), "chat" if policy.chat is not None else ""]
    keys += [f"period_{policy.final_period}", f"case_{policy.case}", f"eos_{policy.eos}"]
    keys += ["no_normalisation" if policy.normalisation == "none" else "normalisation"]
    keys += [f"specials_{policy.specials}", "version"]
    # A setting that changes nothing says nothing.
    said = words.group("policy").keys() & set(keys)
    values = {"text": policy.chat or "", "form": policy.normalisation, "version": str(policy.version)}
    return [
        words(f"policy.{key}", **(values | {"text": policy.prefix} if "prefix" in key else values))
        for key in keys
        if key in said
    ]


def _prefix(policy: ScoringPolicy) -> str:
    if not policy.prefix:
        return "" if policy.chat is not None else "alone"
    return f"prefix{'_read' if policy.kind == 'seq2seq' else ''}{'_scored' if policy.prefix_scored else ''}"


def first_token(model: ModelSummary, words: Words) -> str:
    """What stood before the first token of a sentence, and whether that token was scored."""
    before = words(f"first_token.{_before(model)}", id=str(model.run.model.bos_token_id))
    unscored = "not_asked" if model.run.policy.first_token == "unscored" else "not_scored"
    return words(f"first_token.{'scored' if model.run.first_token_scored else unscored}", before=before)


def _before(model: ModelSummary) -> str:
    policy, info = model.run.policy, model.run.model
    if info.dtype == "server":
        return "server"
    if policy.kind.startswith("masked"):
        return "masked"
    if policy.kind == "seq2seq":
        return "decoder"
    if policy.chat is not None:
        return "chat"
    if policy.bos == "never":
        return "never"
    if info.bos_token_id is not None:
        return "bos"
    return "eos" if policy.bos == "or-eos" else "none"


def methods(summary: Summary, words: Words) -> list[str]:
    """The methods of a report, a paragraph each; only those that were used."""
    by_policy: dict[ScoringPolicy, list[str]] = defaultdict(list)
    by_start: dict[str, list[str]] = defaultdict(list)
    for model in summary.models:
        by_policy[model.run.policy].append(model.label)
        by_start[first_token(model, words)].append(model.label)
    policies = [
        words("policy.of_models", models=", ".join(labels), text=text) if len(by_policy) > 1 else text
        for policy, labels in by_policy.items()
        for text in [" ".join(policy_sentences(policy, words))]
    ]
    starts = [words("policy.of_models", models=", ".join(labels), text=f"{text}.") for text, labels in by_start.items()]
    optional = [name for name in ("comparisons", "power", "difficulty", "confounds", "human") if getattr(summary, name)]
    slor = ["slor"] if "slor" in summary.measures else []
    of_pairs = ("measures", "lengths", "ties", "intervals") if summary.models else ()
    used = (*of_pairs, *slor, *optional, *_of_tasks(summary))
    numbers = {"task_resamples": TASK_RESAMPLES, "translation_resamples": TRANSLATION_RESAMPLES, "seed": str(SEED)}
    return [
        *policies,
        *starts,
        *(words(f"methods.{name}", fewest_clusters=FEWEST_CLUSTERS, **numbers) for name in used),
    ]


def _of_tasks(summary: Summary) -> Iterator[str]:
    """The names of the sentences on tasks."""
    if summary.tasks is None:
        return
    yield "tasks"
    metrics = {score.metric for score in summary.tasks.headline}
    names = {"MCC": "acceptability", "chrF++": "translation", "spBLEU": "spbleu", "COMET": "comet"}
    yield from (f"task_{name}" for metric, name in names.items() if metric in metrics)
    if summary.tasks.measures:
        yield "task_logprob"
    if summary.tasks.places:
        yield "task_places"


def limits(release: Release, summary: Summary, words: Words) -> list[str]:
    """What a reader has to keep in mind, a sentence each; only what is true of these runs."""
    runs, info, rules = [model.run for model in summary.models], release.info, summary.of_kind("rule")
    few = sum(group.few for group in rules)
    conditions = {
        "policies": _differ(run.policy for run in runs),
        "first_tokens": _differ(run.first_token_scored for run in runs),
        "dtypes": _differ(run.model.dtype for run in runs),
        "few": few,
        "few_rules": info.n_rules and len(rules) < FEWEST_CLUSTERS,
        "exceptions": info.n_exceptions,
        "unreviewed": not info.version,
    }
    true = [name for name, holds in conditions.items() if holds] if summary.models else []
    counts = {"few": few, "n_rules": len(rules), "fewest": FEW}
    counts |= {"n_exceptions": info.n_exceptions, "n_pairs": info.n_pairs}
    sentences = [words(f"limits.{name}", **counts) for name in (*true, "coverage", "memorised", "judging")]
    return [*(f"{fault.text(words)}." for fault in summary.faults), *sentences]


def _differ(values: Iterable[object]) -> bool:
    return len(set(values)) > 1
