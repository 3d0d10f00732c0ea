"""`pairwright report compare REPORT_A REPORT_B`: what changed from one report to the other."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.core.errors import ReleaseError, counted
from pairwright.reporting.render.compare import compare_reports, read_summary

SHOWN = 5


def compare_lines(first: Path, second: Path) -> Iterator[str]:
    """The releases, then a line a model and measure, then the pairs that changed, then a line a model and task.

    Raises ReleaseError where one of them is no report, and where they have no pair in common.
    """
    reports = read_summary(first), read_summary(second)
    found, releases = compare_reports(*reports), [f"{it.release} {it.version}".strip() for it in reports]
    if not found.shared and found.tasks.empty:
        sizes = zip((found.only_first, found.only_second), releases, strict=True)
        counts = ", ".join(f"{counted(n, 'pair')} in {release}" for n, release in sizes)
        again = "pairwright evaluate RELEASE --model MODEL"
        raise ReleaseError(f"{first} and {second}: no pair is in both ({counts}); score the same release: {again}")
    same = "the same release" if reports[0].release_sha256 == reports[1].release_sha256 else "different releases"
    yield f"{'reports':<10} {releases[0]} and {releases[1]}, {same}"
    yield (
        f"{'pairs':<10} {found.shared} in both, {found.only_first} in the first alone, "
        f"{found.only_second} in the second alone"
    )
    for label, own, other in (("the first", *reports), ("the second", *reports[::-1])):
        if alone := [model for model in own.runs if model not in other.runs]:
            yield f"{'models':<10} in {label} alone: {', '.join(alone)}"
    for row in found.models.to_dict("records"):
        start = f"{row['measure']:<10} {row['model']}:"
        if not row["n"]:
            yield f"{start} no pair was scored in both"
            continue
        line = f"{start} {row['before']:.3f} -> {row['after']:.3f} on {counted(row['n'], 'pair')}"
        if row["tested"]:
            p = f"p {row['p']:.3f}, McNemar p {row['p_mcnemar']:.3f}"
            yield f"{line} ({row['only_a']:.0f} better, {row['only_b']:.0f} worse, {p})"
        else:
            yield f"{line}; scored under another policy or number format, so the two do not compare"
        if changed := row["changed"]:
            more = f" and {len(changed) - SHOWN} more" if len(changed) > SHOWN else ""
            yield f"{'':<10} judged otherwise: {', '.join(changed[:SHOWN])}{more}"
    for row in found.tasks.to_dict("records"):
        policy = "" if row["same_way"] else "; about other items or asked otherwise, so the two do not compare"
        yield (
            f"{'tasks':<10} {row['model']}, {row['column']}: {row['before']:.3f} -> {row['after']:.3f} "
            f"({row['n_before']:,} and {counted(row['n_after'], 'answer')}, no test){policy}"
        )
    if found.models.empty and found.tasks.empty:
        yield f"{'models':<10} none is in both reports; next: pairwright evaluate RELEASE --model MODEL"
