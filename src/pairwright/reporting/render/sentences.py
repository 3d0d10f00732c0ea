"""The results of a report in sentences, all of them from the numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

from pandas import DataFrame

from pairwright.core.records import BASELINE
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.conditions import in_order
from pairwright.reporting.analysis.frames import Row
from pairwright.reporting.analysis.groups import FEW
from pairwright.reporting.analysis.people import ALL
from pairwright.reporting.analysis.summary import Summary
from pairwright.reporting.analysis.tasks import MAIN
from pairwright.reporting.render.tables import way

ALPHA = 0.05
MOST_NAMED = 6


def finding(summary: Summary, words: Words) -> list[str]:
    """Who wins, how sure that is, and on what, for each set of models whose sums compare; then the tasks."""
    parts = summary.comparable()
    texts = []
    for settings, labels in parts.items():
        text = " ".join(_finding(summary, labels, words))
        texts.append(words("finding.way", way=way(settings, words), result=text) if len(parts) > 1 else text)
    if len(parts) > 1:
        texts.insert(0, words("finding.ways", n=len(parts)))
    if conditions := in_order(row["condition"] for row in summary.rows("conditions")):
        shown = [words("columns.baseline") if name == BASELINE else name for name in conditions]
        texts.append(words("text.conditions", n=len(shown), names=words.listed(shown)))
    return [*texts, *asked(summary, words)]


def _finding(summary: Summary, labels: Sequence[str], words: Words) -> Iterator[str]:
    """The best of models whose sums compare, how many of the others can't be told from it, the last, and on what."""
    # The same model under several labels counts once.
    labels = list({summary.runs[label].model.variant: label for label in reversed(labels)}.values())[::-1]
    found = summary.accuracies()
    best, last = found.get(labels[0]), found.get(labels[-1])
    if best is None:
        yield words("finding.unusable", model=labels[0])
        return
    yield words(
        "finding.best" if len(labels) > 1 else "finding.single",
        model=labels[0],
        n_models=len(labels),
        share=best["accuracy"],
        n=best["n"],
        low=best["accuracy_low"],
        high=best["accuracy_high"],
    )
    own = [it for it in summary.rows("comparisons", measure="sum_logprob") if {it["a"], it["b"]} <= set(labels)]
    if alike := sum(it["p_holm"] >= ALPHA for it in own if labels[0] in (it["a"], it["b"])):
        yield words("finding.alike", n=alike)
    elif own:
        yield words("finding.sure")
    if last is not None and len(labels) > 1:
        yield words("finding.last", model=labels[-1], share=last["accuracy"])
    lows, highs = ([found[it][f"accuracy_{end}"] for it in labels if it in found] for end in ("low", "high"))
    if unproven := sum(low <= 0.5 for low in lows):
        several = "all" if unproven == len(labels) else "some"
        yield words(f"finding.chance_{'single' if len(labels) == 1 else several}", n=unproven, of=len(labels))
    if below := sum(high < 0.5 for high in highs):
        yield words(f"finding.below_{'single' if len(labels) == 1 else 'some'}", n=below, of=len(labels))
    for kind in ("phenomenon", "rule"):
        rows = summary.rows("groups", kind=kind, measure="sum_logprob", model=labels[0])
        shares = {row["group"]: row["accuracy"] for row in rows if row["n"] >= FEW}
        if len(set(shares.values())) > 1:
            yield _extremes(words, f"finding.{kind}", shares, model=labels[0])
            break


def _extremes(words: Words, key: str, shares: dict[str, float], **values: object) -> str:
    hard, easy = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    extremes = {"hard": hard, "low": shares[hard], "easy": easy, "high": shares[easy]}
    return words(key, n=len(shares), few=FEW, **extremes, **values)


