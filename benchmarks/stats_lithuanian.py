"""The published Lithuanian case pairs, scored by the embedded model: the report's numbers against an independent count.

    python benchmarks/stats_lithuanian.py PAIRS.csv [--output DIR]

PAIRS.csv is `Use_of_Cases.csv` (`;` between columns). The scores stay in DIR, so that a second run only counts. The
independent count reads the table of scores with pandas and shares no code with the report.
"""

from pathlib import Path

import click
import pandas as pd

from made_records import make_release_info, make_released
from pairwright.core.config import ScoreSettings
from pairwright.core.ids import content_id, file_sha256, pair_id
from pairwright.core.records.release import Release, ReleasePair
from pairwright.evaluate.scoring.runs.evaluation import SCORES, evaluate, read_table
from pairwright.evaluate.scoring.scorers.registry import open_scorer
from pairwright.models.load.settings import ModelSettings
from pairwright.reporting.analysis.summary import Summary, summarise
from pairwright.reporting.data.score_differences import Measure
from pairwright.reporting.render.page import write_report

NAME = "lithuanian-cases"
# As measured with another program on the same weights.
KNOWN: dict[Measure, float] = {"mean_nll": 0.580, "sum_logprob": 0.639}


def read_release(path: Path) -> Release:
    """The pairs of the published table as a release in memory; an exception is a row with `note_exception`."""
    table = pd.read_csv(path, sep=";", encoding="utf-8-sig", dtype=str, keep_default_na=False)
    pairs: dict[str, ReleasePair] = {}
    for number, row in enumerate(table.to_dict("records")):
        code, _, title = row["error_name"].strip().partition(" ")
        good, bad = row["correct_sentence"].strip(), row["incorrect_sentence"].strip()
        rule = content_id("rule", NAME, code)
        key = pair_id(f"{rule} {number}", good, bad)
        pairs[key] = make_released(
            good,
            bad,
            id=key,
            phenomenon=row["linguistic_phenomenon"].strip(),
            rule_code=code.rstrip("."),
            rule=title,
            rule_id=rule,
            method="manual",
            exception=bool(row["note_exception"].strip()),
            licence="none stated",
        )
    info = make_release_info(list(pairs.values()), name=NAME, version="0.0.0", votes_needed=0, n_reviewers=0)
    return Release(path=Path(f"{NAME}-0.0.0"), sha256=file_sha256(path), info=info, pairs=tuple(pairs.values()))


def independent(release: Release, scores: Path) -> pd.DataFrame:
    """Verdicts by pandas alone, a row a pair: rule code, phenomenon, right by sum_logprob and by mean_nll."""
    table = pd.read_parquet(scores, columns=["pair_id", "side", "sum_logprob", "n_tokens"])
    table["mean"] = table["sum_logprob"] / table["n_tokens"]
    wide = table.pivot(index="pair_id", columns="side", values=["sum_logprob", "mean"])
    verdicts = pd.DataFrame(
        {
            "sum_logprob": wide["sum_logprob"]["good"] > wide["sum_logprob"]["bad"],
            "mean_nll": wide["mean"]["good"] > wide["mean"]["bad"],
        }
    )
    facts = pd.DataFrame([(pair.id, pair.rule_code, pair.phenomenon) for pair in release.pairs])
    return verdicts.join(facts.set_index(0).set_axis(["rule", "phenomenon"], axis=1))


def differences(summary: Summary, verdicts: pd.DataFrame) -> list[str]:
    """Where the report and the independent count say something else; empty where they agree."""
    wrong = []
    for measure in KNOWN:
        for kind, column in (("rule", "rule"), ("phenomenon", "phenomenon")):
            counted = verdicts.groupby(column)[measure].agg(["sum", "size"])
            for found in summary.rows("groups", kind=kind, measure=measure):
                key = found["group"].split()[0] if kind == "rule" else found["group"]
                if (found["correct"], found["n"]) != tuple(counted.loc[key]):
                    counts = f"{found['correct']} of {found['n']}, pandas {counted.loc[key]}"
                    wrong.append(f"{kind} {key} by {measure}: {counts}")
    return wrong


@click.command(help=__doc__)
@click.argument("pairs", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--output", type=click.Path(path_type=Path), default="output/benchmarks/lithuanian", show_default=True)
def main(pairs: Path, output: Path) -> None:
    release = read_release(pairs)
    settings = ScoreSettings(dtype="float32", device="cpu")
    model = open_scorer(ModelSettings(name="embedded"), settings)
    scored = output / "scores"
    evaluate(
        release.pairs,
        model,
        settings,
        scored,
        release=release.path.name,
        release_sha256=release.sha256,
    )
    summary = summarise(release, [read_table(scored)])
    verdicts = independent(release, scored / SCORES)
    print(f"{len(release.pairs)} pairs, {len(summary.groups('rule'))} rules, {next(iter(summary.runs))}")
    for measure, known in KNOWN.items():
        (found,) = summary.accuracies(measure).values()
        counted = int(verdicts[measure].sum())
        off = found["correct"] - round(known * found["n"])
        print(
            f"{measure:<11} {found['accuracy']:.3f} ({found['correct']} pairs; pandas {counted}; known {known:.3f}, "
            f"{off:+d} pairs), 95% {found['accuracy_low']:.3f}-{found['accuracy_high']:.3f}"
        )
    wrong = differences(summary, verdicts)
    print(f"rules and cases that pandas counts otherwise: {len(wrong)}")
    for line in wrong:
        print(f"  {line}")
    print(write_report(output / "report", release, summary))


if __name__ == "__main__":
    main()
