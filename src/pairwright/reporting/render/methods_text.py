"""What was done and what it can't show, in sentences of methods.toml that follow from the run records."""

import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pairwright.records.evaluation import ScoringPolicy
from pairwright.records.release import Release
from pairwright.reporting.analysis.groups import FEW, FEWEST_CLUSTERS
from pairwright.reporting.analysis.summary import ModelSummary, Summary
from pairwright.reporting.analysis.tasks.scores import TASK_RESAMPLES
from pairwright.reporting.analysis.tasks.translation import RESAMPLES as TRANSLATION_RESAMPLES
from pairwright.stats.bootstrap import SEED

_TEXTS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))


def policy_sentences(policy: ScoringPolicy) -> list[str]:
    """How a sentence became numbers, sentence by sentence; for what stood before its first token see `first_token`."""
    sentences = [_TEXTS["kind"][policy.kind], _prefix(policy)]
    if policy.chat is not None:
        sentences.append(f"Each sentence was the answer to the message “{policy.chat}” in the model's chat template.")
    sentences += [_TEXTS[name][getattr(policy, name)] for name in ("final_period", "case", "eos")]
    if policy.normalisation == "none":
        sentences.append("Sentences were not brought into a Unicode normal form.")
    else:
        sentences.append(f"Sentences were brought into Unicode normal form {policy.normalisation} first.")
    sentences += [_TEXTS["specials"][policy.specials], f"Scoring policy version {policy.version}."]
    return [text for text in sentences if text]


def _prefix(policy: ScoringPolicy) -> str:
    if not policy.prefix:
        return "" if policy.chat is not None else "Each sentence was scored on its own, with no text before it."
    start = "The encoder read" if policy.kind == "seq2seq" else "Each sentence followed"
    return f"{start} the text “{policy.prefix}”, which was {'' if policy.prefix_scored else 'not '}scored."


def first_token(model: ModelSummary) -> str:
    """What stood before the first token of a sentence, and whether that token was scored."""
    scored = f"the first token is {'' if model.run.first_token_scored else 'not '}scored"
    asked = ", as was asked" if model.run.policy.first_token == "unscored" else ""
    return f"{_before(model)}; {scored}{asked}"


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
    by_policy: dict[ScoringPolicy, list[str]] = defaultdict(list)
    by_start: dict[str, list[str]] = defaultdict(list)
    for model in summary.models:
        by_policy[model.run.policy].append(model.label)
        by_start[first_token(model)].append(model.label)
    policies = [
        (f"{', '.join(labels)}: " if len(by_policy) > 1 else "") + " ".join(policy_sentences(policy))
        for policy, labels in by_policy.items()
    ]
    starts = [f"{', '.join(labels)}: {text}." for text, labels in by_start.items()]
    optional = [name for name in ("comparisons", "power", "difficulty", "confounds", "human") if getattr(summary, name)]
    slor = ["slor"] if "slor" in summary.measures else []
    of_pairs = ("measures", "lengths", "ties", "intervals") if summary.models else ()
    used = (*of_pairs, *slor, *optional, *_of_tasks(summary))
    numbers = {"task_resamples": TASK_RESAMPLES, "translation_resamples": TRANSLATION_RESAMPLES, "seed": SEED}
    texts = (_TEXTS["methods"][name].format(fewest_clusters=FEWEST_CLUSTERS, **numbers) for name in used)
    return [*policies, *starts, *texts]


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


def limits(release: Release, summary: Summary) -> list[str]:
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
    texts = _TEXTS["limits"]
    conditions = conditions if summary.models else {}
    true = [texts[name] for name, holds in conditions.items() if holds]
    sentences = [text.format(few=few, n_rules=len(rules), FEW=FEW, info=info) for text in true]
    return [*(f"{fault.message}." for fault in summary.faults), *sentences, *texts["always"]]


def _differ(values: Iterable[object]) -> bool:
    return len(set(values)) > 1
