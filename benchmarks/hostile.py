"""Makes every attempt of tests/hostile and prints what came of each: fine, refused, or not as it should be.

python benchmarks/hostile.py                  all areas
python benchmarks/hostile.py documents sheets
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attempts import Attempt

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "hostile"), str(TESTS / "support")]

RESULTS = ("fine", "doubts", "refused")


def line(attempt: "Attempt") -> tuple[str, str]:
    """What came of an attempt in a word, and the line that says it."""
    with tempfile.TemporaryDirectory(prefix="pairwright-hostile-") as folder:
        outcome, faults = attempt.make(Path(folder))
    result = "NOT AS IT SHOULD BE" if faults else RESULTS[attempt.code]
    said = (outcome.err or outcome.out).strip().splitlines()[-1:] or [""]
    shown = "; ".join(faults) if faults else said[0].replace(folder, "…") if attempt.code else ""
    cost = f"{outcome.seconds:5.1f} s {outcome.peak_mib:5.0f} MiB"
    return result, f"{attempt.area:<10} {result:<8} {cost}  {attempt.name}" + (
        f"\n{'':<36}{shown[:200]}" if shown else ""
    )


def main() -> None:
    # Not above: each process of an attempt imports this module again.
    from corpus import ATTEMPTS

    chosen = set(sys.argv[1:]) or {attempt.area for attempt in ATTEMPTS}
    counts: Counter[tuple[str, str]] = Counter()
    for attempt in ATTEMPTS:
        if attempt.area in chosen:
            result, text = line(attempt)
            counts[attempt.area, result] += 1
            print(text, flush=True)
    print(f"\n{'area':<12}{'tried':>6}{'fine':>6}{'doubts':>8}{'refused':>9}  not as it should be")
    for area in sorted(chosen):
        tried = sum(count for (of, _), count in counts.items() if of == area)
        row = [counts[area, result] for result in (*RESULTS, "NOT AS IT SHOULD BE")]
        print(f"{area:<12}{tried:>6}{row[0]:>6}{row[1]:>8}{row[2]:>9}{row[3]:>6}")


if __name__ == "__main__":
    main()
