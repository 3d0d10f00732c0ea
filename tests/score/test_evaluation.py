"""An evaluation on disk: its rows, its record, what is left out with a reason, and when it is made again."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pairwright.config import ScoreSettings
from pairwright.errors import StoreError
from pairwright.records import Rejection
from pairwright.releases import ReleasePair
from pairwright.runs import EvaluationRun
from pairwright.score.causal import CausalScorer
from pairwright.score.evaluation import evaluate, finished_run, make_plan, read_scores
from pairwright.score.models import LoadedModel, load_model
from pairwright.score.outcomes import SentenceScore
from pairwright.store import read_jsonl, write_jsonl

GOOD_BAD = (
    ("Mums trūksta laiko.", "Mums trūksta laikas."),
    ("Jie laukia traukinio.", "Jie laukia traukinį."),
    ("Jie laukia traukinio.", "Jie laukia traukiniui."),
)
TOO_LONG = "Labai " + "ilgai " * 300 + "laukėme."
SHA256 = "a" * 64
SETTINGS = ScoreSettings(batch_size=4)


@pytest.fixture
def pairs(release_pair: Callable[[str, str, str], ReleasePair]) -> list[ReleasePair]:
    return [release_pair(f"pair-{number}", good, bad) for number, (good, bad) in enumerate(GOOD_BAD)]


@pytest.fixture
def model(tiny_model: Callable[[str], LoadedModel]) -> LoadedModel:
    return tiny_model("Llama")


def run(pairs: list[ReleasePair], model: LoadedModel, directory: Path, **changes: Any) -> EvaluationRun:
    options = {"release": "own-1.0", "release_sha256": SHA256, **changes}
    return evaluate(pairs, CausalScorer(model, SETTINGS), SETTINGS, directory, **options)


def steps(pairs: list[ReleasePair], model: LoadedModel, directory: Path, **changes: Any) -> list[int]:
    """The progress of an evaluation; empty where it was fresh."""
    seen: list[int] = []
    run(pairs, model, directory, progress=seen.append, **changes)
    return seen


def test_rows_are_the_scores_of_both_sides_in_the_order_of_the_release(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    scores, _ = read_scores(tmp_path)
    assert [(score.pair_id, score.side) for score in scores] == [
        (pair.id, side) for pair in pairs for side in ("good", "bad")
    ]
    assert [score.sentence for score in scores] == [sentence for pair in GOOD_BAD for sentence in pair]
    for score in scores:
        [alone] = CausalScorer(model, SETTINGS).score([score.sentence])
        assert isinstance(alone, SentenceScore)
        assert score.sum_logprob == pytest.approx(alone.sum_logprob, abs=1e-3)
        assert (score.n_tokens, score.n_bytes) == (alone.n_tokens, len(score.sentence.encode()))


def test_the_table_opens_in_other_programs_with_units(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    table = pq.read_table(tmp_path / "scores.parquet")
    assert table.column_names == [
        "pair_id",
        "side",
        "sentence",
        "n_tokens",
        "n_bytes",
        "n_chars",
        "sum_logprob",
        "unigram_sum_logprob",
        "token_logprobs",
        "words",
        "mean_nll",
        "slor",
    ]
    assert table.schema.field("sum_logprob").metadata == {b"unit": b"nats"}
    for row in table.to_pylist():
        assert row["mean_nll"] == pytest.approx(-row["sum_logprob"] / row["n_tokens"])
        assert row["mean_nll"] > 0


def test_the_record_of_a_run(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    returned = run(pairs, model, tmp_path)
    written = EvaluationRun.model_validate_json((tmp_path / "run.json").read_text())
    assert written == returned == read_scores(tmp_path)[1]
    assert (written.release, written.release_sha256) == ("own-1.0", SHA256)
    assert (written.n_pairs, written.n_scored, written.n_rejected, written.n_sentences) == (3, 3, 0, 5)
    assert written.model == model.info
    assert written.policy.bos == "auto"
    assert written.first_token_scored
    assert written.sentences_per_second > 0
    assert written.started_at.endswith("+00:00")
    assert written.started_at <= written.finished_at


def test_a_model_without_bos_says_that_first_tokens_are_not_scored(
    pairs: list[ReleasePair], tiny_model: Callable[[str], LoadedModel], tmp_path: Path
) -> None:
    assert not run(pairs, tiny_model("Qwen2"), tmp_path).first_token_scored


def test_a_pair_that_can_not_be_scored_is_kept_with_its_reason(
    pairs: list[ReleasePair],
    model: LoadedModel,
    release_pair: Callable[[str, str, str], ReleasePair],
    tmp_path: Path,
) -> None:
    broken = release_pair("pair-long", "Labai ilgai laukėme.", TOO_LONG)
    record = run([pairs[0], broken, pairs[1]], model, tmp_path)
    assert (record.n_pairs, record.n_scored, record.n_rejected) == (3, 2, 1)
    scores, _ = read_scores(tmp_path)
    assert {score.pair_id for score in scores} == {"pair-0", "pair-1"}
    [rejection] = read_jsonl(tmp_path / "scores.rejected.jsonl", Rejection)
    assert rejection.stage == "score"
    assert rejection.text == TOO_LONG
    assert rejection.source_id == broken.source_id
    assert rejection.reason.startswith("pair-long, bad sentence: longer than the model's context")


def test_a_release_in_which_nothing_can_be_scored_is_no_crash(
    model: LoadedModel, release_pair: Callable[[str, str, str], ReleasePair], tmp_path: Path
) -> None:
    record = run([release_pair("pair-long", TOO_LONG, "")], model, tmp_path)
    assert (record.n_scored, record.n_rejected, record.n_sentences) == (0, 1, 0)
    assert read_scores(tmp_path)[0] == []
    assert len(list(read_jsonl(tmp_path / "scores.rejected.jsonl", Rejection))) == 2


def test_progress_counts_pairs_and_never_goes_back(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    seen = steps(pairs, model, tmp_path)
    assert seen == sorted(seen)
    assert seen[-1] == len(pairs)


def test_a_finished_evaluation_is_not_made_again(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    first = run(pairs, model, tmp_path)
    assert steps(pairs, model, tmp_path) == []
    assert run(pairs, model, tmp_path) == first
    assert finished_run(tmp_path, make_plan(CausalScorer(model, SETTINGS), SETTINGS, SHA256).what, "own-1.0") == first


def test_another_release_weights_or_dtype_is_scored_again(
    pairs: list[ReleasePair],
    model: LoadedModel,
    tiny_model: Callable[[str], LoadedModel],
    tiny_directory: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    run(pairs, model, tmp_path)
    assert steps(pairs, model, tmp_path, release_sha256="b" * 64)
    assert steps(pairs, tiny_model("GPT2"), tmp_path, release_sha256="b" * 64)
    halved = load_model(str(tiny_directory("GPT2")), dtype="bfloat16", device="cpu")
    assert steps(pairs, halved, tmp_path, release_sha256="b" * 64)
    assert steps(pairs, halved, tmp_path, release_sha256="b" * 64) == []


@pytest.mark.parametrize("name", ["scores.parquet", "scores.rejected.jsonl", "run.json"])
def test_a_file_that_is_gone_or_damaged_is_named_and_made_again(
    name: str, pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    run(pairs, model, tmp_path)
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(StoreError, match=name) as damaged:
        read_scores(tmp_path)
    path.unlink()
    with pytest.raises(StoreError, match="evaluate the release") as gone:
        read_scores(tmp_path)
    assert all("\n" not in str(caught.value) for caught in (damaged, gone))
    assert steps(pairs, model, tmp_path)
    assert len(read_scores(tmp_path)[0]) == 2 * len(pairs)


def test_a_table_that_is_no_table_of_scores_is_refused(
    pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path
) -> None:
    from pairwright.ids import file_sha256

    run(pairs, model, tmp_path)
    table = pq.read_table(tmp_path / "scores.parquet")
    for damaged in (table.drop_columns("sum_logprob"), table.set_column(1, "side", [["left"] * len(table)])):
        pq.write_table(damaged, tmp_path / "scores.parquet")
        record = json.loads((tmp_path / "run.json").read_text())
        record["files"]["scores.parquet"] = file_sha256(tmp_path / "scores.parquet")
        (tmp_path / "run.json").write_text(json.dumps(record))
        with pytest.raises(StoreError, match="not a table of scores"):
            read_scores(tmp_path)


def test_two_evaluations_write_the_same_scores(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    run(pairs, model, tmp_path / "one")
    run(pairs, model, tmp_path / "two")
    assert (tmp_path / "one/scores.parquet").read_bytes() == (tmp_path / "two/scores.parquet").read_bytes()


def test_the_order_of_the_pairs_changes_no_number(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    run(pairs, model, tmp_path / "one")
    run(pairs[::-1], model, tmp_path / "two")
    forth, back = read_scores(tmp_path / "one")[0], read_scores(tmp_path / "two")[0]
    assert sorted(forth, key=lambda score: (score.pair_id, score.side)) == sorted(
        back, key=lambda score: (score.pair_id, score.side)
    )


def many(release_pair: Callable[[str, str, str], ReleasePair], count: int) -> list[ReleasePair]:
    """Pairs of which some can't be scored and some are ties."""
    found = []
    for number in range(count):
        bad = TOO_LONG if number % 7 == 3 else f"Mums trūksta laikas {number}."
        good = bad if number % 11 == 5 else f"Mums trūksta laiko {number}."
        found.append(release_pair(f"pair-{number:03d}", good, bad))
    return found


