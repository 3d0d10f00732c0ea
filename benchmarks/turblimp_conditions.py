"""TurBLiMP's experiments by condition, models and people: `python benchmarks/turblimp_conditions.py DIR [--model M]`.

DIR holds argument_structure_transitive_*.csv and the two tables of judgements. Models are scored on the files that are
there, people on all conditions. Under the tables stand the figures of people beside the published ones.
"""

import csv
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

import pairwright as pw
from pairwright.reporting.analysis.conditions import KINDS, compare_conditions, kind_of
from pairwright.reporting.external.judgements import HumanRating
from stats_turblimp import read_turblimp

CONDITIONS = {"DIK": "dik", "Finite": "finite", "IncA": "ince", "ken": "ken"}
BASELINES = {"Argument_Structure_Transitive": "transitive", "Argument_Structure_Ditransitive": "ditransitive"}
FILES = "argument_structure_transitive_{}.csv"
# Başar et al. (2025): raters of 30 who prefer the good sentences, and the mean difference in z.
PUBLISHED = {
    "transitive": {
        "SOV": (30, 1.98), "SVO": (30, 1.92), "OSV": (30, 1.81),
        "OVS": (29, 1.70), "VSO": (30, 1.68), "VOS": (30, 1.75),
        "baseline": (30, 1.97), "finite": (30, 1.60), "dik": (30, 1.95), "ince": (24, 0.98), "ken": (28, 0.92),
    },
    "ditransitive": {
        "SOV": (30, 1.81), "SVO": (30, 1.56), "OSV": (28, 1.47),
        "OVS": (28, 1.62), "VSO": (30, 1.45), "VOS": (29, 1.29),
        "baseline": (29, 2.00), "finite": (29, 1.27), "dik": (30, 1.59), "ince": (29, 1.38), "ken": (28, 1.08),
    },
}  # fmt: skip


@click.command(help=__doc__)
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--model", "models", multiple=True, default=("embedded",))
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Keeps scores and report here.")
def main(directory: Path, models: tuple[str, ...], out: Path | None) -> None:
    ratings = list(_ratings(directory))
    with tempfile.TemporaryDirectory() as temporary:
        folder = out or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        judgements = folder / "judgements.csv"
        with judgements.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(HumanRating.model_fields))
            writer.writeheader()
            writer.writerows(rating.model_dump() for rating in ratings)
        there = {name: directory / FILES.format(name) for name in (*PUBLISHED["transitive"],)}
        files = {name: path for name, path in there.items() if path.exists() and name != "baseline"}
        pairs = pw.load_paradigms(directory / FILES.format("baseline"), files)
        scores = [pw.score(pairs, model, directory=folder / "scores") for model in models]
        by = ["subtype", "condition"]
        page = pw.report(scores, pairs, folder / "report", by=by, language="tr", judgements=judgements)
        text = page.with_name("report.md").read_text(encoding="utf-8")
    section = text.split("## Word order and subordination\n")[1].split("\n## ")[0]
    click.echo(section)
    for line in _against_published(ratings):
        click.echo(line)


def _ratings(directory: Path) -> Iterator[HumanRating]:
    """The ratings of both surveys with the structure as phenomenon, and the condition."""
    for name in ("base_judgments.xlsx", "experimental_judgments.xlsx"):
        for rating in read_turblimp(directory / name):
            structure, _, condition = rating.phenomenon.partition("_")
            if rating.phenomenon in BASELINES:
                structure, condition = BASELINES[rating.phenomenon], "baseline"
            elif name.startswith("base"):
                continue
            condition = CONDITIONS.get(condition, condition)
            yield rating.model_copy(update={"phenomenon": structure.lower(), "condition": condition})


def _against_published(ratings: list[HumanRating]) -> Iterator[str]:
    """Our z take the deviation of a rater's n ratings over n - 1; the published ones agree where it is over n."""
    yield f"{'people':<26}{'prefer':>8}{'published':>11}{'z':>8}{'z, over n':>11}{'published':>11}"
    rated = compare_conditions((), (), ratings)["rated_conditions"].to_dict("records")
    found = {(row["kind"], row["phenomenon"], row["condition"]): row for row in rated}
    for kind in KINDS:
        counts = Counter(rating.rater for rating in ratings if kind_of(rating.condition) == kind)
        (n,) = set(counts.values())
        for structure, conditions in PUBLISHED.items():
            for condition in (name for name in conditions if (kind, structure, name) in found):
                ours, (prefer, z) = found[kind, structure, condition], conditions[condition]
                own = ours["mean_difference"]
                yield (
                    f"{structure + ' ' + condition:<26}{ours['n_prefer']:>8}{prefer:>11}"
                    f"{own:>8.2f}{own * (n / (n - 1)) ** 0.5:>11.2f}{z:>11.2f}"
                )


if __name__ == "__main__":
    main()
