"""The review figures on the judgments of TurBLiMP: z-scored means, and raters who prefer the good member.

    python benchmarks/review_turblimp.py DATA/turblimp

DATA/turblimp holds `base_judgments.xlsx` and `experimental_judgments.xlsx`: in the second row the phenomenon and the
member of each sentence (`Ellipsis_good`), then a rater a row.
"""

import argparse
from pathlib import Path

from pairwright.core.errors import ReviewError
from pairwright.core.packed import packed_rows
from pairwright.stats.agreement import krippendorff_alpha
from pairwright.stats.ratings import condition_means, preferences, z_scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    folder = parser.parse_args().data
    for name in ("base_judgments.xlsx", "experimental_judgments.xlsx"):
        report(folder / name)


def report(path: Path) -> None:
    """The table of one file."""
    _, (_, _, titles), *rows = (row for row in packed_rows(path, path.read_bytes(), ReviewError) if row.table == 0)
    ratings = {
        f"rater {number}": {str(index): float(cell) for index, cell in enumerate(cells) if cell.strip()}
        for _, number, cells in rows
    }
    sides = {str(index): title.rpartition("_") for index, title in enumerate(titles)}
    scores = z_scores(ratings)
    units = [{rater: given[item] for rater, given in ratings.items() if item in given} for item in sides]
    alpha = krippendorff_alpha(units, "ordinal", n_boot=200)
    print(f"{path.name}: {len(ratings)} raters; alpha, ordinal: {alpha.value:.3f} [{alpha.low:.3f}, {alpha.high:.3f}]")
    means = {
        mean.condition: mean
        for mean in condition_means(scores, {item: "_".join(parts[::2]) for item, parts in sides.items()})
    }
    groups = {item: group for item, (group, _, _) in sides.items()}
    print("| phenomenon | prefer the good one | mean z good (SE) | mean z bad (SE) | difference |")
    print("|---|---:|---:|---:|---:|")
    better = [item for item, (_, _, side) in sides.items() if side == "good"]
    for found in sorted(preferences(ratings, groups, better), key=lambda item: item.group):
        good, bad = (means[f"{found.group}_{side}"] for side in ("good", "bad"))
        cells = (f"{mean.mean:.2f} ({mean.standard_error:.3f})" for mean in (good, bad))
        difference = found.mean_difference or 0.0
        print(f"| {found.group} | {found.n_prefer}/{found.n_raters} | {' | '.join(cells)} | {difference:.2f} |")


if __name__ == "__main__":
    main()
