"""How long freezing and verifying large releases takes, and how much memory: made-up pairs, all exports.

python benchmarks/release_speed.py [--pairs 100000] [--rules 200]

Each step has a process of its own; those that freeze run the flow's own task on files, with Prefect in memory.
"""

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from made_records import make_candidate, make_checked, make_evidence, make_rule, make_source
from pairwright.core.records import CheckedPair, Decision, DecisionWord, Rule
from pairwright.core.store import read_log, write_jsonl, write_log
from pairwright.core.workspace import Workspace
from pairwright.review.log.queue import QueueFolder, QueueInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "flows"))

SOURCE = make_source(id="made-up")
SYLLABLES = ["ka", "le", "mi", "no", "ru", "ša", "tė", "vy", "žo", "gi", "pa", "du", "nė", "sy", "bra"]


def made_up(
    n_pairs: int, n_rules: int
) -> tuple[list[CheckedPair], dict[str, Rule], dict[str, dict[str, DecisionWord]]]:
    """Pairs of invented words, 7-12 a sentence, their rules and two approvals each. The same on every machine."""
    chance = random.Random(7)

    def word() -> str:
        return "".join(chance.choice(SYLLABLES) for _ in range(chance.randint(2, 4)))

    rules = {}
    for number in range(n_rules):
        rule = make_rule(
            f"{number // 20 + 1}.{number % 20 + 1}",
            source_id=SOURCE.id,
            title=f"{word()} {word()}",
            description=word(),
            category=f"category {number // 20 + 1}",
            phenomenon=f"phenomenon {number // 20 + 1}",
            quote=f"{word()} {word()} {word()}",
            page=number + 1,
        )
        rules[rule.id] = rule
    pairs = []
    identities = list(rules)
    for number in range(n_pairs):
        words = [word() for _ in range(chance.randint(7, 12))]
        at = chance.randrange(1, len(words))
        good = f"{' '.join(words).capitalize()}."
        bad = f"{' '.join([*words[:at], words[at] + 's', *words[at + 1 :]]).capitalize()}."
        rule = rules[identities[number % n_rules]]
        evidence = make_evidence(rule.quote, page=rule.page, line=number + 1)
        place = {"rule_id": rule.id, "source_id": SOURCE.id, "evidence": evidence}
        pairs.append(make_checked(make_candidate(good, bad, method="paradigm", **place)))
    votes: dict[str, dict[str, DecisionWord]] = {
        pair.candidate.id: {"ana": "approve", "jonas": "approve"} for pair in pairs
    }
    return pairs, rules, votes


def write_workspace(root: Path, n_pairs: int, n_rules: int) -> None:
    """A workspace whose made-up pairs are built and decided on, as `build` and `review` would leave it."""
    pairs, rules, votes = made_up(n_pairs, n_rules)
    work = Workspace(root).work(SOURCE.id)
    write_jsonl(work / "checked.jsonl", pairs)
    write_jsonl(work / "rules.jsonl", rules.values())
    write_jsonl(work / "blocks.jsonl", [])
    write_votes(root, votes)


def write_votes(root: Path, votes: dict[str, dict[str, DecisionWord]]) -> None:
    """The queue of the pairs with the log of its decisions."""
    queue = QueueFolder(Workspace(root).annotations, SOURCE.id)
    queue.write_info(QueueInfo(queue=queue.queue, kind="pairs", source=SOURCE.id, language="lt"))
    at = "2026-05-04T08:00:00+00:00"
    decisions = (
        Decision(pair_id=key, reviewer=reviewer, decision=word, at=at)
        for key, words in votes.items()
        for reviewer, word in words.items()
    )
    write_log(queue.log(), decisions)


def freeze_as_the_command_does(root: Path, version: str) -> None:
    """The part of `pairwright release create` that freezes, in a process that has imported what the command imports."""
    from pairwright.pipeline.release import Wanted, freeze_decided

    result = freeze_decided(Workspace(root), Wanted("speed", version, {SOURCE.id: SOURCE}, {}))
    size = sum(path.stat().st_size for path in result.path.rglob("*") if path.is_file())
    print(f"{result.info.n_pairs:,} pairs, {size / 1e6:,.0f} MB, manifest {result.sha256}")


def forget_pairs(root: Path) -> None:
    """Takes the decisions on the last hundredth of the pairs back, so that another version follows."""
    queue = QueueFolder(Workspace(root).annotations, SOURCE.id)
    decisions = list(read_log(queue.log(), Decision))
    write_log(queue.log(), decisions[: len(decisions) - len(decisions) // 100])


def verify(root: Path) -> None:
    from pairwright.release.consistency import verify_contents

    verify_contents(Workspace(root).releases / "speed-1.0.0")


def timed(label: str, step: Callable[..., None], *arguments: object) -> None:
    """Runs a step in a process of its own, and prints what it took of the clock, the processor and the memory."""
    process = get_context("spawn").Process(target=_measured, args=(label, step, arguments))
    process.start()
    process.join()
    if process.exitcode:
        sys.exit(f"{label}: failed")


def _measured(label: str, step: Callable[..., None], arguments: tuple[object, ...]) -> None:
    wall, processor = time.perf_counter(), time.process_time()
    step(*arguments)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    print(f"{label:<28}{wall:8.1f} s, processor {processor:6.1f} s, peak memory {peak:,.0f} MiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--rules", type=int, default=200)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        timed(f"making {arguments.pairs:,} pairs", write_workspace, root, arguments.pairs, arguments.rules)
        timed("freeze with all exports", freeze_as_the_command_does, root, "1.0.0")
        timed("verify", verify, root)
        timed("withdrawing a hundredth", forget_pairs, root)
        timed("freeze the next version", freeze_as_the_command_does, root, "1.1.0")


if __name__ == "__main__":
    main()
