"""Every attempt of tests/hostile to harm a user, and what came of it: fine, refused, or not as it should be."""

import tempfile
from collections import Counter
from pathlib import Path

import pandas as pd
import test_hostile  # noqa: F401  # registers them
from attempts import ATTEMPTS

from common import miss

RESULTS = ("fine", "doubts", "refused")
WRONG = "not as it should be"


def attempts(data: Path) -> pd.DataFrame:
    """Each attempt builds what is hostile, runs a command in a process of its own, and says what must come of it."""
    found = Counter[tuple[str, str]]()
    for attempt in ATTEMPTS:
        with tempfile.TemporaryDirectory(prefix="pairwright-hostile-") as folder:
            outcome, faults = attempt.make(Path(folder))
        result = WRONG if faults else RESULTS[attempt.code]
        found[attempt.area, result] += 1
        miss(f"{attempt.area:<10} {result:<8} {outcome.seconds:5.1f} s {outcome.peak_mib:5.0f} MiB  {attempt.name}")
        for fault in faults:
            miss(f"    {fault}")
    areas = sorted({area for area, _ in found})
    rows = [{"area": area, **{result: found[area, result] for result in (*RESULTS, WRONG)}} for area in areas]
    return pd.DataFrame(rows)