def by_shards(pairs: Iterable[ReleasePair], model: LoadedModel, directory: Path, **options: Any) -> EvaluationRun:
    settings = ScoreSettings(shard_pairs=5)
    scorer = CausalScorer(model, settings)
    return evaluate(pairs, scorer, settings, directory, release="own-1.0", release_sha256=SHA256, **options)


def test_shards_join_to_what_one_shard_gives(
    model: LoadedModel, release_pair: Callable[[str, str, str], ReleasePair], tmp_path: Path
) -> None:
    pairs = many(release_pair, 23)
    record = by_shards(iter(pairs), model, tmp_path / "shards")
    whole = run(pairs, model, tmp_path / "whole")
    one, other = read_scores(tmp_path / "shards")[0], read_scores(tmp_path / "whole")[0]
    assert [(score.pair_id, score.side) for score in one] == [(score.pair_id, score.side) for score in other]
    for score, same in zip(one, other, strict=True):
        assert score.sum_logprob == pytest.approx(same.sum_logprob, abs=1e-3)
    assert (record.n_pairs, record.n_scored, record.n_ties) == (whole.n_pairs, whole.n_scored, whole.n_ties)
    assert (record.n_pairs, record.n_rejected, record.n_ties) == (23, 3, 2)
    assert len(list(read_jsonl(tmp_path / "shards/scores.rejected.jsonl", Rejection))) == record.n_rejected
    assert sorted(path.name for path in (tmp_path / "shards").iterdir()) == [
        "run.json",
        "scores.parquet",
        "scores.rejected.jsonl",
    ]


