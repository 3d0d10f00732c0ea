"""A large made-up release, and the scores of made-up models on it."""

from pathlib import Path

import numpy as np

from made_records import make_release_info, make_released, make_run
from pairwright.core.ids import file_sha256
from pairwright.core.records.release import ReleasePair, Vote
from pairwright.core.store import write_jsonl, write_text
from pairwright.evaluate.scoring.runs.evaluation import REJECTED, RUN, SCORES, schema
from pairwright.release.verify import INFO, MANIFEST, PAIRS

N_RULES = 500


def make_pair(number: int) -> ReleasePair:
    """A pair that shares its good sentence with three others."""
    good, bad = (
        f"Mes {number // 4} kartą laukiame traukinio stotyje.",
        f"Mes {number // 4} kartą laukiame {number % 4} stotyje.",
    )
    rule = number % N_RULES
    return make_released(
        good,
        bad,
        id=f"pair-{number:016x}",
        phenomenon=f"linksnis {rule % 40}",
        rule_code=f"{rule % 40}.{rule}",
        rule=f"Taisyklė {rule}",
        rule_id=f"rule-{rule:016x}",
        method="source" if number % 3 else "llm",
        exception=number % 50 == 0,
        votes=(Vote(reviewer="R1", decision="approve"), Vote(reviewer="R2", decision="approve")),
        uid=f"rule_{rule}",
        language="lt",
    )


def make_release(folder: Path, n_pairs: int) -> str:
    """Writes a release; gives the hash that stands for it."""
    write_jsonl(folder / PAIRS, (make_pair(number) for number in range(n_pairs)))
    counts = {"n_pairs": n_pairs, "n_exceptions": len(range(0, n_pairs, 50)), "n_rules": N_RULES}
    info = make_release_info((), name="large", **counts)
    write_text(folder / INFO, info.model_dump_json() + "\n")
    write_text(folder / MANIFEST, "".join(f"{file_sha256(folder / name)}  {name}\n" for name in (PAIRS, INFO)))
    return file_sha256(folder / MANIFEST)


def make_evaluation(folder: Path, number: int, n_pairs: int, sha256: str) -> None:
    """Writes the scores of a model that is right on two thirds of the pairs or fewer, and its run record."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(number)
    n = 2 * n_pairs
    pairs = [make_pair(place) for place in range(n_pairs)]
    sentences = [text for pair in pairs for text in (pair.sentence_good, pair.sentence_bad)]
    difficulty = np.random.default_rng(0).normal(0, 2, n_pairs)
    differences = random.normal(0.4 + 0.1 * number - difficulty, 2)
    sums = np.column_stack([np.zeros(n_pairs) - 30, -30 - differences]).ravel()
    tokens = random.integers(8, 12, n)
    unigrams = -80 + random.normal(0, 1, n)
    # Each token gets a random part of its sentence's sum.
    shares, ends = random.exponential(1, int(tokens.sum())), np.cumsum(tokens)
    shares *= np.repeat(sums / np.add.reduceat(shares, ends - tokens), tokens)
    columns = {
        "pair_id": [pair.id for pair in pairs for _ in range(2)],
        "side": ["good", "bad"] * n_pairs,
        "sentence": sentences,
        "n_tokens": tokens,
        "n_bytes": np.full(n, 40),
        "n_chars": np.full(n, 38),
        "sum_logprob": sums,
        "unigram_sum_logprob": unigrams,
        "token_logprobs": pa.array([row.tolist() for row in np.split(shares, ends[:-1])]),
        "token_starts": pa.array([list(range(0, 3 * count, 3)) for count in tokens.tolist()], pa.list_(pa.int64())),
        "mean_nll": -sums / tokens,
        "slor": (sums - unigrams) / tokens,
    }
    folder.mkdir(parents=True)
    pq.write_table(pa.table(columns, schema=schema()), folder / SCORES)
    write_text(folder / REJECTED, "")
    model = {
        "name": f"Family{number % 4}-{number // 4 + 1}B{'-Instruct' if number % 2 else ''}",
        "n_parameters": (number // 4 + 1) * 10**9,
        "weights_sha256": f"{number:064x}",
    }
    files = {name: file_sha256(folder / name) for name in (SCORES, REJECTED)}
    run = make_run(
        n_pairs, f"model-{number}", model, release="large-1.0.0", release_sha256=sha256, unigrams="made up", files=files
    )
    write_text(folder / RUN, run.model_dump_json() + "\n")
