"""How long freezing, verifying and comparing large releases takes, and how much memory: made-up pairs, all exports.

python benchmarks/release_speed.py [--pairs 100000] [--rules 200]
"""

import argparse
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from pairwright.config import ReleaseSettings
from pairwright.ids import content_id, pair_id
from pairwright.records import Candidate, CheckedPair, DecisionWord, Evidence, Rule, Source, SourceFile
from pairwright.release.content import check_release
from pairwright.release.freeze import freeze
from pairwright.text import changes

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
        identity = content_id("rule", "made-up", str(number))
        rules[identity] = Rule(
            id=identity,
            source_id="made-up",
            code=f"{number // 20 + 1}.{number % 20 + 1}",
            title=f"{word()} {word()}",
            description=word(),
            category=f"category {number // 20 + 1}",
            phenomenon=f"phenomenon {number // 20 + 1}",
            block_ids=("block-1",),
            quote=f"{word()} {word()} {word()}",
            page=number + 1,
            extracted_by="benchmark",
        )
    pairs = []
    identities = list(rules)
    for number in range(n_pairs):
        words = [word() for _ in range(chance.randint(7, 12))]
        at = chance.randrange(1, len(words))
        good = f"{' '.join(words).capitalize()}."
        bad = f"{' '.join([*words[:at], words[at] + 's', *words[at + 1 :]]).capitalize()}."
        rule = rules[identities[number % n_rules]]
        candidate = Candidate(
            id=pair_id(rule.id, good, bad),
            rule_id=rule.id,
            source_id="made-up",
            good=good,
            bad=bad,
            changes=changes(good, bad),
            method="paradigm",
            evidence=Evidence(block_id="block-1", file="list.md", page=rule.page, line=number + 1, quote=rule.quote),
        )
        pairs.append(CheckedPair(candidate=candidate, findings=(), verdict="pass"))
    votes: dict[str, dict[str, DecisionWord]] = {
        pair.candidate.id: {"ana": "approve", "jonas": "approve"} for pair in pairs
    }
    return pairs, rules, votes


def timed(label: str, start: tuple[float, float]) -> tuple[float, float]:
    """Prints what a step took since `start`: by the clock, and of the processor alone."""
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    print(f"{label:<28}{wall:8.1f} s, processor {cpu:6.1f} s, peak memory so far {peak:,.0f} MiB", flush=True)
    return now()


def now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--rules", type=int, default=200)
    arguments = parser.parse_args()
    source = Source(
        id="made-up",
        title="Made-up words",
        language="lt",
        kind="error-list",
        licence="CC0-1.0",
        citation="pairwright (2026)",
        files=(SourceFile(path="list.md", sha256="0" * 64),),
    )
    start = now()
    pairs, rules, votes = made_up(arguments.pairs, arguments.rules)
    start = timed(f"making {arguments.pairs:,} pairs", start)
    with tempfile.TemporaryDirectory() as folder:
        result = freeze(Path(folder), "speed", "1.0.0", pairs, rules, {source.id: source}, votes, ReleaseSettings())
        start = timed("freeze with all exports", start)
        check_release(result.path)
        start = timed("verify", start)
        size = sum(path.stat().st_size for path in result.path.rglob("*") if path.is_file())
        print(f"{result.info.n_pairs:,} pairs, {size / 1e6:,.0f} MB, manifest {result.sha256}")
        kept = pairs[: len(pairs) - len(pairs) // 100]
        cast = {pair.candidate.id: votes[pair.candidate.id] for pair in kept}
        start = now()
        freeze(Path(folder), "speed", "1.1.0", kept, rules, {source.id: source}, cast, ReleaseSettings())
        timed("freeze the next version", start)


if __name__ == "__main__":
    main()
