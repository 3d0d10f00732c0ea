"""What was done and what it can't show, in sentences that follow from the run records."""

from pairwright.core.records.evaluation import EvaluationRun, ScoringPolicy
from pairwright.core.records.release import Release
from pairwright.languages import load_language
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.groups import FEW, FEWEST_CLUSTERS
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.analysis.tasks import TASK_RESAMPLES, TRANSLATION_RESAMPLES
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


def first_token(run: EvaluationRun, words: Words) -> str:
    """What stood before the first token of a sentence, and whether that token was scored."""
    before = words(f"first_token.{_before(run)}", id=str(run.model.bos_token_id))
    unscored = "not_asked" if run.policy.first_token == "unscored" else "not_scored"
    return words(f"first_token.{'scored' if run.first_token_scored else unscored}", before=before)


def _before(run: EvaluationRun) -> str:
    policy, info = run.policy, run.model
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
    by_policy: dict[str, list[str]] = {}
    by_start: dict[str, list[str]] = {}
    for label, run in summary.runs.items():
        by_policy.setdefault(" ".join(policy_sentences(run.policy, words)), []).append(label)
        by_start.setdefault(f"{first_token(run, words)}.", []).append(label)
    ways = [
        words("policy.of_models", models=", ".join(labels), text=text)
        if len(by_policy) > 1 or own is by_start
        else text
        for own in (by_policy, by_start)
        for text, labels in own.items()
    ]
    intervals = "intervals" if summary.groups("rule") else "intervals_families"
    used = ["measures", "lengths", "ties", intervals] if summary.runs else []
    used += ["slor"] if "slor" in summary.measures else []
    used += [name for name in ("comparisons", "power", "confounds", "people") if len(summary[name])]
    metrics = {row["metric"] for row in summary.rows("task_headline")}
    names = {"MCC": "acceptability", "chrF++": "translation"}
    used += ["tasks"] if summary.task_runs else []
    used += [f"task_{name}" for metric, name in names.items() if metric in metrics]
    used += ["task_logprob"] if any(run.policy == "logprob" for run in summary.task_runs.values()) else []
    numbers = {"task_resamples": TASK_RESAMPLES, "translation_resamples": TRANSLATION_RESAMPLES, "seed": str(SEED)}
    packages = sorted({" ".join(it) for run in summary.runs.values() for it in run.model.packages.items()})
    software = [words("page.software", packages=", ".join(packages))] if packages else []
    sentences = (words(f"methods.{name}", fewest_clusters=FEWEST_CLUSTERS, **numbers) for name in used)
    return [*ways, *sentences, *software]


def limits(release: Release, summary: Summary, words: Words) -> list[str]:
    """What a reader has to keep in mind, a sentence each; only what is true of these runs."""
    runs, info, rules = list(summary.runs.values()), release.info, summary.groups("rule")
    few = sum(n < FEW for n in rules.values())
    conditions = {
        "policies": len({run.policy for run in runs}) > 1,
        "first_tokens": len({run.first_token_scored for run in runs}) > 1,
        "dtypes": len({run.model.dtype for run in runs}) > 1,
        "few": few,
        "few_rules": info.n_rules and len(rules) < FEWEST_CLUSTERS,
        "exceptions": info.n_exceptions,
        "unreviewed": not info.version,
    }
    true = [name for name, holds in conditions.items() if holds] if runs else []
    counts = {"few": few, "n_rules": len(rules), "fewest": FEW}
    counts |= {"n_exceptions": info.n_exceptions, "n_pairs": info.n_pairs}
    sentences = [words(f"limits.{name}", **counts) for name in (*true, "coverage", "memorised", "judging")]
    return [*(f"{fault.text(words)}." for fault in summary.faults), *sentences]


def measured(release: Release, summary: Summary, words: Words) -> str:
    """What was measured, in one line."""
    info = release.info
    languages = [load_language(source.language) for source in info.sources]
    pairs = words.cell(info.n_pairs, "count")
    facts = {
        "release": f"{info.name} {info.version}" if info.version else "",
        "language": ", ".join(sorted({it.name if words.code == "en" else it.autonym for it in languages})),
        "pairs": f"{pairs} ({words('page.n_exceptions', n=info.n_exceptions)})" if info.n_exceptions else pairs,
        "left_out": words.cell(info.n_excluded, "count") if info.n_excluded and not info.version else "",
        "rules": words.cell(info.n_rules, "count") if info.n_rules else "",
        "approvals": words("page.at_least", n=info.votes_needed) if info.version else "",
        "sampled": words("page.n_sampled", n=info.n_sampled) if info.n_sampled else "",
        "models": str(len(summary.runs)),
    }
    shown = [f"{words(f'page.{name}')}: {value}" for name, value in facts.items() if value]
    asked = [words("page.n_asked", n=len(summary.task_runs))] if summary.task_runs else []
    sha256 = f"{words('page.release_hash' if info.version else 'page.unreviewed_hash')} {release.sha256}"
    return " · ".join([*shown, *asked, sha256])