def results(summary: Summary, words: Words) -> list[str]:
    """Accuracy by both measures, a sentence a model."""
    both = {name: summary.accuracies(name) for name in summary.measures if name != "slor"}
    sentences = []
    for label in summary.runs:
        rows = {"sum": both["sum_logprob"].get(label), "mean": both["mean_nll"].get(label)}
        values: dict[str, Any] = {"model": label}
        for name, row in rows.items():
            if row:
                values |= {"n": row["n"], name: row["accuracy"], f"{name}_right": row["correct"]}
                values |= {f"{name}_{end}": row[f"accuracy_{end}"] for end in ("low", "high")}
        sentences.append(words("text.result" if all(rows.values()) else "finding.unusable", **values))
    return sentences


def power(summary: Summary, words: Words) -> Iterator[str]:
    """The smallest difference that this number of pairs can show."""
    for row in summary.rows("power"):
        if row["smallest_clustered"] is None or row["smallest"] is None:
            yield words("text.power_none", n=row["n"])
            continue
        measured = {"discordance": row["discordance"], "points": row["smallest"]}
        basis = words("text.power_assumed") if row["assumed"] else words("text.power_measured", **measured)
        yield words("text.power", n=row["n"], points=row["smallest_clustered"], basis=basis)


def families(summary: Summary, words: Words) -> Iterator[str]:
    """What tuning and size change, and which models' families were read from names; nothing for a single model."""
    if len(summary.runs) < 2:
        return
    for relation, key in (("base-instruct", "text.base_instruct"), ("size", "text.sizes")):
        if own := summary.rows("comparisons", measure="sum_logprob", relation=relation):
            certain = sum(row["p_holm"] < ALPHA for row in own)
            largest = max(own, key=lambda row: abs(row["difference"]))
            yield words(key, n=certain, of=len(own), points=largest["difference"], a=largest["a"], b=largest["b"])
    if guessed := [row["model"] for row in summary.rows("models", stated=False)]:
        many = "_many" if len(guessed) > 3 else ""
        yield words(f"text.guessed{many}", names=", ".join(guessed), n=len(guessed))


def rules(summary: Summary, words: Words) -> Iterator[str]:
    """The only rule, or the hardest and the easiest with enough pairs, over all models."""
    groups = summary.groups("rule")
    if len(groups) == 1 and (only := next(iter(groups))):
        yield words("text.one_rule", rule=only)
    shares: dict[str, list[float]] = {}
    for row in summary.rows("groups", kind="rule", measure="sum_logprob"):
        if row["n_pairs"] >= FEW:
            shares.setdefault(row["group"], []).append(row["accuracy"])
    means = {label: sum(own) / len(own) for label, own in shares.items()}
    if len(set(means.values())) > 1:
        yield _extremes(words, "text.rules" if len(summary.runs) == 1 else "text.rules_on_average", means)


def comparisons(summary: Summary, words: Words) -> Iterator[str]:
    """How many comparisons stand after adjustment; nothing for a single model."""
    if rows := summary.rows("comparisons", measure="sum_logprob"):
        holm, discovery = (sum(row[name] < ALPHA for row in rows) for name in ("p_holm", "p_bh"))
        yield words("text.comparisons", n=len(rows), holm=holm, bh=discovery)


def listed_pairs(summary: Summary, name: str, shown: int, words: Words) -> str:
    """How many pairs are hard or flip, which of them are shown, and what a pair that every model misses may be."""
    pairs: DataFrame = summary["pairs"]
    n = int((pairs["n_wrong" if name == "hardest" else "n_flips"] > 0).sum())
    if not n:
        return words(f"text.{name}_none")
    models, part = "_models" if len(summary.runs) > 1 else "", "_shown" if n > shown else ""
    sentence = words(f"text.{name}{models}{part}", n=n, shown=shown)
    if name == "flips":
        return sentence
    returned = int(pairs["faulty"].sum())
    return f"{sentence} {words('text.hardest_returned', n=returned) if returned else words('text.hardest_doubt')}"