def test_only_one_shard_of_pairs_stands_in_memory(
    model: LoadedModel, release_pair: Callable[[str, str, str], ReleasePair], tmp_path: Path
) -> None:
    """The pairs come one by one, and the first shards are on disk before the last pairs are asked for."""
    finished: list[int] = []

    def stream() -> Iterator[ReleasePair]:
        for pair in many(release_pair, 23):
            finished.append(len(list((tmp_path / "shards").glob("*.parquet"))))
            yield pair

    by_shards(stream(), model, tmp_path)
    assert finished == [number // 5 for number in range(23)]


class Stopped(Exception):
    """Someone stops the run."""


def test_a_stopped_run_goes_on_after_its_last_shard_and_ends_the_same(
    model: LoadedModel, release_pair: Callable[[str, str, str], ReleasePair], tmp_path: Path
) -> None:
    pairs = many(release_pair, 23)

    def stop(done: int) -> None:
        if done > 12:
            raise Stopped

    with pytest.raises(Stopped):
        by_shards(pairs, model, tmp_path / "stopped", progress=stop)
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "stopped/shards").glob("*.parquet")}
    assert sorted(before) == ["000000.parquet", "000001.parquet"]
    seen: list[int] = []
    by_shards(pairs, model, tmp_path / "stopped", progress=seen.append)
    assert seen[:2] == [5, 10]
    by_shards(pairs, model, tmp_path / "whole")
    for name in ("scores.parquet", "scores.rejected.jsonl"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.parametrize("damage", ["bit", "half", "rejected", "gone"])
def test_a_damaged_shard_is_named_and_scored_again(
    damage: str, model: LoadedModel, release_pair: Callable[[str, str, str], ReleasePair], tmp_path: Path
) -> None:
    pairs = many(release_pair, 23)

    def stop(done: int) -> None:
        if done > 17:
            raise Stopped

    with pytest.raises(Stopped):
        by_shards(pairs, model, tmp_path / "stopped", progress=stop)
    shard = tmp_path / "stopped/shards/000002.parquet"
    content = bytearray(shard.read_bytes())
    if damage == "bit":
        content[200] ^= 1
        shard.write_bytes(content)
    elif damage == "half":
        shard.write_bytes(content[: len(content) // 2])
    elif damage == "rejected":
        shard.with_suffix("").with_suffix(".rejected.jsonl").write_text("")
    else:
        shard.unlink()
    notices: list[str] = []
    by_shards(pairs, model, tmp_path / "stopped", notice=notices.append)
    assert len(notices) == (damage != "gone")
    assert all("000002" in text and "scored again" in text and "\n" not in text for text in notices)
    by_shards(pairs, model, tmp_path / "whole")
    assert (tmp_path / "stopped/scores.parquet").read_bytes() == (tmp_path / "whole/scores.parquet").read_bytes()


def test_shards_of_another_release_or_policy_are_thrown_away(
    model: LoadedModel, release_pair: Callable[[str, str, str], ReleasePair], tmp_path: Path
) -> None:
    pairs = many(release_pair, 23)

    def stop(done: int) -> None:
        if done > 12:
            raise Stopped

    with pytest.raises(Stopped):
        by_shards(pairs, model, tmp_path, progress=stop)
    settings = ScoreSettings(shard_pairs=5, bos="never")
    record = evaluate(
        pairs, CausalScorer(model, settings), settings, tmp_path, release="own-1.0", release_sha256=SHA256
    )
    assert not record.first_token_scored
    first = read_scores(tmp_path)[0][0]
    [alone] = CausalScorer(model, settings).score([first.sentence])
    assert isinstance(alone, SentenceScore)
    assert first.n_tokens == alone.n_tokens


def test_a_full_disk_is_one_line_and_keeps_what_is_finished(
    model: LoadedModel, release_pair: Callable[[str, str, str], ReleasePair], tmp_path: Path
) -> None:
    resource = pytest.importorskip("resource", reason="file size limits are a thing of POSIX")
    pairs = many(release_pair, 23)
    by_shards(pairs, model, tmp_path / "whole")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Room for a shard, and not for the joined table.
    resource.setrlimit(resource.RLIMIT_FSIZE, ((tmp_path / "whole/scores.parquet").stat().st_size - 1, before[1]))
    try:
        with pytest.raises(StoreError, match="can't be written") as caught:
            by_shards(pairs, model, tmp_path / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "finished shards are kept" in str(caught.value)
    assert len(list((tmp_path / "full/shards").glob("*.parquet"))) == 5
    by_shards(pairs, model, tmp_path / "full")
    assert (tmp_path / "full/scores.parquet").read_bytes() == (tmp_path / "whole/scores.parquet").read_bytes()


def test_words_and_slor_stand_in_the_table(pairs: list[ReleasePair], model: LoadedModel, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Mums trūksta laiko.\n", encoding="utf-8")
    settings = ScoreSettings(words=True, unigrams=str(corpus))
    scorer = CausalScorer(model, settings)
    record = evaluate(pairs, scorer, settings, tmp_path / "out", release="own-1.0", release_sha256=SHA256)
    assert record.unigrams == scorer.unigrams
    scores, _ = read_scores(tmp_path / "out")
    table = pq.read_table(tmp_path / "out/scores.parquet").to_pylist()
    for score, row in zip(scores, table, strict=True):
        assert score.words is not None
        assert [word.text for word in score.words] == score.sentence.split()
        assert score.unigram_sum_logprob is not None
        wanted = (score.sum_logprob - score.unigram_sum_logprob) / score.n_tokens
        assert score.slor == pytest.approx(wanted)
        assert row["slor"] == pytest.approx(wanted)
        assert score.n_chars == len(score.sentence)


KILLED = """
import sys
from pathlib import Path
from pairwright.config import ScoreSettings
from pairwright.releases import ReleasePair
from pairwright.score.causal import CausalScorer
from pairwright.score.evaluation import evaluate
from pairwright.score.models import load_model
from pairwright.store import read_jsonl

model, pairs, directory = sys.argv[1:]
settings = ScoreSettings(shard_pairs=4)
scorer = CausalScorer(load_model(model, device="cpu"), settings)
print("loaded", flush=True)
evaluate(read_jsonl(Path(pairs), ReleasePair), scorer, settings, Path(directory), release="own-1.0",
         release_sha256="a" * 64, progress=lambda done: print(done, flush=True))
"""


@pytest.mark.slow
def test_twenty_kills_lose_nothing_and_score_no_shard_twice(
    model: LoadedModel,
    tiny_directory: Callable[[str], Path],
    release_pair: Callable[[str, str, str], ReleasePair],
    tmp_path: Path,
) -> None:
    """A process is killed without warning, again and again, each time a little later."""
    pairs = many(release_pair, 200)
    write_jsonl(tmp_path / "pairs.jsonl", pairs)
    command = [sys.executable, "-c", KILLED, str(tiny_directory("Llama")), str(tmp_path / "pairs.jsonl")]
    written: dict[str, int] = {}
    for kill in range(20):
        with subprocess.Popen([*command, str(tmp_path / "killed")], stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line, _ in enumerate(process.stdout):
                if line > 3 + kill * 3:
                    process.kill()
                    break
        for path in (tmp_path / "killed/shards").glob("*.parquet"):
            assert written.setdefault(path.name, path.stat().st_mtime_ns) == path.stat().st_mtime_ns
    subprocess.run([*command, str(tmp_path / "killed")], stdout=subprocess.DEVNULL, check=True)
    settings = ScoreSettings(shard_pairs=4)
    scorer = CausalScorer(model, settings)
    evaluate(pairs, scorer, settings, tmp_path / "whole", release="own-1.0", release_sha256="a" * 64)
    for name in ("scores.parquet", "scores.rejected.jsonl"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert len(written) > 20
