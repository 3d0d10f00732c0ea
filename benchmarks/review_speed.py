"""How long a queue of many rows takes to be exported and imported, and the memory that it takes.

    python benchmarks/review_speed.py [--rows 100000]

One reviewer gets all rows, so that one sheet has them. Each step runs in a process of its own, whose wall-clock time,
processor time and peak memory are printed; the start of Python is in them. The first import takes over a decision in
every row; the second finds nothing new.
"""

import argparse
import csv
import io
import random
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from made_records import make_candidate, make_checked, make_evidence, make_rule, make_source
from pairwright.config import ReviewSettings
from pairwright.languages import load_language
from pairwright.records import CheckedPair, Rule
from pairwright.store import read_jsonl, write_jsonl

QUEUE = "eile"
N_RULES = 200
SOURCE = make_source()


def make(folder: Path, rows: int) -> None:
    """Rules and pairs of a large source, as the stages before the review write them."""
    rules = [
        make_rule(f"{number // 10}.{number % 10}", title="Veiksmažodis valdo kilmininką") for number in range(N_RULES)
    ]
    write_jsonl(folder / "rules.jsonl", rules)
    write_jsonl(folder / "checked.jsonl", (_pair(number, rules[number % N_RULES].id) for number in range(rows)))


def _pair(number: int, rule_id: str) -> CheckedPair:
    good = f"Rytą prie {number} namo laukėme žalio autobuso, kuris vėlavo."
    bad = f"Rytą prie {number} namo laukėme žalią autobusą, kuris vėlavo."
    return make_checked(make_candidate(good, bad, rule_id=rule_id, evidence=make_evidence(bad, line=number + 1)))


def fill(path: Path) -> None:
    """Every row decided, some with comments, as a spreadsheet program saves it."""
    draw = random.Random(1)
    rows = list(csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=";"))
    decision, comment = rows[0].index("Sprendimas"), rows[0].index("Pastaba")
    for row in rows[1:]:
        row[decision] = draw.choice(["gerai", "gerai", "gerai", "atmesti", "neaišku"])
        row[comment] = draw.choice(["", "", "", "„žalias“ čia dviprasmis; žr. 3, 4"])
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";", lineterminator="\r\n").writerows(rows)
    path.write_bytes(out.getvalue().encode("cp1257", "replace"))


def step(name: str, folder: Path) -> None:
    """One step, in this process."""
    if name == "export":
        from pairwright.review.log.context import ReviewContext
        from pairwright.review.queue.export import export_queue

        pairs = {pair.candidate.id: pair for pair in read_jsonl(folder / "checked.jsonl", CheckedPair)}
        rules = {rule.id: rule for rule in read_jsonl(folder / "rules.jsonl", Rule)}
        settings = ReviewSettings(reviewers=("ana",), per_pair=1)
        context = ReviewContext(folder / "annotations", QUEUE, SOURCE, pairs, rules, load_language("lt"), settings)
        print(f"{export_queue(context).sheets[0].n_new} rows written", end="; ")
    else:
        from pairwright.review.log.folder import QueueFolder
        from pairwright.review.sheets.importing import import_answers

        queue = QueueFolder(folder / "annotations", QUEUE)
        result = import_answers(queue, load_language("lt"), datetime.now(UTC))
        print(f"{result.sheets[0].n_new} new decisions, {len(result.doubts)} doubts", end="; ")
    usage = resource.getrusage(resource.RUSAGE_SELF)
    print(f"{usage.ru_utime + usage.ru_stime:.1f} s of processor time, peak {usage.ru_maxrss / 1024:.0f} MiB", end="; ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.step:
        step(arguments.step, arguments.folder)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, arguments.rows)
        for label in ("export", "first import", "second import"):
            if label == "first import":
                fill(folder / "annotations" / QUEUE / "ana.csv")
            start = time.perf_counter()
            print(f"{label}: ", end="", flush=True)
            command = [sys.executable, __file__, "--step", label.split()[-1], "--folder", str(folder)]
            subprocess.run(command, check=True)
            print(f"{time.perf_counter() - start:.1f} s in all")


if __name__ == "__main__":
    main()
