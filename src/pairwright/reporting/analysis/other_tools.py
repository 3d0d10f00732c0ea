"""Results of other tools for the same models, compared with ours."""

from collections.abc import Sequence

from pandas import DataFrame

from pairwright.core.records.release import ReleasePair
from pairwright.reporting.analysis.groups import Row
from pairwright.reporting.data.evaluations import ScoredModel
from pairwright.reporting.external import PairResults, TaskResult


def compare_tools(
    models: Sequence[ScoredModel],
    pairs: Sequence[ReleasePair],
    results: Sequence[PairResults],
    tasks: Sequence[TaskResult],
) -> dict[str, DataFrame]:
    """Frames that compare other tools' results with the models of a report; all empty where there are none.

    tools        another tool's accuracy and ours on the `n` pairs that both scored, `n_differ` with other verdicts
    other_tasks  the models' scores on tasks of other benchmarks
    unmatched    the models of other tools that were not scored here
    """
    rows = {pair.id: row for row, pair in enumerate(pairs)}
    ours = {
        model_key(name): model
        for model in reversed(models)
        for info in (model.run.model,)
        for name in (info.name, info.requested, info.slug, model.label)
    }
    tools: list[Row] = []
    unmatched: list[str] = []
    for result in results:
        model = ours.get(model_key(result.model))
        scored = model.scored(result.measure) if model else ()
        both = [pair_id for pair_id in result.verdicts if model and scored[rows[pair_id]]]
        if model is None or not both:
            unmatched.append(f"{result.model} ({result.tool})")
            continue
        verdicts = [(result.verdicts[it], bool(model.right(result.measure)[rows[it]])) for it in both]
        theirs, own = (sum(sides) / len(both) for sides in zip(*verdicts, strict=True))
        named = {"model": model.label, "tool": result.tool, "file": result.file, "their_name": result.model}
        counts = {"n": len(both), "n_differ": sum(a != b for a, b in verdicts)}
        tools.append({**named, "measure": result.measure, "theirs": theirs, "ours": own, **counts})
    matched = [item for item in tasks if model_key(item.model) in ours]
    unmatched += [f"{item.model} ({item.tool})" for item in tasks if item not in matched]
    return {
        "tools": DataFrame(tools),
        "other_tasks": DataFrame([{**dict(item), "languages": ", ".join(item.languages)} for item in matched]),
        "unmatched": DataFrame({"model": list(dict.fromkeys(unmatched))}),
    }


def model_key(name: str) -> str:
    """What two tools' names of one model have in common: `org/Model@main` and `Model` are the same."""
    return name.split("@")[0].split("#")[0].rstrip("/").rsplit("/", 1)[-1].lower()
