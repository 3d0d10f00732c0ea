"""`pairwright compare REPORT_A REPORT_B`: what changed from one report to the other."""

from collections.abc import Iterator
from pathlib import Path

from pairwright.core.errors import ReleaseError, counted
from pairwright.reporting.render.compare import ModelChange, compare_reports, read_summary

SHOWN = 5


def compare_lines(first: Path, second: Path) -> Iterator[str]:
    """The releases, then a line a model and measure, then the pairs that changed, then a line a model and task.

    Raises ReleaseError where one of them is no report, and where they have no pair in common.
    """
    comparison = compare_reports(read_summary(first), read_summary(second))
    if not comparison.shared and not comparison.tasks:
        sizes = zip((comparison.only_first, comparison.only_second), comparison.releases, strict=True)
        counts = ", ".join(f"{counted(n, 'pair')} in {release}" for n, release in sizes)
        again = "pairwright evaluate RELEASE --model MODEL"
        raise ReleaseError(f"{first} and {second}: no pair is in both ({counts}); score the same release: {again}")
    same = "the same release" if comparison.same_release else "different releases"
    yield f"{'reports':<10} {comparison.releases[0]} and {comparison.releases[1]}, {same}"
    yield (
        f"{'pairs':<10} {comparison.shared} in both, {comparison.only_first} in the first alone, "
        f"{comparison.only_second} in the second alone"
    )
    for label, models in (("the first", comparison.models_only_first), ("the second", comparison.models_only_second)):
        if models:
            yield f"{'models':<10} in {label} alone: {', '.join(models)}"
    for change in comparison.models:
        yield _line(change)
        if change.changed:
            more = f" and {len(change.changed) - SHOWN} more" if len(change.changed) > SHOWN else ""
            yield f"{'':<10} judged otherwise: {', '.join(change.changed[:SHOWN])}{more}"
    for task in comparison.tasks:
        (before, after), (first_n, second_n) = task.values, task.n
        policy = "" if task.same_way else "; about other items or asked otherwise, so the two do not compare"
        yield (
            f"{'tasks':<10} {task.label}, {task.column}: {before:.3f} -> {after:.3f} "
            f"({first_n:,} and {counted(second_n, 'answer')}, no test){policy}"
        )
    if not comparison.models and not comparison.tasks:
        yield f"{'models':<10} none is in both reports; next: pairwright evaluate RELEASE --model MODEL"


def _line(change: ModelChange) -> str:
    if change.accuracies is None:
        return f"{change.measure:<10} {change.label}: no pair was scored in both"
    test, (before, after) = change.test, change.accuracies
    line = f"{change.measure:<10} {change.label}: {before:.3f} -> {after:.3f} on {counted(change.n, 'pair')}"
    if test is None:
        return f"{line}; scored under another policy or number format, so the two do not compare"
    numbers = f"{test.only_a} better, {test.only_b} worse, p {test.p:.3f}, McNemar p {test.p_mcnemar:.3f}"
    return f"{line} ({numbers})"
