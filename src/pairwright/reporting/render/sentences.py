"""The results of a report in sentences, all of them from the numbers."""

from collections.abc import Iterator, Sequence

from pairwright.core.records import BASELINE
from pairwright.languages.locale import Words
from pairwright.reporting.analysis.comparisons import ALL, in_order
from pairwright.reporting.analysis.groups import FEW, Row
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
    alone = len(labels) == 1
    values = {"share": best["accuracy"], "n": best["n"], "low": best["accuracy_low"], "high": best["accuracy_high"]}
    yield words(f"finding.{'single' if alone else 'best'}", model=labels[0], n_models=len(labels), **values)
    own = [it for it in summary.rows("comparisons", measure="sum_logprob") if {it["a"], it["b"]} <= set(labels)]
    if alike := sum(it["p_holm"] >= ALPHA for it in own if labels[0] in (it["a"], it["b"])):
        yield words("finding.alike", n=alike)
    elif own:
        yield words("finding.sure")
    if last is not None and not alone:
        yield words("finding.last", model=labels[-1], share=last["accuracy"])
    lows, highs = ([found[it][f"accuracy_{end}"] for it in labels if it in found] for end in ("low", "high"))
    if unproven := sum(low <= 0.5 for low in lows):
        several = "all" if unproven == len(labels) else "some"
        yield words(f"finding.chance_{'single' if alone else several}", n=unproven, of=len(labels))
    if below := sum(high < 0.5 for high in highs):
        yield words(f"finding.below_{'single' if alone else 'some'}", n=below, of=len(labels))
    for kind in ("phenomenon", "rule"):
        rows = summary.rows("groups", kind=kind, measure="sum_logprob", model=labels[0])
        shares = {row["group"]: row["accuracy"] for row in rows if row["n"] >= FEW}
        if len(set(shares.values())) > 1:
            hard, easy = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
            extremes = {"hard": hard, "low": shares[hard], "easy": easy, "high": shares[easy]}
            yield words(f"finding.{kind}", model=labels[0], **extremes)
            break


def power(summary: Summary, words: Words) -> Iterator[str]:
    """The smallest difference that this number of pairs can show."""
    for row in summary.rows("power"):
        if row["smallest_clustered"] is None or row["smallest"] is None:
            yield words("text.power_none", n=row["n"])
            continue
        measured = {"discordance": row["discordance"], "points": row["smallest"]}
        basis = words("text.power_assumed") if row["assumed"] else words("text.power_measured", **measured)
        yield words("text.power", n=row["n"], points=row["smallest_clustered"], basis=basis)


def comparisons(summary: Summary, words: Words) -> Iterator[str]:
    """How many comparisons stand after adjustment; nothing for a single model."""
    if rows := summary.rows("comparisons", measure="sum_logprob"):
        holm, discovery = (sum(row[name] < ALPHA for row in rows) for name in ("p_holm", "p_bh"))
        yield words("text.comparisons", n=len(rows), holm=holm, bh=discovery)


def hardest(summary: Summary, shown: int, words: Words) -> str:
    """How many pairs are hard, which of them are shown, and what a pair that every model misses may be."""
    n = int((summary["pairs"]["n_wrong"] > 0).sum())
    if not n:
        return words("text.hardest_none")
    models, part = "_models" if len(summary.runs) > 1 else "", "_shown" if n > shown else ""
    returned = len(summary.rows("pairs", faulty=True))
    doubt = words("text.hardest_returned", n=returned) if returned else words("text.hardest_doubt")
    return f"{words(f'text.hardest{models}{part}', n=n, shown=shown)} {doubt}"


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
    if len(tools := summary["tools"]):
        yield words("text.tools_differ", n=int(tools["n_differ"].sum()), of=int(tools["n"].sum()))
    if unmatched := [row["model"] for row in summary.rows("unmatched")]:
        yield words("text.tools_unmatched", names=words.listed(unmatched))


def asked(summary: Summary, words: Words) -> Iterator[str]:
    """How much was asked, how much of it was answered, and who does best in each task."""
    if len(asked := summary["task_outcomes"]):
        counts = {"n": int(asked["n"].sum()), "answered": int(asked["n_answered"].sum())}
        yield words("text.asked", n_models=asked["model"].nunique(), n_tasks=asked["task"].nunique(), **counts)
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
    """How to read the table, which results may be chance, and how much was not answered."""
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
    outcomes = summary.rows("task_outcomes")
    if missing := sum(row["n"] - row["n_answered"] for row in outcomes):
        yield words("text.task_missing", n=missing, of=sum(row["n"] for row in outcomes))