def confounds(summary: Summary, words: Words) -> Iterator[str]:
    """The largest R² by each measure."""
    for measure in ("sum_logprob", "mean_nll"):
        if rows := summary.rows("confounds", measure=measure):
            most = max(rows, key=lambda row: float(row["r2"]))
            own = [words.name("terms.property", row["property"]) for row in rows if row["model"] == most["model"]]
            yield words(f"text.confounds_{measure}", r2=most["r2"], names=", ".join(own), model=most["model"])


def people(summary: Summary, words: Words) -> Iterator[str]:
    """Who judged, which pairs are not in the release, and which model agrees best with people."""
    for row in summary.rows("people"):
        yield words("text.people", n=row["n_raters"])
        if preferences := summary.rows("preferences"):
            unanimous = sum(it["n_prefer"] == it["n_raters"] for it in preferences)
            yield words("text.people_unanimous", n=unanimous, of=len(preferences))
        if row["unknown"]:
            yield words("text.people_unknown", n=len(row["unknown"]), ids=words.listed(row["unknown"]))
    rows = summary.rows("alignment", phenomenon=ALL, measure="sum_logprob")
    if known := [row for row in rows if row["pearson"] is not None]:
        best = max(known, key=lambda row: float(row["pearson"]))
        yield words("text.people_best", model=best["model"], r=best["pearson"], n=best["n"])


def other_tools(summary: Summary, words: Words) -> Iterator[str]:
    """How often other tools disagree with us, and which results had no counterpart."""
    if tools := summary.rows("tools"):
        yield words("text.tools_differ", n=_total(tools, "n_differ"), of=_total(tools, "n"))
    if unmatched := [row["model"] for row in summary.rows("unmatched")]:
        yield words("text.tools_unmatched", names=words.listed(unmatched))


def _total(rows: Sequence[Row], name: str) -> int:
    return int(sum(row[name] for row in rows))


def asked(summary: Summary, words: Words) -> Iterator[str]:
    """How much was asked, how much of it was answered, and who does best in each task."""
    if rows := summary.rows("task_outcomes"):
        n_tasks, n_models = (len({row[name] for row in rows}) for name in ("task", "model"))
        counts = {"n": _total(rows, "n"), "answered": _total(rows, "n_answered")}
        yield words("text.asked", n_models=n_models, n_tasks=n_tasks, **counts)
    best: dict[str, Row] = {}
    for row in summary.rows("task_headline", way=""):
        if row["metric"] in MAIN and row["value"] > best.get(row["column"], {"value": -2})["value"]:
            best[row["column"]] = row
    if len(summary.task_runs) > 1 and best:
        names = []
        for column, row in best.items():
            key = f"finding.task{'_mcc' if row['metric'] == 'MCC' else ''}"
            names.append(words(key, column=column, model=row["model"], value=row["value"]))
        yield words("finding.tasks", names=words.listed(names, MOST_NAMED))


def tasks(summary: Summary, words: Words) -> Iterator[str]:
    """How to read the table, and which results may be chance."""
    yield words("text.task_chance")
    rows = [row for row in summary.rows("task_headline") if row["metric"] in ("accuracy", "MCC")]
    within = [
        words("text.task_place", model=row["model"], task=row["column"])
        for row in rows
        if None not in (row["value_low"], row["chance"]) and row["value_low"] <= row["chance"] <= row["value_high"]
    ]
    if within:
        yield words("text.task_within", names=words.listed(within, MOST_NAMED))
    always = [
        words("text.task_answer", model=row["model"], task=row["column"], answer=row["always"])
        for row in rows
        if row["always"]
    ]
    if always:
        yield words("text.task_always", names=words.listed(always, MOST_NAMED))


def answers(summary: Summary, words: Words) -> Iterator[str]:
    """Which models choose by place, and how much was not answered."""
    tested = [row["p"] for row in summary.rows("task_places", place=1) if row["p"] is not None]
    if tested:
        yield words("text.task_biased", n=sum(p * len(tested) < ALPHA for p in tested), of=len(tested))
    rows = summary.rows("task_outcomes")
    if missing := (n := _total(rows, "n")) - _total(rows, "n_answered"):
        yield words("text.task_missing", n=missing, of=n)
